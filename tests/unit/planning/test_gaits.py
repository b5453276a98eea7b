"""Gaits as clocks, ways of the body as motions, swings that stay off the surface."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput, UnknownName
from mecano.planning.gaits import GAITS, Gait, find_gait, gaits_for, moved, swing_point
from mecano.robots.romerin.description import TRIPODS

POINTS = np.random.default_rng(1).uniform(-0.3, 0.3, (6, 3))
every_gait = pytest.mark.parametrize("gait", GAITS.values(), ids=GAITS)
twists = st.tuples(st.floats(-0.1, 0.1), st.floats(-0.1, 0.1), st.floats(-1.0, 1.0)).map(np.array)
times = st.floats(-5.0, 5.0)
few = settings(max_examples=40)


def in_slot(gait: Gait, time: float) -> np.ndarray:
    """Which legs are in their slot at a time of the clock."""
    return (time - gait.starts()) % gait.cycle < gait.slot - 1e-9


# Clocks


@every_gait
def test_every_leg_has_one_slot_in_a_cycle(gait):
    assert sorted(leg for group in gait.groups for leg in group) == [1, 2, 3, 4, 5, 6]
    starts = gait.starts()
    assert starts.shape == (6,) and starts.min() == 0.0 and starts.max() < gait.cycle


@every_gait
def test_parts_of_a_step_fill_its_slot(gait):
    assert gait.shed + gait.swing + gait.landing == pytest.approx(gait.slot)
    assert gait.slot + gait.stance == pytest.approx(gait.cycle)
    assert gait.swing > 0.0 and gait.stance > 0.0


@pytest.mark.parametrize(("name", "most"), [("wave", 1), ("ripple", 2), ("tripod", 3)])
def test_at_most_so_many_legs_step_at_once(name, most):
    gait = GAITS[name]
    counts = [in_slot(gait, t).sum() for t in np.linspace(0.0, 2 * gait.cycle, 2001)]
    assert max(counts) == most


def test_tripods_are_those_of_the_robot_and_alternate():
    gait = GAITS["tripod"]
    assert gait.groups == TRIPODS
    for t in np.linspace(0.0, gait.cycle, 50, endpoint=False):
        legs = tuple(np.flatnonzero(in_slot(gait, t)) + 1)
        assert legs == (TRIPODS[0] if t < 0.5 * gait.cycle else TRIPODS[1])


@pytest.mark.parametrize("name", ["wave", "ripple"])
def test_slow_gaits_never_lift_two_legs_of_one_side(name):
    gait = GAITS[name]
    for t in np.linspace(0.0, gait.cycle, 500):
        up = in_slot(gait, t)
        assert up[:3].sum() <= 1 and up[3:].sum() <= 1


def test_starts_are_in_the_order_of_leg_numbers():
    np.testing.assert_allclose(GAITS["wave"].starts(), [1.6, 0.8, 0.0, 2.4, 3.2, 4.0])
    np.testing.assert_allclose(GAITS["tripod"].starts(), [1.0, 0.0, 1.0, 0.0, 1.0, 0.0])


def test_longer_cycle_keeps_times_of_shedding_and_landing():
    slow = GAITS["tripod"].with_cycle(4.0)
    assert slow.slot == 2.0 and slow.shed == GAITS["tripod"].shed
    assert slow.swing == pytest.approx(2.0 - slow.shed - slow.landing)


# Any even number of legs

pairs = st.integers(2, 12).map(lambda half: 2 * half)


@few
@given(pairs)
def test_every_leg_has_one_slot_for_any_number_of_legs(legs):
    for gait in gaits_for(legs).values():
        assert sorted(leg for group in gait.groups for leg in group) == list(range(1, legs + 1))
        starts = gait.starts()
        assert starts.shape == (legs,) and starts.min() == 0.0 and starts.max() < gait.cycle


@few
@given(pairs)
def test_at_least_three_feet_are_always_down(legs):
    for gait in gaits_for(legs).values():
        lifted = max(in_slot(gait, t).sum() for t in np.linspace(0.0, gait.cycle, 997))
        assert legs - lifted >= 3


@few
@given(pairs)
def test_slower_gaits_come_first_and_stride_no_further_than_feet_have_room(legs):
    gaits = list(gaits_for(legs).values())
    assert [g.speed for g in gaits] == sorted(g.speed for g in gaits)
    assert all(g.speed * g.stance <= 0.0481 for g in gaits)  # 30 mm around each foothold


@few
@given(pairs)
def test_wave_runs_from_the_rear_to_the_front_of_each_side(legs):
    starts = gaits_for(legs)["wave"].starts()
    left, right = starts[: legs // 2], starts[legs // 2 :]
    assert (np.diff(left) < 0.0).all() and (np.diff(right) > 0.0).all()
    assert left.max() < right.min()


@few
@given(pairs)
def test_neighbours_never_step_together_in_the_alternating_gait(legs):
    for group in list(gaits_for(legs).values())[-1].groups:
        assert not any(leg % legs + 1 in group for leg in group)


def test_gaits_are_named_after_the_legs_that_step_together():
    assert list(gaits_for(4)) == ["wave"]  # two of four feet do not carry a body
    assert list(gaits_for(6)) == ["wave", "ripple", "tripod"]
    assert list(gaits_for(8)) == ["wave", "ripple", "tetrapod"]
    assert list(gaits_for(10))[-1] == "alternating"


def test_six_legs_have_the_times_measured_on_the_prototype():
    rows = {name: (g.groups, g.cycle, g.slots, g.speed) for name, g in GAITS.items()}
    assert rows == {
        "wave": (((3,), (2,), (1,), (4,), (5,), (6,)), 4.8, 1.0, 0.012),
        "ripple": (((3,), (6,), (2,), (5,), (1,), (4,)), 3.2, 2.0, 0.018),
        "tripod": (((2, 4, 6), (1, 3, 5)), 2.0, 1.0, 0.04),
    }


@pytest.mark.parametrize("legs", [0, 2, 3, 5, 7, -4, True, 4.0, "six"])
def test_odd_or_too_few_legs_have_no_gaits(legs):
    with pytest.raises(InvalidInput, match="gaits are for 4, 6, 8 or more legs in pairs"):
        gaits_for(legs)


# Refusals


def test_gait_of_other_legs_is_refused_with_both_numbers():
    with pytest.raises(InvalidInput, match=r"'tripod' moves legs \[1, 2, 3, 4, 5, 6\], .* 1 to 8"):
        find_gait(GAITS["tripod"], gaits_for(8))


def test_unknown_gait_lists_the_known_ones():
    with pytest.raises(UnknownName, match=r"no gait named 'trot'; known gaits: wave, ripple"):
        find_gait("trot")


def test_own_gait_is_taken_as_it_is():
    own = GAITS["wave"].with_cycle(9.0)
    assert find_gait(own) is own


def test_cycle_without_time_to_swing_is_refused_with_numbers():
    with pytest.raises(InvalidInput, match=r"a slot of 0.30 s leaves no time .* take 0.35 s"):
        GAITS["tripod"].with_cycle(0.6)


@pytest.mark.parametrize("cycle", [0.0, -1.0, math.nan, 100.0])
def test_cycle_that_is_none_is_refused(cycle):
    with pytest.raises(InvalidInput, match="cycle"):
        GAITS["tripod"].with_cycle(cycle)


# Motions


@given(twist=twists, first=times, second=times)
@few
def test_motions_of_one_twist_compose(twist, first, second):
    there = moved(moved(POINTS, twist, second), twist, first)
    np.testing.assert_allclose(there, moved(POINTS, twist, first + second), atol=1e-7)


@given(twist=twists, time=times)
@few
def test_motion_back_is_the_inverse(twist, time):
    np.testing.assert_allclose(moved(moved(POINTS, twist, time), twist, -time), POINTS, atol=1e-7)
    np.testing.assert_allclose(moved(moved(POINTS, twist, time), -twist, time), POINTS, atol=1e-7)


@given(twist=twists, time=times)
@few
def test_motion_keeps_distances_and_heights(twist, time):
    there = moved(POINTS, twist, time)
    np.testing.assert_allclose(there[:, 2], POINTS[:, 2])
    np.testing.assert_allclose(
        np.linalg.norm(there - there[0], axis=1), np.linalg.norm(POINTS - POINTS[0], axis=1)
    )


@given(twist=twists)
@few
def test_motion_begins_with_the_twist(twist):
    step = 1e-6
    speed = (moved(POINTS, twist, step) - moved(POINTS, twist, -step)) / (2 * step)
    vx, vy, wz = twist
    expected = [vx - wz * POINTS[:, 1], vy + wz * POINTS[:, 0], np.zeros(6)]
    np.testing.assert_allclose(speed, np.transpose(expected), atol=1e-7)


def test_points_are_not_changed():
    before = POINTS.copy()
    moved(POINTS, np.array([0.1, 0.0, 0.5]), 1.0)
    np.testing.assert_array_equal(POINTS, before)


# Swings

START, GOAL, LIFT = np.array([0.1, 0.2, 0.0]), np.array([0.16, 0.18, 0.01]), np.array([0, 0, 0.025])
parts = st.floats(0.0, 1.0)


def test_swing_begins_and_ends_where_it_should():
    np.testing.assert_array_equal(swing_point(START, GOAL, LIFT, LIFT, 0.0), START)
    np.testing.assert_array_equal(swing_point(START, GOAL, LIFT, LIFT, 1.0), GOAL)


@given(part=parts)
@few
def test_swing_stays_off_the_surface(part):
    height = swing_point(START, GOAL, LIFT, LIFT, part)[2]
    assert -1e-12 <= height <= GOAL[2] + LIFT[2] + 1e-12


@given(part=st.floats(0.0, 0.15))
@few
def test_swing_leaves_straight_away_from_the_surface(part):
    np.testing.assert_allclose(swing_point(START, GOAL, LIFT, LIFT, part)[:2], START[:2])


@given(part=parts)
@few
def test_swing_to_another_surface_leaves_along_one_normal_and_comes_along_the_other(part):
    wall, onto = np.array([0.3, 0.2, 0.2]), np.array([-0.025, 0.0, 0.0])
    point = swing_point(START, wall, LIFT, onto, part)
    assert point[2] >= -1e-12 and point[0] <= wall[0] + 1e-12


@given(part=st.floats(0.0, 0.999))
@few
def test_swing_has_no_jumps(part):
    step = swing_point(START, GOAL, LIFT, LIFT, part + 1e-3) - swing_point(
        START, GOAL, LIFT, LIFT, part
    )
    assert np.linalg.norm(step) < 4e-4  # 0.4 m/s if the swing took a second


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_swing_starts_and_ends_at_rest(end):
    near = abs(end - 1e-3)
    step = swing_point(START, GOAL, LIFT, LIFT, near) - swing_point(START, GOAL, LIFT, LIFT, end)
    assert np.linalg.norm(step) < 1e-8
