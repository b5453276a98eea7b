"""The experiments of navigation, whole."""

import pytest

from mecano import tasks
from mecano.tasks.experiment import run_experiment

pytestmark = pytest.mark.slow


def test_a_blocked_corridor_gets_four_recoveries_and_an_opened_one_is_driven():
    result = run_experiment(tasks.get("madar/recovery"), seed=1)
    metrics = result.metrics
    assert result.success and metrics["recoveries_in_order"] and metrics["reached_after_opening"]
    assert metrics["contacts"] == 0
    # a goal is reached within 0.10 m, so a drive of 5 m may be 2 % shorter than the optimum
    assert 0.97 < float(metrics["path_over_optimal"]) < 1.2


def test_stations_are_reached_and_nothing_is_touched_while_the_base_moves():
    result = run_experiment(tasks.get("madar/navigate"), seed=1)
    metrics = result.metrics
    assert result.success and metrics["goals_reached"] == 4 and metrics["contacts_moving"] == 0
    assert metrics["contacts"] == 0 or metrics["contact_with"] == "person_1"
    assert 0.97 < float(metrics["path_over_optimal"]) < 1.2
