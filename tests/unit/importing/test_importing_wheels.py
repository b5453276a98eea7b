"""Wheels of imported robots: mecanum and omni bases strafe, skid-steered ones turn as they say."""

import json
import re
from math import pi

import numpy as np
import pytest
from robot_files import write_urdf
from wheel_files import mecanum_urdf, omni_urdf, skid_urdf

import mecano
from mecano.cli.app import main
from mecano.importing import import_robot

TWISTS = [(0.2, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, -0.2, 0.0), (0.0, 0.0, 0.5), (0.15, 0.1, 0.2)]


def imported(folder, text: str):
    return import_robot(write_urdf(folder, text), folder / "out")


def driven(folder, twist, seconds: float = 2.0):
    """Drive a robot and return where it is in truth and by its odometry."""
    forward, left, turn = twist
    with mecano.connect(folder / "out") as robot:
        for _ in range(round(seconds / 0.2)):
            robot.base.drive(forward, turn, left=left)
            robot.session.run_for(0.2)
        robot.base.stop()
        robot.session.run_for(1.0)
        poses = robot.truth.base_pose(), robot.base.pose
    return np.array([[pose.x, pose.y, pose.yaw] for pose in poses])


def layout_of(robot):
    """Return the wheels of an imported robot that has a base."""
    assert robot.description.base is not None
    return robot.description.base.layout


@pytest.mark.parametrize("shown", ["name", "rollers", "friction"])
def test_mecanum_wheels_strafe(tmp_path, shown):
    robot = imported(tmp_path, mecanum_urdf(shown))
    base = robot.structure.base
    assert base is not None and base.kind == "mecanum" and len(base.wheels) == 4
    leans = {w.name[:2]: w.roller for w in layout_of(robot).wheels}
    assert leans == pytest.approx({"fl": -pi / 4, "rl": pi / 4, "fr": pi / 4, "rr": -pi / 4})
    assert layout_of(robot).missing == ()
    for twist in TWISTS:
        truth, odometry = driven(tmp_path, twist)
        np.testing.assert_allclose(truth, odometry, atol=0.005)
        assert np.abs(truth).max() > 0.2
    truth, _ = driven(tmp_path, (0.0, 0.2, 0.0))
    assert truth == pytest.approx([0.0, 0.393, 0.0], abs=0.01)


@pytest.mark.parametrize("count", [3, 4])
def test_wheels_with_crossed_axles_are_omni_wheels(tmp_path, count):
    robot = imported(tmp_path, omni_urdf(count))
    base = robot.structure.base
    assert base is not None and base.kind == "omni" and "cross" in base.reason
    assert [w.roller for w in layout_of(robot).wheels] == [0.0] * count
    for twist in TWISTS:
        truth, odometry = driven(tmp_path, twist)
        np.testing.assert_allclose(truth, odometry, atol=0.005)
        assert np.abs(truth).max() > 0.2


def test_plain_wheels_stay_plain(tmp_path):
    robot = imported(tmp_path, mecanum_urdf("nothing"))
    assert robot.structure.base is not None and robot.structure.base.kind == "skid-steered"
    assert "strafe" in layout_of(robot).missing


def test_the_guess_is_shown_and_can_be_corrected(tmp_path):
    robot = imported(tmp_path, mecanum_urdf("rollers"))
    text = (robot.folder / "description.py").read_text()
    said = text.replace("\n# ", " ")
    assert "guessed: mecanum" in said and "8 rollers on each that lean by 45 degrees" in said
    plain = re.sub(r", roller=[-pi/ 4]+\)", ")", text)
    (robot.folder / "description.py").write_text(plain)
    with mecano.connect(robot.folder) as corrected:
        assert "strafe" in layout_of(corrected).missing


def test_rollers_of_an_mjcf_file_are_kept(tmp_path):
    """The file has its own physics: its wheels stay as they are, and drive a base that strafes."""
    first = imported(tmp_path, mecanum_urdf("rollers"))
    model = (first.folder / "model.xml").read_text()
    assert "roller_3_joint" not in model  # of a URDF they are only drawn
    wheels = "".join(_mjcf_wheel(c, x, y, s) for c, x, y, s in (
        ("fl", 0.2, 0.17, -1), ("fr", 0.2, -0.17, 1), ("rl", -0.2, 0.17, 1), ("rr", -0.2, -0.17, -1)
    ))  # fmt: skip
    motors = "".join(f'<velocity joint="{c}" kv="5"/>' for c in ("fl", "fr", "rl", "rr"))
    file = tmp_path / "base.xml"
    file.write_text(
        '<mujoco model="base"><worldbody><body name="base" pos="0 0 .08"><freejoint/>'
        f'<geom type="box" size=".2 .12 .03" mass="10"/>{wheels}</body></worldbody>'
        f"<actuator>{motors}</actuator></mujoco>"
    )
    robot = import_robot(file, tmp_path / "mjcf")
    assert robot.structure.base is not None and robot.structure.base.kind == "mecanum"
    assert layout_of(robot).missing == ()
    assert "fl_roller_3" in (robot.folder / "model.xml").read_text()


def _mjcf_wheel(name: str, x: float, y: float, lean: int, count: int = 8) -> str:
    rollers = ""
    for number in range(count):
        turn = 2 * pi * number / count
        rollers += (
            f'<body pos="{-0.06 * np.sin(turn)} 0 {-0.06 * np.cos(turn)}">'
            f'<joint name="{name}_roller_{number}" axis="{np.cos(turn)} {lean} {-np.sin(turn)}"/>'
            '<geom type="sphere" size=".02" mass=".02"/></body>'
        )
    return (
        f'<body name="{name}_wheel" pos="{x} {y} 0"><joint name="{name}" axis="0 1 0"/>'
        f'<geom type="cylinder" size=".03 .02" euler="90 0 0" mass=".3"/>{rollers}</body>'
    )


