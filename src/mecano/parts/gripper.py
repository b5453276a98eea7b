"""The gripper a user programs: open, close, how wide, how hard, holding something or not."""

from typing import Literal, overload

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.devices import GripperDrive, JointSensor
from mecano.parts.handle import Handle
from mecano.parts.part import Part
from mecano.parts.results import GripResult
from mecano.robots.description import Gripper as GripperFacts
from mecano.session.session import Session

REST = 0.002
"""Fingers slower than this are at rest [m/s]."""
REST_TICKS = 5
"""They must be so for this many ticks in a row."""
HOLDING_GAP = 0.0005
"""Fingers that stop this far before where they were sent are held apart by something [m]."""


class Grip(Handle[GripResult]):
    """A motion of the gripper."""

    def __init__(self, gripper: "Gripper", value: float, force: float) -> None:
        """Begin: the fingers move towards a joint value."""
        super().__init__(gripper.session)
        self.gripper, self.value, self.force = gripper, value, force
        self.started = gripper.session.time
        way = abs(value - gripper.commanded)
        self._earliest = self.started + way / gripper.facts.speed + 0.05
        self._at_rest = 0

    def halt(self) -> None:
        """End it here: the fingers hold where they are, or go on pressing."""
        if not self.done:
            self.gripper.stop()

    def step(self, now: float) -> None:
        """Look whether the fingers are at rest."""
        moving = abs(self.gripper.speed) > REST or now < self._earliest
        self._at_rest = 0 if moving else self._at_rest + 1
        if self._at_rest >= REST_TICKS or now > self.started + 5.0:
            self.end(now)

    def end(self, now: float) -> None:
        """Give the motion its result."""
        self.finish(
            GripResult(
                width=self.gripper.width,
                force=self.gripper.force,
                holding=self.gripper.holding,
                duration=now - self.started,
            )
        )


class Gripper(Part):
    """A parallel gripper. Widths are between the pads [m], forces are of each finger [N]."""

    kind = "gripper"

    def __init__(
        self, session: Session, facts: GripperFacts, *, arm: str, name: str = "gripper",
        joint: JointSensor, drive: GripperDrive,
    ) -> None:  # fmt: skip
        """Join the facts with the devices. `mecano.connect` does this."""
        self.session, self.facts = session, facts
        self.name, self.arm, self.encoders = name, arm, joint
        self.motion: Grip | None = None
        self._joint, self._drive = joint, drive
        self.commanded, self._force = float(joint.position[0]), facts.max_force
        session.steppers.append(self)

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of its driven joint."""
        return (self.facts.unit,)

    def targets(self) -> Array:
        """Return the commanded joint value [m or rad]."""
        return np.array([self.commanded])

    def summary(self) -> str:
        """Return width and force in a line."""
        held = ", holding something" if self.holding else ""
        return (
            f"on arm '{self.arm}', joint {self.facts.joint}, pads {1000 * self.width:.1f} mm "
            f"apart, {self.force:.1f} N per finger{held}"
        )

    @property
    def width(self) -> float:
        """Distance between the pads [m]."""
        return self.facts.width(float(self._joint.position[0]))

    @property
    def speed(self) -> float:
        """How fast each finger moves [m/s]."""
        return float(self._joint.velocity[0]) * abs(self.facts.width_per_value) / 2.0

    @property
    def force(self) -> float:
        """What each finger pushes with, by the motor [N]."""
        return float(abs(self._joint.effort[0])) / abs(self.facts.width_per_value)

    @property
    def holding(self) -> bool:
        """True if something keeps the fingers apart against the force they were told to use."""
        wider = self.width - self.facts.width(self.commanded)
        before = 0.5 * wider > HOLDING_GAP
        return bool(before and abs(self.speed) < REST and self.force > 0.5 * self._force)

    @overload
    def open(self, width: float | None = None, *, wait: Literal[True] = True) -> GripResult: ...
    @overload
    def open(self, width: float | None = None, *, wait: Literal[False]) -> Grip: ...
    def open(self, width: float | None = None, *, wait: bool = True) -> GripResult | Grip:
        """Open to a width [m], or as wide as it goes."""
        value = self.facts.open if width is None else self._value_of(width)
        return self._move(value, self.facts.max_force, wait)

    @overload
    def close(self, *, force: float | None = None, wait: Literal[True] = True) -> GripResult: ...
    @overload
    def close(self, *, force: float | None = None, wait: Literal[False]) -> Grip: ...
    def close(self, *, force: float | None = None, wait: bool = True) -> GripResult | Grip:
        """Close until something is in the way, with at most this force of each finger [N]."""
        return self._move(self.facts.closed, self._checked(force), wait)

    @overload
    def move(
        self, width: float, *, force: float | None = None, wait: Literal[True] = True
    ) -> GripResult: ...
    @overload
    def move(self, width: float, *, force: float | None = None, wait: Literal[False]) -> Grip: ...
    def move(
        self, width: float, *, force: float | None = None, wait: bool = True
    ) -> GripResult | Grip:
        """Bring the pads to a width [m]."""
        return self._move(self._value_of(width), self._checked(force), wait)

    def stop(self) -> None:
        """Hold the fingers where they are; fingers that press on something go on pressing."""
        if self.motion is not None and not self.motion.done:
            if not self.holding:
                self.commanded = float(self._joint.position[0])
                self._drive.command(self.commanded, self._force)
            self.motion.end(self.session.time)

    def _value_of(self, width: float) -> float:
        """Return the joint value of a width, or say which widths there are."""
        least, most = self.facts.width(self.facts.closed), self.facts.width(self.facts.open)
        return self.facts.value(
            finite_number(width, name="gripper width [m]", lower=least, upper=most)
        )

    def _checked(self, force: float | None) -> float:
        """Return a force, or say which forces there are."""
        if force is None:
            return self.facts.max_force
        return finite_number(force, name="grip force [N]", lower=0.5, upper=self.facts.max_force)

    def at_rest(self) -> bool:
        """Tell whether the fingers are done."""
        return self.motion is None or self.motion.done

    def memory(self) -> tuple[float, float]:
        """Return what the gripper must know to go on: where the fingers were sent, how hard."""
        return self.commanded, self._force

    def recall(self, memory: tuple[float, float]) -> None:
        """Go on from there; a motion in progress ends."""
        if self.motion is not None and not self.motion.done:
            self.motion.end(self.session.time)
        self.motion = None
        self.commanded, self._force = memory

    def step(self, now: float) -> None:
        """Run the motion."""
        if self.motion is not None and not self.motion.done:
            self.motion.step(now)

    def _move(self, value: float, force: float, wait: bool) -> GripResult | Grip:
        with self.session.commanding():
            if self.motion is not None and not self.motion.done:
                self.motion.end(self.session.time)
            self.motion = grip = Grip(self, value, force)
            self.commanded, self._force = value, force
            self._drive.command(value, force)
        return grip.wait() if wait else grip
