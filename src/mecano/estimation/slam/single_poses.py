"""One planar pose at a time, in plain floats: numpy's cost per call is larger than the work."""

from math import atan2, cos, sin

import numpy as np

from mecano.core.arrays import Array


def compose(a: Array, b: Array) -> Array:
    """Return `T_a_c` from `T_a_b` and `T_b_c`: x, y [m], yaw [rad]. Shapes (3,)."""
    ax, ay, at = a.tolist()
    bx, by, bt = b.tolist()
    c, s = cos(at), sin(at)
    return np.array([ax + c * bx - s * by, ay + s * bx + c * by, _wrapped(at + bt)])


def relative(a: Array, b: Array) -> Array:
    """Return b seen from a: `compose(a, relative(a, b))` is b."""
    ax, ay, at = a.tolist()
    bx, by, bt = b.tolist()
    c, s = cos(at), sin(at)
    x, y = bx - ax, by - ay
    return np.array([c * x + s * y, c * y - s * x, _wrapped(bt - at)])


def _wrapped(angle: float) -> float:
    return atan2(sin(angle), cos(angle))
