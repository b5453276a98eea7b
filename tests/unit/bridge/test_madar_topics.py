"""The topics of MADAR, under the names of the paper and of its hands."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput, JointLimitViolated, UnknownName
from mecano.core.messages import JointState, Joy, Twist
from mecano.robots import get
from mecano.topics.codec import decode, encode
from mecano.topics.robot_tables import topics_of

MOTOR = "/madar_robot/platform/motor_{}_vel_controller/command"


@pytest.fixture
def robot():
    with mecano.connect("madar", scene="empty") as robot:
        yield robot


@pytest.fixture
def base():
    with mecano.connect("madar", scene="empty", variant="base") as robot:
        yield robot


def test_names_are_those_of_the_paper():
    names = {topic.name for topic in topics_of(get("madar"))}
    assert {"/cmd_vel", "/odom", "/tf", "/scan", "/scan_tim_front", "/scan_tim_left", "/joy",
            "/scan_tim_right", MOTOR.format(3), "/joint_states"} <= names  # fmt: skip
    assert not any("arm" in name or "allegro" in name
                   for name in (t.name for t in topics_of(get("madar_base"))))  # fmt: skip


def test_every_reading_has_the_type_of_its_topic(robot):
    with mecano.TopicHub(robot) as hub:
        for topic in hub.topics.values():
            if topic.way == "out":
                type_name, data = encode(hub.latest(topic.name))
                assert type_name == topic.type_name, topic.name
                decode(type_name, data)


def test_cmd_vel_drives_in_any_direction_and_its_watchdog_stops(base):
    with mecano.TopicHub(base) as hub:
        hub.publish("/cmd_vel", Twist.planar(0.1, 0.15, 0.0))
        base.wait(0.4)
        hub.publish("/cmd_vel", Twist.planar(0.1, 0.15, 0.0))
        base.wait(1.5)
        odometry = hub.latest("/odom")
        x, y, _ = odometry.pose.position
        assert base.base.at_rest() and y / x == pytest.approx(1.5, abs=0.05) and x > 0.05
        (transform,) = hub.latest("/tf")
        assert (transform.frame, transform.child_frame) == ("odom", "base_link")
        np.testing.assert_array_equal(transform.transform.position, odometry.pose.position)


def test_the_papers_metre_per_second_is_slowed_not_refused(base, capsys):
    with mecano.TopicHub(base) as hub:
        hub.publish("/cmd_vel", Twist.planar(1.0, 1.0, 0.0))
        hub.publish("/cmd_vel", Twist.planar(1.0, 1.0, 0.0))
    assert capsys.readouterr().err.count("asks a wheel for 13.66 rad/s") == 1


def test_single_wheels_drive_as_the_matrix_says(base):
    twist = (0.1, -0.1, 0.2)
    rates = base.base.facts.layout.rates(twist)
    with mecano.TopicHub(base) as hub:
        for _ in range(3):
            for number, rate in enumerate(rates.tolist(), start=1):
                hub.publish(MOTOR.format(number), rate)
            base.wait(0.4)
    assert base.base.speed == pytest.approx(twist)


def test_joy_drives_only_with_the_dead_mans_button(base):
    axes = np.array([0.0, 1.0, 0.0, 0.0])
    with mecano.TopicHub(base) as hub:
        hub.publish("/joy", Joy(axes=axes, buttons=(0, 0, 0, 0, 0)))
        base.wait(0.2)
        assert base.base.at_rest()
        hub.publish("/joy", Joy(axes=axes, buttons=(0, 0, 0, 0, 1)))
        base.wait(0.4)
        assert base.base.speed[0] > 0.15


def test_rates_are_those_of_the_table(base):
    with mecano.TopicHub(base) as hub:
        heard = {name: [] for name in ("/odom", "/tf", "/joint_states", "/scan_tim_left")}
        for name, list_ in heard.items():
            hub.subscribe(name, list_.append)
        base.wait(1.0)
        got = {name: len(list_) for name, list_ in heard.items()}
    assert got == {"/odom": pytest.approx(30, abs=1), "/tf": pytest.approx(30, abs=1),
                   "/joint_states": 125, "/scan_tim_left": pytest.approx(15, abs=1)}  # fmt: skip


def test_arms_and_hands_go_where_they_are_told(robot):
    with mecano.TopicHub(robot) as hub:
        wrist = robot.arms["left"].chain.joint_names[5]
        goal = float(robot.arms["left"].commanded[5]) + 0.3
        command = JointState(name=(wrist,), position=np.array([goal]))
        hub.publish("/arm_left/online_joint_control", command)
        hub.publish("/allegroHand_right/lib_cmd", "grasp_4")
        thumb = robot.hands["left"].facts.joints[15]
        hub.publish("/allegroHand_left/joint_cmd", JointState(name=(thumb,), position=np.ones(1)))
        robot.wait(1.5)
        assert robot.arms["left"].position[5] == pytest.approx(goal, abs=0.01)
        reading = hub.latest("/allegroHand_left/joint_states")
        assert len(reading.name) == 16
        assert reading.select([thumb]).position[0] == pytest.approx(1.0, abs=0.05)
        power = robot.hands["right"].facts.posture("power")
        assert np.abs(robot.hands["right"].commanded - power).max() < 1e-6


@pytest.mark.parametrize(
    ("topic", "message", "error", "says"),
    [
        ("/allegroHand_left/lib_cmd", "grasp_9", UnknownName, "grasp_4"),
        ("/allegroHand_left/lib_cmd", 1.0, InvalidInput, "takes a str"),
        ("/allegroHand_up/lib_cmd", "home", UnknownName, "known command topics"),
        ("/arm_left/online_joint_control", JointState(name=("elbow",), position=np.ones(1)),
         UnknownName, "left_"),
        ("/arm_left/online_joint_control", JointState(name=("left_elbow_joint",)),
         InvalidInput, "each needs one"),
        ("/arm_left/online_joint_control",
         JointState(name=("left_elbow_joint",), position=np.array([9.0])),
         JointLimitViolated, "left_elbow_joint"),
        (MOTOR.format(1), float("nan"), InvalidInput, "rate of motor_1"),
        ("/joy", Joy(axes=np.zeros(1), buttons=()), InvalidInput, "mode X"),
    ],
)  # fmt: skip
def test_messages_that_make_no_sense_are_refused(robot, topic, message, error, says):
    with mecano.TopicHub(robot) as hub, pytest.raises(error, match=says):
        hub.publish(topic, message)
