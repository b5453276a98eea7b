"""The command language of an arm: one line of text in, a reply with numbers and units out.

It knows no terminal: the shell, scripts and a web page use the same `Console`. A line is read in
full before anything moves, so a mistake in its last command does not leave the arm half way.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from itertools import pairwise, product
from typing import Any

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.core.poses import Pose
from mecano.kinematics.ik import IKResult, pitch_error
from mecano.lab.gripper import Grip, Gripper
from mecano.lab.motions import Motion, TrajectoryMotion
from mecano.lab.results import GripResult, MotionResult, Outcome
from mecano.lab.robot import Robot
from mecano.lab.simulated import SimulatedBackend
from mecano.planning.trajectories import JointMove
from mecano.world.world import World

HERE = 0.02
"""A branch is the present one if no joint is further from it than this [rad]."""
FARTHEST = 100.0
"""Coordinates beyond this are a slip of the keyboard [m]."""


class Status(StrEnum):
    """How a command ended. The codes are stable."""

    DONE = "done"
    FAILED = "failed"
    """Understood, but the robot could not."""
    WRONG = "wrong"
    """Not understood, or out of the allowed range; nothing moved."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a command has to say."""

    lines: tuple[str, ...] = ()
    status: Status = Status.DONE
    command: str = ""
    """The command that is answered."""
    data: dict[str, Any] = field(default_factory=dict)
    """The same for programs: plain values in metres, radians, seconds and newtons."""
    quit: bool = False
    """True if the user wants to leave."""
    clear: bool = False
    """True if the screen shall be cleared."""

    @property
    def ok(self) -> bool:
        """True if the command did what it should."""
        return self.status is Status.DONE

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)


Action = Callable[[], Reply]
"""A command that has been read and checked, ready to be carried out."""


# --- numbers with units


@dataclass(frozen=True)
class Quantity:
    """A kind of number: its units, and how an error describes it."""

    units: dict[str, float]
    """What one of each is in the first one; the empty unit stands for none."""
    needed: str

    def read(
        self, word: str, name: str, lower: float = -math.inf, upper: float = math.inf
    ) -> float:
        """Return the value of a word such as `120mm`, in the first unit."""
        match = _NUMBER.fullmatch(word)
        units = {unit.lower(): unit for unit in self.units}
        if match is None or match[2].lower() not in ("", *units):
            raise InvalidInput(f"{name} is '{word}', needed is {self.needed}{_hint(word)}")
        unit = units.get(match[2].lower(), next(iter(self.units)))
        value = float(match[1]) * self.units[unit]
        if not lower - 1e-9 <= value <= upper + 1e-9:
            low, high = (f"{limit / self.units[unit]:.5g}" for limit in (lower, upper))
            raise InvalidInput(
                f"{name} is {match[1]} {unit}".rstrip()
                + f", allowed are {low} to {high} {unit}".rstrip()
            )
        return min(max(value, lower), upper)


_NUMBER = re.compile(
    r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%°]*)", re.IGNORECASE | re.ASCII
)
LENGTH = Quantity({"m": 1.0, "cm": 0.01, "mm": 0.001}, "a length like 0.2, 20cm or 200mm")
ANGLE = Quantity({"rad": 1.0, "deg": math.pi / 180, "°": math.pi / 180}, "an angle like 0.5, 30deg")
FORCE = Quantity({"N": 1.0}, "a force like 10 or 10N")
TIME = Quantity({"s": 1.0, "ms": 0.001, "min": 60.0}, "a time like 2, 2s or 500ms")
FRACTION = Quantity({"": 1.0, "%": 0.01}, "a fraction like 0.5 or 50%")


UNITS = {u.lower() for each in (LENGTH, ANGLE, FORCE, TIME, FRACTION) for u in each.units if u}


def _hint(word: str) -> str:
    if "," in word:
        return "; write a decimal point, and a blank between numbers"
    return ""


def _zero(value: float, digits: int) -> float:
    return round(float(value), digits) + 0.0  # without the sign of a zero


def _point(position: Array) -> str:
    return "({}) m".format(", ".join(f"{_zero(v, 4):.4f}" for v in position))


def _angle(value: float) -> str:
    return f"{_zero(value, 4):.4f} rad ({_zero(math.degrees(value), 1):.1f} deg)"


def _joint(value: float, unit: str) -> str:
    return _angle(value) if unit == "rad" else f"{_zero(value, 4):.4f} {unit}"


