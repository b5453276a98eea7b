"""Topics of a robot whose folder names none: those of its parts, under the names of REP 105."""

from mecano.robots.description import RobotDescription
from mecano.robots.mobile import WheeledBase
from mecano.robots.topic_facts import (
    BASE_REPORT,
    CUP_STATES,
    FLOAT,
    IMU,
    JOINTS,
    ODOMETRY,
    RANGE,
    ROBOT_STATE,
    SCAN,
    SLOW_RATE,
    TEXT,
    TRANSFORMS,
    TWIST,
    Topic,
    TopicTable,
    camera_topics,
    command,
    reading,
    simulation_topics,
)
from mecano.topics import tables

JOINTS_RATE = 50.0
"""Of the states of all joints, unless the robot's ticks are fewer [Hz]."""


def generic_table(robot: RobotDescription) -> TopicTable:
    """Return the topics that a robot has by its parts alone."""
    rate = min(JOINTS_RATE, 1.0 / robot.tick)
    topics = [
        reading(tables.JOINT_STATES, JOINTS, "joints", rate),
        reading(tables.WHOLE, ROBOT_STATE, "whole", SLOW_RATE),
        *(command(f"/{arm}/joint_commands", JOINTS, "arm", of=arm) for arm in robot.arms),
    ]
    if robot.gripper is not None:
        topics.append(command("/gripper/command", FLOAT, "gripper"))
    for name, hand in robot.hands.items():
        topics += [
            command(f"/{name}_hand/joint_commands", JOINTS, "hand", of=name),
            command(f"/{name}_hand/posture", TEXT, "hand posture", of=name),
            reading(f"/{name}_hand/joint_states", JOINTS, "hand", min(rate, hand.rate), of=name),
        ]
    if robot.base is not None:
        topics += _base(robot.base)
    if robot.legged is not None:
        topics += _legs(robot, rate)
    moves = None if robot.free_body is None else rate
    return TopicTable(topics=(*topics, *camera_topics(robot), *simulation_topics(moves)))


def _base(base: WheeledBase) -> list[Topic]:
    topics = [
        command("/cmd_vel", TWIST, "free velocity"),
        command("/reset_odometry", "std_msgs/msg/Empty", "reset odometry"),
        reading(tables.ODOMETRY, ODOMETRY, "odometry", base.rate),
        reading(tables.TRANSFORMS, TRANSFORMS, "odometry transform", base.rate),
        reading(tables.BASE_REPORT, BASE_REPORT, "core", base.rate),
    ]
    if base.gyro is not None:
        topics.append(reading(tables.BASE_IMU, IMU, "imu", base.rate))
    topics += [reading(each.topic, SCAN, "scan", each.rate, of=each.name) for each in base.lidars]
    if base.lidars:
        topics.append(reading(tables.SCAN, SCAN, "whole scan", base.lidars[0].rate))
    topics += [
        reading(f"/range/{each.name}", RANGE, "range", each.rate, of=each.name)
        for each in base.ranges
    ]
    return topics


def _legs(robot: RobotDescription, rate: float) -> list[Topic]:
    assert robot.legged is not None
    topics = [reading(tables.CUPS, CUP_STATES, "cups", rate)]
    if robot.legged.imu is not None:
        topics.append(reading(tables.IMU, IMU, "body imu", rate))
    return topics
