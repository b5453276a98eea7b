"""The global planner: paths that are free and short, and failures that are explained."""

from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import INSCRIBED, Costmap, PlanOutcome
from mecano.planning.navigation.costmap import Inflation, make_costmap
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.footprint_check import free_poses
from mecano.planning.navigation.lattice import LatticeSettings
from mecano.planning.navigation.path_shaping import spaced
from mecano.planning.navigation.planner import GridPlanner, PlannerSettings

ROUND = Footprint.circle(0.3)
HOLONOMIC = GridPlanner(PlannerSettings(lattice=LatticeSettings(holonomic=True)))
DIFFERENTIAL = GridPlanner()


def hall(gap: int, *, row: int = 100) -> np.ndarray:
    """10 x 10 m with a wall across at y = 5 m and a gap of some cells in its middle."""
    lethal = np.zeros((200, 200), bool)
    lethal[[0, -1]] = lethal[:, [0, -1]] = True
    lethal[row] = True
    lethal[row, 100 - gap // 2 : 100 - gap // 2 + gap] = False
    return lethal


def costmap_of(lethal: np.ndarray, footprint: Footprint = ROUND, **options) -> Costmap:
    inflation = Inflation(inflation_radius=0.7, cost_scaling_factor=3.0)
    return make_costmap(lethal, footprint, resolution=0.05, inflation=inflation, **options)


def costs_along(costmap: Costmap, poses: np.ndarray) -> np.ndarray:
    fine = spaced(poses[:, :2], 0.005)
    column, row = np.floor((fine - costmap.origin) / costmap.resolution).astype(int).T
    return costmap.cost[row, column]


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40)
def test_smoothed_path_stays_out_of_the_inscribed_cost(seed):
    rng = np.random.default_rng(seed)
    costmap = costmap_of(rng.random((120, 150)) < 0.004, Footprint.circle(0.2))
    ends = np.argwhere(costmap.cost < INSCRIBED)
    (a, b), (c, d) = ends[rng.integers(len(ends), size=2)] * 0.05 + rng.uniform(
        0.001, 0.049, (2, 2)
    )
    plan = DIFFERENTIAL.plan(costmap, Pose2(b, a), Pose2(d, c, 1.0))
    raw = GridPlanner(PlannerSettings(smooth=False)).plan(costmap, Pose2(b, a), Pose2(d, c, 1.0))
    assert plan.found == raw.found
    if plan.found:
        assert (costs_along(costmap, plan.poses) < INSCRIBED).all()
        assert np.allclose(plan.poses[0, :2], (b, a)) and np.allclose(plan.poses[-1], (d, c, 1.0))
        assert plan.length <= raw.length + 1e-6
        assert np.hypot(*np.diff(plan.poses[:, :2], axis=0).T).max(initial=0.0) <= 0.0501


def test_path_in_free_space_is_a_straight_line_at_any_angle():
    costmap = costmap_of(np.zeros((200, 200), bool))
    plan = DIFFERENTIAL.plan(costmap, Pose2(1.0, 1.0), Pose2(8.0, 4.0, 0.5))
    assert plan.length == pytest.approx(np.hypot(7.0, 3.0), abs=1e-9)
    np.testing.assert_allclose(plan.poses[:-1, 2], np.arctan2(3.0, 7.0))
    assert plan.poses[-1, 2] == 0.5


def test_higher_cost_weight_keeps_away_from_the_wall():
    lethal = hall(40)
    near = GridPlanner(PlannerSettings(cost_weight=0.0)).plan(
        costmap_of(lethal), Pose2(2.0, 2.0), Pose2(2.0, 8.0)
    )
    far = GridPlanner(PlannerSettings(cost_weight=20.0)).plan(
        costmap_of(lethal), Pose2(2.0, 2.0), Pose2(2.0, 8.0)
    )
    costmap = costmap_of(lethal)
    assert near.length < far.length
    assert costs_along(costmap, near.poses).mean() > 2.0 * costs_along(costmap, far.poses).mean()


def test_same_call_gives_the_same_path():
    costmap = costmap_of(hall(30))
    first, second = (DIFFERENTIAL.plan(costmap, Pose2(2, 2), Pose2(7, 8)).poses for _ in "ab")
    np.testing.assert_array_equal(first, second)


def test_start_at_the_goal_is_a_path_of_one_pose():
    plan = DIFFERENTIAL.plan(costmap_of(hall(20)), Pose2(2, 2, 1), Pose2(2, 2, -1))
    assert plan.found and plan.length == 0.0 and plan.poses[-1].tolist() == [2.0, 2.0, -1.0]


