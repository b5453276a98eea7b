"""Monte Carlo localization: where a base is in a map, by many guesses that scans sort out.

Adaptive as AMCL: as many particles as the spread of guesses needs (KLD), and fresh ones where scans
stop fitting (augmented MCL). Three things are ours, and `AmclSettings` can switch each off:

- A scan counts for a few independent beams, however many it has: neighbouring beams err together.
- Fresh particles are drawn from many poses all over the map, by how well the newest scan fits.
- The newest scan is matched to the map, starting from the best cluster and held by its spread.
  What must be added to all ranges to fit this map is learnt meanwhile.
"""

from dataclasses import dataclass
from math import degrees, hypot

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, read_only
from mecano.core.belief import Belief
from mecano.core.errors import InvalidInput
from mecano.core.messages import (
    LaserScan,
    OccupancyGrid,
    PoseWithCovarianceStamped,
    TransformStamped,
)
from mecano.core.poses import Pose2
from mecano.core.poses.rotations import wrap_angle
from mecano.core.randomness import RandomStreams
from mecano.estimation.localization.likelihood_field import DistanceField, sums_plainly
from mecano.estimation.localization.motion_models import sample_motion
from mecano.estimation.localization.odometry_jumps import is_jump
from mecano.estimation.localization.particles import (
    Cluster,
    clusters,
    low_variance,
    needed,
    spread,
)
from mecano.estimation.localization.refinement import Refiner
from mecano.estimation.localization.scan_models import Fit, ScanModel
from mecano.estimation.localization.settings import AmclSettings

