"""The drive test of CRUMB: odometry against truth, with and without noise."""

from dataclasses import replace

import mujoco
import pytest

from mecano import tasks
from mecano.tasks.drive_test import CLEAN, NOISY, TURNS

EXPERIMENT = tasks.get("crumb/drive-test")


def number(result: tasks.RunResult, name: str) -> float:
    value = result.metrics[name]
    assert isinstance(value, float)
    return value


@pytest.fixture(scope="module")
def clean() -> tasks.RunResult:
    return tasks.run_experiment(EXPERIMENT)


def test_without_noise_odometry_is_the_truth(clean):
    assert clean.success, clean.remark
    assert number(clean, "straight_error_mm") < 0.5
    assert abs(number(clean, f"turn_{TURNS}_error_deg")) < 0.01


def test_every_part_is_measured(clean):
    parts = ["straight", *(f"turn_{i}" for i in range(1, TURNS + 1))]
    assert list(clean.metrics) == [
        f"{part}_{what}" for part in parts for what in ("time_s", "error_mm", "error_deg")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_with_noise_the_heading_drifts_as_the_gyro_does(seed):
    result = tasks.run_experiment(EXPERIMENT, noise=True, seed=seed)
    assert result.success, result.remark
    drift = abs(number(result, f"turn_{TURNS}_error_deg"))
    assert CLEAN.per_turn_deg < drift < NOISY.straight_deg + TURNS * NOISY.per_turn_deg


@pytest.mark.slow
def test_the_same_seed_drives_the_same_way():
    first, again = (tasks.run_experiment(EXPERIMENT, noise=True, seed=3) for _ in range(2))
    assert first.state_hash == again.state_hash and first.metrics == again.metrics


def test_a_wall_in_the_way_is_a_failure_with_its_reason():
    def wall(spec: mujoco.MjSpec) -> None:
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 1.0, 0.5], pos=[1.0, 0.0, 0.5]
        )

    result = tasks.run_experiment(replace(EXPERIMENT, vary=lambda rng, seed: [wall]))
    assert not result.success
    assert "the center bumper was hit" in result.remark and "mm off" in result.remark
