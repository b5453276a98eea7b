"""Devices of a robot, as its parts see them: simulated, real, emulated or replayed.

A part of a robot (an arm, a base, a leg) is given devices that have these members and asks for
nothing else; no type of the simulator appears here. Devices need not inherit from the protocols.
Readings are those of the newest sample and never wait: tell a new sample by its stamp. Commands
hold until the next one, unless the device has a watchdog.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeVar, runtime_checkable

from mecano.core.arrays import Array, Mask
from mecano.core.grips import GripLaw
from mecano.core.messages import BaseReport, Imu, JointState, LaserScan, Range
from mecano.core.poses import Pose
from mecano.core.shots import Shot

Reading_co = TypeVar("Reading_co", covariant=True)


@runtime_checkable
class Sensor(Protocol[Reading_co]):
    """A sensor that gives messages of one type."""

    @property
    def name(self) -> str:
        """Name of the sensor, unique on its robot."""
        ...

    @property
    def rate(self) -> float:
        """Nominal sampling rate [Hz]."""
        ...

    def read(self) -> Reading_co:
        """Return the newest sample; its stamp is the time of measurement."""
        ...


# --- joints


class Mode(StrEnum):
    """What a command to servos means."""

    POSITION = "position"
    VELOCITY = "velocity"
    TORQUE = "torque"
    IMPEDANCE = "impedance"


class JointSensor(Protocol):
    """Encoders of some joints. Arrays are in the order of `names`."""

    names: tuple[str, ...]

    @property
    def reading(self) -> tuple[float, Array, Array, Array]:
        """Stamp [s], positions, velocities and efforts of the newest reading."""
        ...

    @property
    def position(self) -> Array:
        """Joint positions [rad or m]."""
        ...

    @property
    def velocity(self) -> Array:
        """Joint velocities [rad/s or m/s]."""
        ...

    @property
    def effort(self) -> Array:
        """Motor torques or forces [N m or N]."""
        ...

    def read(self, *, clean: bool = False) -> JointState:
        """Return the newest reading; `clean` without noise, which only a simulation knows."""
        ...


class LegSensor(JointSensor, Protocol):
    """Encoders of legs."""

    zeros: Array
    """Zero errors of the encoders [rad], for simulated faults."""


class Servos(Protocol):
    """Servos of some joints, commanded together."""

    mode: Mode

    def command(
        self,
        position: Array | None = None,
        velocity: Array | None = None,
        torque: Array | None = None,
    ) -> None:
        """Command setpoints [rad or m, per second, N m or N]."""
        ...

    def set_mode(
        self, mode: Mode, *, stiffness: Array | None = None, damping: Array | None = None,
        fed: Array | float = 0.0,
    ) -> None:  # fmt: skip
        """Change what commands mean; `fed` is the feed-forward torque of position commands."""
        ...


class LegServos(Servos, Protocol):
    """Servos of legs, whose integral action is switched while feet hold."""

    names: tuple[str, ...]
    zeros: Array
    """Zero errors of the servos [rad], for simulated faults."""

    @property
    def stiffness(self) -> Array:
        """Position gains [N m/rad]."""
        ...

    @property
    def damping(self) -> Array:
        """Velocity gains [N m s/rad]."""
        ...

    def integrate(self, which: Mask, gain: float) -> Array:
        """Give integral action [N m/(rad s)] to some servos and take it from the others."""
        ...

    def limit_torque(self, torque: float) -> None:
        """Limit the torque of every servo [N m]."""
        ...

    def set_gains(self, position: Array) -> None:
        """Change the position gains [N m/rad]."""
        ...

    def fail(self, joint: str) -> None:
        """Simulation only: cut the power of one servo."""
        ...


class GripperDrive(Protocol):
    """The servo of a gripper."""

    def command(self, position: float, force: float | None = None) -> None:
        """Send the fingers to a joint value with at most this force [N]."""
        ...


# --- wheeled bases


class WheelDrive(Protocol):
    """Motors of the wheels of a base."""

    def command(self, rates: Array, *, torques: Array | None = None) -> None:
        """Command wheel rates [rad/s], with feed-forward torques [N m]."""
        ...

    def push(self, torques: Array) -> None:
        """Command wheel torques [N m] in the place of rates."""
        ...


class BaseSensors(Protocol):
    """Sensors that the controller of a base reads in one packet: counters, gyro, bumpers ..."""

    buttons: frozenset[int]

    @property
    def report(self) -> BaseReport:
        """The newest packet."""
        ...

    @property
    def clean(self) -> BaseReport:
        """The same without noise; the same object where there is no simulation."""
        ...

    def jump(self, wheel: str, ticks: float) -> None:
        """Simulation only: let the counter of a wheel jump."""
        ...


class RangeSensor(Protocol):
    """A sensor that measures the distance along one ray."""

    name: str
    rate: float
    facts: Any
    """`robots.mobile.RangeFacts`."""
    origin: Array
    """Of its ray, in the frame of the base [m]. Shape (3,)."""
    direction: Array
    """Of its ray, in the frame of the base. Shape (3,)."""

    def read(self, *, clean: bool = False) -> Range:
        """Return the newest reading."""
        ...

    @property
    def detects(self) -> bool:
        """Whether anything is within its range."""
        ...


class LidarSensor(Protocol):
    """A planar laser scanner."""

    name: str
    facts: Any
    """`robots.lidars.LidarFacts`: where it is mounted, its beams, its topic."""

    pose: Pose
    """Where it is mounted, seen from the base."""

    @property
    def stamp(self) -> float:
        """Of the newest scan [s]."""
        ...

    @property
    def enabled(self) -> bool:
        """Whether it scans."""
        ...

    def switch(self, on: bool) -> None:
        """Switch it on or off."""
        ...

    def read(self, *, clean: bool = False) -> LaserScan:
        """Return the newest scan."""
        ...


class CameraDevice(Protocol):
    """A camera that sees colour and depth."""

    name: str
    rate: float
    facts: Any
    """`robots.mobile.CameraFacts`."""

    @property
    def stamp(self) -> float:
        """Of the newest picture [s]."""
        ...

    def read(self) -> Shot:
        """Return the newest picture."""
        ...

    def close(self) -> None:
        """Free what draws the pictures."""
        ...


class ImuDevice(Protocol):
    """An inertial sensor."""

    @property
    def reading(self) -> tuple[float, Array, Array]:
        """Stamp [s], turn rates [rad/s] and accelerations [m/s2]."""
        ...

    @property
    def turn_rate(self) -> Array:
        """Turn rates in the sensor's axes [rad/s]. Shape (3,)."""
        ...

    @property
    def acceleration(self) -> Array:
        """Accelerations; 9.81 upwards at rest [m/s2]. Shape (3,)."""
        ...

    def read(self, *, clean: bool = False) -> Imu:
        """Return the newest reading."""
        ...


