"""Programs that any robot with the needed parts can run, scored by ground truth."""

from collections.abc import Callable
from math import degrees, hypot, inf, pi
from typing import Any

import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.poses import Pose, Pose2, wrap_angle
from mecano.lab.robot import Robot
from mecano.parts.arm import Arm
from mecano.parts.results import DriveResult, MotionResult, Outcome
from mecano.tasks.experiment import Metric, Score

SETTLE = 0.5
"""Time at rest before something is measured [s]."""
DRAWS = 20
"""Postures drawn per target, at most, to find one that is free of collisions."""
WHOLE = 6
"""Arms with this many joints reach poses; others reach points."""
MAX_CHANGE = 0.02
"""A joint that holds may move by this much [rad or m]."""
MAX_SHIFT = 0.01
"""A body that stands may move by this much [m]."""
MAX_TILT = 0.05
"""And turn by this much [rad]."""


def _option(text: Any, name: str, *, lower: float, upper: float = inf) -> float:
    """Return an option of the command line as a number, or say what is allowed."""
    return finite_number(text, name=f"option {name}", lower=lower, upper=upper)


# --- hold


def hold(robot: Robot, rng: np.random.Generator, seconds: str = "5") -> Score:
    """Let time pass and measure how far joints and body move."""
    time = _option(seconds, "seconds", lower=0.1, upper=600.0)
    before = _joint_values(robot)
    start = _body_pose(robot)
    robot.wait(time)
    moved = {name: abs(value - before[name]) for name, value in _joint_values(robot).items()}
    worst = max(moved, key=lambda name: moved[name], default="")
    metrics: dict[str, Metric] = {"seconds": time}
    problems = []
    if worst:
        metrics["max_joint_change_mrad_or_mm"] = round(1000 * moved[worst], 3)
        if moved[worst] > MAX_CHANGE:
            problems.append(
                f"joint {worst} moved by {1000 * moved[worst]:.1f} mrad or mm, "
                f"allowed {1000 * MAX_CHANGE:g}"
            )
    if start is not None:
        now = _body_pose(robot)
        assert now is not None
        shift = float(np.linalg.norm(now.position - start.position))
        metrics["body_moved_mm"] = round(1000 * shift, 3)
        if shift > MAX_SHIFT:
            problems.append(
                f"its body moved by {1000 * shift:.1f} mm, allowed {1000 * MAX_SHIFT:g} mm"
            )
        turned = start.angle_to(now)
        metrics["body_turned_deg"] = round(degrees(turned), 3)
        if turned > MAX_TILT:
            problems.append(
                f"its body turned by {degrees(turned):.1f} deg, allowed {degrees(MAX_TILT):.1f} "
                "deg: it tips over, or slides"
            )
    return Score(success=not problems, metrics=metrics, remark="; ".join(problems))


def _joint_values(robot: Robot) -> dict[str, float]:
    return {
        name: float(value)
        for encoders in robot.encoders
        for name, value in zip(encoders.names, encoders.position, strict=True)
    }


def _body_pose(robot: Robot) -> Pose | None:
    body = robot.description.free_body
    return None if body is None else robot.truth.body_pose(f"{robot.name}/{body}")


# --- reach


def reach(
    robot: Robot, rng: np.random.Generator, targets: str = "5", tolerance_mm: str = "5"
) -> Score:
    """Move the tool of each arm to poses drawn at random and measure it by ground truth."""
    count = int(_option(targets, "targets", lower=1, upper=1000))
    tolerance = _option(tolerance_mm, "tolerance_mm", lower=0.001) / 1000
    robot.wait(SETTLE)
    errors: list[float] = []
    blocked = 0
    for arm in robot.arms.values():
        for number in range(1, count + 1):
            result, error, refused = _reach_one(robot, arm, rng)
            blocked += refused
            if result is not None and result.reached:
                errors.append(error)
                continue
            why = "every posture drawn collides" if result is None else result.message
            return Score(
                success=False,
                metrics=_reach_metrics(errors, blocked),
                remark=f"target {number} of arm '{arm.name}': {why}",
            )
    off = [error for error in errors if error > tolerance]
    remark = (
        f"{len(off)} of {len(errors)} targets are missed by more than {1000 * tolerance:g} mm"
        if off
        else ""
    )
    return Score(success=not off, metrics=_reach_metrics(errors, blocked), remark=remark)


def _reach_one(
    robot: Robot, arm: Arm, rng: np.random.Generator
) -> tuple[MotionResult | None, float, int]:
    """Move to a random pose; return the result, the tool's error [m] and the poses passed over."""
    T_world_tool = robot.truth.tool_pose(arm.name).matrix()
    T_world_base = T_world_tool @ np.linalg.inv(arm.chain.forward(arm.position))
    low, high = (np.clip(limit, -pi, pi) for limit in (arm.chain.dh.lower, arm.chain.dh.upper))
    for refused in range(DRAWS):
        q = low + (0.1 + 0.8 * rng.random(len(low))) * (high - low)
        if arm.would_touch(q) is not None:
            continue
        goal = Pose.from_matrix(arm.chain.forward(q))
        turned = goal.quaternion.tolist() if len(q) >= WHOLE else None
        result = arm.move_to(goal.position, quaternion=turned)
        if result.outcome is Outcome.BLOCKED:
            continue
        robot.wait(SETTLE)
        wanted = (T_world_base @ goal.matrix())[:3, 3]
        error = np.linalg.norm(robot.truth.tool_pose(arm.name).position - wanted)
        return result, float(error), refused
    return None, 0.0, DRAWS


