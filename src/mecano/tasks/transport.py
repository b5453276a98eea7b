"""The routine of the youBot paper: fetch a cube from one table, carry it on the tray to another.

The robot sees the tables by two rays at its sides and nothing else. It is told once where it
starts; from there it goes by the ticks of its wheels. The cube is where it should be within what
the jaws forgive. It travels on the tray by friction alone.

Texts, speeds and pauses are those of the paper. What it left to chance is told in docs/youbot.md.
"""

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mecano.core.notices import narrate
from mecano.core.poses import Pose2
from mecano.lab.docking import DockResult, dock
from mecano.lab.robot import Robot
from mecano.operate.scripts import Script, attach, scripts_of
from mecano.planning.paths import PathCurve
from mecano.tasks.experiment import Experiment, Metric, Score
from mecano.tasks.steps import Step, first_problem, moved

HOME = Pose2(1.5, 4.0, math.pi / 2)
"""Where it starts, about, and comes back to."""
HEADING = -math.pi / 2
"""Of the robot on all routes; the tables are at its right."""
STAND_OFF = 0.1
"""How far the tables are from the ray sensors in the end [m]."""
PITCH = math.radians(70.0)
"""The nose points this far down at tables and tray [rad]; one angle: the cube keeps its place."""
CUBE = np.array([0.167, -0.3085])
"""Where the cube is on a table, seen from the docked robot [m]."""
TRAY = np.array([-0.110, -0.100])
"""Where it goes on the tray [m]."""
TABLE_HOLD, TABLE_ABOVE = 0.118, 0.203
"""Height of the tool at a table, taking hold and lifted [m]."""
TRAY_HOLD, TRAY_ABOVE = 0.175, 0.259
"""The same at the tray [m]."""
BETWEEN = np.array([-0.005, -0.246, 0.259])
"""A point on the way from the table to the tray, around the shoulder [m]."""
HAND_SPEED, HAND_ACCELERATION = 0.1, 0.05
"""Of the hand on its paths [m/s], [m/s2]; the paper's."""
ROUTES = {"route_1": 0.3, "route_2": 0.4, "route_3": 0.5}
"""Speeds [m/s]; the paper's."""
ACCELERATION = 1.0
"""Of the base on routes [m/s2]; the paper's."""
GRIPPER = "youBotGripperState"
"""Mailbox of the gripper, as the paper's tube: 1 opens, 0 closes."""
GRIPPER_TIME = 0.8
"""The paper waits this long for the fingers [s]."""
LOST = 0.010
"""Fingers this near to each other have nothing between them [m]; the cube is 30 mm wide."""
FALLEN = 0.09
"""A cube whose middle is lower than this lies on the floor [m]; on a table it is at 0.115."""
IN_PLACE = 0.015
"""How far from its goal the cube may end [m]. A blind hand sets it down as far across as it lay,
up to 10 mm; the rest is for docking, odometry and the hand."""
WITHIN = 0.001, 0.003
"""How near the base comes to the end of a route or turn [m], [rad]; docking does the rest."""
PAUSES = {"start": 5.0, "before docking": 3.0, "arm free": 2.0, "arm back": 1.0}
"""Pauses of the paper [s]."""


class Gripper(Script):
    """Opens and closes by messages, for a fixed time, as the paper's child script does."""

    def thread(self) -> Generator[Any, Any, Any]:
        """Wait for messages."""
        while True:
            state = yield self.message(GRIPPER)
            grip = self.robot.gripper.open if state == 1 else self.robot.gripper.close
            grip(wait=False)
            yield GRIPPER_TIME
            self.send(GRIPPER, "done")


class CubeWatch(Script):
    """Belongs to the cube and says when it has fallen."""

    def init(self) -> None:
        """Nothing has fallen yet."""
        self.signals["fallen"] = False

    def sensing(self) -> None:
        """Look how high it is."""
        if not self.signals["fallen"] and self.object.pose().position[2] < FALLEN:
            self.signals["fallen"] = True
            self.print("the cube has fallen")


