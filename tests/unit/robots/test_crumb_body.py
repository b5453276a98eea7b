"""CRUMB's MuJoCo model against its sources: shapes, masses, rest, drive, bumpers, grip.

Every run uses the project's physics settings. The free joint, which a world adds, is added here.
"""

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mujoco import mjtGeom

import mecano.robots
from mecano.robots.widowx.description import ARM
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

# The fact sheet's table of shapes: pattern of the geoms, their link, extents [mm] in its frame: x,
# y, z, each from and to. What is drawn first, what collides after it. The sheet's fingers are
# 1.4 mm off the middle, ours are not.
SHAPES = {
    "body": ("base_(shell|bumper|tail|top|panel)", "base_link", (-176, 176, -175, 175, 4, 114.2)),
    "wheel left": ("wheel_left_tyre", "wheel_left_link", (-35, 35, -10.3, 10.3, -35, 35)),
    "wheel right": ("wheel_right_tyre", "wheel_right_link", (-35, 35, -10.3, 10.3, -35, 35)),
    "caster front": ("caster_front_wheel", "base_link", (98, 132, -8.8, 8.8, -10, 24)),
    "caster back": ("caster_back_wheel", "base_link", (-152, -118, -8.8, 8.8, -10, 24)),
    "plate bottom": ("plate_bottom", "plate_bottom_link", (-157, 110, -170, 170, -3, 3)),
    "plate middle": ("plate_middle", "plate_middle_link", (-143.4, 143.6, -170, 170, -3, 3)),
    "plate top": ("plate_top", "plate_top_link", (-143.4, 143.6, -170, 170, -3, 3)),
    "Kinect": ("kinect_(bar|stand)", "camera_link", (-35, 35, -139.5, 139.5, -36.25, 36.25)),
    "arm foot": ("arm_base_foot", "arm_base_link", (-95.35, 95.35, -95.35, 95.35, 0, 4)),
    "arm tower": (r"arm_base_tower_\d", "arm_base_link", (-72.8, 72.8, -72.8, 72.8, 4, 89)),
    "shoulder disc": ("shoulder_disc", "shoulder_link", (-55, 55, -55, 55, -40.8, -35)),
    "shoulder fork": ("shoulder_fork", "shoulder_link", (-14, 14, -25.5, 25.5, -35, 0)),
    "column": (r"biceps_(column_\d|block)", "biceps_link", (-25.3, 52, -18.4, 18.4, -8, 165.5)),
    "shoulder hub": ("biceps_hub", "biceps_link", (-15.8, 15.8, -23.5, 23.5, -15.8, 15.8)),
    "elbow block": ("biceps_block", "biceps_link", (-8, 52, -18.4, 18.4, 116.5, 165.5)),
    "elbow hub": ("biceps_elbow_hub", "biceps_link", (36.25, 60.25, -20.5, 20.5, 130, 154)),
    "forearm fork": ("forearm_fork", "forearm_link", (0, 34, -22, 22, -11, 11)),
    "forearm": (r"forearm_body_\d", "forearm_link", (36, 144, -18, 18, -23, 23)),
    "wrist hub": ("forearm_wrist_hub", "forearm_link", (130, 154, -20.5, 20.5, -12, 12)),
    "wrist fork": ("wrist_1_fork", "wrist_1_link", (-2, 26, -22, 22, -11, 11)),
    "roll servo": ("wrist_1_servo", "wrist_1_link", (28, 68, -13, 13, -11, 35.2)),
    "hand servo": ("wrist_2_servo", "wrist_2_link", (2, 43, -13, 13, -11, 35.2)),
    "rail": ("rail_plate", "gripper_rail_link", (0, 7.4, -35.8, 35.8, -19.9, 19.9)),
    "finger 1 block": ("gripper_1_block", "gripper_1_link", (3.4, 11, -24.3, -3.5, -21.5, 21.5)),
    "finger 1": (r"gripper_1_(finger|pad)", "gripper_1_link", (11, 44.5, -23.5, -3.5, -14, 14)),
    "finger 2 block": ("gripper_2_block", "gripper_2_link", (3.4, 11, 0.7, 21.5, -21.5, 21.5)),
    "finger 2": (r"gripper_2_(finger|pad)", "gripper_2_link", (11, 44.5, 0.7, 20.7, -14, 14)),
    "hard base": ("base_collision", "base_link", (-178, 178, -178, 178, 4.8, 114.2)),
    "hard wheel": ("wheel_left_collision", "wheel_left_link", (-35, 35, -10.3, 10.3, -35, 35)),
    "hard caster": ("caster_front", "base_link", (98, 132, -17, 17, -10, 24)),
    "hard bottom": ("plate_bottom_collision", "plate_bottom_link", (-157, 110, -170, 170, -3, 3)),
    "hard middle": (
        "plate_middle_collision", "plate_middle_link", (-143.4, 143.6, -170, 170, -3, 3),
    ),
    "hard top": ("plate_top_collision", "plate_top_link", (-143.4, 143.6, -170, 170, -3, 3)),
    "hard Kinect": ("kinect_collision", "camera_link", (-36.4, 36.4, -139, 139, -36.5, 36.5)),
    "hard foot": (
        "arm_base_foot_collision", "arm_base_link", (-95.35, 95.35, -95.35, 95.35, 0, 4),
    ),
    "hard tower": (
        "arm_base_tower_collision", "arm_base_link", (-72.8, 72.8, -72.8, 72.8, 4, 89),
    ),
    "hard disc": ("shoulder_disc_collision", "shoulder_link", (-55, 55, -55, 55, -40.8, -35)),
    "hard cheeks": (
        "shoulder_cheek_.*", "shoulder_link", (-14, 14, -25.5, 25.5, -35, 0),
    ),
    "hard column": (
        "biceps_column_collision", "biceps_link", (-25.3, 25.3, -18.4, 18.4, -8, 140),
    ),
    "hard block": ("biceps_block_collision", "biceps_link", (-8, 52, -18.4, 18.4, 116.5, 165.5)),
    "hard forearm cheeks": ("forearm_cheek_.*", "forearm_link", (0, 34, -22, 22, -11, 11)),
    "hard forearm": ("forearm_body_collision", "forearm_link", (36, 144, -18, 18, -23, 23)),
    "hard wrist cheeks": ("wrist_1_cheek_.*", "wrist_1_link", (-2, 26, -22, 22, -11, 11)),
    "hard roll servo": ("wrist_1_servo_collision", "wrist_1_link", (28, 68, -13, 13, -11, 35.2)),
    "hard hand servo": ("wrist_2_servo_collision", "wrist_2_link", (2, 43, -13, 13, -11, 35.2)),
    "hard rail": ("rail_plate_collision", "gripper_rail_link", (0, 7.4, -35.8, 35.8, -19.9, 19.9)),
    "hard finger 1": (
        "gripper_1_.*_collision", "gripper_1_link", (3.4, 44.5, -24.3, -3.5, -21.5, 21.5),
    ),
    "hard finger 2": (
        "gripper_2_.*_collision", "gripper_2_link", (3.4, 44.5, 0.7, 21.5, -21.5, 21.5),
    ),
}  # fmt: skip

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

