"""A small arm as URDF, and ways to damage it: the doctor must name each."""

# ruff: noqa: E501 (the table of damages has one line for each)

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mecano.world.meshes import Mesh, write

ARM = """<?xml version="1.0"?>
<robot name="small_arm">
  <material name="grey"><color rgba="0.6 0.6 0.6 1"/></material>
  <link name="base">
    <inertial>
      <origin xyz="0 0 0.05"/>
      <mass value="4.0"/>
      <inertia ixx="0.0166" ixy="0" ixz="0" iyy="0.0166" iyz="0" izz="0.0267"/>
    </inertial>
    <visual><origin xyz="0 0 0.05"/><geometry><box size="0.2 0.2 0.1"/></geometry>
      <material name="grey"/></visual>
    <collision><origin xyz="0 0 0.05"/><geometry><box size="0.2 0.2 0.1"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.15"/>
      <mass value="1.5"/>
      <inertia ixx="0.0116" ixy="0" ixz="0" iyy="0.0116" iyz="0" izz="0.0007"/>
    </inertial>
    <visual><origin xyz="0 0 0.15"/><geometry><cylinder radius="0.03" length="0.3"/></geometry>
      <material name="grey"/></visual>
    <collision><origin xyz="0 0 0.15"/>
      <geometry><cylinder radius="0.03" length="0.24"/></geometry></collision>
  </link>
  <link name="fore">
    <inertial>
      <origin xyz="0 0 0.125"/>
      <mass value="0.8"/>
      <inertia ixx="0.0043" ixy="0" ixz="0" iyy="0.0043" iyz="0" izz="0.0003"/>
    </inertial>
    <visual><origin xyz="0 0 0.125"/>
      <geometry><mesh filename="meshes/fore.stl" scale="1 1 1"/></geometry></visual>
    <collision><origin xyz="0 0 0.125"/><geometry><box size="0.05 0.05 0.2"/></geometry></collision>
  </link>
  <link name="hand">
    <inertial>
      <origin xyz="0 0 0.02"/>
      <mass value="0.2"/>
      <inertia ixx="0.0001" ixy="0" ixz="0" iyy="0.0001" iyz="0" izz="0.0001"/>
    </inertial>
    <visual><origin xyz="0 0 0.02"/><geometry><box size="0.06 0.08 0.04"/></geometry></visual>
    <collision><origin xyz="0 0 0.02"/><geometry><box size="0.06 0.08 0.03"/></geometry></collision>
  </link>
  <link name="left_finger">
    <inertial>
      <origin xyz="0 0 0.03"/>
      <mass value="0.03"/>
      <inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-5" iyz="0" izz="2e-6"/>
    </inertial>
    <visual><origin xyz="0 0 0.03"/><geometry><box size="0.02 0.01 0.05"/></geometry></visual>
    <collision><origin xyz="0 0 0.03"/><geometry><box size="0.02 0.01 0.05"/></geometry></collision>
  </link>
  <link name="right_finger">
    <inertial>
      <origin xyz="0 0 0.03"/>
      <mass value="0.03"/>
      <inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-5" iyz="0" izz="2e-6"/>
    </inertial>
    <visual><origin xyz="0 0 0.03"/><geometry><box size="0.02 0.01 0.05"/></geometry></visual>
    <collision><origin xyz="0 0 0.03"/><geometry><box size="0.02 0.01 0.05"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.12" rpy="0 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="40" velocity="2"/>
    <dynamics damping="0.2" friction="0.1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="fore"/>
    <origin xyz="0 0 0.3" rpy="0 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-2.0" upper="2.0" effort="20" velocity="2"/>
  </joint>
  <joint name="wrist" type="revolute">
    <parent link="fore"/><child link="hand"/>
    <origin xyz="0 0 0.25" rpy="0 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3.0" upper="3.0" effort="5" velocity="3"/>
  </joint>
  <joint name="left" type="prismatic">
    <parent link="hand"/><child link="left_finger"/>
    <origin xyz="0 0.01 0.04"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.03" effort="20" velocity="0.1"/>
  </joint>
  <joint name="right" type="prismatic">
    <parent link="hand"/><child link="right_finger"/>
    <origin xyz="0 -0.01 0.04"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.03" effort="20" velocity="0.1"/>
    <mimic joint="left" multiplier="1" offset="0"/>
  </joint>
</robot>
"""


