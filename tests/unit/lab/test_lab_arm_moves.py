"""Moves of the arm: where it ends by truth, how a motion ends, what is refused."""

import numpy as np
import pytest
from lab_helpers import arm_on_table, moved, started, tool_in_base, true_speeds

from mecano.core.errors import InvalidInput, JointLimitViolated, UnknownName
from mecano.kinematics.ik import IKReason
from mecano.lab.robot import Robot, connect
from mecano.parts.motions import SETTLED_ANGLE
from mecano.parts.results import Outcome
from mecano.stages.user_stage import UserStage

NAN = float("nan")
TARGETS = [
    ((0.20, 0.00, 0.15), 0.5),
    ((0.15, 0.12, 0.10), 1.2),
    ((0.10, -0.18, 0.20), 0.0),
    ((0.25, 0.05, 0.08), 0.9),
    ((0.05, 0.15, 0.25), -0.3),
]


@pytest.fixture
def robot() -> Robot:
    return arm_on_table()


# --- reaching


@pytest.mark.parametrize(("point", "pitch"), TARGETS)
def test_move_to_ends_within_a_millimetre_by_truth(robot, point, pitch):
    result = moved(robot.arm.move_to(point, pitch=pitch))
    assert result.reached
    assert np.linalg.norm(tool_in_base(robot) - point) < 1e-3


@pytest.mark.parametrize(("point", "pitch"), TARGETS)
def test_the_arm_stays_within_half_a_millimetre_when_it_has_settled(robot, point, pitch):
    robot.arm.move_to(point, pitch=pitch)
    robot.wait(1.0)
    assert np.linalg.norm(tool_in_base(robot) - point) < 5e-4
    assert np.abs(true_speeds(robot)).max() < 0.01


def test_move_joints_ends_at_the_joint_values(robot):
    goal = np.array([0.8, -0.4, 0.3, 0.9])
    result = moved(robot.arm.move_joints(goal))
    assert result.reached and result.joint_error < SETTLED_ANGLE
    wanted = robot.arm.chain.forward(goal)[:3, 3]
    assert np.linalg.norm(tool_in_base(robot) - wanted) < 1e-3


def test_a_named_posture_is_a_goal(robot):
    assert moved(robot.arm.move_joints("home_gui")).reached
    np.testing.assert_allclose(robot.arm.position, [0.0, -1.05, 0.35, 0.70], atol=SETTLED_ANGLE)
    assert moved(robot.arm.home()).reached
    np.testing.assert_allclose(robot.arm.position, [0.0, -1.0, 1.0, 0.0], atol=SETTLED_ANGLE)


def test_move_line_ends_within_a_millimetre_by_truth(robot):
    robot.arm.move_to([0.2, 0.0, 0.12], pitch=1.3)
    result = moved(robot.arm.move_line([0.16, 0.08, 0.05]))
    assert result.reached
    assert np.linalg.norm(tool_in_base(robot) - [0.16, 0.08, 0.05]) < 1e-3


def test_move_line_keeps_its_pitch_unless_told_otherwise(robot):
    robot.arm.move_to([0.2, 0.0, 0.12], pitch=1.0)
    robot.arm.move_line([0.2, 0.05, 0.08])
    assert robot.arm.pitch() == pytest.approx(1.0, abs=0.02)
    robot.arm.move_line([0.2, 0.05, 0.08], pitch=0.6)
    assert robot.arm.pitch() == pytest.approx(0.6, abs=0.02)


def test_the_tool_truly_stays_near_the_line(robot):
    robot.arm.move_to([0.2, -0.1, 0.12], pitch=1.0)
    robot.wait(0.5)
    worst = 0.0

    def watch(_):
        nonlocal worst
        x, _y, z = tool_in_base(robot)
        worst = max(worst, float(np.hypot(x - 0.2, z - 0.12)))

    robot.session.observers.append(watch)
    assert moved(robot.arm.move_line([0.2, 0.1, 0.12])).reached
    assert worst < 3e-3


def test_the_readings_agree_with_the_truth(robot):
    robot.arm.move_joints([0.5, -0.3, 0.4, 0.6])
    robot.wait(1.0)
    assert np.linalg.norm(robot.arm.pose().position - tool_in_base(robot)) < 2e-3
    state = robot.arm.joints()
    assert state.name == robot.arm.chain.joint_names
    assert state.stamp == pytest.approx(robot.time, abs=0.011)
    np.testing.assert_array_equal(state.position, robot.arm.position)


