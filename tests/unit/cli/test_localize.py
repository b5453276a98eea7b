"""`mecano localize` in a square room with a pillar."""

import json

import numpy as np
import pytest

from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.estimation.maps.files import save_map

START = (1.0, 0.8, 0.3)
STEPS = 40
TRUE_PATH = "room.reference.traj"


def _map() -> OccupancyGrid:
    """Walls at 0 and 5 m by 0 and 4 m, in the middle of their cells, and a pillar."""
    data = np.full((101, 121), -1, dtype=np.int8)
    data[10:91, 10:111] = 0
    data[[10, 90], 10:111] = 100
    data[10:91, [10, 110]] = 100
    data[50:58, 76:84] = 100
    return OccupancyGrid(frame="map", resolution=0.05, origin=Pose2(-0.525, -0.525), data=data)


def _ranges(grid: OccupancyGrid, x: float, y: float, yaw: float):
    """March along 180 beams in steps of 5 mm."""
    angles = yaw - np.pi / 2 + np.arange(180) * np.pi / 180
    far = np.arange(0.05, 8.0, 0.005)
    points = np.stack([x + np.cos(angles)[:, None] * far, y + np.sin(angles)[:, None] * far], -1)
    return far[(grid.values_at(points) >= 65).argmax(axis=1)] + 0.02


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a log of a drive, a map and the true path."""
    folder = tmp_path_factory.mktemp("drive")
    grid = _map()
    save_map(grid, folder / "room.yaml")
    pose, lines, truth = Pose2(*START), [], []
    wheels = Pose2()
    for k in range(STEPS):
        stamp = 100.0 + 0.5 * k
        odometry = f"{wheels.x:.6f} {wheels.y:.6f} {wheels.yaw:.6f}"
        ranges = " ".join(f"{r:.3f}" for r in _ranges(grid, pose.x, pose.y, pose.yaw))
        lines.append(f"ODOM {odometry} 0 0 0 {stamp} host {stamp}")
        lines.append(f"FLASER 180 {ranges} {odometry} {odometry} {stamp} host {stamp}")
        truth.append(f"{stamp} {pose.x} {pose.y} {pose.yaw}")
        step = Pose2(0.08, 0.0, 0.04)
        pose, wheels = pose @ step, wheels @ Pose2(0.083, 0.0, 0.045)
    (folder / "room.log").write_text("\n".join(lines) + "\n")
    (folder / TRUE_PATH).write_text("\n".join(truth) + "\n")
    return folder


def test_a_log_is_followed_from_a_start(mecano, place, tmp_path):
    answer = mecano(
        "localize", place / "room.log", "--map", place / "room.yaml", "--start", *START, "--out",
        tmp_path / "a", "--json",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert answer.json["truth"]["converged"]
    assert answer.json["truth"]["mean"] < 0.03
    rows = np.loadtxt(tmp_path / "a" / "trajectory.txt")
    assert rows.shape == (STEPS, 4)
    assert json.loads((tmp_path / "a" / "result.json").read_text()) == answer.json


def test_a_start_anywhere_is_found_by_odd_scans(mecano, place, tmp_path):
    answer = mecano(
        "localize", place / "room.log", "--map", place / "room.yaml", "--global", "--scans", "odd",
        "--out", tmp_path,
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert "start: global" in answer.out
    assert f"{STEPS // 2} scans" in answer.out
    assert "stays within" in answer.out


def test_scans_that_it_is_not_shown_have_a_line_too(mecano, place, tmp_path):
    mecano(
        "localize", place / "room.log", "--map", place / "room.yaml", "--start", *START,
        "--scans", "odd", "--out", tmp_path,
    )  # fmt: skip
    rows, truth = (np.loadtxt(f) for f in (tmp_path / "trajectory.txt", place / TRUE_PATH))
    np.testing.assert_allclose(rows[:, 0], truth[:, 0])
    off = np.linalg.norm(rows[:, 1:3] - truth[:, 1:3], axis=1)
    assert off[0::2].mean() < 0.03  # by odometry between the others
    assert off[1::2].mean() < 0.03


def test_a_map_of_something_else_is_told(mecano, place, tmp_path):
    data = np.full((101, 121), -1, dtype=np.int8)
    data[10:91, 10:111] = 0
    data[10:91, 40:44] = data[30:34, 44:111] = 100
    other = OccupancyGrid(frame="map", resolution=0.05, origin=Pose2(-0.525, -0.525), data=data)
    save_map(other, tmp_path / "other.yaml")
    answer = mecano(
        "localize", place / "room.log", "--map", tmp_path / "other.yaml", "--global", "--out",
        tmp_path / "out",
    )  # fmt: skip
    assert "of the readings end at walls of the map; the robot is lost, or" in answer.err
    result = json.loads((tmp_path / "out/result.json").read_text())
    assert result["at_walls"] < 0.7


def test_a_part_of_the_log_is_followed(mecano, place, tmp_path):
    mecano(
        "localize", place / "room.log", "--map", place / "room.yaml", "--start", *START, "--out",
        tmp_path, "--from", 102, "--to", 105, "--scans", "even",
    )  # fmt: skip
    stamps = np.loadtxt(tmp_path / "trajectory.txt")[:, 0]
    np.testing.assert_allclose(stamps, np.arange(102, 105.1, 0.5))


def test_the_same_seed_writes_the_same_path(mecano, place, tmp_path):
    for name in "ab":
        mecano(
            "localize", place / "room.log", "--map", place / "room.yaml", "--global", "--seed", 3,
            "--out", tmp_path / name,
        )  # fmt: skip
    first, again = ((tmp_path / name / "trajectory.txt").read_text() for name in "ab")
    assert first == again


def test_the_papers_table_is_taken_and_its_oddities_told(mecano, place, tmp_path):
    table = tmp_path / "amcl.yaml"
    table.write_text("min_particles: 300\nmax_particles: 900\nz_hit: 0.5\ngui_publish_rate: 50\n")
    answer = mecano(
        "localize", place / "room.log", "--map", place / "room.yaml", "--start", *START,
        "--settings", table, "--out", tmp_path / "a",
    )  # fmt: skip
    assert answer.code == 0
    assert "gui_publish_rate has no effect" in answer.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--start", 90, 0, 0), ("outside the map", "x -0.53 to 5.53 m")),
        (("--start", 1, 1, 0, "--global"), ("either",)),
        (("--from", 900), ("no scan", "100.00 to 119.50 s")),
        (("--settings", "best"), ("neither a file nor a preset", "madar_paper")),
        (("--settings", "none.yaml"), ("neither a file nor a preset",)),
        (("--truth", "none.txt"), ("none.txt",)),
    ],
)
def test_what_is_asked_wrongly_is_named(fails_cleanly, place, tmp_path, words, says):
    files = place / "room.log", "--map", place / "room.yaml", "--out", tmp_path
    fails_cleanly("localize", *files, *words, says=says)


def test_a_map_that_is_not_there_is_named(fails_cleanly, place, tmp_path):
    files = place / "room.log", "--map", place / "none.yaml", "--out", tmp_path
    fails_cleanly("localize", *files, says=("none.yaml",))


def test_a_bad_map_is_found_before_the_log_is_read(fails_cleanly, place, tmp_path):
    text = (place / "room.yaml").read_text()
    (tmp_path / "room.pgm").write_bytes((place / "room.pgm").read_bytes())
    (tmp_path / "room.yaml").write_text(text.replace("resolution: 0.05", "resolution: 50"))
    files = "none.log", "--map", tmp_path / "room.yaml", "--out", tmp_path / "a"
    fails_cleanly("localize", *files, says=("side of 50 m",))


def test_a_truth_that_is_no_path_is_refused(fails_cleanly, place, tmp_path):
    relations = tmp_path / "room.relations"
    relations.write_text("# t1 t2 x y z roll pitch yaw\n100 101 0.1 0 0 0 0 0.1\n")
    files = place / "room.log", "--map", place / "room.yaml", "--out", tmp_path / "a"
    fails_cleanly("localize", *files, "--truth", relations, says=("no path", "8 words", "time x y"))


def test_a_log_without_readings_is_told(mecano, place, tmp_path):
    lines = [
        f"FLASER 3 nan nan nan {0.1 * k} 0 0 {0.1 * k} 0 0 {100 + k} host {100 + k}"
        for k in range(4)
    ]
    (tmp_path / "blind.log").write_text("\n".join(lines) + "\n")
    answer = mecano(
        "localize", tmp_path / "blind.log", "--map", place / "room.yaml", "--start", *START,
        "--out", tmp_path / "a",
    )  # fmt: skip
    assert answer.code == 1
    assert "note: none of 4 scans has a usable reading" in answer.err
    assert "0 of them weighed the particles" in answer.out


def test_odometry_that_jumps_is_told_once(mecano, place, tmp_path):
    lines = (place / "room.log").read_text().splitlines()
    moved = [_shifted(line, 30.0) if k >= 20 else line for k, line in enumerate(lines)]
    (tmp_path / "room.log").write_text("\n".join(moved) + "\n")
    answer = mecano(
        "localize", tmp_path / "room.log", "--map", place / "room.yaml", "--start", *START,
        "--truth", place / "room.reference.traj", "--out", tmp_path / "a",
    )  # fmt: skip
    assert answer.code == 0
    assert answer.err.count("note: odometry jumped once, by 30.") == 1
    assert "after 0.0 s and 0.00 m" in answer.out


def _shifted(line: str, way: float) -> str:
    """Add to x of a line's odometry."""
    words = line.split()
    for place in (1,) if words[0] == "ODOM" else (182, 185):
        words[place] = f"{float(words[place]) + way:.6f}"
    return " ".join(words)