SKIDS = [
    {}, {"mass": 80.0}, {"mass": 3.0, "wheelbase": 0.2, "track": 0.3, "radius": 0.05},
    {"shift": 0.1}, {"axles": 3, "wheelbase": 0.6}, {"wheelbase": 0.8, "track": 0.5},
    {"mass": 300.0, "wheelbase": 1.2, "track": 1.0, "radius": 0.2},
]  # fmt: skip


@pytest.mark.parametrize("wishes", SKIDS)
def test_a_skid_steered_base_turns_by_what_odometry_says(tmp_path, wishes):
    """By the formula it was up to 40 % off, where the weight does not lie in the middle."""
    robot = imported(tmp_path, skid_urdf(**wishes))
    assert robot.structure.base is not None and robot.structure.base.track is not None
    assert "measured in simulation" in (robot.folder / "description.py").read_text()
    for angle in (pi / 2, -pi / 2):
        with mecano.connect(robot.folder) as connected:
            connected.base.turn(angle)
            truth, odometry = connected.truth.base_pose(), connected.base.pose
        assert truth.yaw == pytest.approx(odometry.yaw, rel=0.03)


def test_weight_before_the_wheels_is_told(tmp_path):
    robot = imported(tmp_path, skid_urdf(shift=0.1))
    (told,) = [f for f in robot.findings if f.code == "turns-off-centre"]
    assert "before the middle of its wheels" in told.message


def test_a_fixed_caster_slides(tmp_path):
    """A ball on a fixed joint, as many simple robots have it, would brake the base."""
    text = skid_urdf().replace("wheel_1", "caster_1")
    ball = '<joint name="{0}_joint" type="fixed">'
    for name in ("left_caster_1", "right_caster_1"):
        text = text.replace(f'<joint name="{name}_joint" type="continuous">', ball.format(name))
    robot = imported(tmp_path, text)
    assert robot.structure.base is not None and robot.structure.base.kind == "differential"
    with mecano.connect(robot.folder) as connected:
        connected.base.turn(pi / 2)
        truth, odometry = connected.truth.base_pose(), connected.base.pose
    assert truth.yaw == pytest.approx(odometry.yaw, rel=0.03)


def test_info_lists_the_base(tmp_path, capsys):
    robot = imported(tmp_path, mecanum_urdf("name"))
    with pytest.raises(SystemExit):
        main(["info", str(robot.folder)])
    said = " ".join(capsys.readouterr().out.split())
    assert "base: 4 wheels, holonomic" in said and "fl_mecanum_wheel_joint" in said
    with pytest.raises(SystemExit):
        main(["info", str(robot.folder), "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert facts["base"]["cannot"] == [] and len(facts["base"]["wheels"]) == 4


def test_wheels_that_slide_sideways_are_taken_for_mecanum(tmp_path):
    """As Gazebo files of omnidirectional bases have them: friction forward, none sideways."""
    text = re.sub(r"(<fdir1[^>]*>)1 -?1 0", r"\g<1>1 0 0", mecanum_urdf("friction"))
    robot = imported(tmp_path, text)
    base = robot.structure.base
    assert base is not None and base.kind == "mecanum" and "taken for mecanum" in base.reason
    truth, odometry = driven(tmp_path, (0.0, 0.2, 0.0))
    np.testing.assert_allclose(truth, odometry, atol=0.005)
    assert truth[1] > 0.3


def test_propellers_are_no_fingers(tmp_path):
    """Four endless rotors at one place, as of a quadrotor."""
    text = omni_urdf(4, "rotor").replace('xyz="1 0 0"', 'xyz="0 0 1"')
    robot = imported(tmp_path, text)
    assert not robot.structure.hands and robot.structure.base is None


def test_a_base_that_drives_along_y_gets_a_frame_that_faces_there(tmp_path):
    """Axles along x: forward of the base is the root's y axis."""
    text = re.sub(
        r'<origin xyz="(\S+) (\S+) 0" rpy="0 0 0"/><axis xyz="0 1 0"/>',
        r'<origin xyz="\2 \1 0" rpy="0 0 -1.5707963267948966"/><axis xyz="0 1 0"/>',
        skid_urdf(wheelbase=0.3, track=0.5),
    )
    robot = imported(tmp_path, text)
    assert robot.structure.base is not None and robot.structure.base.heading == pytest.approx(
        pi / 2
    )
    assert layout_of(robot).missing == ("strafe",)
    truth, odometry = driven(tmp_path, (0.3, 0.0, 0.0))
    np.testing.assert_allclose(truth, odometry, atol=0.01)
    assert truth[0] > 0.4
    with mecano.connect(robot.folder) as connected:
        connected.base.turn(pi / 2)
        turned, said = connected.truth.base_pose(), connected.base.pose
    assert turned.yaw == pytest.approx(said.yaw, rel=0.03)


def test_import_says_where_the_origin_of_a_cart_moved(tmp_path):
    file = write_urdf(tmp_path, skid_urdf(shift=0.0).replace('name="base_link"', 'name="hull"'))
    text = file.read_text().replace('link="base_link"', 'link="hull"')
    file.write_text(text)
    imported = import_robot(file, tmp_path / "out")
    (found,) = [each for each in imported.findings if each.code == "origin-moved"]
    assert found.severity == "note" and "hull" in found.where
    assert "0, 0, -100 mm of hull" in found.message
    for name in ("description.py", "README.md"):
        text = " ".join((tmp_path / "out" / name).read_text().replace("#", " ").split())
        assert "on the floor in the middle of its wheels" in text, name
