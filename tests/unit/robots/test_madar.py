"""MADAR's facts: wheels, arms, hands, levels."""

from dataclasses import replace
from math import radians

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano import robots
from mecano.core.errors import InvalidInput, JointLimitViolated, UnknownName
from mecano.kinematics.wheels import omni
from mecano.robots.allegro.description import POSTURES, hand, postures
from mecano.robots.madar.description import BASE, CHAINS, DESCRIPTION, HANDS, mirror

LAYOUT = BASE.layout
both_sides = pytest.mark.parametrize("side", ["right", "left"])

# Base. The paper's matrices (2.1), E.13 and table E.1, with its distance of 0.29 m.

PAPER = omni(
    radius=0.1,
    distance=0.29,
    angles=[radians(deg) for deg in (180, 300, 420)],
    names=("one", "two", "three"),
)


def test_rates_are_the_papers_matrix():
    expected = [[0, 10, -2.9], [-8.6603, -5, -2.9], [8.6603, -5, -2.9]]
    np.testing.assert_allclose(PAPER.to_rates, expected, atol=1e-4)


def test_twist_is_the_papers_inverse():
    expected = [
        [0, -0.057735, 0.057735],
        [0.066667, -0.033333, -0.033333],
        [-0.114943, -0.114943, -0.114943],
    ]
    np.testing.assert_allclose(PAPER.to_twist, expected, atol=1e-6)
    assert np.linalg.cond(PAPER.to_rates) == pytest.approx(2.44, abs=0.005)


def test_papers_test_of_one_second_ends_at_one_one():
    np.testing.assert_allclose(PAPER.rates([1, 1, 0]), [10, -13.6603, 3.6603], atol=1e-4)
    np.testing.assert_allclose(PAPER.twist([10, -13.6603, 3.6603]), [1, 1, 0], atol=1e-4)


def test_our_distance_is_that_of_the_drawing():
    np.testing.assert_allclose(LAYOUT.to_rates[:, 2], -2.905, atol=1e-9)


def test_equal_rates_turn_the_base_clockwise():
    twist = LAYOUT.twist([1, 1, 1])
    assert twist[2] < 0 and abs(twist[:2]).max() < 1e-12


@given(twist=st.tuples(*[st.floats(-1, 1)] * 3))
def test_wheels_undo_what_the_twist_asks(twist):
    np.testing.assert_allclose(LAYOUT.twist(LAYOUT.rates(twist)), twist, atol=1e-12)


def test_base_can_do_every_motion():
    assert LAYOUT.missing == ()


def test_speeds_of_the_facts_are_what_the_wheels_allow():
    fastest = [BASE.limits.wheel_speed / abs(LAYOUT.to_rates[:, i]).max() for i in range(3)]
    np.testing.assert_allclose(fastest, [0.302, 0.262, 0.901], atol=0.001)
    assert BASE.limits.speed <= fastest[0] and BASE.limits.turn <= fastest[2]


def test_omni_wheels_need_a_name_each():
    with pytest.raises(InvalidInput, match="3 angles and 2 names"):
        omni(radius=0.1, distance=0.3, angles=[0, 1, 2], names=["a", "b"])


def test_encoders_count_millidegrees():
    assert round(2 * np.pi / BASE.counter.per_tick) == 360_000 and BASE.rate == 250


def test_lidars_look_where_the_sheet_says():
    assert [lidar.site for lidar in BASE.lidars] == ["tim_front", "tim_left", "tim_right"]


# Arms


@both_sides
def test_arm_has_the_makers_table(side):
    rows = CHAINS[side].dh.joints
    assert [row.d for row in rows] == [0.089159, 0, 0, 0.10915, 0.09465, 0.0823]
    assert [row.a for row in rows] == [0, -0.425, -0.39225, 0, 0, 0]
    np.testing.assert_allclose(
        [row.alpha for row in rows], np.pi / 2 * np.array([1, 0, 0, 1, -1, 0])
    )
    assert all(row.name.startswith(f"{side}_") for row in rows)


def test_carry_holds_flat_hands_parallel_to_the_base():
    # Sheet of the scenes, 4.1: contact points at (0.52, -+0.15, 0.92).
    for side, y in (("right", -0.15), ("left", 0.15)):
        tool = CHAINS[side].forward(CHAINS[side].postures["carry"])
        np.testing.assert_allclose(tool[:3, 3], [0.52, y, 0.92], atol=1e-5)
        np.testing.assert_allclose(tool[:3, :3], np.eye(3), atol=1e-5)