@dataclass
class Routine:
    """One run: what it does in order, and what it measured."""

    robot: Robot
    quiet: bool
    docks: list[DockResult] = field(default_factory=list)
    metrics: dict[str, Metric] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for script, to in ((Gripper(), "world"), (CubeWatch(), "cube")):
            attach(self.robot, script, to=to)
        self.scripts = scripts_of(self.robot)

    # --- parts

    @property
    def fallen(self) -> bool:
        """Whether the cube lies on the floor."""
        return bool(self.scripts.signals.get("fallen", False))

    def say(self, text: str) -> None:
        """Tell the user what happens."""
        if not self.quiet:
            narrate(self.robot.time, text)

    def pause(self, which: str) -> str | None:
        """Wait as the paper does."""
        self.robot.wait(PAUSES[which])
        return "the cube fell to the floor" if self.fallen else None

    def grip(self, *, opens: bool) -> str | None:
        """Open or close by message, and see whether something is held."""
        self.scripts.send(GRIPPER, 1 if opens else 0)
        self.robot.session.wait_until(lambda: self.scripts.receive(GRIPPER) == "done", timeout=5.0)
        return None

    def holds(self) -> str | None:
        """Tell by the fingers whether the cube is between them."""
        hand = self.robot.gripper
        if hand.width > LOST and hand.force > 0.25 * hand.facts.max_force:
            return None
        return f"no cube between the fingers ({1000 * hand.width:.1f} mm, {hand.force:.1f} N)"

    def turn(self, heading: float) -> str | None:
        """Turn in place."""
        result = self.robot.base.turn_to(heading, within=WITHIN)
        return None if result.reached else f"the turn ended early: {result.message}"

    def route(self, name: str) -> str | None:
        """Drive a route of the scene from where the robot stands; give up if the cube falls."""
        self.say(f"following {name.replace('_', ' ')}")
        base = self.robot.base
        path = self.robot.paths[name]
        following = base.follow_path(
            _from_here(base.pose, path), velocity=ROUTES[name], acceleration=ACCELERATION,
            within=WITHIN, wait=False,
        )  # fmt: skip
        self.robot.session.wait_until(lambda: following.done or self.fallen)
        if self.fallen:
            base.stop()
            return f"the cube fell to the floor on {name.replace('_', ' ')}"
        result = following.wait()
        for remark in result.remarks:
            self.say(f"{name.replace('_', ' ')}: {remark}")
        number = name[-1]
        self.metrics[f"lag_{number}_mm"] = round(1000.0 * result.lag, 2)
        return None if result.reached else f"{name} ended early: {result.message}"

    def dock(self) -> str | None:
        """Come to the stand-off by the sensor that sees the table."""
        result = dock(self.robot, STAND_OFF)
        self.docks.append(result)
        number = len(self.docks)
        self.say(f"table {number}: {result.message}")
        if not result.docked:
            return f"docking at table {number} failed: {result.message}"
        true = self.robot.ranges[result.side].read(clean=True).range
        self.metrics[f"distance_{number}_before_m"] = round(result.before, 5)
        self.metrics[f"distance_{number}_after_m"] = round(result.after, 5)
        self.metrics[f"stand_off_error_{number}_mm"] = round(1000.0 * (true - STAND_OFF), 3)
        return None

    def hand(self, *points: np.ndarray) -> str | None:
        """Move the hand along a smooth path through points, at the paper's speed."""
        arm = self.robot.arm
        start = arm.chain.forward(arm.commanded)[:3, 3]
        path = PathCurve.through([start, *points], kind="spline" if len(points) > 1 else "polyline")
        return moved(
            arm.follow_path(
                path, velocity=HAND_SPEED, acceleration=HAND_ACCELERATION, pitch=PITCH, check=False
            )
        )

    # --- the whole

    def steps(self) -> Iterator[Step]:
        """Yield what happens, in order."""
        arm = self.robot.arm
        table = [np.array([*CUBE, z]) for z in (TABLE_HOLD, TABLE_ABOVE)]
        tray = [np.array([*TRAY, z]) for z in (TRAY_HOLD, TRAY_ABOVE)]
        yield lambda: self.pause("start")
        yield lambda: self.grip(opens=False)
        yield lambda: self.turn(HEADING)
        yield lambda: self.route("route_1")
        yield lambda: self.pause("before docking")
        yield self.dock
        yield lambda: self.grip(opens=True)
        yield lambda: self.pause("arm free")
        yield lambda: moved(arm.move_to(table[1], pitch=PITCH))
        yield lambda: self.hand(table[0])
        yield lambda: self.grip(opens=False)
        yield self.holds
        yield lambda: self.hand(table[1])
        yield self.holds
        yield lambda: self.hand(BETWEEN, tray[1])
        yield lambda: self.hand(tray[0])
        yield lambda: self.grip(opens=True)
        yield lambda: self.hand(tray[1])
        yield lambda: self.pause("arm back")
        yield lambda: self.route("route_2")
        yield lambda: self.pause("before docking")
        yield self.dock
        yield lambda: self.pause("arm free")
        yield lambda: self.hand(tray[0])
        yield lambda: self.grip(opens=False)
        yield self.holds
        yield lambda: self.hand(tray[1])
        yield self.holds
        yield lambda: self.hand(BETWEEN, table[1])
        yield lambda: self.hand(table[0])
        yield lambda: self.grip(opens=True)
        yield lambda: self.hand(table[1])
        yield lambda: moved(arm.home())
        yield lambda: self.pause("arm back")
        yield lambda: self.route("route_3")
        yield lambda: self.turn(-HEADING)


