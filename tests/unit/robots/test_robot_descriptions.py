"""Every robot and part: it loads, it is complete, and what it says about itself is true."""

from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from mecano import robots
from mecano.core.errors import InvalidInput, UnknownName, UserCodeFailed
from mecano.robots import Erratum, RobotDescription

NAMES = robots.ROBOTS + robots.PARTS
every_robot = pytest.mark.parametrize("name", NAMES)
every_chain = pytest.mark.parametrize(
    ("name", "chain"), [(name, chain) for name in NAMES for chain in robots.get(name).chains]
)


@every_robot
def test_description_is_found_by_its_name(name):
    description = robots.get(name)
    assert isinstance(description, RobotDescription)
    assert description.name == name


def test_every_folder_is_a_robot_or_a_part():
    source = Path(robots.__file__).parent
    folders = {path.parent.name for path in source.glob("*/description.py")}
    variants = {v for name in NAMES for v in list(robots.get(name).variants.values())[1:]}
    assert folders == set(NAMES) - variants


def test_no_name_is_both_a_robot_and_a_part():
    assert len(set(NAMES)) == len(NAMES)


def test_unknown_robot_lists_the_known_ones():
    with pytest.raises(UnknownName) as caught:
        robots.get("r2d2")
    for name in NAMES:
        assert name in str(caught.value)
    assert caught.value.known == NAMES


def test_nearly_right_name_is_guessed():
    with pytest.raises(UnknownName, match="did you mean 'open_manipulator_x'"):
        robots.get("open_manipulator")


@pytest.mark.parametrize("name", ["", "description", "open_manipulator_x.description"])
def test_name_of_anything_else_is_refused(name):
    with pytest.raises(UnknownName):
        robots.get(name)


@pytest.mark.parametrize("thing", [None, 5, b"crumb", ["crumb"]])
def test_what_is_no_robot_is_refused(thing):
    with pytest.raises(
        InvalidInput, match="a folder, a URDF, xacro or MJCF file, or a RobotDescription"
    ):
        robots.get(thing)


def test_description_is_its_own_name():
    own = robots.get("crumb")
    assert robots.get(own) is own


def test_folder_with_a_description_is_a_robot(tmp_path):
    (tmp_path / "description.py").write_text(
        "from dataclasses import replace\n"
        "from mecano.robots.two_link.description import DESCRIPTION as OLD\n"
        "DESCRIPTION = replace(OLD, name='mine')\n"
    )
    assert robots.get(tmp_path).name == robots.get(str(tmp_path)).name == "mine"


def test_folder_without_a_description_says_how_to_make_one(tmp_path):
    with pytest.raises(InvalidInput, match="mecano import"):
        robots.get(tmp_path)


@pytest.mark.parametrize("code", ["DESCRIPTION = 5", "x = 1"])
def test_file_that_describes_nothing_is_refused(tmp_path, code):
    (tmp_path / "description.py").write_text(code)
    with pytest.raises(InvalidInput, match="RobotDescription"):
        robots.get(tmp_path)


@pytest.mark.parametrize("code", ["1 / 0", "def", "import nothing_of_that_name"])
def test_file_that_fails_is_named_with_its_error(tmp_path, code):
    (tmp_path / "description.py").write_text(code)
    with pytest.raises(UserCodeFailed, match=r"description\.py"):
        robots.get(tmp_path)


def test_plug_in_is_found_by_its_entry_point(monkeypatch):
    value = "mecano.robots.two_link.description:DESCRIPTION"
    entry = EntryPoint(name="husky", value=value, group=robots.GROUP)
    monkeypatch.setattr(robots, "plugins", lambda: {"husky": entry})
    assert robots.get("husky") is robots.get("two_link")


@every_robot
def test_title_tells_more_than_the_name(name):
    description = robots.get(name)
    assert description.title != description.name
    assert description.summary.endswith(".")


@every_robot
def test_folder_holds_the_description(name):
    assert (robots.get(name).folder / "description.py").is_file()


@every_robot
def test_folder_holds_a_readme(name):
    assert (robots.get(name).folder / "README.md").is_file()


@every_robot
def test_servos_belong_to_joints_of_the_chains(name):
    description = robots.get(name)
    joints = {joint for chain in description.chains.values() for joint in chain.joint_names}
    assert set(description.servos) <= joints


def test_gripper_of_open_manipulator_x_opens_to_80_millimetres():
    # Vendor's model: the pads are 42 mm apart at zero and each moves from -10 mm to 19 mm.
    gripper = robots.get("open_manipulator_x").gripper
    assert gripper is not None
    widths = [gripper.width(value) for value in (gripper.closed, 0.0, gripper.open)]
    assert widths == pytest.approx([0.022, 0.042, 0.080])
    assert [gripper.value(width) for width in widths] == pytest.approx([-0.010, 0.0, 0.019])


@every_robot
def test_sources_are_given(name):
    assert robots.get(name).sources


@every_chain
def test_chain_is_called_what_its_key_says(name, chain):
    assert robots.get(name).chains[chain].name == chain


@every_robot
def test_first_chain_is_the_default(name):
    description = robots.get(name)
    if not description.chains:
        with pytest.raises(InvalidInput, match="has no arm"):
            description.chain()
        return
    assert description.chain() is next(iter(description.chains.values()))


@every_robot
def test_unknown_chain_lists_the_known_ones(name):
    description = robots.get(name)
    if not description.chains:
        return
    with pytest.raises(UnknownName, match=f"known chains: {', '.join(description.chains)}"):
        description.chain("tail")


@every_chain
def test_joint_names_differ(name, chain):
    names = robots.get(name).chain(chain).joint_names
    assert len(set(names)) == len(names)


@every_chain
def test_lower_limits_are_below_upper_limits(name, chain):
    dh = robots.get(name).chain(chain).dh
    assert (dh.lower < dh.upper).all()


def test_every_erratum_is_complete():
    for name in NAMES:
        for erratum in robots.get(name).errata:
            assert isinstance(erratum, Erratum)
            assert all((erratum.where, erratum.printed, erratum.correct, erratum.evidence))


def test_stretched_posture_of_open_manipulator_x_reaches_furthest_forward():
    arm = robots.get("open_manipulator_x").chain()
    stretched = arm.postures["stretched"]
    tool = arm.forward(stretched)[:3, 3]
    rng = np.random.default_rng(70)
    others = arm.forward(rng.uniform(arm.dh.lower, arm.dh.upper, (20_000, 4)))[:, :3, 3]
    assert arm.pitch(stretched) == pytest.approx(0.0, abs=1e-12)
    assert tool[0] > others[:, 0].max() - 0.003
