"""The errors of a depth camera against the published figures."""

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.sensors.depth_noise import DepthNoise

FOCAL = 295.0
"""Of a picture 320 pixels wide that sees 57 degrees."""
NGUYEN_MM = {0.5: 1.2, 1.0: 1.9, 2.0: 6.1, 3.0: 14.0, 4.0: 25.8, 5.0: 41.4}


def wall(depth: float, shape=(120, 160)) -> np.ndarray:
    return np.full(shape, depth, np.float32)


def random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(("depth", "millimetres"), NGUYEN_MM.items())
def test_the_spread_is_nguyens(depth, millimetres):
    noise = DepthNoise(furthest=8.0, nearest=0.0)
    seen = noise.apply(wall(depth), FOCAL, random())
    assert seen.size > 10_000 and np.isfinite(seen).all()
    assert 1000 * np.std(seen) == pytest.approx(millimetres, rel=0.10)
    assert np.mean(seen) == pytest.approx(depth, abs=0.15 * millimetres / 1000)


def test_depths_come_in_steps_that_grow_with_the_square():
    noise = DepthNoise(nearest=0.0, furthest=9.0)
    for depth in (1.0, 2.0, 4.0):
        values = np.unique(noise.apply(wall(depth), FOCAL, random()))
        near = np.sort(values[np.abs(values - depth) < 4 * noise.step * depth**2])
        assert np.diff(near).mean() == pytest.approx(noise.step * depth**2, rel=0.1)


def test_what_is_too_near_or_too_far_has_no_depth():
    for depth in (0.3, 6.0, np.inf, np.nan):
        assert np.isnan(DepthNoise().apply(wall(depth), FOCAL, random())).all()


def test_the_projector_leaves_a_shadow_to_the_left_of_things():
    scene = wall(2.0)
    scene[:, 80:100] = 0.8
    noise = DepthNoise(ragged=0.0, across=0.0)
    missing = np.isnan(noise.apply(scene, FOCAL, random())).mean(axis=0)
    width = FOCAL * noise.baseline * (1 / 0.8 - 1 / 2.0)  # by the two parallaxes
    shadow = missing > 0.5
    assert shadow.sum() == pytest.approx(width, abs=2)
    assert shadow[80 - round(width) + 2 : 78].all() and not shadow[100:].any()


def test_without_a_baseline_there_is_no_shadow():
    scene = wall(2.0)
    scene[:, 80:100] = 0.8
    noise = DepthNoise(ragged=0.0, across=0.0, baseline=0.0)
    assert np.isfinite(noise.apply(scene, FOCAL, random())).all()


def test_edges_are_ragged():
    scene = wall(2.0)
    scene[:, 80:] = 1.0
    noise = DepthNoise(across=0.0, baseline=0.0)
    missing = np.isnan(noise.apply(scene, FOCAL, random())).mean(axis=0)
    assert missing[79:81].min() > 0.3 and missing[:78].max() == 0.0


def test_a_grazing_surface_has_no_depth():
    columns = np.arange(160, dtype=np.float32)
    plane = np.broadcast_to(1.0 + 0.045 * columns / FOCAL * 160, (120, 160)).astype(np.float32)
    flat = np.broadcast_to(1.0 + 0.001 * columns, (120, 160)).astype(np.float32)
    assert np.isfinite(DepthNoise().apply(flat, FOCAL, random())).mean() > 0.95
    assert np.isfinite(DepthNoise(steepest=0.2).apply(plane, FOCAL, random())).mean() < 0.05


def test_the_same_seed_gives_the_same_picture():
    one, other = (DepthNoise().apply(wall(1.5), FOCAL, random(7)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(one, DepthNoise().apply(wall(1.5), FOCAL, random(8)))


def test_an_impossible_camera_is_refused():
    with pytest.raises(InvalidInput, match="furthest"):
        DepthNoise(nearest=2.0, furthest=1.0)