def _floats(values: Iterable[float]) -> list[float]:
    return [float(value) for value in values]


# --- the console


class Console:
    """Commands for one robot. It keeps a speed, the verbose switch and the history."""

    def __init__(self, robot: Robot, *, reconnect: Callable[[], Robot] | None = None) -> None:
        """Take a robot; `reconnect` makes a fresh one for the command `reset`."""
        self.robot = robot
        self.speed = 1.0
        """Fraction of the arm's own speed."""
        self.verbose = False
        self.history: list[str] = []
        self._reconnect = reconnect

    @property
    def gripper(self) -> Gripper:
        """The robot's gripper, or an error that says there is none."""
        gripper = getattr(self.robot, "gripper", None)
        if gripper is None:
            raise InvalidInput(f"{self.robot.name} has no gripper")
        return gripper

    @property
    def world(self) -> World:
        """The simulated world, or an error on a real robot."""
        backend = self.robot.session.backend
        if not isinstance(backend, SimulatedBackend):
            raise InvalidInput("only a simulation knows where everything is")
        return backend.world

    # --- reading and carrying out

    def check(self, line: str) -> None:
        """Raise a `MecanoError` if a line cannot be understood. Nothing moves."""
        self._read(line)

    def execute(self, line: str) -> Reply:
        """Carry out a line: one command, or several with `;` between, up to the first failure.

        Returns:
            The texts of all commands in one reply; the rest of it is of the last one.
        """
        replies = list(self.run(line))
        if not replies:
            return Reply()
        lines = tuple(text for reply in replies for text in reply.lines)
        return replace(replies[-1], lines=lines, command=line.strip())

    def run(self, line: str) -> Iterator[Reply]:
        """Carry out a line and yield one reply per command, as soon as it has one."""
        if _commands(line):
            self.history.append(line.strip())
        try:
            actions = self._read(line)
        except MecanoError as error:
            yield Reply(status=Status.WRONG, lines=(str(error),), command=line.strip())
            return
        for text, action in actions:
            reply = self._carry_out(action)
            yield replace(reply, command=text)
            if not reply.ok or reply.quit:
                return

    def interrupt(self) -> Reply:
        """Stop everything, let the arm come to rest and say where."""
        self.robot.stop()
        arm = self.robot.arm
        self.robot.session.wait_until(lambda: bool(np.abs(arm.velocity).max() < 0.01), timeout=1.0)
        line = f"stopped at {self.pose_text()}, time {self.robot.time:.2f} s"
        return Reply(status=Status.FAILED, lines=(line,), data=self.state())

    def _read(self, line: str) -> list[tuple[str, Action]]:
        return [(text, self._action(text)) for text in _commands(line)]

    def _action(self, text: str) -> Action:
        name, *words = (word.rstrip(",") for word in text.split())
        command = find_command(name)
        words = [word for word in words if word]
        for number, unit in pairwise(words):
            if unit.lower() in UNITS and _NUMBER.fullmatch(number):
                raise InvalidInput(f"write a unit right behind its number: {number}{unit}")
        if command.counts is not None and len(words) not in command.counts:
            raise command.misused(len(words))
        return command.read(self, words)

    def _carry_out(self, action: Action) -> Reply:
        try:
            return action()
        except (InvalidInput, UnknownName) as error:
            return Reply(status=Status.WRONG, lines=(str(error),))
        except MecanoError as error:
            return Reply(status=Status.FAILED, lines=(str(error),))

    def reconnect(self) -> None:
        """Begin again with a fresh robot."""
        if self._reconnect is None:
            raise InvalidInput("this robot cannot be started again from here; connect to it again")
        fresh = self._reconnect()
        self.robot.close()
        self.robot = fresh

    # --- help for a terminal

    def complete(self, text: str) -> list[str]:
        """Return the words that can stand in the place of the last, unfinished one."""
        words = re.split(r"\s+", text.rpartition(";")[2].lstrip())
        start = words[-1].lower()
        if len(words) == 1:
            names = [command.name for command in COMMANDS]
            aliases = [alias for command in COMMANDS for alias in command.aliases]
            return _starting(start, names) or _starting(start, aliases)
        command = _BY_NAME.get(words[0].lower())
        if command is None or command.choices is None or len(words) > 2:
            return []
        return _starting(start, command.choices(self))

    def status_line(self) -> str:
        """Return pose, gripper and time in one line."""
        gripper = getattr(self.robot, "gripper", None)
        width = "" if gripper is None else f"  gripper {gripper.width * 1000:.1f} mm"
        return f"{self.pose_text()}{width}  speed {self.speed:.0%}  time {self.robot.time:.2f} s"

    def state(self) -> dict[str, Any]:
        """Return where the robot is, as plain values."""
        arm, gripper = self.robot.arm, getattr(self.robot, "gripper", None)
        state: dict[str, Any] = {
            "joints": dict(zip(arm.chain.joint_names, _floats(arm.position), strict=True)),
            "position": _floats(arm.pose().position),
            "pitch": float(arm.pitch()),
            "time": float(self.robot.time),
        }
        if gripper is not None:
            state |= {"gripper_width": gripper.width, "holding": gripper.holding}
        return state

    # --- shared by the commands

    def solve(self, point: Array, pitch: float | None) -> IKResult:
        """Solve the inverse kinematics as the arm itself would; nothing moves."""
        arm = self.robot.arm
        if pitch is None:
            return arm.chain.inverse(point, start=arm.commanded)
        return arm.solve(point, pitch, arm.commanded)

    def way(self, q: Array) -> tuple[str, float, tuple[str, str] | None]:
        """Say whether the way to a posture is free; return also the time [s] and the bodies."""
        arm = self.robot.arm
        plan = JointMove(arm.commanded, q, arm.bounds.scaled(self.speed))
        pair = arm.foresee(plan)
        if pair is not None:
            one, other = self.named(pair)
            return f"way blocked: {one} would touch {other}", plan.duration, pair
        return f"way free, {plan.duration:.2f} s", plan.duration, None

    def named(self, pair: tuple[str, str]) -> tuple[str, str]:
        """Return the names of two bodies, the arm's own first and without its prefix."""
        prefix = f"{self.robot.name}/"
        own_first = sorted(pair, key=lambda name: not name.startswith(prefix))
        one, other = (name.removeprefix(prefix) for name in own_first)
        return one, other

    def nearest(self, answer: IKResult) -> str:
        """Return the command that goes to the nearest pose that can be reached."""
        chain, near = self.robot.arm.chain, answer.nearest
        poses = [(*near.position, near.pitch)]
        for margin in (0.002, 0.01):  # in a corner of two limits: a little inside both
            q = np.clip(near.joints, chain.dh.lower + margin, chain.dh.upper - margin)
            poses.append((*chain.forward(q)[:3, 3], chain.pitch(q)))
        for pose, digits in product(poses, (3, 4)):
            for x, y, z, pitch in _rounded(pose, digits):
                if chain.inverse([x, y, z], pitch=pitch).reached:
                    return f"goto {x:g} {y:g} {z:g} {pitch:g}"
        q = np.clip(near.joints, chain.dh.lower + 1e-4, chain.dh.upper - 1e-4)
        return "joints " + " ".join(f"{_zero(value, 4):g}" for value in q)

    def move(self, start: Callable[[], MotionResult | Motion]) -> tuple[MotionResult, Motion]:
        """Start a motion with `wait=False` and let time pass until it has ended."""
        handle = start()
        assert isinstance(handle, Motion)
        result = handle.wait()
        assert result is not None
        return result, handle

    def motion_reply(self, result: MotionResult, explained: Iterable[str] = ()) -> Reply:
        """Say in one line how a motion ended, after the lines that explain it."""
        data = self.state() | {
            "outcome": str(result.outcome),
            "duration": float(result.duration),
            "position_error": float(result.position_error),
            "joint_error": float(result.joint_error),
        }
        if result.ik is not None and not result.ik.reached:
            data |= _why(result.ik)
        status = Status.DONE if result.reached else Status.FAILED
        return Reply(status=status, lines=(*explained, self._outcome(result)), data=data)

    def _outcome(self, result: MotionResult) -> str:
        off = f"{result.position_error * 1000:.1f} mm and {result.joint_error:.4f} rad off the goal"
        if result.pair is not None:
            one, other = self.named(result.pair)
            if result.outcome is Outcome.BLOCKED:
                return (
                    f"blocked: {one} would touch {other}, so the arm did not move; "
                    "go by a point between, or choose another pitch"
                )
            return (
                f"{result.outcome}: {one} touched {other} after {result.duration:.2f} s, stopped "
                f"at {self.pose_text()}; go back the way it came"
            )
        if result.ik is not None:
            return f"unreachable: {result.ik.message}; nearest: {self.nearest(result.ik)}"
        if result.reached:
            return f"reached {self.pose_text()}, in {result.duration:.2f} s, {off}"
        advice = "; try a lower speed" if result.outcome is Outcome.TIMED_OUT else ""
        return (
            f"{result.outcome} at {self.pose_text()} after {result.duration:.2f} s, {off}{advice}"
        )

    def pose_text(self) -> str:
        """Return where the tool is, with units."""
        arm = self.robot.arm
        return f"{_point(arm.pose().position)}, pitch {_angle(arm.pitch())}"