def test_sheet_seed_of_the_carry_is_20_mm_further_on():
    seed = (0.463, -1.039, 1.826, 2.354, -0.463, -0.785)
    np.testing.assert_allclose(CHAINS["right"].forward(seed)[:3, 3], [0.54, -0.15, 0.92], atol=1e-3)


@given(q=st.tuples(*[st.floats(-3, 3)] * 6))
def test_mirrored_joints_mirror_the_tool(q):
    flip = np.diag([1.0, -1.0, 1.0])
    right = CHAINS["right"].forward(q)
    left = CHAINS["left"].forward(mirror(q))
    np.testing.assert_allclose(left[:3, 3], flip @ right[:3, 3], atol=1e-9)
    np.testing.assert_allclose(left[:3, :3], flip @ right[:3, :3] @ flip, atol=1e-9)


def test_mirroring_twice_changes_nothing():
    q = (0.3, -1.0, 1.5, 2.0, -0.4, 0.7)
    np.testing.assert_allclose(mirror(mirror(q)), q, atol=1e-12)


def test_both_arms_have_the_same_postures():
    right, left = CHAINS["right"].postures, CHAINS["left"].postures
    assert set(right) == set(left) and {"home", "ready", "carry"} <= set(right)


def test_every_joint_of_the_arms_has_a_motor():
    joints = [joint for chain in CHAINS.values() for joint in chain.joint_names]
    assert list(DESCRIPTION.servos) == joints
    torques = [DESCRIPTION.servos[joint].torque for joint in joints]
    assert torques == [150, 150, 150, 28, 28, 28] * 2


# Hands


@both_sides
def test_hand_has_sixteen_joints_by_finger(side):
    facts = HANDS[side]
    assert facts.joints == tuple(f"{side}_joint_{k}" for k in range(16))
    assert [finger.name for finger in facts.fingers] == ["index", "middle", "ring", "thumb"]
    assert facts.finger("thumb").joints[0] == f"{side}_joint_12"
    assert len(facts.bodies) == 1 + 16 + 4


@both_sides
def test_hand_postures_are_inside_the_limits(side):
    facts = HANDS[side]
    assert {"open", "flat", "home", "power", "pinch"} <= set(facts.postures)
    for values in facts.postures.values():
        facts.check(values)


def test_left_hand_spreads_its_fingers_mirrored():
    left = postures("left")["home"]
    assert left[8] == -POSTURES["home"][8] != 0.0
    assert left[1:4] == POSTURES["home"][1:4] and left[12:] == POSTURES["home"][12:]


def test_synergy_goes_from_one_posture_to_the_other():
    facts = HANDS["right"]
    np.testing.assert_allclose(facts.between("flat", "power", 0.0), facts.posture("flat"))
    np.testing.assert_allclose(facts.between("flat", "power", 1.0), facts.posture("power"))
    with pytest.raises(InvalidInput, match="share of the way"):
        facts.between("flat", "power", 1.2)


def test_wrong_names_list_the_right_ones():
    facts = HANDS["left"]
    with pytest.raises(UnknownName, match="index, middle, ring, thumb"):
        facts.finger("little")
    with pytest.raises(UnknownName, match="pinch"):
        facts.posture("fist")


@pytest.mark.parametrize("values", [[0.0] * 15, [np.nan] * 16, "flat", None])
def test_hand_refuses_what_are_no_joint_values(values):
    with pytest.raises(InvalidInput, match="takes 16 finite joint values"):
        HANDS["right"].check(values)


def test_hand_names_the_joint_that_leaves_its_range():
    with pytest.raises(JointLimitViolated) as caught:
        HANDS["right"].check([0.0] * 16)  # the thumb begins at 0.263
    assert caught.value.joint == "right_joint_12"


def test_hand_with_a_limit_missing_is_refused():
    with pytest.raises(InvalidInput, match="16 joints and 15 limits"):
        replace(hand("right"), limits=hand("right").limits[:15])


# Levels


def test_variants_are_robots():
    for name in DESCRIPTION.variants.values():
        assert robots.get(name).model is not None
    assert next(iter(DESCRIPTION.variants.values())) == "madar"


def test_base_alone_has_no_arms():
    base = robots.get("madar_base")
    assert not base.chains and not base.hands and base.base is BASE


def test_errata_cover_every_part_of_the_paper():
    places = " ".join(erratum.where for erratum in DESCRIPTION.errata)
    assert len(DESCRIPTION.errata) == 28
    for appendix in "ACDEFHJKN":
        assert f"appendix {appendix}" in places or f"equations {appendix}" in places
