"""What a comparison of two runs says. Differences are run B minus run A."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.record.estimators import Friction
from mecano.record.proposals import Proposals


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One number of one joint in both runs."""

    name: str
    unit: str
    a: float
    b: float
    half_width: float
    """Of the 95 % interval of the difference."""
    resolution: float
    """A smaller difference does not count."""

    @property
    def difference(self) -> float:
        """B minus A."""
        return self.b - self.a

    @property
    def interval(self) -> tuple[float, float]:
        """Of the difference, 95 %."""
        return self.difference - self.half_width, self.difference + self.half_width

    @property
    def differs(self) -> bool:
        """True if the difference is certain and matters."""
        return abs(self.difference) > max(self.half_width, self.resolution)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "unit": self.unit,
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "interval": list(self.interval),
            "verdict": "differs" if self.differs else "alike",
        }


@dataclass(frozen=True, kw_only=True)
class Tracking:
    """How far joint and target, or the joint in two runs, are apart [rad or m]."""

    rms: float
    largest: float

    @classmethod
    def of(cls, difference: Array) -> "Tracking | None":
        """Return both for the rows that have a number."""
        known = difference[np.isfinite(difference)]
        if not len(known):
            return None
        return cls(rms=float(np.sqrt(np.mean(known**2))), largest=float(np.abs(known).max()))

    def to_json(self) -> dict[str, float]:
        """Return it as plain values."""
        return {"rms": self.rms, "max": self.largest}


@dataclass(frozen=True, eq=False, kw_only=True)
class JointLikeness:
    """One joint in both runs."""

    robot: str
    joint: str
    unit: str
    tracking: tuple[Tracking | None, Tracking | None]
    """Real against target, in A and B."""
    apart: Tracking | None
    """B against A, laid on each other by what they were told."""
    quantities: dict[str, Quantity]
    """`delay`, `offset`, `hysteresis`, `coulomb`, `viscous`, as far as they could be estimated."""
    missing: tuple[str, ...]
    """What could not be estimated and why, a sentence each."""
    curves: tuple[Array, Array, Array, Array]
    """Time, target, real of A and real of B at that moment of the program, for plots."""
    friction: tuple[Friction | None, Friction | None]

    @property
    def differing(self) -> list[Quantity]:
        """What is not alike."""
        return [each for each in self.quantities.values() if each.differs]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values; the curves stay behind."""
        scales = [None if each is None else each.load_scale for each in self.friction]
        return {
            "unit": self.unit,
            "tracking_a": None if self.tracking[0] is None else self.tracking[0].to_json(),
            "tracking_b": None if self.tracking[1] is None else self.tracking[1].to_json(),
            "apart": None if self.apart is None else self.apart.to_json(),
            "load_scale": scales,
            "missing": list(self.missing),
        } | {name: quantity.to_json() for name, quantity in self.quantities.items()}


@dataclass(frozen=True, eq=False, kw_only=True)
class Likeness:
    """The whole comparison. `to_json` is a contract for scripts."""

    runs: tuple[str, str]
    titles: tuple[str, str]
    tick: float
    """Of run A [s]."""
    program: float | None
    """Likeness of the commanded motions, 1 for the same; None if no targets were recorded."""
    shift: float
    """By how much B is later in its recording [s]."""
    joints: tuple[JointLikeness, ...]
    proposals: Proposals

    @property
    def alike(self) -> bool:
        """True if nothing that could be estimated differs."""
        return not any(joint.differing for joint in self.joints)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values, differences B minus A."""
        return {
            "runs": list(self.runs),
            "alike": self.alike,
            "tick_s": self.tick,
            "program_likeness": self.program,
            "shift_s": self.shift,
            "joints": {f"{each.robot}/{each.joint}": each.to_json() for each in self.joints},
            "proposals": self.proposals.to_json(),
        }
