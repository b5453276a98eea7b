"""Facts of planar LIDARs, and of the SICK TiM551.

Source keys: SK = data sheet of the SICK TiM55x, 8015886; ST = uos/sick_tim, its ROS driver and
description; EST = estimate.
"""

from dataclasses import dataclass
from math import pi, radians

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput


@dataclass(frozen=True, kw_only=True)
class LidarFacts:
    """A scanner that measures distances in one plane, beam after beam."""

    name: str
    """What users call it on the robot."""
    site: str
    """Where it is in the model: z is its axis, x looks forward, beams turn from x towards y."""
    reach: float
    """The device looks this far to either side of x [rad]."""
    step: float
    """From one beam to the next [rad]."""
    rate: float
    """Scans per second [Hz]."""
    nearest: float
    """It sees nothing nearer [m]."""
    furthest: float
    """It sees no further [m]."""
    noise: float
    """Spread of one reading, one sigma [m]."""
    offset: float = 0.0
    """Spread of the error that all readings of a run share, drawn once per run [m]."""
    offset_limit: float = 0.0
    """That error is never larger [m]."""
    digit: float = 0.001
    """Noisy readings are whole multiples of it [m]."""
    phase: float = 0.0
    """It scans by this part of a period later than one with phase 0, from 0 to below 1."""
    crop: float | None = None
    """Beams further than this from x are left out, as by a driver [rad]; None keeps all."""

    def __post_init__(self) -> None:
        what = f"LIDAR {self.name}"
        finite_number(self.reach, name=f"{what}: reach [rad]", lower=1e-6, upper=pi)
        finite_number(self.step, name=f"{what}: step [rad]", lower=1e-6, upper=self.reach)
        finite_number(self.rate, name=f"{what}: rate [Hz]", lower=1e-3)
        finite_number(self.nearest, name=f"{what}: nearest [m]", lower=0.0, upper=self.furthest)
        finite_number(self.phase, name=f"{what}: phase", lower=0.0, upper=1.0 - 1e-9)
        if self.crop is not None:
            finite_number(self.crop, name=f"{what}: crop [rad]", lower=self.step, upper=self.reach)
        if not self.name or not self.site:
            raise InvalidInput(f"a LIDAR needs a name and a site, got {self.name!r}, {self.site!r}")

    @property
    def beam_time(self) -> float:
        """From one beam to the next [s]: the mirror goes round once per scan."""
        return self.step / (2 * pi * self.rate)

    @property
    def topic(self) -> str:
        """Where its scans come in ROS."""
        return f"/scan_{self.site}"


def tim551(
    name: str,
    site: str,
    *,
    crop: float | None = None,
    noise: float = 0.020,
    phase: float = 0.0,
) -> LidarFacts:
    """Return the facts of a SICK TiM551-2050001.

    Args:
        name: What users call it on the robot.
        site: Where it is in the model.
        crop: Half of what is kept of a scan [rad]; None keeps the 271 beams of the device.
        noise: Statistical error, one sigma [m]. The simulation of ST has 0.005.
        phase: See `LidarFacts`. Mirrors of several devices do not run in step.
    """
    return LidarFacts(
        name=name, site=site, crop=crop, phase=phase, noise=noise,  # SK: 20 mm
        reach=radians(135.0), step=radians(1.0), rate=15.0,  # SK, ST: 271 beams, 185 us apart
        nearest=0.05, furthest=10.0,  # SK
        offset=0.020, offset_limit=0.060,  # SK: +-60 mm at most, read as three sigma (EST)
    )  # fmt: skip
