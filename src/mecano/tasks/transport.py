"""The routine of the youBot paper: fetch a cube from one table, carry it on the tray to another.

The robot sees the tables by two rays at its sides and nothing else, and nobody tells it where it
starts: it was set down at home, about. It finds each table by driving along its side to both ends.
The cube is where it should be within what the jaws forgive; how it lies in the hand is put right by
pressing it against the side of the table. It travels on the tray by friction alone.

Texts, speeds and pauses are those of the paper. What it left to chance is told in docs/youbot.md.
`transport_judge` scores; nothing here knows more than the robot.
"""

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mecano.core.devices import RangeSensor
from mecano.core.notices import narrate
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot
from mecano.lab.side_docking import SideDock, dock_at_side
from mecano.operate.scripts import Script, attach, scripts_of
from mecano.planning.paths import PathCurve
from mecano.tasks.experiment import Experiment, Metric, Score
from mecano.tasks.steps import Step, first_problem, moved
from mecano.tasks.transport_judge import HOME, STAND_OFF, Judge

HEADING = -math.pi / 2
"""Of the robot on all routes; the tables are at its right."""
SIDE = "right"
"""The ray that looks at the tables."""
ROOM = 0.25
"""Routes to tables end so much further away [m]: a robot whose heading is off by 10 degrees at the
start comes to stand half a metre beside its goal. The rest of the way it feels."""
TOO_NEAR = 0.12
"""On a route nothing may come nearer to the ray than this [m]."""
PITCH = math.radians(70.0)
"""The nose points this far down at tables and tray [rad]; one angle: the cube keeps its place."""
CUBE = np.array([0.167, -0.3085])
"""Where the cube is on a table, seen from the docked robot [m]."""
NEARER = 0.005
"""The hand takes hold this much nearer to the robot [m], so that the cube juts out of it."""
TRIES, STEP = 4, 0.008
"""How often it tries to take hold, and how far along the robot from the try before [m]."""
LANDED = 6.0
"""A hand that pushes down with this stands on something [N]; a free one feels 3 N at most."""
TRAY = np.array([-0.110, -0.100])
"""Where it goes on the tray [m]."""
TABLE_HOLD, TABLE_ABOVE = 0.118, 0.203
"""Height of the tool at a table, taking hold and lifted [m]."""
TRAY_HOLD, TRAY_ABOVE = 0.175, 0.259
"""The same at the tray [m]."""
SET_DOWN = 0.0025
"""It lets go this much higher than it takes hold [m]: in the hand the cube slides down a little."""
EDGE = -0.2785
"""The side of the table, seen from the docked robot [m]: half its width and the stand-off."""
JUTS = 0.010
"""So far the cube juts out of the hand after it was pressed against the side [m]; fingers do by
0.007."""
BESIDE_TABLE = -0.235
"""Across the robot, between it and the table, with room for a cube in the hand [m]."""
BELOW = 0.075
"""Height of the tool when the cube is pressed against the side of the table [m]."""
LIGHT = 4.0
"""With this force the fingers hold a cube that shall slide between them [N]."""
BETWEEN = np.array([-0.005, -0.246, 0.259])
"""A point on the way from the table to the tray, around the shoulder [m]."""
HAND_SPEED, HAND_ACCELERATION = 0.1, 0.05
"""Of the hand on its paths [m/s], [m/s2]; the paper's."""
PRESSING = 0.03
"""Of the hand that presses the cube against the table [m/s]."""
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


