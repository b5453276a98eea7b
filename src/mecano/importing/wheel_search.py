"""Wheels, found by their joints and shapes, and the layout that they make."""

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mecano.core.arrays import Array
from mecano.importing.draft import Draft
from mecano.importing.tree import Joint, Tree

BaseKind = Literal["differential", "skid-steered", "mecanum", "omni"]
LEVEL = 0.3
"""An axle stands up by less than this (sine)."""
ROUND = 0.1
"""How much a wheel may be out of round, of its radius."""
NEAR_FLOOR = 0.35
"""Wheels end within this share of their radius above the lowest point."""
CASTER = re.compile(r"caster|castor|swivel", re.IGNORECASE)
WHEEL = re.compile(r"wheel|(?<![a-z])tire|tyre", re.IGNORECASE)
STEER = re.compile(r"steer|rotation", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class FoundWheel:
    """A driven wheel, in the frame of the base: x forward, y left, z up from the floor."""

    joint: str
    body: str
    centre: Array
    """[m]."""
    radius: float
    """[m]."""
    width: float
    """[m]."""
    forward: float
    """1 if a positive rate drives forward, -1 if backward."""


@dataclass(frozen=True, eq=False)
class FoundBase:
    """A base on wheels."""

    kind: BaseKind
    wheels: tuple[FoundWheel, ...]
    """Left ones first, front to back."""
    casters: tuple[str, ...]
    """Joints of wheels that nothing drives."""
    reason: str

    @property
    def joints(self) -> tuple[str, ...]:
        """Of the driven wheels."""
        return tuple(wheel.joint for wheel in self.wheels)


def find_base(draft: Draft, tree: Tree) -> FoundBase | None:
    """Return the wheels that a robot drives on; None if there are fewer than two."""
    low = tree.lowest()
    passive = [j for j in tree.joints if CASTER.search(j.name + " " + _body_name(tree, j))]
    casters = {j.name for j in passive} | {b.name for j in passive for b in tree.below(j)}
    found = [
        wheel
        for joint in tree.joints
        if joint.name in draft.motors and joint.name not in casters
        if (wheel := _wheel(tree, joint, low)) is not None
    ]
    if len(found) < 2:
        return None
    steered = [w for w in found if _is_steered(tree, tree.by_name[w.joint])]
    if steered and len(steered) == len(found):
        return None
    found = [w for w in found if w not in steered]
    extra = {w.joint for w in steered} | {
        tree.by_name[w.joint].parent.name  # type: ignore[union-attr]
        for w in steered
    }
    names = " ".join(w.joint + " " + w.body for w in found).lower()
    found.sort(key=lambda w: (w.centre[1] < 0.0, -w.centre[0]))
    kind: BaseKind = "differential" if len(found) == 2 else "skid-steered"
    why = f"{len(found)} round shapes on level axles that touch the floor"
    if "mecanum" in names and len(found) == 4:
        kind = "mecanum"
    elif "omni" in names and len(found) >= 3:
        kind = "omni"
    return FoundBase(kind, tuple(found), tuple(sorted(casters | extra)), why)


def _wheel(tree: Tree, joint: Joint, low: float) -> FoundWheel | None:
    named = bool(WHEEL.search(joint.name + " " + _body_name(tree, joint)))
    if joint.slides or tree.children[joint.name] or not (joint.endless or named):
        return None
    axis, geoms = tree.axis(joint), tree.geoms(tree.bodies_moved(joint))
    if abs(axis[2]) > LEVEL or not geoms:
        return None
    points = np.concatenate([tree.points(geom) for geom in geoms]) - tree.anchor(joint)
    along = points @ axis
    radii = np.linalg.norm(points - np.outer(along, axis), axis=1)
    radius, middle = float(radii.max()), 0.5 * float(along.min() + along.max())
    across = points - np.outer(along, axis)
    up = np.cross(axis, [0.0, 0.0, 1.0])
    heights = np.ptp(across[:, 2]) / 2, np.ptp(across @ (up / np.linalg.norm(up))) / 2
    is_round = abs(heights[0] - heights[1]) < ROUND * radius and radius > 0.01
    touches = float(tree.anchor(joint)[2]) - heights[0] < low + NEAR_FLOOR * radius
    if not (touches and (is_round or named)):
        return None
    return FoundWheel(
        joint=joint.name,
        body=_body_name(tree, joint),
        centre=tree.anchor(joint) + middle * axis,
        radius=float(heights[0]),
        width=max(float(np.ptp(along)), 0.1 * radius),
        forward=1.0 if np.cross(axis, [0.0, 0.0, 1.0])[0] >= 0.0 else -1.0,
    )


def _is_steered(tree: Tree, joint: Joint) -> bool:
    """Tell whether a wheel hangs on a joint that turns it about the vertical."""
    above = joint.parent
    return above is not None and not above.slides and abs(float(tree.axis(above)[2])) > 0.9


def _body_name(tree: Tree, joint: Joint) -> str:
    return tree.model.body(joint.body).name
