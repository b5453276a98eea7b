"""Questions about a robot that do not touch the running world: dynamics, collisions, distances.

It has scratch data of its own, so it answers "what if" while the world goes on. It serves the
simulated robot (with the world's own model, surroundings included) and the real one (with a model
made from the description).
"""

from dataclasses import dataclass
from math import isfinite

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose
from mecano.robots.description import RobotDescription
from mecano.world.world import site_pose

SLACK = 2e-4
"""Shapes may be this far inside each other before it counts as a collision [m]: solids rest on
each other slightly overlapped."""
DEEPER = 1e-3
"""What touched before may go this much deeper before it counts again [m]."""

ELSE, BASE, ARM, HAND, LOOSE, OTHER_HAND = range(6)
"""To whom a shape belongs: surroundings and other robots, what this robot's arm stands on, its
links, its fingers, a body that can be carried, the hand of another arm."""
ACTS_FIRST = (HAND, ARM, OTHER_HAND, LOOSE, BASE, ELSE)
"""Whose name comes first when two touch: who moved, then what was moved into."""


@dataclass(frozen=True)
class Touch:
    """Two bodies that touch and should not."""

    pair: tuple[str, str]
    """The robot's own body first."""
    depth: float
    """How far they are inside each other [m]."""

    def is_new(self, before: "Touch | None") -> bool:
        """Tell whether this is another touch than one there was, or the same but deeper."""
        return before is None or self.pair != before.pair or self.depth > before.depth + DEEPER


@dataclass(frozen=True, eq=False)
class Carried:
    """A loose body that moves with the tool."""

    body: str
    T_tool_body: Pose


