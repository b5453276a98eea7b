"""Cups that hold on to surfaces: proximity, signal, bond, forces, break.

The state machine is that of the thesis on ROMERIN, evaluated after every step of the physics. A cup
that is switched on takes hold of the first collidable surface within its proximity, at the pose in
which it is, by a weld of the model. While it holds, its lip does not collide (weld and contact
would press against each other). It lets go when it is switched off, or when the median of its
newest five loads is more than its law allows.

Decided by us: a cup that broke off stays off until it is switched off and on again. In the thesis
it would take hold again at the next step, because its signal is still on; `reattach` does that.
And a cup takes hold only where its whole lip meets the surface, not on an edge or over a hole.
"""

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.core.devices import CupEvent, CupState, Miss, Seal
from mecano.core.grips import GripLaw, peeled, utilisation
from mecano.robots.legged import CupFacts
from mecano.world.world import SEEN, World

SAMPLES = 5
"""Loads of which the median counts, one per step of the physics; the thesis's number."""
RIM = 12
"""Rays around the lip that look whether all of it meets the surface, and as many further in."""
UNEVEN = 0.003
"""Under the lip the surface is flat within this [m]."""
BEHIND = 0.01
"""Rays start this far inside the cup [m], so that a lip that touches sees what it touches."""
FLAT = np.cos(np.radians(10.0))
"""Under the lip the normals of the surface agree within 10 degrees."""
DEEPER = 4e-3
"""A lip inside the surface collides if it goes deeper by this [m]."""


