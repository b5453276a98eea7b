"""Gains for joints whose maker published none: critically damped, as stiff as the motor is strong.

    kp = min(effort / DEFLECTION, inertia * FREQUENCY^2),   kd = 2 sqrt(kp * inertia)

The first term keeps a servo from asking for all its torque at a small error, the second keeps it
slower than the physics step can follow (at 2 ms a step is 1/8 of its time constant). UR's own arms
have about these gains: 150 N m give 3750 N m/rad, our model of the UR5 has 4000.
"""

from math import isfinite

import numpy as np

from mecano.core.arrays import Array

DEFLECTION = 0.04
"""Error at which a servo gives all its torque [rad or m]."""
FREQUENCY = 60.0
"""Of the closed loop, at most [rad/s]."""


def pd_gains(inertia: float, effort: float) -> tuple[float, float]:
    """Return kp [N m/rad or N/m] and kd [N m s/rad or N s/m] of a critically damped servo.

    Args:
        inertia: That the joint sees, its rotor included [kg m2 or kg].
        effort: Most that the motor gives [N m or N]; not finite or 0 if unknown.
    """
    stiffest = inertia * FREQUENCY**2
    kp = min(effort / DEFLECTION, stiffest) if isfinite(effort) and effort > 0.0 else stiffest
    return kp, 2.0 * float(np.sqrt(kp * inertia))


def pd_gains_of(inertia: Array, effort: Array) -> tuple[Array, Array]:
    """Return the same for several joints. Shapes (n,)."""
    pairs = [pd_gains(float(m), float(f)) for m, f in zip(inertia, effort, strict=True)]
    return np.array([kp for kp, _ in pairs]), np.array([kd for _, kd in pairs])
