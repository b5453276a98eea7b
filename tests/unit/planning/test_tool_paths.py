"""Paths of the tool: the tool stays on them, no faster than asked, or the plan says where not."""

from typing import Any

import numpy as np
import pytest

from mecano import robots
from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose, matrix_from_quaternion
from mecano.kinematics.chain import Chain
from mecano.planning import Bounds, LinePlan, PathCurve, PathLimits, SampledMove, plan_path

OMX = robots.get("open_manipulator_x").chain()
YOUBOT = robots.get("youbot").chain()
READY = YOUBOT.inverse([0.45, 0.0, 0.3], pitch=0.6).solutions[0]
STARTS = [
    pytest.param(OMX, OMX.inverse([0.2, 0.0, 0.12], pitch=0.5).solutions[0], id="omx"),
    pytest.param(YOUBOT, READY, id="youbot"),
]
FAST = Bounds(velocity=1000.0, acceleration=1e6, jerk=1e9)
"""Joints that keep up with everything: the times are those of the path."""
SLOW = Bounds(velocity=0.2, acceleration=4.0, jerk=40.0)
LIMITS = PathLimits(velocity=0.1, acceleration=0.5)


def plan(chain: Chain, start: Array, path: PathCurve, bounds: Bounds = FAST, **options: Any):
    """Return the plan by the chain's own solver, and the remarks."""

    def solve(point, pitch, near, **more):
        return chain.inverse(point, pitch=pitch, start=near, **more)

    return plan_path(chain, start, path, LIMITS, bounds, solve=solve, **options)


def planned(chain: Chain, start: Array, path: PathCurve, bounds: Bounds = FAST, **options: Any):
    """Return the motion of a plan that must succeed."""
    found: LinePlan = plan(chain, start, path, bounds, **options)[0]
    assert found.trajectory is not None
    return found.trajectory


def tool(chain: Chain, start: Array) -> Array:
    return chain.forward(start)[:3, 3]


def loop(chain: Chain, start: Array) -> PathCurve:
    """Return a bent path in space from where the tool is."""
    steps = [[0, 0, 0], [0.01, 0.03, 0.02], [-0.01, 0.02, 0.05], [-0.02, -0.02, 0.02]]
    return PathCurve.through(tool(chain, start) + np.array(steps))


def off(path: PathCurve, places: Array) -> Array:
    """Return how far places are from a path [m]: from the nearest mark, by Newton's method."""
    marks = path.marks(0.0005)
    dense = path.at(marks).position
    s = marks[np.linalg.norm(places[:, None] - dense, axis=-1).argmin(axis=1)]
    for _ in range(20):
        here = path.at(s)
        s = np.clip(s + ((places - here.position) * here.tangent).sum(axis=1), 0.0, path.length)
    return np.linalg.norm(places - path.at(s).position, axis=1)


def tool_speeds(chain: Chain, move: SampledMove) -> Array:
    return np.linalg.norm(np.diff(tools(chain, move), axis=0), axis=1) / move.period


def tools(chain: Chain, move: SampledMove) -> Array:
    return chain.forward(move.postures)[:, :3, 3]


# --- position


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_the_tool_stays_on_the_path(chain, start):
    path = loop(chain, start)
    assert off(path, tools(chain, planned(chain, start, path))).max() < 1e-6


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_the_tool_ends_where_the_path_ends(chain, start):
    path = loop(chain, start)
    np.testing.assert_allclose(
        tools(chain, planned(chain, start, path))[-1], path.at(path.length).position, atol=1e-9
    )


@pytest.mark.parametrize(("chain", "start"), STARTS)
@pytest.mark.parametrize("bounds", [FAST, SLOW], ids=["fast joints", "slow joints"])
def test_the_tool_is_never_faster_than_asked(chain, start, bounds):
    move = planned(chain, start, loop(chain, start), bounds)
    assert tool_speeds(chain, move).max() <= LIMITS.velocity * (1 + 1e-9)


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_fast_joints_let_the_tool_go_as_fast_as_asked(chain, start):
    line = PathCurve.through([tool(chain, start), tool(chain, start) + np.array([0, 0, 0.08])])
    move = planned(chain, start, line)
    assert tool_speeds(chain, move).max() == pytest.approx(LIMITS.velocity, rel=1e-6)
    # 0.2 s to speed up, 0.2 s to brake, 0.06 m in between
    assert move.duration == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_slow_joints_slow_the_whole_down(chain, start):
    move = planned(chain, start, loop(chain, start), SLOW)
    assert np.abs(np.diff(move.postures, axis=0)).max() / move.period <= SLOW.velocity * (1 + 1e-9)


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_the_pitch_is_kept(chain, start):
    move = planned(chain, start, loop(chain, start))
    pitches = [chain.pitch(posture) for posture in move.postures]
    np.testing.assert_allclose(pitches, chain.pitch(start), atol=1e-6)


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_the_pitch_turns_to_the_asked_one(chain, start):
    goal = chain.pitch(start) + 0.2
    move = planned(chain, start, loop(chain, start), goal_pitch=goal)
    assert chain.pitch(move.postures[-1]) == pytest.approx(goal, abs=1e-6)


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_a_turn_on_the_way_begins_at_rest(chain, start):
    move = planned(chain, start, loop(chain, start), goal_pitch=chain.pitch(start) + 0.2)
    assert np.abs(np.diff(move.postures[:2], axis=0)).max() < 5e-4  # rad in 0.01 s


