"""When a long run saves what it has so far: now and then, and never most of the time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class SavingPace:
    """Says when it is time to save again."""

    def __init__(self, every: float, *, share: float, first: float | None = None) -> None:
        """Begin now.

        Args:
            every: From one time to the next, at least [s].
            share: Saving takes no more than this part of the time.
            first: Until the first time [s]; None is like any other.
        """
        self._every, self._share = every, share
        self._due = time.monotonic() + (every if first is None else first)

    @property
    def is_due(self) -> bool:
        """Whether it is time."""
        return time.monotonic() >= self._due

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Save within this block: what that takes decides when the next time is."""
        begun = time.monotonic()
        try:
            yield
        finally:
            now = time.monotonic()
            self._due = now + max(self._every, (now - begun) / self._share)
