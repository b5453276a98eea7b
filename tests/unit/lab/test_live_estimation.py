"""A running robot builds a map, and a later one finds itself in it."""

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.estimation.localization.stated_error import bound_95
from mecano.lab.robot import connect
from mecano.lab.scanners import scan_settings, scanner_of
from mecano.lab.wheel_slip import SlipFacts, add_slip

ROOM = """<mujoco><worldbody>
  <geom type="plane" size="5 5 0.1"/><light pos="0 0 3"/>
  <geom type="box" pos="2.05 0 1" size="0.05 1.6 1"/><geom type="box" pos="-2.05 0 1" size="0.05 1.6 1"/>
  <geom type="box" pos="0 1.55 1" size="2 0.05 1"/><geom type="box" pos="0 -1.55 1" size="2 0.05 1"/>
  <geom type="box" pos="-1.2 0.9 0.5" size="0.3 0.2 0.5"/><geom type="box" pos="1.6 -1.3 0.5" size="0.2 0.1 0.5"/>
</worldbody></mujoco>"""  # noqa: E501


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    file = tmp_path_factory.mktemp("room") / "room.xml"
    file.write_text(ROOM)
    return str(file)


@pytest.fixture(scope="module")
def saved(room, tmp_path_factory):
    """A map of the room, made by a robot that drove about."""
    folder = tmp_path_factory.mktemp("map")
    with connect("madar_base", scene=room, noise=True) as robot:
        with robot.start_mapping() as mapping:
            robot.base.drive_for(2.0, 0.2)
            robot.base.drive_for(2.0, 0.0, 0.5)
        mapping.finish()
        mapping.save(folder)
    return folder


def test_a_map_is_saved_with_the_way(saved):
    assert {file.name for file in saved.iterdir()} == {"map.yaml", "map.pgm", "trajectory.txt"}
    rows = np.loadtxt(saved / "trajectory.txt")
    assert len(rows) > 50
    assert rows[-1, 1:3] == pytest.approx([0.4, 0.0], abs=0.05)


def test_a_later_robot_finds_itself_in_the_map_although_its_wheels_slip(room, saved):
    with connect("madar_base", scene=room, noise=True, seed=3) as robot:
        add_slip(robot, SlipFacts().times(20.0))
        with robot.start_localization(saved / "map.yaml", start=Pose2(0.05, -0.05, 0.05)) as found:
            assert found.estimate is None and found.belief().grid is None
            robot.base.drive_for(2.5, 0.2, 0.05)
        truth, belief = robot.truth.base_pose(), found.belief()
        assert found.pose.distance_to(truth) < 0.03
        assert robot.base.pose.distance_to(truth) > 0.04  # what its wheels say
        corrected = found.map_to_odom @ robot.base.pose
        assert corrected.is_close(found.pose)
    assert len(belief.particles) >= 100 and belief.grid is found.grid


def test_a_start_outside_the_map_is_refused(room, saved):
    with connect("madar_base", scene=room) as robot, pytest.raises(InvalidInput, match="map"):
        robot.start_localization(saved / "map.yaml", start=Pose2(50.0, 0.0))


def test_robots_that_cannot_scan_say_so():
    with connect("open_manipulator_x") as robot, pytest.raises(InvalidInput, match="no wheels"):
        robot.start_mapping()


def test_the_view_sees_the_map_where_odometry_began(room):
    with connect("madar_base", scene=room) as robot:
        with robot.start_mapping() as mapping:
            assert robot.estimator is mapping
            robot.base.drive_for(0.3, 0.1)
        belief = mapping.belief()
        assert belief.origin.is_close(Pose2(), position_tolerance=0.01, angle_tolerance=0.01)
        assert belief.grid is not None and len(belief.scan) > 100


def test_a_depth_camera_is_a_scanner_of_its_own_class(room):
    with connect("crumb", scene=room) as robot, connect("madar_base", scene=room) as other:
        narrow, around = scanner_of(robot).scanner_class, scanner_of(other).scanner_class
    assert np.degrees(narrow.field_of_view) == pytest.approx(57.0, abs=3.0)
    assert narrow.narrow and not around.narrow
    assert (narrow.nearest, narrow.furthest) == (0.45, 5.0)
    assert narrow.deviation(4.0) > 5 * narrow.deviation(1.0)
    assert around.deviation(4.0) == around.deviation(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_narrow_camera_is_no_worse_than_odometry_on_a_turn(room, tmp_path, seed):
    settings = scan_settings("crumb")
    with connect("crumb", scene=room, noise=True, settings=settings) as robot:
        with robot.start_mapping() as mapping:
            robot.base.drive_for(9.0, 0.0, 0.8)
            robot.base.drive_for(3.0, 0.2)
            robot.base.drive_for(9.0, 0.0, 0.8)
        mapping.finish()
        mapping.save(tmp_path)
    with connect("crumb", scene=room, noise=True, seed=seed, settings=settings) as robot:
        off, bounds = [], []
        with robot.start_localization(tmp_path / "map.yaml", start=Pose2()) as found:
            found.on_scan = lambda scan: bounds.append(
                bound_95(found.estimate.covariance) if found.estimate else 0.0
            )
            robot.base.drive_for(9.0, 0.0, 0.8)
            robot.base.drive_for(2.0, 0.2)
        begun = found.truth[0]
        off = [
            (begun.inverse() @ true).distance_to(pose)
            for true, pose in zip(found.truth, found.believed, strict=True)
        ]
    assert np.percentile(off, 95) < 0.08
    assert np.mean(np.array(off) < bounds) > 0.95