def _rounded(values: Iterable[float], digits: int) -> list[tuple[float, ...]]:
    """Return the ways to round numbers up or down, the nearest first."""
    scaled = [round(float(value) * 10**digits, 6) for value in values]
    ways = product(*(sorted({math.floor(value), math.ceil(value)}) for value in scaled))
    nearest_first = sorted(ways, key=lambda way: math.dist(way, scaled))
    return [tuple(step / 10**digits for step in way) for way in nearest_first]


def _commands(line: str) -> list[str]:
    """Return the commands of a line; what follows a # is a comment."""
    texts = (text.strip() for text in line.partition("#")[0].split(";"))
    return [text for text in texts if text]


def _starting(start: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.lower().startswith(start)]


def _pick(word: str, kind: str, known: Iterable[str]) -> str:
    """Return the known name a word stands for, in whatever case it is written."""
    names = {name.lower(): name for name in known}
    if word.lower() not in names:
        raise UnknownName(kind, word, names.values())
    return names[word.lower()]


def _why(answer: IKResult) -> dict[str, Any]:
    return {
        "reason": str(answer.reason),
        "message": answer.message,
        "shortfall": float(answer.shortfall),
        "nearest": {
            "position": _floats(answer.nearest.position),
            "pitch": float(answer.nearest.pitch),
            "joints": _floats(answer.nearest.joints),
        },
    }