def test_narrow_gap_is_named_with_its_width():
    plan = DIFFERENTIAL.plan(costmap_of(hall(10)), Pose2(2, 2), Pose2(5, 8))
    assert plan.outcome is PlanOutcome.NO_ROUTE and not len(plan.poses)
    assert plan.gap is not None
    x, y, width = plan.gap
    assert width == pytest.approx(0.5, abs=1e-6)
    assert (x, y) == pytest.approx((5.0, 5.025), abs=0.06)
    assert "0.50 m and the robot needs 0.60 m" in plan.reason
    assert plan.nearest is not None and plan.nearest.y < 5.0


def test_widest_of_several_gaps_is_named():
    lethal = hall(4)
    lethal[100, 150:159] = False
    plan = DIFFERENTIAL.plan(costmap_of(lethal), Pose2(2, 2), Pose2(2, 8))
    assert plan.gap is not None
    assert plan.gap[0] == pytest.approx(7.725, abs=0.06)
    assert plan.gap[2] == pytest.approx(0.45, abs=1e-6)


def test_wall_without_a_gap_is_named():
    plan = DIFFERENTIAL.plan(costmap_of(hall(0)), Pose2(2, 2), Pose2(2, 8))
    assert plan.outcome is PlanOutcome.NO_ROUTE and "obstacles without a gap" in plan.reason
    assert plan.gap is not None and plan.gap[1:] == pytest.approx((5.025, 0.0))


def test_unknown_space_between_is_named():
    lethal, unknown = hall(0), np.zeros((200, 200), bool)
    lethal[100], unknown[100:105] = False, True
    costmap = costmap_of(lethal, unknown=unknown)
    plan = DIFFERENTIAL.plan(costmap, Pose2(2, 2), Pose2(2, 8))
    assert plan.outcome is PlanOutcome.NO_ROUTE and "unknown space" in plan.reason
    through = GridPlanner(PlannerSettings(allow_unknown=True))
    assert through.plan(costmap, Pose2(2, 2), Pose2(2, 8)).length == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("goal", "outcome", "words"),
    [
        (Pose2(2.0, 12.0), PlanOutcome.OUTSIDE, "the goal (2.00, 12.00) m is outside"),
        (Pose2(2.0, 5.025), PlanOutcome.GOAL_BLOCKED, "there is an obstacle"),
        (Pose2(2.0, 4.8), PlanOutcome.GOAL_BLOCKED, "0.25 m away and the robot needs 0.30 m"),
    ],
)
def test_goal_that_cannot_be_is_explained(goal, outcome, words):
    plan = DIFFERENTIAL.plan(costmap_of(hall(20)), Pose2(2, 2), goal)
    assert plan.outcome is outcome and words in plan.reason
    assert plan.nearest is not None and "nearest pose it can reach" in plan.reason
    assert DIFFERENTIAL.plan(costmap_of(hall(20)), Pose2(2, 2), plan.nearest).found


def test_goal_in_unknown_space_is_explained():
    unknown = np.zeros((200, 200), bool)
    unknown[150:] = True
    plan = DIFFERENTIAL.plan(costmap_of(hall(20), unknown=unknown), Pose2(2, 2), Pose2(2, 8))
    assert plan.outcome is PlanOutcome.GOAL_UNKNOWN
    assert plan.nearest is not None and plan.nearest.y == pytest.approx(7.475)


def test_start_outside_is_explained():
    plan = DIFFERENTIAL.plan(costmap_of(hall(20)), Pose2(-1, 2), Pose2(2, 2))
    assert plan.outcome is PlanOutcome.OUTSIDE and "the start" in plan.reason


def test_start_in_an_obstacle_is_explained():
    plan = DIFFERENTIAL.plan(costmap_of(hall(20)), Pose2(2, 5.025), Pose2(2, 2))
    assert plan.outcome is PlanOutcome.START_BLOCKED and "there is an obstacle" in plan.reason


def test_base_that_stands_a_little_too_near_to_a_wall_leaves_it():
    plan = DIFFERENTIAL.plan(costmap_of(hall(20)), Pose2(2, 4.8), Pose2(2, 2))
    assert plan.found and plan.poses[0, :2].tolist() == [2.0, 4.8]
    assert plan.length == pytest.approx(2.8, abs=0.1)


LONG = Footprint.rectangle(1.2, 0.5)


def is_free_all_along(costmap: Costmap, start: Pose2, poses: np.ndarray) -> bool:
    """Check the outline in small steps of place and heading between the poses."""
    rows = [np.array([start.x, start.y, start.yaw])]
    for pose in poses:
        turn = np.angle(np.exp(1j * (pose[2] - rows[-1][2])))
        goal = np.array([pose[0], pose[1], rows[-1][2] + turn])
        rows += list(rows[-1] + (goal - rows[-1]) * np.linspace(0.1, 1.0, 10)[:, None])
    return bool(free_poses(costmap, np.array(rows)).all())


