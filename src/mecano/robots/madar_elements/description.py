"""MADAR with the six free elements of each wheel: slower to compute, and it ripples as they do.

The paper's robot is `madar`. This one shows what its simplified wheels leave out.
"""

from dataclasses import replace

from mecano.robots.madar.description import DESCRIPTION as MADAR

DESCRIPTION = replace(
    MADAR,
    name="madar_elements",
    title="MADAR with all elements of its spherical wheels",
    summary="MADAR, with six free elements on each of its three wheels.",
    model="model_elements.xml",
)