# --- moving


def _target(words: list[str]) -> tuple[Array, float | None]:
    """Read a point and, if there is a fourth word, a pitch."""
    axes = zip("xyz", words, strict=False)
    point = np.array([LENGTH.read(word, axis, -FARTHEST, FARTHEST) for axis, word in axes])
    turn = 2 * math.pi
    return point, ANGLE.read(words[3], "pitch", -turn, turn) if len(words) > 3 else None


def _goto(console: Console, words: list[str]) -> Action:
    point, pitch = _target(words)

    def go() -> Reply:
        answer = console.solve(point, pitch)
        result, handle = console.move(
            lambda: console.robot.arm.move_to(point, pitch=pitch, speed=console.speed, wait=False)
        )
        return console.motion_reply(result, _explain_plan(console, answer, handle))

    return go


def _explain_plan(console: Console, answer: IKResult, handle: Motion) -> list[str]:
    """Say which branch was taken and how long the plan is, if the user wants to know."""
    if not console.verbose:
        return []
    if not isinstance(handle, TrajectoryMotion):
        return [f"inverse kinematics: {answer.message}"]
    distances = np.abs(answer.solutions - handle.goal).max(axis=1)
    values = ", ".join(f"{_zero(v, 4):.4f}" for v in handle.goal)
    return [
        f"inverse kinematics: {answer.message}",
        f"branch {int(distances.argmin()) + 1} of {len(distances)}: joints {values} rad",
        *_explain_duration(console, handle),
    ]


def _explain_duration(console: Console, handle: Motion) -> list[str]:
    if not console.verbose or not isinstance(handle, TrajectoryMotion):
        return []
    return [f"plan: {handle.trajectory.duration:.2f} s at {console.speed:.0%} speed, way free"]


def _line(console: Console, words: list[str]) -> Action:
    point, pitch = _target(words)

    def go() -> Reply:
        arm = console.robot.arm
        end_pitch = arm.chain.pitch(arm.commanded) if pitch is None else pitch
        goal = console.solve(point, end_pitch)
        result, handle = console.move(
            lambda: arm.move_line(point, pitch=pitch, speed=console.speed, wait=False)
        )
        if result.outcome is Outcome.LINE_BROKEN and result.ik is not None and goal.reached:
            jump = "the joints would have to jump to another branch"
            why = jump if result.ik.reached else result.ik.message
            text = f"unreachable: the end is in reach, but on the straight line {why}; use goto"
            reply = console.motion_reply(result)
            return replace(reply, lines=(*reply.lines[:-1], text))
        return console.motion_reply(result, _explain_duration(console, handle))

    return go


