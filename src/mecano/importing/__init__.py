"""Robots of others: reads URDF, xacro and SRDF files and says what is wrong with them."""

from mecano.importing.findings import Finding as Finding
from mecano.importing.findings import UnreadableRobot as UnreadableRobot
