"""A whole robot in one message."""

from dataclasses import dataclass

from mecano.core.messages.base import BaseReport
from mecano.core.messages.cups import CupStates
from mecano.core.messages.joints import JointState
from mecano.core.messages.motion import Imu, Odometry
from mecano.core.messages.stamped import Stamped


@dataclass(frozen=True, eq=False, kw_only=True)
class RobotState(Stamped):
    """What all parts of a robot do at one instant. None is what it lacks."""

    joints: JointState
    """All joints: of the arm or the legs, the gripper and the wheels, by their encoders."""
    commanded: JointState
    """What the joints were told: those of arm, legs and gripper that are told a position."""
    odometry: Odometry | None = None
    base: BaseReport | None = None
    imu: Imu | None = None
    cups: CupStates | None = None
