"""MJCF files as collections have them: with a scene, shared folders, and leftovers of both."""

import re

import pytest
from mjcf_samples import ARM, FOOT

from mecano.importing import UnreadableRobot, import_robot


def written(folder, text: str, name: str = "robot.xml"):
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    (folder / "assets" / "foot.obj").write_text(FOOT)
    file = folder / name
    file.write_text(text)
    return file


def in_world(text: str) -> str:
    """Return the arm with more in its world."""
    return ARM.replace("<worldbody>", f"<worldbody>{text}")


DOOR = (
    '<body name="door" pos="1 0 .5"><joint name="hinge" axis="0 0 1"/><geom size=".1 .1 .1" '
    'type="box"/><body pos="0 0 .1"><joint name="latch"/><geom name="knob" size=".02"/>'
    '<site name="hook"/></body></body><site name="nail" pos="0 0 1"/>'
)
"""Something of the scene with two joints that nothing drives."""
MORE = (
    '<tendon><spatial name="rope"><site site="hook"/><site site="nail"/></spatial></tendon>'
    '<sensor><framepos objtype="geom" objname="knob"/><jointpos joint="hinge"/>'
    '<framepos objtype="body" objname="hand" reftype="site" refname="nail"/></sensor>'
)


def test_what_nothing_drives_is_the_scene(tmp_path):
    text = in_world(DOOR)
    text = text[: text.index("<keyframe>")] + MORE + "</mujoco>"
    robot = import_robot(written(tmp_path, text), tmp_path / "out")
    assert robot.chains["arm"][0] == ("shoulder", "elbow", "wrist")
    model = (robot.folder / "model.xml").read_text()
    assert "door" not in model and "rope" not in model and "knob" not in model
    assert "scene-left-out" in {each.code for each in robot.findings}


def test_defaults_of_several_files_are_one(tmp_path):
    (tmp_path / "common.xml").write_text(
        '<mujocoinclude><default><geom friction="2 .1 .1"/><joint damping="3"/></default>'
        "</mujocoinclude>"
    )
    text = ARM.replace(
        "<asset>", '<include file="common.xml"/><default><geom density="500"/></default><asset>'
    )
    robot = import_robot(written(tmp_path, text), tmp_path / "out")
    model = (robot.folder / "model.xml").read_text()
    assert 'friction="2 .1 .1" density="500"' in model


def test_meshes_may_lie_beside_the_folder(tmp_path):
    written(tmp_path, "")
    text = ARM.replace('meshdir="assets"', 'meshdir="../assets"')
    (tmp_path / "xmls").mkdir()
    (tmp_path / "xmls" / "arm.xml").write_text(text)
    robot = import_robot(tmp_path / "xmls" / "arm.xml", tmp_path / "out")
    assert (robot.folder / "assets" / "foot.obj").is_file()


def test_a_missing_mesh_outside_is_missing_not_forbidden(tmp_path):
    text = ARM.replace('meshdir="assets"', 'meshdir="../../elsewhere"')
    with pytest.raises(UnreadableRobot, match="is not there"):
        import_robot(written(tmp_path, text), tmp_path / "out")


def test_what_hangs_on_the_world_by_joints_is_not_free(tmp_path):
    """A planar walker: its trunk slides and turns; a free joint besides is refused."""
    legs = "".join(
        f'<body name="thigh{n}" pos="{x} 0 -.1"><joint name="hip{n}" axis="0 1 0" range="-1 1"/>'
        '<geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03"/><body pos="0 0 -.3">'
        f'<joint name="knee{n}" axis="0 1 0" range="-1 1"/>'
        '<geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03"/></body></body>'
        for n, x in (("a", 0.2), ("b", -0.2))
    )
    motors = "".join(f'<motor joint="{j}{n}" gear="100"/>' for n in "ab" for j in ("hip", "knee"))
    text = (
        '<mujoco model="planar"><compiler angle="radian"/><worldbody><body name="trunk" '
        'pos="0 0 .75"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" '
        'axis="0 0 1"/><joint name="turn" axis="0 1 0"/><geom type="box" size=".3 .1 .1"/>'
        f"{legs}</body></worldbody><actuator>{motors}</actuator></mujoco>"
    )
    robot = import_robot(written(tmp_path, text), tmp_path / "out")
    assert not robot.structure.free and len(robot.chains) == 2
    assert set(robot.structure.passive) == {"x", "z", "turn"}


def test_an_included_file_may_have_any_root(tmp_path):
    (tmp_path / "more.xml").write_text('<parts><body name="lamp"><geom size=".1"/></body></parts>')
    robot = import_robot(
        written(tmp_path, in_world('<include file="more.xml"/>')), tmp_path / "out"
    )
    assert robot.chains["arm"][0] == ("shoulder", "elbow", "wrist")


def test_assets_may_be_named_from_the_folder_of_an_included_file(tmp_path):
    file = written(tmp_path, ARM)
    asset = re.search(r"<asset>.*?</asset>", ARM, re.DOTALL)
    assert asset is not None
    (tmp_path / "parts").mkdir()
    named = asset[0].replace('file="foot.obj"', 'file="../assets/foot.obj"')
    assert named != asset[0]
    (tmp_path / "parts" / "assets.xml").write_text(f"<mujocoinclude>{named}</mujocoinclude>")
    text = ARM.replace(asset[0], '<include file="parts/assets.xml"/>')
    file.write_text(text.replace('meshdir="assets"', ""))
    assert import_robot(file, tmp_path / "out").chains["arm"][0][0] == "shoulder"


def test_one_joint_alone_is_a_robot(tmp_path):
    file = tmp_path / "pendulum.xml"
    file.write_text(
        '<mujoco model="pendulum"><worldbody><body name="rod"><joint name="pivot" axis="0 1 0"/>'
        '<geom type="capsule" size=".01" fromto="0 0 0 0 0 -.5"/></body></worldbody></mujoco>'
    )
    assert import_robot(file, tmp_path / "out").chains["arm"][0] == ("pivot",)


def test_a_tendon_that_loses_a_part_of_its_path_goes_with_the_scene(tmp_path):
    rope = (
        '<tendon><spatial name="rope"><site site="nail"/><site site="hook"/><site site="own"/>'
        "</spatial></tendon></mujoco>"
    )
    own = '<site name="own"/>'
    text = in_world(DOOR).replace('<body name="hand"', f'{own}<body name="hand"', 1)
    assert own in text
    robot = import_robot(written(tmp_path, text.replace("</mujoco>", rope)), tmp_path / "out")
    assert "rope" not in (robot.folder / "model.xml").read_text()
