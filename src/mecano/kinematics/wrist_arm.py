"""Closed-form inverse kinematics of arms with a spherical wrist: six joints, the last three meet.

Puma, ABB, KUKA, Fanuc, Staubli and most other industrial arms are built so. The pose of the tool
gives the wrist centre, which joints 4, 5 and 6 do not move. So the first three joints carry the
wrist centre to its place (`wrist_region`: at most four ways, for any three axes), and the last
three turn the tool: with joint 5 to one side or to the other. That makes at most eight solutions,
and they are all there are, but for whole turns of the joints.

The axes of the wrist need not be at right angles. With joint 5 such that axes 4 and 6 are parallel,
joints 4 and 6 turn the same, and joint 4 stays as in the start posture.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, hypot, sin, sqrt

import numpy as np

from mecano.kinematics.dh import DHChain
from mecano.kinematics.six_motion import (
    WITHOUT_END,
    Aim,
    Branches,
    Held,
    Joints,
    Nine,
    Placed,
    Solve,
)
from mecano.kinematics.six_place import place_by_table
from mecano.kinematics.solver import Misfit
from mecano.kinematics.transforms import Array
from mecano.kinematics.turns import LENGTH_TOLERANCE, WRIST_LOST, nearest_turn
from mecano.kinematics.wrist_nearest import nearest_at_orientation, singular_notes, within_reach
from mecano.kinematics.wrist_region import Region

KIND = "an arm with a spherical wrist"
TABLE_TOLERANCE = 1e-9
"""How exactly axes 4, 5 and 6 must meet, unless said otherwise [m]."""
SAME_LINE = 0.02
"""Axes with a smaller sine between them are too near to parallel to turn a wrist."""
SAME_BRANCH = 1e-6
"""Solutions whose joints differ by less are one [rad]."""
WRIST_SLACK = 1e-12
"""How far beyond its reach a wrist with oblique axes may be asked to turn."""


@dataclass(frozen=True, eq=False)
class WristArm(Branches):
    """The measures of an arm with a spherical wrist. Build it with `from_chain`."""

    chain: DHChain
    region: Region
    """The first three joints and the wrist centre."""
    center_in_tool: Array
    """Wrist centre seen from the tool [m]."""
    turns: Array
    """Rotations from joint to joint in the zero posture: 1 to 2, ... 5 to 6, 6 to tool."""
    lower: Joints
    """Limits of the joint values [rad]."""
    upper: Joints
    off: float = 0.0
    """How far axes 4, 5 and 6 are from meeting in the wrist centre [m]."""

    @classmethod
    def from_chain(cls, chain: DHChain, *, length: float = TABLE_TOLERANCE) -> "WristArm":
        """Read the measures off a DH chain, or say why it has no spherical wrist.

        Args:
            chain: The arm.
            length: How far axes 4, 5 and 6 may miss a common point [m].
        """
        if len(chain.joints) != 6 or any(joint.kind != "revolute" for joint in chain.joints):
            kinds = ", ".join(joint.kind for joint in chain.joints)
            raise Misfit(KIND, f"it has 6 turning joints, this chain has: {kinds}")
        frames = chain.joint_frames(np.zeros(6))
        axes = frames[:6, :3, 2]
        for i in (3, 4):
            if float(np.linalg.norm(np.cross(axes[i], axes[i + 1]))) < SAME_LINE:
                raise Misfit(KIND, f"axes {i + 1} and {i + 2} are parallel")
        center, miss = _meeting_point(axes[3:], frames[3:6, :3, 3])
        if miss > length:
            raise Misfit(KIND, f"axes 4, 5 and 6 miss a common point by {miss * 1000:.3g} mm")
        region = Region.from_frames(frames[:3], center)
        if region.is_singular():
            raise Misfit(KIND, "joints 1, 2 and 3 cannot move the wrist centre in every direction")
        R = frames[:, :3, :3]
        return cls(
            chain=chain,
            region=region,
            center_in_tool=R[6].T @ (center - frames[6, :3, 3]),
            turns=np.swapaxes(R[:-1], 1, 2) @ R[1:],
            lower=tuple(chain.lower.tolist()),  # type: ignore[arg-type]
            upper=tuple(chain.upper.tolist()),  # type: ignore[arg-type]
            off=miss,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Of the joints."""
        return self.chain.names

    @property
    def frame(self) -> Array:
        """Searches run in the base frame itself."""
        return np.eye(4)

    @property
    def triad_in_tool(self) -> Array:
        """The tool's own axes."""
        return np.eye(3)

    def solve(self, position: Array, rotation: Array, start: Array | None = None) -> Array:
        """Return every solution inside the limits, one per row; no rows if there is none.

        Args:
            position: The tool's point in the base frame [m]. Shape (3,).
            rotation: `R_base_tool`. Shape (3, 3).
            start: Each joint takes the whole turn nearest to its value here, and this value where
                any would do. Shape (6,); default: zero.
        """
        near = (0.0,) * 6 if start is None else start.tolist()
        found = self.branches(position.tolist(), rotation.ravel().tolist(), near)
        return np.array(found) if found else np.empty((0, 6))

    def make_solver(self, *, limits: bool) -> Solve:
        """Return a solver with the numbers of the arm built in."""
        lower, upper = (self.lower, self.upper) if limits else WITHOUT_END
        return _make_solver(self, lower, upper)

    def place(self, q: Sequence[float]) -> Placed:
        """Return the arm at joint values `q`."""
        return place_by_table(self.chain, q)

    def nearest_at_orientation(self, position: Array, R: Array) -> Held:
        """Return the nearest point that the tool reaches with this orientation, limits aside."""
        return nearest_at_orientation(self.region, position, R @ self.center_in_tool)

    def within_reach(self, aim: Aim) -> bool:
        """Tell whether some orientation brings the tool to a point, limits aside."""
        return within_reach(self.region, aim.tool, hypot(*self.center_in_tool.tolist()))

    def singular_notes(self, q: Joints) -> list[str]:
        """Say where branches meet, and which joint was free and stayed as in the start posture."""
        return singular_notes(self.chain, self.region, q)


