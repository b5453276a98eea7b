"""The youBot with explicit rollers: slower to compute, and it loses way sideways as real ones do.

The paper's robot is `youbot`. This one shows what its simplified wheels leave out.
"""

from dataclasses import replace

from mecano.robots.youbot.description import DESCRIPTION as YOUBOT

ROLLERS = replace(
    YOUBOT,
    name="youbot_rollers",
    title="KUKA youBot with explicit rollers on its wheels",
    summary="The youBot, with twelve free rollers on each of its four mecanum wheels.",
    model="model_rollers.xml",
)
