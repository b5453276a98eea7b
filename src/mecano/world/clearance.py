"""Fast questions for a planner: is a posture free, and if not, who is in whose way and how near.

It has a copy of the model of its own, in which only those shapes meet that the joints can move
against each other: what holds still among itself, such as the fingers of a resting hand, costs
nothing. At a margin, the engine's contacts only tell which pairs to measure.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, Mask, finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.robots.description import RobotDescription
from mecano.world.robot_model import DEEPER, SLACK, Carried
from mecano.world.world import site_pose

CLASSES = 31
"""Kinds of shapes that the engine's bits can tell apart; with more, contacts are sorted after."""
FREE, SLIDE, HINGE = (
    int(mujoco.mjtJoint.mjJNT_FREE),
    int(mujoco.mjtJoint.mjJNT_SLIDE),
    int(mujoco.mjtJoint.mjJNT_HINGE),
)
ONLY_CONTACTS = (int(mujoco.mjtGeom.mjGEOM_HFIELD), int(mujoco.mjtGeom.mjGEOM_SDF))
"""Shapes between which the engine finds contacts but measures no distances."""
UNSURE = 3e-3
"""How much farther than it is between two shapes the engine may tell, boxes aside [m]."""
NOBODY, TOUCHABLE, CARRIED, FIRST_HAND = range(4)
"""What a shape is for fingers: something else, a thing they may touch, one they hold, a finger of
the first hand. Further hands count on from there."""


@dataclass(frozen=True)
class Nearness:
    """Two bodies that are nearer to each other than they may be."""

    pair: tuple[str, str]
    """The one that moves more first."""
    distance: float
    """Between their shapes [m]; negative where they are inside each other."""
    allowed: float
    """The least distance that they must keep [m]."""

    def __str__(self) -> str:
        one, other = self.pair
        if self.distance < 0.0:
            return f"{one} is {-1e3 * self.distance:.1f} mm inside {other}"
        keep = f"{1e3 * self.allowed:.1f} mm must stay between them"
        return f"{one} is {1e3 * self.distance:.1f} mm from {other}; {keep}"


