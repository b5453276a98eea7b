"""`mecano map` in a small room."""

import io
import re

import numpy as np
import pytest

from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.estimation.maps.files import load_map, save_map

ROOM = """<mujoco><default><geom solref="0.004 1"/></default><custom>
  <text name="path_tour" data="{kind = 'polyline', points = [[0, 0], [0.2, 0], [0.2, 0.15]]}"/>
</custom><worldbody>
  <geom type="plane" size="5 5 0.1"/><light pos="0 0 3"/>
  <geom type="box" pos="2.05 0 1" size="0.05 1.6 1"/><geom type="box" pos="-2.05 0 1" size="0.05 1.6 1"/>
  <geom type="box" pos="0 1.55 1" size="2 0.05 1"/><geom type="box" pos="0 -1.55 1" size="2 0.05 1"/>
  <geom type="box" pos="-1.2 0.9 0.5" size="0.3 0.2 0.5"/>
</worldbody></mujoco>"""  # noqa: E501


@pytest.fixture
def room(tmp_path):
    file = tmp_path / "room.xml"
    file.write_text(ROOM)
    return file


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_tour_leaves_a_map_and_a_trajectory_and_says_how_good_it_is(mecano, room, tmp_path):
    answer = mecano("map", "madar_base", "--scene", room, "--out", tmp_path / "one", "--seed", 3)
    assert answer.code == 0, answer.err
    assert "% of those that both know agree" in answer.out and "map.yaml" in answer.out
    grid = load_map(tmp_path / "one" / "map.yaml")
    assert grid.values_at([1.0, 0.0]) == 0
    rows = np.loadtxt(tmp_path / "one" / "trajectory.txt")
    assert rows.shape[1] == 4 and np.hypot(*(rows[-1, 1:3] - [0.2, 0.15])) < 0.12


@pytest.mark.slow
def test_a_room_is_explored_until_its_map_is_closed(mecano, room, tmp_path):
    out = tmp_path / "explored"
    answer = mecano("map", "madar_base", "--scene", room, "--explore", "--out", out, "--seed", 3)
    assert answer.code == 0, answer.err
    assert "explored: the map is closed" in answer.out and "m2 of floor known" in answer.out
    assert (out / "map.yaml").exists()


@pytest.mark.slow
def test_an_exploration_that_runs_out_of_time_says_so_and_keeps_its_map(mecano, room, tmp_path):
    out = tmp_path / "early"
    words = ("map", "crumb", "--scene", room, "--explore", "--max-time", 2, "--out", out)
    answer = mecano(*words, "--seed", 3)
    assert answer.code == 1
    assert "2 s is up" in answer.err
    assert (out / "map.yaml").exists()


@pytest.mark.slow
def test_a_map_can_be_gone_on_with(mecano, room, tmp_path):
    assert mecano("map", "madar_base", "--scene", room, "--out", "one").code == 0
    answer = mecano(
        "map", "madar_base", "--scene", room, "--out", "two", "--resume", "one/map.yaml",
        "--start", 0.05, -0.04, 0.02,
    )  # fmt: skip
    assert answer.code == 0, answer.err
    one, two = (load_map(tmp_path / name / "map.yaml") for name in ("one", "two"))
    walls = one.cell_to_world(np.argwhere(one.data == 100))
    assert np.mean(two.values_at(walls) == 100) > 0.7


@pytest.mark.slow
def test_keys_from_a_pipe_drive_it(mecano, room, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("ik"))
    answer = mecano("map", "madar_base", "--scene", room, "--teleop", "--out", "keys")
    assert answer.code == 0, answer.err
    assert "base stops" in answer.out
    assert load_map(tmp_path / "keys" / "map.yaml").values_at([1.0, 0.0]) == 0


def test_an_interrupted_drive_leaves_the_map_so_far(mecano, room, tmp_path, monkeypatch):
    def interrupt(robot, mapping, pace, **options):
        robot.base.drive_for(0.5, 0.2)
        raise KeyboardInterrupt

    monkeypatch.setattr("mecano.tasks.map_lab.drive_tour", interrupt)
    answer = mecano("map", "madar_base", "--scene", room, "--out", "part")
    assert answer.code == 130
    assert load_map(tmp_path / "part" / "map.yaml").values_at([1.0, 0.0]) == 0


