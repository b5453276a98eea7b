"""A robot's folder with a mistake in it: `connect` says in one line which, and raises no other."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import mecano
from mecano.core.errors import MecanoError

ROBOT = Path(__file__).parents[3] / "examples" / "husky_ur10" / "robot"
MESH = '<asset><mesh name="m" file="{}"/></asset><worldbody>'


def replaced(file: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1))

    return edit


def described(old: str, new: str) -> Callable[[Path], None]:
    return replaced("description.py", old, new)


def written(file: str, content: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / file).write_bytes(content)

    return write


def no_model(folder: Path) -> None:
    (folder / "model.xml").unlink()


def no_description(folder: Path) -> None:
    (folder / "description.py").unlink()
    (folder / "model.xml").unlink()


def folder_for_model(folder: Path) -> None:
    no_model(folder)
    (folder / "model.xml").mkdir()


def empty_mesh(folder: Path) -> None:
    (folder / "assets").mkdir()
    (folder / "assets" / "empty.stl").touch()
    replaced("model.xml", "<worldbody>", MESH.format("empty.stl"))(folder)


BROKEN = {
    "no model": (no_model, "model.xml is not there"),
    "model is a folder": (folder_for_model, "model.xml is not there"),
    "model empty": (written("model.xml", b""), "MuJoCo can read"),
    "model no XML": (written("model.xml", b"hello"), "MuJoCo can read"),
    "model binary": (written("model.xml", bytes(range(256))), "MuJoCo can read"),
    "model without bodies": (written("model.xml", b"<mujoco/>"), "has no bodies"),
    "model of another name": (
        described('model="model.xml"', 'model="other.xml"'),
        "other.xml is not there",
    ),
    "model is a number": (described('model="model.xml"', "model=5"), "model is 5"),
    "include missing": (
        replaced("model.xml", "<worldbody>", '<include file="gone.xml"/><worldbody>'),
        "gone.xml",
    ),
    "mesh missing": (
        replaced("model.xml", "<worldbody>", MESH.format("gone.stl")),
        "mesh 'm' of model.xml",
    ),
    "mesh empty": (empty_mesh, "empty.stl is empty"),
    "no description": (no_description, "has no description.py"),
    "description empty": (written("description.py", b""), "must define DESCRIPTION"),
    "description raises": (
        described("HALF_TRACK = 0.564", "HALF_TRACK = 1 / 0"),
        "ZeroDivisionError: division by zero (description.py, line 96)",
    ),
    "description no Python": (written("description.py", b"def ("), "SyntaxError"),
    "description binary": (written("description.py", b"\x00\xff"), "null bytes"),
    "description exits": (written("description.py", b"raise SystemExit(0)"), "SystemExit"),
    "error of two lines": (written("description.py", b"raise OSError('a\\nb')"), "OSError: a b"),
    "unknown field": (described('scene="empty"', 'scen="empty"'), "'scen'"),
    "folder is a text": (
        described("folder=Path(__file__).parent", "folder=str(Path(__file__).parent)"),
        "expected a path",
    ),
    "chains are a list": (described('chains={"arm": ARM}', "chains=[ARM]"), "chains by name"),
    "name is a number": (described('name="husky_ur10"', "name=10"), "name is 10"),
    "camera is a number": (described('scene="empty"', "cameras=(1,)"), "cameras[0] is 1"),
    "mjcf raises": (described('model="model.xml"', "mjcf=lambda: 1 / 0"), "mjcf() of 'husky_ur10'"),
    "mjcf returns nothing": (described('model="model.xml"', "mjcf=lambda: None"), "returned None"),
    "mjcf writes no XML": (described('model="model.xml"', 'mjcf=lambda: "x"'), "mjcf()"),
    "joint not in model": (
        replaced("model.xml", 'name="elbow"', 'name="elbo"'),
        "no joint 'elbow', which the description names for chain 'arm'",
    ),
    "finger not in model": (
        described('bodies=("left_finger"', 'bodies=("left_fingr"'),
        "did you mean 'left_finger'?",
    ),
    "wheel not in model": (
        described('name="front_left_wheel"', 'name="front_left"'),
        "for the wheels of the base",
    ),
    "frame not in model": (described('frame="base_footprint"', 'frame="bas"'), "no body 'bas'"),
    "motor missing": (described('    "wrist_3": (56.0, 3.142),\n', ""), "joint 'wrist_3'"),
    "no motion limits": (
        described('    limits=LIMITS["arm"],\n    chain_limits=LIMITS,\n', ""),
        "has no motion limits",
    ),
    "posture too short": (described("(0.0, -2.2,", "("), "has 4 values, expected 6"),
    "posture not finite": (described("(0.0, -2.2,", '(0.0, float("nan"),'), "finite numbers"),
    "tick of zero": (described('scene="empty"', "tick=0.0"), "tick [s] is 0"),
    "scene misspelt": (described('scene="empty"', 'scene="emty"'), "did you mean 'empty'?"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_folder_is_refused_in_one_line(kind, tmp_path):
    damage, said = BROKEN[kind]
    folder = tmp_path / "robot"
    shutil.copytree(ROBOT, folder)
    damage(folder)
    with pytest.raises(MecanoError) as error:
        mecano.connect(folder)
    message = str(error.value)
    assert said in message
    assert "\n" not in message
    assert len(message) < 700
    assert not re.search(r"the robot was stopped|Traceback", message)


def test_a_description_without_a_model_says_what_still_works(tmp_path):
    folder = tmp_path / "robot"
    shutil.copytree(ROBOT, folder)
    described('model="model.xml"', "model=None")(folder)
    with pytest.raises(MecanoError, match=r"no model to simulate, only kinematics: `mecano fk`"):
        mecano.connect(folder)


def test_an_undamaged_copy_connects(tmp_path):
    shutil.copytree(ROBOT, tmp_path / "robot")
    with mecano.connect(tmp_path / "robot") as robot:
        assert tuple(robot.parts) == ("arm", "gripper", "base")
