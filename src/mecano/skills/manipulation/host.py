"""What a skill needs of a robot: eyes, an arm, fingers, and what its motors feel."""

from dataclasses import dataclass
from typing import Protocol

from mecano.core.arrays import Array
from mecano.kinematics.chain import Chain
from mecano.perception.tabletop import TableView
from mecano.skills.manipulation.grasps import Grasp
from mecano.skills.manipulation.hand import HandShape


@dataclass(frozen=True, kw_only=True)
class GripReading:
    """What the gripper feels."""

    width: float
    """Between the pads [m]."""
    force: float
    """Of each finger [N]."""
    holding: bool
    """Whether something keeps the fingers apart."""


@dataclass(frozen=True, kw_only=True)
class MoveReport:
    """How a motion ended."""

    reached: bool
    touched: bool = False
    """Whether it ended because something was felt or touched."""
    short: float = 0.0
    """How far the hand is from where it should be, by the encoders [m]."""
    text: str = ""
    """What went wrong, if something did."""


class Host(Protocol):
    """One arm with its gripper and a camera; all poses in the arm's base frame."""

    chain: Chain
    hand: HandShape
    tower: float
    """Things nearer to the arm's axis than this touch its foot [m]."""

    def look(self) -> TableView | None:
        """Bring the arm out of sight and look; None if no table is seen."""
        ...

    def go(self, grasp: Grasp, rise: float = 0.0, *, line: bool, speed: float = 1.0) -> MoveReport:
        """Bring the hand so much above a hold [m]."""
        ...

    def lower(self, grasp: Grasp, rise: float, *, force: float) -> MoveReport:
        """Go down in a line until something pushes back with a force [N]."""
        ...

    def open(self) -> None:
        """Open the fingers."""
        ...

    def close(self, force: float) -> GripReading:
        """Close the fingers until something is in the way, and press with a force [N]."""
        ...

    def grip(self) -> GripReading:
        """Return what the gripper feels now."""
        ...

    def torques(self) -> Array:
        """Return the torques of the resting motors, averaged [N m]."""
        ...

    def joints(self) -> Array:
        """Return the joint values by the encoders [rad]."""
        ...

    def overload(self, grasp: Grasp, rise: float, mass: float) -> str | None:
        """Return which motor could not hold a mass [kg] there; None if all can."""
        ...

    def carry(self, mass: float) -> None:
        """Tell the motors what the hand carries [kg]."""
        ...
