"""`connect`: what it takes, what it refuses, and two robots in one world."""

import numpy as np
import pytest
from lab_helpers import ARM, arm_on_table, moved, started, true_joints

from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.core.poses import Pose
from mecano.lab.robot import Place, Robot, connect, connect_all
from mecano.parts.results import Outcome


def test_a_robot_begins_at_home_with_open_fingers():
    robot = arm_on_table()
    np.testing.assert_allclose(true_joints(robot), [0.0, -1.0, 1.0, 0.0])
    assert robot.gripper.width == pytest.approx(0.080, abs=1e-3)
    assert robot.time == 0.0


def test_the_start_posture_can_be_chosen():
    robot = arm_on_table(start="home_gui")
    np.testing.assert_allclose(true_joints(robot), [0.0, -1.05, 0.35, 0.70])
    robot.wait(1.0)
    np.testing.assert_allclose(true_joints(robot), [0.0, -1.05, 0.35, 0.70], atol=0.01)


def test_an_unknown_start_posture_lists_the_known_ones():
    with pytest.raises(UnknownName, match="home_gui"):
        arm_on_table(start="hoem")


def test_an_idle_robot_stays_where_it_is():
    robot = arm_on_table()
    robot.wait(2.0)
    np.testing.assert_allclose(true_joints(robot), [0.0, -1.0, 1.0, 0.0], atol=0.005)


def test_an_unknown_robot_is_refused():
    with pytest.raises(UnknownName, match=ARM):
        connect("open_manipulator_y")


def test_a_robot_without_a_body_is_refused():
    with pytest.raises(InvalidInput, match="two_link"):
        connect("two_link")


def test_an_unknown_scene_is_refused():
    with pytest.raises(UnknownName, match="table"):
        arm_on_table(scene="moon")


def test_a_users_own_scene_works(tmp_path):
    file = tmp_path / "mine.xml"
    file.write_text(
        """<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
        <site name="mount" pos="0 0 0.3"/></worldbody></mujoco>"""
    )
    robot = arm_on_table(scene=file)
    assert moved(robot.arm.move_to([0.2, 0.0, -0.05], pitch=0.5)).reached
    assert robot.truth.tool_pose().position[2] == pytest.approx(0.25, abs=1.5e-3)


def test_no_robots_at_all_are_refused():
    with pytest.raises(MecanoError):
        connect_all({})


# --- two arms


@pytest.fixture
def pair() -> dict[str, Robot]:
    robots = connect_all({"left": Place(ARM), "right": Place(ARM)})
    robots["left"].wait(1.0)
    return robots


def test_two_arms_have_their_own_prefixes(pair):
    for name, robot in pair.items():
        assert robot.name == name
        assert robot.world.index("body", f"{name}/link1") > 0
    assert pair["left"].world is pair["right"].world
    assert pair["left"].session is pair["right"].session


def test_moving_one_arm_leaves_the_other_alone(pair):
    left, right = pair["left"], pair["right"]
    before = true_joints(right)
    worst = 0.0

    def watch(_):
        nonlocal worst
        worst = max(worst, float(np.abs(true_joints(right) - before).max()))

    left.session.observers.append(watch)
    assert moved(left.arm.move_joints([1.0, -0.5, 0.5, 0.3])).reached
    assert moved(left.arm.move_joints([-1.0, -0.2, 0.2, 0.6])).reached
    assert worst < 1e-3


def test_each_arm_works_in_its_own_base_frame(pair):
    for robot in pair.values():
        assert moved(robot.arm.move_to([0.10, 0.12, 0.15], pitch=0.5)).reached
        base = robot.truth.body_pose(f"{robot.name}/link1")
        tool = (base.inverse() @ robot.truth.tool_pose()).position
        assert np.linalg.norm(tool - [0.10, 0.12, 0.15]) < 2e-3


def test_two_arms_move_at_the_same_time(pair):
    left = started(pair["left"].arm.move_joints([1.0, -0.5, 0.5, 0.3], wait=False))
    right = started(pair["right"].arm.move_joints([1.0, -0.6, 0.6, 0.1], wait=False))
    begin = pair["left"].time
    assert pair["left"].wait(left, right)
    assert left.result is not None and left.result.reached
    assert right.result is not None and right.result.reached
    assert pair["left"].time - begin < 2.0


def test_the_other_arm_in_the_way_blocks_the_motion(pair):
    result = moved(pair["left"].arm.move_to([0.33, 0.0, 0.17], pitch=0.0))
    assert result.outcome is Outcome.BLOCKED
    assert result.pair is not None
    assert {body.split("/")[0] for body in result.pair} == {"left", "right"}


def test_touching_the_other_arm_ends_the_motion(pair):
    result = moved(pair["left"].arm.move_to([0.33, 0.0, 0.17], pitch=0.0, check=False))
    assert result.outcome is Outcome.COLLIDED
    assert result.pair is not None
    assert {body.split("/")[0] for body in result.pair} == {"left", "right"}


def test_stopping_one_arm_leaves_the_other_moving(pair):
    left = started(pair["left"].arm.move_joints([1.0, -0.5, 0.5, 0.3], wait=False))
    right = started(pair["right"].arm.move_joints([1.0, -0.6, 0.6, 0.1], wait=False))
    pair["left"].wait(0.2)
    pair["left"].arm.stop()
    assert left.done and not right.done


def test_two_arms_go_where_their_poses_say():
    apart = Pose.from_xyz_rpy([0.0, 0.4, 0.0], [0.0, 0.0, 0.5])
    robots = connect_all({"a": Place(ARM), "b": Place(ARM, apart)}, scene="empty")
    assert robots["b"].truth.body_pose("b/link1").is_close(apart)


def test_two_arms_give_one_hash_for_one_seed():
    def run() -> str:
        robots = connect_all({"a": Place(ARM), "b": Place(ARM)}, seed=5)
        robots["a"].arm.move_joints([1.0, -0.5, 0.5, 0.3])
        robots["b"].arm.move_joints([1.0, -0.5, 0.5, 0.3])
        return robots["a"].state_hash()

    assert run() == run()