@pytest.mark.parametrize("planner", [HOLONOMIC, DIFFERENTIAL])
def test_long_base_goes_through_a_gap_in_which_it_cannot_turn(planner):
    costmap = costmap_of(hall(16), LONG)
    start = Pose2(2.0, 2.0, 0.0)
    plan = planner.plan(costmap, start, Pose2(5.0, 8.0, 0.0))
    assert plan.found
    assert is_free_all_along(costmap, start, plan.poses)


def corridor() -> np.ndarray:
    """A corridor of 0.8 m along x, with rooms at both ends."""
    lethal = np.zeros((120, 240), bool)
    lethal[[0, -1]] = lethal[:, [0, -1]] = True
    lethal[:, 80:160] = True
    lethal[52:68, 80:160] = False
    return lethal


def test_holonomic_base_strafes_through_a_corridor_too_narrow_to_turn_in():
    """It must stand across its path at the goal, where it has no room to turn."""
    lethal = corridor()
    lethal[:, 160:] = True
    lethal[52:68, 160:200] = False
    lethal[40:90, 184:200] = False
    costmap = costmap_of(lethal, LONG)
    start, goal = Pose2(2.0, 3.0, 0.0), Pose2(9.6, 3.0, pi / 2)
    plan = HOLONOMIC.plan(costmap, start, goal)
    assert plan.outcome is PlanOutcome.NO_ROUTE or is_free_all_along(costmap, start, plan.poses)
    along = HOLONOMIC.plan(costmap, start, Pose2(7.0, 3.0, 0.0))
    assert along.found and is_free_all_along(costmap, start, along.poses)


def test_only_a_holonomic_base_gets_sideways_into_a_niche():
    """A niche of 1.3 x 0.65 m, open towards a corridor of 0.65 m: no room to turn."""
    lethal = np.ones((120, 240), bool)
    lethal[40:53, 10:200] = False
    lethal[53:66, 80:106] = False
    costmap = costmap_of(lethal, LONG)
    start, goal = Pose2(1.5, 2.325, 0.0), Pose2(4.65, 2.975, 0.0)
    sideways = HOLONOMIC.plan(costmap, start, goal)
    assert sideways.found and is_free_all_along(costmap, start, sideways.poses)
    forward = DIFFERENTIAL.plan(costmap, start, goal)
    assert forward.outcome is PlanOutcome.NO_ROUTE
    assert forward.nearest is not None and "cannot turn as it must" in forward.reason


def test_differential_base_moves_along_its_heading_only():
    costmap = costmap_of(hall(16), LONG)
    plan = DIFFERENTIAL.plan(costmap, Pose2(2.0, 2.0, 0.0), Pose2(5.0, 5.9, 0.0))
    assert plan.found
    step = np.diff(plan.poses[:, :2], axis=0)
    moving = np.hypot(*step.T) > 0.06  # the ends are moved from the centres of their cells
    across = [
        abs(-dx * sin(yaw) + dy * cos(yaw)) / np.hypot(dx, dy)
        for (dx, dy), yaw in zip(step[moving], plan.poses[:-1, 2][moving], strict=True)
    ]
    assert max(across, default=0.0) < 0.15


def test_heading_that_does_not_fit_at_the_goal_is_explained():
    plan = HOLONOMIC.plan(costmap_of(hall(16), LONG), Pose2(2, 2), Pose2(2, 4.5, pi / 2))
    assert plan.outcome is PlanOutcome.GOAL_BLOCKED and "at a heading of 90 deg" in plan.reason
    assert plan.nearest is not None
    assert plan.nearest.distance_to(Pose2(2, 4.5)) < 0.1


def test_base_that_touches_an_obstacle_with_its_nose_may_turn_away():
    costmap = costmap_of(hall(16), LONG)
    start = Pose2(2.0, 4.5, pi / 2)
    plan = HOLONOMIC.plan(costmap, start, Pose2(2.0, 2.0, 0.0))
    assert plan.found and plan.poses[0].tolist() == [2.0, 4.5, pi / 2]
    assert free_poses(costmap, plan.poses[1:]).all()


def test_base_whose_outline_is_deep_in_an_obstacle_is_blocked():
    costmap = costmap_of(hall(16), LONG)
    plan = HOLONOMIC.plan(costmap, Pose2(2.0, 4.7, pi / 2), Pose2(2.0, 2.0, 0.0))
    assert plan.outcome is PlanOutcome.START_BLOCKED and "outline of the robot" in plan.reason