def box_mesh(size: tuple[float, float, float]) -> Mesh:
    """A closed box around the origin."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    mesh = Mesh(corners * np.array(size) / 2.0, np.zeros((0, 3), np.int64))
    return mesh.hull()


def write_arm(folder: Path, text: str = ARM, *, mesh: bool = True) -> Path:
    """Write the arm and its mesh; return the URDF file."""
    folder.mkdir(parents=True, exist_ok=True)
    if mesh:
        (folder / "meshes").mkdir(exist_ok=True)
        write(box_mesh((0.05, 0.05, 0.2)), folder / "meshes" / "fore.stl")
    file = folder / "arm.urdf"
    file.write_text(text, encoding="utf-8")
    return file


@dataclass(frozen=True)
class Damage:
    """One kind of damage and the code that names it."""

    name: str
    code: str
    harm: Callable[[str], str]
    mesh: Callable[[Path], None] | None = None
    """Damages the mesh file as well."""


def swap(old: str, new: str) -> Callable[[str], str]:
    """Replace the first occurrence; it must be there."""

    def harm(text: str) -> str:
        assert old in text, old
        return text.replace(old, new, 1)

    return harm


def in_link(link: str, old: str, new: str) -> Callable[[str], str]:
    """Replace the first match of a pattern inside one link."""

    def harm(text: str) -> str:
        start = text.index(f'<link name="{link}">')
        end = text.index("</link>", start)
        inside, count = re.subn(old, new, text[start:end], count=1, flags=re.DOTALL)
        assert count == 1, old
        return text[:start] + inside + text[end:]

    return harm


def in_joint(joint: str, old: str, new: str) -> Callable[[str], str]:
    """Replace the first match of a pattern inside one joint."""

    def harm(text: str) -> str:
        start = text.index(f'<joint name="{joint}"')
        end = text.index("</joint>", start)
        inside, count = re.subn(old, new, text[start:end], count=1, flags=re.DOTALL)
        assert count == 1, old
        return text[:start] + inside + text[end:]

    return harm


def keep(text: str) -> str:
    """Leave the text alone."""
    return text


def _empty_stl(file: Path) -> None:
    file.write_bytes(b"\0" * 80 + (0).to_bytes(4, "little"))


def _open_mesh(file: Path) -> None:
    whole = box_mesh((0.05, 0.05, 0.2))
    write(Mesh(whole.vertices, whole.triangles[:-2]), file)


EXTRA_LINK = '<link name="stray"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>'
INERTIA = r"<inertia [^>]*/>"

DAMAGES = (
    # inertia and mass
    Damage("inertia zero", "inertia-zero", in_link("upper", INERTIA, '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>')),
    Damage("inertia triangle", "inertia-triangle", in_link("upper", INERTIA, '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>')),
    Damage("inertia negative", "inertia-not-positive", in_link("upper", 'ixx="0.0116"', 'ixx="-0.0116"')),
    Damage("products too large", "inertia-not-positive", in_link("fore", 'ixy="0"', 'ixy="0.05"')),
    Damage("inertia in kg mm2", "units-millimetres", in_link("upper", INERTIA, '<inertia ixx="11600" ixy="0" ixz="0" iyy="11600" iyz="0" izz="700"/>')),
    Damage("inertia far too large", "inertia-size", in_link("fore", INERTIA, '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>')),
    Damage("inertia attribute missing", "attribute-missing", in_link("upper", 'izz="0.0007"', "")),
    Damage("no inertia element", "attribute-missing", in_link("upper", INERTIA, "")),
    Damage("no inertial", "inertial-missing", in_link("upper", "<inertial>.*</inertial>", "")),
    Damage("mass zero", "mass-zero", in_link("upper", '<mass value="1.5"/>', '<mass value="0"/>')),
    Damage("mass negative", "mass-negative", in_link("upper", '<mass value="1.5"/>', '<mass value="-1.5"/>')),
    Damage("mass NaN", "number-nonfinite", in_link("upper", '<mass value="1.5"/>', '<mass value="nan"/>')),
    Damage("mass of a locomotive", "mass-volume", in_link("upper", '<mass value="1.5"/>', '<mass value="90000"/>')),
    Damage("mass of a feather", "mass-volume", in_link("base", '<mass value="4.0"/>', '<mass value="0.05"/>')),
    Damage("two inertials", "inertial-duplicate", in_link("hand", "</inertial>", '</inertial><inertial><mass value="9"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>')),
    Damage("centre of mass outside", "centre-outside", in_link("upper", 'xyz="0 0 0.15"', 'xyz="0 0 150"')),
    # axes
    Damage("axis not unit", "axis-not-unit", in_joint("shoulder", 'xyz="0 1 0"', 'xyz="0 2 0"')),
    Damage("axis zero", "axis-zero", in_joint("shoulder", 'xyz="0 1 0"', 'xyz="0 0 0"')),
    Damage("axis infinite", "number-nonfinite", in_joint("shoulder", 'xyz="0 1 0"', 'xyz="0 inf 0"')),
    Damage("axis of two numbers", "number-count", in_joint("shoulder", 'xyz="0 1 0"', 'xyz="0 1"')),
    # limits
    Damage("limits reversed", "limit-reversed", in_joint("shoulder", 'lower="-1.5" upper="1.5"', 'lower="1.5" upper="-1.5"')),
    Damage("limits zero", "limit-zero", in_joint("shoulder", 'lower="-1.5" upper="1.5"', 'lower="0" upper="0"')),
    Damage("no limit", "limit-missing", in_joint("shoulder", "<limit[^>]*/>", "")),
    Damage("limits in degrees", "angle-degrees", in_joint("elbow", 'lower="-2.0" upper="2.0"', 'lower="-115" upper="115"')),
    Damage("effort zero", "effort-zero", in_joint("shoulder", 'effort="40"', 'effort="0"')),
    Damage("effort missing", "effort-missing", in_joint("shoulder", 'effort="40"', "")),
    Damage("effort negative", "effort-negative", in_joint("shoulder", 'effort="40"', 'effort="-40"')),
    Damage("effort too weak", "effort-weak", in_joint("shoulder", 'effort="40"', 'effort="0.5"')),
    Damage("velocity zero", "velocity-zero", in_joint("shoulder", 'velocity="2"', 'velocity="0"')),
    Damage("damping negative", "damping-negative", in_joint("shoulder", 'damping="0.2"', 'damping="-0.2"')),
    # meshes
    Damage("mesh missing", "mesh-missing", swap("meshes/fore.stl", "meshes/nowhere_to_be_found.stl")),
    Damage("package missing", "package-path", swap("meshes/fore.stl", "package://gone_description/visual/x.stl")),
    Damage("mesh of another case", "mesh-missing", swap("meshes/fore.stl", "meshes/Fore.STL")),
    Damage("mesh empty", "mesh-empty", keep, _empty_stl),
    Damage("mesh file of no bytes", "mesh-empty", keep, lambda file: file.write_bytes(b"")),
    Damage("mesh broken", "mesh-unreadable", keep, lambda file: file.write_bytes(b"solid x\nfacet nonsense")),
    Damage("mesh not closed", "mesh-open", keep, _open_mesh),
    Damage("mesh in millimetres", "units-millimetres", swap('scale="1 1 1"', 'scale="1000 1000 1000"')),
    Damage("mesh scaled twice", "mesh-tiny", swap('scale="1 1 1"', 'scale="0.0001 0.0001 0.0001"')),
    Damage("mesh mirrored", "mesh-mirrored", swap('scale="1 1 1"', 'scale="-1 1 1"')),
    Damage("mesh scale zero", "mesh-scale", swap('scale="1 1 1"', 'scale="0 1 1"')),
    Damage("mesh on the internet", "package-path", swap("meshes/fore.stl", "http://example.org/fore.stl")),
    # names and tree
    Damage("two links of one name", "name-duplicate", swap('<link name="hand">', '<link name="fore">')),
    Damage("two joints of one name", "name-duplicate", swap('<joint name="elbow"', '<joint name="shoulder"')),
    Damage("link without a name", "name-missing", swap('<link name="hand">', "<link>")),
    Damage("unknown parent", "link-unknown", in_joint("elbow", '<parent link="upper"/>', '<parent link="uper"/>')),
    Damage("joint without a child", "attribute-missing", in_joint("wrist", '<child link="hand"/>', "")),
    Damage("two roots", "root-several", swap("</robot>", EXTRA_LINK)),
    Damage("two parents", "link-two-parents", swap("</robot>", '<joint name="more" type="fixed"><parent link="base"/><child link="hand"/></joint></robot>')),
    Damage("a circle", "link-loop", in_joint("shoulder", '<parent link="base"/>', '<parent link="hand"/>')),
    Damage("a link on itself", "link-loop", in_joint("wrist", '<parent link="fore"/>', '<parent link="hand"/>')),
    Damage("no links", "robot-empty", lambda text: '<robot name="none"/>'),
    Damage("no joints", "joints-none", lambda text: '<robot name="one"><link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>'),
    Damage("unknown joint type", "joint-type", swap('type="revolute"', 'type="revolving"')),
    # mimic
    Damage("mimic of itself", "mimic-loop", swap('<mimic joint="left"', '<mimic joint="right"')),
    Damage("mimic in a circle", "mimic-loop", in_joint("left", "<limit", '<mimic joint="right"/><limit')),
    Damage("mimic of nobody", "mimic-unknown", swap('<mimic joint="left"', '<mimic joint="lift"')),
    Damage("mimic of a fixed joint", "mimic-fixed", in_joint("left", 'type="prismatic"', 'type="fixed"')),
    Damage("mimic times zero", "mimic-zero", swap('multiplier="1"', 'multiplier="0"')),
    # numbers, units, words
    Damage("a word for a number", "number-invalid", in_joint("elbow", 'xyz="0 0 0.3"', 'xyz="0 0 long"')),
    Damage("decimal comma", "number-invalid", in_joint("elbow", 'xyz="0 0 0.3"', 'xyz="0 0 0,3"')),
    Damage("a huge number", "number-huge", in_joint("elbow", 'xyz="0 0 0.3"', 'xyz="0 0 1e300"')),
    Damage("offset in millimetres", "units-millimetres", in_joint("elbow", 'xyz="0 0 0.3"', 'xyz="0 0 300"')),
    Damage("angles in degrees", "angle-degrees", in_joint("elbow", 'rpy="0 0 0"', 'rpy="0 90 0"')),
    Damage("misspelt element", "element-misspelt", in_link("upper", "<inertial>(.*)</inertial>", r"<inertal>\1</inertal>")),
    Damage("misspelt attribute", "attribute-misspelt", in_joint("shoulder", "lower=", "lowwer=")),
    Damage("no geometry", "geometry-missing", in_link("hand", "<geometry>.*?</geometry>", "")),
    Damage("unknown geometry", "geometry-unknown", in_link("hand", "<box size", "<cube size")),
    Damage("negative size", "geometry-size", in_link("hand", 'size="0.06 0.08 0.04"', 'size="-0.06 0.08 0.04"')),
    Damage("radius missing", "attribute-missing", in_link("upper", 'radius="0.03" ', "")),
    Damage("colour out of range", "colour-range", swap('rgba="0.6 0.6 0.6 1"', 'rgba="150 150 150 1"')),
    Damage("name with a slash", "name-characters", lambda text: text.replace('"fore"', '"fore/arm"')),
    # posture
    Damage("hand inside the base", "self-collision", in_joint("elbow", 'xyz="0 0 0.3"', 'xyz="0 0 -0.2"')),
    # the text itself
    Damage("cut off", "xml-syntax", lambda text: text[: len(text) // 2]),
    Damage("not a robot", "not-urdf", lambda text: "<house/>"),
    Damage("no XML", "not-xml", lambda text: "robot: arm"),
    Damage("entities", "xml-entities", lambda text: '<!DOCTYPE r [<!ENTITY a "b">]>' + text.split("?>")[1]),
    Damage("empty", "file-empty", lambda text: "  \n"),
)  # fmt: skip
