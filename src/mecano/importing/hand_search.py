"""Hands of three or more fingers: short rows of joints that one place carries."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.importing.draft import Draft
from mecano.importing.mjcf_text import identifier
from mecano.importing.tree import Joint, Tree

Row = list[Joint]
REACH = 0.3
"""A finger reaches less far than this [m]."""
LEAST_FINGERS, MOST_FINGERS = 3, 6
FINGER = re.compile(
    r"finger|thumb|palm|knuckle|pinky|distal|proximal|phalan|digit|(^|[^a-z])(ff|mf|rf|lf|th)j?\d"
    r"|(^|[^a-z])(index|middle|ring|little)([^a-z]|$)",
    re.IGNORECASE,
)
HAND = re.compile(r"hand|allegro|gripper|leap|finger", re.IGNORECASE)
DIGITS = (
    ("thumb", r"thumb|(^|[^a-z])thj?\d"), ("index", r"index|(^|[^a-z])ffj?\d|fore_?finger"),
    ("middle", r"middle|(^|[^a-z])mfj?\d"), ("ring", r"ring(?!er)|(^|[^a-z])rfj?\d"),
    ("little", r"little|pinky|(^|[^a-z])lfj?\d"),
)  # fmt: skip
"""Names of fingers, and what their joints and bodies are called."""
FLEXES = 0.15
"""A joint that brings the tip nearer to the palm by this share of its finger's reach flexes it."""
CLOSED = 0.7
"""Share of the way to its limit that a flexing joint goes in a grasp."""


@dataclass(frozen=True, eq=False)
class FoundFinger:
    """One finger, from the palm to its tip."""

    name: str
    joints: tuple[str, ...]
    bodies: tuple[str, ...]
    """The tip last."""
    place: Array
    """Of its tip, in the frame of the last body [m]. Shape (3,)."""


@dataclass(frozen=True, eq=False)
class FoundHand:
    """A hand whose joints have a motor each."""

    carrier: str | None
    """Joint that moves it as a whole; None for a hand alone."""
    palm: str
    fingers: tuple[FoundFinger, ...]
    power: dict[str, float]
    """Joint values of a grasp with all fingers [rad or m]."""
    reason: str

    @property
    def joints(self) -> tuple[str, ...]:
        """Of all fingers."""
        return tuple(joint for finger in self.fingers for joint in finger.joints)


def find_hands(
    draft: Draft, tree: Tree, rows: list[Row], above: Callable[[Joint], str | None], legs: list[Row]
) -> list[FoundHand]:
    """Return the hands of a robot.

    Args:
        draft: What the file says.
        tree: In the posture to begin in.
        rows: Joints between the places where the tree branches.
        above: Gives the driven joint that carries another.
        legs: Rows that may be legs.
    """
    carried: dict[str | None, list[Row]] = {}
    for row in rows:
        carried.setdefault(above(row[0]), []).append(row)
    found, taken = [], set()
    for carrier, fingers in carried.items():  # from the root outwards
        if carrier in taken or len(fingers) < 2:
            continue
        inside = _inside(fingers, carried)
        if _is_hand(draft, tree, carrier, fingers, inside, carried, legs):
            taken |= {joint.name for row in inside for joint in row}
            found.append(_hand(draft, tree, carrier, inside))
    return found


def _inside(rows: list[Row], carried: dict[str | None, list[Row]]) -> list[Row]:
    """Return rows and all that they carry."""
    found: list[Row] = []
    for row in rows:
        found += [row, *_inside(carried.get(row[-1].name, []), carried)]
    return found


def _is_hand(
    draft: Draft,
    tree: Tree,
    carrier: str | None,
    fingers: list[Row],
    inside: list[Row],
    carried: dict[str | None, list[Row]],
    legs: list[Row],
) -> bool:
    tips = [row for row in inside if row[-1].name not in carried]
    if len(tips) < LEAST_FINGERS or any(tree.reach(row[0]) >= REACH for row in fingers):
        return False
    if any(joint.endless for row in tips for joint in row):
        return False  # propellers and wheels
    named = sum(bool(FINGER.search(_words(tree, row))) for row in tips) * 2 >= len(tips)
    if named:
        return True
    if len(tips) > MOST_FINGERS or draft.free or any(row in legs for row in tips):
        return carrier is None and not draft.free and bool(HAND.search(_title(draft)))
    return carrier is None or tree.reach(_first(tree, carrier)) >= REACH


def _first(tree: Tree, joint: str) -> Joint:
    """Return the joint that a joint's chain begins with."""
    found = tree.by_name[joint]
    while found.parent is not None:
        found = found.parent
    return found


