"""Search over position and heading, for a base whose outline is not round.

States are the centres of cells at 16 headings. A holonomic base moves to its eight neighbours at
any heading; a differential one moves along its heading, forward or in reverse; both turn on the
spot. Every state and what lies between is checked with the outline.
"""

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array, finite_number
from mecano.core.poses import Pose2, wrap_angle
from mecano.planning.navigation.footprint_check import cell_of, is_pose_free
from mecano.planning.navigation.footprint_sides import half_planes
from mecano.planning.navigation.free_space import FreeSpace

HEADINGS = 16
KNIGHT = 0.92
"""Cells' distances may exceed those of steps by two cells across one: sqrt(5) / (1 + sqrt(2))."""
_ALONG = ((1, 0), (2, 1), (1, 1), (1, 2))
"""Steps (columns, rows) along the first four of 16 headings."""


@dataclass(frozen=True, kw_only=True)
class LatticeSettings:
    """What a base can do and what it costs."""

    holonomic: bool = False
    """Whether it can strafe."""
    reverse: bool = True
    """Whether it may drive in reverse."""
    reverse_penalty: float = 2.0
    """A length in reverse counts this many times."""
    strafe_penalty: float = 1.3
    """A length sideways counts this many times."""
    turn_cost: float = 0.3
    """A turn on the spot counts as this length [m/rad]."""

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name in ("reverse_penalty", "strafe_penalty"):
            finite_number(getattr(self, name), name=name, lower=1.0)
        finite_number(self.turn_cost, name="turn_cost [m/rad]", lower=1e-3)


def search_headings(
    space: FreeSpace, start: Pose2, goal: Pose2, settings: LatticeSettings, *, escape: float = 0.0
) -> tuple[Array, NDArray[np.bool_]]:
    """Return poses from start to goal, and which cells and headings were reached.

    Without a path the poses are empty and all that can be reached has been, within cells from which
    the goal could be reached by a round base. Nothing reached means that the start is blocked.

    Args:
        space: Where the centre of the base may be.
        start: Where it is.
        goal: Where it shall be.
        settings: What it can do.
        escape: A base whose outline touches something may leave it straight by this much [m].

    Returns:
        poses: x, y [m], yaw [rad]. Shape (n, 3).
        reached: Shape (height, width, headings).
    """
    from mecano.planning.navigation.lattice_kernel import search_states

    costmap = space.costmap
    shape = (*costmap.cost.shape, HEADINGS)
    size = int(np.prod(shape))
    # Pages of these that no state is in are never touched.
    parent, cost = np.zeros(size, np.int64), np.zeros(size, np.float32)
    fits = np.zeros(size, np.uint8)
    outline = _Outline(space)
    moves, factors = _moves(settings)
    seeds, goals = outline.states(start), outline.states(goal)
    if not space.fits(start):
        seeds = outline.free_states_near(start, moves, factors, escape)
    last = search_states(
        space.free, space.weight, _costs_to(space, goal, settings), *outline.arguments,
        moves, factors, HEADINGS,
        settings.turn_cost * (2.0 * pi / HEADINGS) / costmap.resolution,
        seeds, goals, parent, cost, fits,
    )  # fmt: skip
    reached = (parent != 0).reshape(shape)
    if last < 0:
        return np.zeros((0, 3)), reached
    states = [last]
    while parent[states[-1]] != states[-1] + 1:
        states.append(int(parent[states[-1]]) - 1)
    return outline.poses(np.array(states[::-1]), start, goal), reached


