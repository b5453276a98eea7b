"""The sensor card of CRUMB: rates and spreads against the facts."""

import pytest

from mecano import tasks
from mecano.tasks import sensor_card
from mecano.tasks.sensor_card import Card

EXPERIMENT = tasks.get("crumb/sensor-card")
NGUYEN = {"0.5": 1.2, "1": 1.9, "2": 6.1, "3": 14.0, "4": 25.8, "5": 41.4}
"""The fact sheet's row [mm]."""


@pytest.fixture
def _fewer(monkeypatch):
    """Look at the base for 20 s instead of 200."""
    monkeypatch.setattr(sensor_card, "SAMPLES", 1000)


def check_against_the_fact_sheet(result: tasks.RunResult) -> None:
    assert result.success, result.remark
    metrics = result.metrics
    assert metrics["board_rate_hz"] == 50.0 and metrics["camera_rate_hz"] == 10.0
    assert metrics["gyro_rate_spread_deg_s"] == pytest.approx(0.149, rel=0.1)
    assert metrics["cliff_spread_mm"] == pytest.approx(1.0, rel=0.1)
    assert metrics["colour_spread_percent"] == pytest.approx(7.0, rel=0.1)
    for distance, spread in NGUYEN.items():
        assert metrics[f"depth_spread_at_{distance}m_mm"] == pytest.approx(spread, rel=0.1)


@pytest.mark.slow
@pytest.mark.usefixtures("_fewer")
def test_with_noise_every_spread_is_within_a_tenth_of_its_fact():
    check_against_the_fact_sheet(tasks.run_experiment(EXPERIMENT, noise=True, seed=1))


@pytest.mark.slow
def test_the_full_card_is_within_a_tenth_of_its_facts():
    check_against_the_fact_sheet(tasks.run_experiment(EXPERIMENT, noise=True, seed=2))


@pytest.mark.slow
@pytest.mark.usefixtures("_fewer")
def test_without_noise_every_spread_is_nothing():
    result = tasks.run_experiment(EXPERIMENT)
    assert result.success, result.remark
    spreads = {k: v for k, v in result.metrics.items() if "_spread_" in k}
    assert len(spreads) == 9 and set(spreads.values()) == {0.0}


@pytest.mark.parametrize(
    ("measured", "good"), [(1.09, True), (0.91, True), (1.11, False), (0.89, False)]
)
def test_a_spread_that_is_off_by_more_than_a_tenth_is_a_problem(measured, good):
    card = Card(noisy=True)
    card.spread("x_mm", measured, 1.0)
    assert (not card.problems) is good


def test_a_spread_where_none_should_be_is_a_problem():
    card = Card(noisy=False)
    card.spread("x_mm", 0.2, 1.0)
    assert card.problems == ["x_mm is 0.2 instead of 0"]


def test_a_spread_that_could_not_be_measured_is_a_problem():
    card = Card(noisy=True)
    card.spread("x_mm", float("nan"), 1.0)
    assert card.problems


def test_a_rate_must_be_exact():
    card = Card(noisy=True)
    card.rate("x_hz", 49.9, 50.0)
    assert card.problems == ["x_hz is 49.9 instead of 50"]
