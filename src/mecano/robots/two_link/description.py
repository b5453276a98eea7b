"""A planar arm of two links as a chain of its own (the paper's section 2, figures 2 and 3)."""

from math import pi
from pathlib import Path

from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.robots.description import RobotDescription

L1, L2 = 0.3, 0.2  # [m]; the paper leaves them as letters, these make a drawing that reads well

ARM = Chain(
    name="arm",
    dh=DHChain(
        joints=(
            DHJoint(name="joint1", a=L1, lower=-pi, upper=pi),
            DHJoint(name="joint2", a=L2, lower=-0.9 * pi, upper=0.9 * pi),
        )
    ),
    postures={"zero": (0.0, 0.0), "bent": (0.5, 1.0)},
)

DESCRIPTION = RobotDescription(
    name="two_link",
    title="Planar arm with two links, for teaching",
    summary="Two turning joints in the plane z = 0: the smallest arm with two elbow solutions.",
    folder=Path(__file__).parent,
    chains={"arm": ARM},
    facts={"links": f"{L1} m and {L2} m", "plane": "z = 0"},
    sources=("the OpenMANIPULATOR-X paper, section 2, figures 2 and 3",),
)
