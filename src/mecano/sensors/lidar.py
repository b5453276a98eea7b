"""Planar LIDARs: one distance per beam, cast into the world."""

from collections.abc import Callable
from functools import cached_property
from math import floor, inf
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array, finite_number
from mecano.core.compiled import first_call_notice
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose
from mecano.robots.lidars import LidarFacts
from mecano.world.world import SEEN, World, shapes_in_sight, site_pose

Reading = tuple[float, Array, float]
"""Stamp of the first beam [s], distances in sight or not [m], and time from beam to beam [s]."""


class Lidar:
    """Scans the plane of a site. Its own robot is seen like everything else.

    By default a scan is an instant: all beams are of the time of the stamp. With `swept` they are
    taken one after the other up to now, as the mirror does, and the stamp is that of the first
    beam. The sensor then is moved back along its present velocity in the plane; the world, and the
    robot's own shapes, stay where they are now, at most 50 ms later.

    What is nearer than the device can see reads +inf, as beams without echo do: the telegram of a
    TiM has one number for both, and its driver makes it +inf.
    """

    def __init__(
        self, world: World, facts: LidarFacts, *, prefix: str, base: str,
        noise: np.random.Generator | None,
    ) -> None:  # fmt: skip
        """Look up the site; with noise, draw the error that all readings share.

        Args:
            world: Where it is.
            facts: What it can see.
            prefix: Of the robot in the world.
            base: Body of the robot that stands for its base.
            noise: Source of its errors; None reads without.

        Raises:
            InvalidInput: The site is inside a shape that is no housing of its own.
        """
        self.name, self.rate, self.phase, self.facts = facts.name, facts.rate, facts.phase, facts
        self._world, self._noise, self._frame = world, noise, facts.site
        self._site = world.index("site", prefix + facts.site)
        mujoco.mj_kinematics(world.model, world.data)
        self._at = world.data.site_xpos[self._site]
        self._turned = world.data.site_xmat[self._site].reshape(3, 3)
        self._housing = self._find_housing()
        self._shapes = self._find_shapes()
        T_world_base = world.body_pose(prefix + base)
        self.pose: Pose = T_world_base.inverse() @ site_pose(world.data, self._site)
        """Where it sits, seen from the base: `T_base_sensor`."""
        self.offset = 0.0
        """Error that all noisy readings of this run share [m]."""
        if noise is not None:
            drawn = facts.offset * float(noise.standard_normal())
            self.offset = min(max(drawn, -facts.offset_limit), facts.offset_limit)
        self._enabled, self._swept = True, False
        self._crop = facts.reach if facts.crop is None else facts.crop
        self._lay_out_beams()
        self._clean = self._reading = (world.time, np.full(len(self._angles), inf), 0.0)
        self.sample()

    # --- how it is set

    @property
    def enabled(self) -> bool:
        """Whether it scans."""
        return self._enabled

    def switch(self, on: bool) -> None:
        """Switch it on or off; while it is off the last scan stands and grows old."""
        if not isinstance(on, bool):
            raise InvalidInput(f"LIDAR {self.name} is switched {on!r}, allowed: True, False")
        self._enabled = on

    @property
    def swept(self) -> bool:
        """Whether beams are taken one after the other, from the next scan on."""
        return self._swept

    @swept.setter
    def swept(self, swept: bool) -> None:
        if not isinstance(swept, bool):
            raise InvalidInput(f"swept is {swept!r}, allowed: True, False")
        self._swept = swept

    @property
    def crop(self) -> float:
        """Beams further than this to either side are left out, from the next scan on [rad]."""
        return self._crop

    @crop.setter
    def crop(self, crop: float | None) -> None:
        widest = self.facts.reach
        wanted = widest if crop is None else crop
        name = f"LIDAR {self.name}: crop [rad]"
        self._crop = finite_number(wanted, name=name, lower=self.facts.step, upper=widest)
        self._lay_out_beams()

    def _lay_out_beams(self) -> None:
        """Lay out the directions of the beams, in the frame of the site."""
        most = floor(self._crop / self.facts.step + 1e-9)
        self._angles = np.arange(-most, most + 1.0) * self.facts.step
        self._beams = _fan(self._angles)

    def _find_shapes(self) -> tuple[NDArray[Any], ...]:
        """Return numbers of the shapes that beams can meet, and what the engine has of all."""
        model, data = self._world.model, self._world.data
        shapes = shapes_in_sight(model, SEEN)
        return (
            shapes[model.geom_bodyid[shapes] != self._housing], model.geom_type, model.geom_size,
            model.geom_rbound, data.geom_xpos, data.geom_xmat,
        )  # fmt: skip

    def _find_housing(self) -> int:
        """Return the body of the housing, which beams pass; -1 if there is none around the site."""
        model, data = self._world.model, self._world.data
        own = int(model.site_bodyid[self._site])
        robot = model.body_rootid[model.geom_bodyid] == model.body_rootid[own]
        shapes = np.flatnonzero(robot & (SEEN[model.geom_group] > 0))
        around = [g for g in shapes if _is_inside(model, data, int(g), self._at)]
        if not around:
            return -1
        alien = [g for g in around if model.geom_bodyid[g] != own]
        beside = [g for g in shapes if model.geom_bodyid[g] == own and g not in around]
        if alien or beside:
            shape = model.geom(alien[0] if alien else around[0])
            body = model.body(int(shape.bodyid[0])).name
            raise InvalidInput(
                f"LIDAR {self.name}: site '{self.facts.site}' is inside shape '{shape.name}' of "
                f"body '{body}', so it would see nothing else; give the housing a body of its own "
                "with the site in it, or put the shape into a group that rays pass, such as 2"
            )
        return own

    # --- reading

    @property
    def stamp(self) -> float:
        """When the first beam of the newest scan was taken [s]."""
        return self._reading[0]

    def read(self, *, clean: bool = False) -> LaserScan:
        """Return the newest scan, in the frame of the site; `clean` is it without noise."""
        stamp, ranges, beam_time = self._clean if clean else self._reading
        most = len(ranges) // 2 * self.facts.step
        return LaserScan(
            stamp=stamp, frame=self._frame, angle_min=-most, angle_max=most,
            angle_increment=self.facts.step, range_min=self.facts.nearest,
            range_max=self.facts.furthest, ranges=np.where(self._sees(ranges), ranges, inf),
            time_increment=beam_time, scan_time=1.0 / self.rate,
        )  # fmt: skip

    def sample(self) -> None:
        """Take a new scan, if it is on; it stands until the next one."""
        if not self._enabled:
            return
        mujoco.mj_kinematics(self._world.model, self._world.data)  # poses of this very instant
        true = self._cast()
        beam_time = self.facts.beam_time if self._swept else 0.0
        stamp = self._world.time - (len(true) - 1) * beam_time
        self._clean = self._reading = (stamp, true, beam_time)
        if self._noise is not None:
            error = self.offset + self.facts.noise * self._noise.standard_normal(len(true))
            read = np.rint((true + error) / self.facts.digit) * self.facts.digit
            self._reading = (stamp, np.where(self._sees(true), read, inf), beam_time)

    def _sees(self, ranges: Array) -> NDArray[np.bool_]:
        """Tell which distances are neither too near nor too far [m]."""
        return (ranges >= self.facts.nearest) & (ranges <= self.facts.furthest)

    def _cast(self) -> Array:
        """Return how far it is along every beam [m]; negative where nothing is met."""
        at, turned = self._at, self._turned
        if not self._swept:
            return self._meet(at.reshape(1, 3), self._beams.dot(turned.T), 0.0)
        back = self.facts.beam_time * np.arange(1.0 - len(self._angles), 1.0)
        shift, turn = _arc(self._velocity(), back)
        beams = _fan(self._angles + turn)
        slack = float(np.hypot(*shift.T).max())
        return self._meet(at + shift @ turned[:, :2].T, beams @ turned.T, slack)

    def _meet(self, starts: Array, beams: Array, slack: float) -> Array:
        """Return how far beams go from where they start, at most `slack` away from the site.

        Args:
            starts: One for each beam, or one for all [m]. Shape (n, 3) or (1, 3).
            beams: Their directions, unit vectors. Shape (n, 3).
            slack: [m].
        """
        far = np.empty(len(beams))
        step = 0.0 if self._swept else self.facts.step
        simple = self._kernel(
            starts, beams, step, self._at, self._turned[:, 2], slack, *self._shapes,
            self.facts.furthest, far,
        )  # fmt: skip
        return far if simple else self._ask_engine(starts, beams, slack)

    @cached_property
    def _kernel(self) -> Callable[..., bool]:
        """What beams meet, compiled; its first call is announced if that takes long."""
        from mecano.sensors.lidar_kernel import meet

        def first(*arguments: Any) -> bool:
            with first_call_notice(meet):
                simple = meet(*arguments)
            self._kernel = meet
            return simple

        return first

    def _ask_engine(self, starts: Array, beams: Array, slack: float) -> Array:
        """Return the same by the engine, which knows all kinds of shapes and takes longer."""
        model, data = self._world.model, self._world.data
        hit, far = np.empty(len(beams), np.int32), np.empty(len(beams))
        if slack == 0.0:
            mujoco.mj_multiRay(
                model, data, starts[0], beams.ravel(), SEEN, 1, self._housing, hit, far, None,
                len(far), self.facts.furthest,
            )  # fmt: skip
            return far
        return np.array([
            mujoco.mj_ray(model, data, start, beam, SEEN, 1, self._housing, hit[:1])
            for start, beam in zip(starts, beams, strict=True)
        ])  # fmt: skip

    def _velocity(self) -> Array:
        """Return vx, vy [m/s] and wz [rad/s] of the site in its own plane."""
        model, data = self._world.model, self._world.data
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        velocity = np.empty(6)  # turning first
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_SITE, self._site, velocity, 1)
        return velocity[[3, 4, 2]]

    def memory(self) -> Any:
        """Return what it must know to go on from here."""
        return self._reading, self._clean, self.offset, self._enabled, self._swept, self._crop

    def recall(self, memory: Any) -> None:
        """Go on from there."""
        self._reading, self._clean, self.offset, self._enabled, self._swept, crop = memory
        self.crop = crop


