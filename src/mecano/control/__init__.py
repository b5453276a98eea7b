"""Laws that keep a robot to what was planned, from where it is and where it should be."""
