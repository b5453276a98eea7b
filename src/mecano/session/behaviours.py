"""Behaviours: a user's functions and generators that run inside the ticks."""

import inspect
from collections.abc import Callable, Generator
from math import isfinite
from typing import Any

from mecano.core.errors import MecanoError, UserCodeFailed


class BehaviourFailed(UserCodeFailed):
    """A user's behaviour raised."""


Wait = float | Callable[[], bool] | Any | None
"""What a generator yields: nothing (next tick), seconds, a condition, or something with `done`."""


class Behaviour:
    """A user's function that runs inside the ticks: plain, or a generator that waits by `yield`."""

    def __init__(self, function: Callable[..., Any], argument: Any) -> None:
        """Start it; a plain function is called in every tick, a generator once."""
        self.name = getattr(function, "__name__", "behaviour")
        self.done = False
        self._function, self._argument = function, argument
        self._generator: Generator[Any, Any, Any] | None = None
        self._ready: Callable[[float], bool] = lambda now: True
        if inspect.isgeneratorfunction(function):
            self._generator = function(argument)

    def step(self, now: float) -> None:
        """Run it until it waits again."""
        if self.done:
            return
        try:
            if not self._ready(now):
                return
            if self._generator is None:
                answer = self._function(self._argument)
                if inspect.isgenerator(answer):
                    self._generator = answer
            else:
                self._ready = _condition(next(self._generator), now)
        except StopIteration:
            self.done = True
        except MecanoError:
            self.done = True
            raise
        except Exception as error:
            self.done = True
            raise BehaviourFailed(f"behaviour '{self.name}'", error) from error

    def stop(self) -> None:
        """Do not run it any more."""
        self.done = True


def _condition(wait: Wait, now: float) -> Callable[[float], bool]:
    """Turn what a generator yielded into a test of whether it may go on."""
    if wait is None:
        return lambda _: True
    if isinstance(wait, int | float):
        if not isfinite(wait):
            raise ValueError(f"a behaviour may not wait for {wait} s")
        until = now + wait
        return lambda later: later >= until - 1e-9
    if hasattr(wait, "done"):
        handle: Any = wait
        return lambda _: bool(handle.done)
    if callable(wait):
        return lambda _: bool(wait())
    raise TypeError(
        f"a behaviour may yield nothing, seconds, a motion or a condition, not {wait!r}"
    )