@dataclass
class Routine:
    """One run: what it does in order, and what it measured."""

    robot: Robot
    quiet: bool
    docks: list[SideDock] = field(default_factory=list)
    metrics: dict[str, Metric] = field(default_factory=dict)
    width: float = 0.0
    """Of the cube, by the fingers [m]."""

    def __post_init__(self) -> None:
        attach(self.robot, Gripper(), to="world")
        self.scripts = scripts_of(self.robot)

    # --- parts

    def say(self, text: str) -> None:
        """Tell the user what happens."""
        if not self.quiet:
            narrate(self.robot.time, text)

    def pause(self, which: str) -> None:
        """Wait as the paper does."""
        self.robot.wait(PAUSES[which])

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

    def route(self, name: str, *, room: float = 0.0) -> str | None:
        """Drive a route of the scene from where the robot stands, and stop before a table."""
        said = name.replace("_", " ")
        self.say(f"following {said}")
        base, ray = self.robot.base, self.robot.ranges[SIDE]
        following = base.follow_path(
            _from_here(base.pose, self.robot.paths[name], room), velocity=ROUTES[name],
            acceleration=ACCELERATION, within=WITHIN, wait=False,
        )  # fmt: skip
        guard = _Guard(ray)
        self.robot.session.wait_until(lambda: following.done or (room > 0.0 and guard.near()))
        if not following.done:
            base.stop()
            self.say(f"{said}: the table is nearer than it should be; stopped")
            self.robot.wait(0.5)
            return None
        result = following.wait()
        for remark in result.remarks:
            self.say(f"{said}: {remark}")
        self.metrics[f"lag_{name[-1]}_mm"] = round(1000.0 * result.lag, 2)
        return None if result.reached else f"{said} ended early: {result.message}"

    def dock(self) -> str | None:
        """Come to the stand-off before the middle of the table; now it knows where it is."""
        result = dock_at_side(self.robot, STAND_OFF, beside=-float(CUBE[0]), side=SIDE)
        self.docks.append(result)
        number = len(self.docks)
        self.say(f"table {number}: {result.message}")
        if result.distance is None or not result.docked:
            return f"docking at table {number} failed: {result.message}"
        self.metrics[f"distance_{number}_before_m"] = round(result.distance.before, 5)
        self.metrics[f"distance_{number}_after_m"] = round(result.distance.after, 5)
        there = self.robot.paths[f"route_{number + 1}"].at(0.0).position
        self.robot.base.reset_odometry(Pose2(float(there[0]), float(there[1]), HEADING))
        return None

    def take(self) -> str | None:
        """Take hold of the cube on the table; where a finger lands on it, try beside that.

        The hand feels on which side it landed, so it knows where to go.
        """
        arm, problem, beside = self.robot.arm, None, 0.0
        for number in range(1, TRIES + 1):
            x, y = CUBE[0] + beside, CUBE[1] + NEARER
            above, low = np.array([x, y, TABLE_ABOVE]), np.array([x, y, TABLE_HOLD])
            problem = self.grip(opens=True) or (
                self.hand(above) if number > 1 else moved(arm.move_to(above, pitch=PITCH))
            )
            if problem is not None:
                return problem
            landed = self.feel_down(low)
            if landed == 0.0:
                problem = self.grip(opens=False) or self.holds() or self.hand(above) or self.holds()
                if problem is None:
                    self.metrics["tries"] = number
                    return None
            else:
                problem = "a finger came down on the cube"
            self.say(f"{problem}; up again")
            self.hand(above)
            beside += math.copysign(STEP, landed) if landed else (STEP if number % 2 else -2 * STEP)
        return f"{problem}, after {TRIES} tries"

    def feel_down(self, point: np.ndarray) -> float:
        """Lower the hand until it is there, or stands on something.

        Returns:
            The side along the robot on which it stands on something: 1 before it, -1 behind it.
            Zero if it came down freely.
        """
        arm = self.robot.arm
        start = arm.chain.forward(arm.commanded)[:3, 3]
        moving = arm.follow_path(
            PathCurve.through([start, point], kind="polyline"), velocity=HAND_SPEED,
            acceleration=HAND_ACCELERATION, pitch=PITCH, check=False, wait=False,
        )  # fmt: skip
        while not moving.done:
            self.robot.wait(self.robot.session.backend.tick)
            felt = arm.force()
            if felt[2] < -LANDED:
                moving.stop()
                return math.copysign(1.0, felt[4])
        return 0.0

    def put_right(self) -> str | None:
        """Press the cube against the side of the table, so that it lies in the hand as it should.

        Between the fingers it slides until it juts out of the hand by `JUTS`, however it was taken.
        """
        x = float(CUBE[0])
        at = {
            name: np.array([x, y, z])
            for name, y, z in (
                ("above", BESIDE_TABLE, TABLE_ABOVE), ("below", BESIDE_TABLE, BELOW),
                ("pressed", EDGE + JUTS, BELOW),
            )
        }  # fmt: skip
        problem = self.hand(at["above"]) or self.hand(at["below"])
        self.robot.gripper.close(force=LIGHT)
        problem = problem or self.hand(at["pressed"], speed=PRESSING)
        self.robot.gripper.close()
        self.width = self.robot.gripper.width
        self.metrics["width_mm"] = round(1000.0 * self.width, 1)
        return problem or self.hand(at["below"]) or self.hand(at["above"]) or self.holds()

    @property
    def off(self) -> float:
        """How far the hand must be from where the middle of the cube shall be, across [m]."""
        return 0.5 * self.width - JUTS  # towards the table; across is negative there

    def hand(self, *points: np.ndarray, speed: float = HAND_SPEED) -> str | None:
        """Move the hand along a smooth path through points, at the paper's speed [m/s]."""
        arm = self.robot.arm
        start = arm.chain.forward(arm.commanded)[:3, 3]
        path = PathCurve.through([start, *points], kind="spline" if len(points) > 1 else "polyline")
        return moved(
            arm.follow_path(
                path, velocity=speed, acceleration=HAND_ACCELERATION, pitch=PITCH, check=False
            )
        )

    # --- the whole

    def steps(self) -> Iterator[Step]:
        """Yield what happens, in order."""
        arm, raised = self.robot.arm, [0.0, 0.0, SET_DOWN]
        tray = [np.array([*TRAY, z]) for z in (TRAY_HOLD, TRAY_ABOVE)]
        yield lambda: self.pause("start")
        yield lambda: self.grip(opens=False)
        yield lambda: self.turn(HEADING)
        yield lambda: self.route("route_1", room=ROOM)
        yield lambda: self.pause("before docking")
        yield self.dock
        yield lambda: self.pause("arm free")
        yield self.take
        yield self.put_right
        yield lambda: self.hand(np.array([*CUBE, TABLE_ABOVE]))
        yield lambda: self.hand(BETWEEN, tray[1])
        yield lambda: self.hand(tray[0] + raised)
        yield lambda: self.grip(opens=True)
        yield lambda: self.hand(tray[1])
        yield lambda: self.pause("arm back")
        yield lambda: self.route("route_2", room=ROOM)
        yield lambda: self.pause("before docking")
        yield self.dock
        yield lambda: self.pause("arm free")
        yield lambda: self.hand(tray[0])
        yield lambda: self.grip(opens=False)
        yield self.holds
        yield lambda: self.hand(tray[1])
        yield self.holds
        goal = [np.array([*CUBE, z]) for z in (TABLE_HOLD, TABLE_ABOVE)]
        yield lambda: self.hand(BETWEEN, goal[1] - [0.0, self.off, 0.0])
        yield lambda: self.hand(goal[0] - [0.0, self.off, 0.0] + raised)
        yield lambda: self.grip(opens=True)
        yield lambda: self.hand(goal[1] - [0.0, self.off, 0.0])
        yield lambda: moved(arm.home())
        yield lambda: self.pause("arm back")
        yield lambda: self.route("route_3")
        yield lambda: self.turn(-HEADING)