def test_the_effort_at_rest_holds_the_weight(robot):
    robot.arm.move_joints([0.0, 0.3, 0.0, 0.2])
    robot.wait(2.0)
    gravity = robot.arm.dynamics.gravity_torque(robot.arm.position)
    friction = 0.05
    np.testing.assert_allclose(robot.arm.effort, gravity, atol=friction + 0.01)


def test_the_quaternion_of_a_reachable_pose_is_a_target(robot):
    from mecano.core.poses import Pose

    q = np.array([0.4, -0.5, 0.6, 0.4])
    pose = Pose.from_matrix(robot.arm.chain.forward(q))
    result = moved(robot.arm.move_to(pose.position, quaternion=pose.quaternion.tolist()))
    assert result.reached
    np.testing.assert_allclose(robot.arm.position, q, atol=0.01)


# --- speed


def test_half_the_speed_takes_about_twice_the_time():
    goal = [1.5, -0.5, 0.5, 0.5]
    times = {}
    for speed in (1.0, 0.5, 0.25):
        robot = arm_on_table()
        motion = started(robot.arm.move_joints(goal, speed=speed, wait=False))
        times[speed] = motion.trajectory.duration  # type: ignore[attr-defined]
        assert robot.wait(motion) and motion.result is not None and motion.result.reached
        assert motion.result.duration == pytest.approx(times[speed], abs=0.5)
    assert times[0.5] == pytest.approx(2 * times[1.0], rel=1e-3)
    assert times[0.25] == pytest.approx(4 * times[1.0], rel=1e-3)


def test_a_line_at_half_the_speed_takes_about_twice_the_time():
    times = {}
    for speed in (1.0, 0.5):
        robot = arm_on_table()
        robot.arm.move_to([0.2, -0.1, 0.12], pitch=1.0)
        motion = started(robot.arm.move_line([0.2, 0.1, 0.12], speed=speed, wait=False))
        times[speed] = motion.trajectory.duration  # type: ignore[attr-defined]
    assert times[0.5] == pytest.approx(2 * times[1.0], rel=0.1)


@pytest.mark.parametrize("speed", [0.0, -1.0, 1.5, NAN])
@pytest.mark.parametrize("call", ["joints", "to", "line", "follow"])
def test_a_bad_speed_is_refused_with_its_value(robot, speed, call):
    calls = {
        "joints": lambda: robot.arm.move_joints("home_gui", speed=speed),
        "to": lambda: robot.arm.move_to([0.2, 0, 0.15], pitch=0.5, speed=speed),
        "line": lambda: robot.arm.move_line([0.2, 0, 0.15], pitch=0.5, speed=speed),
        "follow": lambda: robot.arm.follow(lambda t: (np.array([0.2, 0, 0.15]), 0.5), speed=speed),
    }
    with pytest.raises(InvalidInput, match=f"speed is {speed:g}"):
        calls[call]()
    assert robot.time == 0.0


# --- refused


@pytest.mark.parametrize(
    "goal", [[NAN, 0, 0, 0], [0, 0, 0], [0, 0, 0, 0, 0], [[0, 0, 0, 0]] * 2, "0 0 0 0", None]
)
def test_wrong_joint_values_are_refused_before_anything_moves(robot, goal):
    before = robot.state_hash()
    with pytest.raises((InvalidInput, UnknownName)):
        robot.arm.move_joints(goal)
    assert robot.state_hash() == before


def test_a_joint_over_its_limit_is_refused_by_name(robot):
    with pytest.raises(JointLimitViolated, match="joint3") as caught:
        robot.arm.move_joints([0, 0, 2.0, 0])
    assert caught.value.value == 2.0 and caught.value.upper == pytest.approx(0.44 * np.pi)


def test_an_unknown_posture_lists_the_known_ones(robot):
    with pytest.raises(UnknownName, match=r"known postures: .*home"):
        robot.arm.move_joints("hoem")


@pytest.mark.parametrize("point", [[NAN, 0, 0.1], [0.2, 0.1], [0.2, 0, float("inf")], "here"])
@pytest.mark.parametrize("way", ["move_to", "move_line"])
def test_a_point_that_is_no_point_is_refused(robot, point, way):
    with pytest.raises(InvalidInput):
        getattr(robot.arm, way)(point, pitch=0.5)
    assert robot.time == 0.0


