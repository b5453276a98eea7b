"""Grippers, found by joints that follow each other or oppose each other at the end of a chain."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.importing.draft import Draft, Follower
from mecano.importing.loops import close_loops, has_loops, joined
from mecano.importing.tree import Joint, Tree

NAMES = re.compile(r"finger|gripper|jaw|knuckle|claw|robotiq|hand_e", re.IGNORECASE)
ALONE = re.compile(r"hand|2f_?85|2f_?140", re.IGNORECASE)
MAX_REACH = 0.3
"""Fingers reach less far than this from their joints [m]."""
MAX_JOINTS = 8
"""A hand of two motors with more joints than this is no gripper."""
OUTER = 0.85
"""Shapes of a finger that reach this share of what it reaches grip; others are its linkage."""
INSIDE = 5e-4
"""Fingers that are deeper inside each other than this at their limit close where they touch [m]."""
BISECTIONS = 16
FAR = 2.0
"""Distances between fingers are searched up to this [m]."""


@dataclass(frozen=True, eq=False)
class FoundGripper:
    """A parallel gripper or one with a single jaw."""

    carrier: str | None
    """Joint that moves it as a whole; None for a gripper alone."""
    joint: str
    """The one that is driven."""
    joints: tuple[str, ...]
    """All of them."""
    followers: tuple[str, ...]
    """Those that follow the driven one; the others are links of closed loops."""
    coupled: tuple[Follower, ...]
    """Joints that the file drives apart and that we let follow."""
    bodies: tuple[str, ...]
    pads: tuple[str, ...]
    """Those of them that grip; the others are its linkage."""
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
        found += _taken(draft, tree, carrier, fingers, driven)
    if not found and _is_alone(draft, tree, driven):
        found += _taken(draft, tree, None, tree.children[None], driven)
    return found


def _taken(
    draft: Draft, tree: Tree, carrier: Joint | None, fingers: list[Joint], driven: list[str]
) -> list[FoundGripper]:
    """Return the gripper that the fingers of one place make, if they do."""
    beside = tree.children[None if carrier is None else carrier.name]
    leaders = {each.joint for each in draft.followers}
    idle = [j for j in beside if j not in fingers and j.name not in driven]
    groups = joined(tree, [*fingers, *[j for j in idle if j.name not in leaders]])
    groups = [group for group in groups if any(finger in group for finger in fingers)]
    groups = _of_one_kind(_without_spinners(draft, groups))
    joints = [each for group in groups for j in group for each in (j, *tree.below(j))]
    free = [j for j in joints if j.name in driven and j.name not in leaders]
    if not 1 <= len(free) <= 2 or (len(free) == 2 and len(joints) > MAX_JOINTS):
        return []
    if len(beside) != len(fingers) and len(fingers) < 2:
        return []
    return [_gripper(draft, tree, carrier, groups, joints, free)]


def _without_spinners(draft: Draft, groups: list[list[Joint]]) -> list[list[Joint]]:
    """Leave out joints that turn without limits and that nothing couples to a finger.

    They open nothing: a propeller that shows the turning motor, a tool changer, a screwdriver.
    """
    tied = {name for each in draft.followers for name in (each.joint, each.leader)}
    kept = [
        group for group in groups if len(group) > 1 or not _spins(group[0]) or group[0].name in tied
    ]
    return kept or groups


def _spins(joint: Joint) -> bool:
    return joint.endless and not joint.slides


def _of_one_kind(groups: list[list[Joint]]) -> list[list[Joint]]:
    """Return the fingers of the kind that there are more of: a slide and a hinge make no pair."""
    sliding = [group for group in groups if group[0].slides]
    turning = [group for group in groups if not group[0].slides]
    if not sliding or not turning or any(len(group) > 1 for group in groups):
        return groups
    return turning if len(turning) > len(sliding) else sliding


def _is_finger(tree: Tree, joint: Joint, leaders: dict[str, str]) -> bool:
    """Tell whether a joint moves a finger: short, and named so, following, or sliding in a pair."""
    depth, first = 0, joint
    while first.parent is not None:
        depth, first = depth + 1, first.parent
    if depth < 2 or tree.reach(joint) > MAX_REACH or len(tree.below(joint)) > 3:
        return False
    body = "" if tree.children[joint.name] else tree.model.body(joint.body).name
    named = bool(NAMES.search(joint.name) or NAMES.search(body))
    named = named and not NAMES.search(first.name)  # a whole robot that is called a finger
    follows = joint.name in leaders or joint.name in leaders.values()
    return named or follows


def _is_alone(draft: Draft, tree: Tree, driven: list[str]) -> bool:
    """Tell whether the robot is a gripper and nothing else."""
    names = " ".join([j.name for j in tree.joints] + [draft.name, draft.file.stem])
    short = all(tree.reach(joint) < MAX_REACH for joint in tree.children[None])
    few = 1 <= len(driven) <= 2 <= len(tree.joints)
    return few and short and not draft.free and bool(NAMES.search(names) or ALONE.search(names))


def _gripper(
    draft: Draft,
    tree: Tree,
    carrier: Joint | None,
    groups: list[list[Joint]],
    joints: list[Joint],
    free: list[Joint],
) -> FoundGripper:
    lead = free[0]
    coupled = tuple(_coupling(tree, lead, each) for each in free[1:])
    ratios = {lead.name: (1.0, 0.0)}
    for each in (*draft.followers, *coupled):
        if each.leader in ratios and each.joint in {j.name for j in joints}:
            factor, offset = ratios[each.leader]
            ratios[each.joint] = each.multiplier * factor, each.multiplier * offset + each.offset
    fingers = [sorted({b for j in group for b in tree.bodies_moved(j)}) for group in groups]
    loose = [j for j in joints if j.name not in ratios]
    low, high = _span(tree, lead, ratios)
    palm = 1 if carrier is None else carrier.body
    if len(fingers) == 1:
        fingers = [*fingers, [b for b in tree.rigid_with(palm) if b not in fingers[0]]]
    knuckles = np.mean([tree.anchor(j) for group in groups for j in group], axis=0)
    pair = _longest(tree, fingers, knuckles)
    ends = [_ends(tree, knuckles, pair, ratios, loose, value) for value in (low, high)]
    overlap = max(ends[0][0], ends[1][0]) < 1e-3  # hulls of curved jaws do, open or closed
    at_low, at_high = (end[1] if overlap else max(end[0], 0.0) for end in ends)
    widths = {low: at_low, high: at_high}
    wide = high if widths[high] >= widths[low] else low
    shut = low if wide == high else high
    if not overlap and min(ends[0][0], ends[1][0]) < -INSIDE:
        shut = _touch(
            lambda value: _ends(tree, knuckles, pair, ratios, loose, value)[0], wide, shut
        )
        widths[shut] = 0.0
    moved = [b for group in groups for j in group for b in tree.bodies_moved(j)]
    names = tuple(dict.fromkeys(tree.model.body(b).name for b in moved))
    where = "alone" if carrier is None else f"at the end of {carrier.name}"
    why = f"{_count(len(groups), len(pair))} {where}"
    if coupled:
        why += f"; {', '.join(each.joint for each in coupled)} made to follow {lead.name}"
    if loose and has_loops(tree.model):
        why += "; closed linkages"
    return FoundGripper(
        carrier=None if carrier is None else carrier.name,
        joint=lead.name,
        joints=tuple(j.name for j in joints),
        followers=tuple(j.name for j in joints if j.name in ratios and j is not lead),
        coupled=coupled,
        bodies=names,
        pads=tuple(
            dict.fromkeys(
                tree.model.body(int(tree.model.geom_bodyid[geom])).name
                for each in pair
                for geom in _outer(tree, each, knuckles)
            )
        ),
        open=wide,
        closed=shut,
        width_open=float(widths[wide]),
        width_closed=float(widths[shut]),
        centre=ends[1 if wide == high else 0][2],
        reason=why,
    )


def _touch(apart: Callable[[float], float], wide: float, shut: float) -> float:
    """Return the joint value between open and closed at which the fingers touch."""
    for _ in range(BISECTIONS):
        middle = 0.5 * (wide + shut)
        wide, shut = (wide, middle) if apart(middle) <= 0.0 else (middle, shut)
    return round(shut, 6)


def _span(tree: Tree, lead: Joint, ratios: dict[str, tuple[float, float]]) -> tuple[float, float]:
    """Return the range of the driven joint in which those that follow stay inside theirs."""
    low, high = lead.lower, lead.upper
    for name, (factor, offset) in ratios.items():
        joint = tree.by_name[name]
        if joint.endless or factor == 0.0:
            continue
        ends = sorted(((joint.lower - offset) / factor, (joint.upper - offset) / factor))
        if max(low, ends[0]) < min(high, ends[1]):  # else the file contradicts itself
            low, high = max(low, ends[0]), min(high, ends[1])
    if not np.isfinite(low):
        return (0.0, 0.05) if lead.slides else (0.0, 1.0)
    return low, high


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
    knuckles: Array,
    pair: list[list[int]],
    ratios: dict[str, tuple[float, float]],
    loose: list[Joint],
    value: float,
) -> tuple[float, float, Array]:
    """Return how far fingers are apart at a joint value: shapes, tips [m], middle between the tips.

    A single jaw closes against what carries it. Loose joints go where closed linkages put them.
    """
    before = tree.data.qpos.copy()
    for name, (factor, offset) in ratios.items():
        joint = tree.by_name[name]
        tree.data.qpos[tree.model.jnt_qposadr[joint.id]] = factor * value + offset
    close_loops(tree, loose)
    tree.refresh()
    one, other = (_outer(tree, each, knuckles) for each in pair)
    tips = [_tip(tree, each, knuckles) for each in pair]
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
    tree.refresh()
    return float(shapes), apart, np.mean(tips, axis=0)


def _longest(tree: Tree, fingers: list[list[int]], knuckles: Array) -> list[list[int]]:
    """Return the two of several fingers that reach furthest: the others guide them."""
    if len(fingers) == 2:
        return fingers
    away = [float(np.linalg.norm(_tip(tree, each, knuckles) - knuckles)) for each in fingers]
    chosen = sorted(np.argsort(away)[-2:].tolist())
    return [fingers[number] for number in chosen]


def _count(fingers: int, pair: int) -> str:
    """Return how many fingers there are, in words."""
    return f"{fingers} fingers" if fingers <= pair else f"2 fingers on {fingers} cranks"


def _outer(tree: Tree, bodies: list[int], palm: Array) -> list[int]:
    """Return the shapes of a finger that reach nearly as far as it does: those that grip."""
    ends = {
        geom: float(np.linalg.norm(tree.points(geom) - palm, axis=1).max())
        for geom in tree.geoms(bodies)
    }
    return [geom for geom, far in ends.items() if far >= OUTER * max(ends.values())]


def _tip(tree: Tree, bodies: list[int], palm: Array) -> Array:
    """Return the middle of the outermost part of a finger in the world [m]."""
    geoms = tree.geoms(bodies)
    if not geoms:
        return tree.data.xpos[bodies[-1]].copy()
    points = np.concatenate([tree.points(geom) for geom in geoms])
    distances = np.linalg.norm(points - palm, axis=1)
    outer = points[distances >= np.quantile(distances, 0.7) - 1e-6]  # with all of equal distance
    return outer.mean(axis=0)
