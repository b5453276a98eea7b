"""The sensors on the board of a wheeled base, read together into one packet."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import mujoco
import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import UnknownName
from mecano.core.messages.base import BaseReport
from mecano.robots.mobile import CliffFacts, WheeledBase
from mecano.sensors.gyro import Gyro
from mecano.sensors.wheel_angles import WheelAngles
from mecano.world.world import SEEN, World

BOUNCE = 0.05
"""A bumper stays pressed for this long after the last touch [s]: hard things rattle (EST)."""
HANGING = 0.01
"""A wheel hangs in the air if the ground is further below it than this [m] (EST)."""
GROUND = np.array([1, 1, 0, 0, 0, 0], np.uint8)
"""Groups of shapes that a wheel may stand on: surroundings, not the robots themselves."""


@dataclass(frozen=True)
class LastStep:
    """What only the last step of the engine tells."""

    stamp: float
    """[s]."""
    touched: frozenset[str]
    """Bumpers that touch something."""
    power: float
    """Of the motors [W]."""
    torques: tuple[float, ...]
    """Of the motors, at the wheels [N m]."""


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
        self._angles = WheelAngles(world, facts.layout.names, prefix=prefix)
        self.gyro = None
        if facts.gyro is not None:
            self.gyro = Gyro(world, facts.gyro, prefix=prefix, noise=noise)
        self._touch = _Touch(world, facts, prefix)
        self._drops = _WheelDrops(world, facts, prefix)
        self._kept: LastStep | None = None
        """That of a state that was gone back to: the engine has not kept it."""
        self._cliffs = None
        if facts.cliffs is not None:
            self._cliffs = _Cliffs(world, facts.cliffs, prefix)
        self._charge = 0.0 if facts.battery is None else facts.battery.capacity
        self._last = world.time
        self._hits: dict[str, float] = {}
        """When each bumper was last touched [s]."""
        self.buttons: frozenset[int] = frozenset()
        """Those that somebody presses."""
        self._jumped = np.zeros(len(facts.layout.names))
        """How far counters were made to jump [ticks]."""
        self.report = self.clean = BaseReport(stamp=-1.0, ticks=(0,) * len(facts.layout.names))
        self.sample()

    def sample(self) -> None:
        """Take a new packet; it stands until the next one."""
        now = self._world.time
        if now == self.report.stamp:  # one instant has one packet
            return
        self._world.refresh_poses()
        if self.gyro is not None:
            self.gyro.sample()
        turned = self._angles.read() / self.facts.counter.per_tick + self._jumped
        step = self._last_step()
        common: dict[str, Any] = {
            "stamp": now,
            "ticks": self._counted(turned),
            "bumpers": self._pressed(step, now),
            "wheel_drops": self._drops.read(),
            "buttons": self.buttons,
            "voltage": self._drain(step.power),
            "motor_currents": self._currents(step.torques),
        }
        floor = {} if self._cliffs is None else self._cliffs.read()
        self.clean = self.report = BaseReport(
            **common, **self._looked_down(floor), **self._turning(clean=True)
        )
        if self._noise is None:
            return
        if self.facts.cliffs is not None:
            errors = self._noise.standard_normal(len(floor)) * self.facts.cliffs.noise
            floor = {n: d + e for (n, d), e in zip(floor.items(), errors.tolist(), strict=True)}
        if self.facts.counter.noise:
            shake = self.facts.counter.noise * self._noise.standard_normal(len(turned))
            common["ticks"] = self._counted(turned + shake)
        self.report = BaseReport(**common, **self._looked_down(floor), **self._turning(clean=False))

    def jump(self, wheel: str, ticks: float) -> None:
        """Let the counter of a wheel jump by so many ticks, from the next packet on."""
        names = self.facts.layout.names
        if wheel not in names:
            raise UnknownName("wheel", str(wheel), names)
        jumped = self._jumped.copy()
        jumped[names.index(wheel)] += finite_number(ticks, name="jump of a counter [ticks]")
        self._jumped = jumped

    def _counted(self, turned: Array) -> tuple[int, ...]:
        """Return the counters of wheels that have turned so far [ticks]."""
        return tuple((np.floor(turned).astype(int) % self.facts.counter.modulo).tolist())

    def _last_step(self) -> LastStep:
        if self._kept is not None and self._kept.stamp == self._world.time:
            return self._kept
        return self._touch.read()

    def _pressed(self, step: LastStep, now: float) -> frozenset[str]:
        """Return the bumpers that are pressed, or were a moment ago."""
        self._hits |= dict.fromkeys(step.touched, now)
        return frozenset(name for name, when in self._hits.items() if now - when < BOUNCE)

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

    def _drain(self, power: float) -> float | None:
        """Take what was used from the battery; return its voltage [V]."""
        battery = self.facts.battery
        if battery is None:
            return None
        full = self._charge / battery.capacity
        voltage = battery.empty + full * (battery.full - battery.empty)
        current = battery.standby + power / max(voltage, 1.0)
        hours = (self._world.time - self._last) / 3600.0
        self._last = self._world.time
        self._charge = max(0.0, self._charge - current * hours)
        return round(voltage, 1)

    def _currents(self, torques: tuple[float, ...]) -> tuple[float, ...]:
        """Return what the motors draw [A]; nothing if the board does not measure it."""
        per_ampere = self.facts.torque_per_ampere
        return () if per_ampere is None else tuple(abs(t) / per_ampere for t in torques)

    def memory(self) -> tuple[Any, ...]:
        """Return what it must know to go on from here."""
        gyro = None if self.gyro is None else self.gyro.memory
        return (
            self.report, self.clean, self._charge, self._last, dict(self._hits), self.buttons,
            gyro, self._last_step(), self._jumped,
        )  # fmt: skip

    def recall(self, memory: tuple[Any, ...]) -> None:
        """Go on from there."""
        (
            self.report, self.clean, self._charge, self._last, hits, self.buttons,
            gyro, self._kept, self._jumped,
        ) = memory  # fmt: skip
        self._hits = dict(hits)
        if self.gyro is not None:
            self.gyro.memory = gyro


class _Touch:
    """Which bumpers touch something, and what the motors do."""

    def __init__(self, world: World, facts: WheeledBase, prefix: str) -> None:
        model = world.model
        self._world, self._names = world, tuple(facts.bumpers)
        self._motors = np.array([world.index("actuator", prefix + n) for n in facts.layout.names])
        self._bumper = np.full(model.ngeom, -1)
        names = [model.geom(i).name for i in range(model.ngeom)]
        for i, begins in enumerate(facts.bumpers.values()):
            self._bumper[[n.startswith(prefix + begins) for n in names]] = i

    def read(self) -> LastStep:
        """Look at the contacts and motors of the last step."""
        data = self._world.data
        touched: frozenset[str] = frozenset()
        if self._names:
            contacts = data.contact
            bumpers = self._bumper[contacts.geom[contacts.dist <= 0.0]]
            touched = frozenset(self._names[i] for i in set(bumpers[bumpers >= 0].tolist()))
        torques = data.actuator_force[self._motors]
        power = float(np.abs(torques * data.actuator_velocity[self._motors]).sum())
        return LastStep(self._world.time, touched, power, tuple(torques.tolist()))


class _WheelDrops:
    """Which wheels have no ground below them."""

    def __init__(self, world: World, facts: WheeledBase, prefix: str) -> None:
        model = world.model
        self._world, self._frame = world, world.index("body", prefix + facts.frame)
        self._wheels = [
            (wheel.name, int(model.joint(prefix + wheel.name).bodyid[0]), wheel.radius + HANGING)
            for wheel in facts.layout.wheels
        ]

    def read(self) -> frozenset[str]:
        """Return the wheels that hang in the air."""
        model, data, hit = self._world.model, self._world.data, np.array([-1], np.int32)
        down = -data.xmat[self._frame].reshape(3, 3)[:, 2]
        far = {
            name: (mujoco.mj_ray(model, data, data.xpos[body], down, GROUND, 1, -1, hit), furthest)
            for name, body, furthest in self._wheels
        }
        return frozenset(n for n, (seen, furthest) in far.items() if not 0.0 <= seen <= furthest)


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
