"""The topics of CRUMB: commands move it, readings are its own, names are the real robot's."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput, JointLimitViolated, UnknownName
from mecano.core.messages import JointControl, JointState, RobotState, Twist
from mecano.topics.codec import decode, encode


@pytest.fixture
def robot():
    with mecano.connect("crumb", scene="empty") as robot:
        yield robot


@pytest.fixture
def hub(robot):
    with mecano.TopicHub(robot) as hub:
        yield hub


def test_every_reading_has_the_type_of_its_topic(hub):
    for topic in hub.topics.values():
        if topic.way == "out":
            type_name, data = hub.encode(topic.name, hub.latest(topic.name))
            assert type_name == topic.type_name, topic.name
            decode(type_name, data, hub.table.message(type_name))


def test_joints_that_are_told_one_by_one_arrive_together(robot, hub):
    for joint, value in (("arm_1_joint", 0.5), ("arm_2_joint", -0.8), ("arm_4_joint", 0.4)):
        hub.publish(f"/{joint}/command", value)
    robot.wait(4.0)
    reading = hub.latest("/joint_states")
    np.testing.assert_allclose(
        reading.select(["arm_1_joint", "arm_2_joint", "arm_4_joint"]).position,
        [0.5, -0.8, 0.4], atol=0.01,
    )  # fmt: skip
    state = hub.latest("/arm_1_joint/state")
    assert isinstance(state, JointControl)
    assert state.target == pytest.approx(0.5) and state.position == pytest.approx(0.5, abs=0.01)


def test_a_joint_told_on_the_way_changes_only_its_own_goal(robot, hub):
    hub.publish("/arm_1_joint/command", 0.6)
    robot.wait(0.2)
    hub.publish("/arm_5_joint/command", 0.7)
    robot.wait(4.0)
    np.testing.assert_allclose(robot.arm.position[[0, 4]], [0.6, 0.7], atol=0.01)


def test_the_gripper_takes_the_value_of_its_finger(robot, hub):
    facts = robot.gripper.facts
    hub.publish("/gripper_1_joint/command", facts.closed)
    robot.wait(3.0)
    assert robot.gripper.width == pytest.approx(facts.width(facts.closed), abs=0.002)


def test_velocity_drives_and_its_watchdog_stops(robot, hub):
    hub.publish("/mobile_base/commands/velocity", Twist.planar(0.2, 0.0, 0.0))
    robot.wait(3.0)
    x = hub.latest("/odom").pose.position[0]
    assert 0.05 < x < 0.3 and robot.base.at_rest()
    assert hub.latest("/simulation/pose").pose.position[0] == pytest.approx(x, abs=0.01)
    hub.publish("/mobile_base/commands/reset_odometry", None)
    np.testing.assert_allclose(hub.latest("/odom").pose.position, 0.0, atol=1e-9)


def test_messages_come_at_the_rate_of_their_topic(robot, hub):
    heard = {name: [] for name in ("/odom", "/arm_1_joint/state", "/robot_state")}
    for name, list_ in heard.items():
        hub.subscribe(name, list_.append)
    robot.wait(2.0)
    assert {name: len(list_) / 2.0 for name, list_ in heard.items()} == {
        name: pytest.approx(hub.topics[name].rate, abs=0.6) for name in heard
    }


def test_who_does_not_listen_any_more_hears_nothing(robot, hub):
    heard = []
    subscription = hub.subscribe("/odom", heard.append)
    hub.unsubscribe(subscription)
    hub.unsubscribe(subscription)
    robot.wait(0.1)
    assert not heard


def test_a_listener_that_fails_stops_nothing(robot, hub, capsys):
    def fails(message):
        raise ValueError("no such thing")

    hub.subscribe("/odom", fails)
    heard = []
    hub.subscribe("/odom", heard.append)
    robot.wait(0.2)
    assert len(heard) >= 10
    assert capsys.readouterr().err.count("a listener of /odom raised ValueError") == 1


def test_both_clocks(robot, hub):
    before = hub.latest("/simulation/real_time")
    robot.wait(1.0)
    assert hub.latest("/simulation/sim_time") == robot.time == pytest.approx(1.0)
    assert hub.latest("/simulation/real_time") > before


@pytest.mark.parametrize(
    ("topic", "message", "error", "says"),
    [
        ("/arm_1_joint/comand", 0.1, UnknownName, "did you mean '/arm_1_joint/command'"),
        ("/odom", 0.1, UnknownName, "known command topics"),
        ("/arm_1_joint/command", "0.1", InvalidInput, "takes a float"),
        ("/arm_1_joint/command", 9.0, JointLimitViolated, "allowed"),
        ("/arm_1_joint/command", float("nan"), InvalidInput, "nan"),
        ("/mobile_base/commands/velocity", 0.1, InvalidInput, "takes a Twist"),
        ("/mobile_base/commands/velocity", Twist.planar(0, 0.1, 0), InvalidInput, "strafe"),
        ("/gripper_1_joint/command", -1.0, InvalidInput, r"gripper_1_joint \[m\] is -1"),
        ("/mobile_base/commands/velocity", Twist.planar(9.0, 0.0, 0.0), InvalidInput, "m/s"),
    ],
)
def test_a_wrong_command_says_why_and_moves_nothing(robot, hub, topic, message, error, says):
    before = robot.state_hash()
    with pytest.raises(error, match=says):
        hub.publish(topic, message)
    assert robot.state_hash() == before and robot.arm.motion is None


def test_listening_changes_nothing():
    def run(listening: bool) -> str:
        with mecano.connect("crumb", scene="empty", noise=True, seed=4) as robot:
            hub = mecano.TopicHub(robot)
            for topic in hub.topics.values():
                if listening and topic.way == "out" and "camera" not in topic.name:
                    hub.subscribe(topic.name, lambda message: None)
            robot.base.drive_for(0.5, 0.2, 0.3)
            return robot.state_hash()

    assert run(listening=True) == run(listening=False)


@pytest.mark.parametrize("name", ["open_manipulator_x", "youbot", "romerin", "kobuki"])
def test_a_robot_without_a_table_has_the_topics_of_its_parts(name):
    scene = "table" if name == "open_manipulator_x" else "empty"
    with mecano.connect(name, scene=scene) as robot, mecano.TopicHub(robot) as hub:
        for topic in hub.topics.values():
            if topic.way == "out":
                type_name, _ = hub.encode(topic.name, hub.latest(topic.name))
                assert type_name == topic.type_name, topic.name


def test_a_robot_without_a_table_is_commanded_by_the_topics_of_its_parts():
    with mecano.connect("youbot", scene="empty") as robot, mecano.TopicHub(robot) as hub:
        hub.publish("/cmd_vel", Twist.planar(0.2, 0.1, 0.0))
        hub.publish("/gripper/command", 0.02)
        goal = robot.arm.commanded + 0.1
        hub.publish(
            "/arm/joint_commands", JointState(name=robot.arm.chain.joint_names, position=goal)
        )
        robot.wait(3.0)
        x, y, _ = hub.latest("/odom").pose.position
        assert x > 0.03 and y / x == pytest.approx(0.5, abs=0.1)
        np.testing.assert_allclose(robot.arm.position, goal, atol=0.02)
        assert robot.gripper.width == pytest.approx(0.02, abs=0.003)
        report = hub.latest("/base_report")
        assert len(report.ticks) == 4 and report.wheels == robot.base.facts.layout.names


def test_the_whole_state_is_all_parts_at_once(robot):
    robot.base.drive_for(0.5, 0.2)
    state = robot.state()
    assert isinstance(state, RobotState)
    assert state.joints.name == (
        *robot.arm.chain.joint_names, "gripper_1_joint", "wheel_left_joint", "wheel_right_joint",
    )  # fmt: skip
    np.testing.assert_array_equal(state.joints.position[:5], robot.arm.position)
    np.testing.assert_array_equal(state.commanded.position[:5], robot.arm.commanded)
    assert state.base is robot.base.report()
    radius = robot.base.facts.layout.wheels[0].radius
    assert radius * state.joints.position[-1] == pytest.approx(robot.base.pose.x, abs=1e-3)
    again = decode(*encode(state))
    np.testing.assert_array_equal(again.joints.position, state.joints.position)
    assert again.base.ticks == robot.base.report().ticks
    assert again.odometry.child_frame == "base_footprint"


def test_the_clean_state_is_that_of_the_same_instant():
    with mecano.connect("crumb", scene="empty", noise=True, seed=2) as robot:
        robot.base.drive_for(2.0, 0.2, 0.5)
        noisy, clean = robot.state(), robot.state(clean=True)
        assert noisy.stamp == clean.stamp and noisy.joints.stamp == clean.joints.stamp
        assert (noisy.joints.position[:5] != clean.joints.position[:5]).any()
        q = robot.world.data.qpos[robot.arm.dynamics.positions]
        np.testing.assert_allclose(clean.joints.position[:5], q, atol=0.003)
        true = robot.truth.base_pose()
        off = [
            np.hypot(s.odometry.pose.position[0] - true.x, s.odometry.pose.position[1] - true.y)  # pyright: ignore[reportOptionalMemberAccess]
            for s in (clean, noisy)
        ]
        assert off[0] < 0.002 < 0.02 > off[1] and off[0] != off[1]


def test_every_camera_has_topics_of_its_own():
    with mecano.connect("crumb_mast", scene="empty") as robot, mecano.TopicHub(robot) as hub:
        frames = {hub.latest(f"/{name}/rgb/camera_info").frame for name in robot.cameras}
        assert len(frames) == 2


def test_a_closed_hub_says_so(robot):
    hub = mecano.TopicHub(robot)
    hub.close()
    with pytest.raises(InvalidInput, match="closed"):
        hub.publish("/arm_1_joint/command", 0.1)
    with pytest.raises(InvalidInput, match="listener"):
        hub.subscribe("/odom", 3)  # pyright: ignore[reportArgumentType]
