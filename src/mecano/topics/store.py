"""Message types of ROS 2 Jazzy, from rosbags, and some more. Loading takes 0.3 s: done late."""

from functools import cache
from typing import Any


@cache
def typestore() -> Any:
    """Return the store of all message types; its classes are made while running."""
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    from mecano.topics.codec_base import DEFINITIONS as BASE
    from mecano.topics.codec_cups import DEFINITIONS as CUPS
    from mecano.topics.codec_navigation import DEFINITIONS as NAVIGATION
    from mecano.topics.codec_whole import DEFINITIONS

    store = get_typestore(Stores.ROS2_JAZZY)
    for type_name, text in {**BASE, **DEFINITIONS, **CUPS, **NAVIGATION}.items():
        store.register(get_types_from_msg(text, type_name))
    return store


def register(type_name: str, text: str) -> None:
    """Add a message type by the text of its `.msg` file; one that is known stays as it is."""
    from rosbags.typesys import get_types_from_msg

    if type_name not in typestore().types:
        typestore().register(get_types_from_msg(text, type_name))


def make(type_name: str, **fields: Any) -> Any:
    """Return a ROS message, for example `make("geometry_msgs/msg/Point", x=0.0, y=0.0, z=0.0)`."""
    store = typestore()
    return store.types[type_name](**fields)


@cache
def definition(type_name: str) -> str:
    """Return the full text of a message type, as logs carry it for readers without ROS."""
    text, _ = typestore().generate_msgdef(type_name, ros_version=2)
    return text
