"""Legs: which way to walk, how fast, in which gait, how high; and how the walk goes."""

from typing import Any

from mecano.core.errors import MecanoError
from mecano.lab.robot import Robot
from mecano.operate.steering import WAYS, Steering
from mecano.viewer.panels.panel import BAD, Desk, line
from mecano.viewer.samples import Sample

KEYS: dict[Any, str] = {
    "I": "forward", "M": "back", "H": "left", "N": "right", "J": "turn left", "L": "turn right",
    "K": "stop",
}  # fmt: skip
"""In the page; those of a base that drives sideways."""
POSTURES = ("stand", "rest")
"""Offered for legs whose cups do not hold."""


class LegsPanel:
    """Walks a robot on legs. A way is kept until another is chosen."""

    def __init__(self, desk: Desk, robot: Robot) -> None:
        """Make controls within the limits of the legs."""
        self.desk, self.name, self.legs = desk, robot.name, robot.legs
        self.steering = Steering(robot.legs)
        self._problem = ""
        gui, (low, high) = desk.server.gui, self.steering.heights
        with gui.add_folder("Legs"):
            self._ways = gui.add_button_group(
                "walk", (*WAYS, "stop"), hint=f"keys {', '.join(KEYS)}"
            )
            self._gait = gui.add_dropdown("gait", self.steering.gaits)
            self._speed = gui.add_slider(
                "speed [%]", min=10, max=100, step=5, initial_value=100,
                hint="of the gait's own speed, from the next walk on",
            )  # fmt: skip
            self._height = gui.add_slider(
                "height [mm]", min=round(1000 * low), max=round(1000 * high), step=1,
                initial_value=round(1000 * robot.legs.facts.height),
                hint="of the body above the surface, from the next walk on",
            )  # fmt: skip
            self._posture = gui.add_button_group(
                "posture", tuple(p for p in POSTURES if p in robot.legs[1].chain.postures),
                hint="of the legs whose cups do not hold",
            )  # fmt: skip
            self._text = gui.add_html("")
        desk.commands(self._ways, "walk", lambda: self._choose(self._ways.value))
        desk.commands(self._gait, "gait", self._set)
        desk.commands(self._speed, "speed", self._set)
        desk.commands(self._height, "height", self._set)
        desk.commands(self._posture, "posture", lambda: self._take(self._posture.value))
        for key, way in KEYS.items():
            self._add_key(key, way)

    def _add_key(self, key: Any, way: str) -> None:
        command = self.desk.server.gui.add_command(f"{self.name}: {way}", hotkey=key)

        def run() -> None:
            if not self.desk.locked:
                self.desk.on_touch("walk")
                self._choose(way)

        @command.on_trigger
        async def _(event: object) -> None:
            self.desk.mail.post((id(self), key), run)

    def _choose(self, way: str) -> None:
        self._problem = ""
        if way == "stop":
            self.steering.stop()
        else:
            self.steering.go(way)

    def _set(self) -> None:
        self.steering.set_gait(self._gait.value)
        self.steering.part = self._speed.value / 100
        self.steering.set_height(self._height.value / 1000)

    def _take(self, posture: str) -> None:
        """Send the legs that are free into a posture, one motion each."""
        holding = self.legs.cups.holding
        free = [leg for leg in self.legs if not holding[leg.number - 1]]
        self._problem = "" if free else "the cups of all legs hold; switch one off to move its leg"
        for leg in free:
            try:
                leg.move_joints(posture, speed=0.3, wait=False)
            except MecanoError as error:
                self._problem = str(error)

    def update(self, sample: Sample) -> None:
        """Begin the way that waits, and show how the walk goes."""
        with self.legs.session.lock:
            if self.desk.locked:
                self.steering.leave()
            else:
                self.steering.keep()
        self._problem = self.steering.news() or self._problem
        lines = [line(sample.legs[self.name].walk or "stands")]
        if self._problem:
            lines.append(line(self._problem, BAD))
        self._text.content = "".join(lines)
