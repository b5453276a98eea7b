"""Pose graphs and scans as text."""

from math import inf

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.record.graph_files import read_graph, read_scans

SURE = "500 0 0 400 0 5000"
SQUARE = (
    "# a square, driven round",
    "NODE 7 0.0", "NODE 8 1.0", "NODE 9 2.0", "NODE 20 3.0",
    f"EDGE 7 8 1 0 1.5707963 {SURE}",
    f"EDGE 8 9 1 0 1.5707963 {SURE}",
    f"EDGE 9 20 1 0 1.5707963 {SURE}",
    f"EDGE 20 7 1 0 1.5707963 {SURE}",
)  # fmt: skip


@pytest.fixture
def file(tmp_path):
    def write(*lines):
        path = tmp_path / "a.graph"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def test_poses_are_strung_along_the_edges(file):
    graph = read_graph(file(*SQUARE))
    np.testing.assert_allclose(graph.poses[:, :2], [[0, 0], [1, 0], [1, 1], [0, 1]], atol=1e-6)
    assert graph.stamps.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert graph.loop.tolist() == [False, False, False, True]
    assert graph.information[0].tolist() == [[500, 0, 0], [0, 400, 0], [0, 0, 5000]]


def test_an_edge_to_an_unknown_node_is_refused_with_its_line(file):
    with pytest.raises(InvalidInput, match=r"line 10 .* node 99, which does not exist"):
        read_graph(file(*SQUARE, f"EDGE 7 99 1 0 0 {SURE}"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f"EDGE 7 9 nan 0 0 {SURE}", "not finite"),
        ("EDGE 7 9 1 0 0 500 0 0 500", "has 7 of 9 numbers"),
        (f"EDGE 7 nine 1 0 0 {SURE}", "word 3 must be a whole number"),
        (f"EDGE 7 9 1 0 x {SURE}", "could not convert"),
        ("EDGE 7 9 1 0 0 -500 0 0 500 0 5000", "not symmetric and positive definite"),
        ("NODE 7 5.0", "two nodes 7"),
        ("EDGE 7 7 1 0 0 500 0 0 500 0 5000", "to itself"),
    ],
)
def test_broken_lines_are_refused(file, line, says):
    with pytest.raises(InvalidInput, match=says):
        read_graph(file(*SQUARE, line))


def test_a_file_without_nodes_is_refused(file):
    with pytest.raises(InvalidInput, match="has no nodes"):
        read_graph(file("hello"))


def test_scans_come_in_the_order_of_their_times(file):
    scans = read_scans(file("SCAN 1 5.0 4 1 2 50 nan", "SCAN 0 4.0 4 1 2 3 4"))
    assert [scan.stamp for scan in scans] == [4.0, 5.0]
    np.testing.assert_array_equal(scans[1].ranges, [1.0, 2.0, inf, np.nan])


@pytest.mark.parametrize(
    ("line", "says"),
    [("SCAN 0 1.0 4 1 2 3", "has 3 of 4 numbers"), ("SCAN 0 1.0 1 1", "1 beams"), ("", "no scans")],
)
def test_broken_scans_are_refused(file, line, says):
    with pytest.raises(InvalidInput, match=says):
        read_scans(file(line))


def test_the_graph_of_killian_court_is_read_whole(real_logs):
    graph = read_graph(real_logs / "killian.graph.gz")
    nodes, edges, loops = (3873, 4987, 1115) if real_logs.whole else (900, 1030, 131)
    assert len(graph.poses) == nodes and len(graph.edges) == edges
    assert int(graph.loop.sum()) == loops


def test_a_graph_that_was_cut_off_before_its_edges_is_refused(tmp_path):
    path = tmp_path / "cut.graph"
    path.write_text("NODE 0 1.0\nNODE 1 2.0\n")
    with pytest.raises(InvalidInput, match=r"2 nodes and no edge.*cut off"):
        read_graph(path)
