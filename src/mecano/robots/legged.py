"""What a robot on legs has: legs, the feet that hold on to surfaces, and how it stands."""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.grips import GripLaw


@dataclass(frozen=True, kw_only=True)
class CupFacts:
    """A foot that can hold on to a surface: a suction cup, or another gripper."""

    body: str
    """Of the model, with all that follows."""
    site: str
    """In the middle of the face that touches, z out of the foot."""
    lip: str
    """Its shape that touches the surface; it does not collide while the foot holds."""
    bond: str
    """Weld of the model that stands for its hold, inactive at first."""
    radius: float
    """[m]."""
    proximity: float
    """It takes hold of what is within this distance of its face [m]."""
    law: GripLaw
    """What it holds."""
    force_noise: float = 0.1
    """Spread of a noisy load [N], EST: a load cell of 50 N with 0.2 %."""
    moment_noise: float = 0.005
    """Spread of a noisy moment [N m], EST."""


@dataclass(frozen=True, kw_only=True)
class Leg:
    """One leg: its chain, its joints with springs, its foot."""

    chain: str
    """Name of the chain in the description."""
    springs: tuple[str, ...]
    """Joints without a motor between the chain's tip and the foot, from the tip on."""
    cup: CupFacts


@dataclass(frozen=True, kw_only=True)
class ImuFacts:
    """An inertial sensor, as two sensors of the model and their noise."""

    gyro: str
    accelerometer: str
    rate: float
    """Readings per second [Hz]."""
    turn_noise: float
    """Spread of a turn rate [rad/s]."""
    turn_bias: float
    """Spread of its constant error, drawn once per run [rad/s]."""
    acceleration_noise: float
    """Spread of an acceleration [m/s2]."""


@dataclass(frozen=True, kw_only=True)
class LeggedBody:
    """A body on legs."""

    frame: str
    """Root body of the model: free to move."""
    height: float
    """Of the root above the floor while it stands in its posture `home` [m]."""
    legs: tuple[Leg, ...]
    """In the order of their numbers, from 1 on."""
    groups: tuple[tuple[int, ...], ...]
    """Numbers of legs that step together in the alternating gait; empty takes every second one."""
    tip_height: float
    """Of a chain's tip above the surface that its foot stands on [m]."""
    footholds: dict[float, tuple[tuple[float, float], ...]]
    """Where the tips stand in the body's frame, leg by leg, by the height of the body's plane above
    the surface [m]."""
    torque: float
    """What a servo is allowed to give for long [N m]."""
    integral: float
    """Gain of the servos' integral in legs that hang free [N m/(rad s)]; feet that hold have none:
    in a closed chain the integrals of legs fight each other."""
    imu: ImuFacts | None = None
    corner: tuple[tuple[float, float, float], ...] = ()
    """Way of the body through an inner corner: pitch, nose up [rad], and where it is seen from the
    edge: x towards the second surface, z off the first [m]."""

    @property
    def cups(self) -> tuple[CupFacts, ...]:
        """The feet, in the order of the legs."""
        return tuple(leg.cup for leg in self.legs)

    def stance(self, height: float | None = None) -> Array:
        """Return where the tips stand in the body's frame at a height of the body [m].

        Args:
            height: Of the body's plane above the surface; None is the robot's own.

        Returns:
            Points between those of the two nearest known heights. Shape (legs, 3).
        """
        known = sorted(self.footholds)
        height = finite_number(
            self.height if height is None else height,
            name="height of the body [m]", lower=known[0], upper=known[-1],
        )  # fmt: skip
        table = np.array([self.footholds[each] for each in known])
        columns = table.reshape(len(known), -1).T
        points = np.array([np.interp(height, known, column) for column in columns]).reshape(-1, 2)
        return np.column_stack([points, np.full(len(points), self.tip_height - height)])
