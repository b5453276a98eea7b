"""The wheels of an imported base, as lines of its description."""

import numpy as np

from mecano.importing.dressing import WheelMotor
from mecano.importing.wheel_search import FoundBase, FoundWheel


def base_lines(base: FoundBase, motors: dict[str, WheelMotor], frame: str) -> list[str]:
    """Return the lines that describe a base on wheels."""
    middle = np.mean([wheel.centre for wheel in base.wheels], axis=0)
    fastest = min(motors[w.joint].speed for w in base.wheels)
    radius = min(w.radius for w in base.wheels)
    speed = min(1.0, 0.8 * fastest * radius)
    reach = max(abs(_y(base, w, middle)) for w in base.wheels)
    turn = min(2.0, speed / reach)
    why = f"guessed: {base.kind}, {base.reason}; speeds within those of the wheels."
    lines = [f"# {why}"]
    if base.kind == "skid-steered":
        lines.append(
            "# y is that of an axle on which two wheels would turn the base alike: y (1 + (x/y)^2)."
        )
    lines += ["# fmt: off", "WHEELS = WheelLayout(("]
    lines += [f"    {_wheel(base, wheel, middle)}," for wheel in base.wheels]
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


def _wheel(base: FoundBase, wheel: FoundWheel, middle: np.ndarray) -> str:
    x = float(wheel.centre[0] - middle[0]) if base.kind in ("mecanum", "omni") else 0.0
    y = _y(base, wheel, middle)
    direction = "" if wheel.forward > 0.0 else ", direction=pi"
    return (
        f'Wheel(name="{wheel.joint}", x={x:.6g}, y={y:.6g}, radius={wheel.radius:.6g}{direction})'
    )


def _y(base: FoundBase, wheel: FoundWheel, middle: np.ndarray) -> float:
    """Return how far to the left a wheel counts [m].

    Four wheels that do not steer slide sideways in a turn. Friction along that slide, x wz, turns
    the base back, and friction along the wheels, (rate r - y wz), turns it on; both have one
    coefficient, so they balance at rate r = (y + x^2 / y) wz.
    """
    x, y = float(wheel.centre[0] - middle[0]), float(wheel.centre[1] - middle[1])
    return y + x * x / y if base.kind == "skid-steered" and abs(y) > 1e-6 else y
