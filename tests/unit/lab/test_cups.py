"""Cups as a user has them: on with an explanation, off only if the robot stays up."""

import numpy as np
import pytest

import mecano
from mecano.core.devices import CupState
from mecano.core.errors import InvalidInput
from mecano.core.grips import Suction
from mecano.lab.robot import Robot
from mecano.planning.adhesion import ReleaseReason
from mecano.topics.codec import decode, encode

BODY = "romerin/body_link"
UP = np.array([0.0, 0.0, 0.03])


def robot_on(scene: str, **options) -> Robot:
    robot = mecano.connect("romerin", scene=scene, **options)
    robot.wait(0.2)
    return robot


@pytest.fixture
def wall() -> Robot:
    return robot_on("wall")


# On


def test_attach_holds_what_is_near(wall):
    wall.cups.release(2)
    result = wall.cups.attach(2)[0]
    assert result.done and result.message == "leg 2: done" and wall.cups[2].holding


def test_attach_of_all_answers_for_each(wall):
    assert [result.leg for result in wall.cups.attach()] == [1, 2, 3, 4, 5, 6]
    assert [result.leg for result in wall.cups.attach([3, 1])] == [3, 1]


def test_attach_says_how_far_the_surface_is(wall):
    wall.cups.release(2)
    wall.legs[2].move_to(wall.legs[2].tip + UP)
    wall.wait(0.3)
    result = wall.cups.attach(2)[0]
    assert not result.done and wall.cups[2].state is CupState.SEARCHING
    assert "cup 2 is on but does not hold: the nearest surface is 3" in result.message
    assert "mm away, it takes hold within 7 mm" in result.message


def test_attach_says_that_there_is_nothing():
    robot = robot_on("wall")
    robot.cups.release(1)
    robot.legs[1].move_joints([0.0, 1.9, 2.2])  # its shin points away from the wall
    result = robot.cups.attach(1)[0]
    assert not result.done and "cup 1 is on but does not hold" in result.message


def test_attach_says_that_it_is_an_edge():
    def narrow(spec) -> None:
        spec.geom("floor").pos = [0.0, 0.0, -1.0]
        spec.worldbody.add_geom(type=6, size=[0.5, 0.21, 0.02], pos=[0.0, 0.0, -0.02])

    robot = robot_on("empty", changes=[narrow])
    assert not robot.cups.holding[[1, 4]].any()
    result = robot.cups.attach(2)[0]
    assert not result.done and "part of its lip meets no surface: an edge" in result.message


def test_attach_of_a_torn_cup_says_what_to_do(wall):
    wall.world.data.xfrc_applied[wall.world.index("body", "romerin/leg_2_cup"), 0] = -60.0
    wall.wait(0.02)
    wall.world.data.xfrc_applied[:] = 0.0
    assert wall.cups[2].state is CupState.BROKEN
    assert "it was torn off; switch it off and on again" in wall.cups.attach(2)[0].message
    wall.wait(0.5)  # the leg swings back
    assert wall.cups.release(2).done and wall.cups[2].state is CupState.OFF


# Off


def test_release_is_done_where_the_others_hold(wall):
    result = wall.cups.release(2)
    assert result.done and not wall.cups[2].holding
    wall.wait(0.5)
    assert wall.cups.holding.sum() == 5


def test_release_down_to_two_cups_is_refused_with_the_reason():
    robot = robot_on("ceiling")
    for leg in (1, 3, 5):
        assert robot.cups.release(leg).done
        robot.wait(0.5)
    result = robot.cups.release(2)
    assert not result.done and robot.cups[2].holding
    assert "cup 2 is kept on: 2 cups would be left to hold, at least 3" in result.message


def test_release_that_overloads_another_cup_is_refused_with_numbers():
    robot = robot_on("ceiling")
    robot.cups.release(1)
    robot.wait(0.3)
    foreseen = robot.cups.can_release(2)
    assert not foreseen.safe
    assert foreseen.reason in (ReleaseReason.OVERLOAD, ReleaseReason.NO_BALANCE)
    result = robot.cups.release(2)
    assert not result.done and robot.cups[2].holding
    assert any(digit in result.message.split(":", 1)[1] for digit in "0123456789")


