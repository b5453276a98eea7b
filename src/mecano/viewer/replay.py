"""A recording in the browser, with a time line. Nothing is simulated: the record is shown."""

import threading
import time
from typing import Any

import numpy as np
import viser
from viser import uplot

from mecano.core.messages.cups import CUP_STATES
from mecano.core.notices import say
from mecano.record.recording import Recording
from mecano.viewer.mailbox import Mailbox
from mecano.viewer.page import theme
from mecano.viewer.panels.card import card_html
from mecano.viewer.panels.cups import cups_table
from mecano.viewer.panels.look import LookPanel
from mecano.viewer.panels.panel import BAD, PLAIN, Desk, line
from mecano.viewer.panels.plots import COLOURS, GREY, legend
from mecano.viewer.panels.timeline import Timeline
from mecano.viewer.sampling import RATE
from mecano.viewer.server import close_server, open_server
from mecano.viewer.stage import Stage
from mecano.world.mirror import Mirror

MOST_POINTS = 2000
"""A plot gets no more points than this; a page cannot show them."""


class Replay:
    """Shows a recording. Use it in a `with` block."""

    def __init__(self, recording: Recording, *, server: viser.ViserServer | None = None) -> None:
        """Show a recording in the pages of a server, or of one on the first free port."""
        self.recording = recording
        self.server, self._own = server or open_server(), server is None
        self.desk = Desk(self.server, None, Mailbox())
        self._build()
        self._pictures = 0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mecano replay", daemon=True)
        self._thread.start()

    def is_watched(self) -> bool:
        """Tell whether a page is open."""
        return bool(self.server.get_clients())

    def close(self) -> None:
        """Stop showing it."""
        self._ending.set()
        self._thread.join(timeout=5.0)
        if self._own:
            close_server(self.server)

    def __enter__(self) -> "Replay":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- the page

    def _build(self) -> None:
        theme(self.server)
        self.stage = Stage(self.server, Mirror(self.recording.model()))
        self.stage.show(self.recording.states[0])
        gui = self.server.gui
        gui.add_html(line(f"replay of {self.recording.folder.name}"))
        for note in self.recording.notes:
            gui.add_html(line(note, BAD))
        if self.recording.result is not None:
            gui.add_html(_result_card(self.recording))
        tabs = gui.add_tab_group()
        with tabs.add_tab("Time", icon=viser.Icon.CLOCK_PLAY):
            times = self.recording.times
            steps = np.maximum(np.diff(times, prepend=times[0]), 0.0)
            self.timeline = Timeline(self.desk, np.cumsum(steps), times)
            self._values = gui.add_html("")
        with tabs.add_tab("Look", icon=viser.Icon.EYE):
            LookPanel(self.desk, self.stage)
        self._plots = any(joints.names for joints in self.recording.joints.values())
        if self._plots:
            with tabs.add_tab("Plots", icon=viser.Icon.CHART_LINE):
                self._add_plot()

    def _add_plot(self) -> None:
        """Draw targets and real values of one joint over the whole run."""
        self._curves = {
            f"{joint} [{unit}]" if len(self.recording.joints) == 1 else f"{robot} {joint} [{unit}]":
                (columns.target[:, i], columns.real[:, i])
            for robot, columns in self.recording.joints.items()
            for i, (joint, unit) in enumerate(zip(columns.names, columns.units, strict=True))
        }  # fmt: skip
        gui = self.server.gui
        self._chosen = gui.add_dropdown("plot", tuple(self._curves))
        self._plot = gui.add_uplot(
            self._plot_data(),
            (
                uplot.Series(label="time [s]"),
                uplot.Series(label="target", stroke=GREY, width=3.0),
                uplot.Series(label="real", stroke=COLOURS[0], width=1.5),
            ),
            scales={"x": uplot.Scale(time=False, auto=True), "y": uplot.Scale(auto=True)},
            legend=uplot.Legend(show=False),
            padding=(14, 24, 0, 0),
            aspect=1.4,
        )
        gui.add_html(legend("", ("target", "real"), (GREY, COLOURS[0])))
        self.desk.changes(self._chosen, lambda: setattr(self._plot, "data", self._plot_data()))

    def _plot_data(self) -> tuple[np.ndarray, ...]:
        every = max(1, len(self.timeline.elapsed) // MOST_POINTS)
        target, real = self._curves[self._chosen.value]
        return tuple(
            np.ascontiguousarray(values[::every], np.float64)
            for values in (self.timeline.elapsed, target, real)
        )

    # --- the thread that draws

    def _run(self) -> None:
        before, shown = time.monotonic(), -1
        while not self._ending.is_set():
            try:
                for action in self.desk.mail.collect():
                    action()
                now = time.monotonic()
                if self.is_watched():
                    self.timeline.advance(now - before)
                    shown = self._draw(shown)
                before = now
            except Exception as error:  # never a page that stands still without a word
                say(f"the replay stopped: {error!r}")
                return
            self._ending.wait(1.0 / RATE)

    def _draw(self, shown: int) -> int:
        row = self.timeline.row
        if row != shown:
            self.stage.show(self.recording.states[row])
            self._values.content = _cups(self.recording, row) + _values(self.recording, row)
        self.timeline.show()
        self._pictures += 1
        if self._pictures % RATE == 0 and self._plots:
            self._plot.data = self._plot_data()  # a chart in a hidden tab learns its width late
        return row


def _cups(recording: Recording, row: int) -> str:
    """Return what the cups did and carried at one row, as a small table; empty without cups."""
    return "".join(
        cups_table(
            [CUP_STATES[state] for state in cups.state[row].tolist()],
            1.0 - cups.share[row], cups.pull[row], cups.shear[row],
        )
        for cups in recording.cups.values()
    )  # fmt: skip


def _values(recording: Recording, row: int) -> str:
    """Return the joints at one row, as a small table."""
    rows = "".join(
        f"<tr><td>{joint}</td><td style='text-align:right'>{target:+.4f}</td>"
        f"<td style='text-align:right'>{real:+.4f}</td><td>{unit}</td></tr>"
        for columns in recording.joints.values()
        for joint, unit, target, real in zip(
            columns.names, columns.units, columns.target[row], columns.real[row], strict=True
        )
    )
    return (
        f'<div style="font-size:0.75em;padding:0.2em 0.9em;color:{PLAIN}"><table '
        'style="width:100%"><tr style="color:#868e96"><td>joint</td>'
        "<td style='text-align:right'>target</td><td style='text-align:right'>real</td>"
        f"<td></td></tr>{rows}</table></div>"
    )


def _result_card(recording: Recording) -> str:
    result: dict[str, Any] = recording.result or {}
    rows = [(name.replace("_", " "), value) for name, value in result.get("metrics", {}).items()]
    for key, text in (
        ("sim_time_s", "simulated [s]"), ("seed", "seed"), ("state_hash", "state hash"),
        ("remark", "remark"), ("error", "error"), ("cut_off_at_s", "cut off at [s]"),
    ):  # fmt: skip
        if key in result:
            rows.append((text, result[key]))
    title = str(recording.header.get("experiment") or recording.header.get("kind", "run"))
    return card_html(title, bool(result.get("success")), rows)
