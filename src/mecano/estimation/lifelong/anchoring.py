"""A finished drive placed in an old map: by what was measured along it, and by the old walls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array, Mask
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all, relative_all
from mecano.estimation.lifelong.wall_field import WallField, WallFit

if TYPE_CHECKING:
    from mecano.estimation.slam.mapper import Doubt
    from mecano.estimation.slam.pose_graph import PoseGraph

AROUND = 2
"""Keyframes before and after one that are fitted together with it."""
GUESS_SIGMA = 0.15, 0.05
"""Standard deviations of where a keyframe may be from a guess [m], [rad]."""
ONE_PLACE = 0.1
"""Guesses that are nearer to each other are one [m]."""
BETTER = 0.1
"""A further guess is taken if so much more lies on walls there: along a bare corridor all fit."""
VOTERS, VOTES = 6, 0.5
"""A fit is used if this part of so many others before and after agrees with it ..."""
AGREES = 0.12, 0.04
"""... within this, by the steps between them [m], [rad]."""
FLOOR = 1e-4 * np.eye(3)
"""Information that every edge has [1/m2, 1/rad2]: 100 m is as good as nothing."""
MISFIT = 0.35
"""A stretch is doubtful if less of what it saw of known space lies on old walls."""
MIN_DOUBTFUL = 5
"""So many keyframes in a row make such a stretch."""


@dataclass(frozen=True, eq=False)
class AnchoredDrive:
    """Where a drive lies in an old map."""

    poses: Array
    """Of the base at every scan: x, y [m], yaw [rad]. Shape (n, 3)."""
    keyframes: Sequence[int]
    """Numbers of the scans that are keyframes."""
    shares: Array
    """Part of the returns in known space that lies on old walls, NaN if there are none. Of each
    keyframe and its neighbours, 0 to 1."""

    def doubts(self, stamps: Array) -> "list[Doubt]":
        """Return stretches that do not fit the old map.

        Args:
            stamps: Of the scans [s]. Shape (n,).
        """
        from mecano.estimation.slam.mapper import Doubt

        bad = np.concatenate([[False], self.shares < MISFIT, [False]])
        begins, ends = np.flatnonzero(~bad[:-1] & bad[1:]), np.flatnonzero(bad[:-1] & ~bad[1:])
        return [
            Doubt(
                start=float(stamps[self.keyframes[begin]]),
                end=float(stamps[self.keyframes[end - 1]]),
                error=GUESS_SIGMA[0],
                reason=f"only {100 * np.nanmean(self.shares[begin:end]):.0f} % of what was seen "
                "lies on walls of the resumed map",
            )
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
            if end - begin >= MIN_DOUBTFUL
        ]


def place_drive(
    walls: WallField,
    graph: "PoseGraph",
    own: Array,
    keyframes: Sequence[int],
    *,
    points: Sequence[Array],
    guesses: Sequence[Array],
) -> AnchoredDrive:
    """Place a drive in an old map.

    Steps both sides of which fit the old walls elsewhere lose their weight, and so do fits that the
    rest of the drive contradicts.

    Args:
        walls: Of the old map.
        graph: Keyframes of the drive and what was measured between them.
        own: Poses of all scans in the frame of the drive's own map. Shape (n, 3).
        keyframes: Numbers of the scans that are keyframes.
        points: Returns of each keyframe, in the frame of the base [m].
        guesses: Where the scans may lie in the old map; the first is preferred. Shape
            (n, 3) each.
    """
    at = np.asarray(keyframes, dtype=np.int64)
    own_keys, key_guesses = own[at], [guess[at] for guess in guesses]
    fits = _fits(walls, own_keys, points, key_guesses)
    shares = np.array([fit.share if fit.known else np.nan for fit in fits])
    good = np.array([fit.is_reliable for fit in fits], dtype=np.bool_)
    fitted = np.array([(fit.pose.x, fit.pose.y, fit.pose.yaw) for fit in fits])
    used = np.flatnonzero(_agreeing(own_keys, fitted, good)).astype(np.int64)
    placed = key_guesses[0]
    if len(used):
        known = np.array([fits[k].information for k in used]) + FLOOR
        start = _start(own_keys, fitted, used)
        placed = _optimized(graph, start, used, fitted[used], known)
    last = np.maximum(np.searchsorted(at, np.arange(len(own)), side="right") - 1, 0)
    poses = compose_all(placed[last], relative_all(own_keys[last], own))
    return AnchoredDrive(poses, keyframes, shares)


def _fits(
    walls: WallField, own: Array, points: Sequence[Array], guesses: Sequence[Array]
) -> list[WallFit]:
    """Fit each keyframe, with its neighbours, near the guesses; later ones must fit better."""
    prior = np.diag(1.0 / np.array([GUESS_SIGMA[0], GUESS_SIGMA[0], GUESS_SIGMA[1]]) ** 2)
    fits = []
    for k in range(len(own)):
        near = range(max(0, k - AROUND), min(len(own), k + AROUND + 1))
        steps = relative_all(own[k], own[near.start : near.stop]).tolist()
        seen = np.concatenate([
            Pose2(*step).transform_points(points[i]) for step, i in zip(steps, near, strict=True)
        ])  # fmt: skip
        here = [Pose2(*guess[k].tolist()) for guess in guesses]
        tried = [here[0], *(other for other in here[1:] if other.distance_to(here[0]) > ONE_PLACE)]
        first, *others = (walls.fit(seen, guess, prior) for guess in tried)
        better = [fit for fit in others if fit.share > first.share + BETTER]
        fits.append(max(better, key=lambda fit: fit.share, default=first))
    return fits


def _agreeing(own: Array, fitted: Array, good: Mask) -> Mask:
    """Tell which good fits most of the good ones before and after agree with. Shape (n,)."""
    agreeing = np.zeros(len(own), dtype=np.bool_)
    numbers = np.flatnonzero(good)
    for at, k in enumerate(numbers.tolist()):
        near = numbers[max(0, at - VOTERS) : at + VOTERS + 1]
        near = near[near != k]
        there = compose_all(fitted[near], relative_all(own[near], own[k]))
        off = relative_all(there, fitted[k])
        votes = (np.hypot(off[:, 0], off[:, 1]) < AGREES[0]) & (np.abs(off[:, 2]) < AGREES[1])
        agreeing[k] = np.mean(votes) >= VOTES if len(near) else True
    return agreeing


def _start(own: Array, fitted: Array, used: NDArray[np.int64]) -> Array:
    """Return keyframes where they fit; others by the steps from the nearest one that does."""
    numbers = np.arange(len(own))
    nearest = used[np.argmin(np.abs(numbers[:, None] - used), axis=1)]
    return compose_all(fitted[nearest], relative_all(own[nearest], own))


def _optimized(
    graph: "PoseGraph", start: Array, used: NDArray[np.int64], measured: Array, known: Array
) -> Array:
    """Return where the keyframes lie by their edges and by fits to the old map."""
    from mecano.estimation.slam.pose_graph import PoseGraph, optimize

    whole = PoseGraph(  # node 0 is the old map
        stamps=np.concatenate([[0.0], graph.stamps]),
        poses=np.concatenate([np.zeros((1, 3)), start]),
        edges=np.concatenate([graph.edges + 1, np.column_stack([np.zeros_like(used), used + 1])]),
        measured=np.concatenate([graph.measured, measured]),
        information=np.concatenate([graph.information, known]),
        loop=np.ones(len(graph.edges) + len(used), dtype=np.bool_),
    )
    return optimize(whole).poses[1:]
