"""The time line of a replay: play, pause, and go to any instant."""

import numpy as np

from mecano.core.arrays import Array
from mecano.viewer.panels.panel import Desk, line

PLAY, PAUSE, START = "play", "pause", "from the start"
SPEEDS = {"0.1 x": 0.1, "0.25 x": 0.25, "0.5 x": 0.5, "1 x": 1.0, "2 x": 2.0, "5 x": 5.0}


class Timeline:
    """Where a replay is. `advance` lets time pass, the slider and the buttons move it."""

    def __init__(self, desk: Desk, elapsed: Array, times: Array) -> None:
        """Lay out a recording.

        Args:
            desk: The page.
            elapsed: Time since the start of each row [s], never falling.
            times: Session time of each row [s]; it may have been reset on the way.
        """
        self.elapsed, self.times = elapsed, times
        self.now, self.playing, self.speed = 0.0, True, 1.0
        gui = desk.server.gui
        self._text = gui.add_html("")
        self._slider = gui.add_slider(
            "time [s]", min=0.0, max=max(float(elapsed[-1]), 0.01), step=0.01, initial_value=0.0
        )
        desk.changes(self._slider, self._seek)
        self._buttons = gui.add_button_group("run", (PLAY, PAUSE, START))
        desk.changes(self._buttons, self._press)
        self._speed = gui.add_dropdown("speed", tuple(SPEEDS), initial_value="1 x")
        desk.changes(self._speed, lambda: setattr(self, "speed", SPEEDS[self._speed.value]))

    @property
    def end(self) -> float:
        """Length of the recording [s]."""
        return float(self.elapsed[-1])

    @property
    def row(self) -> int:
        """Number of the row to show now."""
        return max(0, int(np.searchsorted(self.elapsed, self.now + 1e-9, side="right")) - 1)

    def advance(self, seconds: float) -> None:
        """Let wall time pass [s]; at the end it stops."""
        if self.playing:
            self.now = min(self.now + seconds * self.speed, self.end)
            self.playing = self.now < self.end

    def show(self) -> None:
        """Bring slider and text up to date."""
        row = self.row
        state = "" if self.playing else ", end" if self.now >= self.end else ", paused"
        self._text.content = line(
            f"{self.times[row]:.2f} s of the session, row {row + 1} of {len(self.times)}{state}"
        )
        if self.playing or self.now >= self.end:
            self._slider.value = round(self.now, 2)

    def _seek(self) -> None:
        self.now, self.playing = min(max(self._slider.value, 0.0), self.end), False

    def _press(self) -> None:
        if self._buttons.value == START or (self._buttons.value == PLAY and self.now >= self.end):
            self.now = 0.0
            self._slider.value = 0.0
        self.playing = self._buttons.value != PAUSE
