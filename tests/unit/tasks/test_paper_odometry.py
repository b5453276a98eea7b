"""MADAR's own odometry beside ours, on the same exact encoders, every 4 ms."""

from math import cos, hypot, pi, radians, sin

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.estimation.odometry import Odometer
from mecano.kinematics.wheels import Wheel, WheelLayout
from mecano.tasks.paper_odometry import PaperOdometer

PERIOD = 0.004
PER_TICK = 2.0**-42
"""Exact encoders [rad]: what is left is the error of the method."""
MADAR = WheelLayout(tuple(
    Wheel(
        name=f"motor_{i}", x=0.29 * cos(radians(a)), y=0.29 * sin(radians(a)), radius=0.1,
        direction=radians(a + 270), roller=0.0,
    )
    for i, a in enumerate((180, 300, 420), start=1)
))  # fmt: skip
TURN = (0.0, 0.0, pi / 2), 1.0
AHEAD = (1.5, 0.0, 0.0), 1.0
REST = (0.0, 0.0, 0.0), 0.1


def both(parts, *, begin=(0.0, 0.0, 0.0), paper: PaperOdometer | None = None):
    """Drive parts (a motion in all, and its time [s]); return the truth, the paper's and ours."""
    angles, now, truth = np.array(begin), 0.0, Pose2()
    paper = paper or PaperOdometer(MADAR, angles)
    ours = Odometer(MADAR, PER_TICK, 2**62, ticks=counted(angles), stamp=0.0)
    for motion, seconds in parts:  # odometry does not mind how fast a base really is
        count = round(seconds / PERIOD)
        start, before = truth, angles
        total = MADAR.rates(motion)
        for k in range(1, count + 1):
            now += PERIOD
            angles = before + total * (k / count)
            paper, ours = paper.after(angles, now), ours.after(counted(angles), now)
        truth = start @ Pose2.exp(MADAR.twist(total))
    return truth, paper, ours


def counted(angles) -> tuple[int, ...]:
    return tuple(round(a / PER_TICK) for a in angles)


def test_the_layout_is_the_papers_matrix():
    A = [[0, 10, -2.9], [-8.6603, -5, -2.9], [8.6603, -5, -2.9]]
    np.testing.assert_allclose(MADAR.to_rates, A, atol=1e-4)


def test_a_turn_and_a_straight_end_two_metres_off():
    truth, paper, ours = both([TURN, REST, AHEAD])
    assert (truth.x, truth.y) == pytest.approx((0.0, 1.5), abs=1e-9)
    assert paper.error_to(truth) == pytest.approx(2.12, abs=0.005)
    assert ours.pose.distance_to(truth) < 1e-11


def test_a_square_ends_six_metres_off():
    truth, paper, ours = both([AHEAD, REST, TURN, REST] * 4)
    assert hypot(truth.x, truth.y) < 1e-9
    assert paper.error_to(truth) == pytest.approx(6.0, abs=0.01)
    assert ours.pose.distance_to(truth) < 1e-11


def test_it_is_right_while_the_heading_stays():
    truth, paper, _ = both([AHEAD, ((0.0, 1.0, 0.0), 4.0)])
    assert paper.error_to(truth) < 1e-9


def test_on_a_circle_it_is_off_by_millimetres():
    truth, paper, ours = both([((2 * pi, 0.0, 2 * pi), 8.0)])  # radius 1 m
    assert 0.5e-3 < paper.error_to(truth) < 8e-3
    assert ours.pose.distance_to(truth) < 1e-10


def test_its_first_step_jumps_where_the_encoders_stand():
    begin = MADAR.rates((0.5, 0.0, 0.0))
    truth, paper, ours = both([REST], begin=begin, paper=PaperOdometer.as_printed(MADAR))
    assert paper.error_to(truth) == pytest.approx(0.5) and ours.pose == truth
    assert both([REST], begin=begin)[1].error_to(truth) == 0.0


@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 0.1])
def test_it_never_says_what_is_no_number(epsilon):
    start = PaperOdometer(MADAR, np.zeros(3), epsilon=epsilon)
    sideways = ((0.0, 1.0, 0.0), 1.0)  # it divides by a forward speed of zero
    for parts in ([REST], [TURN], [sideways, TURN, sideways]):
        paper = both(parts, paper=start)[1]
        assert np.isfinite([paper.x, paper.y, paper.heading, *paper.rates]).all()


def test_a_wide_epsilon_takes_the_flaw_into_curves():
    curve = [((2 * pi, 0.0, 2 * pi), 8.0)]  # turns at 0.79 rad/s
    truth, paper, _ = both(curve, paper=PaperOdometer(MADAR, np.zeros(3), epsilon=1.0))
    assert paper.error_to(truth) > 6.0


def test_wrong_readings_are_refused():
    start = PaperOdometer(MADAR, np.zeros(3), stamp=1.0)
    with pytest.raises(InvalidInput, match="not finite"):
        start.after([0.0, np.nan, 0.0], 1.1)
    with pytest.raises(InvalidInput, match="expected \\(3\\)"):
        start.after([0.0, 0.0], 1.1)
    with pytest.raises(InvalidInput, match=r"a reading of 1.0 s came after one of 1.0 s"):
        start.after([0.0, 0.0, 0.0], 1.0)