# --- feet that hold on to surfaces


class CupState(StrEnum):
    """What a cup is doing."""

    OFF = "off"
    SEARCHING = "searching"
    """Switched on, with nothing to attach to."""
    HOLDING = "holding"
    BROKEN = "broken"
    """Torn off; switch it off and on again."""


class Miss(StrEnum):
    """Why a cup does not attach."""

    NOTHING_NEAR = "nothing near"
    EDGE = "edge"
    """Part of its lip meets nothing, or a surface of another slope: an edge, a hole, a corner."""


@dataclass(frozen=True, eq=False)
class Seal:
    """What a cup has before its face."""

    distance: float
    """Along the cup's axis to the nearest collidable surface [m]; infinite if there is none."""
    body: int = -1
    """Whose surface it is, by number."""
    normal: Array | None = None
    """Of the surface, in world axes, towards the cup."""
    miss: Miss | None = Miss.NOTHING_NEAR
    """Why the cup cannot attach there; None if it can."""


@dataclass(frozen=True, kw_only=True)
class CupEvent:
    """Something that happened to a cup."""

    time: float
    """[s]."""
    cup: int
    """Number of the leg, from 1 on."""
    what: str
    """"bond", "release" or "break"."""
    body: str
    """What it holds or held on to."""
    pull: float = 0.0
    """Load at that time: along the normal, along the surface, and the moment [N, N, N m]."""
    shear: float = 0.0
    moment: float = 0.0


class CupDrive(Protocol):
    """All cups of a robot. Arrays have one row per cup; `cup` counts from 0."""

    unbreakable: bool
    reattach: bool
    events: list[CupEvent]
    signal: Mask
    """Which cups are switched on."""
    peaks: Array
    laws: tuple[GripLaw, ...]
    stamp: float
    """Of the newest loads [s]."""
    loads: Array
    """Pull [N], shear [N] and moment [N m]. Shape (cups, 3)."""
    share: Array
    """Used share of each cup's holding force; at 1 it detaches."""

    @property
    def peeled(self) -> Array:
        """Share of its pull that each cup would use if moments peeled it off over its lip."""
        ...

    @property
    def holding(self) -> Mask:
        """Which cups hold."""
        ...

    def proximity(self, cup: int) -> float:
        """Return the distance within which a cup attaches [m]."""
        ...

    def state(self, cup: int) -> CupState:
        """Return what a cup is doing."""
        ...

    def loads_known(self, holding: Mask) -> bool:
        """Tell whether these cups have been measured since they attached."""
        ...

    def forces(self) -> Array:
        """Return the newest forces of the surfaces on the cups, in world axes [N]."""
        ...

    def normals(self) -> Array:
        """Return the normals of the surfaces that cups hold on to, in world axes; else zeros."""
        ...

    def in_body(self, vectors: Array) -> Array:
        """Return vectors of world axes in those of the robot's body. Shape (..., 3)."""
        ...

    def distance(self, cup: int) -> float:
        """Return the distance to the surface along a cup's axis [m]."""
        ...

    def ahead(self, cup: int) -> Seal:
        """Return what is before a cup now."""
        ...

    def surface(self, cup: int) -> str:
        """Return the name of the body a cup holds on to; empty if it does not hold."""
        ...

    def set_laws(self, laws: Sequence[GripLaw]) -> None:
        """Change the laws of holding, one per cup."""
        ...

    def forget_peaks(self) -> None:
        """Reset the largest loads."""
        ...

    def switch(self, cup: int, on: bool) -> None:
        """Switch a cup on or off."""
        ...
