"""Motions in time: bounds that hold at every instant, right ends, straight lines."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano import robots
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose
from mecano.kinematics.ik import IKReason
from mecano.planning import Bounds, JointMove, SampledMove, plan_line

CHAIN = robots.get("open_manipulator_x").chain()
BOUNDS = Bounds(velocity=2.4, acceleration=12.0, jerk=120.0)
TOOL: dict[str, Any] = {"tool_velocity": 0.25, "tool_acceleration": 1.5}

angles = st.tuples(*(st.floats(-1.5, 1.5) for _ in range(4))).map(np.array)
speeds = st.tuples(*(st.floats(-2.4, 2.4) for _ in range(4))).map(np.array)


def sampled(move, step: float = 1e-4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return times, positions and velocities, densely."""
    times = np.arange(0.0, move.duration, step)
    rows = [move.at(t) for t in times]
    return times, np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


# --- joint moves


@given(start=angles, goal=angles)
@settings(max_examples=30)
def test_a_joint_move_goes_from_start_to_goal(start, goal):
    move = JointMove(start, goal, BOUNDS)
    np.testing.assert_allclose(move.at(0.0)[0], start, atol=1e-9)
    np.testing.assert_allclose(move.at(0.0)[1], 0.0, atol=1e-9)
    np.testing.assert_allclose(move.at(move.duration)[0], goal, atol=1e-9)
    np.testing.assert_array_equal(move.at(move.duration)[1], np.zeros(4))


@given(start=angles, goal=angles, velocity=speeds)
@settings(max_examples=15)
def test_a_joint_move_keeps_velocity_acceleration_and_jerk(start, goal, velocity):
    step = 5e-4
    _, position, speed = sampled(JointMove(start, goal, BOUNDS, start_velocity=velocity), step)
    assert np.abs(speed).max(initial=0.0) <= BOUNDS.velocity * (1 + 1e-6)
    if len(position) > 3:
        acceleration = np.diff(speed, axis=0) / step
        assert np.abs(acceleration).max() <= BOUNDS.acceleration * (1 + 1e-6)
        jerk = np.diff(acceleration, axis=0) / step
        assert np.abs(jerk).max() <= BOUNDS.jerk * (1 + 1e-4)


@given(start=angles, goal=angles, velocity=speeds)
@settings(max_examples=20)
def test_a_joint_move_takes_over_the_start_velocity(start, goal, velocity):
    move = JointMove(start, goal, BOUNDS, start_velocity=velocity)
    np.testing.assert_allclose(move.at(0.0)[1], velocity, atol=1e-9)
    np.testing.assert_allclose(move.at(move.duration)[0], goal, atol=1e-7)


def test_the_velocity_is_the_slope_of_the_position():
    move = JointMove(np.zeros(4), np.array([1.0, -0.5, 0.2, 0.0]), BOUNDS)
    times, position, speed = sampled(move)
    slope = np.gradient(position, times, axis=0)
    np.testing.assert_allclose(slope[1:-1], speed[1:-1], atol=1e-5)


def test_all_joints_arrive_together_with_the_slowest():
    move = JointMove(np.zeros(4), np.array([2.0, 0.1, 0.1, 0.1]), BOUNDS)
    alone = JointMove(np.zeros(1), np.array([2.0]), BOUNDS)
    assert move.duration == pytest.approx(alone.duration)


def test_a_long_move_takes_what_paper_and_pencil_give():
    # Jerk phases of a/j = 0.1 s, then constant acceleration, then cruising at v:
    # T = distance / v + v / a + a / j.
    move = JointMove(np.zeros(1), np.array([3.0]), BOUNDS)
    assert move.duration == pytest.approx(3.0 / 2.4 + 2.4 / 12.0 + 12.0 / 120.0, rel=1e-9)


@pytest.mark.parametrize("time", [-1.0, 0.0])
def test_before_the_start_there_is_the_start(time):
    move = JointMove(np.zeros(2), np.ones(2), BOUNDS)
    np.testing.assert_allclose(move.at(time)[0], 0.0)


def test_past_the_end_there_is_the_end_at_rest():
    move = JointMove(np.zeros(2), np.ones(2), BOUNDS)
    np.testing.assert_allclose(move.at(100.0)[0], 1.0)
    np.testing.assert_array_equal(move.at(100.0)[1], np.zeros(2))


