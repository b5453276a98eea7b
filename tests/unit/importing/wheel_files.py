"""Small robots on mecanum and omni wheels, and skid-steered carts, as URDF."""

from math import cos, pi, sin

from robot_files import _joint, _link, _shape

RADIUS = 0.08
LEANS = {"fl": -1, "fr": 1, "rl": 1, "rr": -1}
"""Of the rollers on the floor against forward, in eighths of a turn: an X from above."""


def mecanum_urdf(shown: str) -> str:
    """Return a cart on four mecanum wheels.

    Args:
        shown: How the file tells: "name" of the wheels, "rollers" as links, "friction" in one
            direction, or "nothing".
    """
    body = _shape('<box size="0.4 0.25 0.1"/>', "0 0 0.05")
    parts = ['<robot name="cart">', _link("base_link", 15, (0, 0, 0.03), body)]
    tyre = _shape(f'<cylinder radius="{RADIUS}" length="0.05"/>', rpy=f"{pi / 2} 0 0")
    word = "mecanum_wheel" if shown == "name" else "wheel"
    for corner, lean in LEANS.items():
        x, y = (0.2 if corner[0] == "f" else -0.2), (0.17 if corner[1] == "l" else -0.17)
        name = f"{corner}_{word}"
        parts += [
            _link(name, 0.8, (0, 0, 0), tyre),
            _joint(f"{name}_joint", "continuous", "base_link", name, f"{x} {y} 0", "0 1 0",
                   limit='effort="10" velocity="15"'),
        ]  # fmt: skip
        if shown == "rollers":
            parts += _rollers(name, lean)
        if shown == "friction":
            parts.append(
                f'<gazebo reference="{name}"><mu1>1.0</mu1><mu2>0.0</mu2>'
                f'<fdir1 gz:expressed_in="base_link" xmlns:gz="x">1 {lean} 0</fdir1></gazebo>'
            )
    return "".join([*parts, "</robot>"])


def _rollers(wheel: str, lean: int, count: int = 8) -> list[str]:
    """Return rollers around a wheel on a y axle; the one at the floor leans by 45 degrees."""
    parts = []
    shape = _shape('<sphere radius="0.012"/>')
    for number in range(count):
        turn = 2 * pi * number / count  # about y, from the floor
        place = (-0.066 * sin(turn), 0.0, -0.066 * cos(turn))
        # at the floor (1, lean, 0); turned with the wheel about y
        axis = (cos(turn), lean, -sin(turn))
        link = f"{wheel}_roller_{number}"
        parts += [
            _link(link, 0.02, (0, 0, 0), shape),
            _joint(f"{link}_joint", "continuous", wheel, link,
                   " ".join(f"{v:.9f}" for v in place), " ".join(f"{v:.9f}" for v in axis)),
        ]  # fmt: skip
    return parts


def omni_urdf(count: int = 3, word: str = "wheel") -> str:
    """Return a round base on omni wheels whose axles point outwards."""
    body = _shape('<cylinder radius="0.15" length="0.08"/>', "0 0 0.05")
    parts = ['<robot name="round">', _link("base_link", 8, (0, 0, 0.04), body)]
    for number in range(count):
        at = 2 * pi * number / count + 0.3
        tyre = _shape(f'<cylinder radius="{RADIUS}" length="0.03"/>', rpy=f"0 {pi / 2} 0")
        name = f"{word}_{number}"
        parts += [
            _link(name, 0.4, (0, 0, 0), tyre),
            _joint(f"{name}_joint", "continuous", "base_link", name,
                   f"{0.18 * cos(at)} {0.18 * sin(at)} 0", "1 0 0", rpy=f"0 0 {at}",
                   limit='effort="6" velocity="20"'),
        ]  # fmt: skip
    return "".join([*parts, "</robot>"])


def skid_urdf(
    *, mass: float = 20.0, wheelbase: float = 0.4, track: float = 0.54, radius: float = 0.1,
    shift: float = 0.0, axles: int = 2,
) -> str:  # fmt: skip
    """Return a cart on wheels that do not steer.

    Args:
        mass: Of its body [kg].
        wheelbase: First axle to last [m].
        track: Left wheels to right wheels [m].
        radius: Of the wheels [m].
        shift: How far its centre of mass is in front of the middle [m].
        axles: Of two wheels each.
    """
    box = f'<box size="{wheelbase + 0.1} {track - 0.14} {radius}"/>'
    tyre = _shape(f'<cylinder radius="{radius}" length="0.06"/>', rpy=f"{pi / 2} 0 0")
    parts = [
        '<robot name="skid">',
        _link("base_link", mass, (shift, 0, 0.05), _shape(box, f"0 0 {radius}")),
    ]
    for axle in range(axles):
        x = wheelbase * (0.5 - axle / (axles - 1))
        for side, y in (("left", track / 2), ("right", -track / 2)):
            name = f"{side}_wheel_{axle}"
            parts += [
                _link(name, 1, (0, 0, 0), tyre),
                _joint(f"{name}_joint", "continuous", "base_link", name, f"{x} {y} 0", "0 1 0",
                       limit='effort="200" velocity="15"'),
            ]  # fmt: skip
    return "".join([*parts, "</robot>"])
