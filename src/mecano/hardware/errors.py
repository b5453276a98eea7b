"""What can go wrong with a real robot: each names the way out.

HardwareError
├── PortProblem      the serial port is missing, forbidden or taken
├── NoAnswer         a servo, or all of them, do not answer
├── CableLost        the port went away in mid-motion
├── WrongServo       another model, another id or another wiring than the description says
├── ServoFault       a servo reports overload, heat, voltage ...
└── UnsafeCommand    a command was too far or too fast to be sent
"""

from mecano.core.errors import MecanoError


class HardwareError(MecanoError):
    """Something is wrong with the real robot or the way to it."""


class PortProblem(HardwareError):
    """The serial port is missing, forbidden or taken."""


class NoAnswer(HardwareError):
    """A servo, or all of them, do not answer."""


class CableLost(HardwareError):
    """The port went away while it was in use."""


class WrongServo(HardwareError):
    """A servo is not what the robot's description says."""


class ServoFault(HardwareError):
    """A servo reports a fault of its own."""


class UnsafeCommand(HardwareError):
    """A command was refused before it was sent."""
