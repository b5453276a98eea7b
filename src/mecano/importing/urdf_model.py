"""A URDF file as dataclasses: links, joints, shapes, with the line each one stands in."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from mecano.core.arrays import Array
from mecano.core.poses import Pose
from mecano.importing.findings import Finding
from mecano.importing.srdf import Srdf

GeometryKind = Literal["box", "sphere", "cylinder", "capsule", "mesh"]
JointKind = Literal["revolute", "continuous", "prismatic", "fixed", "floating", "planar"]
GEOMETRY_KINDS: tuple[GeometryKind, ...] = ("box", "sphere", "cylinder", "capsule", "mesh")
JOINT_KINDS: tuple[JointKind, ...] = (
    "revolute", "continuous", "prismatic", "fixed", "floating", "planar",
)  # fmt: skip
MOVING: tuple[JointKind, ...] = ("revolute", "continuous", "prismatic")
"""Joints with one degree of freedom."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Geometry:
    """What a shape is made of."""

    kind: GeometryKind
    size: tuple[float, ...] = ()
    """Box: full extents; sphere: radius; cylinder, capsule: radius and length [m]; mesh: none."""
    file: Path | None = None
    """The mesh, where it was found; None if it was not, and for the other kinds."""
    reference: str = ""
    """The mesh as the file names it: "package://..."."""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Of the mesh, along its own axes."""
    line: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """A visual or collision element of a link."""

    geometry: Geometry
    origin: Pose
    """In the frame of the link."""
    rgba: tuple[float, float, float, float] | None = None
    """Colour by number or by the name of a material; None if none is given."""
    name: str = ""
    line: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Inertial:
    """Mass and inertia of a link."""

    mass: float
    """[kg]."""
    origin: Pose
    """Centre of mass and the axes of the inertia, in the frame of the link."""
    inertia: Array
    """About the centre of mass, in the axes of `origin` [kg m2]. Shape (3, 3)."""
    line: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Link:
    """One rigid body."""

    name: str
    inertial: Inertial | None = None
    """None: no mass is given (a frame, or mass that must come from the shapes)."""
    visuals: tuple[Shape, ...] = ()
    collisions: tuple[Shape, ...] = ()
    line: int = 0


@dataclass(frozen=True, kw_only=True)
class Limit:
    """How far, fast and strong a joint moves; None where the file does not say."""

    lower: float | None = None
    """[rad or m]."""
    upper: float | None = None
    effort: float | None = None
    """[N m or N]."""
    velocity: float | None = None
    """[rad/s or m/s]."""


@dataclass(frozen=True, kw_only=True)
class Mimic:
    """A joint follows another: value = multiplier * other + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Joint:
    """What connects a link to its parent."""

    name: str
    kind: JointKind
    parent: str
    child: str
    origin: Pose
    """Of the child's frame in the parent's, at joint value zero."""
    axis: Array
    """In the frame of the child, unit. Shape (3,)."""
    limit: Limit | None = None
    mimic: Mimic | None = None
    damping: float = 0.0
    """[N m s/rad or N s/m]."""
    friction: float = 0.0
    """[N m or N]."""
    line: int = 0


@dataclass(frozen=True, kw_only=True)
class Friction:
    """Friction of a link that differs with the direction (`<gazebo>`: mu1, mu2, fdir1)."""

    direction: tuple[float, float, float]
    """Of `along`."""
    frame: str
    """Link in whose frame the direction is."""
    along: float
    across: float


@dataclass(frozen=True, kw_only=True, eq=False)
class UrdfRobot:
    """A robot as its URDF file describes it: one tree of links."""

    name: str
    links: dict[str, Link]
    """By name, in the order of the file."""
    joints: dict[str, Joint]
    """By name, in the order of the file; every parent and child is a link of `links`."""
    root: str
    """The link without a parent."""
    file: Path
    """Of the file the user named."""
    findings: tuple[Finding, ...] = ()
    srdf: Srdf | None = None
    """Groups, postures and pairs that may touch, from an SRDF file beside it."""
    actuated: frozenset[str] = frozenset()
    """Joints with a transmission; empty where the file has none."""
    friction: dict[str, Friction] = field(default_factory=dict)
    """Of links whose friction differs with the direction."""
    includes: tuple[Path, ...] = field(default=())
    """Other files that were read (xacro includes)."""
    stray_links: tuple[Link, ...] = ()
    """Links of the file that are not in the tree: of another root, or with a name that is taken."""
    stray_joints: tuple[Joint, ...] = ()
    """Joints of the file that are not in the tree."""

    @property
    def strays(self) -> "UrdfRobot | None":
        """What is not in the tree, to be checked in the same way; None if there is nothing."""
        if not self.stray_links and not self.stray_joints:
            return None
        links = {f"{number} {each.name}": each for number, each in enumerate(self.stray_links)}
        joints = {f"{number} {each.name}": each for number, each in enumerate(self.stray_joints)}
        return replace(self, links=links, joints=joints, stray_links=(), stray_joints=())

    def children(self, link: str) -> tuple[Joint, ...]:
        """Return the joints that hang on a link."""
        return tuple(joint for joint in self.joints.values() if joint.parent == link)

    def parent_joint(self, link: str) -> Joint | None:
        """Return the joint above a link; None for the root."""
        return next((joint for joint in self.joints.values() if joint.child == link), None)
