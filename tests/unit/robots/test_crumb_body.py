"""CRUMB's MuJoCo model against its sources: shapes, masses, rest, drive, bumpers, grip.

Every run uses the project's physics settings. The free joint, which a world adds, is added here.
"""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from body_helpers import geoms_named, touching
from mujoco import mjtGeom

import mecano.robots
from mecano.checkup.sheet_checks import corners
from mecano.robots.widowx.hand import GRIPPER
from mecano.world.physics import PhysicsSettings

ROBOTS = Path(mecano.robots.__path__[0])
CRUMB, MAST = ROBOTS / "crumb" / "model.xml", ROBOTS / "crumb" / "model_mast.xml"
KOBUKI, WIDOWX = ROBOTS / "kobuki" / "model.xml", ROBOTS / "widowx" / "model.xml"
JOINTS = tuple(f"arm_{number}_joint" for number in range(1, 6))
FINGERS = ("gripper_1_joint", "gripper_2_joint")
WHEELS = ("wheel_left_joint", "wheel_right_joint")
WHEEL_RADIUS, WHEEL_SEPARATION = 0.035, 0.230
BETA = np.arctan2(0.14203, 0.04825)
POSTURES = {
    "zero": (0.0, 0.0, 0.0, 0.0, 0.0),
    "home": (0.0, -1.2603, -1.0876, 0.0, 0.0),
    "pick_down": (0.0, 0.4, 0.4, -1.5708, 0.0),
    "lift": (0.0, 0.4, 0.6, 0.0, 0.0),
    "look": (-1.57, 0.0, 0.0, 0.0, 0.0),
    "stretched": (0.0, BETA, BETA, 0.0, 0.0),
}
STEP = PhysicsSettings().timestep


# Length, then where the middle of each pole is in base_link [m].
POLES = {
    "bottom": (
        0.0492,
        [
            (x, side * y, 0.1028)
            for x, y in ((0.12, 0.082), (0.055, 0.12), (-0.055, 0.12))
            for side in (1, -1)
        ],
    ),
    "middle": (0.0608, [(x, y, 0.1640) for x in (0.0381, -0.0381) for y in (0.1505, -0.1505)]),
    "top": (0.2032, [(x, y, 0.2920) for x in (0.0381, -0.0381) for y in (0.1505, -0.1505)]),
    "kinect": (0.0936, [(-0.1024, y, 0.2372) for y in (0.098, -0.098)]),
}


class Bench:
    """CRUMB on a floor, with commands by name."""

    def __init__(
        self, posture=POSTURES["zero"], *, grip: float = 0.0, drop: float = 0.001, wall=None
    ) -> None:
        scene = mujoco.MjSpec()
        floor = scene.worldbody.add_geom(type=mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1], name="floor")
        floor.solref[:] = 0.004, 1
        if wall is not None:
            scene.worldbody.add_geom(
                type=mjtGeom.mjGEOM_BOX, size=[0.05, 0.3, 0.2], name="wall", solref=[0.004, 1],
                pos=[0.25 * np.cos(wall), 0.25 * np.sin(wall), 0.2],
                quat=[np.cos(wall / 2), 0, 0, np.sin(wall / 2)],
            )  # fmt: skip
        robot = mujoco.MjSpec.from_file(str(CRUMB))
        scene.attach(robot, prefix="r/", frame=scene.worldbody.add_frame())
        scene.body("r/base_footprint").add_freejoint()
        PhysicsSettings().apply(scene.option)
        self.model = scene.compile()
        self.data = mujoco.MjData(self.model)
        self.data.qpos[2] = drop
        for name, value in zip((*JOINTS, *FINGERS), (*posture, grip, grip), strict=True):
            self.data.joint(f"r/{name}").qpos = value
        for name, value in zip(JOINTS, posture, strict=True):
            self.command(name, value)
        self.command(FINGERS[0], grip)
        gripper = self.model.actuator(f"r/{FINGERS[0]}").id
        self.data.act[self.model.actuator_actadr[gripper]] = grip
        mujoco.mj_forward(self.model, self.data)

    def command(self, name: str, value: float) -> None:
        actuator = self.model.actuator(f"r/{name}").id
        self.data.ctrl[self.model.actuator_ctrladr[actuator]] = value

    def rest(self, seconds: float) -> None:
        mujoco.mj_step(self.model, self.data, round(seconds / STEP))
        mujoco.mj_forward(self.model, self.data)

    def q(self, *names: str) -> np.ndarray:
        return np.array([self.data.joint(f"r/{name}").qpos[0] for name in names])

    @property
    def tool(self) -> np.ndarray:
        return self.data.site("r/tool").xpos.copy()

    @property
    def heading(self) -> float:
        frame = self.data.body("r/base_footprint").xmat
        return float(np.arctan2(frame[3], frame[0]))

    def touching(self) -> set[tuple[str, str]]:
        return touching(self.model, self.data)

    def touching_wall(self) -> set[str]:
        geoms = self.model.geom
        pairs = ({geoms(c.geom1).name, geoms(c.geom2).name} for c in self.data.contact)
        return {name for pair in pairs if "wall" in pair for name in pair - {"wall"}}


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(CRUMB))


