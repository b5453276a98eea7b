"""Objects and marks on a table, seen by a camera with noise: found, measured, honestly unsure."""

from math import pi, radians

import mujoco
import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose
from mecano.perception.colours import name_of_colour
from mecano.perception.tabletop import same_line, view_table
from mecano.robots.mobile import CameraFacts
from mecano.sensors.camera import DepthCamera
from mecano.world.world import World

TABLE = 0.407
SCENE = """
<mujoco>
  <visual><map znear="0.01" zfar="50"/></visual>
  <worldbody>
    <light pos="0 0 3" dir="0 0 -1" castshadow="false"/>
    <geom type="box" size="0.5 0.5 0.2035" pos="0.3 0.2 0.2035" rgba="0.75 0.75 0.72 1"/>
    {things}
    <camera name="eye" pos="-0.14 0.085 1.10" mode="targetbody" target="aim" fovy="43"/>
    <body name="aim" pos="0.13 0.13 0.45"/>
  </worldbody>
</mujoco>"""


def box(x, y, yaw, length, width, height, rgba="0.85 0.12 0.1"):
    return (
        f'<geom type="box" size="{length / 2} {width / 2} {height / 2}" '
        f'pos="{x} {y} {TABLE + height / 2}" euler="0 0 {np.degrees(yaw)}" rgba="{rgba} 1"/>'
    )


def can(x, y, radius, height, rgba="0.1 0.3 0.85"):
    return (
        f'<geom type="cylinder" size="{radius} {height / 2}" pos="{x} {y} {TABLE + height / 2}" '
        f'rgba="{rgba} 1"/>'
    )


def mark(x, y, yaw, length=0.104, width=0.040):
    return (
        f'<site type="box" size="{length / 2} {width / 2} 0.0004" pos="{x} {y} {TABLE + 0.0004}" '
        f'euler="0 0 {np.degrees(yaw)}" rgba="0.3 0.32 0.35 1"/>'
    )


def view(*things, seed=None, turned=None, **options):
    """Return what is seen of things; the camera may be turned on the spot, and nobody knows."""
    world = World(mujoco.MjSpec.from_string(SCENE.format(things="".join(things))))
    noise = None if seed is None else np.random.default_rng(seed)
    facts = CameraFacts(name="mast", camera="eye", frame="mast_optical", nearest=0.3)
    shot = DepthCamera(world, facts, prefix="", noise=noise).read()
    pose = shot.pose if turned is None else shot.pose @ Pose.from_xyz_rpy([0, 0, 0], turned)
    return view_table(
        shot.colour, shot.depth, shot.info, pose, **{"table": TABLE} | options
    )  # fmt: skip


def only(seen):
    assert seen is not None and len(seen.objects) == 1, seen
    return seen.objects[0]


@pytest.mark.parametrize("size", [(0.087, 0.024, 0.1), (0.07, 0.05, 0.03), (0.03, 0.03, 0.03)])
@pytest.mark.parametrize("yaw", np.radians([-70.0, 0.0, 35.0]))
def test_a_box_is_measured_by_what_is_seen(size, yaw):
    seen = only(view(box(0.2, 0.1, yaw, *size)))
    assert (seen.colour, seen.shape) == ("red", "box")
    np.testing.assert_allclose(seen.position, [0.2, 0.1, TABLE + size[2]], atol=0.003)
    np.testing.assert_allclose([seen.length, seen.width], size[:2], atol=0.004)
    assert seen.height == pytest.approx(size[2], abs=0.003)
    square = size[0] == size[1]
    turn = abs(same_line(seen.yaw, yaw))
    assert (min(turn, abs(turn - pi / 2)) if square else turn) < radians(4.0)


@pytest.mark.parametrize(("radius", "height"), [(0.033, 0.115), (0.02, 0.05)])
def test_a_can_is_round_and_as_wide_as_it_is(radius, height):
    seen = only(view(can(0.2, 0.1, radius, height)))
    assert (seen.colour, seen.shape) == ("blue", "cylinder")
    assert seen.across(0.7) == pytest.approx(2 * radius, abs=0.004)
    np.testing.assert_allclose(seen.position[:2], [0.2, 0.1], atol=0.003)


