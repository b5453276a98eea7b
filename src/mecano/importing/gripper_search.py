"""Grippers, found by joints that follow each other or oppose each other at the end of a chain."""

import re
from dataclasses import dataclass

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.importing.draft import Draft, Follower
from mecano.importing.tree import Joint, Tree

NAMES = re.compile(r"finger|gripper|jaw|knuckle|claw|robotiq|hand_e", re.IGNORECASE)
MAX_REACH = 0.3
"""Fingers reach less far than this from their joints [m]."""
MAX_JOINTS = 8
"""A hand of two motors with more joints than this is no gripper."""
FAR = 2.0
"""Distances between fingers are searched up to this [m]."""


@dataclass(frozen=True, eq=False)
class FoundGripper:
    """A parallel gripper or one with a single jaw."""

    carrier: str
    """Joint that moves it as a whole."""
    joint: str
    """The one that is driven."""
    joints: tuple[str, ...]
    """All of them."""
    coupled: tuple[Follower, ...]
    """Joints that the file drives apart and that we let follow."""
    bodies: tuple[str, ...]
    open: float
    """Joint value [rad or m]."""
    closed: float
    width_open: float
    """Distance between the fingers [m]."""
    width_closed: float
    centre: Array
    """Between the fingers at their tips, in the world [m]. Shape (3,)."""
    reason: str


def find_grippers(draft: Draft, tree: Tree, driven: list[str]) -> list[FoundGripper]:
    """Return the grippers of a robot."""
    leaders = {each.joint: each.leader for each in draft.followers}
    found = []
    carriers = {
        joint.parent.name
        for joint in tree.joints
        if joint.parent is not None and _is_finger(tree, joint, leaders)
    }
    for carrier in [joint for joint in tree.joints if joint.name in carriers]:
        fingers = [j for j in tree.children[carrier.name] if _is_finger(tree, j, leaders)]
        if _is_finger(tree, carrier, leaders) and len(fingers) < 2:
            continue  # a second link of a finger
        joints = [each for finger in fingers for each in (finger, *tree.below(finger))]
        free = [j for j in joints if j.name in driven and j.name not in leaders]
        if not 1 <= len(free) <= 2 or (len(free) == 2 and len(joints) > MAX_JOINTS):
            continue
        if len(tree.children[carrier.name]) != len(fingers) and len(fingers) < 2:
            continue
        found.append(_gripper(draft, tree, carrier, joints, free))
    return found


def _is_finger(tree: Tree, joint: Joint, leaders: dict[str, str]) -> bool:
    """Tell whether a joint moves a finger: short, and named so, following, or sliding in a pair."""
    depth, above = 0, joint.parent
    while above is not None:
        depth, above = depth + 1, above.parent
    if depth < 2 or tree.reach(joint) > MAX_REACH or len(tree.below(joint)) > 3:
        return False
    body = "" if tree.children[joint.name] else tree.model.body(joint.body).name
    named = bool(NAMES.search(joint.name) or NAMES.search(body))
    follows = joint.name in leaders or joint.name in leaders.values()
    return named or follows


def _gripper(
    draft: Draft, tree: Tree, carrier: Joint, joints: list[Joint], free: list[Joint]
) -> FoundGripper:
    lead = free[0]
    coupled = tuple(_coupling(tree, lead, each) for each in free[1:])
    ratios = {lead.name: (1.0, 0.0)}
    for each in (*draft.followers, *coupled):
        if each.leader in ratios and each.joint in {j.name for j in joints}:
            factor, offset = ratios[each.leader]
            ratios[each.joint] = each.multiplier * factor, each.multiplier * offset + each.offset
    fingers = [tree.bodies_moved(j) for j in joints if j.parent is carrier]
    low, high = _span(lead)
    ends = [_ends(tree, carrier, fingers, ratios, value) for value in (low, high)]
    overlap = max(ends[0][0], ends[1][0]) < 1e-3  # hulls of curved jaws do, open or closed
    at_low, at_high = (end[1] if overlap else max(end[0], 0.0) for end in ends)
    widths = {low: at_low, high: at_high}
    wide = high if widths[high] >= widths[low] else low
    shut = low if wide == high else high
    names = tuple(dict.fromkeys(tree.model.body(b).name for f in fingers for b in f))
    why = f"{len(fingers)} fingers at the end of {carrier.name}"
    if coupled:
        why += f"; {', '.join(each.joint for each in coupled)} made to follow {lead.name}"
    return FoundGripper(
        carrier=carrier.name,
        joint=lead.name,
        joints=tuple(j.name for j in joints),
        coupled=coupled,
        bodies=names,
        open=wide,
        closed=shut,
        width_open=float(widths[wide]),
        width_closed=float(widths[shut]),
        centre=ends[1 if wide == high else 0][2],
        reason=why,
    )


def _span(joint: Joint) -> tuple[float, float]:
    if joint.endless:
        return (0.0, 0.05) if joint.slides else (0.0, 1.0)
    return joint.lower, joint.upper


def _coupling(tree: Tree, lead: Joint, other: Joint) -> Follower:
    """Return how a second finger follows the first: mirrored where its range is."""
    mirrored = (
        not (lead.endless or other.endless)
        and abs(other.lower + lead.upper) + abs(other.upper + lead.lower)
        < abs(other.lower - lead.lower) + abs(other.upper - lead.upper)
    )  # fmt: skip
    sign = -1.0 if mirrored else 1.0
    return Follower(joint=other.name, leader=lead.name, multiplier=sign, offset=0.0)


def _ends(
    tree: Tree,
    carrier: Joint,
    fingers: list[list[int]],
    ratios: dict[str, tuple[float, float]],
    value: float,
) -> tuple[float, float, Array]:
    """Return how far fingers are apart at a joint value: shapes, tips [m], middle between the tips.

    A single jaw closes against what carries it.
    """
    before = tree.data.qpos.copy()
    for name, (factor, offset) in ratios.items():
        joint = tree.by_name[name]
        tree.data.qpos[tree.model.jnt_qposadr[joint.id]] = factor * value + offset
    mujoco.mj_kinematics(tree.model, tree.data)
    if len(fingers) == 1:
        fingers = [*fingers, tree.rigid_with(carrier.body)]
    one, other = tree.geoms(fingers[0]), tree.geoms(fingers[1])
    tips = [_tip(tree, each, carrier) for each in fingers[:2]]
    apart = float(np.linalg.norm(tips[0] - tips[1]))
    shapes = min(
        (
            mujoco.mj_geomDistance(tree.model, tree.data, a, b, FAR, None)
            for a in one
            for b in other
        ),
        default=apart,
    )
    tree.data.qpos[:] = before
    mujoco.mj_kinematics(tree.model, tree.data)
    return float(shapes), apart, np.mean(tips, axis=0)


def _tip(tree: Tree, bodies: list[int], carrier: Joint) -> Array:
    """Return the middle of the outermost part of a finger in the world [m]."""
    geoms = tree.geoms(bodies)
    if not geoms:
        return tree.data.xpos[bodies[-1]].copy()
    points = np.concatenate([tree.points(geom) for geom in geoms])
    palm = tree.anchor(carrier)
    distances = np.linalg.norm(points - palm, axis=1)
    outer = points[distances >= np.quantile(distances, 0.7) - 1e-6]  # with all of equal distance
    return outer.mean(axis=0)
