"""What a row of joints is: an arm, a leg, a torso, a head or a finger, by geometry and names."""

import re
from collections.abc import Collection
from typing import Literal

import numpy as np

from mecano.importing.tree import Joint, Tree

Row = list[Joint]
Kind = Literal["arm", "leg", "torso", "head", "finger", "joints"]
ARM_JOINTS, LEG_JOINTS = 3, 2
"""An arm has at least this many joints, a leg this many."""
FINGER_REACH = 0.3
"""A chain that reaches less far than this is a finger, beside others of its kind [m]."""
NEAR_FLOOR = 0.2
"""A leg ends within this share of the robot's height above its lowest point."""
FEW = 4
"""A head or torso has no more joints than this, unless it carries limbs."""
HEAD = re.compile(r"head|neck|cervical|pan|tilt|camera|eye", re.IGNORECASE)
TORSO = re.compile(r"torso|waist|trunk|lift|spine|chest|back|lumbar|thorac|abdomen", re.IGNORECASE)
LEG = re.compile(r"leg|hip|knee|ankle|foot|feet|toe|thigh|calf|shank|shin", re.IGNORECASE)
ARM = re.compile(r"arm|shoulder|elbow|wrist|hand|grip|clavicle", re.IGNORECASE)
UPPER_ARM = re.compile(r"shoulder|elbow|upper_?arm|fore_?arm", re.IGNORECASE)
"""Names that no finger has, however short an arm is."""
FINGER = re.compile(r"finger|thumb", re.IGNORECASE)


def legs_at(tree: Tree, rows: list[Row], home: dict[str, float]) -> list[Row]:
    """Return the legs in the posture to begin in, or else with all joints at zero."""
    legs = _legs(tree, rows)
    if not legs:
        tree.place({})
        legs = _legs(tree, rows)
        tree.place(home)
    return legs


def _legs(tree: Tree, rows: list[Row]) -> list[Row]:
    """Return rows that end near the floor: at least two alike, and what carries them does not.

    Rows whose joints and bodies are named like those of an arm or a finger are none: a robot that
    lies down has its arms at the floor, too.
    """
    low, high = tree.lowest(), tree.highest()
    near = low + NEAR_FLOOR * (high - low)
    candidates = []
    for row in rows:
        moved = tree.bodies_moved(row[-1])
        ends = not tree.children[row[-1].name]
        if len(row) >= LEG_JOINTS and ends and tree.geoms(moved) and tree.lowest(moved) < near:
            candidates.append(row)
    candidates = [
        row
        for row in candidates
        if leaning(tree, row) != "arm" and not all(FINGER.search(j.name) for j in row)
    ]
    sizes = [len(each) for each in candidates]
    alike = [each for each in candidates if sizes.count(len(each)) >= 2]
    if not alike:
        return []
    hips = min(float(tree.anchor(each[0])[2]) for each in alike)
    static = [b for b in range(1, tree.model.nbody) if int(tree.model.body_weldid[b]) == 0]
    stands_by_itself = bool(tree.geoms(static)) and tree.lowest(static) < near
    return [] if stands_by_itself or hips < near else alike


def leaning(tree: Tree, row: Row) -> str:
    """Return "arm" or "leg" by the names of joints and bodies; "" if they say neither."""
    words = [text for j in row for text in (j.name, tree.model.body(j.body).name)]
    arm, leg = (sum(bool(each.search(word)) for word in words) for each in (ARM, LEG))
    return "" if arm == leg else "arm" if arm > leg else "leg"


def kinds_of(
    tree: Tree, rows: list[Row], legs: list[Row], holding: Collection[str]
) -> list[tuple[Kind, str]]:
    """Return what each row is, and why.

    Args:
        tree: In the posture to begin in.
        rows: Joints between the places where the tree branches.
        legs: Those that end near the floor.
        holding: Joints that carry a gripper or a hand.
    """
    counted = [row for row in rows if not _spins(tree, row)]
    return [_kind(tree, row, rows, legs, holding, len(counted)) for row in rows]


def _kind(
    tree: Tree, row: Row, rows: list[Row], legs: list[Row], holding: Collection[str], count: int
) -> tuple[Kind, str]:
    text = " ".join(joint.name for joint in row)
    carried = [each for each in rows if each is not row and _is_below(each[0], row[-1])]
    short = tree.reach(row[0]) < FINGER_REACH
    like_arm = len(row) >= ARM_JOINTS and (not short or bool(UPPER_ARM.search(text)))
    if any(row is each for each in legs):
        return "leg", f"{len(row)} joints that end near the floor"
    if _spins(tree, row):
        return "joints", "turns without limits and carries no other joint"
    if row[-1].name in holding:
        return "arm", f"{len(row)} joints that carry what grips"
    if count == 1:
        return "arm", "the only chain"
    if any(len(each) >= ARM_JOINTS and tree.reach(each[0]) >= FINGER_REACH for each in carried):
        return "torso", "carries other chains"
    if HEAD.search(text) and len(row) <= FEW:
        return "head", "by the names of its joints"
    if TORSO.search(text) and len(row) <= FEW:
        return "torso", "by the names of its joints"
    if len(row) >= LEG_JOINTS and not carried and leaning(tree, row) == "leg":
        return "leg", "by the names of its joints"
    if like_arm:
        return "arm", f"{len(row)} joints in a row"
    if short and not carried and (len(row) > 1 or _has_sibling(tree, row, rows)):
        return "finger", f"reaches {100 * tree.reach(row[0]):.0f} cm"
    if carried:
        return "torso", "carries other chains"
    return "joints", "none of the known parts"


def _spins(tree: Tree, row: Row) -> bool:
    """Tell whether a row is one hinge without limits at the end of a chain: a propeller, a tool."""
    (joint, *others) = row
    outer = not others and not tree.children[joint.name] and joint.parent is not None
    return outer and joint.endless and not joint.slides


def _has_sibling(tree: Tree, row: Row, rows: list[Row]) -> bool:
    """Tell whether the joint that moves a row moves another short one, too."""
    return row[0].parent is not None and any(
        each is not row and each[0].parent is row[0].parent and tree.reach(each[0]) < FINGER_REACH
        for each in rows
    )


def _is_below(joint: Joint, above: Joint) -> bool:
    parent = joint.parent
    while parent is not None and parent.name != above.name:
        parent = parent.parent
    return parent is not None


def is_heavy(tree: Tree) -> bool:
    """Tell whether what does not move weighs anything: else joints tie the robot to the world."""
    still = [b for b in range(1, tree.model.nbody) if int(tree.model.body_weldid[b]) == 0]
    return float(np.sum(tree.model.body_mass[still])) > 0.0
