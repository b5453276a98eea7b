"""Write model.xml and drives.xml: a UR5 from one table."""

from math import pi
from typing import NamedTuple

from tools.mjcf import (
    Vector,
    body,
    document,
    element,
    inertial,
    numbers,
    place,
    short,
)

from mecano.robots.ur5.description import DAMPING_TIME, TABLE

ZERO = (0.0, 0.0, 0.0)
BACK: Vector = (pi, 0.0, 0.0)
"""Turns z to -z."""
TO_Y: Vector = (-pi / 2, 0.0, 0.0)
"""Turns z to y."""
TO_MINUS_Y: Vector = (pi / 2, 0.0, 0.0)


class Drawn(NamedTuple):
    """A mesh in a link."""

    mesh: str
    material: str
    pos: Vector = ZERO
    rpy: Vector = ZERO


class Capsule(NamedTuple):
    """What collides in a link [m]."""

    start: Vector
    end: Vector
    radius: float


class Cylinder(NamedTuple):
    """What collides in a link, along z [m]."""

    radius: float
    low: float
    high: float


class Link(NamedTuple):
    """One link, in the frames of the table's joints: the joint turns about z."""

    name: str
    pos: Vector
    rpy: Vector
    """In the parent."""
    mass: float
    com: Vector
    inertia: Vector
    drawn: tuple[Drawn, ...]
    hard: tuple[Capsule | Cylinder, ...]


# Masses, centres of mass: UR. Moments: the sheet's, in link axes. Capsules: the sheet's, fitted to
# the boxes of the links (EST).
LINKS = (
    Link(
        "base_link", ZERO, ZERO, 4.0, (0.0, 0.0, 0.02), (0.00443333156, 0.00443333156, 0.0072),
        (Drawn("foot", "shell"), Drawn("large_seam", "dark", (0.0, 0.0, 0.038))),
        (Cylinder(0.075, 0.0, 0.038),),
    ),
    Link(
        "shoulder_link", (0.0, 0.0, 0.089159), ZERO, 3.7, (0.0, -0.00193, -0.02561),
        (0.014972358, 0.014972358, 0.01040625),
        (
            Drawn("neck", "shell"),
            Drawn("large", "shell", (0.0, -0.002, 0.0), TO_MINUS_Y),
            Drawn("large_cap", "blue", (0.0, 0.064, 0.0), TO_Y),
            Drawn("large_seam", "dark", (0.0, -0.068, 0.0), TO_Y),
        ),
        (
            Capsule((0.0, 0.0, -0.05), (0.0, 0.0, 0.01), 0.058),
            Capsule(ZERO, (0.0, -0.06, 0.0), 0.058),
        ),
    ),
    Link(
        "upper_arm_link", ZERO, (pi / 2, 0.0, 0.0), 8.393, (-0.2125, 0.0, 0.11336),
        (0.0151074, 0.133885835, 0.133885835),
        (
            Drawn("large", "shell", (0.0, 0.0, 0.13585)),
            Drawn("large_cap", "blue", (0.0, 0.0, 0.2015)),
            Drawn("upper_tube", "tube", (0.0, 0.0, 0.13585), (0.0, 0.0, pi)),
            Drawn("large", "shell", (-0.425, 0.0, 0.13585)),
            Drawn("large_cap", "blue", (-0.425, 0.0, 0.2015)),
        ),
        (
            Capsule((0.0, 0.0, 0.09), (0.0, 0.0, 0.15), 0.058),
            Capsule((0.0, 0.0, 0.13585), (-0.425, 0.0, 0.13585), 0.052),
            Capsule((-0.425, 0.0, 0.07), (-0.425, 0.0, 0.15), 0.055),
        ),
    ),
    Link(
        "forearm_link", (-0.425, 0.0, 0.0), ZERO, 2.33, (-0.24225, 0.0, 0.0265),
        (0.004095, 0.031216804, 0.031216804),
        (
            Drawn("elbow", "shell", (0.0, 0.0, 0.0165)),
            Drawn("large_seam", "dark", (0.0, 0.0, 0.0705)),
            Drawn("large_cap", "blue", (0.0, 0.0, -0.038), BACK),
            Drawn("fore_tube", "tube", (0.0, 0.0, 0.0165), (0.0, 0.0, pi)),
            Drawn("fore_end", "shell", (-0.39225, 0.0, 0.0165)),
            Drawn("small_cap", "blue", (-0.39225, 0.0, -0.0185), BACK),
        ),
        (
            Capsule((0.0, 0.0, 0.0165), (-0.39225, 0.0, 0.0165), 0.042),
            Capsule((0.0, 0.0, -0.01), (0.0, 0.0, 0.06), 0.052),
        ),
    ),
    Link(
        "wrist_1_link", (-0.39225, 0.0, 0.10915), ZERO, 1.219, (0.0, -0.01634, -0.0018),
        (0.00201389, 0.00201389, 0.0021942),
        (
            Drawn("small", "shell", (0.0, 0.0, -0.003)),
            Drawn("small_seam", "dark", (0.0, 0.0, -0.0545)),
            Drawn("small_cap", "blue", (0.0, 0.0, 0.048)),
            Drawn("small_neck", "shell", ZERO, TO_MINUS_Y),
        ),
        (Capsule((0.0, 0.0, -0.06), (0.0, 0.0, 0.01), 0.04),),
    ),
    Link(
        "wrist_2_link", (0.0, -0.09465, 0.0), (pi / 2, 0.0, 0.0), 1.219, (0.0, 0.01634, -0.0018),
        (0.00183104, 0.00183104, 0.0021942),
        (
            Drawn("small", "shell", (0.0, 0.0, 0.005)),
            Drawn("small_seam", "dark", (0.0, 0.0, -0.0475)),
            Drawn("small_cap", "blue", (0.0, 0.0, 0.056)),
            Drawn("small_neck", "shell", ZERO, TO_Y),
        ),
        (Capsule((0.0, 0.0, -0.06), (0.0, 0.0, 0.01), 0.04),),
    ),
    Link(
        # UR has (90, 180, 180) deg: the same as -90 deg about x.
        "wrist_3_link", (0.0, 0.0823, 0.0), (-pi / 2, 0.0, 0.0), 0.1879, (0.0, 0.0, -0.001159),
        (8.06248e-05, 8.06248e-05, 0.000132117),
        (Drawn("flange", "dark"), Drawn("small_seam", "dark", (0.0, 0.0, -0.034))),
        (Cylinder(0.0375, -0.035, 0.0),),
    ),
)  # fmt: skip


