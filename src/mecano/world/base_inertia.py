"""What a base on wheels and all that it carries weigh, in the posture of this instant."""

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from mecano.world.world import World


@dataclass(frozen=True)
class BaseInertia:
    """Seen from the base, x forward, y left."""

    mass: float
    """[kg]."""
    centre: tuple[float, float]
    """[m]."""
    moment: float
    """About the vertical through the base's origin [kg m2]."""
    rolling: tuple[float, ...]
    """Moment of each wheel about its axle [kg m2]."""
    free: bool
    """Whether wheels are balls that roll in any direction."""
    damping: tuple[float, ...]
    """Of the axles [N m s/rad]."""
    friction: tuple[float, ...]
    """Dry, of the axles [N m]."""


class BaseWeigher:
    """Reads the inertia of a base off the world."""

    def __init__(self, world: World, frame: str, wheels: Sequence[str], *, prefix: str) -> None:
        """Look up bodies and joints once.

        Args:
            world: Where the base is.
            frame: Body that stands for it.
            wheels: Joints of the wheels.
            prefix: Of the robot in the world.
        """
        model = world.model
        self._world, self._frame = world, world.index("body", prefix + frame)
        root = model.body_rootid[self._frame]
        self._bodies = np.flatnonzero(model.body_rootid == root)
        joints = [model.joint(prefix + name) for name in wheels]
        self._dofs = [int(joint.dofadr[0]) for joint in joints]
        whole = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, world.data, whole)
        self._rolling = tuple(float(whole[dof, dof]) for dof in self._dofs)
        self._free = all(int(joint.type[0]) == mujoco.mjtJoint.mjJNT_BALL for joint in joints)

    def weigh(self) -> BaseInertia:
        """Return what it is now."""
        model, data, bodies = self._world.model, self._world.data, self._bodies
        R, origin = data.xmat[self._frame].reshape(3, 3), data.xpos[self._frame]
        masses = model.body_mass[bodies]
        places = (data.xipos[bodies] - origin) @ R
        mass = float(masses.sum())
        centre = masses @ places / mass
        # A body's moment about the base's z: its principal moments, by how its axes lie to z.
        lies = np.einsum("bij,i->bj", data.ximat[bodies].reshape(-1, 3, 3), R[:, 2])
        own = (model.body_inertia[bodies] * lies**2).sum()
        around = (masses * (places[:, 0] ** 2 + places[:, 1] ** 2)).sum()
        return BaseInertia(
            mass=mass,
            centre=(float(centre[0]), float(centre[1])),
            moment=float(own + around),
            rolling=self._rolling,
            free=self._free,
            damping=tuple(model.dof_damping[self._dofs].tolist()),
            friction=tuple(model.dof_frictionloss[self._dofs].tolist()),
        )
