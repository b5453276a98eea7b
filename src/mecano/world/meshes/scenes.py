"""A scene with parts in it: a floor, a mount for a robot, and the parts in front of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.world import scenes
from mecano.world.meshes.mesh import MassProperties, Mesh
from mecano.world.meshes.shapes import Shape
from mecano.world.meshes.writing import write

DISTANCE_AHEAD = 0.3
"""A part stands this far in front of the robot's mount in the scene written for it [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ScenePart:
    """A part to be put into a scene as a body of its own."""

    name: str
    """Of the body."""
    mesh: Mesh
    """What is seen."""
    touched: Shape | Sequence[Mesh] | None = None
    """A simple shape, or convex meshes; None for the hull of the mesh."""
    mass: MassProperties | None = None
    """Of a part that moves; without it the part is fixed."""


def write_scene(
    mesh: Mesh, file: Path, *, shape: Shape | None = None, mass: MassProperties | None = None
) -> tuple[Path, ...]:
    """Write an MJCF scene with one part; see `write_parts`."""
    return write_parts([ScenePart(name=part_name(file), mesh=mesh, touched=shape, mass=mass)], file)


def write_parts(parts: Sequence[ScenePart], file: Path) -> tuple[Path, ...]:
    """Write an MJCF scene: a floor, a mount for a robot, and parts in front of it.

    A part is drawn as its mesh (group 2, touches nothing) and touched as its hull, as a simple
    shape or as convex pieces (group 3, not drawn). Parts keep their places towards each other.
    Meshes are written beside the file.

    Returns:
        The files written, the scene first.

    Raises:
        InvalidInput: A file cannot be written, or the engine does not take a part.
    """
    if file.suffix.lower() != ".xml":
        raise InvalidInput(f"{file} is no scene by its name; it must end in .xml")
    parts = [_with_hull(part) for part in parts]
    text = _scene(parts, file)
    written = [file]
    for part in parts:
        visual, *collision = part_files(part, file)
        for mesh, each in zip((part.mesh, *_pieces(part)), (visual, *collision), strict=True):
            write(mesh, each)
            written.append(each)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot write {file}: {error.strerror}") from None
    try:
        scenes.load(file.absolute()).compile()
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"the engine does not take this part: {reason}") from None
    return tuple(written)


def part_name(file: Path) -> str:
    """Return the name of the only part in a scene."""
    return file.stem if file.stem != "world" else "part"


def part_files(part: ScenePart, file: Path) -> tuple[Path, ...]:
    """Return the mesh files of a part in a scene: what is seen, then what is touched."""
    stem = file.stem if part.name == part_name(file) else part.name
    names = [f"{part.name}_visual", *_mesh_names(part)]
    return tuple(file.with_name(f"{stem}{name[len(part.name) :]}.obj") for name in names)


def _pieces(part: ScenePart) -> tuple[Mesh, ...]:
    """Return the convex meshes that a part is touched as."""
    return () if part.touched is None or isinstance(part.touched, Shape) else tuple(part.touched)


def _with_hull(part: ScenePart) -> ScenePart:
    return part if part.touched is not None else replace(part, touched=(part.mesh.hull(),))


def _scene(parts: Sequence[ScenePart], file: Path) -> str:
    """Return the empty scene with the parts in it, as MJCF."""
    name = part_name(file)
    place = _place(parts)
    assets = [line for part in parts for line in _assets(part, file)]
    lines = [line for part in parts for line in _body(part, place)]
    comment = f"A floor, and {escape(name).replace('--', '- -')} in front of the mount."
    text = (Path(scenes.__file__).parent / "empty.xml").read_text(encoding="utf-8")
    text = text.replace('model="empty"', f"model={quoteattr(name)}")
    text = re.sub(r"<!--.*?-->", lambda _: f"<!-- {comment} -->", text, count=1, flags=re.DOTALL)
    text = text.replace("  </asset>", "".join(f"    {x}\n" for x in assets) + "  </asset>")
    return text.replace("  </worldbody>", "".join(f"    {x}\n" for x in lines) + "  </worldbody>")


def _mesh_names(part: ScenePart) -> list[str]:
    """Return the names of the meshes that a part is touched as."""
    count = 1 if part.touched is None else len(_pieces(part))
    if count == 1:
        return [f"{part.name}_collision"]
    return [f"{part.name}_collision_{number}" for number in range(count)]


def _assets(part: ScenePart, file: Path) -> list[str]:
    visual, *collision = part_files(part, file)
    seen = f"<mesh name={quoteattr(f'{part.name}_visual')} file={quoteattr(visual.name)}"
    return [
        f'{seen} inertia="shell"/>',
        *(
            f"<mesh name={quoteattr(name)} file={quoteattr(each.name)}/>"
            for name, each in zip(_mesh_names(part), collision, strict=True)
        ),
    ]


def _body(part: ScenePart, place: Array) -> list[str]:
    """Return the lines of the body of a part."""
    seen = quoteattr(f"{part.name}_visual")
    if isinstance(part.touched, Shape):
        touched = [_simple_shape(part.touched)]
    else:
        touched = [f'type="mesh" mesh={quoteattr(mesh)}' for mesh in _mesh_names(part)]
    names = [part.name, *(f"{part.name}_{number}" for number in range(1, len(touched)))]
    lines = [
        f'<body name={quoteattr(part.name)} pos="{_numbers(place)}">',
        *([] if part.mass is None else _loose(part.name, part.mass)),
        f'  <geom name={seen} type="mesh" mesh={seen} group="2"',
        '        mass="0" contype="0" conaffinity="0" rgba="0.62 0.66 0.70 1"/>',
    ]
    for name, each in zip(names, touched, strict=True):
        lines.append(f"  <geom name={quoteattr(name)} {each}")
        lines.append('        group="3" condim="4" friction="0.8 0.01 0.0001" solref="0.002 1"/>')
    return [*lines, "</body>"]


def _place(parts: Sequence[ScenePart]) -> Array:
    """Return where the parts stand on the floor, in front of the mount [m]."""
    low = np.min([part.mesh.bounds[0] for part in parts], axis=0)
    high = np.max([part.mesh.bounds[1] for part in parts], axis=0)
    shapes = [part.touched for part in parts if isinstance(part.touched, Shape)]
    lowest = min([float(low[2]), *(shape.lowest for shape in shapes)])
    return np.array([DISTANCE_AHEAD - low[0], -(low[1] + high[1]) / 2.0, -lowest])


def _simple_shape(shape: Shape) -> str:
    """Return the attributes of a geom."""
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(shape.axes).ravel())
    return (
        f'type="{shape.kind}" size="{_numbers(shape.size)}" '
        f'pos="{_numbers(shape.position)}" quat="{_numbers(quaternion)}"'
    )


def _loose(name: str, mass: MassProperties) -> list[str]:
    """Return what a body needs to move: a free joint and its inertia."""
    full = mass.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return [
        f"  <freejoint name={quoteattr(name)}/>",
        f'  <inertial mass="{mass.mass!r}" pos="{_numbers(mass.centre)}"',
        f'            fullinertia="{_numbers(full)}"/>',
    ]


def _numbers(values: Array | tuple[float, ...]) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)  # no minus zero
