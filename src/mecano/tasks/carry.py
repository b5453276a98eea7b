"""Both arms lift a box by squeezing it between flat hands, and the base carries it away.

Nothing holds the box but friction: the hands press with a force that is kept by what the motors of
the arms tell. The robot knows where the box should be, not where it is. It drives by its odometry.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose, Pose2
from mecano.lab.robot import Robot
from mecano.parts.hold_tasks import HoldResult
from mecano.parts.holds import Hold
from mecano.parts.together import TogetherResult
from mecano.session.session import Session
from mecano.tasks.experiment import Experiment, Metric, Score
from mecano.tasks.steps import Step, first_problem
from mecano.world.assembly import Change

AHEAD = 0.625
"""The middle of the box before that of the docked base [m]."""
REACH = np.array([-0.105, 0.15, 0.055])
"""Where the left tool takes hold, seen from the middle of the box [m]; the right one mirrored."""
APART = 0.08
"""The hands stand this far from the box's sides before they close [m]."""
BACK, LIFT = 0.4, 0.15
"""How far the base backs off from a table, and how far the box is lifted [m]."""
SPEED = 0.25
"""Of the base [m/s]."""
WITHIN = 0.001, 0.003
"""How near the base comes to a place [m], [rad]."""
JITTER, TURN = 0.015, math.radians(5.0)
"""The box lies this far beside its place at most [m], and turned by this much [rad]."""
IN_PLACE, UPRIGHT = 0.020, math.radians(3.0)
"""The box must end this near to its place [m], and lean no further [rad]."""
LOOK_EVERY = 5
"""So many ticks lie between two rows of what is drawn."""


@dataclass
class Carry:
    """One run: what it does in order, and what it measured."""

    robot: Robot
    force: float
    metrics: dict[str, Metric] = field(default_factory=dict)
    hold: Hold | None = None
    lifted: Pose | None = None
    """Of the box in the frame of the base, after it was lifted."""

    @property
    def box(self) -> Pose:
        """Where the box really is, seen from the base."""
        base = self.robot.truth.base_pose().to_pose()
        return base.inverse() @ self.robot.truth.body_pose("box")

    # --- parts

    def hands_apart(self) -> str | None:
        """Bring the hands to both sides of where the box will be."""
        middle = np.array([AHEAD, 0.0, self.robot.truth.place("pick")[2]])
        goals = {name: Pose(middle + _mirrored(name, APART)) for name in self.robot.arms}
        problem = _problem(self.robot.arms.move_free(goals))
        self.robot.wait(*(hand.move("flat", wait=False) for hand in self.robot.hands.values()))
        return problem

    def take_hold(self) -> str | None:
        """Close the hands until they press."""
        middle = np.array([AHEAD, 0.0, self.robot.truth.place("pick")[2]])
        self.hold = self.robot.arms.hold(Pose(middle))
        problem = _problem(self.hold.squeeze(self.force))
        self.metrics["force_n"] = round(self.hold.pressing, 1)
        return problem

    def raise_box(self) -> str | None:
        """Lift it, and see whether it came along."""
        problem = _problem(self.held.move_by(z=LIFT, speed=0.5))
        self.lifted = self.box
        self.metrics["lifted_mm"] = round(1000.0 * self.above("pick"), 1)
        return problem or self.still_there()

    @property
    def held(self) -> Hold:
        """The hold on the box."""
        assert self.hold is not None
        return self.hold

    def above(self, place: str) -> float:
        """Return how high the box is above a place [m]."""
        truth = self.robot.truth
        return float(truth.body_pose("box").position[2] - truth.place(place)[2])

    def still_there(self) -> str | None:
        """Tell by the hands whether they hold something; and note how far the box has slipped."""
        if self.held.done:
            return f"the hold ended: {self.held.cause}"
        if self.held.pressing < 0.3 * self.force:
            return f"the hands press with {self.held.pressing:.1f} N only: the box is lost"
        return None

    def drive(self, x: float, y: float) -> str | None:
        """Drive to a place of the odometry, heading as at the start."""
        result = self.robot.base.go_to(Pose2(x, y, 0.0), speed=SPEED, within=WITHIN)
        if not result.reached:
            return f"the base did not arrive: {result.message}"
        return None if self.hold is None else self.still_there()

    def note_slip(self) -> str | None:
        """Measure how far the box has moved in the hands on the way."""
        assert self.lifted is not None
        moved = self.lifted.inverse() @ self.box
        self.metrics["slip_mm"] = round(1000.0 * float(np.linalg.norm(moved.position)), 2)
        self.metrics["tilt_deg"] = round(math.degrees(_leaning(self.box)), 2)
        self.metrics["relative_error_mm"] = round(1000.0 * self._relative_error(), 2)
        return None

    def _relative_error(self) -> float:
        """Return how far the tools are from their places relative to each other, in truth [m]."""
        names = list(self.robot.arms)
        now = [self.robot.truth.tool_pose(name).position for name in names]
        told = [self.held.targets()[name].position for name in names]
        apart = np.linalg.norm(now[1] - now[0]) - np.linalg.norm(told[1] - told[0])
        return abs(float(apart))

    def set_down(self) -> str | None:
        """Lower the box until the table carries it, stop pressing, and open the hands."""
        return _problem(self.held.move_by(z=-LIFT, speed=0.4))

    def let_go(self) -> str | None:
        """Open the hands evenly, so that the box stays."""
        problem = _problem(self.held.open(APART))
        self.held.end()
        self.hold = None
        return problem

    # --- the whole

    def steps(self) -> Iterator[Step]:
        """Yield what happens, in order."""
        start, goal = (self.robot.truth.place(name) for name in ("pick", "place"))
        near, far = float(start[0]) - AHEAD, float(start[0]) - AHEAD - BACK
        yield self.hands_apart
        yield lambda: self.drive(near, float(start[1]))
        yield self.take_hold
        yield self.raise_box
        yield lambda: self.drive(far, float(start[1]))
        yield lambda: self.drive(far, float(goal[1]))
        yield lambda: self.drive(near, float(goal[1]))
        yield self.note_slip
        yield self.set_down
        yield self.let_go
        yield lambda: self.drive(far, float(goal[1]))


