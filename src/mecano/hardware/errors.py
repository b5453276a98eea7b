"""What can go wrong with a real robot: each names the way out.

HardwareError
├── PortProblem        the serial port cannot be used
│   ├── NoSuchPort     it is not there
│   └── PortForbidden  the user is not in its group
├── NoAnswer           a servo, or all of them, do not answer
│   └── GarbledAnswer  what they answer cannot be read: two servos have one id
├── CableLost          the port went away in mid-motion
├── WrongServo         another model, another id or another wiring than the description says
├── ServoFault         a servo reports a fault of its own
│   ├── Overloaded     the load was too high for too long
│   └── WrongVoltage   the supply is too low, or too high
└── UnsafeCommand      a command was too far or too fast to be sent
"""

from mecano.core.errors import MecanoError


class HardwareError(MecanoError):
    """Something is wrong with the real robot or the way to it."""

    exit_code = 1


class PortProblem(HardwareError):
    """The serial port cannot be used."""

    exit_code = 2


class NoSuchPort(PortProblem):
    """The serial port is not there."""


class PortForbidden(PortProblem):
    """The user may not use the serial port."""


class NoAnswer(HardwareError):
    """A servo, or all of them, do not answer."""


class GarbledAnswer(NoAnswer):
    """Somebody answers, but it cannot be read: two servos have one id, or the cable is bad."""


class CableLost(HardwareError):
    """The port went away while it was in use."""


class WrongServo(HardwareError):
    """A servo is not what the robot's description says."""


class ServoFault(HardwareError):
    """A servo reports a fault of its own."""


class Overloaded(ServoFault):
    """A servo had too much load for too long, and has let go."""


class WrongVoltage(ServoFault):
    """A servo gets too little voltage, or too much."""


class UnsafeCommand(HardwareError):
    """A command was refused before it was sent."""
