"""The safety zone of whole robots: stops before walls and boxes, by their own sensors."""

from math import cos, hypot, pi, sin

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.lab.people import put_box, with_boxes
from mecano.operate.teleop import Teleop
from mecano.parts.results import Outcome

BOXES = {"wall": (0.2, 3.0, 0.5), "box": (0.3, 0.3, 0.5)}
HALF = 0.1
"""Of the thickness of the wall [m]."""


def connect(name, **how):
    """Return a robot on an empty floor, with boxes that can be put somewhere."""
    return mecano.connect(name, scene="empty", changes=[with_boxes(BOXES)], **how)


def front(robot, direction: float) -> float:
    """Return how far the outline reaches in a direction of the world, from its origin [m]."""
    pose = robot.truth.base_pose()
    reach = (robot.footprint() @ _unit(direction - pose.yaw)).max()
    return float(np.array([pose.x, pose.y]) @ _unit(direction) + reach)


def reason(robot) -> str:
    """Return what the zone says."""
    stop = robot.base.safety_stop
    return "" if stop is None else stop.message


def _unit(angle: float) -> np.ndarray:
    return np.array([cos(angle), sin(angle)])


def drive_at_wall(robot, speed: float, direction: float, *, distance: float) -> float:
    """Drive at a wall until the base stands; return the smallest gap [m]."""
    x, y = distance * _unit(direction)
    put_box(robot, "wall", Pose2(float(x), float(y), direction))
    robot.base.safety_zone = True
    gap, (forward, left) = np.inf, speed * _unit(direction)
    for _ in range(400):
        robot.base.drive(float(forward), left=float(left) if abs(left) > 1e-9 else 0.0)
        robot.wait(0.05)
        gap = min(gap, distance - HALF - front(robot, direction))
        if robot.base.safety_stop is not None and hypot(*robot.base.speed[:2]) < 0.005:
            return gap
    raise AssertionError(f"it drove on for 20 s, {gap:.3f} m from the wall")


