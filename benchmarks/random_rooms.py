"""Scenes of two furnished rooms, made from a seed, that simulated robots can be driven through.

Arrangement 0 and arrangement 1 of a seed have the same walls and the same tour; furniture was moved
by 0.3 to 2 m, removed or added between the two. A helper of `live_localization.py` and of tests.
"""

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mecano.core.arrays import Array

WALL, DOOR = 0.1, 1.4
"""Thickness of walls and width of the door [m]."""
CLEAR = 0.5
"""From the tour to any furniture [m]."""
PIECES = 7
"""Wanted in each room; some find no place."""
MOVED = (0.3, 2.0)
"""How far pieces are moved [m]."""


class Piece(NamedTuple):
    """A box that stands on the floor."""

    x: float
    y: float
    half_x: float
    half_y: float
    """Half its sides [m]."""
    turn: float
    """[rad]."""

    @property
    def radius(self) -> float:
        """From its middle to a corner [m]."""
        return float(np.hypot(self.half_x, self.half_y))

    def outline(self, apart: float = 0.03) -> Array:
        """Return points along its sides [m]. Shape (n, 2)."""
        corners = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * (self.half_x, self.half_y)
        c, s = np.cos(self.turn), np.sin(self.turn)
        corners = corners @ np.array([[c, s], [-s, c]]) + (self.x, self.y)
        sides = []
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            share = np.linspace(0.0, 1.0, max(2, int(np.hypot(*(b - a)) / apart)))[:, None]
            sides.append(a + share * (b - a))
        return np.concatenate(sides)


@dataclass(frozen=True)
class Rooms:
    """Two rooms side by side with a door between them; the robot starts at the origin."""

    left: float
    right: float
    """Widths of the rooms [m]."""
    depth: float
    """Of both [m]."""
    start: tuple[float, float]
    """From the corner at the left and bottom to the origin [m]."""
    door: float
    """Middle of the door, from the bottom [m]."""
    tour: tuple[tuple[float, float], ...]
    arrangements: tuple[tuple[Piece, ...], tuple[Piece, ...]]
    """Furniture before and after it was rearranged."""

    def changes(self) -> tuple[list[Piece], list[Piece]]:
        """Return pieces that stood only before, and pieces that stand only after."""
        before, after = self.arrangements
        return [p for p in before if p not in after], [p for p in after if p not in before]

    def mjcf(self, arrangement: int) -> str:
        """Return the scene."""
        x0, y0 = -self.start[0], -self.start[1]
        middle, x1, y1 = x0 + self.left, x0 + self.left + self.right, y0 + self.depth
        low, high = y0 + self.door - DOOR / 2, y0 + self.door + DOOR / 2
        walls = (
            (x0 - WALL, y0 - WALL, x1 + WALL, y0), (x0 - WALL, y1, x1 + WALL, y1 + WALL),
            (x0 - WALL, y0, x0, y1), (x1, y0, x1 + WALL, y1),
            (middle, y0, middle + WALL, low), (middle, high, middle + WALL, y1),
        )  # fmt: skip
        boxes = [_box((a + c) / 2, (b + d) / 2, (c - a) / 2, (d - b) / 2) for a, b, c, d in walls]
        boxes += [_box(*piece) for piece in self.arrangements[arrangement]]
        points = ", ".join(f"[{x:.3f}, {y:.3f}]" for x, y in self.tour)
        return (
            f'<mujoco><custom><text name="path_tour" data="{{kind = \'polyline\', points = '
            f'[{points}]}}"/></custom>\n<worldbody>\n<geom type="plane" size="20 20 0.1" '
            f'solref="0.004 1"/><light pos="0 0 4"/>\n{"".join(boxes)}</worldbody></mujoco>\n'
        )


def _box(x: float, y: float, half_x: float, half_y: float, turn: float = 0.0) -> str:
    return (
        f'<geom type="box" pos="{x:.4f} {y:.4f} 0.6" size="{half_x:.4f} {half_y:.4f} 0.6" '
        f'euler="0 0 {np.degrees(turn):.4f}" solref="0.004 1"/>\n'
    )


def make_rooms(seed: int) -> Rooms:
    """Return rooms of random size with random furniture; the same seed gives the same ones."""
    rng = np.random.default_rng([seed, 20])
    left, right = rng.uniform(4.5, 6.0, 2).tolist()
    depth, door = rng.uniform(4.5, 6.0), rng.uniform(1.6, 2.9)
    start = rng.uniform(1.2, 1.8), rng.uniform(1.2, 1.8)
    far, wide, aside = depth - 1.4, left + right + WALL - 1.4, left - 1.3
    corners = (
        (aside, start[1]), (aside, door), (left + 1.4, door), (wide, door), (wide, far),
        (left + 1.4, far), (left + 1.4, door), (aside, door), (aside, far), (start[0], far), start,
    )  # fmt: skip
    tour = tuple((x - start[0], y - start[1]) for x, y in corners)
    path = _along(np.array([(0.0, 0.0), *tour]))
    areas = [
        (-start[0], -start[1], left - start[0], depth - start[1]),
        (left + WALL - start[0], -start[1], left + WALL + right - start[0], depth - start[1]),
    ]
    before = [p for area in areas for p in _furnish(area, path, rng)]
    after = []
    for piece, drawn in zip(before, rng.random(len(before)), strict=True):
        area = areas[0] if piece.x < areas[0][2] else areas[1]
        if drawn < 0.4:
            after.append(piece)
        elif drawn < 0.8 and (moved := _moved(piece, area, path, rng)) is not None:
            after.append(moved)
    after += [p for area in areas for p in _furnish(area, path, rng)[:2]]
    return Rooms(left, right, depth, start, door, tour, (tuple(before), tuple(after)))


def _furnish(area: tuple[float, ...], path: Array, rng: np.random.Generator) -> list[Piece]:
    found = []
    for _ in range(4 * PIECES):
        half_x, half_y = rng.uniform(0.1, 0.4, 2).tolist()
        turn = rng.uniform(0.0, np.pi) if rng.random() < 0.4 else 0.0
        x, y = rng.uniform(area[:2], area[2:]).tolist()
        piece = Piece(x, y, half_x, half_y, turn)
        if _fits(piece, area, path) and len(found) < PIECES:
            found.append(piece)
    return found


def _moved(
    piece: Piece, area: tuple[float, ...], path: Array, rng: np.random.Generator
) -> Piece | None:
    for _ in range(30):
        angle, far = rng.uniform(-np.pi, np.pi), rng.uniform(*MOVED)
        there = piece._replace(x=piece.x + far * np.cos(angle), y=piece.y + far * np.sin(angle))
        if _fits(there, area, path):
            return there
    return None


def _fits(piece: Piece, area: tuple[float, ...], path: Array) -> bool:
    x, y = piece.outline().T
    inside = x.min() > area[0] and y.min() > area[1] and x.max() < area[2] and y.max() < area[3]
    nearest = np.hypot(*(path - (piece.x, piece.y)).T).min()
    return bool(inside and nearest > CLEAR + piece.radius)


def _along(points: Array) -> Array:
    """Return points every few centimetres along a polyline. Shape (n, 2)."""
    pieces = [np.linspace(a, b, 60) for a, b in itertools.pairwise(points)]
    return np.concatenate(pieces)
