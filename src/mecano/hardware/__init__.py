"""Drivers of real devices, down to their bytes."""
