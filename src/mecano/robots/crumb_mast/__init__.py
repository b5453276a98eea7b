"""CRUMB with a camera on a mast."""
