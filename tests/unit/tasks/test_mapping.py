"""Maps built while driving: what is fed to the mapper, what is scored, and the whole drives."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from mecano import connect, tasks
from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all
from mecano.estimation.lifelong.resumed_mapper import (
    OLD_TRUST,
    START_SIGMA,
    ResumedMapper,
    check_start,
    information,
)
from mecano.estimation.lifelong.wall_field import WallField
from mecano.estimation.maps.files import load_map
from mecano.estimation.maps.log_odds import LogOddsGrid
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.lab.mapping import LiveMapping
from mecano.lab.scanners import DepthScanner, LidarScanner, scanner_of
from mecano.tasks import Score, map_lab
from mecano.tasks.map_lab import pose_in_scene
from mecano.tasks.mapping_score import evaluate, score
from mecano.tasks.tours import tour_of
from mecano.world.floor_plan import scene_plan

ROOM = """<mujoco><custom>
  <text name="path_tour" data="{kind = 'polyline', points = [[0, 0], [0.3, 0], [0.3, 0.2]]}"/>
</custom><worldbody>
  <geom type="plane" size="5 5 0.1"/><light pos="0 0 3"/>
  <geom type="box" pos="2.05 0 1" size="0.05 1.6 1"/><geom type="box" pos="-2.05 0 1" size="0.05 1.6 1"/>
  <geom type="box" pos="0 1.55 1" size="2 0.05 1"/><geom type="box" pos="0 -1.55 1" size="2 0.05 1"/>
  <geom type="box" pos="-1.2 0.9 0.5" size="0.3 0.2 0.5"/>
