"""Topics of navigation, under the names of move_base and Nav2. Every robot on wheels has them."""

from mecano.robots.description import RobotDescription
from mecano.robots.topic_facts import POSE, Topic, command, reading
from mecano.topics.codec_navigation import STATUS as STATUS_TYPE
from mecano.topics.tables import (
    CANCEL_GOAL,
    COSTMAP,
    GOAL,
    LOCAL_PLAN,
    NAVIGATION_STATUS,
    PLAN,
)

PATH, GRID = "nav_msgs/msg/Path", "nav_msgs/msg/OccupancyGrid"
CYCLES, SLOW = 20.0, 1.0
"""Rates of states and local plans, and of plans and costmaps [Hz]."""

NAVIGATION_TOPICS = (
    command(GOAL, POSE, "goal"),
    command(CANCEL_GOAL, "std_msgs/msg/Empty", "cancel goal"),
    reading(NAVIGATION_STATUS, STATUS_TYPE, "navigation status", CYCLES),
    reading(PLAN, PATH, "plan", SLOW),
    reading(LOCAL_PLAN, PATH, "local plan", CYCLES),
    reading(COSTMAP, GRID, "costmap", SLOW),
)


def navigation_topics(robot: RobotDescription) -> tuple[Topic, ...]:
    """Return the topics of a robot's navigation; nothing for one without wheels."""
    return () if robot.base is None else NAVIGATION_TOPICS
