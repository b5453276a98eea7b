"""The parts of a robot, found from its tree: wheels, grippers, and chains with their tools.

Everything found here is a guess with a reason; the description that is written of it shows the
guesses, and a user corrects them there.
"""

import re
from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from mecano.core.arrays import Array
from mecano.importing.draft import Draft
from mecano.importing.gripper_search import FoundGripper, find_grippers
from mecano.importing.hand_search import FoundHand, find_hands
from mecano.importing.limb_kinds import Kind, is_heavy, kinds_of, legs_at
from mecano.importing.mjcf_text import identifier
from mecano.importing.tool_frames import Tool, tool_of, upright
from mecano.importing.tree import Joint, Tree
from mecano.importing.wheel_search import FoundBase, find_base

Held = TypeVar("Held", FoundGripper, FoundHand)
VAGUE = re.compile(r"effector|all|whole|group|body|default", re.IGNORECASE)
"""Names of groups that say nothing about the part."""
CORNERS = {
    "left_front": ("FL", "LF"), "right_front": ("FR", "RF"),
    "left_hind": ("HL", "LH", "RL", "LR", "BL", "LB"),
    "right_hind": ("HR", "RH", "RR", "BR", "RB"),
}  # fmt: skip
"""Words of joint names for the four corners of a body: front, hind, rear or back."""
SIDE = 0.02
"""A chain further to a side than this is on that side [m]."""


@dataclass(frozen=True, eq=False)
class FoundChain:
    """Joints in a row, what carries them, and the tool at their end."""

    name: str
    kind: Kind
    joints: tuple[str, ...]
    base: str
    """Body in whose frame its table is: the robot's root, or what moves its first joint."""
    tool: Tool
    reason: str
    """Why it was taken for that."""


@dataclass(frozen=True, eq=False)
class Structure:
    """The parts of a robot."""

    free: bool
    """Whether it moves freely on the floor."""
    why_free: str
    chains: tuple[FoundChain, ...]
    grippers: dict[str, FoundGripper]
    """By the chain that carries them."""
    hands: dict[str, FoundHand]
    """By the chain that carries them."""
    base: FoundBase | None
    passive: tuple[str, ...]
    """Joints that nothing drives."""

    def chain_of(self, joint: str) -> FoundChain | None:
        """Return the chain with a joint."""
        return next((each for each in self.chains if joint in each.joints), None)


def find_structure(
    draft: Draft,
    tree: Tree,
    home: dict[str, float],
    *,
    free: bool | None = None,
    hung: bool = False,
) -> Structure:
    """Return the parts of a robot; the tree is left in the posture to begin in.

    Args:
        draft: What the file says.
        tree: The compiled model.
        home: Posture to begin in. Legs are also looked for with all joints at zero.
        free: Whether it moves freely; None guesses.
        hung: Whether it is hung up because it fell over: its legs are legs all the same.
    """
    tree.place(home)
    base = None if free is False else find_base(draft, tree)
    rolling = set() if base is None else {*base.joints, *base.casters}
    followers = {each.joint for each in draft.followers}
    driven = [j for j in tree.joints if j.name in draft.motors and j.name not in rolling]
    leading = [joint for joint in driven if joint.name not in followers]
    above = _above({joint.name for joint in leading})
    rows = _segments(leading, above)
    hands = find_hands(draft, tree, rows, above, legs_at(tree, rows, home))
    fingers = {joint for hand in hands for joint in hand.joints}
    grippers = [
        each
        for each in find_grippers(draft, tree, [j.name for j in driven])
        if not fingers & {*each.joints, each.carrier}
    ]
    gripping = {joint for each in grippers for joint in each.joints}
    rest = [j for j in leading if j.name not in gripping | fingers]
    carriers = {each.carrier for each in (*grippers, *hands) if each.carrier}
    segments = _segments(rest, _above({joint.name for joint in rest}), carriers)
    legs = legs_at(tree, segments, home)
    if free is None:
        free = bool(draft.free or (is_heavy(tree) and (base is not None or legs)))
    kinds = kinds_of(tree, segments, legs if free or hung else [], carriers)
    names = _names(draft, tree, segments, kinds)
    chains = []
    for segment, (kind, reason), name in zip(segments, kinds, names, strict=True):
        holding = next((g for g in grippers if g.carrier == segment[-1].name), None)
        chains.append(
            FoundChain(
                name=name,
                kind=kind,
                joints=tuple(joint.name for joint in segment),
                base=_base_body(tree, draft, segment[0]),
                tool=tool_of(tree, segment[-1], holding),
                reason=reason,
            )
        )
    chains = _with_upright_tools(tree, chains)
    tree.place(home)
    chains.sort(key=lambda each: _ORDER.index(each.kind))
    carried = {each.joints[-1]: each.name for each in chains}
    why = (
        f"{base.kind} base of {len(base.wheels)} wheels" if base is not None
        else f"{len(legs)} legs end near the floor" if legs and free
        else "asked for" if free
        else "bolted down"
    )  # fmt: skip
    found = {j for each in chains for j in each.joints} | gripping | rolling | followers | fingers
    return Structure(
        free=free,
        why_free="the file says so" if draft.free and free else why,
        chains=tuple(chains),
        grippers=_by_carrier(grippers, carried),
        hands=_by_carrier(hands, carried),
        base=base if free else None,
        passive=tuple(j.name for j in tree.joints if j.name not in found),
    )


