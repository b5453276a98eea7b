"""Monte Carlo localization: the pose of a base in a map, by particles that scans weigh.

Adaptive as AMCL: as many particles as their spread needs (KLD). Ours, each switched off by
`AmclSettings`:

- A scan counts for a few independent beams, however many it has: neighbouring beams err together.
- Where a scan fits badly, odometry is doubted: see `odometry_doubt`.
- Recovery does not mix poses from all over the map into the particles. A second population looks
  for the base everywhere and replaces the first by evidence alone: see `recovery`.
- The newest scan is matched to the map, starting from the best cluster and held by its spread.
  What must be added to all ranges to fit this map is learnt meanwhile.
"""

from math import degrees, exp, hypot, log

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, read_only
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.poses.rotations import wrap_angle
from mecano.core.randomness import RandomStreams
from mecano.core.scanner_class import LIDAR, ScannerClass
from mecano.estimation.localization.estimate import Estimate
from mecano.estimation.localization.likelihood_field import AT_WALL, DistanceField, sums_plainly
from mecano.estimation.localization.odometry_doubt import OdometryDoubt, has_changed
from mecano.estimation.localization.odometry_jumps import is_jump
from mecano.estimation.localization.particles import Cluster, low_variance, spread
from mecano.estimation.localization.population import Likelihood, Population, promising
from mecano.estimation.localization.recovery import FitWatch, Recovery
from mecano.estimation.localization.refinement import Refiner
from mecano.estimation.localization.scan_models import ScanModel
from mecano.estimation.localization.settings import AmclSettings
from mecano.estimation.localization.stated_error import StatedError, other_places, searched_places

COUNTED = 4.0
"""A scan that is matched counts for so many times `independent_beams`. It moves the answer, not
the particles, so it may be trusted more; 2 and 10 did as well."""
SURE, NARROW = 0.9, 0.3
"""What is added to ranges is learnt while so much of the weight is in one cluster, and that
reaches no further than this from its middle [m]."""
LONGER_DRIFT = 0.03
"""By what part of the scanner's `offset` it is less certain after each scan."""
MOST_LONGER = 0.1
"""No scanner and no map are further off than this [m]."""
JUMPED = (0.1, 0.1, 0.05)
"""Deviation that a jump of odometry adds along x, y [m] and yaw [rad]: what a base may have driven
meanwhile, from one scan to the next (EST)."""
MANY = 4000
"""So many particles speak for odometry where it is doubted: too few would miss the narrow peak of a
scan, and odometry would lose by that alone."""
POOR = 0.9
"""Odometry is doubted where a beam is so much less likely than usual,"""
SURPRISE = 0.8
"""and a base that stands by its odometry takes a scan in that fits so much worse."""


