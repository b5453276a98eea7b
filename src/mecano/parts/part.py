"""What all parts of a robot have in common, and the list of them that everybody iterates over."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, ClassVar, TypeVar

import numpy as np

from mecano.core.arrays import Array
from mecano.core.devices import JointSensor
from mecano.core.errors import MecanoError
from mecano.core.messages import JointState

Kind = TypeVar("Kind", bound="Part")
NOTHING = np.empty(0)
NOTHING.flags.writeable = False


LISTED = 8
"""Joints that a part names in its text; of more only their number is said."""


class MissingPart(MecanoError, AttributeError):
    """A part was asked for that the robot does not have."""

    def __init__(
        self, robot: str, part: str, known: tuple[str, ...], why: str = "",
        *, near: Iterable[str] | None = None,
    ) -> None:  # fmt: skip
        """Say what there is.

        Args:
            robot: Its name.
            part: What was asked for.
            known: The parts it has.
            why: The reason, where there is one.
            near: Names that may have been meant, the nearest one is suggested; None: `known`.
        """
        self.robot, self.part, self.known = robot, part, known
        listed = ", ".join(known) or "no parts"
        reason = f" ({why})" if why else ""
        guess = get_close_matches(part, known if near is None else near, n=1)
        hint = f"; did you mean '{guess[0]}'?" if guess else ""
        super().__init__(f"{robot} has no {part}{reason}; it has: {listed}{hint}")


class Part:
    """A part of a robot that a user programs: an arm, a gripper, a hand, a base, legs, cups."""

    kind: ClassVar[str]
    """What it is, in one word."""
    name: str
    """Unique on its robot."""
    encoders: JointSensor | None = None
    """Of its joints; None for a part without."""

    @property
    def units(self) -> tuple[str, ...]:
        """Units of its joints, in the order of the encoders: "rad" or "m"."""
        return ()

    def targets(self) -> Array:
        """Return the commanded joint positions [rad or m]; NaN where no position is commanded."""
        return NOTHING

    def target_speeds(self) -> Array:
        """Return the commanded joint velocities [rad/s or m/s]."""
        return np.zeros(len(self.units))

    def __repr__(self) -> str:
        activity = "at rest" if self.at_rest() else "moving"
        return f"<{type(self).__name__} '{self.name}': {self.summary()}; {activity}>"

    def summary(self) -> str:
        """Return joints and state in a line, with units."""
        if self.encoders is None:
            return "no joints"
        return joint_line(self.encoders, self.units)

    def stop(self) -> None:
        """End what it is doing and hold."""

    def at_rest(self) -> bool:
        """Tell whether nothing is commanded to move."""
        return True


class SensorPart(Part):
    """A sensor in the list of parts: an IMU, a camera, a LIDAR or a range sensor."""

    def __init__(self, kind: str, name: str, device: Any) -> None:
        """Take a sensor.

        Args:
            kind: As people say it: "IMU", "camera", "LIDAR", "range sensor".
            name: Unique on its robot.
            device: The sensor itself, as `robot.imu` or `robot.cameras[name]` gives it.
        """
        self.sensor, self.name, self.device = kind, name, device
        self.short = name.removeprefix(f"{kind} ")
        """Its name among those of its kind: `robot.lidars[short]`."""

    kind = "sensor"

    def summary(self) -> str:
        """Return what it is."""
        return self.sensor


def joint_line(joints: JointSensor, units: tuple[str, ...]) -> str:
    """Return joints with their values, or how many where there are many."""
    if len(joints.names) > LISTED:
        return f"{len(joints.names)} joints"
    values = zip(joints.names, joints.position, units, strict=True)
    return ", ".join(f"{name} {value:.3f} {unit}" for name, value, unit in values)


class JointedPart(Part):
    """A part with joints: what its encoders read, in its own order of joints."""

    _joints: JointSensor

    def _arranged(self, values: Array) -> Array:
        """Return values of all joints in the shape that users of the part know."""
        return values

    @property
    def position(self) -> Array:
        """Joint values by the encoders [rad or m]."""
        return self._arranged(self._joints.position)

    @property
    def velocity(self) -> Array:
        """Joint velocities [rad/s or m/s]."""
        return self._arranged(self._joints.velocity)

    @property
    def effort(self) -> Array:
        """Joint torques of the motors [N m]; forces of those that slide [N]."""
        return self._arranged(self._joints.effort)

    def joints(self, *, clean: bool = False) -> JointState:
        """Return the newest reading of the encoders; `clean` is it without noise."""
        return self._joints.read(clean=clean)


class Parts(Mapping[str, Part]):
    """The parts of one robot by name, in the order in which they were built."""

    def __init__(self, robot: str) -> None:
        """Begin without any; `robot` is the name in messages."""
        self._robot = robot
        self._parts: dict[str, Part] = {}
        self.absent: dict[str, str] = {}
        """Parts of the description that this robot does not have, and why."""

    def add(self, part: Part) -> None:
        """Add a part; its name must be new."""
        assert part.name not in self._parts, part.name
        self._parts[part.name] = part

    def __getitem__(self, name: str) -> Part:
        if name not in self._parts:
            raise MissingPart(self._robot, name, tuple(self._parts), self.absent.get(name, ""))
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __contains__(self, name: Any) -> bool:
        return name in self._parts

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name!r}: {part!r}" for name, part in self.items()) + "}"

    def of(self, kind: type[Kind]) -> tuple[Kind, ...]:
        """Return all parts of a kind."""
        return tuple(part for part in self._parts.values() if isinstance(part, kind))

    def first(self, kind: type[Kind]) -> Kind:
        """Return the first part of a kind, or raise `MissingPart`."""
        for part in self._parts.values():
            if isinstance(part, kind):
                return part
        why = self.absent.get(kind.kind, "")
        raise MissingPart(self._robot, kind.kind, tuple(self._parts), why)

    @property
    def jointed(self) -> tuple[tuple[Part, JointSensor], ...]:
        """Return the parts that have joints, each with its encoders."""
        return tuple(
            (part, part.encoders) for part in self._parts.values() if part.encoders is not None
        )
