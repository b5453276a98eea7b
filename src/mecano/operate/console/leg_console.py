"""The console of a robot on legs, and which console a robot has."""

from typing import Any

import numpy as np

from mecano.core.errors import InvalidInput
from mecano.lab.robot import Robot
from mecano.operate.console import stepping
from mecano.operate.console.arms_console import ArmsConsole
from mecano.operate.console.console import Console
from mecano.operate.console.context import Context
from mecano.operate.console.replies import Reply, Status
from mecano.operate.console.table import GENERAL, Command
from mecano.operate.console.texts import floats

LEG_NOTES = (
    "Numbers are metres and radians; 120mm, 12cm, 45deg and 50% are understood. Points are in the",
    "body's frame: x forward, y left, z away from the surface. `;` joins commands, `#` starts a",
    "comment. Time stands still between commands; `wait 2` lets it pass.",
)


def _numbers(context: Context) -> list[str]:
    return [str(leg.number) for leg in context.robot.legs]


LEG_COMMANDS = (
    Command(
        "walk", "distance [way] [gait]", "walk over the surface that the cups hold on to",
        stepping.walk, (1, 2, 3), "walk 0.1 90deg ripple", ("go",), more=(
            "The way is an angle seen from the body: 0 is forward, to the left positive.",
            "`limits` lists the gaits.",
        ),
    ),
    Command(
        "turn", "angle [gait]", "turn on the spot, to the left positive", stepping.turn,
        (1, 2), "turn 30deg",
    ),
    Command(
        "leg", "N [x y z | posture]", "move the tip of a leg to a point, or read the leg",
        stepping.leg, (1, 2, 4), "leg 1 0.15 0.18 -0.05", ("l",), _numbers,
        ("Its cup must be off: a cup that holds keeps its leg.",),
    ),
    Command(
        "cup", "N [on|off|force]", "switch a cup, or read it", stepping.cup, (1, 2), "cup 2 off",
        choices=_numbers, more=(
            "`off` is refused where the robot is foreseen to fall; `force` does it all the same.",
        ),
    ),
    Command("cups", "", "what all cups carry", stepping.cups, example="cups", aliases=("c",)),
    Command("where", "", "tips, cups and time", stepping.where, example="where", aliases=("w",)),
    Command(
        "speed", "[fraction]", "set or show how fast it moves", stepping.speed, (0, 1), "speed 50%",
    ),
    Command(
        "limits", "", "what legs, gaits and cups can do", stepping.limits, example="limits",
    ),
    *GENERAL,
)  # fmt: skip


class LegConsole(Console):
    """Commands for one robot on legs."""

    commands, notes = LEG_COMMANDS, LEG_NOTES

    def pose_text(self) -> str:
        """Return how it stands."""
        cups = self.robot.cups
        held = int(np.count_nonzero(cups.holding))
        least = f", {100 * float(cups.margins.min()):.0f} % left at least" if held else ""
        return f"{held} of {len(cups)} cups hold{least}"

    def joint_lines(self) -> list[str]:
        """Return a line for each joint, with units."""
        return [line for leg in self.robot.legs for line in stepping.leg_lines(leg)[1:]]

    def state(self) -> dict[str, Any]:
        """Return where the robot is, as plain values."""
        joints = self.robot.legs.joints()
        cups = self.robot.cups
        return {
            "joints": dict(zip(joints.name, floats(joints.position), strict=True)),
            "tips": [floats(tip) for tip in self.robot.legs.tips],
            "cups": [str(cup.state) for cup in cups],
            "margins": floats(cups.margins),
            "time": float(self.robot.time),
        }

    def interrupt(self) -> Reply:
        """Stop everything, let feet in the air land and say how it stands."""
        self.robot.stop()
        self.robot.session.wait_until(self.robot.legs.at_rest, timeout=10.0)
        line = f"stopped, {self.pose_text()}, time {self.robot.time:.2f} s"
        return Reply(status=Status.FAILED, lines=(line,), data=self.state())

    def status_line(self) -> str:
        """Return cups and time in one line."""
        return f"{self.pose_text()}  speed {self.speed:.0%}  time {self.robot.time:.2f} s"


def console_for(robot: Robot) -> Console:
    """Return the console of a robot: of its arm, or of its legs.

    Raises:
        InvalidInput: It has neither.
    """
    if robot.arms and (robot.hands or len(robot.arms) > 1):
        return ArmsConsole(robot)
    if robot.arms:
        return Console(robot)
    if "cups" in robot.parts:
        return LegConsole(robot)
    way = "drive it: mecano teleop" if "base" in robot.parts else "move it in a page: mecano view"
    raise InvalidInput(
        f"{robot.name} has no arm and no legs to command by words; {way} {robot.description.name}"
    )