# Shape and structure


@pytest.mark.parametrize("level", POLES)
@pytest.mark.parametrize("kind", ["", "_collision"])
def test_poles_stand_where_the_sheet_has_them(model, level, kind):
    length, places = POLES[level]
    geoms = geoms_named(model, rf"pole_{level}_\d{kind}")
    assert len(geoms) == len(places)
    found = sorted(tuple(model.geom_pos[g]) for g in geoms)
    np.testing.assert_allclose(found, sorted(places), atol=1e-9)
    for g in geoms:
        np.testing.assert_allclose(model.geom_size[g][:2], [0.006, length / 2], atol=1e-9)


def test_open_hand_has_the_gap_of_the_paper():
    assert GRIPPER.width(GRIPPER.open) == pytest.approx(0.0412)


def test_pads_grip(model):
    for number in (1, 2):
        pad = model.geom(f"gripper_{number}_pad_collision")
        assert pad.type == mjtGeom.mjGEOM_BOX and pad.condim == 4 and pad.priority == 1
        np.testing.assert_allclose(pad.friction, [1.0, 0.02, 0.001])
        np.testing.assert_allclose(pad.solref, [0.002, 1.0])
        np.testing.assert_allclose(2 * pad.size[[0, 2]], [0.034, 0.028])


def test_cameras_of_the_kinect_see_43_degrees_high(model):
    assert model.camera("camera_rgb").fovy == model.camera("camera_depth").fovy == 43.0


def test_mast_camera_looks_at_the_tables():
    model = mujoco.MjModel.from_xml_path(str(MAST))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = data.camera("camera_mast")
    np.testing.assert_allclose(camera.xpos, [-0.14, 0.085, 1.10], atol=1e-9)
    line = np.array([0.13, 0.13, 0.45]) - camera.xpos
    right, up, back = camera.xmat.reshape(3, 3).T
    np.testing.assert_allclose(-back, line / np.linalg.norm(line), atol=1e-5)
    assert abs(right[2]) < 1e-6 and up[2] > 0
    assert model.nbody == mujoco.MjModel.from_xml_path(str(CRUMB)).nbody + 2


def test_bumpers_lie_on_the_outline(model):
    for name, start in (("left", 30.0), ("center", -30.0), ("right", -90.0)):
        points = corners(model, model.geom(f"bumper_{name}").id)
        distance = np.hypot(points[:, 0], points[:, 1])
        rim = points[distance > 0.17]
        middles = np.diff(rim[np.argsort(np.arctan2(rim[:, 1], rim[:, 0]))][::2], axis=0)
        assert abs(distance[distance > 0.17] - 0.178).max() < 1e-3
        assert np.linalg.norm(middles, axis=1).max() < 0.013  # facets: the sagitta is 0.1 mm
        angles = np.degrees(np.arctan2(rim[:, 1], rim[:, 0]))
        np.testing.assert_allclose([angles.min(), angles.max()], [start, start + 60], atol=0.01)


# Masses