class Cups:
    """All cups of a robot. Arrays have one row per cup, in the order of the legs."""

    def __init__(
        self,
        world: World,
        facts: Sequence[CupFacts],
        *,
        prefix: str = "",
        frame: str = "",
        rate: float = 250.0,
        noise: np.random.Generator | None = None,
    ) -> None:
        """Look up the bonds; all cups are off.

        Args:
            world: Where they are.
            facts: One per cup.
            prefix: Of the robot in the world.
            frame: Body in whose axes `in_body` tells vectors; the robot's root if not given.
            rate: Readings per second [Hz]; breaking is watched at every step of the physics.
            noise: Source of errors of the loads that are read; None reads without. Bonds break by
                what is, not by what is read.
        """
        from mecano.actuators.suction_kernel import judge, read_bonds

        self.name, self.rate, self.facts = f"{prefix}cups", rate, tuple(facts)
        self.unbreakable = False
        """Whether bonds hold whatever the load."""
        self.reattach = False
        """Whether a cup that broke off takes hold again while it is still switched on."""
        self.events: list[CupEvent] = []
        """What happened, in order."""
        self._world, self._read_bonds, self._judge = world, read_bonds, judge
        self._noise = noise
        self._spread = np.array([[c.force_noise, c.force_noise, c.moment_noise] for c in facts])
        n, model = len(self.facts), world.model
        self._bonds = np.array([world.index("equality", prefix + cup.bond) for cup in facts])
        self._lips = np.array([world.index("geom", prefix + cup.lip) for cup in facts])
        self._sites = np.array([world.index("site", prefix + cup.site) for cup in facts])
        self._bodies = model.site_bodyid[self._sites]
        root = int(model.body_rootid[self._bodies[0]])
        self._frame = world.index("body", prefix + frame) if frame else root
        self._own = model.body_rootid == model.body_rootid[self._bodies[0]]
        self._masks = model.geom_contype[self._lips], model.geom_conaffinity[self._lips]
        self._cup_of = np.full(model.neq, -1, np.int64)
        self._cup_of[self._bonds] = np.arange(n)
        self._moment_scale = 0.5 * float(model.eq_data[self._bonds[0], 10])
        self.signal = np.zeros(n, bool)
        """Which cups are switched on."""
        self._broken = np.zeros(n, bool)
        self._surface = np.full(n, -1, np.int64)
        self._normals, self._points = np.zeros((n, 3)), np.zeros((n, 3))
        self._faces = model.site_pos[self._sites].copy()
        self._samples, self._window = np.zeros((n, 6)), np.zeros((n, 3, SAMPLES))
        self._count = np.zeros(n, np.int64)
        self._medians, self._share = np.zeros((n, 3)), np.zeros(n)
        self.peaks = np.zeros((n, 4))
        """Largest share used up, pull, shear [N] and moment [N m] of each cup since
        `forget_peaks`."""
        self._left, self._depth = np.full(n, -1, np.int64), np.zeros(n)
        self._find_searching()
        self._find_leaving()
        self.set_laws([cup.law for cup in facts])
        self.sample()
        world.after_step.append(self._look)

    def set_laws(self, laws: Sequence[GripLaw]) -> None:
        """Give the cups other laws: of another gripper, or weaker ones."""
        self.laws = tuple(laws)
        self._laws = np.array([[*law.parameters] for law in laws], float)
        levers = [getattr(law, "peel", None) for law in laws]
        self._peel = np.array([0.0 if lever is None else 1.0 / lever for lever in levers])

    # --- what it reads

    def sample(self) -> None:
        """Take a new reading; it stands until the next one."""
        self.stamp = self._world.time
        self.loads, self.share = self._medians.copy(), self._share.copy()
        if self._noise is not None:
            wrong = self._spread * self._noise.standard_normal(self._spread.shape)
            self.loads = np.where(self.holding[:, None], self.loads + wrong, 0.0)
            self.loads[:, 1:] = np.abs(self.loads[:, 1:])
            self.share = self._used_up(self.loads)

    def _used_up(self, loads: Array) -> Array:
        """Return how much of what the cups hold such loads use up. Shape (cups,)."""
        pull = np.maximum(loads[:, 0], 0.0) + self._peel * loads[:, 2]
        each = zip(self.laws, pull, loads[:, 1], strict=True)
        return np.array([utilisation(law, pull, shear) for law, pull, shear in each], float)

    @property
    def peeled(self) -> Array:
        """How much of its pull each cup would use if moments peeled it off over its lip's radius.

        Whether they do says its law. Shape (cups,).
        """
        rows = zip(self.laws, self.loads, self.facts, strict=True)
        return np.array([float(peeled(law, a[0], a[2], cup.radius)) for law, a, cup in rows])

    @property
    def pull(self) -> Array:
        """Loads away from the surfaces, medians of five [N]; negative where a cup is pressed on."""
        return self.loads[:, 0]

    @property
    def shear(self) -> Array:
        """Loads along the surfaces, medians of five [N]."""
        return self.loads[:, 1]

    @property
    def moment(self) -> Array:
        """Moments that the bonds carry, medians of five [N m]."""
        return self.loads[:, 2]

    @property
    def holding(self) -> Mask:
        """Which cups hold."""
        return self._surface >= 0

    def state(self, cup: int) -> CupState:
        """Return what a cup is doing; `cup` counts from 0."""
        if self._surface[cup] >= 0:
            return CupState.HOLDING
        if self._broken[cup]:
            return CupState.BROKEN
        return CupState.SEARCHING if self.signal[cup] else CupState.OFF

    def proximity(self, cup: int) -> float:
        """Return the distance within which a cup attaches [m]."""
        return self.facts[cup].proximity

    def loads_known(self, holding: Mask) -> bool:
        """Tell whether these cups have been measured often enough since they took hold."""
        return bool((self._count[holding] >= SAMPLES).all())

    def forces(self) -> Array:
        """Return the newest forces of the surfaces on the cups, in world axes [N]."""
        return np.where(self._count[:, None] > 0, self._samples[:, 3:], 0.0)

    def normals(self) -> Array:
        """Return the normals of the surfaces that cups hold on to, in world axes; else zeros."""
        self._world.refresh_poses()
        turned = self._world.data.xmat[np.maximum(self._surface, 0)].reshape(-1, 3, 3)
        normals = np.einsum("nij,nj->ni", turned, self._normals)
        return np.where(self.holding[:, None], normals, 0.0)

    def in_body(self, vectors: Array) -> Array:
        """Return vectors of world axes in those of the robot's body. Shape (..., 3)."""
        self._world.refresh_poses()
        return vectors @ self._world.data.xmat[self._frame].reshape(3, 3)

    def distance(self, cup: int) -> float:
        """Return how far the surface before a cup is along its axis now [m]."""
        self._world.refresh_poses()
        data, site = self._world.data, self._sites[cup]
        axis = data.site_xmat[site].reshape(3, 3)[:, 2]
        return self._ray(data.site_xpos[site], axis, cup)[0]

    def ahead(self, cup: int) -> Seal:
        """Look what is before a cup now."""
        self._world.refresh_poses()
        return self.seal(cup)

    def surface(self, cup: int) -> str:
        """Return the name of the body a cup holds on to; empty if it does not hold."""
        return self._name(int(self._surface[cup])) if self._surface[cup] >= 0 else ""

    def _name(self, body: int) -> str:
        return self._world.model.body(body).name or f"body {body}"

    def forget_peaks(self) -> None:
        """Begin anew to look for the largest loads."""
        self.peaks[:] = 0.0

    # --- commands

    def switch(self, cup: int, on: bool) -> None:
        """Switch a cup on or off; one that holds lets go when it is switched off."""
        if not on:
            self._broken[cup] = False
            if self._surface[cup] >= 0:
                self._let_go(cup, "release")
        self.signal[cup] = on
        self._find_searching()

    def _find_searching(self) -> None:
        searching = self.signal & (self._surface < 0) & ~self._broken
        self._searching = np.flatnonzero(searching).tolist()

    # --- after every step of the physics

    def _look(self) -> None:
        data = self._world.data
        self._read_bonds(
            data.ne, data.efc_id, data.efc_force, self._cup_of, self._surface, self._bodies,
            data.xmat, self._normals, self._faces, self._moment_scale, self._samples,
        )  # fmt: skip
        broke = self._judge(
            self._surface, self._samples, self._window, self._count, self._laws, self._peel,
            self._medians, self._share, self.peaks,
        )  # fmt: skip
        if broke and not self.unbreakable:
            for cup in np.flatnonzero(self._share > 1.0):
                self._broken[cup] = not self.reattach
                self._let_go(int(cup), "break")
        for cup in self._leaving:
            self._leave(cup)
        if self._searching:
            self.take_hold()

    def take_hold(self) -> None:
        """Let cups that are switched on take hold of what is before them."""
        for cup in self._searching:
            seal = self.seal(cup)
            if seal.miss is None:
                self._take_hold(cup, seal)

    def seal(self, cup: int) -> Seal:
        """Look what is before a cup, along its axis first and then around its lip, by the poses
        that the engine has."""
        data, site = self._world.data, self._sites[cup]
        R, face = data.site_xmat[site].reshape(3, 3), data.site_xpos[site]
        facts, axis = self.facts[cup], R[:, 2]
        distance, body, normal = self._ray(face, axis, cup)
        if not distance <= facts.proximity:
            return Seal(distance, body, normal)
        lean = -(R.T @ normal)  # in the cup's axes; a plane is further away where this points
        for radius in (facts.radius, 0.5 * facts.radius):
            for angle in np.arange(RIM) * (2.0 * np.pi / RIM):
                x, y = radius * np.cos(angle), radius * np.sin(angle)
                there, other, slope = self._ray(face + x * R[:, 0] + y * R[:, 1], axis, cup)
                due = distance - (lean[0] * x + lean[1] * y) / lean[2]
                flat = slope @ normal >= FLAT and abs(there - due) <= UNEVEN
                if other != body or not flat:
                    return Seal(distance, body, normal, Miss.EDGE)
        return Seal(distance, body, normal, None)

    def _ray(self, point: Array, axis: Array, cup: int) -> tuple[float, int, Array]:
        """Return distance [m], body and normal of the nearest collidable surface along a ray."""
        model, data = self._world.model, self._world.data
        hit, normal = np.array([-1], np.int32), np.zeros(3)
        start, passed = point - BEHIND * axis, BEHIND
        while True:
            far = mujoco.mj_ray(model, data, start, axis, SEEN, 1, self._bodies[cup], hit, normal)
            if far < 0.0:
                return np.inf, -1, normal
            geom = int(hit[0])
            body = int(model.geom_bodyid[geom])
            solid = model.geom_contype[geom] or model.geom_conaffinity[geom]
            if solid and not self._own[body]:
                return far - passed, body, normal
            start, passed = start + (far + 1e-6) * axis, passed - far - 1e-6

    def _take_hold(self, cup: int, seal: Seal) -> None:
        """Weld a cup to a surface in the pose in which it is now."""
        model, data = self._world.model, self._world.data
        mujoco.mj_kinematics(model, data)  # a step leaves the poses of the state before it
        bond, body, held = self._bonds[cup], int(self._bodies[cup]), seal.body
        to_held = data.xmat[held].reshape(3, 3).T
        back, relative = np.zeros(4), np.zeros(4)
        mujoco.mju_negQuat(back, data.xquat[body])
        mujoco.mju_mulQuat(relative, back, data.xquat[held])
        model.eq_obj2id[bond] = held
        # Held at the cup's origin, where its springs meet: held at its face, it would tilt, for
        # the moments of such a weld are soft.
        model.eq_data[bond, 0:3] = to_held @ (data.xpos[body] - data.xpos[held])
        model.eq_data[bond, 3:6] = 0.0
        model.eq_data[bond, 6:10] = relative
        data.eq_active[bond] = 1
        self._collide(cup, False)
        self._surface[cup], self._count[cup] = held, 0
        self._left[cup] = -1
        self._find_leaving()
        assert seal.normal is not None
        self._normals[cup] = to_held @ seal.normal
        R = data.site_xmat[self._sites[cup]].reshape(3, 3)
        touched = data.site_xpos[self._sites[cup]] + seal.distance * R[:, 2]
        self._points[cup] = to_held @ (touched - data.xpos[held])
        self._note(cup, "bond")
        self._find_searching()

    def _let_go(self, cup: int, why: str) -> None:
        self._note(cup, why)
        self._world.data.eq_active[self._bonds[cup]] = 0
        self._left[cup] = self._surface[cup]
        self._depth[cup] = self._sunk(cup)
        self._surface[cup], self._count[cup] = -1, 0
        self._find_leaving()
        self._medians[cup], self._share[cup] = 0.0, 0.0
        self._find_searching()

    def _find_leaving(self) -> None:
        self._leaving = np.flatnonzero(self._left >= 0).tolist()

    def _leave(self, cup: int) -> None:
        """Let a cup that has let go collide again, once its lip is out of the surface.

        Bonds give way to moments, so a lip may be inside the surface; contact at once would kick
        the leg away. One that goes deeper, because it is not lifted but stands, collides too.
        """
        depth = self._sunk(cup)
        if depth <= 0.0 or depth > self._depth[cup] + DEEPER:
            self._left[cup] = -1
            self._collide(cup, True)
            self._find_leaving()

    def _sunk(self, cup: int) -> float:
        """Return how deep a cup's lip is inside the surface that it has let go of [m]."""
        data, held, site = self._world.data, int(self._left[cup]), self._sites[cup]
        R = data.xmat[held].reshape(3, 3)
        normal, point = R @ self._normals[cup], R @ self._points[cup] + data.xpos[held]
        axis = data.site_xmat[site].reshape(3, 3)[:, 2]
        height = (data.site_xpos[site] - point) @ normal
        tilt = np.sqrt(max(1.0 - float(axis @ normal) ** 2, 0.0))
        return max(float(self.facts[cup].radius * tilt - height), 0.0)

    def _collide(self, cup: int, on: bool) -> None:
        model, lip = self._world.model, self._lips[cup]
        model.geom_contype[lip], model.geom_conaffinity[lip] = (
            (self._masks[0][cup], self._masks[1][cup]) if on else (0, 0)
        )

    def _note(self, cup: int, what: str) -> None:
        pull, shear, moment = self._medians[cup].tolist()
        self.events.append(
            CupEvent(
                time=self._world.time, cup=cup + 1, what=what,
                body=self._name(int(self._surface[cup])), pull=pull, shear=shear, moment=moment,
            )
        )  # fmt: skip

    # --- memory

    def memory(self) -> Any:
        """Return what it must know to go on from here; the bonds are the world's."""
        kept = (
            self.signal, self._broken, self._surface, self._normals, self._points, self._samples,
            self._window, self._count, self._medians, self._share, self.peaks, self._left,
            self._depth,
        )  # fmt: skip
        return tuple(a.copy() for a in kept), len(self.events), self.stamp, self.loads, self.share

    def recall(self, memory: Any) -> None:
        """Go on from there."""
        kept, events, self.stamp, self.loads, self.share = memory
        (
            self.signal[:], self._broken[:], self._surface[:], self._normals[:], self._points[:],
            self._samples[:], self._window[:], self._count[:], self._medians[:], self._share[:],
            self.peaks[:], self._left[:], self._depth[:],
        ) = kept  # fmt: skip
        self._find_leaving()
        self._find_searching()
        del self.events[events:]
