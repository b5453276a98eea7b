"""Where a thing on posts stands (a table, a shelf), by what planar LIDARs see of its posts.

All readings of a LIDAR may be off by one length that nobody knows, so that is estimated too: posts
to the left and right, whose distance is known, tell it. Pure, as `docking`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.poses import Pose2, wrap_angle

ROUNDS = 25
"""Of Gauss and Newton; the posts that readings belong to are found anew in each."""
GATES = 0.30, 0.10
"""Readings further from every post are of something else [m]: at first, and in the end."""
FEWEST = 12
"""Readings that a fit needs."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Beams:
    """Readings of several scanners, in the frame of the base."""

    origins: Array
    """Where the beams begin [m]. Shape (n, 2)."""
    directions: Array
    """Of the beams. Shape (n, 2)."""
    ranges: Array
    """What was read [m]. Shape (n,)."""
    scanners: NDArray[np.intp]
    """Which scanner read it, from 0. Shape (n,)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PostFit:
    """Where a thing on posts stands."""

    pose: Pose2
    """Of its frame, in that of the base."""
    offsets: Array
    """How far the readings of each scanner are off [m]."""
    spread: float
    """Of the readings after that [m]."""
    posts: int
    """How many of the posts were seen."""


def fit_posts(
    beams: Beams, posts: Sequence[tuple[float, float]], guess: Pose2, *, half_width: float,
    noise: float, offset: float,
) -> PostFit | None:  # fmt: skip
    """Return where posts stand, or None if too little of them is in sight.

    Args:
        beams: What the scanners read.
        posts: Middles of the posts in the frame that is looked for [m].
        guess: About where that frame is, in the frame of the base: within 0.2 m and 10 degrees.
        half_width: Of a post [m].
        noise: Spread of a reading [m].
        offset: Spread of what all readings of a scanner are off by [m].
    """
    places, count = np.array(posts, float), int(beams.scanners.max(initial=-1)) + 1
    state = np.array([guess.x, guess.y, guess.yaw, *np.zeros(count)])
    aside = np.stack([-beams.directions[:, 1], beams.directions[:, 0]], axis=1)
    kept, owner, apart = np.zeros(0, int), np.zeros(0, int), np.zeros(0)
    for number in range(ROUNDS):
        gate = GATES[0] if number < ROUNDS // 2 else GATES[1]
        c, s = cos(state[2]), sin(state[2])
        turned = places @ np.array([[c, s], [-s, c]])
        there = turned + state[:2]
        reach = beams.ranges - state[3 + beams.scanners]
        hits = beams.origins + reach[:, None] * beams.directions
        far = np.linalg.norm(hits[:, None] - there[None], axis=2)
        kept = np.flatnonzero(far.min(axis=1) <= gate)
        if len(kept) < FEWEST:
            return None
        owner = far[kept].argmin(axis=1)
        d, n = beams.directions[kept], aside[kept]
        middle = there[owner] - beams.origins[kept]
        swing = np.stack([-turned[owner, 1], turned[owner, 0]], axis=1)
        apart = reach[kept] + half_width - np.sum(d * middle, axis=1)
        beside = np.sum(n * middle, axis=1)
        rows, residuals = [], []
        for axis, residual, weight in ((d, apart, 1.0 / noise), (n, -beside, 2.0 / half_width)):
            J = np.zeros((len(kept), 3 + count))
            J[:, :2], J[:, 2] = axis, np.sum(axis * swing, axis=1)
            if axis is d:
                J[np.arange(len(kept)), 3 + beams.scanners[kept]] = 1.0
            rows.append(weight * J)
            residuals.append(weight * residual)
        prior = np.zeros((count, 3 + count))
        prior[:, 3:] = np.eye(count) / offset
        A = np.concatenate([*rows, prior])
        b = np.concatenate([*residuals, -state[3:] / offset])
        step = np.linalg.solve(A.T @ A + 1e-9 * np.eye(3 + count), A.T @ b)
        state = state + step
    return PostFit(
        pose=Pose2(float(state[0]), float(state[1]), wrap_angle(float(state[2]))),
        offsets=np.array(state[3:], float),
        spread=sqrt(float(np.mean(apart**2))),
        posts=len(set(owner.tolist())),
    )
