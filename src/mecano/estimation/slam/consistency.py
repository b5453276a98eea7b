"""Whether the uncertainty that a mapper states between two keyframes is honest."""

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses.planar_arrays import relative_all
from mecano.estimation.slam.kernels import kernels
from mecano.estimation.slam.loops import LEVER
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.estimation.slam.single_poses import compose, relative


def path_nees(graph: PoseGraph, truth: Array, *, distance: float) -> Array:
    """Return the normalized estimation error squared of stretches of a path, by its steps alone.

    A consistent estimate has a mean of 3, the number of its dimensions. No loop closure counts:
    this is the uncertainty by which places are searched before any is known.

    Args:
        graph: A mapper's.
        truth: Ground truth of its nodes: x, y [m], yaw [rad]. Shape (n, 3).
        distance: Of each stretch, along the path [m].

    Returns:
        One for each stretch; they do not overlap.
    """
    steps = ~graph.loop & (graph.edges[:, 1] - graph.edges[:, 0] == 1)
    order = np.argsort(graph.edges[steps, 1])
    measured, ends = graph.measured[steps][order], graph.edges[steps][order]
    covariances = np.linalg.inv(graph.information[steps][order])
    ways = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(truth[:, :2], axis=0).T))])
    marks = np.searchsorted(ways, np.arange(0.0, ways[-1], distance))
    known = np.empty((len(truth), 3, 3))
    found = []
    for first, last in zip(marks[:-1].tolist(), marks[1:].tolist(), strict=True):
        poses = _strung(measured[first:last])
        kernels().spread(
            0, poses, ends[first:last] - first, covariances[first:last], LEVER,
            known[: last - first + 1],
        )  # fmt: skip
        true = relative_all(truth[first], truth[last])
        error = relative(poses[-1], np.asarray(true))
        error[:2] = poses[-1][:2] - true[:2]
        error[2] = -error[2]
        found.append(float(error @ np.linalg.solve(known[last - first], error)))
    return np.array(found)


def _strung(steps: Array) -> Array:
    """Return poses one step after the other, from zero. Shape (n + 1, 3)."""
    poses = [np.zeros(3)]
    for step in steps:
        poses.append(compose(poses[-1], step))
    return np.array(poses)
