"""Gaits: which legs step when, and how a foot swings from one foothold to the next.

A gait is a clock that goes round. In its *slot* a leg sheds its load, lets go, swings, lands and
takes hold; for the rest of the cycle it carries the body. While it takes its load, slowly, the next
leg may already shed its own. Numbers of legs count round the body from 1.
"""

from dataclasses import dataclass, replace

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput, UnknownName


@dataclass(frozen=True, kw_only=True)
class Gait:
    """Who steps when."""

    name: str
    groups: tuple[tuple[int, ...], ...]
    """Legs that step together, in their order."""
    cycle: float
    """Time in which every leg steps once [s]."""
    slots: float
    """Length of a slot, in parts of the time between two groups: 1 means one after the other."""
    speed: float
    """Of the body, unless one is asked for [m/s]."""
    shed: float = 0.2
    """A leg sheds its load in this time before it lets go [s]."""
    load: float = 0.15
    """It takes its load in this time after it took hold [s]."""
    landing: float = 0.15
    """Time kept for coming down slowly at the end of a swing [s]."""

    def __post_init__(self) -> None:
        spent = self.shed + self.landing
        if self.slot <= spent:
            raise InvalidInput(
                f"a slot of {self.slot:.2f} s leaves no time to swing: shedding and landing "
                f"take {spent:.2f} s; take a cycle longer than {self.cycle:g} s"
            )

    @property
    def slot(self) -> float:
        """Time of a leg's step [s]."""
        return self.slots * self.cycle / len(self.groups)

    @property
    def swing(self) -> float:
        """Time in the air before the landing [s]."""
        return self.slot - self.shed - self.landing

    @property
    def stance(self) -> float:
        """Time between two steps of a leg [s]."""
        return self.cycle - self.slot

    def starts(self) -> Array:
        """Return when each leg's slot begins in the cycle [s]; legs in the order of numbers."""
        apart = self.cycle / len(self.groups)
        begin = {leg: i * apart for i, group in enumerate(self.groups) for leg in group}
        return np.array([begin[leg] for leg in sorted(begin)])

    def with_cycle(self, cycle: float) -> "Gait":
        """Return the gait with another time for a cycle [s]."""
        return replace(self, cycle=finite_number(cycle, name="cycle [s]", lower=0.1, upper=60.0))


GAITS = {
    gait.name: gait
    for gait in (
        Gait(name="wave", groups=((3,), (2,), (1,), (4,), (5,), (6,)), cycle=4.8, slots=1.0,
             speed=0.012),
        Gait(name="ripple", groups=((3,), (6,), (2,), (5,), (1,), (4,)), cycle=3.2, slots=2.0,
             speed=0.018),
        Gait(name="tripod", groups=((2, 4, 6), (1, 3, 5)), cycle=2.0, slots=1.0, speed=0.04),
    )
}  # fmt: skip
"""For six legs. Times and speeds are those of the sheet on climbing, measured on a prototype."""


def find_gait(gait: "str | Gait") -> Gait:
    """Return a gait by its name."""
    if isinstance(gait, Gait):
        return gait
    if gait not in GAITS:
        raise UnknownName("gait", str(gait), GAITS)
    return GAITS[gait]


def moved(points: Array, twist: Array, time: float) -> Array:
    """Return where points of a body come to in some time, seen from where the body was.

    Args:
        points: In the body's frame [m]. Shape (n, 3).
        twist: Forward, to the left [m/s] and turning about z [rad/s].
        time: [s].
    """
    vx, vy, wz = twist
    angle = wz * time
    c, s = np.cos(angle), np.sin(angle)
    if abs(angle) < 1e-9:
        shift = np.array([vx * time, vy * time])
    else:
        shift = np.array([s * vx - (1.0 - c) * vy, (1.0 - c) * vx + s * vy]) / wz
    out = np.array(points, float)
    out[:, 0] = c * points[:, 0] - s * points[:, 1] + shift[0]
    out[:, 1] = s * points[:, 0] + c * points[:, 1] + shift[1]
    return out


def swing_point(start: Array, goal: Array, lift: Array, drop: Array, part: float) -> Array:
    """Return a point of a swing: off the surface, over, and down to the goal.

    Args:
        start: Where the tip let go [m].
        goal: Where the swing ends, above the foothold [m].
        lift: How far it goes off the surface that it leaves [m].
        drop: From where it comes down, seen from the goal [m].
        part: From 0 at the start to 1 at the goal.
    """
    across = _smooth(min(max((part - 0.15) / 0.7, 0.0), 1.0))
    leaves, comes = _smooth(min(part / 0.5, 1.0)), _smooth(min((1.0 - part) / 0.5, 1.0))
    return (1.0 - across) * (start + leaves * lift) + across * (goal + comes * drop)


def _smooth(x: float) -> float:
    """Return a smooth step from 0 to 1 that starts and ends at rest."""
    return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)
