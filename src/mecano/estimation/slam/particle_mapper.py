"""Particle SLAM, the method behind gmapping: many paths, each with the map that it implies.

Every particle moves by odometry with noise of its own, is pulled to where the scan fits its own
map, and is weighted by how well it fits there. When few particles carry the weight, they are
resampled: a wrong loop dies out when its map contradicts itself. (G. Grisetti, C. Stachniss and
W. Burgard 2007, Improved techniques for grid mapping with Rao-Blackwellized particle filters.)
"""

from collections.abc import Sequence
from math import hypot

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2, wrap_angle
from mecano.core.poses.planar_arrays import compose_all, relative_all
from mecano.core.randomness import RandomStreams
from mecano.estimation.maps.log_odds import LogOddsGrid
from mecano.estimation.slam.mapper import Closure, Doubt
from mecano.estimation.slam.particle_maps import ParticleMaps
from mecano.estimation.slam.particle_settings import ParticleSettings
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.estimation.slam.stop_watch import StopWatch

LOST = "the scan fits the map of no particle; odometry was used"


class ParticleMapper:
    """Maps with a particle filter over paths; a `Mapper`. Same seed, same map.

    Scans between two updates keep their place relative to the last one used, by odometry.
    """

    def __init__(
        self, settings: ParticleSettings | None = None, mount: Pose2 | None = None, *, seed: int = 0
    ) -> None:
        """Begin an empty map.

        Args:
            settings: gmapping's own by default.
            mount: Where the scanner sits on the base.
            seed: Of the noise of the particles.
        """
        self.settings, self.mount = settings or ParticleSettings(), mount or Pose2()
        self._rng = RandomStreams(seed).get("particle mapper")
        self._watch = StopWatch()
        self._maps = ParticleMaps(self.settings)
        count = self.settings.particles
        self._poses = np.zeros((count, 3))
        self._log_weights = np.zeros(count)
        self._lineage = np.zeros(count)  # log likelihood of each path since the start
        self._history = np.zeros((count, 0, 3))  # pose of each particle at each used scan
        self._used: list[LaserScan] = []
        self._lost: list[int] = []
        self._rows: list[tuple[float, int, float, float, float]] = []
        self._said, self._ahead = Pose2(), Pose2()

    def add(self, scan: LaserScan, odometry: Pose2) -> Pose2:
        """Take a scan and what odometry said at its time; return the base's pose in the map.

        Raises:
            InvalidInput: The scan is older than the one before.
        """
        if self._rows and scan.stamp < self._rows[-1][0]:
            raise InvalidInput(
                f"a scan of {scan.stamp:.3f} s came after one of {self._rows[-1][0]:.3f} s; "
                "scans must come in the order of time: sort them first"
            )
        if not self._used:
            self._said = odometry
            self._poses[:] = odometry.x, odometry.y, odometry.yaw
            self._use(scan, self._points(scan), first=True)
        else:
            self._ahead = self._said.inverse() @ odometry
            s, far = self.settings, hypot(self._ahead.x, self._ahead.y)
            if far >= s.linear_update or abs(wrap_angle(self._ahead.yaw)) >= s.angular_update:
                self._move(self._ahead)
                self._said, self._ahead = odometry, Pose2()
                self._use(scan, self._points(scan))
        ahead = self._ahead
        self._rows.append((scan.stamp, len(self._used) - 1, ahead.x, ahead.y, ahead.yaw))
        return Pose2(*self._poses[self._best].tolist()) @ ahead

    def finish(self) -> None:
        """Nothing is left to do: the filter is done with every scan when it has seen it."""
        if not self._used:
            raise InvalidInput("there is no scan yet to finish the map from; add some first")

    @property
    def trajectory(self) -> Array:
        """Stamp [s], x, y [m], yaw [rad] of the base at every scan, by the likeliest path."""
        if not self._rows:
            return np.zeros((0, 4))
        rows = np.array(self._rows)
        poses = compose_all(self._path[rows[:, 1].astype(np.int64)], rows[:, 2:])
        return np.column_stack([rows[:, 0], poses])

    def grid(self, resolution: float | None = None) -> OccupancyGrid:
        """Return the map along the likeliest path, with cells of that side [m]."""
        if not self._used:
            raise InvalidInput("there is no scan yet to draw a map from; add some first")
        with self._watch.time("grid"):
            grid = LogOddsGrid(resolution or self.settings.delta, mount=self.mount)
            grid.insert_many(self._used, self._path)
            return grid.grid()

    @property
    def graph(self) -> PoseGraph:
        """Used scans along the likeliest path, each measured from the one before."""
        path = self._path
        steps = max(0, len(path) - 1)
        return PoseGraph(
            stamps=np.array([scan.stamp for scan in self._used]),
            poses=path,
            edges=np.column_stack([np.arange(steps), np.arange(1, steps + 1)]),
            measured=relative_all(path[:-1], path[1:]) if steps else np.zeros((0, 3)),
            information=np.tile(np.eye(3), (steps, 1, 1)),
            loop=np.zeros(steps, np.bool_),
        )

    @property
    def loops(self) -> Sequence[Closure]:
        """None: loops close by resampling, not by edges."""
        return ()

    @property
    def doubts(self) -> Sequence[Doubt]:
        """Used scans that fitted the map of no particle, with how far particles disagree there."""
        spread = self._history.std(axis=0)
        return tuple(
            Doubt(
                start=self._used[max(0, k - 1)].stamp,
                end=self._used[k].stamp,
                error=max(self.settings.delta, float(hypot(spread[k, 0], spread[k, 1]))),
                reason=LOST,
            )
            for k in self._lost
        )

    @property
    def seconds(self) -> dict[str, float]:
        """Time that each stage took [s]."""
        return dict(self._watch.seconds)

    @property
    def effective_particles(self) -> float:
        """How many particles carry the weight."""
        weights = self._weights()
        return 1.0 / float(weights @ weights)

    # --- parts of `add`

    @property
    def _best(self) -> int:
        return int(np.argmax(self._lineage))

    @property
    def _path(self) -> Array:
        return self._history[self._best, : len(self._used)]

    def _points(self, scan: LaserScan) -> Array:
        points = scan.points()
        far = np.hypot(points[:, 0], points[:, 1])
        return points[(far <= self.settings.max_range) & (far > self.settings.delta)]

    def _move(self, step: Pose2) -> None:
        """Move all particles by a step of odometry, each with an error of its own."""
        s, far, turn = self.settings, hypot(step.x, step.y), abs(wrap_angle(step.yaw))
        sigma = np.array([s.srr * far + s.str_ * turn] * 2 + [s.stt * turn + s.srt * far])
        sigma[1] *= 0.5  # across the path a base errs less than along it
        noise = self._rng.standard_normal((s.particles, 3)) * sigma
        self._poses = compose_all(self._poses, noise + np.array([step.x, step.y, step.yaw]))

    def _use(self, scan: LaserScan, points: Array, *, first: bool = False) -> None:
        """Match a scan to all maps, weigh the particles, resample, and draw it."""
        mount = (self.mount.x, self.mount.y, self.mount.yaw)
        if not first and len(points):
            with self._watch.time("match"):
                on_scanner, answers = self._maps.match(compose_all(self._poses, mount), points)
                back = self.mount.inverse()
                self._poses = compose_all(on_scanner, (back.x, back.y, back.yaw))
            gained = answers[:, 0] / self.settings.correlation
            self._log_weights += gained - gained.max()
            self._lineage += gained
            if answers[:, 1].max() < self.settings.min_share:
                self._lost.append(len(self._used))
        self._remember(scan)
        if self.effective_particles < self.settings.resample_threshold * len(self._poses):
            self._resample()
        if len(points):
            with self._watch.time("draw"):
                self._maps.draw(compose_all(self._poses, mount), points)

    def _remember(self, scan: LaserScan) -> None:
        number = len(self._used)
        if number == self._history.shape[1]:
            grown = np.zeros((len(self._poses), max(256, 2 * number), 3))
            grown[:, :number], self._history = self._history, grown
        self._history[:, number] = self._poses
        self._used.append(scan)

    def _weights(self) -> Array:
        weights = np.exp(self._log_weights - self._log_weights.max())
        return weights / weights.sum()

    def _resample(self) -> None:
        """Let particles be copied in proportion to their weights (low variance)."""
        count = len(self._poses)
        at = (self._rng.random() + np.arange(count)) / count
        chosen = np.searchsorted(np.cumsum(self._weights()), at).clip(0, count - 1)
        with self._watch.time("resample"):
            self._maps.copy(chosen)
        self._poses, self._lineage = self._poses[chosen], self._lineage[chosen]
        self._history = self._history[chosen]
        self._log_weights = np.zeros(count)
