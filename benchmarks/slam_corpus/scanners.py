"""Scanners: what they see of walls, how they err, and whether a scan tells how the base moved."""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all

THINNED = 0.25
"""Returns this far apart make a piece of a wall [m] ..."""
ONE_WALL = 0.8
"""... if they are no further apart than this [m]."""
FEWEST_PIECES = 5.0
"""So many pieces must stand across the weakest direction ..."""
LEAST_SHARE = 0.08
"""... and this share of all; noise of the returns alone makes 0.03."""


@dataclass(frozen=True, kw_only=True)
class Scanner:
    """A planar scanner on a base."""

    beams: int
    span: float
    """From the first to the last beam [rad]."""
    reach: float
    """Nothing is seen from here on [m]."""
    noise: float
    """Standard deviation of a range [m]."""
    dropouts: float = 0.005
    """Share of the beams that return nothing."""
    mount: Pose2

    @classmethod
    def random(cls, rng: np.random.Generator, *, longest: float = 80.0) -> "Scanner":
        """Return a scanner like those of public logs and of small robots."""
        beams, degrees = ((180, 179.0), (361, 180.0), (270, 270.0), (360, 359.0))[rng.integers(4)]
        reach = float(rng.choice([8.0, 12.0, 20.0, 30.0, 80.0]))
        return cls(
            beams=beams,
            span=np.deg2rad(degrees),
            reach=min(reach, longest),
            noise=rng.uniform(0.01, 0.03),
            mount=Pose2(rng.uniform(0.0, 0.2), 0.0, 0.0) if rng.random() < 0.5 else Pose2(),
        )

    def look(
        self, walls: Array, panes: Array, poses: Array, rng: np.random.Generator | None
    ) -> Array:
        """Return the ranges seen by a base at some poses. Shape (poses, beams).

        Args:
            walls: x0, y0, x1, y1 [m]. Shape (n, 4).
            panes: Which of them are glass: a beam returns or passes at random.
            poses: Of the base. Shape (m, 3).
            rng: Source of the noise; None sees exactly, glass as walls.
        """
        from slam_corpus.ray_kernel import cast

        eyes = compose_all(poses, (self.mount.x, self.mount.y, self.mount.yaw))
        solid, pane, slant = (np.zeros((len(poses), self.beams)) for _ in range(3))
        first, step = -0.5 * self.span, self.span / (self.beams - 1)
        cast(walls, panes, eyes, first, step, self.beams, self.reach, solid, pane, slant)
        if rng is None:
            return np.minimum(solid, pane)
        returned = rng.random(solid.shape) < 0.05 + 0.9 * slant**8  # a mirror, seen straight on
        ranges = np.where(returned, np.minimum(solid, pane), solid)
        ranges += rng.normal(0.0, self.noise, ranges.shape)
        ranges[(ranges >= self.reach) | (rng.random(ranges.shape) < self.dropouts)] = np.inf
        return np.maximum(ranges, 0.02)

    def scan(self, stamp: float, ranges: Array) -> LaserScan:
        """Return ranges as a message."""
        return LaserScan(
            stamp=stamp, frame="laser", angle_min=-0.5 * self.span, angle_max=0.5 * self.span,
            angle_increment=self.span / (self.beams - 1), range_min=0.02, range_max=self.reach,
            ranges=ranges,
        )  # fmt: skip


def shows_motion(scan: LaserScan) -> bool:
    """Tell whether a scan tells motion in all directions: not in a bare corridor or a void.

    Faults of odometry are put where a scanner could notice them; elsewhere nobody could.
    """
    angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
    seen = np.isfinite(scan.ranges) & (scan.ranges < 30.0)
    x, y = (scan.ranges[seen] * f(angles[seen]) for f in (np.cos, np.sin))
    pieces, last = [], 0
    for k in range(1, len(x)):
        dx, dy = x[k] - x[last], y[k] - y[last]
        length = float(np.hypot(dx, dy))
        if length < THINNED:
            continue
        if length < ONE_WALL:
            pieces.append((dy / length, -dx / length))
        last = k
    if len(pieces) < FEWEST_PIECES:
        return False
    normals = np.array(pieces)
    weakest = float(np.linalg.eigvalsh(normals.T @ normals)[0])
    return weakest >= max(FEWEST_PIECES, LEAST_SHARE * len(pieces))
