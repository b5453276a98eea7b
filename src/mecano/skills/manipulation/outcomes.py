"""How picking and placing end: values with a reason code and a sentence, never exceptions."""

from dataclasses import dataclass
from enum import StrEnum

from mecano.perception.tabletop import SeenObject
from mecano.skills.manipulation.grasps import Grasp


class Reason(StrEnum):
    """Why a pick or a place ended. The codes are stable."""

    DONE = "done"
    NOT_FOUND = "not_found"
    """Nothing of the kind is seen on the table."""
    TOO_WIDE = "too_wide"
    """It does not fit between the fingers."""
    TOO_NARROW = "too_narrow"
    """The fingers do not close so far."""
    TOO_HEAVY = "too_heavy"
    """The fingers or the motors cannot hold its weight."""
    OUT_OF_REACH = "out_of_reach"
    OCCUPIED = "occupied"
    """Something stands where it shall go."""
    MISSED = "missed"
    """The fingers closed on nothing, again and again, though it is still seen."""
    TAKEN_AWAY = "taken_away"
    """It was seen, and was gone when the fingers closed."""
    LOST = "lost"
    """It was held and is not any more."""
    BLOCKED = "blocked"
    """A motion ended early: the result says what it touched."""
    NOTHING_HELD = "nothing_held"
    """There is nothing in the hand that could be placed."""
    MISPLACED = "misplaced"
    """It was put down, and is seen elsewhere."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PickResult:
    """How a pick ended."""

    reason: Reason
    text: str
    """The reason in a sentence, with numbers."""
    seen: SeenObject | None = None
    """The object as it was seen last."""
    grasp: Grasp | None = None
    """How it is held."""
    width: float = 0.0
    """Between the pads, as felt [m]."""
    mass: float = 0.0
    """As felt at the lift [kg]."""
    tries: int = 1

    @property
    def reached(self) -> bool:
        """True if it is held."""
        return self.reason is Reason.DONE

    @property
    def failed(self) -> bool:
        """True if a program that counts on it must not go on."""
        return not self.reached

    @property
    def message(self) -> str:
        """The result in one sentence."""
        return self.text if self.reached else f"{self.reason}: {self.text}"


@dataclass(frozen=True, kw_only=True, eq=False)
class PlaceResult:
    """How a place ended."""

    reason: Reason
    text: str
    seen: SeenObject | None = None
    """The object as it is seen now."""
    error: float | None = None
    """How far it is seen from where it should be [m]; None without a camera."""

    @property
    def reached(self) -> bool:
        """True if it stands where it should."""
        return self.reason is Reason.DONE

    @property
    def failed(self) -> bool:
        """True if a program that counts on it must not go on."""
        return not self.reached

    @property
    def message(self) -> str:
        """The result in one sentence."""
        return self.text if self.reached else f"{self.reason}: {self.text}"
