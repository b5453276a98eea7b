"""Scans, ranges, clouds, images, cameras and batteries, to ROS and back.

ROS holds most of these numbers in 32 bits; what comes back is rounded to them.
"""

import math
from typing import Any, get_args

import numpy as np

from mecano.core import messages
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages.images import ENCODINGS
from mecano.core.messages.power import BatteryStatus
from mecano.core.messages.ranges import RadiationType
from mecano.topics.fields import from_header, numbers, to_header
from mecano.topics.store import make

POINT_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}
"""Types of a point's numbers by sensor_msgs/PointField.datatype."""
FLOAT32 = 7


def to_scan(message: messages.LaserScan) -> Any:
    """Return a sweep of a lidar."""
    same = ("angle_min", "angle_max", "angle_increment", "time_increment", "scan_time")
    return make(
        "sensor_msgs/msg/LaserScan",
        header=to_header(message),
        **{name: getattr(message, name) for name in (*same, "range_min", "range_max")},
        ranges=numbers(message.ranges, np.float32),
        intensities=numbers(message.intensities, np.float32),
    )


def from_scan(ros: Any) -> messages.LaserScan:
    """Return a sweep of a lidar."""
    same = ("angle_min", "angle_max", "angle_increment", "time_increment", "scan_time")
    return messages.LaserScan(
        **from_header(ros.header),
        **{name: getattr(ros, name) for name in (*same, "range_min", "range_max")},
        ranges=ros.ranges,
        intensities=ros.intensities,
    )


def to_joy(message: messages.Joy) -> Any:
    """Return sticks and buttons of a gamepad."""
    return make(
        "sensor_msgs/msg/Joy",
        header=to_header(message),
        axes=numbers(message.axes, np.float32),
        buttons=numbers(message.buttons, np.int32),
    )


def from_joy(ros: Any) -> messages.Joy:
    """Return sticks and buttons of a gamepad."""
    return messages.Joy(
        **from_header(ros.header), axes=ros.axes, buttons=tuple(ros.buttons.tolist())
    )


def to_range(message: messages.Range) -> Any:
    """Return one distance."""
    return make(
        "sensor_msgs/msg/Range",
        header=to_header(message),
        radiation_type=get_args(RadiationType).index(message.radiation_type),
        field_of_view=message.field_of_view,
        min_range=message.min_range,
        max_range=message.max_range,
        range=message.range,
        variance=0.0,
    )


def from_range(ros: Any) -> messages.Range:
    """Return one distance; a full circle stays one although 32 bits round it up."""
    return messages.Range(
        **from_header(ros.header),
        radiation_type=_named(get_args(RadiationType), ros.radiation_type, "radiation type"),
        field_of_view=min(ros.field_of_view, 2.0 * math.pi),
        min_range=ros.min_range,
        max_range=ros.max_range,
        range=ros.range,
    )


def _named(names: tuple[Any, ...], number: int, kind: str) -> Any:
    if not 0 <= number < len(names):
        raise UnknownName(kind, str(number), [str(i) for i in range(len(names))])
    return names[number]


def to_cloud(message: messages.PointCloud) -> Any:
    """Return points as rviz and Foxglove draw them: x, y, z and, if there are colours, rgb."""
    fields = ["x", "y", "z"]
    data = message.points.astype("<f4").view(np.uint8).reshape(-1, 12)
    if message.colours is not None:
        fields.append("rgb")
        padding = np.zeros((len(data), 1), np.uint8)
        data = np.hstack([data, message.colours[:, ::-1], padding])  # blue, green, red, nothing
    count, step = len(data), 4 * len(fields)
    return make(
        "sensor_msgs/msg/PointCloud2",
        header=to_header(message),
        height=1,
        width=count,
        fields=[_point_field(name, 4 * i) for i, name in enumerate(fields)],
        is_bigendian=False,
        point_step=step,
        row_step=step * count,
        data=numbers(data, np.uint8),
        is_dense=True,
    )


def _point_field(name: str, offset: int) -> Any:
    return make("sensor_msgs/msg/PointField", name=name, offset=offset, datatype=FLOAT32, count=1)


def from_cloud(ros: Any) -> messages.PointCloud:
    """Return the points of any cloud that has x, y and z; those that are not finite are left out.

    Raises:
        InvalidInput: The cloud has no x, y or z, or fewer bytes than its size says.
    """
    fields = {field.name: field for field in ros.fields}
    missing = {"x", "y", "z"} - fields.keys()
    count = ros.height * ros.width
    if missing or len(ros.data) < count * ros.point_step:
        raise InvalidInput(
            f"a cloud of {count} points with {', '.join(fields) or 'no'} fields "
            f"and {len(ros.data)} bytes cannot be read; x, y and z are needed"
        )
    rows = np.asarray(ros.data)[: count * ros.point_step].reshape(count, ros.point_step)
    order = ">" if ros.is_bigendian else "<"
    points = np.stack([_column(rows, fields[name], order) for name in "xyz"], axis=-1)
    finite = np.isfinite(points).all(axis=-1)
    colours = None
    if "rgb" in fields:
        at = fields["rgb"].offset
        channels = rows[:, at + 1 : at + 4] if ros.is_bigendian else rows[:, at : at + 3][:, ::-1]
        colours = channels[finite]
    return messages.PointCloud(
        **from_header(ros.header), points=points[finite].reshape(-1, 3), colours=colours
    )


