"""Whether the joints of a robot arrive where they are sent: a short move of every chain."""

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.importing.findings import Findings
from mecano.lab.robot import Robot
from mecano.parts.arm import Arm
from mecano.parts.gripper import Gripper
from mecano.parts.motions import SETTLED_ANGLE, Motion
from mecano.parts.results import Outcome

TURN, SLIDE = 0.2, 0.05
"""How far joints are sent [rad, m]."""
SHARE = 0.25
"""And no further than this share of their range."""
MAX_TIME = 10.0
"""All moves together end within this [s], or they are given up."""
OPENING_ERROR = 2e-3
"""A gripper arrives within this of a width [m]."""
NOT_TRIED = (Outcome.BLOCKED, Outcome.COLLIDED)
"""Outcomes that say nothing about the motors."""


def check_arrival(robot: Robot, findings: Findings) -> None:
    """Send every joint of arms a short way, all chains at once, and grippers half open.

    Legs that stand are left out: whether they carry the robot shows at rest.

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
        grippers = [(grip, _half(grip)) for grip in robot.parts.of(Gripper)]
        for gripper, width in grippers:
            gripper.move(width, wait=False)
        _run(robot, [*arms, *(gripper for gripper, _ in grippers)])
    except MecanoError as error:
        findings.error("motion-refused", robot.description.name, f"cannot be moved: {error}")
        return
    for arm in arms:
        _report(robot, arm, *tried[arm.name], findings)
    for gripper, width in grippers:
        _report_gripper(gripper, width, findings)


def _carries(robot: Robot, arm: Arm) -> bool:
    """Tell whether a chain is a leg that the robot stands on."""
    return robot.description.floating is not None and arm.chain.role == "leg"


def _goal(arm: Arm, sign: float) -> Array:
    """Return joint values a short way off, towards the middle of each range or away from it."""
    rows, here = arm.chain.dh.joints, arm.position
    lower, upper = arm.chain.dh.lower, arm.chain.dh.upper
    far = np.array([SLIDE if row.kind == "prismatic" else TURN for row in rows])
    far = np.minimum(far, SHARE * (upper - lower))
    inward = np.where(here <= 0.5 * (lower + upper), 1.0, -1.0)
    return np.clip(here + sign * inward * far, lower, upper)


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
    late = np.flatnonzero(errors > SETTLED_ANGLE)
    for number in late if len(late) else [int(np.argmax(np.abs(arm.velocity)))]:
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
    if abs(gripper.width - width) > OPENING_ERROR:
        findings.warn(
            "joint-does-not-arrive", f"joint {gripper.facts.joint}",
            f"sent to an opening of {1e3 * width:.1f} mm the gripper is open by "
            f"{1e3 * gripper.width:.1f} mm; look at the gain of its actuator, at what its fingers "
            "touch and at `open`, `closed` and `width_per_value`",
        )  # fmt: skip
