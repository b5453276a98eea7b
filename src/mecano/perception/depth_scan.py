"""A planar scan cut out of a depth picture, for robots that map with a depth camera.

Pixels whose points lie in a window of heights are sorted by their bearing. Each bearing reads the
nearest surface there. The nearest pixel alone would read short, because it is the one with the
largest error: so all pixels that can be of its surface are averaged.
"""

from math import atan2, hypot

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.messages import CameraInfo, Image, LaserScan
from mecano.core.poses import Pose, Pose2

WINDOW = 0.25, 0.35
"""Heights above the floor that count [m]: the fact sheet of CRUMB, section 9, Turtlebot's stack."""
THICK = 0.03, 0.010
"""Pixels up to this much behind the nearest one are of its surface [m], and so much more by the
square of the distance [1/m]: three spreads of a Kinect to each side and a little, see
`mecano.sensors.depth_noise`."""
FRAME = "camera_depth_frame"


def depth_scan(
    depth: Image,
    info: CameraInfo,
    camera: Pose,
    *,
    window: tuple[float, float] = WINDOW,
    range_min: float = 0.45,
    range_max: float = 5.0,
    rate: float = 0.0,
) -> LaserScan:
    """Return what a depth picture shows at some heights, as a scan.

    The scan's frame is at the camera, level, with x along the camera's heading: `scan_mount` tells
    where that is on the base. Bearings without a depth read NaN, because a camera does not tell
    what is too far from what gives no depth.

    Args:
        depth: Along the camera's axis [m], NaN where there is none.
        info: The camera that took it.
        camera: Where the camera is on the base, x forward and z up; its height counts from the
            floor.
        window: Lowest and highest point that counts [m].
        range_min: Nearer ones are left out [m].
        range_max: Further ones are left out [m].
        rate: Pictures per second [Hz]; zero if unknown.
    """
    low, high = (finite_number(v, name="height of the window [m]") for v in window)
    if not low < high:
        raise InvalidInput(f"the window goes from {low:g} to {high:g} m, the second must be higher")
    if depth.data.ndim != 2 or depth.data.shape != (info.height, info.width):
        raise InvalidInput(
            f"the depth picture has shape {depth.data.shape}, its camera takes "
            f"({info.height}, {info.width})"
        )
    places = _level_points(depth, info, camera)
    with np.errstate(invalid="ignore"):
        inside = (places[..., 2] >= low) & (places[..., 2] <= high)
    x, y = places[inside][:, 0], places[inside][:, 1]
    far = np.hypot(x, y)
    step = 1.0 / float(info.K[0, 0])  # one column in the middle of the picture
    half = int(np.floor(_half_view(info) / step))
    bins = np.rint(np.arctan2(y, x) / step).astype(int) + half
    keep = (far >= range_min) & (far <= range_max) & (bins >= 0) & (bins <= 2 * half)
    return LaserScan(
        stamp=depth.stamp, frame=FRAME, angle_min=-half * step, angle_max=half * step,
        angle_increment=step, range_min=range_min, range_max=range_max,
        ranges=_nearest(bins[keep], far[keep], 2 * half + 1),
        scan_time=1.0 / rate if rate > 0.0 else 0.0,
    )  # fmt: skip


def scan_mount(camera: Pose) -> Pose2:
    """Return where the frame of a scan is on the base, for a camera that is there."""
    forward = camera.rotation_matrix()[:, 0]
    if hypot(forward[0], forward[1]) < 0.1:
        raise InvalidInput("the camera looks straight up or down, so it has no scan")
    return Pose2(
        float(camera.position[0]), float(camera.position[1]), atan2(forward[1], forward[0])
    )


def _level_points(depth: Image, info: CameraInfo, camera: Pose) -> Array:
    """Return where pixels are, seen from the camera but level, z from the floor. (h, w, 3)."""
    columns, rows = np.meshgrid(np.arange(info.width), np.arange(info.height))
    rays = info.ray_directions(np.stack([columns, rows], axis=-1))
    x, y, z = np.moveaxis(rays * depth.data[..., None].astype(float), -1, 0)
    mount = scan_mount(camera)
    c, s = np.cos(mount.yaw), np.sin(mount.yaw)
    level = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ camera.rotation_matrix()
    return np.stack([z, -x, -y], axis=-1) @ level.T + np.array([0.0, 0.0, camera.position[2]])


def _half_view(info: CameraInfo) -> float:
    """Return how far the picture reaches to each side, the narrower one [rad]."""
    edges = np.array([[-0.5, 0.5 * info.height], [info.width - 0.5, 0.5 * info.height]])
    return float(np.abs(np.arctan(info.ray_directions(edges)[:, 0])).min())


def _nearest(bins: np.ndarray, far: Array, count: int) -> Array:
    """Return the distance of the nearest surface in each bin [m], NaN in empty ones."""
    nearest = np.full(count, np.inf)
    np.minimum.at(nearest, bins, far)
    thick = THICK[0] + THICK[1] * nearest**2
    of_it = far <= (nearest + thick)[bins]
    total = np.bincount(bins[of_it], weights=far[of_it], minlength=count)
    pixels = np.bincount(bins[of_it], minlength=count)
    return np.divide(total, pixels, out=np.full(count, np.nan), where=pixels > 0)
