"""Wheels, found by their joints and shapes, and the layout that they make."""

import re
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from mecano.core.arrays import Array
from mecano.importing.ball_wheels import BallWheel, find_balls
from mecano.importing.draft import Draft
from mecano.importing.roller_search import (
    FoundRollers,
    leaning_in_turn,
    rollers_by_name,
    rollers_of,
    snapped,
)
from mecano.importing.tree import MESH, Joint, Tree
from mecano.kinematics.transforms import rotation_z

BaseKind = Literal["differential", "skid-steered", "mecanum", "omni"]
LEVEL = 0.3
"""An axle stands up by less than this (sine)."""
ROUND = 0.1
"""How much a wheel may be out of round, of its radius."""
NEAR_FLOOR = 0.35
"""Wheels end within this share of their radius above the lowest point."""
CASTER = re.compile(r"caster|castor|swivel", re.IGNORECASE)
WHEEL = re.compile(r"wheel|(?<![a-z])tire|tyre", re.IGNORECASE)
LEAST_BALLS = 3
"""A base stands on at least so many driven balls."""
CROSSED = 0.25
"""Axles that differ by more than this (sine) would jam without rollers."""
LEANING = (0.35, 1.22)
"""Rollers of mecanum wheels lean against the way of the wheel by an angle between these [rad]."""


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
    direction: float
    """Where a positive rate drives: 0 along x, pi/2 along y; plain wheels: from `heading` [rad]."""
    rollers: FoundRollers | None = None
    """None for a plain wheel."""
    ball: bool = False
    """Whether the model has it as a driven ball already."""
    drawn: str = ""
    """Hinge of what is drawn of such a ball; "" if there is none."""


@dataclass(frozen=True, eq=False)
class FoundBase:
    """A base on wheels."""

    kind: BaseKind
    wheels: tuple[FoundWheel, ...]
    """Left ones first, front to back."""
    casters: tuple[str, ...]
    """Joints of wheels that nothing drives, and of rollers."""
    reason: str
    heading: float = 0.0
    """Where it drives forward, in the frame of the robot's root: 0 along x, pi/2 along y [rad]."""
    track: float | None = None
    """Of a skid-steered base: left to right of two wheels that would turn it alike, measured in
    simulation [m]."""
    measured: str = ""
    """How it was."""

    @property
    def joints(self) -> tuple[str, ...]:
        """Of the driven wheels."""
        return tuple(wheel.joint for wheel in self.wheels)

    @property
    def middle(self) -> Array:
        """Of its wheels [m]. Shape (3,)."""
        return np.mean([wheel.centre for wheel in self.wheels], axis=0)

    def place(self, wheel: FoundWheel) -> Array:
        """Return where a wheel is from the middle, with x along the heading [m]. Shape (3,)."""
        return rotation_z(-self.heading)[:3, :3] @ (wheel.centre - self.middle)


def find_base(draft: Draft, tree: Tree) -> FoundBase | None:
    """Return the wheels that a robot drives on; None if there are fewer than two."""
    low, balls = tree.lowest(), find_balls(tree)
    if len(balls) >= LEAST_BALLS:
        return _on_balls(balls)
    passive = [j for j in tree.joints if CASTER.search(j.name + " " + _body_name(tree, j))]
    casters = {j.name for j in passive} | {b.name for j in passive for b in tree.below(j)}
    found = [
        wheel
        for joint in tree.joints
        if joint.name in draft.motors and joint.name not in casters
        if (wheel := _wheel(draft, tree, joint, low)) is not None
    ]
    rollers = {j for w in found if w.rollers is not None for j in w.rollers.joints}
    found = [wheel for wheel in found if wheel.joint not in rollers]
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
    kind, found, why = _kind(tree, found)
    heading = _heading(found) if kind in ("differential", "skid-steered") else 0.0
    if heading:
        why += f"; it drives along {np.degrees(heading):.0f} degrees of the root's x axis"
    if kind in ("differential", "skid-steered"):
        ways = [0.0 if np.cos(w.direction - heading) >= 0.0 else np.pi for w in found]
        found = [replace(w, direction=way) for w, way in zip(found, ways, strict=True)]
    loose = tuple(sorted(casters | extra | rollers))
    base = FoundBase(kind, tuple(found), loose, why, heading)
    ordered = sorted(found, key=lambda w: (base.place(w)[1] < 0.0, -base.place(w)[0]))
    return replace(base, wheels=tuple(ordered))


def _on_balls(balls: list[BallWheel]) -> FoundBase:
    """Return a base on driven balls; what is drawn of its wheels turns on joints of its own."""
    wheels = [
        FoundWheel(
            joint=each.joint, body=each.body, centre=each.centre, radius=each.radius,
            width=each.radius, direction=each.direction, rollers=each.rollers, ball=True,
            drawn=each.drawn or "",
        )
        for each in balls
    ]  # fmt: skip
    why = f"{len(balls)} driven balls that touch the floor; {balls[0].rollers.reason}"
    drawn = tuple(each.drawn for each in balls if each.drawn is not None)
    base = FoundBase(_rolling_kind(wheels), tuple(wheels), drawn, why)
    ordered = sorted(wheels, key=lambda w: (base.place(w)[1] < 0.0, -base.place(w)[0]))
    return replace(base, wheels=tuple(ordered))


