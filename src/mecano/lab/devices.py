"""What arm and gripper need of their devices, simulated or real: nothing more than this."""

from typing import Protocol

from mecano.actuators.servos import Mode
from mecano.core.arrays import Array
from mecano.core.messages import JointState
from mecano.world.robot_model import Carried, RobotModel, Touch


class Joints(Protocol):
    """The encoders of some joints. The arrays are those of the newest reading."""

    names: tuple[str, ...]
    """Of the joints, in the order of the readings."""

    @property
    def reading(self) -> tuple[float, Array, Array, Array]:
        """Stamp [s], positions, velocities and efforts of the newest reading."""
        ...

    @property
    def position(self) -> Array:
        """Joint values [rad or m]."""
        ...

    @property
    def velocity(self) -> Array:
        """Joint velocities [rad/s or m/s]."""
        ...

    @property
    def effort(self) -> Array:
        """Torques or forces of the motors [N m or N]."""
        ...

    def read(self, *, clean: bool = False) -> JointState:
        """Return the newest reading; `clean` is it without noise, on a real robot the same."""
        ...


class Drives(Protocol):
    """The servos of an arm."""

    mode: Mode

    def command(
        self,
        position: Array | None = None,
        velocity: Array | None = None,
        torque: Array | None = None,
    ) -> None:
        """Set what they shall do."""
        ...

    def set_mode(
        self, mode: Mode, *, stiffness: Array | None = None, damping: Array | None = None,
        fed: Array | float = 0.0,
    ) -> None:  # fmt: skip
        """Change what commands mean; `fed` are the torques that positions will bring along."""
        ...


class Surroundings(Protocol):
    """What is known of the world around the arm: all in simulation, little on the real one."""

    def look(self, model: RobotModel) -> None:
        """Put what is known into the model."""
        ...

    def refresh(self, model: RobotModel) -> Carried | None:
        """Put what is known into the model; return what the hand carries."""
        ...

    def touched(self, model: RobotModel) -> Touch | None:
        """Return two bodies that touch now and should not."""
        ...


class FingerDrive(Protocol):
    """The servo of a gripper."""

    def command(self, position: float, force: float | None = None) -> None:
        """Send the fingers to a joint value with at most this force."""
        ...
