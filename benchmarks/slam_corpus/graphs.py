"""Pose graphs with scans as logs: their sequential edges take the place of odometry."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.drive_log import DriveLog
from mecano.core.errors import InvalidInput
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.record.drive_logs import file_beside
from mecano.record.graph_files import read_graph, read_scans
from slam_corpus.odometry_faults import steps_of, strung

FOR_GRAPHS = (
    "mirrored", "reversed in time", "every 4th beam", "cut to 5 m", "5 cm range noise",
    "frame turned by 15 deg", "frame turned by 135 deg", "frame turned by 255 deg",
)  # fmt: skip
"""Variants that make sense for edges which a scan matcher measured: none of odometry."""


def is_graph(file: Path) -> bool:
    """Tell a pose graph from a log by its name."""
    return file.name.removesuffix(".gz").endswith(".graph")


def strung_graph(file: Path) -> DriveLog:
    """Return a pose graph as a log."""
    graph, scans_file = read_graph(file), file_beside(file, "scans")
    if scans_file is None:
        raise InvalidInput(f"the graph {file} has no scans beside it; they are found by its name")
    scans = read_scans(scans_file)
    odometry = strung(np.zeros(3), graph.measured[_sequential(graph)])
    return DriveLog(
        source=str(file), odometry_stamps=np.array([scan.stamp for scan in scans]),
        odometry=odometry, scans=scans, scan_odometry=odometry,
    )  # fmt: skip


def graph_of(log: DriveLog, file: Path, variant: str) -> PoseGraph:
    """Return the sequential edges of a graph as a variant of its log has them.

    Args:
        log: `strung_graph` of the file, changed by one of `FOR_GRAPHS`.
        file: Of the graph, for the information of its edges.
        variant: How the log was changed.
    """
    original = read_graph(file)
    information = original.information[_sequential(original)]
    steps = steps_of(log.scan_odometry)
    if variant == "mirrored":
        flip = np.diag([1.0, -1.0, -1.0])
        information = flip @ information @ flip
    elif variant == "reversed in time":
        back = _adjoints(steps)
        information = np.swapaxes(back, 1, 2) @ information[::-1] @ back
    count = len(log.scans)
    return PoseGraph(
        stamps=log.scan_stamps, poses=log.scan_odometry,
        edges=np.column_stack([np.arange(count - 1), np.arange(1, count)]), measured=steps,
        information=information, loop=np.zeros(count - 1, dtype=bool),
    )  # fmt: skip


def _sequential(graph: PoseGraph) -> NDArray[np.intp]:
    """Return the numbers of the edges from each node to the next, in order."""
    follows = (graph.edges[:, 1] == graph.edges[:, 0] + 1) & ~graph.loop
    first = np.flatnonzero(follows)
    return first[np.argsort(graph.edges[first, 0], kind="stable")]


def _adjoints(steps: Array) -> Array:
    """Return what turns a small motion at the end of a step into one at its begin. (n, 3, 3)."""
    x, y, yaw = steps.T
    c, s, zero, one = np.cos(yaw), np.sin(yaw), np.zeros_like(x), np.ones_like(x)
    rows = [[c, -s, y], [s, c, -x], [zero, zero, one]]
    return np.moveaxis(np.array(rows), -1, 0)
