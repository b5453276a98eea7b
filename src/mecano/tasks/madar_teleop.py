"""MADAR is driven by a recorded script of a gamepad or of keys, and its path is told.

`mecano teleop madar` is the same with a person: this runs without one.
"""

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import Joy
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot
from mecano.operate.gamepad import Gamepad
from mecano.operate.teleop import Teleop
from mecano.tasks.experiment import Experiment, Score, text_product

JOY_FILE = Path(__file__).with_name("madar_teleop.csv")
"""A drive with an F710: forward, a curve, diagonal, sideways, a turn, hands, back. At its beginning
a stick is out without the dead man's button, at its end the button is let go while it is out."""
KEYS = ((0.5, "i"), (3.5, "u"), (5.5, "h"), (7.5, "l"), (9.5, "k"), (10.0, "z"), (11.5, "x"),
        (13.0, "a"), (13.2, "c"), (15.0, "m"), (16.5, "?"))  # fmt: skip
"""The same with keys: times [s] and keys."""
REPEAT = 0.05
"""Messages and keys come again this often [s]: joy's autorepeat of 20 Hz."""
AFTERWARDS = 2.0
"""How long it is watched after the last command [s]."""
ODOMETRY_BAR, STILL_BAR = 0.020, 0.001
"""How far odometry may be off at the end; how far the base may move without the dead man's button
[m]."""


@dataclass(frozen=True)
class Said:
    """One thing that was done, and where the base was."""

    time: float
    what: str
    truth: Pose2


def read_joy(file: str | Path) -> list[Joy]:
    """Return the messages of a CSV file: time_s, axis_0 ..., button_0 ..., one per row.

    Raises:
        InvalidInput: It is not such a file; the row is named.
    """
    try:
        with Path(file).open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}") from None
    messages: list[Joy] = []
    for number, row in enumerate(rows, start=2):
        try:
            axes = [float(v) for k, v in row.items() if k and k.startswith("axis_")]
            buttons = tuple(int(v) for k, v in row.items() if k and k.startswith("button_"))
            joy = Joy(stamp=float(row["time_s"]), axes=np.array(axes), buttons=buttons)
        except (KeyError, TypeError, ValueError, InvalidInput) as error:
            raise InvalidInput(
                f"{file}, line {number}: {error}; a row has time_s, axis_0, ..., button_0, ..."
            ) from None
        if messages and joy.stamp < messages[-1].stamp:
            raise InvalidInput(f"{file}, line {number}: {joy.stamp:g} s is earlier than before")
        messages.append(joy)
    if not messages:
        raise InvalidInput(f"{file} has no row with time_s, axis_0, ..., button_0, ...")
    return messages


@dataclass
class Replay:
    """Gives commands at their times and writes down what becomes of them."""

    robot: Robot
    start: Pose2
    said: list[Said]
    path: list[tuple[float, Pose2, Pose2]]
    """Time [s], true pose, pose by odometry."""

    @classmethod
    def begin(cls, robot: Robot) -> "Replay":
        """Return one that begins here and now."""
        robot.base.reset_odometry()
        return cls(robot, robot.truth.base_pose(), [], [])

    @property
    def truth(self) -> Pose2:
        """Where the base is, seen from where it began."""
        return self.start.inverse() @ self.robot.truth.base_pose()

    def look(self, session: object) -> None:
        """Write down where the base is."""
        self.path.append((self.robot.time, self.truth, self.robot.base.pose))

    def play(
        self,
        commands: Sequence[tuple[float, Any]],
        press: Callable[[Any], str],
        keep: Callable[[], None],
    ) -> None:
        """Press what the script says, and keep it pressed in between."""
        began = self.robot.time
        self.robot.session.observers.append(self.look)
        try:
            for i, (when, command) in enumerate(commands):
                self._pass_until(began + when, keep)
                if what := press(command):
                    self.said.append(Said(self.robot.time, what, self.truth))
                if i + 1 == len(commands):
                    self._pass_until(self.robot.time + AFTERWARDS, keep)
        finally:
            self.robot.session.observers.remove(self.look)

    def _pass_until(self, until: float, keep: Callable[[], None]) -> None:
        while self.robot.time < until - 1e-9:
            keep()
            self.robot.wait(min(REPEAT, until - self.robot.time))

    def way(self) -> float:
        """Return how far the base went [m]."""
        places = np.array([[pose.x, pose.y] for _, pose, _ in self.path])
        return float(np.hypot(*np.diff(places, axis=0).T).sum())

    def moved_until(self, time: float) -> float:
        """Return how far the base had come at a time [m]."""
        return max(distance(pose) for when, pose, _ in self.path if when <= time)