def _meeting_point(axes: Array, points: Array) -> tuple[Array, float]:
    """Return the point nearest to three lines, and how far it is from the furthest of them [m]."""
    across = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    center = np.linalg.solve(across.sum(axis=0), np.einsum("nij,nj->i", across, points))
    return center, float(np.linalg.norm(np.cross(axes, center - points), axis=1).max())


def _make_solver(arm: WristArm, lower: Sequence[float], upper: Sequence[float]) -> Solve:
    """Return a solver with the numbers of one arm built in."""
    region, size = arm.region, arm.region.size
    (xx, yx, zx, ox), (xy, yy, zy, oy), (xz, yz, zz, oz), _ = region.origin.tolist()
    cx, cy, cz = arm.center_in_tool.tolist()
    (kx, ky, kz), _, (nx, ny, nz) = arm.turns[5].tolist()  # x and z of joint 6, in the tool
    turn_wrist = _make_wrist(arm, lower, upper)
    low1, low2, low3 = lower[:3]
    high1, high2, high3 = upper[:3]
    tolerance = LENGTH_TOLERANCE / size

    def branches(point: Sequence[float], rotation: Nine, start: Sequence[float]) -> list[Joints]:
        px, py, pz = point
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation
        near = tuple(map(min, map(max, start, lower), upper))
        w1, w2, w3 = near[:3]
        found: list[Joints] = []
        # The wrist centre (x, y, z), axis 6 and the direction of its zero, in the frame of joint 1.
        bx = (px - ox + r00 * cx + r01 * cy + r02 * cz) / size
        by = (py - oy + r10 * cx + r11 * cy + r12 * cz) / size
        bz = (pz - oz + r20 * cx + r21 * cy + r22 * cz) / size
        x, y = xx * bx + xy * by + xz * bz, yx * bx + yy * by + yz * bz
        z = zx * bx + zy * by + zz * bz
        bx, by = r00 * nx + r01 * ny + r02 * nz, r10 * nx + r11 * ny + r12 * nz
        bz = r20 * nx + r21 * ny + r22 * nz
        n = (
            xx * bx + xy * by + xz * bz, yx * bx + yy * by + yz * bz, zx * bx + zy * by + zz * bz,
        )  # fmt: skip
        bx, by = r00 * kx + r01 * ky + r02 * kz, r10 * kx + r11 * ky + r12 * kz
        bz = r20 * kx + r21 * ky + r22 * kz
        k = (
            xx * bx + xy * by + xz * bz, yx * bx + yy * by + yz * bz, zx * bx + zy * by + zz * bz,
        )  # fmt: skip

        out = hypot(x, y)
        square = out * out + z * z
        if not square < 1e12:  # far beyond reach, or not finite
            return found
        seen: list[tuple[float, float, float]] = []
        for q3, q2 in region.candidates(z, square):
            q2, q3, off, gx, gy = region.refined(w2 if q2 is None else q2, q3, out, z)
            if not off <= tolerance:
                continue
            # Where the wrist centre lies on axis 1 joint 1 is free: it stays.
            free = out <= tolerance
            turned = nearest_turn(w1 if free else atan2(y, x) - atan2(gy, gx), w1, low1, high1)
            second = nearest_turn(q2, w2, low2, high2)
            third = nearest_turn(q3, w3, low3, high3)
            if turned is None or second is None or third is None:
                continue
            if any(
                abs(turned - a) + abs(second - b) + abs(third - c) < SAME_BRANCH for a, b, c in seen
            ):
                continue
            seen.append((turned, second, third))
            found += [
                (turned, second, third, q4, q5, q6)
                for q4, q5, q6 in turn_wrist((turned, second, third), n, k, near)
            ]
        return found

    return branches


