"""A colour and depth camera in a scene whose distances are known."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from mecano import connect
from mecano.core.errors import InvalidInput
from mecano.core.shots import Shot
from mecano.robots.mobile import CameraFacts
from mecano.sensors.camera import DepthCamera
from mecano.world.world import World

SCENE = """
<mujoco>
  <visual><map znear="0.01" zfar="50"/></visual>
  <worldbody>
    <light pos="0 0 3" dir="0 0 -1"/>
    <geom type="plane" size="9 9 0.1" rgba="0.6 0.6 0.6 1"/>
    <geom type="box" size="0.1 3 2" pos="3.1 0 1" rgba="0.2 0.3 0.8 1"/>
    <body name="ball" pos="1.2 0.1 0.5">
      <freejoint/>
      <geom type="sphere" size="0.1" mass="1" rgba="0.9 0.1 0.1 1"/>
    </body>
    <camera name="robot/eye" pos="0 0 0.5" xyaxes="0 -1 0 0 0 1" fovy="43"/>
  </worldbody>
</mujoco>"""
FACTS = CameraFacts(name="camera", camera="eye", frame="camera_optical")


@pytest.fixture
def world() -> World:
    return World(mujoco.MjSpec.from_string(SCENE))


def camera(world: World, *, seed: int | None = None, **options) -> DepthCamera:
    noise = None if seed is None else np.random.default_rng(seed)
    return DepthCamera(world, replace(FACTS, **options), prefix="robot/", noise=noise)


@pytest.fixture(params=["gl", "rays"])
def drawing(request, monkeypatch):
    """Draw by OpenGL and by rays."""
    if request.param == "rays":
        monkeypatch.setenv("MECANO_GL", "off")


@pytest.mark.usefixtures("drawing")
def test_a_wall_is_where_it_is(world):
    shot = camera(world).read()
    assert shot.depth.data.shape == (240, 320) and shot.colour.data.shape == (240, 320, 3)
    assert shot.depth.data[60, 20] == pytest.approx(3.0, abs=1e-3)
    np.testing.assert_array_equal(shot.depth.data, shot.clean_depth.data)


@pytest.mark.usefixtures("drawing")
def test_points_of_the_cloud_lie_on_the_ball(world):
    shot = camera(world).read()
    assert shot.cloud.colours is not None
    red = shot.cloud.colours[:, 0].astype(int) > 2 * shot.cloud.colours[:, 2].astype(int)
    points = shot.cloud.points[red]
    centre = np.array([-0.1, 0.0, 1.2])  # in the optical frame: left is negative
    assert len(points) > 500
    near = np.abs(np.linalg.norm(points - centre, axis=1) - 0.1)
    assert np.quantile(near, 0.9) < 1e-3


def test_rays_and_opengl_see_the_same_depths(world, monkeypatch):
    by_gl = camera(world).read().depth.data
    monkeypatch.setenv("MECANO_GL", "off")
    by_rays = camera(world).read().depth.data
    both = np.isfinite(by_gl) & np.isfinite(by_rays)
    assert np.median(np.abs(by_gl - by_rays)[both]) < 1e-5
    assert (np.abs(by_gl - by_rays)[both] > 0.01).mean() < 0.01


HOUSED = """
<mujoco>
  <visual><map znear="0.05" zfar="50"/></visual>
  <statistic extent="1"/>
  <worldbody>
    <light pos="0 0 3" dir="0 0 -1"/>
    <geom type="plane" size="9 9 0.1" rgba="0.6 0.6 0.6 1"/>
    <geom type="box" size="0.1 0.5 0.3" pos="2.1 0 0.5" rgba="0.2 0.3 0.8 1"/>
    <body name="housing" pos="0 0 0.5">
      <geom type="{shape}" size="{size}" pos="-0.01 0 0" rgba="0.1 0.1 0.1 1"/>
      <geom type="box" size="0.1 0.02 0.01" pos="0.3 0.1 -0.05" rgba="0.9 0.1 0.1 1"/>
      <camera name="robot/eye" xyaxes="0 -1 0 0 0 1" fovy="43"/>
    </body>
  </worldbody>
