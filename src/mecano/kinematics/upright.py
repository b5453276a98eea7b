"""Upright tools: x along the nose, y level along the axis that pitch turns about, z up.

Pitches beyond the vertical are told by the side that z is on. A tool that is rolled by a quarter
turn against that has a level z in every posture, so its pitch would end at the vertical.
"""

from dataclasses import replace
from math import atan2, cos, pi, sin

import numpy as np

from mecano.kinematics.dh import DHChain
from mecano.kinematics.transforms import Array, rotation_x

LEVEL = 5e-3
"""An axis whose sine against the level is smaller lies level, but for the rounding of files."""
POSTURES = 16


def upright_roll(axis: Array, R: Array) -> float:
    """Return the turn about a tool's own x that makes it upright [rad].

    Of the two turns that bring y along the axis it is the one that has z up; with the nose upright,
    where z is level, the one whose arm faces the base's x; else the one with y along the axis.

    Args:
        axis: That pitch turns about, in the base frame with all joints at zero; at a right angle to
            the tool's x axis. Shape (3,).
        R: `R_base_tool` there. Shape (3, 3).
    """
    roll = atan2(float(axis @ R[:, 2]), float(axis @ R[:, 1]))
    y = cos(roll) * R[:, 1] + sin(roll) * R[:, 2]
    z = cos(roll) * R[:, 2] - sin(roll) * R[:, 1]
    side = float(z[2] if abs(z[2]) > LEVEL else y[1])  # facing is y x up, its x is y[1]
    if side >= -LEVEL:
        return roll
    return roll - pi if roll > 0.0 else roll + pi


def upright_chain(chain: DHChain) -> DHChain:
    """Return the chain with its tool rolled upright if z is level in every posture; else itself."""
    some = np.random.default_rng(0).uniform(chain.lower, chain.upper, (POSTURES, len(chain.joints)))
    if np.abs(chain.forward(some)[:, 2, 2]).max() > LEVEL:
        return chain
    R = chain.forward(np.zeros(len(chain.joints)))[:3, :3]
    return replace(chain, tool=chain.tool @ rotation_x(upright_roll(R[:, 2], R)))