class MonteCarlo:
    """A particle filter in a map. The same seed and inputs give the same answers, bit for bit."""

    def __init__(
        self,
        grid: OccupancyGrid,
        settings: AmclSettings | None = None,
        start: Pose2 | None = None,
        *,
        mount: Pose2 | None = None,
        scanner: ScannerClass = LIDAR,
        seed: int = 0,
    ) -> None:
        """Begin at a pose, or anywhere in the map.

        Args:
            grid: The map. It needs walls and free space.
            settings: Ours, if not given.
            start: In the map, as uncertain as `initial_cov_xx` and so on say. None takes
                `initial_pose_x` and so on; without those the start is global.
            mount: Where the scanner sits on the base; in its middle if not given.
            scanner: What kind it is: how far its readings count, and what they may be wrong by.
            seed: Of all that is random.
        """
        self.settings = settings or AmclSettings()
        self.field = DistanceField(grid, self.settings.laser_likelihood_max_dist)
        self._model = ScanModel(self.field, self.settings, mount or Pose2(), scanner)
        self._refiner = Refiner(self.field, self.settings.refine_sigma)
        self._rng = RandomStreams(seed).get("localization")
        self._tracked = Population(np.zeros((1, 3)))
        self._recovery = Recovery(
            self.field, self.settings, self._rng, field_of_view=scanner.field_of_view
        )
        self._watch = FitWatch(self.settings)
        self._doubt = OdometryDoubt()
        self._stated = StatedError(grid.resolution)
        self._odometry: Pose2 | None = None  # at the last scan that was looked at
        self._said = Pose2()  # at the last scan
        self._scan: LaserScan | None = None  # the last one that counted
        self._jumps: list[str] = []
        self._doubted: list[float] = []  # stamps of scans that overruled odometry [s]
        self._recovered: list[float] = []  # and of those that found the base elsewhere [s]
        self._start_note: str | None = None
        self._stamp = -np.inf
        self._updates = 0
        self._pose = Pose2()
        self._covariance: Array = np.zeros((3, 3))
        self._share = 0.0
        self._longer, self._longer_variance = 0.0, scanner.offset**2
        self._longer_drift = (LONGER_DRIFT * scanner.offset) ** 2
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
        drawn = self._rng.multivariate_normal(mean, covariance, size=count, method="eigh")
        self._tracked = Population(drawn)
        self._begin(pose, covariance, 1.0)

    def start_globally(self) -> None:
        """Begin anew without an idea: anywhere in free space."""
        self._tracked = Population(self.field.draw(self.settings.max_particles, self._rng))
        best = self._tracked.best()
        self._begin(best.pose, best.covariance, best.weight)
        self._anywhere, self._start_note = True, None

    def _begin(self, pose: Pose2, covariance: Array, share: float) -> None:
        """Forget what was before."""
        self._pose, self._covariance, self._share = pose, covariance, share
        self._anywhere, self._odometry = False, None
        self._watch, self._doubt = FitWatch(self.settings), OdometryDoubt()
        self._recovery.stop()

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
        if self._doubted:
            notes.append(f"scans contradicted odometry {_times(self._doubted)} and were believed")
        if self._recovered:
            notes.append(f"the base was lost and found elsewhere {_times(self._recovered)[:-1]}")
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
        here = self._pose if step is None else self._pose @ step
        if step is not None and not (
            jumped or self.settings.moved(step) or self._surprises(scan, here)
        ):
            if self._watch.last < POOR * self._watch.usual:
                self._doubt.pass_over()
            return self._estimate(scan.stamp, here, odometry, updated=False)
        before, step = self._tracked, step or Pose2()
        if self._odometry is not None:
            self._tracked = Population(before.poses, before.weights)
            self._tracked.move(step, self.settings, self._rng)
            self._recovery.move(step)
        self._pose, self._odometry = here, odometry
        counted = self._take_in(scan, before, step)
        if not counted and self.settings.refine:
            self._covariance = self._tracked.best().covariance + self._stated.misfit
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
        poses = self._tracked.poses + self._rng.standard_normal(self._tracked.poses.shape) * JUMPED
        poses[:, 2] = wrap_angle(poses[:, 2])
        self._tracked.poses = poses
        self._jumps.append(
            f"by {hypot(step.x, step.y):.2f} m and {degrees(abs(step.yaw)):.0f} deg in "
            f"{stamp - self._stamp:.2f} s, at {stamp:.2f} s"
        )
        return True

    def _surprises(self, scan: LaserScan, pose: Pose2) -> bool:
        """Tell whether a base that stands by its odometry sees that it has moved."""
        if not self.settings.odometry_doubt or not has_changed(self._scan, scan):
            return False
        fit = self._model.weigh(_row(pose), scan, longer=self._longer)
        return fit is not None and float(fit.qualities[0]) < SURPRISE * self._watch.usual

    def _take_in(self, scan: LaserScan, before: Population, step: Pose2) -> bool:
        """Weigh the particles by a scan and draw them anew; say whether it had any reading."""
        whole, scan = scan, self._known_part(scan)
        if not len(self._model.usable(whole)):
            return False
        seen = len(self._model.usable(scan)) > 0
        if self._anywhere and self.settings.candidates:
            self._tracked, _ = self._recovery.anywhere(self._likelihood(scan))
        elif seen:
            self._weigh(scan, before, step)
        self._anywhere = False
        self._updates += 1
        self._scan = whole
        if seen:
            self._look(scan)
        self._note_fit(scan, whole)
        self._doubt.note(step, fits=self._watch.last >= POOR * self._watch.usual)
        found = self._recover(whole)
        if self.settings.refine and (seen or found):
            self._state_error(scan)
        if self._updates % self.settings.resample_interval == 0:
            self._tracked.resample(self.settings, self._rng)
        return seen or found

    def _known_part(self, scan: LaserScan) -> LaserScan:
        """Leave out readings of what the map does not know, while the base is tracked."""
        if self._anywhere or not self.settings.odometry_doubt:
            return scan
        return self._model.known_part(scan, self._pose)

    def _weigh(self, scan: LaserScan, before: Population, step: Pose2) -> None:
        """Weigh the particles by a scan; where it fits badly, doubt odometry."""
        fit = self._model.weigh(self._tracked.poses, scan, longer=self._longer)
        assert fit is not None
        quality = float(fit.qualities[np.argmax(fit.log_weights)])
        if self.settings.odometry_doubt and quality < POOR * self._watch.usual:
            self._doubtful(scan, before, step)
        else:
            self._tracked.weigh(fit.log_weights)

    def _state_error(self, scan: LaserScan) -> None:
        """Widen the covariance of the match to what the pose may be wrong by."""
        points, _ = self._model.points(scan, longer=self._longer)
        ends = self.field.distances_at(self._pose.transform_points(points))
        view = abs(scan.angle_increment) * len(scan.ranges)
        self._stated.note(ends[ends < AT_WALL], view)
        search, doubt = self._recovery.search, self._recovery.doubt
        elsewhere = other_places(self._tracked, self._tracked.best(), self._pose)
        elsewhere += searched_places(search, doubt, self._pose)
        fit = self._watch.last / max(self._watch.usual, 1e-9)
        self._covariance = self._stated.covariance(
            self._covariance, fit, self._doubt.reach, elsewhere
        )

    def _likelihood(self, scan: LaserScan) -> Likelihood:
        return Likelihood(self._model, scan, self._longer)

    def _note_fit(self, scan: LaserScan, whole: LaserScan) -> None:
        """Follow how well scans fit at the estimated pose: what the map knows, and all."""
        here = _row(self._pose)
        plain = self._model.weigh(here, scan, longer=self._longer)
        occluded = self._model.weigh_occluded(here, whole, longer=self._longer)
        assert occluded is not None
        counted, quality = self._model.independent(whole), float(occluded.qualities[0])
        self._watch.note(None if plain is None else float(plain.qualities[0]), quality, counted)

    def _doubtful(self, scan: LaserScan, before: Population, step: Pose2) -> None:
        """Weigh by a scan that fits badly: something hides the walls, or odometry was wrong."""
        likelihood = self._likelihood(scan)
        count = max(self.settings.min_particles, self.settings.max_particles // 5)
        self._tracked = Population(before.poses[low_variance(before.weights, MANY, self._rng)])
        self._tracked.move(step, self.settings, self._rng)
        evidence = self._tracked.weigh(likelihood.occluded(self._tracked.poses))
        places, volume = self._doubt.places(before.poses, before.weights, step, self._rng)
        elsewhere, found = promising(places, volume, likelihood, count, self._rng)
        doubt = self.settings.odometry_doubt
        found, evidence = found + log(doubt), evidence + log(1.0 - doubt)
        total = float(np.logaddexp(found, evidence))
        share = exp(found - total)
        self._tracked.add(elsewhere, share)
        if share > 0.5:
            self._doubted.append(scan.stamp)

    def _recover(self, scan: LaserScan) -> bool:
        """Search everywhere while scans do not fit; say whether the base was found elsewhere."""
        if not self.settings.recovers:
            return False
        found = self._recovery.look(self._watch, self._likelihood(scan), self._tracked)
        if found is not None:
            self._tracked = found
            self._recovered.append(scan.stamp)
            self._look(scan)
        return found is not None

    def _look(self, scan: LaserScan) -> None:
        """Find the best cluster, and the pose that the scan makes of it."""
        best = self._tracked.best()
        self._pose, self._covariance, self._share = best.pose, best.covariance, best.weight
        if self.settings.refine:
            self._refine(best, scan)

    def _refine(self, best: Cluster, scan: LaserScan) -> None:
        """Match the scan to the map, held by the best cluster."""
        points, beams = self._model.points(scan, thinned=False)
        refined = self._refiner.refine(
            best.pose, best.covariance, points, beams,
            counted=COUNTED * self._model.independent(scan), longer=self._longer,
            longer_variance=self._longer_variance + self._longer_drift,
        )  # fmt: skip
        self._pose, self._covariance = refined.pose, refined.covariance
        narrow = float(np.trace(best.covariance[:2, :2])) < NARROW**2
        if best.weight > SURE and narrow and abs(refined.longer) < MOST_LONGER:
            self._longer, self._longer_variance = refined.longer, refined.longer_variance

    def _estimate(self, stamp: float, pose: Pose2, odometry: Pose2, *, updated: bool) -> Estimate:
        poses, weights = self._tracked.poses, self._tracked.weights
        return Estimate(
            stamp=stamp, pose=pose, covariance=self._covariance,
            map_to_odom=pose @ odometry.inverse(), particles=np.column_stack([poses, weights]),
            spread=spread(poses, weights, pose), share=self._share, updated=updated,
        )  # fmt: skip


def _times(stamps: list[float]) -> str:
    """Say how often something happened, and when first."""
    if len(stamps) == 1:
        return f"once, at {stamps[0]:.2f} s,"
    return f"{len(stamps)} times, first at {stamps[0]:.2f} s,"


def _row(pose: Pose2) -> Array:
    return np.array([[pose.x, pose.y, pose.yaw]])
