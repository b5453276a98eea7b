"""MADAR's MuJoCo models against the fact sheet: shapes, masses, rest, drive, arms, hands.

Every run uses the project's physics settings and the assembly that puts robots into worlds.
"""

from functools import cache

import mujoco
import numpy as np
import pytest
from body_helpers import geoms_named
from mujoco import mjtGeom

from mecano import robots
from mecano.actuators.servos import Servos
from mecano.actuators.wheels import Wheels
from mecano.core.devices import Mode
from mecano.robots.madar.description import BASE, CHAINS, DESCRIPTION, HANDS
from mecano.robots.ur5.description import LIMITS
from mecano.sensors.wheel_angles import WheelAngles
from mecano.world.assembly import Placement, assemble
from mecano.world.world import World

FOLDERS = {name: robots.get(name).folder for name in ("madar", "ur5", "allegro")}
PREFIX = "madar/"
VARIANTS = ("madar", "madar_elements", "madar_kinematic", "madar_base")
SIDES = ("right", "left")
both_sides = pytest.mark.parametrize("side", SIDES)


@cache
def world(name: str) -> World:
    """A world with a robot; whoever uses it sets it back first."""
    return World(assemble([Placement(robot=robots.get(name), prefix=PREFIX)]))


@cache
def compiled(name: str) -> mujoco.MjModel:
    """A robot in the empty scene; nobody may change it."""
    return world(name).model


def place(model: mujoco.MjModel, data: mujoco.MjData, values: dict[str, float]) -> None:
    """Put joints to values and tell their motors to hold them."""
    for joint, value in values.items():
        data.joint(PREFIX + joint).qpos = value
        data.ctrl[model.actuator_ctrladr[model.actuator(PREFIX + joint).id]] = value


def posture(arms: str = "home", hands: str = "flat") -> dict[str, float]:
    values: dict[str, float] = {}
    for chain in CHAINS.values():
        values |= dict(zip(chain.joint_names, chain.postures[arms], strict=True))
    for facts in HANDS.values():
        values |= dict(zip(facts.joints, facts.postures[hands], strict=True))
    return values


class Bench:
    """MADAR in the empty scene."""

    def __init__(self, name: str = "madar", arms: str = "home", hands: str = "flat") -> None:
        self.robot = robots.get(name)
        self.world = world(name)
        self.world.reset()
        self.world.after_step.clear()
        self.model, self.data = self.world.model, self.world.data
        if self.robot.chains:
            place(self.model, self.data, posture(arms, hands))
        mujoco.mj_forward(self.model, self.data)
        self.angles = WheelAngles(self.world, BASE.layout.names, prefix=PREFIX)
        self.wheels = Wheels(self.world, BASE.layout.names, prefix=PREFIX)
        if self.robot.feeds_weight:
            self.feed_weight()

    def feed_weight(self) -> None:
        for joint in self.robot.servos:
            address = self.model.actuator_ctrladr[self.model.actuator(PREFIX + joint).id]
            dof = self.model.joint(PREFIX + joint).dofadr[0]
            self.data.ctrl[address + 2] = self.data.qfrc_bias[dof]

    def q(self, names) -> np.ndarray:
        return np.array([self.data.joint(PREFIX + name).qpos[0] for name in names])

    @property
    def base(self) -> np.ndarray:
        """Pose of base_footprint in the world. Shape (4, 4)."""
        mujoco.mj_kinematics(self.model, self.data)
        body = self.data.body(PREFIX + "base_footprint")
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = body.xmat.reshape(3, 3), body.xpos
        return T

    def drive(self, twist, *, ramp: float = 0.5, seconds: float = 2.0):
        """Drive by a twist; return where it went and where it should be: x, y, yaw."""
        self.world.step(50)
        before, step = self.base, self.world.timestep
        asked = np.zeros(3)
        for k in range(round(seconds / step)):
            now = np.array(twist) * min(1.0, (k + 1) * step / ramp)
            self.wheels.command(BASE.layout.rates(now))
            self.world.step()
            middle = asked[2] + 0.5 * step * now[2]
            c, s = np.cos(middle), np.sin(middle)
            asked += step * np.array([c * now[0] - s * now[1], s * now[0] + c * now[1], now[2]])
        moved = np.linalg.inv(before) @ self.base
        yaw = np.arctan2(moved[1, 0], moved[0, 0])
        return np.array([moved[0, 3], moved[1, 3], yaw]), asked

    def touching(self) -> set[tuple[str, str]]:
        """Pairs of the robot's bodies in contact."""
        bodies = self.model.geom_bodyid
        pairs = (sorted((bodies[c.geom1], bodies[c.geom2])) for c in self.data.contact)
        return {(self.model.body(a).name, self.model.body(b).name) for a, b in pairs if a > 0}


