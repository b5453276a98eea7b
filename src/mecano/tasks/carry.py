"""Both arms lift a box by squeezing it between flat hands, and the base carries it away.

Nothing holds the box but friction: the hands press with a force that is kept by what the motors of
the arms tell, and is chosen by the weight that they feel. The robot knows how the tables are made
and about where they stand; it comes to each by what its LIDARs see of the legs. Where the box is on
the table it knows about. `CarryJudge` scores; nothing else here asks for what really is (a test).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose, Pose2
from mecano.lab.post_docking import Posts, dock_at_posts
from mecano.lab.robot import Robot
from mecano.parts.hold_tasks import HoldResult
from mecano.parts.holds import Hold
from mecano.parts.together import TogetherResult
from mecano.tasks.carry_judge import CarryJudge
from mecano.tasks.experiment import Experiment, Metric, Score
from mecano.tasks.steps import Step, first_problem
from mecano.world.assembly import Change

TABLE = Posts(places=((0.26, 0.46), (-0.26, 0.46), (0.26, -0.46), (-0.26, -0.46)), half_width=0.02)
"""The tables' legs [m], in a frame on the floor under the middle, y along the table."""
TABLES = Pose2(1.35, 0.0, 0.0), Pose2(1.35, 3.0, 0.0)
"""Where the tables are, about, seen from where the base is set down."""
TOP = 0.765
"""Height of the tables [m]."""
AHEAD = 0.625
"""The middle of the box before that of the docked base [m]."""
BOX_ON_TABLE = -0.125
"""The middle of the box in the table's frame, along x [m]."""
DOCK = Pose2(BOX_ON_TABLE - AHEAD, 0.0, 0.0)
"""Of the base in the table's frame."""
HEIGHT = 0.100
"""Half the height of the box, about [m]."""
REACH = np.array([-0.105, 0.15, 0.025])
"""Where the left tool takes hold, seen from the middle of the box [m]; the right one mirrored."""
APART = 0.065
"""The hands stand this far from the box's sides before they close [m]."""
BACK, LIFT = 0.4, 0.15
"""How far the base backs off from a table, and how far the box is lifted [m]."""
SPEED = 0.25
"""Of the base [m/s]."""
FEEL_AT = 0.004, 0.010, 0.025
"""The box is lifted this far, and its weight felt each time [m]: a heavy one tilts in hands that
press too little."""
FRICTION, SAFE = 0.4, 1.5
"""Of hands on cardboard, at least (EST); and how many times as much as that asks for they press."""
NEARLY, LOWER, LOWERINGS = 0.012, 0.004, 6
"""The box is lowered to this height [m], and from there by so much [m] so often at most."""
CARRIED = 0.35
"""A table carries a box of which the hands feel no more than this part of its weight."""
STRONGEST = 80.0
"""The hands press no harder [N]."""
WITHIN = 0.001, 0.003
"""How near the base comes to a place [m], [rad]."""
GRAVITY = 9.81
"""[m/s2]."""
JITTER, TURN = 0.015, math.radians(5.0)
"""The box lies this far beside its place at most [m], and turned by this much [rad]."""