def test_a_tour_that_ends_early_is_said_and_its_map_is_kept(mecano, room, tmp_path, monkeypatch):
    from mecano.core.errors import InvalidInput

    def stuck(robot, mapping, pace, **options):
        robot.base.drive_for(0.5, 0.2)
        raise InvalidInput("point 2 of the tour is not reached")

    monkeypatch.setattr("mecano.tasks.map_lab.drive_tour", stuck)
    answer = mecano("map", "madar_base", "--scene", room, "--out", "part")
    assert answer.code == 1 and "point 2 of the tour is not reached" in answer.err
    assert (tmp_path / "part" / "map.yaml").is_file()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("crum",), ("crumb",)),
        (("open_manipulator_x",), ("no wheels", "take crumb or madar")),
        (("youbot",), ("neither LIDAR nor depth camera",)),
        (("madar_base", "--scene", "empty"), ("no path 'tour'", "--teleop")),
        (("madar_base", "--resume", "nowhere.yaml"), ("no map nowhere.yaml",)),
        (("madar_base", "--slip", "-1"), ("--slip",)),
        (("madar_base", "--start", "0", "0", "nan"), ("--start",)),
    ],
)
def test_what_makes_no_sense_is_one_clear_line(fails_cleanly, tmp_path, words, says):
    fails_cleanly("map", *words, says=says)
    assert not list(tmp_path.iterdir())


def test_a_start_outside_the_old_map_is_refused_before_the_robot_is_built(
    fails_cleanly, tmp_path, monkeypatch
):
    def build(*words, **options):
        raise AssertionError("the robot is built")

    monkeypatch.setattr("mecano.lab.robot.connect", build)
    cells = np.full((80, 100), 100, np.int8)
    save_map(OccupancyGrid(resolution=0.05, origin=Pose2(-1, -2), data=cells), tmp_path / "old")
    fails_cleanly(
        "map", "madar_base", "--resume", "old.yaml", "--start", 100, 100, 0,
        says=("(100.00, 100.00) m", "outside", "x -1.00 to 4.00 m, y -2.00 to 2.00 m"),
    )  # fmt: skip


def test_a_robot_that_does_not_stand_in_the_old_map_is_refused(fails_cleanly, room, tmp_path):
    cells = np.full((80, 100), 100, np.int8)
    save_map(OccupancyGrid(resolution=0.05, origin=Pose2(20, 20), data=cells), tmp_path / "old")
    fails_cleanly(
        "map", "madar_base", "--scene", room, "--resume", "old.yaml", says=("outside the map",)
    )
    assert not (tmp_path / "map-madar_base").exists()


def test_the_tour_is_driven_in_the_scene_whatever_the_frame_of_the_map(
    mecano, room, tmp_path, monkeypatch
):
    seen = []

    def look(robot, mapping, pace, *, where, **options):
        robot.base.drive_for(0.5, 0.2)
        seen.append(where().distance_to(robot.truth.base_pose()))

    monkeypatch.setattr("mecano.tasks.map_lab.drive_tour", look)
    answer = mecano("map", "madar_base", "--scene", room, "--out", "own", "--start", 3, -2, 1.5)
    assert answer.code == 0, answer.err
    share = re.search(r"walls: ([\d.]+) %", answer.out)
    assert seen[0] < 0.02 and share is not None and float(share[1]) > 95.0, answer.out
    rows = np.loadtxt(tmp_path / "own" / "trajectory.txt")
    assert rows[0, 1:] == pytest.approx([3.0, -2.0, 1.5], abs=0.01)


def test_keys_that_end_before_a_scan_leave_no_map(mecano, room, tmp_path, monkeypatch):
    monkeypatch.setattr("mecano.cli.map._drive_by_keys", lambda robot, running: None)
    answer = mecano("map", "madar_base", "--scene", room, "--teleop", "--out", "keys")
    assert answer.code == 1 and "no scan came" in answer.err
    assert not (tmp_path / "keys" / "map.yaml").exists()


def test_a_file_in_the_place_of_the_folder_is_refused(fails_cleanly, room):
    fails_cleanly("map", "madar_base", "--scene", room, "--out", room, says=("cannot be made",))


def test_a_folder_with_a_map_is_not_overwritten(fails_cleanly, tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "map.yaml").write_text("image: map.pgm\n")
    fails_cleanly("map", "madar_base", "--out", "old", says=("has a map already", "--resume"))


@pytest.mark.slow
def test_a_recorded_drive_of_a_depth_camera_can_be_mapped_again(
    mecano, room, tmp_path, monkeypatch
):
    def drive(robot, mapping, pace, **options):
        robot.base.drive_for(1.5, 0.2, 0.4)

    monkeypatch.setattr("mecano.tasks.map_lab.drive_tour", drive)
    for name in ("plot_joints", "plot_tool_path"):
        monkeypatch.setattr(f"mecano.record.products.{name}", lambda _, file: file.touch())
    answer = mecano("map", "crumb", "--scene", room, "--out", "live", "--record", "run")
    assert answer.code == 0, answer.err
    answer = mecano("slam", "run", "--out", "again", "--json")
    assert answer.code == 0, answer.err
    assert answer.json["truth"]["translation_max"] < 0.02 and answer.json["notes"] == []
    live, again = (np.loadtxt(tmp_path / name / "trajectory.txt") for name in ("live", "again"))
    np.testing.assert_allclose(again, live, atol=0.005)
