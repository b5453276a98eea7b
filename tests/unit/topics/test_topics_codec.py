"""Our messages become ROS messages and come back the same; rosbags is the second witness."""

# pyright: reportArgumentType=false
# Messages turn lists into arrays; that keeps the examples short.

from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core import messages as m
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose, Pose2
from mecano.topics.codec import CODECS, Clock, Numbers, decode, encode
from mecano.topics.store import typestore

numbers = st.floats(-1e6, 1e6)
singles = st.floats(-1e6, 1e6, width=32)
stamps = st.integers(-(2**31) * 10**6, (2**31 - 1) * 10**6).map(lambda us: us / 1e6)
names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
threes = st.tuples(numbers, numbers, numbers)


@st.composite
def poses(draw):
    turned = draw(st.tuples(*[st.floats(-1.0, 1.0)] * 4))
    if np.linalg.norm(turned) < 0.2:
        turned = (1.0, 0.0, 0.0, 0.0)
    return Pose(draw(threes), turned)


@st.composite
def covariances(draw, size):
    spread = np.array(draw(st.lists(st.floats(0.0, 10.0), min_size=size, max_size=size)))
    return np.outer(spread, spread)


@st.composite
def joint_states(draw):
    joints = draw(st.lists(names, max_size=5, unique=True))
    rows = st.lists(numbers, min_size=len(joints), max_size=len(joints))
    arrays = {key: draw(st.one_of(st.just([]), rows)) for key in ("position", "velocity", "effort")}
    return m.JointState(stamp=draw(stamps), frame=draw(names), name=tuple(joints), **arrays)


def header(draw):
    return {"stamp": draw(stamps), "frame": draw(names)}


@st.composite
def stamped(draw):
    """Draw a message that is held in 64 bits, of any such kind."""
    head, pose = header(draw), draw(poses())
    twist = m.Twist(linear=draw(threes), angular=draw(threes))
    wrench = m.Wrench(force=draw(threes), torque=draw(threes))
    large = draw(covariances(6))
    small = draw(covariances(3))
    turned = {"orientation": pose.quaternion, "orientation_covariance": small}
    return draw(
        st.sampled_from(
            [
                twist,
                wrench,
                m.TwistStamped(**head, twist=twist),
                m.WrenchStamped(**head, wrench=wrench),
                m.PoseStamped(**head, pose=pose),
                m.PoseWithCovarianceStamped(**head, pose=pose, covariance=large),
                m.TransformStamped(**head, child_frame="child", transform=pose),
                m.Odometry(
                    **head, child_frame="base", pose=pose, twist=twist, twist_covariance=large
                ),
                m.Imu(**head, angular_velocity=twist.angular),
                m.Imu(**head, angular_velocity=twist.angular, **turned),
                m.Imu(**head, angular_velocity=[0, 0, 1], linear_acceleration=twist.linear),
                m.Path(**head, poses=(pose, Pose())),
                m.Path(**head, poses=()),
            ]
        )
    )


