"""A robot's topics: known types and owners, every joint published, messages that decode again."""

from collections.abc import Collection

from mecano.bridge.hub import COMMANDS, READINGS, TopicHub
from mecano.core.errors import MecanoError
from mecano.core.messages import JointState, RobotState
from mecano.importing.findings import Findings
from mecano.lab.robot import Robot
from mecano.robots.description import RobotDescription
from mecano.robots.topic_facts import Topic
from mecano.topics.codec import BY_NAME, AsDriver, decode, encode
from mecano.topics.robot_tables import table_of

PICTURES = ("colour", "depth", "camera info", "points")
"""Readings of cameras; they are drawn when they are read, which is left out here."""


def check_topics(robot: Robot, findings: Findings) -> None:
    """Add what is wrong with the table of a robot's topics.

    Args:
        robot: Connected; nothing is commanded.
        findings: Get what is wrong.
    """
    try:
        table = table_of(robot.description)
    except MecanoError as error:
        findings.error("topics-broken", f"topics of {robot.description.name}", str(error))
        return
    types = {message.type_name for message in table.messages} | set(BY_NAME)
    seen: set[str] = set()
    faulty = [
        topic
        for topic in table.topics
        if not _check_row(topic, types, seen, robot.description, findings)
    ]
    if not faulty:
        _check_messages(robot, findings)


def _check_row(
    topic: Topic,
    types: Collection[str],
    seen: set[str],
    robot: RobotDescription,
    findings: Findings,
) -> bool:
    """Tell whether a row of the table is consistent."""
    known = COMMANDS if topic.way == "in" else READINGS
    owners = _owners(robot).get(topic.what) if topic.way == "in" else None
    faults = []
    if topic.name in seen or not topic.name.startswith("/"):
        faults.append("its name is taken or does not begin with a slash")
    if topic.type_name not in types:
        faults.append(
            f"the message type '{topic.type_name}' is unknown; name one of ROS 2 that Mecano "
            "converts, or add a DriverMessage to the table"
        )
    if topic.what not in known:
        faults.append(f"'{topic.what}' is none of: {', '.join(known)}")
    if (topic.rate > 0.0) != (topic.way == "out"):
        faults.append(f"its rate is {topic.rate:g} Hz; readings have one above 0, commands have 0")
    if owners is not None and topic.of not in owners:
        faults.append(f"the robot has no '{topic.of}'; it has: {', '.join(owners) or 'none'}")
    seen.add(topic.name)
    for fault in faults:
        findings.error("topic-invalid", f"topic {topic.name}", fault)
    return not faults


def _owners(robot: RobotDescription) -> dict[str, tuple[str, ...]]:
    """Return what a command may be about, by what it commands."""
    fingers = tuple(gripper.joint for gripper in robot.grippers.values())
    joints = tuple(joint for name in robot.arms for joint in robot.chains[name].joint_names)
    return {
        "joint": joints + fingers,
        "arm": robot.arms,
        "hand": tuple(robot.hands),
        "hand posture": tuple(robot.hands),
        "wheel": () if robot.base is None else tuple(robot.base.layout.names),
    }


def _check_messages(robot: Robot, findings: Findings) -> None:
    """Read every topic once, and compare its message with itself after a round trip in CDR."""
    published: set[str] = set()
    with TopicHub(robot) as hub:
        for topic in hub.topics.values():
            if topic.way == "in" or topic.what in PICTURES:
                continue
            form = hub.table.message(topic.type_name)
            try:
                message = hub.latest(topic.name)
                type_name, data = hub.encode(topic.name, message)
                again = decode(type_name, data, form)
                same = encode(again if form is None else AsDriver(again, form)) == (type_name, data)
            except Exception as error:  # the table may be a user's own: anything can be wrong
                reason = f"{type(error).__name__}: {error}"
                findings.error("topic-unreadable", f"topic {topic.name}", reason)
                continue
            if not same or type_name != topic.type_name:
                findings.error(
                    "topic-unreadable", f"topic {topic.name}",
                    f"publishes {type_name}, which is not the same after decoding; the table says "
                    f"{topic.type_name}",
                )  # fmt: skip
            state = message.joints if isinstance(message, RobotState) else message
            if isinstance(state, JointState):
                published |= set(state.name)
    silent = [
        joint
        for _, encoders in robot.parts.jointed
        for joint in encoders.read().name
        if joint not in published
    ]
    if silent:
        findings.warn(
            "joint-unpublished", f"topics of {robot.description.name}",
            f"no topic publishes the state of: {', '.join(silent)}",
        )  # fmt: skip
