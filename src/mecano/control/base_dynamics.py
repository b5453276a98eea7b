"""Torques that wheels must give for a motion of their base: its inverse dynamics on the floor.

The kinematic way tells motors a rate and leaves it to their loops to find the torque, which they
only do by being behind. Here the torque is computed beforehand from mass, moments and friction, and
the loops have little left to do.
"""

from dataclasses import dataclass
from math import copysign

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.kinematics.wheels import WheelLayout

CREEP = 0.01
"""Below this rate the dry friction of a wheel fades, so that it does not rattle at rest [rad/s]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BaseDynamics:
    """A base with all that it carries, as it stands now: rigid, on wheels that do not slip."""

    layout: WheelLayout
    mass: float
    """Of all [kg]."""
    centre: tuple[float, float]
    """Where its middle is, seen from the base [m]."""
    moment: float
    """About the vertical through the base's origin [kg m2]."""
    rolling: tuple[float, ...]
    """What the turning of each wheel adds [kg m2]."""
    free: bool = False
    """Whether a wheel is a ball that rolls in any direction with that moment; else it has it about
    its axle only."""
    damping: tuple[float, ...] = ()
    """Of the axles [N m s/rad]; empty is none."""
    friction: tuple[float, ...] = ()
    """Dry, of the axles [N m]; empty is none."""

    def __post_init__(self) -> None:
        finite_number(self.mass, name="mass of the base [kg]", lower=1e-6)
        finite_number(self.moment, name="moment of the base [kg m2]", lower=1e-9)
        count = len(self.layout.wheels)
        for name in ("rolling", "damping", "friction"):
            values = getattr(self, name)
            if len(values) not in ({count} if name == "rolling" else {0, count}):
                raise InvalidInput(f"{name} has {len(values)} values for {count} wheels")

    @property
    def mass_matrix(self) -> Array:
        """Of (vx, vy, wz), the wheels included. Shape (3, 3)."""
        m, (x, y) = self.mass, self.centre
        whole = np.array([[m, 0.0, -m * y], [0.0, m, m * x], [-m * y, m * x, self.moment]])
        for wheel, moment in zip(self.layout.wheels, self.rolling, strict=True):
            if self.free:
                along = np.array([[1.0, 0.0, -wheel.y], [0.0, 1.0, wheel.x]])
                whole += moment / wheel.radius**2 * along.T @ along
            else:
                row = np.array(wheel.rate_row)
                whole += moment * np.outer(row, row)
        return whole

    def torques(self, twist: ArrayLike, change: ArrayLike) -> Array:
        """Return torques of the motors [N m] for a motion. Shape (n,).

        Args:
            twist: (vx, vy, wz) of the base in its own frame [m/s, rad/s].
            change: How fast these three numbers change [m/s2, rad/s2].
        """
        vx, vy, wz = np.asarray(twist, float).tolist()
        # Speeds in a frame that turns: at constant numbers the base still goes round a bend.
        M, bend = self.mass_matrix, np.array([-wz * vy, wz * vx, 0.0])
        force = M @ (np.asarray(change, float) + bend)
        x, y = self._heavy_point()
        force[:2] -= M[0, 0] * wz**2 * np.array([x, y])
        torques = self.layout.to_twist.T @ force
        rates = self.layout.rates([vx, vy, wz])
        if self.damping:
            torques = torques + np.array(self.damping) * rates
        if self.friction:
            torques = torques + [
                copysign(min(1.0, abs(rate) / CREEP) * dry, rate)
                for rate, dry in zip(rates.tolist(), self.friction, strict=True)
            ]
        return torques

    def _heavy_point(self) -> tuple[float, float]:
        """Return the middle of all that goes round with the base [m]."""
        m, (x, y) = self.mass, self.centre
        if not self.free:
            return x, y
        extra = [r / w.radius**2 for w, r in zip(self.layout.wheels, self.rolling, strict=True)]
        whole = m + sum(extra)
        wheels = self.layout.wheels
        return (
            (m * x + sum(e * w.x for e, w in zip(extra, wheels, strict=True))) / whole,
            (m * y + sum(e * w.y for e, w in zip(extra, wheels, strict=True))) / whole,
        )
