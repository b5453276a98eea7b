"""Whether the joints of a robot arrive where they are sent: a short move of every chain."""

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.importing.findings import Findings
from mecano.lab.robot import Robot
from mecano.parts.arm import Arm
from mecano.parts.gripper import Gripper
from mecano.parts.motions import Motion
from mecano.parts.results import Outcome

TURN, SLIDE = 0.2, 0.05
"""How far joints are sent [rad, m]."""
NEAR, NEAR_SLIDE = 0.01, 0.005
"""A joint arrives within this [rad, m]."""
UPRIGHT = 0.995
"""A robot that stands on feet must stay so upright, or its arms say nothing (cosine)."""
SHARE = 0.25
"""And no further than this share of their range."""
MAX_TIME = 10.0
"""All moves together end within this [s], or they are given up."""
OPENING_ERROR, OPENING_SHARE = 3e-3, 0.05
"""A gripper arrives within this of a width [m], or this share of what it opens."""
NOT_TRIED = (Outcome.BLOCKED, Outcome.COLLIDED)
"""Outcomes that say nothing about the motors."""


def check_arrival(robot: Robot, findings: Findings) -> None:
    """Send every joint of arms a short way, all chains at once, and grippers half open.

    Of a robot that stands on feet only arms and heads are tried: whether legs carry it shows at
    rest, and a torso that moves makes it fall. If it leans all the same, nothing is said.

    Args:
        robot: Connected, in simulation, and at rest.
        findings: Get what does not arrive.
    """
    arms = [arm for arm in robot.parts.of(Arm) if not _carries(robot, arm)]
    tried: dict[str, tuple[Array, Motion]] = {}
    try:
        for arm in arms:
            for sign in (1.0, -1.0):
                goal = _goal(arm, sign)
                tried[arm.name] = goal, arm.move_joints(goal, wait=False)
                if not tried[arm.name][1].done:
                    break
        grippers = [
            (grip, _half(grip)) for grip in robot.parts.of(Gripper) if _opens(grip, findings)
        ]
        for gripper, width in grippers:
            gripper.move(width, wait=False)
        _run(robot, [*arms, *(gripper for gripper, _ in grippers)])
    except MecanoError as error:
        findings.error("motion-refused", robot.description.name, f"cannot be moved: {error}")
        return
    if robot.description.floating is not None and not _is_upright(robot):
        return
    for arm in arms:
        _report(robot, arm, *tried[arm.name], findings)
    for gripper, width in grippers:
        _report_gripper(gripper, width, findings)


def _carries(robot: Robot, arm: Arm) -> bool:
    """Tell whether a chain is what a robot that stands on feet is balanced by."""
    return robot.description.floating is not None and arm.chain.role not in ("arm", "head")


def _is_upright(robot: Robot) -> bool:
    robot.world.refresh_poses()
    body = robot.world.index("body", f"{robot.name}/{robot.description.floating}")
    return bool(robot.world.data.xmat[body][8] > UPRIGHT)


def _goal(arm: Arm, sign: float) -> Array:
    """Return joint values a short way off, towards the middle of each range or away from it."""
    rows, here = arm.chain.dh.joints, arm.position
    lower, upper = arm.chain.dh.lower, arm.chain.dh.upper
    far = np.array([SLIDE if row.kind == "prismatic" else TURN for row in rows])
    far = np.minimum(far, SHARE * (upper - lower))
    inward = np.where(here <= 0.5 * (lower + upper), 1.0, -1.0)
    return np.clip(here + sign * inward * far, lower, upper)


def _opens(gripper: Gripper, findings: Findings) -> bool:
    """Tell whether a gripper changes its width at all; add that it does not."""
    if gripper.facts.width_per_value:
        return True
    findings.warn(
        "gripper-opening", f"gripper of {gripper.arm}",
        f"its opening does not change while joint {gripper.facts.joint} goes through its range; "
        "name the joint that opens it, or correct `width_per_value`",
    )  # fmt: skip
    return False


def _half(gripper: Gripper) -> float:
    """Return the width of a gripper that is half open [m]."""
    return 0.5 * (
        gripper.facts.width(gripper.facts.open) + gripper.facts.width(gripper.facts.closed)
    )


def _run(robot: Robot, parts: list[Arm | Gripper]) -> None:
    end = robot.session.time + MAX_TIME
    while robot.session.time < end and not all(part.at_rest() for part in parts):
        robot.session.run_for(0.1)


def _report(robot: Robot, arm: Arm, goal: Array, motion: Motion, findings: Findings) -> None:
    result = motion.result if motion.done else None
    if result is not None and (result.reached or result.outcome in NOT_TRIED):
        return
    errors = np.abs(arm.position - goal)
    weights = np.abs(arm.dynamics.gravity_torque(goal))
    sliding = np.array([row.kind == "prismatic" for row in arm.chain.dh.joints])
    for number in np.flatnonzero(errors > np.where(sliding, NEAR_SLIDE, NEAR)):
        name, row = arm.chain.joint_names[number], arm.chain.dh.joints[number]
        unit = "m" if row.kind == "prismatic" else "rad"
        force = "N" if row.kind == "prismatic" else "N m"
        torque = robot.description.servos[name].torque
        friction = float(robot.world.model.joint(f"{robot.name}/{name}").frictionloss[0])
        findings.warn(
            "joint-does-not-arrive", f"joint {name}",
            f"sent to {goal[number]:.3g} {unit} it is at {arm.position[number]:.3g} {unit}, "
            f"{errors[number]:.2g} {unit} off, and moves at {abs(arm.velocity[number]):.2g} "
            f"{unit}/s; its motor gives {torque:.3g} {force}, the robot's weight there asks for "
            f"{weights[number]:.3g} {force}, its friction for {friction:.3g} {force}. Raise the "
            "gain (kp) or the effort of its actuator, or lower its friction",
        )  # fmt: skip


def _report_gripper(gripper: Gripper, width: float, findings: Findings) -> None:
    opening = abs(
        gripper.facts.width(gripper.facts.open) - gripper.facts.width(gripper.facts.closed)
    )
    if abs(gripper.width - width) > max(OPENING_ERROR, OPENING_SHARE * opening):
        findings.warn(
            "joint-does-not-arrive", f"joint {gripper.facts.joint}",
            f"sent to an opening of {1e3 * width:.1f} mm the gripper is open by "
            f"{1e3 * gripper.width:.1f} mm; look at the gain of its actuator, at what its fingers "
            "touch and at `open`, `closed` and `width_per_value`",
        )  # fmt: skip
