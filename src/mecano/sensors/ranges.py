"""Sensors that measure one distance along a ray."""

from math import inf
from typing import Any

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import Range
from mecano.robots.mobile import RangeFacts
from mecano.world.world import SEEN, World


class RangeFinder:
    """Measures how far it is to what stands before a site, along its z axis."""

    def __init__(
        self, world: World, facts: RangeFacts, *, prefix: str, base: str,
        noise: np.random.Generator | None,
    ) -> None:  # fmt: skip
        """Look up the site.

        Args:
            world: Where it is.
            facts: What it can see.
            prefix: Of the robot in the world.
            base: Body of the robot that stands for its base.
            noise: Source of its errors; None reads without.
        """
        self.name, self.rate, self.facts = facts.name, facts.rate, facts
        self._world, self._noise, self._frame = world, noise, prefix + facts.site
        self._site = world.index("site", prefix + facts.site)
        self._own = int(world.model.site_bodyid[self._site])  # it may sit inside its body's shapes
        self.origin, self.direction = self._mount(prefix + base)
        """Where the ray begins [m] and points to, in the frame of the base. Shape (3,) each."""
        self._reading = self._clean = self._message(0.0, inf)
        self.sample()

    def _mount(self, name: str) -> tuple[Array, Array]:
        data = self._world.data
        mujoco.mj_kinematics(self._world.model, data)
        base = self._world.index("body", name)
        T_base_world = data.xmat[base].reshape(3, 3).T
        ray = data.site_xmat[self._site].reshape(3, 3)[:, 2]
        return T_base_world @ (data.site_xpos[self._site] - data.xpos[base]), T_base_world @ ray

    def read(self, *, clean: bool = False) -> Range:
        """Return the newest reading; `clean` is it without noise."""
        return self._clean if clean else self._reading

    @property
    def detects(self) -> bool:
        """Whether something is in sight, by the newest reading."""
        return self._reading.valid

    def sample(self) -> None:
        """Take a new reading; it stands until the next one."""
        model, data = self._world.model, self._world.data
        mujoco.mj_kinematics(model, data)  # poses of this very instant
        ahead = data.site_xmat[self._site].reshape(3, 3)[:, 2]
        hit = np.array([-1], np.int32)
        far = mujoco.mj_ray(model, data, data.site_xpos[self._site], ahead, SEEN, 1, self._own, hit)
        true = float(far) if 0.0 <= far <= self.facts.furthest else inf
        self._clean = self._reading = self._message(self._world.time, true)
        if self._noise is not None:
            error = self.facts.noise * self._noise.standard_normal()  # drawn also when none is seen
            read = max(true + error, 0.0)
            seen = read if read <= self.facts.furthest else inf
            self._reading = self._message(self._world.time, seen)

    def _message(self, stamp: float, far: float) -> Range:
        return Range(
            stamp=stamp, frame=self._frame, radiation_type="infrared", field_of_view=0.0,
            min_range=0.0, max_range=self.facts.furthest, range=far,
        )  # fmt: skip

    def memory(self) -> Any:
        """Return what it must know to go on from here."""
        return self._reading, self._clean

    def recall(self, memory: Any) -> None:
        """Go on from there."""
        self._reading, self._clean = memory
