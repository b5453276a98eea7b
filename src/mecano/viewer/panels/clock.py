"""The clock of the run: time, pause, step, reset, speed."""

import time as wall
from collections.abc import Callable
from math import inf

from mecano.session.pacing import Pace
from mecano.viewer.panels.panel import Desk, line
from mecano.viewer.samples import Sample

SPEEDS = {"0.1 x": 0.1, "0.25 x": 0.25, "0.5 x": 0.5, "1 x": 1.0, "2 x": 2.0, "5 x": 5.0,
          "as fast as it goes": inf}  # fmt: skip

GO, PAUSE, TICK = "go", "pause", "one tick"


class ClockPanel:
    """Pause, single ticks, reset and speed. None of them changes what the robot does."""

    def __init__(self, desk: Desk, pace: Pace, *, reset: Callable[[], None] | None) -> None:
        """Control a pace; `reset` is None where a program runs that would not know of it."""
        self.desk, self.pace = desk, pace
        gui = desk.server.gui
        self._text = gui.add_html(line("0.00 s"))
        self._run = gui.add_button_group("run", (GO, PAUSE, TICK))
        desk.changes(self._run, self._act)
        if reset is not None:
            again = gui.add_button_group("world", ("reset",))
            desk.commands(again, "reset", reset)
        names = {speed: name for name, speed in SPEEDS.items()}
        shown = names.get(pace.speed, "1 x")
        self._speed = gui.add_dropdown("speed", tuple(SPEEDS), initial_value=shown)
        desk.changes(self._speed, lambda: setattr(pace, "speed", SPEEDS[self._speed.value]))
        self._before = (wall.monotonic(), 0.0)
        self._ratio = 0.0

    def _act(self) -> None:
        if self._run.value == GO:
            self.pace.resume()
            return
        self.pace.pause()
        if self._run.value == TICK:
            self.pace.step()

    def update(self, sample: Sample) -> None:
        """Show the time, and how fast it goes."""
        now = wall.monotonic()
        passed = now - self._before[0]
        if passed >= 0.5:
            self._ratio = max(0.0, (sample.time - self._before[1]) / passed)
            self._before = (now, sample.time)
        if self.pace.ended:
            self._text.content = line(f"{sample.time:.2f} s, the run has ended")
            return
        state = "paused" if self.pace.paused else f"{self._ratio:.2f} x real time"
        self._text.content = line(f"{sample.time:.2f} s, {state}")
