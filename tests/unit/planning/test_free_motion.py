"""Collision-free motion: paths that are free between the steps too, repeats, reasons, times."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.planning.free_motion import (
    FreeMotionReason,
    JointSpace,
    _middle_first,
    plan_free_motion,
)
from mecano.planning.path_timing import time_free_path
from mecano.planning.shortcuts import path_length, shorten, without_spare_points
from mecano.planning.trajectories import Bounds

RESOLUTION = 0.04
MARGIN = 0.5 * RESOLUTION
BOUNDS = Bounds(velocity=2.0, acceleration=8.0, jerk=80.0)


class Boxes:
    """Joint values that may not lie in some boxes; kept off by a margin in the sum of all ways."""

    def __init__(self, *boxes: tuple[list[float], list[float]], margin: float = MARGIN) -> None:
        self.low = np.array([box[0] for box in boxes], float)
        self.high = np.array([box[1] for box in boxes], float)
        self.margin = margin

    def depth_free(self, rows, margin: float) -> bool:
        rows = np.atleast_2d(rows)[:, None]
        away = np.maximum(np.maximum(self.low - rows, rows - self.high), 0.0).sum(axis=2)
        return bool((away > margin).all())

    def __call__(self, rows) -> bool:
        return self.depth_free(rows, self.margin)

    def truly_free(self, rows) -> bool:
        return self.depth_free(rows, 0.0)


WALL = Boxes(([0.4, -0.1], [0.6, 0.9]))
"""A wall between left and right, open above 0.9."""
GATE = Boxes(([0.45, -1.0], [0.55, 0.46]), ([0.45, 0.54], [0.55, 2.0]))
"""A wall with a gate of 0.08, of which 0.04 are left between the margins."""
CLOSED = Boxes(([0.4, -1.0], [0.6, 2.0]))
SQUARE = np.zeros(2), np.ones(2)


def plan(boxes, start=(0.1, 0.2), goals=(0.9, 0.2), **more):
    options = {"seed": 0, "resolution": RESOLUTION} | more
    return plan_free_motion(start, goals, *SQUARE, boxes, **options)


def finely(path, step: float) -> np.ndarray:
    """Return the postures on a path, no further apart than a step in the sum of all ways."""
    rows = [path[:1]]
    for one, other in pairwise(path):
        count = max(1, int(np.ceil(np.abs(other - one).sum() / step)))
        rows.append(one + np.linspace(0.0, 1.0, count + 1)[1:, None] * (other - one))
    return np.vstack(rows)


# --- paths


def test_the_straight_way_is_taken_where_it_is_free():
    motion = plan(WALL, start=(0.1, 0.95), goals=(0.9, 0.97))
    assert motion.direct and motion.tries == 0
    np.testing.assert_array_equal(motion.path, [[0.1, 0.95], [0.9, 0.97]])


def test_a_path_leads_around_a_wall():
    motion = plan(WALL)
    assert motion.found and not motion.direct and motion.path is not None
    np.testing.assert_array_equal(motion.path[[0, -1]], [[0.1, 0.2], [0.9, 0.2]])
    # Through (0.4, 0.9) and (0.6, 0.9), with the margin: not shorter, and not much longer.
    shortest = path_length(np.array([[0.1, 0.2], [0.4, 0.9], [0.6, 0.9], [0.9, 0.2]]))
    assert shortest <= path_length(motion.path) < 1.1 * shortest


def test_a_gate_little_wider_than_a_step_is_found():
    motion = plan(GATE, start=(0.1, 0.1), goals=(0.9, 0.9))
    assert motion.found and GATE.truly_free(finely(motion.path, 0.001))


@given(seed=st.integers(0, 10_000), joints=st.integers(2, 4))
@settings(max_examples=15, deadline=None)
def test_with_a_margin_of_half_a_step_the_whole_way_is_free(seed, joints):
    rng = np.random.default_rng(seed)
    corners = rng.uniform(0.0, 0.8, (5, joints))
    boxes = Boxes(*((c.tolist(), (c + rng.uniform(0.05, 0.4, joints)).tolist()) for c in corners))
    start, goal = rng.uniform(0.0, 1.0, (2, joints))
    assume(boxes(np.array([start, goal])))
    ends = np.zeros(joints), np.ones(joints)
    motion = plan_free_motion(
        start, goal, *ends, boxes, seed=seed, resolution=RESOLUTION, max_tries=100, shortcuts=20
    )
    assume(motion.path is not None)
    assert motion.path is not None
    np.testing.assert_array_equal(motion.path[[0, -1]], [start, goal])
    assert ((motion.path >= 0.0) & (motion.path <= 1.0)).all()
    assert boxes.truly_free(finely(motion.path, 0.5 * RESOLUTION))
    assert boxes.truly_free(finely(motion.path, 0.002))
    assert path_length(motion.path) >= np.linalg.norm(goal - start) * (1.0 - 1e-12)
    timed = time_free_path(motion.path, BOUNDS, boxes, resolution=RESOLUTION)
    times = np.linspace(0.0, timed.trajectory.duration, 3000)
    assert boxes.truly_free(timed.trajectory.postures(times))


def test_weights_make_steps_finer():
    seen = []

    def free(rows):
        seen.extend(rows)
        return True

    plan_free_motion([0.0], [1.0], [0.0], [1.0], free, seed=0, resolution=0.1, weights=[4.0])
    assert np.diff(np.sort(np.ravel(seen))).max() == pytest.approx(0.025)


@pytest.mark.parametrize("steps", [2, 3, 7, 16, 33])
def test_every_step_of_a_way_is_looked_at_the_middle_first(steps):
    parts = _middle_first(steps)
    np.testing.assert_allclose(np.sort(parts), np.arange(1, steps) / steps)
    assert abs(parts[0] - 0.5) <= 0.5 / steps + 1e-12


# --- several goals


def test_of_several_goals_the_nearest_that_can_be_gone_to_straight_is_taken():
    motion = plan(WALL, goals=[(0.9, 0.2), (0.3, 0.9), (0.2, 0.2)])
    assert motion.direct and motion.goal == 2


def test_goals_that_are_blocked_or_outside_are_left_out():
    motion = plan(WALL, goals=[(0.5, 0.5), (1.5, 0.2), (0.9, 0.2)])
    assert motion.found and motion.goal == 2


def test_the_trees_take_a_goal_that_can_be_reached():
    cage = Boxes(([0.6, 0.0], [0.65, 0.5]), ([0.6, 0.45], [1.0, 0.5]), ([0.3, 0.3], [0.4, 1.0]))
    motion = plan(cage, start=(0.1, 0.9), goals=[(0.9, 0.2), (0.9, 0.9)])
    assert motion.found and motion.goal == 1


# --- repeats


def test_the_same_seed_gives_the_same_path():
    one, other = plan(WALL, seed=7), plan(WALL, seed=7)
    np.testing.assert_array_equal(one.path, other.path)
    assert (one.tries, one.nodes, one.looks) == (other.tries, other.nodes, other.looks)


def test_another_seed_gives_another_path():
    one, other = plan(WALL, seed=7), plan(WALL, seed=8)
    assert one.path is not None and other.path is not None
    assert one.path.shape != other.path.shape or (one.path != other.path).any()


# --- failures


def test_a_way_that_does_not_exist_is_not_found():
    motion = plan(CLOSED, max_tries=200)
    assert motion.reason == FreeMotionReason.NOT_FOUND and motion.tries == 200
    assert "200 tries" in motion.explanation and motion.path is None


def test_a_blocked_start_is_explained():
    motion = plan(WALL, start=(0.5, 0.5), describe=lambda q: f"wall at {q[0]:.1f}")
    assert motion.reason == FreeMotionReason.START_BLOCKED
    assert "wall at 0.5" in motion.explanation


def test_blocked_goals_are_explained():
    motion = plan(WALL, goals=[(0.5, 0.5), (0.55, 0.5)], describe=lambda q: "wall in the way")
    assert motion.reason == FreeMotionReason.GOALS_BLOCKED
    assert "first of 2" in motion.explanation and "wall in the way" in motion.explanation


def test_a_start_outside_the_limits_is_explained():
    motion = plan(WALL, start=(0.1, -0.2))
    assert motion.reason == FreeMotionReason.START_OUTSIDE
    assert "joint 2 at -0.2000, allowed [0.0000, 1.0000]" in motion.explanation


def test_goals_outside_the_limits_are_explained():
    motion = plan(WALL, goals=(1.2, 0.2))
    assert motion.reason == FreeMotionReason.GOALS_OUTSIDE
    assert "joint 1 at 1.2000" in motion.explanation


def test_the_clock_is_only_a_safety_net():
    motion = plan(CLOSED, time_limit=0.0)
    assert motion.reason == FreeMotionReason.OUT_OF_TIME and motion.tries == 0


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"resolution": 0.0}, "resolution is 0"),
        ({"resolution": float("nan")}, "resolution is nan"),
        ({"weights": [1.0, 0.0]}, "weights"),
        ({"goals": [[0.1, 0.2, 0.3]]}, "rows of 2"),
        ({"start": [0.1]}, "start has shape"),
        ({"max_tries": -1}, "max_tries is -1"),
        ({"goals": [float("inf"), 0.0]}, "goals"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(wrong, says):
    with pytest.raises(InvalidInput, match=says):
        plan(WALL, **wrong)


def test_limits_the_wrong_way_round_are_refused():
    with pytest.raises(InvalidInput, match="lower <= upper"):
        plan_free_motion([0.0], [1.0], [1.0], [0.0], WALL, seed=0, resolution=0.1)


# --- shortcuts


def test_points_on_a_free_straight_line_are_left_out():
    space = JointSpace.checked(*SQUARE, lambda rows: True, resolution=RESOLUTION)
    path = np.array([[0.0, 0.0], [0.2, 0.3], [0.4, 0.1], [1.0, 1.0]])
    np.testing.assert_array_equal(without_spare_points(path, space), path[[0, -1]])


@given(seed=st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_shortcuts_never_make_a_path_longer(seed):
    space = JointSpace.checked(*SQUARE, WALL, resolution=RESOLUTION)
    path = np.array([[0.1, 0.2], [0.1, 0.97], [0.9, 0.97], [0.9, 0.2]])
    shorter = shorten(path, space, rng=np.random.default_rng(seed), attempts=30)
    assert path_length(shorter) <= path_length(path) * (1.0 + 1e-12)
    np.testing.assert_array_equal(shorter[[0, -1]], path[[0, -1]])
    assert WALL.truly_free(finely(shorter, 0.001))


# --- times


def everything(rows) -> bool:
    return True


paths = st.tuples(st.integers(2, 7), st.integers(1, 6), st.integers(0, 10_000)).map(
    lambda given: np.cumsum(
        np.random.default_rng(given[2]).normal(0.0, 0.5, (given[0], given[1])), axis=0
    )
)


def distance_to(path, rows) -> float:
    nearest = np.full(len(rows), np.inf)
    for one, other in pairwise(path):
        part = np.clip((rows - one) @ (other - one) / ((other - one) @ (other - one)), 0.0, 1.0)
        away = rows - one - part[:, None] * (other - one)
        nearest = np.minimum(nearest, np.linalg.norm(away, axis=1))
    return float(nearest.max())


@given(path=paths, tolerance=st.floats(0.0, 0.2))
@example(
    path=np.cumsum(np.random.default_rng(3).normal(0.0, 0.5, (3, 3)), axis=0), tolerance=0.00390625
)
@settings(max_examples=30, deadline=None)
def test_a_timed_path_keeps_its_bounds_and_its_tolerance(path, tolerance):
    timed = time_free_path(path, BOUNDS, everything, resolution=0.05, tolerance=tolerance)
    move, step = timed.trajectory, 1e-3
    times = np.arange(0.0, move.duration + step, step)
    position, velocity = move.postures(times), move.velocities(times)
    acceleration = move.accelerations(times)
    assert np.abs(velocity).max() <= BOUNDS.velocity * (1.0 + 1e-6)
    assert np.abs(acceleration).max() <= BOUNDS.acceleration * (1.0 + 1e-6)
    assert np.abs(np.diff(acceleration, axis=0)).max() <= BOUNDS.jerk * step * (1.0 + 1e-4)
    np.testing.assert_allclose(
        np.diff(position, axis=0) / step, 0.5 * (velocity[1:] + velocity[:-1]), atol=1e-4
    )
    assert distance_to(path, position) <= tolerance * 1.001 + 1e-9
    np.testing.assert_allclose(position[0], path[0], atol=1e-9)
    np.testing.assert_allclose(velocity[0], 0.0, atol=1e-9)
    np.testing.assert_allclose(move.at(move.duration)[0], path[-1], atol=1e-9)
    np.testing.assert_array_equal(move.at(move.duration + 1.0)[1], np.zeros(path.shape[1]))


def test_one_time_and_many_give_the_same_sample():
    path = np.array([[0.0, 0.0], [1.0, 0.3], [1.0, 1.0]])
    move = time_free_path(path, BOUNDS, everything, resolution=0.05).trajectory
    times = np.linspace(-0.1, move.duration + 0.1, 40)
    samples = [move.at(t) for t in times]
    np.testing.assert_allclose(move.postures(times), [q for q, _ in samples], atol=1e-12)
    np.testing.assert_allclose(move.velocities(times), [v for _, v in samples], atol=1e-12)


def test_a_straight_way_takes_what_paper_and_pencil_say():
    move = time_free_path([[0.0], [3.0]], BOUNDS, everything, resolution=0.1).trajectory
    # A trapezoid of velocity, and the window of the average: 2 acceleration / jerk.
    assert move.duration == pytest.approx(3.0 / 2.0 + 2.0 / 8.0 + 2.0 * 8.0 / 80.0, rel=2e-3)


def test_without_a_tolerance_it_stands_still_in_each_corner():
    path = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    timed = time_free_path(path, BOUNDS, everything, resolution=0.05, tolerance=0.0)
    assert timed.stops == 1 and timed.deviation < 1e-9


def test_a_corner_is_rounded_off_faster_than_stopping_in_it():
    path = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    round_off, stop = (
        time_free_path(path, BOUNDS, everything, resolution=0.05, tolerance=tolerance)
        for tolerance in (0.05, 0.0)
    )
    assert round_off.stops == 0 and 0.0 < round_off.deviation <= 0.05
    assert round_off.trajectory.duration < stop.trajectory.duration - 0.2


def test_a_corner_that_may_not_be_cut_is_not():
    path = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    inside = Boxes(([0.0, 0.001], [0.999, 1.0]), margin=0.0)
    timed = time_free_path(path, BOUNDS, inside, resolution=0.005, tolerance=0.1)
    times = np.linspace(0.0, timed.trajectory.duration, 5000)
    assert inside(timed.trajectory.postures(times)) and timed.deviation < 0.001


def test_an_infinite_jerk_needs_no_average():
    bounds = Bounds(velocity=2.0, acceleration=8.0, jerk=float("inf"))
    move = time_free_path([[0.0], [3.0]], bounds, everything, resolution=0.1).trajectory
    assert move.window == 0.0
    assert move.duration == pytest.approx(3.0 / 2.0 + 2.0 / 8.0, rel=2e-3)


def test_a_path_of_one_posture_takes_no_time():
    move = time_free_path([[0.3, 0.4]], BOUNDS, everything, resolution=0.1).trajectory
    assert move.duration == 0.0
    np.testing.assert_array_equal(move.at(0.0)[0], [0.3, 0.4])


def test_an_empty_path_is_refused():
    with pytest.raises(InvalidInput, match="no postures"):
        time_free_path(np.empty((0, 3)), BOUNDS, everything, resolution=0.1)
