"""An emulated bus of Dynamixel servos: a pseudo-terminal with the simulated arm behind it."""

from mecano.bridge.dynamixel.arm import EmulatedArm as EmulatedArm
from mecano.bridge.dynamixel.faults import Fault as Fault
