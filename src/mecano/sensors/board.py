"""The sensors on the board of a wheeled base, read together into one packet."""

from collections.abc import Mapping
from math import inf
from typing import Any

import mujoco
import numpy as np

from mecano.core.messages.base import BaseReport
from mecano.robots.mobile import CliffFacts, WheeledBase
from mecano.sensors.gyro import Gyro
from mecano.world.world import World

BOUNCE = 0.05
"""A bumper stays pressed for this long after the last touch [s]: hard things rattle (EST)."""
PRESSED = 1.0
"""A bumper is pressed by more than this force [N] (EST)."""
LOADED = 0.5
"""A wheel that carries less than this hangs in the air [N] (EST)."""
SEEN = np.array([1, 1, 0, 1, 0, 0], np.uint8)
"""Groups of shapes that a ray meets: surroundings and what collides, not what is only seen."""


class Board:
    """Wheel counters, gyro, bumpers, cliff sensors, wheel drops, buttons and battery of a base."""

    def __init__(
        self, world: World, facts: WheeledBase, *, prefix: str, noise: np.random.Generator | None
    ) -> None:
        """Look everything up once.

        Args:
            world: Where the base is.
            facts: What is on its board.
            prefix: Of the robot in the world.
            noise: Source of all errors; None reads without.
        """
        self.name, self.rate, self.facts = f"{prefix}board", facts.rate, facts
        self._world, self._noise = world, noise
        model = world.model
        self._wheels = np.array([model.joint(prefix + n).qposadr[0] for n in facts.layout.names])
        self._motors = np.array([world.index("actuator", prefix + n) for n in facts.layout.names])
        self.gyro = None
        if facts.gyro is not None:
            self.gyro = Gyro(world, facts.gyro, prefix=prefix, noise=noise)
        self._touch = _Touch(world, facts, prefix)
        self._cliffs = None
        if facts.cliffs is not None:
            self._cliffs = _Cliffs(world, facts.cliffs, prefix)
        self._charge = 0.0 if facts.battery is None else facts.battery.capacity
        self._last = world.time
        self._hanging: frozenset[str] = frozenset()
        self._hits: dict[str, float] = {}
        """When each bumper was last touched [s]."""
        self.buttons: frozenset[int] = frozenset()
        """Those that somebody presses."""
        self.report = self.clean = BaseReport(ticks=(0,) * len(self._wheels))
        self.sample()

    def sample(self) -> None:
        """Take a new packet; it stands until the next one."""
        if self.gyro is not None:
            self.gyro.sample()
        turned = self._world.data.qpos[self._wheels] / self.facts.counter.per_tick
        now = self._world.time
        touched, hanging = self._touch.read()
        self._hits |= dict.fromkeys(touched, now)
        pressed = frozenset(n for n, when in self._hits.items() if now - when < BOUNCE)
        dropped, self._hanging = hanging & self._hanging, hanging  # a switch bounces
        common: dict[str, Any] = {
            "stamp": self._world.time,
            "ticks": tuple((np.floor(turned).astype(int) % self.facts.counter.modulo).tolist()),
            "bumpers": pressed,
            "wheel_drops": dropped,
            "buttons": self.buttons,
            "voltage": self._drain(),
        }
        floor = {} if self._cliffs is None else self._cliffs.read()
        self.clean = BaseReport(**common, **self._looked_down(floor), **self._turning(clean=True))
        if self._noise is not None and self.facts.cliffs is not None:
            errors = self._noise.standard_normal(len(floor)) * self.facts.cliffs.noise
            floor = {n: d + e for (n, d), e in zip(floor.items(), errors.tolist(), strict=True)}
        self.report = BaseReport(**common, **self._looked_down(floor), **self._turning(clean=False))

    def _turning(self, *, clean: bool) -> dict[str, Any]:
        if self.gyro is None:
            return {}
        reading = self.gyro.clean if clean else self.gyro.reading
        return {"heading": reading.heading, "turn_rate": reading.rate}

    def _looked_down(self, floor: Mapping[str, float]) -> dict[str, Any]:
        if self.facts.cliffs is None:
            return {}
        over = frozenset(n for n, d in floor.items() if d > self.facts.cliffs.trip)
        return {"floor": dict(floor), "cliffs": over}

    def _drain(self) -> float | None:
        """Take what was used from the battery; return its voltage [V]."""
        battery = self.facts.battery
        if battery is None:
            return None
        data = self._world.data
        power = np.abs(data.actuator_force[self._motors] * data.actuator_velocity[self._motors])
        full = self._charge / battery.capacity
        voltage = battery.empty + full * (battery.full - battery.empty)
        current = battery.standby + float(power.sum()) / max(voltage, 1.0)
        hours = (self._world.time - self._last) / 3600.0
        self._last = self._world.time
        self._charge = max(0.0, self._charge - current * hours)
        return round(voltage, 1)

    def memory(self) -> tuple[Any, ...]:
        """Return what it must know to go on from here."""
        gyro = None if self.gyro is None else self.gyro.memory
        return (
            self.report, self.clean, self._charge, self._last, self._hanging, dict(self._hits),
            self.buttons, gyro,
        )  # fmt: skip

    def recall(self, memory: tuple[Any, ...]) -> None:
        """Go on from there."""
        (
            self.report, self.clean, self._charge, self._last, self._hanging, hits,
            self.buttons, gyro,
        ) = memory  # fmt: skip
        self._hits = dict(hits)
        if self.gyro is not None:
            self.gyro.memory = gyro


