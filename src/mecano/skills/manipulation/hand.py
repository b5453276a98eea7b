"""What a skill must know of a hand, and laws of what it holds."""

from dataclasses import dataclass
from math import cos, sin

from mecano.core.arrays import Array

GRAVITY = 9.81
"""[m/s2]."""
CAUTION = 1.3
"""A grip is this much stronger than friction needs."""
RUBBER = 0.5
"""Friction of the pads on an object that nobody measured: the least that rubber has on what is
dry."""
LIGHT = 0.7
"""Up to this mass an arm carries at its own speed [kg]."""
CLEAR_OF_TABLE = 0.003
"""The fingertips stay this far above the table [m]."""
CLEAR_OF_PALM = 0.005
"""The object's top stays this far below the palm [m]."""


@dataclass(frozen=True, kw_only=True)
class HandShape:
    """A parallel gripper as a skill sees it. Lengths along the nose count from the tool point."""

    opening: float
    """Between the open pads [m]."""
    closing: float = 0.0
    """Between the closed pads [m]: what is thinner cannot be held."""
    max_force: float
    """Of each finger [N]."""
    tip: float
    """The fingertips are this far beyond the tool [m]."""
    pad: float
    """Length of the pads, back from the tips [m]."""
    palm: float
    """The palm is this far behind the tool [m]."""
    half: float
    """Half of the hand's thickness, in the plane of the nose [m]."""

    def depth(self, height: float, pitch: float) -> float:
        """Return how far below an object's top the tips go [m], for an object of a height [m]."""
        palm = (self.tip + self.palm) * sin(pitch) - self.half * cos(pitch) - CLEAR_OF_PALM
        table = height - CLEAR_OF_TABLE - self.half * cos(pitch)
        return min(palm, table, 0.85 * self.pad)


def needed_force(mass: float, acceleration: float) -> float:
    """Return what each of two fingers must push with to hold a mass [N], with caution."""
    return CAUTION * mass * (GRAVITY + acceleration) / (2.0 * RUBBER)


def holdable_mass(force: float) -> float:
    """Return the mass that two fingers hold at rest with a force each [kg], without caution."""
    return 2.0 * RUBBER * force / GRAVITY


def calm(mass: float) -> float:
    """Return the share of its speed at which an arm carries a mass [kg].

    What swings a heavy load as fast as a light one turns the base that it stands on.
    """
    return min(1.0, LIGHT / max(mass, 1e-9))


def felt_mass(before: Array, after: Array, lift_torques: Array) -> float:
    """Return the mass that changed the torques of a resting arm [kg].

    Args:
        before: Torques of the motors without it [N m].
        after: With it, in the same posture [N m].
        lift_torques: Torques that hold 1 N at the tool, upwards [N m]: a row of the Jacobian.
    """
    size = float(lift_torques @ lift_torques)
    force = float((after - before) @ lift_torques) / max(size, 1e-9)
    return max(0.0, force / GRAVITY)