def _problem(result: TogetherResult | HoldResult) -> str | None:
    """Return what went wrong, if something did."""
    return None if result.reached else result.message


def _mirrored(name: str, apart: float) -> Array:
    """Return where a tool is, seen from the middle of the box [m]."""
    side = 1.0 if name == "left" else -1.0
    return REACH * [1.0, side, 1.0] + np.array([0.0, side * apart, 0.0])


def _leaning(pose: Pose) -> float:
    """Return how far a box leans [rad]."""
    return math.acos(min(1.0, float(pose.rotation_matrix()[2, 2])))


def vary(rng: np.random.Generator, seed: int) -> list[Change]:
    """Draw how the box lies."""
    x, y, turn = rng.uniform(-1.0, 1.0, 3)

    def change(spec) -> None:
        half = 0.5 * TURN * turn
        box = spec.body("box")
        box.pos = box.pos + JITTER * np.array([x, y, 0.0])
        box.quat = [math.cos(half), 0.0, 0.0, math.sin(half)]

    return [change]


@dataclass
class Log:
    """What is drawn of a run: where the box was, and what the hands pressed with."""

    carry: Carry
    rows: list[tuple[float, float, float, float, float]] = field(default_factory=list)
    """Time [s]; x, y and height of the box above the floor [m]; force of each hand [N]."""

    def look(self, session: Session) -> None:
        """Write a row down, now and then."""
        if session.ticks % LOOK_EVERY == 0:
            box, hold = self.carry.robot.truth.body_pose("box"), self.carry.hold
            pressing = 0.0 if hold is None else hold.pressing
            self.rows.append((session.time, *box.position.tolist(), pressing))

    @property
    def table(self) -> Array:
        """All rows. Shape (n, 5)."""
        return np.array(self.rows).reshape(-1, 5)


def check_force(force: str) -> float:
    """Return the force as a number [N], or say what is wrong with it."""
    try:
        return finite_number(float(force), name="force [N]", lower=1.0, upper=100.0)
    except ValueError:
        raise InvalidInput(f"force is '{force}', expected newtons, 1 to 100") from None


def run(robot: Robot, rng: np.random.Generator, *, force: str) -> Score:
    """Carry the box and judge it from outside."""
    carry = Carry(robot, check_force(force))
    log = Log(carry)
    robot.session.observers.append(log.look)
    try:
        problem = first_problem(carry.steps())
    finally:
        robot.session.observers.remove(log.look)
    box, goal = robot.truth.body_pose("box"), robot.truth.place("place")
    off = float(np.hypot(*(box.position[:2] - goal[:2])))
    leaning = _leaning(box)
    metrics: dict[str, Metric] = {
        "place_error_mm": round(1000.0 * off, 2),
        "yaw_deg": round(math.degrees(float(box.rpy()[2])), 2),
        **carry.metrics,
        "total_time_s": round(robot.time, 2),
    }
    if problem is None and (leaning > UPRIGHT or abs(box.position[2] - goal[2]) > 0.005):
        problem = "the box does not stand on the second table"
    if problem is None and off > IN_PLACE:
        allowed = f"allowed {1000 * IN_PLACE:.0f} mm"
        problem = f"the box is {1000 * off:.1f} mm from its place, {allowed}"
    return Score(
        success=problem is None,
        metrics=metrics,
        remark=problem or "",
        products={"carry.png": partial(_draw, log.table, carry.force, robot.truth.place("place"))},
    )


def _draw(rows: Array, force: float, goal: Array, path: Path) -> None:
    from mecano.tasks.madar_plots import draw_carry

    draw_carry(rows, force, goal, path)


EXPERIMENT = Experiment(
    name="madar/carry",
    title="lift a box between two hands and carry it to another table",
    robot="madar",
    scene="carry",
    vary=vary,
    run=run,
    options={"force": "30"},
    hints={"force": "N of each hand"},
    check=check_force,
)
