"""Universal Robots UR5."""