def assert_same(ours, theirs):
    """Two messages agree in every field, however deep; stamps to a nanosecond."""
    assert type(ours) is type(theirs)
    if is_dataclass(ours):
        for field in fields(ours):
            assert_same(getattr(ours, field.name), getattr(theirs, field.name))
    elif isinstance(ours, tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    elif isinstance(ours, np.ndarray):
        np.testing.assert_allclose(theirs, ours, rtol=1e-13, atol=1e-13)
    elif isinstance(ours, float):
        assert theirs == pytest.approx(ours, abs=1e-9, rel=1e-15, nan_ok=True)
    else:
        assert ours == theirs


@given(joint_states())
def test_joint_states_come_back_the_same(message):
    assert_same(message, decode(*encode(message)))


@given(stamped())
def test_messages_come_back_the_same(message):
    assert_same(message, decode(*encode(message)))


@given(stamps)
def test_a_stamp_comes_back_to_the_nanosecond(stamp):
    back = decode(*encode(m.JointState(stamp=stamp, name=()))).stamp
    assert round(back * 1e9) == round(stamp * 1e9) or abs(back - stamp) < 1e-9


@given(st.lists(singles, min_size=2, max_size=30), st.lists(poses(), max_size=4))
def test_scans_and_transforms_come_back_the_same(ranges, turned):
    scan = m.LaserScan(
        stamp=1.5, frame="laser", angle_min=0.0, angle_max=0.25 * (len(ranges) - 1),
        angle_increment=0.25, range_min=0.5, range_max=8.0,
        ranges=[*ranges[:-1], np.inf], intensities=ranges,
    )  # fmt: skip
    assert_same(scan, decode(*encode(scan)))
    transforms = [
        m.TransformStamped(stamp=2.0, frame="world", child_frame=f"body{i}", transform=pose)
        for i, pose in enumerate(turned)
    ]
    assert_same(tuple(transforms), decode(*encode(transforms)))


PICTURES = {
    "rgb8": np.arange(24, dtype=np.uint8).reshape(2, 4, 3),
    "mono8": np.arange(6, dtype=np.uint8).reshape(2, 3),
    "16UC1": np.array([[1, 2], [3, 65535]], np.uint16),
    "32FC1": np.array([[1.5, np.nan], [0.25, 2.0]], np.float32),
}
OTHERS = [
    m.JointTrajectory(
        stamp=3.0,
        joint_names=("a", "b"),
        points=(
            m.JointTrajectoryPoint(time_from_start=0.0, positions=[0, 1]),
            m.JointTrajectoryPoint(time_from_start=0.125, positions=[1, 2], velocities=[0.5, 1]),
        ),
    ),
    m.Range(
        radiation_type="infrared", field_of_view=0.25, min_range=0.5, max_range=4.0, range=np.inf
    ),
    m.PointCloud(stamp=1.0, points=[[1, 2, 3], [4, 5, 6.5]]),
    m.PointCloud(points=[[1, 2, 3]], colours=np.array([[10, 20, 30]], np.uint8)),
    m.PointCloud(points=np.empty((0, 3))),
    *(m.Image(frame="eye", encoding=kind, data=data) for kind, data in PICTURES.items()),
    m.CameraInfo.from_field_of_view(64, 48, 1.0, stamp=2.0, frame="eye"),
    m.CameraInfo(width=8, height=6, K=[[5, 0, 4], [0, 5, 3], [0, 0, 1]], D=[0.1, 0.2, 0, 0]),
    m.BatteryState(voltage=12.5, percentage=0.5, current=-1.25, status="discharging"),
    m.BatteryState(voltage=0.0, present=False),
    m.OccupancyGrid(
        stamp=1.0, frame="map", resolution=0.25, origin=Pose2(1.0, 2.0, 0.5),
        data=np.array([[-1, 0, 100], [50, 0, 1]]),
    ),
    m.BaseReport(
        stamp=2.5, ticks=(65535, 3), bumpers=frozenset({"left"}), cliffs=frozenset({"right"}),
        wheel_drops=frozenset({"wheel_right_joint"}), buttons=frozenset({0, 2}), voltage=15.5,
        floor={"right": np.inf, "center": 0.0316, "left": 0.0312}, motor_currents=(0.25, 1.5),
    ),
    m.CupStates(
        stamp=1.5, name=("cup_1", "cup_2"), state=[2, 3], pull=[4.5, 0], shear=[2.25, 0],
        moment=[0.125, 0], share=[0.3, 0],
    ),
    m.CupChange(stamp=0.002, cup=6, what="break", body="wall", pull=15.5, shear=1, moment=0.25),
    Clock(12.000000001),
    Numbers(np.array([1.0, -0.0, 5e-324, np.nan])),
]  # fmt: skip


@pytest.mark.parametrize("message", OTHERS, ids=lambda message: type(message).__name__)
def test_other_messages_come_back_the_same(message):
    assert_same(message, decode(*encode(message)))


def test_every_message_of_ours_has_a_codec_but_those_that_ros_lacks():
    ours = {getattr(m, name) for name in dir(m) if name[0].isupper()}
    lacking = {m.GripperCommand, m.JointTrajectoryPoint, m.Stamped}  # control_msgs; parts
    assert ours - lacking <= set(CODECS)


def test_numbers_keep_every_bit():
    values = np.random.default_rng(0).standard_normal(50)
    assert decode(*encode(Numbers(values))).values.tobytes() == values.tobytes()


def read_by_rosbags(message):
    type_name, data = encode(message)
    return typestore().deserialize_cdr(data, type_name)


def test_quaternions_are_xyzw_in_ros():
    ros = read_by_rosbags(
        m.PoseStamped(stamp=1.25, frame="map", pose=Pose([1, 2, 3], [0, 1, 0, 0]))
    )
    turned, place = ros.pose.orientation, ros.pose.position
    assert (turned.x, turned.y, turned.z, turned.w) == (1.0, 0.0, 0.0, 0.0)
    assert (place.x, place.y, place.z) == (1.0, 2.0, 3.0)
    assert (ros.header.stamp.sec, ros.header.stamp.nanosec) == (1, 250_000_000)
    assert ros.header.frame_id == "map"


def test_what_an_imu_does_not_measure_is_marked_in_ros():
    ros = read_by_rosbags(m.Imu(angular_velocity=[0, 0, 1]))
    assert ros.orientation_covariance[0] == -1.0
    assert ros.linear_acceleration_covariance[0] == -1.0
    assert ros.angular_velocity_covariance[0] == 0.0


def test_a_cloud_has_packed_colours_in_ros():
    ros = read_by_rosbags(m.PointCloud(points=[[1, 2, 3]], colours=np.array([[1, 2, 3]], np.uint8)))
    assert [field.name for field in ros.fields] == ["x", "y", "z", "rgb"]
    assert int.from_bytes(ros.data[12:16].tobytes(), "little") == 0x010203


def test_a_map_is_row_major_in_ros():
    grid = m.OccupancyGrid(resolution=0.5, data=np.array([[1, 2, 3], [4, 5, 6]]))
    ros = read_by_rosbags(grid)
    assert (ros.info.width, ros.info.height) == (3, 2)
    assert ros.data.tolist() == [1, 2, 3, 4, 5, 6]


def test_points_that_are_not_finite_are_left_out():
    type_name, data = encode(m.PointCloud(points=[[1, 2, 3], [4, 5, 6]]))
    broken = bytearray(data)
    at = data.index(np.float32(5.0).tobytes())
    broken[at : at + 4] = np.float32(np.nan).tobytes()
    assert decode(type_name, bytes(broken)).points.tolist() == [[1.0, 2.0, 3.0]]


def test_a_full_cone_survives_the_rounding_to_32_bits():
    cone = m.Range(
        radiation_type="ultrasound", field_of_view=2 * np.pi, min_range=0, max_range=1, range=0.5
    )
    assert decode(*encode(cone)).field_of_view <= 2 * np.pi


def test_a_message_that_ros_lacks_is_refused_with_the_known_ones():
    with pytest.raises(UnknownName, match="JointState"):
        encode(m.GripperCommand(position=0.0))


def test_an_unknown_type_is_refused():
    with pytest.raises(UnknownName, match="std_msgs/msg/ColorRGBA"):
        decode("std_msgs/msg/ColorRGBA", b"")


def test_broken_bytes_are_refused():
    type_name, data = encode(m.JointState(name=("a",), position=[1.0]))
    with pytest.raises(InvalidInput, match="are not a sensor_msgs/msg/JointState"):
        decode(type_name, data[:20])


def test_a_stamp_beyond_ros_is_refused():
    with pytest.raises(InvalidInput, match="68 years"):
        encode(m.JointState(stamp=3e9, name=()))
