"""Commands that ask the inverse kinematics, without moving."""

from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.kinematics.ik import IKResult, pitch_error
from mecano.kinematics.joint_names import short_joint_names
from mecano.operate.console.context import Context
from mecano.operate.console.outcomes import why
from mecano.operate.console.replies import Action, Reply
from mecano.operate.console.texts import angle_text, columns, floats, point_text
from mecano.operate.console.words import read_target

HERE = 0.02
"""A branch is the present one if no joint is further from it than this [rad]."""


def explain(context: Context, words: list[str]) -> Action:
    """Tell why a pose is reached or not."""
    point, pitch = read_target(words)

    def tell() -> Reply:
        answer = context.solve(point, pitch)
        return _reached(context, answer) if answer.reached else _missed(context, answer)

    return tell


def _reached(context: Context, answer: IKResult) -> Reply:
    found = f"in reach: {answer.message.removeprefix('reached; ')}"
    ways = [context.way(q) for q in answer.solutions]
    free = [number for number, way in enumerate(ways) if way.free]
    text = f"the arm could take this pose, but not from here: {ways[0].text}"
    if free:
        text = f"goto would take branch {free[0] + 1} of {len(ways)}: {ways[free[0]].text}"
    data = {"reached": True, "branches": len(ways), "free": len(free)}
    return Reply(lines=(found, text), data=data)


def _missed(context: Context, answer: IKResult) -> Reply:
    near = answer.nearest
    lines = (
        f"unreachable: {answer.message}",
        f"nearest is {point_text(near.position)} at pitch {angle_text(near.pitch)}, "
        f"{answer.shortfall * 1000:.1f} mm away: {context.nearest(answer)}",
    )
    return Reply(lines=lines, data={"reached": False, "branches": []} | why(answer))


def branches(context: Context, words: list[str]) -> Action:
    """Tell all joint values for a pose, or for the present one."""
    asked = read_target(words) if words else None

    def tell() -> Reply:
        arm = context.arm
        point, pitch = asked or (arm.pose().position, arm.pitch())
        assert pitch is not None
        answer = context.solve(point, pitch)
        if not answer.reached:
            return _missed(context, answer)
        found = [_branch(context, q, point, pitch) for q in answer.solutions]
        joints = short_joint_names(arm.chain)
        wide = max(9, *map(len, joints))
        rows = [row for number, each in enumerate(found, 1) for row in _rows(number, *each, wide)]
        count = f"{len(found)} branch{'es' if len(found) > 1 else ''}"
        head = f"{count} to {point_text(point)}, pitch {angle_text(pitch)}"
        names = "   " + " ".join(f"{name:>{wide}}" for name in joints)
        data = {"branches": [branch for branch, _ in found]}
        return Reply(lines=(head, names, *rows), data=data)

    return tell


def _branch(context: Context, q: Array, point: Array, pitch: float) -> tuple[dict[str, Any], str]:
    """Put a branch back through the forward kinematics; return also what the way to it is."""
    arm, way = context.arm, context.way(q)
    here = bool(np.abs(q - arm.position).max() < HERE)
    data = {
        "joints": floats(q),
        "here": here,
        "free": way.free,
        "duration": way.duration,
        "position_error": float(np.linalg.norm(arm.chain.forward(q)[:3, 3] - point)),
        "pitch_error": pitch_error(pitch, arm.chain.pitch(q)),
    }
    return data, "the arm is here" if here else way.text


def _rows(number: int, branch: dict[str, Any], way: str, wide: int) -> list[str]:
    q, star = branch["joints"], "*" if branch["here"] else " "
    error, turn = branch["position_error"] * 1000, abs(branch["pitch_error"])
    return [
        f"{number}{star} {columns(q, wide=wide)} rad  {way}",
        f"   {columns(np.degrees(q), 2, wide=wide)} deg  "
        f"forward kinematics {error:.3f} mm, {turn:.4f} rad off",
    ]
