"""`mecano slam`: logs and pose graphs."""

import gzip
import json
import os
import signal
from math import pi

import numpy as np
import pytest

from mecano.cli.slam import slam
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all, relative_all
from mecano.estimation.maps.files import load_map
from mecano.estimation.maps.log_odds import LogOddsGrid
from mecano.estimation.slam.mapper import Doubt
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.record.map_folder import MapFolder
from mecano.record.trajectories import read_trajectory, write_trajectory

FILES = ["map.pgm", "map.yaml", "map_with_path.png", "result.json", "trajectory.txt"]
HALF = np.array([4.0, 3.0])
"""Of the room [m]."""


def drive(count=40):
    """Return true poses on a round through the room."""
    turn = np.linspace(0.0, 2 * pi, count)
    return np.column_stack([2.0 * np.sin(turn), -1.5 * np.cos(turn), turn])


def seen(pose, beams=180):
    """Return what a scanner of half a turn sees in a room with a step in one wall."""
    x, y, yaw = pose
    angles = yaw - pi / 2 + np.arange(beams) * pi / beams
    c, s = np.cos(angles), np.sin(angles)
    with np.errstate(divide="ignore", invalid="ignore"):
        wide, high = (np.sign(c) * HALF[0] - x) / c, (np.sign(s) * HALF[1] - y) / s
    return np.fmin(wide, high)


def lines(poses):
    rows = []
    for stamp, pose in enumerate(poses):
        ranges = " ".join(f"{r:.3f}" for r in seen(pose))
        x, y, yaw = pose
        rows.append(f"FLASER 180 {ranges} 0 0 0 {x:.6f} {y:.6f} {yaw:.6f} {stamp} host {stamp}")
    return "\n".join(rows) + "\n"


class DeadReckoning:
    """A mapper that believes odometry; `hook` is called with the number of each scan."""

    hook = staticmethod(lambda number: None)

    def __init__(self, settings=None, mount=None):
        self.mount = mount or Pose2()
        self.scans, self.poses, self.finished = [], [], False
        self.seconds, self.loops, self.doubts = {"match": 0.0}, [], []

    def add(self, scan, odometry):
        self.scans.append(scan)
        self.poses.append((odometry.x, odometry.y, odometry.yaw))
        self.hook(len(self.scans))
        return odometry

    def finish(self):
        self.hook("finish")

    @property
    def trajectory(self):
        return np.column_stack([[scan.stamp for scan in self.scans], self.poses])

    @property
    def graph(self):
        n = len(self.poses)
        return PoseGraph(
            stamps=np.zeros(n), poses=np.array(self.poses), edges=np.zeros((0, 2), dtype=int),
            measured=np.zeros((0, 3)), information=np.zeros((0, 3, 3)),
            loop=np.zeros(0, dtype=bool),
        )  # fmt: skip

    def grid(self, resolution=0.05):
        drawn = LogOddsGrid(resolution, mount=self.mount)
        drawn.insert_many(self.scans, self.poses)
        return drawn.grid()


@pytest.fixture
def mapper(monkeypatch):
    """Put a simple mapper in the place of the real one."""

    class Chosen(DeadReckoning):
        pass

    monkeypatch.setattr("mecano.estimation.slam.graph_mapper.GraphMapper", Chosen)
    return Chosen


@pytest.fixture(autouse=True)
def quick_picture(request, monkeypatch):
    """Drawing takes half a second; tests do it only where they say so."""
    if "real_picture" not in request.fixturenames:
        monkeypatch.setattr(
            "mecano.record.map_folder.MapFolder.draw",
            lambda self, grid, rows, title: (self.folder / "map_with_path.png").touch(),
        )


@pytest.fixture
def real_picture():
    """Ask for the real picture."""


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "room.log"
    path.write_text(lines(drive()))
    return path


@pytest.fixture
def out(tmp_path):
    return tmp_path / "made" / "out"


