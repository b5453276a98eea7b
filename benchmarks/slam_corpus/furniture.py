"""Furniture: boxes that stand beside the path, and may stand elsewhere at the next visit."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import KDTree

from mecano.core.arrays import Array, Mask
from slam_corpus.buildings import Style
from slam_corpus.floor_plans import FloorPlan, Rectangle
from slam_corpus.scanners import Scanner

CLEAR = 0.45
"""From the middle of the base to any furniture [m]."""
LAYOUTS = 4
"""Ways in which moved furniture stands, one after the other."""


@dataclass(frozen=True, eq=False)
class Interior:
    """Everything that a scanner sees of a building."""

    plan: FloorPlan
    layouts: tuple[tuple[Array, Array], ...]
    """Walls with furniture, and which of them are glass; one for each time it is moved."""

    @classmethod
    def furnished(
        cls, plan: FloorPlan, style: Style, path: Array, rng: np.random.Generator
    ) -> "Interior":
        """Put furniture where the path leaves room for it."""
        walls, panes = plan.walls()
        near = KDTree(path[::2, :2])
        fixed = _boxes(plan, style, near, rng, rooms=not style.moved)
        layouts = []
        for _ in range(LAYOUTS if style.moved else 1):
            moved = _boxes(plan, style, near, rng, rooms=True) if style.moved else np.empty((0, 4))
            every = np.concatenate([walls, fixed, moved])
            glass = np.concatenate([panes, np.zeros(len(every) - len(panes), dtype=bool)])
            layouts.append((every, glass))
        return cls(plan, tuple(layouts))

    def visits_along(self, path: Array) -> Array:
        """Return which layout stands at every tick: the next one at every quarter of the drive.

        Nothing moves while the base is in a room.
        """
        changes = np.zeros(len(path), dtype=np.int64)
        outside = np.flatnonzero(~self._in_rooms(path))
        for k in range(1, len(self.layouts)):
            after = np.searchsorted(outside, k * len(path) // len(self.layouts))
            if after < len(outside):
                changes[outside[after]] += 1
        return np.minimum(np.cumsum(changes), len(self.layouts) - 1)

    def _in_rooms(self, path: Array) -> Mask:
        inside = np.zeros(len(path), dtype=bool)
        for left, bottom, right, top in (self.plan.spaces[k] for k in self.plan.rooms):
            x, y = path[:, 0], path[:, 1]
            inside |= (x > left) & (x < right) & (y > bottom) & (y < top)
        return inside

    def ranges(
        self, scanner: Scanner, poses: Array, visits: Array, rng: np.random.Generator | None
    ) -> Array:
        """Return what a scanner sees, each scan with the furniture of its time."""
        rows = [
            scanner.look(*layout, poses[visits == k], rng)
            for k, layout in enumerate(self.layouts)
            if np.any(visits == k)
        ]
        return np.concatenate(rows)


def _boxes(
    plan: FloorPlan, style: Style, path: KDTree, rng: np.random.Generator, *, rooms: bool
) -> Array:
    """Return sides of boxes; moved furniture stands in rooms only. Shape (n, 4)."""
    sides = []
    for number, space in enumerate(plan.spaces):
        is_room = number in plan.rooms
        if style.moved and is_room != rooms:
            continue
        density = style.furniture if is_room else style.clutter
        area = (space[2] - space[0]) * (space[3] - space[1])
        for _ in range(rng.poisson(density * area)):
            sides += _box(space, path, rng)
    return np.array(sides).reshape(-1, 4)


def _box(
    space: Rectangle, path: KDTree, rng: np.random.Generator
) -> list[tuple[float, float, float, float]]:
    """Return the four sides of a box in a space; nothing if it would be in the way."""
    low, high = np.array(space[:2]), np.array(space[2:])
    half = rng.uniform(0.05, min(0.7, 0.15 * float(np.min(high - low))), 2)
    middle = rng.uniform(low + half, high - half)
    turn = rng.uniform(0.0, np.pi) if rng.random() < 0.3 else 0.0
    if rng.random() < 0.7 and not turn:  # most furniture stands at a wall
        side = rng.integers(2)
        middle[side] = (low + half + 0.01, high - half - 0.01)[rng.integers(2)][side]
    c, s = np.cos(turn), np.sin(turn)
    corners = half * [(1, 1), (-1, 1), (-1, -1), (1, -1)] @ np.array([[c, s], [-s, c]]) + middle
    lowest, highest = corners.min(axis=0), corners.max(axis=0)
    inside = np.all(lowest > low) and np.all(highest < high)
    nearest = path.query(middle)[0]
    if not inside or nearest < CLEAR + float(np.hypot(*half)):
        return []
    return [(*a, *b) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
