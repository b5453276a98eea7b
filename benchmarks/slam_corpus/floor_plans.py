"""Floor plans: rectangles of free space, doors between them, and the walls around them."""

from dataclasses import dataclass, field

import numpy as np

from mecano.core.arrays import Array

Rectangle = tuple[float, float, float, float]
"""Left, bottom, right, top [m]."""
APPROACH = 0.75
"""A base goes straight from this far before a door to this far behind it [m]."""
SLIVER = 1e-6
"""Coordinates this near to each other are one [m]."""


@dataclass(frozen=True)
class Gate:
    """A passage between two spaces: straight through a door, or where two corridors cross."""

    spaces: tuple[int, int]
    points: tuple[tuple[float, float], tuple[float, float]]
    """On either side [m]; twice the same where corridors cross."""


@dataclass
class FloorPlan:
    """Spaces, the gates between them, and which walls are of glass."""

    spaces: list[Rectangle] = field(default_factory=list)
    gates: list[Gate] = field(default_factory=list)
    rooms: list[int] = field(default_factory=list)
    """Spaces that are dead ends."""
    openings: list[Rectangle] = field(default_factory=list)
    """Free space in the walls: doors."""
    glass: list[Rectangle] = field(default_factory=list)
    """Walls within are panes."""

    def add_space(self, rectangle: Rectangle) -> int:
        """Add free space that overlaps no other; return its number."""
        self.spaces.append(rectangle)
        return len(self.spaces) - 1

    def cross(self, a: int, b: int) -> None:
        """Join two spaces that overlap or touch, as corridors do."""
        (l1, b1, r1, t1), (l2, b2, r2, t2) = self.spaces[a], self.spaces[b]
        middle = (0.5 * (max(l1, l2) + min(r1, r2)), 0.5 * (max(b1, b2) + min(t1, t2)))
        self.gates.append(Gate((a, b), (middle, middle)))

    def add_door(self, a: int, b: int, at: float, width: float, *, upright: bool) -> None:
        """Open the wall between two spaces.

        Args:
            a: The space to the left or below.
            b: The other one.
            at: Middle of the door along the wall [m].
            width: [m].
            upright: The wall goes along y.
        """
        low, high = (self.spaces[a][2], self.spaces[b][0]) if upright else (
            self.spaces[a][3], self.spaces[b][1],
        )  # fmt: skip
        half = 0.5 * width
        before, behind = low - APPROACH, high + APPROACH
        if upright:
            self.openings.append((low, at - half, high, at + half))
            self.gates.append(Gate((a, b), ((before, at), (behind, at))))
        else:
            self.openings.append((at - half, low, at + half, high))
            self.gates.append(Gate((a, b), ((at, before), (at, behind))))

    def walls(self) -> tuple[Array, Array]:
        """Return the border of the free space: x0, y0, x1, y1 [m] a row, and which are glass."""
        every = [*self.spaces, *self.openings, *self.glass]
        xs = _levels([value for box in every for value in (box[0], box[2])])
        ys = _levels([value for box in every for value in (box[1], box[3])])
        free = np.zeros((len(xs) + 1, len(ys) + 1), dtype=bool)  # a frame of solid cells around
        for left, bottom, right, top in (*self.spaces, *self.openings):
            columns = slice(_level(xs, left) + 1, _level(xs, right) + 1)
            free[columns, _level(ys, bottom) + 1 : _level(ys, top) + 1] = True
        upright = [
            (xs[i], ys[j - 1], xs[i], ys[j])
            for i, j in np.argwhere(free[1:] != free[:-1])
        ]  # fmt: skip
        level = [
            (xs[i - 1], ys[j], xs[i], ys[j])
            for i, j in np.argwhere(free[:, 1:] != free[:, :-1])
        ]  # fmt: skip
        walls = np.array([*upright, *level])
        panes = self._are_glass(walls)
        return merged(walls, panes)

    def _are_glass(self, walls: Array) -> Array:
        x, y = 0.5 * (walls[:, 0] + walls[:, 2]), 0.5 * (walls[:, 1] + walls[:, 3])
        panes = np.zeros(len(walls), dtype=bool)
        for left, bottom, right, top in self.glass:
            panes |= (x >= left) & (x <= right) & (y >= bottom) & (y <= top)
        return panes


def merged(walls: Array, panes: Array) -> tuple[Array, Array]:
    """Join walls that continue each other, so that there are fewer rays to cast against."""
    rows: list[list[float]] = []
    kinds: list[bool] = []
    upright = walls[:, 0] == walls[:, 2]
    along = np.where(upright, walls[:, 1], walls[:, 0])
    level = np.where(upright, walls[:, 0], walls[:, 1])
    for k in np.lexsort((along, level, upright)):
        row, pane = walls[k].tolist(), bool(panes[k])
        last = rows[-1] if rows else None
        turned = last is not None and (last[0] == last[2]) == bool(upright[k])
        if last is not None and turned and last[2:] == row[:2] and kinds[-1] == pane:
            last[2:] = row[2:]
        else:
            rows.append(row)
            kinds.append(pane)
    return np.array(rows), np.array(kinds)


def _levels(values: list[float]) -> Array:
    ordered = np.unique(values)
    return ordered[np.append(True, np.diff(ordered) > SLIVER)]


def _level(levels: Array, value: float) -> int:
    return int(np.argmin(np.abs(levels - value)))
