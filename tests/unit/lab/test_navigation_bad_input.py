"""Goals, maps and sensors that are wrong: navigation says so, and the base stands."""

import numpy as np
import pytest

import mecano
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.world.floor_plan import floor_plan, scene_plan


def room() -> OccupancyGrid:
    """Return 6 x 6 m: a closed chamber of 2 x 2 m at the top right, unknown at the top left."""
    cells = np.zeros((120, 120), np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = 100
    cells[80, 80:] = cells[80:, 80] = 100
    cells[81:119, 1:40] = -1
    return OccupancyGrid(resolution=0.05, origin=Pose2(-3.0, -3.0), data=cells)


GOALS = {
    "outside the map": (Pose2(9.0, 0.0), "outside"),
    "in a wall": (Pose2(2.97, 0.0), "blocked"),
    "in unknown space": (Pose2(-2.0, 2.0), "unknown"),
    "in a closed chamber": (Pose2(2.0, 2.0), "no route"),
}


@pytest.mark.parametrize("where", GOALS)
def test_a_goal_that_cannot_be_reached_is_refused_with_the_reason_before_it_drives(where):
    goal, says = GOALS[where]
    with mecano.connect("youbot", scene="empty") as robot:  # without a scanner: the map is all
        before = robot.truth.base_pose()
        with robot.start_navigation(room(), talk=False) as nav:
            result = nav.go_to(goal)
        assert result.outcome == "aborted" and says in result.reason
        assert f"({goal.x:.2f}, {goal.y:.2f}) m" in result.reason
        assert result.duration < 1.0 and robot.truth.base_pose().distance_to(before) < 1e-3
        if where != "outside the map":
            assert result.nearest is not None and "nearest pose" in result.reason


def laboratory(robot: mecano.Robot) -> OccupancyGrid:
    return floor_plan(robot.world.model, next(iter(robot.lidars.values())).pose.position[2])


def test_lidars_that_fall_silent_stop_the_base_within_the_watchdog_time():
    with mecano.connect("madar_base", scene="laboratory", noise=True, seed=1) as robot:
        robot.wait(0.3)
        with robot.start_navigation(laboratory(robot), talk=False) as nav:
            handle = nav.go_to(Pose2(2.5, 4.0), wait=False)
            robot.wait(3.0)
            assert np.hypot(*robot.base.speed[:2]) > 0.1
            for lidar in robot.lidars.values():
                lidar.switch(False)
            robot.wait(0.5 + 0.05)  # the watchdog and a control cycle
            robot.wait(0.27 / 0.5)  # and the braking of the base
            here = robot.truth.base_pose()
            robot.wait(1.0)
            assert robot.truth.base_pose().distance_to(here) < 0.01 and not handle.done
            assert "silent" in nav.status.text
            for lidar in robot.lidars.values():
                lidar.switch(True)
            assert handle.wait().reached


@pytest.mark.slow
def test_a_map_of_another_place_is_found_out_and_said():
    with mecano.connect("madar_base", scene="laboratory", noise=True, seed=1) as robot:
        robot.wait(0.3)
        wrong = scene_plan("corridor", 0.152)
        with (
            robot.start_localization(wrong, start=Pose2(1.5, 0.0)) as localization,
            robot.start_navigation(wrong, pose=localization, talk=False) as nav,
        ):
            result = nav.go_to(Pose2(8.5, 0.0))
        assert result.outcome == "lost"
        assert "does not fit" in result.reason or "localization is lost" in result.reason


@pytest.mark.slow
def test_a_base_that_was_carried_away_finds_its_place_or_stops_and_says_so():
    with mecano.connect("madar_base", scene="laboratory", noise=True, seed=1) as robot:
        robot.wait(0.3)
        grid, here = laboratory(robot), robot.truth.base_pose()
        robot.base.reset_odometry(here)
        with (
            robot.start_localization(grid, start=here) as localization,
            robot.start_navigation(grid, pose=localization, talk=False) as nav,
        ):
            handle = nav.go_to(Pose2(2.5, 3.0), wait=False)
            robot.wait(3.0)
            address = robot.world.model.joint("madar_base/free").qposadr[0]
            robot.world.data.qpos[address : address + 2] += (-0.6, -1.6)  # somebody carries it
            result = handle.wait()
            events = " ".join(event.text for event in nav.events)
        off = robot.truth.base_pose().distance_to(Pose2(2.5, 3.0))
        assert (result.reached and off < 0.25) or result.outcome == "lost"
        assert "localization is lost" in events or off < 0.25


def test_goals_and_cancels_in_quick_succession_leave_a_base_that_stands_or_drives_to_the_last():
    with mecano.connect("madar_base", scene="empty") as robot:
        with robot.start_navigation(room(), talk=False) as nav:
            handle = None
            for number in range(12):
                handle = nav.go_to(Pose2(0.1 * number, -0.05 * number), wait=False)
                if number % 3 == 1:
                    nav.cancel()
                    assert handle.done and handle.wait().outcome == "stopped"
                if number % 2:
                    robot.wait(0.02)
            assert handle is not None and handle.wait().reached
        assert robot.truth.base_pose().distance_to(Pose2(1.1, -0.55)) < 0.11