class Clearance:
    """Some joints of a model that move, one arm or several together; all others hold still."""

    def __init__(
        self,
        model: mujoco.MjModel,
        joints: Sequence[str],
        *,
        hands: Sequence[Sequence[str]] = (),
        touchable: Sequence[str] = (),
        margin: float = 0.0,
    ) -> None:
        """Copy the model and sort its shapes by the joints that move them.

        Args:
            model: With everything that can be in the way. It is left as it is.
            joints: Hinges and slides, in the order of the postures.
            hands: Bodies of the fingers of each hand. Fingers of one hand may touch each other, and
                what they carry.
            touchable: Bodies that fingers may touch as well, such as the one to be taken.
            margin: Distance to keep [m]. At zero, shapes may be 0.2 mm inside each other: solids
                rest on each other slightly overlapped.
        """
        self.margin = finite_number(margin, name="margin [m]", lower=0.0, upper=1.0)
        self.model, self._shapes = copy.copy(model), model
        self.data = mujoco.MjData(self.model)
        self._values = self.data.qpos
        self._asked = np.nan
        self.joints = tuple(joints)
        numbers = [_joint(self.model, name) for name in self.joints]
        if len(set(numbers)) != len(numbers) or not numbers:
            raise InvalidInput(f"joints are {list(joints)}; give at least one, and each once")
        self.positions = self.model.jnt_qposadr[numbers]
        limited = self.model.jnt_limited[numbers] > 0
        self.lower: Array = np.where(limited, self.model.jnt_range[numbers, 0], -np.inf)
        """Lowest value of each joint [rad or m]. Shape (n,)."""
        self.upper: Array = np.where(limited, self.model.jnt_range[numbers, 1], np.inf)
        """Highest value of each joint [rad or m]. Shape (n,)."""
        self._numbers = numbers
        self._types_of = model.geom_type.tolist()
        self._types = model.geom_contype.copy(), model.geom_conaffinity.copy()
        self._moved_by = _joints_above(self.model, numbers)
        self._role = np.full(self.model.nbody, NOBODY)
        for body in touchable:
            self._role[_body(self.model, body)] = TOUCHABLE
        for hand, fingers in enumerate(hands):
            for body in fingers:
                self._role[_body(self.model, body)] = FIRST_HAND + hand
        self._carried: tuple[Carried, int, int] | None = None
        self._tolerated: dict[tuple[int, int], float] = {}
        option = self.model.opt
        option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)  # one margin for all pairs
        off = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        option.disableflags &= ~int(off)
        self._sort_shapes()

    @classmethod
    def of_robot(
        cls,
        model: mujoco.MjModel,
        robot: RobotDescription,
        *,
        prefix: str = "",
        chains: Sequence[str] = ("arm",),
        touchable: Sequence[str] = (),
        margin: float = 0.0,
    ) -> "Clearance":
        """Return the same for one chain of a robot, or for several that move together."""
        joints = [prefix + name for chain in chains for name in robot.chain(chain).joint_names]
        bodies = [robot.gripper.bodies] if robot.gripper is not None else []
        for hand in robot.hands.values():
            bodies.append(tuple(body for finger in hand.fingers for body in finger.bodies))
        hands = [[prefix + body for body in fingers] for fingers in bodies]
        return cls(model, joints, hands=hands, touchable=touchable, margin=margin)

    # --- the surroundings

    def look_at(self, data: mujoco.MjData) -> None:
        """Take over where everything in the world is now."""
        self.data.qpos[:] = data.qpos
        self.data.mocap_pos[:], self.data.mocap_quat[:] = data.mocap_pos, data.mocap_quat

    def carry(self, carried: Carried | None, *, tool: str = "tool") -> None:
        """Let a loose body move with a tool from now on, or none.

        One that is put down lies where the last question had it; `look_at` tells where it is.

        Args:
            carried: The body, and how it lies in the hand.
            tool: Site of the hand, with the robot's prefix.
        """
        roles = self._role
        roles[roles == CARRIED] = NOBODY
        self._moved_by = _joints_above(self.model, self._numbers)
        self._carried = None
        if carried is not None:
            body, site = _body(self.model, carried.body), _site(self.model, tool)
            first = int(self.model.body_jntadr[body])
            if first < 0 or int(self.model.jnt_type[first]) != FREE:
                raise InvalidInput(f"body '{carried.body}' is not loose, so no hand can carry it")
            self._carried = carried, site, int(self.model.jnt_qposadr[first])
            below = self.model.body_rootid == self.model.body_rootid[body]
            roles[below] = CARRIED
            self._moved_by[below] = self._moved_by[self.model.site_bodyid[site]]
        self._sort_shapes()

    def tolerate(self, postures: ArrayLike | None) -> None:
        """Let pairs come as near as they are in some postures, be it nearer than the margin.

        A hand that shall take a thing, or leaves one, is nearer to the table than a motion through
        the air may be. Such pairs may still not touch; those that touch in the postures already may
        not go 1 mm deeper. None forgets all.
        """
        self._tolerated = {}
        found: dict[tuple[int, int], float] = {}
        for q in self._checked(() if postures is None else postures):
            self._collide(q, self.margin)
            for pair, distance, _ in self._contacts():
                if distance < self._allowed(pair):
                    found[pair] = min(found.get(pair, np.inf), distance)
        self._tolerated = {pair: min(-SLACK, found[pair] - DEEPER) if found[pair] < -SLACK
                           else -SLACK for pair in found}  # fmt: skip

    @property
    def levers(self) -> Array:
        """How far a point can move at most for each unit of a joint [m/rad, or m/m]. Shape (n,).

        Weighted by them, the way of all joints together bounds the way of every point, and what two
        bodies come nearer. So a motion that was looked at in steps of twice the margin is free in
        between as well.
        """
        m = self._shapes
        reach = np.full(m.nbody, -np.inf)  # of what hangs on a body, from its origin
        for geom in np.flatnonzero(self._types[0] | self._types[1]):
            far = np.linalg.norm(m.geom_pos[geom]) + m.geom_rbound[geom]
            reach[m.geom_bodyid[geom]] = max(reach[m.geom_bodyid[geom]], far)
        if self._carried is not None:
            carried, site, _ = self._carried
            far = reach[_body(m, carried.body)] + np.linalg.norm(carried.T_tool_body.position)
            hand = m.site_bodyid[site]
            reach[hand] = max(reach[hand], far + np.linalg.norm(m.site_pos[site]))
        for body in range(m.nbody - 1, 0, -1):  # children come after their parents
            arm = np.linalg.norm(m.body_pos[body]) + sum(
                _shift(m, joint) for joint in _joints_of(m, body)
            )
            reach[m.body_parentid[body]] = max(reach[m.body_parentid[body]], reach[body] + arm)
        hinges = m.jnt_type[self._numbers] == HINGE
        aside = np.linalg.norm(m.jnt_pos[self._numbers], axis=1)
        levers = np.where(hinges, reach[m.jnt_bodyid[self._numbers]] + aside, 1.0)
        return np.maximum(levers, 1e-3)  # where nothing hangs on a joint it still has a length

    # --- the questions

    def is_free(self, postures: ArrayLike) -> bool:
        """Tell whether all postures are free; it stops at the first that is not.

        Args:
            postures: One, or many that are looked at in their order. Shape (n,) or (k, n).
        """
        return all(map(self._free, self._checked(postures)))

    def free(self, postures: ArrayLike) -> Mask:
        """Return which postures are free. Shape (k,)."""
        return np.array([self._free(q) for q in self._checked(postures)], bool)

    def nearest(self, posture: ArrayLike) -> Nearness | None:
        """Return the pair that is furthest below the distance it must keep, or None."""
        (q,) = self._checked(posture)
        self._collide(q, self.margin)
        rows = [(self._allowed(contact[0]), *contact) for contact in self._contacts()]
        return self._worst([row for row in rows if row[2] < row[0]])

    def distance(self, posture: ArrayLike, *, within: float = 0.1) -> Nearness | None:
        """Return the two bodies that are nearest to each other, or None if all are further apart.

        Args:
            posture: One posture. Shape (n,).
            within: How far to look [m]; farther takes longer.
        """
        (q,) = self._checked(posture)
        self._collide(q, finite_number(within, name="within [m]", lower=0.0))
        rows = [(self._allowed(contact[0]), *contact) for contact in self._contacts()]
        return self._worst([row for row in rows if row[2] < within], by_margin=False)

    def describe(self, posture: ArrayLike) -> str:
        """Return a sentence about what is in the way, empty if nothing is."""
        found = self.nearest(posture)
        return "" if found is None else str(found)

    # --- inside

    def _free(self, q: Array) -> bool:
        self._collide(q, self.margin)
        if not self.data.ncon:
            return True
        if self.margin or self._tolerated or self._sort_after:
            return all(found >= self._allowed(pair) for pair, found, _ in self._contacts())
        return float(self.data.contact.dist.min()) >= -SLACK

    def _collide(self, q: Array, margin: float) -> None:
        model, data = self.model, self.data
        self._values[self.positions] = q
        mujoco.mj_kinematics(model, data)
        if self._carried is not None:
            carried, site, first = self._carried
            pose = site_pose(data, site) @ carried.T_tool_body
            self._values[first : first + 3] = pose.position
            self._values[first + 3 : first + 7] = pose.quaternion
            mujoco.mj_kinematics(model, data)
        if margin != self._asked:
            self._look_as_far_as(margin)
        mujoco.mj_collision(model, data)

    def _look_as_far_as(self, margin: float) -> None:
        """Let the engine tell all pairs that are nearer than a margin, and maybe some others.

        Its test of two boxes is exact where they overlap, but misses some that are apart. So boxes
        grow by half the margin on all sides, and `_contacts` measures between the true ones.
        """
        m, true, grown = self.model, self._shapes, 0.5 * margin
        boxes = m.geom_type == int(mujoco.mjtGeom.mjGEOM_BOX)
        diagonal = np.sqrt(3.0) * grown
        m.geom_size[boxes] = true.geom_size[boxes] + grown
        m.geom_rbound[boxes] = true.geom_rbound[boxes] + diagonal
        m.geom_aabb[boxes, 3:] = true.geom_aabb[boxes, 3:] + grown
        m.bvh_aabb[:, 3:] = true.bvh_aabb[:, 3:] + diagonal
        m.opt.o_margin = margin + UNSURE if margin else 0.0
        self._asked = margin

    def _contacts(self) -> Iterator[tuple[tuple[int, int], float, tuple[int, int]]]:
        """Return bodies in order, distance [m] and shapes of each pair that counts."""
        contacts, bodies = self.data.contact, self.model.geom_bodyid
        distances, shapes = contacts.dist, contacts.geom
        seen = set()
        for k in np.argsort(distances, kind="stable"):
            one, other = int(shapes[k, 0]), int(shapes[k, 1])
            if (one, other) in seen or (self._sort_after and not self._may_meet(one, other)):
                continue
            seen.add((one, other))
            distance = float(distances[k])
            if self._asked:
                distance = self._distance(one, other, distance)
            first, second = sorted((int(bodies[one]), int(bodies[other])))
            yield (first, second), distance, (one, other)

    def _distance(self, one: int, other: int, told: float) -> float:
        """Return the distance between two shapes [m], or what was told where none is computed."""
        if self._types_of[one] in ONLY_CONTACTS or self._types_of[other] in ONLY_CONTACTS:
            return told
        return mujoco.mj_geomDistance(self._shapes, self.data, one, other, self._asked, None)

    def _allowed(self, pair: tuple[int, int]) -> float:
        return self._tolerated.get(pair, self.margin or -SLACK)

    def _worst(
        self, rows: list[tuple[float, tuple[int, int], float, tuple[int, int]]], by_margin=True
    ) -> Nearness | None:
        if not rows:
            return None
        allowed, _, distance, shapes = min(
            rows, key=lambda row: row[2] - row[0] if by_margin else row[2]
        )
        order = sorted(shapes, key=lambda geom: -self._joints_moving(geom))
        one, other = (self._name(geom) for geom in order)
        return Nearness((one, other), distance, max(allowed, 0.0))

    def _joints_moving(self, geom: int) -> int:
        return int(self._moved_by[self.model.geom_bodyid[geom]]).bit_count()

    def _name(self, geom: int) -> str:
        body = int(self.model.geom_bodyid[geom])
        return self.model.body(body).name or self.model.geom(geom).name or f"body {body}"

    def _may_meet(self, one: int, other: int) -> bool:
        """Tell whether two shapes may not touch and the joints move them against each other."""
        return bool(self._meets[self._class_of[one], self._class_of[other]])

    def _sort_shapes(self) -> None:
        """Write the engine's bits: one kind for all shapes that move alike and touch alike."""
        m, (types, affinities) = self.model, self._types
        bodies = m.geom_bodyid
        rows = np.stack([types, affinities, self._moved_by[bodies], self._role[bodies]], axis=1)
        rows[(types | affinities) == 0, 2:] = 0
        kinds, self._class_of = np.unique(rows, axis=0, return_inverse=True)
        t, a, moved, role = (column[:, None] for column in kinds.T)
        meets = ((t & a.T) | (a & t.T)) != 0
        meets &= moved != moved.T
        finger, theirs = role >= FIRST_HAND, (role == TOUCHABLE) | (role == CARRIED)
        meets &= ~((finger & theirs.T) | (theirs & finger.T) | (finger & (role == role.T)))
        self._meets = meets
        used = np.flatnonzero(meets.any(axis=0))
        self._sort_after = len(used) > CLASSES or m.npair > 0
        if len(used) <= CLASSES:
            bits = np.zeros(len(kinds), np.int32)
            bits[used] = 1 << np.arange(len(used), dtype=np.int32)
            m.geom_contype[:] = bits[self._class_of]
            m.geom_conaffinity[:] = np.where(meets, bits, 0).sum(axis=1)[self._class_of]
        for name in ("contype", "conaffinity"):
            whole = np.zeros(m.nbody, np.int32)
            np.bitwise_or.at(whole, bodies, getattr(m, f"geom_{name}"))
            getattr(m, f"body_{name}")[:] = whole

    def _checked(self, postures: ArrayLike) -> Array:
        n = len(self.joints)
        rows = np.asarray(postures, float)
        rows = rows.reshape(-1, n) if rows.size == 0 else np.atleast_2d(rows)
        if rows.ndim != 2 or rows.shape[1] != n or not np.isfinite(rows).all():
            raise InvalidInput(
                f"postures are rows of {n} finite joint values ({', '.join(self.joints)}), "
                f"got {np.asarray(postures).tolist()!r:.200}"
            )
        return rows


