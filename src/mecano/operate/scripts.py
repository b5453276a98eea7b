"""Scripts: a user's Python that belongs to an object of the scene and runs in its ticks.

    class Blinker(mecano.Script):
        def init(self): ...        # once, at the beginning of its first tick
        def sensing(self): ...     # in every tick, after the sensors were read, before the motions
        def actuation(self): ...   # in every tick, last before the physics
        def cleanup(self): ...     # once, when it ends, in whatever way
        def thread(self):          # a routine that waits by `yield`, as in `robot.run`
            yield 0.5

    mecano.attach(robot, Blinker(), to="cube")

A script may have any of these. Threads are behaviours (`lab.session.Behaviour`) of the script. In
each of the rounds init, sensing, threads, actuation the scripts come in the order in which they
were attached. Going back in time (`reset`, `restore`) ends scripts, as it ends behaviours: a
generator cannot be copied. Cleanup runs, mail and signals are emptied; attach them anew.
"""

import inspect
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.notices import narrate
from mecano.core.poses import Frame, Pose
from mecano.lab.robot import Robot, by_name
from mecano.operate.script_host import Line, OnError, Scripts, Seat, Signals
from mecano.session.behaviours import Behaviour
from mecano.world.world import World

CALLBACKS = ("init", "sensing", "actuation", "cleanup")
Routine = Generator[Any, Any, Any]


@dataclass(frozen=True)
class SceneObject:
    """A handle of a body or a site of the scene."""

    name: str
    kind: str
    """`body` or `site`."""
    world: World = field(repr=False, compare=False)

    def pose(self) -> Pose:
        """Return where it is in the world."""
        read = self.world.body_pose if self.kind == "body" else self.world.site_pose
        return read(self.name)

    @cached_property
    def frame(self) -> Frame:
        """A frame that follows it, to hang others on."""
        return Frame(self.name, source=self.pose)


class Script:
    """Base of a user's scripts. All but the four callbacks and `thread` is there to be used.

    What needs the scene (`object`, `robot`, `time`, `send`, ...) is there from `init` on, not yet
    in `__init__`.
    """

    on: str = "world"
    """Body or site that it belongs to, if `attach` names none."""
    _seat: Seat | None = None

    # --- to be written by the user

    def init(self) -> None:
        """Begin: called once, in the first tick."""

    def sensing(self) -> None:
        """Look: called in every tick after the sensors were read, before the motions."""

    def actuation(self) -> None:
        """Act: called in every tick, after motions and threads, before the physics."""

    def cleanup(self) -> None:
        """Leave things in order: called once when the script ends, also after an error."""

    def thread(self) -> Routine | None:
        """Do one thing after the other; `yield` seconds, a condition, a handle or a message."""

    # --- what it is and where

    @property
    def seated(self) -> Seat:
        """Its place in the session; a script that was never attached has none."""
        if self._seat is None:
            kind = type(self).__name__
            raise InvalidInput(
                f"script '{kind}' belongs to no scene yet; use this from init() on, after "
                f"mecano.attach(robot, {kind}())"
            )
        return self._seat

    @property
    def name(self) -> str:
        """How reports call it: its class, unless `attach` says otherwise."""
        return self.seated.name

    @property
    def object(self) -> SceneObject:
        """What it is attached to."""
        return self.seated.object

    @property
    def robot(self) -> Robot:
        """The robot it was attached with; of several, the one its object is part of, or the first.

        Calls that wait are refused in a script: use `wait=False` and yield the handle.
        """
        robots = self.robots
        owner = self.object.name.partition("/")[0]
        return robots[owner] if owner in robots else next(iter(robots.values()))

    @property
    def robots(self) -> dict[str, Robot]:
        """All robots it was attached with, by name."""
        return self.seated.robots

    @property
    def scripts(self) -> Scripts:
        """All scripts of the session."""
        return self.seated.host

    @property
    def time(self) -> float:
        """Time of the session [s]."""
        return self.scripts.session.time

    @property
    def tick(self) -> float:
        """Length of one tick [s]."""
        return self.scripts.session.backend.tick

    @property
    def random(self) -> np.random.Generator:
        """Its own random numbers; they depend on the seed of the run and on its name."""
        return self.scripts.session.random.get(f"script/{self.name}")

    @property
    def done(self) -> bool:
        """True when it has ended, so `robot.wait(script)` and `yield script` work.

        It ends when it is stopped, when it raises, and when all its threads have ended if it has
        neither sensing nor actuation.
        """
        return self._seat is not None and self._seat.ended

    def find(self, name: str) -> SceneObject:
        """Return the handle of a body or site of the scene."""
        return _find(self.object.world, name)

    # --- threads

    def start(self, routine: Callable[..., Routine], *arguments: Any) -> Behaviour:
        """Start another thread; return its handle, which has `done` and `stop()`.

        It runs for the first time in the next round of threads, of this tick or the next one.
        """
        if not inspect.isgeneratorfunction(routine):
            raise InvalidInput(
                f"a thread is a function with a yield in it, {_called(routine)} has none"
            )

        def run(_: Any) -> Routine:
            yield from _driven(routine(*arguments))

        run.__name__ = _called(routine)
        thread = Behaviour(run, None)
        self.seated.threads.append(thread)
        return thread

    def stop(self) -> None:
        """End this script; its cleanup runs at the end of this round, or now between two ticks."""
        seat = self.seated
        with seat.host.session.undisturbed():
            seat.stopping = True
            seat.host.sweep()

    def end_run(self) -> None:
        """End the run: `scripts_of(robot).run()` returns after this tick."""
        self.scripts.stop_asked = True

    # --- messages

    @property
    def signals(self) -> Signals:
        """Values that all scripts share: `self.signals["speed"] = 0.2`."""
        return self.scripts.signals

    def send(self, mailbox: str, value: Any = None) -> None:
        """Put a message into a mailbox; it is there at once, for whoever asks first."""
        self.scripts.send(mailbox, value, sender=self.name)

    def receive(self, mailbox: str, default: Any = None) -> Any:
        """Take the oldest message that another script put into a mailbox.

        One's own messages are left for the other side, so one mailbox serves both directions.
        """
        return self.scripts.receive(mailbox, default, receiver=self.name)

    def message(
        self, mailbox: str, *, timeout: float | None = None, default: Any = None
    ) -> Routine:
        """In a thread, wait for a message: `value = yield self.message("gripper")`.

        Args:
            mailbox: Its name.
            timeout: Wait no longer than this [s].
            default: What comes back then.
        """
        until = float("inf") if timeout is None else self.time + timeout - 1e-9
        while not self.scripts.waiting(mailbox, receiver=self.name):
            if self.time >= until:
                return default
            yield
        return self.receive(mailbox)

    def print(self, *words: Any) -> None:
        """Print a line with the time and the script's name, and keep it in `scripts.lines`."""
        line = Line(self.time, self.name, " ".join(map(str, words)))
        self.scripts.lines.append(line)
        narrate(line.time, f"{line.script}: {line.text}")


