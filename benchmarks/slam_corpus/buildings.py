"""Random buildings of eight kinds: a grid of corridors, rooms along them, halls between them."""

from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np

from slam_corpus.floor_plans import FloorPlan, Rectangle

WALL = 0.2
"""Thickness of the walls [m]."""


@dataclass(frozen=True, kw_only=True)
class Style:
    """What a kind of building is like; pairs are drawn from evenly."""

    columns: tuple[int, int] = (2, 2)
    """Corridors along y ..."""
    rows: tuple[int, int] = (2, 2)
    """... and along x; each four enclose a block."""
    block: tuple[float, float] = (12.0, 24.0)
    """Sides of a block [m]."""
    corridor: tuple[float, float] = (1.6, 3.0)
    """Width [m]."""
    room: tuple[float, float] = (3.0, 7.0)
    """Sides of a room [m]."""
    rooms: float = 0.7
    """Share of the places for rooms that have one with a door."""
    identical: bool = False
    """All rooms alike, each with its door in the middle."""
    hall: bool = False
    """A block is one open hall."""
    glass: float = 0.0
    """Share of the rooms with a glass wall to the corridor."""
    furniture: float = 0.2
    """Pieces per square metre ..."""
    clutter: float = 0.06
    """... and in corridors and halls."""
    niches: float = 4.0
    """Mean way between two niches in a corridor's wall, as closed doors make them [m]."""
    moved: bool = False
    """Furniture stands elsewhere at every visit."""


STYLES = {
    "offices": Style(),
    "rings": Style(columns=(2, 3), rows=(2, 3), rooms=0.25, clutter=0.1),
    "identical rooms": Style(identical=True, rooms=1.0, furniture=0.0, clutter=0.03),
    "glass": Style(glass=0.6),
    "open hall": Style(columns=(3, 3), block=(20.0, 32.0), hall=True, rooms=0.4),
    "clutter": Style(
        columns=(3, 4), rows=(3, 4), block=(3.0, 7.0), corridor=(1.8, 3.2), rooms=0.5,
        furniture=0.4, clutter=0.2,
    ),
    "moved furniture": Style(moved=True, furniture=0.4),
    "bare corridors": Style(
        block=(30.0, 60.0), rooms=0.12, furniture=0.1, clutter=0.008, niches=25.0
    ),
}  # fmt: skip
"""Kinds of building by name."""


def make_plan(style: Style, rng: np.random.Generator) -> FloorPlan:
    """Return a floor plan: corridors around blocks, rooms in the blocks and around them."""
    plan = FloorPlan()
    xs, ys = (_bands(style, rng, count) for count in (style.columns, style.rows))
    if style.identical:
        side = rng.uniform(3.5, 5.5)
        style = replace(style, room=(side, side))
    uprights = [plan.add_space((x0, ys[0][0], x1, ys[-1][1])) for x0, x1 in xs]
    levels = [plan.add_space((xs[0][0], y0, xs[-1][1], y1)) for y0, y1 in ys]
    for a, b in product(uprights, levels):
        plan.cross(a, b)
    for corridor in range(len(plan.spaces)):
        _add_niches(plan, corridor, style.niches, rng)
    hall = rng.integers(len(xs) - 1) if style.hall else -1
    for column, (left, right) in enumerate(_gaps(xs)):
        for row, (bottom, top) in enumerate(_gaps(ys)):
            block = (left + WALL, bottom + WALL, right - WALL, top - WALL)
            if column == hall:
                _add_hall(plan, block, levels[row], levels[row + 1], rng)
            else:
                depth = 0.5 * (block[3] - block[1] - WALL)
                _add_rooms(plan, style, rng, levels[row], block, depth, above=True)
                _add_rooms(plan, style, rng, levels[row + 1], block, depth, above=False)
    around = (xs[0][0], ys[0][0], xs[-1][1], ys[-1][1])
    _add_rooms(plan, style, rng, levels[-1], around, style.room[1], above=True)
    _add_rooms(plan, style, rng, levels[0], around, style.room[1], above=False)
    return plan