@pytest.mark.parametrize("way", ["move_to", "move_line"])
def test_a_pitch_that_is_not_a_number_is_refused(robot, way):
    with pytest.raises(InvalidInput, match="pitch"):
        getattr(robot.arm, way)([0.2, 0.0, 0.15], pitch=NAN)


# --- out of reach


def test_a_target_out_of_reach_is_a_result_with_its_reason(robot):
    before = robot.state_hash()
    result = moved(robot.arm.move_to([0.8, 0.0, 0.1], pitch=0.0))
    assert result.outcome is Outcome.UNREACHABLE and not result.reached
    assert result.ik is not None and result.ik.reason is IKReason.TOO_FAR
    assert result.ik.shortfall > 0.3
    assert "too far" in result.message
    assert robot.state_hash() == before


def test_a_line_out_of_reach_is_a_result_with_its_reason(robot):
    result = moved(robot.arm.move_line([0.8, 0.0, 0.1]))
    assert result.outcome is Outcome.UNREACHABLE
    assert result.ik is not None and result.ik.reason is not None


def test_a_line_that_leaves_the_reach_on_its_way_says_where_and_does_not_move(robot):
    robot.arm.move_to([0.012, -0.15, 0.15], pitch=1.0)
    before = robot.arm.commanded.copy()
    result = moved(robot.arm.move_line([0.012, 0.15, 0.15]))
    assert result.outcome is Outcome.LINE_BROKEN and not result.reached
    assert 0.0 < result.broken_at < 1.0
    np.testing.assert_array_equal(robot.arm.commanded, before)


def test_a_handle_of_an_unreachable_target_is_done_at_once(robot):
    handle = started(robot.arm.move_to([0.8, 0.0, 0.1], wait=False))
    assert handle.done and handle.result is not None
    assert handle.result.outcome is Outcome.UNREACHABLE


# --- handles


def test_a_handle_lets_the_program_go_on(robot):
    handle = started(robot.arm.move_joints([1.0, -0.5, 0.5, 0.0], wait=False))
    assert not handle.done and robot.time == 0.0
    result = handle.wait()
    assert result is not None and result.reached and handle.done


def test_waiting_ends_at_its_timeout(robot):
    handle = started(robot.arm.move_joints([1.0, -0.5, 0.5, 0.0], wait=False))
    assert handle.wait(timeout=0.1) is None
    assert robot.time == pytest.approx(0.1)
    assert not robot.wait(handle, timeout=0.1)
    assert robot.time == pytest.approx(0.2)


def test_wait_waits_for_all_handles(robot):
    arm = started(robot.arm.move_joints([0.3, -0.5, 0.5, 0.0], wait=False))
    grip = robot.gripper.close(wait=False)
    assert robot.wait(arm, grip)
    assert arm.done and grip.done  # type: ignore[union-attr]


def test_a_stopped_motion_says_so_and_the_arm_comes_to_rest(robot):
    handle = started(robot.arm.move_joints([2.0, -0.5, 0.5, 0.0], wait=False))
    robot.wait(0.5)
    handle.stop()
    assert handle.result is not None and handle.result.outcome is Outcome.STOPPED
    robot.wait(0.5)
    stopped = robot.arm.position.copy()
    assert 0.1 < stopped[0] < 1.9
    robot.wait(0.5)
    np.testing.assert_allclose(robot.arm.position, stopped, atol=0.005)


def test_stopping_twice_is_no_harm(robot):
    handle = started(robot.arm.move_joints([2.0, -0.5, 0.5, 0.0], wait=False))
    robot.wait(0.3)
    handle.stop()
    first = handle.result
    handle.stop()
    robot.stop()
    assert handle.result is first


def test_the_way_of_braking_is_what_the_limits_allow(robot):
    robot.arm.move_joints([2.5, -1.0, 1.0, 0.0], wait=False)
    robot.wait(0.6)
    at, speed = robot.arm.position[0], robot.arm.velocity[0]
    robot.stop()
    robot.wait(1.0)
    bounds = robot.arm.bounds
    jerk_ramps = speed * bounds.acceleration / (2 * bounds.jerk)
    needed = speed**2 / (2 * bounds.acceleration) + jerk_ramps
    assert robot.arm.position[0] - at == pytest.approx(needed, abs=0.1)


