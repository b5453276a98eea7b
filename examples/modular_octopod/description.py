"""Eight ROMERIN legs around a long box: `mecano.connect("examples/modular_octopod")`."""

from mecano.robots.modular import BoxBody, LegMount, assemble_legs, both_sides
from mecano.robots.romerin.leg import LEG

FRONT, REAR = LegMount(0.15, 0.06, 55), LegMount(-0.15, 0.06, 125)
MIDDLE = (LegMount(0.055, 0.065, 80), LegMount(-0.055, 0.065, 100))
DESCRIPTION = assemble_legs(
    "modular_octopod",
    __file__,
    LEG,
    BoxBody(size=(0.34, 0.11, 0.05), mass=0.7),
    both_sides(FRONT, *MIDDLE, REAR),
)
