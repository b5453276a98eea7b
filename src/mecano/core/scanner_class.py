"""Classes of scanners: what estimators have to know of where planar scans come from."""

from dataclasses import dataclass
from math import pi

import numpy as np

from mecano.core.arrays import Array, finite_number


@dataclass(frozen=True, kw_only=True)
class ScannerClass:
    """What a kind of scanner sees, and how its readings err."""

    name: str
    field_of_view: float
    """[rad]."""
    nearest: float
    """[m]."""
    furthest: float
    """[m]."""
    noise: float
    """Deviation of near readings [m],"""
    noise_growth: float = 0.0
    """and how it grows with the square of the distance [1/m]."""
    offset: float = 0.03
    """Deviation of what all readings are wrong by alike [m]: a TiM551 reads up to 60 mm off."""

    def __post_init__(self) -> None:
        """Refuse what no scanner is."""
        finite_number(self.field_of_view, name="field of view [rad]", lower=1e-3, upper=2.0 * pi)
        finite_number(self.nearest, name="nearest reading [m]", lower=0.0)
        finite_number(self.furthest, name="furthest reading [m]", lower=self.nearest)
        for name in ("noise", "noise_growth", "offset"):
            finite_number(getattr(self, name), name=f"ScannerClass.{name}", lower=0.0)

    def deviation(self, ranges: Array | float) -> Array:
        """Return the deviation of readings at distances [m]."""
        return self.noise + self.noise_growth * np.square(ranges)

    @property
    def narrow(self) -> bool:
        """Whether it sees less than a quarter of its surroundings."""
        return self.field_of_view < 0.5 * pi

    def reliable_range(self, deviation: float) -> float:
        """Return up to where readings err by no more than a deviation [m]."""
        if self.noise_growth == 0.0:
            return self.furthest
        return min(
            self.furthest, float(np.sqrt(max(deviation - self.noise, 0.0) / self.noise_growth))
        )


def depth_camera(*, field_of_view: float, nearest: float, furthest: float) -> ScannerClass:
    """Return the class of a structured-light depth camera whose pictures are cut to scans.

    Its depth comes from a shift in a picture, so errors grow with the square of the distance:
    1.2 mm + 1.9 mm/m2 (Nguyen, Izadi, Lovell 2012, `mecano.sensors.depth_noise`). The scale is
    calibrated, so what all readings are wrong by alike is small (EST).
    """
    return ScannerClass(
        name="depth camera", field_of_view=field_of_view, nearest=nearest, furthest=furthest,
        noise=0.0012, noise_growth=0.0019, offset=0.005,
    )  # fmt: skip


LIDAR = ScannerClass(name="LIDAR", field_of_view=2.0 * pi, nearest=0.05, furthest=100.0, noise=0.03)
"""Any LIDAR: 10 to 30 mm at all distances (SICK LMS and TiM, Hokuyo)."""
