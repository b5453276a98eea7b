"""The MJCF text of a robot put together from leg modules, made when its model is loaded.

Text and not `MjSpec.attach`: attached parts get a prefix in front of every name, also of classes
and meshes, while joints are called the same in every robot with legs. Paths of meshes are absolute
in it, so the text is for the engine and not for keeping.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput
from mecano.robots.leg_modules import LegModule, MountedLeg

ROOT = "body_link"
"""Root body of a robot, unless its own file calls it otherwise."""
Vector = tuple[float, float, float]
Lump = tuple[float, Vector, Vector]
"""Mass [kg], middle and size [m] of a box."""
SENSORS = (
    '<gyro name="imu_gyro" site="imu"/>',
    '<accelerometer name="imu_accelerometer" site="imu"/>',
)
COMPILER = '<compiler angle="radian" autolimits="true"/>'
HIP = (0.032, 0.05, 0.04)
"""Size of a servo at the hip, for its inertia [m]."""


@dataclass(frozen=True, kw_only=True)
class BoxBody:
    """A body that is a box; its frame: x forward, y left, z up, hips at height zero."""

    size: Vector
    """[m]."""
    mass: float
    """Without what the legs fix to it [kg]."""
    centre: Vector = (0.0, 0.0, 0.0)
    """Of the box in the body's frame [m]."""
    rgba: tuple[float, float, float, float] = (0.36, 0.40, 0.45, 1.0)

    def __post_init__(self) -> None:
        for value in self.size:
            finite_number(value, name="size of the body [m]", lower=0.01, upper=2.0)
        finite_number(self.mass, name="mass of the body [kg]", lower=0.01, upper=100.0)

    def lines(self, module: LegModule, legs: Sequence[MountedLeg]) -> list[str]:
        """Return what is in the root body."""
        lumps = [(self.mass, self.centre, self.size)]
        lumps += [(module.hip_mass, (*leg.hip, 0.0), HIP) for leg in legs]
        half = numbers(*(0.5 * value for value in self.size))
        box = f'type="box" size="{half}" pos="{numbers(*self.centre)}" mass="0"'
        return [
            inertial(*lumps),
            f'<geom name="body_shell" {box} group="2" contype="0" conaffinity="0" '
            f'rgba="{numbers(*self.rgba)}"/>',
            f'<geom name="body_collision" {box} group="3" friction="0.5 0.005 0.0001" '
            'solref="0.004 1"/>',
            '<site name="imu" group="4" size="0.003"/>',
        ]


def numbers(*values: float) -> str:
    """Return numbers as MJCF has them, exact."""
    return " ".join(f"{value!r}" if value else "0" for value in map(float, values))


def short(*values: float) -> str:
    """Return numbers with six digits, for what is estimated anyway."""
    return " ".join(f"{round(value, 9) + 0.0:.6g}" for value in values)


def inertial(*lumps: Lump) -> str:
    """Return the inertial element of boxes."""
    masses = np.array([mass for mass, _, _ in lumps])
    middles = np.array([middle for _, middle, _ in lumps])
    com = masses @ middles / masses.sum()
    tensor = np.zeros((3, 3))
    for mass, middle, size in lumps:
        square = np.array(size) ** 2
        away = np.array(middle) - com
        tensor += mass * (np.diag(square.sum() - square) / 12)
        tensor += mass * (away @ away * np.eye(3) - np.outer(away, away))
    inertia = (*tensor.diagonal(), tensor[0, 1], tensor[0, 2], tensor[1, 2])
    return (
        f'<inertial pos="{short(*com)}" mass="{short(masses.sum())}" '
        f'fullinertia="{" ".join(f"{value + 0.0:.5g}" for value in inertia)}"/>'
    )


def modular_mjcf(
    name: str, module: LegModule, legs: Sequence[MountedLeg], body: BoxBody | Path
) -> str:
    """Return the model of a body on legs as MJCF text; the root body has no free joint."""
    model, root = _with_root(name, module, legs, body)
    written = [module.mjcf(leg, root.attrib["name"]) for leg in legs]
    root.extend(_elements(line for leg in written for line in leg.bodies))
    for element in _read(module.setup):
        model.append(element)
    pairs = [pair for leg in written for pair in leg.exclusions]
    sections = {
        "contact": [f'<exclude body1="{one}" body2="{other}"/>' for one, other in pairs],
        "actuator": [line for leg in written for line in leg.actuators],
        "equality": [line for leg in written for line in leg.bonds],
        "sensor": SENSORS,
    }
    for tag, lines in sections.items():
        ElementTree.SubElement(model, tag).extend(_elements(lines))
    return ElementTree.tostring(model, encoding="unicode")


def root_name(body: BoxBody | Path) -> str:
    """Return the name of the root body."""
    if isinstance(body, BoxBody):
        return ROOT
    read = _read(body)
    return ROOT if read.tag == "mujocoinclude" else _root_of(read, body).attrib["name"]


def _with_root(
    name: str, module: LegModule, legs: Sequence[MountedLeg], body: BoxBody | Path
) -> tuple[Element, Element]:
    """Return the model without its legs, and its root body."""
    if isinstance(body, Path):
        read = _read(body)
        if read.tag == "mujoco":
            read.set("model", name)
            return read, _root_of(read, body)
        content = list(read)
    else:
        content = _elements(body.lines(module, legs))
    model = Element("mujoco", model=name)
    model.extend(_elements([COMPILER]))
    worldbody = ElementTree.SubElement(model, "worldbody")
    root = ElementTree.SubElement(worldbody, "body", name=ROOT)
    root.extend(content)
    return model, root


def _root_of(model: Element, file: Path) -> Element:
    """Return the one body of a whole model, which must be in radians."""
    bodies = model.findall("worldbody/body")
    if len(bodies) != 1 or "name" not in bodies[0].attrib:
        raise InvalidInput(
            f"{file} has {len(bodies)} bodies in its worldbody; a body for legs is one, with a name"
        )
    compiler = model.find("compiler")
    if compiler is None or compiler.get("angle") != "radian":
        raise InvalidInput(f"{file} must be in radians as the legs are: write {COMPILER}")
    return bodies[0]


def _read(file: Path, within: tuple[Path, ...] = ()) -> Element:
    """Return a file of MJCF as a tree, its includes filled in and its paths absolute."""
    if file in within:
        raise InvalidInput(f"{file} includes itself: {' > '.join(f.name for f in within)}")
    try:
        root = ElementTree.parse(file).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise InvalidInput(f"{file} cannot be read as MJCF: {error}") from None
    if root.tag not in ("mujoco", "mujocoinclude"):
        raise InvalidInput(f"{file} is no MJCF: it begins with <{root.tag}>")
    compiler = root.find("compiler")
    folder = file.parent if compiler is None else file.parent / compiler.get("meshdir", "")
    for element in root.iter():
        for child in list(element):
            if child.tag == "include":
                at = list(element).index(child)
                element.remove(child)
                included = _read((file.parent / child.attrib["file"]).resolve(), (*within, file))
                for each in reversed(list(included)):
                    element.insert(at, each)
            elif "file" in child.attrib:
                child.set("file", str((folder / child.attrib["file"]).resolve()))
    return root


def _elements(lines) -> list[Element]:
    """Return lines of MJCF as elements."""
    return list(ElementTree.fromstring("\n".join(["<lines>", *lines, "</lines>"])))
