"""A loop that keeps the rates of wheels by torques: PID with a limited integral."""

from dataclasses import dataclass, fields

import numpy as np

from mecano.core.arrays import Array, finite_number


@dataclass(frozen=True)
class LoopState:
    """What the loop must know to go on."""

    integral: tuple[float, ...]
    """Torques that the integrals give [N m]."""
    error: tuple[float, ...] | None = None
    """Of the rates at the last step [rad/s]; None before the first."""


@dataclass(frozen=True, kw_only=True)
class WheelLoop:
    """torque = p error + i (integral of error) + d (change of error), error in rad/s.

    That is how ROS's effort controllers read gains of a velocity loop, at the wheel.
    """

    p: float
    """[N m s/rad]."""
    i: float = 0.0
    """[N m/rad]."""
    d: float = 0.0
    """[N m s2/rad]: like so much more moment of inertia of the wheel, in kg m2."""
    clamp: float = 0.0
    """The integrals give no more torque than this [N m]."""

    def __post_init__(self) -> None:
        for field in fields(self):
            finite_number(getattr(self, field.name), name=f"WheelLoop.{field.name}", lower=0.0)

    def begin(self, wheels: int) -> LoopState:
        """Return the state of a loop that begins."""
        return LoopState((0.0,) * wheels)

    def after(
        self, state: LoopState, wanted: Array, measured: Array, passed: float
    ) -> tuple[Array, LoopState]:
        """Return torques of the motors [N m] for this step, and the state after it.

        Args:
            state: After the last step.
            wanted: Rates of the wheels [rad/s]. Shape (n,).
            measured: Rates by the encoders [rad/s]. Shape (n,).
            passed: Since the last step [s].
        """
        error = wanted - measured
        integral = np.add(state.integral, self.i * passed * error).clip(-self.clamp, self.clamp)
        torques = self.p * error + integral
        if state.error is not None:
            torques = torques + self.d * (error - state.error) / passed
        return torques, LoopState(tuple(integral.tolist()), tuple(error.tolist()))
