"""Laws of the safety zone, on a base that does at once what its driver allows."""

from math import cos, hypot, pi, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.control.safety_kernel import clearance
from mecano.control.safety_zone import BrakingLimits, allowance
from mecano.core.poses import Pose2
from mecano.planning.navigation.footprint import Footprint

LIMITS = BrakingLimits(acceleration=0.5, braking=0.6, turn_acceleration=2.0, turn_braking=2.5)
BOX = Footprint.rectangle(0.6, 0.4).corners
ROUND = Footprint.circle(0.2).corners
MARGIN, TICK = 0.05, 0.01
angles = st.floats(-pi, pi)


def wall(distance: float, bearing: float, *, half: float = 2.0) -> np.ndarray:
    """Return points of a wall across a bearing, seen from the origin [m]."""
    along = np.arange(-half, half, 0.05)
    out, side = np.array([cos(bearing), sin(bearing)]), np.array([-sin(bearing), cos(bearing)])
    return distance * out + along[:, None] * side


class Driven:
    """A base whose speed follows its commands as the limits allow."""

    def __init__(self, corners, points, pose=None, speed=(0.0, 0.0, 0.0)):
        self.corners, self.points, self.pose = corners, points, pose or Pose2()
        self.speed, self.shares = speed, []

    def gap(self) -> float:
        local = self.pose.inverse().transform_points(self.points)
        return min(clearance(self.corners, x, y) for x, y in local)

    def step(self, wanted) -> None:
        local = self.pose.inverse().transform_points(self.points)
        margins = np.full(len(local), MARGIN)
        share = allowance(self.corners, local, margins, self.speed, wanted, LIMITS).share
        self.shares.append(share)
        vx, vy, wz = (share * each for each in wanted)
        before, change = self.speed, hypot(vx - self.speed[0], vy - self.speed[1])
        slower = hypot(vx, vy) < hypot(*before[:2]) or vx * before[0] + vy * before[1] < 0.0
        most = TICK * (LIMITS.braking if slower else LIMITS.acceleration)
        part = 1.0 if change <= most else most / change
        turn = TICK * (LIMITS.turn_braking if abs(wz) < abs(before[2]) else 2.0)
        self.speed = (
            before[0] + part * (vx - before[0]), before[1] + part * (vy - before[1]),
            before[2] + min(max(wz - before[2], -turn), turn),
        )  # fmt: skip
        self.pose = self.pose @ Pose2.exp([TICK * each for each in self.speed])

    def run(self, seconds: float, wanted) -> float:
        """Return the smallest gap on the way [m]."""
        smallest = self.gap()
        for number in range(round(seconds / TICK)):
            self.step(wanted)
            if number % 10 == 0:
                smallest = min(smallest, self.gap())
        return min(smallest, self.gap())


@pytest.mark.parametrize("corners", [BOX, ROUND], ids=["box", "round"])
@settings(max_examples=12, deadline=None)
@given(
    vx=st.floats(-0.7, 0.7), vy=st.floats(-0.7, 0.7), wz=st.floats(-1.5, 1.5), bearing=angles,
    distance=st.floats(0.8, 1.6),
)  # fmt: skip
def test_no_command_brings_the_base_to_an_obstacle(corners, vx, vy, wz, bearing, distance):
    base = Driven(corners, wall(distance, bearing))
    assert base.run(6.0, (vx, vy, wz)) > 0.5 * MARGIN


@settings(max_examples=12, deadline=None)
@given(first=angles, second=angles, bearing=angles, at=st.floats(0.2, 2.0))
def test_nor_does_a_change_of_mind(first, second, bearing, at):
    base = Driven(BOX, wall(0.9, bearing))
    base.run(at, (0.6 * cos(first), 0.6 * sin(first), 0.8))
    assert base.run(4.0, (0.6 * cos(second), 0.6 * sin(second), -0.8)) > 0.5 * MARGIN


@pytest.mark.parametrize("speed", [0.1, 0.3, 0.5, 0.7])
def test_it_slows_down_before_it_stops(speed):
    base = Driven(ROUND, wall(1.5, 0.0))
    base.run(20.0, (speed, 0.0, 0.0))
    assert base.speed[0] < 0.01
    assert MARGIN - 0.02 < base.gap() < MARGIN + 0.02
    between = [share for share in base.shares if 0.05 < share < 0.95]
    assert len(between) > 10


@settings(max_examples=20, deadline=None)
@given(bearing=angles, aside=st.floats(-1.4, 1.4), gap=st.floats(0.001, 0.1))
def test_a_base_may_always_drive_away(bearing, aside, gap):
    """From any gap, within the margin too, in all directions that lead away from the wall."""
    reach = float((ROUND @ np.array([cos(bearing), sin(bearing)])).max())
    points, away = wall(reach + gap, bearing), bearing + pi + aside
    found = allowance(
        ROUND, points, np.full(len(points), MARGIN), (0.0, 0.0, 0.0),
        (0.5 * cos(away), 0.5 * sin(away), 0.0), LIMITS,
    )  # fmt: skip
    assert found.share == 1.0


@pytest.mark.parametrize("gap", [0.06, 0.1, 0.3])
def test_driving_along_a_wall_is_no_reason_to_stop(gap):
    side = np.column_stack([np.arange(-1.0, 8.0, 0.02), np.full(450, 0.2 + gap)])
    base = Driven(BOX, side)
    base.run(10.0, (0.6, 0.0, 0.0))
    assert min(base.shares) == 1.0


def test_a_turn_on_the_spot_of_a_round_base_is_free_beside_the_margin():
    points = wall(0.2 + MARGIN + 0.002, 0.3)
    found = allowance(
        ROUND, points, np.full(len(points), MARGIN), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), LIMITS
    )
    assert found.share == 1.0


def test_a_corner_does_not_swing_into_a_wall():
    base = Driven(BOX, np.column_stack([np.arange(-1.0, 1.0, 0.02), np.full(100, 0.28)]))
    assert base.run(6.0, (0.0, 0.0, 1.0)) > 0.5 * MARGIN
    assert abs(base.pose.yaw) < 0.5


def test_what_is_in_the_way_is_named():
    points = np.array([[-0.5, 0.0], [0.4, 0.05], [0.9, 0.0]])
    found = allowance(ROUND, points, np.full(3, MARGIN), (0.6, 0.0, 0.0), (0.6, 0.0, 0.0), LIMITS)
    assert found.obstacle == 1
    assert found.share < 0.5


def test_nothing_in_sight_is_no_limit():
    none = np.empty((0, 2))
    twist = (0.5, 0.5, 0.5)
    assert allowance(BOX, none, np.empty(0), twist, twist, LIMITS).share == 1.0
