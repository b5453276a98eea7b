"""Returns of scans with the surfaces they lie on, and many of them in one place."""

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array, Mask
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.estimation.slam.kernels import kernels
from mecano.estimation.slam.settings import SlamSettings

GRAZING = 0.26
"""Sine of the smallest angle between a beam and a surface whose returns are joined (EST)."""


@dataclass(frozen=True, eq=False)
class Cloud:
    """Returns of one scan in the frame of the base."""

    points: Array
    """[m]. Shape (n, 2)."""
    normals: Array
    """Of the surfaces, towards the scanner; zero where there is none. Shape (n, 2)."""
    kinds: NDArray[np.uint8]
    """Line, corner or alone, as `surface_kernel` names them. Shape (n,)."""

    def __len__(self) -> int:
        return len(self.points)

    def where(self, kept: Mask) -> "Cloud":
        """Return some of the returns. Shape (n,)."""
        return Cloud(self.points[kept], self.normals[kept], self.kinds[kept])


def cloud_of(scan: LaserScan, mount: Pose2, settings: SlamSettings) -> Cloud:
    """Return the returns of a scan; beams without one (inf, NaN, out of range) are left out."""
    points = np.empty((len(scan.ranges), 2))
    count = kernels().place_returns(
        scan.ranges, scan.angle_min, scan.angle_increment, max(scan.range_min, 1e-3),
        min(scan.range_max, settings.range_limit), (mount.x, mount.y, mount.yaw), points,
    )  # fmt: skip
    points = points[:count]
    normals, kinds = np.empty_like(points), np.empty(count, dtype=np.uint8)
    step = min(abs(scan.angle_increment), pi / 8)
    options = (
        settings.surface_reach, settings.surface_reach_far, GRAZING, settings.surface_rough,
        settings.surface_rough_far, settings.small_thing,
    )  # fmt: skip
    kernels().fit_lines(points, np.array([mount.x, mount.y]), step, options, normals, kinds)
    if len(points) <= settings.returns:
        return Cloud(points, normals, kinds)
    taken = np.arange(settings.returns) * len(points) // settings.returns
    return Cloud(points[taken], normals[taken], kinds[taken])


class CloudStore:
    """Clouds one after the other in arrays that grow, as kernels like them."""

    def __init__(self) -> None:
        self._points = np.empty((4096, 2))
        self._normals = np.empty((4096, 2))
        self._kinds = np.empty(4096, dtype=np.uint8)
        self._starts = np.zeros(256, dtype=np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, cloud: Cloud) -> int:
        """Add a cloud and return its number."""
        start = int(self._starts[self._count])
        end = start + len(cloud)
        if end > len(self._points):
            size = max(2 * len(self._points), end)
            self._points = grown(self._points, size)
            self._normals = grown(self._normals, size)
            self._kinds = grown(self._kinds, size)
        if self._count + 2 > len(self._starts):
            self._starts = grown(self._starts, 2 * len(self._starts))
        self._points[start:end] = cloud.points
        self._normals[start:end] = cloud.normals
        self._kinds[start:end] = cloud.kinds
        self._count += 1
        self._starts[self._count] = end
        return self._count - 1

    def __getitem__(self, number: int) -> Cloud:
        """Return a view of one cloud."""
        part = slice(self._starts[number], self._starts[number + 1])
        return Cloud(self._points[part], self._normals[part], self._kinds[part])

    @property
    def points(self) -> Array:
        """Of all clouds [m]. Shape (at least the number of returns, 2)."""
        return self._points

    @property
    def normals(self) -> Array:
        """Of all clouds. Shape as `points`."""
        return self._normals

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """Of all clouds. Shape as `points`, without the last axis."""
        return self._kinds

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each cloud begins in the arrays; one more than clouds."""
        return self._starts


def grown(array: NDArray, size: int) -> NDArray:
    """Return a longer copy; what is new is zero."""
    longer = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