def test_stretched_arm_asks_for_the_published_torques():
    model = mujoco.MjModel.from_xml_path(str(WIDOWX))
    data = mujoco.MjData(model)
    data.qpos[:5] = POSTURES["stretched"]
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(abs(data.qfrc_bias[1:4]), [0.90, 0.38, 0.10], rtol=0.02)


# Self-collision


@pytest.mark.parametrize(
    ("posture", "pair"),
    [
        ((0.0, 1.5, 0.0, -0.3, 0.0), ("plate_top_link", "forearm_link")),
        ((0.0, 0.0, -1.571, 0.0, 0.0), ("plate_top_link", "gripper_1_link")),
        ((0.7, -0.72, -1.44, -1.69, 1.64), ("arm_base_link", "gripper_rail_link")),
        ((-1.2, 1.1, -0.72, 0.61, 0.36), ("poles_link", "wrist_2_link")),
    ],
)
def test_arm_driven_into_the_robot_touches_it(posture, pair):
    assert pair in Bench(posture).touching()


def test_neighbours_never_touch(model):
    neighbours = {
        ("arm_base_link", "shoulder_link"), ("shoulder_link", "biceps_link"),
        ("biceps_link", "forearm_link"), ("forearm_link", "wrist_1_link"),
        ("wrist_1_link", "wrist_2_link"), ("gripper_1_link", "gripper_2_link"),
    }  # fmt: skip
    data = mujoco.MjData(model)
    address = [model.joint(name).qposadr[0] for name in JOINTS]
    limits = np.array([model.joint(name).range for name in JOINTS])
    for q in np.random.default_rng(3).uniform(limits[:, 0], limits[:, 1], (200, 5)):
        data.qpos[address] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        assert not touching(model, data) & neighbours


def test_arm_pressing_on_the_plate_stays_calm():
    bench = Bench((0.0, 0.9, -0.3, 0.0, 0.0))
    for name, value in zip(JOINTS, (0.0, 1.4, -0.2, 0.0, 0.0), strict=True):
        bench.command(name, value)
    bench.rest(4.0)
    assert any("plate_top_link" in pair for pair in bench.touching())
    assert min(contact.dist for contact in bench.data.contact) > -0.001
    assert abs(bench.data.qvel).max() < 0.01


# Rest, drive, bumpers


def drive(left: float, right: float) -> tuple[float, float, float, float]:
    """Ramp up in 0.5 s, drive until 5 s, ramp down.

    Returns what the wheels miss of the truth [m, rad], and how far the base went [m, rad].
    """
    bench = Bench(drop=0.0)
    bench.rest(0.5)
    x, y = bench.data.qpos[:2]
    start, heading, turned = (x, y), bench.heading, 0.0
    believed, before, last = heading, bench.q(*WHEELS), heading
    for step in range(round(6.0 / STEP)):
        share = np.clip(min(step * STEP / 0.5, (5.5 - step * STEP) / 0.5), 0.0, 1.0)
        for name, rate in zip(WHEELS, (left, right), strict=True):
            bench.command(name, share * rate)
        mujoco.mj_step(bench.model, bench.data)
        now = bench.q(*WHEELS)
        way_left, way_right = WHEEL_RADIUS * (now - before)
        before = now
        turn = (way_right - way_left) / WHEEL_SEPARATION
        x += 0.5 * (way_left + way_right) * np.cos(believed + 0.5 * turn)
        y += 0.5 * (way_left + way_right) * np.sin(believed + 0.5 * turn)
        believed += turn
        turned += (bench.heading - last + np.pi) % (2 * np.pi) - np.pi
        last = bench.heading
    mujoco.mj_forward(bench.model, bench.data)
    turned += (bench.heading - last + np.pi) % (2 * np.pi) - np.pi
    truth = bench.data.qpos[:2]
    missed = float(np.hypot(x - truth[0], y - truth[1]))
    gone = float(np.hypot(truth[0] - start[0], truth[1] - start[1]))
    return missed, abs(believed - heading - turned), gone, abs(turned)


