"""Carrying a box between two hands: the whole experiment, and what goes wrong."""

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.tasks import get
from mecano.tasks.carry import EXPERIMENT, JITTER, vary
from mecano.tasks.experiment import run_experiment
from mecano.tasks.madar_plots import draw_carry
from mecano.world.scenes import load


def test_the_box_lies_beside_its_place_within_the_jitter():
    places = []
    for seed in range(30):
        spec = load("carry")
        before = np.array(spec.body("box").pos)
        for change in vary(np.random.default_rng(seed), seed):
            change(spec)
        places.append(np.array(spec.body("box").pos) - before)
    away = np.abs(places)
    assert away[:, :2].max() <= JITTER
    assert away[:, :2].max() > 0.5 * JITTER
    assert (away[:, 2] == 0.0).all()


def test_it_is_found_by_name():
    assert get("madar/carry") is EXPERIMENT


@pytest.mark.parametrize("force", ["strong", "0", "-5", "nan", "1000"])
def test_a_force_that_is_none_is_refused(force):
    with pytest.raises(InvalidInput, match="force"):
        run_experiment(EXPERIMENT, seed=0, options={"force": force})


def test_a_bad_force_is_found_before_the_robot_is_built(monkeypatch):
    monkeypatch.setattr("mecano.tasks.experiment.connect", lambda *a, **k: pytest.fail("built"))
    with pytest.raises(InvalidInput, match="force is 'strong'"):
        run_experiment(EXPERIMENT, options={"force": "strong"})


def test_what_was_done_is_drawn(tmp_path):
    times = np.linspace(0.0, 10.0, 50)
    rows = np.column_stack([times, 0.1 * times, times, 0.7 + 0.01 * times, 3.0 * times])
    draw_carry(rows, 30.0, np.array([1.0, 1.2, 0.7]), tmp_path / "carry.png")
    assert (tmp_path / "carry.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_box_is_carried_to_the_other_table():
    result = run_experiment(EXPERIMENT, seed=1, noise=True)
    assert result.success, result.remark
    assert float(result.metrics["place_error_mm"]) < 20.0
    assert float(result.metrics["lifted_mm"]) == pytest.approx(150.0, abs=5.0)


@pytest.mark.slow
def test_hands_that_begin_with_too_little_force_press_more_as_they_feel_the_weight():
    """3 N on each side hold 4.8 N of the 9.8 N that it weighs."""
    result = run_experiment(EXPERIMENT, seed=1, options={"force": "3"})
    assert result.success, result.remark