class _Outline:
    """The outline of a base on the cells of a costmap."""

    def __init__(self, space: FreeSpace) -> None:
        """Take it from the costmap."""
        self.costmap = space.costmap
        shape = self.costmap.footprint
        self.sides = (
            *half_planes(shape.corners), shape.inscribed_radius, shape.circumscribed_radius,
        )  # fmt: skip

    @property
    def arguments(self) -> tuple:
        """Of the compiled search."""
        return (self.costmap.distance, self.costmap.resolution, *self.sides)

    def states(self, pose: Pose2) -> NDArray[np.int64]:
        """Return the states of a pose: its cell, at the headings to which it can turn from its own.

        One or both of the two headings beside it.
        """
        from mecano.planning.navigation.lattice_kernel import turn_is_free

        cell = cell_of(self.costmap, pose.x, pose.y)
        assert cell is not None, "start and goal have been checked"
        place = cell[0] * self.costmap.cost.shape[1] + cell[1]
        x, y = pose.x - self.costmap.origin[0], pose.y - self.costmap.origin[1]
        step = 2.0 * pi / HEADINGS
        low = int(np.floor(pose.yaw / step + 1e-9))
        found = []
        for heading in (low, low + 1):
            turn = wrap_angle(heading * step - pose.yaw)
            if abs(turn) < 1e-6:
                return np.array([place * HEADINGS + heading % HEADINGS])
            if turn_is_free(*self.arguments, x, y, pose.yaw, turn):
                found.append(place * HEADINGS + heading % HEADINGS)
        return np.array(found, np.int64)

    def free_states_near(
        self, pose: Pose2, moves: NDArray[np.int64], factors: Array, within: float
    ) -> NDArray[np.int64]:
        """Return the nearest states at which a base that touches something is free again.

        It keeps its heading and makes one move over and over, at most `within` [m].
        """
        step, (height, width) = self.costmap.resolution, self.costmap.cost.shape
        heading = round(pose.yaw / (2.0 * pi / HEADINGS)) % HEADINGS
        cell = cell_of(self.costmap, pose.x, pose.y)
        assert cell is not None, "the start has been checked"
        found = []
        for move in moves[heading][factors[heading] > 0.0]:
            for times in range(1, int(within / (step * np.hypot(*move)) + 1e-9) + 1):
                row, column = cell[0] + times * move[0], cell[1] + times * move[1]
                state = (row * width + column) * HEADINGS + heading
                if not (0 <= row < height and 0 <= column < width):
                    break
                if is_pose_free(self.costmap, self._pose(state)):
                    found.append(state)
                    break
        return np.array(found, np.int64)

    def _pose(self, state: int) -> Pose2:
        return Pose2(*self._rows(np.array([state]))[0])

    def _rows(self, states: NDArray[np.int64]) -> Array:
        """Return the poses of states. Shape (n, 3)."""
        places, headings = np.divmod(states, HEADINGS)
        rows, columns = np.divmod(places, self.costmap.cost.shape[1])
        step, (x, y) = self.costmap.resolution, self.costmap.origin
        yaw = wrap_angle_array(headings * (2.0 * pi / HEADINGS))
        return np.column_stack([x + (columns + 0.5) * step, y + (rows + 0.5) * step, yaw])

    def poses(self, states: NDArray[np.int64], start: Pose2, goal: Pose2) -> Array:
        """Return the poses of states between the true start and goal."""
        middle = self._rows(states)
        first, last = np.array([[p.x, p.y, p.yaw] for p in (start, goal)])
        # The centre of the first and of the last cell gives way to the true place.
        near = 0.8 * self.costmap.resolution
        if np.hypot(*(middle[0, :2] - first[:2])) < near:
            middle[0, :2] = first[:2]
        middle[-1, :2] = last[:2]
        before = first[None] if not _same(first, middle[0]) else middle[:0]
        after = last[None] if not _same(last, middle[-1]) else middle[:0]
        return np.concatenate([before, middle, after])


def _same(one: Array, other: Array) -> bool:
    turn = abs(float(wrap_angle_array(one[2] - other[2])))
    return turn < 1e-6 and np.allclose(one[:2], other[:2])


def wrap_angle_array(angles: Array) -> Array:
    """Return angles in (-pi, pi]."""
    return -((-np.asarray(angles) + pi) % (2.0 * pi) - pi)


def _costs_to(space: FreeSpace, goal: Pose2, settings: LatticeSettings) -> NDArray[np.float32]:
    """Return the least cost from each cell to the goal's, for a round base [cells]."""
    from mecano.planning.navigation.grid_search import costs_from

    cell = cell_of(space.costmap, goal.x, goal.y)
    assert cell is not None, "the goal has been checked"
    costs = costs_from(space.free, cell, space.weight)
    return costs if settings.holonomic else costs * np.float32(KNIGHT)


def _moves(settings: LatticeSettings) -> tuple[NDArray[np.int64], Array]:
    """Return the moves (rows, columns) at each heading, and what their length counts."""
    eight = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    count = 8 if settings.holonomic else 2
    moves = np.zeros((HEADINGS, count, 2), np.int64)
    factors = np.zeros((HEADINGS, count))
    for heading in range(HEADINGS):
        quarter, rest = divmod(heading, HEADINGS // 4)
        along = np.array(_ALONG[rest]) @ np.linalg.matrix_power(
            np.array([[0, 1], [-1, 0]]), quarter
        )
        if not settings.holonomic:
            moves[heading] = along[::-1], -along[::-1]
            factors[heading] = 1.0, settings.reverse_penalty if settings.reverse else 0.0
            continue
        moves[heading] = eight
        yaw = heading * 2.0 * pi / HEADINGS
        for k, (i, j) in enumerate(eight):
            ahead = (j * np.cos(yaw) + i * np.sin(yaw)) / np.hypot(i, j)
            factors[heading, k] = _factor(float(ahead), settings)
    return moves, factors


def _factor(ahead: float, settings: LatticeSettings) -> float:
    """Return what a length counts by the cosine of its direction from the heading."""
    if ahead >= 0.0:
        return 1.0 + (settings.strafe_penalty - 1.0) * (1.0 - ahead)
    if not settings.reverse and ahead < -0.5:
        return 0.0
    return max(1.0, settings.strafe_penalty * (1.0 + ahead) - settings.reverse_penalty * ahead)
