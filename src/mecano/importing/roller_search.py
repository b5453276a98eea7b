"""Rollers of mecanum and omni wheels: links of their own, a direction of friction, or a name.

The angle of a roller is that of its axis, when it touches the floor, against the way that the wheel
rolls: 0 is an omni wheel, +-pi/4 are mecanum wheels (as in kinematics/wheels.py).
"""

import re
from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.importing.draft import Draft
from mecano.importing.tree import Joint, Tree

LEAST_ROLLERS = 4
"""A wheel has at least this many."""
PARALLEL = 0.95
"""Rollers do not turn about the axle of their wheel (cosine)."""
MECANUM = re.compile(r"mecanum|mechanum|ilon", re.IGNORECASE)
OMNI = re.compile(r"omni|swedish|rotacaster", re.IGNORECASE)
GRIP = 5.0
"""Friction along a roller's axis is at least this many times that across it."""


@dataclass(frozen=True, eq=False)
class FoundRollers:
    """The rollers of a wheel."""

    angle: float
    """Of their axis on the floor against the way of the wheel, -pi/2 to pi/2 [rad]."""
    joints: tuple[str, ...]
    """Of their own, where the file has them as links."""
    reason: str


def rollers_of(draft: Draft, tree: Tree, wheel: Joint, direction: float) -> FoundRollers | None:
    """Return the rollers that a file shows: links on a wheel, or friction in one direction."""
    links = _links(tree, wheel)
    return links if links is not None else _by_friction(draft, tree, wheel, direction)


def _links(tree: Tree, wheel: Joint) -> FoundRollers | None:
    rollers = tree.children[wheel.name]
    if len(rollers) < LEAST_ROLLERS or any(r.slides or tree.children[r.name] for r in rollers):
        return None
    axle = tree.axis(wheel)
    angles = []
    for roller in rollers:
        axis, away = tree.axis(roller), _middle(tree, roller) - tree.anchor(wheel)
        out = away - (away @ axle) * axle
        size = float(np.linalg.norm(out))
        if size < 1e-6 or abs(float(axis @ axle)) > PARALLEL:
            return None
        # at the floor, where `out` points down, forward is axle x up: there it was axle x (-out)
        forward = np.cross(axle, -out / size)
        angles.append(float(np.arctan2(axis @ axle, axis @ forward)))
    # up x forward, the left of the way, is the axle
    doubled = np.mean(np.exp(2j * np.array(angles)))
    if abs(doubled) < 0.9:
        return None  # they lean in different ways
    angle = snapped(within(float(np.angle(doubled)) / 2))
    names = tuple(each.name for each in rollers)
    return FoundRollers(angle, names, f"{len(rollers)} rollers on each that lean {leans_by(angle)}")


def _by_friction(draft: Draft, tree: Tree, wheel: Joint, direction: float) -> FoundRollers | None:
    """Return rollers where the file gives friction in one direction only (Gazebo's fdir1)."""
    said = draft.grips.get(tree.model.body(wheel.body).name)
    if said is None or max(said.along, said.across) < GRIP * min(said.along, said.across):
        return None
    body = tree.model.body(said.body).id
    way = tree.data.xmat[body].reshape(3, 3) @ np.asarray(said.direction, float)
    if np.hypot(way[0], way[1]) < 0.5 * np.linalg.norm(way):
        return None  # it points up or down
    angle = float(np.arctan2(way[1], way[0])) - direction
    angle = within(angle if said.along >= said.across else angle + np.pi / 2)
    angle = snapped(angle)
    if abs(np.cos(angle)) < 0.2:
        return None  # it grips sideways only: no driven wheel
    return FoundRollers(angle, (), f"they grip along one direction only ({leans_by(angle)})")


def rollers_by_name(text: str, place: Array, direction: float, wheels: int) -> FoundRollers | None:
    """Return the rollers that names tell of: mecanum wheels lean in turn, as in an X from above.

    Args:
        text: All names of the wheel.
        place: Where it is, from the middle of the wheels [m].
        direction: Where a positive rate drives [rad].
        wheels: How many there are.
    """
    if MECANUM.search(text) and wheels == 4:
        return leaning_in_turn(place, direction)
    if OMNI.search(text) and wheels >= 3:
        return FoundRollers(0.0, (), "omni wheels by their names")
    return None


def leaning_in_turn(place: Array, direction: float) -> FoundRollers:
    """Return the rollers of one of four mecanum wheels, by the corner that it is at."""
    lean = -np.pi / 4 if place[0] * place[1] > 0.0 else np.pi / 4
    angle = within(lean - (0.0 if np.cos(direction) >= 0.0 else np.pi))
    return FoundRollers(angle, (), "mecanum by their names, rollers as an X from above")


def snapped(angle: float) -> float:
    """Return an angle; within a thousandth of a multiple of 15 degrees it is that [rad]."""
    whole = round(angle * 12 / np.pi) * np.pi / 12
    return float(whole) if abs(angle - whole) < 1e-3 else angle


def _middle(tree: Tree, joint: Joint) -> Array:
    """Return the middle of what a joint moves [m]."""
    geoms = tree.geoms(tree.bodies_moved(joint))
    if not geoms:
        return tree.anchor(joint)
    return np.mean([tree.data.geom_xpos[geom] for geom in geoms], axis=0)


def within(angle: float) -> float:
    """Return the angle of an axis, which has no sense, within -pi/2 and pi/2."""
    return float((angle + np.pi / 2) % np.pi - np.pi / 2)


def leans_by(angle: float) -> str:
    """Return the angle of rollers in words."""
    return f"by {abs(np.degrees(angle)):.0f} degrees against its way"
