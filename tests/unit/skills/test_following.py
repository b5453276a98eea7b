"""The plan follower in a closed loop with a kinematic base: both kinds of wheels, and mirrored."""

from math import cos, pi, sin

import numpy as np
import pytest

from mecano.core.arrays import Array
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2, wrap_angle
from mecano.planning.navigation.contract import (
    Costmap,
    LocalView,
    Plan,
    PlanOutcome,
    VelocityLimits,
)
from mecano.planning.navigation.costmap import costmap_of_grid
from mecano.planning.navigation.footprint import Footprint
from mecano.skills.navigation.following import PlanFollower
from mecano.skills.navigation.route import Route

PERIOD = 0.05
NEAR, TURNED = 0.02, 0.03
HOLONOMIC = VelocityLimits(
    max_vel_x=0.5, min_vel_x=-0.5, max_vel_y=0.4, acc_lim_x=1.0, acc_lim_y=1.0
)
DIFFERENTIAL = VelocityLimits(max_vel_x=0.5, min_vel_x=-0.5, acc_lim_x=1.0)
KINDS = pytest.mark.parametrize("limits", [HOLONOMIC, DIFFERENTIAL], ids=["holonomic", "diff"])


def room(*blocked: tuple[float, float]) -> Costmap:
    """Return 10 x 10 m around the origin, with obstacles of one cell."""
    cells = np.zeros((200, 200), np.int8)
    for x, y in blocked:
        cells[int((y + 5.0) / 0.05), int((x + 5.0) / 0.05)] = 100
    grid = OccupancyGrid(resolution=0.05, origin=Pose2(-5.0, -5.0), data=cells)
    return costmap_of_grid(grid, Footprint.circle(0.2))


def line(start: Pose2, end: Pose2) -> Array:
    """Return a straight path whose poses head along it, and at its end as the goal."""
    steps = np.linspace(0.0, 1.0, 41)[:, None]
    points = np.array([start.x, start.y]) * (1 - steps) + np.array([end.x, end.y]) * steps
    heading = np.arctan2(end.y - start.y, end.x - start.x)
    return np.column_stack([points, np.full(len(points), heading)])


def bend() -> Array:
    """Return a quarter of a circle to the left, radius 1 m."""
    angles = np.linspace(0.0, pi / 2, 40)
    return np.column_stack([np.sin(angles), 1.0 - np.cos(angles), angles])


def mirrored(pose: Pose2) -> Pose2:
    return Pose2(pose.x, -pose.y, -pose.yaw)


def drive(
    limits: VelocityLimits, path: Array, start: Pose2, goal: Pose2, seconds: float = 40.0
) -> tuple[Array, Array]:
    """Return poses and twists of a base whose speeds change no faster than its limits."""
    follower = PlanFollower(limits, xy_goal_tolerance=NEAR, yaw_goal_tolerance=TURNED)
    costmap, pose, speed = room(), start, np.zeros(3)
    route = Route(Plan(outcome=PlanOutcome.FOUND, poses=path))
    most = np.array([limits.acc_lim_x, limits.acc_lim_y, limits.acc_lim_theta]) * PERIOD
    poses, twists = [], []
    for _ in range(int(seconds / PERIOD)):
        here = (float(speed[0]), float(speed[1]), float(speed[2]))
        view = LocalView(
            pose=pose, speed=here, costmap=costmap, path=route.ahead(pose), goal=goal, period=PERIOD
        )
        command = follower.command(view)
        assert not command.blocked
        speed = speed + np.clip(np.array(command.twist) - speed, -most, most)
        pose = pose @ Pose2.exp(speed * PERIOD)
        poses.append((pose.x, pose.y, pose.yaw))
        twists.append(command.twist)
    return np.array(poses), np.array(twists)


GOALS = [Pose2(2.0, 0.0, 0.0), Pose2(1.5, 1.0, 2.0), Pose2(-1.5, -0.5, pi / 2), Pose2(0.0, 1.0)]


@KINDS
@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_the_base_stops_within_tolerance_of_the_pose(limits, goal):
    start = Pose2(0.0, 0.0, 0.0)
    poses, twists = drive(limits, line(start, goal), start, goal)
    assert np.hypot(poses[-1, 0] - goal.x, poses[-1, 1] - goal.y) <= 1.5 * NEAR
    assert abs(wrap_angle(poses[-1, 2] - goal.yaw)) <= 1.5 * TURNED
    assert np.array_equal(twists[-1], np.zeros(3)), "it stands"
    assert np.abs(np.diff(poses[-20:], axis=0)).max() < 1e-9


@KINDS
def test_twists_keep_to_the_limits(limits):
    goal = Pose2(1.0, 1.0, pi / 2)
    _, twists = drive(limits, bend(), Pose2(0.0, 0.1, -0.3), goal)
    for column, most in enumerate((limits.max_vel_x, limits.max_vel_y, limits.max_vel_theta)):
        assert np.abs(twists[:, column]).max() <= most + 1e-12
    assert np.abs(twists[:, 0]).max() > 0.5 * limits.max_vel_x, "and use them"