RECOVERY_SHARE = 0.1
"""Of `AmclSettings.candidates`, drawn when scans stop fitting."""
COUNTED = 40.0
"""A scan that is matched counts for so many independent beams. It moves the answer, not the
particles, so it may be trusted more than `independent_beams` is; 20 and 100 did as well."""
SURE, NARROW = 0.9, 0.3
"""What is added to ranges is learnt while so much of the weight is in one cluster, and that
reaches no further than this from its middle [m]."""
LONGER = 0.03
"""How uncertain it is at first [m],"""
LONGER_DRIFT = 0.001
"""and by how much more after each scan [m]."""
MOST_LONGER = 0.1
"""No scanner and no map are further off than this [m]."""
JUMPED = (0.1, 0.1, 0.05)
"""Deviation that a jump of odometry adds along x, y [m] and yaw [rad]: what a base may have driven
meanwhile, from one scan to the next (EST)."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """What a filter believes after a scan."""

    stamp: float
    """Of the scan [s]."""
    pose: Pose2
    """Of the base in the map."""
    covariance: Array
    """Of x, y [m2] and yaw [rad2], as far as the best cluster goes. Shape (3, 3)."""
    map_to_odom: Pose2
    """Where the frame of odometry lies in the map."""
    particles: Array
    """x, y [m], yaw [rad] and weight; the weights add up to 1. Shape (n, 4)."""
    spread: float
    """How far all particles are from the pose, root of the mean square [m]."""
    share: float
    """Of the weight that is in the best cluster; near 1 where there is one answer only."""
    updated: bool
    """Whether the scan counted: not, if the base has not moved or the scan is empty."""

    def pose_message(self, frame: str = "map") -> PoseWithCovarianceStamped:
        """Return pose and covariance as a message, as AMCL sends them."""
        covariance, planar = np.zeros((6, 6)), [0, 1, 5]
        covariance[np.ix_(planar, planar)] = 0.5 * (self.covariance + self.covariance.T)
        return PoseWithCovarianceStamped(
            stamp=self.stamp, frame=frame, pose=self.pose.to_pose(), covariance=covariance
        )

    def transform(self, frame: str = "map", child_frame: str = "odom") -> TransformStamped:
        """Return `map_to_odom` as a message."""
        return TransformStamped(
            stamp=self.stamp, frame=frame, child_frame=child_frame,
            transform=self.map_to_odom.to_pose(),
        )  # fmt: skip

    def belief(
        self,
        scan: LaserScan,
        mount: Pose2,
        grid: OccupancyGrid,
        *,
        path: Array,
        origin: Pose2 | None = None,
    ) -> Belief:
        """Return it as something to look at.

        Args:
            scan: The one that it comes from.
            mount: Where the scanner sits on the base.
            grid: The map.
            path: Where the base was, oldest first [m]. Shape (n, 2).
            origin: Where the frame of the map lies in what it is drawn into.
        """
        return Belief(
            stamp=self.stamp, pose=self.pose, origin=origin or Pose2(), grid=grid, path=path,
            scan=(self.pose @ mount).transform_points(scan.points()),
            particles=self.particles[:, :3],
            text=f"{len(self.particles)} particles, spread {self.spread:.2f} m",
        )  # fmt: skip


class MonteCarlo:
    """A particle filter in a map. The same seed and inputs give the same answers, bit for bit."""

    def __init__(
        self,
        grid: OccupancyGrid,
        settings: AmclSettings | None = None,
        start: Pose2 | None = None,
        *,
        mount: Pose2 | None = None,
        seed: int = 0,
    ) -> None:
        """Begin at a pose, or anywhere in the map.

        Args:
            grid: The map. It needs walls and free space.
            settings: Ours, if not given.
            start: In the map, as uncertain as `initial_cov_xx` and so on say. None takes
                `initial_pose_x` and so on; without those the start is global.
            mount: Where the scanner sits on the base; in its middle if not given.
            seed: Of all that is random.
        """
        self.settings = settings or AmclSettings()
        self.field = DistanceField(grid, self.settings.laser_likelihood_max_dist)
        self._model = ScanModel(self.field, self.settings, mount or Pose2())
        self._refiner = Refiner(self.field, self.settings.refine_sigma)
        self._rng = RandomStreams(seed).get("localization")
        self._poses: Array = np.zeros((0, 3))
        self._weights: Array = np.zeros(0)
        self._odometry: Pose2 | None = None  # at the last scan that was looked at
        self._said = Pose2()  # at the last scan
        self._jumps: list[str] = []
        self._start_note: str | None = None
        self._stamp = -np.inf
        self._updates = 0
        self._slow = self._fast = 0.0
        self._pose = Pose2()
        self._covariance: Array = np.zeros((3, 3))
        self._share = 0.0
        self._longer, self._longer_variance = 0.0, LONGER**2
        self._anywhere = False  # no scan has counted since a global start
        start = self.settings.initial_pose if start is None else start
        self.started_globally = start is None
        """Whether it began anywhere."""
        if start is None:
            self.start_globally()
        else:
            self.set_pose(start)

    def set_pose(self, pose: Pose2, covariance: ArrayLike | None = None) -> None:
        """Begin anew at a pose, as a user who points at the map does.

        Args:
            pose: In the map.
            covariance: Of x, y [m2] and yaw [rad2], shape (3, 3). None is that of the settings.
        """
        here = np.array([[pose.x, pose.y]])
        if not self.field.grid.contains(self.field.grid.world_to_cell(here))[0]:
            raise InvalidInput(
                f"the start ({pose.x:.2f}, {pose.y:.2f}) m lies outside the map, which reaches "
                f"over {self.field.extent()}; give a start inside or start globally"
            )
        self._start_note = self.field.doubt_about(pose)
        if covariance is None:
            covariance = self.settings.initial_covariance
        covariance = read_only(covariance, name="covariance of the start", shape=(3, 3))
        mean = np.array([pose.x, pose.y, pose.yaw])
        count = self.settings.max_particles
        self._replace(self._rng.multivariate_normal(mean, covariance, size=count, method="eigh"))
        self._begin(pose, covariance, 1.0)

    def start_globally(self) -> None:
        """Begin anew without an idea: anywhere in free space."""
        self._replace(self.field.draw(self.settings.max_particles, self._rng))
        best = self._best()
        self._begin(best.pose, best.covariance, best.weight)
        self._anywhere, self._start_note = True, None

    def _begin(self, pose: Pose2, covariance: Array, share: float) -> None:
        """Forget what was before."""
        self._pose, self._covariance, self._share = pose, covariance, share
        self._anywhere, self._odometry = False, None
        self._slow = self._fast = 0.0

    @property
    def longer(self) -> float:
        """What was found must be added to all ranges to fit this map [m]."""
        return self._longer

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd about the start and the odometry so far, a sentence each."""
        notes = [] if self._start_note is None else [self._start_note]
        if self._jumps:
            times = "once," if len(self._jumps) == 1 else f"{len(self._jumps)} times, at first"
            notes.append(
                f"odometry jumped {times} {self._jumps[0]}; no base drives that, so it is taken "
                "to have stood still meanwhile"
            )
        return tuple(notes)

    def update(self, scan: LaserScan, odometry: Pose2) -> Estimate:
        """Take in a scan and what odometry said at that time.

        Where odometry jumps, the base is taken to be about where it was.

        Args:
            scan: Of any size. Readings that are NaN, infinite or out of range are left out.
            odometry: Of the base, in its own frame.

        Raises:
            InvalidInput: The scan is older than the last one; sort them before.
        """
        if scan.stamp < self._stamp:
            raise InvalidInput(
                f"a scan of {scan.stamp:.3f} s came after one of {self._stamp:.3f} s; "
                "give scans in the order of their times"
            )
        jumped = self._odometry is not None and self._stand_still(scan.stamp, odometry)
        self._stamp, self._said = scan.stamp, odometry
        step = None if self._odometry is None else self._odometry.inverse() @ odometry
        if step is not None and not jumped and not self.settings.moved(step):
            return self._estimate(scan.stamp, self._pose @ step, odometry, updated=False)
        if step is not None:
            s = self.settings
            self._poses = sample_motion(self._poses, step, s.alphas, s.odom_model_type, self._rng)
            self._pose = self._pose @ step
        self._odometry = odometry
        counted = self._take_in(scan)
        return self._estimate(scan.stamp, self._pose, odometry, updated=counted)

    def share_at_walls(self, scan: LaserScan, pose: Pose2) -> float | None:
        """Return which part of a scan's readings end at walls of the map; None if it has none.

        Args:
            scan: Any.
            pose: Of the base, in the map.
        """
        points, _ = self._model.points(scan, longer=self._longer)
        if not len(points):
            return None
        here = self.field.in_grid(np.array([[pose.x, pose.y, pose.yaw]]))
        ends = sums_plainly(self.field.at_walls, 0.0, self.field.grid.resolution, here, points)
        return float(ends[0]) / len(points)

    def _stand_still(self, stamp: float, odometry: Pose2) -> bool:
        """Take a jump of odometry for a base that stood, and widen; say whether there was one."""
        assert self._odometry is not None
        step = self._said.inverse() @ odometry
        if not is_jump(step, stamp - self._stamp):
            return False
        self._odometry = odometry @ self._said.inverse() @ self._odometry
        self._poses = self._poses + self._rng.standard_normal(self._poses.shape) * JUMPED
        self._poses[:, 2] = wrap_angle(self._poses[:, 2])
        self._jumps.append(
            f"by {hypot(step.x, step.y):.2f} m and {degrees(abs(step.yaw)):.0f} deg in "
            f"{stamp - self._stamp:.2f} s, at {stamp:.2f} s"
        )
        return True

    def _take_in(self, scan: LaserScan) -> bool:
        """Weigh the particles by a scan and draw them anew; say whether it had any reading."""
        drawn = None
        if self._anywhere and self.settings.candidates:
            drawn = self._promising(scan, self.settings.max_particles, self.settings.candidates)
            self._replace(self._poses if drawn is None else drawn)
        fit = self._model.weigh(self._poses, scan, longer=self._longer)
        if fit is None:
            return False
        self._watch(fit)
        if drawn is None:  # else they were drawn by this scan: it must not count twice
            weights = self._weights * np.exp(fit.log_weights - fit.log_weights.max())
            self._weights = weights / weights.sum()
        self._anywhere = False
        self._updates += 1
        self._look(scan)
        if self._updates % self.settings.resample_interval == 0:
            self._resample(scan)
        return True

    def _watch(self, fit: Fit) -> None:
        """Follow how well scans fit, slowly and fast."""
        s, now = self.settings, float(self._weights @ fit.qualities)
        if not self._slow:
            self._slow = self._fast = now
        self._slow += s.recovery_alpha_slow * (now - self._slow)
        self._fast += s.recovery_alpha_fast * (now - self._fast)

    def _look(self, scan: LaserScan) -> None:
        """Find the best cluster, and the pose that the scan makes of it."""
        best = self._best()
        self._pose, self._covariance, self._share = best.pose, best.covariance, best.weight
        if self.settings.refine:
            self._refine(best, scan)

    def _refine(self, best: Cluster, scan: LaserScan) -> None:
        """Match the scan to the map, held by the best cluster."""
        points, beams = self._model.points(scan, thinned=False)
        refined = self._refiner.refine(
            best.pose, best.covariance, points, beams, counted=COUNTED,
            longer=self._longer, longer_variance=self._longer_variance + LONGER_DRIFT**2,
        )  # fmt: skip
        self._pose, self._covariance = refined.pose, refined.covariance
        narrow = float(np.trace(best.covariance[:2, :2])) < NARROW**2
        if best.weight > SURE and narrow and abs(refined.longer) < MOST_LONGER:
            self._longer, self._longer_variance = refined.longer, refined.longer_variance

    def _resample(self, scan: LaserScan) -> None:
        """Draw the particles anew, some of them afresh if scans stopped fitting."""
        s = self.settings
        if s.selective_resampling and float(self._weights @ self._weights) * len(self._weights) < 2:
            return
        count = needed(
            self._poses, self._weights, least=s.min_particles, most=s.max_particles,
            error=s.kld_err, z=s.kld_z, rng=self._rng,
        )  # fmt: skip
        lost = max(0.0, 1.0 - s.recovery_band - self._fast / self._slow) if s.recovers else 0.0
        self._replace(self._poses[low_variance(self._weights, count, self._rng)])
        if lost > 0.0:
            self._add(self._fresh(scan, count), lost)

    def _add(self, poses: Array, share: float) -> None:
        """Add particles that together get a share of the weight."""
        old = self._weights * (1.0 - share)
        self._poses = np.concatenate([self._poses, poses])
        self._weights = np.concatenate([old, np.full(len(poses), share / len(poses))])

    def _fresh(self, scan: LaserScan, count: int) -> Array:
        """Return new poses anywhere in the map, where the scan fits if that is asked for.

        There are as many as there were; but where a scan says where to look, a fifth of the most.
        """
        tries = int(RECOVERY_SHARE * self.settings.candidates)
        if tries:
            drawn = self._promising(scan, max(count, self.settings.max_particles // 5), tries)
            if drawn is not None:
                return drawn
        return self.field.draw(count, self._rng)

    def _promising(self, scan: LaserScan, count: int, tries: int) -> Array | None:
        """Return some of many poses all over the map, by how well a scan fits to them."""
        poses = self.field.draw(max(tries, count), self._rng)
        fit = self._model.weigh(poses, scan, longer=self._longer)
        if fit is None:
            return None
        weights = np.exp(fit.log_weights - fit.log_weights.max())
        return poses[low_variance(weights, count, self._rng)]

    def _replace(self, poses: Array) -> None:
        """Take other particles, of equal weight."""
        self._poses, self._weights = poses, np.full(len(poses), 1.0 / len(poses))

    def _best(self) -> Cluster:
        return clusters(self._poses, self._weights)[0]

    def _estimate(self, stamp: float, pose: Pose2, odometry: Pose2, *, updated: bool) -> Estimate:
        particles = np.column_stack([self._poses, self._weights])
        return Estimate(
            stamp=stamp, pose=pose, covariance=self._covariance,
            map_to_odom=pose @ odometry.inverse(), particles=particles,
            spread=spread(self._poses, self._weights, pose), share=self._share,
            updated=updated,
        )  # fmt: skip
