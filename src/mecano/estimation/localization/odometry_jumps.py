"""Steps of odometry that no base can make: it was reset, or began anew."""

from math import hypot

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all, relative_all

FASTEST, FASTEST_TURN = 5.0, 10.0
"""No base in a building is faster [m/s], [rad/s] (EST)."""
SLACK, SLACK_TURN = 1.0, 1.0
"""Stamps in a burst lie closer than the readings were: a step may be so much larger [m], [rad].
The odometry of the Intel log needs 0.77 m and 0.77 rad (measured)."""
EVEN_SLACK, EVEN_SLACK_TURN = 0.1, 0.2
"""The same where stamps come evenly (EST): our own runs and the CSAIL log need none (measured)."""
EARLY, EVEN = 0.25, 0.01
"""Stamps come evenly if no more than this share of them comes earlier than this part of the usual
time after the one before. In the Intel log it is 25 %, in the others none."""


def slack_of(stamps: Array) -> tuple[float, float]:
    """Return how much larger than its time allows a step may be, by how evenly stamps come.

    Args:
        stamps: Rising [s]. Shape (n,).

    Returns:
        [m], [rad].
    """
    waits = np.diff(stamps)
    if len(waits) and np.mean(waits < EARLY * np.median(waits)) <= EVEN:
        return EVEN_SLACK, EVEN_SLACK_TURN
    return SLACK, SLACK_TURN


def is_jump(step: Pose2, seconds: float) -> bool:
    """Say whether a step is too large for its time."""
    too_far = hypot(step.x, step.y) > FASTEST * seconds + SLACK
    return too_far or abs(step.yaw) > FASTEST_TURN * seconds + SLACK_TURN


def jumps(stamps: Array, poses: Array, *, slack: tuple[float, float] = (SLACK, SLACK_TURN)) -> Mask:
    """Say which steps from one pose to the next are jumps.

    Args:
        stamps: Not falling [s]. Shape (n,).
        poses: x, y [m], yaw [rad]. Shape (n, 3).
        slack: How much larger than its time allows a step may be [m], [rad]; see `slack_of`.

    Returns:
        Shape (n - 1,).
    """
    steps, seconds = relative_all(poses[:-1], poses[1:]), np.diff(stamps)
    too_far = np.hypot(steps[:, 0], steps[:, 1]) > FASTEST * seconds + slack[0]
    return too_far | (np.abs(steps[:, 2]) > FASTEST_TURN * seconds + slack[1])


def without_jumps(
    stamps: Array, poses: Array, *, slack: tuple[float, float] = (SLACK, SLACK_TURN)
) -> Array:
    """Return odometry as if the base had stood still over each jump, see `jumps`. Shape (n, 3)."""
    starts = np.flatnonzero(jumps(stamps, poses, slack=slack)) + 1
    if not len(starts):
        return poses
    joined = np.array(poses)
    for start, stop in zip(starts, [*starts[1:], len(poses)], strict=True):
        steps = relative_all(poses[start], poses[start:stop])
        joined[start:stop] = compose_all(joined[start - 1], steps)
    return joined