def _driven(routine: Routine) -> Routine:
    """Run a thread; a generator that it yields runs first, and what that returns comes back."""
    answer = None
    while True:
        try:
            wait = routine.send(answer)
        except StopIteration:
            return
        if inspect.isgenerator(wait):
            answer = yield from wait
        else:
            answer = yield wait


AnyScript = TypeVar("AnyScript", bound=Script)


def scripts_of(robots: Robot | dict[str, Robot]) -> Scripts:
    """Return the scripts of a robot's session, to send them messages, run them and read reports."""
    session = next(iter(by_name(robots).values())).session
    with session.lock:
        if session.scripts is None:
            session.scripts = Scripts(session)
        assert isinstance(session.scripts, Scripts)
        return session.scripts


def attach(
    robots: Robot | dict[str, Robot],
    script: AnyScript,
    *,
    to: str | None = None,
    name: str | None = None,
    on_error: OnError = "raise",
) -> AnyScript:
    """Attach a script to an object of the scene; it begins in the next tick.

    Args:
        robots: A robot from `connect`, or the robots from `connect_all`.
        script: An instance of a subclass of `Script`. After it has ended it may be attached again.
        to: Body or site that it belongs to; by default what its class says in `on`, else the world.
        name: How reports call it; by default its class, with a number if there are several.
        on_error: What happens when it raises. It is stopped and cleaned up in any case. `raise`
            also stops the robots and raises `ScriptFailed` in the call that lets time pass;
            `report` logs a warning, and the run goes on without the script.

    Returns:
        The script.
    """
    named = by_name(robots)
    _check(script)
    if on_error not in ("raise", "report"):
        raise InvalidInput(f"on_error is '{on_error}', allowed: raise, report")
    place = _find(next(iter(named.values())).world, script.on if to is None else to)
    host = scripts_of(named)
    with host.session.lock:
        if script._seat is not None and not script._seat.ended:
            raise InvalidInput(f"script '{script.name}' is attached already; make another one")
        if name in host.names:
            raise InvalidInput(f"there is a script named '{name}' already; choose another name")
        chosen = name or _free_name(type(script).__name__, host.names)
        written = frozenset(c for c in (*CALLBACKS, "thread") if _wrote(type(script), c))
        host.seat(Seat(script, chosen, place, named, host, on_error, written))
    return script


def _check(script: Script) -> None:
    """Say what is wrong with a script before it runs."""
    if isinstance(script, type) and issubclass(script, Script):
        raise InvalidInput(f"attach() takes a script, not its class; write {script.__name__}()")
    if not isinstance(script, Script):
        raise InvalidInput(f"attach() takes a mecano.Script, got {script!r}; for a function: run()")
    kind = type(script)
    for callback in CALLBACKS:
        if inspect.isgeneratorfunction(getattr(kind, callback)):
            raise InvalidInput(
                f"{callback}() of script '{kind.__name__}' has a yield; only thread(), and what "
                "start() is given, may wait"
            )
    if _wrote(kind, "thread") and not inspect.isgeneratorfunction(kind.thread):
        raise InvalidInput(f"thread() of script '{kind.__name__}' has no yield, so it cannot wait")


def _wrote(kind: type[Script], callback: str) -> bool:
    """Tell whether the user wrote this callback."""
    return getattr(kind, callback) is not getattr(Script, callback)


def _free_name(wanted: str, taken: tuple[str, ...]) -> str:
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted} {number}"
    return name


def _find(world: World, name: str) -> SceneObject:
    """Return the body with this name, or the site."""
    bodies, sites = world.names("body"), world.names("site")
    if name in bodies:
        return SceneObject(name, "body", world)
    if name in sites:
        return SceneObject(name, "site", world)
    raise UnknownName("object", name, (*bodies, *sites))


def _called(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", repr(function))
