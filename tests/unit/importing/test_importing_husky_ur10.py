"""The worked example of docs/new_robot.md: imports clean, drives, and lifts a cube by friction."""

import re
import runpy
from math import pi
from pathlib import Path

import pytest

import mecano
from mecano import robots
from mecano.checkup import check_robot
from mecano.importing import import_robot

EXAMPLE = Path(__file__).parents[3] / "examples" / "husky_ur10"
URDF, FOLDER = EXAMPLE / "husky_ur10.urdf", EXAMPLE / "robot"


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    return import_robot(URDF, tmp_path_factory.mktemp("import") / "robot")


@pytest.mark.parametrize("source", [URDF, FOLDER])
def test_the_example_is_clean(source):
    report = check_robot(source, seconds=0.5)
    assert report.ok, [str(each) for each in report.findings]


def test_the_model_in_the_folder_is_what_the_importer_writes(imported):
    assert (FOLDER / "model.xml").read_text() == (imported.folder / "model.xml").read_text()


def test_the_table_has_the_published_lengths(imported):
    """UR10e: d1 0.1807 (above wheels and mount), a2, a3, d4, d5, d6 (and the gripper's 0.15)."""
    rows = imported.description.chains["arm"].dh.joints
    lengths = [rows[1].a, rows[2].a, rows[3].d, rows[4].d, rows[5].d - 0.15, rows[0].d - 0.38]
    assert [abs(x) for x in lengths] == pytest.approx(
        [0.6127, 0.57155, 0.17415, 0.11985, 0.11655, 0.1807], abs=1e-9
    )
    assert imported.chains["arm"][1] == "ur"


def test_the_frame_between_the_fingers_is_the_tool(imported):
    xml = (imported.folder / "model.xml").read_text()
    site = re.search(r'<body name="tool" pos="0 0 0.15">\s*<site name="tool" ([^/]*)/>', xml)
    assert site is not None and "pos" not in site[1]


def test_wheels_have_the_radius_of_their_cylinders(imported):
    base = imported.description.base
    assert [wheel.radius for wheel in base.layout.wheels] == pytest.approx([0.165] * 4, abs=1e-9)


def test_little_is_written_by_hand(imported):
    """At most 100 lines besides the model, and they lie in the robot's folder."""
    guessed = (imported.folder / "description.py").read_text().splitlines()
    corrected = (FOLDER / "description.py").read_text().splitlines()
    by_hand = [line for line in corrected if line not in guessed]
    assert 0 < len(by_hand) <= 100


@pytest.mark.parametrize("force", [10.0, 30.0])
def test_fingers_press_with_the_force_asked_for(force):
    def put_cube(spec):
        body = spec.worldbody.add_body(name="block", pos=(0.85, 0.09, 0.5))
        body.add_geom(size=(0.02, 0.025, 0.02), type=6)

    home = robots.get(FOLDER).chains["arm"].postures["home"]
    with mecano.connect(FOLDER, changes=[put_cube], on_failure="raise") as robot:
        assert robot.arm.position == pytest.approx(home, abs=0.01)
        robot.gripper.open()
        robot.arm.move_to((0.85, 0.09, 0.7), pitch=pi / 2)
        robot.arm.move_line((0.85, 0.09, 0.5), pitch=pi / 2)
        grip = robot.gripper.close(force=force)
    assert grip.holding and grip.force == pytest.approx(force, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("angle", [pi / 2, -pi / 2])
def test_a_spin_on_the_spot_turns_by_what_odometry_says(angle):
    """On hard tyres with friction 1 it hopped and turned by a fifth of it."""
    with mecano.connect(FOLDER) as robot:
        robot.base.turn(angle)
        odometry, truth = robot.base.pose, robot.truth.base_pose()
    assert truth.yaw == pytest.approx(odometry.yaw, rel=0.03)
    assert abs(truth.x) < 0.03 and abs(truth.y) < 0.03


@pytest.mark.slow
def test_the_program_lifts_the_cube(capsys):
    seen = {}
    connect = mecano.connect

    def watched(*args, **options):
        robot = connect(*args, **options)
        robot.session.observers.append(
            lambda _: seen.update(
                cube=robot.truth.body_pose("cube").position, tool=robot.truth.tool_pose().position
            )
        )
        return robot

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mecano, "connect", watched)
        runpy.run_path(str(EXAMPLE / "pick.py"))
    assert "holding something" in capsys.readouterr().out
    assert seen["cube"][2] == pytest.approx(0.775, abs=0.01)
    assert seen["cube"] == pytest.approx(seen["tool"], abs=0.03)
