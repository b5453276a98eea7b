"""What runs the scripts of a session: their rounds in the tick, their mail, and their ends."""

import time as wall
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mecano.core.errors import UnknownName, UserCodeFailed
from mecano.core.notices import say
from mecano.session.behaviours import Behaviour, BehaviourFailed
from mecano.session.session import Session

if TYPE_CHECKING:
    from mecano.lab.robot import Robot
    from mecano.operate.scripts import SceneObject, Script

MAILBOX = 100
"""Messages that a mailbox holds; then the oldest one is lost."""
LINES = 1000
"""Printed lines that are kept."""
SLOW = 0.5
"""A callback that takes longer is reported, once per script [s of real time]."""

OnError = Literal["raise", "report"]


class ScriptFailed(UserCodeFailed):
    """A callback or thread of a script raised; the script was stopped and cleaned up."""

    def __init__(
        self, script: str, on: str, callback: str, error: BaseException, *, fatal: bool
    ) -> None:
        self.script, self.object, self.callback = script, on, callback
        super().__init__(f"{callback}() of script '{script}' on '{on}'", error)
        if not fatal:
            text = str(self).removesuffix("the robot was stopped")
            self.args = (f"{text}the script was stopped",)


class Signals(dict[str, Any]):
    """Values that all scripts share, by name. A name that was never set says which there are."""

    def __missing__(self, name: str) -> Any:
        raise UnknownName("signal", name, self)


@dataclass(frozen=True)
class Line:
    """Something a script printed."""

    time: float
    """Of the session [s]."""
    script: str
    text: str


@dataclass(eq=False)
class Seat:
    """The place of a script in a session."""

    script: "Script"
    name: str
    object: "SceneObject"
    robots: "dict[str, Robot]"
    host: "Scripts"
    on_error: OnError
    written: frozenset[str]
    """Which callbacks the user wrote."""
    threads: list[Behaviour] = field(default_factory=list)
    begun: bool = False
    stopping: bool = False
    ended: bool = False
    slow: bool = False

    @property
    def running(self) -> bool:
        """True between its first tick and its end."""
        return self.begun and not (self.stopping or self.ended)

    def forget_threads(self) -> None:
        """Drop threads that have ended, but for the last: it tells that there were some."""
        self.threads = [t for t in self.threads if not t.done] or self.threads[-1:]

    @property
    def finished(self) -> bool:
        """True if nothing is left for it to do."""
        if self.stopping:
            return True
        busy = self.written & {"sensing", "actuation"} or not self.threads
        return self.begun and not busy and all(thread.done for thread in self.threads)


