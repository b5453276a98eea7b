"""Boxes that nobody put down exactly: a camera on a mast finds them, the arm puts them in places.

The program knows its places, the boxes' size and colours, and where the camera is bolted. Where a
box is, it knows from the newest picture alone; it looks again after every move. What is true is
used for scoring only.

Any yaw of a box needs the hand straight down, and so the arm cannot lift a box over another. It
slides in along the long side, lifts a little while it draws the box in, turns close to itself past
the others, and slides out. Tried out in physics.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose, wrap_angle
from mecano.lab.robot import Robot
from mecano.parts.arm import Arm
from mecano.perception.boxes import FoundBox, find_boxes
from mecano.robots.crumb.variants import ARM_FOOT, T_ARM_MAST
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.placing import (
    BOX_MASS,
    GRIP,
    ROUND,
    START,
    TRIES,
    do_moves,
    has_it,
    is_lost,
    keeps_it,
    planned_moves,
    told,
)
from mecano.tasks.steps import Step, first_problem, moved, opened

TABLE = 0.4071 - ARM_FOOT[2]
"""Height of the tables above the arm's foot [m]."""
PALETTE = {"red": (0.85, 0.12, 0.10), "orange": (0.95, 0.52, 0.05)}
"""What the boxes look like."""
LENGTH, WIDTH, HEIGHT = 0.0872, 0.0242, 0.1001
"""Of a box [m]."""
RADIUS = 0.243
"""How far the places are from the arm's axis [m]."""
PLACES = {
    "A": np.array([0.0, RADIUS]),
    "B": np.array([math.sqrt(0.5) * RADIUS, math.sqrt(0.5) * RADIUS]),
    "C": np.array([RADIUS, 0.0]),
}
"""As the arm sees them [m]."""

DOWN = math.pi / 2
"""Pitch of the nose [rad]."""
GRASP = 0.0832
"""Height of the tool point when it holds a box [m]: the tips are 29 mm below its top."""
LET_GO = 0.001
"""It stays this much higher when it lets go [m]: the box must not be pressed down."""
LIFTED = GRASP + 0.025
"""Height with a lifted box [m]."""
ABOVE = 0.120
"""Height with the fingertips just above all boxes [m]; further out the arm cannot rise so high."""
SLIDE = 0.080
"""It slides in from this far before the middle of a box [m]."""
NEAREST = 0.10
"""The way in must begin this far from the arm's axis [m]: the tower has a radius of 79 mm."""
CLOSE = 0.13
"""It turns with a box at this distance from its axis [m]: 8 mm to the tower, 9 mm to the others."""
JITTER, TWIST = 0.015, math.radians(60.0)
"""How far off its place [m], and how far turned from radial [rad], a box may be at first."""
BESIDE, BEHIND = 0.032, 0.012
"""A place is occupied by what is nearer than this to the long and short sides of a box that shall
stand there [m]: beside it the fingers open, with a bit to spare."""


# --- what varies


def vary(rng: np.random.Generator, seed: int) -> list:
    """Draw how the boxes stand: up to 15 mm off in any direction, up to 60 degrees from radial."""
    drawn = {place: rng.uniform(size=3) for place in START}

    def change(spec) -> None:
        for place, (far, where, twist) in drawn.items():
            off = JITTER * math.sqrt(far) * _unit(math.tau * where)
            x, y = PLACES[place] + off
            yaw = math.atan2(y, x) + TWIST * (2.0 * twist - 1.0)
            body = spec.body(START[place])
            body.pos = np.array([x + ARM_FOOT[0], y + ARM_FOOT[1], body.pos[2]])
            body.quat = Pose.from_xyz_rpy([0, 0, 0], [0, 0, yaw]).quaternion

    return [change]


def _unit(angle: float) -> Array:
    return np.array([math.cos(angle), math.sin(angle)])


# --- looking


@dataclass(frozen=True, eq=False)
class View:
    """What a picture shows, as the arm sees it."""

    boxes: dict[str, FoundBox]
    """By colour."""
    things: list[FoundBox]
    """All that rises from the tables, of any colour."""


def look(robot: Robot) -> tuple[str | None, View]:
    """Take the arm out of the way and look; return what went wrong, and what is seen."""
    problem = moved(robot.arm.move_joints("look", check=False))
    robot.wait(0.25)  # the newest picture is from after the arm came to rest
    return problem, read_view(robot)


def read_view(robot: Robot) -> View:
    """Return what the newest picture of the mast's camera shows."""
    shot = robot.cameras["mast"].read()
    coloured = find_boxes(
        shot.depth, shot.info, T_ARM_MAST, table=TABLE, colour=shot.colour, palette=PALETTE
    )
    things = find_boxes(shot.depth, shot.info, T_ARM_MAST, table=TABLE)
    boxes: dict[str, FoundBox] = {}
    for box in coloured:  # the one with most pixels comes first
        boxes.setdefault(box.colour, box)
    return View(boxes, things)


