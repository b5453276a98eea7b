"""Wheels that a model has as driven balls, as our own models of mecanum and omni wheels do.

A ball rolls in all directions and is driven about one axis, given in the frame in which it is
mounted (`jointinparent` with a gear of three numbers): see robots/youbot/model.xml. What is drawn
of the wheel turns on a hinge of its own at the same place, whose axis is the axle.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.importing.roller_search import FoundRollers, leans_by, snapped, within
from mecano.importing.tree import Joint, Tree

BALL, SPHERE = int(mujoco.mjtJoint.mjJNT_BALL), int(mujoco.mjtGeom.mjGEOM_SPHERE)
IN_PARENT = int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)
LEVEL = 0.3
"""An axle stands up by less than this (sine)."""
NEAR_FLOOR = 0.35
"""Balls end within this share of their radius above the lowest point."""
SAME_PLACE = 0.3
"""A hinge within this share of a ball's radius from its middle is the drawn wheel's."""


@dataclass(frozen=True, eq=False)
class BallWheel:
    """A driven ball on the floor, in the frame of the robot's root."""

    joint: str
    body: str
    centre: Array
    """[m]. Shape (3,)."""
    radius: float
    """[m]."""
    direction: float
    """Where a positive rate drives: 0 along x, pi/2 along y [rad]."""
    rollers: FoundRollers
    drawn: str | None
    """Hinge of what is drawn of it; None if there is none."""


def find_balls(tree: Tree) -> list[BallWheel]:
    """Return the driven balls that stand on the floor."""
    model, low = tree.model, tree.lowest()
    found = []
    for number in np.flatnonzero(model.actuator_trntype == IN_PARENT).tolist():
        joint = int(model.actuator_trnid[number, 0])
        body = int(model.jnt_bodyid[joint])
        spheres = [g for g in tree.geoms([body]) if int(model.geom_type[g]) == SPHERE]
        if int(model.jnt_type[joint]) != BALL or len(spheres) != 1:
            continue
        centre, radius = (
            tree.data.geom_xpos[spheres[0]].copy(),
            float(model.geom_size[spheres[0]][0]),
        )
        turned_about = tree.data.xmat[body].reshape(3, 3) @ model.actuator_gear[number, :3]
        size = float(np.linalg.norm(turned_about))
        on_floor = centre[2] - radius < low + NEAR_FLOOR * radius
        if not on_floor or size < 1e-9 or abs(turned_about[2]) > LEVEL * size:
            continue
        drawn = _drawn(tree, centre, radius)
        grip = float(np.arctan2(-turned_about[0], turned_about[1]))
        direction = snapped(_direction(tree, drawn, grip, size))
        angle = snapped(within(grip - direction))
        rollers = FoundRollers(
            angle, (), f"each is driven along one direction only, {leans_by(angle)}"
        )
        found.append(
            BallWheel(
                model.joint(joint).name, model.body(body).name, centre, radius, direction, rollers,
                None if drawn is None else drawn.name,
            )
        )  # fmt: skip
    return found


def _drawn(tree: Tree, centre: Array, radius: float) -> Joint | None:
    """Return the level hinge without limits in the middle of a ball."""
    for joint in tree.joints:
        away = float(np.linalg.norm(tree.anchor(joint) - centre))
        level = abs(float(tree.axis(joint)[2])) < LEVEL
        if joint.endless and not joint.slides and level and away < SAME_PLACE * radius:
            return joint
    return None


def _direction(tree: Tree, drawn: Joint | None, grip: float, size: float) -> float:
    """Return where a wheel rolls by the axle that is drawn, or else by the size of the gear.

    The gear of a wheel whose rollers lean by an angle is 1 / cos(angle).
    """
    if drawn is not None:
        axis = tree.axis(drawn)
        way = float(np.arctan2(-axis[0], axis[1]))
        return way if np.cos(grip - way) >= 0.0 else way + np.pi
    lean = float(np.arccos(np.clip(1.0 / size, -1.0, 1.0)))
    return min((grip - lean, grip + lean), key=lambda way: abs(np.sin(way)))