def test_forced_release_is_done_whatever_is_foreseen():
    robot = robot_on("ceiling")
    for leg in range(1, 7):
        assert robot.cups.release(leg, force=True).done
    before = robot.truth.body_pose(BODY).position[2]
    robot.wait(0.2)
    assert not robot.cups.holding.any()
    assert robot.truth.body_pose(BODY).position[2] < before - 0.1


def test_release_of_a_cup_that_does_not_hold_only_switches_it_off(wall):
    wall.cups.release(2)
    wall.legs[2].move_to(wall.legs[2].tip + UP)
    wall.cups.attach(2)
    assert wall.cups.release(2).done and wall.cups[2].state is CupState.OFF


def test_forecast_is_what_happens(wall):
    foreseen = wall.cups.can_release(4)
    assert foreseen.safe and foreseen.margin > 0.0
    wall.cups.forget_peaks()
    wall.cups.release(4)
    wall.wait(1.0)
    assert wall.cups.peaks.max() <= foreseen.utilisation.max() * 1.1 + 0.01
    assert wall.cups.holding.sum() == 5


def test_forecast_changes_nothing(wall):
    before = wall.state_hash()
    for leg in range(1, 7):
        wall.cups.can_release(leg)
    assert wall.state_hash() == before and wall.cups.holding.all()


def test_forecast_knows_of_other_grippers(wall):
    strong = wall.cups.can_release(4).utilisation.max()
    wall.cups.set_law(Suction(pull=7.5, shear=15.0))
    assert wall.cups.can_release(4).utilisation.max() == pytest.approx(2.0 * strong, rel=0.01)


# Readings


def test_margins_are_what_is_left(wall):
    drive = wall.cups.drive
    np.testing.assert_allclose(wall.cups.margins, 1.0 - drive.share)
    for cup in wall.cups:
        assert cup.margin == pytest.approx(1.0 - max(max(cup.pull, 0.0) / 15.0, cup.shear / 30.0))


def test_cup_that_is_off_carries_nothing(wall):
    wall.cups.release(2)
    wall.wait(0.1)
    cup = wall.cups[2]
    assert (cup.pull, cup.shear, cup.moment, cup.margin) == (0.0, 0.0, 0.0, 1.0)


def test_distance_of_a_cup_that_holds_is_next_to_nothing(wall):
    assert all(abs(cup.distance) < 0.002 for cup in wall.cups)


@pytest.mark.parametrize("number", [0, 7, True, "2"])
def test_cup_that_there_is_not_is_refused(wall, number):
    with pytest.raises(InvalidInput, match="cups are numbered like legs, 1 to 6"):
        wall.cups.release(number)
    with pytest.raises(InvalidInput, match="cups are numbered like legs, 1 to 6"):
        wall.cups[number]


def test_the_whole_state_tells_what_the_cups_carry(wall):
    state = wall.state()
    assert state.cups is not None and state.cups.words == ("holding",) * 6
    np.testing.assert_allclose(1.0 - state.cups.share, wall.cups.margins)
    again = decode(*encode(state))
    np.testing.assert_allclose(again.cups.pull, state.cups.pull)


def test_releases_without_time_between_them_are_refused():
    """What the others carry is known only after a cup has let go."""
    robot = robot_on("ceiling")
    robot.wait(0.3)
    assert robot.cups.release(1).done
    second = robot.cups.release(2)
    assert not second.done and "only just let go" in second.message
    with pytest.raises(InvalidInput, match="only just let go"):
        robot.cups.can_release(4)
    robot.wait(0.02)
    assert robot.cups.can_release(4) is not None


def test_what_is_no_law_and_no_yes_is_refused(wall):
    with pytest.raises(InvalidInput, match="law of grips"):
        wall.cups.set_law("magnet")
    for name in ("reattach", "unbreakable"):
        with pytest.raises(InvalidInput, match=f"{name} is 'yes'"):
            setattr(wall.cups, name, "yes")


def test_a_walk_and_a_corner_need_feet_that_hold():
    robot = robot_on("ceiling")
    robot.wait(0.3)
    robot.cups.release(1)
    with pytest.raises(InvalidInput, match="cups 1 do not hold"):
        robot.legs.cross_corner(0.3)
    for cup in (3, 4):
        robot.cups.release(cup, force=True)
    with pytest.raises(InvalidInput, match="would leave 2 feet"):
        robot.legs.walk(0.05, gait="wave")
