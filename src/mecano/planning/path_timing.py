"""When the joints are where on a path of straight pieces: fast, smooth, from rest to rest.

Three steps. Corners are rounded off by parabolas, as far as a tolerance allows and the way stays
free. The speed along the path is the highest that velocities and accelerations of all joints
allow. Last, the motion is averaged over a short window of time: an average keeps the bounds of
velocity and acceleration, moves nothing sideways on a straight piece, and turns jumps of the
acceleration into ramps, so that the jerk is bounded as well.

Where the result would leave the tolerance or touch something, corners are rounded off less; with a
stop at each corner the motion never leaves the path.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput
from mecano.planning.free_motion import IsFree, JointSpace
from mecano.planning.trajectories import Bounds, Sample

CELLS = 24
"""Cells of a straight piece of the path."""
BLEND_CELLS = 8
"""Cells of a rounded corner."""
ROUNDINGS = (1.0, 0.5, 0.25, 0.1)
"""Parts of the tolerance to round corners off by, the next where one does not do; then none."""
SMALLEST = 1e-6
"""Rounded corners reach at least this far into the pieces beside them, or there are none [rad]."""
FINE = 41
"""Samples about a peak of the distance from the path."""
STRAIGHT = 1e-9
"""Corners with less than this between the tangents are none."""


class SmoothMove:
    """Joints on pieces of polynomials in time, averaged over a window that ends now."""

    def __init__(self, starts: Array, coefficients: Array, window: float) -> None:
        """Keep the pieces.

        Args:
            starts: When each piece begins, and the end [s]. Shape (m + 1,).
            coefficients: Of powers of the time in a piece, the lowest first. Shape (m, 5, n).
            window: Of the average [s]; zero for none.
        """
        self.window = window
        self.duration = float(starts[-1]) + window
        self._starts, self._coefficients, self._end = starts, coefficients, float(starts[-1])
        powers = np.arange(1.0, 6.0)[:, None]
        self._integrals = coefficients / powers  # of the powers 1 to 5
        lasts = np.diff(starts)
        whole = np.einsum("mpn,mp->mn", self._integrals, lasts[:, None] ** powers.T)
        self._sums = np.vstack([np.zeros((1, whole.shape[1])), np.cumsum(whole, axis=0)])
        self.start = coefficients[0, 0]
        self.goal = self._raw(self._end, 0)

    def at(self, time: float) -> Sample:
        """Return joint values and velocities at a time since the start."""
        if time >= self.duration:
            return self.goal.copy(), np.zeros(len(self.goal))
        time = max(time, 0.0)
        if self.window == 0.0:
            return self._raw(time, 0), self._raw(time, 1)
        before = time - self.window
        velocity = (self._raw(time, 0) - self._raw(before, 0)) / self.window
        return (self._sum(time) - self._sum(before)) / self.window, velocity

    def postures(self, times: ArrayLike) -> Array:
        """Return joint values at many times [s] at once. Shape (k, n)."""
        times = np.clip(np.asarray(times, float), 0.0, self.duration)
        if self.window == 0.0:
            return self._raw(times, 0)
        return (self._sum(times) - self._sum(times - self.window)) / self.window

    def velocities(self, times: ArrayLike) -> Array:
        """Return joint velocities at many times at once [rad/s]. Shape (k, n)."""
        return self._averaged_rate(np.asarray(times, float), 1)

    def accelerations(self, times: ArrayLike) -> Array:
        """Return joint accelerations at many times at once [rad/s2]. Shape (k, n)."""
        return self._averaged_rate(np.asarray(times, float), 2)

    def _averaged_rate(self, times: Array, derivative: int) -> Array:
        if self.window == 0.0:
            return self._raw(times, derivative)
        before = self._raw(times - self.window, derivative - 1)
        return (self._raw(times, derivative - 1) - before) / self.window

    def _raw(self, time: ArrayLike, derivative: int) -> Array:
        """Return the motion that is averaged, or a derivative; it stands still outside."""
        i, t = self._piece(time)
        c0, c1, c2, c3, c4 = np.moveaxis(self._coefficients[i], -2, 0)
        if derivative == 0:
            return c0 + t * (c1 + t * (c2 + t * (c3 + t * c4)))
        moving = np.logical_and(np.greater_equal(time, 0.0), np.less(time, self._end))[..., None]
        if derivative == 1:
            return moving * (c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * 4.0 * c4)))
        return moving * (2.0 * c2 + t * (6.0 * c3 + t * 12.0 * c4))

    def _sum(self, time: ArrayLike) -> Array:
        """Return the integral of the motion that is averaged, from 0 to a time."""
        i, t = self._piece(time)
        c0, c1, c2, c3, c4 = np.moveaxis(self._integrals[i], -2, 0)
        inside = t * (c0 + t * (c1 + t * (c2 + t * (c3 + t * c4))))
        early = np.minimum(time, 0.0)[..., None] * self.start
        late = np.maximum(np.subtract(time, self._end), 0.0)[..., None] * self.goal
        return self._sums[i] + inside + early + late

    def _piece(self, time: ArrayLike) -> tuple[Any, Array]:
        """Return the number of the piece at a time, and the time since its start [s]."""
        inside = np.clip(time, 0.0, self._end)
        i = np.searchsorted(self._starts[1:-1], inside, side="right")
        return i, np.asarray(inside - self._starts[i])[..., None]


@dataclass(frozen=True, eq=False, kw_only=True)
class TimedMotion:
    """A path with its times, and how far it rounds off the corners."""

    trajectory: SmoothMove
    deviation: float
    """Largest distance from the path [rad]."""
    stops: int
    """Corners in which it stands still."""


def time_free_path(
    path: ArrayLike,
    bounds: Bounds,
    is_free: IsFree,
    *,
    resolution: float,
    weights: ArrayLike | None = None,
    tolerance: float = 0.05,
) -> TimedMotion:
    """Return the motion along a path, fast, smooth and free.

    Args:
        path: Postures to go through in straight lines, from `plan_free_motion`. Shape (k, n).
        bounds: Of velocity, acceleration and jerk of each joint; an infinite jerk is no bound.
        is_free: Tells whether all postures of some rows are free. The whole motion is looked at.
        resolution: Step between two postures that are looked at, as in `plan_free_motion`.
        weights: What a unit of each joint counts in it.
        tolerance: How far the motion may leave the path at its corners [rad].
    """
    points = _checked_path(path)
    n = points.shape[1]
    space = JointSpace.checked(
        points.min(axis=0), points.max(axis=0), is_free, resolution=resolution, weights=weights
    )
    tolerance = finite_number(tolerance, name="tolerance [rad]", lower=0.0)
    if len(points) == 1:
        still = np.zeros((1, 5, n))
        still[0, 0] = points[0]
        return TimedMotion(trajectory=SmoothMove(np.zeros(2), still, 0.0), deviation=0.0, stops=0)
    window = 2.0 * bounds.acceleration / bounds.jerk
    for rounding in ROUNDINGS:
        motion = _rounded(points, bounds, window, space, rounding * tolerance)
        if motion.deviation <= tolerance and _is_free_throughout(motion.trajectory, space):
            return motion
    return _rounded(points, bounds, window, space, 0.0)


def _rounded(
    points: Array, bounds: Bounds, window: float, space: JointSpace, tolerance: float
) -> TimedMotion:
    """Return the motion: half the tolerance is for rounding off, half for what averaging adds."""
    reaches = _blend_reaches(points, space, 0.5 * tolerance)
    move = _timed(points, reaches, bounds, window, 0.5 * tolerance)
    stops = int((reaches[1:-1] == 0.0).sum())
    return TimedMotion(trajectory=move, deviation=_deviation(move, points), stops=stops)


def _checked_path(path: ArrayLike) -> Array:
    points = read_only(path, name="path", shape=(None, None))
    if not len(points):
        raise InvalidInput("the path has no postures; give at least one")
    apart = np.linalg.norm(np.diff(points, axis=0), axis=1) > STRAIGHT
    return points[np.append(True, apart)]


# --- corners


def _blend_reaches(points: Array, space: JointSpace, tolerance: float) -> Array:
    """Return how far each corner's parabola reaches into the pieces beside it. Shape (k,).

    A reach d leaves the corner by d / 4 times the difference of the tangents.
    """
    ways = np.linalg.norm(np.diff(points, axis=0), axis=1)
    tangents = np.diff(points, axis=0) / ways[:, None]
    reaches = np.zeros(len(points))
    for i in range(1, len(points) - 1):
        swing = float(np.linalg.norm(tangents[i] - tangents[i - 1]))
        reach = 0.5 * min(ways[i - 1], ways[i])
        reach = min(reach, 4.0 * tolerance / max(swing, STRAIGHT))
        reach = reach if reach > SMALLEST else 0.0
        for _ in range(5):
            if reach == 0.0 or _blend_is_free(points[i], tangents[i - 1 : i + 1], reach, space):
                break
            reach *= 0.5
        else:
            reach = 0.0
        reaches[i] = reach
    return reaches


def _blend_is_free(corner: Array, tangents: Array, reach: float, space: JointSpace) -> bool:
    before, after = tangents
    steps = space.steps(corner - reach * before, corner) + space.steps(
        corner, corner + reach * after
    )
    s = np.linspace(0.0, 2.0 * reach, steps + 1)[:, None]
    return space.free(
        corner - reach * before + s * before + s * s / (4.0 * reach) * (after - before)
    )


# --- times


def _timed(
    points: Array, reaches: Array, bounds: Bounds, window: float, tolerance: float
) -> SmoothMove:
    from mecano.core.compiled import first_call_notice
    from mecano.planning.path_timing_kernel import fastest

    lengths, begins, before, bending, rests = _cells(points, reaches)
    after = before + lengths[:, None] * bending
    n = points.shape[1]
    steepest = np.maximum(np.abs(before), np.abs(after)).max(axis=1)
    inside = (bounds.velocity / steepest) ** 2
    bent = np.linalg.norm(bending, axis=1)
    if window > 0.0:  # the average leaves a bend by its bending times (speed window)^2 / 24
        bent = np.where(bent > 0.0, bent, np.nan)
        inside = np.fmin(inside, 24.0 * tolerance / bent / window**2)
    ceilings = np.minimum(np.append(inside, np.inf), np.append(np.inf, inside))
    ceilings[rests] = 0.0
    ceilings[[0, -1]] = 0.0
    squares = np.empty(len(lengths) + 1)
    with first_call_notice(fastest):
        fastest(lengths, before, after, bending, np.full(n, float(bounds.acceleration)),
                ceilings, squares)  # fmt: skip
    speeds = np.sqrt(squares)
    lasts = 2.0 * lengths / (speeds[1:] + speeds[:-1])
    u, v = 0.5 * np.diff(squares) / lengths, speeds[:-1]
    # s = v t + u t^2 / 2 in q = begin + before s + bending s^2 / 2
    v, u = v[:, None], u[:, None]
    rows = np.stack(
        [
            begins,
            before * v,
            0.5 * (before * u + bending * v * v),
            0.5 * bending * v * u,
            0.125 * bending * u * u,
        ],
        axis=1,
    )
    waits = np.zeros(
        (len(rests), 5, n)
    )  # standing still for a window keeps the average on the path
    waits[:, 0] = begins[rests]
    lasts = np.insert(lasts, rests, window)
    rows = np.insert(rows, rests, waits, axis=0)
    real = lasts > 0.0
    starts = np.concatenate([[0.0], np.cumsum(lasts[real])])
    return SmoothMove(starts, rows[real], window)


def _cells(points: Array, reaches: Array) -> tuple[Array, Array, Array, Array, np.ndarray]:
    """Cut the path into cells.

    Returns:
        Lengths (m,), postures at the left ends (m, n), tangents there (m, n), bendings (m, n), and
        the numbers of the cells before which it must stand still.
    """
    ways = np.linalg.norm(np.diff(points, axis=0), axis=1)
    tangents = np.diff(points, axis=0) / ways[:, None]
    lengths: list[float] = []
    begins: list[Array] = []
    before: list[Array] = []
    bending: list[Array] = []
    rests = []
    for i, (way, tangent) in enumerate(zip(ways, tangents, strict=True)):
        straight = way - reaches[i] - reaches[i + 1]
        if straight > STRAIGHT * way:
            cell = straight / CELLS
            for k in range(CELLS):
                lengths.append(cell)
                begins.append(points[i] + (reaches[i] + k * cell) * tangent)
                before.append(tangent)
                bending.append(np.zeros_like(tangent))
        if i + 1 == len(ways):
            break
        reach, following = reaches[i + 1], tangents[i + 1]
        if reach == 0.0:
            rests.append(len(lengths))
            continue
        cell, bend = 2.0 * reach / BLEND_CELLS, (following - tangent) / (2.0 * reach)
        for k in range(BLEND_CELLS):
            s = k * cell
            lengths.append(cell)
            begins.append(points[i + 1] + (s - reach) * tangent + 0.5 * s * s * bend)
            before.append(tangent + s * bend)
            bending.append(bend)
    return (np.array(lengths), np.array(begins), np.array(before), np.array(bending),
            np.array(rests, int))  # fmt: skip


# --- checks


def _is_free_throughout(move: SmoothMove, space: JointSpace) -> bool:
    """Tell whether the whole motion is free, at the resolution of the space."""
    rows = move.postures(np.linspace(0.0, move.duration, 200))
    longest = (np.abs(np.diff(rows, axis=0)) @ space.weights).max()
    if longest > 0.1 * space.resolution:
        count = int(np.ceil(2000 * longest / space.resolution))
        rows = move.postures(np.linspace(0.0, move.duration, count))
    # Where it moves slowly the rows lie closer than asked: leave out those that are not needed.
    along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(rows, axis=0)) @ space.weights)])
    kept = np.searchsorted(along, np.arange(0.0, along[-1], 0.9 * space.resolution), side="right")
    return space.free(rows[np.unique(np.append(np.maximum(kept - 1, 0), len(rows) - 1))])


def _deviation(move: SmoothMove, points: Array) -> float:
    """Return the largest distance of the motion from the path [rad].

    The largest lies between two samples, so the peaks are sampled once more, finely.
    """
    times = np.linspace(0.0, move.duration, max(200, 40 * len(points)))
    coarse = _distances(move.postures(times), points)
    before, after = np.append(-np.inf, coarse[:-1]), np.append(coarse[1:], -np.inf)
    peaks = (coarse >= before) & (coarse >= after) & (coarse > 0.9 * coarse.max())
    step = times[1] - times[0]
    fine = (times[peaks, None] + np.linspace(-step, step, FINE)).ravel()
    return float(_distances(move.postures(fine), points).max(initial=coarse.max()))


def _distances(rows: Array, points: Array) -> Array:
    """Return how far each posture is from the path [rad]. Shape (k,)."""
    nearest = np.full(len(rows), np.inf)
    for one, other in pairwise(points):
        way = other - one
        part = np.clip((rows - one) @ way / (way @ way), 0.0, 1.0)
        nearest = np.minimum(nearest, np.linalg.norm(rows - one - part[:, None] * way, axis=1))
    return nearest
