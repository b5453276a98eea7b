"""One clock, one tick, and everything that happens in it.

The tick: read the sensors, let the scripts sense, run motions, behaviours and scripts, advance the
world (or wait for the next tick of a real robot), tell the observers. Simulated, real and replayed
robots share it; they differ in the backend.

Who runs it: in a caller-driven session (the default without a window) blocking calls run ticks and
time stands still between them. In a background-driven one a thread ticks and blocking calls wait.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from mecano.core.arrays import finite_number
from mecano.core.clocks import VirtualClock, WallClock
from mecano.core.errors import (
    InvalidInput,
    MecanoError,
    MotionFailed,
    WorldBroken,
)
from mecano.core.randomness import RandomStreams
from mecano.session.behaviours import Behaviour
from mecano.session.pacing import Pace
from mecano.session.protocols import Backend, MotionOutcome, ScriptHost, Stepper

LONGEST = 1e8
"""What a call may wait for, at most [s]: three years."""


OnFailure = Literal["report", "raise"]
"""What calls that wait do with a motion that failed: return its result, or raise
`MotionFailed`."""


class BlockedInTick(MecanoError):
    """A blocking call was made from inside a tick, where nothing could ever end it."""

    def __init__(self) -> None:
        super().__init__(
            "a behaviour called something that waits; start it with wait=False and yield its handle"
        )


class SessionClosed(MecanoError):
    """Time was to pass in a session that has been closed."""

    def __init__(self) -> None:
        super().__init__("this robot was closed; connect to it again to go on")


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of a session between two ticks."""

    backend: Any = field(repr=False)
    random: Any = field(repr=False)
    memories: list[Any] = field(repr=False)
    ticks: int
    owner: "Session" = field(repr=False)
    """Whose state it is."""


