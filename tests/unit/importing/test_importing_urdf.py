"""What is read of a URDF: poses, shapes, inertias, tree, SRDF."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from urdf_samples import ARM, write_arm

from mecano.core.poses import Pose
from mecano.importing.inertia import balanced, principal, solid_of, together, triangle_excess
from mecano.importing.srdf import read_srdf
from mecano.importing.urdf import Geometry, Shape, read_urdf

SRDF = """<robot name="small_arm">
  <group name="arm"><chain base_link="base" tip_link="hand"/></group>
  <group name="fingers"><joint name="left"/><joint name="right"/></group>
  <group_state name="home" group="arm"><joint name="shoulder" value="0.3"/>
    <joint name="elbow" value="-0.6"/></group_state>
  <group_state name="odd" group="arm"><joint name="shoulder" value="bent"/></group_state>
  <end_effector name="gripper" parent_link="hand" group="fingers"/>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
</robot>"""


def test_everything_of_the_arm_is_read(tmp_path):
    robot = read_urdf(write_arm(tmp_path))
    assert robot.root == "base" and robot.findings == ()
    assert list(robot.joints) == ["shoulder", "elbow", "wrist", "left", "right"]
    shoulder = robot.joints["shoulder"]
    assert shoulder.limit is not None
    assert (shoulder.limit.lower, shoulder.limit.upper) == (-1.5, 1.5)
    assert (shoulder.limit.effort, shoulder.limit.velocity) == (40.0, 2.0)
    assert (shoulder.damping, shoulder.friction) == (0.2, 0.1)
    np.testing.assert_array_equal(shoulder.axis, [0, 1, 0])
    mimic = robot.joints["right"].mimic
    assert mimic is not None and (mimic.joint, mimic.multiplier) == ("left", 1.0)
    mesh = robot.links["fore"].visuals[0].geometry
    assert mesh.file == tmp_path.resolve() / "meshes" / "fore.stl"
    assert robot.links["base"].visuals[0].rgba == (0.6, 0.6, 0.6, 1.0)
    inertial = robot.links["upper"].inertial
    assert inertial is not None and inertial.mass == 1.5
    np.testing.assert_allclose(np.diag(inertial.inertia), [0.0116, 0.0116, 0.0007])


def test_three_hundred_joints_are_fine(tmp_path):
    inertial = (
        '<inertial><mass value="0.1"/>'
        '<inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>'
    )
    links = "".join(f'<link name="l{n}">{inertial}</link>' for n in range(301))
    joints = "".join(
        f'<joint name="j{n}" type="continuous"><parent link="l{n}"/><child link="l{n + 1}"/>'
        '<origin xyz="0 0 0.05"/><axis xyz="1 0 0"/></joint>'
        for n in range(300)
    )
    robot = read_urdf(write_arm(tmp_path, f'<robot name="snake">{links}{joints}</robot>'))
    assert len(robot.joints) == 300
    assert not [each for each in robot.findings if each.severity == "error"]


def test_srdf_beside_the_file_is_read(tmp_path):
    file = write_arm(tmp_path)
    (tmp_path / "arm.srdf").write_text(SRDF)
    robot = read_urdf(file)
    assert robot.srdf is not None
    assert robot.srdf.states["home"] == {"shoulder": 0.3, "elbow": -0.6}
    assert robot.srdf.groups["arm"].chains == (("base", "hand"),)
    assert robot.srdf.groups["fingers"].joints == ("left", "right")
    assert frozenset(("base", "upper")) in robot.srdf.disabled_pairs
    assert robot.srdf.end_effectors == {"fingers": "hand"}
    assert "srdf-value" in {each.code for each in robot.findings}


def test_srdf_of_another_robot_is_left_alone(tmp_path):
    file = write_arm(tmp_path)
    (tmp_path / "other.srdf").write_text(SRDF.replace("small_arm", "large_arm"))
    assert read_urdf(file).srdf is None


def test_broken_srdf_raises_with_its_finding(tmp_path):
    from mecano.importing.findings import UnreadableRobot

    (tmp_path / "x.srdf").write_text("<robot>")
    with pytest.raises(UnreadableRobot, match="well-formed"):
        read_srdf(tmp_path / "x.srdf")


sizes = st.floats(0.01, 2.0)


@given(size=st.tuples(sizes, sizes, sizes), mass=st.floats(0.1, 50.0))
def test_inertia_of_a_box_is_the_textbook_one(size, mass):
    shape = Shape(geometry=Geometry(kind="box", size=size), origin=Pose())
    solid = solid_of(shape)
    assert solid is not None
    x, y, z = size
    expected = mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    np.testing.assert_allclose(np.diag(solid.inertia(mass)), expected, rtol=1e-9)


@given(radius=sizes, length=sizes, mass=st.floats(0.1, 50.0))
def test_inertia_of_a_cylinder_is_the_textbook_one(radius, length, mass):
    shape = Shape(geometry=Geometry(kind="cylinder", size=(radius, length)), origin=Pose())
    solid = solid_of(shape)
    assert solid is not None
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    expected = [across, across, 0.5 * mass * radius**2]
    np.testing.assert_allclose(np.diag(solid.inertia(mass)), expected, rtol=1e-9)


@given(size=st.tuples(sizes, sizes, sizes), angles=st.tuples(*[st.floats(-3, 3)] * 3))
def test_two_halves_weigh_what_the_whole_does(size, angles):
    x, y, z = size
    whole = Pose.from_xyz_rpy((0.1, -0.2, 0.3), angles)
    half = Geometry(kind="box", size=(x / 2, y, z))
    halves = [Shape(geometry=half, origin=whole @ Pose((side * x / 4, 0, 0))) for side in (-1, 1)]
    one = solid_of(Shape(geometry=Geometry(kind="box", size=size), origin=whole))
    two = together(solid_of(each) for each in halves)
    assert one is not None and two is not None
    np.testing.assert_allclose(two.centre, one.centre, atol=1e-12)
    np.testing.assert_allclose(two.inertia(3.0), one.inertia(3.0), rtol=1e-9, atol=1e-12)


@given(moments=st.tuples(*[st.floats(1e-6, 1.0)] * 3))
def test_balanced_inertias_obey_the_triangle_inequality(moments):
    inertia = balanced(np.diag(moments))
    assert triangle_excess(inertia) <= 1e-12 and principal(inertia)[0] > 0.0


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40
)
@given(values=st.tuples(*[st.floats(-1.0, 1.0)] * 6))
def test_every_repaired_inertia_is_one_that_a_body_can_have(tmp_path, values):
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    text = " ".join(f'{name}="{value!r}"' for name, value in zip(names, values, strict=True))
    start = ARM.index("<inertia ", ARM.index('name="upper"'))
    end = ARM.index("/>", start)
    file = write_arm(tmp_path, f"{ARM[:start]}<inertia {text}{ARM[end:]}", mesh=False)
    inertial = read_urdf(file).links["upper"].inertial
    assert inertial is not None
    assert principal(inertial.inertia)[0] > 0.0 and triangle_excess(inertial.inertia) <= 1e-9
