"""The arm's MuJoCo model against its sources: shapes, kinematics, masses, servos.

Every run uses the project's physics settings, not the engine's: see `project_physics`.
"""

import re
from collections.abc import Iterator
from itertools import product

import mujoco
import numpy as np
import pytest
from mujoco import mjtCone, mjtGeom, mjtIntegrator, mjtObj, mjtSolver

from mecano import robots
from mecano.robots.open_manipulator_x.description import PHI

ARM = robots.get("open_manipulator_x")
CHAIN = ARM.chain()
MODEL = ARM.folder / "model.xml"
JOINTS = ("joint1", "joint2", "joint3", "joint4")
FINGERS = ("gripper", "gripper_sub")
OPEN, CLOSED = 0.019, -0.010

# Extents [mm] in the link's frame: x, y, z, each from and to. Measured on the drawings in ROBOTIS
# open_manipulator, branch noetic; the horn's radius, the hollow of the webs and link4's web are
# estimates. The right finger is the left one mirrored in y.
SHAPES = {
    "link1_servo": (-23.25, 23.25, -14.25, 14.25, 0, 34),
    "link1_horn": (1, 23, -11, 11, 34, 40.4),
    "link2_bracket": (-14, 14, -18.5, 18.5, 19, 30.5),
    "link2_servo": (-14.25, 14.25, -19, 23.4, 24.25, 70.75),
    "link2_side_frame": (-23.5, 23.5, -16.6, 16.6, 26.25, 82.8),
    "link3_horn_left": (-20, 20, 19, 26, -20, 20),
    "link3_horn_right": (-20, 20, -26, -19, -20, 20),
    "link3_web": (-12.5, 12.5, -21, 21, 18.5, 28.5),
    "link3_beam": (-10.5, 10.5, -18.5, 18.5, 27.3, 109.7),
    "link3_bracket": (-11, 35, -18.5, 18.5, 108.5, 120),
    "link3_servo": (-11.25, 35.25, -19, 23.4, 113.75, 142.25),
    "link3_side_frame": (-9.25, 47.35, -16.6, 16.6, 108.2, 151.5),
    "link4_horn_left": (-20, 20, 19.3, 26.3, -20, 20),
    "link4_horn_right": (-20, 20, -26.3, -19.3, -20, 20),
    "link4_web": (18.5, 28.5, -21, 21, -12.5, 12.5),
    "link4_beam": (27.3, 84.7, -18.5, 18.5, -10.5, 10.5),
    "link4_bracket": (83.5, 95, -18.5, 18.5, -14, 14),
    "link4_servo": (88.75, 135.25, -19, 23.4, -14.25, 14.25),
    "link4_side_frame": (90.75, 147.3, -16.6, 16.6, -23.5, 23.5),
    "link5_horn_left": (-20, 20, 19, 26, -20, 20),
    "link5_horn_right": (-20, 20, -26, -19, -20, 20),
    "link5_bracket": (-2.5, 28, -20.5, 20.5, -11.25, 35.25),
    "link5_gripper_servo": (28, 68.4, -14.25, 14.25, -11.25, 35.25),
    "link5_crank_plates": (36.5, 67.5, -64.3, 64.3, -23, 37.8),
    "finger_left_carriage": (-23.1, 0, 5.1, 27.6, -29, 29),
    "finger_left_finger": (5, 65, -8, 25, -17.5, 17.5),
    "finger_left_pad": (26.2, 63.2, 0, 3.1, -7.5, 7.5),
    "finger_right_carriage": (-23.1, 0, -27.6, -5.1, -29, 29),
    "finger_right_finger": (5, 65, -25, 8, -17.5, 17.5),
    "finger_right_pad": (26.2, 63.2, -3.1, 0, -7.5, 7.5),
}
BODY_OF = {"finger_left": "gripper_left_link", "finger_right": "gripper_right_link"}

# Where a `dcmotor` keeps its controller in `actuator_gainprm`.
KP, KI, KD = 4, 5, 6
OFF = 1e-9  # a ki of exactly 0 would take its state away, which the engine refuses at run time