def _fan(angles: Array) -> Array:
    """Return beams at some angles from x to y, in the frame of the site. Shape (n, 3)."""
    return np.stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))], axis=1)


def _arc(twist: Array, times: Array) -> tuple[Array, Array]:
    """Return where a steady motion is at some times: places (n, 2) [m], headings (n,) [rad]."""
    turn = twist[2] * times
    along = np.sinc(turn / np.pi) * times
    across = np.sinc(0.5 * turn / np.pi) * np.sin(0.5 * turn) * times
    x, y = twist[0] * along - twist[1] * across, twist[0] * across + twist[1] * along
    return np.stack([x, y], axis=1), turn


def _is_inside(model: mujoco.MjModel, data: mujoco.MjData, geom: int, point: Array) -> bool:
    """Tell whether a point is inside a shape: a ray and the one against it both meet it."""
    kind = int(model.geom_type[geom])
    if kind in (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD):
        return False
    for axis in np.eye(3):
        for ray in (axis, -axis):
            if kind == mujoco.mjtGeom.mjGEOM_MESH:
                far = mujoco.mj_rayMesh(model, data, geom, point, ray, None)
            else:
                far = mujoco.mju_rayGeom(
                    data.geom_xpos[geom], data.geom_xmat[geom], model.geom_size[geom], point, ray,
                    kind, None,
                )  # fmt: skip
            if far < 0.0:
                return False
    return True
