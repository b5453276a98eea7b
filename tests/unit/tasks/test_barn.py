"""The BARN benchmark: its score, its files, and runs by its rules."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.tasks.barn import (
    BarnWorld,
    load_worlds,
    random_world,
    run_suite,
    run_trial,
    summarize,
    worlds,
)
from mecano.tasks.barn.trial import score_of

EASY = {
    "world": 7, "start": [0.0, 0.0, 0.0], "goal": [4.0, 0.0], "goal_radius": 1.0, "timeout_s": 100,
    "path_length": 4.0, "obstacle_radius": 0.075, "obstacles": [[1.8, 0.15], [2.2, -0.9]],
}  # fmt: skip


def file_of(folder: Path, *worlds: dict) -> Path:
    file = folder / "worlds.json.gz"
    file.write_bytes(gzip.compress(json.dumps({"format": 1, "worlds": worlds}).encode()))
    return file


@pytest.fixture
def easy(tmp_path) -> BarnWorld:
    return load_worlds(file_of(tmp_path, EASY))[0]


@pytest.mark.parametrize(
    ("outcome", "time", "score"),
    [("success", 4.0, 0.5), ("success", 10.0, 0.5), ("success", 20.0, 0.25),
     ("success", 90.0, 0.125), ("collision", 4.0, 0.0), ("timeout", 100.0, 0.0)],
)  # fmt: skip
def test_score_is_that_of_the_rules_since_2024(outcome, time, score):
    assert score_of(outcome, time, 5.0) == score


def test_run_through_an_easy_world_reaches_the_goal_without_contact(easy):
    result = run_trial(easy, 0)
    assert (result.outcome, result.touched) == ("success", "")
    assert result.closest > 0.0
    assert np.hypot(*(result.track[-1, :2] - easy.goal)) < 1.3


def test_same_seed_repeats_a_run_and_another_does_not(easy):
    first, again, other = (run_trial(easy, seed).to_json() for seed in (3, 3, 4))
    assert first == again
    assert first["odometry_error_m"] != other["odometry_error_m"]


def test_contact_ends_a_run_as_a_collision(tmp_path):
    # A cylinder that touches the base from the side at the start.
    world = load_worlds(file_of(tmp_path, EASY | {"obstacles": [[-0.1, 0.235]]}))[0]
    result = run_trial(world, 0)
    assert (result.outcome, result.score) == ("collision", 0.0)
    assert result.touched == "cylinder_0"


def test_enclosed_base_times_out(tmp_path):
    ring = [[0.6 * np.cos(a), 0.6 * np.sin(a)] for a in np.arange(0.0, 2 * np.pi, 0.2)]
    world = load_worlds(file_of(tmp_path, EASY | {"obstacles": ring, "timeout_s": 3.0}))[0]
    assert run_trial(world, 0).outcome == "timeout"


def test_summary_is_the_mean_over_worlds(easy):
    results = run_suite([easy], trials=2)
    found = summarize(results)
    assert found["runs"] == 2 and found["worlds"] == 1
    assert found["score"] == pytest.approx(np.mean([r.score for r in results]), abs=1e-4)
    assert found["success"] + found["collision"] + found["timeout"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"obstacles": "x"}, "obstacles"),
        ({"goal": [1.0]}, "goal"),
        ({"timeout_s": -1}, "timeout_s"),
    ],
)
def test_broken_world_is_refused_by_name(tmp_path, change, message):
    with pytest.raises(InvalidInput, match=message):
        load_worlds(file_of(tmp_path, EASY | change))


def test_file_that_holds_no_worlds_says_so(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(InvalidInput, match="expected format 1"):
        load_worlds(tmp_path / "a.json")
    with pytest.raises(InvalidInput, match="cannot read"):
        load_worlds(tmp_path / "missing.json")


def test_random_field_too_dense_for_a_path_is_refused(monkeypatch):
    monkeypatch.setattr(worlds, "MAX_FIELDS", 3)
    with pytest.raises(InvalidInput, match="fill less"):
        random_world(0, fill=0.6)


@pytest.mark.slow
def test_random_worlds_are_passed_within_the_bars():
    found = summarize(run_suite([random_world(seed) for seed in range(200, 208)], trials=1))
    assert found["success"] == 1.0
    assert found["score"] >= 0.40
