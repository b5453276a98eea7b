"""Topics of the real robots: their names, types and rates, in one table per robot.

Sources of CRUMB's: yujinrobot/kobuki (base), vanadiumlabs/arbotix_ros (arm), and the paper's
simulator for `/simulation` and the `state` of single joints. Of MADAR's: the paper (base, LIDARs,
gamepad), simlabrobotics/allegro_hand_ros (hands), iocroblab's ROS 2 programs (arms).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from mecano.core.errors import InvalidInput
from mecano.robots.description import RobotDescription

Way = Literal["in", "out"]


@dataclass(frozen=True, kw_only=True)
class Topic:
    """One topic of a robot."""

    name: str
    type_name: str
    """Of ROS 2."""
    way: Way
    """`in` is a command to the robot, `out` is what it tells."""
    what: str
    """Which part of the robot it is about; see `mecano.bridge.hub`."""
    of: str = ""
    """Name of the joint, camera or light, where there are several."""
    rate: float = 0.0
    """How often it comes [Hz]; zero for commands."""
    simulated: bool = False
    """Whether only a simulation has it."""


FLOAT = "std_msgs/msg/Float64"
TWIST, SCAN = "geometry_msgs/msg/Twist", "sensor_msgs/msg/LaserScan"
MADAR_RATE = 30.0
"""Of MADAR's odometry and transform, by the paper's appendix G [Hz]."""
ARM_RATE, BASE_RATE, JOINTS_RATE, SLOW_RATE = 15.0, 50.0, 50.0, 10.0
"""Of the ArbotiX board, of the base, of all joints together, of the clocks [Hz]."""


def crumb(robot: RobotDescription) -> tuple[Topic, ...]:
    """Return the topics of CRUMB."""
    arm = robot.chain().joint_names
    assert robot.gripper is not None
    joints = (*arm, robot.gripper.joint)
    topics = [
        Topic(name=f"/{j}/command", type_name=FLOAT, way="in", what="joint", of=j) for j in joints
    ]
    topics += [
        Topic(name=f"/{j}/state", type_name="control_msgs/msg/JointControllerState", way="out",
              what="joint control", of=j, rate=ARM_RATE)
        for j in arm
    ]  # fmt: skip
    base = "/mobile_base"
    topics += [
        _out("/joint_states", "sensor_msgs/msg/JointState", "joints", JOINTS_RATE),
        _out("/robot_state", "mecano_msgs/msg/RobotState", "whole", SLOW_RATE),
        Topic(name=f"{base}/commands/velocity", type_name="geometry_msgs/msg/Twist", way="in",
              what="velocity"),
        Topic(name=f"{base}/commands/reset_odometry", type_name="std_msgs/msg/Empty", way="in",
              what="reset odometry"),
        _out("/odom", "nav_msgs/msg/Odometry", "odometry", BASE_RATE),
        _out(f"{base}/sensors/core", "kobuki_ros_interfaces/msg/SensorState", "core", BASE_RATE),
        _out(f"{base}/sensors/imu_data", "sensor_msgs/msg/Imu", "imu", BASE_RATE),
    ]  # fmt: skip
    return (*topics, *_cameras(robot), *_simulation(BASE_RATE))


def madar(robot: RobotDescription) -> tuple[Topic, ...]:
    """Return the topics of MADAR.

    Its LIDARs are as the paper's simulation names them. The paper's programs send rates to single
    motors; both ways to drive have one watchdog. Actions (`/arm_right/move`, `/move_base`) are
    not topics. The type of `online_joint_control` is not published: it is ours.
    """
    assert robot.base is not None
    fastest = 1.0 / robot.tick
    topics = [
        Topic(name="/cmd_vel", type_name=TWIST, way="in", what="free velocity"),
        Topic(name="/joy", type_name="sensor_msgs/msg/Joy", way="in", what="gamepad"),
    ]
    topics += [
        Topic(name=f"/madar_robot/platform/{motor}_vel_controller/command", type_name=FLOAT,
              way="in", what="wheel", of=motor)
        for motor in robot.base.layout.names
    ]  # fmt: skip
    topics += [
        _out("/odom", "nav_msgs/msg/Odometry", "odometry", MADAR_RATE, of="base_link"),
        _out("/tf", "tf2_msgs/msg/TFMessage", "odometry transform", MADAR_RATE, of="base_link"),
        _out("/joint_states", "sensor_msgs/msg/JointState", "joints", min(fastest, 125.0)),
        _out("/robot_state", "mecano_msgs/msg/RobotState", "whole", SLOW_RATE),
    ]
    topics += [_out(lidar.topic, SCAN, "scan", lidar.rate, of=lidar.name)
               for lidar in robot.base.lidars]  # fmt: skip
    topics.append(_out("/scan", SCAN, "whole scan", robot.base.lidars[0].rate))
    topics += [
        Topic(name=f"/arm_{arm}/online_joint_control", type_name="sensor_msgs/msg/JointState",
              way="in", what="arm", of=arm)
        for arm in robot.arms
    ]  # fmt: skip
    for side, hand in robot.hands.items():
        space, joints = f"/allegroHand_{side}", "sensor_msgs/msg/JointState"
        topics += [
            Topic(name=f"{space}/joint_cmd", type_name=joints, way="in", what="hand", of=side),
            Topic(name=f"{space}/lib_cmd", type_name="std_msgs/msg/String", way="in",
                  what="hand posture", of=side),
            _out(f"{space}/joint_states", joints, "hand", min(fastest, hand.rate), of=side),
        ]  # fmt: skip
    return (*topics, *_cameras(robot), *_simulation(MADAR_RATE))


def _cameras(robot: RobotDescription) -> list[Topic]:
    """Return the topics of all cameras of a robot."""
    return [
        _out(f"/{camera.name}/{name}", type_name, what, camera.rate, of=camera.name)
        for camera in robot.cameras
        for name, type_name, what in (
            ("rgb/image_raw", "sensor_msgs/msg/Image", "colour"),
            ("rgb/camera_info", "sensor_msgs/msg/CameraInfo", "camera info"),
            ("depth/image_raw", "sensor_msgs/msg/Image", "depth"),
            ("depth/camera_info", "sensor_msgs/msg/CameraInfo", "camera info"),
            ("depth/points", "sensor_msgs/msg/PointCloud2", "points"),
        )
    ]


def _simulation(rate: float) -> list[Topic]:
    """Return what only a simulation tells; the true pose comes at a rate [Hz]."""
    return [
        _out("/simulation/pose", "geometry_msgs/msg/PoseStamped", "true pose", rate, sim=True),
        _out("/simulation/sim_time", FLOAT, "simulated time", SLOW_RATE, sim=True),
        _out("/simulation/real_time", FLOAT, "real time", SLOW_RATE, sim=True),
    ]


def _out(
    name: str, type_name: str, what: str, rate: float, *, of: str = "", sim: bool = False
) -> Topic:
    return Topic(
        name=name, type_name=type_name, way="out", what=what, of=of, rate=rate, simulated=sim
    )


TABLES: dict[str, Callable[[RobotDescription], tuple[Topic, ...]]] = {
    "crumb": crumb,
    "crumb_mast": crumb,
    "madar": madar,
    "madar_elements": madar,
    "madar_kinematic": madar,
    "madar_base": madar,
}
"""Robots whose topics are known."""


def topics_of(robot: RobotDescription) -> tuple[Topic, ...]:
    """Return the topics of a robot, under the names that the real one has."""
    if robot.name not in TABLES:
        raise InvalidInput(
            f"no topics of {robot.name} are known; there are some of {', '.join(TABLES)}. What "
            "Mecano records of any robot are topics, too: see log.mcap in a run folder"
        )
    return TABLES[robot.name](robot)
