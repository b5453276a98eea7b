"""Commands that tell where the robot is, what it can do and what is around it."""

from dataclasses import dataclass
from typing import Any

import mujoco

from mecano.core.arrays import Array
from mecano.core.poses import Pose
from mecano.operate.console.context import Context
from mecano.operate.console.replies import Action, Reply
from mecano.operate.console.texts import floats, joint_text, point_text
from mecano.operate.console.words import pick
from mecano.parts.gripper import Gripper
from mecano.world.world import World


def where(context: Context, words: list[str]) -> Action:
    """Tell joints, tool, gripper and time."""

    def tell() -> Reply:
        gripper = context.gripper_or_none
        lines = [*context.joint_lines(), f"tool     {context.pose_text()}, in the base frame"]
        if gripper is not None:
            held = "holding something" if gripper.holding else "holding nothing"
            lines.append(f"gripper  {gripper.width * 1000:.1f} mm open, {held}")
        return Reply(lines=(*lines, f"time     {context.robot.time:.2f} s"), data=context.state())

    return tell


# --- limits


def limits(context: Context, words: list[str]) -> Action:
    """Tell what joints, tool and gripper can do."""

    def tell() -> Reply:
        parts = [_arm_limits(context)]
        if context.gripper_or_none is not None:
            parts.append(_gripper_limits(context.gripper))
        lines = tuple(line for lines, _ in parts for line in lines)
        return Reply(lines=lines, data={key: v for _, data in parts for key, v in data.items()})

    return tell


def _arm_limits(context: Context) -> tuple[list[str], dict[str, Any]]:
    joints, motion = context.arm.chain.dh.joints, context.arm.limits
    lines = [
        *(
            f"{label} {joint_text(j.lower, j.unit)} to {joint_text(j.upper, j.unit)}"
            for label, j in zip(context.joint_labels(), joints, strict=True)
        ),
        f"joints   up to {motion.velocity:g} rad/s, {motion.acceleration:g} rad/s2",
        f"tool     on a line up to {motion.tool_velocity:g} m/s, {motion.tool_acceleration:g} m/s2",
    ]
    data = {
        "joints": {joint.name: [joint.lower, joint.upper] for joint in joints},
        "velocity": motion.velocity,
        "tool_velocity": motion.tool_velocity,
    }
    return lines, data


def _gripper_limits(gripper: Gripper) -> tuple[list[str], dict[str, Any]]:
    facts = gripper.facts
    least, most = facts.width(facts.closed), facts.width(facts.open)
    widths = f"{least * 1000:g} mm to {most * 1000:g} mm"
    text = f"gripper  {widths}, up to {facts.max_force:g} N per finger"
    return [text], {"gripper_width": [least, most], "gripper_force": facts.max_force}


# --- the scene


@dataclass(frozen=True, eq=False)
class Thing:
    """Something of the scene that is no part of the robot."""

    kind: str
    position: Array
    """In the base frame of the arm, or of the body on legs [m]."""


def scene(context: Context, words: list[str]) -> Action:
    """Tell what is around the robot, and where."""
    known = things(context)
    chosen = [pick(words[0], "thing", known)] if words else list(known)

    def tell() -> Reply:
        now = {name: thing for name, thing in things(context).items() if name in chosen}
        lines = [f"{name:10} {point_text(t.position)}  {t.kind}" for name, t in now.items()]
        frame = "the body's frame" if "cups" in context.robot.parts else "the base frame of the arm"
        head = f"in {frame}, as the simulation knows it:"
        if not lines:
            head = "nothing is around the robot but floor and walls"
        data = {
            name: {"kind": thing.kind, "position": floats(thing.position)}
            for name, thing in now.items()
        }
        return Reply(lines=(head, *lines), data={"things": data})

    return tell


def things(context: Context) -> dict[str, Thing]:
    """Return the bodies and places of the scene that are no part of the robot."""
    world, model = context.world, context.world.model
    T_base_world = _world_in_base(context)
    found = {}
    for name in world.names("body")[1:]:
        if model.body(name).parentid[0] == 0 and not name.startswith(f"{context.robot.name}/"):
            position = (T_base_world @ world.body_pose(name)).position
            found[name] = Thing(_kind_of_body(world, name), position)
    for name in world.names("site"):
        if model.site(name).bodyid[0] == 0 and not name.startswith("mount"):
            found[name] = Thing("place", (T_base_world @ world.site_pose(name)).position)
    return found


def _world_in_base(context: Context) -> Pose:
    if "cups" in context.robot.parts:
        body = f"{context.robot.name}/{context.robot.legs.facts.frame}"
        return context.world.body_pose(body).inverse()
    arm = context.arm
    q = arm.position
    T_tool_base = Pose.from_matrix(arm.chain.forward(q)).inverse()
    return (arm.dynamics.tool_pose(q) @ T_tool_base).inverse()


def _kind_of_body(world: World, name: str) -> str:
    body, model = world.model.body(name), world.model
    loose = body.jntnum[0] and model.jnt_type[body.jntadr[0]] == mujoco.mjtJoint.mjJNT_FREE
    return f"loose body, {body.mass[0] * 1000:.0f} g" if loose else "fixed body"
