"""Where things are, from what sensors say: odometry so far."""
