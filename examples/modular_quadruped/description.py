"""Four ROMERIN legs at the corners of a box: `mecano.connect("examples/modular_quadruped")`."""

from mecano.robots.modular import BoxBody, LegMount, assemble_legs, both_sides
from mecano.robots.romerin.leg import LEG

DESCRIPTION = assemble_legs(
    "modular_quadruped",
    __file__,
    LEG,
    BoxBody(size=(0.15, 0.11, 0.05), mass=0.5),
    both_sides(LegMount(0.075, 0.055, 45), LegMount(-0.075, 0.055, 135)),
)
