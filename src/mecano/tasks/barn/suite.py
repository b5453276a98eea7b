"""All worlds, several trials each, side by side in processes; and their summary."""

from collections.abc import Callable, Sequence
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from mecano.tasks.barn.trial import Outcome, TrialResult, run_trial
from mecano.tasks.barn.worlds import BarnWorld
from mecano.tasks.evaluation import side_by_side, wilson

OUTCOMES: tuple[Outcome, ...] = ("success", "collision", "timeout")


def run_suite(
    worlds: Sequence[BarnWorld],
    *,
    trials: int = 3,
    seed: int = 0,
    planner: str = "pursuit",
    parameters: dict[str, Any] | None = None,
    jobs: int = 1,
    on_trial: Callable[[int, int], None] = lambda done, total: None,
) -> list[TrialResult]:
    """Drive every world several times and return the runs, world by world, seed by seed.

    Args:
        worlds: See there.
        trials: Runs per world; their seeds are `seed`, `seed` + 1, ...
        seed: Of the first trial.
        planner: Name of the local planner.
        parameters: Of it.
        jobs: Processes that work side by side; 1 works in this one.
        on_trial: Called with the number of finished runs and of all.
    """
    cases = [(world, seed + trial) for world in worlds for trial in range(trials)]
    one_run = partial(_run, planner=planner, parameters=parameters)
    found: dict[int, TrialResult] = {}
    for place, result in side_by_side(one_run, cases, jobs):
        found[place] = result
        on_trial(len(found), len(cases))
    return [found[place] for place in range(len(cases))]


def _run(case: tuple[BarnWorld, int], **options: Any) -> TrialResult:
    return run_trial(*case, **options)


def summarize(results: Sequence[TrialResult]) -> dict[str, Any]:
    """Return the score of a suite, the share of each outcome, and 95 % intervals.

    The score is the mean over worlds of the mean over trials; its interval is that of the mean of
    the worlds' scores. Shares have Wilson's interval.
    """
    by_world: dict[int, list[TrialResult]] = {}
    for result in results:
        by_world.setdefault(result.world, []).append(result)
    scores = np.array([np.mean([r.score for r in runs]) for runs in by_world.values()])
    half = 1.96 * float(scores.std(ddof=1)) / sqrt(len(scores)) if len(scores) > 1 else 0.0
    mean, runs = float(scores.mean()), len(results)
    counts = {o: sum(r.outcome == o for r in results) for o in OUTCOMES}
    times = [r.actual_time for r in results if r.outcome == "success"]
    return {
        "worlds": len(by_world), "runs": runs, "score": round(mean, 4),
        "score_interval_95": [round(mean - half, 4), round(min(mean + half, 0.5), 4)],
        **{o: round(counts[o] / runs, 4) for o in OUTCOMES},
        **{
            f"{o}_interval_95": [round(edge, 4) for edge in wilson(counts[o], runs)]
            for o in OUTCOMES
        },
        "mean_time_s": round(float(np.mean(times)), 3) if times else None,
        "closest_m": round(min(r.closest for r in results), 4),
    }  # fmt: skip
