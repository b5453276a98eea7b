"""Wheels that slip, for simulated bases: their counters count what the floor does not see.

Every wheel errs by a share of what it turns. One part of the share is the same for all wheels (the
floor, tyres worn alike), one is the wheel's own (its radius); both are drawn once per run. A third
part comes and goes along the way. At rest nothing drifts.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput

if TYPE_CHECKING:
    from mecano.lab.robot import Robot

STREAM = "wheel slip"
"""Name of the random numbers."""


@dataclass(frozen=True, kw_only=True)
class SlipFacts:
    """How much wheels slip, as shares of what they turn; spreads of one sigma (all EST).

    With these an omni base of MADAR's size errs by 1 to 2 % of its way and 2 degrees per turn, as
    calibrated platforms on hard floors do.
    """

    common: float = 0.005
    """Of all wheels, drawn once per run."""
    own: float = 0.003
    """Of each wheel, drawn once per run."""
    passing: float = 0.008
    """Of each wheel, changing along the way."""
    length: float = 0.2
    """Rim way after which the passing share is another one [m]."""

    def __post_init__(self) -> None:
        for name in ("common", "own", "passing"):
            finite_number(getattr(self, name), name=f"slip: {name}", lower=0.0, upper=0.5)
        finite_number(self.length, name="slip: length [m]", lower=1e-3)

    def times(self, strength: float) -> "SlipFacts":
        """Return wheels that slip so many times as much."""
        strength = finite_number(strength, name="strength of the slip", lower=0.0, upper=20.0)
        return SlipFacts(
            common=strength * self.common,
            own=strength * self.own,
            passing=strength * self.passing,
            length=self.length,
        )


class WheelSlip:
    """Makes the counters of a simulated base err, tick by tick."""

    def __init__(self, robot: "Robot", facts: SlipFacts) -> None:
        """Draw the shares; `add_slip` lets it act."""
        base = robot.base
        self.facts, self._base = facts, base
        self._names = base.facts.layout.names
        self._per_tick = base.facts.counter.per_tick
        self._radii = np.array([wheel.radius for wheel in base.facts.layout.wheels])
        self._random = robot.session.random.get(f"{robot.name} {STREAM}")
        wheels = len(self._names)
        self.shares = facts.common * self._random.standard_normal() + (
            facts.own * self._random.standard_normal(wheels)
        )
        """Of each wheel, for the whole run."""
        self._passing = facts.passing * self._random.standard_normal(wheels)
        self._turned = base.wheels().position

    def step(self, now: float) -> None:
        """Let the counters go wrong by what the wheels turned since the last tick."""
        turned = self._base.wheels().position
        change, self._turned = turned - self._turned, turned
        if not change.any():
            return
        keep = np.exp(-np.abs(change) * self._radii / self.facts.length)
        fresh = self.facts.passing * np.sqrt(1.0 - keep**2)
        drawn = self._random.standard_normal(len(change))
        self._passing = keep * self._passing + fresh * drawn
        wrong: Array = (self.shares + self._passing) * change / self._per_tick
        for name, ticks in zip(self._names, wrong.tolist(), strict=True):
            self._base.jump_encoder(name, ticks)

    def stop(self) -> None:
        """Nothing: it moves nothing."""

    def at_rest(self) -> bool:
        """Tell that nothing is commanded to move."""
        return True

    def memory(self) -> Any:
        """Return what it must know to go on from here."""
        return self._passing.copy(), self._turned.copy()

    def recall(self, memory: Any) -> None:
        """Go on from there."""
        self._passing, self._turned = memory[0].copy(), memory[1].copy()


def add_slip(robot: "Robot", facts: SlipFacts) -> WheelSlip:
    """Let the wheels of a simulated robot slip from now on; the numbers come from its seed."""
    if "base" not in robot.parts:
        raise InvalidInput(f"{robot.name} has no simulated base, so its wheels cannot slip")
    with robot.session.lock:
        slip = WheelSlip(robot, facts)
        robot.session.steppers.append(slip)
        robot.session.mark_initial()
    return slip
