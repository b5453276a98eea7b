"""The simulated world. It only steps; who steps it when is the session's business."""

import hashlib
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from math import isfinite

import mujoco
import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UnknownName, WorldBroken
from mecano.core.poses import Pose

MUTABLE = (
    "actuator_gainprm",
    "actuator_biasprm",
    "actuator_dynprm",
    "actuator_forcerange",
    "eq_obj2id",
    "eq_data",
    "geom_contype",
    "geom_conaffinity",
)
"""Fields of the model that are rewritten while it runs; they belong to the state."""
SEEN = np.array([1, 1, 0, 1, 0, 0], np.uint8)
"""Groups of shapes that rays meet: surroundings and what collides, not what is only seen."""
STATE = mujoco.mjtState.mjSTATE_INTEGRATION
"""What a state of the engine holds: all that the next step depends on."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The complete state of a world at one instant."""

    data: mujoco.MjData
    """All arrays of the engine: a step leaves forces and contacts that sensors read after it."""
    mutable: tuple[np.ndarray, ...]
    posed_at: float
    """Time of the state that its poses belong to [s]."""


@dataclass(frozen=True)
class Contact:
    """Two bodies that touch."""

    body_1: str
    body_2: str
    geom_1: str
    geom_2: str
    force: float
    """Normal force between them [N]."""
    depth: float
    """How far they are inside each other [m]; negative while they only come near."""