@dataclass
class Carry:
    """One run: what it does in order, and what it measured."""

    robot: Robot
    force: float
    metrics: dict[str, Metric] = field(default_factory=dict)
    hold: Hold | None = None
    unloaded: float = 0.0
    """What the hands seem to push up with before they lift something [N]."""
    weight: float = 0.0
    """Of the box, as it was felt last [N]."""
    seen: Pose2 = TABLES[0]
    """Where the table is that it was last at, in odometry."""

    # --- parts

    @property
    def middle(self) -> Pose:
        """Where the box is before the docked base, about."""
        return Pose(np.array([AHEAD, 0.0, TOP + HEIGHT]))

    def hands_apart(self) -> str | None:
        """Bring the hands to both sides of where the box will be."""
        goals = {n: Pose(self.middle.position + _mirrored(n, APART)) for n in self.robot.arms}
        problem = _problem(self.robot.arms.move_free(goals))
        self.robot.wait(*(hand.move("flat", wait=False) for hand in self.robot.hands.values()))
        return problem

    def dock(self, table: int, *, back: float = 0.0) -> str | None:
        """Come before a table, or so far back from there [m], by its legs."""
        stand = DOCK @ Pose2(-back, 0.0, 0.0)
        result = dock_at_posts(self.robot, TABLE, self.seen, stand)
        if not result.docked or result.seen is None:
            return f"docking at table {table}: {result.message}"
        self.seen = result.seen
        if not back:
            self.metrics[f"dock_{table}_mm"] = round(1000.0 * result.off[0], 2)
        return None if self.hold is None else self.still_there()

    def take_hold(self) -> str | None:
        """Close the hands until they press."""
        self.hold = self.robot.arms.hold(self.middle)
        problem = _problem(self.hold.squeeze(self.force))
        self.metrics["force_n"] = round(self.hold.pressing, 1)
        return problem

    def raise_box(self) -> str | None:
        """Lift it little by little, press as the weight that is felt asks for, and lift it."""
        self.unloaded, height = self._pushing_up(), 0.0
        for at in FEEL_AT:
            problem = _problem(self.held.move_by(z=at - height, speed=0.2)) or self.still_there()
            self.weight = self._pushing_up() - self.unloaded
            problem = problem or self._press(self.weight)
            if problem is not None:
                return problem
            height = at
        return _problem(self.held.move_by(z=LIFT - height, speed=0.4)) or self.still_there()

    def _press(self, weight: float) -> str | None:
        """Press as a weight asks for [N], if that is more than now."""
        self.metrics["felt_kg"] = round(weight / GRAVITY, 2)
        asked = SAFE * weight / (2.0 * FRICTION)
        if asked > STRONGEST:
            return (
                f"the box is too heavy: {weight:.0f} N ask for {asked:.0f} N of each hand, "
                f"allowed {STRONGEST:.0f} N"
            )
        if asked <= self.force:
            return None
        self.force = asked
        self.metrics["force_n"] = round(asked, 1)
        return _problem(self.held.squeeze(asked))

    def _pushing_up(self) -> float:
        """Return what the hands push up with, by the motors, averaged over half a second [N]."""
        felt = []
        for _ in range(60):
            self.robot.wait(self.robot.session.backend.tick)
            felt.append(sum(float(arm.force()[2]) for arm in self.robot.arms.values()))
        return float(np.mean(felt))

    @property
    def held(self) -> Hold:
        """The hold on the box."""
        assert self.hold is not None
        return self.hold

    def still_there(self) -> str | None:
        """Tell by the hands whether they hold something; and note how far the box has slipped."""
        if self.held.done:
            return f"the hold ended: {self.held.cause}"
        if self.held.pressing < 0.3 * self.force:
            return f"the hands press with {self.held.pressing:.1f} N only: the box is lost"
        return None

    def drive(self, place: Pose2) -> str | None:
        """Drive to a place of the odometry."""
        result = self.robot.base.go_to(place, speed=SPEED, within=WITHIN)
        if not result.reached:
            return f"the base did not arrive: {result.message}"
        return None if self.hold is None else self.still_there()

    def back_off(self) -> str | None:
        """Drive back from the table."""
        return self.drive(self.seen @ DOCK @ Pose2(-BACK, 0.0, 0.0))

    def to_the_other(self) -> str | None:
        """Drive to before the other table, by odometry."""
        self.seen = self.seen @ TABLES[0].inverse() @ TABLES[1]
        return self.drive(self.seen @ DOCK @ Pose2(-BACK, 0.0, 0.0))

    def set_down(self) -> str | None:
        """Lower the box until the table carries it."""
        problem = _problem(self.held.move_by(z=NEARLY - LIFT, speed=0.4))
        for _ in range(LOWERINGS):
            if problem or self._pushing_up() - self.unloaded < CARRIED * self.weight:
                break
            problem = _problem(self.held.move_by(z=-LOWER, speed=0.2))
        return problem

    def let_go(self) -> str | None:
        """Open the hands evenly, so that the box stays."""
        problem = _problem(self.held.open(APART))
        self.held.end()
        self.hold = None
        return problem

    # --- the whole

    def steps(self) -> Iterator[Step]:
        """Yield what happens, in order."""
        yield self.hands_apart
        yield lambda: self.dock(1, back=BACK)
        yield lambda: self.dock(1)
        yield self.take_hold
        yield self.raise_box
        yield self.back_off
        yield self.to_the_other
        yield lambda: self.dock(2, back=BACK)
        yield lambda: self.dock(2)
        yield self.set_down
        yield self.let_go
        yield self.back_off


def _problem(result: TogetherResult | HoldResult) -> str | None:
    """Return what went wrong, if something did."""
    return None if result.reached else result.message


def _mirrored(name: str, apart: float) -> Array:
    """Return where a tool is, seen from the middle of the box [m]."""
    side = 1.0 if name == "left" else -1.0
    return REACH * [1.0, side, 1.0] + np.array([0.0, side * apart, 0.0])


def vary(rng: np.random.Generator, seed: int) -> list[Change]:
    """Draw how the box lies."""
    x, y, turn = rng.uniform(-1.0, 1.0, 3)

    def change(spec) -> None:
        half = 0.5 * TURN * turn
        box = spec.body("box")
        box.pos = box.pos + JITTER * np.array([x, y, 0.0])
        box.quat = [math.cos(half), 0.0, 0.0, math.sin(half)]

    return [change]


def check_force(force: str) -> float:
    """Return the force as a number [N], or say what is wrong with it."""
    try:
        return finite_number(float(force), name="force [N]", lower=1.0, upper=100.0)
    except ValueError:
        raise InvalidInput(f"force is '{force}', expected newtons, 1 to 100") from None


def run(robot: Robot, rng: np.random.Generator, *, force: str) -> Score:
    """Carry the box, and have it judged from outside."""
    carry = Carry(robot, check_force(force))
    judge = CarryJudge(robot, lambda: carry.hold)
    with judge:
        problem = first_problem(carry.steps())
    score = judge.score(problem, carry.metrics)
    drawn = partial(_draw, judge.table, carry.force, judge.goal)
    return replace(score, products={"carry.png": drawn})


def _draw(rows: Array, force: float, goal: Array, path: Path) -> None:
    from mecano.tasks.madar_plots import draw_carry

    draw_carry(rows, force, goal, path)


EXPERIMENT = Experiment(
    name="madar/carry",
    title="lift a box between two hands and carry it to another table",
    robot="madar",
    scene="carry",
    noise=True,
    vary=vary,
    run=run,
    options={"force": "30"},
    hints={"force": "N of each hand"},
    check=check_force,
)
