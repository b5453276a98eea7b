import numpy as np
import pytest

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all, relative_all
from mecano.estimation.localization.motion_models import MODELS, Alphas, sample_motion

NONE = Alphas(alpha1=0, alpha2=0, alpha3=0, alpha4=0, alpha5=0)
SOME = Alphas(alpha1=0.01, alpha2=0.02, alpha3=0.03, alpha4=0.04, alpha5=0.05)
MANY = 200_000


def samples(model, step, alphas=SOME, *, seed=1, start=(0.0, 0.0, 0.0), count=MANY):
    poses = np.tile(np.array(start, dtype=float), (count, 1))
    return sample_motion(poses, step, alphas, model, np.random.default_rng(seed))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("step", [Pose2(0.3, 0.0, 0.0), Pose2(-0.3, 0.02, 0.4), Pose2(0, 0, -1.0)])
def test_without_noise_every_pose_moves_by_the_step(model, step):
    poses = np.random.default_rng(0).uniform(-3, 3, (50, 3))
    moved = sample_motion(poses, step, NONE, model, np.random.default_rng(0))
    exact = compose_all(poses, [step.x, step.y, step.yaw])
    np.testing.assert_allclose(relative_all(exact, moved), 0.0, atol=1e-12)


def test_omni_corrected_has_the_stated_variances():
    way, turn = 0.5, 0.3
    moved = samples("omni-corrected", Pose2(way, 0.0, turn))
    a = SOME
    along, across = a.alpha3 * way**2 + a.alpha4 * turn**2, a.alpha4 * turn**2 + a.alpha5 * way**2
    heading = a.alpha1 * turn**2 + a.alpha2 * way**2
    np.testing.assert_allclose(moved.mean(axis=0), [way, 0.0, turn], atol=2e-3)
    np.testing.assert_allclose(moved.var(axis=0), [along, across, heading], rtol=0.02)


def test_along_is_where_the_base_went_also_sideways():
    moved = samples("omni-corrected", Pose2(0.0, 0.5, 0.0))
    along, across = SOME.alpha3 * 0.25, SOME.alpha5 * 0.25
    np.testing.assert_allclose(moved[:, :2].var(axis=0), [across, along], rtol=0.02)


def test_omni_takes_variances_for_deviations_and_swaps_two_alphas():
    way, turn = 0.5, 0.3
    moved = samples("omni", Pose2(way, 0.0, turn))
    a = SOME
    along, across = a.alpha3 * way**2 + a.alpha1 * turn**2, a.alpha1 * turn**2 + a.alpha5 * way**2
    heading = a.alpha4 * turn**2 + a.alpha2 * way**2
    np.testing.assert_allclose(moved.std(axis=0), [along, across, heading], rtol=0.02)


@pytest.mark.parametrize(("model", "power"), [("diff-corrected", 0.5), ("diff", 1.0)])
def test_differential_has_the_stated_variances(model, power):
    way = 0.5
    moved = samples(model, Pose2(way, 0.0, 0.2))
    turn1, turn2 = SOME.alpha2 * way**2, SOME.alpha1 * 0.2**2 + SOME.alpha2 * way**2
    forward = (SOME.alpha3 * way**2 + SOME.alpha4 * 0.2**2) ** power
    assert np.hypot(moved[:, 0], moved[:, 1]).std() == pytest.approx(forward, rel=0.02)
    assert np.arctan2(moved[:, 1], moved[:, 0]).std() == pytest.approx(turn1**power, rel=0.02)
    both = np.hypot(turn1**power, turn2**power)
    assert moved[:, 2].std() == pytest.approx(both, rel=0.02)


def test_backing_up_is_no_half_turn():
    ahead = samples("diff-corrected", Pose2(0.5, 0.0, 0.0))
    back = samples("diff-corrected", Pose2(-0.5, 0.0, 0.0))
    np.testing.assert_allclose(back.std(axis=0), ahead.std(axis=0), rtol=0.02)


@pytest.mark.parametrize("model", MODELS)
def test_left_and_right_err_alike(model):
    left = samples(model, Pose2(0.4, 0.1, 0.3), seed=2)
    right = samples(model, Pose2(0.4, -0.1, -0.3), seed=3)
    np.testing.assert_allclose(left.std(axis=0), right.std(axis=0), rtol=0.02)
    np.testing.assert_allclose(left.mean(axis=0), right.mean(axis=0) * [1, -1, -1], atol=3e-3)


@pytest.mark.parametrize("model", MODELS)
def test_errors_turn_with_the_heading(model):
    straight = samples(model, Pose2(0.4, 0.1, 0.3), count=100)
    turned = samples(model, Pose2(0.4, 0.1, 0.3), count=100, start=(1.0, 2.0, 2.5))
    np.testing.assert_allclose(relative_all([1.0, 2.0, 2.5], turned), straight, atol=1e-12)


def test_the_same_seed_gives_the_same_samples():
    step = Pose2(0.1, 0.0, 0.1)
    a, b = (samples("omni-corrected", step, seed=7, count=10) for _ in range(2))
    np.testing.assert_array_equal(a, b)


def test_bad_input_is_named():
    with pytest.raises(UnknownName, match="omni-corrected"):
        samples("omnii", Pose2(), count=3)
    with pytest.raises(InvalidInput, match="shape"):
        sample_motion(np.zeros((2, 4)), Pose2(), SOME, "diff", np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="alpha2"):
        Alphas(alpha2=-0.1)
