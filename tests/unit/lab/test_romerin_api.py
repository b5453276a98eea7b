"""The thesis's interface to ROMERIN: its calls, its units, its answers, on right kinematics."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mecano
from mecano.core.errors import InvalidInput
from mecano.lab.robot import Robot
from mecano.robots.romerin.api import (
    ElbowPos,
    Joint,
    Leg,
    Pata,
    RomerinAPI,
    cup_signal,
    thesis_names,
)
from mecano.robots.romerin.api_slew import SpeedLimited
from mecano.robots.romerin.description import CHAINS

NAMES = thesis_names()
TABLE = (  # fact sheet: body frame [mm], elbow up and down [deg]
    (2, (25, 250, -40), (-25.579, 23.572, -75.192), (-25.579, -67.759, 75.192)),
    (4, (-275, -40, 0), (0.739, 49.488, -92.555), (0.739, -64.862, 92.555)),
    (6, (25, -225, 68), (-7.908, 93.101, -107.763), (-7.908, -42.986, 107.763)),
)


@pytest.fixture(scope="module")
def shared():
    with mecano.connect("romerin", start="rest") as robot:
        yield robot


@pytest.fixture
def robot(shared) -> Robot:
    shared.reset()
    RomerinAPI(shared)._slew.speed[:] = 7.33
    return shared


@pytest.fixture
def api(robot) -> RomerinAPI:
    return RomerinAPI(robot)


def tip_from_physics(robot: Robot, leg: int) -> np.ndarray:
    """Where the tip truly is in the true frame of the body [mm]."""
    body = robot.truth.body_pose("romerin/body_link")
    tip = robot.truth.place(f"romerin/tip_{leg}")
    return 1000.0 * body.inverse().transform_points(tip)


# Kinematics


@pytest.mark.parametrize(("leg", "point", "up", "down"), TABLE)
def test_inverse_gives_the_angles_of_table_5_1(api, leg, point, up, down):
    chosen = api.leg(leg)
    in_leg = 1000.0 * chosen.chain.to_leg(np.array(point) / 1000.0)
    assert chosen.getIK_angles(in_leg, ElbowPos.ElbowUp)
    np.testing.assert_allclose(chosen.angles, up, atol=1e-3)
    assert chosen.getIK_angles(in_leg, ElbowPos.ElbowDown)
    np.testing.assert_allclose(chosen.angles, down, atol=1e-3)


def test_forward_of_the_rest_posture_is_below_the_body(api):
    point = api.leg(2).getFK([0, 0, -90])
    assert point[2] == pytest.approx(-96.29) and point[3] == 1.0
    np.testing.assert_array_equal(point, api.leg(2).point)


shares = st.tuples(*[st.floats(0.02, 0.98)] * 3)


@given(leg=st.integers(1, 6), share=shares)
@settings(max_examples=60, deadline=None)
def test_inverse_of_forward_reaches_the_point(shared, leg, share):
    chain = CHAINS[f"leg_{leg}"].dh
    angles = np.degrees(chain.lower + np.array(share) * (chain.upper - chain.lower))
    chosen = RomerinAPI(shared).leg(leg)
    point = chosen.getFK(angles)
    elbow = "up" if angles[2] <= 0.0 else "down"
    assert chosen.getIK_angles(point, elbow)
    np.testing.assert_allclose(chosen.getFK(chosen.angles), point, atol=1e-6)


def test_both_pairs_of_names_of_the_elbow_are_the_same():
    assert ElbowPos.ElbUp is ElbowPos.ElbowUp and ElbowPos.ElbDown is ElbowPos.ElbowDown


# Moves


@pytest.mark.parametrize("listing", [True, False])
def test_both_forms_of_move_leg_bring_the_tip_there(api, robot, listing):
    api.setGripper(2, 0)
    answer = api.moveLeg(2, [25, 250], -40) if listing else api.moveLeg(2, [25, 250, -40])
    assert answer == 1 and robot.time == 0.0 and api.moving
    robot.wait(1.5)
    assert not api.moving
    np.testing.assert_allclose(tip_from_physics(robot, 2), [25, 250, -40], atol=1.0)
    np.testing.assert_allclose(api.getPosition(2)[:3], [25, 250, -40], atol=2.0)  # counts
    assert api.getPosition(2)[3] == 1.0


@pytest.mark.parametrize("point", [[25, 500, -40], [-40, 75, -40]])
def test_point_out_of_reach_is_refused_and_explained(api, robot, point, capsys):
    before = robot.legs.commanded.copy()
    assert api.moveLeg(2, point) == -1
    assert "leg 2 does not reach this point with elbow up" in api.reason
    assert api.reason in capsys.readouterr().err
    robot.wait(0.1)
    np.testing.assert_array_equal(robot.legs.commanded, before)


def test_point_out_of_reach_keeps_the_old_angles(api):
    leg = api.leg(3)
    assert leg.getIK_angles(leg.getFK([-30, 0, -90]))
    before = leg.angles.copy()
    assert not leg.getIK_angles([0, 400, 0])
    np.testing.assert_array_equal(leg.angles, before)
    assert not leg.setPosition([0, 400, 0])


def test_point_for_the_other_elbow_is_said(api):
    leg = api.leg(1)
    point = leg.getFK([0, 100, 60])
    assert leg.getIK_angles(point, ElbowPos.ElbowDown)
    assert not leg.getIK_angles(point, ElbowPos.ElbowUp)
    assert "it can with the elbow down" in leg.reason


def test_angles_in_degrees_are_followed(api, robot):
    api.setGripper(5, 0)
    assert api.setAngles(5, [20, 30, -80]) == 1
    robot.wait(1.5)
    np.testing.assert_allclose(np.degrees(robot.legs[5].position), [20, 30, -80], atol=0.6)


def test_angle_outside_its_range_is_refused(api):
    assert api.setAngles(5, [80, 0, -90]) == -1
    assert api.reason == "motor 1 of leg 5 asked for 80.00 deg, allowed [-30, 70] deg"
    assert not api.moving


def test_speed_cap_is_how_fast_the_target_moves(api, robot):
    api.setGripper(1, 0)
    api.leg(1).setVelocity(0.5, -1, 1.0)
    api.setAngles(1, [20, 30, -40])
    start = robot.legs[1].commanded.copy()
    robot.wait(0.2)
    moved = robot.legs[1].commanded - start
    assert moved[0] == pytest.approx(0.1, abs=1e-9) and moved[2] == pytest.approx(0.2, abs=1e-9)
    assert moved[1] == pytest.approx(math.radians(30))  # 7.33 rad/s as before


def test_speed_cap_changes_a_motion_that_is_going_on(api, robot):
    api.setGripper(1, 0)
    api.setAngles(1, [60, 0, -90])
    robot.wait(0.1)
    api.leg(1).setVelocity(0.1, -1, -1)
    before = robot.legs[1].commanded[0]
    robot.wait(0.1)
    assert robot.legs[1].commanded[0] - before == pytest.approx(0.01)


def test_speed_above_that_of_the_servo_counts_as_that(api):
    api.leg(1).setVelocity(100, -1, -1)
    assert api._slew.speed[0, 0] == 7.33


def test_one_motor_can_be_sent_while_others_are_on_their_way(api, robot):
    api.setGripper(1, 0)
    hip, knee = api.leg(1).joints[0], api.leg(1).joints[2]
    hip.setJointVelocity(1.0)
    assert hip.setJointPosition(0)
    robot.wait(0.1)
    assert knee.setJointPosition(-60)
    robot.wait(1.5)
    assert hip.getJointPosition() == pytest.approx(0.0, abs=0.6)
    assert knee.getJointPosition() == pytest.approx(-60.0, abs=0.6)


def test_commands_between_two_ticks_land_together(api, robot):
    for leg in (2, 4, 6):
        api.setGripper(leg, 0)
        api.setAngles(leg, [math.degrees(robot.legs[leg].commanded[0]), 20, -90])
    robot.session.tick()
    moved = robot.legs.commanded[:, 1]
    assert moved[1] == moved[3] == moved[5] > 0.0 == moved[0]


def test_legs_that_hold_move_the_body(api, robot):
    robot.wait(0.1)
    for leg in range(1, 7):
        x, y, z, _ = api.getPosition(leg)
        api.leg(leg).setVelocity(0.3, 0.3, 0.3)
        assert api.moveLeg(leg, [x - 10, y], z) == 1
    before = robot.truth.body_pose("romerin/body_link").position[0]
    robot.wait(1.0)
    moved = robot.truth.body_pose("romerin/body_link").position[0] - before
    assert robot.cups.holding.all() and moved == pytest.approx(0.010, abs=0.002)


def test_robot_stop_ends_its_motions(api, robot):
    api.setGripper(2, 0)
    api.moveLeg(2, [25, 250, -40])
    robot.wait(0.02)
    robot.stop()
    assert not api.moving


def test_reset_ends_its_motions(api, robot):
    api.setGripper(2, 0)
    api.moveLeg(2, [25, 250, -40])
    robot.wait(0.02)
    robot.reset()
    assert not api.moving and api.setAngles(2, [0, 0, -90]) == 1


def test_it_may_be_used_in_a_behaviour(api, robot):
    answers = []

    def step(robot):
        api.setGripper(2, 0)
        answers.append(api.moveLeg(2, [25, 250, -40]))
        yield lambda: not api.moving
        answers.append(api.getPosition(2))

    robot.run(step)
    robot.wait(2.0)
    assert answers[0] == 1
    np.testing.assert_allclose(answers[1][:3], [25, 250, -40], atol=2.0)


def test_robot_that_walks_is_not_disturbed(api, robot):
    robot.wait(0.1)
    robot.legs.walk(time=5.0, wait=False)
    with pytest.raises(InvalidInput, match="the robot is walking"):
        api.setAngles(2, [0, 0, -90])


# Cups


def test_gripper_is_switched_and_read_back(api, robot):
    robot.wait(0.01)
    assert api.getGripper(3) == 1 and robot.cups.holding[2]
    api.setGripper(3, 0)
    assert api.getGripper(3) == 0 and not robot.cups.holding[2]
    api.setGripper(3, 1)
    robot.wait(0.1)
    assert api.getGripper(3) == 1 and robot.cups.holding[2]


@pytest.mark.parametrize("state", [2, -1, "on"])
def test_other_states_of_a_gripper_are_refused(api, state):
    with pytest.raises(InvalidInput, match=r"allowed: 1 \(on\), 0 \(off\)"):
        api.setGripper(1, state)


# Names


def test_constructor_of_the_thesis_sends_the_hips_to_rest(robot):
    api = RomerinAPI(*NAMES, 0, robot=robot)
    np.testing.assert_allclose(
        [math.degrees(api._slew.target(i)[0]) for i in range(6)], [-40, 0, -30, 30, 0, 40]
    )


def test_constructor_with_a_robot_moves_nothing(api):
    assert not api.moving


def test_our_names_of_joints_are_known_too(robot):
    joint = Joint(robot, "leg_3_joint_1")
    assert joint.getJointPosition() == pytest.approx(-30.0, abs=0.4)


def test_leg_is_bound_by_its_names(robot):
    leg = Pata("Motor1_2", "Motor2_2", "Motor3_2", cup_signal(2), "opposite", None, 0, robot=robot)
    assert isinstance(leg, Leg) and leg.number == 2
    np.testing.assert_allclose(leg.getPosition()[:3], leg.getFK([0, 0, -90])[:3], atol=1.0)


def test_joint_without_a_motor_says_so(robot):
    with pytest.raises(InvalidInput, match="call setJointHandle"):
        Joint(robot).getJointPosition()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda robot: RomerinAPI("Motor1_1", 0, robot=robot), "24 names .* got 2 values"),
        (lambda robot: RomerinAPI(*NAMES, 0), "expected a robot from mecano.connect"),
        (lambda robot: RomerinAPI(*NAMES, -1, robot=robot), "no connection was made"),
        (lambda robot: RomerinAPI(*NAMES, "0", robot=robot), "a client id is a whole number"),
        (
            lambda robot: RomerinAPI(*NAMES[4:8], *NAMES[:4], *NAMES[8:], 0, robot=robot),
            "motor 1 of leg 1 is called 'Motor1_1', got 'Motor1_2'",
        ),
        (
            lambda robot: RomerinAPI(*NAMES[:3], "pad", *NAMES[4:], 0, robot=robot),
            f"the cup of leg 1 has the signal '{cup_signal(1)}', got 'pad'",
        ),
        (lambda robot: Joint(robot, "Motor4_1"), "no motor is called 'Motor4_1'"),
        (
            lambda robot: Leg(*NAMES[:4], side="opposite", robot=robot),
            "the coxa of leg 1 is mounted 'towards'",
        ),
    ],
)
def test_wrong_names_are_explained(robot, make, message):
    with pytest.raises(InvalidInput, match=message):
        make(robot)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda api: api.moveLeg(7, [0, 0, 0]), "there is no leg 7; legs are 1 to 6"),
        (lambda api: api.moveLeg(1, [0, 0]), "a point is x, y, z"),
        (lambda api: api.moveLeg(1, [0, 0, 0], 5), "with z apart"),
        (lambda api: api.moveLeg(1, [0, 0, math.nan]), "point"),
        (lambda api: api.leg(1).getIK_angles([0, 1, 2], "left"), "the elbow is 'left'"),
        (lambda api: api.leg(1).setVelocity(-2, -1, -1), "speed cap"),
        (lambda api: api.setAngles(1, [1, 2]), "angles"),
    ],
)
def test_wrong_values_are_explained(api, call, message):
    with pytest.raises(InvalidInput, match=message):
        call(api)


def test_robot_without_legs_is_refused():
    with (
        mecano.connect("open_manipulator_x") as arm,
        pytest.raises(InvalidInput, match="has no legs"),
    ):
        RomerinAPI(arm)


def test_joint_of_speed_zero_stays():
    move = SpeedLimited(np.zeros(3), np.ones(3), np.array([1.0, 0.0, 2.0]))
    np.testing.assert_allclose(move.at(0.25)[0], [0.25, 0.0, 0.5])
    assert move.duration == math.inf
