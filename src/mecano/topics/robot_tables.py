"""The topics of a robot: those of its own `topics.py`, or else those of its parts."""

from mecano.core.errors import InvalidInput, UserCodeFailed
from mecano.robots.description import RobotDescription
from mecano.robots.own_files import own_module
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
    module = own_module(robot, FILE)
    if module is None:
        return generic_table(robot)
    where = f"{robot.folder / FILE}.py"
    make = getattr(module, "table", None)
    if not callable(make):
        raise InvalidInput(f"{where} must define table(robot), which returns a TopicTable")
    try:
        found = make(robot)
    except Exception as error:  # perhaps a user's own file: anything can be wrong with it
        raise UserCodeFailed(f"table({robot.name}) of {where}", error) from error
    if not isinstance(found, TopicTable):
        raise InvalidInput(f"table({robot.name}) of {where} gives {found!r}, not a TopicTable")
    return found


def topics_of(robot: RobotDescription) -> tuple[Topic, ...]:
    """Return the topics of a robot, under the names that the real one has."""
    return table_of(robot).topics
