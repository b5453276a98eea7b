"""Legs steered by hand: wishes, gaits, heights, cups."""

import pytest

import mecano
from mecano.core.errors import UnknownName
from mecano.operate.steering import Steering, switch_cup
from mecano.operate.teleop import Teleop


@pytest.fixture
def robot():
    with mecano.connect("romerin", scene="wall") as connected:
        connected.cups.attach()
        yield connected


def go_on(robot, keeper, seconds: float) -> None:
    for _ in range(round(seconds / 0.1)):
        keeper.keep()
        robot.wait(0.1)


def test_a_wish_walks_until_it_is_stopped(robot):
    steering = Steering(robot.legs)
    assert steering.go("forward") == "forward, tripod, 40 mm/s"
    go_on(robot, steering, 2.0)
    assert robot.legs.walking.gone > 0.02 and steering.walking
    steering.stop()
    go_on(robot, steering, 2.0)
    assert not steering.walking and robot.cups.holding.all()


@pytest.mark.slow
def test_another_wish_waits_until_all_feet_are_down(robot):
    steering = Steering(robot.legs)
    steering.go("forward")
    first = robot.legs.walking
    robot.wait(0.5)
    assert "as soon as all feet are down" in steering.go("turn left")
    steering.keep()
    assert robot.legs.walking is first
    go_on(robot, steering, 3.0)
    assert first.done and robot.legs.walking is not first
    steering.stop()


def test_a_walk_that_cannot_begin_says_why_once(robot):
    steering = Steering(robot.legs)
    for number in (1, 3, 5, 2):
        robot.cups.release(number, force=True)
    assert "at least 3 feet" in steering.go("forward")
    assert "at least 3 feet" in steering.news() and steering.news() == ""


def test_an_unknown_way_lists_the_known_ones(robot):
    with pytest.raises(UnknownName, match="turn left"):
        Steering(robot.legs).go("up")


def test_leaving_does_not_end_the_walk_of_a_program(robot):
    steering = Steering(robot.legs)
    walk = robot.legs.walk(wait=False)
    steering.leave()
    robot.wait(2.5)
    assert not walk.done
    walk.stop()


def test_a_broken_cup_takes_hold_when_it_is_switched_on(robot):
    drive = robot.cups.drive
    drive._broken[0] = True
    drive._let_go(0, "break")
    switch_cup(robot, 1, True)
    robot.wait(0.1)
    assert robot.cups[1].holding


def test_in_a_walk_the_gait_switches_the_cups(robot):
    robot.legs.walk(wait=False)
    result = switch_cup(robot, 2, False)
    assert not result.done and "the gait switches" in result.message


# --- keys


def test_keys_change_gait_speed_and_height(robot):
    keys = Teleop(robot)
    assert keys.press("g") == "ripple from the next walk on"
    assert "16.4 mm/s" in keys.press("-")
    assert keys.press("r") == "body 130 mm high from the next walk on"
    for _ in range(20):
        keys.press("f")
    assert keys.press("f") == "body 95 mm high from the next walk on"


def test_a_digit_switches_a_cup(robot):
    keys = Teleop(robot)
    assert keys.press("2") == "cup 2 is off" and not robot.cups.holding[1]
    assert keys.press("2") == "cup 2 is on"


def test_an_unknown_key_stops_the_walk(robot):
    keys = Teleop(robot)
    keys.press("i")
    robot.wait(0.5)
    keys.press("?")
    go_on(robot, keys, 3.0)
    assert robot.legs.at_rest()


def test_a_torn_cup_is_an_alarm(robot):
    keys = Teleop(robot)
    assert keys.new_alarm() == ""
    robot.cups.drive._let_go(0, "break")
    assert "cup 1 was torn off" in keys.new_alarm()
    assert keys.new_alarm() == ""


def test_the_state_of_the_whole_robot_has_all_joints_and_the_imu(robot):
    state = robot.state()
    assert len(state.joints.name) == 18 and state.commanded.name == state.joints.name
    assert state.imu is not None and state.base is None and state.odometry is None