class World:
    """A compiled model and its state."""

    def __init__(self, spec: mujoco.MjSpec | mujoco.MjModel) -> None:
        """Compile the model, if it is not yet, and set it to its initial state."""
        try:
            self.model = spec if isinstance(spec, mujoco.MjModel) else spec.compile()
        except (ValueError, mujoco.FatalError) as error:
            reason = " ".join(str(error).split())
            raise InvalidInput(f"the scene does not compile: {reason}") from None
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET  # `step` looks itself
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)
        self.after_step: list[Callable[[], None]] = []
        """What must see every step of the physics; it may turn what is only drawn."""
        self._commands = self.data.ctrl
        self._moving = (self.data.qpos, self.data.qvel, self.data.act)
        self._posed_at = self.data.time
        self._size = mujoco.mj_stateSize(self.model, STATE)
        self._initial = self.snapshot()

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.data.time

    @property
    def timestep(self) -> float:
        """Length of one step [s]."""
        return self.model.opt.timestep

    def step(self, steps: int = 1) -> None:
        """Advance by a number of time steps.

        Raises:
            WorldBroken: The state is not finite any more. It is set back to the initial one.
        """
        data, before, commands = self.data, self.data.time, self._commands
        if not isfinite(commands.dot(commands)):  # adding squares is faster than looking at all
            self._broken(before, "a command is not a finite number")
        if self.after_step:
            model, advance, looks = self.model, mujoco.mj_step, self.after_step
            for _ in range(steps):
                advance(model, data)
                for look in looks:
                    look()
        else:
            mujoco.mj_step(self.model, data, nstep=steps)
        q, v, a = self._moving
        if not isfinite(q.dot(q) + v.dot(v) + a.dot(a)):
            self._broken(before, "use a smaller physics.timestep, softer gains or smaller forces")

    def _broken(self, time: float, hint: str) -> None:
        self.reset()
        raise WorldBroken(f"the physics broke near {time:.3f} s and was reset; {hint}")

    def reset(self) -> None:
        """Go back to the initial state, everything included."""
        self.restore(self._initial)

    def refresh_poses(self) -> None:
        """Bring the poses up to the state: a step leaves those of the state before it."""
        if self._posed_at != self.data.time:
            mujoco.mj_kinematics(self.model, self.data)
            self._posed_at = self.data.time

    def mark_initial(self) -> None:
        """Make the present state the one that `reset` goes back to."""
        mujoco.mj_forward(self.model, self.data)
        self._initial = self.snapshot()

    def snapshot(self) -> Snapshot:
        """Return the complete state."""
        mutable = tuple(getattr(self.model, name).copy() for name in MUTABLE)
        return Snapshot(copy(self.data), mutable, self._posed_at)

    def state(self) -> Array:
        """Return the state of the engine alone, as one row of numbers; a `Mirror` shows it."""
        state = np.empty(self._size)
        mujoco.mj_getState(self.model, self.data, state, STATE)
        return state

    def show(self, state: Array) -> None:
        """Take on a recorded state of the engine, see `state`: a replayed world is not stepped."""
        if len(state) != self._size:
            raise InvalidInput(f"a state of this world has {self._size} numbers, got {len(state)}")
        mujoco.mj_setState(self.model, self.data, np.ascontiguousarray(state), STATE)
        mujoco.mj_forward(self.model, self.data)
        self._posed_at = self.data.time

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a state taken from this world."""
        mujoco.mj_copyData(self.data, self.model, snapshot.data)
        for name, value in zip(MUTABLE, snapshot.mutable, strict=True):
            getattr(self.model, name)[:] = value
        self._posed_at = snapshot.posed_at

    def state_hash(self) -> str:
        """Return 16 hex digits that differ when any bit of the state does."""
        digest = hashlib.sha256()
        for array in (self.state(), *(getattr(self.model, name) for name in MUTABLE)):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def body_pose(self, name: str) -> Pose:
        """Return where a body is in the world."""
        index = self.index("body", name)
        self.refresh_poses()
        return Pose(self.data.xpos[index], self.data.xquat[index])

    def site_pose(self, name: str) -> Pose:
        """Return where a site is in the world."""
        index = self.index("site", name)
        self.refresh_poses()
        return site_pose(self.data, index)

    def index(self, kind: str, name: str) -> int:
        """Return the number of a body, geom, joint, site, camera, equality or actuator."""
        index = mujoco.mj_name2id(self.model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), name)
        if index < 0:
            raise UnknownName(kind, name, self.names(kind))
        return index

    def motor(self, joint: str) -> int:
        """Return the number of the actuator that is named like a joint, or else that drives it."""
        model = self.model
        named = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_ACTUATOR, joint)
        if named >= 0:
            return named
        number = self.index("joint", joint)
        drives = (model.actuator_trntype == int(mujoco.mjtTrn.mjTRN_JOINT)) & (
            model.actuator_trnid[:, 0] == number
        )
        if not drives.any():
            raise UnknownName("actuator", joint, self.names("actuator"))
        return int(np.argmax(drives))

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names of all bodies, geoms, joints, sites or actuators."""
        count = {
            "body": "nbody", "geom": "ngeom", "joint": "njnt", "site": "nsite", "camera": "ncam",
            "equality": "neq",
        }  # fmt: skip
        number = getattr(self.model, count.get(kind, "nactuator" if kind == "actuator" else kind))
        kind_id = getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        named = (mujoco.mj_id2name(self.model, kind_id, i) for i in range(number))
        return tuple(name for name in named if name)

    def contacts(self) -> Iterator[Contact]:
        """Yield the pairs that touch now."""
        force = np.zeros(6)
        for i in range(self.data.ncon):
            contact = self.data.contact[i]
            mujoco.mj_contactForce(self.model, self.data, i, force)
            geoms = [int(g) for g in contact.geom]
            bodies = [self.model.geom_bodyid[g] for g in geoms]
            yield Contact(
                *(self._name("body", b) for b in bodies),
                *(self._name("geom", g) for g in geoms),
                force=float(force[0]),
                depth=-float(contact.dist),
            )

    def distance(self, body_1: str, body_2: str, *, limit: float = 1.0) -> float:
        """Return the smallest distance between the collision shapes of two bodies [m].

        Negative if they are inside each other; `limit` if they are further apart than that.
        """
        self.refresh_poses()
        pairs = [self._collision_geoms(self.index("body", body)) for body in (body_1, body_2)]
        return min(
            (
                mujoco.mj_geomDistance(self.model, self.data, a, b, limit, None)
                for a in pairs[0]
                for b in pairs[1]
            ),
            default=limit,
        )

    def _collision_geoms(self, body: int) -> list[int]:
        first = self.model.body_geomadr[body]
        geoms = range(first, first + self.model.body_geomnum[body])
        return [g for g in geoms if self.model.geom_contype[g] or self.model.geom_conaffinity[g]]

    def _name(self, kind: str, index: int) -> str:
        kind_id = getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        return mujoco.mj_id2name(self.model, kind_id, int(index)) or f"{kind} {index}"


def shapes_in_sight(model: mujoco.MjModel, groups: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return the shapes of some groups that the engine's rays meet: those that are not clear."""
    material = model.geom_matid
    opacity = model.geom_rgba[:, 3].copy()
    opacity[material >= 0] = model.mat_rgba[material[material >= 0], 3]
    return np.flatnonzero((groups[model.geom_group] > 0) & (opacity > 0.0))


def site_pose(data: mujoco.MjData, site: int) -> Pose:
    """Return the pose of a site, by number, as the engine last computed it."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = data.site_xmat[site].reshape(3, 3), data.site_xpos[site]
    return Pose.from_matrix(T)
