"""Boxes on a table, seen by a camera whose picture is known point by point."""

import mujoco
import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.perception import find_boxes
from mecano.robots.mobile import CameraFacts
from mecano.sensors.camera import DepthCamera
from mecano.world.world import World

TABLE, SIZE = 0.407, (0.087, 0.024, 0.100)
PALETTE = {"red": (0.85, 0.1, 0.1), "orange": (0.95, 0.55, 0.05)}
SCENE = """
<mujoco>
  <visual><map znear="0.01" zfar="50"/></visual>
  <worldbody>
    <light pos="0 0 3" dir="0 0 -1" castshadow="false"/>
    <geom type="box" size="0.5 0.5 0.2035" pos="0.3 0.2 0.2035" rgba="0.7 0.7 0.7 1"/>
    {boxes}
    <camera name="eye" pos="-0.14 0.085 1.10" mode="targetbody" target="aim" fovy="43"/>
    <body name="aim" pos="0.13 0.13 0.45"/>
  </worldbody>
</mujoco>"""


def look(boxes, *, seed: int | None = None, size=(320, 240)):
    """Return what a mast camera sees of boxes (x, y, yaw, colour)."""
    text = "".join(
        f'<geom type="box" size="{SIZE[0] / 2} {SIZE[1] / 2} {SIZE[2] / 2}"'
        f' pos="{x} {y} {TABLE + SIZE[2] / 2}" euler="0 0 {np.degrees(yaw)}"'
        f' rgba="{" ".join(map(str, PALETTE[colour]))} 1"/>'
        for x, y, yaw, colour in boxes
    )
    world = World(mujoco.MjSpec.from_string(SCENE.format(boxes=text)))
    noise = None if seed is None else np.random.default_rng(seed)
    facts = CameraFacts(name="mast", camera="eye", frame="mast_optical", size=size)
    return DepthCamera(world, facts, prefix="", noise=noise).read()


def found(shot, **options):
    options = {"colour": shot.colour, "palette": PALETTE} | options
    return find_boxes(shot.depth, shot.info, shot.pose, table=TABLE, **options)


def yaw_apart(a: float, b: float) -> float:
    return abs((a - b + np.pi / 2) % np.pi - np.pi / 2)


@pytest.mark.parametrize("yaw", np.radians([-80.0, -45.0, 0.0, 30.0, 89.0]))
def test_a_box_is_found_where_it_is(yaw):
    (box,) = found(look([(0.2, 0.1, yaw, "red")]))
    assert box.colour == "red"
    np.testing.assert_allclose(box.position, [0.2, 0.1, TABLE + SIZE[2]], atol=0.003)
    assert yaw_apart(box.yaw, yaw) < np.radians(1.5)
    assert box.length == pytest.approx(SIZE[0], abs=0.008)
    assert box.width == pytest.approx(SIZE[1], abs=0.008)


@pytest.mark.parametrize("yaw", np.radians([-60.0, 0.0, 45.0]))
def test_its_far_edge_is_not_lost_to_the_colour_of_the_table(yaw):
    (box,) = found(look([(0.2, 0.1, yaw, "red")]))
    assert np.hypot(*(box.position[:2] - [0.2, 0.1])) < 0.0015
    assert box.length == pytest.approx(SIZE[0], abs=0.002)


@pytest.mark.slow
def test_noise_leaves_it_within_five_millimetres_and_three_degrees():
    places, yaws = [], []
    rng = np.random.default_rng(0)
    for seed in range(12):
        x, y, yaw = rng.uniform([0.1, 0.0, -1.5], [0.25, 0.2, 1.5])
        (box,) = found(look([(x, y, yaw, "orange")], seed=seed))
        places.append(np.hypot(*(box.position[:2] - [x, y])))
        yaws.append(yaw_apart(box.yaw, yaw))
    assert max(places) < 0.005 and max(yaws) < np.radians(3.0)


def test_two_colours_that_touch_are_two_boxes():
    boxes = found(look([(0.2, 0.1, 0.0, "red"), (0.2, 0.1 + SIZE[1], 0.0, "orange")]))
    by_colour = {box.colour: box for box in boxes}
    assert set(by_colour) == {"red", "orange"}
    assert by_colour["orange"].position[1] - by_colour["red"].position[1] == pytest.approx(
        SIZE[1], abs=0.003
    )


def test_an_empty_table_has_no_boxes():
    assert found(look([])) == []


def test_without_a_palette_everything_that_rises_is_found():
    shot = look([(0.2, 0.1, 0.3, "red")])
    (box,) = found(shot, colour=None, palette=None)
    assert box.colour == ""


@pytest.mark.slow
def test_the_uncertainty_tells_how_far_off_it_is():
    errors, spreads = [], []
    for seed in range(15):
        (box,) = found(look([(0.18, 0.1, 0.4, "red")], seed=seed))
        errors.append(box.position[:2])
        spreads.append(box.position_spread)
    scatter = np.std(errors, axis=0).max()
    assert 0.2 < scatter / np.mean(spreads) < 5.0


def test_more_pixels_make_it_surer():
    few = found(look([(0.2, 0.1, 0.3, "red")], size=(160, 120)))[0]
    many = found(look([(0.2, 0.1, 0.3, "red")], size=(640, 480)))[0]
    assert many.pixels > 10 * few.pixels and many.position_spread < 0.5 * few.position_spread


def test_a_palette_without_a_picture_is_refused():
    shot = look([])
    with pytest.raises(InvalidInput, match="needs a colour picture"):
        found(shot, colour=None)