# Shape and structure


def test_elements_make_a_ball():
    model = compiled("madar_elements")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    middle = data.body(PREFIX + "wheel_1_link").xpos
    far = []
    for geom in geoms_named(model, PREFIX + ".*_1_collision"):
        if model.geom_type[geom] != mjtGeom.mjGEOM_MESH:
            continue
        mesh = model.geom_dataid[geom]
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        points = model.mesh_vert[first : first + count] @ data.geom_xmat[geom].reshape(3, 3).T
        far.append(np.linalg.norm(points + data.geom_xpos[geom] - middle, axis=1).max())
    assert len(far) == 6
    np.testing.assert_allclose(far, 0.1, atol=1e-5)


@pytest.mark.parametrize("name", VARIANTS)
def test_wheels_stand_where_the_sheet_has_them(name):
    model = compiled(name)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    expected = [(-0.2905, 0, 0.1), (0.14525, -0.25158, 0.1), (0.14525, 0.25158, 0.1)]
    for number, place_ in enumerate(expected, start=1):
        wheel = data.body(f"{PREFIX}wheel_{number}_link")
        np.testing.assert_allclose(wheel.xpos, place_, atol=1e-5)
        outwards = np.array(place_) * (1, 1, 0) / 0.2905
        np.testing.assert_allclose(wheel.xmat.reshape(3, 3)[:, 0], outwards, atol=1e-4)


@pytest.mark.parametrize("facts", DESCRIPTION.cameras, ids=lambda facts: facts.name)
def test_cameras_look_at_a_table_before_the_robot(facts):
    model = compiled("madar")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = data.cam(PREFIX + facts.camera)
    assert 1.3 < camera.xpos[2] < 1.5  # at the height of the shoulders
    along = -camera.xmat.reshape(3, 3)[:, 2]
    point = camera.xpos + along * (camera.xpos[2] - 0.765) / -along[2]
    assert 0.6 < point[0] < 1.0 and abs(point[1]) < 0.2


def test_arms_and_hands_keep_what_their_own_files_say():
    whole = compiled("madar")
    for part, model in (("ur5", "model.xml"), ("allegro", "right.xml")):
        alone = mujoco.MjModel.from_xml_path(str(FOLDERS[part] / model))
        for number in range(alone.njnt):
            joint = alone.joint(number)
            for side in SIDES:
                same = whole.joint(f"{PREFIX}{side}_{joint.name}")
                for field in ("range", "damping", "frictionloss", "armature"):
                    np.testing.assert_array_equal(getattr(same, field), getattr(joint, field))
                motor = whole.actuator(f"{PREFIX}{side}_{joint.name}")
                np.testing.assert_allclose(motor.gainprm, alone.actuator(joint.name).gainprm)


def test_only_what_overlaps_for_good_is_excluded():
    model = compiled("madar")
    found = set()
    for signature in model.exclude_signature:
        one, other = (model.body(int(b)).name for b in (signature >> 16, signature & 0xFFFF))
        found.add(tuple(sorted(n.removeprefix(PREFIX) for n in (one, other))))
    expected = set()
    for side in SIDES:
        expected |= {("chassis", f"{side}_shoulder_link")}
        pairs = [("base_link", "shoulder_link"), ("base_link", "upper_arm_link")]
        for first in (0, 4, 8, 12):
            names = ["base_hand_link", *(f"link_{first + k}" for k in range(4))]
            names.append(f"link_{first + 3}_tip")
            pairs += [(names[0], names[1]), *zip(names, names[2:], strict=False)]
        expected |= {tuple(sorted((f"{side}_{a}", f"{side}_{b}"))) for a, b in pairs}
    assert found == expected


def test_arms_can_go_straight_from_home_to_carry():
    model = compiled("madar")
    data = mujoco.MjData(model)
    home, carry = posture("home"), posture("carry")
    for share in np.linspace(0, 1, 60):
        place(model, data, {j: (1 - share) * home[j] + share * carry[j] for j in home})
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        names = [(model.geom(c.geom1).name, model.geom(c.geom2).name) for c in data.contact]
        assert [pair for pair in names if "floor" not in pair] == []


def test_arms_that_cross_touch_each_other():
    model = compiled("madar")
    data = mujoco.MjData(model)
    values = posture("carry")
    values["right_shoulder_pan_joint"] -= 0.7
    values["left_shoulder_pan_joint"] += 0.7
    place(model, data, values)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_collision(model, data)
    pairs = {
        frozenset(
            model.body(model.geom_bodyid[g]).name.split("/")[-1].split("_")[0] for g in c.geom
        )
        for c in data.contact
    }
    assert frozenset({"left", "right"}) in pairs


