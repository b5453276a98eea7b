"""Many runs of an experiment: side by side in processes, counted, and fit to be repeated."""

import io
import multiprocessing
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from math import sqrt
from statistics import median
from typing import Any, TypeVar

from mecano.core.errors import MecanoError
from mecano.core.machine import blas_kernel, machine
from mecano.tasks.experiment import RunResult, run_experiment
from mecano.tasks.processes import deaf_children, end_with_the_parent, ended_children

LIBRARIES = ("mecano", "mujoco", "numpy", "ruckig")
Case = TypeVar("Case")
Answer = TypeVar("Answer")


def run_many(
    name: str,
    seeds: Sequence[int],
    *,
    noise: bool | None = None,
    changes: dict[str, Any] | None = None,
    stages: dict[str, str] | None = None,
    options: dict[str, str] | None = None,
    jobs: int = 1,
    on_run: Callable[[RunResult], None] | None = None,
) -> list[RunResult]:
    """Run an experiment once per seed and return the runs in the order of the seeds.

    Args:
        name: Of the experiment, or a user's file.
        seeds: One per run.
        noise: Put noise on the sensors; None leaves that to the experiment.
        changes: Changed settings, by dotted name.
        stages: The user's own functions in the place of ours.
        options: The user's choices, see `Experiment.chosen`.
        jobs: Processes that work side by side; 1 works in this one.
        on_run: Told of each run as it ends.
    """
    results: dict[int, RunResult] = {}
    one_run = partial(_run, name, noise=noise, changes=changes, stages=stages, options=options)
    with closing(side_by_side(one_run, seeds, jobs)) as runs:
        for _, result in runs:
            results[result.seed] = result
            if on_run is not None:
                on_run(result)
    return [results[seed] for seed in seeds]


def side_by_side(
    work: Callable[[Case], Answer], cases: Sequence[Case], jobs: int
) -> Generator[tuple[int, Answer], None, None]:
    """Yield the place of each case and its answer as it ends, from processes side by side.

    Args:
        work: Called with a case, in a process of its own; must be importable.
        cases: What to work on.
        jobs: Processes; 1 works in this one.
    """
    if jobs <= 1 or len(cases) == 1:
        yield from ((place, work(case)) for place, case in enumerate(cases))
        return
    with _pool(jobs) as pool:
        with deaf_children():
            waiting = {
                pool.submit(_work_or_say, work, case): place for place, case in enumerate(cases)
            }
        for done in as_completed(waiting):
            answer = done.result()
            if isinstance(answer, _Failure):
                error = MecanoError(answer.text)
                error.exit_code = answer.exit_code
                raise error
            yield waiting[done], answer


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Give processes to work in; whatever ends the block, Ctrl-C too, ends them at once."""
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=spawn, initializer=end_with_the_parent)
    try:
        with ended_children():
            yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True)
class _Failure:
    """Text and exit code of an error: not every error can be sent."""

    text: str
    exit_code: int


def _work_or_say(work: Callable[[Case], Answer], case: Case) -> Answer | _Failure:
    try:
        return work(case)
    except MecanoError as error:
        return _Failure(str(error), error.exit_code)


def _run(name: str, seed: int, **options: Any) -> RunResult:
    from mecano import tasks

    with redirect_stdout(io.StringIO()):  # many programs' texts at once tell nobody anything
        result = run_experiment(tasks.get(name), seed=seed, **options)
    return replace(result, products={})  # functions do not travel between processes


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
    known = [float(value) for value in values if value is not None]
    return {"min": min(known), "median": round(median(known), 9), "max": max(known)}


def evidence(
    name: str, runs: Sequence[RunResult], *, noise: bool, options: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return all that is needed to repeat the runs and compare."""
    return {
        "experiment": name,
        "noise": noise,
        **({"options": options} if options else {}),
        "versions": {library: version(library) for library in LIBRARIES},
        "machine": machine(),
        "blas": blas_kernel(),
        "summary": summary(runs),
        "runs": [
            {"seed": r.seed, "success": r.success, "state_hash": r.state_hash, "metrics": r.metrics,
             "sim_time_s": r.sim_time_s} for r in runs
        ],
    }  # fmt: skip