@pytest.mark.parametrize(
    ("name", "speed", "direction"),
    [
        ("youbot", 0.1, pi / 2), ("youbot", 0.74, pi / 2), ("youbot", 0.74, -pi / 2),
        ("madar", 0.29, 0.5),
        *(pytest.param("madar", v, d, marks=pytest.mark.slow)
          for v in (0.05, 0.15, 0.25) for d in (0.0, 1.3, 2.6, -2.2, -0.8)),
        pytest.param("crumb", 0.7, 0.0, marks=pytest.mark.slow),
        pytest.param("crumb", 0.4, 0.0, marks=pytest.mark.slow),
        pytest.param("crumb", 0.1, 0.0, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_it_stops_before_a_wall(name, speed, direction):
    with connect(name) as robot:
        gap = drive_at_wall(robot, speed, direction, distance=1.2 if name == "youbot" else 1.6)
        assert 0.01 < gap < 0.12
        assert "sees something" in reason(robot)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("name", "speed", "direction"), [("madar", 0.25, 0.7), ("crumb", 0.6, 0)])
def test_it_stops_before_a_wall_by_noisy_sensors(name, speed, direction, seed):
    with connect(name, noise=True, seed=seed) as robot:
        assert drive_at_wall(robot, speed, direction, distance=1.6) > 0.01


@pytest.mark.slow
def test_it_stops_for_what_is_put_before_it_while_it_drives():
    with connect("madar") as robot:
        robot.base.safety_zone = True
        robot.base.drive_for(2.0, 0.29)
        pose = robot.truth.base_pose()
        put_box(robot, "box", Pose2(front(robot, 0.0) + 0.15 + 0.25, pose.y, 0.0))
        robot.base.drive_for(3.0, 0.29)
        gap = robot.world.data.body("box").xpos[0] - 0.15 - front(robot, 0.0)
        assert gap > 0.01


def test_it_drives_along_a_wall_without_slowing_down():
    with connect("madar") as robot:
        put_box(robot, "wall", Pose2(0.6, front(robot, pi / 2) + HALF + 0.15, pi / 2))
        robot.base.safety_zone = True
        slowest = np.inf
        for _ in range(60):
            robot.base.drive(0.25)
            robot.wait(0.1)
            if robot.time > 1.0:
                slowest = min(slowest, robot.base.speed[0])
        assert slowest == pytest.approx(0.25)
        assert robot.truth.base_pose().x > 1.2


def test_a_base_before_a_wall_drives_away_and_is_free_again():
    with connect("youbot") as robot:
        drive_at_wall(robot, 0.5, pi / 2, distance=1.0)
        y = robot.truth.base_pose().y
        robot.base.drive_for(2.0, left=-0.3)
        assert robot.truth.base_pose().y < y - 0.4
        assert robot.base.safety_stop is None


def test_a_held_motion_ends_as_blocked_and_says_by_what():
    with connect("youbot") as robot:
        put_box(robot, "wall", Pose2(0.0, 0.8, pi / 2))
        robot.base.safety_zone = True
        result = robot.base.go_to(Pose2(0.0, 1.5, 0.0))
        assert result.outcome is Outcome.BLOCKED
        assert "the left range sensor sees something" in result.cause
        assert 0.01 < 0.7 - front(robot, pi / 2) < 0.1


@pytest.mark.parametrize("motion", ["move", "go_to"])
def test_a_held_motion_goes_on_when_the_way_is_free(motion):
    with connect("youbot") as robot:
        put_box(robot, "wall", Pose2(0.0, 0.8, pi / 2))
        robot.base.safety_zone = True
        if motion == "move":
            handle = robot.base.move(1.0, direction=pi / 2, wait=False)
        else:
            handle = robot.base.go_to(Pose2(0.0, 1.0, 0.0), wait=False)
        robot.wait(4.0)
        assert not handle.done
        assert robot.base.safety_stop is not None
        put_box(robot, "wall", Pose2(30.0, 0.0, 0.0))
        assert handle.wait().reached
        assert robot.truth.base_pose().y == pytest.approx(1.0, abs=0.01)


def test_off_by_default_it_changes_nothing():
    hashes = []
    for on in (None, False):
        with connect("madar") as robot:
            if on is not None:
                robot.base.safety_zone = on
            robot.base.drive_for(1.0, 0.2)
            hashes.append(robot.state_hash())
    assert hashes[0] == hashes[1]


def test_a_free_floor_leaves_a_watched_drive_as_it_is():
    hashes = []
    for on in (False, True):
        with connect("madar") as robot:
            robot.base.safety_zone = on
            robot.base.drive_for(1.0, 0.2, 0.3)
            hashes.append(robot.state_hash())
    assert hashes[0] == hashes[1]


def test_a_snapshot_holds_what_was_seen():
    with connect("madar") as robot:
        put_box(robot, "wall", Pose2(1.0, 0.0, 0.0))
        robot.base.safety_zone = True
        robot.base.drive_for(1.0, 0.2)
        before = robot.snapshot()
        ends = []
        for _ in range(2):
            robot.restore(before)
            robot.base.drive_for(2.0, 0.2)
            ends.append(robot.state_hash())
        assert ends[0] == ends[1]


def test_a_silent_sensor_stops_the_base():
    with connect("madar") as robot:
        robot.base.safety_zone = True
        robot.lidars["left"].switch(False)
        robot.base.drive_for(2.0, 0.2)
        assert "the left LIDAR has been silent" in reason(robot)
        assert robot.truth.base_pose().x < 0.2


def test_keys_drive_with_the_zone_and_without():
    for on in (True, False):
        with connect("youbot") as robot:
            put_box(robot, "wall", Pose2(0.0, 0.62, pi / 2))
            keys = Teleop(robot, safety_zone=on)
            for _ in range(40):
                keys.press("h")
                keys.keep()
                robot.wait(0.1)
            assert (0.52 - front(robot, pi / 2) > 0.01) is on


def test_a_new_frame_of_odometry_keeps_what_was_seen():
    with connect("youbot") as robot:
        drive_at_wall(robot, 0.5, pi / 2, distance=1.0)
        robot.base.reset_odometry(Pose2(5.0, -3.0, 1.0))
        y = robot.truth.base_pose().y
        robot.base.drive_for(1.0, left=0.3)
        assert robot.truth.base_pose().y < y + 0.01


@pytest.mark.parametrize("wrong", [1, "on", None, np.True_])
def test_the_switch_takes_yes_or_no(wrong):
    with connect("madar") as robot, pytest.raises(InvalidInput, match="safety_zone"):
        robot.base.safety_zone = wrong