def test_a_log_becomes_a_path_a_map_and_a_result(mecano, mapper, log, out, real_picture):
    answer = mecano("slam", log, "--out", out, "--seed", 3)
    assert answer.code == 0, answer.err
    assert sorted(file.name for file in out.iterdir()) == FILES
    assert (out / "map_with_path.png").read_bytes().startswith(b"\x89PNG")
    path = read_trajectory(out / "trajectory.txt")
    np.testing.assert_allclose(relative_all(path.poses, drive()), 0.0, atol=1e-5)
    grid = load_map(out / "map.yaml")
    assert (grid.height * 0.05, grid.width * 0.05) == pytest.approx(2 * HALF[::-1], abs=0.11)
    result = json.loads((out / "result.json").read_text())
    assert result["finished"] and result["scans"] == result["scans_done"] == 40
    assert result["seed"] == 3 and result["duration_s"] == 39.0 and result["loop_closures"] == 0
    assert {"match", "all"} <= set(result["seconds"])
    assert "mapped 40 scans of 39 s" in answer.out and f"wrote {out}" in answer.out


def test_doubtful_stretches_are_told_and_written(mecano, mapper, log, out):
    doubt = Doubt(start=1.0, end=2.5, error=0.7, reason="no scan matched")
    mapper.finish = lambda self: setattr(self, "doubts", [doubt])
    answer = mecano("slam", log, "--out", out)
    assert answer.code == 0
    assert "doubtful: 1 stretch of the drive" in answer.err
    assert "1.0 to 2.5 s, off by 0.70 m or more: no scan matched" in answer.err
    assert json.loads((out / "result.json").read_text())["doubts"][0]["error"] == 0.7


def test_the_result_can_be_printed_for_scripts(mecano, mapper, log, out):
    answer = mecano("slam", log, "--out", out, "--json", "--resolution", 0.1)
    assert answer.json == json.loads((out / "result.json").read_text())
    assert answer.json["map"]["resolution_m"] == 0.1


def test_relations_and_truth_beside_the_log_are_compared_with(mecano, mapper, log, out):
    poses = drive()
    motions = relative_all(poses[:-5], poses[5:])
    text = "".join(f"{k} {k + 5} {x} {y} 0 0 0 {t}\n" for k, (x, y, t) in enumerate(motions))
    (log.parent / "room.relations.gz").write_bytes(gzip.compress(text.encode()))
    truth = log.parent / "truth.txt"
    write_trajectory(truth, np.column_stack([np.arange(40.0), compose_all([5.0, 1.0, 2.0], poses)]))
    answer = mecano("slam", log, "--out", out, "--truth", truth)
    assert "relations: 0.0000 +- 0.0000 m, 0.00 +- 0.00 deg (35 of 35 used)" in answer.out
    assert "truth: 0.0000 m rms" in answer.out
    assert json.loads((out / "result.json").read_text())["truth"]["poses"] == 40


def test_relations_of_another_log_are_told_and_no_error(mecano, mapper, log, out):
    other = log.parent / "other.relations"
    other.write_text("1000 1001 0 0 0 0 0 0\n")
    answer = mecano("slam", log, "--out", out, "--relations", other)
    assert answer.code == 0 and "not compared: the path covers none" in answer.err


def test_relations_given_as_the_truth_are_refused(fails_cleanly, log, out):
    relations = log.parent / "other.relations"
    relations.write_text("# t1 t2 x y z roll pitch yaw\n1 2 0.1 0 0 0 0 0.1\n")
    files = log, "--out", out, "--truth", relations
    fails_cleanly("slam", *files, says=("no path", "8 words", "time x y theta"))
    assert not out.exists()


def test_the_scanner_may_sit_anywhere(mecano, mapper, log, out):
    assert mecano("slam", log, "--out", out, "--mount", -0.5, 0, 0.1).code == 0
    shifted = load_map(out / "map.yaml")
    assert mecano("slam", log, "--out", out).code == 0
    assert shifted.data.shape != load_map(out / "map.yaml").data.shape


def test_ctrl_c_leaves_the_map_so_far(mecano, mapper, log, out):
    mapper.hook = staticmethod(
        lambda number: os.kill(os.getpid(), signal.SIGINT) if number == 10 else None
    )
    answer = mecano("slam", log, "--out", out)
    assert answer.code == 130 and "mecano: stopped" in answer.err
    result = json.loads((out / "result.json").read_text())
    assert not result["finished"] and result["scans_done"] == 10
    assert len(read_trajectory(out / "trajectory.txt").stamps) == 10
    assert load_map(out / "map.yaml").data.size > 1000


