"""Parameters of the particle mapper, by the names that gmapping's users know where they exist."""

from dataclasses import dataclass, fields

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput

MAX_PARTICLES = 1000
"""More maps than this are a mistake."""


@dataclass(frozen=True, kw_only=True)
class ParticleSettings:
    """A Rao-Blackwellized particle filter over paths; every particle has a map of its own.

    Defaults are those of ROS's `slam_gmapping` node where it has the parameter.
    """

    particles: int = 30
    """Paths that are followed at once."""
    delta: float = 0.05
    """Side of a cell [m]."""
    linear_update: float = 1.0
    """A scan is used after this distance [m] ..."""
    angular_update: float = 0.5
    """... or this turn [rad]."""
    max_range: float = 30.0
    """Returns further away are left out [m]."""
    srr: float = 0.1
    """Standard deviation of the distance per distance."""
    srt: float = 0.2
    """Standard deviation of the turn per distance [rad/m]."""
    str_: float = 0.1
    """Standard deviation of the distance per turn [m/rad]."""
    stt: float = 0.2
    """Standard deviation of the turn per turn."""
    step: float = 0.1
    """First step of the scan matcher [m]; halved `refinements` times."""
    angular_step: float = 0.05
    """The same for the heading [rad]."""
    refinements: int = 6
    sigma: float = 0.075
    """Standard deviation of a return about the mean return of its cell [m]."""
    min_share: float = 0.2
    """A match that explains a smaller share of the returns is not used; odometry is."""
    correlation: float = 10.0
    """Returns that err together: so many count as one in the weight of a particle."""
    resample_threshold: float = 0.5
    """Particles are resampled when their effective number falls below this share of them."""

    def __post_init__(self) -> None:
        """Check that all are positive numbers."""
        for field in fields(self):
            name = f"ParticleSettings.{field.name}"
            finite_number(getattr(self, field.name), name=name, lower=1e-6)
        if self.particles != int(self.particles) or not 1 <= self.particles <= MAX_PARTICLES:
            raise InvalidInput(
                f"particles is {self.particles}, allowed: a whole number, 1 to {MAX_PARTICLES}"
            )
