"""What a robot covers of the floor: the convex outline of all its shapes, seen from above.

It follows the posture: arms that reach out make it larger. A planner keeps it clear of obstacles.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from math import cos, pi

import mujoco
import numpy as np
from scipy.spatial import ConvexHull

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput, UnknownName

ROUND = 16
"""Corners in the place of a circle; they lie so far outside that the circle is inside."""
KINDS = mujoco.mjtGeom


class Footprint:
    """One robot of a model, in any posture."""

    def __init__(self, model: mujoco.MjModel, base: str, joints: Sequence[str]) -> None:
        """Gather the shapes once.

        Args:
            model: With the robot in it.
            base: Its body whose frame the outline is in, with the prefix.
            joints: What is told of a posture, with the prefix; the others stay at their own zero.
        """
        self.model, self._data = model, mujoco.MjData(model)
        self._base = model.body(base).id
        self._address: dict[str, int] = {name: int(model.joint(name).qposadr[0]) for name in joints}
        root = model.body_rootid[self._base]
        solid = (model.geom_contype | model.geom_conaffinity) != 0
        own = np.flatnonzero((model.body_rootid[model.geom_bodyid] == root) & solid)
        if not len(own):
            raise InvalidInput(f"body '{base}' has no shapes, so it covers nothing of the floor")
        corners = [_corners(model, int(geom)) for geom in own]
        self._geoms = np.repeat(own, [len(points) for points, _ in corners])
        self._points = np.vstack([points for points, _ in corners])
        self._radii = np.repeat([radius for _, radius in corners], [len(p) for p, _ in corners])

    def outline(self, posture: Mapping[str, float], *, margin: float = 0.0) -> Array:
        """Return the corners of the outline, counter-clockwise, in the frame of the base [m].

        Args:
            posture: Joint values by name, with the prefix [rad].
            margin: Widen it by this much on all sides [m].

        Returns:
            Shape (k, 2).
        """
        margin = finite_number(margin, name="margin [m]", lower=0.0, upper=2.0)
        data = self._data
        for name, value in posture.items():
            if name not in self._address:
                raise UnknownName("joint", name, self._address)
            data.qpos[self._address[name]] = finite_number(value, name=f"{name} [rad]")
        mujoco.mj_kinematics(self.model, data)
        turn, place = data.xmat[self._base].reshape(3, 3), data.xpos[self._base]
        turns = data.geom_xmat[self._geoms].reshape(-1, 3, 3)
        world = np.einsum("nij,nj->ni", turns, self._points) + data.geom_xpos[self._geoms]
        flat = ((world - place) @ turn)[:, :2]
        radii = self._radii + margin
        rounded = radii > 0.0
        circles = flat[rounded, None, :] + radii[rounded, None, None] * _circle(ROUND)
        points = np.vstack([flat[~rounded], circles.reshape(-1, 2)])
        return points[ConvexHull(points).vertices]


def _corners(model: mujoco.MjModel, geom: int) -> tuple[Array, float]:
    """Return points of a shape whose convex hull, widened by a radius [m], is the shape."""
    size, kind = model.geom_size[geom], int(model.geom_type[geom])
    if kind == KINDS.mjGEOM_SPHERE:
        return np.zeros((1, 3)), float(size[0])
    if kind == KINDS.mjGEOM_CAPSULE:
        return np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]]), float(size[0])
    if kind == KINDS.mjGEOM_BOX:
        signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
        return signs * size, 0.0
    if kind == KINDS.mjGEOM_CYLINDER:
        ring = size[0] * _circle(2 * ROUND)
        return np.vstack([np.column_stack([ring, np.full(len(ring), z)])
                          for z in (-size[1], size[1])]), 0.0  # fmt: skip
    if kind == KINDS.mjGEOM_ELLIPSOID:
        return np.zeros((1, 3)), float(size.max())
    if kind == KINDS.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        vertices = np.array(model.mesh_vert[first : first + count], float)
        return vertices[ConvexHull(vertices).vertices], 0.0
    name = model.geom(geom).name or f"geom {geom}"
    raise InvalidInput(f"shape '{name}' is of a kind without an outline; use simple shapes")


@cache
def _circle(corners: int) -> Array:
    """Return the corners of a regular polygon around the unit circle. Shape (corners, 2)."""
    angles = 2.0 * pi * np.arange(corners) / corners
    return np.column_stack([np.cos(angles), np.sin(angles)]) / cos(pi / corners)
