"""MJCF models with driven balls as wheels, like our own mecanum and omni bases, as bare files."""

import numpy as np
import pytest

import mecano
from mecano import robots
from mecano.importing import UnreadableRobot, import_robot

YOUBOT = robots.get("youbot")
OMNI = """<mujoco model="omni_cart"><worldbody><body name="cart">
  <inertial pos="0 0 .15" mass="20" diaginertia=".5 .5 .5"/>
  <geom type="cylinder" size=".2 .05" pos="0 0 .15"/>{balls}</body></worldbody>
  <actuator>{motors}</actuator></mujoco>"""


def omni_mjcf(angles=(0, 120, 240)) -> str:
    """Return a cart on balls whose axles point outwards; nothing is drawn of its wheels."""
    balls, motors = "", ""
    for number, degrees in enumerate(angles, 1):
        out = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0])
        x, y, _ = (0.25 * out).tolist()
        balls += (
            f'<body name="ball_{number}" pos="{x} {y} .05"><joint name="drive_{number}" '
            f'type="ball" armature=".005"/><geom type="sphere" size=".05" mass="1"/></body>'
        )
        motors += (
            f'<velocity jointinparent="drive_{number}" gear="{out[0]} {out[1]} 0" kv="10" '
            'ctrlrange="-10 10" forcerange="-10 10"/>'
        )
    return OMNI.format(balls=balls, motors=motors)


def moved(folder, twist, seconds: float = 2.0):
    """Drive an imported base and return where it is by ground truth and by odometry."""
    forward, left, turn = twist
    with mecano.connect(folder) as robot:
        for _ in range(round(seconds / 0.2)):
            robot.base.drive(forward, turn, left=left)
            robot.session.run_for(0.2)
        robot.base.stop()
        robot.session.run_for(1.0)
        poses = robot.truth.base_pose(), robot.base.pose
    return np.array([[pose.x, pose.y, pose.yaw] for pose in poses])


def test_our_own_mecanum_model_keeps_its_base_as_a_bare_file(tmp_path):
    robot = import_robot(YOUBOT.folder / "model.xml", tmp_path / "out")
    assert robot.structure.base is not None and robot.structure.base.kind == "mecanum"
    assert robot.description.base is not None and YOUBOT.base is not None
    ours = {wheel.name: wheel for wheel in YOUBOT.base.layout.wheels}
    for wheel in robot.description.base.layout.wheels:
        twin = ours[wheel.name]
        assert (wheel.x, wheel.y, wheel.radius) == pytest.approx((twin.x, twin.y, twin.radius))
        assert (wheel.direction, wheel.roller) == pytest.approx((twin.direction, twin.roller))


def test_our_own_mecanum_model_strafes_as_a_bare_file(tmp_path):
    import_robot(YOUBOT.folder / "model.xml", tmp_path / "out")
    truth, odometry = moved(tmp_path / "out", (0.0, 0.2, 0.0))
    assert truth[1] > 0.3 and abs(truth[0]) < 0.01
    np.testing.assert_allclose(truth, odometry, atol=0.01)


def test_balls_without_drawn_wheels_make_an_omni_base(tmp_path):
    (tmp_path / "cart.xml").write_text(omni_mjcf())
    robot = import_robot(tmp_path / "cart.xml", tmp_path / "out")
    assert robot.structure.base is not None and robot.structure.base.kind == "omni"
    truth, odometry = moved(tmp_path / "out", (0.1, 0.15, 0.2))
    assert np.hypot(*truth[:2]) > 0.25
    np.testing.assert_allclose(truth, odometry, atol=0.02)


def test_models_that_are_attached_become_one(tmp_path):
    (tmp_path / "finger.xml").write_text(
        '<mujoco model="finger"><worldbody><body name="link"><joint name="bend" axis="0 1 0" '
        'range="-1 1" limited="true"/><geom type="capsule" size=".01" fromto="0 0 0 0 0 .3"/>'
        '</body></worldbody><actuator><position joint="bend" kp="20" dampratio="1"/></actuator>'
        "</mujoco>"
    )
    (tmp_path / "whole.xml").write_text(
        '<mujoco model="whole"><asset><model name="finger" file="finger.xml"/></asset><worldbody>'
        '<body name="post"><geom type="box" size=".05 .05 .1"/><frame pos="0 0 .1">'
        '<attach model="finger" body="link" prefix="left_"/></frame></body></worldbody></mujoco>'
    )
    robot = import_robot(tmp_path / "whole.xml", tmp_path / "out")
    assert robot.chains["arm"][0] == ("left_bend",)


def test_attached_models_outside_the_folder_are_refused(tmp_path):
    inside = tmp_path / "robot"
    inside.mkdir()
    (tmp_path / "other.xml").write_text("<mujoco><worldbody/></mujoco>")
    (inside / "whole.xml").write_text(
        '<mujoco><asset><model name="a" file="../other.xml"/></asset><worldbody/></mujoco>'
    )
    with pytest.raises(UnreadableRobot, match="outside the robot's folder"):
        import_robot(inside / "whole.xml", tmp_path / "out")
    assert not (tmp_path / "out").exists()