# Mass [kg], COM and principal inertias in link axes [kg m2]; base and wheels with the sheet's
# recommendations, the fingers closing on the middle.
MASSES = {
    "base_link": (2.24, (0.01, 0, 0.04), (0.019995, 0.019995, 0.03675)),
    "wheel_left_link": (0.1, (0, 0, 0), (3.4e-5, 6.1e-5, 3.4e-5)),
    "wheel_right_link": (0.1, (0, 0, 0), (3.4e-5, 6.1e-5, 3.4e-5)),
    "plate_bottom_link": (0.52, (0, 0, 0), (0.003328, 0.003328, 0.006656)),
    "plate_middle_link": (0.52, (0, 0, 0), (0.003328, 0.003328, 0.006656)),
    "plate_top_link": (0.52, (0, 0, 0), (0.003328, 0.003328, 0.006656)),
    "camera_link": (0.564, (0, 0, 0), (0.003881, 0.000499, 0.003879)),
    "arm_base_link": (0.909, (0, 0, 0.04157), (2.3625e-3, 2.3607e-3, 3.5506e-3)),
    "shoulder_link": (0.02454, (0, 0, -0.03681), (1.8118e-5, 1.9195e-5, 3.5264e-5)),
    "biceps_link": (0.2233, (0.00667, 0, 0.0834), (6.8084e-4, 7.2796e-4, 9.930e-5)),
    "forearm_link": (0.1022, (0.09372, 0, 0), (2.8575e-5, 1.51256e-4, 1.46555e-4)),
    "wrist_1_link": (0.06297, (0.04807, 0, 0.01085), (2.3381e-5, 2.6504e-5, 1.5994e-5)),
    "wrist_2_link": (0.05081, (0.02324, 0, 0.01174), (1.1859e-5, 1.6925e-5, 1.0447e-5)),
    "gripper_rail_link": (0.005985, (0.0037, 0, 0), (3.778e-6, 9.77e-7, 2.836e-6)),
    "gripper_1_link": (0.005933, (0.0173, -0.01115, 0), (8.02e-7, 1.623e-6, 1.169e-6)),
    "gripper_2_link": (0.005933, (0.0173, 0.01115, 0), (8.02e-7, 1.623e-6, 1.169e-6)),
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


def touching(model: mujoco.MjModel, data: mujoco.MjData) -> set[tuple[str, str]]:
    """Pairs of bodies in contact, without prefix; the floor and its wheels aside."""
    bodies = model.geom_bodyid
    pairs = (sorted((bodies[c.geom1], bodies[c.geom2])) for c in data.contact)
    names = ((model.body(a).name, model.body(b).name) for a, b in pairs if a > 0)
    return {(a.removeprefix("r/"), b.removeprefix("r/")) for a, b in names}


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(CRUMB))


