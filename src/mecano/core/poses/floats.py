"""Rotation arithmetic on plain floats, for one pose at a time.

On a single quaternion numpy spends its time on calls, not on sums: these are some ten times
faster. The batched functions in `rotations` are the reference they are tested against.
"""

import math

from mecano.core.errors import InvalidInput

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Rows = list[list[float]]

ROTATION_TOLERANCE = 1e-3
"""How far `R.T @ R` may be from the identity: generous, for matrices read from rounded text."""

GIMBAL_LOCK = 1e-12
"""Below this cosine of the pitch, roll and yaw turn about one axis and yaw is called zero."""

SERIES_BELOW = 0.3
"""Below this angle [rad] differences of nearly equal numbers lose digits, a short series none."""


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the turn by `b` followed by the turn by `a`."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def conjugate(q: Quaternion) -> Quaternion:
    """Return the opposite turn of a unit quaternion."""
    return (q[0], -q[1], -q[2], -q[3])


def rotate(q: Quaternion, v: Vector) -> Vector:
    """Return `v` turned by a unit quaternion."""
    w, *axis = q
    tx, ty, tz = cross((axis[0], axis[1], axis[2]), v)
    ux, uy, uz = cross((axis[0], axis[1], axis[2]), (tx, ty, tz))
    return (v[0] + 2 * (w * tx + ux), v[1] + 2 * (w * ty + uy), v[2] + 2 * (w * tz + uz))


def normalized(q: Quaternion) -> Quaternion:
    """Return `q` at length 1; one that has it to the last digits is returned bit for bit."""
    length = math.hypot(*q)
    if abs(length - 1.0) < 1e-15:
        return q
    return (q[0] / length, q[1] / length, q[2] / length, q[3] / length)


def rows_from_quaternion(q: Quaternion) -> Rows:
    """Return the rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]


def quaternion_from_rows(rows: Rows) -> Quaternion:
    """Return the unit quaternion, `w >= 0`, of a rotation matrix; other matrices raise."""
    require_rotation(rows)
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rows
    wx, wy, wz = zy - yz, xz - zx, yx - xy
    squares = (1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz)
    largest = max(squares)
    if largest == squares[0]:
        q = (largest, wx, wy, wz)
    elif largest == squares[1]:
        q = (wx, largest, xy + yx, xz + zx)
    elif largest == squares[2]:
        q = (wy, xy + yx, largest, yz + zy)
    else:
        q = (wz, xz + zx, yz + zy, largest)
    w, x, y, z = normalized(q)
    return (-w, -x, -y, -z) if w < 0.0 else (w, x, y, z)


def rpy_from_rows(rows: Rows) -> Vector:
    """Return roll, pitch and yaw [rad] of a rotation matrix; yaw is zero in gimbal lock."""
    (xx, xy, xz), (yx, yy, yz), (zx, _, _) = rows
    cos_pitch = math.hypot(xx, yx)
    yaw = 0.0 if cos_pitch < GIMBAL_LOCK else math.atan2(yx, xx)
    c, s = math.cos(yaw), math.sin(yaw)
    return (math.atan2(s * xz - c * yz, c * yy - s * xy), math.atan2(-zx, cos_pitch), yaw)


def require_rotation(rows: Rows) -> None:
    """Raise `InvalidInput` unless the columns are unit, at right angles and right-handed."""
    x, y, z = ((rows[0][i], rows[1][i], rows[2][i]) for i in range(3))
    errors = (_dot(x, x) - 1, _dot(y, y) - 1, _dot(z, z) - 1, _dot(x, y), _dot(y, z), _dot(z, x))
    worst = sum(abs(error) for error in errors)
    if not worst <= ROTATION_TOLERANCE:  # also catches NaN
        raise InvalidInput(
            f"matrix is no rotation: R.T @ R is {worst:.3g} away from the identity, "
            f"allowed {ROTATION_TOLERANCE:g}; normalise it before"
        )
    if _dot(cross(x, y), z) < 0.0:
        raise InvalidInput("matrix is no rotation: its determinant is -1, so it mirrors")


def quaternion_from_rotation_vector(v: Vector) -> Quaternion:
    """Return the turn about `v` by its length [rad]."""
    half = 0.5 * math.hypot(*v)
    scale = 0.5 * sinc(half)
    return (math.cos(half), scale * v[0], scale * v[1], scale * v[2])


def rotation_vector_from_quaternion(q: Quaternion) -> Vector:
    """Return the axis times the angle [rad] of a unit quaternion, the angle in [0, pi]."""
    w, x, y, z = q
    sine = math.hypot(x, y, z)
    angle_by_sine = 2.0 * math.atan2(sine, abs(w)) / sine if sine > 1e-150 else 2.0
    scale = math.copysign(angle_by_sine, w)
    return (scale * x, scale * y, scale * z)


def sinc(x: float) -> float:
    """Return sin(x) / x, and 1 at zero."""
    return math.sin(x) / x if abs(x) > 1e-150 else 1.0


def exp_third_term(angle: float) -> float:
    """Return (a - sin a) / a^3, the share of the twice turned velocity in the exponential."""
    if angle > SERIES_BELOW:
        return (angle - math.sin(angle)) / angle**3
    a = angle * angle
    return 1 / 6 - a * (1 / 120 - a * (1 / 5040 - a * (1 / 362880 - a / 39916800)))


def log_third_term(angle: float) -> float:
    """Return (1 - a/2 cot a/2) / a^2, the share of the twice turned position in the logarithm."""
    if angle > SERIES_BELOW:
        return (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / angle**2
    a = angle * angle
    return 1 / 12 + a * (1 / 720 + a * (1 / 30240 + a * (1 / 1209600 + a / 47900160)))


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