def test_the_roll_turns_to_the_asked_one():
    move = planned(YOUBOT, READY, loop(YOUBOT, READY), goal_roll=0.5)
    assert YOUBOT.roll(move.postures[-1]) == pytest.approx(0.5, abs=1e-6)


# --- a path that begins elsewhere


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_the_tool_goes_straight_to_a_path_that_begins_elsewhere(chain, start):
    path = loop(chain, start).moved(Pose([0.0, 0.0, 0.03]))
    first = path.at(0.0).position
    ahead = PathCurve.through([tool(chain, start), first], kind="polyline")
    places = tools(chain, planned(chain, start, path))
    arrived = int(np.linalg.norm(places - first, axis=1).argmin())
    assert off(ahead, places[: arrived + 1]).max() < 1e-6
    assert off(path, places[arrived + 1 :]).max() < 1e-6


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_the_tool_rests_where_that_path_begins(chain, start):
    path = loop(chain, start).moved(Pose([0.0, 0.0, 0.03]))
    move = planned(chain, start, path)
    places = tools(chain, move)
    arrived = int(np.linalg.norm(places - path.at(0.0).position, axis=1).argmin())
    # one sample (0.01 s) from rest at 0.5 m/s2
    assert tool_speeds(chain, move)[arrived - 1 : arrived + 1].max() < 0.01


# --- orientation


def pitching(chain: Chain, start: Array) -> PathCurve:
    """Return a path in the plane of the arm whose orientation tilts: any arm can follow it."""
    first = Pose.from_matrix(chain.forward(start))
    across = Pose(quaternion=[np.cos(0.1), 0.0, np.sin(0.1), 0.0])  # 0.2 rad nose down
    ahead = np.append(first.position[:2] - chain.dh.base[:2, 3], 0.0)
    ahead /= np.linalg.norm(ahead)
    second = Pose(first.position + 0.03 * ahead + [0, 0, 0.04], (first @ across).quaternion)
    return PathCurve.through([first, second])


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_the_orientation_of_the_path_is_followed(chain, start):
    path = pitching(chain, start)
    move = planned(chain, start, path, mode="position and orientation")
    T_base_tool = chain.forward(move.postures)
    assert off(path, T_base_tool[:, :3, 3]).max() < 1e-6
    # the path is straight, and so is its turn
    done = np.linalg.norm(T_base_tool[:, :3, 3] - tool(chain, start), axis=1)
    wanted = matrix_from_quaternion(np.asarray(path.at(done).orientation))
    np.testing.assert_allclose(T_base_tool[:, :3, :3], wanted, atol=1e-6)


def test_an_orientation_begun_elsewhere_is_refused():
    path = pitching(YOUBOT, READY).moved(Pose([0.0, 0.0, 0.03]))
    with pytest.raises(InvalidInput, match=r"begins 30\.0 mm from the tool; move the tool"):
        plan(YOUBOT, READY, path, mode="position and orientation")


def test_an_orientation_that_the_path_has_not_is_refused():
    with pytest.raises(InvalidInput, match="the path has no orientations"):
        plan(YOUBOT, READY, loop(YOUBOT, READY), mode="position and orientation")


# --- what cannot be


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_a_path_on_the_floor_is_refused(chain, start):
    with pytest.raises(InvalidInput, match="the tool follows paths in space"):
        plan(chain, start, PathCurve.through([[0.0, 0.0], [0.1, 0.0]]))


@pytest.mark.parametrize(("chain", "start"), STARTS)
def test_a_point_out_of_reach_breaks_the_plan_where_it_is(chain, start):
    here = tool(chain, start)
    line = PathCurve.through([here, here + np.array([0.0, 0.0, 2.0])], kind="polyline")
    broken, _ = plan(chain, start, line)
    assert broken.trajectory is None
    assert broken.failure is not None
    assert not broken.failure.reached
    height = broken.failed_at * 2.0
    pitch, roll = chain.pitch(start), chain.roll(start)
    before = chain.inverse(
        here + np.array([0, 0, height - 0.03]), pitch=pitch, roll=roll, start=start
    )
    after = chain.inverse(
        here + np.array([0, 0, height + 0.03]), pitch=pitch, roll=roll, start=start
    )
    assert before.reached
    assert not after.reached


def test_a_corner_is_told_as_a_stop():
    here = tool(YOUBOT, READY)
    bent = [here, here + np.array([0.03, 0.0, 0.0]), here + np.array([0.03, 0.0, 0.03])]
    _, remarks = plan(YOUBOT, READY, PathCurve.through(bent, kind="polyline"))
    assert [str(each) for each in remarks] == ["stops at 0.03 m along: corner of 90 degrees"]
