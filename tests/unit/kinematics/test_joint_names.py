"""Joint names as people read them."""

import pytest

from mecano import robots
from mecano.kinematics.joint_names import short_joint_names


@pytest.mark.parametrize("side", ["right", "left"])
def test_the_side_and_the_word_joint_go(side):
    assert short_joint_names(robots.get("madar").chain(side)) == (
        "shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3",
    )  # fmt: skip


def test_names_that_share_neither_stay():
    chain = robots.get("open_manipulator_x").chain(None)
    assert short_joint_names(chain) == tuple(chain.joint_names)


@pytest.mark.parametrize("name", robots.ROBOTS)
def test_no_two_joints_become_one(name):
    for chain in robots.get(name).chains.values():
        assert len(set(short_joint_names(chain))) == len(chain.joint_names)
