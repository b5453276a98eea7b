"""A scene with the part in it: a floor, a mount for a robot, and the part in front of it."""

import re
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


def write_scene(
    mesh: Mesh, file: Path, *, shape: Shape | None = None, mass: MassProperties | None = None
) -> tuple[Path, ...]:
    """Write an MJCF scene: a floor, a mount for a robot, and the part in front of it.

    The part is drawn as `mesh` (group 2, touches nothing) and touched as its hull, or as `shape`
    (group 3, not drawn). Meshes are written beside the file.

    Args:
        mesh: What is seen.
        file: The scene, ending in .xml.
        shape: What is touched in the place of the hull.
        mass: Of a part that moves; without it the part is fixed.

    Returns:
        The files written, the scene first.

    Raises:
        InvalidInput: A file cannot be written, or the engine does not take the part.
    """
    if file.suffix.lower() != ".xml":
        raise InvalidInput(f"{file} is no scene by its name; it must end in .xml")
    files = scene_files(file, hull=shape is None)
    text = _scene(mesh, files, shape, mass)
    if shape is None:
        write(mesh.hull(), files[2])
    write(mesh, files[1])
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot write {file}: {error.strerror}") from None
    try:
        scenes.load(file.absolute()).compile()
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"the engine does not take this part: {reason}") from None
    return files


def scene_files(file: Path, *, hull: bool) -> tuple[Path, ...]:
    """Return the files of a scene: itself, the mesh that is seen, and the hull if there is one."""
    kinds = ("visual", "collision") if hull else ("visual",)
    return file, *(file.with_name(f"{file.stem}_{kind}.obj") for kind in kinds)


def _scene(
    mesh: Mesh, files: tuple[Path, ...], shape: Shape | None, mass: MassProperties | None
) -> str:
    """Return the empty scene with the part in it, as MJCF."""
    name = files[0].stem if files[0].stem != "world" else "part"
    seen, hull = quoteattr(f"{name}_visual"), quoteattr(f"{name}_collision")
    assets = f'<mesh name={seen} file={quoteattr(files[1].name)} inertia="shell"/>'
    if shape is None:
        touched = f'type="mesh" mesh={hull}'
        assets += f"\n    <mesh name={hull} file={quoteattr(files[2].name)}/>"
    else:
        touched = _simple_shape(shape)
    lines = [
        f'<body name={quoteattr(name)} pos="{_numbers(_place(mesh, shape))}">',
        *([] if mass is None else _loose(name, mass)),
        f'  <geom name={seen} type="mesh" mesh={seen} group="2"',
        '        contype="0" conaffinity="0" rgba="0.62 0.66 0.70 1"/>',
        f"  <geom name={quoteattr(name)} {touched}",
        '        group="3" condim="4" friction="0.8 0.01 0.0001" solref="0.002 1"/>',
        "</body>",
    ]
    comment = f"A floor, and {escape(name).replace('--', '- -')} in front of the mount."
    text = (Path(scenes.__file__).parent / "empty.xml").read_text(encoding="utf-8")
    text = text.replace('model="empty"', f"model={quoteattr(name)}")
    text = re.sub(r"<!--.*?-->", lambda _: f"<!-- {comment} -->", text, count=1, flags=re.DOTALL)
    text = text.replace("  </asset>", f"    {assets}\n  </asset>")
    return text.replace("  </worldbody>", "".join(f"    {x}\n" for x in lines) + "  </worldbody>")


def _place(mesh: Mesh, shape: Shape | None) -> Array:
    """Return where the part stands on the floor, in front of the mount [m]."""
    low, high = mesh.bounds
    lowest = low[2] if shape is None else min(low[2], shape.lowest)
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
    return " ".join(repr(float(value)) for value in values)
