"""Where the tool of a chain is: a frame of the file by its name, or the middle between fingers.

A tool frame of ours has x along the nose. Frames of files have z there (tool0 of ROS-Industrial,
Panda's hand) or x (flange of REP 199, ee_link): the axis that leads away from the last joint, or
towards the finger tips, is taken.

Six joints can roll a tool, and there the roll is that of the file. Arms of fewer joints get an
upright tool as those of the catalogue have it: y along the axis that the wrist tilts about.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array
from mecano.importing.tree import Joint, Tree
from mecano.kinematics.transforms import rotation_x
from mecano.kinematics.upright import LEVEL, upright_roll

if TYPE_CHECKING:
    from mecano.importing.gripper_search import FoundGripper

NAMES = (
    r"(^|_)tcp$", r"(^|_)tool0$", r"tool", r"(^|_)ee(_link)?$|end_?effector",
    r"grasp|grip_(site|frame)", r"flange", r"hand$|palm|gripper",
    r"(foot|ankle|toe|sole|tip)$",
)  # fmt: skip
"""What the frames are called that a tool is, the best first."""
SITES = r"pinch|(^|_)tcp|tool|grasp|attachment|end_?effector|(^|_)eef?(_|$)"
"""What the sites of MJCF files are called that a tool is."""
BETWEEN = re.compile(r"tcp|tool|grasp|pinch", re.IGNORECASE)
BY_NAME = ", by its name"
NEAR_TIPS = 0.05
"""A frame with such a name this near to the finger tips [m] is the tool point of the file."""


@dataclass(frozen=True, eq=False)
class Tool:
    """The tool of a chain."""

    body: str
    """That carries it."""
    T_body_tool: Array
    """Shape (4, 4)."""
    reason: str
    named: bool = False
    """Whether it is a frame that the file names a tool."""


def tool_of(tree: Tree, last: Joint, gripper: "FoundGripper | None") -> Tool:
    """Return the tool of a chain that ends with a joint."""
    bodies = tree.rigid_with(last.body)
    site = _site(tree, bodies) if gripper is None else None
    if site is not None:
        return _at_site(tree, last, site)
    body, why = _frame(tree, bodies)
    place, R = tree.data.xpos[body].copy(), tree.data.xmat[body].reshape(3, 3)
    if gripper is not None:
        tips = gripper.centre
        named = BETWEEN.search(tree.model.body(body).name)
        given = named and np.linalg.norm(place - tips) < NEAR_TIPS
        place = place if given else tips
        away = place - tree.data.xpos[bodies[0]]
        palm = tree.data.xpos[body]
        if np.linalg.norm(place - palm) > 0.01:
            away = place - palm
        if not given:
            why = f"the middle between the fingers of {gripper.joint}"
    else:
        away = place - tree.anchor(last)
        if np.linalg.norm(away) < 1e-3:
            away = _away_from_before(tree, last, place)
    T = np.eye(4)
    T[:3, :3] = _nose_first(R, away, tree.model.body(body).name)
    T[:3, 3] = R.T @ (place - tree.data.xpos[body])
    T[:3, :3] = np.round(T[:3, :3], 12)
    return Tool(tree.model.body(body).name, T, why, named=why.endswith(BY_NAME))


def upright(tree: Tree, tool: Tool, joints: Sequence[Joint], base: str) -> Tool:
    """Return the tool of an arm of fewer than six joints with its y along the wrist's axis.

    A frame that the file names a tool is turned by quarter turns only, so that its axes stay those
    of the file. The tree must have all joints at zero.

    Args:
        tree: The model.
        tool: Whose x is along the nose.
        joints: Of the arm, first to last.
        base: Body in whose frame the table is.
    """
    R_base = tree.data.body(base).xmat.reshape(3, 3)
    R_tool = R_base.T @ tree.data.body(tool.body).xmat.reshape(3, 3) @ tool.T_body_tool[:3, :3]
    axis = _wrist_axis([(j, R_base.T @ tree.axis(j)) for j in joints], R_tool[:, 0])
    if axis is None:
        return tool
    roll = upright_roll(axis, R_tool)
    quarters = round(roll / (pi / 2)) * (pi / 2)
    if abs(roll - quarters) <= LEVEL:
        roll = quarters
    elif tool.named:
        return tool
    if roll == 0.0:
        return tool
    T = tool.T_body_tool @ rotation_x(roll)
    T[:3, :3] = np.round(T[:3, :3], 12)
    return replace(tool, T_body_tool=T)


def _wrist_axis(axes: list[tuple[Joint, Array]], nose: Array) -> Array | None:
    """Return the axis that tilts the nose: the last, or the one before a joint that rolls it."""
    if len(axes) >= 6:
        return None
    last, direction = axes[-1]
    if len(axes) == 5 and not last.slides and abs(direction @ nose) > 1.0 - LEVEL**2:
        last, direction = axes[-2]
    return None if last.slides or abs(direction @ nose) > LEVEL else direction


def _site(tree: Tree, bodies: list[int]) -> int | None:
    """Return a site of the file that is named like a tool."""
    for site in range(tree.model.nsite):
        on = int(tree.model.site_bodyid[site]) in bodies
        if on and re.search(SITES, tree.model.site(site).name, re.IGNORECASE):
            return site
    return None


def _at_site(tree: Tree, last: Joint, site: int) -> Tool:
    body = int(tree.model.site_bodyid[site])
    R_body, R = tree.data.xmat[body].reshape(3, 3), tree.data.site_xmat[site].reshape(3, 3)
    place = tree.data.site_xpos[site].copy()
    away = place - tree.anchor(last)
    if np.linalg.norm(away) < 1e-3:
        away = _away_from_before(tree, last, place)
    name = tree.model.site(site).name
    T = np.eye(4)
    T[:3, :3] = R_body.T @ R @ _nose_first(R, away, name)
    T[:3, 3] = R_body.T @ (place - tree.data.xpos[body])
    return Tool(tree.model.body(body).name, T, f"the site {name}{BY_NAME}", named=True)


def _frame(tree: Tree, bodies: list[int]) -> tuple[int, str]:
    names = {body: tree.model.body(body).name for body in bodies}
    for pattern in NAMES:
        found = [b for b in bodies if re.search(pattern, names[b], re.IGNORECASE)]
        if found:
            return found[-1], f"the frame {names[found[-1]]}{BY_NAME}"
    return bodies[0], f"the last link, {names[bodies[0]]}"


def _away_from_before(tree: Tree, last: Joint, place: Array) -> Array:
    """Return the direction from the joint before the last, or along the last one's axis."""
    before = last.parent
    if before is not None and np.linalg.norm(place - tree.anchor(before)) > 1e-3:
        along, axis = place - tree.anchor(before), tree.axis(last)
        if abs(along @ axis) > 0.5 * np.linalg.norm(along):
            return axis * np.sign(along @ axis)
        return along
    return tree.axis(last)


def _nose_first(R: Array, away: Array, name: str) -> Array:
    """Return the turn from a frame to one whose x is that axis of it which leads away."""
    if re.search(r"tool0$", name):
        away = R[:, 2]  # by the rule of ROS-Industrial
    local = R.T @ away
    axis = int(np.argmax(np.abs(local) - 1e-9 * np.array([0, 1, 2])))
    turn = np.roll(np.eye(3), axis, axis=0)  # columns: x', y', z' in the frame, cyclic
    if local[axis] < 0.0:
        turn = turn @ np.diag([-1.0, -1.0, 1.0])
    return turn