def _column(rows: Any, field: Any, order: str) -> Any:
    dtype = np.dtype(order + POINT_TYPES[field.datatype])
    part = np.ascontiguousarray(rows[:, field.offset : field.offset + dtype.itemsize])
    return part.view(dtype).ravel().astype(np.float64)


def to_image(message: messages.Image) -> Any:
    """Return a picture."""
    data = np.ascontiguousarray(message.data)
    little = data.astype(data.dtype.newbyteorder("<"), copy=False)
    return make(
        "sensor_msgs/msg/Image",
        header=to_header(message),
        height=message.height,
        width=message.width,
        encoding=message.encoding,
        is_bigendian=0,
        step=data.nbytes // message.height if message.height else 0,
        data=little.view(np.uint8).ravel(),
    )


def from_image(ros: Any) -> messages.Image:
    """Return a picture; bytes that pad its rows are left out."""
    if ros.encoding not in ENCODINGS:
        raise UnknownName("image encoding", ros.encoding, ENCODINGS)
    kind, channels = ENCODINGS[ros.encoding]
    dtype = np.dtype(kind).newbyteorder(">" if ros.is_bigendian else "<")
    wide = ros.width * channels * dtype.itemsize
    if ros.step < wide or len(ros.data) < ros.height * ros.step:
        raise InvalidInput(
            f"an image of {ros.width} x {ros.height} in {ros.encoding} has {len(ros.data)} bytes, "
            f"{ros.step} per row; it needs {ros.height * wide}, {wide} per row"
        )
    rows = np.asarray(ros.data)[: ros.height * ros.step].reshape(ros.height, ros.step)[:, :wide]
    pixels = np.ascontiguousarray(rows).view(dtype).astype(kind)
    shape = (ros.height, ros.width) if channels == 1 else (ros.height, ros.width, channels)
    data = pixels.reshape(shape)
    return messages.Image(**from_header(ros.header), encoding=ros.encoding, data=data)


def to_camera_info(message: messages.CameraInfo) -> Any:
    """Return how a camera maps points to pixels."""
    roi = make(
        "sensor_msgs/msg/RegionOfInterest",
        x_offset=0, y_offset=0, height=0, width=0, do_rectify=False,
    )  # fmt: skip
    return make(
        "sensor_msgs/msg/CameraInfo",
        header=to_header(message),
        height=message.height,
        width=message.width,
        distortion_model=message.distortion_model,
        d=numbers(message.D),
        k=numbers(message.K),
        r=numbers(np.eye(3)),
        p=numbers(np.hstack([message.K, np.zeros((3, 1))])),
        binning_x=0,
        binning_y=0,
        roi=roi,
    )


def from_camera_info(ros: Any) -> messages.CameraInfo:
    """Return how a camera maps points to pixels; an unnamed model counts as plumb_bob."""
    return messages.CameraInfo(
        **from_header(ros.header),
        width=ros.width,
        height=ros.height,
        K=ros.k.reshape(3, 3),
        D=ros.d,
        distortion_model=ros.distortion_model or "plumb_bob",
    )


def to_battery(message: messages.BatteryState) -> Any:
    """Return how the battery is; NaN is what it does not measure."""
    measured = ("temperature", "current", "charge", "capacity", "percentage")
    values = {name: getattr(message, name) for name in measured}
    return make(
        "sensor_msgs/msg/BatteryState",
        header=to_header(message),
        voltage=message.voltage,
        **{name: math.nan if value is None else value for name, value in values.items()},
        design_capacity=math.nan,
        power_supply_status=get_args(BatteryStatus).index(message.status),
        power_supply_health=0,
        power_supply_technology=0,
        present=message.present,
        cell_voltage=np.empty(0, np.float32),
        cell_temperature=np.empty(0, np.float32),
        location="",
        serial_number="",
    )


def from_battery(ros: Any) -> messages.BatteryState:
    """Return how the battery is; None is what it does not measure."""
    measured = ("temperature", "current", "charge", "capacity", "percentage")
    values = {name: getattr(ros, name) for name in measured}
    known: dict[str, Any] = {k: None if math.isnan(v) else v for k, v in values.items()}
    return messages.BatteryState(
        **from_header(ros.header),
        voltage=ros.voltage,
        **known,
        status=_named(get_args(BatteryStatus), ros.power_supply_status, "battery status"),
        present=bool(ros.present),
    )
