"""The first three joints of an arm with a spherical wrist: where they carry the wrist centre.

Pieper's method, for any three axes. Seen along axis 1 the wrist centre has a distance from a point
of that axis and a height, and joint 1 changes neither. Both are linear in the sine and cosine of
joint 2:

    u . w = E1,   v . w = E2,   w = turn(q2) (f_x, f_y)

where u, v are constants of the table, f is the wrist centre seen from axis 2, and f, E1, E2 are
linear in the sine and cosine of joint 3. Where axes 1 and 2 meet or are parallel, u or v is zero,
and one equation has joint 3 alone: two solutions. Otherwise w follows from both, and its length,
which joint 2 does not change, gives an equation of fourth degree in joint 3. With axes 2 and 3
parallel it is a quadratic equation in one cosine.

Lengths are in units of the arm's size, so that tolerances have a meaning.
"""

import cmath
from dataclasses import dataclass
from functools import cached_property
from math import acos, atan2, cos, hypot, pi, sin, sqrt

import numpy as np

from mecano.kinematics.transforms import Array, invert

APART = 1e-9
"""Below this area u and v are parallel: one equation has joint 3 alone [size of the arm]."""
PARALLEL = 1e-9
"""Axes 2 and 3 are parallel below this sine."""
ALMOST = 1e-2
"""Where that holds almost, the simpler equations give starting points as well: the roots of the
general one lie close together there and are inexact."""
NEAR_CIRCLE = 1e-3
"""Roots of the quartic this near to the unit circle are tried: double roots are inexact."""
OVER_ONE = 1e-7
"""A cosine may be more than 1 by this before the residual is looked at."""
CONVERGED = 2e-15
"""Newton's method ends at this residual [size of the arm]."""

