"""The youBot with explicit rollers, which slip sideways as real ones do, and with a laser scanner.

The paper's robot is `youbot`. Source keys: see there.
"""

from dataclasses import replace

from mecano.robots.lidars import LidarFacts
from mecano.robots.youbot.description import BASE
from mecano.robots.youbot.description import DESCRIPTION as YOUBOT

ROLLERS = replace(
    YOUBOT,
    name="youbot_rollers",
    title="KUKA youBot with explicit rollers on its wheels",
    summary="The youBot, with twelve free rollers on each of its four mecanum wheels.",
    model="model_rollers.xml",
)
"""Slower to simulate; it shows what the simplified wheels leave out."""

LASER = replace(
    YOUBOT,
    name="youbot_laser",
    title="KUKA youBot with a laser scanner on a mast",
    summary="The youBot, with a laser scanner that sees half around, for navigation.",
    model="model_laser.xml",
    base=replace(
        BASE,
        lidars=(
            LidarFacts(
                name="laser",
                site="base_laser_front",
                reach=1.57,  # YD
                step=2 * 1.57 / 149,  # YD: 150 beams; one looks straight ahead here, so 149
                rate=10.0,  # YD
                nearest=0.05,  # YD
                furthest=5.6,  # YD
                noise=0.005,  # YD
                offset=0.005,  # EST
                offset_limit=0.015,  # EST
            ),
        ),
    ),
    facts=YOUBOT.facts | {"laser": "180 deg, 149 beams, 10 Hz, 0.05 to 5.6 m", "mass": "31.0 kg"},
)
"""For `youbot/navigate`; the paper's robot has only its two rays."""
