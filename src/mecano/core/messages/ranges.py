"""Distances: laser scans, single rangers and clouds of points."""

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages.stamped import Stamped, empty, fix_array, fix_number

RadiationType = Literal["ultrasound", "infrared"]


@dataclass(frozen=True, eq=False, kw_only=True)
class LaserScan(Stamped):
    """One sweep of a planar lidar. Angles turn about z from x, counter-clockwise."""

    angle_min: float
    """Direction of the first beam [rad]."""
    angle_max: float
    """Direction of the last beam [rad]; one beam more or less than `ranges` is tolerated,
    because drivers of full circles disagree about whether the first beam counts twice."""
    angle_increment: float
    """From one beam to the next [rad]; negative for a scanner that turns clockwise."""
    range_min: float
    """Shorter readings are not to be trusted [m]."""
    range_max: float
    """Longer readings are not to be trusted [m]."""
    ranges: Array
    """[m]. Shape (n,). +inf is no return, -inf too close, NaN a failed beam (REP 117)."""
    intensities: Array = field(default_factory=empty)
    """In the scanner's own unit. Shape (n,) or (0,)."""
    time_increment: float = 0.0
    """From one beam to the next [s]; zero for a scan taken at once, as in a still simulation."""
    scan_time: float = 0.0
    """From one scan to the next [s]."""

    def __post_init__(self) -> None:
        """Check that the beams fill the angles and that the limits make sense."""
        super().__post_init__()
        for angle in ("angle_min", "angle_max", "angle_increment"):
            fix_number(self, angle)
        for number in ("range_min", "time_increment", "scan_time"):
            fix_number(self, number, lower=0.0)
        fix_number(self, "range_max", lower=self.range_min)
        fix_array(self, "ranges", shape=(None,), finite=False)
        fix_array(self, "intensities", shape=(None,), finite=False)
        self._check_beams()

    def _check_beams(self) -> None:
        beams = len(self.ranges)
        if len(self.intensities) not in (0, beams):
            raise InvalidInput(
                f"LaserScan has {len(self.intensities)} intensities for {beams} ranges"
            )
        last = self.angle_min + (beams - 1) * self.angle_increment
        if beams == 0 or abs(last - self.angle_max) > 1.01 * abs(self.angle_increment) + 1e-9:
            raise InvalidInput(
                f"LaserScan has {beams} ranges, which end at {last:.4f} rad from "
                f"{self.angle_min:.4f} rad by {self.angle_increment:.6f} rad, "
                f"but angle_max is {self.angle_max:.4f} rad"
            )

    @property
    def angles(self) -> Array:
        """Direction of every beam [rad]. Shape (n,)."""
        return self.angle_min + self.angle_increment * np.arange(len(self.ranges), dtype=np.float64)

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Which beams hit something at a distance the scanner can measure. Shape (n,)."""
        return (self.ranges >= self.range_min) & (self.ranges <= self.range_max)

    def points(self) -> Array:
        """Return where the valid beams end, in the scanner's frame [m]. Shape (k, 2)."""
        ranges, angles = self.ranges[self.valid], self.angles[self.valid]
        return np.stack([ranges * np.cos(angles), ranges * np.sin(angles)], axis=-1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Range(Stamped):
    """One distance along x of the sensor's frame, anywhere within a cone."""

    radiation_type: RadiationType
    field_of_view: float
    """Full angle of the cone [rad]."""
    min_range: float
    """[m]."""
    max_range: float
    """[m]."""
    range: float
    """[m]. +inf is nothing in sight, -inf too close, as in a `LaserScan`."""

    def __post_init__(self) -> None:
        """Check the limits; the range itself may be infinite."""
        super().__post_init__()
        if self.radiation_type not in get_args(RadiationType):
            raise UnknownName("radiation type", self.radiation_type, get_args(RadiationType))
        fix_number(self, "field_of_view", lower=0.0, upper=2.0 * np.pi)
        fix_number(self, "min_range", lower=0.0)
        fix_number(self, "max_range", lower=self.min_range)
        object.__setattr__(self, "range", float(self.range))

    @property
    def valid(self) -> bool:
        """Whether there is something at a distance the sensor can measure."""
        return self.min_range <= self.range <= self.max_range


@dataclass(frozen=True, eq=False, kw_only=True)
class PointCloud(Stamped):
    """Points in space. Pixels without depth are left out, so every point is finite."""

    points: Array
    """[m]. Shape (n, 3)."""
    colours: NDArray[np.uint8] | None = None
    """Red, green, blue of each point, 0 to 255. Shape (n, 3)."""

    def __post_init__(self) -> None:
        """Check that there is one colour per point."""
        super().__post_init__()
        fix_array(self, "points", shape=(None, 3))
        if self.colours is None:
            return
        _require_bytes("PointCloud.colours", self.colours)
        fix_array(self, "colours", shape=(None, 3), dtype=np.uint8)
        if len(self.colours) != len(self.points):
            raise InvalidInput(
                f"PointCloud has {len(self.colours)} colours for {len(self.points)} points"
            )


def _require_bytes(name: str, values: Any) -> None:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or (array.size and (array.min() < 0 or array.max() > 255)):
        raise InvalidInput(f"{name} has dtype {array.dtype}, expected whole numbers in 0..255")
