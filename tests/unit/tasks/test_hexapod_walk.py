"""The walk of the thesis: tripods, straight, and what is measured is true."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput, UnknownName
from mecano.tasks.experiment import run_experiment
from mecano.tasks.hexapod_walk import EXPERIMENT, Walked, judge, measure, tell, walk, write_csv


@cache
def walked() -> tuple[Walked, str]:
    """A short walk, and the robot's state hash after it."""
    with mecano.connect("romerin", scene="empty") as robot:
        robot.wait(0.2)
        found = walk(robot, gait="tripod", direction=0.0, seconds=2.5)
        return found, robot.state_hash()


def made_up(**changes) -> Walked:
    times = np.linspace(0.0, 20.0, 201)
    straight = Walked(
        gait="tripod", speed=0.04, leg=1, times=times, target=np.zeros((201, 3)),
        real=np.zeros((201, 3)), holds=np.ones(201, bool),
        way=np.column_stack([0.04 * times, 0.0 * times]), turned=np.zeros(201), odometry=0.8,
        peak=0.2, steps=((2, 4, 6), (1, 3, 5)), problem="",
    )  # fmt: skip
    return replace(straight, **changes)


# What is measured


def test_straight_walk_is_accepted():
    assert judge(made_up()) == ""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"problem": "cup 2 broke"}, "cup 2 broke"),
        ({"way": np.zeros((201, 2))}, "it came 0 mm far, expected 560 mm"),
        ({"way": np.column_stack([np.linspace(0, 0.8, 201)] * 2)}, "it ends 800.0 mm aside"),
    ],
)
def test_walk_that_is_not_good_is_told(changes, message):
    assert message in judge(made_up(**changes))


def test_swings_are_when_the_cup_does_not_hold():
    holds = np.ones(201, bool)
    holds[10:20] = holds[50:70] = holds[195:] = False
    swings = made_up(holds=holds).swings
    np.testing.assert_allclose(swings, [(1.0, 2.0), (5.0, 7.0), (19.5, 20.0)])


def test_lag_is_the_largest_difference():
    real = np.zeros((201, 3))
    real[7, 2] = -0.3
    np.testing.assert_allclose(made_up(real=real).lags, [0.0, 0.0, 0.3])


# The robot


def test_even_legs_step_first_then_odd_ones():
    assert walked()[0].steps[:2] == ((2, 4, 6), (1, 3, 5))


def test_body_advances_straight():
    found, _ = walked()
    assert found.distance > 0.05 and abs(found.aside) < 0.003
    assert abs(found.turned[-1]) < math.radians(0.5)
    assert found.odometry == pytest.approx(found.distance, abs=0.003)


def test_motors_follow_their_targets():
    assert np.degrees(walked()[0].lags).max() < 5.0


def test_watching_changes_nothing():
    with mecano.connect("romerin", scene="empty") as robot:
        robot.wait(0.2)
        robot.legs.walk(time=2.5)
        assert robot.state_hash() == walked()[1]


# Files and words


def test_report_names_what_the_thesis_has():
    report = tell(walked()[0], corrected=True)
    assert "2-4-6, 1-3-5" in report and "curved" in report and "kept by the IMU" in report


def test_metrics_are_plain_values():
    figures = measure(walked()[0])
    assert {type(value) for value in figures.values()} <= {int, float, str}
    assert figures["first_legs"] == "2 4 6"


def test_table_is_written(tmp_path):
    found = walked()[0]
    write_csv(found, tmp_path / "leg1.csv")
    table = np.genfromtxt(tmp_path / "leg1.csv", delimiter=",", names=True)
    assert len(table) == len(found.times)
    np.testing.assert_allclose(table["motor_2_real_deg"], np.degrees(found.real[:, 1]), atol=1e-3)
    assert table["along_mm"][-1] == pytest.approx(1000 * found.distance, abs=0.01)


def test_picture_is_drawn(tmp_path):
    from mecano.tasks.romerin_plots import draw_walk

    draw_walk(walked()[0], tmp_path / "leg1.png")
    assert (tmp_path / "leg1.png").stat().st_size > 50_000


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"gait": "moonwalk"}, UnknownName, "tripod"),
        ({"direction": "left"}, InvalidInput, "direction"),
        ({"seconds": "0"}, InvalidInput, "seconds"),
        ({"imu": "perhaps"}, UnknownName, "yes, no"),
    ],
)
def test_wrong_options_are_explained(options, error, message):
    with pytest.raises(error, match=message):
        run_experiment(EXPERIMENT, options=options)


@pytest.mark.slow
@pytest.mark.parametrize("imu", ["yes", pytest.param("no", marks=pytest.mark.slow)])
def test_walk_of_20_s_is_straight(imu):
    result = run_experiment(EXPERIMENT, options={"imu": imu})
    assert result.success, result.remark
    assert float(result.metrics["distance_mm"]) > 700.0
    assert abs(float(result.metrics["aside_mm"])) < 10.0


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"gait": "ripple"}, {"direction": "90"}, {"direction": "180"}])
def test_other_gaits_and_directions_walk_too(options):
    result = run_experiment(EXPERIMENT, options=options | {"seconds": "10"})
    assert result.success, result.remark
