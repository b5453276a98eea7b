"""The experiments of navigation, whole."""

import numpy as np
import pytest

import mecano
from mecano import tasks
from mecano.core.poses import Pose2
from mecano.planning.navigation.costmap import costmap_of_grid
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.lattice import LatticeSettings
from mecano.planning.navigation.planner import GridPlanner, PlannerSettings
from mecano.tasks.experiment import run_experiment
from mecano.tasks.youbot_navigate import CELL
from mecano.world.floor_plan import floor_plan

pytestmark = pytest.mark.slow


def test_a_blocked_corridor_gets_four_recoveries_and_an_opened_one_is_driven():
    result = run_experiment(tasks.get("madar/recovery"), seed=1)
    metrics = result.metrics
    assert result.success and metrics["recoveries_in_order"] and metrics["reached_after_opening"]
    assert metrics["contacts"] == 0
    # a goal is reached within 0.10 m, so a drive of 5 m may be 2 % shorter than the optimum
    assert 0.97 < float(metrics["path_over_optimal"]) < 1.2


def test_stations_are_reached_and_nothing_is_touched_while_the_base_moves():
    result = run_experiment(tasks.get("madar/navigate"), seed=1)
    metrics = result.metrics
    assert result.success and metrics["goals_reached"] == 4 and metrics["contacts_moving"] == 0
    assert metrics["contacts"] == 0 or metrics["contact_with"] == "person_1"
    assert 0.97 < float(metrics["path_over_optimal"]) < 1.2


def test_the_youbot_strafes_through_a_gap_too_narrow_to_turn_in():
    result = run_experiment(tasks.get("youbot/navigate"), seed=1)
    metrics = result.metrics
    assert result.success and metrics["goals_reached"] == 3 and metrics["contacts"] == 0
    assert float(metrics["gap_sideways_share"]) > 0.9
    assert 0.9 < float(metrics["path_over_optimal"]) < 1.3


def test_the_gap_is_too_narrow_to_turn_in_and_closed_to_a_base_that_cannot_strafe():
    with mecano.connect("youbot_laser", scene="gap") as robot:
        corners = robot.footprint()
        plan = floor_plan(robot.world.model, 0.5, resolution=CELL)
    across = max(np.hypot(*(a - b)) for a in corners for b in corners)
    assert np.ptp(corners[:, 0]) < 0.65 < across
    costmap = costmap_of_grid(plan, Footprint(corners))
    start, shelf = Pose2(1.1, 0.0, 0.0), Pose2(3.1, 0.0, np.pi / 2)
    for holonomic in (True, False):
        moves = LatticeSettings(holonomic=holonomic)
        found = GridPlanner(PlannerSettings(lattice=moves)).plan(costmap, start, shelf).found
        assert found == holonomic
