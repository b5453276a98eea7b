"""What a robot and its parts say of themselves, and what a wrong name is answered with."""

import copy

import pytest

import mecano
from mecano.core.errors import MecanoError


@pytest.fixture(scope="module")
def crumb():
    with mecano.connect("crumb", scene="empty") as robot:
        yield robot


@pytest.fixture(scope="module")
def romerin():
    with mecano.connect("romerin") as robot:
        yield robot


@pytest.fixture(scope="module")
def madar():
    with mecano.connect("madar") as robot:
        yield robot


def test_a_robot_tells_its_name_time_and_parts(crumb):
    told = repr(crumb)
    assert told == (
        f"<Robot 'crumb' (simulated, {crumb.time:.2f} s): arm (5 joints), gripper (1 joint), base, "
        "camera camera>"
    )


def test_a_closed_robot_says_so():
    with mecano.connect("madar_base") as robot:
        robot.wait(0.1)
    assert "(simulated, 0.10 s, closed)" in repr(robot)


def test_every_part_tells_kind_name_joints_and_state(crumb, romerin, madar):
    for robot in (crumb, romerin, madar):
        for name, part in robot.parts.items():
            told = repr(part)
            assert told.startswith(f"<{type(part).__name__} '{name}': ")
            assert told.endswith("; at rest>")
            assert "\n" not in told
    assert "arm_2_joint -1.261 rad" in repr(crumb.arm)
    assert "mode position" in repr(crumb.arm)
    assert "pads 41.2 mm apart" in repr(crumb.gripper)
    assert "wheels wheel_left_joint, wheel_right_joint, odometry x 0.000 m" in repr(crumb.base)
    assert "6 legs, 18 joints, 6 of 6 cups hold" in repr(romerin.legs)
    assert "6 of 6 cups hold" in repr(romerin.cups)
    assert repr(romerin.legs[1]).startswith("<Leg 1: tip at ")
    assert repr(romerin.cups[2]).startswith("<Cup 2: holding, pull ")
    assert "on arm 'right', 16 joints, fingers index, middle, ring, thumb" in repr(madar.hand)


def test_a_part_in_motion_is_moving(crumb):
    motion = crumb.arm.move_joints([0.3, -1.2, -1.0, 0.0, 0.0], wait=False)
    assert repr(crumb.arm).endswith("; moving>")
    assert repr(motion).endswith("Motion: in progress>")
    motion.wait()
    assert "Motion: reached after" in repr(motion)
    assert repr(crumb.arm).endswith("; at rest>")


@pytest.mark.parametrize("part", ["hand", "legs", "cups", "imu"])
def test_a_missing_part_says_what_there_is_and_suggests_nothing(crumb, part):
    with pytest.raises(mecano.MissingPart) as error:
        getattr(crumb, part)
    assert str(error.value) == f"crumb has no {part}; it has: arm, gripper, base, camera"
    assert isinstance(error.value, MecanoError)
    assert not hasattr(crumb, part)


@pytest.mark.parametrize(
    ("typo", "meant"),
    [("grippr", "gripper"), ("bse", "base"), ("wiat", "wait"), ("truht", "truth"), ("amr", "arm")],
)
def test_a_misspelt_name_suggests_the_near_one(crumb, typo, meant):
    with pytest.raises(mecano.MissingPart, match=rf"did you mean '{meant}'\?"):
        getattr(crumb, typo)


def test_what_a_robot_lacks_is_not_suggested(madar, romerin):
    for robot, typo in ((madar, "grippr"), (madar, "leg"), (romerin, "hnds"), (romerin, "bas")):
        with pytest.raises(mecano.MissingPart) as error:
            getattr(robot, typo)
        assert "did you mean" not in str(error.value)


def test_a_misspelt_key_of_the_parts_suggests_the_near_one(madar):
    with pytest.raises(mecano.MissingPart, match="did you mean 'right hand'"):
        madar.parts["rigth hand"]


def test_private_names_are_plain_attribute_errors(crumb):
    with pytest.raises(AttributeError) as error:
        crumb._nothing  # noqa: B018
    assert not isinstance(error.value, MecanoError)
    copy.copy(crumb)  # looks for special methods


def test_the_first_hand_is_the_hand(madar):
    assert madar.hand is madar.hands["right"]
