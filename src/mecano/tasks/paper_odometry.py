"""The odometry of MADAR's paper (appendix N), kept with its flaws, to study what they do.

Use `mecano.estimation.odometry.Odometer` to know where a base is. This one

- adds steps of the base to a place in the world without turning them, whenever the base does not
  turn: right only while it faces the way it began;
- chooses between two formulas by comparing an angle with a rate, for exact inequality;
- else integrates filtered speeds with a heading that is not filtered;
- takes the first reading of absolute encoders for a motion (`as_printed`);
- knows nothing of its own error.
"""

from dataclasses import dataclass, field, replace
from math import atan, copysign, exp, hypot, nan, pi

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.estimation.odometry import FILTER
from mecano.kinematics.wheels import WheelLayout


@dataclass(frozen=True, eq=False)
class PaperOdometer:
    """It holds the state after one reading; `after` returns the next one."""

    layout: WheelLayout
    angles: Array
    """Of the wheels at the last reading [rad]. Shape (n,)."""
    stamp: float = 0.0
    """Of the last reading [s]."""
    rates: Array = field(default_factory=lambda: np.zeros(0))
    """Of the wheels, filtered [rad/s]. Shape (n,)."""
    x: float = 0.0
    """[m]."""
    y: float = 0.0
    """[m]."""
    heading: float = 0.0
    """It is not wrapped [rad]."""
    epsilon: float = 1e-3
    """A base that turns slower than this goes straight [rad/s]. The paper gives no number."""

    def __post_init__(self) -> None:
        wheels = len(self.layout.wheels)
        angles = read_only(self.angles, name="angles of wheels [rad]", shape=(wheels,))
        object.__setattr__(self, "angles", angles)
        finite_number(self.epsilon, name="epsilon [rad/s]", lower=0.0)
        if not len(self.rates):
            object.__setattr__(self, "rates", np.zeros(wheels))

    @classmethod
    def as_printed(cls, layout: WheelLayout, *, stamp: float = 0.0) -> "PaperOdometer":
        """Return it as the paper begins at a time [s]: wheels at zero, whatever encoders read.

        `PaperOdometer(layout, angles, stamp)` mends that: it begins at the first reading.
        """
        return cls(layout, np.zeros(len(layout.wheels)), stamp)

    @property
    def pose(self) -> Pose2:
        """Where it says the base is."""
        return Pose2(self.x, self.y, self.heading)

    def after(self, angles: ArrayLike, stamp: float) -> "PaperOdometer":
        """Return the odometer after one more reading of the absolute encoders.

        Args:
            angles: Of the wheels [rad]. Shape (n,).
            stamp: When they were read [s]; it must be later than the last one.
        """
        now = read_only(angles, name="angles of wheels [rad]", shape=self.angles.shape)
        passed = finite_number(stamp, name="stamp [s]") - self.stamp
        if passed <= 0.0:
            raise InvalidInput(f"a reading of {stamp} s came after one of {self.stamp} s")
        turned = now - self.angles
        step = self.layout.twist(turned)
        keep = exp(-passed / FILTER)
        rates = keep * self.rates + (1.0 - keep) * turned / passed
        heading = self.heading + float(step[2])
        vx, vy, turn = self.layout.twist(rates).tolist()
        c, s = np.cos(heading), np.sin(heading)
        world_x, world_y = float(c * vx - s * vy), float(s * vx + c * vy)
        if abs(turn) > self.epsilon and _slope(world_x, world_y) != turn:
            dx, dy = world_x * passed, world_y * passed
        else:
            dx, dy = float(step[0]), float(step[1])  # steps of the base, not turned: the flaw
        return replace(
            self, angles=now, stamp=stamp, rates=rates, x=self.x + dx, y=self.y + dy,
            heading=heading,
        )  # fmt: skip

    def error_to(self, truth: Pose2) -> float:
        """Return how far it is from where the base really is [m]."""
        return hypot(self.x - truth.x, self.y - truth.y)


def _slope(x: float, y: float) -> float:
    """Return atan(y / x) as the paper's program computes it, without its division by zero."""
    if x == 0.0:
        return copysign(pi / 2, y) if y else nan  # NaN differs from every number, as in C
    return atan(y / x)
