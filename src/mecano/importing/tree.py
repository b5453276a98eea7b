"""The tree of a compiled model: which joint hangs on which, what they move, where shapes end."""

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from mecano.core.arrays import Array

HINGE, SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)
MESH, PLANE = int(mujoco.mjtGeom.mjGEOM_MESH), int(mujoco.mjtGeom.mjGEOM_PLANE)
SOLID, DRAWN = 3, 2
"""Groups of shapes."""


@dataclass(frozen=True, eq=False)
class Joint:
    """A hinge or slide of the tree."""

    id: int
    name: str
    body: int
    slides: bool
    parent: "Joint | None"
    """The nearest joint that moves it."""
    lower: float
    """[rad or m]; minus infinity for one without limits."""
    upper: float

    @property
    def endless(self) -> bool:
        """Whether it has no limits."""
        return not np.isfinite(self.lower)


class Tree:
    """A model in one posture, and questions about its joints and shapes."""

    def __init__(self, model: mujoco.MjModel, posture: dict[str, float] | None = None) -> None:
        """Place the model in a posture; joints that are not named are at zero."""
        self.model, self.data = model, mujoco.MjData(model)
        self.joints = self._read()
        self.by_name = {joint.name: joint for joint in self.joints}
        self.children: dict[str | None, list[Joint]] = {None: []}
        for joint in self.joints:
            self.children.setdefault(joint.name, [])
            above = None if joint.parent is None else joint.parent.name
            self.children[above].append(joint)
        self.place(posture or {})

    def _read(self) -> list[Joint]:
        model = self.model
        found: list[Joint] = []
        last: dict[int, Joint | None] = {0: None}
        for body in range(1, model.nbody):
            above = last[int(model.body_parentid[body])]
            first = int(model.body_jntadr[body])
            for number in range(first, first + int(model.body_jntnum[body])):
                kind = int(model.jnt_type[number])
                if kind not in (HINGE, SLIDE):
                    continue
                low, high = model.jnt_range[number].tolist()
                if not model.jnt_limited[number]:
                    low, high = -np.inf, np.inf
                name = model.joint(number).name
                above = Joint(number, name, body, kind == SLIDE, above, low, high)
                found.append(above)
            last[body] = above
        return found

    def place(self, posture: dict[str, float]) -> None:
        """Put the joints into a posture; those that are not named go to zero."""
        for joint in self.joints:
            address = self.model.jnt_qposadr[joint.id]
            self.data.qpos[address] = posture.get(joint.name, 0.0)
        self.refresh()

    def refresh(self) -> None:
        """Compute where everything is in the posture of `data`."""
        mujoco.mj_kinematics(self.model, self.data)

    def axis(self, joint: Joint) -> Array:
        """Return its axis in the world."""
        return self.data.xaxis[joint.id].copy()

    def anchor(self, joint: Joint) -> Array:
        """Return a point on its axis in the world [m]."""
        return self.data.xanchor[joint.id].copy()

    def below(self, joint: Joint) -> list[Joint]:
        """Return all joints that it moves, nearest first."""
        found: list[Joint] = []
        waiting = list(self.children[joint.name])
        while waiting:
            each = waiting.pop(0)
            found.append(each)
            waiting += self.children[each.name]
        return found

    def bodies_moved(self, joint: Joint) -> list[int]:
        """Return all bodies that it moves."""
        moved = {joint.body}
        for body in range(joint.body + 1, self.model.nbody):
            if int(self.model.body_parentid[body]) in moved:
                moved.add(body)
        return sorted(moved)

    def rigid_with(self, body: int) -> list[int]:
        """Return a body and all below it that no joint moves against it."""
        found = [body]
        for each in range(body + 1, self.model.nbody):
            fixed = not self.model.body_jntnum[each]
            if fixed and int(self.model.body_parentid[each]) in found:
                found.append(each)
        return found

    def reach(self, joint: Joint) -> float:
        """Return how far from its axis something is that it moves [m]."""
        anchor = self.anchor(joint)
        points = [self.points(geom) for geom in self.geoms(self.bodies_moved(joint))]
        bodies = self.data.xpos[self.bodies_moved(joint)]
        return float(max(np.linalg.norm(each - anchor, axis=1).max() for each in [*points, bodies]))

    # --- shapes

    @cached_property
    def _solid(self) -> np.ndarray:
        model = self.model
        return ((model.geom_contype | model.geom_conaffinity) > 0) & (model.geom_type != PLANE)

    def geoms(self, bodies: list[int] | None = None, *, solid: bool = True) -> list[int]:
        """Return the shapes of some bodies, or of all: those that collide, or else those drawn."""
        mine = self.model.geom_type != PLANE
        if bodies is not None:
            mine = mine & np.isin(self.model.geom_bodyid, bodies)
        touching = np.flatnonzero(mine & self._solid)
        return (touching if solid and len(touching) else np.flatnonzero(mine)).tolist()

    def points(self, geom: int) -> Array:
        """Return points of a shape whose hull contains it, in the world [m]. Shape (n, 3)."""
        model, data = self.model, self.data
        R, place = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
        if int(model.geom_type[geom]) == MESH:
            mesh = int(model.geom_dataid[geom])
            first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
            return model.mesh_vert[first : first + count] @ R.T + place
        middle, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
        if int(model.geom_type[geom]) == int(mujoco.mjtGeom.mjGEOM_CYLINDER):
            turns = np.linspace(0.0, 2.0 * np.pi, 65)
            ring = np.stack([np.cos(turns), np.sin(turns), np.ones(65)], axis=1)
            ring = np.concatenate([ring, _rim(R)]) * half
            return np.concatenate([ring, ring * (1, 1, -1)]) @ R.T + place
        if int(model.geom_type[geom]) in (
            int(mujoco.mjtGeom.mjGEOM_SPHERE), int(mujoco.mjtGeom.mjGEOM_ELLIPSOID),
            int(mujoco.mjtGeom.mjGEOM_CAPSULE),
        ):  # fmt: skip
            radius = model.geom_size[geom] if half[0] != half[2] else np.full(3, half[0])
            if int(model.geom_type[geom]) == int(mujoco.mjtGeom.mjGEOM_CAPSULE):
                ends = np.array([[0, 0, half[2] - half[0]], [0, 0, half[0] - half[2]]]) @ R.T
                directions = np.concatenate([np.eye(3), -np.eye(3)]) * half[0]
                return np.concatenate([place + end + directions for end in ends])
            # the extreme points of an ellipsoid along the world's axes
            reach = np.sqrt(((R * radius) ** 2).sum(axis=1))
            return place + np.concatenate([np.diag(reach), -np.diag(reach)])
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        return (middle + corners * half) @ R.T + place

    def lowest(self, bodies: list[int] | None = None) -> float:
        """Return the height of the lowest point of some bodies, or of all [m]; 0 without shapes."""
        found = [float(self.points(geom)[:, 2].min()) for geom in self.geoms(bodies)]
        return min(found, default=0.0)

    def highest(self, bodies: list[int] | None = None) -> float:
        """Return the height of the highest point [m]; 0 without shapes."""
        found = [float(self.points(geom)[:, 2].max()) for geom in self.geoms(bodies)]
        return max(found, default=0.0)


def _rim(R: Array) -> Array:
    """Return the points of a unit cylinder's rim that are extreme along the world's axes."""
    along = R[:, :2][np.linalg.norm(R[:, :2], axis=1) > 1e-9]
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    rim = np.concatenate([along, -along])
    return np.column_stack([rim, np.ones(len(rim))])