class _Guard:
    """Tells when something comes near that was not near before."""

    def __init__(self, ray: RangeSensor) -> None:
        self._ray, self._free = ray, False

    def near(self) -> bool:
        """Look once more."""
        seen = self._ray.read().range
        self._free = self._free or seen > 2.0 * TOO_NEAR
        return self._free and seen < TOO_NEAR


def _from_here(pose: Pose2, path: PathCurve, room: float) -> PathCurve:
    """Return a path that begins where the robot stands, and then goes on as the path does.

    Its last two points are further from the table, and the last one is before the table's middle.
    """
    places = [path.at(s).position for s in path.breaks]
    rest = [Pose2(float(x), float(y), HEADING) for x, y, *_ in places[1:]]
    if room:
        rest[-2] = Pose2(rest[-2].x + room, rest[-2].y, HEADING)
        rest[-1] = Pose2(rest[-1].x + room, rest[-1].y - float(CUBE[0]), HEADING)
    return PathCurve.through([Pose2(pose.x, pose.y, HEADING), *rest], kind="spline")


def vary(rng: np.random.Generator, seed: int) -> list:
    """Draw where the robot starts and how the cube lies.

    The start within 50 mm and 5 degrees of home, which nobody tells the robot; the cube within
    6 mm along the robot, 10 mm across it and 15 degrees: what a robot that does not see it can
    take.
    """
    x, y, turn, along, across, yaw = rng.uniform(-1.0, 1.0, 6)

    def change(spec) -> None:
        robot, cube = _base(spec), spec.body("cube")
        robot.pos, robot.quat = [0.05 * x, 0.05 * y, 0.0], _yawed(5.0 * turn)  # on its mount
        cube.pos = cube.pos + np.array([0.010 * across, 0.006 * along, 0.0])
        cube.quat = _yawed(15.0 * yaw)

    return [change]


def _base(spec):
    """Return the body of the youBot's base, whichever wheels it has."""
    return next(body for body in spec.bodies if body.name.endswith("/base_footprint"))


def _yawed(degrees: float) -> list[float]:
    """Return the quaternion of a turn about the vertical."""
    half = 0.5 * math.radians(degrees)
    return [math.cos(half), 0.0, 0.0, math.sin(half)]


def run(robot: Robot, rng: np.random.Generator, *, texts: str = "yes") -> Score:
    """Do the routine, and have it judged from outside."""
    judge = Judge(robot)
    robot.base.reset_odometry(HOME)  # where it should stand; where it does it is not told
    routine = Routine(robot, quiet=texts != "yes")
    with judge:
        problem = first_problem(routine.steps())
    routine.say(problem or "end of the route")
    return judge.score(problem, routine.metrics, docks=len(routine.docks))


EXPERIMENT = Experiment(
    name="youbot/transport",
    title="carry a cube on the tray from one table to another",
    robot="youbot",
    scene="transport",
    noise=True,
    vary=vary,
    run=run,
    options={"texts": "yes"},
)
