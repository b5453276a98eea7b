"""Table 5.1: legs reach their points, and what is measured is true."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput, UnknownName
from mecano.robots.romerin.description import CHAINS
from mecano.tasks.experiment import run_experiment
from mecano.tasks.leg_reach import (
    BAR_MM,
    CASES,
    EARLY,
    EXPERIMENT,
    Reach,
    measure,
    reach,
    tell,
    write_csv,
    write_table,
)

PAPER_ERRORS = (10.65, 11.11, 12.74, 11.03, 12.38, 12.26)  # table 5.1 [mm]
NAMES = [f"leg {case.leg} {case.elbow}" for case in CASES]


@cache
def reached() -> tuple[Reach, str]:
    """One reach, and the robot's state hash after it."""
    with mecano.connect("romerin", scene="empty", start="rest") as robot:
        robot.wait(0.2)
        found = reach(robot, CASES[0], settle=1.5)
        assert robot.cups.holding.all()  # it stands on all six again
        return found, robot.state_hash()


# The table


def test_errors_of_the_thesis_are_those_it_prints():
    np.testing.assert_allclose([case.paper_error for case in CASES], PAPER_ERRORS, atol=0.01)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_points_are_inside_the_limits_with_their_elbow(case):
    ways = CHAINS[f"leg_{case.leg}"].leg.solve(*(0.001 * np.array(case.target)))
    assert case.elbow in ways


def test_leg_starts_where_the_thesis_says():
    np.testing.assert_allclose(reached()[0].tips[0], [-56.91, 196.51, -96.29], atol=0.5)


# A reach


def test_tip_comes_to_its_point():
    found, _ = reached()
    assert found.settled < 1.0  # in the last half of 1.5 s
    assert found.error_at(0.0) > found.early > found.settled


def test_error_is_the_distance_of_the_true_tip():
    found, _ = reached()
    expected = np.linalg.norm(found.tips[-1] - [25, 250, -40])
    assert found.errors[-1] == pytest.approx(expected)
    chain = CHAINS["leg_2"]
    np.testing.assert_allclose(found.tips[-1], 1000 * chain.tip(found.real[-1]), atol=0.01)


def test_commanded_angles_end_at_those_of_the_fact_sheet():
    ended = np.degrees(reached()[0].target[-1])
    np.testing.assert_allclose(ended, [-25.579, 23.572, -75.192], atol=1e-3)


def test_watching_changes_nothing():
    with mecano.connect("romerin", scene="empty", start="rest") as robot:
        robot.wait(0.2)
        robot.cups.release(2, force=True)
        motion = robot.legs[2].move_to([0.025, 0.25, -0.04], branch="up", wait=False)
        robot.wait(motion.move.duration + 1.5)  # type: ignore[union-attr]
        robot.legs[2].move_joints("rest", speed=0.3)
        robot.wait(0.5)
        robot.cups.attach(2)
        assert robot.state_hash() == reached()[1]


def test_settling_is_the_time_until_the_bar_is_kept():
    found = replace(reached()[0], tips=np.array([[0.0, 0, 0]] * 4), times=np.arange(4.0))
    assert replace(found, duration=1.0).settling == 2.0


# Files and words


def test_report_has_a_row_per_case():
    report = tell([reached()[0]])
    assert "  2 up " in report and "10.65" in report


def test_metrics_have_units():
    figures = measure([reached()[0]])
    assert all(name.endswith(("_mm", "_s")) for name in figures)
    assert figures["worst_settled_error_mm"] == figures["leg_2_up_settled_error_mm"]


def test_tables_are_written(tmp_path):
    found = reached()[0]
    write_csv([found], tmp_path / "reach.csv")
    rows = np.genfromtxt(
        tmp_path / "reach.csv", delimiter=",", names=True, dtype=None, encoding="utf-8"
    )
    assert len(rows) == len(found.times) and rows["error_mm"][-1] < 1.0
    write_table([found], tmp_path / "table.csv")
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 2


def test_picture_is_drawn(tmp_path):
    from mecano.tasks.romerin_plots import draw_reach

    draw_reach([reached()[0]], tmp_path / "reach.png")
    assert (tmp_path / "reach.png").stat().st_size > 20_000


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"integral": "some"}, UnknownName, "yes, no"),
        ({"settle": "0.1"}, InvalidInput, "settle"),
    ],
)
def test_wrong_options_are_explained(options, error, message):
    with pytest.raises(error, match=message):
        run_experiment(EXPERIMENT, options=options)


@pytest.mark.slow
def test_all_points_are_reached():
    result = run_experiment(EXPERIMENT)
    assert result.success, result.remark
    assert float(result.metrics["worst_settled_error_mm"]) < 0.1 < BAR_MM
    assert float(result.metrics["worst_early_error_mm"]) < 5.0, f"{EARLY} s after the motion"


@pytest.mark.slow
def test_sag_without_integral_is_the_one_that_is_foretold():
    result = run_experiment(EXPERIMENT, options={"integral": "no", "settle": 2})
    for case in CASES:
        name = f"leg_{case.leg}_{case.elbow}"
        settled = float(result.metrics[f"{name}_settled_error_mm"])
        assert settled == pytest.approx(float(result.metrics[f"{name}_p_only_error_mm"]), rel=0.03)
        assert settled > 0.5
