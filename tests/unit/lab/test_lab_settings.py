"""Settings: by file and by dotted name, checked key by key, and in effect."""

import numpy as np
import pytest
from lab_helpers import ARM, arm_on_table, moved, started, true_joints

from mecano import robots
from mecano.core.errors import InvalidInput, JointLimitViolated, UnknownName
from mecano.lab.robot import Place, connect_all
from mecano.lab.settings import Settings

CHAIN = robots.get(ARM).chain()

FILE = """
[physics]
timestep = 0.001
solver = "cg"

[motion]
velocity = 1.0

[joints.joint2]
lower = -1.2
upper = 1.0
kp = 25.0
"""


def settings(**changes) -> Settings:
    return Settings.load(None, {key.replace("__", "."): value for key, value in changes.items()})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(FILE)
    return path


# --- reading


def test_without_a_file_nothing_is_changed():
    loaded = Settings.load(None)
    assert loaded.physics.timestep == 0.002
    assert loaded.limited(CHAIN).dh.upper.tolist() == CHAIN.dh.upper.tolist()


def test_a_file_changes_what_it_names_and_nothing_else(file):
    loaded = Settings.load(file)
    assert loaded.physics.timestep == 0.001 and loaded.physics.solver == "cg"
    assert loaded.physics.impratio == 100.0
    assert loaded.motion_changes == {"velocity": 1.0}


def test_dotted_changes_come_after_the_file(file):
    loaded = Settings.load(file, {"physics.timestep": 0.004, "joints.joint2.kp": 30.0})
    assert loaded.physics.timestep == 0.004 and loaded.physics.solver == "cg"
    assert loaded.joint_changes["joint2"]["kp"] == 30.0
    assert loaded.joint_changes["joint2"]["lower"] == -1.2


def test_a_robot_takes_a_path(file):
    robot = arm_on_table(settings=file)
    assert robot.world.timestep == 0.001
    robot.wait(0.1)
    assert robot.session.ticks == 10


# --- refused


@pytest.mark.parametrize(
    ("key", "listed"),
    [
        ("gravity", "physics"),
        ("physics.timestp", "physics.timestep"),
        ("motion.speed", "motion.velocity"),
        ("joints.joint2.gain", "kp"),
    ],
)
def test_an_unknown_key_lists_the_known_ones(key, listed):
    with pytest.raises(UnknownName, match=listed) as caught:
        Settings.load(None, {key: 1.0})
    assert key in str(caught.value)


def test_an_unknown_joint_lists_the_known_ones():
    with pytest.raises(UnknownName, match=r"joint9.*joint1"):
        arm_on_table(settings=settings(joints__joint9__kp=3.0))


@pytest.mark.parametrize("text", ["[physics", "physics = ", "\x00"])
def test_a_file_that_is_not_toml_is_refused_by_name(tmp_path, text):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=r"bad\.toml is not TOML"):
        Settings.load(path)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_bytes(b"\xff\xfe\x80")
    with pytest.raises(InvalidInput, match="not TOML"):
        Settings.load(path)


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(InvalidInput, match=r"nowhere\.toml"):
        Settings.load(tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("physics.timestep", 1.0),
        ("physics.timestep", "fast"),
        ("physics.integrator", "verlet"),
        ("physics", 3),
        ("physics.timestep.x", 1.0),
        ("motion", "fast"),
        ("motion.velocity", -1.0),
        ("motion.velocity", "fast"),
        ("motion.velocity", float("nan")),
        ("joints", 5),
        ("joints.joint2", 5),
        ("joints.joint2.kp", "stiff"),
        ("joints.joint2.kp", float("inf")),
        ("joints.joint2.kp", -5.0),
        ("joints.joint2.kd", -0.1),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_by_its_key(key, value):
    with pytest.raises(InvalidInput, match=key.rpartition(".")[2] if "." in key else key):
        Settings.load(None, {key: value})


KINECT = robots.get("crumb").cameras[0]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("width", 3.5),
        ("width", 1),
        ("width", 0),
        ("width", 10000),
        ("height", -240),
        ("height", 481),
        ("rate", 0.0),
        ("rate", 30.1),
    ],
)
def test_a_picture_that_the_camera_cannot_take_is_refused_with_all_that_it_can(key, value):
    changed = Settings.load(None, {f"cameras.camera.{key}": value})
    with pytest.raises(
        InvalidInput, match=f"{key} {value:g}; .*16 to 640 .*16 to 480 whole pixels"
    ):
        changed.camera(KINECT)