@pytest.mark.slow
def test_errors_are_covered_by_the_stated_spreads():
    rng = np.random.default_rng(5)
    places, sizes, yaws = [], [], []
    for seed in range(30):
        x, y, yaw = rng.uniform([0.1, 0.0, -1.5], [0.25, 0.2, 1.5])
        length, width, height = rng.uniform([0.05, 0.02, 0.02], [0.1, 0.035, 0.12])
        seen = only(view(box(x, y, yaw, length, width, height), seed=seed))
        places += list((seen.position[:2] - [x, y]) / seen.position_spread)
        sizes += [
            (seen.length - length) / seen.size_spread,
            (seen.width - width) / seen.size_spread,
        ]
        yaws.append(same_line(seen.yaw, yaw) / seen.yaw_spread)
    for errors in (places, sizes, yaws):  # in units of the stated spread
        assert np.sqrt(np.mean(np.square(errors))) < 1.2
        assert np.abs(errors).max() < 3.5
    assert np.sqrt(np.mean(np.square(places))) > 0.2  # nor is it claimed to be useless


def test_a_mark_is_found_where_it_is_drawn():
    seen = view(mark(0.2, 0.1, 0.4), box(0.1, 0.2, 0.0, 0.05, 0.03, 0.05))
    assert seen is not None and len(seen.marks) == 1
    np.testing.assert_allclose(seen.marks[0].position[:2], [0.2, 0.1], atol=0.003)
    assert abs(same_line(seen.marks[0].yaw, 0.4)) < radians(3.0)


def test_a_camera_that_nods_by_two_degrees_is_put_right_by_the_table():
    """A turn about the vertical leaves the table level, so no picture of a table alone shows it."""
    seen = only(view(box(0.2, 0.1, 0.3, 0.087, 0.024, 0.1), turned=(0.0, radians(2.0), 0.0)))
    np.testing.assert_allclose(seen.position, [0.2, 0.1, TABLE + 0.1], atol=0.005)


def test_a_table_that_is_higher_than_told_is_found():
    seen = view(box(0.2, 0.1, 0.3, 0.087, 0.024, 0.1), table=TABLE - 0.04)
    assert seen is not None and seen.table == pytest.approx(TABLE, abs=0.002)
    assert only(seen).height == pytest.approx(0.1, abs=0.003)


def test_without_a_table_nothing_is_claimed():
    assert view(table=TABLE + 0.3) is None


def test_what_is_of_the_robot_itself_is_left_out():
    seen = view(box(0.2, 0.1, 0.0, 0.05, 0.03, 0.05), own=lambda points: points[..., 0] > 0.0)
    assert seen is not None and not seen.objects


def test_touching_objects_of_two_colours_are_two():
    seen = view(
        box(0.2, 0.1, 0.0, 0.06, 0.03, 0.05), box(0.2, 0.13, 0.0, 0.06, 0.03, 0.05, "0.1 0.3 0.85")
    )
    assert seen is not None and {each.colour for each in seen.objects} == {"red", "blue"}


def test_pictures_of_two_sizes_are_refused():
    world = World(mujoco.MjSpec.from_string(SCENE.format(things="")))
    facts = CameraFacts(name="mast", camera="eye", frame="mast_optical")
    one = DepthCamera(world, facts, prefix="", noise=None).read()
    small = CameraFacts(name="mast", camera="eye", frame="mast_optical", size=(64, 48))
    other = DepthCamera(world, small, prefix="", noise=None).read()
    with pytest.raises(InvalidInput, match="size of the depth picture"):
        view_table(other.colour, one.depth, one.info, one.pose, table=TABLE)


@pytest.mark.parametrize(
    ("rgb", "name"),
    [((217, 30, 25), "red"), ((242, 132, 12), "orange"), ((20, 160, 40), "green"),
     ((25, 60, 210), "blue"), ((120, 120, 118), "grey"), ((20, 20, 22), "black"),
     ((250, 250, 248), "white"), ((230, 220, 30), "yellow")],
)  # fmt: skip
def test_colours_have_the_names_people_give_them(rgb, name):
    assert name_of_colour(np.array(rgb)) == name
