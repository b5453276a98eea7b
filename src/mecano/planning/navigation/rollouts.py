"""What all local planners share: the view as plain arrays, and whether a twist can be braked."""

from dataclasses import dataclass
from math import hypot

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.planning.navigation.contract import Costmap, LocalView, VelocityLimits
from mecano.planning.navigation.footprint import Footprint

STEP = 0.025
"""Time between two clearance checks of a braking base [s]."""
SPACING = 0.05
"""Between two points of a path that is prepared for rollouts [m]."""
STANDING = 1e-3
"""A base slower than this stands [m/s, rad/s]."""
CELL, MAX_DISCS = 0.075, 32
"""Side of the cells that a footprint is covered by [m], and how many there are at most, about. The
discs reach beyond the outline by a fifth of a cell."""


def covering_discs(footprint: Footprint) -> Array:
    """Return discs that cover a footprint: x, y, radius in the frame of the base [m].

    The first one holds all of it: where that is far from obstacles the others need no check. The
    rest are those of square cells that the outline is cut into. A round footprint has one disc.
    """
    if footprint.round:
        return np.array([[0.0, 0.0, footprint.inscribed_radius]])
    low, high = footprint.corners.min(axis=0), footprint.corners.max(axis=0)
    side = max(CELL, float(np.sqrt(np.prod(high - low) / MAX_DISCS)))
    counts = np.ceil((high - low) / side - 1e-9).astype(int)
    size = (high - low) / counts
    x, y = (low[i] + (np.arange(counts[i]) + 0.5) * size[i] for i in (0, 1))
    centres = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    radius = 0.5 * float(np.hypot(*size))
    touched = [_distance_outside(footprint.corners, centre) <= radius for centre in centres]
    cells = np.column_stack([centres, np.full(len(centres), radius)])[touched]
    reach = float((np.hypot(cells[:, 0], cells[:, 1]) + radius).max())
    return np.vstack([(0.0, 0.0, reach), cells])


def _distance_outside(corners: Array, point: Array) -> float:
    """Return how far a point is beyond the sides of a convex outline [m]; below 0 inside."""
    along = np.roll(corners, -1, axis=0) - corners
    out = np.column_stack([along[:, 1], -along[:, 0]]) / np.hypot(*along.T)[:, None]
    return float(((point - corners) * out).sum(axis=1).max())


def limits_array(limits: VelocityLimits) -> Array:
    """Return the limits in the order that the kernels read them."""
    braking = limits.acc_lim_x if limits.decel_lim_x is None else limits.decel_lim_x
    return np.array([
        limits.max_vel_x, limits.min_vel_x, limits.max_vel_y, limits.max_vel_theta,
        limits.acc_lim_x, braking, max(limits.acc_lim_y, 1e-9), limits.acc_lim_theta,
    ])  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Surroundings:
    """A costmap as kernels read it."""

    field: NDArray[np.float32]
    """[m]."""
    geometry: Array
    """Outer corner [m] and side of a cell [m]."""
    discs: Array
    """Of the footprint; their radii hold the half cell by which an obstacle may be nearer [m]."""

    def clearance(self, x: float, y: float, yaw: float) -> float:
        """Return how far the footprint is from the nearest obstacle [m]."""
        from mecano.planning.navigation.field_kernel import clearance_at

        return float(clearance_at(self.field, self.geometry, self.discs, x, y, yaw))


class DiscCover:
    """Remembers the discs of the last footprint: it rarely changes."""

    def __init__(self) -> None:
        """Know none yet."""
        self._footprint: Footprint | None = None
        self._discs = np.zeros((0, 3))

    def surroundings(self, costmap: Costmap) -> Surroundings:
        """Return a costmap for the kernels, with the discs of its footprint."""
        if costmap.footprint is not self._footprint:
            self._footprint, self._discs = costmap.footprint, covering_discs(costmap.footprint)
        grown = self._discs.copy()
        grown[:, 2] += 0.5 * costmap.resolution
        return Surroundings(
            field=costmap.distance,
            geometry=np.array([*costmap.origin, costmap.resolution]),
            discs=grown,
        )


def start_state(view: LocalView) -> Array:
    """Return x, y, yaw and the three speeds of a base as one array. Shape (6,)."""
    return np.array([view.pose.x, view.pose.y, view.pose.yaw, *view.speed])


def path_ahead(view: LocalView, length: float) -> Array:
    """Return the path from where the base is nearest to it, evenly spaced.

    Args:
        view: Holds the path.
        length: No more of it than this [m].

    Returns:
        x, y [m] every `SPACING`; the last point is the end of the path if that is within the
        length. Never empty: with no path it is the goal. Shape (n, 2).
    """
    points = np.asarray(view.path, dtype=np.float64)[:, :2]
    if len(points) < 2:
        return np.array([[view.goal.x, view.goal.y]]) if not len(points) else points.copy()
    start, along = points[:-1], np.diff(points, axis=0)
    squared = np.maximum((along**2).sum(axis=1), 1e-18)
    here = np.array([view.pose.x, view.pose.y])
    share = np.clip(((here - start) * along).sum(axis=1) / squared, 0.0, 1.0)
    foot = start + share[:, None] * along
    nearest = int(np.argmin(((foot - here) ** 2).sum(axis=1)))
    rest = np.vstack([foot[nearest], points[nearest + 1 :]])
    travelled = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(rest, axis=0).T))])
    ends_here = travelled[-1] <= length
    at = np.arange(0.0, min(length, travelled[-1]), SPACING)
    even = np.column_stack([np.interp(at, travelled, rest[:, i]) for i in (0, 1)])
    return np.vstack([even, rest[-1]]) if ends_here else even


def nearest_obstacle(view: LocalView) -> tuple[float, float, float]:
    """Return x, y [m] of the nearest obstacle's cell and its distance from the base [m]."""
    costmap = view.costmap
    rows, columns = np.nonzero(costmap.cost == 254)
    if not len(rows):
        return view.pose.x, view.pose.y, float("inf")
    x = costmap.origin[0] + (columns + 0.5) * costmap.resolution
    y = costmap.origin[1] + (rows + 0.5) * costmap.resolution
    away = np.hypot(x - view.pose.x, y - view.pose.y)
    which = int(np.argmin(away))
    return float(x[which]), float(y[which]), float(away[which])


def blocked_sentence(view: LocalView, around: Surroundings) -> str:
    """Return why a base cannot move on, for people."""
    x, y, _ = nearest_obstacle(view)
    room = around.clearance(view.pose.x, view.pose.y, view.pose.yaw)
    ahead = "free" if not len(view.path) else _first_hit(view, around)
    return (
        f"no admissible velocity: the outline is {max(room, 0.0):.2f} m from the nearest obstacle, "
        f"at ({x:.2f}, {y:.2f}) m; the path is {ahead}"
    )


def _first_hit(view: LocalView, around: Surroundings) -> str:
    points = path_ahead(view, 3.0)
    ahead = np.diff(points, axis=0, append=points[-1:])
    for (x, y), (dx, dy) in zip(points, ahead, strict=True):
        yaw = float(np.arctan2(dy, dx)) if hypot(dx, dy) > 1e-9 else view.pose.yaw
        if around.clearance(x, y, yaw) < 0.0:
            return f"blocked {hypot(x - view.pose.x, y - view.pose.y):.2f} m ahead"
    return "free for 3 m"
