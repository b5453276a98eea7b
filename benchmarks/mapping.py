"""Mapping on real logs: error by the Freiburg benchmark's relations, time and memory.

The logs are the shared data sets, which are not part of the project; without them all rows are
empty. Every log is mapped with the same default settings, by the command a user types.
"""

import json
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.results import BenchRow
from mecano.estimation.relations import relation_errors
from mecano.estimation.slam.graph_start import optimize_from_edges, tree_start
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.record.graph_files import read_graph
from mecano.record.relation_files import read_relations
from peers import named
from timing import compare

DATA = Path(__file__).parents[2] / "shared" / "datasets" / "slam"
GAP = 1.5
"""Relations further from any node of Killian's graph than this are not used [s]; README there."""


def slam_intel() -> BenchRow:
    """Intel: mean error of the relations' translation; gmapping with dense updates has 0.0494."""
    return _row("slam_intel", lambda: _moved(intel()), "m", "value <= 0.0494 m")


def slam_intel_turn() -> BenchRow:
    """Intel: mean error of the relations' rotation; gmapping has 1.53."""
    return _row("slam_intel_turn", lambda: _turned(intel()), "deg", "value <= 1.53 deg")


def slam_intel_time() -> BenchRow:
    """Intel: time of the processor for 2,690 s of driving, everything but reading the log."""
    return _row(
        "slam_intel_time", lambda: intel()["seconds"]["of the processor"], "s", "value < 60 s"
    )


def slam_intel_memory() -> BenchRow:
    """Intel: most memory that the process had."""
    return _row("slam_intel_memory", lambda: intel()["memory_mb"], "MB", "value < 1000 MB")


def slam_csail() -> BenchRow:
    """CSAIL: median distance from gmapping's published path, over stretches of 10 scans."""
    return _row("slam_csail", _csail_apart, "m", None)


def slam_killian() -> BenchRow:
    """Killian Court, loops found by our own front end."""
    return _row("slam_killian", lambda: _moved(killian()), "m", "value <= 0.122 m")


def slam_killian_given() -> BenchRow:
    """Killian Court, all edges given, the back end alone; beside gtsam's error."""
    if not DATA.is_dir():
        return _row("slam_killian_given", lambda: 0.0, "m", None)
    graph = read_graph(DATA / "killian.graph.gz")
    ours = _killian_error(graph, optimize_from_edges(graph, None).poses)
    found = _gtsam(graph)
    theirs = None if found is None else _killian_error(graph, found)
    return BenchRow(
        name="slam_killian_given", value=ours, unit="m", bar="ratio >= 0.99",
        peer=named("gtsam", "gtsam"), peer_value=theirs,
    )  # fmt: skip


def slam_killian_given_time() -> BenchRow:
    """The same: time from the edges to the optimum, beside gtsam from our start values."""
    if not DATA.is_dir():
        return _row("slam_killian_given_time", lambda: 0.0, "ms", None)
    graph = read_graph(DATA / "killian.graph.gz")
    there = find_spec("gtsam") is not None
    seconds, peer_seconds = compare(
        lambda: optimize_from_edges(graph, None),
        (lambda: _gtsam(graph)) if there else None,
        rounds=3,
    )
    return BenchRow(
        name="slam_killian_given_time", value=1e3 * seconds, unit="ms",
        peer=named("gtsam", "gtsam"),
        peer_value=None if peer_seconds is None else 1e3 * peer_seconds,
    )  # fmt: skip


ROWS = (
    slam_intel,
    slam_intel_turn,
    slam_intel_time,
    slam_intel_memory,
    slam_csail,
    slam_killian,
    slam_killian_given,
    slam_killian_given_time,
)


@cache
def intel() -> dict[str, Any]:
    """Map Intel, after a small log has compiled all kernels."""
    csail()
    return _mapped("intel.log.gz")[0]


@cache
def csail() -> tuple[dict[str, Any], Array]:
    """Map CSAIL."""
    return _mapped("csail.log.gz")


@cache
def killian() -> dict[str, Any]:
    """Find the loops of Killian Court."""
    return _mapped("--graph", "killian.graph.gz", "--own-loops")[0]


def _mapped(*words: str) -> tuple[dict[str, Any], Array]:
    """Run `mecano slam` on a shared log; return its result and its path."""
    with TemporaryDirectory() as folder:
        files = [str(DATA / word) if word.endswith(".gz") else word for word in words]
        command = [sys.executable, "-m", "mecano", "slam", *files, "--out", folder, "--json"]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout), np.loadtxt(Path(folder) / "trajectory.txt")


def _moved(result: dict[str, Any]) -> float:
    return result["relations"]["translation_m"]["mean"]


def _turned(result: dict[str, Any]) -> float:
    return result["relations"]["rotation_deg"]["mean"]


def _csail_apart() -> float:
    """Return the median difference of relative translations to gmapping's path [m]."""
    from mecano.core.poses.planar_arrays import poses_at, relative_all

    rows, other = csail()[1], np.loadtxt(DATA / "csail.gmapping.traj.gz")
    theirs = poses_at(rows[:, 0], other[:, 0], other[:, 1:4])
    ours, gmapping = (relative_all(p[:-10], p[10:]) for p in (rows[:, 1:], theirs))
    return float(np.median(np.linalg.norm((ours - gmapping)[:, :2], axis=1)))


def _killian_error(graph: PoseGraph, poses: Array) -> float:
    relations = read_relations(DATA / "killian.relations.gz")
    return relation_errors(graph.stamps, poses, relations, max_gap=GAP).translation.mean


def _gtsam(graph: PoseGraph) -> Array | None:
    """Return the poses that gtsam's Levenberg-Marquardt finds; None if it is not installed."""
    if find_spec("gtsam") is None:
        return None
    import gtsam

    factors, start = gtsam.NonlinearFactorGraph(), gtsam.Values()
    for (a, b), measured, information in zip(
        graph.edges.tolist(), graph.measured.tolist(), graph.information, strict=True
    ):
        noise = gtsam.noiseModel.Gaussian.Information(information)
        factors.add(gtsam.BetweenFactorPose2(a, b, gtsam.Pose2(*measured), noise))
    first = tree_start(graph).poses
    factors.add(
        gtsam.PriorFactorPose2(
            0, gtsam.Pose2(*first[0].tolist()), gtsam.noiseModel.Isotropic.Sigma(3, 1e-6)
        )
    )
    for number, pose in enumerate(first.tolist()):
        start.insert(number, gtsam.Pose2(*pose))
    found = gtsam.LevenbergMarquardtOptimizer(factors, start).optimize()
    poses = (found.atPose2(number) for number in range(len(first)))
    return np.array([(pose.x(), pose.y(), pose.theta()) for pose in poses])


def _row(name: str, measure: Any, unit: str, bar: str | None) -> BenchRow:
    """Return a row; without the shared data one that says so and holds no bar."""
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not there", file=sys.stderr)
        return BenchRow(name=name, value=0.0, unit=f"{unit} (skipped)")
    return BenchRow(name=name, value=measure(), unit=unit, bar=bar)
