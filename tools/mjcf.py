"""How the scripts `make_model.py` write model files."""

from collections.abc import Iterable, Sequence
from math import cos, sin

import numpy as np

from mecano.kinematics.transforms import Array, rotation_x, rotation_y, rotation_z

Vector = tuple[float, float, float]


def numbers(*values: float) -> str:
    """Return numbers as MJCF has them, exact."""
    return " ".join(f"{value!r}" if value else "0" for value in map(float, values))


def short(*values: float) -> str:
    """Return numbers with seven digits, for what is not part of a chain."""
    return " ".join(f"{round(value, 12) + 0.0:.7g}" for value in values)


def rotation(rpy: Vector) -> Array:
    """Return the rotation of URDF's angles: x, then y, then z, about fixed axes. Shape (3, 3)."""
    roll, pitch, yaw = rpy
    return (rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll))[:3, :3]


def quaternion(rpy: Vector) -> tuple[float, ...]:
    """Return the quaternion w x y z of URDF's angles."""
    (cr, sr), (cp, sp), (cy, sy) = ((cos(angle / 2), sin(angle / 2)) for angle in rpy)
    found = np.array([
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    ])  # fmt: skip
    return tuple((np.round(found, 17) + 0.0).tolist())


def place(pos: Sequence[float], rpy: Vector = (0.0, 0.0, 0.0)) -> str:
    """Return the attributes that place something in its parent; what is zero is left out."""
    parts = [f' pos="{numbers(*pos)}"'] if any(pos) else []
    if any(rpy):
        parts.append(f' quat="{numbers(*quaternion(rpy))}"')
    return "".join(parts)


def inertial(mass: float, com: Sequence[float], diagonal: Sequence[float]) -> str:
    """Return an inertial element with moments about the axes of the body."""
    moments = " ".join(f"{value:.9g}" for value in diagonal)
    return f'<inertial pos="{short(*com)}" mass="{mass:g}" diaginertia="{moments}"/>'


def body(opening: str, *content: str | Iterable[str]) -> list[str]:
    """Return the lines of a body; content is lines or lists of lines."""
    lines = [f"<body {opening}>"]
    for item in content:
        lines += [f"  {line}" for line in ([item] if isinstance(item, str) else item)]
    return [*lines, "</body>"]


def element(name: str, content: Iterable[str]) -> list[str]:
    """Return the lines of any other element."""
    return [f"<{name}>", *(f"  {line}" for line in content), f"</{name.split()[0]}>"]


def document(comment: str, model: str, content: Iterable[str]) -> str:
    """Return the text of a whole model file."""
    head = [f"<!-- {comment} make_model.py writes this: change that file. -->"]
    return "\n".join([*head, *element(f'mujoco model="{model}"', content), ""])
