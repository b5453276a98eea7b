"""What can be asked of a world: where things are, what touches, how far apart."""

import mujoco
import numpy as np
import pytest

from mecano import robots
from mecano.core.errors import UnknownName
from mecano.core.poses import Pose
from mecano.world import Placement, World, assemble

ARM = robots.get("open_manipulator_x")

SHAPES = """<mujoco><worldbody>
<geom name="ground" type="plane" size="2 2 0.1"/>
<body name="low" pos="0 0 0.5"><freejoint/><geom name="low" type="sphere" size="0.1"/></body>
<body name="high" pos="0 0 1.0"><freejoint/><geom name="high" type="sphere" size="0.15"/></body>
<body name="box" pos="1 0 1"><freejoint/><geom name="box" type="box" size="0.1 0.2 0.3"/>
  <geom name="ghost" type="sphere" size="0.5" contype="0" conaffinity="0"/></body>
<body name="bare" pos="0 1 1"/>
</worldbody></mujoco>"""


@pytest.fixture
def shapes(tmp_path) -> World:
    file = tmp_path / "shapes.xml"
    file.write_text(SHAPES)
    return World(assemble([], scene=file))


# --- poses


def test_a_body_is_where_its_joint_says(shapes):
    turned = Pose.from_xyz_rpy([0.3, 0.2, 0.9], [0.4, -0.5, 0.6])
    shapes.data.joint(2).qpos[:] = [*turned.position, *turned.quaternion]
    mujoco.mj_forward(shapes.model, shapes.data)
    assert shapes.body_pose("box").is_close(turned)


def test_the_tool_is_where_the_kinematics_says():
    pose = Pose.from_xyz_rpy([0.3, -0.2, 0.1], [0.0, 0.0, 0.7])
    world = World(assemble([Placement(robot=ARM, prefix="a/", pose=pose)]))
    q = np.array([0.4, -0.6, 0.5, 0.3])
    for name, value in zip(ARM.chain().joint_names, q, strict=True):
        world.data.joint(f"a/{name}").qpos[0] = value
    mujoco.mj_forward(world.model, world.data)
    wanted = pose.matrix() @ ARM.chain().forward(q)
    np.testing.assert_allclose(world.site_pose("a/tool").matrix(), wanted, atol=1e-9)


def test_an_unknown_body_is_reported_by_name(shapes):
    with pytest.raises(UnknownName, match=r"no body named 'hihg'.*did you mean 'high'"):
        shapes.body_pose("hihg")


def test_poses_belong_to_the_state_there_is_after_a_step(shapes):
    shapes.step(100)
    np.testing.assert_allclose(
        shapes.body_pose("low").position, shapes.data.joint(0).qpos[:3], atol=1e-12
    )


# --- contacts


def test_nothing_touches_in_the_air(shapes):
    assert list(shapes.contacts()) == []


def test_a_resting_cube_presses_with_its_weight():
    world = World(assemble([], scene="table"))
    world.step(500)
    contacts = list(world.contacts())
    assert {(c.body_1, c.body_2) for c in contacts} == {("table", "cube")}
    assert {(c.geom_1, c.geom_2) for c in contacts} == {("table_top", "cube")}
    assert sum(c.force for c in contacts) == pytest.approx(0.03 * 9.81, rel=1e-3)
    assert all(0.0 <= c.depth < 2e-4 for c in contacts)


def test_a_contact_with_a_shape_without_a_name_still_has_words_for_it(tmp_path):
    file = tmp_path / "nameless.xml"
    file.write_text(
        """<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
        <body pos="0 0 0.099"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
    )
    (contact,) = World(assemble([], scene=file)).contacts()
    assert (contact.body_1, contact.geom_2) == ("world", "geom 1")
    assert contact.depth == pytest.approx(0.001)


# --- distances


def test_two_spheres_are_apart_by_their_centres_less_their_radii(shapes):
    assert shapes.distance("low", "high") == pytest.approx(0.5 - 0.25, abs=1e-9)


def test_distance_does_not_ask_who_comes_first(shapes):
    there, back = shapes.distance("box", "high"), shapes.distance("high", "box")
    assert there == pytest.approx(back, abs=1e-9)


def test_a_sphere_and_a_box_are_apart_by_the_gap_to_the_face(shapes):
    assert shapes.distance("high", "box") == pytest.approx(1.0 - 0.1 - 0.15, abs=1e-6)


def test_distance_to_the_ground_is_the_height_of_the_lowest_point(shapes):
    assert shapes.distance("low", "world") == pytest.approx(0.4, abs=1e-9)


def test_bodies_inside_each_other_have_a_negative_distance(shapes):
    shapes.data.joint(0).qpos[2] = 0.8
    mujoco.mj_forward(shapes.model, shapes.data)
    assert shapes.distance("low", "high") == pytest.approx(0.2 - 0.25, abs=1e-6)


def test_distance_ends_at_its_limit(shapes):
    assert shapes.distance("low", "high", limit=0.1) == 0.1


def test_a_body_without_shapes_is_at_the_limit(shapes):
    assert shapes.distance("bare", "high", limit=0.7) == 0.7


def test_shapes_that_touch_nothing_have_no_distance(shapes):
    # the ghost around the box reaches to 0.5 m, the box itself only to 0.1 m
    assert shapes.distance("box", "high") > 0.7


def test_distance_to_an_unknown_body_is_refused(shapes):
    with pytest.raises(UnknownName, match="nobody"):
        shapes.distance("low", "nobody")