def test_a_move_to_where_one_is_takes_no_time():
    assert JointMove(np.ones(3), np.ones(3), BOUNDS).duration == pytest.approx(0.0, abs=1e-9)


def test_a_goal_that_is_not_a_number_is_refused():
    with pytest.raises(InvalidInput):
        JointMove(np.zeros(2), np.array([np.nan, 0.0]), BOUNDS)


# --- fractions of the speed


@pytest.mark.parametrize("speed", [0.5, 0.25, 0.1])
def test_a_fraction_of_the_speed_stretches_the_time_and_nothing_else(speed):
    goal = np.array([1.0, -0.7, 0.3, 0.2])
    full = JointMove(np.zeros(4), goal, BOUNDS)
    slow = JointMove(np.zeros(4), goal, BOUNDS.scaled(speed))
    assert slow.duration == pytest.approx(full.duration / speed, rel=1e-6)
    for part in np.linspace(0.0, 1.0, 11):
        np.testing.assert_allclose(
            slow.at(part * slow.duration)[0], full.at(part * full.duration)[0], atol=1e-6
        )


@pytest.mark.parametrize("speed", [0.0, -0.5, 1.01, float("nan"), float("inf")])
def test_a_bad_fraction_is_refused_with_its_value(speed):
    with pytest.raises(InvalidInput, match=f"speed is {speed:g}"):
        BOUNDS.scaled(speed)


# --- tables


def test_a_table_is_read_with_straight_interpolation():
    table = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 2.0]])
    move = SampledMove(table, 0.5)
    assert move.duration == 1.0
    np.testing.assert_allclose(move.at(0.25)[0], [0.5, 1.0])
    np.testing.assert_allclose(move.at(0.5)[0], [1.0, 2.0])
    np.testing.assert_allclose(move.at(0.75)[0], [2.0, 2.0])


@pytest.mark.parametrize(("time", "row"), [(-1.0, 0), (0.0, 0), (1.0, -1), (99.0, -1)])
def test_a_table_ends_at_its_ends_at_rest(time, row):
    table = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 2.0]])
    position, velocity = SampledMove(table, 0.5).at(time)
    np.testing.assert_allclose(position, table[row])
    np.testing.assert_array_equal(velocity, [0.0, 0.0])


def test_a_table_of_one_row_stands_still():
    move = SampledMove(np.array([[1.0, 2.0]]), 0.1)
    assert move.duration == 0.0
    position, velocity = move.at(0.3)
    np.testing.assert_array_equal(position, [1.0, 2.0])
    np.testing.assert_array_equal(velocity, [0.0, 0.0])


# --- straight lines


def start_at(point, pitch: float) -> np.ndarray:
    answer = CHAIN.inverse(point, pitch=pitch)
    assert answer.reached
    return answer.solutions[0]


LINES = [
    ((0.2, 0.0, 0.10), 1.3, (0.2, 0.0, 0.03), 1.3),
    ((0.15, -0.15, 0.15), 0.5, (0.15, 0.15, 0.15), 0.5),
    ((0.12, 0.05, 0.20), 0.0, (0.25, -0.05, 0.08), 1.0),
    ((0.25, 0.0, 0.15), -0.2, (0.10, 0.1, 0.25), -0.9),
]