def project_physics(model: mujoco.MjModel) -> None:
    model.opt.integrator = mjtIntegrator.mjINT_DISCRETE
    model.opt.solver = mjtSolver.mjSOL_NEWTON
    model.opt.cone = mjtCone.mjCONE_ELLIPTIC
    model.opt.impratio = 100
    model.opt.timestep = 0.002


class Bench:
    """The arm alone, with commands by name."""

    def __init__(self, posture=(0.0, 0.0, 0.0, 0.0), grip: float = 0.0) -> None:
        self.model = mujoco.MjModel.from_xml_path(str(MODEL))
        project_physics(self.model)
        self.data = mujoco.MjData(self.model)
        self.inputs = self.model.actuator_ctrladr
        self.data.qpos[:] = (*posture, grip, grip)
        self.data.act[4] = grip  # the gripper's command starts where the fingers are
        self.command(posture, grip)
        mujoco.mj_forward(self.model, self.data)

    def command(self, posture, grip: float = 0.0) -> None:
        self.data.ctrl[self.inputs[:4]] = posture
        self.data.ctrl[self.inputs[4]] = grip

    def run(self, seconds: float) -> Iterator[mujoco.MjData]:
        for _ in range(round(seconds / self.model.opt.timestep)):
            mujoco.mj_step(self.model, self.data)
            yield self.data

    def rest(self, seconds: float) -> None:
        mujoco.mj_step(self.model, self.data, round(seconds / self.model.opt.timestep))

    @property
    def q(self) -> np.ndarray:
        return self.data.qpos[:4].copy()

    def touching(self) -> set[tuple[str, str]]:
        bodies = self.model.geom_bodyid
        pairs = (sorted((bodies[c.geom1], bodies[c.geom2])) for c in self.data.contact)
        return {(self.model.body(a).name, self.model.body(b).name) for a, b in pairs}


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(MODEL))


def corners(model: mujoco.MjModel, geom: int) -> np.ndarray:
    """Points in the body's frame whose extents are those of a geom."""
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, model.geom_quat[geom])
    rotation = rotation.reshape(3, 3)
    if model.geom_type[geom] == mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first = model.mesh_vertadr[mesh]
        points = model.mesh_vert[first : first + model.mesh_vertnum[mesh]]
        return points @ rotation.T + model.geom_pos[geom]
    size = model.geom_size[geom]
    if model.geom_type[geom] == mjtGeom.mjGEOM_CYLINDER:
        reach = size[0] * np.hypot(rotation[:, 0], rotation[:, 1]) + size[1] * abs(rotation[:, 2])
    else:
        assert model.geom_type[geom] == mjtGeom.mjGEOM_BOX
        reach = abs(rotation) @ size
    return np.vstack([model.geom_pos[geom] - reach, model.geom_pos[geom] + reach])


def extents(model: mujoco.MjModel, geoms) -> np.ndarray:
    """Extents of several geoms [mm]: x, y, z, each from and to."""
    points = 1000 * np.vstack([corners(model, geom) for geom in geoms])
    return np.column_stack([points.min(axis=0), points.max(axis=0)]).ravel()


def geoms_named(model: mujoco.MjModel, pattern: str) -> list[int]:
    return [g for g in range(model.ngeom) if re.fullmatch(pattern, model.geom(g).name)]


# Shape and structure


@pytest.mark.parametrize("part", SHAPES)
def test_part_has_the_measured_extents(model, part):
    geoms = geoms_named(model, rf"{part}(_\d+)?")
    assert geoms, f"no geom is named {part}"
    owner = BODY_OF.get(part.rsplit("_", 1)[0], part.split("_")[0])
    assert {model.body(model.geom_bodyid[g]).name for g in geoms} == {owner}
    np.testing.assert_allclose(extents(model, geoms), SHAPES[part], atol=0.5)  # asked for: 5 mm


