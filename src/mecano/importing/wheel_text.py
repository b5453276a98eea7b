"""The wheels of an imported base, as lines of its description."""

import numpy as np

from mecano.importing.python_text import angle, comment
from mecano.importing.wheel_build import WheelMotor
from mecano.importing.wheel_search import FoundBase, FoundWheel


def base_lines(
    base: FoundBase, motors: dict[str, WheelMotor], frame: str, moved: str = ""
) -> list[str]:
    """Return the lines that describe a base on wheels.

    Args:
        base: As it was found.
        motors: Of its wheels.
        frame: Body that is its origin.
        moved: Where that is, if the file has the robot's origin elsewhere.
    """
    fastest = min(motors[w.joint].speed for w in base.wheels)
    radius = min(w.radius for w in base.wheels)
    speed = min(1.0, 0.8 * fastest * radius)
    reach = max(_reach(base, w) for w in base.wheels)
    turn = min(2.0, speed / reach)
    lines = comment(f"guessed: {base.kind}, {base.reason}; speeds within those of the wheels.")
    if moved:
        lines += comment(f"{moved}.")
    if base.kind == "skid-steered":
        lines += comment(
            "y is that of an axle on which two wheels would turn the base alike: "
            + (base.measured or "y (1 + (x/y)^2) by friction alone")
            + "."
        )
    elif base.kind in ("mecanum", "omni"):
        lines += comment(
            "`roller`: angle of the axis of the roller on the floor against `direction`; "
            "None makes a plain wheel of it."
        )
    lines += ["# fmt: off", "WHEELS = WheelLayout(("]
    lines += [f"    {_wheel(base, wheel)}," for wheel in base.wheels]
    return [
        *lines,
        "))",
        "# fmt: on",
        "BASE = WheeledBase(",
        "    layout=WHEELS,",
        "    limits=BaseLimits(",
        f"        speed={speed:.3g},",
        f"        turn={turn:.3g},",
        f"        acceleration={speed:.3g},",
        f"        braking={1.5 * speed:.3g},",
        f"        turn_acceleration={2 * turn:.3g},",
        f"        turn_braking={3 * turn:.3g},",
        f"        wheel_speed={fastest:.4g},",
        "    ),",
        "    counter=WheelCounter(per_tick=2 * pi / 4096, modulo=2**32),",
        "    rate=50.0,",
        "    watchdog=0.5,",
        f'    frame="{frame}",',
        ")",
    ]


def _wheel(base: FoundBase, wheel: FoundWheel) -> str:
    x, y = _place(base, wheel)
    more = "" if abs(wheel.direction) < 1e-6 else f", direction={angle(wheel.direction)}"
    if wheel.rollers is not None:
        more += f", roller={angle(wheel.rollers.angle)}"
    return f'Wheel(name="{wheel.joint}", x={x:.6g}, y={y:.6g}, radius={wheel.radius:.6g}{more})'


def _reach(base: FoundBase, wheel: FoundWheel) -> float:
    """Return how far a wheel goes per turn of the base [m]."""
    x, y = _place(base, wheel)
    return max(float(np.hypot(x, y)) if wheel.rollers is not None else abs(y), 1e-3)


def _place(base: FoundBase, wheel: FoundWheel) -> tuple[float, float]:
    """Return where a wheel counts, from the middle of the wheels [m].

    Four wheels that do not steer slide sideways in a turn. Friction along that slide, x wz, turns
    the base back, and friction along the wheels, (rate r - y wz), turns it on; both have one
    coefficient, so they balance at rate r = (y + x^2 / y) wz, unless a turn was measured.
    """
    x, y, _ = (float(value) for value in base.place(wheel))
    if wheel.rollers is not None:
        return x, y
    if base.kind != "skid-steered" or abs(y) < 1e-6:
        return 0.0, y
    return 0.0, float(np.copysign(base.track / 2, y)) if base.track else y + x * x / y