def test_wheels_know_how_far_they_drove():
    missed, turned_wrongly, gone, _ = drive(11.43, 11.43)
    assert gone == pytest.approx(2.0, abs=0.002)
    assert missed < 0.4e-3 and np.degrees(turned_wrongly) < 1e-3  # measured 0.22 mm


def test_wheels_know_how_far_they_turned():
    missed, turned_wrongly, _, turned = drive(-5.0, 5.0)
    assert np.degrees(turned) == pytest.approx(436.0, abs=1.0)
    assert missed < 0.1e-3 and np.degrees(turned_wrongly) < 0.08  # measured 0.05 deg


def test_arc_is_driven_within_millimetres():
    missed, turned_wrongly, _, turned = drive(8.0, 11.0)
    assert np.degrees(turned) == pytest.approx(131.0, abs=1.0)
    assert missed < 3e-3 and np.degrees(turned_wrongly) < 0.05  # measured 2.0 mm, 0.02 deg


def test_positive_rates_drive_forwards():
    bench = Bench(drop=0.0)
    for name in WHEELS:
        bench.command(name, 2.0)
    bench.rest(1.0)
    assert bench.data.qpos[0] == pytest.approx(0.07, abs=0.005)


def test_robot_driving_into_a_wall_stays_there():
    bench = Bench(wall=0.0, drop=0.0)  # its bumper touches at x = 22 mm
    for name in WHEELS:
        bench.command(name, 10.0)
    bench.rest(1.0)
    wheels = [bench.model.joint(f"r/{name}").dofadr[0] for name in WHEELS]
    touched = 0
    for _ in range(500):  # the wheels slip, and the base rattles a little
        mujoco.mj_step(bench.model, bench.data)
        touched += "r/bumper_center" in bench.touching_wall()
        assert 0.016 < bench.data.qpos[0] < 0.024 and abs(bench.data.qpos[2]) < 0.003
        assert abs(bench.data.qvel[wheels]).max() < 12.0
    assert touched > 100


@pytest.mark.parametrize(
    ("wall_deg", "bumper"),
    [(0, "center"), (25, "center"), (-25, "center"), (60, "left"), (-60, "right"), (85, "left")],
)
def test_wall_touches_the_bumper_on_its_side(wall_deg, bumper):
    wall = np.radians(wall_deg)
    bench = Bench(wall=wall, drop=0.0)
    bench.data.qpos[:2] = 0.0223 * np.array([np.cos(wall), np.sin(wall)])  # 0.3 mm too far
    mujoco.mj_forward(bench.model, bench.data)
    assert bench.touching_wall() == {f"r/bumper_{bumper}"}


# Arm and hand


@pytest.mark.parametrize("joint", range(5))
def test_smooth_move_follows_within_a_hundredth(joint):
    start, move, duration = np.array([0.0, 0.4, 0.4, -0.5, 0.0]), -0.5, 0.8
    bench = Bench(start)
    bench.rest(1.0)
    name, goal = JOINTS[joint], start
    velocity = bench.model.actuator_ctrladr[bench.model.actuator(f"r/{name}").id] + 1
    for step in range(900):
        s = min(1.0, step * STEP / duration)
        goal = start.copy()
        goal[joint] += move * s**3 * (10 - 15 * s + 6 * s**2)
        bench.command(name, float(goal[joint]))
        bench.data.ctrl[velocity] = move / duration * 30 * s**2 * (1 - s) ** 2
        mujoco.mj_step(bench.model, bench.data)
        np.testing.assert_allclose(bench.q(*JOINTS), goal, atol=0.012)
    np.testing.assert_allclose(bench.q(*JOINTS), goal, atol=0.002)


