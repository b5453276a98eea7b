"""The cups of a robot as messages; ROS has no type for them, so they are defined here."""

from typing import Any

from mecano.core import messages
from mecano.topics.fields import from_header, numbers, to_header
from mecano.topics.store import make

STATES = "mecano_msgs/msg/CupStates"
CHANGE = "mecano_msgs/msg/CupChange"
ARRAYS = ("state", "pull", "shear", "moment", "share")
"""In the order of the message."""
DEFINITIONS = {
    STATES: """
# state: 0 off, 1 searching, 2 holding, 3 broken
# pull [N], shear [N], moment [N m]; share of what a cup can hold that is used up
std_msgs/Header header
string[] name
float64[] state
float64[] pull
float64[] shear
float64[] moment
float64[] share
""",
    CHANGE: """
# what: bond, release or break; pull [N], shear [N], moment [N m] at that time
std_msgs/Header header
uint8 cup
string what
string body
float64 pull
float64 shear
float64 moment
""",
}


def to_cup_states(message: messages.CupStates) -> Any:
    """Return what all cups do."""
    arrays = {name: numbers(getattr(message, name)) for name in ARRAYS}
    return make(STATES, header=to_header(message), name=list(message.name), **arrays)


def from_cup_states(ros: Any) -> messages.CupStates:
    """Return what all cups do."""
    arrays = {name: getattr(ros, name) for name in ARRAYS}
    return messages.CupStates(**from_header(ros.header), name=tuple(ros.name), **arrays)


def to_cup_change(message: messages.CupChange) -> Any:
    """Return what happened to a cup."""
    loads = {name: getattr(message, name) for name in ("pull", "shear", "moment")}
    return make(
        CHANGE, header=to_header(message), cup=message.cup, what=message.what, body=message.body,
        **loads,
    )  # fmt: skip


def from_cup_change(ros: Any) -> messages.CupChange:
    """Return what happened to a cup."""
    fields = {name: getattr(ros, name) for name in ("what", "body", "pull", "shear", "moment")}
    return messages.CupChange(**from_header(ros.header), cup=int(ros.cup), **fields)