def distance(pose: Pose2) -> float:
    """Return how far a pose is from the origin [m]."""
    return math.hypot(pose.x, pose.y)


def check_input(*, input: str, file: str) -> list[Joy]:
    """Return the messages of a gamepad, or say what is wrong with an option."""
    if input not in ("gamepad", "keyboard"):
        raise UnknownName("input", input, ("gamepad", "keyboard"))
    if input == "keyboard" and file:
        raise InvalidInput("a file holds messages of a gamepad; leave it out for the keyboard")
    return read_joy(file or JOY_FILE)


def run(robot: Robot, rng: np.random.Generator, *, input: str, file: str) -> Score:
    """Play the script.

    Args:
        robot: At rest, with room around it.
        rng: Not used, nothing is drawn.
        input: "gamepad" or "keyboard".
        file: Messages of a gamepad of the user's own; empty takes ours.
    """
    messages = check_input(input=input, file=file)
    robot.wait(0.5)
    replay, began = Replay.begin(robot), robot.time
    if input == "gamepad":
        pad = Gamepad(robot)
        replay.play([(joy.stamp, joy) for joy in messages], pad.press, pad.keep)
    else:
        keys = Teleop(robot)
        replay.play(KEYS, keys.press, keys.hold)
    _, truth, odometry = replay.path[-1]
    off = odometry.distance_to(truth)
    problems = []
    if not robot.base.at_rest():
        problems.append("the base still drives after the last command")
    if off > ODOMETRY_BAR:
        problems.append(f"odometry is {1000 * off:.1f} mm off at the end")
    if input == "gamepad" and not file:
        moved = replay.moved_until(began + 2.0)
        if moved > STILL_BAR:
            problems.append(f"it moved {1000 * moved:.1f} mm without the dead man's button")
    text = tell(replay)
    return Score(
        success=not problems,
        metrics={
            "way_m": round(replay.way(), 3),
            "end_x_m": round(truth.x, 4),
            "end_y_m": round(truth.y, 4),
            "end_yaw_deg": round(math.degrees(truth.yaw), 2),
            "odometry_error_mm": round(1000 * off, 2),
            "scaled": bool(robot.base.remarks),
        },
        remark="; ".join(problems),
        report=text,
        products={
            "teleop.txt": text_product(text),
            "path.csv": partial(write_path, replay),
            "path.png": partial(_draw, replay),
        },
    )


def tell(replay: Replay) -> str:
    """Return what was done when, and where the base was then."""
    lines = [f"{'time [s]':>9}  {'x [m]':>7} {'y [m]':>7} {'deg':>7}  what"]
    for said in replay.said:
        lines.append(_line(said.time, said.truth, said.what))
    time, truth, odometry = replay.path[-1]
    lines.append(_line(time, truth, f"end: {replay.way():.2f} m of way"))
    lines.append(_line(time, odometry, "by odometry"))
    return "\n".join([*lines, *replay.robot.base.remarks])


def _line(time: float, pose: Pose2, what: str) -> str:
    x, y = round(pose.x, 3) + 0.0, round(pose.y, 3) + 0.0  # no zero is negative
    turned = round(math.degrees(pose.yaw), 1) + 0.0
    return f"{time:9.2f}  {x:7.3f} {y:7.3f} {turned:7.1f}  {what}"


def write_path(replay: Replay, path: Path) -> None:
    """Write where the base was and where it believed to be, tick by tick."""
    axes = ("x_m", "y_m", "yaw_rad")
    lines = [",".join(["time_s", *(f"{w}_{a}" for w in ("true", "odometry") for a in axes)])]
    for time, *poses in replay.path:
        numbers = ",".join(f"{v:.6f}" for p in poses for v in (p.x, p.y, p.yaw))
        lines.append(f"{time:.3f},{numbers}")
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _draw(replay: Replay, path: Path) -> None:
    from mecano.tasks.madar_plots import OURS, TRUE, draw_way, new_figure

    figure = new_figure(7.0, 6.0)
    axis = figure.add_subplot()
    draw_way(axis, [truth for _, truth, _ in replay.path], TRUE, "truth", width=4.0)
    draw_way(axis, [odometry for *_, odometry in replay.path], OURS, "odometry")
    axis.legend()
    axis.set_title("MADAR driven by a recorded script")
    figure.savefig(path)


EXPERIMENT = Experiment(
    name="madar/teleop",
    title="drive by a recorded gamepad or keyboard, without a person: the path is told",
    robot="madar",
    scene="empty",
    run=run,
    options={"input": "gamepad", "file": ""},
    hints={
        "input": "gamepad or keyboard: which of our scripts is played",
        "file": "CSV of a gamepad of your own: time_s, axis_0, ..., button_0, ...",
    },
    check=check_input,
)
