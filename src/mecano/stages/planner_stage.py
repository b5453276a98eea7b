"""A user's global planner: used in the place of ours, and judged like ours."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mecano.core.errors import StageFailed
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import LETHAL, Costmap, Plan, PlanOutcome
from mecano.planning.navigation.footprint_check import centre_of, free_poses
from mecano.planning.navigation.free_space import FreeSpace
from mecano.planning.navigation.grid_search import Cell, shortest_path
from mecano.planning.navigation.path_shaping import length_of, spaced, with_headings
from mecano.planning.navigation.planner import GridPlanner, PlannerSettings
from mecano.stages.ik_stage import Check, Verdict
from mecano.stages.user_stage import UserStage

WANTED = "a list of (row, column) from start to goal, or an empty list if there is no path"
TOLERANCE = 0.01
"""By how much a path may be longer than the shortest one [cells]."""

Cells = NDArray[np.int64]


def cells_of(value: Any, stage: UserStage) -> Cells:
    """Return a stage's answer as rows of (row, column), or say what is wrong with its shape."""

    def wrong(problem: str) -> StageFailed:
        text = f"{problem}; it must return {WANTED}"
        return StageFailed(stage.contract.name, stage.source, text)

    if value is None:
        raise wrong("returned None (is a `return` missing?)")
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise wrong(f"returned a {type(value).__name__}: {repr(value)[:60]}") from None
    if array.size == 0:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise wrong(f"returned numbers of shape {array.shape}")
    if not (np.isfinite(array).all() and (array == np.rint(array)).all()):
        raise wrong("returned numbers that are no whole cells")
    return array.astype(np.int64)


def fault_of(free: NDArray[np.bool_], start: Cell, goal: Cell, cells: Cells) -> str:
    """Say what is wrong with a path, in words; empty if nothing is.

    Cells need not be neighbours: then the straight line between them counts.
    """
    from mecano.planning.navigation.smoothing_kernel import line_cost

    if tuple(cells[0].tolist()) != start or tuple(cells[-1].tolist()) != goal:
        return f"leads from {cells[0].tolist()} to {cells[-1].tolist()}, not from start to goal"
    outside = ((cells < 0) | (cells >= free.shape)).any(axis=1)
    if outside.any():
        return f"leaves the map at {cells[outside.argmax()].tolist()}"
    blocked = ~free[cells[:, 0], cells[:, 1]]
    if blocked.any():
        return f"leads through a wall at {cells[blocked.argmax()].tolist()}"
    weight = np.ones(free.shape, np.float32)
    points = cells[:, ::-1] + 0.5
    for k in range(len(cells) - 1):
        if not np.isfinite(line_cost(free, weight, *points[k], *points[k + 1])):
            what = "a corner" if np.abs(cells[k + 1] - cells[k]).max() == 1 else "through a wall"
            return f"cuts {what} between {cells[k].tolist()} and {cells[k + 1].tolist()}"
    return ""


class StagePlanner:
    """A global planner that asks a user's function and checks every path it returns."""

    def __init__(self, stage: UserStage, settings: PlannerSettings | None = None) -> None:
        """Wrap a running stage; ours explains start and goal that cannot be."""
        self.stage = stage
        self.ours = GridPlanner(settings)

    def plan(self, costmap: Costmap, start: Pose2, goal: Pose2) -> Plan:
        """Return the user's path, or why it cannot be used; a user's mistake is no exception."""
        space = self.ours.free_space(costmap)
        ends = self.ours.ends(space, start, goal)
        if isinstance(ends, Plan):
            return ends
        try:
            answer = self.stage.call(costmap.cost.tolist(), list(ends[0]), list(ends[1]))
            cells = cells_of(answer, self.stage)
        except StageFailed as failure:
            return Plan(outcome=PlanOutcome.PLANNER_FAILED, reason=str(failure))
        if not len(cells):
            ours = self.ours.plan(costmap, start, goal)
            return ours if not ours.found else self._failed("found no path, but there is one")
        fault = fault_of(space.free, *ends, cells)
        return self._failed(f"returned a path that {fault}") if fault else (
            self._plan(space, cells, start, goal)
        )  # fmt: skip

    def _plan(self, space: FreeSpace, cells: Cells, start: Pose2, goal: Pose2) -> Plan:
        points = np.array([centre_of(space.costmap, *cell) for cell in cells.tolist()])
        points = np.concatenate([[[start.x, start.y]], points[1:-1], [[goal.x, goal.y]]])
        poses = with_headings(spaced(points, self.ours.settings.spacing), goal)
        if space.heading_matters:
            touching = ~free_poses(space.costmap, poses)
            if touching.any():
                x, y, _ = poses[touching.argmax()]
                place = f"({x:.2f}, {y:.2f}) m"
                return self._failed(f"returned a path that touches an obstacle at {place}")
        return Plan(outcome=PlanOutcome.FOUND, poses=poses, length=length_of(poses))

    def _failed(self, problem: str) -> Plan:
        failure = StageFailed(self.stage.contract.name, self.stage.source, problem)
        return Plan(outcome=PlanOutcome.PLANNER_FAILED, reason=str(failure))


