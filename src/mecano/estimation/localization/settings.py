"""`AmclSettings`: parameters by AMCL's names, so that a table written for AMCL loads as it is."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import hypot, pi
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose2
from mecano.estimation.localization.amcl_tables import AmclTable
from mecano.estimation.localization.motion_models import MODELS, Alphas, MotionModelName

LaserModelName = Literal["likelihood_field", "likelihood_field_prob", "beam"]

MOST_PARTICLES = 1_000_000
"""More would fill the memory of a common computer."""


@dataclass(frozen=True, kw_only=True)
class AmclSettings:
    """What a `MonteCarlo` filter is told. The defaults are ours and serve all our robots.

    `AmclSettings.preset("amcl")` has AMCL's own defaults, `from_table` takes a table of somebody's.
    """

    min_particles: int = 500
    max_particles: int = 10000
    kld_err: float = 0.02
    """Allowed distance between the true and the sampled distribution."""
    kld_z: float = 0.99
    """Upper standard normal quantile of that bound, used as AMCL uses it."""
    update_min_d: float = 0.1
    """A scan counts after the base went so far [m],"""
    update_min_a: float = 0.1
    """or turned so far [rad]."""
    resample_interval: int = 1
    """Updates from one resampling to the next."""
    selective_resampling: bool = False
    """Resample only while fewer than half of the particles count."""
    recovery_alpha_slow: float = 0.02
    """Of the slow average of how well scans fit; zero switches recovery off."""
    recovery_alpha_fast: float = 0.3
    """Of the fast one. Where it falls below the slow one, particles are drawn afresh."""
    initial_pose_x: float | None = None
    """Where to start [m]; None is not given. Without any, the start is global."""
    initial_pose_y: float | None = None
    """[m]."""
    initial_pose_a: float | None = None
    """[rad]."""
    initial_cov_xx: float = 0.25
    """How uncertain the start is [m2]."""
    initial_cov_yy: float = 0.25
    """[m2]."""
    initial_cov_aa: float = (pi / 12.0) ** 2
    """[rad2]."""

    laser_min_range: float = -1.0
    """Shorter readings are left out [m]; below zero: as the scan says."""
    laser_max_range: float = -1.0
    """Longer readings are left out [m]; below zero: as the scan says."""
    laser_max_beams: int = 90
    """At most so many readings of a scan count, spread evenly."""
    laser_z_hit: float = 0.9
    """Share of readings of what is in the map."""
    laser_z_short: float = 0.05
    """Of what stands before it; beam model only."""
    laser_z_max: float = 0.05
    """Of readings without a return; beam model only."""
    laser_z_rand: float = 0.1
    """Of readings of anything."""
    laser_sigma_hit: float = 0.1
    """How far a reading is off, map and all [m]."""
    laser_lambda_short: float = 0.1
    """How fast short readings become rare [1/m]."""
    laser_likelihood_max_dist: float = 2.0
    """Further from the next wall nothing is told apart [m]."""
    laser_model_type: LaserModelName = "likelihood_field"

    odom_model_type: MotionModelName = "omni-corrected"
    """Ours also serves a base that cannot go sideways: it may slip."""
    odom_alpha1: float = 0.05
    odom_alpha2: float = 0.02
    odom_alpha3: float = 0.05
    odom_alpha4: float = 0.02
    odom_alpha5: float = 0.02

    gui_publish_rate: float = -1.0
    save_pose_rate: float = 0.5
    transform_tolerance: float = 0.1
    tf_broadcast: bool = True
    use_map_topic: bool = False
    first_map_only: bool = False
    odom_frame_id: str = "odom"
    base_frame_id: str = "base_link"
    global_frame_id: str = "map"
    do_beamskip: bool = False
    beam_skip_distance: float = 0.5
    beam_skip_threshold: float = 0.3
    beam_skip_error_threshold: float = 0.9

    independent_beams: float | None = 10.0
    """Ours. Neighbouring beams err together, so readings over half a circle count for no more than
    so many of them, and those of a narrower field of view for fewer.
    None weighs as AMCL does: it adds cubes, and multiplies for `likelihood_field_prob`."""
    candidates: int = 200_000
    """Ours. So many poses are drawn all over the map for a global start, and the first scan says
    which of them become particles. Recovery draws a tenth of it. Zero draws blindly, as AMCL."""
    odometry_doubt: float = 0.003
    """Ours. How likely odometry is plainly wrong in a step. Where a scan fits badly, places that
    such a step leads to are tried. Zero always believes odometry, to within its noise."""
    recovery_band: float = 0.2
    """Ours. The fast average may be so much below the slow one, as a share of it, before particles
    are drawn afresh: scans also fit worse where people walk and furniture has moved."""
    refine: bool = True
    """Ours. Match the newest scan to the map, from the mean of the particles and with it."""
    refine_sigma: float = 0.05
    """Ours. How wide walls are to that match [m]."""

    notes: tuple[str, ...] = ()
    """What `from_table` has to say, a sentence each."""

    PRESETS: ClassVar[tuple[str, ...]] = ("default", "amcl")

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name, lowest in _LOWEST.items():
            finite_number(getattr(self, name), name=f"AmclSettings.{name}", lower=lowest)
        for name in ("initial_pose_x", "initial_pose_y", "initial_pose_a", "independent_beams"):
            if getattr(self, name) is not None:
                finite_number(getattr(self, name), name=f"AmclSettings.{name}")
        if self.independent_beams is not None and self.independent_beams <= 0.0:
            raise InvalidInput(
                f"independent_beams is {self.independent_beams:g}; give a number above 0, or none "
                "to weigh as AMCL does"
            )
        if self.max_particles > MOST_PARTICLES:
            raise InvalidInput(
                f"max_particles is {self.max_particles}, expected at most {MOST_PARTICLES}; "
                "AMCL's own is 5000"
            )
        _ = self.alphas  # it checks them
        if self.max_particles < self.min_particles:
            raise InvalidInput(
                f"max_particles is {self.max_particles} and min_particles {self.min_particles}; "
                "the first must not be smaller"
            )
        if self.laser_z_hit + self.laser_z_rand <= 0.0:
            raise InvalidInput("laser_z_hit and laser_z_rand are both 0; no reading can be weighed")
        if self.laser_model_type not in get_args(LaserModelName):
            raise UnknownName("laser model", self.laser_model_type, get_args(LaserModelName))
        if self.odom_model_type not in MODELS:
            raise UnknownName("motion model", self.odom_model_type, MODELS)
        if self.recovery_alpha_slow and self.recovery_alpha_fast <= self.recovery_alpha_slow:
            raise InvalidInput(
                f"recovery_alpha_fast is {self.recovery_alpha_fast:g} and recovery_alpha_slow "
                f"{self.recovery_alpha_slow:g}; the fast one must be larger, or both 0 (off)"
            )

    @classmethod
    def preset(cls, name: str = "default") -> "AmclSettings":
        """Return settings by name: `default` (ours) or `amcl` (its own)."""
        if name == "default":
            return cls()
        if name == "amcl":
            return cls(**AMCL)
        raise UnknownName("AMCL preset", name, cls.PRESETS)

    @classmethod
    def from_table(cls, table: Mapping[str, Any] | str | Path) -> "AmclSettings":
        """Return settings from a table of AMCL's parameters; what it leaves out is as in AMCL.

        Args:
            table: Names and values, or a file of them: YAML or TOML, JSON, or a launch file of ROS.
                Of a file with several nodes, that called `amcl` counts. Shorter names (`z_hit`,
                `alpha1`) and those of ROS 2 are understood; if its `set_initial_pose` is false,
                no start is given. Our own settings (`refine`, ...) may stand in it; left out,
                they are off.

        Returns:
            Settings whose `notes` say what has no meaning here.

        Raises:
            UnknownName: A name that AMCL does not have.
        """
        defaults = {each.name: each.default for each in fields(cls) if each.name != "notes"}
        read = AmclTable.read(table, defaults)
        settings = cls(**(AMCL | read.values))
        notes = [*read.without_effect(), *settings._odd_shares()]
        if not read.starts:
            notes.append("set_initial_pose is false: the settings give no start")
        return replace(settings, notes=tuple(notes))

    @property
    def initial_pose(self) -> Pose2 | None:
        """Where to start; None if no part of it was given."""
        parts = (self.initial_pose_x, self.initial_pose_y, self.initial_pose_a)
        return None if parts == (None, None, None) else Pose2(*(part or 0.0 for part in parts))

    @property
    def initial_covariance(self) -> Array:
        """Of the start. Shape (3, 3)."""
        return np.diag([self.initial_cov_xx, self.initial_cov_yy, self.initial_cov_aa])

    @property
    def alphas(self) -> Alphas:
        """How odometry errs."""
        return Alphas(**{f"alpha{i}": getattr(self, f"odom_alpha{i}") for i in range(1, 6)})

    @property
    def recovers(self) -> bool:
        """Whether particles are drawn afresh where scans stop fitting."""
        return self.recovery_alpha_slow > 0.0 and self.recovery_alpha_fast > 0.0

    def moved(self, step: Pose2) -> bool:
        """Say whether a step is long enough for the next scan to count."""
        return hypot(step.x, step.y) >= self.update_min_d or abs(step.yaw) >= self.update_min_a

    def _odd_shares(self) -> list[str]:
        """Say so if the shares of readings that the laser model uses do not make a whole."""
        used = [self.laser_z_hit, self.laser_z_rand]
        if self.laser_model_type == "beam":
            used += [self.laser_z_short, self.laser_z_max]
        if abs(sum(used) - 1.0) <= 1e-6:
            return []
        return [f"the shares z of {self.laser_model_type} add up to {sum(used):g}, not 1"]


AMCL: dict[str, Any] = {
    # Defaults of ROS 1's node amcl, wiki.ros.org/amcl section 3.1.5.
    "min_particles": 100, "max_particles": 5000, "kld_err": 0.01, "kld_z": 0.99,
    "update_min_d": 0.2, "update_min_a": pi / 6.0, "resample_interval": 2,
    "recovery_alpha_slow": 0.0, "recovery_alpha_fast": 0.0,
    "initial_pose_x": 0.0, "initial_pose_y": 0.0, "initial_pose_a": 0.0,
    "laser_max_beams": 30, "laser_z_hit": 0.95, "laser_z_short": 0.1, "laser_z_max": 0.05,
    "laser_z_rand": 0.05, "laser_sigma_hit": 0.2, "laser_lambda_short": 0.1,
    "laser_likelihood_max_dist": 2.0, "laser_model_type": "likelihood_field",
    "odom_model_type": "diff", "odom_alpha1": 0.2, "odom_alpha2": 0.2, "odom_alpha3": 0.2,
    "odom_alpha4": 0.2, "odom_alpha5": 0.2,
    "independent_beams": None, "candidates": 0, "recovery_band": 0.0, "refine": False,
    "odometry_doubt": 0.0,
}  # fmt: skip

_LOWEST = {
    "min_particles": 1, "max_particles": 1, "kld_err": 1e-4, "kld_z": 0.0, "update_min_d": 0.0,
    "update_min_a": 0.0, "resample_interval": 1, "recovery_alpha_slow": 0.0,
    "recovery_alpha_fast": 0.0, "initial_cov_xx": 0.0, "initial_cov_yy": 0.0,
    "initial_cov_aa": 0.0, "laser_min_range": -1.0, "laser_max_range": -1.0, "laser_max_beams": 2,
    "laser_z_hit": 0.0, "laser_z_short": 0.0, "laser_z_max": 0.0, "laser_z_rand": 0.0,
    "laser_sigma_hit": 1e-3, "laser_lambda_short": 1e-6, "laser_likelihood_max_dist": 1e-3,
    "candidates": 0, "recovery_band": 0.0, "refine_sigma": 1e-3,
    "odometry_doubt": 0.0,
}  # fmt: skip
