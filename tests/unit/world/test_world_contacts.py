"""Contact settings of scenes: what users leave out is set, what makes wheels slide is named."""

from math import hypot, pi
from pathlib import Path

import mujoco
import pytest

import mecano
from mecano.core import notices
from mecano.lab.robot import Robot
from mecano.parts.results import DriveResult
from mecano.world import scenes
from mecano.world.assembly import assemble
from mecano.world.physics import PhysicsSettings
from mecano.world.world import World

FLOOR = '<geom name="floor" type="plane" size="5 5 0.1" {}/>'


@pytest.fixture(autouse=True)
def _nothing_said(monkeypatch):
    monkeypatch.setattr(notices, "_SAID", set())


def scene(folder: Path, attributes: str = "", more: str = "") -> Path:
    file = folder / "yard.xml"
    floor = FLOOR.format(attributes)
    file.write_text(f"<mujoco><worldbody>{floor}{more}</worldbody></mujoco>")
    return file


def solref(spec: mujoco.MjSpec, name: str) -> tuple[float, float]:
    return tuple(World(spec).model.geom(name).solref.tolist())


def creep_of_a_turn(robot: Robot) -> float:
    """Return how far the base slides while it turns by 90 degrees on the spot [mm]."""
    before = robot.truth.base_pose()
    assert isinstance(result := robot.base.turn(pi / 2), DriveResult)
    assert result.reached
    after = robot.truth.base_pose()
    return 1000 * hypot(after.x - before.x, after.y - before.y)


# --- what users leave out


@pytest.mark.slow
@pytest.mark.parametrize("start", ["home", "look"])
@pytest.mark.parametrize("variant", [None, "mast"])
def test_crumb_turns_on_the_spot_on_the_floor_of_a_user(tmp_path, start, variant):
    with mecano.connect("crumb", scene=scene(tmp_path), start=start, variant=variant) as robot:
        assert max(creep_of_a_turn(robot) for _ in range(3)) < 1.0


@pytest.mark.slow
def test_crumb_turns_on_the_spot_on_a_floor_that_a_change_adds():
    def raised_floor(spec: mujoco.MjSpec) -> None:
        box = mujoco.mjtGeom.mjGEOM_BOX
        spec.worldbody.add_geom(name="carpet", type=box, size=[3, 3, 0.05], pos=[0, 0, -0.049])

    with mecano.connect("crumb", scene="empty", changes=[raised_floor], start="look") as robot:
        assert creep_of_a_turn(robot) < 1.0


@pytest.mark.slow
def test_without_our_setting_the_same_floor_lets_it_slide(tmp_path):
    keep = mecano.Settings.load(None, {"physics.contact_time": 0.02})
    with mecano.connect("crumb", scene=scene(tmp_path), settings=keep, start="look") as robot:
        assert creep_of_a_turn(robot) > 10.0


def test_shapes_at_the_default_are_set_and_named_once(tmp_path, capsys):
    file = scene(tmp_path, more='<body name="crate"><freejoint/><geom size="0.1"/></body>')
    spec = assemble([], scene=file)
    assert solref(spec, "floor") == (0.004, 1.0)
    assert World(spec).model.geom_solref[1].tolist() == [0.004, 1.0]
    said = capsys.readouterr().err
    assert "scene yard.xml: floor, a shape of 'crate' had MuJoCo's default" in said
    assemble([], scene=file)
    assert capsys.readouterr().err == ""


def test_the_time_constant_is_a_setting(tmp_path):
    spec = assemble([], scene=scene(tmp_path), physics=PhysicsSettings(contact_time=0.006))
    assert solref(spec, "floor") == (0.006, 1.0)


def test_what_only_is_seen_stays(tmp_path, capsys):
    file = scene(
        tmp_path, 'solref="0.004 1"', '<geom name="a" size="1" contype="0" conaffinity="0"/>'
    )
    assert solref(assemble([], scene=file), "a") == (0.02, 1.0)
    assert capsys.readouterr().err == ""


def test_shapes_of_robots_stay(tmp_path, capsys):
    with mecano.connect("romerin", scene=scene(tmp_path, 'solref="0.004 1"')) as robot:
        assert robot.world.model.geom_solref[:, 0].max() == 0.02  # what is only seen
        cups = [name for name in robot.world.names("geom") if "cup" in name]
        assert {robot.world.model.geom(name).solref[0] for name in cups} >= {0.015}
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", scenes.names())
def test_our_own_scenes_leave_nothing_to_say(name, capsys):
    assemble([], scene=name)
    assert capsys.readouterr().err == ""


# --- what users set otherwise


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ('solref="0.03 1"', 'floor has solref "0.03 1", softer'),
        ('solref="-5000 -100"', 'floor has solref "-5000 -100", softer'),
        ('solref="0.004 1" condim="4"', "floor has condim 4"),
        ('solref="0.004 1" priority="2"', "floor has contact priority 2"),
        ('solref="0.004 1" margin="0.01"', "floor has a margin of 10 mm"),
    ],
)
def test_values_that_wheels_slide_on_stay_and_are_named(tmp_path, capsys, attributes, said):
    spec = assemble([], scene=scene(tmp_path, attributes))
    text = capsys.readouterr().err
    assert said in text
    assert text.count("\n") == 1
    wanted = mujoco.MjSpec.from_string(
        f"<mujoco><worldbody>{FLOOR.format(attributes)}</worldbody></mujoco>"
    )
    assert solref(spec, "floor") == solref(wanted, "floor")


@pytest.mark.parametrize(
    "attributes", ['solref="0.002 1"', 'solref="0.01 1"', 'solref="-1e5 -900"']
)
def test_values_that_wheels_hold_on_need_no_word(tmp_path, capsys, attributes):
    assemble([], scene=scene(tmp_path, attributes))
    assert capsys.readouterr().err == ""


def test_objects_to_grasp_may_have_four_directions_of_friction(tmp_path, capsys):
    cube = '<body><freejoint/><geom size="0.1" condim="4" priority="1" solref="0.002 1"/></body>'
    assemble([], scene=scene(tmp_path, 'solref="0.004 1"', cube))
    assert capsys.readouterr().err == ""


def test_many_shapes_are_named_in_one_line(tmp_path, capsys):
    walls = "".join(f'<geom name="wall_{i}" size="0.1" pos="{i} 0 0"/>' for i in range(20))
    assemble([], scene=scene(tmp_path, 'solref="0.004 1"', walls))
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "wall_0, wall_1, wall_2, wall_3, wall_4, wall_5 and 14 more had" in said