class RobotModel:
    """One robot of a model, and what it would do."""

    def __init__(
        self,
        model: mujoco.MjModel,
        robot: RobotDescription,
        *,
        prefix: str = "",
        chain: str = "arm",
    ) -> None:
        """Look up the robot's parts; all calls after that are by number."""
        self.model, self.data = model, mujoco.MjData(model)
        self.names = tuple(prefix + name for name in robot.chain(chain).joint_names)
        joints = [model.joint(name) for name in self.names]
        self.positions = np.array([joint.qposadr[0] for joint in joints])
        self.velocities = np.array([joint.dofadr[0] for joint in joints])
        self._springs = np.array([model.jnt_stiffness[joint.id] for joint in joints])
        self._has_springs = bool(self._springs.any())
        self.tool = model.site(prefix + robot.tool_site(chain)).id
        hands = {name: hand.bodies for name, hand in robot.hands.items()}
        if robot.gripper is not None:
            hands[chain] = robot.gripper.bodies
        kinds = {
            prefix + body: HAND if name == chain else OTHER_HAND
            for name, bodies in hands.items()
            for body in bodies
        }
        self.owner = _owners(model, self.tool, prefix, int(joints[0].bodyid[0]), kinds)

    # --- dynamics: the other joints rest where the scratch state has them

    def mass_matrix(self, q: Array) -> Array:
        """Return the joint-space inertia [kg m2]. Shape (n, n)."""
        self._place(q)
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_crb(self.model, self.data)
        mujoco.mj_fullM(self.model, self.data, full)
        return full[np.ix_(self.velocities, self.velocities)]

    def gravity_torque(self, q: Array) -> Array:
        """Return the torques that hold the arm still [N m]. Shape (n,)."""
        return self.inverse_dynamics(q, np.zeros(len(q)), np.zeros(len(q)))

    def coriolis_torque(self, q: Array, velocity: Array) -> Array:
        """Return the torques that the motion itself asks for, gravity aside [N m]. Shape (n,)."""
        moving = self.inverse_dynamics(q, velocity, np.zeros(len(q)))
        return moving - self.gravity_torque(q)

    def inverse_dynamics(self, q: Array, velocity: Array, acceleration: Array) -> Array:
        """Return the torques that make the arm move like this, friction aside [N m]. Shape (n,).

        Springs in the joints are part of it.
        """
        self._place(q)
        self.data.qvel[:] = 0.0
        self.data.qacc[:] = 0.0
        self.data.qvel[self.velocities] = velocity
        self.data.qacc[self.velocities] = acceleration
        mujoco.mj_comVel(self.model, self.data)
        torque = np.zeros(self.model.nv)
        mujoco.mj_rne(self.model, self.data, 1, torque)
        armature = self.model.dof_armature[self.velocities]
        torques = torque[self.velocities] + armature * acceleration
        if self._has_springs:
            torques += self._springs * (q - self.model.qpos_spring[self.positions])
        return torques

    def jacobian(self, q: Array) -> Array:
        """Return the Jacobian of the tool in world axes, linear rows first. Shape (6, n)."""
        self._place(q)
        linear, angular = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
        mujoco.mj_jacSite(self.model, self.data, linear, angular, self.tool)
        return np.vstack([linear, angular])[:, self.velocities]

    def tool_pose(self, q: Array) -> Pose:
        """Return where the tool would be in the world."""
        self._place(q)
        return site_pose(self.data, self.tool)

    # --- collisions

    def forget(self) -> None:
        """Forget where everything was last seen."""
        mujoco.mj_resetData(self.model, self.data)

    def look_at(self, data: mujoco.MjData) -> None:
        """Take over where everything in the world is now."""
        self.data.qpos[:] = data.qpos

    def collision(self, q: Array, carried: Carried | None = None) -> Touch | None:
        """Return what would collide at `q`, or None.

        Fingers may touch loose bodies, that is what they are for. A carried body moves along and
        may not run into anything either, but another hand may help to carry it.
        """
        self._place(q)
        if carried is not None:
            self._carry(carried)
        mujoco.mj_collision(self.model, self.data)
        return self.unwanted_contact(self.data, SLACK, carried)

    def unwanted_contact(
        self, data: mujoco.MjData, slack: float, carried: Carried | None = None
    ) -> Touch | None:
        """Return the deepest contact that is deeper than `slack` and not wanted."""
        if not data.ncon:
            return None
        geoms, depths = data.contact.geom[: data.ncon], -data.contact.dist[: data.ncon]
        owners = self.owner[geoms]
        mine = ((owners == ARM) | (owners == HAND)).any(axis=1)
        fingers, loose = owners == HAND, owners == LOOSE
        bad = mine & ~(fingers.any(axis=1) & (fingers | loose).all(axis=1))
        if carried is not None:
            held = (self.model.geom_bodyid[geoms] == self.model.body(carried.body).id).any(axis=1)
            bad |= held & ~(fingers | (owners == OTHER_HAND)).any(axis=1)
        bad &= depths > slack
        if not bad.any():
            return None
        worst = int(np.argmax(np.where(bad, depths, -np.inf)))
        one, other = geoms[worst]
        if ACTS_FIRST.index(self.owner[one]) > ACTS_FIRST.index(self.owner[other]):
            one, other = other, one
        return Touch((self._body_of(one), self._body_of(other)), float(depths[worst]))

    def _body_of(self, geom: int) -> str:
        """Return a name for the body of a shape: its own, the shape's, or its number."""
        body = int(self.model.geom_bodyid[geom])
        return self.model.body(body).name or self.model.geom(geom).name or f"body {body}"

    def _place(self, q: Array) -> None:
        q = np.asarray(q, float)
        if q.shape != self.positions.shape or not isfinite(q.dot(q)):
            raise InvalidInput(
                f"{len(self.names)} finite joint values are needed, got {q.tolist()}"
            )
        self.data.qpos[self.positions] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def _carry(self, carried: Carried) -> None:
        pose = site_pose(self.data, self.tool) @ carried.T_tool_body
        body = self.model.body(carried.body)
        first = self.model.jnt_qposadr[self.model.body_jntadr[body.id]]
        self.data.qpos[first : first + 3] = pose.position
        self.data.qpos[first + 3 : first + 7] = pose.quaternion
        mujoco.mj_kinematics(self.model, self.data)


def _owners(
    model: mujoco.MjModel, tool: int, prefix: str, first: int, hands: dict[str, int]
) -> np.ndarray:
    """Return for each geom to whom it belongs; `first` is the first body that the arm moves.

    Shape (ngeom,).
    """
    moved = _below(model, first)
    bodies = np.full(model.nbody, ELSE)
    free = model.jnt_bodyid[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
    bodies[np.isin(model.body_rootid, free)] = LOOSE
    own_root = model.body_rootid[model.site_bodyid[tool]]
    for body in range(1, model.nbody):
        name = model.body(body).name
        if name.startswith(prefix) if prefix else model.body_rootid[body] == own_root:
            bodies[body] = hands.get(name, ARM if moved[body] else BASE)
    return bodies[model.geom_bodyid]


def _below(model: mujoco.MjModel, first: int) -> np.ndarray:
    """Return which bodies hang on one. Shape (nbody,)."""
    below = np.arange(model.nbody) == first
    for body in range(first + 1, model.nbody):  # parents come before their children
        below[body] |= below[model.body_parentid[body]]
    return below