</mujoco>"""


@pytest.mark.parametrize("shape", ["box", "sphere", "ellipsoid"])
@pytest.mark.parametrize("size", ["0.04 0.04 0.04", "0.1 0.1 0.1"], ids=["before", "across"])
def test_a_camera_looks_out_of_its_own_housing(shape, size, monkeypatch):
    """Whether that ends before the near plane at 0.05 m or behind it."""
    world = World(mujoco.MjSpec.from_string(HOUSED.format(shape=shape, size=size)))
    by_gl = camera(world, nearest=0.01, size=(160, 120)).read()
    monkeypatch.setenv("MECANO_GL", "off")
    by_rays = camera(world, nearest=0.01, size=(160, 120)).read()
    assert by_rays.depth.data[60, 80] == pytest.approx(2.0, abs=1e-3)
    assert by_rays.depth.data[98, 8] == pytest.approx(0.2, abs=1e-3)  # a bar of the same body
    assert_alike(by_gl, by_rays)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("robot", "name", "scene"),
    [("crumb", "camera", "empty"), ("crumb_mast", "mast", "find_and_place")],
)
def test_rays_and_opengl_see_the_same_from_a_robot(robot, name, scene, monkeypatch):
    shots = []
    for gl in ("on", "off"):
        monkeypatch.setenv("MECANO_GL", gl)
        with connect(robot, scene=scene) as each:
            shots.append(each.cameras[name].read())
    assert_alike(*shots)


def assert_alike(by_gl: Shot, by_rays: Shot) -> None:
    """Raise unless two shots show the same depths and nearly the same colours."""
    a, b = by_gl.depth.data, by_rays.depth.data
    both = np.isfinite(a) & np.isfinite(b)
    assert both.mean() > 0.4
    assert (np.isfinite(a) != np.isfinite(b)).mean() < 0.005
    assert (np.abs(a - b)[both] > 0.003).mean() < 0.01
    colours = by_gl.colour.data.astype(int), by_rays.colour.data.astype(int)
    assert np.abs(colours[0] - colours[1]).mean() < 5.0


def test_a_picture_is_of_its_own_instant(world):
    eye = camera(world)
    before = eye.read()
    world.step(100)
    assert eye.read() is before
    eye.sample()
    world.step(100)  # looked at later than taken
    late = eye.read()
    other = World(mujoco.MjSpec.from_string(SCENE))
    other.step(100)
    np.testing.assert_array_equal(late.depth.data, camera(other).read().depth.data)
    assert late.stamp == pytest.approx(0.2)


def test_looking_changes_nothing(world):
    other = World(mujoco.MjSpec.from_string(SCENE))
    looked, ignored = camera(world, seed=3), camera(other, seed=3)
    for _ in range(5):
        for each, place in ((looked, world), (ignored, other)):
            place.step(10)
            each.sample()
        looked.read()
    assert world.state_hash() == other.state_hash()
    np.testing.assert_array_equal(looked.read().depth.data, ignored.read().depth.data)


def test_noise_is_on_colour_and_depth_and_the_clean_picture_stays(world):
    noisy, clean = camera(world, seed=1).read(), camera(world).read()
    np.testing.assert_array_equal(noisy.clean_depth.data, clean.depth.data)
    np.testing.assert_array_equal(noisy.clean_colour.data, clean.colour.data)
    wall = noisy.depth.data[20:80, 20:60]
    assert np.nanstd(wall) == pytest.approx(0.014, rel=0.15)  # Nguyen at 3 m
    grain = noisy.colour.data.astype(float) - clean.colour.data
    assert grain[20:80, 20:60].std() == pytest.approx(255 * FACTS.colour_noise, rel=0.1)


def test_going_back_shows_the_old_picture_again(world):
    eye = camera(world, seed=5)
    memory, first = eye.memory(), eye.read()
    world.step(50)
    eye.sample()
    eye.read()
    eye.recall(memory)
    np.testing.assert_array_equal(eye.read().depth.data, first.depth.data)


def test_the_camera_knows_where_it_is(world):
    pose = camera(world).read().pose
    np.testing.assert_allclose(pose.position, [0.0, 0.0, 0.5], atol=1e-12)
    np.testing.assert_allclose(pose.matrix()[:3, :3], np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rate": 31.0}, "rate 31; .* 0.01 to 30 pictures per second"),
        ({"size": (641, 480)}, "width 641; .* 16 to 640 "),
        ({"size": (320, 1)}, "height 1; .* 16 to 480 whole pixels"),
    ],
)
def test_more_than_the_camera_can_is_refused(world, options, says):
    with pytest.raises(InvalidInput, match=says):
        camera(world, **options)
