"""What is taken in the place of numbers of a URDF that cannot be simulated."""

from mecano.importing.findings import Finding
from mecano.importing.urdf_model import UrdfRobot


def simulatable(robot: UrdfRobot) -> tuple[UrdfRobot, tuple[Finding, ...]]:
    """Return a robot whose masses, inertias and limits can be simulated, and what was wrong."""
    return robot, ()