def test_termination_leaves_the_map_so_far(mecano, mapper, log, out):
    mapper.hook = staticmethod(
        lambda number: os.kill(os.getpid(), signal.SIGTERM) if number == 7 else None
    )
    assert mecano("slam", log, "--out", out).code == 130
    assert json.loads((out / "result.json").read_text())["scans_done"] == 7


@pytest.mark.parametrize("when", [20, "finish"])
def test_a_run_that_dies_leaves_what_was_saved_before(mecano, mapper, log, out, monkeypatch, when):
    for name, value in (("SAVE_FIRST", 0.0), ("SAVE_EVERY", 0.0), ("SAVING_SHARE", 1e9)):
        monkeypatch.setattr(f"mecano.record.log_mapping.{name}", value)

    def die(number):
        if number == when:
            raise MemoryError

    mapper.hook = staticmethod(die)
    with pytest.raises(MemoryError):
        slam(log, out)
    done = 19 if when == 20 else 40
    assert json.loads((out / "result.json").read_text())["scans_done"] == done
    assert len(read_trajectory(out / "trajectory.txt").stamps) == done
    assert load_map(out / "map.yaml").data.size > 1000
    assert not [file for file in out.iterdir() if ".part" in file.name]


def test_a_log_in_which_every_beam_failed_has_a_path_and_no_map(mecano, mapper, tmp_path, out):
    log = tmp_path / "blind.log"
    log.write_text("".join(f"FLASER 3 nan -1 nan 0 0 0 {k} 0 0 {k} h {k}\n" for k in range(5)))
    answer = mecano("slam", log, "--out", out)
    assert answer.code == 1 and "there is no map" in answer.err
    assert sorted(file.name for file in out.iterdir()) == ["result.json", "trajectory.txt"]


def test_two_mappers_do_not_write_into_one_folder(fails_cleanly, mapper, log, out):
    with MapFolder.held(out):
        (out / "map.yaml").write_text("of the other one")
        fails_cleanly("slam", log, "--out", out, says=("another mapper is writing",))
        assert (out / "map.yaml").read_text() == "of the other one"


def test_what_was_tolerated_is_told(mecano, mapper, log, out):
    log.write_text(log.read_text()[:-40])
    answer = mecano("slam", log, "--out", out)
    assert answer.code == 0 and "note: line 40, the last, is cut off" in answer.err


def square(path, *, extra=""):
    """Write a graph of two rounds on a square, the second of which has drifted."""
    sure = "500 0 0 500 0 5000"
    rows = [f"NODE {k} {k}.0" for k in range(9)]
    rows += [f"EDGE {k} {k + 1} 1.02 0.01 {pi / 2 + 0.01} {sure}" for k in range(8)]
    rows += [f"EDGE {k} {k + 4} 0 0 0 {sure}" for k in range(5)]
    path.write_text("\n".join(rows) + "\n" + extra)
    return path


def test_a_graph_is_optimized(mecano, tmp_path, out):
    graph = square(tmp_path / "a.graph", extra="EDGE 0 6 9 9 1 500 0 0 500 0 5000\n")
    answer = mecano("slam", "--graph", graph, "--out", out)
    assert answer.code == 0, answer.err
    assert "optimized 9 nodes" in answer.out and "1 doubted" in answer.out
    path = read_trajectory(out / "trajectory.txt")
    np.testing.assert_allclose(path.poses[4, :2], 0.0, atol=0.05)
    result = json.loads((out / "result.json").read_text())
    assert result["converged"] and result["doubted_edges"] == 1
    assert sorted(file.name for file in out.iterdir()) == ["result.json", "trajectory.txt"]


def test_loops_that_are_too_sure_are_trusted_after_all(mecano, tmp_path, out):
    graph = square(tmp_path / "a.graph")
    sure = graph.read_text().replace("500 0 0 500 0 5000", "5e9 0 0 5e9 0 5e9")
    graph.write_text(sure)
    answer = mecano("slam", "--graph", graph, "--out", out)
    assert "too sure" in answer.err and answer.code == 0
    assert json.loads((out / "result.json").read_text())["doubted_edges"] == 0


