"""MADAR with other models: all elements of its wheels, kinematics only, its base alone.

The paper's robot is `madar`.
"""

from dataclasses import replace

from mecano.robots.madar.description import DESCRIPTION as MADAR

ELEMENTS = replace(
    MADAR,
    name="madar_elements",
    title="MADAR with all elements of its spherical wheels",
    summary="MADAR, with six free elements on each of its three wheels.",
    model="model_elements.xml",
)
"""Slower to simulate; it shows the ripple that the simplified wheels leave out."""

KINEMATIC = replace(
    MADAR,
    name="madar_kinematic",
    title="MADAR, kinematics only",
    summary="MADAR without weight, its base carried as its wheels say.",
    model="model_kinematic.xml",
    feeds_weight=False,
    variants={},
)
"""For tests of sensors: without gravity, and no wheel touches the floor. The wheels' motors move
the base along the rows of its inverse kinematics; it neither slips nor tilts."""

BASE = replace(
    MADAR,
    name="madar_base",
    title="MADAR's base alone, without arms and hands",
    summary="Three spherical omni wheels, three LIDARs, two cameras; no arms.",
    model="model_base.xml",
    chains={},
    hands={},
    servos={},
    feeds_weight=False,
    variants={},
    facts=MADAR.facts | {"arms": "none", "hands": "none", "mass": "127 kg"},
)
