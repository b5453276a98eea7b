"""Where the runs of a study are computed: in this process, in local processes, or on a cluster."""

import multiprocessing
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Protocol

from mecano.core.errors import InvalidInput
from mecano.runs.outcomes import RunOutcome, lost, outcome_of
from mecano.runs.spec import RunSpec

Job = tuple[int, RunSpec]
"""The number of a run in its study, and what to run."""
TRIES = 3
"""A run whose worker died is tried this often."""
AHEAD = 4
"""Runs that are handed out in advance, per worker."""


class Engine(Protocol):
    """Computes runs, in any order."""

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[tuple[int, RunOutcome]]:
        """Yield the number of each run and how it ended, as it ends."""
        ...


class InProcess:
    """One run after the other, in this process."""

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[tuple[int, RunOutcome]]:
        """Yield the number of each run and how it ended."""
        for number, spec in jobs:
            yield number, outcome_of(spec)


class LocalProcesses:
    """Runs side by side in processes of this machine.

    A worker that dies takes the runs of the whole pool with it, so each of them is run again by
    itself; a run whose worker dies each time is given up.
    """

    def __init__(self, workers: int = 0) -> None:
        """Take so many processes; 0 is one per core."""
        self.workers = workers or os.cpu_count() or 1

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[tuple[int, RunOutcome]]:
        """Yield the number of each run and how it ended, as it ends."""
        waiting, left = iter(jobs), list[Job]()
        while True:
            yield from self._pool_of(waiting, left)
            if not left:
                return
            yield from ((job[0], self._alone(job)) for job in left)
            left.clear()

    def _alone(self, job: Job) -> RunOutcome:
        """Return the outcome of a run in a pool of its own, so that no other dies with it."""
        for _ in range(TRIES - 1):
            for _, answer in LocalProcesses(1)._pool_of(iter([job]), []):
                return answer
        return lost(f"its worker died {TRIES} times; run it alone to see why")

    def _pool_of(self, waiting: Iterator[Job], left: list[Job]) -> Iterator[tuple[int, RunOutcome]]:
        """Yield outcomes from one pool; if it dies, leave the runs that it took along."""
        from mecano.tasks.processes import deaf_children, end_with_the_parent, ended_children

        spawn = multiprocessing.get_context("spawn")
        with ended_children():
            pool = ProcessPoolExecutor(
                self.workers, mp_context=spawn, initializer=end_with_the_parent
            )
            running: dict[Future[RunOutcome], Job] = {}
            try:
                while True:
                    for job in islice(waiting, AHEAD * self.workers - len(running)):
                        with deaf_children():
                            running[pool.submit(outcome_of, job[1])] = job
                    if not running:
                        return
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        answer = future.result()
                        number, _ = running.pop(future)
                        yield number, answer
            except BrokenProcessPool:
                left += running.values()
            finally:
                pool.shutdown(cancel_futures=True)


def engine_for(on: str, workers: int = 0) -> Engine:
    """Return the engine that a user names.

    Args:
        on: "local" for processes of this machine, "here" for this process, "auto" for the Ray
            cluster that is running (or one of this machine), "HOST:PORT" or "ray://HOST:PORT".
        workers: Processes of "local"; 0 is one per core.
    """
    if on == "here" or (on == "local" and workers == 1):
        return InProcess()
    if on == "local":
        return LocalProcesses(workers)
    if on == "auto" or ":" in on:
        from mecano.runs.ray_engine import RayCluster

        return RayCluster(on)
    raise InvalidInput(f"on is '{on}', allowed: local, here, auto, HOST:PORT, ray://HOST:PORT")
