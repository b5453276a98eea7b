"""The base of MADAR alone: platform, mast, wheels, LIDARs and cameras, without arms and hands."""

from dataclasses import replace

from mecano.robots.madar.description import DESCRIPTION as MADAR

DESCRIPTION = replace(
    MADAR,
    name="madar_base",
    title="MADAR's base alone, without arms and hands",
    summary="Three spherical omni wheels, three LIDARs, two cameras; no arms.",
    model="model_base.xml",
    chains={},
    hands={},
    servos={},
    feeds_weight=False,
    wheel_models={},
    facts=MADAR.facts | {"arms": "none", "hands": "none", "mass": "127 kg"},
)
