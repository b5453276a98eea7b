"""Parts found from the tree: arms, grippers, wheels, legs."""

import numpy as np
import pytest
from robot_files import arm_urdf, cart_urdf, dog_urdf, write_urdf

from mecano.importing.convert import convert
from mecano.importing.structure import find_structure
from mecano.importing.tree import Tree
from mecano.importing.urdf import read_urdf


def structure_of(folder, text: str, **wishes):
    draft = convert(read_urdf(write_urdf(folder, text)), folder)
    return find_structure(draft, Tree(draft.compile()), {}, **wishes)


def test_arm_with_gripper(tmp_path):
    found = structure_of(tmp_path, arm_urdf())
    (chain,) = found.chains
    assert chain.joints == ("pan", "lift", "elbow", "w1", "w2", "w3") and chain.kind == "arm"
    gripper = found.grippers["arm"]
    assert (gripper.joint, gripper.joints) == ("grip", ("grip", "grip_2"))
    assert gripper.open == pytest.approx(0.03) and gripper.width_open == pytest.approx(0.06)
    assert not found.free


def test_nose_of_the_tool_points_to_the_finger_tips(tmp_path):
    (chain,) = structure_of(tmp_path, arm_urdf()).chains
    assert chain.tool.body == "tool0"
    np.testing.assert_allclose(chain.tool.T_body_tool[:3, 0], [0, 0, 1], atol=1e-9)


@pytest.mark.parametrize(("wheels", "kind"), [(2, "differential"), (4, "skid-steered")])
def test_wheels_make_a_base(tmp_path, wheels, kind):
    found = structure_of(tmp_path, cart_urdf(wheels))
    assert found.base is not None and found.free
    assert found.base.kind == kind and len(found.base.wheels) == wheels
    assert all(wheel.radius == pytest.approx(0.1, rel=0.01) for wheel in found.base.wheels)
    assert found.base.wheels[0].centre[1] > 0 > found.base.wheels[-1].centre[1]
    assert len(found.base.casters) == (2 if wheels == 2 else 0)


def test_legs_make_a_robot_that_stands(tmp_path):
    found = structure_of(tmp_path, dog_urdf())
    assert found.free and [chain.kind for chain in found.chains] == ["leg"] * 4
    assert {chain.name for chain in found.chains} == {
        "left_front_leg", "right_front_leg", "left_hind_leg", "right_hind_leg",
    }  # fmt: skip


def test_guess_of_freedom_can_be_overruled(tmp_path):
    found = structure_of(tmp_path, cart_urdf(4), free=False)
    assert not found.free and found.base is None