def _bands(
    style: Style, rng: np.random.Generator, count: tuple[int, int]
) -> list[tuple[float, float]]:
    """Return where corridors of one direction begin and end across it [m]."""
    bands, at = [], 0.0
    for _ in range(rng.integers(count[0], count[1] + 1)):
        width = rng.uniform(*style.corridor)
        bands.append((at, at + width))
        at += width + rng.uniform(*style.block)
    return bands


def _gaps(bands: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(a[1], b[0]) for a, b in pairwise(bands)]


def _add_niches(plan: FloorPlan, corridor: int, apart: float, rng: np.random.Generator) -> None:
    """Recess the long walls of a corridor where doors are closed."""
    low, high = np.array(plan.spaces[corridor]).reshape(2, 2)
    along = int(np.argmax(high - low))
    for line, outwards in ((low[1 - along], -1.0), (high[1 - along], 1.0)):
        for _ in range(rng.poisson((high - low)[along] / apart)):
            at, width = rng.uniform(low[along] + 0.5, high[along] - 1.5), rng.uniform(0.7, 1.0)
            deep = line + outwards * rng.uniform(0.06, 0.15)
            ends = (at, min(line, deep)), (at + width, max(line, deep))
            corner, other = (end if along == 0 else end[::-1] for end in ends)
            plan.openings.append((*corner, *other))


def _add_hall(
    plan: FloorPlan, block: Rectangle, below: int, above: int, rng: np.random.Generator
) -> None:
    """Add one open space with two or more wide doors to the corridors below and above it."""
    hall = plan.add_space(block)
    for _ in range(2):
        at = rng.uniform(block[0] + 2.0, block[2] - 2.0, 2)
        plan.add_door(below, hall, at[0], 1.8, upright=False)
        plan.add_door(hall, above, at[1], 1.8, upright=False)


def _add_rooms(
    plan: FloorPlan, style: Style, rng: np.random.Generator, corridor: int, strip: Rectangle,
    depth: float, *, above: bool,
) -> None:  # fmt: skip
    """Add rooms along one side of a corridor.

    Args:
        plan: Is changed.
        style: Of the building.
        rng: Source of randomness.
        corridor: Along x.
        strip: The rooms keep to its left and right.
        depth: Of the deepest room [m].
        above: The rooms lie above the corridor.
    """
    x, depth = strip[0], min(depth, style.room[1])
    last = None
    while depth >= 2.0 and x + style.room[0] <= strip[2]:
        width = min(rng.uniform(*style.room), strip[2] - x)
        deep = depth if style.identical else rng.uniform(0.6, 1.0) * depth
        right, has_room = x + width, rng.random() < style.rooms
        if has_room and width >= 2.0 and deep >= 2.0:
            last = _add_room(plan, style, rng, corridor, (x, right), deep, last, above=above)
        else:
            last = None
        x = right + WALL


def _add_room(
    plan: FloorPlan, style: Style, rng: np.random.Generator, corridor: int,
    sides: tuple[float, float], depth: float, neighbour: int | None, *, above: bool,
) -> int:  # fmt: skip
    left, right = sides
    _, bottom, _, top = plan.spaces[corridor]
    y = top + WALL if above else bottom - WALL - depth
    room = plan.add_space((left, y, right, y + depth))
    plan.rooms.append(room)
    width = 1.1 if style.identical else rng.uniform(0.95, 1.4)
    slack = 0.5 * (right - left) - 0.5 * width - 0.25
    at = 0.5 * (left + right) + (0.0 if style.identical else rng.uniform(-slack, slack))
    pair = (corridor, room) if above else (room, corridor)
    plan.add_door(*pair, at, width, upright=False)
    if rng.random() < style.glass:
        low = top if above else bottom - WALL
        plan.glass.append((left + 0.1, low - 0.01, right - 0.1, low + WALL + 0.01))
    if neighbour is not None and not style.identical and rng.random() < 0.3:
        lowest = max(plan.spaces[neighbour][1], y) + 1.0
        highest = min(plan.spaces[neighbour][3], y + depth) - 1.0
        plan.add_door(neighbour, room, rng.uniform(lowest, highest), 1.0, upright=True)
    return room