def _rolling_kind(found: list[FoundWheel]) -> BaseKind:
    """Return what wheels with rollers make."""
    leans = [abs(w.rollers.angle) for w in found if w.rollers is not None]
    return "mecanum" if all(LEANING[0] < lean < LEANING[1] for lean in leans) else "omni"


def _heading(found: list[FoundWheel]) -> float:
    """Return where plain wheels roll; a little beside x is along x [rad]."""
    way = found[0].direction % np.pi
    return 0.0 if abs(np.sin(way)) < CROSSED else snapped(float(way))


def _kind(tree: Tree, found: list[FoundWheel]) -> tuple[BaseKind, list[FoundWheel], str]:
    """Return what the wheels make, with their rollers, and why."""
    count = f"{len(found)} round shapes on level axles that touch the floor"
    if any(wheel.rollers is None for wheel in found):
        found = _with_guessed_rollers(tree, found)
    said = next((w.rollers.reason for w in found if w.rollers is not None), "")
    if not said:
        kind: BaseKind = "differential" if len(found) == 2 else "skid-steered"
        return kind, found, count
    if len(found) == 4 and all(_slides_only(w, found[0]) for w in found):
        middle = np.mean([w.centre for w in found], axis=0)
        found = [replace(w, rollers=leaning_in_turn(w.centre - middle, w.direction)) for w in found]
        said += (
            ", which on parallel axles could not strafe: taken for mecanum wheels, an X from above"
        )
    return _rolling_kind(found), found, f"{count}; {said}"


def _with_guessed_rollers(tree: Tree, found: list[FoundWheel]) -> list[FoundWheel]:
    """Return wheels with the rollers that their names or crossed axles tell of, if they do."""
    middle = np.mean([w.centre for w in found], axis=0)
    texts = [_words(tree, tree.by_name[w.joint]) for w in found]
    guesses = [
        rollers_by_name(text, w.centre - middle, w.direction, len(found))
        for text, w in zip(texts, found, strict=True)
    ]
    if all(guess is not None for guess in guesses):
        return [replace(w, rollers=g) for w, g in zip(found, guesses, strict=True)]
    turned = [abs(np.sin(w.direction - found[0].direction)) for w in found]
    if len(found) < 3 or max(turned) < CROSSED:
        return [replace(w, rollers=None) for w in found]
    omni = FoundRollers(0.0, (), "their axles cross, so plain wheels would jam: omni wheels")
    return [replace(w, rollers=omni) for w in found]


def _slides_only(wheel: FoundWheel, first: FoundWheel) -> bool:
    """Tell whether a wheel is said to slide along its axle, which is parallel to another one's."""
    parallel = abs(np.sin(wheel.direction - first.direction)) < CROSSED
    rollers = wheel.rollers
    plain = rollers is not None and not rollers.joints and abs(rollers.angle) < LEANING[0]
    return bool(parallel and plain)


def _wheel(draft: Draft, tree: Tree, joint: Joint, low: float) -> FoundWheel | None:
    named = bool(WHEEL.search(joint.name + " " + _body_name(tree, joint)))
    axis, geoms = tree.axis(joint), tree.geoms(tree.bodies_moved(joint))
    if joint.slides or abs(axis[2]) > LEVEL or not geoms:
        return None
    direction = snapped(float(np.arctan2(-axis[0], axis[1])))  # of axis x up: where it rolls
    rollers = rollers_of(draft, tree, joint, direction)
    carries = tree.children[joint.name] and not (rollers is not None and rollers.joints)
    if carries or not (joint.endless or named):
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
        direction=direction,
        rollers=rollers,
    )


def _is_steered(tree: Tree, joint: Joint) -> bool:
    """Tell whether a wheel hangs on a joint that turns it about the vertical."""
    above = joint.parent
    return above is not None and not above.slides and abs(float(tree.axis(above)[2])) > 0.9


def _body_name(tree: Tree, joint: Joint) -> str:
    return tree.model.body(joint.body).name


def _words(tree: Tree, joint: Joint) -> str:
    """Return the names of a wheel: of its joint, its body and its meshes."""
    model, bodies = tree.model, tree.bodies_moved(joint)
    meshes = {
        int(model.geom_dataid[g])
        for g in range(model.ngeom)
        if int(model.geom_bodyid[g]) in bodies and int(model.geom_type[g]) == MESH
    }
    return " ".join([joint.name, _body_name(tree, joint), *(model.mesh(m).name for m in meshes)])
