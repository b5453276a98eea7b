"""Commands that move the arm and its gripper."""

from collections.abc import Callable

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHJoint
from mecano.kinematics.ik import IKResult
from mecano.kinematics.joint_names import short_joint_names
from mecano.operate.console.context import Context
from mecano.operate.console.outcomes import motion_reply
from mecano.operate.console.replies import Action, Reply
from mecano.operate.console.texts import listed
from mecano.operate.console.words import ANGLE, FORCE, LENGTH, pick, read_target
from mecano.parts.motions import Motion, TrajectoryMotion
from mecano.parts.results import GripResult, MotionResult

# --- the tool


def goto(context: Context, words: list[str]) -> Action:
    """Move the tool to a point, the shortest way for the joints."""
    point, pitch = read_target(words)

    def go() -> Reply:
        answer = context.solve(point, pitch)
        declined = context.declined(answer.solutions[0] if answer.reached else None)
        if declined is not None:
            return declined
        arm = context.arm
        result, motion = _ended(arm.move_to(point, pitch=pitch, speed=context.speed, wait=False))
        return motion_reply(context, result, _explain_branch(context, answer, motion))

    return go


def line(context: Context, words: list[str]) -> Action:
    """Move the tool to a point in a straight line."""
    point, pitch = read_target(words)

    def go() -> Reply:
        arm = context.arm
        answer = context.solve(point, arm.pitch() if pitch is None else pitch)
        declined = context.declined(answer.solutions[0] if answer.reached else None)
        if declined is not None:
            return declined
        result, motion = _ended(arm.move_line(point, pitch=pitch, speed=context.speed, wait=False))
        return motion_reply(context, result, _explain_plan(context, motion))

    return go


def _ended(motion: Motion) -> tuple[MotionResult, Motion]:
    """Let time pass until a motion that began with `wait=False` has ended."""
    return motion.wait(), motion


def _explain_branch(context: Context, answer: IKResult, motion: Motion) -> list[str]:
    """Say which branch was taken and how long the plan is, if the user wants to know."""
    if not context.verbose:
        return []
    found = f"inverse kinematics: {answer.message}"
    if not isinstance(motion, TrajectoryMotion):
        return [found]
    distances = np.abs(answer.solutions - motion.goal).max(axis=1)
    number = int(distances.argmin()) + 1
    branch = f"branch {number} of {len(distances)}: joints {listed(motion.goal)} rad"
    return [found, branch, *_explain_plan(context, motion)]


def _explain_plan(context: Context, motion: Motion) -> list[str]:
    if not context.verbose or not isinstance(motion, TrajectoryMotion):
        return []
    return [f"plan: {motion.trajectory.duration:.2f} s at {context.speed:.0%} speed, way free"]


# --- the joints


def joints(context: Context, words: list[str]) -> Action:
    """Move all joints, or read them."""
    known = context.arm.chain.dh.joints
    if not words:
        return lambda: Reply(lines=tuple(context.joint_lines()), data=context.state())
    if len(words) != len(known):
        names = " ".join(short_joint_names(context.arm.chain))
        raise InvalidInput(
            f"joints takes {len(known)} values ({names}) or none to read them, got {len(words)}"
        )
    goal = np.array([_joint_value(*each) for each in zip(known, words, strict=True)])
    return _move_joints(context, lambda: goal)


def one_joint(context: Context, words: list[str]) -> Action:
    """Move one joint, or read it."""
    chain = context.arm.chain
    number = _joint_number(chain, words[0])
    if len(words) == 1:
        return lambda: Reply(lines=(context.joint_lines()[number],), data=context.state())
    value = _joint_value(chain.dh.joints[number], words[1])

    def goal() -> Array:
        q = np.clip(context.arm.commanded, chain.dh.lower, chain.dh.upper)
        q[number] = value
        return q

    return _move_joints(context, goal)


def _joint_number(chain: Chain, word: str) -> int:
    """Return which joint a word names, in full or in its shortest form."""
    full = {name.lower(): number for number, name in enumerate(chain.joint_names)}
    if word.lower() in full:
        return full[word.lower()]
    names = short_joint_names(chain)
    return names.index(pick(word, "joint", names))


def posture(context: Context, words: list[str]) -> Action:
    """Move to a named posture, or list them."""
    postures = context.arm.chain.postures
    if not words:
        lines = tuple(f"{name:10} {listed(q)} rad" for name, q in postures.items())
        data = {"postures": {name: list(q) for name, q in postures.items()}}
        return lambda: Reply(lines=lines, data=data)
    goal = np.array(postures[pick(words[0], "posture", postures)])
    return _move_joints(context, lambda: goal)


def home(context: Context, words: list[str]) -> Action:
    """Move to the posture home."""
    return posture(context, ["home"])


def _joint_value(joint: DHJoint, word: str) -> float:
    quantity = ANGLE if joint.unit == "rad" else LENGTH
    return quantity.read(word, joint.name, joint.lower, joint.upper)


def _move_joints(context: Context, goal: Callable[[], Array]) -> Action:
    """Return the move to joint values that are known when it begins."""

    def go() -> Reply:
        arm, target = context.arm, goal()
        declined = context.declined(target)
        if declined is not None:
            return declined
        result, motion = _ended(arm.move_joints(target, speed=context.speed, wait=False))
        return motion_reply(context, result, _explain_plan(context, motion))

    return go


# --- the gripper


def open_gripper(context: Context, words: list[str]) -> Action:
    """Open the gripper, or to a width."""
    facts = context.gripper.facts
    least, most = facts.width(facts.closed), facts.width(facts.open)
    width = LENGTH.read(words[0], "width", least, most) if words else None
    return lambda: _grip_reply(context, context.gripper.open(width))


def close_gripper(context: Context, words: list[str]) -> Action:
    """Close the gripper, with a force per finger."""
    most = context.gripper.facts.max_force
    force = FORCE.read(words[0], "force", 0.0, most) if words else None
    return lambda: _grip_reply(context, context.gripper.close(force=force))


def _grip_reply(context: Context, result: GripResult) -> Reply:
    data = {"width": result.width, "force": result.force, "duration": result.duration}
    text = f"{result.message}, in {result.duration:.2f} s"
    return Reply(lines=(text,), data=context.state() | data)