@KINDS
def test_a_bend_is_followed_closely(limits):
    goal = Pose2(1.0, 1.0, pi / 2)
    poses, _ = drive(limits, bend(), Pose2(), goal)
    off = np.abs(np.hypot(poses[:, 0], poses[:, 1] - 1.0) - 1.0)
    assert off.max() < 0.05
    assert np.hypot(poses[-1, 0] - 1.0, poses[-1, 1] - 1.0) <= 1.5 * NEAR


@KINDS
def test_the_mirrored_task_is_driven_mirrored(limits):
    start, goal = Pose2(0.0, 0.1, -0.3), Pose2(1.0, 1.0, pi / 2)
    flip = np.array([1.0, -1.0, -1.0])
    poses, twists = drive(limits, bend(), start, goal, 20.0)
    others, other_twists = drive(limits, bend() * flip, mirrored(start), mirrored(goal), 20.0)
    np.testing.assert_allclose(others, poses * flip, atol=1e-6)
    np.testing.assert_allclose(other_twists, twists * flip, atol=1e-6)


@KINDS
def test_a_turned_and_shifted_task_gets_the_same_twists(limits):
    start, goal, path = Pose2(0.0, 0.1, -0.3), Pose2(1.0, 1.0, pi / 2), bend()
    moved = Pose2(-0.5, -0.7, 1.9)
    c, s = cos(moved.yaw), sin(moved.yaw)
    turned = np.column_stack(
        [path[:, :2] @ np.array([[c, s], [-s, c]]) + [moved.x, moved.y], path[:, 2] + moved.yaw]
    )
    _, twists = drive(limits, path, start, goal, 10.0)
    _, others = drive(limits, turned, moved @ start, moved @ goal, 10.0)
    np.testing.assert_allclose(others, twists, atol=1e-6)


def test_a_holonomic_base_turns_on_the_spot_where_the_path_does():
    there = line(Pose2(), Pose2(1.0, 0.0))
    turn = np.column_stack([np.full((20, 2), [1.0, 0.0]), np.linspace(0.0, pi / 2, 20)])
    back = np.column_stack([np.full(21, 1.0), np.linspace(0.0, 1.0, 21), np.full(21, pi / 2)])
    goal = Pose2(1.0, 1.0, pi / 2)
    poses, _ = drive(HOLONOMIC, np.vstack([there, turn, back]), Pose2(), goal)
    assert np.hypot(poses[-1, 0] - 1.0, poses[-1, 1] - 1.0) <= 1.5 * NEAR
    turning = (poses[:, 2] > 0.2) & (poses[:, 2] < pi / 2 - 0.2)
    assert np.hypot(poses[turning, 0] - 1.0, poses[turning, 1]).max() < 0.1


def test_a_differential_base_is_never_told_to_strafe_and_turns_first_if_the_path_is_behind_it():
    start, goal = Pose2(), Pose2(-1.5, 0.3, pi)
    _, twists = drive(DIFFERENTIAL, line(start, goal), start, goal)
    assert not twists[:, 1].any()
    first = int(np.argmax(twists[:, 0] > 0.0))
    assert first > 10 and not twists[:first, 0].any() and (twists[:first, 2] > 0.0).all()


@KINDS
def test_it_stops_before_an_obstacle_on_the_path_and_says_where(limits):
    path, goal = line(Pose2(), Pose2(3.0, 0.0)), Pose2(3.0, 0.0, 0.0)
    follower = PlanFollower(limits)
    costmap, pose = room((1.5, 0.0)), Pose2()
    twist, command = (0.0, 0.0, 0.0), None
    for _ in range(400):
        left = path[path[:, 0] > pose.x - 0.1]
        view = LocalView(
            pose=pose, speed=twist, costmap=costmap, path=left, goal=goal, period=PERIOD
        )
        command = follower.command(view)
        if command.blocked:
            break
        twist = command.twist
        pose = pose @ Pose2.exp(np.array(twist) * PERIOD)
    assert command is not None and command.blocked.startswith("the path is blocked")
    assert "m ahead, at (1." in command.blocked
    assert command.twist == (0.0, 0.0, 0.0)
    assert 0.9 < pose.x < 1.3, "near it, and the outline of 0.2 m does not touch it"


@KINDS
def test_a_base_that_heads_as_its_goal_does_not_skip_the_path_to_it(limits):
    """The path heads elsewhere; its last pose heads as the base does already."""
    start, goal = Pose2(0.0, 0.0, -1.6), Pose2(0.31, 0.0, -1.6)
    poses, _ = drive(limits, line(start, goal), start, goal)
    assert np.hypot(poses[-1, 0] - goal.x, poses[-1, 1] - goal.y) <= 1.5 * NEAR
    assert abs(wrap_angle(poses[-1, 2] - goal.yaw)) <= 1.5 * TURNED
