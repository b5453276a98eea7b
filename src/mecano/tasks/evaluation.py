"""Many runs of an experiment: side by side in processes, counted, and fit to be repeated."""

import io
import platform
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import redirect_stdout
from functools import partial
from importlib.metadata import version
from math import sqrt
from multiprocessing import get_context
from typing import Any

from mecano.tasks.experiment import RunResult, run_experiment

LIBRARIES = ("mecano", "mujoco", "numpy", "ruckig")


def run_many(
    name: str,
    seeds: Sequence[int],
    *,
    noise: bool = False,
    changes: dict[str, Any] | None = None,
    stages: dict[str, str] | None = None,
    jobs: int = 1,
    on_run: Callable[[RunResult], None] | None = None,
) -> list[RunResult]:
    """Run an experiment once per seed and return the runs in the order of the seeds.

    Args:
        name: Of the experiment, or a user's file.
        seeds: One per run.
        noise: Put noise on the sensors.
        changes: Changed settings, by dotted name.
        stages: The user's own functions in the place of ours.
        jobs: Processes that work side by side; 1 works in this one.
        on_run: Told of each run as it ends.
    """
    results: dict[int, RunResult] = {}
    one_run = partial(_run, name, noise=noise, changes=changes, stages=stages)
    for result in _runs(one_run, seeds, jobs):
        results[result.seed] = result
        if on_run is not None:
            on_run(result)
    return [results[seed] for seed in seeds]


def _runs(
    one_run: Callable[[int], RunResult], seeds: Sequence[int], jobs: int
) -> Iterator[RunResult]:
    if jobs <= 1 or len(seeds) == 1:
        yield from map(one_run, seeds)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(one_run, seed) for seed in seeds]
        for done in as_completed(waiting):
            yield done.result()


def _run(name: str, seed: int, **options: Any) -> RunResult:
    from mecano import tasks

    with redirect_stdout(io.StringIO()):  # many programs' texts at once tell nobody anything
        return run_experiment(tasks.get(name), seed=seed, **options)


def summary(runs: Sequence[RunResult]) -> dict[str, Any]:
    """Return how many succeeded, with the 95 % interval, and the spread of each metric."""
    successes = sum(run.success for run in runs)
    low, high = wilson(successes, len(runs))
    return {
        "runs": len(runs),
        "successes": successes,
        "success_rate": successes / len(runs),
        "interval_95": [round(low, 4), round(high, 4)],
        "metrics": {
            name: _spread([run.metrics.get(name) for run in runs]) for name in _numeric(runs)
        },
    }


def wilson(successes: int, runs: int, z: float = 1.959964) -> tuple[float, float]:
    """Return Wilson's interval for a success rate, which is right near 0 and 1 too."""
    share = successes / runs
    middle = share + z * z / (2 * runs)
    half = z * sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs))
    scale = 1 + z * z / runs
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def _numeric(runs: Sequence[RunResult]) -> list[str]:
    names = dict.fromkeys(name for run in runs for name in run.metrics)
    return [n for n in names if all(_is_number(run.metrics.get(n, 0.0)) for run in runs)]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spread(values: list) -> dict[str, float]:
    known = sorted(float(value) for value in values if value is not None)
    return {"min": known[0], "median": known[len(known) // 2], "max": known[-1]}


def evidence(name: str, runs: Sequence[RunResult], *, noise: bool) -> dict[str, Any]:
    """Return all that is needed to repeat the runs and compare."""
    return {
        "experiment": name,
        "noise": noise,
        "versions": {library: version(library) for library in LIBRARIES},
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "summary": summary(runs),
        "runs": [
            {"seed": r.seed, "success": r.success, "state_hash": r.state_hash, "metrics": r.metrics,
             "sim_time_s": r.sim_time_s} for r in runs
        ],
    }  # fmt: skip