def _move_joints(console: Console, goal: Callable[[], Array]) -> Action:
    def go() -> Reply:
        result, handle = console.move(
            lambda: console.robot.arm.move_joints(goal(), speed=console.speed, wait=False)
        )
        return console.motion_reply(result, _explain_duration(console, handle))

    return go


def _joint_value(console: Console, number: int, word: str) -> float:
    joint = console.robot.arm.chain.dh.joints[number]
    kind = ANGLE if joint.unit == "rad" else LENGTH
    return kind.read(word, joint.name, joint.lower, joint.upper)


def _joints(console: Console, words: list[str]) -> Action:
    names = console.robot.arm.chain.joint_names
    if not words:
        return lambda: Reply(lines=tuple(_joint_lines(console)), data=console.state())
    if len(words) != len(names):
        raise InvalidInput(
            f"joints takes {len(names)} values ({' '.join(names)}) or none to read them, "
            f"got {len(words)}"
        )
    goal = np.array([_joint_value(console, i, word) for i, word in enumerate(words)])
    return _move_joints(console, lambda: goal)


def _joint_lines(console: Console) -> list[str]:
    arm = console.robot.arm
    return [
        f"{joint.name:8} {_joint(value, joint.unit)}"
        for joint, value in zip(arm.chain.dh.joints, arm.position, strict=True)
    ]


def _one_joint(console: Console, words: list[str]) -> Action:
    names = console.robot.arm.chain.joint_names
    number = names.index(_pick(words[0], "joint", names))
    if len(words) == 1:
        return lambda: Reply(lines=(_joint_lines(console)[number],), data=console.state())
    value = _joint_value(console, number, words[1])

    def goal() -> Array:
        dh = console.robot.arm.chain.dh
        joints = np.clip(console.robot.arm.commanded, dh.lower, dh.upper)
        joints[number] = value
        return joints

    return _move_joints(console, goal)


def _posture(console: Console, words: list[str]) -> Action:
    postures = console.robot.arm.chain.postures
    if not words:
        return lambda: Reply(
            lines=tuple(
                f"{name:10} {', '.join(f'{v:.4f}' for v in q)} rad" for name, q in postures.items()
            ),
            data={"postures": {name: list(q) for name, q in postures.items()}},
        )
    name = _pick(words[0], "posture", postures)
    return _move_joints(console, lambda: np.array(postures[name]))


def _home(console: Console, words: list[str]) -> Action:
    return _posture(console, ["home"])


def _open(console: Console, words: list[str]) -> Action:
    facts = console.gripper.facts
    least, most = facts.width(facts.closed), facts.width(facts.open)
    width = LENGTH.read(words[0], "width", least, most) if words else None
    return lambda: _grip_reply(console, console.gripper.open(width))


def _close(console: Console, words: list[str]) -> Action:
    most = console.gripper.facts.max_force
    force = FORCE.read(words[0], "force", 0.0, most) if words else None
    return lambda: _grip_reply(console, console.gripper.close(force=force))


def _grip_reply(console: Console, result: GripResult | Grip) -> Reply:
    assert isinstance(result, GripResult)
    data = {"width": result.width, "force": result.force, "duration": result.duration}
    line = f"{result.message}, in {result.duration:.2f} s"
    return Reply(lines=(line,), data=console.state() | data)


def _wait(console: Console, words: list[str]) -> Action:
    seconds = TIME.read(words[0], "time", 0.0, 3600.0)

    def wait() -> Reply:
        console.robot.wait(seconds)
        return Reply(
            lines=(f"{seconds:g} s later, time {console.robot.time:.2f} s",), data=console.state()
        )

    return wait


def _stop(console: Console, words: list[str]) -> Action:
    return lambda: replace(console.interrupt(), status=Status.DONE)


def _reset(console: Console, words: list[str]) -> Action:
    def reset() -> Reply:
        console.reconnect()
        return Reply(lines=(f"everything as at the start, {console.pose_text()}",))

    return reset


def _speed(console: Console, words: list[str]) -> Action:
    speed = FRACTION.read(words[0], "speed", 0.01, 1.0) if words else None

    def change() -> Reply:
        console.speed = console.speed if speed is None else speed
        limits = console.robot.arm.limits
        line = (
            f"speed {console.speed:.0%}: joints up to {limits.velocity * console.speed:.3g} rad/s, "
            f"tool on a line up to {limits.tool_velocity * console.speed:.3g} m/s"
        )
        return Reply(lines=(line,), data={"speed": console.speed})

    return change


