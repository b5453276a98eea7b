"""MADAR: a holonomic base with two UR5 arms and two Allegro hands."""
