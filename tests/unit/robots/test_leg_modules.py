"""Robots put together from leg modules: mounts, footholds, the model, and what is refused."""

from dataclasses import replace
from math import radians
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano import robots
from mecano.core.errors import InvalidInput
from mecano.robots.description import RobotDescription
from mecano.robots.leg_modules import LegMount, MountedLeg, both_sides
from mecano.robots.modular import BoxBody, assemble_legs
from mecano.robots.romerin.leg import LEG
from mecano.world.assembly import load_robot
from mecano.world.leg_weights import leg_weights

EXAMPLES = Path(__file__).parents[3] / "examples"
BOX = BoxBody(size=(0.15, 0.11, 0.05), mass=0.5)
CORNERS = (LegMount(0.075, 0.055, 45), LegMount(-0.075, 0.055, 135))
ROMERIN = robots.get("romerin")
places = st.floats(-0.3, 0.3)
angles = st.integers(0, 359)


def quadruped(tmp_path: Path, body: BoxBody | str = BOX) -> RobotDescription:
    return assemble_legs("four", tmp_path, LEG, body, both_sides(*CORNERS))


# Mounts


@given(places, places, angles, st.sampled_from([1, -1]), st.integers(-60, 60))
def test_mirror_of_a_mirrored_mount_is_the_mount(x, y, heading, side, rest):
    mount = LegMount(x, y, heading, side, (-70, 30), rest, (x, 2 * y))
    assert mount.mirrored().mirrored() == mount


@settings(max_examples=30)
@given(places, places, angles, st.sampled_from([1, -1]))
def test_mirrored_leg_has_its_tip_on_the_other_side(x, y, heading, side):
    left = LegMount(x, y, heading, side, (-70, 50))
    one, other = (
        MountedLeg(module=LEG, mount=each, number=1, depth=LEG.depth)
        for each in (left, left.mirrored())
    )
    q = np.array([0.4, -0.3, 0.7])
    np.testing.assert_allclose(
        one.chain.tip(q) * [1, -1, 1], other.chain.tip(q * [-1, 1, 1]), atol=1e-12
    )


def test_both_sides_number_legs_round_the_body():
    mounts = both_sides(*CORNERS)
    assert [(each.x > 0, each.y > 0) for each in mounts] == [
        (True, True), (False, True), (False, False), (True, False),
    ]  # fmt: skip


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("depth", sorted(LEG.reach))
def test_module_has_room_to_step_where_it_stands(depth, side):
    leg = MountedLeg(
        module=LEG, mount=LegMount(0, 0, 90, side), number=1, depth=LEG.depth
    ).chain.leg
    turns = np.radians(np.arange(0, 360, 5))
    circle = 0.03 * np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
    for lift in (0.0, 0.025):
        q = leg.solve_batch(circle + np.array([0.0, LEG.reach[depth], lift - depth]))[:, 0]
        spare = np.minimum(q - np.array(leg.lower), np.array(leg.upper) - q)
        assert spare.min() >= radians(2.99)


# The model


def test_romerin_as_put_together_is_its_model_file_bit_for_bit():
    written = load_robot(replace(ROMERIN, model=None)).compile()
    kept = load_robot(ROMERIN).compile()
    for name in dir(kept):
        value = getattr(kept, name)
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(written, name), value, err_msg=name)
    assert written.names == kept.names


