"""Pictures: OpenGL and ray casting see the same thing, from the same views."""

import gc
import threading
from functools import cache
from math import pi, radians, tan

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano import connect
from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.world.mirror import Mirror
from mecano.world.rendering import DrawingList, WrongThread, check_size, open_renderer
from mecano.world.views import NAMED, View, frame, outline, view_of

CUBE = """
<mujoco>
  <visual>
    <headlight ambient="0.4 0.4 0.4" diffuse="0.4 0.4 0.4"/>
    <quality shadowsize="512"/>
  </visual>
  <asset>
    <texture name="sky" type="skybox" builtin="flat" rgb1="0.2 0.4 0.9" rgb2="0.2 0.4 0.9" width="8" height="48"/>
    <texture name="tiles" type="2d" builtin="checker" rgb1="0.9 0.9 0.9" rgb2="0.3 0.3 0.3" width="64" height="64"/>
    <material name="floor" texture="tiles" texrepeat="4 4" texuniform="true"/>
  </asset>
  <worldbody>
    <light type="directional" dir="-0.3 0.2 -1" diffuse="0.4 0.4 0.4"/>
    <geom type="plane" size="2 2 0.1" material="floor"/>
    <body pos="0 0 0.1"><joint name="slide" type="slide" axis="0 1 0"/>
      <geom type="box" size="0.1 0.1 0.1" rgba="0.9 0.1 0.1 1"/>
      <geom type="box" size="0.11 0.11 0.11" rgba="0.1 0.9 0.1 0.4" group="3"/>
      <site pos="0 0 0.15" size="0.05" rgba="0.9 0.1 0.9 1" group="4"/>
    </body>
    <site type="cylinder" pos="0.3 0 0.001" size="0.1 0.001" rgba="0.1 0.1 0.1 1"/>
  </worldbody>
</mujoco>
"""  # noqa: E501
AHEAD = View(look_at=np.array([0, 0, 0.1]), distance=1.2, azimuth=0.0, elevation=-0.3)
SMALL = 160, 90


def cube_mirror() -> Mirror:
    return Mirror(mujoco.MjModel.from_xml_string(CUBE))


@cache
def why_no_egl() -> str:
    try:
        open_renderer(cube_mirror(), size=(8, 8), gl=True).close()
    except MecanoError as error:
        return str(error)
    return ""


@pytest.fixture
def egl() -> None:
    """Skip where OpenGL cannot be had."""
    if why_no_egl():
        pytest.skip(why_no_egl())


@pytest.fixture(params=[True, False], ids=["egl", "rays"])
def gl(request) -> bool:
    """One test for each way to draw."""
    if request.param:
        request.getfixturevalue("egl")
    return request.param


@pytest.fixture
def cube() -> Mirror:
    return cube_mirror()


@pytest.fixture(scope="module")
def arm() -> Mirror:
    with connect("open_manipulator_x", scene="table") as robot:
        mirror = Mirror(robot.world.model)
        mirror.show(robot.world.state())
    mirror.model.vis.quality.shadowsize = 1024
    return mirror


def draw(mirror: Mirror, view: View, *, size=SMALL, smooth=False, **options) -> np.ndarray:
    with open_renderer(mirror, size=size, smooth=smooth, **options) as renderer:
        return renderer.render(mirror, view).astype(int)


def is_colour(picture: np.ndarray, channel: int) -> np.ndarray:
    others = np.delete(picture, channel, axis=2).max(axis=2)
    return picture[:, :, channel] > 2 * others + 20


# --- both renderers ---------------------------------------------------------------------------


def test_a_picture_has_the_size_that_was_asked_for(cube, gl):
    with open_renderer(cube, size=(33, 17), gl=gl) as renderer:
        picture = renderer.render(cube, AHEAD)
        assert (renderer.width, renderer.height) == (33, 17)
    assert picture.shape == (17, 33, 3) and picture.dtype == np.uint8


