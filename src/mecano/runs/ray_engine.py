"""Runs of a study on a Ray cluster; the extra `cluster`."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from mecano.core.errors import InvalidInput, MecanoError
from mecano.runs.engines import AHEAD, TRIES, Job
from mecano.runs.outcomes import RunOutcome, lost, outcome_of


class RayCluster:
    """Hands runs to the workers of a cluster; those of a worker that dies are handed out again."""

    def __init__(self, address: str = "auto") -> None:
        """Take a cluster.

        Args:
            address: "auto" is the one that runs on this machine, or else one of its own cores;
                "ray://HOST:PORT" is another one's.

        Raises:
            MecanoError: Ray is not installed, or does not answer.
        """
        try:
            import ray
        except ImportError:
            raise MecanoError("Ray is not installed: pip install 'mecano[cluster]'") from None
        self._ray = ray
        self._address = address

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[tuple[int, RunOutcome]]:
        """Yield the number of each run and how it ended, as it ends."""
        ray = self._ray
        mine = not ray.is_initialized()
        if mine:
            self._connect()
        try:
            yield from self._spread(iter(jobs))
        finally:
            if mine:
                ray.shutdown()

    def _spread(self, waiting: Iterator[Job]) -> Iterator[tuple[int, RunOutcome]]:
        ray = self._ray
        remote: Any = ray.remote(num_cpus=1, max_retries=TRIES - 1)(outcome_of)
        running: dict[Any, int] = {}
        while True:
            room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1))) - len(running)
            for number, spec in islice(waiting, room):
                running[remote.remote(spec)] = number
            if not running:
                return
            ready, _ = ray.wait(list(running), num_returns=1)
            for each in ready:
                yield running.pop(each), self._answer(each)

    def _answer(self, reference: Any) -> RunOutcome:
        from ray.exceptions import WorkerCrashedError

        try:
            return self._ray.get(reference)
        except WorkerCrashedError:
            return lost(f"its worker died {TRIES} times; run it alone to see why")

    def _connect(self) -> None:
        import logging

        ray, options = self._ray, {"logging_level": logging.ERROR, "log_to_driver": False}
        try:
            ray.init(address=self._address, **options)
        except ConnectionError as error:
            if self._address != "auto":
                raise InvalidInput(f"no Ray cluster at {self._address}: {error}") from None
            ray.init(**options)