def test_scans_beside_a_graph_become_its_map(mecano, tmp_path, out):
    poses = drive(9)
    motions = relative_all(poses[:-1], poses[1:])
    rows = [f"NODE {k} {k}.0" for k in range(9)]
    rows += [f"EDGE {k} {k + 1} {x} {y} {t} 500 0 0 500 0 5000"
             for k, (x, y, t) in enumerate(motions)]  # fmt: skip
    (tmp_path / "a.graph").write_text("\n".join(rows) + "\n")
    scans = "".join(
        f"SCAN {k} {k}.0 180 " + " ".join(f"{r:.3f}" for r in seen(pose)) + "\n"
        for k, pose in enumerate(poses)
    )
    (tmp_path / "a.scans.gz").write_bytes(gzip.compress(scans.encode()))
    answer = mecano("slam", "--graph", tmp_path / "a.graph", "--out", out)
    assert answer.code == 0, answer.err
    assert sorted(file.name for file in out.iterdir()) == FILES
    grid = load_map(out / "map.yaml")
    assert (grid.height * 0.05, grid.width * 0.05) == pytest.approx(2 * HALF[::-1], abs=0.16)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "give either a log or --graph FILE"),
        (("a.log", "--graph", "b"), "give either a log or --graph FILE"),
        (("a.log",), "say where path and map go: --out DIR"),
        (("a.log", "--out", "o", "--own-loops"), "are for a pose graph"),
        (("none.log", "--out", "o"), "there is no log"),
        (("--graph", "none.graph", "--out", "o"), "there is no pose graph"),
        (("a.log", "--out", "o", "--resolution", "7"), "resolution"),
        (("a.log", "--out", "o", "--relations", "none"), "there is no list of relations"),
    ],
)
def test_wrong_words_are_refused(fails_cleanly, words, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fails_cleanly("slam", *words, says=(says,))


def test_a_folder_that_is_a_file_is_refused(fails_cleanly, mapper, log):
    fails_cleanly("slam", log, "--out", log, says=("is a file",))


def test_own_loops_need_scans(fails_cleanly, tmp_path, out):
    graph = square(tmp_path / "a.graph")
    fails_cleanly("slam", "--graph", graph, "--own-loops", "--out", out, says=("--scans FILE",))


@pytest.mark.slow
def test_the_real_mapper_maps_the_room(mecano, log, out):
    answer = mecano("slam", log, "--out", out)
    assert answer.code == 0, answer.err
    path = read_trajectory(out / "trajectory.txt")
    assert len(path.stamps) == 40
    assert np.abs(relative_all(path.poses[0], path.poses[-1])[:2]).max() < 0.1
    assert sorted(file.name for file in out.iterdir()) == FILES


def test_killian_court_is_within_a_hundredth_of_gtsam(mecano, out, real_logs):
    answer = mecano("slam", "--graph", real_logs / "killian.graph.gz", "--out", out, "--json")
    moved = answer.json["relations"]["translation_m"]["mean"]
    assert moved == pytest.approx(0.0463 if real_logs.whole else 0.03468, rel=0.01)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["", "--out", "OUT"], "is no log"),
        (["LOG", "--mount", "1e9", "0", "0", "--out", "OUT"], "at most 10 m"),
    ],
)
def test_nonsense_is_refused(words, said, mecano, log, out):
    swapped = {"LOG": str(log), "OUT": str(out)}
    result = mecano("slam", *(swapped.get(word, word) for word in words))
    assert result.code == 2 and said in result.err


def test_what_a_folder_had_before_is_taken_away(mecano, log, out):
    out.mkdir(parents=True)
    (out / "map.yaml").write_text("of another log")
    assert mecano("slam", str(log.with_name("none.log")), "--out", str(out)).code == 2
    assert mecano("slam", str(log), "--out", str(out), "--resolution", "1").code == 0
    assert load_map(out / "map.yaml").resolution == 1.0
