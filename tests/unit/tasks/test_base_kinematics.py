"""MADAR's base: the paper's figures from the layout, by kinematics and by physics."""

from dataclasses import replace
from math import hypot

import numpy as np
import pytest

import mecano
from mecano.control.wheel_loop import WheelLoop
from mecano.core.errors import InvalidInput, UnknownName
from mecano.robots.madar import paper
from mecano.tasks import get, run_experiment
from mecano.tasks.base_kinematics import (
    TWISTS,
    Course,
    drive_twist,
    matrices_for,
    paper_test_by_kinematics,
    paper_test_by_physics,
)


@pytest.fixture
def robot():
    with mecano.connect("madar", scene="empty", variant="base") as robot:
        robot.wait(0.2)
        yield robot


def test_the_printed_matrices_are_those_of_the_layout():
    printed = matrices_for(0.290)
    assert max(printed.off) < 1e-4
    np.testing.assert_allclose(
        printed.layout.to_rates @ np.array(paper.TO_TWIST), np.eye(3), atol=2e-5
    )
    np.testing.assert_allclose(
        np.array(paper.TO_RATES) @ printed.layout.to_twist, np.eye(3), atol=2e-5
    )


def test_the_drawn_distance_changes_only_how_it_turns():
    drawn = matrices_for(0.2905).layout.to_rates
    np.testing.assert_allclose(drawn[:, :2], np.array(paper.TO_RATES)[:, :2], atol=1e-4)
    np.testing.assert_allclose(drawn[:, 2], -2.905)


def test_the_papers_rates_lead_to_one_and_one():
    end = paper_test_by_kinematics(matrices_for(0.290).layout)
    assert (end.x, end.y, end.yaw) == pytest.approx((1.0, 1.0, 0.0), abs=1e-5), (
        "the rates are printed to 1e-4"
    )


def test_physics_leads_there_too_as_fast_as_the_drives_allow(robot):
    end, speed = paper_test_by_physics(robot, 0.5)
    assert hypot(end.x - 1.0, end.y - 1.0) < 0.005 and abs(end.yaw) < 0.001
    assert np.abs(robot.base.facts.layout.rates((speed, speed, 0.0))).max() <= 2.618


@pytest.mark.parametrize("name", ["sideways", "mixed"])
def test_a_twist_ends_where_it_should(robot, name):
    twisted = drive_twist(robot, name, 2.0, 0.5)
    assert twisted.driven.path_error < 0.003 and abs(twisted.driven.yaw_error) < 0.003
    assert twisted.lag < 0.015
    ratio = np.array(twisted.told)[np.array(TWISTS[name]) != 0] / [v for v in TWISTS[name] if v]
    assert np.ptp(ratio) < 1e-12 and ratio[0] <= 1.0, "the curve stays"


def test_the_papers_gains_lag_behind_by_three_quarters_of_a_second(robot):
    robot.base.wheel_loop = WheelLoop(**paper.WHEEL_LOOP)
    slow = drive_twist(robot, "forward", 3.0, 3.0)
    assert 0.6 < slow.lag < 0.9 and slow.driven.path_error < 0.03
    robot.base.wheel_loop = None
    assert drive_twist(robot, "back", 1.5, 0.5).lag < 0.015, "the motors' own loops are back"


def test_the_papers_odometry_is_lost_after_a_turn(robot):
    course = Course.begin(robot)
    robot.session.observers.append(course.look)
    course.drive("turn", np.pi / 2 / 0.8, 0.0, 0.8, 0.3)
    course.drive("side", 1.5 / 0.3, 0.3, 0.0, 0.3)
    (_, after_turn, _, paper_after_turn), (_, ours, _, paper) = course.legs
    assert after_turn < 0.001 and paper_after_turn < 0.005
    assert ours < 0.003 and paper == pytest.approx(2.12, abs=0.02)


@pytest.mark.slow
def test_the_experiment_says_what_it_measured(tmp_path):
    small = replace(get("madar/base-kinematics"), robot="madar_base")
    options = {"twists": "turn", "seconds": "1", "side": "0.1"}
    result = run_experiment(small, options=options)
    assert result.success and float(result.metrics["paper_test_error_mm"]) < 5.0
    assert "-8.6603   -5.0000   -2.9000" in result.report and "62.3 %" in result.report
    for name, write in result.products.items():
        write(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 500
    rows = np.loadtxt(tmp_path / "coverage.csv", delimiter=",", skiprows=1)
    assert rows.shape == (360, 13) and (rows[:, 9:] > 0).all() and (rows[:, 1:5] == 0).any()


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"gains": "soft"}, UnknownName, "default, paper"),
        ({"twists": "forwards"}, UnknownName, "did you mean 'forward'"),
        ({"side": "-1"}, InvalidInput, r"side \[m\]"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, error, says):
    small = replace(get("madar/base-kinematics"), robot="madar_base")
    with pytest.raises(error, match=says):
        run_experiment(small, options=options)
