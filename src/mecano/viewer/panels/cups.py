"""Cups: what each one carries and how much is left, switches for them, and rings in the scene."""

from collections.abc import Sequence
from html import escape

import numpy as np

from mecano.core.arrays import Array
from mecano.lab.robot import Robot
from mecano.operate.steering import switch_cup
from mecano.parts.cups import CupResult
from mecano.viewer.panels.panel import BAD, PLAIN, Desk, line
from mecano.viewer.samples import CupsSample, Sample

GREY, GREEN, YELLOW, RED = (173, 181, 189), (43, 138, 62), (250, 176, 5), (224, 49, 49)
"""Of a cup that does not hold, and of one with much, little and hardly any of its hold left."""
LITTLE, HARDLY = 0.5, 0.2
"""Margins below which a cup is yellow and red."""
SEGMENTS, WIDER = 20, 1.2
"""Pieces of a ring, and its radius in parts of the cup's."""
NOTICED = 2e-4
"""Rings that moved by less are not sent to the pages [m]."""


class CupsPanel:
    """Shows and switches the cups of a robot."""

    def __init__(self, desk: Desk, robot: Robot, sample: Sample) -> None:
        """Make a switch and a bar for each cup."""
        self.robot, self.name, self.cups = robot, robot.name, robot.cups
        gui = desk.server.gui
        self._result: CupResult | None = None
        self._circles = _circles([WIDER * cup.radius for cup in robot.legs.facts.cups])
        self._ends, self._colours = self._rings(sample.cups[self.name])
        self.rings = desk.server.scene.add_line_segments(
            f"/cups/{self.name}", self._ends, self._colours, thickness=4.0, thickness_units="screen"
        )
        with gui.add_folder("Cups"):
            self._text = gui.add_html("")
            numbers = tuple(str(cup.number) for cup in robot.cups)
            self._on = gui.add_button_group("switch on", numbers)
            self._off = gui.add_button_group(
                "switch off", numbers, hint="refused where the robot is foreseen to fall"
            )
            self._force = gui.add_checkbox(
                "switch off even so", initial_value=False, hint="the robot may fall"
            )
            self._unbreakable = gui.add_checkbox(
                "unbreakable", initial_value=robot.cups.unbreakable,
                hint="cups hold whatever the load",
            )  # fmt: skip
            self._answer = gui.add_html("")
        desk.commands(self._on, "cup on", lambda: self._switch(self._on.value, True))
        desk.commands(self._off, "cup off", lambda: self._switch(self._off.value, False))
        desk.commands(self._unbreakable, "unbreakable", self._set_unbreakable)
        desk.locks(self._force)

    def _switch(self, number: str, on: bool) -> None:
        self._result = switch_cup(self.robot, int(number), on, force=self._force.value)

    def _set_unbreakable(self) -> None:
        self.cups.unbreakable = self._unbreakable.value

    def update(self, sample: Sample) -> None:
        """Show loads and margins, and what came of the last switch."""
        self.draw(sample)
        cups = sample.cups[self.name]
        self._text.content = cups_table(cups.states, cups.margin, cups.pull, cups.shear)
        if self._result is not None:
            self._answer.content = line(self._result.message, PLAIN if self._result.done else BAD)

    def draw(self, sample: Sample) -> None:
        """Bring the rings to where the cups are, if that can be seen."""
        ends, colours = self._rings(sample.cups[self.name])
        if np.abs(ends - self._ends).max() > NOTICED:
            self.rings.points = self._ends = ends
        if (colours != self._colours).any():
            self.rings.colors = self._colours = colours

    def _rings(self, cups: CupsSample) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends of each piece of all rings, and their colours. Shapes (n, 2, 3)."""
        around = np.einsum("cij,cpj->cpi", cups.turns, self._circles) + cups.places[:, None]
        ends = np.stack([around, np.roll(around, -1, axis=1)], axis=2)
        colours = np.array([colour_of(s, m) for s, m in zip(cups.states, cups.margin, strict=True)])
        each = np.repeat(colours.astype(np.uint8), SEGMENTS, axis=0)
        return ends.reshape(-1, 2, 3).astype(np.float32), np.repeat(each[:, None], 2, axis=1)


def colour_of(state: str, margin: float) -> tuple[int, int, int]:
    """Return the colour of a cup; `margin` is what is left of its hold."""
    if state == "broken":
        return RED
    if state != "holding":
        return GREY
    return RED if margin < HARDLY else YELLOW if margin < LITTLE else GREEN


def _circles(radii: list[float]) -> np.ndarray:
    """Return points of circles in planes z = 0 [m]. Shape (circles, points, 3)."""
    angles = np.linspace(0.0, 2.0 * np.pi, SEGMENTS, endpoint=False)
    unit = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(SEGMENTS)])
    return np.array(radii)[:, None, None] * unit


def cups_table(states: Sequence[str], margin: Array, pull: Array, shear: Array) -> str:
    """Return a row per cup: a bar as long as what is left of its hold, loads and state."""
    columns = (states, margin.tolist(), pull.tolist(), shear.tolist())
    rows = "".join(
        _row(number, *values) for number, values in enumerate(zip(*columns, strict=True), start=1)
    )
    return (
        f'<div style="font-size:0.75em;padding:0.2em 0.9em;color:{PLAIN}"><table '
        'style="width:100%"><tr style="color:#868e96"><td>cup</td><td>left of its hold</td>'
        "<td style='text-align:right'>pull</td><td style='text-align:right'>shear</td>"
        f"<td></td></tr>{rows}</table></div>"
    )


def _row(number: int, state: str, margin: float, pull: float, shear: float) -> str:
    """Return one row; a cup that does not hold has no bar and no loads."""
    red, green, blue = colour_of(state, margin)
    holds = state == "holding"
    width = 100.0 * min(max(margin, 0.0), 1.0) if holds else 0.0
    bar = (
        '<div style="background:#f1f3f5;width:6em;height:0.8em"><div style="height:100%;'
        f'width:{width:.0f}%;background:rgb({red},{green},{blue})"></div></div>'
    )
    loads = (f"{pull:.1f} N", f"{shear:.1f} N") if holds else ("", "")
    told = f"{100.0 * margin:.0f} %" if holds else escape(state)
    cells = "".join(f"<td style='text-align:right'>{load}</td>" for load in loads)
    return f"<tr><td>{number}</td><td>{bar}</td>{cells}<td>{told}</td></tr>"