def corners(model: mujoco.MjModel, geom: int) -> np.ndarray:
    """Points in the body's frame whose extents are those of a geom."""
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, model.geom_quat[geom])
    rotation = rotation.reshape(3, 3)
    kind, size = model.geom_type[geom], model.geom_size[geom]
    if kind == mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first = model.mesh_vertadr[mesh]
        points = model.mesh_vert[first : first + model.mesh_vertnum[mesh]]
        return points @ rotation.T + model.geom_pos[geom]
    if kind == mjtGeom.mjGEOM_CYLINDER:
        reach = size[0] * np.hypot(rotation[:, 0], rotation[:, 1]) + size[1] * abs(rotation[:, 2])
    elif kind == mjtGeom.mjGEOM_SPHERE:
        reach = np.full(3, size[0])
    elif kind == mjtGeom.mjGEOM_ELLIPSOID:
        reach = np.linalg.norm(rotation * size, axis=1)
    else:
        assert kind == mjtGeom.mjGEOM_BOX
        reach = abs(rotation) @ size
    return np.vstack([model.geom_pos[geom] - reach, model.geom_pos[geom] + reach])


def extents(model: mujoco.MjModel, geoms) -> np.ndarray:
    """Extents of several geoms [mm]: x, y, z, each from and to."""
    points = 1000 * np.vstack([corners(model, geom) for geom in geoms])
    return np.column_stack([points.min(axis=0), points.max(axis=0)]).ravel()


def geoms_named(model: mujoco.MjModel, pattern: str) -> list[int]:
    return [g for g in range(model.ngeom) if re.fullmatch(pattern, model.geom(g).name)]


def inertia_in_link_axes(model: mujoco.MjModel, link: str) -> np.ndarray:
    body = model.body(link)
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, body.iquat)
    rotation = rotation.reshape(3, 3)
    return rotation @ np.diag(body.inertia) @ rotation.T


# Shape and structure


@pytest.mark.parametrize("part", SHAPES)
def test_part_has_the_extents_of_the_sheet(model, part):
    pattern, link, expected = SHAPES[part]
    geoms = geoms_named(model, pattern)
    if not part.startswith("hard"):
        geoms = [g for g in geoms if model.geom_group[g] == 2]
    assert geoms, f"no geom is named {pattern}"
    assert {model.body(model.geom_bodyid[g]).name for g in geoms} == {link}
    np.testing.assert_allclose(extents(model, geoms), expected, atol=5.0)


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


