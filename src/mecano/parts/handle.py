"""The handle of something in progress: ask whether it is done, wait for its result, stop it."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar, overload

from mecano.session.protocols import MotionOutcome
from mecano.session.session import Session

Result = TypeVar("Result", bound=MotionOutcome)


class Handle(ABC, Generic[Result]):
    """A motion, grasp or walk in progress; it ends with a result, in whatever way."""

    def __init__(self, session: Session) -> None:
        """Begin now; `session` is the one in whose ticks it happens."""
        self.session = session
        self._result: Result | None = None
        self._stopped = False

    def __repr__(self) -> str:
        state = "in progress" if self.result is None else self.result.message
        return f"<{type(self).__name__}: {state}>"

    @property
    def result(self) -> Result | None:
        """How it ended; None before."""
        return self._result

    def finish(self, result: Result) -> None:
        """Give it its result."""
        self._result = result

    @property
    def done(self) -> bool:
        """True when it has ended, in whatever way."""
        return self.result is not None

    @overload
    def wait(self, timeout: None = None) -> Result: ...
    @overload
    def wait(self, timeout: float | None) -> Result | None: ...
    def wait(self, timeout: float | None = None) -> Result | None:
        """Let time pass until it has ended; return the result, or None at the timeout [s]."""
        self.session.wait_until(lambda: self.done, timeout=timeout)
        result = self.result
        if result is not None and not self._stopped:
            self.session.raise_if_failed(result)
        return result

    def stop(self) -> None:
        """End it here, and hold; its result is then no failure, whatever `on_failure` says."""
        self._stopped = True
        self.halt()

    @abstractmethod
    def halt(self) -> None:
        """Brake and hold; whoever waits for it is told that it ended early."""
