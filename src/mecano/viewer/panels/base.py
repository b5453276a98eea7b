"""The base: a pad to drive with, where it believes to be, and what its sensors say."""

import math
from typing import Any

from mecano.lab.robot import Robot
from mecano.parts.base_safety import SafetyStop
from mecano.viewer.panels.panel import BAD, PLAIN, Desk, line
from mecano.viewer.samples import Sample

WAYS = {
    "forward": (1.0, 0.0, 0.0), "back": (-1.0, 0.0, 0.0), "left": (0.0, 0.0, 1.0),
    "right": (0.0, 0.0, -1.0), "stop": (0.0, 0.0, 0.0),
}  # fmt: skip
"""Forward, sideways and turning, as parts of the chosen speeds."""
STRAFES = {"strafe left": (0.0, 1.0, 0.0), "strafe right": (0.0, -1.0, 0.0)}
"""Of a base that can."""
KEYS: dict[Any, str] = {"I": "forward", "M": "back", "J": "left", "L": "right", "K": "stop"}
"""In the page, laid out as Turtlebot's own teleoperation; W, A, S, D move the page's camera."""
PULSE = 0.5
"""One click or key drives for this long, then the base stops [s]."""
STRAFE_KEYS: dict[Any, str] = {"H": "strafe left", "N": "strafe right"}


class BasePanel:
    """Drives a base on wheels: each click or key for `PULSE`, so that nothing drives on alone."""

    def __init__(self, desk: Desk, robot: Robot) -> None:
        """Make controls within the limits of the base."""
        self.desk, self.name, self.base = desk, robot.name, robot.base
        limits, gui = robot.base.facts.limits, desk.server.gui
        self._strafes = "strafe" not in robot.base.facts.layout.missing
        self._ways_known = WAYS | (STRAFES if self._strafes else {})
        keys = KEYS | (STRAFE_KEYS if self._strafes else {})
        with gui.add_folder("Base"):
            self._ways = gui.add_button_group(
                "drive",
                tuple(self._ways_known),
                hint=f"{PULSE:g} s per click; keys {', '.join(keys)}",
            )
            self._speed = gui.add_slider(
                "speed [m/s]", min=0.02, max=limits.speed, step=0.01, initial_value=0.2
            )
            self._turn = gui.add_slider(
                "turn [rad/s]", min=0.05, max=round(limits.turn, 2), step=0.01, initial_value=0.6
            )
            self._reflex = gui.add_checkbox(
                "back off when a bumper is hit",
                initial_value=robot.base.reflex,
                visible=bool(robot.base.facts.bumpers),
            )
            self._zone = gui.add_checkbox(
                "safety zone: stop before obstacles",
                initial_value=robot.base.guard is not None,
                visible=robot.base.guard is not None,
                hint="of drives from this page; what its range sensors do not see is not watched",
            )
            self._text = gui.add_html("")
        self._own_zone: bool | None = None
        """What the program had chosen before this page drove; None while it does not."""
        self._stopped: SafetyStop | None = None
        self._way, self._until = "stop", 0.0
        desk.commands(self._ways, "drive", lambda: self._choose(self._ways.value))
        desk.commands(self._reflex, "reflex", self._set_reflex)
        desk.locks(self._speed, self._turn, self._zone)
        for key, way in keys.items():
            self._add_key(key, way)

    def _add_key(self, key: Any, way: str) -> None:
        command = self.desk.server.gui.add_command(f"{self.name}: {way}", hotkey=key)

        def run() -> None:
            if not self.desk.locked:
                self.desk.on_touch("drive")
                self._choose(way)

        @command.on_trigger
        async def _(event: object) -> None:
            self.desk.mail.post((id(self), key), run)

    def _choose(self, way: str) -> None:
        self._way, self._until = way, self.base.session.time + PULSE
        self._watch(way != "stop" and self._zone.value)
        self._drive()
        if way == "stop":
            self.base.stop()

    def _watch(self, on: bool) -> None:
        """Switch the zone on for drives from here; give the program's own choice back after."""
        if on and self._own_zone is None:
            self._own_zone = self.base.safety_zone
            self.base.safety_zone = True
        elif not on and self._own_zone is not None:
            self.base.safety_zone, self._own_zone = self._own_zone, None

    def _drive(self) -> None:
        ahead, left, round_ = self._ways_known[self._way]
        if self._way != "stop":
            speed, turn = self._speed.value, self._turn.value
            self.base.drive(ahead * speed, round_ * turn, left=left * speed)

    def _set_reflex(self) -> None:
        self.base.reflex = self._reflex.value

    def update(self, sample: Sample) -> None:
        """Drive until the pulse of the last click is over, and show where the base is."""
        if self.desk.locked:
            self._way = "stop"
        if self._way != "stop" and self.base.session.time >= self._until:
            self._choose("stop")
        self._drive()
        if self._way != "stop":
            self._stopped = self.base.safety_stop
        now = sample.bases[self.name]
        report = now.report
        lines = [
            line(
                f"odometry: x {now.pose.x:+.3f} m, y {now.pose.y:+.3f} m, "
                f"heading {math.degrees(now.pose.yaw):+.1f} deg; "
                f"{_ways(now.speed, self._strafes)}"
            )
        ]
        if report.voltage is not None:
            lines.append(line(f"battery {report.voltage:.1f} V", PLAIN))
        alarms = {
            "bumper": report.bumpers,
            "cliff": report.cliffs,
            "in the air": report.wheel_drops,
        }
        for what, which in alarms.items():
            if which:
                lines.append(line(f"{what}: {', '.join(sorted(which))}", BAD))
        if self._stopped is not None:
            lines.append(line(self._stopped.message, BAD))
        self._text.content = "".join(lines)


def _ways(speed: tuple[float, float, float], strafes: bool) -> str:
    """Return speeds in words, those to the left only where there are any."""
    left = f"{speed[1]:+.2f} m/s left, " if strafes else ""
    return f"{speed[0]:+.2f} m/s, {left}{speed[2]:+.2f} rad/s"