def _with_upright_tools(tree: Tree, chains: list[FoundChain]) -> list[FoundChain]:
    """Return the chains, arms with upright tools; the tree is left with all joints at zero."""
    tree.place({})
    return [
        replace(
            each, tool=upright(tree, each.tool, [tree.by_name[j] for j in each.joints], each.base)
        )
        if each.kind == "arm" else each
        for each in chains
    ]  # fmt: skip


_ORDER: tuple[Kind, ...] = ("arm", "leg", "torso", "head", "finger", "joints")


def _by_carrier(held: list[Held], carried: dict[str, str]) -> dict[str, Held]:
    """Return grippers or hands by the chain that carries them; others by their side."""
    found: dict[str, Held] = {}
    for each in held:
        text = " ".join(each.joints).lower()
        side = "left" if "left" in text else "right" if "right" in text else "palm"
        name = carried.get(each.carrier or "", side)
        found[name if name not in found else f"{name}_{len(found) + 1}"] = each
    return found


def _above(known: set[str]) -> Callable[[Joint], str | None]:
    """Return what tells the nearest of some joints that moves another."""

    def above(joint: Joint) -> str | None:
        parent = joint.parent
        while parent is not None and parent.name not in known:
            parent = parent.parent
        return None if parent is None else parent.name

    return above


def _segments(
    joints: list[Joint], above: Callable[[Joint], str | None], ends: Container[str] = ()
) -> list[list[Joint]]:
    """Return rows of joints between the places where the tree of these joints branches.

    A row also ends at each of `ends`: a joint that carries a gripper or a hand.
    """
    children: dict[str | None, list[Joint]] = {}
    for joint in joints:
        children.setdefault(above(joint), []).append(joint)
    found: list[list[Joint]] = []
    for first in joints:
        parent = above(first)
        if parent is not None and len(children[parent]) == 1 and parent not in ends:
            continue
        row = [first]
        while len(children.get(row[-1].name, ())) == 1 and row[-1].name not in ends:
            row.append(children[row[-1].name][0])
        found.append(row)
    return found


def _names(
    draft: Draft,
    tree: Tree,
    segments: list[list[Joint]],
    kinds: list[tuple[Kind, str]],
) -> list[str]:
    """Return a name for each: that of a group of the file with its joints, or of kind and side."""
    groups = {
        frozenset(joints): identifier(name)
        for name, joints in reversed(draft.groups.items())
        if not VAGUE.search(name)
    }
    taken: dict[str, int] = {}
    names = []
    for segment, (kind, _) in zip(segments, kinds, strict=True):
        alike = [s for s, (k, _) in zip(segments, kinds, strict=True) if k == kind]
        wanted = groups.get(frozenset(joint.name for joint in segment))
        if wanted is None:
            side = _side(tree, segment, alike)
            wanted = f"{side}_{kind}" if side else kind
        names.append(wanted)
    counts = {name: names.count(name) for name in names}
    for index, name in enumerate(names):
        if counts[name] > 1:
            taken[name] = taken.get(name, 0) + 1
            names[index] = f"{name}_{taken[name]}"
    return names


def _side(tree: Tree, row: list[Joint], alike: list[list[Joint]]) -> str:
    """Return "left", "right", "left_front", ... of one among several; "" if it is the only one."""
    if len(alike) == 1:
        return ""
    corners = [_corner(each) for each in alike]
    if len(set(corners)) == len(alike) == 4 and "" not in corners:
        return _corner(row)
    places = np.array([_middle(tree, each) for each in alike])
    here = _middle(tree, row)
    side = "left" if here[1] > SIDE else "right" if here[1] < -SIDE else ""
    text = " ".join(joint.name for joint in row).lower()
    if ("left" in text) != ("right" in text):  # its own name counts, whichever way y points
        side = "left" if "left" in text else "right"
    if len(alike) == 4 and np.ptp(places[:, 0]) > 2 * SIDE:
        end = "front" if here[0] > places[:, 0].mean() else "hind"
        return f"{side}_{end}" if side else end
    return side


def _corner(row: list[Joint]) -> str:
    """Return the corner that the first joint of one of four legs names: FL, RF, HL, BR, ..."""
    for word in re.split(r"[^A-Za-z]+", row[0].name):
        for corner, words in CORNERS.items():
            if word.upper() in words:
                return corner
    return ""


def _middle(tree: Tree, row: list[Joint]) -> Array:
    return np.mean([tree.anchor(joint) for joint in row], axis=0)


def _base_body(tree: Tree, draft: Draft, first: Joint) -> str:
    """Return the body in whose frame the table of a chain is."""
    if first.parent is None:
        return draft.root
    return tree.model.body(int(tree.model.body_parentid[first.body])).name
