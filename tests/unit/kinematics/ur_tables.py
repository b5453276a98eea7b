"""Arms of the UR kind to test with: public tables, and an arm that nobody builds."""

from math import pi

import numpy as np

from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.transforms import Array, rotation_x, rotation_y, rotation_z, translation

# Universal Robots, "DH Parameters for calculations of kinematics and dynamics" (support article):
# d1, d4, d5, d6, a2, a3 [m]. The UR5's are those of the project's sheet of MADAR too.
MEASURES = {
    "ur3": (0.1519, 0.11235, 0.08535, 0.0819, -0.24365, -0.21325),
    "ur5": (0.089159, 0.10915, 0.09465, 0.0823, -0.425, -0.39225),
    "ur10": (0.1273, 0.163941, 0.1157, 0.0922, -0.612, -0.5723),
}
NAMES = ("pan", "lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
FLANGE = np.array([[0.0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]])
"""The flange has z along the nose; this tool has x along it."""


def table(
    model: str, *, base: Array | None = None, tool: Array | None = None, elbow: float = 2 * pi
) -> DHChain:
    """Return the chain of an arm; `elbow` is the limit of that joint either way [rad]."""
    d1, d4, d5, d6, a2, a3 = MEASURES[model]
    rows = zip(
        NAMES,
        (d1, 0.0, 0.0, d4, d5, d6),
        (0.0, a2, a3, 0.0, 0.0, 0.0),
        (pi / 2, 0.0, 0.0, pi / 2, -pi / 2, 0.0),
        (2 * pi, 2 * pi, elbow, 2 * pi, 2 * pi, 2 * pi),
        strict=True,
    )
    joints = tuple(
        DHJoint(name=name, d=d, a=a, alpha=alpha, lower=-limit, upper=limit)
        for name, d, a, alpha, limit in rows
    )
    return DHChain(
        joints=joints,
        base=np.eye(4) if base is None else base,
        tool=np.eye(4) if tool is None else tool,
    )


TILTED = translation(0.1, -0.2, 1.4) @ rotation_z(0.3) @ rotation_y(1.0) @ rotation_x(0.4)
BENT_TOOL = translation(0.03, -0.05, 0.1) @ rotation_y(0.7) @ rotation_x(-2.0)

# Joints 3 and 4 turn the other way round, the shoulder and the wrist stand aside, angles start
# anywhere, and no two joints have the same range.
ODD = DHChain(
    joints=(
        DHJoint(name="a", theta=0.4, d=-0.1, a=0.05, alpha=-pi / 2, lower=-3.0, upper=4.0),
        DHJoint(name="b", theta=-1.0, d=0.03, a=0.3, alpha=pi, lower=-5.0, upper=1.0),
        DHJoint(name="c", theta=2.0, d=-0.02, a=0.25, lower=-2.0, upper=2.5),
        DHJoint(name="d", theta=0.7, d=0.09, a=0.02, alpha=pi / 2, lower=-6.0, upper=6.0),
        DHJoint(name="e", theta=-0.6, d=-0.08, alpha=pi / 2, lower=-4.0, upper=4.0),
        DHJoint(name="f", theta=1.1, d=0.07, lower=-9.0, upper=7.0),
    ),
    base=TILTED,
    tool=BENT_TOOL,
)
# Equal links, and the wrist on axis 1: joints 1 and 2 can be free.
EVEN = DHChain(
    joints=tuple(
        DHJoint(name=name, d=d, a=a, alpha=alpha, lower=-2 * pi, upper=2 * pi)
        for name, d, a, alpha in zip(
            NAMES,
            (0.2, 0.0, 0.0, 0.0, 0.1, 0.08),
            (0.0, -0.4, -0.4, 0.0, 0.0, 0.0),
            (pi / 2, 0.0, 0.0, pi / 2, -pi / 2, 0.0),
            strict=True,
        )
    )
)
ARMS = {
    "ur3": table("ur3"),
    "ur5": table("ur5"),
    "ur10": table("ur10"),
    "ur5 tilted": table("ur5", base=TILTED, tool=BENT_TOOL, elbow=pi),
    "odd": ODD,
    "even": EVEN,
}
