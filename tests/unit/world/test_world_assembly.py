"""Robots in a scene: mounts, poses, prefixes."""

import numpy as np
import pytest

from mecano import robots
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose
from mecano.world import Placement, World, assemble

ARM = robots.get("open_manipulator_x")


def test_two_robots_of_a_kind_live_under_their_prefixes():
    world = World(assemble([Placement(robot=ARM, prefix="a/"), Placement(robot=ARM, prefix="b/")]))
    for prefix in ("a/", "b/"):
        names = [name for name in world.names("joint") if name.startswith(prefix)]
        assert names == [
            prefix + joint for joint in (*ARM.chain().joint_names, "gripper", "gripper_sub")
        ]
    assert len(world.names("actuator")) == 10


def test_the_parts_of_a_robot_keep_their_numbers_whoever_stands_beside():
    alone = World(assemble([Placement(robot=ARM, prefix="a/")]))
    both = World(assemble([Placement(robot=ARM, prefix="a/"), Placement(robot=ARM, prefix="b/")]))
    for body in ("link3", "link5", "gripper_left_link"):
        one, two = (w.model.body(f"a/{body}") for w in (alone, both))
        np.testing.assert_array_equal(one.mass, two.mass)
        np.testing.assert_array_equal(one.inertia, two.inertia)
        np.testing.assert_array_equal(one.ipos, two.ipos)


def test_equal_prefixes_are_refused():
    with pytest.raises(InvalidInput, match="different prefixes"):
        assemble([Placement(robot=ARM, prefix="a/"), Placement(robot=ARM, prefix="a/")])


def test_robots_are_bolted_to_the_mounts_in_order():
    world = World(
        assemble(
            [Placement(robot=ARM, prefix="a/"), Placement(robot=ARM, prefix="b/")], scene="table"
        )
    )
    for prefix, mount in (("a/", "mount"), ("b/", "mount_2")):
        assert world.body_pose(f"{prefix}link1").is_close(world.site_pose(mount))


def test_a_robot_goes_to_the_pose_it_is_given():
    pose = Pose.from_xyz_rpy([0.3, -0.2, 0.5], [0.1, 0.2, 0.3])
    world = World(assemble([Placement(robot=ARM, prefix="a/", pose=pose)]))
    assert world.body_pose("a/link1").is_close(pose)


def test_a_scene_without_a_mount_takes_one_robot_at_its_origin(tmp_path):
    file = tmp_path / "bare.xml"
    file.write_text("<mujoco/>")
    world = World(assemble([Placement(robot=ARM, prefix="a/")], scene=file))
    assert world.body_pose("a/link1").is_close(Pose.identity())


def test_a_mount_that_is_missing_is_named(tmp_path):
    file = tmp_path / "bare.xml"
    file.write_text("<mujoco/>")
    with pytest.raises(InvalidInput, match="no site 'mount_2' for robot 2"):
        assemble([Placement(robot=ARM, prefix="a/"), Placement(robot=ARM, prefix="b/")], scene=file)


def test_a_robot_without_a_model_is_refused():
    with pytest.raises(InvalidInput, match="two_link"):
        assemble([Placement(robot=robots.get("two_link"), prefix="a/")])


def test_changes_edit_the_finished_model():
    def lift(spec):
        spec.body("cube").pos = [0.2, 0.0, 0.5]

    world = World(assemble([Placement(robot=ARM, prefix="a/")], scene="table", changes=[lift]))
    np.testing.assert_allclose(world.body_pose("cube").position, [0.2, 0.0, 0.5])


@pytest.mark.parametrize("kind", ["body", "geom", "joint", "site", "actuator"])
def test_an_unknown_part_lists_the_known_ones(kind):
    world = World(assemble([Placement(robot=ARM, prefix="a/")], scene="table"))
    with pytest.raises(UnknownName) as caught:
        world.index(kind, "nonsense")
    assert world.names(kind)[-1] in str(caught.value)
