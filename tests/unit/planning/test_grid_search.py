"""Shortest paths on grids, beside an independent Dijkstra."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from mecano.core.errors import InvalidInput
from mecano.planning.navigation.grid_search import costs_from, shortest_path


def reference(free: np.ndarray, start: tuple[int, int], weight: np.ndarray) -> np.ndarray:
    """Return the cost of all cells by scipy's Dijkstra on the graph of legal steps."""
    height, width = free.shape
    index = np.arange(height * width).reshape(height, width)
    rows, columns, costs = [], [], []
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            if (i, j) == (0, 0):
                continue
            a = (slice(max(0, -i), height - max(0, i)), slice(max(0, -j), width - max(0, j)))
            b = (slice(max(0, i), height + min(0, i)), slice(max(0, j), width + min(0, j)))
            legal = free[a] & free[b] & free[b[0], a[1]] & free[a[0], b[1]]
            rows.append(index[a][legal])
            columns.append(index[b][legal])
            costs.append(np.hypot(i, j) * 0.5 * (weight[a][legal] + weight[b][legal]))
    graph = coo_array(
        (np.concatenate(costs), (np.concatenate(rows), np.concatenate(columns))),
        shape=(height * width, height * width),
    )
    return dijkstra(graph.tocsr(), indices=index[start]).reshape(height, width)


def legal(free: np.ndarray, cells: np.ndarray) -> bool:
    """Say whether each step goes to a free neighbour and cuts no corner."""
    step = np.diff(cells, axis=0)
    beside = np.concatenate(
        [cells, cells[:-1] + step * np.array([1, 0]), cells[:-1] + step * np.array([0, 1])]
    )
    return bool((np.abs(step) <= 1).all() and free[beside[:, 0], beside[:, 1]].all())


def two_cells(cells: np.ndarray, rng: np.random.Generator) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in cells[rng.integers(len(cells), size=2)]]


mazes = st.builds(
    lambda seed, height, width, share: np.random.default_rng(seed).random((height, width)) > share,
    st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 40), st.floats(0.0, 0.6),
)  # fmt: skip


@given(free=mazes, seed=st.integers(0, 1000))
@settings(max_examples=150)
def test_paths_are_as_short_as_dijkstras(free, seed):
    cells = np.argwhere(free)
    if not len(cells):
        return
    rng = np.random.default_rng(seed)
    start, goal = two_cells(cells, rng)
    best = reference(free, start, np.ones(free.shape))[goal]
    route = shortest_path(free, start, goal)
    assert route.found == np.isfinite(best)
    if route.found:
        assert route.length == pytest.approx(best, abs=1e-3)
        assert tuple(route.cells[0]) == start and tuple(route.cells[-1]) == goal
        assert legal(free, route.cells)


@given(free=mazes, seed=st.integers(0, 1000), heaviest=st.floats(1.0, 30.0))
@settings(max_examples=60)
def test_weighted_paths_cost_as_little_as_dijkstras(free, seed, heaviest):
    cells = np.argwhere(free)
    if not len(cells):
        return
    rng = np.random.default_rng(seed)
    weight = rng.uniform(1.0, heaviest, free.shape).astype(np.float32)
    start, goal = two_cells(cells, rng)
    wanted = reference(free, start, weight.astype(float))
    assert shortest_path(free, start, goal, weight).cost == pytest.approx(wanted[goal], rel=1e-4)
    np.testing.assert_allclose(costs_from(free, start, weight), wanted, rtol=1e-4, atol=1e-3)


def test_long_maze_is_solved_exactly():
    """A snake of 100 corridors: long paths must not lose digits."""
    free = np.ones((200, 200), bool)
    free[1::4, :-1] = False
    free[3::4, 1:] = False
    route = shortest_path(free, (0, 0), (198, 0))
    assert route.length == pytest.approx(reference(free, (0, 0), np.ones((200, 200)))[198, 0])


def test_start_is_goal():
    route = shortest_path(np.ones((3, 5), bool), (1, 2), (1, 2))
    assert route.cells.tolist() == [[1, 2]] and route.length == 0.0 and route.expanded <= 1


def test_corner_is_not_cut():
    free = np.array([[True, False], [True, True]])
    assert shortest_path(free, (0, 0), (1, 1)).length == 2.0


def test_diagonal_gap_is_closed():
    free = np.array([[True, False], [False, True]])
    assert not shortest_path(free, (0, 0), (1, 1)).found


@pytest.mark.parametrize("ends", [((0, 0), (0, 1)), ((0, 1), (0, 0))])
def test_blocked_ends_have_no_path(ends):
    assert not shortest_path(np.array([[True, False]]), *ends).found


def test_cell_outside_is_an_error():
    with pytest.raises(InvalidInput, match="column 9"):
        shortest_path(np.ones((3, 5), bool), (0, 0), (1, 9))


def test_weight_below_one_is_an_error():
    with pytest.raises(InvalidInput, match=r"from 0\.5 to 0\.5"):
        shortest_path(np.ones((2, 2), bool), (0, 0), (1, 1), np.full((2, 2), 0.5, np.float32))


def test_searches_on_grids_of_different_sizes_do_not_disturb_each_other():
    large, small = np.ones((30, 30), bool), np.ones((5, 5), bool)
    first = shortest_path(large, (0, 0), (29, 20)).cells
    shortest_path(small, (0, 0), (4, 4))
    np.testing.assert_array_equal(shortest_path(large, (0, 0), (29, 20)).cells, first)