def test_tool_is_on_the_palms_face_with_x_along_the_fingers():
    model = compiled("madar")
    data = mujoco.MjData(model)
    place(model, data, posture("carry"))
    mujoco.mj_kinematics(model, data)
    for side, thumb_side in (("right", 1), ("left", -1)):
        hand = data.body(f"{PREFIX}{side}_base_hand_link")
        frame = hand.xmat.reshape(3, 3)
        tool = data.site(f"{PREFIX}{side}_tool")
        np.testing.assert_allclose(frame.T @ (tool.xpos - hand.xpos), [0.0111, 0, 0], atol=1e-9)
        axes = tool.xmat.reshape(3, 3)
        np.testing.assert_allclose(axes[:, 0], frame[:, 2], atol=1e-9)
        np.testing.assert_allclose(axes[:, 2], thumb_side * frame[:, 1], atol=1e-9)
        assert data.site(f"{PREFIX}{side}_thumb_tip").xpos[2] > tool.xpos[2]


@both_sides
def test_fingers_close_towards_the_palms_face(side):
    model = compiled("madar")
    data = mujoco.MjData(model)
    hand = f"{PREFIX}{side}_base_hand_link"
    out = {}
    for name in ("flat", "power"):
        place(model, data, posture("carry", name))
        mujoco.mj_kinematics(model, data)
        frame = data.body(hand)
        tip = data.site(f"{PREFIX}{side}_middle_tip").xpos - frame.xpos
        out[name] = frame.xmat.reshape(3, 3).T @ tip
    assert out["power"][0] > out["flat"][0] + 0.03
    assert out["power"][2] < out["flat"][2] - 0.05


def test_pinch_brings_index_and_thumb_together():
    model = compiled("madar")
    data = mujoco.MjData(model)
    place(model, data, posture("carry", "pinch"))
    mujoco.mj_kinematics(model, data)
    for side in SIDES:
        tips = [data.site(f"{PREFIX}{side}_{finger}_tip").xpos for finger in ("index", "thumb")]
        assert np.linalg.norm(tips[0] - tips[1]) == pytest.approx(0.026, abs=0.001)


def test_meshes_are_small():
    sizes = [f.stat().st_size for d in FOLDERS.values() for f in (d / "assets").glob("*.obj")]
    assert sum(sizes) < 300_000


# Rest and drive


# Sheet, section 2: (0, 0.3, 0) and (0.2, 0.2, 0) ask for more than 2.618 rad/s of a wheel.
TWISTS = ((0.3, 0, 0), (0, 0.25, 0), (0.15, 0.15, 0), (0, 0, 0.5), (0.2, -0.1, 0.3))


@pytest.mark.parametrize("twist", TWISTS)
def test_balls_drive_as_asked(twist):
    moved, asked = Bench().drive(twist)
    np.testing.assert_allclose(moved[:2], asked[:2], atol=0.006)
    assert moved[2] == pytest.approx(asked[2], abs=np.radians(0.3))


@pytest.mark.parametrize("twist", TWISTS)
def test_base_alone_drives_as_asked(twist):
    moved, asked = Bench("madar_base").drive(twist)
    np.testing.assert_allclose(moved[:2], asked[:2], atol=0.005)
    assert moved[2] == pytest.approx(asked[2], abs=np.radians(0.2))


@pytest.mark.parametrize("twist", [(0.3, 0, 0), (0.2, -0.1, 0.3)])
def test_elements_drive_nearly_as_asked(twist):
    moved, asked = Bench("madar_elements").drive(twist)
    np.testing.assert_allclose(moved[:2], asked[:2], atol=0.02)
    assert moved[2] == pytest.approx(asked[2], abs=np.radians(1.0))


@pytest.mark.parametrize("twist", TWISTS)
def test_kinematic_base_goes_exactly_as_its_wheels_say(twist):
    bench = Bench("madar_kinematic")
    before = np.array(bench.angles.read())
    moved, asked = bench.drive(twist)
    # The engine turns its step by the heading at its beginning: half a step of turn.
    np.testing.assert_allclose(moved[:2], asked[:2], atol=2e-6 + 4e-4 * abs(twist[2]))
    assert moved[2] == pytest.approx(asked[2], abs=2e-6)
    assert abs(bench.base[2, 3]) < 1e-6 and bench.data.ncon == 0
    if not twist[2]:
        turned = np.array(bench.angles.read()) - before
        np.testing.assert_allclose(BASE.layout.twist(turned)[:2], moved[:2], atol=2e-3)