# --- asking


def _where(console: Console, words: list[str]) -> Action:
    def tell() -> Reply:
        gripper = getattr(console.robot, "gripper", None)
        lines = [*_joint_lines(console), f"tool     {console.pose_text()}, in the base frame"]
        if gripper is not None:
            held = "holding something" if gripper.holding else "holding nothing"
            lines.append(f"gripper  {gripper.width * 1000:.1f} mm open, {held}")
        return Reply(
            lines=(*lines, f"time     {console.robot.time:.2f} s"),
            data=console.state(),
        )

    return tell


def _branches(console: Console, words: list[str]) -> Action:
    asked = _target(words) if words else None

    def tell() -> Reply:
        arm = console.robot.arm
        point, pitch = asked or (arm.pose().position, arm.pitch())
        assert pitch is not None
        answer = console.solve(point, pitch)
        if not answer.reached:
            return _explain_missed(console, answer)
        rows, data = [], []
        for number, q in enumerate(answer.solutions, 1):
            T = arm.chain.forward(q)
            error = float(np.linalg.norm(T[:3, 3] - point))
            turn = pitch_error(pitch, arm.chain.pitch(q))
            here = bool(np.abs(q - arm.position).max() < HERE)
            way, duration, pair = console.way(q)
            state = "the arm is here" if here else way
            rows += [
                f"{number}{'*' if here else ' '} {_columns(q)} rad  {state}",
                f"   {_columns(np.degrees(q), 2)} deg  forward kinematics "
                f"{error * 1000:.3f} mm, {abs(turn):.4f} rad off",
            ]
            data.append(
                {
                    "joints": _floats(q),
                    "here": here,
                    "free": pair is None,
                    "duration": duration,
                    "position_error": error,
                    "pitch_error": turn,
                }
            )
        count = len(data)
        head = (
            f"{count} branch{'es' if count > 1 else ''} to {_point(point)}, pitch {_angle(pitch)}"
        )
        names = "   " + " ".join(f"{name:>9}" for name in arm.chain.joint_names)
        return Reply(lines=(head, names, *rows), data={"branches": data})

    return tell


def _columns(values: Array, digits: int = 4) -> str:
    return " ".join(f"{_zero(value, digits):9.{digits}f}" for value in values)


def _explain(console: Console, words: list[str]) -> Action:
    point, pitch = _target(words)

    def tell() -> Reply:
        answer = console.solve(point, pitch)
        if not answer.reached:
            return _explain_missed(console, answer)
        found = f"in reach: {answer.message.removeprefix('reached; ')}"
        ways = [console.way(q) for q in answer.solutions]
        free = [number for number, (_, _, pair) in enumerate(ways) if pair is None]
        data = {"reached": True, "branches": len(ways), "free": len(free)}
        if not free:
            text, _, _ = ways[0]
            line = f"the arm could take this pose, but not from here: {text}"
            return Reply(lines=(found, line), data=data)
        line = f"goto would take branch {free[0] + 1} of {len(ways)}: {ways[free[0]][0]}"
        return Reply(lines=(found, line), data=data)

    return tell


def _explain_missed(console: Console, answer: IKResult) -> Reply:
    near = answer.nearest
    lines = (
        f"unreachable: {answer.message}",
        f"nearest is {_point(near.position)} at pitch {_angle(near.pitch)}, "
        f"{answer.shortfall * 1000:.1f} mm away: {console.nearest(answer)}",
    )
    return Reply(lines=lines, data={"reached": False, "branches": []} | _why(answer))


def _limits(console: Console, words: list[str]) -> Action:
    def tell() -> Reply:
        chain, motion = console.robot.arm.chain, console.robot.arm.limits
        lines = [
            f"{joint.name:8} {_joint(joint.lower, joint.unit)} to {_joint(joint.upper, joint.unit)}"
            for joint in chain.dh.joints
        ]
        lines += [
            f"joints   up to {motion.velocity:g} rad/s, {motion.acceleration:g} rad/s2",
            f"tool     on a line up to {motion.tool_velocity:g} m/s, "
            f"{motion.tool_acceleration:g} m/s2",
        ]
        data: dict[str, Any] = {
            "joints": {joint.name: [joint.lower, joint.upper] for joint in chain.dh.joints},
            "velocity": motion.velocity,
            "tool_velocity": motion.tool_velocity,
        }
        if getattr(console.robot, "gripper", None) is not None:
            facts = console.gripper.facts
            widths = [facts.width(facts.closed), facts.width(facts.open)]
            lines.append(
                f"gripper  {widths[0] * 1000:g} mm to {widths[1] * 1000:g} mm, "
                f"up to {facts.max_force:g} N per finger"
            )
            data |= {"gripper_width": widths, "gripper_force": facts.max_force}
        return Reply(lines=tuple(lines), data=data)

    return tell


