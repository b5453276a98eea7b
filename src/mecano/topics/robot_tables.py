"""The topics of a robot: those of its own `topics.py`, or else those of its parts."""

from mecano.robots.description import RobotDescription
from mecano.robots.own_files import own_value
from mecano.robots.topic_facts import Topic as Topic
from mecano.robots.topic_facts import TopicTable as TopicTable
from mecano.topics.generic_table import generic_table

FILE = "topics"
"""Module in a robot's folder that defines `table(robot)`."""


def table_of(robot: RobotDescription) -> TopicTable:
    """Return all topics of a robot, under the names that the real one has.

    Raises:
        UserCodeFailed: The robot's own `topics.py` raised an error.
        InvalidInput: It has no function `table`, or that returns no `TopicTable`.
    """
    return own_value(robot, FILE, "table", TopicTable) or generic_table(robot)


def topics_of(robot: RobotDescription) -> tuple[Topic, ...]:
    """Return the topics of a robot, under the names that the real one has."""
    return table_of(robot).topics
