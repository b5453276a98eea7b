"""The sensors on the board of a wheeled base, read together into one packet."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, hypot, inf
from typing import Any

import mujoco
import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.errors import UnknownName
from mecano.core.messages.base import BaseReport
from mecano.robots.mobile import CliffFacts, WheeledBase
from mecano.sensors.gyro import Gyro
from mecano.sensors.wheel_angles import WheelAngles
from mecano.world.addresses import copier
from mecano.world.world import SEEN, World, shapes_in_sight

BOUNCE = 0.05
"""A bumper stays pressed for this long after the last touch [s]: hard things rattle (EST)."""
HANGING = 0.01
"""A wheel hangs in the air if the ground is further below it than this [m] (EST)."""
GROUND = np.array([1, 1, 0, 0, 0, 0], np.uint8)
"""Groups of shapes that a wheel may stand on: surroundings, not the robots themselves."""


@dataclass(frozen=True)
class LastStep:
    """What only the last step of the engine tells."""

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
        self._uses_last_step = bool(
            facts.bumpers or facts.battery is not None or facts.torque_per_ampere is not None
        )
        self._cliffs = None
        if facts.cliffs is not None:
            self._cliffs = _Cliffs(world, facts.cliffs, prefix)
        self._charge = 0.0 if facts.battery is None else facts.battery.capacity
        self._last = world.time
        self._hits: dict[str, float] = {}
        """When each bumper was last touched [s]."""
        self.buttons: frozenset[int] = frozenset()
        """Those that somebody presses."""
        self._exact = (0.0,) * len(facts.layout.names)
        """Errors of counters that have none [ticks]."""
        self._jumped = [0.0] * len(facts.layout.names)
        """How far counters were made to jump [ticks]."""
        wheels = facts.layout.names
        self.report = self.clean = BaseReport(stamp=-1.0, ticks=(0,) * len(wheels), wheels=wheels)
        self._empty = vars(self.report)
        self.sample()

    def sample(self) -> None:
        """Take a new packet; it stands until the next one."""
        now = self._world.time
        if now == self.report.stamp:  # one instant has one packet
            return
        if self.gyro is not None:
            self.gyro.sample()
        common = self._empty | {
            "stamp": now,
            "ticks": self._count(self._exact),
            "wheel_drops": self._drops.read(),
            "buttons": self.buttons,
        }
        if self._uses_last_step:
            step = self._touch.read()
            common["bumpers"] = self._pressed(step, now)
            common["voltage"] = self._drain(step.power)
            common["motor_currents"] = self._currents(step.torques)
        below = {} if self._cliffs is None else self._cliffs.read()
        self.clean = self.report = self._packet(common, below, clean=True)
        if self._noise is None:
            return
        if self.facts.cliffs is not None:
            errors = self._noise.standard_normal(len(below)) * self.facts.cliffs.noise
            below = {n: d + e for (n, d), e in zip(below.items(), errors.tolist(), strict=True)}
        if self.facts.counter.noise:
            errors = self.facts.counter.noise * self._noise.standard_normal(len(self._exact))
            common["ticks"] = self._count(errors.tolist())
        self.report = self._packet(common, below, clean=False)

    def _packet(
        self, common: dict[str, Any], below: dict[str, float], *, clean: bool
    ) -> BaseReport:
        """Return a packet; its numbers are the engine's and need no check.

        Args:
            common: Fields that noise does not change.
            below: How far down the cliff sensors see the floor [m].
            clean: Whether the gyro has no errors.
        """
        packet = object.__new__(BaseReport)
        fields = packet.__dict__
        fields.update(common)
        fields["floor"] = below.copy()
        if self.facts.cliffs is not None:
            trip = self.facts.cliffs.trip
            fields["cliffs"] = frozenset(n for n, d in below.items() if d > trip)
        if self.gyro is not None:
            reading = self.gyro.clean if clean else self.gyro.reading
            fields["heading"], fields["turn_rate"] = reading.heading, reading.rate
        return packet

    def jump(self, wheel: str, ticks: float) -> None:
        """Let the counter of a wheel jump by so many ticks, from the next packet on."""
        names = self.facts.layout.names
        if not isinstance(wheel, str) or wheel not in names:
            raise UnknownName("wheel", str(wheel), names)
        jumped = self._jumped.copy()
        jumped[names.index(wheel)] += finite_number(ticks, name="jump of a counter [ticks]")
        self._jumped = jumped

    def _count(self, errors: Sequence[float]) -> tuple[int, ...]:
        """Return the counters of the wheels, read with some errors [ticks]."""
        per_tick, modulo = self.facts.counter.per_tick, self.facts.counter.modulo
        each = zip(self._angles.read(), self._jumped, errors, strict=True)
        return tuple([floor(at / per_tick + jump + error) % modulo for at, jump, error in each])

    def _pressed(self, step: LastStep, now: float) -> frozenset[str]:
        """Return the bumpers that are pressed, or were a moment ago."""
        if not (self._hits or step.touched):
            return frozenset()
        self._hits |= dict.fromkeys(step.touched, now)
        return frozenset(name for name, when in self._hits.items() if now - when < BOUNCE)

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
            gyro, self._jumped,
        )  # fmt: skip

    def recall(self, memory: tuple[Any, ...]) -> None:
        """Go on from there."""
        (
            self.report, self.clean, self._charge, self._last, hits, self.buttons,
            gyro, self._jumped,
        ) = memory  # fmt: skip
        self._hits = dict(hits)
        if self.gyro is not None:
            self.gyro.memory = gyro


class _Touch:
    """Which bumpers touch something, and what the motors do."""

    def __init__(self, world: World, facts: WheeledBase, prefix: str) -> None:
        model = world.model
        self._world, self._names = world, tuple(facts.bumpers)
        motors = [world.index("actuator", prefix + name) for name in facts.layout.names]
        self._torques = copier(world.data.actuator_force, motors)
        self._speeds = copier(world.data.actuator_velocity, motors)
        self._bumper = np.full(model.ngeom, -1)
        names = [model.geom(i).name for i in range(model.ngeom)]
        for i, begins in enumerate(facts.bumpers.values()):
            self._bumper[[n.startswith(prefix + begins) for n in names]] = i

    def read(self) -> LastStep:
        """Look at the contacts and motors of the last step."""
        touched: frozenset[str] = frozenset()
        if self._names:
            contacts = self._world.data.contact
            bumpers = self._bumper[contacts.geom[contacts.dist <= 0.0]]
            touched = frozenset(self._names[i] for i in set(bumpers[bumpers >= 0].tolist()))
        torques, power = self._torques().tolist(), 0.0
        for torque, speed in zip(torques, self._speeds().tolist(), strict=True):
            power += abs(torque * speed)
        return LastStep(touched, power, tuple(torques))


class _WheelDrops:
    """Which wheels have no ground below them.

    The level floor that nearly every base stands on is looked at first: the pose of the base alone
    tells how high its wheels are above it. Rays, which look at all shapes of the world and need all
    poses, are cast where that floor is not, or its edge is near.
    """

    def __init__(self, world: World, facts: WheeledBase, prefix: str) -> None:
        model, data = world.model, world.data
        wheels = facts.layout.wheels
        self._world, self._hit = world, np.array([-1], np.int32)
        self._frame = world.index("body", prefix + facts.frame)
        self._names = [wheel.name for wheel in wheels]
        self._bodies = [int(model.joint(prefix + wheel.name).bodyid[0]) for wheel in wheels]
        self._furthest = [wheel.radius + HANGING for wheel in wheels]
        self._root = int(model.body_rootid[self._frame])
        self._floors = _level_floors(model, data) if self._is_rigid() else []
        if not self._floors:
            return
        start = int(model.jnt_qposadr[model.body_jntadr[self._root]])
        self._pose = data.qpos[start : start + 7]
        mujoco.mj_kinematics(model, data)
        T = data.xmat[self._root].reshape(3, 3)
        self._up = (data.xmat[self._frame][2::3] @ T).tolist()
        places = ((data.xpos[self._bodies] - data.xpos[self._root]) @ T).tolist()
        self._wheels = [(*at, far) for at, far in zip(places, self._furthest, strict=True)]
        """Middles of the wheels, seen from the body that moves freely, and radii with slack [m]."""
        self._reach = max(hypot(x, y, z) + far for x, y, z, far in self._wheels)
        """No point below a wheel is further from the base than this [m]."""

    def _is_rigid(self) -> bool:
        """Tell whether the middles of the wheels keep their places in a body that moves freely."""
        model = self._world.model
        free = model.body_jntnum[self._root] == 1 and (
            model.jnt_type[model.body_jntadr[self._root]] == mujoco.mjtJoint.mjJNT_FREE
        )
        if not free or any(model.jnt_pos[model.body_jntadr[b]].any() for b in self._bodies):
            return False
        above = [int(model.body_parentid[body]) for body in self._bodies] + [self._frame]
        return all(int(model.body_weldid[body]) == self._root for body in above)

    def read(self) -> frozenset[str]:
        """Return the wheels that hang in the air."""
        if self._floors and self._all_over_floor():
            return frozenset()
        self._world.refresh_poses()
        model, data = self._world.model, self._world.data
        down = -data.xmat[self._frame][2::3]
        seen = [
            mujoco.mj_ray(model, data, data.xpos[body], down, GROUND, 1, -1, self._hit)
            for body in self._bodies
        ]
        each = zip(self._names, seen, self._furthest, strict=True)
        return frozenset(name for name, far, furthest in each if not 0.0 <= far <= furthest)

    def _all_over_floor(self) -> bool:
        """Tell whether all wheels stand over one level floor, near enough and far from its edge."""
        px, py, pz, w, x, y, z = self._pose.tolist()
        u, v, n = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        sinking = u * self._up[0] + v * self._up[1] + n * self._up[2]  # on the way down, per metre
        for middle_x, middle_y, height, half_x, half_y in self._floors:
            near_edge = (
                abs(px - middle_x) > half_x - self._reach
                or abs(py - middle_y) > half_y - self._reach
            )
            if near_edge:
                continue
            for at_x, at_y, at_z, furthest in self._wheels:
                if not 0.0 <= pz - height + u * at_x + v * at_y + n * at_z <= furthest * sinking:
                    break
            else:
                return True
        return False


def _level_floors(model: mujoco.MjModel, data: mujoco.MjData) -> list[tuple[float, ...]]:
    """Return middles and half sizes along x and y of level planes that stay where they are [m]."""
    floors = []
    for geom in shapes_in_sight(model, GROUND).tolist():
        plane = model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE
        fixed = model.body_weldid[model.geom_bodyid[geom]] == 0
        if plane and fixed and (data.geom_xmat[geom].reshape(3, 3) == np.eye(3)).all():
            halves = [half or inf for half in model.geom_size[geom, :2].tolist()]  # 0 is endless
            floors.append((*data.geom_xpos[geom].tolist(), *halves))
    return floors


class _Cliffs:
    """Rays from the cliff sensors down to the floor."""

    def __init__(self, world: World, facts: CliffFacts, prefix: str) -> None:
        self._world, self._facts = world, facts
        self._sites = {name: world.index("site", prefix + s) for name, s in facts.sites.items()}

    def read(self) -> dict[str, float]:
        """Return how far down the floor is below each sensor [m]."""
        self._world.refresh_poses()
        model, data, hit = self._world.model, self._world.data, np.array([-1], np.int32)
        distances = {}
        for name, site in self._sites.items():
            down = data.site_xmat[site].reshape(3, 3)[:, 2]
            own = int(model.site_bodyid[site])  # the sensor sits inside its body's shapes
            far = mujoco.mj_ray(model, data, data.site_xpos[site], down, SEEN, 1, own, hit)
            seen = 0.0 <= far <= self._facts.furthest
            distances[name] = float(far) if seen else inf
        return distances
