"""What a robot's datasheet says of its body, for `mecano check-robot`: masses, extents, frames.

A robot's folder may hold a `datasheet.py` that defines `sheet(robot)`, which takes the description
(that of a variant, too) and returns a `Datasheet`. What the sheet leaves out is not compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mecano.robots.description import RobotDescription
from mecano.robots.own_files import own_value

FILE = "datasheet"
"""Module in a robot's folder that defines `sheet(robot)`."""
Point = tuple[float, float, float]
Extents = tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class Shape:
    """Extents of some geoms of a link."""

    geoms: str
    """Regular expression of the names of the geoms, which must match in full."""
    link: str
    """Body that they belong to."""
    extents_mm: Extents
    """In the frame of the link [mm]: x, y, z, each from and to."""


@dataclass(frozen=True)
class Link:
    """Mass of one body."""

    mass: float
    """[kg]."""
    center: Point | None = None
    """Centre of mass in the frame of the link [m]."""
    inertia: tuple[float, ...] | None = None
    """About the centre of mass in the axes of the link [kg m2]: xx, yy, zz; with xy, xz, yz if all
    six are known."""


@dataclass(frozen=True)
class FrameFacts:
    """Where a body, site or camera is in the robot's model with all joints at zero."""

    position: Point | None = None
    """[m]."""
    x: Point | None = None
    """Direction of its x axis."""
    z: Point | None = None
    """Direction of its z axis; a camera looks along -z."""


@dataclass(frozen=True, kw_only=True)
class Datasheet:
    """Facts that the model of a robot must agree with."""

    mass: float | None = None
    """Of the whole robot [kg]."""
    mass_tolerance: float = 0.005
    """Of the whole and of assemblies [kg]."""
    links: Mapping[str, Link] = field(default_factory=dict)
    """By body."""
    assemblies: Mapping[str, float] = field(default_factory=dict)
    """Masses of bodies with all that they carry [kg]."""
    shapes: tuple[Shape, ...] = ()
    shape_tolerance_mm: float = 5.0
    frames: Mapping[str, FrameFacts] = field(default_factory=dict)
    """By site, body or camera."""
    frame_tolerance: float = 1e-6
    """[m], and of unit vectors."""
    pads: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Sites on the pads of a gripper, by its chain: their distance is the gripper's width."""


def sheet_of(robot: RobotDescription) -> Datasheet | None:
    """Return the datasheet in a robot's folder, or None if there is none.

    Raises:
        UserCodeFailed: The robot's own `datasheet.py` raised an error.
        InvalidInput: It has no function `sheet`, or that returns no `Datasheet`.
    """
    return own_value(robot, FILE, "sheet", Datasheet)