def test_another_motion_takes_the_place_of_the_first(robot):
    first = started(robot.arm.move_joints([1.5, -0.5, 0.5, 0.0], wait=False))
    robot.wait(0.3)
    result = moved(robot.arm.move_joints([-0.5, -0.5, 0.5, 0.0]))
    assert first.result is not None and first.result.outcome is Outcome.REPLACED
    assert result.reached
    assert robot.arm.position[0] == pytest.approx(-0.5, abs=SETTLED_ANGLE)


@pytest.mark.parametrize("other", ["joints", "slow joints", "line", "follow"])
def test_a_motion_that_takes_over_does_not_jolt_the_arm(robot, other):
    robot.arm.move_joints([1.5, -0.5, 0.5, 0.0], wait=False)
    robot.wait(0.4)
    sent = []
    send = robot.arm.send

    def spy(position, velocity):
        sent.append(position)
        send(position, velocity)

    robot.arm.send = spy
    last = robot.arm.commanded.copy()
    robot.wait(0.01)
    before = (sent[-1] - last) / 0.01
    {
        "joints": lambda: robot.arm.move_joints([-0.5, -0.5, 0.5, 0.0], wait=False),
        "slow joints": lambda: robot.arm.move_joints([1.0, -0.5, 0.5, 0.0], speed=0.1, wait=False),
        "line": lambda: robot.arm.move_line([0.15, 0.12, 0.2], wait=False),
        "follow": lambda: robot.arm.follow(lambda t: (np.array([0.15, 0.12, 0.2]), 0.0)),
    }[other]()
    robot.wait(0.05)
    speeds = np.diff(np.array(sent, float), axis=0) / 0.01
    jolts = np.abs(np.diff(np.vstack([before, speeds]), axis=0)) / 0.01
    # one tick of slack: the commanded acceleration may end where the first motion had it
    assert jolts.max() < 2.0 * robot.arm.bounds.acceleration


# --- follow


def circle(t: float) -> tuple[np.ndarray, float]:
    angle = 2 * np.pi * t / 6.0
    return np.array([0.2, 0.04 * np.cos(angle), 0.15 + 0.04 * np.sin(angle)]), 0.4


def test_follow_tracks_a_slow_circle_by_truth(robot):
    robot.arm.move_to(circle(0.0)[0], pitch=0.4)
    start = robot.time
    robot.arm.follow(lambda t: circle(t - start))
    robot.wait(1.0)
    errors = []
    for _ in range(40):
        robot.wait(0.1)
        errors.append(np.linalg.norm(tool_in_base(robot) - circle(robot.time - start)[0]))
    assert max(errors) < 5e-3


def test_follow_goes_on_until_it_is_stopped(robot):
    handle = robot.arm.follow(circle)
    robot.wait(3.0)
    assert not handle.done
    handle.stop()
    assert handle.result is not None and handle.result.outcome is Outcome.STOPPED


def test_follow_waits_at_the_nearest_pose_while_the_target_is_out_of_reach(robot):
    away = np.array([0.6, 0.0, 0.15])
    nearest = robot.arm.chain.inverse(away, pitch=0.4).nearest
    robot.arm.follow(lambda t: (away, 0.4))
    robot.wait(2.5)
    assert np.linalg.norm(tool_in_base(robot) - nearest.position) < 3e-3


def test_follow_catches_its_target_again_when_it_comes_back(robot):
    here, away = np.array([0.2, 0.05, 0.15]), np.array([0.6, 0.0, 0.15])
    handle = robot.arm.follow(lambda t: (away if t < 2.0 else here, 0.4))
    robot.wait(4.0)
    assert np.linalg.norm(tool_in_base(robot) - here) < 2e-3
    assert handle.distance < 3e-3


def test_follow_keeps_the_bounds_of_the_joints(robot):
    here, there = np.array([0.2, 0.12, 0.15]), np.array([0.15, -0.12, 0.25])
    sent = []
    send = robot.arm.send
    robot.arm.send = lambda q, v: (sent.append(q), send(q, v))
    robot.arm.follow(lambda t: (here if int(t / 0.35) % 2 else there, 0.4))
    robot.wait(3.0)
    speed = np.diff(np.array(sent, float), axis=0) / 0.01
    assert np.abs(speed).max() <= robot.arm.bounds.velocity * (1 + 1e-6)
    assert np.abs(np.diff(speed, axis=0) / 0.01).max() <= robot.arm.bounds.acceleration * 1.001


