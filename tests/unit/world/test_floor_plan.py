"""The true map of a scene: shapes cut at a height."""

import mujoco
import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.messages.maps import FREE, OCCUPIED, UNKNOWN
from mecano.world.floor_plan import floor_plan, scene_plan

ROOM = """<mujoco><worldbody>
  <geom type="plane" size="5 5 0.1"/>
  <geom type="box" pos="2.05 0 1" size="0.05 1.6 1"/><geom type="box" pos="-2.05 0 1" size="0.05 1.6 1"/>
  <geom type="box" pos="0 1.55 1" size="2 0.05 1"/><geom type="box" pos="0 -1.55 1" size="2 0.05 1"/>
  {more}
</worldbody></mujoco>"""  # noqa: E501


def plan_of(more: str = "", height: float = 0.3, **options):
    return floor_plan(mujoco.MjModel.from_xml_string(ROOM.format(more=more)), height, **options)


def walls(plan):
    return plan.cell_to_world(np.argwhere(plan.data == OCCUPIED))


def test_a_room_is_free_inside_walls_and_unknown_beyond():
    plan = plan_of()
    values = plan.values_at(np.array([[0, 0], [1.97, 1.47], [2.02, 0], [0, -1.52], [2.3, 0]]))
    assert values.tolist() == [FREE, FREE, OCCUPIED, OCCUPIED, UNKNOWN]
    assert np.abs(np.abs(walls(plan)[:, 0]).max() - 2.025) < 1e-9
    free = (plan.data == FREE).sum() * plan.resolution**2
    assert free == pytest.approx(4.0 * 3.0, rel=1e-6)


@pytest.mark.parametrize("resolution", [0.02, 0.05])
@pytest.mark.parametrize(
    ("shape", "radius"),
    [
        ('<geom type="cylinder" size="0.4 0.5" pos="0.5 0.2 0.5"/>', 0.4),
        ('<geom type="sphere" size="0.5" pos="0.5 0.2 0.6"/>', 0.4),  # cut 0.3 below its middle
        ('<geom type="capsule" size="0.4 0.3" pos="0.5 0.2 0.5"/>', 0.4),
        ('<geom type="ellipsoid" size="0.4 0.4 1" pos="0.5 0.2 0.3"/>', 0.4),
    ],
)
def test_round_shapes_are_cut_to_circles(shape, radius, resolution):
    plan = plan_of(shape, inside=(-1.0, 0.0), resolution=resolution)
    points = walls(plan)
    off = np.hypot(points[:, 0] - 0.5, points[:, 1] - 0.2)
    skin = off[off < 0.8]
    assert len(skin) > 2 * np.pi * radius / resolution
    half = 0.5 * np.sqrt(2.0) * resolution
    assert skin.min() > radius - resolution - half and skin.max() < radius + half
    assert plan.values_at(np.array([0.5, 0.2])) == UNKNOWN


def test_a_turned_box_has_its_corners_where_they_are():
    plan = plan_of('<geom type="box" size="0.5 0.3 1" pos="0 0 0" euler="0 0 30"/>',
                   inside=(-1.5, 0.0), resolution=0.02)  # fmt: skip
    turn = np.radians(30.0)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    local = np.abs(walls(plan) @ axes.T)
    local = local[np.all(local < [0.8, 0.6], axis=1)]
    outside = np.maximum(local - [0.5, 0.3], 0.0).max(axis=1)
    inside = np.minimum(*(np.array([0.5, 0.3]) - local).T)
    assert outside.max() < 0.015 and inside.max() < 0.035
    assert len(local) > 150


def test_a_mesh_is_cut_like_the_shape_that_it_is():
    corners = [(x, y, z) for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (0.0, 1.0)]
    text = ROOM.format(more='<geom type="mesh" mesh="block"/>').replace(
        "<worldbody>",
        '<asset><mesh name="block" vertex="{}"/></asset><worldbody>'.format(
            "  ".join("{} {} {}".format(*c) for c in corners)
        ),
    )
    meshed = floor_plan(mujoco.MjModel.from_xml_string(text), 0.3, inside=(-1.0, 0.0))
    boxed = plan_of('<geom type="box" size="0.3 0.2 0.5" pos="0 0 0.5"/>', inside=(-1.0, 0.0))
    differ = meshed.data != boxed.data
    assert differ.sum() <= 8  # edges on the borders of cells


def test_only_what_is_at_the_height_is_seen():
    table = """<geom type="box" size="0.5 0.5 0.02" pos="0 0.5 0.7"/>
    <geom type="box" size="0.02 0.02 0.34" pos="0.4 0.9 0.34"/>"""
    low, high = (plan_of(table, h, inside=(-1.5, 0)).values_at([0.0, 0.5]) for h in (0.15, 0.7))
    assert (low, high) == (FREE, UNKNOWN)
    assert plan_of(table, 0.15).values_at([0.4, 0.9]) == OCCUPIED


def test_what_moves_what_is_drawn_only_and_what_is_glass_is_left_out():
    more = """<body name="ball" pos="0 0 0.3"><freejoint/><geom size="0.3"/></body>
    <geom type="box" size="0.2 0.2 1" pos="1 0 0" group="2" contype="0" conaffinity="0"/>
    <geom type="box" size="0.2 0.2 1" pos="-1 0 0" rgba="1 1 1 0"/>"""
    assert (plan_of(more).data == plan_of().data).all()


def test_a_closed_room_beside_is_unknown():
    plan = plan_of("""<geom type="box" pos="1 0 1" size="0.05 1.6 1"/>""")
    assert plan.values_at([0.0, 0.0]) == FREE and plan.values_at([1.5, 0.0]) == UNKNOWN


def test_a_place_inside_a_shape_is_refused_with_the_way_out():
    with pytest.raises(InvalidInput, match=r"\(2\.05, 0\) m is inside a shape 0\.3 m above .*free"):
        plan_of(inside=(2.05, 0.0))


def test_a_height_above_everything_has_no_plan():
    with pytest.raises(InvalidInput, match="nothing fixed is 5 m above the floor"):
        plan_of(height=5.0)


@pytest.mark.parametrize(("value", "says"), [(0.0, "resolution"), (float("nan"), "resolution")])
def test_a_resolution_that_makes_no_sense_is_refused(value, says):
    with pytest.raises(InvalidInput, match=says):
        plan_of(resolution=value)


def test_a_plan_that_would_not_fit_is_refused():
    with pytest.raises(InvalidInput, match="too large"):
        plan_of('<geom type="box" size="0.1 0.1 1" pos="4000 4000 0.5"/>')


def test_a_scene_is_seen_from_its_mount():
    plan = scene_plan("hall", 0.3)
    assert plan.values_at([0.0, 0.0]) == FREE
    assert plan.values_at([2.0, 3.4]) == UNKNOWN  # the closed room