def drawn_lines(link: Link) -> list[str]:
    """Return what is seen of a link; every part has a name."""
    part = link.name.removesuffix("_link")
    return [
        f'<geom name="{part}_{number}" class="ur5_visual" mesh="ur5_{drawn.mesh}" '
        f'material="ur5_{drawn.material}"{place(drawn.pos, drawn.rpy)}/>'
        for number, drawn in enumerate(link.drawn)
    ]


def hard_lines(link: Link) -> list[str]:
    """Return what collides of a link."""
    part, lines = link.name.removesuffix("_link"), []
    for number, shape in enumerate(link.hard):
        if isinstance(shape, Capsule):
            form = f'size="{shape.radius:g}" fromto="{short(*shape.start, *shape.end)}"'
        else:
            half, middle = (shape.high - shape.low) / 2, (shape.high + shape.low) / 2
            form = f'type="cylinder" size="{short(shape.radius, half)}" pos="{short(0, 0, middle)}"'
        lines.append(f'<geom name="{part}_{number}_collision" class="ur5_collision" {form}/>')
    return lines


def arm_lines(tool: list[str]) -> list[str]:
    """Return the bodies of an arm that carries something at its flange."""
    inner = tool
    for number, link in reversed(list(enumerate(LINKS))):
        content: list[str] = [inertial(link.mass, link.com, link.inertia)]
        if number:
            row = TABLE[number - 1]
            content.append(
                f'<joint name="{row.name}" class="ur5_joint" axis="0 0 1" '
                f'range="{numbers(-row.limit, row.limit)}"/>'
            )
        content += drawn_lines(link) + hard_lines(link)
        inner = body(f'name="{link.name}"{place(link.pos, link.rpy)}', content, inner)
    return inner


def drives_xml() -> str:
    """Return the text of drives.xml."""
    lines = ["<!-- UR5: exclusions and motors. make_model.py writes this: change that file. -->"]
    lines += element(
        "contact",
        [
            "<!-- The capsules of foot and upper arm overlap for good (sheet of the scenes, 4.4).",
            "     Foot and shoulder are neighbours: it only counts if the arm is bolted down. -->",
            '<exclude body1="base_link" body2="shoulder_link"/>',
            '<exclude body1="base_link" body2="upper_arm_link"/>',
        ],
    )
    motors = []
    for row in TABLE:
        size = "large" if row.torque > 100 else "small"
        gains = f"{row.stiffness:g} 1e-9 {DAMPING_TIME * row.stiffness:g} 0 0.01 48"
        motors.append(
            f'<dcmotor name="{row.name}" class="ur5_{size}" joint="{row.name}" '
            f'controller="{gains}"/>'
        )
    lines += element(
        "actuator",
        [
            "<!-- Inputs: position, velocity, torque. controller = kp ki kd slewmax Imax Vmax,",
            "     in torque. kp, kd = 0.08 kp: sheet of the scenes, 4.4. No integral (1e-9): two",
            "     arms that hold one box would fight each other by it; weight is fed forward. Keep",
            "     ki above 0: the engine stops without. No ctrlrange: it would clamp velocity. -->",
            *motors,
        ],
    )
    return "\n".join([*element("mujocoinclude", lines), ""])


FLANGE_QUAT = "0.5 -0.5 -0.5 -0.5"
"""The tool's x is the flange's z, along the nose."""


def model_xml() -> str:
    """Return the text of the arm's own model file."""
    site = f'<site name="tool" class="ur5_site" quat="{FLANGE_QUAT}"/>'
    return document(
        "UR5, alone.",
        "ur5",
        [
            '<compiler angle="radian" autolimits="true"/>',
            '<visual><headlight ambient="0.5 0.5 0.5" diffuse="0.7 0.7 0.7"/></visual>',
            '<include file="../ur5/setup.xml"/>',
            *element("worldbody", arm_lines([site])),
            '<include file="../ur5/drives.xml"/>',
        ],
    )


def files() -> dict[str, str]:
    """Return the text of every file this script writes."""
    return {"model.xml": model_xml(), "drives.xml": drives_xml()}