def test_links_are_where_the_sheet_has_them(model):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for link, place in {
        "base_link": (0, 0, 0.0102),
        "wheel_left_link": (0, 0.115, 0.0352),
        "wheel_right_link": (0, -0.115, 0.0352),
        "plate_bottom_link": (0.02364, 0, 0.1408),
        "plate_middle_link": (-0.01364, 0, 0.1976),
        "plate_top_link": (-0.01364, 0, 0.4068),
        "camera_link": (-0.118, 0, 0.2812),
        "arm_base_link": (-0.01364, 0, 0.4068),
        "shoulder_link": (-0.01364, 0, 0.5318),
        "gripper_rail_link": (0.29114, 0, 0.67383),
    }.items():
        np.testing.assert_allclose(data.body(link).xpos, place, atol=1e-6, err_msg=link)
    for site, place in {
        "tool": (0.32364, 0, 0.67383),
        "gyro_link": (0.056, 0.062, 0.0304),
        "cliff_left": (0.08734, 0.13601, 0.0316),
        "cliff_center": (0.156, 0, 0.0316),
        "cliff_right": (0.085, -0.13601, 0.0316),
    }.items():
        np.testing.assert_allclose(data.site(site).xpos, place, atol=1e-6, err_msg=site)


@pytest.mark.parametrize("file", [CRUMB, MAST, KOBUKI, WIDOWX])
def test_geoms_are_either_drawn_or_hard(file):
    model = mujoco.MjModel.from_xml_path(str(file))
    for g in range(model.ngeom):
        hard = bool(model.geom_contype[g])
        assert bool(model.geom_conaffinity[g]) == hard
        assert model.geom_group[g] == (3 if hard else 2)
        assert model.geom(g).name or not hard