class Session:
    """Owns the clock, the parts that act, the behaviours and the observers."""

    def __init__(
        self, backend: Backend, *, seed: int = 0, on_failure: OnFailure = "report",
        clock: VirtualClock | None = None,
    ) -> None:  # fmt: skip
        """Begin at the backend's time; nothing moves before the first tick.

        Args:
            backend: What the ticks move.
            seed: Of all randomness.
            on_failure: What calls that wait do with a motion that failed, see `OnFailure`.
            clock: Virtual time of a robot that is emulated in this process; None for real time.
        """
        self.backend = backend
        self.on_failure = on_failure
        self.random = RandomStreams(seed)
        self.ticks = 0
        self.steppers: list[Stepper] = []
        self.behaviours: list[Behaviour] = []
        self.scripts: ScriptHost | None = None
        """Scripts of the scene's objects, once one is attached."""
        self.observers: list[Callable[[Session], object]] = []
        self.robots: set[str] = set()
        """Names of the robots that have not been closed yet."""
        self.lock = threading.RLock()
        """Held during a tick, and by whoever plans or changes something between two ticks."""
        self.wall = WallClock() if clock is None else clock
        """Real time since the session began, or the virtual time of an emulated robot."""
        self.pace: Pace | None = None
        """Holds the ticks back to real time; None lets them follow each other at once."""
        self._ticking: int | None = None
        self._background: threading.Thread | None = None
        self._live = False
        self._stopping = threading.Event()
        self._closed = False
        self._ticked = threading.Condition()
        self.failure: BaseException | None = None
        """What ended the ticks of a session that runs by itself, if something did."""
        backend.sense()
        self.mark_initial()

    @property
    def time(self) -> float:
        """Time of the session [s]."""
        return self.backend.time

    @property
    def on_failure(self) -> OnFailure:
        """What calls that wait do with a motion that failed, see `OnFailure`."""
        return self._on_failure

    @on_failure.setter
    def on_failure(self, wanted: OnFailure) -> None:
        if not isinstance(wanted, str) or wanted not in get_args(OnFailure):
            raise InvalidInput(
                f"on_failure is {wanted!r}, allowed: 'report' (calls return how a motion ended), "
                "'raise' (they raise MotionFailed if it did not reach its goal)"
            )
        self._on_failure: OnFailure = wanted

    def raise_if_failed(self, result: MotionOutcome) -> None:
        """Raise `MotionFailed` if a motion failed and `on_failure` is "raise".

        Calls that wait for a motion give its result to this before they return it.
        """
        if self._on_failure == "raise" and result.failed:
            raise MotionFailed(result)

    def tick(self) -> None:
        """Do one round. Only the thread that drives the session may call this."""
        if self._live and self.failure is not None:
            raise self.failure
        self._await_turn()
        with self.lock:
            try:
                self._tick()
            except Exception as error:
                if self._live:
                    self.failure = error
                raise

    def _await_turn(self) -> None:
        if self.pace is not None:
            self.pace.hold(self.backend.tick)

    def _tick(self) -> None:
        if self._closed:
            raise SessionClosed
        self._ticking = threading.get_ident()
        try:
            self.backend.sense()
            self._act(self.backend.time)
            self.backend.advance()
            self.ticks += 1
            for observer in self.observers:
                observer(self)
        except WorldBroken:  # nothing that was going on can go on
            self.reset()
            raise
        finally:
            self._ticking = None

    def _act(self, now: float) -> None:
        """Run motions, behaviours and scripts; an error of the user's code stops the robots."""
        scripts = self.scripts
        try:
            if scripts is not None:
                scripts.sense(now)
            for stepper in self.steppers:
                stepper.step(now)
            for behaviour in self.behaviours:
                behaviour.step(now)
            if scripts is not None:
                scripts.act(now)
        except Exception:
            self.stop_all()
            raise
        finally:
            if self.behaviours:
                self.behaviours = [each for each in self.behaviours if not each.done]

    @contextmanager
    def undisturbed(self) -> Iterator[None]:
        """Hold the lock, and refuse calls that wait, while a user's code runs between two ticks."""
        with self.lock:
            before, self._ticking = self._ticking, threading.get_ident()
            try:
                yield
            finally:
                self._ticking = before

    def _end_scripts(self) -> None:
        if self.scripts is not None:
            with self.undisturbed():
                self.scripts.end()

    def wait_until(self, done: Callable[[], bool], *, timeout: float | None = None) -> bool:
        """Let time pass until a condition holds; return False if the timeout came first [s]."""
        if not callable(done):
            raise InvalidInput(f"wait_until() takes a function that tells when, got {done!r}")
        if timeout is not None:
            timeout = finite_number(timeout, name="timeout [s]", upper=LONGEST)
        if self._ticking == threading.get_ident():
            raise BlockedInTick
        deadline = None if timeout is None else self.time + timeout - 1e-9
        try:
            if self._background is not None:
                return self._wait_for_thread(done, deadline)
            while not done():
                if deadline is not None and self.time >= deadline:
                    return False
                self.tick()
        except KeyboardInterrupt:
            self.stop_all()
            raise
        return True

    def run_for(self, seconds: float) -> None:
        """Let this much time pass [s]."""
        seconds = finite_number(seconds, name="time to run [s]", upper=LONGEST)
        until = self.time + seconds - 1e-9
        self.wait_until(lambda: self.time >= until)

    def stop_all(self) -> None:
        """Stop every motion; arms brake and hold, grippers hold what they have."""
        with self.lock:
            for stepper in self.steppers:
                stepper.stop()

    def snapshot(self) -> Snapshot:
        """Return all that is needed to go on from here, but for motions, behaviours, scripts."""
        with self.commanding():
            memories = [stepper.memory() for stepper in self.steppers]
            return Snapshot(
                self.backend.snapshot(), self.random.snapshot(), memories, self.ticks, self
            )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this session; motions, behaviours and scripts end.

        What runs after it runs as it did the first time, bit for bit.
        """
        if not isinstance(snapshot, Snapshot) or snapshot.owner is not self:
            raise InvalidInput(
                f"restore() takes what snapshot() of the same session returned, got {snapshot!r}"
            )
        with self.commanding():
            self._end_scripts()
            self.behaviours.clear()
            self.backend.restore(snapshot.backend)
            self.random.restore(snapshot.random)
            self.ticks = snapshot.ticks
            for stepper, memory in zip(self.steppers, snapshot.memories, strict=True):
                stepper.recall(memory)

    @contextmanager
    def commanding(self) -> Iterator[None]:
        """Hold the lock while something is commanded; raise `SessionClosed` if it was closed."""
        with self.lock:
            self.require_open()
            yield

    def require_open(self) -> None:
        """Raise `SessionClosed` if it has been closed."""
        if self._closed:
            raise SessionClosed

    def mark_initial(self) -> None:
        """Make the present state the one that `reset` goes back to."""
        self._initial = self.snapshot()

    def reset(self) -> None:
        """Go back to the beginning: time, world, randomness."""
        self.restore(self._initial)

    # --- background

    def start_background(self, *, speed: float = 1.0) -> None:
        """Tick in a thread, at a multiple of real time, until `close`.

        On a virtual clock there is no thread: time passes in the calls that wait.

        Args:
            speed: How many times faster than real time; infinity for as fast as it goes.
        """
        self.pace = self.pace or Pace(speed, clock=self.wall)
        self.failure, self._live = None, True
        if isinstance(self.wall, VirtualClock):
            return
        self._stopping.clear()
        self._background = threading.Thread(
            target=self._run_background, name="mecano session", daemon=True
        )
        self._background.start()

    def _run_background(self) -> None:
        while True:
            self._await_turn()
            if self._stopping.is_set():
                break
            try:
                with self.lock:
                    self._tick()
            except BaseException as error:  # handed to whoever waits
                self.failure = error
                self._stopping.set()
            with self._ticked:
                self._ticked.notify_all()
            time.sleep(0)  # lets a thread that waits for the lock have it

    def _wait_for_thread(self, done: Callable[[], bool], deadline: float | None) -> bool:
        with self._ticked:
            while not done():
                if self.failure is not None:
                    raise self.failure
                if deadline is not None and self.time >= deadline:
                    return False
                self._ticked.wait(timeout=0.1)
        return True

    def come_to_rest(self, timeout: float = 2.0) -> None:
        """In a session that runs by itself, let braking arms stop before it ends [s]."""
        if self._live and self.failure is None:
            self.wait_until(lambda: all(s.at_rest() for s in self.steppers), timeout=timeout)

    def close(self) -> None:
        """End the background thread, if there is one, and let go of the robots."""
        self._stopping.set()
        if self.pace is not None:
            self.pace.end()
        stuck = False
        if self._background is not None:
            if self._background is not threading.current_thread():
                self._background.join(timeout=5.0)
                stuck = self._background.is_alive()
            self._background = None
        self._live = False
        if not self._closed:
            self._closed = True
            if not stuck:  # a tick that never ends keeps the lock for ever
                self._end_scripts()
            self.backend.end()