@pytest.mark.parametrize("legs", [4, 6, 8, 10])
def test_any_even_number_of_legs_compiles_with_its_joints_and_weights(legs, tmp_path):
    left = [LegMount(0.3 - 0.12 * i, 0.06, 90) for i in range(legs // 2)]
    body = BoxBody(size=(0.6, 0.11, 0.05), mass=1.0)
    robot = assemble_legs("many", tmp_path, LEG, body, both_sides(*left))
    model = load_robot(robot).compile()
    assert model.njnt == 6 * legs and len(robot.servos) == 3 * legs and len(robot.chains) == legs
    assert robot.arms == ()
    masses, centres, rest, _, _ = leg_weights(model, robot)
    assert masses.shape == (legs, 4) and centres.shape == (legs, 4, 3)
    assert rest == pytest.approx(1.0 + 0.06 * legs)  # box and hip servos
    assert masses.sum(axis=1) == pytest.approx(np.full(legs, 0.235))


def test_tips_are_where_mujoco_puts_them(tmp_path):
    robot = quadruped(tmp_path)
    model = load_robot(robot).compile()
    data = mujoco.MjData(model)
    rng = np.random.default_rng(4)
    for _ in range(20):
        rows = {n: rng.uniform(c.dh.lower, c.dh.upper) for n, c in robot.chains.items()}
        for name, chain in robot.chains.items():
            for joint, value in zip(chain.joint_names, rows[name], strict=True):
                data.joint(joint).qpos = value
        mujoco.mj_kinematics(model, data)
        for i, (name, chain) in enumerate(robot.chains.items(), start=1):
            np.testing.assert_allclose(
                data.site(f"tip_{i}").xpos, chain.forward(rows[name])[:3, 3], atol=1e-9
            )


@pytest.mark.parametrize(("name", "legs"), [("modular_quadruped", 4), ("modular_octopod", 8)])
def test_examples_take_ten_lines_and_stand_without_touching_themselves(name, legs):
    file = EXAMPLES / name / "description.py"
    code = [line for line in file.read_text().splitlines() if line and not line.startswith('"')]
    assert len(code) <= 13
    robot = robots.get(EXAMPLES / name)
    assert robot.legged is not None and len(robot.legged.legs) == legs
    model = load_robot(robot).compile()
    data = mujoco.MjData(model)
    for chain in robot.chains.values():
        for joint, value in zip(chain.joint_names, chain.postures["stand"], strict=True):
            data.joint(joint).qpos = value
    mujoco.mj_forward(model, data)
    assert data.ncon == 0


# A body of one's own

WHOLE = """<mujoco><compiler angle="radian" autolimits="true"/>
  <worldbody><body name="trunk">
    <inertial pos="0 0 0" mass="0.8" diaginertia="0.001 0.002 0.002"/>
    <geom name="trunk" type="box" size="0.07 0.05 0.025" mass="0"/><site name="imu"/>
    <body name="mast" pos="0 0 0.03"><joint name="mast_joint" axis="0 0 1" range="-1 1"/>
      <geom type="capsule" fromto="0 0 0.01 0 0 0.05" size="0.01" mass="0.05"/></body>
  </body></worldbody>
</mujoco>"""


def test_body_may_be_a_whole_model_with_joints_of_its_own(tmp_path):
    (tmp_path / "trunk.xml").write_text(WHOLE)
    robot = quadruped(tmp_path, "trunk.xml")
    assert robot.legged is not None and robot.legged.frame == "trunk"
    model = load_robot(robot).compile()
    assert model.njnt == 25 and model.joint("mast_joint").range[1] == 1.0
    assert model.body("leg_1_coxa").parentid == model.body("trunk").id


def test_body_may_include_other_files(tmp_path):
    (tmp_path / "trunk.xml").write_text(
        '<mujocoinclude><include file="parts/box.xml"/><site name="imu"/></mujocoinclude>'
    )
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "box.xml").write_text(
        '<mujocoinclude><geom name="box" type="box" size="0.07 0.05 0.02" mass="0.6"/>'
        "</mujocoinclude>"
    )
    assert load_robot(quadruped(tmp_path, "trunk.xml")).compile().geom("box").size[0] == 0.07


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "cannot be read as MJCF"),
        ("", "cannot be read as MJCF"),
        ("<robot/>", "begins with <robot>"),
        (WHOLE.replace('angle="radian"', ""), "must be in radians"),
        (WHOLE.replace('name="trunk">', ">", 1), "is one, with a name"),
        ("<mujoco><worldbody/></mujoco>", "has 0 bodies"),
        ('<mujocoinclude><include file="trunk.xml"/></mujocoinclude>', "includes itself"),
        ('<mujocoinclude><include file="none.xml"/></mujocoinclude>', "none.xml cannot be read"),
    ],
)
def test_wrong_body_is_explained(tmp_path, text, why):
    if text is not None:
        (tmp_path / "trunk.xml").write_text(text)
    with pytest.raises(InvalidInput, match=why):
        quadruped(tmp_path, "trunk.xml")


# Refusals


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_too_few_or_odd_legs_are_refused(tmp_path, count):
    mounts = both_sides(*CORNERS, LegMount(0.0, 0.06, 90))[:count]
    with pytest.raises(InvalidInput, match=rf"'four' has {count} legs; legs come in pairs"):
        assemble_legs("four", tmp_path, LEG, BOX, mounts)


def test_foothold_out_of_reach_names_leg_and_place(tmp_path):
    far = LegMount(0.075, 0.055, 45, foothold=(0.5, 0.5))
    with pytest.raises(InvalidInput, match=r"leg 1 cannot stand at \(500, 500\) mm.* too far"):
        assemble_legs("four", tmp_path, LEG, BOX, both_sides(far, CORNERS[1]))


def test_unknown_depth_lists_the_known_ones(tmp_path):
    with pytest.raises(InvalidInput, match=r"depth of the tips is 0.2 m, allowed: 0.065, 0.08"):
        assemble_legs("four", tmp_path, LEG, BOX, both_sides(*CORNERS), depth=0.2)


@pytest.mark.parametrize("wrong", [{"x": np.nan}, {"heading_deg": np.inf}, {"side": 0}])
def test_mount_that_is_none_is_refused(wrong):
    with pytest.raises(InvalidInput, match=f"{next(iter(wrong))} of a leg's mount"):
        LegMount(**({"x": 0.0, "y": 0.0, "heading_deg": 0.0} | wrong))


@pytest.mark.parametrize("wrong", [{"size": (0.0, 0.1, 0.1)}, {"mass": -1.0}, {"mass": np.nan}])
def test_box_that_is_none_is_refused(wrong):
    with pytest.raises(InvalidInput, match="of the body"):
        BoxBody(**({"size": (0.1, 0.1, 0.1), "mass": 1.0} | wrong))


def test_describing_a_robot_writes_no_file(tmp_path):
    load_robot(quadruped(tmp_path)).compile()
    assert list(tmp_path.iterdir()) == []
