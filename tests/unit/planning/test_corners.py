"""The way of ROMERIN through an inner corner: every pose of the plan, leg by leg."""

from functools import cache
from itertools import pairwise
from math import radians

import numpy as np
import pytest

from mecano import robots
from mecano.core.errors import InvalidInput
from mecano.kinematics.leg_set import LegSet
from mecano.planning.corners import (
    KNEE,
    TIP,
    BodyPose,
    FootRules,
    FootStep,
    Surface,
    _marks,
    corner_way,
    plan_corner,
    plan_transition,
)
from mecano.robots.legged import LeggedBody
from mecano.robots.romerin.description import CHAINS

LEGS = tuple(CHAINS.values())
SET = LegSet(LEGS)
AHEAD = 0.33
RULES = FootRules()


def legged() -> LeggedBody:
    found = robots.get("romerin").legged
    assert found is not None
    return found


FACTS = legged()


@cache
def plan() -> tuple:
    """From the floor to the wall, as the robot's own call plans it."""
    found = plan_corner(
        LEGS, FACTS.corner, FACTS.stance(), AHEAD, height=FACTS.height,
        tip_height=FACTS.tip_height, home=FACTS.stance(),
    )  # fmt: skip
    return tuple(found)


@cache
def story() -> tuple:
    """Every state of the plan: pose of the body, feet, their normals, and what led to it."""
    pose, feet = BodyPose(np.eye(3), np.zeros(3)), FACTS.stance()
    normals = np.tile([0.0, 0.0, 1.0], (6, 1))
    told = []
    for action in plan():
        if isinstance(action, FootStep):
            feet, normals = feet.copy(), normals.copy()
            feet[action.leg], normals[action.leg] = action.point, action.normal
        else:
            pose = action
        told.append((pose, feet, normals, action))
    return tuple(told)


def seen(pose: BodyPose, points: np.ndarray) -> np.ndarray:
    return (points - pose.position) @ pose.rotation


# The way of the body


def test_way_is_made_of_small_steps():
    way = corner_way([(0.0, -AHEAD, FACTS.height), *FACTS.corner])
    for one, other in pairwise(way):
        assert np.linalg.norm(other.position - one.position) < 0.005 + 1e-9
        cosine = (np.trace(one.rotation.T @ other.rotation) - 1) / 2
        assert np.arccos(min(cosine, 1.0)) < radians(1.5) + 1e-6


def test_way_goes_through_its_stations():
    stations = [(0.0, -0.3, 0.1), (0.5, -0.2, 0.2), (radians(90), -0.1, 0.3)]
    way = corner_way(stations)
    np.testing.assert_allclose(way[0].position, [-0.3, 0.0, 0.1])
    np.testing.assert_allclose(way[-1].position, [-0.1, 0.0, 0.3])
    np.testing.assert_allclose(way[-1].rotation[:, 0], [0, 0, 1], atol=1e-12)  # nose up
    assert any(np.allclose(pose.position, [-0.2, 0.0, 0.2]) for pose in way)


# The plan


@pytest.mark.slow
def test_every_foot_stays_inside_its_limits_at_every_pose():
    for pose, feet, _, _ in story():
        q = SET.inverse(seen(pose, feet))
        assert np.isfinite(q).all()


@pytest.mark.slow
def test_every_foot_can_be_lifted_where_it_stands():
    for pose, feet, normals, _ in story():
        assert np.isfinite(SET.inverse(seen(pose, feet + 0.015 * normals))).all()


@pytest.mark.slow
def test_shins_stand_steep_on_their_surface():
    for pose, feet, normals, action in story():
        if isinstance(action, FootStep):
            continue  # while it steps, its own old lean is over
        q = SET.inverse(seen(pose, feet))
        for leg, chain in enumerate(LEGS):
            marks = _marks(chain.leg, q[leg][None])[0] @ pose.rotation.T
            along = (marks[TIP] - marks[KNEE]) / chain.leg.shin
            assert -along @ normals[leg] > np.cos(RULES.steep + 1e-6)