@pytest.mark.parametrize("value", ["large", float("nan"), [640]])
def test_a_width_that_is_no_number_is_refused_by_its_key(value):
    with pytest.raises(InvalidInput, match=r"cameras\.camera\.width"):
        Settings.load(None, {"cameras.camera.width": value})


def test_an_unknown_camera_setting_lists_the_known_ones():
    with pytest.raises(UnknownName, match="width, height, rate"):
        Settings.load(None, {"cameras.camera.fps": 30})


@pytest.mark.parametrize(("lower", "upper"), [(-9.0, 1.0), (-1.0, 9.0), (0.5, -0.5), (0.5, 0.5)])
def test_limits_can_only_be_made_narrower(lower, upper):
    wider = settings(joints__joint2__lower=lower, joints__joint2__upper=upper)
    with pytest.raises(InvalidInput, match="limits of joint2"):
        arm_on_table(settings=wider)


# --- in effect


def test_a_camera_takes_the_size_and_rate_asked_for():
    asked = {"cameras.camera.width": 640.0, "cameras.camera.height": 480, "cameras.camera.rate": 5}
    changed = Settings.load(None, asked).camera(KINECT)
    assert changed.size == (640, 480) and isinstance(changed.size[0], int)
    assert changed.rate == 5.0


def test_narrower_limits_hold_for_joint_moves():
    robot = arm_on_table(settings=settings(joints__joint1__upper=0.5))
    with pytest.raises(JointLimitViolated, match="joint1"):
        robot.arm.move_joints([0.6, -0.5, 0.5, 0.0])
    assert moved(robot.arm.move_joints([0.4, -0.5, 0.5, 0.0])).reached


def test_narrower_limits_hold_for_points():
    narrow = settings(joints__joint1__lower=-0.5, joints__joint1__upper=0.5)
    robot = arm_on_table(settings=narrow)
    assert not moved(robot.arm.move_to([0.10, 0.18, 0.15], pitch=0.5)).reached


def test_a_slower_velocity_makes_a_longer_motion():
    goal = [2.0, -1.0, 1.0, 0.0]
    motions = [
        started(arm_on_table(settings=s).arm.move_joints(goal, wait=False))
        for s in (None, settings(motion__velocity=0.5))
    ]
    fast, slow = (motion.trajectory.duration for motion in motions)  # type: ignore[attr-defined]
    assert slow > 2.0 / 0.5 > fast


def test_softer_gains_sag_more_under_the_weight():
    def sag(kp: float) -> float:
        changes = settings(joints__joint3__kp=kp, joints__joint3__ki=1e-3)
        robot = arm_on_table(settings=changes)
        robot.wait(2.0)
        return float(abs(true_joints(robot)[2] - 1.0))

    assert sag(4.0) > 3.0 * sag(20.0)


def test_gains_reach_the_model_of_every_arm():
    arms = connect_all(
        {"a": Place(ARM), "b": Place(ARM)}, settings=settings(joints__joint2__kp=7.0)
    )
    model = arms["a"].world.model
    gains = [model.actuator(f"{name}/joint2").gainprm[4] for name in ("a", "b")]
    assert gains == [7.0, 7.0]


def test_changed_gains_stand_after_the_modes_were_changed():
    robot = arm_on_table(settings=settings(joints__joint2__kp=25.0))
    robot.arm.command_torque([0, 0, 0, 0])
    robot.arm.home()
    assert robot.world.model.actuator(f"{ARM}/joint2").gainprm[4] == 25.0


def test_a_limit_of_the_gripper_is_refused_rather_than_ignored():
    with pytest.raises((InvalidInput, UnknownName), match="gripper"):
        arm_on_table(settings=settings(joints__gripper__lower=0.0))


def test_less_gravity_needs_less_effort():
    moon = arm_on_table(settings=settings(physics__gravity=1.62))
    earth = arm_on_table()
    q = np.zeros(4)
    ratio = moon.arm.dynamics.gravity_torque(q)[1] / earth.arm.dynamics.gravity_torque(q)[1]
    assert ratio == pytest.approx(1.62 / 9.81)
