"""Simulated actuators: what a device would do with a command."""

from mecano.actuators.servos import GripperServo as GripperServo
from mecano.actuators.servos import Servos as Servos
