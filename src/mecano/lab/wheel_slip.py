"""Wheels that slip, for simulated bases: their counters count what the floor does not see.

Every wheel errs by a share of what it turns. One part of the share is the same for all wheels (the
floor, tyres worn alike), one is the wheel's own (its radius); both are drawn once per run. A third
part comes and goes along the way. At rest nothing drifts.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.robots.mobile import SlipFacts as SlipFacts

if TYPE_CHECKING:
    from mecano.lab.robot import Robot

STREAM, DECLARED = "wheel slip", "declared wheel slip"
"""Names of the random numbers: of a slip that a program adds, and of the description's own."""


class WheelSlip:
    """Makes the counters of a simulated base err, tick by tick."""

    def __init__(self, robot: "Robot", facts: SlipFacts, stream: str = STREAM) -> None:
        """Draw the shares; `add_slip` lets it act."""
        base = robot.base
        self.facts, self.base = facts, base
        self._names = base.facts.layout.names
        self._per_tick = base.facts.counter.per_tick
        self._radii = np.array([wheel.radius for wheel in base.facts.layout.wheels])
        self._random = robot.session.random.get(f"{robot.name} {stream}")
        wheels = len(self._names)
        self.shares = facts.common * self._random.standard_normal() + (
            facts.own * self._random.standard_normal(wheels)
        )
        """Of each wheel, for the whole run."""
        self._passing = facts.passing * self._random.standard_normal(wheels)
        self._turned = base.wheels().position

    def step(self, now: float) -> None:
        """Let the counters go wrong by what the wheels turned since the last tick."""
        turned = self.base.wheels().position
        change, self._turned = turned - self._turned, turned
        if not change.any():
            return
        keep = np.exp(-np.abs(change) * self._radii / self.facts.length)
        fresh = self.facts.passing * np.sqrt(1.0 - keep**2)
        drawn = self._random.standard_normal(len(change))
        self._passing = keep * self._passing + fresh * drawn
        wrong: Array = (self.shares + self._passing) * change / self._per_tick
        for name, ticks in zip(self._names, wrong.tolist(), strict=True):
            self.base.jump_encoder(name, ticks)

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


def add_slip(robot: "Robot", facts: SlipFacts, *, stream: str = STREAM) -> WheelSlip:
    """Let the wheels of a simulated robot slip from now on; the numbers come from its seed.

    It takes the place of what slipped before, so also of the description's own slip, see
    `add_declared_slip`.
    """
    if "base" not in robot.parts:
        raise InvalidInput(f"{robot.name} has no simulated base, so its wheels cannot slip")
    session = robot.session
    with session.lock:
        slip = WheelSlip(robot, facts, stream)
        session.steppers[:] = [each for each in session.steppers if not _slips(each, robot)]
        session.steppers.append(slip)
        session.mark_initial()
    return slip


def add_declared_slip(robot: "Robot") -> None:
    """Let the wheels slip as the description says, if it does; `connect` with noise calls this."""
    if "base" in robot.parts and robot.base.facts.slip is not None:
        add_slip(robot, robot.base.facts.slip, stream=DECLARED)


def _slips(stepper: Any, robot: "Robot") -> bool:
    """Tell whether this is the slip of a robot's wheels."""
    return isinstance(stepper, WheelSlip) and stepper.base is robot.base
