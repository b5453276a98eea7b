"""Groups of legs in the air together: which, and whether the other cups carry the robot."""

from functools import cache

import numpy as np
import pytest

import mecano
from mecano.lab.robot import Robot
from mecano.planning.adhesion import ReleaseReason
from mecano.planning.adhesion_groups import foresee_lift, lifted_together, worst_lift
from mecano.planning.gaits import GAITS, gaits_for


@cache
def shared(scene: str) -> Robot:
    return mecano.connect("romerin", scene=scene)


@pytest.fixture
def wall() -> Robot:
    robot = shared("wall")
    robot.reset()
    robot.wait(0.3)
    return robot


def state(robot: Robot) -> dict:
    return robot.legs._adhesion_state(robot.cups.holding)


def loosen(robot: Robot, number: int) -> None:
    leg = robot.legs[number]
    assert robot.cups.release(number).done
    leg.move_to(leg.tip + np.array([0.0, 0.0, 0.03]))
    robot.wait(0.3)


def test_legs_of_a_group_are_in_the_air_together_and_overlapping_slots_join_groups():
    assert lifted_together(GAITS["tripod"]) == ((2, 4, 6), (1, 3, 5))
    assert lifted_together(GAITS["wave"]) == ((3,), (2,), (1,), (4,), (5,), (6,))
    assert lifted_together(GAITS["ripple"]) == ((3, 6), (6, 2), (2, 5), (5, 1), (1, 4), (4, 3))


@pytest.mark.parametrize("legs", [6, 8, 10])
def test_legs_in_the_air_together_are_those_of_the_clock(legs):
    for gait in gaits_for(legs).values():
        sets = {tuple(sorted(each)) for each in lifted_together(gait)}
        for t in np.linspace(0.0, gait.cycle, 977):
            up = (t - gait.starts()) % gait.cycle < gait.slot - 1e-6
            in_air = set((np.flatnonzero(up) + 1).tolist())
            assert any(in_air <= set(each) for each in sets)


@pytest.mark.slow
def test_group_of_one_leg_is_the_forecast_of_its_release(wall):
    for leg in range(1, 7):
        found = foresee_lift(wall.legs.adhesion, [leg], **state(wall))
        assert found is not None
        np.testing.assert_array_equal(
            found.worst.utilisation, wall.cups.can_release(leg).utilisation
        )


@pytest.mark.slow
def test_more_legs_in_the_air_never_load_cups_less(wall):
    shares = []
    for group in ([2], [2, 4], [2, 4, 6]):
        found = foresee_lift(wall.legs.adhesion, group, **state(wall))
        assert found is not None and found.safe and found.legs == tuple(group)
        shares.append(found.share)
    assert shares == sorted(shares)


@pytest.mark.slow
def test_forces_left_by_a_group_carry_the_whole_weight(wall):
    found = foresee_lift(wall.legs.adhesion, [2, 4, 6], **state(wall))
    assert found is not None and found.worst.after is not None
    total = found.worst.after.sum(axis=0)
    assert np.linalg.norm(total) == pytest.approx(2.40 * 9.81, rel=0.03)
    assert (found.worst.after[[1, 3, 5]] == 0.0).all()


@pytest.mark.slow
def test_group_that_leaves_two_feet_says_how_many_are_left(wall):
    loosen(wall, 1)
    found = worst_lift(wall.legs.adhesion, GAITS["tripod"], state(wall))
    assert found is not None and not found.safe
    assert found.worst.reason is ReleaseReason.TOO_FEW
    assert found.message == (
        "lifting legs 2, 4, 6: 2 cups would be left to hold, at least 3 are needed"
    )


@pytest.mark.slow
def test_group_that_overloads_names_cup_and_share(wall):
    loosen(wall, 1)
    found = worst_lift(wall.legs.adhesion, GAITS["ripple"], state(wall))
    assert found is not None and not found.safe and found.share > 1.0
    words = f"would load cup 5 to {100 * found.share:.0f} % of its hold"
    assert found.message == f"lifting legs 6, 2 {words}"


@pytest.mark.slow
def test_legs_that_do_not_hold_are_not_lifted(wall):
    loosen(wall, 1)
    assert foresee_lift(wall.legs.adhesion, [1], **state(wall)) is None
    found = foresee_lift(wall.legs.adhesion, [1, 3], **state(wall))
    assert found is not None and found.legs == (3,)