</worldbody></mujoco>"""  # noqa: E501


class Trusting:
    """A mapper that believes odometry."""

    def __init__(self, mount: Pose2 | None = None) -> None:
        self.mount, self.rows, self.scans = mount or Pose2(), [], []
        self.loops, self.doubts = [], []
        self.seconds, self.finished = {"trust": 0.0}, False
        self.keys = 1  # every which scan is a keyframe

    def add(self, scan, odometry: Pose2) -> Pose2:
        self.rows.append((scan.stamp, odometry.x, odometry.y, odometry.yaw))
        self.scans.append(scan)
        return odometry

    def finish(self) -> None:
        self.finished = True

    @property
    def trajectory(self):
        return np.array(self.rows).reshape(-1, 4)

    def grid(self, resolution: float | None = None) -> OccupancyGrid:
        drawn = LogOddsGrid(resolution or 0.05, mount=self.mount)
        drawn.insert_many(self.scans, self.trajectory[:, 1:])
        return drawn.grid()

    @property
    def graph(self) -> PoseGraph:
        rows = self.trajectory[:: self.keys]
        return PoseGraph(
            stamps=rows[:, 0], poses=rows[:, 1:], edges=np.empty((0, 2), int),
            measured=np.empty((0, 3)), information=np.empty((0, 3, 3)),
            loop=np.empty(0, bool),
        )  # fmt: skip


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    file = tmp_path_factory.mktemp("room") / "room.xml"
    file.write_text(ROOM)
    return str(file)


@pytest.fixture(scope="module")
def driven(room):
    return drive(room)


@pytest.fixture(scope="module")
def plan(room):
    return scene_plan(room, 0.152)


@pytest.fixture
def trusting(monkeypatch):
    monkeypatch.setattr(map_lab, "mapper_for", lambda robot, mount: Trusting(mount))


def drive(room: str, *, name: str = "madar_base", seconds: float = 0.8) -> LiveMapping:
    """Return what a robot saw while it drove forward."""
    with connect(name, scene=room) as robot:
        robot.base.reset_odometry(robot.truth.base_pose())
        scanner = scanner_of(robot)
        with LiveMapping(robot, Trusting(scanner.mount), scanner) as mapping:
            robot.base.drive_for(seconds, 0.2)
        return mapping


def test_every_scan_goes_to_the_mapper_with_odometry_of_its_time(driven):
    mapping = driven
    assert 14 <= len(mapping.stamps) <= 25  # 15 Hz
    assert np.diff(mapping.stamps).min() > 0.05
    for odometry, truth in zip(mapping.odometry, mapping.truth, strict=True):
        assert odometry.distance_to(truth) < 0.002


def test_scans_lie_on_the_true_walls(driven):
    mapping = driven
    for number in (0, -1):
        scan, pose = mapping.mapper.scans[number], mapping.truth[number]  # type: ignore[attr-defined]
        x, y = pose.transform_points(scan.points()).T
        box = (np.abs(x + 1.2) < 0.35) & (np.abs(y - 0.9) < 0.25)
        off = np.minimum(np.abs(np.abs(x) - 2.0), np.abs(np.abs(y) - 1.5))
        assert off[~box].max() < 0.02 and box.sum() > 10


def test_listening_changes_nothing_of_the_drive(room):
    ends = []
    for listens in (False, True):
        with connect("madar_base", scene=room) as robot:
            mapping = LiveMapping(robot, Trusting(), LidarScanner(robot))
            if listens:
                with mapping:
                    robot.base.drive_for(0.5, 0.2)
            else:
                robot.base.drive_for(0.5, 0.2)
            ends.append(robot.state_hash())
    assert ends[0] == ends[1]


def test_two_mappers_at_once_are_refused(room):
    with connect("madar_base", scene=room) as robot:
        first, second = (LiveMapping(robot, Trusting(), LidarScanner(robot)) for _ in range(2))
        with first:
            for again in (first, second):
                with pytest.raises(InvalidInput, match="being built with this robot already"):
                    again.__enter__()
        with second:
            robot.base.drive_for(0.2, 0.2)
        assert second.stamps and not first.stamps


def test_the_pose_goes_on_with_odometry_between_scans(room):
    with connect("madar_base", scene=room) as robot:
        with LiveMapping(robot, Trusting(), LidarScanner(robot)) as mapping:
            robot.base.drive_for(0.5, 0.2)
            assert mapping.pose.distance_to(robot.base.pose) < 1e-9
        belief = mapping.belief()
    assert belief.grid is not None and len(belief.scan) > 100 and "scans" in belief.text


def test_a_depth_camera_gives_scans_from_its_mount(room):
    mapping = drive(room, name="crumb", seconds=0.3)
    assert isinstance(mapping.scanner, DepthScanner)
    assert mapping.scanner.mount.x == pytest.approx(-0.087, abs=1e-3)
    scan = mapping.mapper.scans[0]  # type: ignore[attr-defined]
    x = (mapping.truth[0] @ mapping.scanner.mount).transform_points(scan.points())[:, 0]
    assert np.abs(x - 2.0).max() < 0.02 and len(x) > 250


@pytest.mark.parametrize("name", ["open_manipulator_x", "youbot"])
def test_a_robot_that_cannot_scan_says_so(name):
    with connect(name) as robot, pytest.raises(InvalidInput, match="cannot map; take crumb"):
        scanner_of(robot)


# --- scores


def test_a_drive_that_is_right_has_no_error(driven, plan):
    mapped = evaluate(driven, plan)
    found = score(mapped, "room")
    assert found.success, found.remark
    assert mapped.rmse(mapped.trajectory[:, 1:])[0] < 0.002
    assert mapped.score.walls_near == 1.0
    assert "walls: 100.0 %" in found.report


def test_where_the_map_begins_does_not_matter(driven, plan):
    mapping, mapper = copy(driven), copy(driven.mapper)
    mapping.mapper = mapper
    before = evaluate(mapping, plan)
    moved = Pose2(3.0, -2.0, 0.7)
    mapper.rows = [  # type: ignore[attr-defined]
        (t, *compose_all(np.array([3.0, -2.0, 0.7]), np.array(pose)))
        for t, *pose in mapper.rows  # type: ignore[attr-defined]
    ]
    mapping.believed = [moved @ pose for pose in mapping.believed]
    mapping.odometry = [moved @ pose for pose in mapping.odometry]
    after = evaluate(mapping, plan)
    np.testing.assert_allclose(after.trajectory, before.trajectory, atol=1e-9)
    np.testing.assert_allclose(after.odometry, before.odometry, atol=1e-9)
    assert after.score.walls_near > 0.99


def test_a_map_whose_frame_is_known_is_scored_in_that_frame(driven, plan):
    mapped = evaluate(driven, plan, T_world_map=Pose2(0.2, 0.0, 0.0))
    assert mapped.rmse(mapped.trajectory[:, 1:])[0] == pytest.approx(0.2, abs=0.002)
    assert mapped.rmse(mapped.live)[0] == pytest.approx(0.2, abs=0.002)
    assert mapped.rmse(mapped.odometry)[0] < 0.002
    assert mapped.score.walls_near < 0.9


@pytest.mark.parametrize("begins", [Pose2(), Pose2(3.0, -2.0, 0.7)])
def test_the_pose_in_the_scene_does_not_depend_on_the_frame_of_the_map(room, begins):
    with connect("madar_base", scene=room) as robot:
        robot.base.reset_odometry(begins)
        with LiveMapping(robot, Trusting(), LidarScanner(robot)) as mapping:
            assert pose_in_scene(mapping).distance_to(robot.truth.base_pose()) < 1e-9
            robot.base.drive_for(0.5, 0.2)
            assert pose_in_scene(mapping).distance_to(robot.truth.base_pose()) < 0.005


def test_what_is_wrong_is_said_with_its_figure(driven, plan):
    mapped = evaluate(driven, plan)
    wrong = mapped.trajectory.copy()
    wrong[:, 1] += 0.25
    found = score(replace(mapped, trajectory=wrong), "room")
    assert not found.success and "poses are 0.2" in found.remark


def test_a_drive_without_scans_is_refused(room, plan):
    with connect("madar_base", scene=room) as robot:
        mapping = LiveMapping(robot, Trusting(), LidarScanner(robot))
        with pytest.raises(InvalidInput, match="at least one scan"):
            evaluate(mapping, plan)


def test_the_experiment_drives_its_tour_and_writes_its_files(room, trusting, tmp_path):
    short = replace(tasks.get("madar/map-lab"), robot="madar_base", scene=room)
    result = tasks.run_experiment(short, seed=1, options={"slip": "0"})
    assert result.metrics["way_m"] == pytest.approx(0.4, abs=0.15)
    assert float(result.metrics["scans"]) > 20
    assert float(result.metrics["odometry_end_m"]) < 0.01
    for name, write in result.products.items():
        write(tmp_path / name)
    saved = load_map(tmp_path / "map.yaml")
    assert saved.values_at([1.0, 0.0]) == 0
    rows = np.loadtxt(tmp_path / "trajectory.txt")
    assert rows.shape == (result.metrics["scans"], 4)
    assert (tmp_path / "map.png").stat().st_size > 10_000
    assert (tmp_path / "trajectory.png").stat().st_size > 10_000


def test_the_sensors_of_the_experiments_err_without_being_asked(room):
    def look(robot, rng, *, slip: str) -> Score:
        lidar = next(iter(robot.lidars.values()))
        return Score(success=bool((lidar.read().ranges != lidar.read(clean=True).ranges).any()))

    for noise in (True, False):
        plain = replace(tasks.get("madar/map-lab"), robot="madar_base", scene=room, run=look)
        assert tasks.run_experiment(replace(plain, noise=noise)).success == noise


@pytest.mark.slow
def test_slip_makes_odometry_err_and_the_seed_repeats_it(room, trusting):
    short = replace(tasks.get("madar/map-lab"), robot="madar_base", scene=room)
    none = tasks.run_experiment(short, seed=5, options={"slip": "0"})
    one, two = (tasks.run_experiment(short, seed=5, options={"slip": "3"}) for _ in range(2))
    error, without = (float(run.metrics["odometry_rmse_m"]) for run in (one, none))
    assert error > 3.0 * without
    assert one.metrics == two.metrics and one.state_hash == two.state_hash


@pytest.mark.parametrize("slip", ["much", "-1", "nan"])
def test_a_slip_that_makes_no_sense_is_refused(slip):
    with pytest.raises(InvalidInput, match="slip"):
        tasks.run_experiment(tasks.get("madar/map-lab"), options={"slip": slip})


# --- resumed


def walls_of_a_room() -> OccupancyGrid:
    data = np.zeros((80, 100), np.int8)
    data[0], data[-1], data[:, 0], data[:, -1] = 100, 100, 100, 100
    data[50:55, 20:30] = 100
    return OccupancyGrid(stamp=0.0, frame="map", resolution=0.05, data=data)


@pytest.mark.parametrize("off", [(0.08, -0.05, 0.03), (-0.1, 0.1, -0.04), (0.0, 0.0, 0.0)])
def test_points_are_laid_onto_the_walls_of_a_map(off):
    grid = walls_of_a_room()
    points = grid.cell_to_world(np.argwhere(grid.data == 100))
    true = Pose2(2.0, 1.5, 0.4)
    seen = true.inverse().transform_points(points)
    found = WallField(grid).fit(seen, true @ Pose2(*off), information(*START_SIGMA)).pose
    assert found.distance_to(true) < 0.01 and abs(found.yaw - true.yaw) < 0.005


def test_points_far_from_all_walls_leave_the_guess():
    guess = Pose2(2.5, 2.0, 0.3)
    prior = information(*START_SIGMA)
    assert WallField(walls_of_a_room()).fit(np.zeros((50, 2)), guess, prior).pose == guess


def test_a_resumed_map_keeps_what_was_known_and_finds_its_place(room, driven):
    old = driven.grid()
    with connect("madar_base", scene=room) as robot:
        wrong = Pose2(0.06, -0.05, 0.02)  # what the user believes about where it stands
        robot.base.reset_odometry(wrong)
        scanner = scanner_of(robot)
        resumed = ResumedMapper(old, Trusting(scanner.mount), scanner.mount)
        with LiveMapping(robot, resumed, scanner) as mapping:
            robot.base.drive_for(1.0, 0.2)
        resumed.finish()
        assert mapping.believed[-1].distance_to(robot.truth.base_pose()) < 0.03
    grid = resumed.grid(old.resolution)
    walls = grid.cell_to_world(np.argwhere(grid.data == 100))
    off = WallField(old).distances(walls)
    assert off.max() < 0.08 and grid.values_at([1.0, 0.0]) == 0
    assert resumed.trajectory.shape == (len(mapping.stamps), 4)
    assert len(resumed.graph.poses) == len(mapping.stamps)


@pytest.mark.parametrize("off", [(0.05, 0.0, 0.0), (-0.04, 0.03, 0.03)])
def test_a_start_that_is_off_does_no_harm_whatever_the_frame_of_the_map(driven, off):
    T_map_scene, first = Pose2(3.0, -2.0, 1.5), driven.odometry[0]
    old = Trusting()
    for scan, pose in zip(driven.mapper.scans, driven.odometry, strict=True):
        old.add(scan, T_map_scene @ pose)
    begin = T_map_scene @ first @ Pose2(*off) @ first.inverse()
    resumed = ResumedMapper(old.grid(), Trusting(), Pose2())
    for scan, pose in zip(driven.mapper.scans, driven.odometry, strict=True):
        resumed.add(scan, begin @ pose)
    resumed.finish()
    np.testing.assert_allclose(resumed.trajectory[:, 1:], old.trajectory[:, 1:], atol=0.01)


def test_a_resumed_map_keeps_the_size_of_its_cells(driven):
    coarse = driven.mapper.grid(0.1)
    resumed = ResumedMapper(coarse, Trusting(), Pose2())
    for scan, pose in zip(driven.mapper.scans, driven.odometry, strict=True):
        resumed.add(scan, pose)
    assert resumed.grid().resolution == pytest.approx(0.1)
    with pytest.raises(InvalidInput, match=r"cells of 0\.1 m"):
        resumed.grid(0.05)


def test_a_robot_that_goes_back_in_time_is_mapped_and_located_anew(room, driven):
    with connect("madar_base", scene=room) as robot:
        before = robot.snapshot()
        with LiveMapping(robot, Trusting(), LidarScanner(robot)) as mapping:
            robot.wait(0.5)
            robot.reset()
            robot.wait(0.3)
            assert mapping.stamps == sorted(mapping.stamps) and mapping.stamps[-1] < 0.31
            assert len(mapping.mapper.trajectory) == len(mapping.stamps)
        with robot.start_localization(driven.grid(), start=robot.truth.base_pose()) as found:
            robot.wait(0.5)
            robot.restore(before)
            robot.wait(0.3)
            assert found.pose.distance_to(robot.truth.base_pose()) < 0.05
            assert len(found.stamps) == len(found.believed) < 10


def test_a_resumed_map_is_drawn_from_keyframes_as_a_new_one_is(driven):
    old, few = driven.grid(), Trusting()
    few.keys = 5
    resumed = ResumedMapper(old, few, Pose2())
    for scan, pose in zip(driven.mapper.scans, driven.odometry, strict=True):
        resumed.add(scan, pose)
    drawn = LogOddsGrid.from_grid(old, trust=OLD_TRUST)
    drawn.insert_many(driven.mapper.scans[::5], resumed.trajectory[::5, 1:])
    np.testing.assert_array_equal(resumed.grid().data, drawn.grid().data)


@pytest.mark.parametrize("start", [Pose2(0.01, 0.01), Pose2(4.99, 3.99, 3.0)])
def test_a_start_inside_the_old_map_is_taken(start):
    check_start(walls_of_a_room(), start)


@pytest.mark.parametrize("start", [Pose2(-0.01, 1.0), Pose2(1.0, 4.01)])
def test_a_start_outside_the_old_map_is_refused_with_its_extent(start):
    with pytest.raises(InvalidInput, match=r"x 0\.00 to 5\.00 m, y 0\.00 to 4\.00 m"):
        check_start(walls_of_a_room(), start)


def test_a_resumed_map_has_the_cells_of_the_old_one():
    resumed = ResumedMapper(walls_of_a_room(), Trusting(), Pose2())
    with pytest.raises(InvalidInput, match=r"cells of 0\.05 m"):
        resumed.grid(0.1)


def test_a_map_without_walls_cannot_be_gone_on_with():
    empty = OccupancyGrid(stamp=0.0, frame="map", resolution=0.05, data=np.zeros((5, 5), np.int8))
    with pytest.raises(InvalidInput, match="has no wall"):
        ResumedMapper(empty, Trusting(), Pose2())


# --- whole drives


@pytest.mark.slow
@pytest.mark.parametrize("name", ["madar/map-lab", "crumb/map"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_whole_drive_keeps_its_bars(name, seed):
    result = tasks.run_experiment(tasks.get(name), seed=seed)
    assert result.success, result.remark
    assert float(result.metrics["pose_rmse_m"]) < 0.05
    assert float(result.metrics["walls_near_share"]) > 0.95


def test_the_tours_begin_where_the_robots_do():
    for robot_name, scene in (("madar_base", "laboratory"), ("crumb", "hall")):
        with connect(robot_name, scene=scene) as robot:
            first = tour_of(robot)[0]
            assert robot.truth.base_pose().distance_to(Pose2(*first)) < 0.01