@pytest.mark.parametrize(
    "target",
    [
        lambda t: (np.array([0.2, NAN, 0.1]), 0.4),
        lambda t: (np.array([0.2, 0.0, 0.1]), NAN),
        lambda t: np.array([0.2, 0.0, 0.1]),
        lambda t: 1 / 0,
    ],
    ids=["nan point", "nan pitch", "no pitch", "raises"],
)
def test_a_broken_target_stops_the_arm_with_a_clear_error(robot, target):
    from mecano.core.errors import MecanoError

    handle = robot.arm.follow(lambda t: circle(t) if t < 0.5 else target(t))
    with pytest.raises(MecanoError):
        robot.wait(1.0)
    assert handle.done
    robot.wait(0.5)
    assert np.abs(true_speeds(robot)).max() < 0.05


# --- a user's own inverse kinematics

SOLVER = """
from math import atan2, cos, hypot, sin, acos
calls = 0
def solve(x, y, z, pitch):
    L2, L3, L4, phi = hypot(0.024, 0.128), 0.124, 0.126, atan2(0.128, 0.024)
    x, z = x - 0.012, z - 0.017 - 0.0595
    q1, r = atan2(y, x), hypot(x, y)
    r, z = r - L4 * cos(pitch), z + L4 * sin(pitch)
    D = hypot(r, z)
    c = (D * D - L2 * L2 - L3 * L3) / (2 * L2 * L3)
    if abs(c) > 1:
        return []
    # elbow up only
    elbow = acos(c)
    alpha = atan2(z, r) + atan2(L3 * sin(elbow), L2 + L3 * cos(elbow))
    q2 = phi - alpha
    q3 = elbow - phi
    return [[q1, q2, q3, pitch - q2 - q3]]
"""


@pytest.fixture
def own_solver(tmp_path):
    file = tmp_path / "student.py"
    file.write_text(SOLVER)
    with UserStage("ik", f"{file}:solve") as stage:
        yield stage


def test_the_arm_moves_by_a_users_own_inverse_kinematics(robot, own_solver):
    robot.arm.ik_stage = own_solver
    assert moved(robot.arm.move_to([0.2, 0.05, 0.15], pitch=0.4)).reached
    assert np.linalg.norm(tool_in_base(robot) - [0.2, 0.05, 0.15]) < 2e-3
    assert moved(robot.arm.move_line([0.2, -0.05, 0.15])).reached
    assert np.linalg.norm(tool_in_base(robot) - [0.2, -0.05, 0.15]) < 2e-3


def test_a_users_wrong_inverse_kinematics_moves_nothing(robot, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text("def solve(x, y, z, pitch):\n    return [[0.1, 0.2, 0.3, 0.4]]\n")
    before = robot.state_hash()
    with UserStage("ik", f"{file}:solve") as stage:
        robot.arm.ik_stage = stage
        result = moved(robot.arm.move_to([0.2, 0.05, 0.15], pitch=0.4))
    assert result.outcome is Outcome.UNREACHABLE
    assert result.ik is not None and result.ik.reason is IKReason.WRONG_ANSWER
    assert robot.state_hash() == before


# --- guarded moves


def test_a_guarded_move_ends_where_the_table_is():
    with connect("open_manipulator_x", scene="table", noise=True) as robot:
        robot.gripper.close()
        assert robot.arm.move_to([0.21, 0.05, 0.08], pitch=1.5).reached
        result = robot.arm.move_until_contact([0.21, 0.05, -0.02], force=3.0)
        assert result.outcome is Outcome.CONTACT and not result.failed
        tips = robot.truth.tool_pose().position[2] - robot.gripper.facts.tip
        assert -0.003 < tips < 0.008


def test_a_guarded_move_that_meets_nothing_reaches_its_goal():
    with connect("open_manipulator_x", scene="table", noise=True) as robot:
        robot.arm.move_to([0.21, 0.05, 0.12], pitch=1.5)
        assert robot.arm.move_until_contact([0.21, 0.05, 0.07]).reached


@pytest.mark.parametrize("force", [0.0, -1.0, float("nan")])
def test_a_guarded_move_without_a_force_is_refused(force):
    with connect("open_manipulator_x", scene="table") as robot, pytest.raises(InvalidInput):
        robot.arm.move_until_contact([0.2, 0.0, 0.1], force=force)