def test_legs_keep_their_distance_from_their_neighbours():
    closest = np.inf
    for pose, feet, _, _ in story():
        q = SET.inverse(seen(pose, feet))
        marks = [_marks(chain.leg, row[None])[0] for chain, row in zip(LEGS, q, strict=True)]
        for leg in range(6):
            apart = marks[leg][:, None] - marks[leg - 1][None]
            closest = min(closest, float(np.linalg.norm(apart, axis=-1).min()))
    assert closest >= RULES.apart - 1e-9


def test_feet_keep_off_the_edge_and_lie_on_a_surface():
    for action in plan():
        if isinstance(action, FootStep):
            x = AHEAD - action.point[0] - (FACTS.tip_height if action.normal[0] else 0.0)
            z = action.point[2] + FACTS.height - (0.0 if action.normal[0] else FACTS.tip_height)
            on_wall, on_floor = abs(x) < 1e-9, abs(z) < 1e-9
            assert on_wall != on_floor
            from_edge = action.point[2] + FACTS.height if on_wall else AHEAD - action.point[0]
            assert from_edge >= RULES.edge - 1e-9


def test_feet_stay_on_their_own_side():
    for action in plan():
        if isinstance(action, FootStep):
            side = np.sign(LEGS[action.leg].leg.axis_y)
            assert side * action.point[1] >= RULES.side - 1e-9


def test_it_ends_on_the_wall_in_the_stance_of_the_robot():
    pose, feet, normals, _ = story()[-1]
    np.testing.assert_allclose(normals, np.tile([-1.0, 0.0, 0.0], (6, 1)), atol=1e-12)
    np.testing.assert_allclose(pose.rotation[:, 2], [-1, 0, 0], atol=1e-9)
    assert AHEAD - pose.position[0] == pytest.approx(FACTS.height, abs=1e-9)
    np.testing.assert_allclose(seen(pose, feet), FACTS.stance(), atol=0.008)


def test_front_legs_go_over_first_and_rear_legs_last():
    first = {}
    for number, action in enumerate(plan()):
        if isinstance(action, FootStep) and action.normal[0] < -0.5:
            first.setdefault(action.leg + 1, number)
    assert sorted(first) == [1, 2, 3, 4, 5, 6]
    assert max(first[1], first[6]) < min(first[2], first[5])
    assert max(first[2], first[5]) < min(first[3], first[4])


def test_swings_lead_from_where_a_foot_is_to_above_its_new_place():
    feet = FACTS.stance()
    for action in plan():
        if isinstance(action, FootStep):
            np.testing.assert_allclose(action.swing[0], feet[action.leg], atol=1e-9)
            above = action.point + 0.02 * action.normal
            np.testing.assert_allclose(action.swing[-1], above, atol=1e-6)
            feet[action.leg] = action.point


def test_swings_stay_off_both_surfaces():
    for action in plan():
        if isinstance(action, FootStep):
            assert (action.swing[:, 2] + FACTS.height).min() > FACTS.tip_height - 1e-6
            assert (AHEAD - action.swing[:, 0]).min() > FACTS.tip_height - 1e-6


# Refusals


@pytest.mark.parametrize("ahead", [0.1, 0.7, float("nan")])
def test_distance_that_cannot_be_is_refused(ahead):
    with pytest.raises(InvalidInput, match=r"distance ahead \[m\]"):
        plan_corner(
            LEGS, FACTS.corner, FACTS.stance(), ahead, height=FACTS.height,
            tip_height=FACTS.tip_height,
        )  # fmt: skip


def test_way_without_footholds_names_leg_and_place():
    stations = [(0.0, -0.33, FACTS.height), (0.0, -0.33, 0.4)]  # straight up, off the floor
    surfaces = [Surface(np.zeros(3), np.array([0.0, 0.0, 1.0]))]
    feet = FACTS.stance() - [0.33, 0.0, -FACTS.height]
    with pytest.raises(InvalidInput, match=r"leg \d finds no foothold .* begin at another"):
        plan_transition(
            LEGS,
            corner_way(stations),
            surfaces,
            feet,
            tip_height=FACTS.tip_height,
            rules=FootRules(grid=0.05),
        )
