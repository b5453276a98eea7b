"""Which postures of one leg run into the robot itself, for very many postures.

The body and the other legs stay as they are in a posture, and the joints with springs at the end of
the leg are at rest: the cup is in line with the tibia. There is no floor.

Two steps. A compiled kernel puts a box around every shape. Where all boxes are apart the leg is
free; where two shapes that are boxes themselves overlap it is not. What remains, cups above all,
the engine decides on the whole robot's model. A test holds the answers to the engine's own.
"""

from collections.abc import Callable
from itertools import combinations, product

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UnknownName
from mecano.robots.description import RobotDescription
from mecano.world.assembly import load_robot

CHUNK = 20_000
"""Postures between two reports of progress."""
GAP = 1e-5
"""Boxes nearer than this are left to the engine [m]: more than it and the kernel can differ by."""
FREE, UNSURE = -1, -2
"""In the place of the number of a body or of a pair: nothing touches; boxes cannot tell."""


class LegCollisions:
    """One leg of a robot that otherwise holds still.

    Its model has shapes without margins, and which ones collide follows from its bodies and from
    exclusions, not from a list of pairs.
    """

    def __init__(self, robot: RobotDescription, chain: str, *, posture: str = "stand") -> None:
        """Load the robot's model and look up its shapes.

        Args:
            robot: A robot with a model, whose chains have the posture.
            chain: The leg that moves, such as "leg_3".
            posture: Of all the other legs.
        """
        self.chain = robot.chain(chain)
        self.model = load_robot(robot).compile()
        self.data = mujoco.MjData(self.model)
        for joint, value in _joint_values(robot, posture).items():
            self.data.joint(joint).qpos = value
        joints = [self.model.joint(name) for name in self.chain.joint_names]
        self.positions = np.array([joint.qposadr[0] for joint in joints])
        self.data.qpos[self.positions] = 0.0
        mujoco.mj_kinematics(self.model, self.data)
        self._above = _joints_above(self.model, [int(joint.bodyid[0]) for joint in joints])
        self.shapes = np.flatnonzero(self.model.geom_contype | self.model.geom_conaffinity)
        self.joints_above = self._above[self.model.geom_bodyid[self.shapes]]
        self._filled = self.model.geom_type[self.shapes] == mujoco.mjtGeom.mjGEOM_BOX
        self._boxes = self._put_boxes_around()
        self._pairs = self._pairs_to_check()
        self._obstacle_of_pair = np.array(
            [self._obstacle(self.model.geom_bodyid[self.shapes[pair]]) for pair in self._pairs]
        )
        numbers = [joint.id for joint in joints]
        self._joints = self.data.xaxis[numbers], self.data.xanchor[numbers]
        self._check_others(posture)

    def collides(
        self, q: ArrayLike, *, on_progress: Callable[[int, int], None] | None = None
    ) -> np.ndarray:
        """Return for each posture whether the leg touches the robot or itself. Shape (n,).

        Args:
            q: Postures of the leg, finite; limits are not looked at [rad]. Shape (n, joints).
            on_progress: Called with (postures done, postures in all) now and then.
        """
        return self.obstacles(q, on_progress=on_progress) != FREE

    def obstacles(
        self, q: ArrayLike, *, on_progress: Callable[[int, int], None] | None = None
    ) -> np.ndarray:
        """Return for each posture the number of a body that the leg touches, or `FREE`.

        It is one of them if there are several. Where the leg touches itself it is the part nearer
        to the hip. `body_name` gives the name. The arguments are those of `collides`.
        """
        q = self._checked(q)
        found = np.empty(len(q), np.int64)
        for begin in range(0, len(q), CHUNK):
            found[begin : begin + CHUNK] = self._obstacles(q[begin : begin + CHUNK])
            if on_progress is not None:
                on_progress(min(begin + CHUNK, len(q)), len(q))
        return found

    def _obstacles(self, q: Array) -> np.ndarray:
        hits = self._ask_kernel(q)
        found = np.where(hits < 0, FREE, self._obstacle_of_pair[hits])
        for i in np.flatnonzero(hits == UNSURE):
            found[i] = self._ask_engine(q[i])
        return found

    def _ask_kernel(self, q: Array) -> np.ndarray:
        """Return the pair of boxes that overlap at each posture, or `FREE` or `UNSURE`."""
        from mecano.core.compiled import first_call_notice
        from mecano.world.separation_kernel import first_hits

        centres, edges, halves = self._boxes
        more = np.linalg.norm(halves, axis=1), self.joints_above, self._filled
        count, hits = len(self.positions) + 1, np.empty(len(q), np.int64)
        work = centres.copy(), edges.copy(), np.array([np.eye(3)] * count), np.zeros((count, 3))
        with first_call_notice(first_hits):
            first_hits(q, self._joints, (*self._boxes, *more), self._pairs, GAP, hits, work)
        return hits

    def body_name(self, number: int) -> str:
        """Return the name of a body that `obstacles` has told."""
        return self.model.body(int(number)).name

    def corners(self, q: ArrayLike) -> Array:
        """Return the corners of the boxes around all shapes, in the body's frame, to draw them.

        The boxes are in the order of `joints_above`, which is zero where the leg does not move one.

        Args:
            q: One posture of the leg [rad]. Shape (joints,).

        Returns:
            Corners [m], the last axis of the box changing fastest. Shape (boxes, 8, 3).
        """
        self._place(self._checked(np.asarray(q, float)[None])[0])
        centres, turns, halves = self._put_boxes_around()
        signs = np.array(list(product((-1.0, 1.0), repeat=3)))
        return centres[:, None] + np.einsum("gij,gkj->gki", turns, signs * halves[:, None])

    def _checked(self, q: ArrayLike) -> Array:
        q = np.ascontiguousarray(q, float)
        if q.ndim != 2 or q.shape[1] != len(self.positions) or not np.isfinite(q).all():
            raise InvalidInput(
                f"postures of {self.chain.name} are rows of {len(self.positions)} finite joint "
                f"values, got an array of shape {q.shape}"
            )
        return q

    def _place(self, q: Array) -> None:
        self.data.qpos[self.positions] = q
        mujoco.mj_kinematics(self.model, self.data)

    def _ask_engine(self, q: Array) -> int:
        """Return the body that the leg is deepest in at a posture, or `FREE`, by its shapes."""
        self._place(q)
        mujoco.mj_collision(self.model, self.data)
        if not self.data.ncon:
            return FREE
        contact = self.data.contact
        return self._obstacle(self.model.geom_bodyid[contact.geom[int(contact.dist.argmin())]])

    def _obstacle(self, bodies: np.ndarray) -> int:
        """Return which one of two bodies the leg does not move, or moves less."""
        return int(min(bodies, key=lambda body: (self._above[body], body)))

    def _put_boxes_around(self) -> tuple[Array, Array, Array]:
        """Return centres (g, 3), edges as columns (g, 3, 3), half lengths (g, 3) of the boxes."""
        turns = self.data.geom_xmat[self.shapes].reshape(-1, 3, 3)
        inside = self.model.geom_aabb[self.shapes]
        centres = self.data.geom_xpos[self.shapes] + np.einsum("gij,gj->gi", turns, inside[:, :3])
        return centres, turns, np.ascontiguousarray(inside[:, 3:])

    def _pairs_to_check(self) -> np.ndarray:
        """Return pairs of boxes that the leg moves against each other and that may collide."""
        pairs = combinations(range(len(self.shapes)), 2)
        return np.array(
            [
                (one, other)
                for one, other in pairs
                if self.joints_above[one] != self.joints_above[other]
                and _may_collide(self.model, int(self.shapes[one]), int(self.shapes[other]))
            ]
        )

    def _check_others(self, posture: str) -> None:
        """Raise if parts that the leg does not move against each other touch."""
        mujoco.mj_collision(self.model, self.data)
        bodies = self.model.geom_bodyid[self.data.contact.geom]
        for one, other in bodies[self._above[bodies[:, 0]] == self._above[bodies[:, 1]]]:
            raise InvalidInput(
                f"in the posture '{posture}' {self.body_name(one)} touches {self.body_name(other)} "
                f"whatever {self.chain.name} does; choose another posture"
            )


