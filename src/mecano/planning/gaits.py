"""Gaits: which legs step when, and how a foot swings from one foothold to the next.

A gait is a clock that goes round. In its *slot* a leg sheds its load, lets go, swings, lands and
takes hold; for the rest of the cycle it carries the body. While it takes its load, slowly, the next
leg may already shed its own. Numbers of legs count round the body from 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

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


SLOT = 0.8
"""Time for one leg's step in the wave [s]; as strides and cycles below, those of the sheet on
climbing, measured on a prototype with six legs."""
RIPPLE_SLOT = 3.2 / 6
"""Time between two steps in the ripple [s]; a step takes two of them."""
ALTERNATING_CYCLE = 2.0
"""[s]."""
WAVE_STRIDE, RIPPLE_STRIDE, ALTERNATING_STRIDE = 0.048, 0.0384, 0.04
"""Distance the body moves while a foot is down [m]."""
FEWEST_DOWN = 3
"""Feet that must stay down while others step."""
_ALTERNATING = {6: "tripod", 8: "tetrapod"}


def alternating_groups(legs: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return every second leg round the body, even ones first: tripods of 6, tetrapods of 8."""
    return tuple(range(2, legs + 1, 2)), tuple(range(1, legs + 1, 2))


@cache
def gaits_for(legs: int, groups: tuple[tuple[int, ...], ...] = ()) -> Mapping[str, Gait]:
    """Return the gaits of a robot by name, the slowest first.

    The wave moves one leg at a time, from the rear to the front, one side after the other. The
    ripple takes the sides in turns, so two legs are in the air. In the alternating gait, called
    tripod with six legs and tetrapod with eight, half of the legs step together. A gait that would
    leave fewer than three feet down is not among them: four legs have the wave only.

    Args:
        legs: An even number, at least 4. Numbered round the body: those on the left from the front
            to the rear, then those on the right from the rear to the front.
        groups: Legs that step together in the alternating gait; empty takes every second one.
    """
    if isinstance(legs, bool) or not isinstance(legs, int) or legs < 4 or legs % 2:
        raise InvalidInput(f"gaits are for 4, 6, 8 or more legs in pairs, not for {legs!r}")
    groups = groups or alternating_groups(legs)
    left, right = range(legs // 2, 0, -1), range(legs // 2 + 1, legs + 1)
    wave = tuple((leg,) for leg in (*left, *right))
    ripple = tuple((leg,) for pair in zip(left, reversed(right), strict=True) for leg in pair)
    found = [_timed("wave", wave, cycle=SLOT * legs, slots=1.0, stride=WAVE_STRIDE)]
    if legs - 2 >= FEWEST_DOWN:
        cycle = RIPPLE_SLOT * legs
        found.append(_timed("ripple", ripple, cycle=cycle, slots=2.0, stride=RIPPLE_STRIDE))
    if legs - max(len(group) for group in groups) >= FEWEST_DOWN:
        name = _ALTERNATING.get(legs, "alternating")
        stride = ALTERNATING_STRIDE
        found.append(_timed(name, groups, cycle=ALTERNATING_CYCLE, slots=1.0, stride=stride))
    return {gait.name: gait for gait in found}


def _timed(
    name: str, groups: tuple[tuple[int, ...], ...], *, cycle: float, slots: float, stride: float
) -> Gait:
    """Return a gait whose speed makes the body move by a stride while a foot is down [m]."""
    cycle = round(cycle, 9)
    stance = cycle * (1.0 - slots / len(groups))
    return Gait(name=name, groups=groups, cycle=cycle, slots=slots, speed=round(stride / stance, 9))


GAITS = gaits_for(6)
"""Of six legs."""


def find_gait(gait: "str | Gait", known: Mapping[str, Gait] = GAITS) -> Gait:
    """Return a gait by its name.

    Args:
        gait: Its name, or one of your own, which must move the same legs.
        known: The gaits of the robot, see `gaits_for`.
    """
    if not isinstance(gait, Gait):
        if not isinstance(gait, str) or gait not in known:
            raise UnknownName("gait", str(gait), known)
        return known[gait]
    legs, own = (sorted(leg for group in g.groups for leg in group) for g in (known["wave"], gait))
    if legs != own:
        raise InvalidInput(
            f"gait '{gait.name}' moves legs {own}, the robot has legs 1 to {len(legs)}; "
            f"give each leg one place in its groups, or take one of: {', '.join(known)}"
        )
    return gait


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