def occupant(view: View, box: FoundBox, place: Array) -> FoundBox | None:
    """Return what stands where a box shall go; the box itself does not count."""
    for thing in view.things:
        itself = np.linalg.norm(thing.position[:2] - box.position[:2]) < 0.5 * WIDTH
        if not itself and _overlaps(thing, place):
            return thing
    return None


def _overlaps(thing: FoundBox, place: Array) -> bool:
    """Tell whether a thing reaches into the rectangle of a place, by their separating axes."""
    ours, theirs = math.atan2(place[1], place[0]), thing.yaw
    apart = thing.position[:2] - place
    sizes = (
        (ours, LENGTH + 2 * BEHIND, WIDTH + 2 * BESIDE),
        (theirs, thing.length, thing.width),
    )
    for yaw in (ours, ours + math.pi / 2, theirs, theirs + math.pi / 2):
        half = sum(
            0.5 * (long * abs(math.cos(yaw - turn)) + wide * abs(math.sin(yaw - turn)))
            for turn, long, wide in sizes
        )
        if abs(float(apart @ _unit(yaw))) > half:
            return False
    return True


# --- moving


@dataclass(frozen=True, eq=False)
class Hold:
    """Where the hand is, straight down, with the fingers on both sides of a line."""

    at: Array
    """Point on the table, as the arm sees it [m]. Shape (2,)."""
    yaw: float
    """Where the line points, away from the arm [rad]."""

    @classmethod
    def of(cls, box: FoundBox) -> "Hold":
        """Return how to hold a box: by its long sides."""
        along = _unit(box.yaw)
        outward = box.yaw if float(along @ box.position[:2]) > 0.0 else box.yaw + math.pi
        return cls(box.position[:2], outward)

    @classmethod
    def radial(cls, at: Array) -> "Hold":
        """Return the hold at a point whose line comes from the arm."""
        return cls(at, math.atan2(at[1], at[0]))

    def before(self, way: float) -> "Hold":
        """Return the same hold, this much before along its line [m]."""
        return replace(self, at=self.at - way * _unit(self.yaw))

    def drawn_in(self) -> "Hold":
        """Return the radial hold in the same direction, close to the arm."""
        return Hold.radial(self.at * CLOSE / np.linalg.norm(self.at))

    def tool(self, height: float) -> Array:
        """Return the tool point at a height [m]."""
        return np.array([*self.at, height])

    @property
    def roll(self) -> float:
        """How far the hand is rolled from radial, so that the line runs between its fingers."""
        return float(wrap_angle(math.atan2(self.at[1], self.at[0]) - self.yaw))


# The arm's look-ahead knows where all things truly are. So it is off: this program goes by what it
# sees. A touch on the way still ends a motion, as it would by the current of the motors.


def _to(arm: Arm, hold: Hold, height: float) -> Step:
    """Return the step to a hold by the shortest way of the joints."""
    return lambda: moved(arm.move_to(hold.tool(height), pitch=DOWN, roll=hold.roll, check=False))


def _line(arm: Arm, hold: Hold, height: float) -> Step:
    """Return the step to a hold in a straight line."""
    return lambda: moved(arm.move_line(hold.tool(height), pitch=DOWN, roll=hold.roll, check=False))


def carry(robot: Robot, box: FoundBox, place: Array) -> str | None:
    """Take a box to a place, long side radial; return what went wrong."""
    return take(robot, Hold.of(box)) or bring(robot, Hold.radial(place))


def take(robot: Robot, source: Hold) -> str | None:
    """Slide in, take hold and draw the box in; without one, get out of the way to look again."""
    arm, gripper = robot.arm, robot.gripper
    start = source.before(SLIDE)
    problem = first_problem(
        (
            lambda: opened(gripper.open()),
            _to(arm, start.drawn_in(), ABOVE),
            _to(arm, start, ABOVE),
            _line(arm, start, GRASP),
            _line(arm, source, GRASP),
            lambda: has_it(gripper.close(force=GRIP)),
            lambda: told(robot, BOX_MASS),
        )
    )
    if is_lost(problem):
        first_problem(_retreat(robot, source, GRASP))
    return problem or first_problem(
        (_line(arm, source.drawn_in(), LIFTED), lambda: keeps_it(robot))
    )


def bring(robot: Robot, target: Hold) -> str | None:
    """Turn with the box close to the arm, slide out, put it down and draw back."""
    height = GRASP + LET_GO
    problem = first_problem(
        (
            _to(robot.arm, target.drawn_in(), LIFTED),
            _line(robot.arm, target, height),
            lambda: keeps_it(robot),
        )
    )
    if problem is None or is_lost(problem):
        problem = first_problem(_retreat(robot, target, height)) or problem
    return problem


def _retreat(robot: Robot, hold: Hold, height: float) -> tuple[Step, ...]:
    """Return the steps that let go and draw back the way it came."""
    back = hold.before(SLIDE)
    return (
        lambda: told(robot, 0.0),
        lambda: opened(robot.gripper.open()),
        _line(robot.arm, back, height),
        _line(robot.arm, back, ABOVE),
    )


