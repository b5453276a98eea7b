"""Driving along a tour by an estimated pose."""

from dataclasses import replace
from itertools import pairwise

import pytest

from mecano import connect
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.tasks.tours import Pace, follow_tour, look_around, tour_of

PACE = Pace(speed=0.25, turn=0.5)


@pytest.mark.parametrize("name", ["madar_base", "crumb"])
def test_a_base_comes_to_every_point(name):
    with connect(name, scene="empty") as robot:
        here, passed = robot.truth.base_pose, []
        for number in follow_tour(robot, [(0.25, 0.0), (0.25, 0.15)], here, PACE):
            passed.append((number, here()))
    assert [number for number, _ in passed] == [0, 1]
    assert passed[0][1].distance_to(Pose2(0.25, 0.0)) <= PACE.near
    assert passed[1][1].distance_to(Pose2(0.25, 0.15)) <= PACE.near


def test_a_base_that_cannot_strafe_turns_first_and_then_drives_straight():
    with connect("crumb", scene="empty") as robot:
        path = []
        robot.session.observers.append(lambda session: path.append(robot.truth.base_pose()))
        list(follow_tour(robot, [(0.0, 0.4)], robot.truth.base_pose, PACE))
    assert max(abs(pose.x) for pose in path) < 0.005
    assert max(abs(rate) for rate in _turn_rates(path)) < 1.1 * PACE.turn


def _turn_rates(path):
    tick = 0.01
    return [(b.yaw - a.yaw) / tick for a, b in pairwise(path)]


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