def _from_here(pose: Pose2, path: PathCurve) -> PathCurve:
    """Return a path that begins where the robot stands, and then goes on as the path does."""
    places = [path.at(s) for s in path.breaks]
    rest = [Pose2(float(p.position[0]), float(p.position[1]), HEADING) for p in places[1:]]
    return PathCurve.through([Pose2(pose.x, pose.y, HEADING), *rest], kind="spline")


def vary(rng: np.random.Generator, seed: int) -> list:
    """Draw where the robot starts and how the cube lies.

    The start within 50 mm and 10 degrees; the cube within 6 mm along the robot, 10 mm across it
    and 15 degrees: what a robot that does not see it can take.
    """
    x, y, turn, along, across, yaw = rng.uniform(-1.0, 1.0, 6)

    def change(spec) -> None:
        robot, cube = spec.body("youbot/base_footprint"), spec.body("cube")
        robot.pos, robot.quat = [0.05 * x, 0.05 * y, 0.0], _yawed(10.0 * turn)  # on its mount
        cube.pos = cube.pos + np.array([0.010 * across, 0.006 * along, 0.0])
        cube.quat = _yawed(15.0 * yaw)

    return [change]


def _yawed(degrees: float) -> list[float]:
    """Return the quaternion of a turn about the vertical."""
    half = 0.5 * math.radians(degrees)
    return [math.cos(half), 0.0, 0.0, math.sin(half)]


def run(robot: Robot, rng: np.random.Generator, *, texts: str = "yes") -> Score:
    """Do the routine and judge it from outside."""
    robot.base.reset_odometry(robot.truth.base_pose())  # told once where it was set down
    routine = Routine(robot, quiet=texts != "yes")
    problem = first_problem(routine.steps())
    routine.say(problem or "end of the route")
    return _score(robot, routine, problem)


def _score(robot: Robot, routine: Routine, problem: str | None) -> Score:
    cube, goal = robot.truth.body_pose("cube").position, robot.truth.place("goal")
    off = float(np.hypot(*(cube[:2] - goal[:2])))
    home = HOME.inverse() @ robot.truth.base_pose()
    metrics: dict[str, Metric] = {
        "place_error_mm": round(1000.0 * off, 2),
        **routine.metrics,
        "home_error_mm": round(1000.0 * math.hypot(home.x, home.y), 2),
        "total_time_s": round(robot.time, 2),
    }
    if problem is None and off > IN_PLACE:
        problem = f"the cube is {1000 * off:.1f} mm from its goal, allowed {1000 * IN_PLACE:.0f} mm"
    if problem is None and abs(cube[2] - (goal[2] + 0.015)) > 0.003:
        problem = "the cube does not lie on table 2"
    return Score(success=problem is None, metrics=metrics, remark=problem or "")


EXPERIMENT = Experiment(
    name="youbot/transport",
    title="carry a cube on the tray from one table to another",
    robot="youbot",
    scene="transport",
    vary=vary,
    run=run,
    options={"texts": "yes"},
)