def _reach_metrics(errors: list[float], blocked: int) -> dict[str, Metric]:
    worst = {"max_tool_error_mm": round(1000 * max(errors), 3)} if errors else {}
    mean = {"mean_tool_error_mm": round(1000 * float(np.mean(errors)), 3)} if errors else {}
    return {"reached": len(errors), "poses_passed_over": blocked, **worst, **mean}


# --- grip


def grip(robot: Robot, rng: np.random.Generator, tolerance_mm: str = "2") -> Score:
    """Open and close each gripper with nothing between its fingers."""
    tolerance = _option(tolerance_mm, "tolerance_mm", lower=0.001) / 1000
    metrics: dict[str, Metric] = {}
    problems = []
    for gripper in robot.grippers.values():
        facts, prefix = gripper.facts, gripper.name.replace(" ", "_")
        ends = {"closed": facts.closed, "open": facts.open}
        moves = {"closed": gripper.close, "open": gripper.open}
        for end, value in ends.items():
            result = moves[end]()
            wanted = facts.width(value)
            metrics[f"{prefix}_{end}_mm"] = round(1000 * result.width, 2)
            if abs(result.width - wanted) > tolerance:
                problems.append(
                    f"{gripper.name}: {end} it is {1000 * result.width:.1f} mm wide, "
                    f"expected {1000 * wanted:.1f} mm"
                )
    return Score(success=not problems, metrics=metrics, remark="; ".join(problems))


# --- drive


def drive(
    robot: Robot, rng: np.random.Generator, distance: str = "1.0", tolerance_mm: str = "50",
    tolerance_deg: str = "5",
) -> Score:  # fmt: skip
    """Go straight, turn left and right, strafe if it can; odometry against ground truth."""
    way = _option(distance, "distance [m]", lower=0.05, upper=100.0)
    bars = (
        _option(tolerance_mm, "tolerance_mm", lower=0.001),
        _option(tolerance_deg, "tolerance_deg", lower=0.001),
    )
    base = robot.base
    robot.wait(SETTLE)
    T_world_odometry = robot.truth.base_pose() @ base.pose.inverse()
    moves: dict[str, Callable[[], DriveResult]] = {
        "forward": lambda: base.move(way),
        "left_turn": lambda: base.turn(pi / 2),
        "right_turn": lambda: base.turn(-pi / 2),
        "back": lambda: base.move(-way),
    }
    if "strafe" not in base.facts.layout.missing:
        moves["strafe"] = lambda: base.move(way / 2, direction=pi / 2)
    metrics: dict[str, Metric] = {}
    for name, go in moves.items():
        result = go()
        robot.wait(SETTLE)
        place, heading = _odometry_error(robot, T_world_odometry)
        metrics[f"{name}_error_mm"] = round(1000 * place, 2)
        metrics[f"{name}_error_deg"] = round(degrees(heading), 3)
        if not result.reached:
            return Score(success=False, metrics=metrics, remark=f"{name}: {result.message}")
        if 1000 * place > bars[0] or degrees(heading) > bars[1]:
            remark = (
                f"{name}: odometry is {1000 * place:.1f} mm and {degrees(heading):.2f} deg from "
                f"ground truth, allowed {bars[0]:g} mm and {bars[1]:g} deg"
            )
            return Score(success=False, metrics=metrics, remark=remark)
    return Score(success=True, metrics=metrics)


def _odometry_error(robot: Robot, T_world_odometry: Pose2) -> tuple[float, float]:
    """Return how far odometry is from ground truth [m] and [rad]."""
    estimate, truth = T_world_odometry @ robot.base.pose, robot.truth.base_pose()
    heading = abs(float(wrap_angle(estimate.yaw - truth.yaw)))
    return hypot(estimate.x - truth.x, estimate.y - truth.y), heading


# --- walk


def walk(robot: Robot, rng: np.random.Generator, distance: str = "0.2") -> Score:
    """Walk forward on the surface it stands on and measure the body by ground truth."""
    way = _option(distance, "distance [m]", lower=0.01, upper=100.0)
    start = _body_pose(robot)
    result = robot.legs.walk(way)
    robot.wait(SETTLE)
    now = _body_pose(robot)
    assert start is not None
    assert now is not None
    gone = float(np.linalg.norm(now.position - start.position))
    error = abs(gone - way)
    metrics: dict[str, Metric] = {
        "distance_mm": round(1000 * gone, 2),
        "distance_error_mm": round(1000 * error, 2),
        "speed_mm_s": round(1000 * result.speed, 2),
    }
    if "cups" in robot.parts:
        metrics["max_cup_load_percent"] = round(100 * result.peak, 1)
    problems = [] if result.reached else [result.message]
    if error > 0.1 * way:
        problems.append(
            f"its body went {1000 * gone:.0f} mm, expected {1000 * way:.0f} mm within a tenth"
        )
    return Score(success=not problems, metrics=metrics, remark="; ".join(problems))
