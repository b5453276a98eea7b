"""Scenes: by name, by path, and what is said when one cannot be had."""

import numpy as np
import pytest

from mecano.core.errors import InvalidInput, UnknownName
from mecano.world import World, assemble, scenes

BALL = """<mujoco><worldbody><body name="ball" pos="0 0 1"><freejoint/>
<geom size="0.1"/></body></worldbody></mujoco>"""


def written(folder, text: str, name: str = "scene.xml"):
    file = folder / name
    file.write_text(text)
    return file


@pytest.mark.parametrize("name", scenes.names())
def test_every_scene_of_ours_compiles_and_stands_still(name):
    world = World(assemble([], scene=name))
    world.step(500)
    assert abs(world.data.qvel).max(initial=0.0) < 1e-3


def test_the_names_hold_the_arms_bench():
    assert "table" in scenes.names()


@pytest.mark.parametrize("as_text", [True, False])
def test_a_scene_loads_by_path(tmp_path, as_text):
    file = written(tmp_path, BALL)
    world = World(assemble([], scene=str(file) if as_text else file))
    assert "ball" in world.names("body")


def test_a_scene_may_be_a_file_in_the_working_folder(tmp_path):
    written(tmp_path, BALL, "mine.xml")
    assert "ball" in World(assemble([], scene="mine.xml")).names("body")


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownName, match=r"known scenes: .*table") as caught:
        scenes.load("tabel")
    assert "did you mean 'table'" in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidInput, match=r"no scene file .*nowhere\.xml"):
        scenes.load(tmp_path / "nowhere.xml")


@pytest.mark.parametrize("text", ["", "no xml", "<mujoco><worldbody>", "<urdf/>", "<mujoco><x/>"])
def test_a_broken_file_is_refused_on_one_line(tmp_path, text):
    file = written(tmp_path, text, "broken.xml")
    with pytest.raises(InvalidInput, match=r"broken\.xml") as caught:
        World(assemble([], scene=file))
    assert "\n" not in str(caught.value)


def test_a_file_that_reads_but_does_not_compile_is_refused(tmp_path):
    text = """<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>"""
    with pytest.raises(InvalidInput, match="does not compile") as caught:
        World(assemble([], scene=written(tmp_path, text)))
    assert "\n" not in str(caught.value)


def test_a_folder_is_not_a_scene(tmp_path):
    with pytest.raises(InvalidInput, match="no scene file"):
        scenes.load(tmp_path)


@pytest.mark.parametrize("version", [scenes.FORMAT + 1, 99])
def test_a_newer_format_says_to_update(tmp_path, version):
    text = f"""<mujoco><custom><numeric name="mecano_scene_format" data="{version}"/></custom>
    </mujoco>"""
    with pytest.raises(InvalidInput, match=f"scene format {version}.*update Mecano"):
        scenes.load(written(tmp_path, text))


def test_a_file_without_a_format_is_the_first_version(tmp_path):
    assert scenes.load(written(tmp_path, BALL)).body("ball") is not None


def test_an_older_file_goes_through_the_migrations(tmp_path, monkeypatch):
    monkeypatch.setattr(scenes, "FORMAT", 3)
    seen = []
    steps = {1: lambda spec: seen.append((1, spec)), 2: lambda spec: seen.append((2, spec))}
    monkeypatch.setattr(scenes, "_MIGRATIONS", steps)
    spec = scenes.load(written(tmp_path, BALL))
    assert [number for number, _ in seen] == [1, 2]
    assert all(given is spec for _, given in seen)


URDF = """
<robot name="gate">
  <link name="post"/>
  <link name="wing">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual><geometry><box size="0.05 0.05 0.3"/></geometry></visual>
    <collision><geometry><box size="0.05 0.05 0.3"/></geometry></collision>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="post"/><child link="wing"/><origin xyz="1 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/>
  </joint>
</robot>"""


def test_a_urdf_is_a_scene_with_links_and_joints(tmp_path):
    from mecano import connect

    file = tmp_path / "gate.urdf"
    file.write_text(URDF)
    with connect("crumb", scene=file) as robot:
        assert "hinge" in robot.world.names("joint")
        np.testing.assert_allclose(robot.world.model.joint("hinge").range, [-1.0, 1.0])
        np.testing.assert_allclose(robot.truth.body_pose("wing").position, [1.0, 0.0, 0.5])


def test_every_scene_has_a_line_that_says_what_is_in_it():
    assert set(scenes.TITLES) == set(scenes.names())
