"""Robots of others: URDF, xacro, SRDF and MJCF files, read safely and made into a robot's folder."""

from mecano.importing.findings import Finding as Finding
from mecano.importing.findings import UnreadableRobot as UnreadableRobot
from mecano.importing.importer import Imported as Imported
from mecano.importing.importer import import_robot as import_robot