def off_the_line(point: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    along = (b - a) / np.linalg.norm(b - a)
    return float(np.linalg.norm((point - a) - along * ((point - a) @ along)))


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_straight_at_its_samples(line):
    a, pitch, b, end_pitch = (np.array(line[0]), line[1], np.array(line[2]), line[3])
    plan = plan_line(CHAIN, start_at(a, pitch), b, end_pitch, BOUNDS, **TOOL)
    assert plan.trajectory is not None
    for q in plan.trajectory.postures:
        assert off_the_line(CHAIN.forward(q)[:3, 3], a, b) < 1e-9


@pytest.mark.parametrize("line", LINES)
def test_a_line_bends_by_less_than_a_tenth_of_a_millimetre_between_samples(line):
    a, pitch, b, end_pitch = (np.array(line[0]), line[1], np.array(line[2]), line[3])
    plan = plan_line(CHAIN, start_at(a, pitch), b, end_pitch, BOUNDS, **TOOL)
    assert plan.trajectory is not None
    times = np.arange(0.0, plan.trajectory.duration, 1e-3)
    tool = [CHAIN.forward(plan.trajectory.at(t)[0])[:3, 3] for t in times]
    assert max(off_the_line(point, a, b) for point in tool) < 1e-4


@pytest.mark.parametrize("line", LINES)
def test_a_line_ends_at_its_point_and_pitch(line):
    a, pitch, b, end_pitch = line
    plan = plan_line(CHAIN, start_at(a, pitch), np.array(b), end_pitch, BOUNDS, **TOOL)
    assert plan.trajectory is not None
    end, velocity = plan.trajectory.at(plan.trajectory.duration)
    np.testing.assert_allclose(CHAIN.forward(end)[:3, 3], b, atol=1e-9)
    assert CHAIN.pitch(end) == pytest.approx(end_pitch, abs=1e-9)
    np.testing.assert_array_equal(velocity, np.zeros(4))


@pytest.mark.parametrize("line", LINES)
def test_the_pitch_turns_evenly_along_a_line(line):
    a, pitch, b, end_pitch = (np.array(line[0]), line[1], np.array(line[2]), line[3])
    plan = plan_line(CHAIN, start_at(a, pitch), b, end_pitch, BOUNDS, **TOOL)
    assert plan.trajectory is not None
    for q in plan.trajectory.postures:
        part = np.linalg.norm(CHAIN.forward(q)[:3, 3] - a) / np.linalg.norm(b - a)
        wanted = pitch + part * (end_pitch - pitch)
        assert CHAIN.pitch(q) == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("velocity", [2.4, 0.3, 0.05])
def test_a_line_keeps_the_joints_inside_their_speed(line, velocity):
    a, pitch, b, end_pitch = line
    bounds = Bounds(velocity=velocity, acceleration=12.0, jerk=120.0)
    plan = plan_line(CHAIN, start_at(a, pitch), np.array(b), end_pitch, bounds, **TOOL)
    assert plan.trajectory is not None
    move = plan.trajectory
    steps = np.abs(np.diff(move.postures, axis=0)) / move.period
    assert steps.max() <= velocity * (1 + 1e-9)
    assert np.abs(move.velocities).max() <= velocity * (1 + 1e-9)


@pytest.mark.parametrize("line", LINES)
def test_a_line_keeps_the_joints_inside_their_acceleration(line):
    a, pitch, b, end_pitch = line
    plan = plan_line(CHAIN, start_at(a, pitch), np.array(b), end_pitch, BOUNDS, **TOOL)
    assert plan.trajectory is not None
    move = plan.trajectory
    acceleration = np.diff(move.postures, n=2, axis=0) / move.period**2
    assert np.abs(acceleration).max() <= BOUNDS.acceleration * (1 + 1e-9)


@pytest.mark.parametrize("line", LINES)
def test_a_line_keeps_the_tool_inside_its_speed(line):
    a, pitch, b, end_pitch = line
    plan = plan_line(CHAIN, start_at(a, pitch), np.array(b), end_pitch, BOUNDS, **TOOL)
    assert plan.trajectory is not None
    points = CHAIN.forward(plan.trajectory.postures)[:, :3, 3]
    speed = np.linalg.norm(np.diff(points, axis=0), axis=1) / plan.trajectory.period
    assert speed.max() <= TOOL["tool_velocity"] * (1 + 1e-6)


def test_a_line_that_leaves_the_reach_says_where():
    start = start_at((0.25, 0.0, 0.15), 0.0)
    plan = plan_line(CHAIN, start, np.array([0.65, 0.0, 0.15]), 0.0, BOUNDS, **TOOL)
    assert plan.trajectory is None and plan.failure is not None
    assert plan.failure.reason is not None
    # along y = 0 at this height and pitch the wrist can be L2 + L3 from the shoulder
    shoulder = np.array([0.012, 0.0765])
    reach = np.hypot(0.024, 0.128) + 0.124
    furthest = shoulder[0] + np.sqrt(reach**2 - (0.15 - shoulder[1]) ** 2) + 0.126
    assert plan.failed_at == pytest.approx((furthest - 0.25) / 0.4, abs=0.02)


def test_a_line_between_reachable_points_through_the_arm_itself_is_refused():
    goal = np.array([0.012, 0.15, 0.10])
    assert CHAIN.inverse(goal, pitch=1.0).reached
    plan = plan_line(CHAIN, start_at((0.012, -0.15, 0.10), 1.0), goal, 1.0, BOUNDS, **TOOL)
    assert plan.trajectory is None and plan.failure is not None
    assert 0.0 < plan.failed_at < 1.0


def test_a_line_of_no_length_ends_where_it_starts():
    start = start_at((0.2, 0.0, 0.1), 0.8)
    plan = plan_line(CHAIN, start, CHAIN.forward(start)[:3, 3], CHAIN.pitch(start), BOUNDS, **TOOL)
    assert plan.trajectory is not None
    for q in plan.trajectory.postures:
        np.testing.assert_allclose(q, start, atol=1e-7)


def test_a_line_that_only_turns_stays_at_its_point():
    start = start_at((0.2, 0.0, 0.15), 0.2)
    point = CHAIN.forward(start)[:3, 3]
    plan = plan_line(CHAIN, start, point, 0.9, BOUNDS, **TOOL)
    assert plan.trajectory is not None
    tool = CHAIN.forward(plan.trajectory.postures)[:, :3, 3]
    np.testing.assert_allclose(tool, np.tile(point, (len(tool), 1)), atol=1e-9)
    assert CHAIN.pitch(plan.trajectory.postures[-1]) == pytest.approx(0.9, abs=1e-9)


def test_a_line_asks_the_solver_it_is_given():
    asked = []

    def solve(position, pitch, start):
        asked.append(position)
        return CHAIN.inverse(position, pitch=pitch, start=start)

    start = start_at((0.2, 0.0, 0.1), 1.2)
    plan = plan_line(CHAIN, start, np.array([0.2, 0.0, 0.06]), 1.2, BOUNDS, solve=solve, **TOOL)
    assert plan.trajectory is not None and len(asked) == len(plan.trajectory.postures) - 1


def test_a_line_out_of_the_limits_names_the_reason():
    start = start_at((0.2, 0.0, 0.1), 1.2)
    plan = plan_line(CHAIN, start, np.array([0.0, 0.0, 0.1]), 1.2, BOUNDS, **TOOL)
    assert plan.failure is not None
    assert plan.failure.reason in set(IKReason)


def test_a_line_keeps_or_turns_a_full_orientation():
    arm = robots.get("widowx").chain()
    start = np.array([0.2, 0.1, 0.3, -1.2, 0.4])
    T = arm.forward(start)
    down = arm.inverse([0.22, 0.05, 0.10], pitch=np.pi / 2, roll=0.3).solutions[0]
    goal = arm.forward(down)
    quaternion = Pose.from_matrix(goal).quaternion
    plan = plan_line(arm, down, goal[:3, 3] + [0.0, -0.08, 0.02], None, BOUNDS,
                     goal_quaternion=quaternion, **TOOL)  # fmt: skip
    assert plan.trajectory is not None
    for time in np.linspace(0.0, plan.trajectory.duration, 20):
        pose = arm.forward(plan.trajectory.at(time)[0])
        np.testing.assert_allclose(pose[:3, :3], goal[:3, :3], atol=1e-3)
    rolled = plan_line(
        arm, start, T[:3, 3] + [0.0, 0.0, 0.03], None, BOUNDS, goal_roll=-0.3, **TOOL
    )
    assert rolled.trajectory is not None
    end = rolled.trajectory.at(rolled.trajectory.duration)[0]
    assert arm.roll(end) == pytest.approx(-0.3, abs=1e-6)
    assert arm.pitch(end) == pytest.approx(arm.pitch(start), abs=1e-6)


def test_motions_of_the_size_of_round_off_are_found():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        start = rng.uniform(-2.0, 2.0, 5)
        goal = start + rng.choice([0.0, 1e-12, 1e-9]) * rng.normal(size=5)
        velocity = rng.choice([1e-16, 1e-12, 1e-9]) * rng.normal(size=5)
        bounds = Bounds(velocity=1.0, acceleration=5.0, jerk=100.0)
        move = JointMove(start, goal, bounds, start_velocity=velocity)
        np.testing.assert_allclose(move.at(move.duration)[0], goal, atol=2e-6)