def _joints_of(model: mujoco.MjModel, body: int) -> range:
    first = int(model.body_jntadr[body])
    return range(first, first + int(model.body_jntnum[body]))


def _shift(model: mujoco.MjModel, joint: int) -> float:
    """Return how far a joint can move the origin of its body at most [m]."""
    kind = int(model.jnt_type[joint])
    if kind == SLIDE:
        return float(np.abs(model.jnt_range[joint]).max())
    if kind == FREE:
        return 0.0  # nothing of the robot hangs above it
    return 2.0 * float(np.linalg.norm(model.jnt_pos[joint]))


def _joints_above(model: mujoco.MjModel, joints: Sequence[int]) -> np.ndarray:
    """Return for each body the joints that move it, a bit for each. Shape (nbody,)."""
    above = np.zeros(model.nbody, np.int64)
    for number, joint in enumerate(joints):
        above[model.jnt_bodyid[joint]] |= 1 << number
    for body in range(1, model.nbody):  # parents come before their children
        above[body] |= above[model.body_parentid[body]]
    return above


def _joint(model: mujoco.MjModel, name: str) -> int:
    number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
    if number < 0:
        raise UnknownName("joint", name, [model.joint(i).name for i in range(model.njnt)])
    if int(model.jnt_type[number]) not in (HINGE, SLIDE):
        raise InvalidInput(f"joint '{name}' has more than one value; give hinges and slides")
    return number


def _body(model: mujoco.MjModel, name: str) -> int:
    number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
    if number < 0:
        raise UnknownName("body", name, [model.body(i).name for i in range(model.nbody)])
    return number


def _site(model: mujoco.MjModel, name: str) -> int:
    number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, name)
    if number < 0:
        raise UnknownName("site", name, [model.site(i).name for i in range(model.nsite)])
    return number
