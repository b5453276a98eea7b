"""Topics of MADAR, under the names that its own programs use.

Sources: the paper (base, LIDARs, gamepad), simlabrobotics/allegro_hand_ros (hands), iocroblab's
ROS 2 programs (arms).
"""

from mecano.robots.allegro.hand_topics import POSTURE_WORDS, hand_topics
from mecano.robots.description import RobotDescription
from mecano.robots.topic_facts import (
    FLOAT,
    JOINTS,
    ODOMETRY,
    ROBOT_STATE,
    SCAN,
    SLOW_RATE,
    TRANSFORMS,
    TWIST,
    TopicTable,
    camera_topics,
    command,
    reading,
    simulation_topics,
)

RATE = 30.0
"""Of odometry and its transform, by the paper's appendix G [Hz]."""
JOINTS_RATE = 125.0
"""Of the UR5 controllers [Hz]."""
FRAME = "base_link"
"""Of the base in its odometry."""


def table(robot: RobotDescription) -> TopicTable:
    """Return the topics of MADAR, or of a variant of it.

    Its LIDARs are as the paper's simulation names them. The paper's programs send rates to single
    motors; both ways to drive have one watchdog. Actions (`/arm_right/move`, `/move_base`) are
    not topics. The type of `online_joint_control` is not published: it is ours.
    """
    assert robot.base is not None
    fastest = 1.0 / robot.tick
    motors, lidars = robot.base.layout.names, robot.base.lidars
    wheel = "/madar_robot/platform/{}_vel_controller/command"
    topics = [
        command("/cmd_vel", TWIST, "free velocity"),
        command("/joy", "sensor_msgs/msg/Joy", "gamepad"),
        *(command(wheel.format(motor), FLOAT, "wheel", of=motor) for motor in motors),
        reading("/odom", ODOMETRY, "odometry", RATE, of=FRAME),
        reading("/tf", TRANSFORMS, "odometry transform", RATE, of=FRAME),
        reading("/joint_states", JOINTS, "joints", min(fastest, JOINTS_RATE)),
        reading("/robot_state", ROBOT_STATE, "whole", SLOW_RATE),
        *(reading(lidar.topic, SCAN, "scan", lidar.rate, of=lidar.name) for lidar in lidars),
        reading("/scan", SCAN, "whole scan", lidars[0].rate),
        *(command(f"/arm_{a}/online_joint_control", JOINTS, "arm", of=a) for a in robot.arms),
    ]
    for side, hand in robot.hands.items():
        topics += hand_topics(side, hand, fastest=fastest)
    topics += [*camera_topics(robot), *simulation_topics(RATE)]
    return TopicTable(topics=tuple(topics), words={"hand posture": POSTURE_WORDS})