@dataclass(frozen=True, eq=False)
class _Problem:
    """A map to plan on, and the length of the shortest path."""

    free: NDArray[np.bool_]
    start: Cell
    goal: Cell
    shortest: float
    """[cells]; infinite if there is no path."""


def judge_planner(
    stage: UserStage,
    *,
    samples: int = 200,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Try a user's planner on random maps of known answer and say what is wrong with it.

    Args:
        stage: The user's function.
        samples: Random maps; about a quarter of them have no path.
        seed: Of the maps.
        on_progress: Called with (calls done, calls in all).
    """
    problems = list(_problems(samples, np.random.default_rng(seed)))
    answers = []
    claim = "answers every map with a list of cells"
    for done, problem in enumerate(problems):
        costs = np.where(problem.free, 0, LETHAL).tolist()
        try:
            answer = stage.call(costs, list(problem.start), list(problem.goal))
            answers.append(cells_of(answer, stage))
        except StageFailed as failure:
            return Verdict((Check(claim, False, failure.problem),))
        if on_progress is not None:
            on_progress(done + 1, len(problems))
    answered = Check(claim, True, f"{len(problems)} maps")
    tried = list(zip(problems, answers, strict=True))
    right, hint = _check_right(tried)
    return Verdict((answered, right, *_check_complete(tried)), hint)


def _problems(samples: int, rng: np.random.Generator) -> Iterator[_Problem]:
    for _ in range(samples):
        shape = rng.integers(3, 25, size=2)
        free = rng.random(shape) > rng.uniform(0.0, 0.45)
        ends = [tuple(int(k) for k in rng.integers(0, shape)) for _ in "ab"]
        start, goal = (ends[0][0], ends[0][1]), (ends[1][0], ends[1][1])
        free[start] = free[goal] = True
        route = shortest_path(free, start, goal)
        yield _Problem(free, start, goal, route.length if route.found else np.inf)


def _check_right(tried: list[tuple[_Problem, Cells]]) -> tuple[Check, str]:
    """Every path given must lead from start to goal through free cells."""
    claim = "every path leads from start to goal through free cells"
    faults, swapped, count = [], 0, 0
    for problem, cells in tried:
        if not len(cells):
            continue
        count += 1
        fault = fault_of(problem.free, problem.start, problem.goal, cells)
        if fault:
            faults.append(f"on a map of {problem.free.shape}, {problem.start} -> {problem.goal}, "
                          f"the path {fault}")  # fmt: skip
            other = np.ascontiguousarray(cells[:, ::-1])
            swapped += not fault_of(problem.free, problem.start, problem.goal, other)
    if not faults:
        return Check(claim, True, f"{count} paths"), ""
    hint = ""
    if swapped > 0.5 * len(faults):
        hint = "rows and columns seem to be swapped; a cell is (row, column)"
    elif all("corner" in fault for fault in faults):
        hint = "a diagonal step needs both cells beside it free"
    return Check(claim, False, f"{len(faults)} of {count} do not; {faults[0]}"), hint


def _check_complete(tried: list[tuple[_Problem, Cells]]) -> Iterator[Check]:
    """A path must be found if there is one, none if there is none, and be the shortest."""
    reachable = [(p, cells) for p, cells in tried if np.isfinite(p.shortest)]
    missed = sum(not len(cells) for _, cells in reachable)
    yield Check(
        "finds a path wherever there is one",
        not missed,
        f"{missed} of {len(reachable)} missed" if missed else f"{len(reachable)} maps",
    )
    closed = [cells for p, cells in tried if not np.isfinite(p.shortest)]
    invented = sum(len(cells) > 0 for cells in closed)
    yield Check(
        "returns an empty list where there is no path",
        not invented,
        f"{invented} of {len(closed)} got a path" if invented else f"{len(closed)} maps",
    )
    excess = [_length(cells) / max(p.shortest, 1.0) - 1.0 for p, cells in reachable if len(cells)]
    long = [
        _length(cells) > p.shortest + TOLERANCE for p, cells in reachable if len(cells)
    ]  # fmt: skip
    detail = f"{len(long)} paths"
    if any(long):
        detail = f"{sum(long)} of {len(long)} are longer, by up to {100.0 * max(excess):.0f} %"
    yield Check("finds the shortest path over the eight neighbours", not any(long), detail)


def _length(cells: Cells) -> float:
    return float(np.hypot(*np.diff(cells, axis=0).T).sum()) if len(cells) > 1 else 0.0
