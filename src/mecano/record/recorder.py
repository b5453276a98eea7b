"""The recorder: an observer of a session that writes down what happens, and changes nothing."""

import gzip
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.notices import say
from mecano.lab.mapping import LiveMapping, MapKeeper
from mecano.lab.robot import Robot, in_open_session
from mecano.record.channels import JointSample, RobotChannels, WorldChannels, described
from mecano.record.folder import HEADER, LOG, MODEL, RESULT, make_named_folder
from mecano.record.header import session_header, write_json
from mecano.record.robot_facts import robot_facts
from mecano.session.session import Session
from mecano.topics.codec import Clock, encode
from mecano.topics.log import LogWriter
from mecano.topics.tables import CLOCK, REAL_TIME, SIMULATED_TIME

BATCH = 0.5
"""Session time that is gathered before it is written [s]: what a killed run loses at most."""
SLOW_PERIOD = 0.04
"""Time between two messages of what need not be logged in every tick [s]."""


@dataclass(frozen=True, eq=False)
class Tick:
    """What is kept of one tick until it is written."""

    time: float
    real_time: float
    """Since the session began [s]."""
    state: Array
    robots: list[JointSample]
    slow: bool
    """Whether the bodies' poses and the clock are written too."""


class Recorder:
    """Writes a run folder while a session runs. Use it in a `with` block, or `close` it.

    If it cannot write (the disk is full, the folder is gone), it warns once and stops recording;
    the session goes on. If a robot maps, its map so far is saved there now and then.
    """

    def __init__(
        self,
        robots: Robot | dict[str, Robot],
        folder: str | Path,
        header: dict[str, Any] | None = None,
        *,
        warn: Callable[[str], None] = say,
    ) -> None:
        """Write how things are now and begin to observe.

        Args:
            robots: A robot, or all robots of one session by name.
            folder: A new or empty folder.
            header: What the recording is of, see `record.header`; None says: a program's session.
            warn: Told in a sentence why recording stopped.
        """
        named = in_open_session(robots)
        first = next(iter(named.values()))
        if header is not None and not isinstance(header, dict):
            raise InvalidInput(f"the header is {header!r}, expected values by name, or None")
        if not callable(warn):
            raise InvalidInput(f"warn is {warn!r}, expected a function that takes a text")
        self.folder = make_named_folder(folder)
        self.header = session_header() if header is None else dict(header)
        self.session, self._world, self._warn = first.session, first.world, warn
        self._log: LogWriter | None = None
        self._stopped_at: float | None = None
        self._closed = False
        self._touches: list[dict[str, Any]] = []
        alone = len(named) == 1
        self._robots = {name: RobotChannels(each, alone=alone) for name, each in named.items()}
        self._keepers = {
            name: MapKeeper(self.folder if alone else self.folder / name, warn) for name in named
        }
        self._bodies = WorldChannels(self._world)
        self._ticks: list[Tick] = []
        self._slow_at = -np.inf
        tick = float(self.session.backend.tick)
        self.header |= described(self._robots) | {"tick_s": tick, "touched": False}
        self.header |= robot_facts({name: each.description for name, each in named.items()})
        with self.session.lock:
            self._attempt(self._begin)
            self.session.observers.append(self)

    def _begin(self) -> None:
        write_json(self.folder / HEADER, self.header)
        model = self._world.model
        data = np.empty(mujoco.mj_sizeModel(model), np.uint8)
        mujoco.mj_saveModel(model, None, data)
        (self.folder / MODEL).write_bytes(gzip.compress(data.tobytes(), 3, mtime=0))
        self._log = LogWriter(self.folder / LOG)
        self._gather()

    def __call__(self, session: Session) -> None:
        """Take down one tick; the session calls this."""
        if self._log is not None:
            self._attempt(self._take_down)

    def _take_down(self) -> None:
        self._gather()
        if abs(self._ticks[-1].time - self._ticks[0].time) >= BATCH - 1e-9:
            self._write_ticks()
            self._keep_maps(MapKeeper.look)

    def _keep_maps(self, keep: Callable[[MapKeeper, LiveMapping], None]) -> None:
        """Let the map of every robot that maps be looked at, or saved."""
        for name, channels in self._robots.items():
            mapping = channels.robot.estimator
            if isinstance(mapping, LiveMapping):
                keep(self._keepers[name], mapping)

    def _gather(self) -> None:
        now = self.session.time
        slow = not 0.0 <= now - self._slow_at < SLOW_PERIOD - 1e-9  # also when time went back
        if slow:
            self._slow_at = now
        samples = [robot.sample(slow=slow) for robot in self._robots.values()]
        self._ticks.append(Tick(now, self.session.wall.now(), self._world.state(), samples, slow))

    def _write_ticks(self) -> None:
        """Write what was gathered, in the order in which it happened."""
        assert self._log is not None
        ticks, self._ticks = self._ticks, []
        times, states = np.array([t.time for t in ticks]), np.array([t.state for t in ticks])
        columns = [self._bodies.states(states)]
        for i, robot in enumerate(self._robots.values()):
            columns += robot.columns(times, [tick.robots[i] for tick in ticks])
        slow = np.array([tick.slow for tick in ticks])
        poses = self._bodies.transforms(times[slow], states[slow])
        for tick, *messages in zip(ticks, *(column.messages for column in columns), strict=True):
            for column, message in zip(columns, messages, strict=True):
                self._log.add(column.topic, column.type_name, message, tick.time)
            for sample in tick.robots:
                for topic, message in sample.messages:
                    self._log.add(topic, *encode(message), tick.time)
            if tick.slow:
                if poses.messages:
                    self._log.add(poses.topic, poses.type_name, poses.messages.pop(0), tick.time)
                self._log.add(CLOCK, *encode(Clock(tick.time)), tick.time)
                self._log.add(SIMULATED_TIME, *encode(tick.time), tick.time)
                self._log.add(REAL_TIME, *encode(tick.real_time), tick.time)
        self._log.flush()

    def _attempt(self, action: Callable[[], None]) -> None:
        """Do something that writes; if it cannot, warn once and record no more.

        Not even a mistake of ours in here may stop a robot.
        """
        try:
            action()
        except Exception as error:
            log, self._log = self._log, None
            if log is not None:
                log.abandon()
            self._stopped_at = self.session.time
            reason = error.strerror if isinstance(error, OSError) else None
            self._warn(
                f"recording stopped at {self.session.time:.2f} s: "
                f"{reason or f'{type(error).__name__}: {error}'} ({self.folder}); "
                "the run goes on without it"
            )

    @property
    def recording(self) -> bool:
        """Whether ticks are being written."""
        return self._log is not None

    @property
    def broke_off_at(self) -> float | None:
        """When it could not write any more [s]; None if all is written."""
        return self._stopped_at

    def mark_touched(self, what: str) -> None:
        """Note that a person took a hand in the run, so it cannot be repeated from its seed."""
        self._touches.append({"time_s": round(self.session.time, 9), "what": what})

    def close(self, result: dict[str, Any] | None = None) -> None:
        """Finish the log and write the result, tables and plots. A second call does nothing.

        Args:
            result: Plain values; None writes where the session ended.
        """
        if self._closed:
            return
        self._closed = True
        with self.session.lock:
            if self in self.session.observers:
                self.session.observers.remove(self)
        ending: dict[str, Any] = dict(result or {"sim_time_s": round(self.session.time, 9)})
        ending.setdefault("state_hash", self._world.state_hash())
        if self._stopped_at is None:
            self._attempt(lambda: self._finish(ending))
        else:
            with suppress(OSError):  # the user has been warned; perhaps there is room for this
                stopped = {"recording_stopped_at_s": round(self._stopped_at, 9)}
                write_json(self.folder / RESULT, ending | stopped)

    def close_after(self, error: BaseException) -> None:
        """Close the record of a run that an error ended; Ctrl-C counts as cut off."""
        result: dict[str, Any] = {"success": False, "error": str(error) or type(error).__name__}
        if isinstance(error, KeyboardInterrupt):
            end = round(self.session.time, 9)
            result = {"success": False, "error": "stopped by the user", "cut_off_at_s": end}
        self.close(result)

    def _finish(self, result: dict[str, Any]) -> None:
        from mecano.record.products import write_products
        from mecano.record.recording import Recording

        assert self._log is not None
        if self._ticks:
            self._write_ticks()
        log, self._log = self._log, None
        log.close()
        if self._touches:
            self.header |= {"touched": True, "touches": self._touches}
            write_json(self.folder / HEADER, self.header)
        write_json(self.folder / RESULT, result)
        write_products(Recording.read(self.folder), self.folder)
        self._keep_maps(MapKeeper.save)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            self.close_after(error)
