"""Facts of hands with fingers: joints by finger, what their motors can do, named postures."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput, JointLimitViolated, UnknownName


@dataclass(frozen=True, kw_only=True)
class Finger:
    """One finger, from the palm to its tip. Names are those of the model."""

    name: str
    joints: tuple[str, ...]
    bodies: tuple[str, ...]
    """Its links, the tip last."""
    tip: str
    """Site in the middle of the tip."""


@dataclass(frozen=True, kw_only=True)
class HandFacts:
    """A hand whose joints have a motor each. Values are in the order of `joints`."""

    name: str
    """What users call it on the robot."""
    palm: str
    """Body that carries the fingers."""
    fingers: tuple[Finger, ...]
    limits: tuple[tuple[float, float], ...]
    """Of each joint, lower and upper [rad]."""
    stiffness: float
    """Position gain of every joint [N m/rad]."""
    damping: float
    """Speed gain of every joint [N m s/rad]."""
    torque: float
    """Most that a motor gives [N m]."""
    speed: float
    """Fastest that a joint turns [rad/s]."""
    resolution: float
    """One tick of an encoder [rad]."""
    rate: float
    """Of its own control loop [Hz]."""
    postures: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Named joint values [rad]."""

    def __post_init__(self) -> None:
        if len(self.limits) != len(self.joints):
            raise InvalidInput(
                f"hand '{self.name}' has {len(self.joints)} joints and {len(self.limits)} limits"
            )
        for values in self.postures.values():
            self.check(values)

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints, finger by finger."""
        return tuple(joint for finger in self.fingers for joint in finger.joints)

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """The palm and all links: what may touch loose objects."""
        return (self.palm, *(body for finger in self.fingers for body in finger.bodies))

    @cached_property
    def tips(self) -> tuple[str, ...]:
        """Sites of the finger tips."""
        return tuple(finger.tip for finger in self.fingers)

    @cached_property
    def lower(self) -> Array:
        """Lower limits [rad]. Shape (n,)."""
        return np.array([low for low, _ in self.limits])

    @cached_property
    def upper(self) -> Array:
        """Upper limits [rad]. Shape (n,)."""
        return np.array([high for _, high in self.limits])

    def finger(self, name: str) -> Finger:
        """Return a finger by its name, or say which ones there are."""
        for finger in self.fingers:
            if finger.name == name:
                return finger
        raise UnknownName("finger", name, [finger.name for finger in self.fingers])

    def posture(self, name: str) -> Array:
        """Return the joint values of a named posture [rad], or say which ones there are."""
        if name not in self.postures:
            raise UnknownName("hand posture", name, self.postures)
        return np.array(self.postures[name])

    def between(self, start: str, end: str, share: float) -> Array:
        """Return what lies between two postures [rad]: 0 is the first one, 1 the second.

        Closing a hand along such a line moves all its joints by one number: a synergy.
        """
        share = finite_number(share, name="share of the way", lower=0.0, upper=1.0)
        first, second = self.posture(start), self.posture(end)
        return first + share * (second - first)

    def check(self, values: ArrayLike) -> Array:
        """Return joint values as an array inside the limits [rad], or say what is wrong."""
        try:
            array = np.asarray(values, float)
        except (TypeError, ValueError, OverflowError):
            array = np.empty(0)
        if array.shape != (len(self.joints),) or not np.isfinite(array.sum()):
            raise InvalidInput(
                f"hand '{self.name}' takes {len(self.joints)} finite joint values [rad], "
                f"got {values!r}"
            )
        outside = (array < self.lower - 1e-9) | (array > self.upper + 1e-9)
        if outside.any():
            worst = int(np.argmax(outside))
            low, high = self.limits[worst]
            raise JointLimitViolated(self.joints[worst], float(array[worst]), low, high)
        return array
