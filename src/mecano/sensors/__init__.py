"""Simulated sensors: what a device would read, at its resolution."""

from mecano.sensors.encoders import JointEncoders as JointEncoders