def test_a_red_cube_is_red_in_the_middle_under_a_blue_sky(cube, gl):
    picture = draw(cube, AHEAD, gl=gl)
    assert is_colour(picture, 0)[40:50, 75:85].all()
    assert is_colour(picture, 2)[:5].all()
    assert not is_colour(picture, 0)[:, :40].any()


def test_a_cube_that_moves_to_the_left_is_drawn_further_left(cube, gl):
    red = is_colour(draw(cube, AHEAD, gl=gl), 0)
    cube.data.joint("slide").qpos[0] = 0.2  # y is to the left for who looks along x
    mujoco.mj_forward(cube.model, cube.data)
    moved = is_colour(draw(cube, AHEAD, gl=gl), 0)
    assert np.nonzero(moved)[1].mean() < np.nonzero(red)[1].mean() - 10


def test_what_collides_is_hidden_unless_asked_for(cube, gl):
    assert not is_colour(draw(cube, AHEAD, gl=gl), 1).any()
    assert is_colour(draw(cube, AHEAD, gl=gl, shapes="collision"), 1).any()


def test_sites_of_high_groups_are_hidden(cube, gl):
    picture = draw(cube, AHEAD, gl=gl)
    magenta = (picture[:, :, 0] > 100) & (picture[:, :, 2] > 100) & (picture[:, :, 1] < 60)
    assert not magenta.any()


def test_boxes_of_inertia_are_drawn_for_robots_only(arm, gl):
    view = view_of(arm)
    seen = draw(arm, view, gl=gl)
    boxes = draw(arm, view, gl=gl, shapes="inertia")
    changed = np.abs(seen - boxes).max(axis=2) > 30
    assert 0.05 < changed.mean() < 0.3


def test_drawing_does_not_change_the_state(arm, gl):
    before = arm.data.qpos.copy(), arm.model.geom_group.copy(), arm.model.geom_rgba.copy()
    draw(arm, view_of(arm), gl=gl, shapes="collision")
    after = arm.data.qpos, arm.model.geom_group, arm.model.geom_rgba
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(old, new)


def test_one_renderer_draws_several_worlds(cube, arm, gl):
    with open_renderer(cube, size=SMALL, gl=gl) as renderer:
        first = renderer.render(cube, AHEAD)
        other = renderer.render(arm, view_of(arm))
        np.testing.assert_array_equal(renderer.render(cube, AHEAD), first)
    assert not np.array_equal(first, other)


def test_a_smooth_picture_differs_at_edges_only(cube, gl):
    plain, smooth = (draw(cube, AHEAD, gl=gl, smooth=smooth) for smooth in (False, True))
    changed = np.abs(smooth - plain).max(axis=2) > 4
    assert 0.0 < changed.mean() < 0.25


def test_a_second_close_does_nothing(cube, gl):
    renderer = open_renderer(cube, size=SMALL, gl=gl)
    renderer.close()
    renderer.close()


# --- they agree -------------------------------------------------------------------------------


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize("name", NAMED)
def test_both_see_the_same_outline_of_the_arm(arm, name):
    green = Mirror(arm.model)
    green.show(robot_state(arm))
    robot = (
        green.model.body_rootid[green.model.geom_bodyid]
        == green.model.body_rootid[green.model.body("open_manipulator_x/link2").id]
    )
    green.model.geom_matid[robot] = -1
    green.model.geom_rgba[robot] = 0.0, 1.0, 0.0, 1.0
    a, b = (is_colour(draw(green, view_of(green, name), gl=gl), 1) for gl in (True, False))
    assert a.mean() > 0.03
    assert (a & b).sum() / (a | b).sum() > 0.95