@pytest.mark.parametrize("link", ["link1", "link2", "link3", "link4", "link5", *BODY_OF.values()])
def test_what_collides_covers_what_is_drawn(model, link):
    body = model.body(link).id
    named = [g for g in range(model.ngeom) if model.geom_bodyid[g] == body and model.geom(g).name]
    drawn = [g for g in named if re.sub(r"_\d+$", "", model.geom(g).name) in SHAPES]
    hard = [g for g in named if model.geom(g).name.endswith("_collision")]
    np.testing.assert_allclose(extents(model, hard), extents(model, drawn), atol=2.5)


def test_geoms_are_either_drawn_or_hard(model):
    for g in range(model.ngeom):
        hard = model.geom(g).name.endswith("_collision")
        assert model.geom_group[g] == (3 if hard else 2)
        assert bool(model.geom_contype[g]) == bool(model.geom_conaffinity[g]) == hard


def test_pads_grip(model):
    for side in ("left", "right"):
        pad = model.geom(f"finger_{side}_pad_collision")
        assert pad.type == mjtGeom.mjGEOM_BOX and pad.condim == 4 and pad.priority == 1
        np.testing.assert_allclose(pad.friction, [1.0, 0.02, 0.001])
        np.testing.assert_allclose(pad.solref, [0.002, 1.0])


def test_nothing_of_a_scene_comes_along(model):
    assert model.nlight == model.ncam == 0
    assert set(model.geom_bodyid) == set(range(1, model.nbody))  # the world itself has no geom


def test_arm_attaches_twice_to_one_scene():
    scene = mujoco.MjSpec()
    for prefix, y in (("r1/", -0.2), ("r2/", 0.2)):
        arm = mujoco.MjSpec.from_file(str(MODEL))
        scene.attach(arm, prefix=prefix, frame=scene.worldbody.add_frame(pos=[0, y, 0]))
    both = scene.compile()
    project_physics(both)
    data = mujoco.MjData(both)
    q = np.array([0.3, -0.5, 0.4, 0.2])
    for prefix, joint in product(("r1/", "r2/"), range(4)):
        data.joint(f"{prefix}{JOINTS[joint]}").qpos = q[joint]
        data.ctrl[both.actuator_ctrladr[both.actuator(f"{prefix}{JOINTS[joint]}").id]] = q[joint]
    mujoco.mj_forward(both, data)
    assert data.ncon == 0
    tool = CHAIN.forward(q)[:3, 3]
    for prefix, y in (("r1/", -0.2), ("r2/", 0.2)):
        np.testing.assert_allclose(data.site(f"{prefix}tool").xpos - tool, [0, y, 0], atol=1e-9)
    mujoco.mj_step(both, data, 500)
    np.testing.assert_allclose(data.joint("r2/joint2").qpos, q[1], atol=0.01)


# Kinematics and masses


def test_tool_is_where_the_chain_puts_it(model):
    data = mujoco.MjData(model)
    rng = np.random.default_rng(4)
    for q in rng.uniform(CHAIN.dh.lower, CHAIN.dh.upper, (200, 4)):
        data.qpos[:4] = q
        mujoco.mj_kinematics(model, data)
        T_base_tool = CHAIN.forward(q)
        np.testing.assert_allclose(data.site("tool").xpos, T_base_tool[:3, 3], atol=1e-9)
        np.testing.assert_allclose(
            data.site("tool").xmat.reshape(3, 3), T_base_tool[:3, :3], atol=1e-9
        )


def test_joint_limits_are_those_of_the_description(model):
    limits = np.array([model.joint(name).range for name in JOINTS])
    np.testing.assert_array_equal(limits, np.column_stack([CHAIN.dh.lower, CHAIN.dh.upper]))
    for name in FINGERS:
        np.testing.assert_array_equal(model.joint(name).range, [CLOSED, OPEN])


@pytest.mark.parametrize("grip", [CLOSED, 0.0, 0.0165, OPEN])
def test_pad_gap_follows_the_gripper(grip):
    bench = Bench(grip=grip)
    left = bench.data.geom("finger_left_pad_collision").xpos[1] - 0.00155
    right = bench.data.geom("finger_right_pad_collision").xpos[1] + 0.00155
    assert left - right == pytest.approx(0.042 + 2 * grip, abs=1e-9)
    site_gap = bench.data.site("finger_left_pad").xpos - bench.data.site("finger_right_pad").xpos
    np.testing.assert_allclose(site_gap, [0, left - right, 0], atol=1e-9)


