"""Images hold what their encoding says; cameras map points to pixels and back."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core import CameraInfo, Image, InvalidInput, UnknownName

K = np.array([[525.0, 0.0, 319.5], [0.0, 520.0, 239.5], [0.0, 0.0, 1.0]])
PINHOLE = CameraInfo(width=640, height=480, K=K)
LENS = CameraInfo(width=640, height=480, K=K, D=np.array([0.1, -0.25, 0.001, -0.002, 0.05]))
SHORT_LENS = CameraInfo(width=640, height=480, K=K, D=np.array([0.1, -0.25, 0.001, -0.002]))
cameras = st.sampled_from([PINHOLE, LENS, SHORT_LENS])
pixels = st.tuples(st.floats(0.0, 639.0), st.floats(0.0, 479.0)).map(np.array)


@given(cameras, pixels, st.floats(0.1, 10.0))
def test_point_at_any_depth_along_a_ray_projects_to_its_pixel(camera, pixel, depth):
    point = depth * camera.ray_directions(pixel)
    np.testing.assert_allclose(camera.project(point), pixel, atol=1e-5)


@given(pixels)
def test_ray_of_a_pinhole_agrees_with_the_inverse_of_k(pixel):
    expected = np.linalg.inv(K) @ [*pixel, 1.0]
    np.testing.assert_allclose(PINHOLE.ray_directions(pixel), expected, atol=1e-12)


def test_distortion_follows_the_plumb_bob_formula():
    # x = 0.3, y = 0.2: r2 = 0.13, radial 1 + 0.1 r2 - 0.25 r2^2 + 0.05 r2^3, by hand.
    radial = 1.0 + 0.1 * 0.13 - 0.25 * 0.13**2 + 0.05 * 0.13**3
    x = 0.3 * radial + 2 * 0.001 * 0.06 - 0.002 * (0.13 + 2 * 0.09)
    y = 0.2 * radial + 0.001 * (0.13 + 2 * 0.04) - 2 * 0.002 * 0.06
    expected = [525.0 * x + 319.5, 520.0 * y + 239.5]
    np.testing.assert_allclose(LENS.project([0.6, 0.4, 2.0]), expected, atol=1e-9)


def test_many_pixels_are_treated_like_each_alone():
    grid = np.stack(np.meshgrid(np.arange(0.0, 640, 80), np.arange(0.0, 480, 80)), axis=-1)
    alone = [[LENS.ray_directions(pixel) for pixel in row] for row in grid]
    np.testing.assert_allclose(LENS.ray_directions(grid), alone, atol=1e-12)


@pytest.mark.parametrize("depth", [0.0, -1.0])
def test_point_behind_the_camera_has_no_pixel(depth):
    assert np.isnan(PINHOLE.project([0.1, 0.1, depth])).all()


def test_pixel_no_ray_leads_to_is_nan():
    folding = CameraInfo(width=640, height=480, K=K, D=np.array([-5.0, 0.0, 0.0, 0.0]))
    assert np.isnan(folding.ray_directions([0.0, 0.0])[:2]).all()


def test_field_of_view_reaches_from_edge_to_edge():
    camera = CameraInfo.from_field_of_view(640, 480, math.radians(60.0))
    top, bottom = camera.ray_directions([[319.5, -0.5], [319.5, 479.5]])
    assert math.atan2(bottom[1], 1.0) == pytest.approx(math.pi / 6)
    assert math.atan2(top[1], 1.0) == pytest.approx(-math.pi / 6)


def test_field_of_view_is_centred_sideways():
    camera = CameraInfo.from_field_of_view(640, 480, 1.0)
    left, right = camera.ray_directions([[-0.5, 0.0], [639.5, 0.0]])
    assert right[0] == pytest.approx(-left[0])


@pytest.mark.parametrize("fovy", [0.0, math.pi, math.nan])
def test_impossible_field_of_view_is_refused(fovy):
    with pytest.raises(InvalidInput, match="field of view"):
        CameraInfo.from_field_of_view(640, 480, fovy)


@pytest.mark.parametrize(
    "broken",
    [
        {"K": np.zeros((3, 3))},
        {"K": np.eye(4)},
        {"K": K + np.eye(3)},
        {"K": K.T},
        {"D": np.zeros(3)},
        {"D": np.full(5, math.nan)},
        {"width": 0},
    ],
)
def test_broken_camera_is_refused(broken):
    with pytest.raises(InvalidInput):
        CameraInfo(**{"width": 640, "height": 480, "K": K, **broken})


def test_unknown_distortion_model_lists_the_known_one():
    with pytest.raises(UnknownName, match="plumb_bob"):
        CameraInfo(width=640, height=480, K=K, distortion_model="fisheye")


@pytest.mark.parametrize(
    ("encoding", "dtype", "shape"),
    [
        ("rgb8", np.uint8, (4, 6, 3)),
        ("rgba8", np.uint8, (4, 6, 4)),
        ("mono8", np.uint8, (4, 6)),
        ("16UC1", np.uint16, (4, 6)),
        ("32FC1", np.float32, (4, 6)),
    ],
)
def test_image_measures_itself(encoding, dtype, shape):
    image = Image(encoding=encoding, data=np.zeros(shape, dtype=dtype))
    assert (image.height, image.width) == (4, 6)
    assert image.data.dtype == dtype


def test_depth_image_may_hold_nan():
    image = Image(encoding="32FC1", data=np.full((2, 2), math.nan, dtype=np.float32))
    assert np.isnan(image.data).all()


@pytest.mark.parametrize(
    "data",
    [
        np.zeros((4, 6), dtype=np.uint8),
        np.zeros((4, 6, 4), dtype=np.uint8),
        np.zeros((4, 6, 3)),
    ],
    ids=["no channels", "four channels", "floats"],
)
def test_pixels_that_are_not_of_the_encoding_are_refused(data):
    with pytest.raises(InvalidInput, match=r"Image\.data"):
        Image(encoding="rgb8", data=data)


def test_unknown_encoding_lists_the_known_ones():
    with pytest.raises(UnknownName, match="did you mean 'rgb8'"):
        Image(encoding="rgb", data=np.zeros((2, 2, 3), dtype=np.uint8))


def test_image_cannot_be_written():
    image = Image(encoding="mono8", data=np.zeros((2, 2), dtype=np.uint8))
    with pytest.raises(ValueError, match="read-only"):
        image.data[0, 0] = 1