class _Touch:
    """Which bumpers are pressed and which wheels carry nothing, from the contacts."""

    def __init__(self, world: World, facts: WheeledBase, prefix: str) -> None:
        model = world.model
        self._world = world
        self._bumper = np.full(model.ngeom, -1)
        self._wheel = np.full(model.ngeom, -1)
        self._bumper_names, self._wheel_names = tuple(facts.bumpers), facts.layout.names
        names = [model.geom(i).name for i in range(model.ngeom)]
        for i, begins in enumerate(facts.bumpers.values()):
            self._bumper[[n.startswith(prefix + begins) for n in names]] = i
        for i, joint in enumerate(self._wheel_names):
            body = model.joint(prefix + joint).bodyid[0]
            self._wheel[model.geom_bodyid == body] = i

    def read(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the pressed bumpers and the wheels in the air."""
        data, force = self._world.data, np.zeros(6)
        pushed = np.zeros(len(self._bumper_names))
        carried = np.zeros(len(self._wheel_names))
        geoms = data.contact.geom[: data.ncon]
        bumpers, wheels = self._bumper[geoms].max(axis=1), self._wheel[geoms].max(axis=1)
        for i in np.flatnonzero((bumpers >= 0) | (wheels >= 0)):
            mujoco.mj_contactForce(self._world.model, data, int(i), force)
            if bumpers[i] >= 0:
                pushed[bumpers[i]] += force[0]
            else:
                carried[wheels[i]] += force[0]
        pressed = frozenset(
            n for n, f in zip(self._bumper_names, pushed, strict=True) if f > PRESSED
        )
        hanging = frozenset(
            n for n, f in zip(self._wheel_names, carried, strict=True) if f < LOADED
        )
        return pressed, hanging


class _Cliffs:
    """Rays from the cliff sensors down to the floor."""

    def __init__(self, world: World, facts: CliffFacts, prefix: str) -> None:
        self._world, self._facts = world, facts
        self._sites = {name: world.index("site", prefix + s) for name, s in facts.sites.items()}

    def read(self) -> dict[str, float]:
        """Return how far down the floor is below each sensor [m]."""
        model, data, hit = self._world.model, self._world.data, np.array([-1], np.int32)
        distances = {}
        for name, site in self._sites.items():
            down = data.site_xmat[site].reshape(3, 3)[:, 2]
            own = int(model.site_bodyid[site])  # the sensor sits inside its body's shapes
            far = mujoco.mj_ray(model, data, data.site_xpos[site], down, SEEN, 1, own, hit)
            seen = 0.0 <= far <= self._facts.furthest
            distances[name] = float(far) if seen else inf
        return distances