class Holding:
    """The arm alone with a box between its fingers, gripped without weight."""

    def __init__(self, force: float) -> None:
        scene = mujoco.MjSpec.from_file(str(WIDOWX))
        block = scene.worldbody.add_body(name="box", pos=[0.36, 0.003, 0.25])  # 3 mm off the middle
        block.add_freejoint()
        block.add_geom(
            name="box", type=mjtGeom.mjGEOM_BOX, size=[0.0436, 0.0121, 0.05], mass=0.5, condim=4,
            friction=[0.8, 0.01, 0.0001], solref=[0.002, 1],
        )  # fmt: skip
        PhysicsSettings().apply(scene.option)
        self.model = scene.compile()
        self.data = mujoco.MjData(self.model)
        self.inputs = self.model.actuator_ctrladr
        self.model.actuator_forcerange[5] = -2 * force, 2 * force  # one servo, two fingers
        for name in FINGERS:
            self.data.joint(name).qpos = GRIPPER.open
        self.data.act[self.model.actuator_actadr[5]] = GRIPPER.open
        self.data.ctrl[self.inputs[5]] = GRIPPER.closed
        self.model.opt.gravity[2] = 0.0
        mujoco.mj_step(self.model, self.data, 600)
        self.model.opt.gravity[2] = -9.81

    def squeeze(self) -> list[float]:
        mujoco.mj_forward(self.model, self.data)
        force, found = np.zeros(6), {"gripper_1_pad_collision": 0.0, "gripper_2_pad_collision": 0.0}
        for number, contact in enumerate(self.data.contact):
            mujoco.mj_contactForce(self.model, self.data, number, force)
            found[self.model.geom(contact.geom1).name] += force[0]
        return list(found.values())

    def in_hand(self) -> np.ndarray:
        mujoco.mj_forward(self.model, self.data)
        tool = self.data.site("tool")
        return tool.xmat.reshape(3, 3).T @ (self.data.body("box").xpos - tool.xpos)


@pytest.mark.parametrize("force", [8.0, 15.0, GRIPPER.max_force])
def test_fingers_squeeze_with_the_force_asked_for(force):
    holding = Holding(force)
    np.testing.assert_allclose(holding.squeeze(), force, rtol=0.02)
    one, other = (holding.data.joint(name).qpos[0] for name in FINGERS)
    assert abs(one - other) < 1e-4
    assert GRIPPER.width(one) == pytest.approx(0.0242, abs=0.0005)


def test_gripped_box_comes_to_the_middle_of_the_hand():
    assert abs(Holding(15.0).in_hand()[1]) < 1e-3


def test_hand_holds_half_a_kilogram_while_it_is_lifted():
    holding = Holding(15.0)
    model, data = holding.model, holding.data
    mujoco.mj_step(model, data, 1000)
    sag = data.qpos[:5].copy()
    assert abs(sag).max() < 1e-3  # the integral has taken the load
    before, height = holding.in_hand(), data.body("box").xpos[2]
    for step in range(1500):
        s = min(1.0, step / 1250)
        way = s**3 * (10 - 15 * s + 6 * s**2)
        data.ctrl[holding.inputs[:3]] = 0.8 * way, -0.6 * way, 0.3 * way
        mujoco.mj_step(model, data)
    slip = np.linalg.norm(holding.in_hand() - before)
    assert slip < 1.5e-3  # measured 0.6 mm
    assert data.body("box").xpos[2] > height + 0.1
    np.testing.assert_allclose(data.qpos[:5], [0.8, -0.6, 0.3, 0.0, 0.0], atol=0.005)


def test_weak_grip_drops_the_box():
    holding = Holding(2.0)  # 2 x 2 N of friction under 4.9 N of weight
    mujoco.mj_step(holding.model, holding.data, 1000)
    mujoco.mj_forward(holding.model, holding.data)
    assert holding.data.body("box").xpos[2] < 0.15


def test_fingers_move_together_at_the_gripper_speed():
    bench = Bench(grip=GRIPPER.closed)
    bench.command(FINGERS[0], GRIPPER.open)
    fastest, parted = 0.0, 0.0
    for _ in range(750):
        mujoco.mj_step(bench.model, bench.data)
        fastest = max(fastest, abs(bench.data.joint("r/gripper_1_joint").qvel[0]))
        parted = max(parted, abs(np.diff(bench.q(*FINGERS))[0]))
    assert parted < 1e-5 and fastest == pytest.approx(GRIPPER.speed, rel=0.05)
    np.testing.assert_allclose(bench.q(*FINGERS), GRIPPER.open, atol=1e-4)
