"""How long the stages of a mapper take."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class StopWatch:
    """Adds up the time of named stages."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        """By stage, in the order in which they first ran [s]."""

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        """Count the time until the block ends for a stage."""
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + perf_counter() - start