def test_arm_weighs_what_its_parts_weigh(model):
    assert model.body("link1").subtreemass == pytest.approx(0.6565, abs=1e-4)  # U and LIB


def test_stretched_arm_asks_for_the_published_torques(model):
    data = mujoco.MjData(model)
    data.qpos[:4] = 0.0, PHI, -PHI, 0.0  # beyond joint3's limit: a matter of statics only
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(-data.qfrc_bias[1:4], [1.06, 0.49, 0.12], rtol=0.02)


# Self-collision


@pytest.mark.parametrize("grip", [CLOSED, 0.0, OPEN])
@pytest.mark.parametrize("posture", ["zero", "home", "home_gui", "stretched"])
def test_ordinary_postures_touch_nothing(posture, grip):
    assert Bench(CHAIN.postures[posture], grip).touching() == set()


@pytest.mark.parametrize(
    ("posture", "pair"),
    [
        ((0.0, 0.81, 0.9, 1.12), ("link1", "gripper_left_link")),
        ((0.0, 0.0, 1.3, 1.2), ("link2", "link5")),
        ((0.0, -0.16, 1.12, 1.79), ("link3", "gripper_left_link")),
    ],
)
def test_hand_driven_into_the_arm_touches_it(posture, pair):
    assert np.all((CHAIN.dh.lower <= posture) & (posture <= CHAIN.dh.upper))
    assert pair in Bench(posture).touching()


def test_arm_pressing_on_itself_stays_calm():
    bench = Bench(CHAIN.postures["home"])
    bench.command((0.0, 0.0, 1.38, 2.04))
    bench.rest(4.0)
    assert bench.touching()
    assert min(contact.dist for contact in bench.data.contact) > -0.001
    assert max(abs(data.qvel).max() for data in bench.run(0.5)) < 0.01


# Servos


@pytest.mark.parametrize("jump", [0.5, -0.5])
@pytest.mark.parametrize("joint", range(4))
def test_jump_of_half_a_radian_settles_within_the_servo_limits(joint, jump):
    start = (0.0, -1.0, 0.8, 0.0)
    bench = Bench(start)
    bench.rest(1.0)
    goal = np.array(start)
    goal[joint] += jump
    bench.command(goal)
    speed = torque = 0.0
    for data in bench.run(1.5):
        speed = max(speed, abs(data.qvel[joint]))
        torque = max(torque, abs(data.actuator_force[:4]).max())
    assert speed < 4.9 and torque <= 4.1 + 1e-9
    for _ in bench.run(0.5):
        np.testing.assert_allclose(bench.q, goal, atol=0.01)


@pytest.mark.parametrize("joint", range(4))
def test_smooth_move_overshoots_by_a_few_percent(joint):
    start, move, duration = np.array([0.0, 0.9, -0.4, 0.0]), -0.5, 0.6
    bench = Bench(start)
    bench.rest(1.0)
    goal, beyond = start, 0.0
    for step, _ in enumerate(bench.run(duration + 1.0)):
        s = min(1.0, step * 0.002 / duration)
        goal = start.copy()
        goal[joint] += move * s**3 * (10 - 15 * s + 6 * s**2)
        bench.command(goal)
        speed = move / duration * 30 * s**2 * (1 - s) ** 2
        bench.data.ctrl[bench.inputs[joint] + 1] = speed
        beyond = max(beyond, (bench.q[joint] - start[joint] - move) / move)
    assert beyond < 0.05
    np.testing.assert_allclose(bench.q, goal, atol=0.005)


def test_sag_under_gravity_dies_out_in_half_a_second():
    low = (0.0, 0.9, -0.4, -0.5)
    bench = Bench(low)
    sag = [abs(bench.q - low).max() for _ in bench.run(1.0)]
    assert max(sag) < 0.05 and sag[249] < 0.012 and sag[-1] < 0.002


