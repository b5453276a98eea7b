"""Loops for a graph that others began: poses strung by their edges, scans without odometry."""

from collections.abc import Sequence

from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.estimation.slam.back_end import BackEnd
from mecano.estimation.slam.clouds import cloud_of
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.estimation.slam.settings import SlamSettings
from mecano.estimation.slam.single_poses import compose
from mecano.estimation.slam.stop_watch import StopWatch

DEFAULT = SlamSettings()


def close_loops(
    graph: PoseGraph,
    scans: Sequence[LaserScan],
    settings: SlamSettings = DEFAULT,
    *,
    mount: Pose2 | None = None,
    watch: StopWatch | None = None,
) -> PoseGraph:
    """Return a graph with loops found by its scans, optimized. Nothing about it is random.

    Args:
        graph: Nodes in the order of time; only its edges that are no loops are used, and every
            node must have one to the node before it.
        scans: One for each node.
        settings: As for mapping with odometry.
        mount: Where the scanner sits on the base.
        watch: Notes the seconds of the stages.
    """
    if len(scans) != len(graph.poses):
        raise InvalidInput(
            f"the graph has {len(graph.poses)} nodes but there are {len(scans)} scans; "
            "each node needs its scan"
        )
    steps = _steps(graph)
    frames = Keyframes(settings)
    watch = watch or StopWatch()
    back_end = BackEnd(frames, settings, watch)
    for new, scan in enumerate(scans):
        with watch.time("points"):
            cloud = cloud_of(scan, mount or Pose2(), settings)
        before = new - 1
        if not new:
            frames.append(scan.stamp, cloud, graph.poses[0])
            continue
        edge = steps[new]
        frames.append(scan.stamp, cloud, compose(frames.poses[before], graph.measured[edge]))
        frames.edges.append(before, new, graph.measured[edge], graph.information[edge])
        back_end.follow(new)
    back_end.finish()
    return back_end.graph


def _steps(graph: PoseGraph) -> list[int]:
    """Return the edge that leads to each node from the one before; the first has none."""
    steps = [-1] * len(graph.poses)
    for k, (i, j) in enumerate(graph.edges.tolist()):
        if j == i + 1 and not graph.loop[k]:
            steps[j] = k
    missing = [node for node in range(1, len(steps)) if steps[node] < 0]
    if missing:
        raise InvalidInput(
            f"no edge leads from node {missing[0] - 1} to node {missing[0]} "
            f"({len(missing)} of {len(steps)} nodes have none); loops can only be searched along "
            "a chain of sequential edges"
        )
    return steps
