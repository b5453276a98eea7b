"""Dynamixel servos: control tables, packets, bus."""