def _scene(console: Console, words: list[str]) -> Action:
    things = _things(console)
    chosen = [_pick(words[0], "thing", things)] if words else list(things)

    def tell() -> Reply:
        now = _things(console)
        lines = [f"{name:10} {_point(now[name].position)}  {now[name].kind}" for name in chosen]
        data = {
            name: {"kind": now[name].kind, "position": _floats(now[name].position)}
            for name in chosen
        }
        head = "in the base frame of the arm, as the simulation knows it:"
        return Reply(lines=(head, *lines), data={"things": data})

    return tell


@dataclass(frozen=True, eq=False)
class _Thing:
    kind: str
    position: Array
    """In the base frame of the arm [m]."""


def _things(console: Console) -> dict[str, _Thing]:
    """Return the bodies and places of the scene that are no part of the robot."""
    world, arm = console.world, console.robot.arm
    model, prefix = world.model, f"{console.robot.name}/"
    q = arm.position
    T_tool_base = Pose.from_matrix(arm.chain.forward(q)).inverse()
    T_base_world = (arm.dynamics.tool_pose(q) @ T_tool_base).inverse()
    things = {}
    for name in world.names("body")[1:]:
        body = model.body(name)
        if body.parentid[0] == 0 and not name.startswith(prefix):
            loose = body.jntnum[0] and model.jnt_type[body.jntadr[0]] == mujoco.mjtJoint.mjJNT_FREE
            kind = f"loose body, {body.mass[0] * 1000:.0f} g" if loose else "fixed body"
            things[name] = _Thing(kind, (T_base_world @ world.body_pose(name)).position)
    for name in world.names("site"):
        if model.site(name).bodyid[0] == 0 and not name.startswith("mount"):
            things[name] = _Thing("place", (T_base_world @ world.site_pose(name)).position)
    return things


# --- the console itself


def _verbose(console: Console, words: list[str]) -> Action:
    wanted = _pick(words[0], "choice", ("on", "off")) if words else None

    def switch() -> Reply:
        console.verbose = not console.verbose if wanted is None else wanted == "on"
        text = "on: moves tell their branch and plan" if console.verbose else "off"
        return Reply(lines=(f"verbose {text}",), data={"verbose": console.verbose})

    return switch


def _history(console: Console, words: list[str]) -> Action:
    return lambda: Reply(
        lines=tuple(f"{number:4} {line}" for number, line in enumerate(console.history, 1)),
        data={"history": list(console.history)},
    )


def _help(console: Console, words: list[str]) -> Action:
    if words:
        command = find_command(words[0])
        lines = [f"{command.name} {command.usage}".strip(), f"  {command.summary}"]
        lines += [f"  {line}" for line in command.more]
        lines.append(f"  example: {command.example}")
        if command.aliases:
            lines.append(f"  also: {', '.join(command.aliases)}")
        return lambda: Reply(lines=tuple(lines))
    head = "commands, in any case; [ ] may be left out, help NAME tells more:"
    rows = (f"  {f'{each.name} {each.usage}'.strip():26} {each.summary}" for each in COMMANDS)
    return lambda: Reply(lines=(head, *rows, *NOTES))


def _clear(console: Console, words: list[str]) -> Action:
    return lambda: Reply(clear=True)


def _exit(console: Console, words: list[str]) -> Action:
    return lambda: Reply(quit=True)


NOTES = (
    "Numbers are metres and radians; 120mm, 12cm, 45deg and 50% are understood. Pitch is how far",
    "the nose of the tool points down. `;` joins commands, `#` starts a comment.",
    "Time stands still between commands; moves take the time they need and `wait 2` lets it pass.",
)