class Scripts:
    """All scripts of one session, with their mail and signals; see `scripts_of`."""

    def __init__(self, session: Session) -> None:
        """Begin without scripts."""
        self.session = session
        self.signals = Signals()
        self.lines: deque[Line] = deque(maxlen=LINES)
        """What scripts printed, the newest last."""
        self.failures: list[ScriptFailed] = []
        """What scripts raised since the session began, the fatal ones included."""
        self.stop_asked = False
        self._seats: list[Seat] = []
        self._mail: dict[str, deque[tuple[str | None, Any]]] = {}
        self._full: set[str] = set()
        self._in_round = False

    def __getitem__(self, name: str) -> "Script":
        """Return the script with this name."""
        for seat in self._seats:
            if seat.name == name:
                return seat.script
        raise UnknownName("script", name, self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the scripts that have not ended, in their order."""
        return tuple(seat.name for seat in self._seats)

    def run(self, *, timeout: float | None = None) -> bool:
        """Let time pass until every thread has ended or a script called `end_run`.

        Returns False if the timeout [s] came first.
        """
        self.stop_asked = False
        return self.session.wait_until(
            lambda: self.stop_asked or not self._threads_left(), timeout=timeout
        )

    def _threads_left(self) -> bool:
        return any(
            not seat.begun or any(not thread.done for thread in list(seat.threads))
            for seat in list(self._seats)
        )

    # --- mail

    def send(self, mailbox: str, value: Any = None, *, sender: str | None = None) -> None:
        """Put a message into a mailbox; without a sender it comes from the user's program."""
        with self.session.lock:
            box = self._mail.setdefault(mailbox, deque(maxlen=MAILBOX))
            if len(box) == MAILBOX and mailbox not in self._full:
                self._full.add(mailbox)
                say(
                    f"mailbox '{mailbox}' is full: nobody took its last {MAILBOX} messages, from "
                    "now on the oldest are lost"
                )
            box.append((sender, value))

    def receive(self, mailbox: str, default: Any = None, *, receiver: str | None = None) -> Any:
        """Take the oldest message that somebody else put into a mailbox."""
        with self.session.lock:
            box = self._mail.get(mailbox, ())
            for index, (sender, value) in enumerate(box):
                if sender != receiver:
                    del self._mail[mailbox][index]
                    return value
        return default

    def waiting(self, mailbox: str, *, receiver: str | None = None) -> int:
        """Return how many messages of others are in a mailbox."""
        with self.session.lock:
            return sum(sender != receiver for sender, _ in self._mail.get(mailbox, ()))

    # --- the session calls these

    def sense(self, now: float) -> None:
        """Begin new scripts, then let all of them sense."""
        with self._round() as seats:
            for seat in seats:
                if not (seat.begun or seat.stopping or seat.ended):
                    seat.begun = True
                    self._call(seat, "init", seat.script.init)
                    if seat.running and "thread" in seat.written:
                        routine: Any = seat.script.thread
                        seat.script.start(routine)
        with self._round() as seats:
            for seat in seats:
                if seat.running:
                    self._call(seat, "sensing", seat.script.sensing)

    def act(self, now: float) -> None:
        """Run the threads of all scripts, then let them act."""
        with self._round() as seats:
            for seat in seats:
                for thread in list(seat.threads):
                    if seat.running:
                        self._call(seat, thread.name, thread.step, now)
                seat.forget_threads()
        with self._round() as seats:
            for seat in seats:
                if seat.running:
                    self._call(seat, "actuation", seat.script.actuation)

    def end(self) -> None:
        """End all scripts and throw away mail and signals."""
        for seat in self._seats:
            self._end(seat)
        self._mail.clear()
        self._full.clear()
        self.signals.clear()

    # --- inside

    def seat(self, seat: Seat) -> None:
        """Give a script its place, after those that have one."""
        self._seats.append(seat)
        seat.script._seat = seat

    @contextmanager
    def _round(self) -> Iterator[list[Seat]]:
        """Go once through the scripts that are there now; then end those that are finished."""
        self._in_round = True
        try:
            yield list(self._seats)
        finally:
            self._in_round = False
        self.sweep()

    def sweep(self) -> None:
        """End the scripts that are finished, unless a round is on: it does so at its end."""
        if not self._in_round:
            for seat in self._seats:
                if seat.finished:
                    self._end(seat)

    def _call(self, seat: Seat, what: str, action: Callable[..., Any], *arguments: Any) -> None:
        """Run a piece of the user's code; an error ends its script."""
        began = wall.perf_counter()
        try:
            action(*arguments)
        except Exception as error:
            cause = error.error if isinstance(error, BehaviourFailed) else error
            fatal = seat.on_error == "raise"
            failure = self._note(seat, what, cause, fatal=fatal)
            self._end(seat)
            if fatal:
                raise failure from cause
        took = wall.perf_counter() - began
        if took > SLOW and not seat.slow:
            seat.slow = True
            say(
                f"{what}() of script '{seat.name}' on '{seat.object.name}' took {took:.1f} s of "
                f"real time in a tick of {self.session.backend.tick:g} s; spread the work over "
                "ticks in a thread that yields"
            )

    def _end(self, seat: Seat) -> None:
        """End a script. What its cleanup raises is only reported: it is over anyway."""
        if seat.ended:
            return
        seat.ended = True
        self._seats = [each for each in self._seats if each is not seat]
        for thread in seat.threads:
            thread.stop()
        if seat.begun:
            try:
                seat.script.cleanup()
            except Exception as error:
                self._note(seat, "cleanup", error, fatal=False)

    def _note(self, seat: Seat, what: str, error: BaseException, *, fatal: bool) -> ScriptFailed:
        failure = ScriptFailed(seat.name, seat.object.name, what, error, fatal=fatal)
        self.failures.append(failure)
        if not fatal:
            say(f"{failure}")
        return failure
