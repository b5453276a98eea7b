"""Occupancy maps: built from scans, kept in files, compared with the truth."""
