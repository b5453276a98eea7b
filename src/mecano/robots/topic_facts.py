"""What a robot's own `topics.py` is made of: rows of topics, and messages of its own driver.

The file lies in the robot's folder and defines `table(robot)`, which takes the description (that of
a variant, too) and returns a `TopicTable`. A robot without such a file has the topics of its parts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from mecano.robots.description import RobotDescription

Way = Literal["in", "out"]
FLOAT, TEXT, EMPTY = "std_msgs/msg/Float64", "std_msgs/msg/String", "std_msgs/msg/Empty"
TWIST, JOINTS = "geometry_msgs/msg/Twist", "sensor_msgs/msg/JointState"
ODOMETRY, TRANSFORMS = "nav_msgs/msg/Odometry", "tf2_msgs/msg/TFMessage"
IMU, SCAN, RANGE = "sensor_msgs/msg/Imu", "sensor_msgs/msg/LaserScan", "sensor_msgs/msg/Range"
IMAGE, CAMERA_INFO = "sensor_msgs/msg/Image", "sensor_msgs/msg/CameraInfo"
POSE, POINTS = "geometry_msgs/msg/PoseStamped", "sensor_msgs/msg/PointCloud2"
ROBOT_STATE, BASE_REPORT = "mecano_msgs/msg/RobotState", "mecano_msgs/msg/BaseReport"
CUP_STATES = "mecano_msgs/msg/CupStates"
SLOW_RATE = 10.0
"""Of clocks, and of the message with all parts [Hz]."""


@dataclass(frozen=True, kw_only=True)
class Topic:
    """One topic of a robot."""

    name: str
    type_name: str
    """Of ROS 2."""
    way: Way
    """`in` is a command to the robot, `out` is what it publishes."""
    what: str
    """Which part of the robot it is about; see `mecano.bridge.hub`."""
    of: str = ""
    """Name of the joint, camera or light, where there are several."""
    rate: float = 0.0
    """How often it comes [Hz]; zero for commands."""
    simulated: bool = False
    """Whether only a simulation has it."""


@dataclass(frozen=True, kw_only=True)
class DriverMessage:
    """A message type of a robot's own driver, which ROS does not bring, and its conversions."""

    type_name: str
    """Of ROS 2."""
    definition: str
    """Its fields as a `.msg` file has them; the first one is `std_msgs/Header header`."""
    ours: type
    """The message of `mecano.core.messages` that it is made from."""
    to_fields: Callable[[Any], dict[str, Any]]
    """Returns all fields but the header; arrays of numbers as numpy arrays of the field's type."""
    from_fields: Callable[[Any], dict[str, Any]]
    """Takes an object with the fields as attributes; returns those of our message, less stamp and
    frame. What the driver does not send is left out."""


@dataclass(frozen=True, kw_only=True)
class TopicTable:
    """All topics of a robot."""

    topics: tuple[Topic, ...]
    messages: tuple[DriverMessage, ...] = ()
    """Types that only its own driver has."""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What its own programs call something of ours, by `Topic.what`: postures of a hand."""

    def message(self, type_name: str) -> DriverMessage | None:
        """Return the driver's own message of this type, or None for one that everybody has."""
        return next((each for each in self.messages if each.type_name == type_name), None)


def command(name: str, type_name: str, what: str, *, of: str = "") -> Topic:
    """Return a topic that commands the robot."""
    return Topic(name=name, type_name=type_name, way="in", what=what, of=of)


def reading(
    name: str, type_name: str, what: str, rate: float, *, of: str = "", simulated: bool = False
) -> Topic:
    """Return a topic that the robot publishes at a rate [Hz]."""
    return Topic(
        name=name, type_name=type_name, way="out", what=what, of=of, rate=rate, simulated=simulated
    )


def camera_topics(robot: "RobotDescription") -> list[Topic]:
    """Return the topics of all cameras of a robot."""
    return [
        reading(f"/{camera.name}/{name}", type_name, what, camera.rate, of=camera.name)
        for camera in robot.cameras
        for name, type_name, what in (
            ("rgb/image_raw", IMAGE, "colour"),
            ("rgb/camera_info", CAMERA_INFO, "camera info"),
            ("depth/image_raw", IMAGE, "depth"),
            ("depth/camera_info", CAMERA_INFO, "camera info"),
            ("depth/points", POINTS, "points"),
        )
    ]


def simulation_topics(rate: float | None) -> list[Topic]:
    """Return what only a simulation publishes; the true pose comes at a rate [Hz], or not."""
    pose = [] if rate is None else [
        reading("/simulation/pose", POSE, "true pose", rate, simulated=True)
    ]  # fmt: skip
    return [
        *pose,
        reading("/simulation/sim_time", FLOAT, "simulated time", SLOW_RATE, simulated=True),
        reading("/simulation/real_time", FLOAT, "real time", SLOW_RATE, simulated=True),
    ]
