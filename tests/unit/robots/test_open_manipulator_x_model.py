"""The arm's MuJoCo model against its sources: shapes, kinematics, masses, servos.

Every run uses the project's physics settings, not the engine's: see `project_physics`.
"""

import re
from collections.abc import Iterator
from itertools import product

import mujoco
import numpy as np
import pytest
from mujoco import mjtCone, mjtGeom, mjtIntegrator, mjtSolver

from mecano import robots
from mecano.checkup.sheet_checks import extents_mm
from mecano.robots.open_manipulator_x.datasheet import EXTENTS_MM
from mecano.robots.open_manipulator_x.description import PHI

ARM = robots.get("open_manipulator_x")
CHAIN = ARM.chain()
MODEL = ARM.folder / "model.xml"
JOINTS = ("joint1", "joint2", "joint3", "joint4")
FINGERS = ("gripper", "gripper_sub")
OPEN, CLOSED = 0.019, -0.010

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


# Shape and structure


@pytest.mark.parametrize("link", ["link1", "link2", "link3", "link4", "link5", *BODY_OF.values()])
def test_what_collides_covers_what_is_drawn(model, link):
    body = model.body(link).id
    named = [g for g in range(model.ngeom) if model.geom_bodyid[g] == body and model.geom(g).name]
    drawn = [g for g in named if re.sub(r"_\d+$", "", model.geom(g).name) in EXTENTS_MM]
    hard = [g for g in named if model.geom(g).name.endswith("_collision")]
    np.testing.assert_allclose(extents_mm(model, hard), extents_mm(model, drawn), atol=2.5)


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


def test_stretched_arm_asks_for_the_published_torques(model):
    data = mujoco.MjData(model)
    data.qpos[:4] = 0.0, PHI, -PHI, 0.0  # beyond joint3's limit: a matter of statics only
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(-data.qfrc_bias[1:4], [1.06, 0.49, 0.12], rtol=0.02)


# Self-collision


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