def not_to_be_taken(arm: Arm, box: FoundBox) -> str | None:
    """Return why the arm cannot take a box, with the numbers of the inverse kinematics."""
    source = Hold.of(box)
    start = source.before(SLIDE)
    top, near = float(box.position[2]) - TABLE, float(np.linalg.norm(start.at))
    if top < 0.8 * HEIGHT:
        return (
            f"the {box.colour} box has fallen over: its top is {1000 * top:.0f} mm high, "
            f"{1000 * HEIGHT:.0f} mm when it stands"
        )
    if near < NEAREST:
        return (
            f"the {box.colour} box is too near: the way in would begin {1000 * near:.0f} mm from "
            f"the arm's axis, allowed from {1000 * NEAREST:.0f} mm"
        )
    for hold, height in ((source, GRASP), (start, GRASP), (start, ABOVE)):
        answer = arm.solve(hold.tool(height), DOWN, arm.commanded, roll=hold.roll)
        if not answer.reached:
            return _out_of_reach(box, source, answer.message)
    return None


def _out_of_reach(box: FoundBox, hold: Hold, why: str) -> str:
    away = 1000.0 * float(np.linalg.norm(hold.at))
    return (
        f"the {box.colour} box is out of reach, {away:.0f} mm from the arm's axis and turned "
        f"{abs(math.degrees(hold.roll)):.0f} deg from radial: {why}"
    )


class Finder:
    """The program: looks, takes, puts down, looks again. Remembers how well it saw, for scoring."""

    def __init__(self, robot: Robot) -> None:
        """Begin with the first look."""
        self.robot = robot
        self.errors: list[tuple[float, float]] = []
        self.problem, self.view = self._look()

    def __call__(self, box: str, source: str, target: str) -> tuple[str | None, int]:
        """Take a box to a place; return what went wrong and how often it tried again."""
        problem = None
        for tries in range(TRIES):
            problem = self.problem or self._refusal(box, target)
            if problem is not None:
                return problem, tries
            problem = carry(self.robot, self.view.boxes[box], PLACES[target])
            if problem is not None and not is_lost(problem):
                return problem, tries
            self.problem, self.view = self._look()
            if problem is None:
                return self.problem, tries
        return f"{problem}, {TRIES} times", TRIES - 1

    def _refusal(self, box: str, target: str) -> str | None:
        """Return why a move cannot be done, as far as can be seen."""
        found = self.view.boxes.get(box)
        if found is None:
            seen = ", ".join(self.view.boxes) or "none"
            return f"the {box} box was not found; boxes seen: {seen}"
        stranger = occupant(self.view, found, PLACES[target])
        if stranger is not None:
            apart = 1000.0 * float(np.linalg.norm(stranger.position[:2] - PLACES[target]))
            return f"place {target} is occupied: something stands {apart:.0f} mm from its middle"
        return not_to_be_taken(self.robot.arm, found)

    def _look(self) -> tuple[str | None, View]:
        problem, view = look(self.robot)
        self.errors += [sight_error(self.robot, box) for box in view.boxes.values()]
        return problem, view


def sight_error(robot: Robot, box: FoundBox) -> tuple[float, float]:
    """Return how far a box is from where it was seen [m], and how far turned [rad]. For scoring."""
    truth, base = robot.truth.body_pose(box.colour), robot.truth.base_pose()
    T_world_arm = Pose.from_xyz_rpy([base.x, base.y, 0.0], [0.0, 0.0, base.yaw]) @ Pose(ARM_FOOT)
    seen = T_world_arm @ Pose.from_xyz_rpy(box.position, [0.0, 0.0, box.yaw])
    off = float(np.linalg.norm(seen.position[:2] - truth.position[:2]))
    turn = float(seen.rpy()[2] - truth.rpy()[2])
    return off, abs((turn + math.pi / 2) % math.pi - math.pi / 2)


def run(robot: Robot, rng: np.random.Generator, *, moves: str = ROUND, rounds: str = "1") -> Score:
    """Do the moves and look where every box ended."""
    planned = planned_moves(moves, rounds)
    try:
        finder = Finder(robot)
        score = do_moves(robot, planned, finder)
    finally:
        robot.cameras["mast"].close()  # what draws must be freed before another one is opened
    if not finder.errors:  # nothing was ever found
        return score
    places, yaws = zip(*finder.errors, strict=True)
    sight = {
        "found_position_error_mm": round(max(places) * 1000, 3),
        "found_yaw_error_deg": round(math.degrees(max(yaws)), 3),
    }
    return replace(score, metrics=score.metrics | sight)


EXPERIMENT = Experiment(
    name="crumb/find-and-place",
    title="find boxes with a camera and move them into the free one of three places",
    robot="crumb_mast",
    scene="find_and_place",
    vary=vary,
    run=run,
    options={"moves": ROUND, "rounds": "1"},
)
