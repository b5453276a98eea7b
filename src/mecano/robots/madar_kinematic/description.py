"""MADAR without gravity, for tests of sensors: its base goes exactly as its wheels say.

Nothing of it has weight and no wheel touches the floor. The motors of the wheels move the base as a
whole, along the rows of its inverse kinematics; it neither slips nor tilts.
"""

from dataclasses import replace

from mecano.robots.madar.description import DESCRIPTION as MADAR

DESCRIPTION = replace(
    MADAR,
    name="madar_kinematic",
    title="MADAR, kinematics only",
    summary="MADAR without weight, its base carried as its wheels say.",
    model="model_kinematic.xml",
    feeds_weight=False,
    wheel_models={},
)