def test_kinematic_robot_stays_level_while_its_arms_move():
    bench = Bench("madar_kinematic")
    goal = posture("carry")
    for joint, value in goal.items():
        address = bench.model.actuator_ctrladr[bench.model.actuator(PREFIX + joint).id]
        bench.data.ctrl[address] = value
    bench.world.step(500)
    assert abs(bench.base - np.eye(4)).max() < 1e-4
    arms = [joint for chain in CHAINS.values() for joint in chain.joint_names]
    np.testing.assert_allclose(bench.q(arms), [goal[joint] for joint in arms], atol=0.01)


def test_odometry_of_the_wheels_agrees_with_the_way():
    bench = Bench()
    before = np.array(bench.angles.read())
    moved, _ = bench.drive([0.15, -0.15, 0.0])
    counted = BASE.layout.twist(np.array(bench.angles.read()) - before)
    np.testing.assert_allclose(counted[:2], moved[:2], atol=2e-3)


# Arms and hands


def test_arms_follow_a_smooth_move():
    bench = Bench(arms="home")
    joints = [joint for chain in CHAINS.values() for joint in chain.joint_names]
    servos = Servos(bench.world, joints, prefix=PREFIX)
    start = bench.q(joints)
    goal = np.concatenate([chain.postures["ready"] for chain in CHAINS.values()])
    duration = 1.9 * abs(goal - start).max() / LIMITS.velocity
    dofs = [bench.model.joint(PREFIX + joint).dofadr[0] for joint in joints]
    worst = 0.0
    for step in range(round((duration + 0.3) / 0.008)):
        s = min(1.0, step * 0.008 / duration)
        shape, rate = s**3 * (10 - 15 * s + 6 * s**2), 30 * s**2 * (1 - s) ** 2 / duration
        asked = start + shape * (goal - start)
        servos.command(asked, rate * (goal - start), bench.data.qfrc_bias[dofs])
        bench.world.step(4)
        worst = max(worst, abs(bench.q(joints) - asked).max())
        assert bench.touching() == set()
    assert worst < 0.02
    np.testing.assert_allclose(bench.q(joints), goal, atol=2e-3)


@pytest.mark.parametrize("mode", [Mode.VELOCITY, Mode.TORQUE, Mode.IMPEDANCE])
def test_servos_of_the_arms_know_every_mode(mode):
    bench = Bench(arms="ready")
    joints = CHAINS["right"].joint_names
    servos = Servos(bench.world, joints, prefix=PREFIX, velocity_gain=200.0)
    dofs = [bench.model.joint(PREFIX + joint).dofadr[0] for joint in joints]
    before = bench.q(joints)
    more = {"stiffness": np.full(6, 300.0), "damping": np.full(6, 30.0)}
    servos.set_mode(mode, **(more if mode is Mode.IMPEDANCE else {}))
    velocity = np.full(6, 0.2)
    for _ in range(50):
        weight = bench.data.qfrc_bias[dofs]
        servos.command(before, velocity if mode is Mode.VELOCITY else None, weight)
        bench.world.step(4)
    moved = bench.q(joints) - before
    expected = 0.08 if mode is Mode.VELOCITY else 0.0
    np.testing.assert_allclose(moved, expected, atol=0.03)


def test_motors_give_no_more_than_the_sheets_torque():
    bench = Bench(arms="ready")
    joints = list(DESCRIPTION.servos)
    motors = [bench.model.actuator(PREFIX + joint).id for joint in joints]
    for joint in joints:
        address = bench.model.actuator_ctrladr[bench.model.actuator(PREFIX + joint).id]
        bench.data.ctrl[address] += 0.4
    most = np.zeros(len(joints))
    for _ in range(40):
        bench.world.step()
        most = np.maximum(most, abs(bench.data.actuator_force[motors]))
    limits = [DESCRIPTION.servos[joint].torque for joint in joints]
    assert (most <= np.array(limits) * (1 + 1e-9)).all() and most.max() == pytest.approx(150.0)


@pytest.mark.parametrize("goal", ["open", "home", "power", "pinch"])
def test_hands_reach_their_postures(goal):
    bench = Bench(arms="ready")
    for facts in HANDS.values():
        for joint, value in zip(facts.joints, facts.postures[goal], strict=True):
            address = bench.model.actuator_ctrladr[bench.model.actuator(PREFIX + joint).id]
            bench.data.ctrl[address] = value
    bench.world.step(500)
    for facts in HANDS.values():  # friction holds a joint within friction / gain: 0.0675 / 3
        error = abs(bench.q(facts.joints) - facts.postures[goal]).max()
        assert error < 0.07, f"{facts.name}: {error:.3f} rad"