def _joint_values(robot: RobotDescription, posture: str) -> dict[str, float]:
    """Return the joint values of all legs in a posture, by joint [rad]."""
    values = {}
    for chain in robot.chains.values():
        if posture not in chain.postures:
            raise UnknownName("posture", posture, chain.postures)
        values |= zip(chain.joint_names, chain.postures[posture], strict=True)
    return values


def _joints_above(model: mujoco.MjModel, moved: list[int]) -> np.ndarray:
    """Return for each body how many of the bodies `moved` it is or hangs on. Shape (nbody,)."""
    above = np.zeros(model.nbody, int)
    for body in range(1, model.nbody):  # parents come before their children
        above[body] = above[model.body_parentid[body]] + (body in moved)
    return above


def _may_collide(model: mujoco.MjModel, one: int, other: int) -> bool:
    """Tell whether the engine looks for contacts of two shapes: by bits, exclusions, neighbours."""
    types, affinities = model.geom_contype, model.geom_conaffinity
    if not (types[one] & affinities[other] or types[other] & affinities[one]):
        return False
    first, second = sorted((int(model.geom_bodyid[one]), int(model.geom_bodyid[other])))
    if (first << 16) + second in model.exclude_signature:
        return False
    first, second = int(model.body_weldid[first]), int(model.body_weldid[second])
    parents = model.body_weldid[model.body_parentid[[first, second]]]
    neighbours = first == parents[1] or second == parents[0]
    return not (neighbours and first and second)  # what is fixed to the world is nobody's neighbour