@pytest.mark.parametrize("posture", ["zero", "home", "home_gui"])
def test_arm_at_rest_does_not_vibrate(posture):
    bench = Bench(CHAIN.postures[posture])
    bench.rest(4.0)
    speeds = np.array([data.qvel[:4].copy() for data in bench.run(1.0)])
    assert np.sqrt((speeds**2).mean(axis=0)).max() < 1e-3
    np.testing.assert_allclose(bench.q, CHAIN.postures[posture], atol=1e-3)


def test_fingers_move_together_at_the_gripper_speed():
    bench = Bench(grip=CLOSED)
    bench.command(np.zeros(4), OPEN)
    parted = fastest = 0.0
    for data in bench.run(1.0):
        parted = max(parted, abs(data.qpos[4] - data.qpos[5]))
        fastest = max(fastest, abs(data.qvel[4]))
    assert parted < 1e-6 and fastest == pytest.approx(0.055, rel=0.05)
    np.testing.assert_allclose(bench.data.qpos[4:], OPEN, atol=1e-5)


def test_grip_is_thirty_newtons_per_finger():
    scene = mujoco.MjSpec.from_file(str(MODEL))
    block = scene.worldbody.add_body(pos=[0.286, 0.003, 0.2045])  # 3 mm off the middle
    block.add_freejoint()
    block.add_geom(type=mjtGeom.mjGEOM_BOX, size=[0.015, 0.015, 0.015], mass=0.05)
    model = scene.compile()
    project_physics(model)
    data = mujoco.MjData(model)
    model.opt.gravity[:] = 0.0
    data.ctrl[model.actuator_ctrladr[4]] = CLOSED
    mujoco.mj_step(model, data, 500)
    mujoco.mj_forward(model, data)
    force = np.zeros(6)
    squeeze = dict.fromkeys(("finger_left_pad_collision", "finger_right_pad_collision"), 0.0)
    for number, contact in enumerate(data.contact):
        mujoco.mj_contactForce(model, data, number, force)
        squeeze[(model.geom(contact.geom1).name or model.geom(contact.geom2).name)] += force[0]
    np.testing.assert_allclose(list(squeeze.values()), 30.0, rtol=0.02)
    assert abs(data.joint("gripper").qpos - data.joint("gripper_sub").qpos) < 2e-4


# Operating modes: the gains are rewritten in the running model


def test_torque_mode_delivers_the_torque_asked_for():
    bench = Bench()
    bench.model.actuator_gainprm[:4, [KP, KI, KD]] = 0.0, OFF, 0.0
    for asked, given in ((0.5, 0.5), (-1.2, -1.2), (9.0, 4.1)):
        bench.data.ctrl[bench.inputs[0] + 2] = asked
        mujoco.mj_forward(bench.model, bench.data)
        assert bench.data.actuator_force[0] == pytest.approx(given)


def test_velocity_mode_turns_at_the_speed_asked_for():
    bench = Bench()
    bench.model.actuator_gainprm[0, [KP, KI, KD]] = 0.0, OFF, 20.0
    bench.data.ctrl[bench.inputs[0] + 1] = 1.0
    bench.rest(1.0)
    assert bench.data.qvel[0] == pytest.approx(1.0, abs=0.005)


def test_impedance_mode_is_a_spring():
    bench = Bench()
    bench.model.actuator_gainprm[:4, [KP, KI, KD]] = 5.0, OFF, 0.8
    bench.rest(4.0)
    mujoco.mj_forward(bench.model, bench.data)
    np.testing.assert_allclose(bench.data.actuator_force[:4], -5.0 * bench.q, atol=1e-3)
    assert bench.q[1] > 0.1


def test_each_joint_has_the_actuator_of_its_name(model):
    for name in (*JOINTS, "gripper"):
        joint = model.actuator(name).trnid[0]
        assert mujoco.mj_id2name(model, mjtObj.mjOBJ_JOINT, joint) == name
