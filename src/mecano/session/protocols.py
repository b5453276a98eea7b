"""What a session asks of a backend, of parts, of scripts and of results."""

from typing import Any, Protocol


class Backend(Protocol):
    """What is different between a simulated and a real robot."""

    @property
    def time(self) -> float:
        """Time since the start [s]."""
        ...

    @property
    def tick(self) -> float:
        """Length of one tick [s]."""
        ...

    def sense(self) -> None:
        """Take new readings of all sensors that are due."""
        ...

    def advance(self) -> None:
        """Let one tick pass."""
        ...

    def snapshot(self) -> Any:
        """Return the whole state; a real robot cannot, and raises `InvalidInput`."""
        ...

    def restore(self, snapshot: Any) -> None:
        """Go back to a state."""
        ...

    def end(self) -> None:
        """Let go of everything; a real robot is left in a safe state."""
        ...


class Stepper(Protocol):
    """A part that does something in every tick while it is active."""

    def step(self, now: float) -> None:
        """Act at time `now` [s]."""
        ...

    def stop(self) -> None:
        """End what it is doing and hold."""
        ...

    def at_rest(self) -> bool:
        """Tell whether nothing is commanded to move."""
        ...

    def memory(self) -> Any:
        """Return what it must know to go on from here; a motion in progress is not part of it."""
        ...

    def recall(self, memory: Any) -> None:
        """Go on from there; what it was doing ends."""
        ...


class ScriptHost(Protocol):
    """Runs the scripts of a session, see `mecano.operate.scripts`."""

    def sense(self, now: float) -> None:
        """Let the scripts look at what the sensors read."""
        ...

    def act(self, now: float) -> None:
        """Run their threads, then let them act."""
        ...

    def end(self) -> None:
        """End them all; this may not raise."""
        ...


class MotionOutcome(Protocol):
    """How a motion ended, as far as the session looks at it."""

    @property
    def failed(self) -> bool:
        """True if a program that counts on it must not go on."""
        ...

    @property
    def message(self) -> str:
        """The result in one sentence."""
        ...