def _make_wrist(arm: WristArm, lower: Sequence[float], upper: Sequence[float]):
    """Return the solver of joints 4, 5 and 6, once the first three are known."""
    R12, R23, R34, R45, R56 = (arm.turns[i].tolist() for i in range(5))
    (a0, a1, a2), (b0, b1, b2), (c0, c1, c2) = R45
    ex, ey, ez = R56[0][2], R56[1][2], R56[2][2]  # axis 6 seen from joint 5
    middle = atan2(c1 * ex - c0 * ey, c0 * ex + c1 * ey)
    first, last = atan2(hypot(c0, c1), c2), atan2(hypot(ex, ey), ez)
    least, most = abs(first - last), first + last
    low4, low5, low6 = lower[3:]
    high4, high5, high6 = upper[3:]

    def turn_wrist(q, axis, zero, near) -> list[tuple[float, float, float]]:
        q1, q2, q3 = q
        _, _, _, w4, w5, w6 = near
        n = _back(_back(_back(axis, q1, R12), q2, R23), q3, R34)
        k = _back(_back(_back(zero, q1, R12), q2, R23), q3, R34)
        side = hypot(n[0], n[1])
        lean = atan2(side, n[2])
        over = sin(0.5 * (lean + least)) * sin(0.5 * (lean - least))
        under = sin(0.5 * (most + lean)) * sin(0.5 * (most - lean))
        if not (over >= -WRIST_SLACK and under >= -WRIST_SLACK):
            return []
        half = 2.0 * atan2(sqrt(max(over, 0.0)), sqrt(max(under, 0.0)))
        single = half <= WRIST_LOST or abs(sin(half)) <= WRIST_LOST
        found = []
        for bend in (half,) if single else (half, -half):
            q5 = nearest_turn(middle + bend, w5, low5, high5)
            if q5 is None:
                continue
            c5, s5 = cos(q5), sin(q5)
            fx, fy = c5 * ex - s5 * ey, s5 * ex + c5 * ey
            mx, my = a0 * fx + a1 * fy + a2 * ez, b0 * fx + b1 * fy + b2 * ez
            # Axes 4 and 6 parallel: joints 4 and 6 turn the same, joint 4 stays.
            lost = hypot(mx, my) <= WRIST_LOST or side <= WRIST_LOST
            q4 = nearest_turn(w4 if lost else atan2(n[1], n[0]) - atan2(my, mx), w4, low4, high4)
            if q4 is None:
                continue
            x, y, _ = _back(_back(k, q4, R45), q5, R56)
            q6 = nearest_turn(atan2(y, x), w6, low6, high6)
            if q6 is not None:
                found.append((q4, q5, q6))
        return found

    return turn_wrist


def _back(vector, angle: float, R) -> tuple[float, float, float]:
    """Return a vector seen from the next joint: turned back about z, then by the constant."""
    c, s = cos(angle), sin(angle)
    x, y, z = vector
    x, y = c * x + s * y, c * y - s * x
    (r00, r01, r02), (r10, r11, r12), (r20, r21, r22) = R
    return (
        r00 * x + r10 * y + r20 * z,
        r01 * x + r11 * y + r21 * z,
        r02 * x + r12 * y + r22 * z,
    )