@pytest.mark.parametrize("file", [CRUMB, MAST, KOBUKI, WIDOWX])
def test_loading_warns_about_nothing(file, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene = mujoco.MjSpec()
    for prefix in ("r1/", "r2/"):
        robot = mujoco.MjSpec.from_file(str(file))
        scene.attach(robot, prefix=prefix, frame=scene.worldbody.add_frame())
    scene.compile()
    assert capfd.readouterr() == ("", "") and not list(tmp_path.iterdir())


def test_each_drive_has_the_name_of_its_joint(model):
    names = (*WHEELS, *JOINTS, FINGERS[0])
    assert tuple(model.actuator(k).name for k in range(len(names))) == names
    for name in names:
        assert model.joint(model.actuator(name).trnid[0]).name == name


def test_limits_are_those_of_the_real_arm(model):
    limits = [model.joint(name).range[1] for name in JOINTS]
    np.testing.assert_allclose(limits, [2.617, 1.571, 1.571, 1.745, 2.617])
    np.testing.assert_allclose([-model.joint(name).range[0] for name in JOINTS], limits)
    for name in FINGERS:
        np.testing.assert_allclose(model.joint(name).range, [GRIPPER.closed, GRIPPER.open])


@pytest.mark.parametrize("value", [GRIPPER.closed, 0.01, GRIPPER.open])
def test_gap_of_the_pads_follows_the_gripper(model, value):
    data = mujoco.MjData(model)
    for name in FINGERS:
        data.joint(name).qpos = value
    mujoco.mj_forward(model, data)
    one, other = data.site("gripper_1_pad").xpos, data.site("gripper_2_pad").xpos
    np.testing.assert_allclose(other - one, [0, GRIPPER.width(value), 0], atol=1e-9)
    faces = [
        data.geom(f"gripper_{k}_pad_collision").xpos[1] - s * 0.0008 for k, s in ((1, -1), (2, 1))
    ]
    np.testing.assert_allclose(faces, [one[1], other[1]], atol=1e-9)


def test_open_hand_has_the_gap_of_the_paper():
    assert GRIPPER.width(GRIPPER.open) == pytest.approx(0.0412)


def test_pads_grip(model):
    for number in (1, 2):
        pad = model.geom(f"gripper_{number}_pad_collision")
        assert pad.type == mjtGeom.mjGEOM_BOX and pad.condim == 4 and pad.priority == 1
        np.testing.assert_allclose(pad.friction, [1.0, 0.02, 0.001])
        np.testing.assert_allclose(pad.solref, [0.002, 1.0])
        np.testing.assert_allclose(2 * pad.size[[0, 2]], [0.034, 0.028])


def test_cameras_look_forwards_and_level(model):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for name, side in (("camera_rgb", -0.0125), ("camera_depth", 0.0125)):
        camera = data.camera(name)
        np.testing.assert_allclose(camera.xpos, [-0.087, side, 0.2972], atol=1e-9)
        right, up, back = camera.xmat.reshape(3, 3).T
        np.testing.assert_allclose(np.array([right, up, back]), [[0, -1, 0], [0, 0, 1], [-1, 0, 0]])
        assert model.camera(name).fovy == pytest.approx(43.0)


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


def test_cliff_sensors_look_down(model):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for side in ("left", "center", "right"):
        z = data.site(f"cliff_{side}").xmat.reshape(3, 3)[:, 2]
        np.testing.assert_allclose(z, [0, 0, -1], atol=1e-9)


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


def test_tool_is_where_the_chain_puts_it():
    model = mujoco.MjModel.from_xml_path(str(WIDOWX))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(4)
    for q in rng.uniform(ARM.dh.lower, ARM.dh.upper, (100, 5)):
        data.qpos[:5] = q
        mujoco.mj_kinematics(model, data)
        tool = data.site("tool")
        T_base_tool = ARM.forward(q)
        np.testing.assert_allclose(tool.xpos, T_base_tool[:3, 3], atol=1e-9)
        np.testing.assert_allclose(tool.xmat.reshape(3, 3), T_base_tool[:3, :3], atol=1e-9)


# Masses


@pytest.mark.parametrize("link", MASSES)
def test_link_weighs_what_the_sheet_says(model, link):
    mass, com, inertia = MASSES[link]
    body = model.body(link)
    assert body.mass == pytest.approx(mass, rel=1e-3)
    np.testing.assert_allclose(body.ipos, com, atol=1e-4)
    np.testing.assert_allclose(np.diag(inertia_in_link_axes(model, link)), inertia, rtol=2e-3)


def test_robot_weighs_what_the_sheet_says(model):
    assert model.body("base_footprint").subtreemass == pytest.approx(6.33, abs=0.005)
    assert model.body("arm_base_link").subtreemass == pytest.approx(1.391, abs=0.001)
    assert model.body("poles_link").mass == pytest.approx(0.376, abs=1e-6)


@pytest.mark.parametrize("link", [*MASSES, "poles_link"])
def test_inertia_is_one_a_solid_can_have(model, link):
    small, middle, large = np.sort(model.body(link).inertia)
    assert small > 0 and small + middle >= large


def test_stretched_arm_asks_for_the_published_torques():
    model = mujoco.MjModel.from_xml_path(str(WIDOWX))
    data = mujoco.MjData(model)
    data.qpos[:5] = POSTURES["stretched"]
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(abs(data.qfrc_bias[1:4]), [0.90, 0.38, 0.10], rtol=0.02)


# Self-collision


@pytest.mark.parametrize("grip", [GRIPPER.closed, GRIPPER.open])
@pytest.mark.parametrize("posture", POSTURES)
def test_ordinary_postures_touch_nothing(posture, grip):
    assert Bench(POSTURES[posture], grip=grip).touching() == set()


@pytest.mark.parametrize("file", [CRUMB, KOBUKI, WIDOWX])
def test_robot_bolted_to_the_world_touches_nothing(file):
    model = mujoco.MjModel.from_xml_path(str(file))  # no free joint: no neighbour is excused
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert touching(model, data) == set()


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


@pytest.mark.parametrize("posture", ["zero", "home", "pick_down", "stretched"])
def test_robot_at_rest_does_not_vibrate(posture):
    bench = Bench(POSTURES[posture])
    bench.rest(3.0)
    tool = bench.tool
    dofs = [bench.model.joint(f"r/{name}").dofadr[0] for name in (*JOINTS, *WHEELS)]
    speeds = []
    for _ in range(round(1.0 / STEP)):
        mujoco.mj_step(bench.model, bench.data)
        speeds.append(bench.data.qvel[dofs].copy())
    mujoco.mj_forward(bench.model, bench.data)
    assert np.sqrt(np.square(speeds).mean(axis=0)).max() < 3e-4  # asked for: 1e-3 rad/s
    assert np.linalg.norm(bench.tool - tool) < 1e-4  # asked for: 0.3 mm
    upright = bench.data.body("r/base_footprint").xmat[8]
    assert np.degrees(np.arccos(min(upright, 1.0))) < 0.01  # asked for: 0.1 deg
    np.testing.assert_allclose(bench.q(*JOINTS), POSTURES[posture], atol=1e-3)


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
