"""Where the centre of mass of a robot and the ends of its legs are, by its model."""

from collections.abc import Mapping
from itertools import product

import mujoco
import numpy as np

from mecano.core.arrays import Array

LEVEL = 0.003
"""Points of a foot within this of its lowest one are its sole [m]."""


class MassCentre:
    """The centre of mass of a robot, in the frame of its root body."""

    def __init__(self, model: mujoco.MjModel, joint: str, prefix: str = "") -> None:
        """Look up the root body that a joint hangs on; `prefix` is that of the robot's names."""
        self._model, self._data, self._prefix = model, mujoco.MjData(model), prefix
        body = int(model.jnt_bodyid[model.joint(prefix + joint).id])
        self._body = int(model.body_rootid[body])
        gravity = float(np.linalg.norm(model.opt.gravity))
        self.weight = float(model.body_subtreemass[self._body]) * gravity
        """Of the whole robot [N]."""

    def __call__(self, joints: Mapping[str, float]) -> Array:
        """Return where it is with these joint values, all others at their start [m]. Shape (3,)."""
        data = self._data
        for name, value in joints.items():
            data.joint(self._prefix + name).qpos[0] = value
        mujoco.mj_kinematics(self._model, data)
        mujoco.mj_comPos(self._model, data)
        R = data.xmat[self._body].reshape(3, 3)
        return R.T @ (data.subtree_com[self._body] - data.xpos[self._body])

    def frame(self, site: str) -> Array:
        """Return the pose of a site in the root's frame, as joints were last given."""
        data = self._data
        R, T = data.xmat[self._body].reshape(3, 3), np.eye(4)
        tool = data.site(self._prefix + site)
        T[:3, :3] = R.T @ tool.xmat.reshape(3, 3)
        T[:3, 3] = R.T @ (tool.xpos - data.xpos[self._body])
        return T

    def sole(self, site: str) -> tuple[Array, float]:
        """Return what a leg stands on, as joints were last given: a point, and how round it is.

        Args:
            site: Fixed to the last link of the leg.

        Returns:
            Centre of the lowest sphere of that link and its radius, or else the middle of its
            lowest points and 0; in the frame of the site [m].
        """
        model, data = self._model, self._data
        number = model.site(self._prefix + site).id
        R, up = data.xmat[self._body].reshape(3, 3), data.xmat[self._body].reshape(3, 3)[:, 2]
        weld = model.body_weldid[model.site_bodyid[number]]
        solid = (model.geom_contype | model.geom_conaffinity) != 0
        geoms = np.flatnonzero((model.body_weldid[model.geom_bodyid] == weld) & solid)
        here, turned = data.site_xpos[number], data.site_xmat[number].reshape(3, 3)
        if not len(geoms):
            return np.zeros(3), 0.0
        clouds = {int(geom): _points(model, data, int(geom), R) for geom in geoms}
        lowest = min(clouds, key=lambda geom: float((clouds[geom] @ up).min()))
        if model.geom_type[lowest] == int(mujoco.mjtGeom.mjGEOM_SPHERE):
            point, radius = data.geom_xpos[lowest], float(model.geom_size[lowest, 0])
        else:
            heights = clouds[lowest] @ up
            point, radius = clouds[lowest][heights < heights.min() + LEVEL].mean(axis=0), 0.0
        return turned.T @ (point - here), radius


def _points(model: mujoco.MjModel, data: mujoco.MjData, geom: int, R: Array) -> Array:
    """Return points of a geom, its lowest one among them; up is z of `R` [m]. Shape (n, 3)."""
    centre, axes = data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3)
    size, down = model.geom_size[geom], -R[:, 2]
    kind = mujoco.mjtGeom(int(model.geom_type[geom]))
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        return centre + model.mesh_vert[first : first + count] @ axes.T
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return (centre + size[0] * down)[None]
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        ends = np.array([centre + size[1] * axes[:, 2], centre - size[1] * axes[:, 2]])
        return ends + size[0] * down
    half = size if kind == mujoco.mjtGeom.mjGEOM_BOX else size[[0, 0, 1]]
    signs = np.array(list(product((1.0, -1.0), repeat=3)))
    return centre + (signs * half) @ axes.T
