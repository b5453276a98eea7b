"""Driving along a tour by an estimated pose."""

from dataclasses import replace
from math import pi

import pytest

from mecano import connect
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.tasks.tours import Pace, follow_tour, look_around, steer, tour_of

PACE = Pace(speed=0.25, turn=0.5)


def test_a_base_that_strafes_goes_straight_to_a_point():
    forward, left, turn = steer(Pose2(0, 0, 0), (0.0, 2.0), PACE, strafes=True)
    assert forward == pytest.approx(0.0, abs=1e-9) and left > 0.05 and turn == PACE.turn


def test_a_base_that_cannot_strafe_turns_first():
    assert steer(Pose2(0, 0, 0), (0.0, 2.0), PACE, strafes=False) == (0.0, 0.0, PACE.turn)
    forward, left, turn = steer(Pose2(0, 0, 1.5), (0.0, 2.0), PACE, strafes=False)
    assert forward == pytest.approx(0.25, abs=0.01) and left == 0.0 and 0.0 < turn < 0.2


@pytest.mark.parametrize("strafes", [True, False])
def test_it_slows_down_before_a_point(strafes):
    near = steer(Pose2(), (0.05, 0.0), PACE, strafes=strafes)
    assert 0.0 < near[0] < 0.5 * PACE.speed


def test_no_wheel_of_madar_is_asked_for_more_than_it_can():
    from mecano import robots

    base = robots.get("madar").base
    assert base is not None
    for degrees in range(-180, 181, 15):
        for far in (0.15, 1.0, 3.0):
            pose = Pose2(0.0, 0.0, degrees * pi / 180.0)
            rates = base.layout.rates(steer(pose, (far, 0.0), PACE, strafes=True))
            assert abs(rates).max() < (base.limits.wheel_speed or 0.0)


@pytest.mark.parametrize("name", ["madar_base", "crumb"])
def test_a_base_comes_to_every_point(name):
    with connect(name, scene="empty") as robot:
        here, passed = robot.truth.base_pose, []
        for number in follow_tour(robot, [(0.25, 0.0), (0.25, 0.15)], here, PACE):
            passed.append((number, here()))
    assert [number for number, _ in passed] == [0, 1]
    assert passed[0][1].distance_to(Pose2(0.25, 0.0)) <= PACE.near
    assert passed[1][1].distance_to(Pose2(0.25, 0.15)) <= PACE.near


def test_a_point_that_is_not_reached_ends_the_tour_with_a_reason():
    with (
        connect("madar_base", scene="empty") as robot,
        pytest.raises(InvalidInput, match=r"point 1 of the tour, \(0\.2, 0\) m, is not reached"),
    ):
        list(
            follow_tour(robot, [(0.2, 0.0)], Pose2, replace(PACE, patience=0.1))
        )  # believes that it never moves


def test_looking_around_ends_where_it_began():
    with connect("crumb", scene="empty") as robot:
        look_around(robot, robot.truth.base_pose, Pace(speed=0.2, turn=2.0))
        assert abs(robot.truth.base_pose().yaw) < 0.8
        assert robot.base.at_rest()


def test_the_tour_of_a_scene_is_its_path():
    with connect("crumb", scene="hall") as robot:
        points = tour_of(robot)
    assert points[0] == (0.0, 0.0) and len(points) == 17


def test_a_scene_without_a_tour_says_what_to_do():
    with connect("crumb", scene="empty") as robot, pytest.raises(InvalidInput, match="--teleop"):
        tour_of(robot)