def _hand(draft: Draft, tree: Tree, carrier: str | None, rows: list[Row]) -> FoundHand:
    last = {row[-1].name for row in rows}
    knuckles = np.mean([tree.anchor(row[0]) for row in rows], axis=0)
    names = _names(tree, rows, last)
    fingers, power = [], {}
    for row, name in zip(rows, names, strict=True):
        bodies = [b for joint in row for b in tree.rigid_with(joint.body)]
        bodies += [
            b
            for b in tree.bodies_moved(row[-1])
            if b not in bodies and not _of_others(tree, b, row, rows)
        ]
        tip, place = _tip(tree, bodies, knuckles)
        ordered = [b for b in bodies if b != tip] + [tip]
        fingers.append(
            FoundFinger(
                name, tuple(joint.name for joint in row),
                tuple(tree.model.body(b).name for b in ordered),
                tree.data.xmat[tip].reshape(3, 3).T @ (place - tree.data.xpos[tip]),
            )
        )  # fmt: skip
        power |= _grasp(draft, tree, row, tip, fingers[-1].place, knuckles)
    palm = 1 if carrier is None else tree.by_name[carrier].body
    where = "alone" if carrier is None else f"at the end of {carrier}"
    return FoundHand(
        carrier, tree.model.body(palm).name, tuple(fingers), power,
        f"{len(fingers)} short rows of joints {where}; the grasp bends all joints that bring the "
        "tips to the palm",
    )  # fmt: skip


def _of_others(tree: Tree, body: int, row: Row, rows: list[Row]) -> bool:
    """Tell whether a body below a row belongs to a row that it carries."""
    others = {joint.body for other in rows if other is not row for joint in other}
    while body:
        if body in others:
            return True
        body = int(tree.model.body_parentid[body])
        if body in {joint.body for joint in row}:
            return False
    return False


def _names(tree: Tree, rows: list[Row], last: set[str]) -> list[str]:
    """Return a name for every finger: that of a human hand by its joints, or a number."""
    names: list[str] = []
    for number, row in enumerate(rows, 1):
        text = _words(tree, row)
        known = [name for name, pattern in DIGITS if re.search(pattern, text, re.IGNORECASE)]
        name = known[0] if len(known) == 1 else f"finger_{number}"
        names.append(name if name not in names else f"{name}_{number}")
    return names


def _grasp(
    draft: Draft, tree: Tree, row: Row, tip: int, place: Array, palm: Array
) -> dict[str, float]:
    """Return values of a finger's joints that bring its tip to the palm; others stay."""
    follow = {each.joint: each for each in draft.followers}
    found = {}
    reach = tree.reach(row[0])
    for joint in row:
        address = int(tree.model.jnt_qposadr[joint.id])
        start = float(tree.data.qpos[address])
        low, high = (-1.0, 1.0) if joint.endless else (joint.lower, joint.upper)
        before = tree.data.qpos.copy()
        away = []
        for value in (low, high):
            tree.data.qpos[address] = value
            for each in follow.values():
                if each.leader == joint.name and each.joint in tree.by_name:
                    other = int(tree.model.jnt_qposadr[tree.by_name[each.joint].id])
                    tree.data.qpos[other] = each.multiplier * value + each.offset
            tree.refresh()
            at = tree.data.xmat[tip].reshape(3, 3) @ place + tree.data.xpos[tip]
            away.append(float(np.linalg.norm(at - palm)))
            tree.data.qpos[:] = before
        tree.refresh()
        bent = low if away[0] < away[1] else high
        flexes = abs(away[0] - away[1]) > FLEXES * reach
        found[joint.name] = start + CLOSED * (bent - start) if flexes else start
    return found


def _tip(tree: Tree, bodies: list[int], palm: Array) -> tuple[int, Array]:
    """Return the body at the end of a finger, and the middle of its outermost part [m]."""
    ends = [
        (float(np.linalg.norm(tree.data.xipos[b] - palm)), b) for b in bodies if tree.geoms([b])
    ]
    if not ends:
        return bodies[-1], tree.data.xpos[bodies[-1]].copy()
    tip = max(ends)[1]
    points = np.concatenate([tree.points(geom) for geom in tree.geoms([tip])])
    distances = np.linalg.norm(points - palm, axis=1)
    return tip, points[distances >= np.quantile(distances, 0.8) - 1e-6].mean(axis=0)


def _words(tree: Tree, row: Row) -> str:
    """Return the names of a row's joints and of their bodies."""
    return " ".join(f"{joint.name} {tree.model.body(joint.body).name}" for joint in row)


def _title(draft: Draft) -> str:
    return f"{identifier(draft.name)} {draft.file.stem}"
