"""Records of older formats, read as the present one has them: one step per format.

- 1: Mecano 0.1.
- 2: one base report for all bases (`/base_report`); the header has how far odometry can be trusted,
  and the folders of robots that are not of the catalogue.

A record is never rewritten. `migrate` brings its header to the present format when it is read, and
`message_of` its messages; the header keeps the number that it was written with as `written_format`.
A new format adds a function to `STEPS` and, if messages changed, a case to `message_of`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from mecano.core.errors import InvalidInput, MecanoError
from mecano.core.messages import BaseReport, RobotState
from mecano.record.robot_facts import FOLDERS, ODOMETRY, described_robot
from mecano.robots.description import RobotDescription
from mecano.robots.kobuki.topics import SENSOR_STATE
from mecano.robots.topic_facts import DriverMessage
from mecano.topics.codec import BY_NAME, decode, driver_codec
from mecano.topics.codec_whole import STATE, from_robot_state
from mecano.topics.log import Record
from mecano.topics.robot_tables import table_of
from mecano.topics.store import register, typestore
from mecano.topics.tables import BASE_REPORT

FORMAT = 2
WRITTEN = "written_format"
"""Key of the header: the format that a record was written in."""

CHANGED_TYPES = (SENSOR_STATE.type_name,)
"""Types whose messages older formats had on other topics."""
Header = dict[str, Any]

# --- format 1: every base was logged as a Kobuki, and trusted as one if it had a gyro

KOBUKI_PACKET, KOBUKI_GYRO = "/mobile_base/sensors/core", "/mobile_base/sensors/imu_data"
KOBUKI_TRUST = {"distance": 0.02, "turn": 0.006, "turn_per_distance": 0.002, "floor": 0.0003}
KOBUKI_ROBOTS = ("crumb", "crumb_mast", "kobuki")
"""Those of 0.1 that drove on a Kobuki, the only base with a gyro."""
STATE_1 = "mecano_msgs_1/msg/RobotState"
STATE_1_TEXT = """
std_msgs/Header header
sensor_msgs/JointState joints
sensor_msgs/JointState commanded
nav_msgs/Odometry[] odometry
kobuki_ros_interfaces/SensorState[] base
sensor_msgs/Imu[] imu
mecano_msgs/CupStates[] cups
"""


def _from_1_to_2(header: Header) -> Header:
    kinds = header.get("robots")
    trusted = kinds if isinstance(kinds, dict) else {}
    trust = {name: KOBUKI_TRUST for name, kind in trusted.items() if kind in KOBUKI_ROBOTS}
    return header | {FOLDERS: {}, ODOMETRY: trust}


STEPS: dict[int, Callable[[Header], Header]] = {1: _from_1_to_2}
"""What brings a header from each format to the next one."""


def migrate(header: Header) -> Header:
    """Return a header as the present format has it.

    Raises:
        InvalidInput: It is of a format that this version does not know.
    """
    written = header["format"]
    if not isinstance(written, int) or isinstance(written, bool) or not 1 <= written <= FORMAT:
        raise InvalidInput(
            f"it has format {written!r}, and this Mecano reads formats 1 to {FORMAT}; "
            "use the Mecano it was recorded with, or a newer one"
        )
    for number in range(written, FORMAT):
        header = STEPS[number](header) | {"format": number + 1}
    return {WRITTEN: written} | header


def is_kobuki_gyro(topics: Iterable[str]) -> bool:
    """Tell whether a log without a header has the gyro of a Kobuki, as bags of the real one do."""
    return any(topic.endswith(KOBUKI_GYRO) for topic in topics)


def message_of(record: Record, header: Mapping[str, Any]) -> tuple[str, Any]:
    """Return topic and message of a record in a log, as the present format has them.

    Raises:
        UnknownName: The message has a type that neither we nor the robots of the record know.
        InvalidInput: Its bytes are damaged.
    """
    if header[WRITTEN] == 1:
        if record.type_name == SENSOR_STATE.type_name:
            prefix = record.topic.removesuffix(KOBUKI_PACKET)
            report = decode(record.type_name, record.data, SENSOR_STATE)
            return prefix + BASE_REPORT, _as_measured(report, _robot(header, prefix))
        if record.type_name == STATE:
            prefix = record.topic[: record.topic.rfind("/")]
            return record.topic, _state_1(record.data, _robot(header, prefix))
    form = None if record.type_name in BY_NAME else _form(record.type_name, header)
    return record.topic, decode(record.type_name, record.data, form)


def _robot(header: Mapping[str, Any], prefix: str) -> RobotDescription | None:
    """Return the robot whose topics have a prefix: "" for the only one, else `/name`."""
    names = list(header["robots"])
    name = prefix.removeprefix("/") or (names[0] if len(names) == 1 else "")
    try:
        return described_robot(header, name)
    except MecanoError:  # it is read without what the robot's facts would add
        return None


def _form(type_name: str, header: Mapping[str, Any]) -> DriverMessage | None:
    """Return the own message of a robot of the record."""
    tables = (table_of(described_robot(header, name)) for name in header["robots"])
    return next(filter(None, (table.message(type_name) for table in tables)), None)


def _as_measured(report: BaseReport, robot: RobotDescription | None) -> BaseReport:
    """Return a report without the zeros that stood for what the base does not have.

    Of a base that is not a Kobuki format 1 lost the counters of the wheels and the wheel drops.
    """
    if robot is None or robot.base is None or robot.base.layout.names == report.wheels:
        return report
    battery, cliffs = robot.base.battery is not None, robot.base.cliffs is not None
    return replace(
        report, ticks=(), wheels=(), wheel_drops=frozenset(),
        voltage=report.voltage if battery else None, floor=report.floor if cliffs else {},
    )  # fmt: skip


@cache
def _register_state_1() -> None:
    register(SENSOR_STATE.type_name, SENSOR_STATE.definition)
    register(STATE_1, STATE_1_TEXT)


def _state_1(data: bytes, robot: RobotDescription | None) -> RobotState:
    """Return the state of a whole robot, in which a base was a Kobuki's packet."""
    _register_state_1()
    try:
        ros = typestore().deserialize_cdr(data, STATE_1)
    except Exception as error:  # rosbags raises whatever its generated code runs into
        raise InvalidInput(f"{len(data)} bytes are not a {STATE} of format 1: {error}") from error
    packets, ros.base = ros.base, []
    state = from_robot_state(ros)
    if not len(packets):
        return state
    report = driver_codec(SENSOR_STATE).from_ros(packets[0])
    return replace(state, base=_as_measured(report, robot))
