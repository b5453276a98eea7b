"""The measure of the Freiburg benchmark, against the shared tool where that is at hand."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from random_walk import walk

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses.planar_arrays import compose_all, relative_all
from mecano.estimation.gaps import fill_with_odometry
from mecano.estimation.relations import Relations, relation_errors
from mecano.record.carmen import read_carmen
from mecano.record.relation_files import read_relations
from mecano.record.trajectories import read_trajectory

SHARED = Path(__file__).parents[4] / "shared"
SLAM = SHARED / "datasets/slam"
needs_shared = pytest.mark.skipif(not SLAM.is_dir(), reason="needs the shared data sets")


def relations_of(stamps, poses, pairs):
    i, j = np.array(pairs).T
    return Relations(before=stamps[i], after=stamps[j], motions=relative_all(poses[i], poses[j]))


PAIRS = [(0, 5), (3, 40), (40, 3), (20, 59)]


@pytest.mark.parametrize("association", ["nearest", "interp"])
def test_a_path_that_is_moved_as_a_whole_has_no_error(association):
    stamps, poses = walk(np.random.default_rng(0))
    relations = relations_of(stamps, poses, PAIRS)
    moved = compose_all([5.0, -3.0, 2.0], poses)
    errors = relation_errors(stamps, moved, relations, association=association)
    assert errors.translation.max < 1e-9 and errors.rotation_deg.max < 1e-6
    assert errors.used.all()


def test_an_error_is_measured_where_the_second_pose_should_be():
    relations = Relations(before=np.zeros(1), after=np.ones(1), motions=np.array([[1.0, 0, 0]]))
    poses = np.array([[0.0, 0.0, 0.0], [1.3, 0.4, np.radians(2.0)]])
    errors = relation_errors(np.array([0.0, 1.0]), poses, relations)
    assert errors.translation.mean == pytest.approx(0.5)
    assert errors.rotation_deg.mean == pytest.approx(2.0)
    assert "0.5000 +- 0.0000 m, 2.00 +- 0.00 deg (1 of 1" in str(errors)


def test_relations_far_from_the_path_are_not_used():
    stamps, poses = walk(np.random.default_rng(1))
    relations = relations_of(stamps, poses, PAIRS)
    errors = relation_errors(stamps[:30], poses[:30], relations)
    assert errors.used.tolist() == [True, False, False, False]
    with pytest.raises(InvalidInput, match="covers none of the 4 relations"):
        relation_errors(stamps + 1e3, poses, relations)


def test_paths_that_cannot_be_judged_are_refused():
    stamps, poses = walk(np.random.default_rng(5))
    relations = relations_of(stamps, poses, PAIRS)
    with pytest.raises(InvalidInput, match="1 stamps"):
        relation_errors(stamps[:1], poses[:1], relations)
    with pytest.raises(InvalidInput, match="must rise"):
        relation_errors(stamps[::-1], poses, relations)
    with pytest.raises(UnknownName, match="nearest, interp"):
        relation_errors(stamps, poses, relations, association="next")  # type: ignore[arg-type]


def shared_tool():
    spec = importlib.util.spec_from_file_location("_tool", SHARED / "tools/relations_eval.py")
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(tool)
    finally:
        sys.dont_write_bytecode = before
    return tool


@needs_shared
@pytest.mark.slow
def test_the_shared_tool_agrees():
    tool = shared_tool()
    log, listed = SLAM / "intel.log.gz", SLAM / "intel.relations.gz"
    stamps, poses = tool.load_trajectory(SLAM / "intel.gmapping.traj.gz")
    theirs_filled = tool.fill(stamps[::7], poses[::7], *tool.load_odometry(log))
    path, drive = read_trajectory(SLAM / "intel.gmapping.traj.gz"), read_carmen(log)
    filled = fill_with_odometry(
        path.stamps[::7], path.poses[::7], drive.odometry_stamps, drive.odometry
    )
    for association in ("nearest", "interp"):
        theirs = tool.evaluate(*theirs_filled, *tool.load_relations(listed), assoc=association)[0]
        ours = relation_errors(*filled, read_relations(listed), association=association).to_json()
        assert ours["used"] == theirs["used"] and ours["relations"] == theirs["relations"]
        assert ours["translation_m"] == pytest.approx(theirs["trans_m"], rel=1e-9)
        assert ours["rotation_deg"] == pytest.approx(theirs["rot_deg"], rel=1e-9)


def test_the_published_path_of_gmapping_scores_as_listed(real_logs):
    """The numbers of the data sets' own tool, which the README of the whole logs lists."""
    path = read_trajectory(real_logs / "intel.gmapping.traj.gz")
    relations = read_relations(real_logs / "intel.relations.gz")
    errors = relation_errors(path.stamps, path.poses, relations)
    mean, std, turned = (0.0639, 0.0677, 2.46) if real_logs.whole else (0.02878, 0.02805, 1.651)
    assert errors.translation.mean == pytest.approx(mean, abs=5e-5)
    assert errors.translation.std == pytest.approx(std, abs=5e-5)
    assert errors.rotation_deg.mean == pytest.approx(turned, abs=5e-3)
