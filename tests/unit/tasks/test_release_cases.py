"""A few releases: forecast against physics. The whole set is an experiment, not a test."""

from functools import cache

import numpy as np
import pytest

from mecano.planning.adhesion import ReleaseReason
from mecano.tasks.release_cases import ReleaseCase, ReleaseRig, Situation, run_cases
from mecano.tasks.release_tables import all_cases, page, table

G = 9.81


@cache
def rig() -> ReleaseRig:
    return ReleaseRig()


@cache
def few() -> tuple[ReleaseCase, ...]:
    return tuple(run_cases(6, 3, rig=rig()))


def standing(gravity, *, payload: float = 0.0, released: int = 1) -> Situation:
    """Six cups in the robot's own stance, without preload."""
    tips = rig().legged.stance()
    tips[:, 2] = rig().legged.tip_height
    return Situation(
        surface="wall", gravity=np.array(gravity, float), height=0.095, turn=np.eye(3), tips=tips,
        holding=np.ones(6, bool), released=released, preload=0.0, offsets=np.zeros((6, 3)),
        payload=payload, payload_at=np.array([-0.04, 0.0, 0.05]),
    )  # fmt: skip


def test_weights_of_the_model_are_those_of_the_robot():
    weights = rig().model.weights
    assert weights.total == pytest.approx(rig().mass)
    np.testing.assert_allclose(weights.masses, np.tile([0.07, 0.075, 0.025, 0.065], (6, 1)))
    assert weights.body_mass == pytest.approx(0.99)
    mirrored = weights.centres[::-1] * [1, -1, 1]
    np.testing.assert_allclose(weights.centres, mirrored, atol=1e-6)
    assert (np.linalg.eigvalsh(weights.body_inertia) > 0.0).all()


@pytest.mark.parametrize("gravity", [(0, 0, -G), (-G, 0, 0), (0, 0, G)])
def test_servos_tell_the_forces_of_the_bonds(gravity):
    situation = standing(gravity)
    assert rig().place(situation)
    forces, told = rig().forces(), rig().forecast(situation).before
    np.testing.assert_allclose(forces.sum(axis=0) @ rig().body_turn().T, -2.4 * np.array(gravity),
                               atol=0.02)  # fmt: skip
    assert np.linalg.norm(forces - told, axis=1).max() < 0.1


@pytest.mark.parametrize("payload", [0.0, 0.2])
def test_a_release_on_the_wall_goes_as_forecast(payload):
    case = rig().run(1, standing((-G, 0, 0), payload=payload))
    assert case is not None and not case.fell and case.forecast.safe
    assert case.forecast.reason is ReleaseReason.HOLDS and case.named
    assert case.force_errors.max() < 0.1
    # The kick of the lifting leg is forecast about 4 % too strong; without a lift it is within 2 %.
    assert case.forecast.utilisation.max() == pytest.approx(case.worst, rel=0.05)


def test_random_releases_are_mostly_judged_rightly():
    assert len(few()) == 6
    assert sum(case.false_safe for case in few() if not case.near) == 0
    clear = [c for c in few() if not c.near and not c.touched and c.forecast.utilisation.any()]
    ratios = [case.forecast.utilisation.max() / case.worst for case in clear if not case.fell]
    assert np.median(ratios) == pytest.approx(1.0, abs=0.05)


def test_the_same_seed_gives_the_same_cases():
    again = run_cases(1, 3, rig=rig())
    assert again[0].row() == run_cases(1, 3, rig=rig())[0].row()


def test_the_table_counts_every_case():
    summary = table(few())
    assert summary["cases"] == 6
    assert summary["falls"] == sum(case.fell for case in few())
    text = page(few())
    assert "| balanced accuracy |" in text and "**False safe**" in text
    assert len(all_cases(few()).splitlines()) == 2 + 6