def robot_state(mirror: Mirror) -> np.ndarray:
    state = np.empty(mirror.state_size)
    mujoco.mj_getState(mirror.model, mirror.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    return state


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize("shapes", ["visual", "collision"])
def test_both_draw_nearly_the_same_colours(arm, shapes):
    a, b = (draw(arm, view_of(arm), size=(320, 180), gl=gl, shapes=shapes) for gl in (True, False))
    difference = np.abs(a - b).max(axis=2)
    assert difference.mean() < 4.0
    assert (difference > 40).mean() < 0.03


@pytest.mark.usefixtures("egl")
def test_both_lay_the_tiles_of_the_floor_alike(cube):
    view = View(look_at=np.array([0.7, 0.3, 0.0]), distance=1.0, azimuth=0.4, elevation=-1.2)
    a, b = (draw(cube, view, gl=gl, smooth=True) for gl in (True, False))
    assert (np.abs(a - b).max(axis=2) > 40).mean() < 0.02


# --- views ------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(azimuth=st.floats(-4, 4), elevation=st.floats(-1.5, 1.5), distance=st.floats(0.1, 5))
def test_a_view_stands_where_the_free_camera_of_the_engine_does(azimuth, elevation, distance):
    cube = CUBE_FOR_VIEWS
    view = View(look_at=np.ones(3), distance=distance, azimuth=azimuth, elevation=elevation)
    scene = mujoco.MjvScene(cube.model, 100)
    everything = mujoco.mjtCatBit.mjCAT_ALL
    options = mujoco.MjvOption()
    mujoco.mjv_updateScene(cube.model, cube.data, options, None, view.camera(), everything, scene)
    eye, forwards, up = np.empty(3), np.empty(3), np.empty(3)
    mujoco.mjv_cameraInModel(eye, forwards, up, scene)
    np.testing.assert_allclose(view.eye(), eye, atol=1e-4)
    np.testing.assert_allclose(view.axes()[1:], [up, forwards], atol=1e-4)


CUBE_FOR_VIEWS = cube_mirror()


@given(azimuth=st.floats(-4, 4), elevation=st.floats(-pi / 2, 1.0), aspect=st.floats(0.3, 3.0))
def test_framed_points_are_all_in_the_picture(azimuth, elevation, aspect):
    points = np.random.default_rng(7).normal(size=(40, 3)) * (0.3, 0.1, 0.5) + (1, 2, 3)
    view = frame(points, azimuth=azimuth, elevation=elevation, aspect=aspect, fovy=radians(45))
    right, up, depth = view.axes() @ (points - view.eye()).T
    slope = tan(radians(45) / 2)
    assert (depth > 0).all()
    assert max((np.abs(right) / depth / aspect).max(), (np.abs(up) / depth).max()) < slope


def test_what_is_framed_is_the_robot_and_the_cube_not_table_or_floor(arm):
    points = outline(arm)
    assert points[:, 2].min() > -0.01
    assert np.ptp(points, axis=0).max() < 0.5


def test_a_cube_that_fell_far_away_is_not_framed(arm):
    mirror = Mirror(arm.model)
    home = robot_state(mirror)
    mirror.data.joint("cube").qpos[:3] = 5.0, 0.0, -20.0
    away = robot_state(mirror)
    assert np.ptp(outline(mirror, [home, away]), axis=0).max() < 0.6


def test_a_view_from_the_top_has_x_to_the_right(arm):
    np.testing.assert_allclose(view_of(arm, "top").axes()[:2], np.eye(3)[:2], atol=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [{"distance": 0.0}, {"elevation": 2.0}, {"azimuth": np.nan}, {"look_at": np.zeros(2)}],
)
def test_a_view_that_cannot_be_is_refused(wrong):
    right = {"look_at": np.zeros(3), "distance": 1.0, "azimuth": 0.0, "elevation": 0.0}
    with pytest.raises(InvalidInput):
        View(**(right | wrong))


def test_an_unknown_view_lists_the_known_ones(cube):
    with pytest.raises(UnknownName, match="corner, front, side, top"):
        view_of(cube, "behind")


# --- limits and ways out ----------------------------------------------------------------------


@pytest.mark.usefixtures("egl")
def test_another_thread_is_refused(cube):
    problems = []

    def use(renderer):
        for call in (lambda: renderer.render(cube, AHEAD), renderer.close):
            try:
                call()
            except WrongThread as error:
                problems.append(str(error))

    with open_renderer(cube, size=SMALL, gl=True) as renderer:
        thread = threading.Thread(target=use, args=(renderer,), name="elsewhere")
        thread.start()
        thread.join()
        renderer.render(cube, AHEAD)
    assert len(problems) == 2
    assert "MainThread" in problems[0] and "'elsewhere'" in problems[0]


@pytest.mark.usefixtures("egl")
def test_a_closed_renderer_says_so(cube):
    renderer = open_renderer(cube, size=SMALL, gl=True)
    renderer.close()
    with pytest.raises(InvalidInput, match="closed"):
        renderer.render(cube, AHEAD)


@pytest.mark.slow
@pytest.mark.usefixtures("egl")
def test_a_forgotten_renderer_takes_nothing_from_another_one(cube, monkeypatch):
    with open_renderer(cube, size=SMALL, gl=True) as renderer:
        before = renderer.render(cube, AHEAD), renderer.render_depth(cube, AHEAD)
        forgotten: list = [open_renderer(cube, size=SMALL, gl=True)]
        forgotten.append(forgotten)  # a cycle: collected at any moment
        del forgotten
        fill = DrawingList.fill

        def fill_and_collect(*args):
            gc.collect()
            fill(*args)

        monkeypatch.setattr(DrawingList, "fill", fill_and_collect)
        after = renderer.render_depth(cube, AHEAD)
        np.testing.assert_array_equal(after, before[1])
        np.testing.assert_array_equal(renderer.render(cube, AHEAD), before[0])


@pytest.mark.slow
@pytest.mark.usefixtures("egl")
def test_a_renderer_of_a_thread_that_ended_can_be_collected(cube):
    with open_renderer(cube, size=SMALL, gl=True) as renderer:
        before = renderer.render(cube, AHEAD)
        thread = threading.Thread(target=lambda: open_renderer(cube, size=SMALL, gl=True))
        thread.start()
        thread.join()
        gc.collect()
        np.testing.assert_array_equal(renderer.render(cube, AHEAD), before)


@pytest.mark.usefixtures("egl")
def test_a_picture_may_be_wider_than_the_scene_foresees(cube):
    assert draw(cube, AHEAD, size=(2500, 40), gl=True).shape == (40, 2500, 3)


@pytest.mark.parametrize("size", [(0, 0), (-1, 10), (7681, 100), (100, 4321)])
def test_a_size_out_of_range_is_refused(cube, size):
    with pytest.raises(InvalidInput, match="7680x4320"):
        open_renderer(cube, size=size)
    with pytest.raises(InvalidInput):
        check_size(size)


def test_unknown_shapes_are_refused(cube):
    with pytest.raises(UnknownName, match="visual, collision, inertia"):
        open_renderer(cube, shapes="bones")


def test_the_environment_can_turn_opengl_off(cube, monkeypatch):
    monkeypatch.setenv("MECANO_GL", "off")
    with open_renderer(cube) as renderer:
        assert renderer.kind == "ray casting"
        assert (renderer.width, renderer.height) == (480, 270)
        assert "MECANO_GL=off" in renderer.remark


def broken_context(monkeypatch) -> None:
    def fail(*size):
        raise RuntimeError("Cannot create\n an EGL context.")

    egl = pytest.importorskip("mujoco.egl", exc_type=ImportError)
    monkeypatch.delenv("MECANO_GL", raising=False)
    monkeypatch.setattr(egl, "GLContext", fail)


def test_a_driver_that_fails_leads_to_ray_casting_which_says_why(cube, monkeypatch):
    broken_context(monkeypatch)
    with open_renderer(cube, size=SMALL) as renderer:
        assert renderer.kind == "ray casting"
        assert "RuntimeError: Cannot create an EGL context)" in renderer.remark


def test_who_insists_on_opengl_is_told_how_to_get_it(cube, monkeypatch):
    broken_context(monkeypatch)
    with pytest.raises(MecanoError, match="apt install libegl1"):
        open_renderer(cube, size=SMALL, gl=True)
