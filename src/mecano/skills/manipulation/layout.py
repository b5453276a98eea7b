"""Where taught places are now: marks that are seen are matched with the ones that were taught."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import pi

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.perception.tabletop import SeenMark, same_line

FURTHEST = 0.12
"""A layout that moved further than this is not believed [m]."""
MOST_TURN = np.radians(20.0)
"""Nor one that turned more [rad]."""
ALIKE = 0.25
"""Sides of a mark may be off by this share: part of it may be hidden."""
AGREES = 0.012
"""Two marks that belong to one layout agree about it this well [m]."""


@dataclass(frozen=True, kw_only=True)
class TaughtPlace:
    """A place as it was taught, in the arm's base frame."""

    x: float
    """[m]."""
    y: float
    """[m]."""
    yaw: float
    """Where its long side points [rad]."""
    length: float
    """Of its mark [m]."""
    width: float
    """Of its mark [m]; a round one has both sides alike."""

    @property
    def round(self) -> bool:
        """Whether its mark has no direction."""
        return abs(self.length - self.width) < 0.1 * self.length

    def moved(self, by: Pose2) -> Pose2:
        """Return where it is after the layout moved."""
        return by @ Pose2(self.x, self.y, self.yaw)


def find_layout(taught: Mapping[str, TaughtPlace], marks: Sequence[SeenMark]) -> Pose2 | None:
    """Return how the taught places moved, seen from the arm; None if the marks do not tell.

    Each way to match marks with places is tried, and the one that moves the layout least wins,
    among those that explain most marks.
    """
    places = list(taught.values())
    whole = [mark for mark in marks if any(_alike(mark, place) for place in places)]
    best: tuple[tuple[float, float], Pose2] | None = None
    for count in range(min(len(places), len(whole)), 0, -1):
        for chosen in permutations(places, count):
            for some in permutations(whole, count):
                by = _fit(chosen, some)
                if by is None:
                    continue
                cost = (-float(count), float(np.hypot(by.x, by.y)) + 0.2 * abs(by.yaw))
                if best is None or cost < best[0]:
                    best = cost, by
        if best is not None:
            return best[1]
    return None


def _alike(mark: SeenMark, place: TaughtPlace) -> bool:
    sides = (mark.length / place.length, mark.width / place.width)
    return all(abs(ratio - 1.0) < ALIKE for ratio in sides)


def _fit(places: Sequence[TaughtPlace], marks: Sequence[SeenMark]) -> Pose2 | None:
    """Return the motion that brings places onto marks; None if they do not agree."""
    at = np.array([[place.x, place.y] for place in places])
    seen = np.array([mark.position[:2] for mark in marks])
    turns = [
        same_line(mark.yaw, place.yaw)
        for place, mark in zip(places, marks, strict=True)
        if not place.round
    ]
    if turns:
        yaw = float(np.mean(turns))
    elif len(places) > 1:
        yaw = _turn_of(at - at.mean(axis=0), seen - seen.mean(axis=0))
    else:
        yaw = 0.0
    c, s = np.cos(yaw), np.sin(yaw)
    turned = at @ np.array([[c, s], [-s, c]])
    shift = (seen - turned).mean(axis=0)
    off = np.linalg.norm(turned + shift - seen, axis=1).max()
    if off > AGREES or abs(yaw) > MOST_TURN:
        return None
    moved = at.mean(axis=0) @ np.array([[c, s], [-s, c]]) + shift - at.mean(axis=0)
    if float(np.linalg.norm(moved)) > FURTHEST:
        return None
    return Pose2(float(shift[0]), float(shift[1]), yaw)


def _turn_of(one: Array, other: Array) -> float:
    """Return the turn that brings points onto others best [rad]."""
    cross = float((one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]).sum())
    dot = float((one * other).sum())
    angle = float(np.arctan2(cross, dot))
    return (angle + pi) % (2 * pi) - pi