@dataclass(frozen=True)
class Command:
    """One word of the language."""

    name: str
    usage: str
    summary: str
    read: Callable[[Console, list[str]], Action]
    """Checks the words behind the name and returns what to do."""
    counts: tuple[int, ...] | None = (0,)
    """How many words may follow; None if `read` judges that."""
    example: str = ""
    aliases: tuple[str, ...] = ()
    choices: Callable[[Console], Iterable[str]] | None = None
    """What can be the first word behind the name."""
    more: tuple[str, ...] = ()
    """Further lines of its help."""

    def misused(self, count: int) -> InvalidInput:
        """Return the error for a wrong number of words."""
        takes = f"takes {self.usage}" if self.usage else "stands alone"
        return InvalidInput(
            f"{self.name} {takes}, got {count or 'no'} value{'s' if count != 1 else ''}; "
            f"for example: {self.example}"
        )


def find_command(name: str) -> Command:
    """Return the command a word stands for, or say which one comes nearest."""
    command = _BY_NAME.get(name.lower())
    if command is None:
        guess = get_close_matches(name.lower(), _BY_NAME, n=1)
        hint = f"did you mean '{guess[0]}'? " if guess else ""
        raise InvalidInput(f"no command '{name}'; {hint}help lists all commands")
    return command


COMMANDS = (
    Command(
        "goto", "x y z [pitch]", "move the tool to a point, the shortest way for the joints", _goto,
        (3, 4), "goto 0.2 0 120mm 45deg", ("go", "setpos", "position"), more=(
            "Without a pitch the arm chooses one. Of all branches it takes the nearest whose way",
            "is free. The paper's grip angle is this pitch with the other sign.",
        ),
    ),
    Command(
        "line", "x y z [pitch]", "move the tool to a point in a straight line", _line,
        (3, 4), "line 0.2 0.05 0.1", ("l",), more=("Without a pitch the present one is kept.",),
    ),
    Command(
        "joints", "[q1 q2 ...]", "move all joints, or read them", _joints,
        None, "joints 0 -1 1 0", ("j",),
    ),
    Command(
        "joint", "NAME [value]", "move one joint, or read it", _one_joint,
        (1, 2), "joint joint1 30deg", choices=lambda console: console.robot.arm.chain.joint_names,
    ),
    Command(
        "posture", "[NAME]", "move to a named posture, or list them", _posture,
        (0, 1), "posture zero", ("p",), lambda console: console.robot.arm.chain.postures,
    ),
    Command("home", "", "move to the posture home", _home, example="home"),
    Command(
        "open", "[width]", "open the gripper, or to a width", _open, (0, 1), "open 40mm", ("o",),
    ),
    Command(
        "close", "[force]", "close the gripper, with a force per finger", _close,
        (0, 1), "close 10N", ("c", "grip"),
    ),
    Command(
        "where", "", "joints, tool, gripper and time", _where,
        example="where", aliases=("w", "getpos", "g"),
    ),
    Command(
        "branches", "[x y z pitch]", "all joint values for a pose, or for the present one",
        _branches, (0, 4), "branches 0.01 0.12 0.34 -80deg", ("b",), more=(
            "* marks the branch the arm is in. Each is put back through the forward kinematics.",
        ),
    ),
    Command(
        "explain", "x y z [pitch]", "why a pose is reached or not, without moving", _explain,
        (3, 4), "explain 0.4 0 0.1 0", ("why", "e"),
    ),
    Command(
        "speed", "[fraction]", "set or show how fast it moves", _speed, (0, 1), "speed 50%",
    ),
    Command("wait", "seconds", "let time pass", _wait, (1,), "wait 2", ("sleep",)),
    Command("stop", "", "stop every motion and hold", _stop, example="stop", aliases=("s",)),
    Command("limits", "", "what joints, tool and gripper can do", _limits, example="limits"),
    Command(
        "scene", "[NAME]", "what is around the arm, and where", _scene,
        (0, 1), "scene cube", choices=lambda console: _things(console),
    ),
    Command("reset", "", "begin again as at the start", _reset, example="reset"),
    Command(
        "verbose", "[on|off]", "tell the branch and the plan of each move", _verbose,
        (0, 1), "verbose on", ("v",), lambda _: ("on", "off"),
    ),
    Command("history", "", "the lines given so far", _history, example="history"),
    Command(
        "help", "[command]", "this list, or more on one command", _help,
        (0, 1), "help goto", ("?", "h"), lambda _: [command.name for command in COMMANDS],
    ),
    Command("clear", "", "clear the screen", _clear, example="clear", aliases=("clc",)),
    Command("exit", "", "leave", _exit, example="exit", aliases=("quit", "q")),
)  # fmt: skip

_BY_NAME = {
    name: command for command in COMMANDS for name in (command.name, *command.aliases)
}  # aliases are written in small letters
