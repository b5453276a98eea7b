"""What an arm knows of the world around it: all of it in simulation, little on a real robot."""

from typing import Protocol

from mecano.world.robot_model import Carried, RobotModel, Touch


class Surroundings(Protocol):
    """Puts what is known of the world into the model that an arm plans with."""

    def look(self, model: RobotModel) -> None:
        """Put what is known into the model."""
        ...

    def refresh(self, model: RobotModel) -> Carried | None:
        """Put what is known into the model; return the payload of the hand."""
        ...

    def touched(self, model: RobotModel) -> Touch | None:
        """Return two bodies that touch now and should not."""
        ...
