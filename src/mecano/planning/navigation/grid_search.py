"""Shortest paths on grids: eight neighbours, no corner cutting, optimal."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from mecano.core.errors import InvalidInput

Cell = tuple[int, int]
"""Row and column."""
MAX_WEIGHT = 1000.0
"""Of a cell; the open list has one bucket for each cost that a step can add."""


@dataclass(frozen=True, eq=False, kw_only=True)
class GridRoute:
    """What a search on a grid found."""

    cells: NDArray[np.int64]
    """Rows and columns from start to goal; empty if there is no path. Shape (n, 2)."""
    cost: float
    """Lengths times weights [cells]; infinite if there is no path."""
    expanded: int
    """Cells that were expanded."""

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return len(self.cells) > 0

    @property
    def length(self) -> float:
        """Straight steps count 1, diagonal ones sqrt(2) [cells]."""
        steps = np.abs(np.diff(self.cells, axis=0)).sum(axis=1)
        return float((steps == 1).sum()) + sqrt(2.0) * float((steps == 2).sum())


def shortest_path(
    free: NDArray[np.bool_],
    start: Cell,
    goal: Cell,
    weight: NDArray[np.float32] | None = None,
) -> GridRoute:
    """Return the path of least cost between two cells.

    Straight steps have length 1 and diagonal ones sqrt(2); a diagonal step needs both cells beside
    it free. A step costs its length times the mean weight of its two cells. Among paths of equal
    cost the same one is returned in every run.

    Args:
        free: Which cells may be entered. Shape (height, width).
        start: Row and column.
        goal: Row and column.
        weight: Cost of cells per length, from 1 to `MAX_WEIGHT`; None is 1 everywhere. Same shape.
    """
    for name, cell in (("start", start), ("goal", goal)):
        if not (0 <= cell[0] < free.shape[0] and 0 <= cell[1] < free.shape[1]):
            raise InvalidInput(
                f"the {name} (row {cell[0]}, column {cell[1]}) is outside of the grid of "
                f"{free.shape[0]} rows and {free.shape[1]} columns"
            )
    if not (free[start] and free[goal]):
        return GridRoute(cells=np.empty((0, 2), np.int64), cost=np.inf, expanded=0)
    from mecano.core.compiled import first_call_notice
    from mecano.planning.navigation.grid_search_kernel import search

    with first_call_notice(search):
        return _search(free, start, goal, weight)


def costs_from(
    free: NDArray[np.bool_], start: Cell, weight: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    """Return the least cost from one cell to each cell [cells]; infinite where there is no path.

    Arguments as of `shortest_path`. Shape (height, width).
    """
    from mecano.planning.navigation.grid_search_kernel import SEARCH, search

    stride = free.shape[1] + 2
    cells, weights, largest = _prepared(free, weight)
    first = (start[0] + 1) * stride + start[1] + 1
    with _workspace(len(cells)) as (links, cost, number):
        search(cells, weights, stride, first, -1, largest, links, cost, number)
        costs = np.where(links[SEARCH] == number, cost, np.float32(np.inf))
    return np.ascontiguousarray(costs.reshape(-1, stride)[1:-1, 1:-1])


def _search(
    free: NDArray[np.bool_], start: Cell, goal: Cell, weight: NDArray[np.float32] | None
) -> GridRoute:
    from mecano.planning.navigation.grid_search_kernel import PARENT, SEARCH, search, trace

    stride = free.shape[1] + 2
    first, last = ((row + 1) * stride + column + 1 for row, column in (start, goal))
    cells, weights, largest = _prepared(free, weight)
    with _workspace(len(cells)) as (links, cost, number):
        expanded = search(cells, weights, stride, first, last, largest, links, cost, number)
        if links[SEARCH, last] != number:
            return GridRoute(cells=np.empty((0, 2), np.int64), cost=np.inf, expanded=expanded)
        path = trace(links[PARENT], stride, first, last)
        return GridRoute(cells=path, cost=float(cost[last]), expanded=expanded)


_spare: list[tuple[NDArray[np.int32], NDArray[np.float32], int]] = []
"""The arrays of the last search: a new one need not get and clear memory. Popping one is atomic, so
searches in several threads never share them."""


@contextmanager
def _workspace(size: int) -> Iterator[tuple[NDArray[np.int32], NDArray[np.float32], int]]:
    """Lend arrays for a search of `size` cells, and a number that no search in them has had."""
    try:
        links, cost, number = _spare.pop()
    except IndexError:
        links, cost, number = np.zeros((5, 0), np.int32), np.zeros(0, np.float32), 0
    if len(cost) != size or number >= np.iinfo(np.int32).max:
        links, cost, number = np.zeros((5, size), np.int32), np.empty(size, np.float32), 0
    yield links, cost, number + 1
    _spare[:] = [(links, cost, number + 1)]


def _prepared(
    free: NDArray[np.bool_], weight: NDArray[np.float32] | None
) -> tuple[NDArray[np.uint8], NDArray[np.float32], float]:
    """Return cells and weights with a border, and the largest weight."""
    from mecano.planning.navigation.grid_search_kernel import bordered

    cells = bordered(np.ascontiguousarray(free).view(np.uint8))
    if weight is None:
        return cells, np.ones(1, np.float32), 1.0
    lowest, largest = float(weight.min()), float(weight.max())
    if not 1.0 <= lowest <= largest <= MAX_WEIGHT:
        raise InvalidInput(
            f"weights of cells go from {lowest:g} to {largest:g}, allowed 1 to {MAX_WEIGHT:g}"
        )
    return cells, bordered(np.ascontiguousarray(weight, dtype=np.float32)), largest
