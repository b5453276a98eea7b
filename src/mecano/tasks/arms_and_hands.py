"""Both arms and both hands are moved, as in the paper's figure 3.1; then they move as one.

The paper shows pictures and gives no figures. Here every motion is measured: how far joints lag
behind their commands, how near the tools come to their goals, and how well two hands keep their
places on one thing while it is moved, while the base moves below it, and while it leads the base.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mecano.core.poses import Pose, Pose2
from mecano.lab.robot import Robot
from mecano.parts.results import Ended
from mecano.tasks.experiment import Experiment, Score, text_product

SETTLED, APART, IN_WORLD = 0.002, 0.002, 0.010
"""Tools end this near to their goals [m]; keep their distance to each other this well; and stay
this near to their place in the world while the base moves [m]."""
HAND_POSTURES = ("open", "power", "open", "pinch", "open", "home")
LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
TILT = math.radians(8.0)
"""A tray is turned by this much about two axes [rad]."""


Rows = list[tuple[str, str]]
Metrics = dict[str, float]


@dataclass
class Watch:
    """Looks at the robot in every tick, in truth."""

    robot: Robot
    names: tuple[str, ...]
    lag: float = 0.0
    """Of the worst joint of an arm behind its command [rad]."""
    start: dict[str, Pose] = field(default_factory=dict)
    apart: float = 0.0
    """How far the tools were from their places relative to each other [m]."""
    turned: float = 0.0
    """The same for their orientation [rad]."""
    moved: float = 0.0
    """How far a tool was from where it was in the world [m]."""

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Measure from here on."""
        self.lag = self.apart = self.turned = self.moved = 0.0
        self.start = {name: self.robot.truth.tool_pose(name) for name in self.names}

    def __call__(self, robot: Robot) -> None:
        """Look."""
        for arm in robot.arms.values():
            self.lag = max(self.lag, float(np.abs(arm.position - arm.commanded).max()))
        now = {name: robot.truth.tool_pose(name) for name in self.names}
        one, other = self.names
        then, seen = (p[one].inverse() @ p[other] for p in (self.start, now))
        self.apart = max(self.apart, then.distance_to(seen))
        self.turned = max(self.turned, then.angle_to(seen))
        self.moved = max([self.moved, *(now[n].distance_to(self.start[n]) for n in self.names)])


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Move everything and judge it from outside."""
    watch = Watch(robot, tuple(robot.arms))
    robot.run(watch)
    rows: Rows = []
    metrics: Metrics = {}
    problem = (
        _postures(robot, watch, rows, metrics)
        or _fingers(robot, rows, metrics)
        or _together(robot, watch, rows, metrics)
    )
    lines = [f"{what:58s}{value}" for what, value in rows]
    text = "\n".join([f"{'motion':58s}measured in truth", *lines])
    return Score(
        success=problem is None,
        metrics=dict(metrics),
        remark=problem or "",
        report=text,
        products={"arms.txt": text_product(text + "\n")},
    )


def _postures(robot: Robot, watch: Watch, rows: Rows, metrics: Metrics) -> str | None:
    """Go through the named postures, around the body and each other."""
    for name in ("ready", "carry", "home", "ready"):
        watch.begin()
        result = robot.arms.move_free(name)
        if not result.reached:
            return f"arms to {name}: {result.message}"
        off = max(_off_goal(robot, side, name) for side in robot.arms)
        lag = (
            f"{math.degrees(watch.lag):.2f} deg behind at most, {1000 * off:.2f} mm off at the end"
        )
        rows.append((f"both arms to {name}", lag))
        metrics["arm_settled_mm"] = max(metrics.get("arm_settled_mm", 0.0), round(1000 * off, 2))
        metrics["arm_lag_deg"] = max(
            metrics.get("arm_lag_deg", 0.0), round(math.degrees(watch.lag), 2)
        )
    worst = float(metrics["arm_settled_mm"])
    return None if worst < 1000 * SETTLED else f"a tool ended {worst} mm from its goal"


def _off_goal(robot: Robot, side: str, posture: str) -> float:
    """Return how far a tool is from where a posture has it, in truth [m]."""
    chain = robot.arms[side].chain
    wanted = Pose.from_matrix(chain.forward(chain.postures[posture]))
    base = robot.truth.base_pose().to_pose()
    return (base @ wanted).distance_to(robot.truth.tool_pose(side))


def _fingers(robot: Robot, rows: Rows, metrics: Metrics) -> str | None:
    """Move all fingers."""
    worst, lasted = 0.0, 0.0
    for name in HAND_POSTURES:
        robot.wait(*(hand.move(name, wait=False) for hand in robot.hands.values()))
        for side, hand in robot.hands.items():
            assert hand.motion is not None
            assert hand.motion.result is not None
            result = hand.motion.result
            if not result.reached:
                return f"{side} hand to {name}: {result.message}"
            worst, lasted = max(worst, result.joint_error), result.duration
        rows.append((f"both hands, 32 joints, to {name}", f"{lasted:.2f} s"))
    rows.append(("fingers at rest", f"{math.degrees(worst):.2f} deg off at most"))
    metrics["finger_error_deg"] = round(math.degrees(worst), 2)
    return None


def _together(robot: Robot, watch: Watch, rows: Rows, metrics: Metrics) -> str | None:
    """Move a thing that two hands have between them, though it is only thought."""
    robot.arms.move_free("carry")
    hold = robot.arms.hold()
    turned = Pose.from_xyz_rpy([0.0, 0.0, 0.0], [TILT, TILT, 0.0]).quaternion

    def tray() -> bool:
        ways = ((0.0, 0.0, 0.15), (0.08, 0.05, 0.0), (-0.08, -0.05, 0.0))
        straight = all(_reached(hold.move_by(*way)) for way in ways)
        tilted = straight and _reached(hold.move_to(quaternion=turned))
        return tilted and _reached(hold.move_to(quaternion=LEVEL))

    def base_moves() -> bool:
        hold.stay_in_world()
        goals = (Pose2(0.1, 0.0, 0.0), Pose2(-0.1, 0.1, 0.2), Pose2(0.0, 0.0, 0.0))
        near = 0.001, 0.003  # [m], [rad]
        return all(_reached(robot.base.go_to(goal, speed=0.25, within=near)) for goal in goals)

    def base_follows() -> bool:
        along = hold.lead_base()
        there = _reached(hold.move_by(x=0.5, y=0.3))
        back = there and _reached(hold.move_by(x=-0.5, y=-0.3))
        along.stop()
        return back

    tasks: tuple[tuple[str, str, Callable[[], bool]], ...] = (
        ("a tray raised, shifted, tilted and levelled", "tray", tray),
        ("hands stay in the world, base moves 0.6 m and turns", "world", base_moves),
        ("hands move 0.58 m in the world and back, base follows", "lead", base_follows),
    )
    for what, key, task in tasks:
        watch.begin()
        if not task():
            return f"{what}: {hold.cause or 'not reached'}"
        apart = (
            f"{1000 * watch.apart:.2f} mm and {math.degrees(watch.turned):.3f} deg apart wrongly"
        )
        if key == "world":
            apart += f", {1000 * watch.moved:.2f} mm off their place"
            metrics["in_world_mm"] = round(1000 * watch.moved, 2)
            if watch.moved > IN_WORLD:
                return f"{what}: hands {1000 * watch.moved:.1f} mm off their place"
        rows.append((what, apart))
        metrics[f"{key}_relative_mm"] = round(1000 * watch.apart, 2)
        if watch.apart > APART:
            return f"{what}: hands {1000 * watch.apart:.1f} mm off their distance"
    return None


def _reached(result: Ended) -> bool:
    """Tell whether something that was waited for ended where it should."""
    return result.reached


EXPERIMENT = Experiment(
    name="madar/arms",
    title="move both arms and hands, alone and together",
    robot="madar",
    scene="empty",
    run=run,
)