Pair = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Region:
    """Measures of the first three joints. Build it with `from_frames`."""

    origin: Array
    """`T_base_1`: z along axis 1, its origin where u and v are at right angles. Shape (4, 4)."""
    size: float
    """Unit of all lengths below [m]."""
    step: Array
    """`T_1_2` in the zero posture. Shape (4, 4)."""
    wrist: Array
    """Wrist centre seen from axis 2: constant, cosine and sine of joint 3 as columns. (3, 3)."""
    elbow_sine: float
    """Sine of the angle between axes 2 and 3."""

    @classmethod
    def from_frames(cls, frames: Array, center: Array) -> "Region":
        """Return the measures for the frames of the first three joints in the zero posture.

        Args:
            frames: Their z axes are those of the joints. Shape (3, 4, 4).
            center: Wrist centre in the base frame [m].
        """
        origin = frames[0].copy()
        T_1_2, T_2_3 = invert(frames[0]) @ frames[1], invert(frames[1]) @ frames[2]
        c = (invert(frames[2]) @ np.append(center, 1.0))[:3]
        v, w = T_1_2[2, :2], T_1_2[:3, :3].T @ T_1_2[:3, 3]
        if float(v @ v) > 1e-4:  # the point of axis 1 that is nearest to axis 2
            along = float(w[:2] @ v) / float(v @ v)
            origin[:3, 3] += along * origin[:3, 2]
            T_1_2 = T_1_2.copy()
            T_1_2[2, 3] -= along
        parts = [np.linalg.norm(part) for part in (T_1_2[:3, 3], T_2_3[:3, 3], c)]
        size = max(float(sum(parts)), 1e-300)
        step = T_1_2.copy()
        step[:3, 3] /= size
        R, t = T_2_3[:3, :3], T_2_3[:3, 3]
        wrist = np.column_stack(
            [t + R[:, 2] * c[2], R[:, 0] * c[0] + R[:, 1] * c[1], R[:, 1] * c[0] - R[:, 0] * c[1]]
        )
        return cls(origin, size, step, wrist / size, float(np.hypot(R[2, 0], R[2, 1])))

    def is_singular(self) -> bool:
        """Tell whether the three joints can never move the wrist centre every way."""
        rng = np.random.default_rng(0)
        dets = [abs(self.slopes(*q)[0]) for q in rng.uniform(-pi, pi, (8, 2)).tolist()]
        return max(dets) < 1e-6

    def slopes(self, q2: float, q3: float) -> tuple[float, float]:
        """Return the determinant d(height, half squared distance)/d(q2, q3), and the distance."""
        _, z, (x, y, h), moves = self.at(q2, q3)
        (_, a2, b2, c2), (_, a3, b3, c3) = moves
        half2, half3 = x * a2 + y * b2 + h * c2, x * a3 + y * b3 + h * c3
        return half2 * c3 - half3 * c2, hypot(x, y, z)

    @cached_property
    def _flat(self) -> tuple[float, ...]:
        (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = self.step.tolist()
        rows = [value for row in self.wrist.tolist() for value in row]
        return (a, b, c, d, e, f, g, h, i, x, y, z, *rows)

    def at(
        self, q2: float, q3: float
    ) -> tuple[float, float, tuple[float, float, float], tuple[tuple[float, ...], ...]]:
        """Return where the wrist centre is while joint 1 is zero, and how it moves.

        Returns:
            Distance from axis 1, height, the point itself, and for joints 2 and 3 the derivatives
            of the distance and of the point.
        """
        a, b, c, d, e, f, g, h, i, x, y, z, x0, xc, xs, y0, yc, ys, z0, zc, zs = self._flat
        c2, s2, c3, s3 = cos(q2), sin(q2), cos(q3), sin(q3)
        fx, fy, fz = x0 + xc * c3 + xs * s3, y0 + yc * c3 + ys * s3, z0 + zc * c3 + zs * s3
        dx, dy, dz = xs * c3 - xc * s3, ys * c3 - yc * s3, zs * c3 - zc * s3
        hx, hy = c2 * fx - s2 * fy, s2 * fx + c2 * fy
        ex, ey = c2 * dx - s2 * dy, s2 * dx + c2 * dy
        gx, gy = x + a * hx + b * hy + c * fz, y + d * hx + e * hy + f * fz
        gz = z + g * hx + h * hy + i * fz
        m2x, m2y, m2z = b * hx - a * hy, e * hx - d * hy, h * hx - g * hy
        m3x, m3y, m3z = (
            a * ex + b * ey + c * dz, d * ex + e * ey + f * dz, g * ex + h * ey + i * dz,
        )  # fmt: skip
        out = hypot(gx, gy)
        part = 1.0 / out if out > 1e-15 else 0.0
        r2, r3 = part * (gx * m2x + gy * m2y), part * (gx * m3x + gy * m3y)
        return out, gz, (gx, gy, gz), ((r2, m2x, m2y, m2z), (r3, m3x, m3y, m3z))

    @cached_property
    def _equations(self) -> tuple[float, ...]:
        """Constants of E1 and E2, u, v and their area."""
        R, t, f = self.step[:3, :3], self.step[:3, 3], self.wrist
        w = R.T @ t
        squares = np.array(  # of the length of f, as constant, cosine, sine
            [
                f[:, 0] @ f[:, 0] + 0.5 * (f[:, 1] @ f[:, 1] + f[:, 2] @ f[:, 2]),
                2.0 * f[:, 0] @ f[:, 1],
                2.0 * f[:, 0] @ f[:, 2],
            ]
        )
        e1 = -0.5 * squares - w[2] * f[2]
        e1[0] -= 0.5 * float(t @ t)
        e2 = -R[2, 2] * f[2]
        e2[0] -= t[2]
        u, v = w[:2], R[2, :2]
        return tuple(map(float, (*e1, *e2, *u, *v, u[0] * v[1] - u[1] * v[0])))

    def candidates(self, height: float, square: float) -> list[tuple[float, float | None]]:
        """Return angles of joints 2 and 3 among which the solutions are; None is any joint 2.

        Args:
            height: Of the wrist centre along axis 1 [size].
            square: Of its distance from the origin [size squared].
        """
        a1, b1, c1, a2, b2, c2, ux, uy, vx, vy, area = self._equations
        a1, a2 = a1 + 0.5 * square, a2 + height
        x0, xc, xs, y0, yc, ys = self._flat[12:18]
        found: list[tuple[float, float | None]] = []
        if abs(area) > APART:
            for q3 in self._thirds_together(a1, a2):
                c, s = cos(q3), sin(q3)
                fx, fy = x0 + xc * c + xs * s, y0 + yc * c + ys * s
                first, second = a1 + b1 * c + c1 * s, a2 + b2 * c + c2 * s
                x, y = first * vy - second * uy, second * ux - first * vx
                if hypot(fx, fy) < 1e-12:
                    found.append((q3, None))
                elif area > 0.0:
                    found.append((q3, atan2(y, x) - atan2(fy, fx)))
                else:
                    found.append((q3, atan2(-y, -x) - atan2(fy, fx)))
        if abs(area) < ALMOST:
            slack = OVER_ONE + 8.0 * abs(area)
            meet = ux * ux + uy * uy <= vx * vx + vy * vy  # axes 1 and 2, or else they are parallel
            dx, dy = (vx, vy) if meet else (ux, uy)
            for q3 in _angles(a1, b1, c1, slack) if meet else _angles(a2, b2, c2, slack):
                c, s = cos(q3), sin(q3)
                fx, fy = x0 + xc * c + xs * s, y0 + yc * c + ys * s
                length = hypot(fx, fy)
                if length < 1e-12:
                    found.append((q3, None))
                    continue
                value = a2 + b2 * c + c2 * s if meet else a1 + b1 * c + c1 * s
                middle = atan2(dy, dx) - atan2(fy, fx)
                for turn in _arccos(value / (hypot(dx, dy) * length), slack / length):
                    found.append((q3, middle + turn))
        return found

    def _thirds_together(self, a1: float, a2: float) -> list[float]:
        """Return the angles of joint 3 where both equations have one solution for joint 2."""
        _, b1, c1, _, b2, c2, ux, uy, vx, vy, area = self._equations
        x0, xc, xs, y0, yc, ys = self._flat[12:18]
        uu, uv, vv = ux * ux + uy * uy, ux * vx + uy * vy, vx * vx + vy * vy
        found = []
        if self.elbow_sine < ALMOST:  # parallel: all of it depends on cos(q3 - middle) alone
            slack = OVER_ONE + 8.0 * self.elbow_sine
            b, middle = hypot(b1, c1), atan2(c1, b1)
            n = x0 * x0 + y0 * y0 + 0.5 * (xc * xc + xs * xs + yc * yc + ys * ys)
            qa = vv * b * b
            qb = 2.0 * b * (vv * a1 - uv * a2 + area * area)
            qc = vv * a1 * a1 - 2.0 * uv * a1 * a2 + uu * a2 * a2 - area * area * n
            found = [
                middle + turn for root in _quadratic(qa, qb, qc) for turn in _arccos(root, slack)
            ]
        if self.elbow_sine < PARALLEL:
            return found
        lines = (
            (1.0, a1 * vy - a2 * uy, complex(b1 * vy - b2 * uy, -(c1 * vy - c2 * uy)) / 2),
            (1.0, a1 * vx - a2 * ux, complex(b1 * vx - b2 * ux, -(c1 * vx - c2 * ux)) / 2),
            (-area * area, x0, complex(xc, -xs) / 2),
            (-area * area, y0, complex(yc, -ys) / 2),
        )
        k2 = sum(weight * line * line for weight, _, line in lines)
        k1 = sum(2.0 * weight * middle * line for weight, middle, line in lines)
        k0 = sum(weight * (middle**2 + 2.0 * abs(line) ** 2) for weight, middle, line in lines)
        roots = np.roots([k2, k1, k0, k1.conjugate(), k2.conjugate()]).tolist()
        return found + [cmath.phase(root) for root in roots if abs(abs(root) - 1.0) < NEAR_CIRCLE]

    def refined(
        self, q2: float, q3: float, out: float, height: float
    ) -> tuple[float, float, float, float, float]:
        """Return joints 2 and 3 after Newton steps, the residual, and where the wrist is then.

        Args:
            q2: Candidate for joint 2 [rad].
            q3: The same for joint 3.
            out: Distance of the wrist centre from axis 1 [size].
            height: Of the wrist centre along axis 1 [size].

        Returns:
            Joint 2, joint 3, how far the wrist centre is off [size], its x and y before joint 1.
        """
        best = (q2, q3, float("inf"), 0.0, 0.0)
        for _ in range(12):
            here, z, (x, y, _), ((r2, _, _, z2), (r3, _, _, z3)) = self.at(q2, q3)
            miss, lift = out - here, height - z
            size = hypot(miss, lift)
            if size >= 0.9 * best[2]:
                return (q2, q3, size, x, y) if size < best[2] else best
            best = (q2, q3, size, x, y)
            if size <= CONVERGED:
                return best
            det = r2 * z3 - r3 * z2
            if abs(det) < 1e-14:
                return best
            step2, step3 = (z3 * miss - r3 * lift) / det, (r2 * lift - z2 * miss) / det
            longest = max(abs(step2), abs(step3))
            if longest > 0.05:  # where branches meet a step is worth nothing
                step2, step3 = 0.05 * step2 / longest, 0.05 * step3 / longest
            q2, q3 = q2 + step2, q3 + step3
        return best


def _angles(a: float, b: float, c: float, slack: float) -> list[float]:
    """Return the angles where a + b cos + c sin is zero, or almost where it never is."""
    length = hypot(b, c)
    if length < 1e-12:
        return []
    middle = atan2(c, b)
    return [middle + turn for turn in _arccos(-a / length, slack / length)]


def _arccos(cosine: float, slack: float) -> tuple[float, ...]:
    """Return the angles with a cosine; where it is over 1 by no more than a slack, some nearby."""
    if abs(cosine) < 1.0:
        angle = acos(cosine)
        return angle, -angle
    over = abs(cosine) - 1.0
    if not over <= slack:
        return ()
    middle = 0.0 if cosine > 0.0 else pi
    return (middle,) if over < OVER_ONE else (middle + sqrt(over), middle - sqrt(over))


def _quadratic(a: float, b: float, c: float) -> tuple[float, ...]:
    """Return the real roots, one where they meet; those slightly beside the real line as well."""
    if abs(a) < 1e-14 * max(abs(b), abs(c)):
        return (-c / b,) if b else ()
    square = b * b - 4.0 * a * c
    if square <= 0.0:
        return (-0.5 * b / a,) if square >= -1e-10 * b * b else ()
    q = -0.5 * (b + (sqrt(square) if b >= 0.0 else -sqrt(square)))
    return (q / a, c / q) if q else (0.0,)
