"""A user's own planner in the place of ours: used, checked, judged."""

from collections.abc import Iterator

import numpy as np
import pytest

from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import PlanOutcome
from mecano.planning.navigation.costmap import make_costmap
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.planner import GridPlanner
from mecano.stages.planner_stage import StagePlanner, judge_planner
from mecano.stages.user_stage import UserStage

STUDENT = '''
from heapq import heappop, heappush

def plan(cost, start, goal, corners=False):
    """Dijkstra on the eight neighbours."""
    free = lambda i, j: 0 <= i < len(cost) and 0 <= j < len(cost[0]) and cost[i][j] < 253
    start, goal = tuple(start), tuple(goal)
    best, before, queue = {start: 0.0}, {}, [(0.0, start)]
    while queue:
        d, (i, j) = heappop(queue)
        if (i, j) == goal:
            break
        for a in (-1, 0, 1):
            for b in (-1, 0, 1):
                cell = (i + a, j + b)
                if not free(*cell) or not (corners or free(i + a, j) and free(i, j + b)):
                    continue
                e = d + (a * a + b * b) ** 0.5
                if e < best.get(cell, 1e9) - 1e-9:
                    best[cell], before[cell] = e, (i, j)
                    heappush(queue, (e, cell))
    if goal not in best:
        return []
    path = [goal]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]

def cutting(cost, start, goal):
    return plan(cost, start, goal, corners=True)

def swapped(cost, start, goal):
    return [(j, i) for i, j in plan(cost, start, goal)]

def straight(cost, start, goal):
    return [start, goal]

def lazy(cost, start, goal):
    return []

def raising(cost, start, goal):
    return cost["walls"]

def nothing(cost, start, goal):
    pass

def fractions(cost, start, goal):
    return [(0.5, 0.5)]

def hanging(cost, start, goal):
    while True:
        pass
'''
START, GOAL = Pose2(0.31, 0.31), Pose2(1.81, 1.61, 1.0)


@pytest.fixture(scope="module")
def stages(tmp_path_factory) -> Iterator:
    """Give stages of the student's functions by name; each process is started once."""
    file = tmp_path_factory.mktemp("student") / "student.py"
    file.write_text(STUDENT)
    running = {}

    def stage(name: str) -> UserStage:
        if name not in running:
            limit = 0.3 if name == "hanging" else 5.0
            running[name] = UserStage("planner", f"{file}:{name}", call_limit=limit)
        return running[name]

    yield stage
    for each in running.values():
        each.close()


def hall():
    lethal = np.zeros((40, 50), bool)
    lethal[20, :30] = True
    return make_costmap(lethal, Footprint.circle(0.12), resolution=0.05)


def test_users_path_is_driven_as_it_is(stages):
    costmap = hall()
    plan = StagePlanner(stages("plan")).plan(costmap, START, GOAL)
    ours = GridPlanner().plan(costmap, START, GOAL)
    assert plan.found and plan.length == pytest.approx(ours.length, rel=0.2)
    assert plan.poses[0, :2].tolist() == [0.31, 0.31] and plan.poses[-1].tolist() == [1.81, 1.61, 1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("straight", "cuts through a wall between [6, 6] and [32, 36]"),
        ("swapped", "not from start to goal"),
        ("lazy", "found no path, but there is one"),
        ("raising", "raised TypeError"),
        ("nothing", "is a `return` missing?"),
        ("fractions", "no whole cells"),
        ("hanging", "did not return within 0.3 s for (40 x 50 numbers, [6, 6], [32, 36])"),
    ],
)
def test_users_mistake_is_said(stages, name, words):
    plan = StagePlanner(stages(name)).plan(hall(), START, GOAL)
    assert plan.outcome is PlanOutcome.PLANNER_FAILED and not len(plan.poses)
    assert words in plan.reason and "student.py" in plan.reason


def test_goal_that_cannot_be_is_explained_by_ours(stages):
    plan = StagePlanner(stages("lazy")).plan(hall(), START, Pose2(0.5, 1.02))
    assert plan.outcome is PlanOutcome.GOAL_BLOCKED and plan.nearest is not None


def test_missing_route_is_explained_by_ours(stages):
    lethal = np.zeros((40, 50), bool)
    lethal[20] = True
    costmap = make_costmap(lethal, Footprint.circle(0.12), resolution=0.05)
    plan = StagePlanner(stages("plan")).plan(costmap, START, GOAL)
    assert plan.outcome is PlanOutcome.NO_ROUTE and "without a gap" in plan.reason


def test_path_on_which_a_long_base_does_not_fit_is_refused(stages):
    lethal = np.zeros((40, 50), bool)
    lethal[20] = True
    lethal[20, 24:36] = False
    costmap = make_costmap(lethal, Footprint.rectangle(0.9, 0.3), resolution=0.05)
    start, goal = Pose2(0.6, 0.82, 0.0), Pose2(1.5, 1.5, 0.0)
    plan = StagePlanner(stages("plan")).plan(costmap, start, goal)
    assert plan.outcome is PlanOutcome.PLANNER_FAILED and "touches an obstacle" in plan.reason


def test_good_planner_passes(stages):
    assert judge_planner(stages("plan"), samples=60).passed


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("cutting", "a diagonal step needs both cells beside it free"),
        ("swapped", "rows and columns seem to be swapped; a cell is (row, column)"),
    ],
)
def test_usual_mistakes_are_named(stages, name, hint):
    verdict = judge_planner(stages(name), samples=40)
    assert not verdict.passed and verdict.hint == hint


def test_paths_that_are_never_found_are_counted(stages):
    verdict = judge_planner(stages("lazy"), samples=40)
    assert [check.held for check in verdict.checks] == [True, True, False, True, True]
