"""ROMERIN: a climbing hexapod; six legs of three servos, a suction cup on each."""
