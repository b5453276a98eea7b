"""Topics of CRUMB, under the names that its own programs use.

Sources: yujinrobot/kobuki (base), vanadiumlabs/arbotix_ros (arm), and the paper's simulator for
`/simulation` and the `state` of single joints.
"""

from mecano.robots.description import RobotDescription
from mecano.robots.kobuki.topics import RATE, SENSOR_STATE, base_topics
from mecano.robots.topic_facts import (
    FLOAT,
    JOINTS,
    ROBOT_STATE,
    SLOW_RATE,
    TopicTable,
    camera_topics,
    command,
    reading,
    simulation_topics,
)

ARM_RATE = 15.0
"""Of the ArbotiX board [Hz]."""
CONTROLLER = "control_msgs/msg/JointControllerState"


def table(robot: RobotDescription) -> TopicTable:
    """Return the topics of CRUMB, or of a variant of it."""
    arm = robot.chain().joint_names
    assert robot.gripper is not None
    topics = [
        *(command(f"/{j}/command", FLOAT, "joint", of=j) for j in (*arm, robot.gripper.joint)),
        *(reading(f"/{j}/state", CONTROLLER, "joint control", ARM_RATE, of=j) for j in arm),
        reading("/joint_states", JOINTS, "joints", RATE),
        reading("/robot_state", ROBOT_STATE, "whole", SLOW_RATE),
        *base_topics(),
        *camera_topics(robot),
        *simulation_topics(RATE),
    ]
    return TopicTable(topics=tuple(topics), messages=(SENSOR_STATE,))
