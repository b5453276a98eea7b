"""Closed-form inverse kinematics of arms of the UR kind: a turn, three parallel tilts, a wrist.

Axis 1 carries a plane, axes 2, 3 and 4 stand upright on it, axis 5 lies in it, and axis 6 crosses
axis 5 at right angles, in the wrist centre. The tool gives the wrist centre and axis 6.

The wrist centre lies beside axis 1 by a fixed measure, which leaves two planes: arm to the left or
to the right. In a plane, axis 5 is at right angles to axis 6, with one of two signs: wrist flipped
or not. That gives axis 4, and two links must meet it: elbow up or down. So there are at most eight
solutions, and they are all there are, but for whole turns of the joints.

Inside, the arm's own frame has z along axis 1, y along axis 2 in the zero posture, and its origin
on axis 1 at the height of axis 2. Joint 1 turns x and y. A direction in the plane is the angle from
z towards x. The geometry is read off the DH table, so there is one table of numbers per arm.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import acos, atan2, cos, hypot, pi, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mecano.core.errors import InvalidInput
from mecano.kinematics import ur_nearest, ur_place
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
from mecano.kinematics.solver import Misfit
from mecano.kinematics.transforms import Array
from mecano.kinematics.turns import LENGTH_TOLERANCE, MERGED, WRIST_LOST, nearest_turn

KIND = "an arm of the UR kind"
TABLE_TOLERANCE = 1e-9
"""How exactly axes must be parallel, upright and crossing, unless said otherwise [m or rad]."""


@dataclass(frozen=True, eq=False)
class URArm(Branches):
    """The measures of an arm of the UR kind. Build it with `from_chain`."""

    names: tuple[str, ...]
    frame: Array
    """`T_base_arm`, the arm's own frame in the base frame. Shape (4, 4)."""
    shoulder: float
    """Axis 2 from axis 1, along x [m]."""
    beside: float
    """The wrist centre from axis 1, along y [m]."""
    lengths: tuple[float, float]
    """Upper arm and forearm: axis 2 to 3, axis 3 to 4 [m]."""
    directions: tuple[float, float]
    """Of upper arm and forearm in the zero posture [rad]."""
    hand: tuple[float, float]
    """The wrist centre from axis 4, along axis 5 and a quarter turn further [m]."""
    wrist_direction: float
    """Of axis 5 in the zero posture [rad]."""
    wrist_angle: float
    """Of axis 6 about axis 5, from axis 2, in the zero posture [rad]."""
    wrist_in_tool: Array
    """Axis 6, the zero direction of axis 5, and the wrist centre [m], seen from the tool, as rows.
    Shape (3, 3)."""
    signs: tuple[float, float]
    """Of joints 3 and 4: whether they turn like joint 2."""
    lower: Joints
    """Limits of the joint values [rad]."""
    upper: Joints
    off: float = 0.0
    """How far the table is from the geometry that these measures stand for [rad or m]."""

    @classmethod
    def from_chain(
        cls, chain: DHChain, *, angle: float = TABLE_TOLERANCE, length: float = TABLE_TOLERANCE
    ) -> "URArm":
        """Read the measures off a DH chain, or say why it is not an arm of the UR kind.

        Args:
            chain: The arm.
            angle: How far axes may be from parallel or from right angles [rad].
            length: How far axes 5 and 6 may pass each other [m].
        """
        if len(chain.joints) != 6 or any(joint.kind != "revolute" for joint in chain.joints):
            kinds = ", ".join(joint.kind for joint in chain.joints)
            raise InvalidInput(
                f"an arm of the UR kind has 6 turning joints, this chain has: {kinds}"
            )
        frames = chain.joint_frames(np.zeros(6))
        axes, points = frames[:6, :3, 2], frames[:6, :3, 3]
        off = _require_upright(chain.names, axes, angle)
        if off > TABLE_TOLERANCE:
            axes = _straightened(axes)
        up, across, axis5, axis6 = axes[0], axes[1], axes[4], axes[5]
        out = np.cross(across, up)
        center = points[4] + axis5 * float((points[5] - points[4]) @ axis5)
        past = float(np.linalg.norm(np.cross(axis6, center - points[5])))
        if past > length:
            raise Misfit(KIND, f"axes 5 and 6 must cross, they pass at {past:.3g} m")

        def in_plane(a: Array, b: Array) -> tuple[float, float]:
            return float((b - a) @ up), float((b - a) @ out)

        upper_arm, forearm = in_plane(points[1], points[2]), in_plane(points[2], points[3])
        lengths = (hypot(*upper_arm), hypot(*forearm))
        if min(lengths) < 1e-6:
            raise Misfit(
                KIND,
                f"upper arm and forearm are {lengths[0]:.3g} m and {lengths[1]:.3g} m long, both "
                "must be longer than 0",
            )
        rise, shoulder = in_plane(points[0], points[1])
        frame = np.eye(4)
        frame[:3, :3] = np.column_stack([out, across, up])
        frame[:3, 3] = points[0] + rise * up
        along, aside = in_plane(points[3], center)
        lean = atan2(float(axis5 @ out), float(axis5 @ up))
        c, s = cos(lean), sin(lean)
        R_tool, tool = frames[6, :3, :3], frames[6, :3, 3]
        return cls(
            names=chain.names,
            frame=frame,
            shoulder=shoulder,
            beside=float((center - points[0]) @ across),
            lengths=lengths,
            directions=(atan2(upper_arm[1], upper_arm[0]), atan2(forearm[1], forearm[0])),
            hand=(c * along + s * aside, c * aside - s * along),
            wrist_direction=lean,
            wrist_angle=atan2(float(axis6 @ np.cross(axis5, across)), float(axis6 @ across)),
            wrist_in_tool=np.array([axis6, axis5, center - tool]) @ R_tool,
            signs=(float(round(axes[2] @ across)), float(round(axes[3] @ across))),
            lower=tuple(chain.lower.tolist()),  # type: ignore[arg-type]
            upper=tuple(chain.upper.tolist()),  # type: ignore[arg-type]
            off=max(off, past),
        )

    def solve(self, position: Array, rotation: Array, start: Array | None = None) -> Array:
        """Return every solution inside the limits, one per row; no rows if there is none.

        This is the fast path for one pose: arrays in and out, no explanation.

        Args:
            position: The tool's point in the base frame [m]. Shape (3,).
            rotation: `R_base_tool`. Shape (3, 3).
            start: Each joint takes the whole turn nearest to its value here, and this value where
                any would do. Shape (6,); default: zero.
        """
        near = _ZERO if start is None else start.tolist()
        found = self.branches(position.tolist(), rotation.ravel().tolist(), near)
        return np.array(found) if found else np.empty((0, 6))

    def solve_batch(
        self, positions: ArrayLike, rotations: ArrayLike, starts: ArrayLike | None = None
    ) -> tuple[Array, NDArray[np.int64]]:
        """Solve many poses at once with compiled code.

        Args:
            positions: Points in the base frame [m]. Shape (n, 3).
            rotations: `R_base_tool`. Shape (n, 3, 3), or (3, 3) for all.
            starts: As `start` of `solve`. Shape (n, 6), or (6,) for all; default: zero.

        Returns:
            Solutions, shape (n, 8, 6): pose, branch, joint; and how many branches of each pose
            are filled, shape (n,). Branches past that number hold NaN.
        """
        from mecano.core.compiled import first_call_notice
        from mecano.kinematics.ur_kernel import solve_many

        points = np.ascontiguousarray(positions, dtype=float)
        if points.ndim != 2 or points.shape[1] != 3:
            raise InvalidInput(f"positions must have shape (n, 3), got {points.shape}")
        n = len(points)
        turns = _rows(rotations, (n, 3, 3), "rotations")
        near = _rows(np.zeros(6) if starts is None else starts, (n, 6), "starts")
        if not (np.isfinite(points).all() and np.isfinite(turns).all() and np.isfinite(near).all()):
            raise InvalidInput(
                "positions, rotations and starts must be finite; drop the rows that are not"
            )
        with first_call_notice(solve_many):
            return solve_many(points, turns, near, *self._kernel_constants)

    def make_solver(self, *, limits: bool) -> Solve:
        """Return a solver with the numbers of the arm built in."""
        lower, upper = (self.lower, self.upper) if limits else WITHOUT_END
        return _make_solver(self, lower, upper)

    def place(self, q: Sequence[float]) -> Placed:
        """Return the arm at joint values `q`."""
        return ur_place.place(self, q)

    def nearest_at_orientation(self, position: Array, R: Array) -> Held:
        """Return the nearest point that the tool reaches with this orientation, limits aside."""
        return ur_nearest.nearest_at_orientation(self, position, R)

    def within_reach(self, aim: Aim) -> bool:
        """Tell whether some orientation brings the tool to a point, limits aside."""
        return ur_nearest.within_reach(self, aim)

    def singular_notes(self, q: Joints) -> list[str]:
        """Say where branches meet, and which joint was free and stayed as in the start posture."""
        return ur_place.singular_notes(self, q)

    @property
    def triad_in_tool(self) -> Array:
        """Axis 6, the zero direction of axis 5, their product, seen from the tool. Shape (3, 3)."""
        return self._triad

    @cached_property
    def _triad(self) -> Array:
        axis6, axis5, _ = self.wrist_in_tool
        return np.array([axis6, axis5, np.cross(axis6, axis5)])

    @cached_property
    def center_in_triad(self) -> tuple[float, float, float]:
        """The wrist centre seen from the tool, along the three directions of `triad_in_tool`."""
        a, b, c = (self.triad_in_tool @ self.wrist_in_tool[2]).tolist()
        return a, b, c

    @cached_property
    def _kernel_constants(self) -> tuple[Array, Array, Array, Array]:
        scalars = (
            self.shoulder, self.beside, *self.lengths, *self.directions, *self.hand,
            self.wrist_direction, self.wrist_angle, *self.signs,
        )  # fmt: skip
        limits = np.array([self.lower, self.upper])
        return np.array(scalars), self.frame, self.wrist_in_tool, limits


_ZERO = (0.0,) * 6
_BOTH, _ONE, _MIDDLE = (1.0, -1.0), (1.0,), (0.0,)
_STRETCHED, _FOLDED = (0.0,), (pi,)


def _require_upright(names: tuple[str, ...], axes: Array, tolerance: float) -> float:
    """Return how far axes 2-4 are from parallel and 1-2, 4-5, 5-6 from right angles [rad].

    Raise if that is too far.
    """
    worst = 0.0
    for i, j, wanted in ((1, 2, 1.0), (1, 3, 1.0), (0, 1, 0.0), (3, 4, 0.0), (4, 5, 0.0)):
        cosine, sine = (
            abs(float(axes[i] @ axes[j])),
            float(np.linalg.norm(np.cross(axes[i], axes[j]))),
        )
        off = atan2(sine, cosine) if wanted else atan2(cosine, sine)
        if off > tolerance:
            how = "parallel" if wanted else "at right angles"
            raise Misfit(
                KIND,
                f"axes {i + 1} and {j + 1} ({names[i]}, {names[j]}) must be {how}, they are off "
                f"by {off:.3g} rad",
            )
        worst = max(worst, off)
    return worst


def _straightened(axes: Array) -> Array:
    """Return the axes made exactly parallel and exactly at right angles."""
    up, second, third, fourth, axis5, axis6 = axes
    across = second + third * np.sign(third @ second) + fourth * np.sign(fourth @ second)
    across = _unit(across - up * (across @ up))
    axis5 = _unit(axis5 - across * (axis5 @ across))
    axis6 = _unit(axis6 - axis5 * (axis6 @ axis5))
    signs = np.sign(axes[1:4] @ across)[:, None]
    return np.vstack([up, signs * across, axis5, axis6])


def _unit(vector: Array) -> Array:
    return vector / np.linalg.norm(vector)


def _rows(values: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """Return one entry per pose; one for all is repeated."""
    array = np.asarray(values, dtype=float)
    if array.shape not in (shape, shape[1:]):
        raise InvalidInput(
            f"{what} must have shape {shape} or {shape[1:]} for {shape[0]} positions, "
            f"got {array.shape}"
        )
    return np.ascontiguousarray(np.broadcast_to(array, shape))


def _make_solver(arm: URArm, lower: Sequence[float], upper: Sequence[float]) -> Solve:
    """Return a solver with the numbers of one arm built in: that is what makes it fast."""
    (xx, yx, zx, ox), (xy, yy, zy, oy), (xz, yz, zz, oz), _ = arm.frame.tolist()
    (nx, ny, nz), (kx, ky, kz), (cx, cy, cz) = arm.wrist_in_tool.tolist()
    shoulder, beside, (l2, l3), (dir2, dir3) = arm.shoulder, arm.beside, arm.lengths, arm.directions
    (hand_along, hand_aside), lean, twist = arm.hand, arm.wrist_direction, arm.wrist_angle
    s3, s4 = arm.signs
    low1, low2, low3, low4, low5, low6 = lower
    high1, high2, high3, high4, high5, high6 = upper
    sum_squares, twice_product = l2 * l2 + l3 * l3, 2.0 * l2 * l3
    slack = 1.0 + LENGTH_TOLERANCE * (l2 + l3) / (l2 * l3)
    fold = LENGTH_TOLERANCE**2 if abs(l2 - l3) <= LENGTH_TOLERANCE else -1.0
    bent = dir3 - dir2

    def branches(point: Sequence[float], rotation: Nine, start: Sequence[float]) -> list[Joints]:
        px, py, pz = point
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation
        w1, w2, w3, w4, w5, w6 = map(min, map(max, start, lower), upper)
        found = []
        # The wrist centre (x, y, z), in the arm's frame.
        bx = px - ox + r00 * cx + r01 * cy + r02 * cz
        by = py - oy + r10 * cx + r11 * cy + r12 * cz
        bz = pz - oz + r20 * cx + r21 * cy + r22 * cz
        x = xx * bx + xy * by + xz * bz
        y = yx * bx + yy * by + yz * bz
        z = zx * bx + zy * by + zz * bz
        # Axis 6 (n), where the tool says that axis 5 is while joint 6 is zero (k), and n x k.
        bx = r00 * nx + r01 * ny + r02 * nz
        by = r10 * nx + r11 * ny + r12 * nz
        bz = r20 * nx + r21 * ny + r22 * nz
        n_x = xx * bx + xy * by + xz * bz
        n_y = yx * bx + yy * by + yz * bz
        n_z = zx * bx + zy * by + zz * bz
        bx = r00 * kx + r01 * ky + r02 * kz
        by = r10 * kx + r11 * ky + r12 * kz
        bz = r20 * kx + r21 * ky + r22 * kz
        k_x = xx * bx + xy * by + xz * bz
        k_y = yx * bx + yy * by + yz * bz
        k_z = zx * bx + zy * by + zz * bz
        nk_x = n_y * k_z - n_z * k_y
        nk_y = n_z * k_x - n_x * k_z
        nk_z = n_x * k_y - n_y * k_x

        radius = sqrt(x * x + y * y)
        square = (radius - beside) * (radius + beside)  # of the way from axis 1 within the plane
        on_axis = radius <= LENGTH_TOLERANCE
        if square > MERGED * radius * radius and not on_axis:
            ahead = sqrt(square)
            sides = (ahead, -ahead)
        elif abs(radius - abs(beside)) <= LENGTH_TOLERANCE:
            sides = _MIDDLE
        else:  # too near to axis 1, or a number beyond all measure
            return found
        for out in sides:
            # Where the wrist centre lies on axis 1, every plane holds it: joint 1 stays.
            angle = w1 if on_axis else atan2(y, x) - atan2(beside, out)
            q1 = nearest_turn(angle, w1, low1, high1)
            if q1 is None:
                continue
            c1, s1 = cos(q1), sin(q1)
            n_out, n_across = c1 * n_x + s1 * n_y, c1 * n_y - s1 * n_x
            k_out, nk_out = c1 * k_x + s1 * k_y, c1 * nk_x + s1 * nk_y
            sine = sqrt(n_out * n_out + n_z * n_z)
            if sine > WRIST_LOST:  # axis 5 from z and towards x, the other flip is opposite
                cos5, sin5 = -n_out / sine, n_z / sine
                flips = _BOTH
            elif sine <= WRIST_LOST:  # axes 4 and 6 are parallel: joint 6 stays
                c6, s6 = cos(w6), sin(w6)
                cos5, sin5 = k_z * c6 - nk_z * s6, k_out * c6 - nk_out * s6
                flips = _ONE
            else:
                return found
            hand_z = hand_along * cos5 - hand_aside * sin5
            hand_x = hand_along * sin5 + hand_aside * cos5
            cos6, sin6 = sin5 * k_out + cos5 * k_z, -sin5 * nk_out - cos5 * nk_z
            for flip in flips:
                q5 = nearest_turn(atan2(flip * sine, n_across) - twist, w5, low5, high5)
                if q5 is None:
                    continue
                q6 = nearest_turn(atan2(flip * sin6, flip * cos6), w6, low6, high6)
                if q6 is None:
                    continue
                to_x, to_z = out - shoulder - flip * hand_x, z - flip * hand_z
                square = to_x * to_x + to_z * to_z
                cosine = (square - sum_squares) / twice_product
                if abs(cosine) < 1.0 - MERGED:
                    elbow = acos(cosine)
                    elbows = (elbow, -elbow)
                elif abs(cosine) <= slack:
                    elbows = _STRETCHED if cosine > 0.0 else _FOLDED
                else:
                    continue
                toward = atan2(to_x, to_z)
                whole = atan2(flip * sin5, flip * cos5) - lean
                for elbow in elbows:
                    turn3 = elbow - bent
                    q3 = nearest_turn(s3 * turn3, w3, low3, high3)
                    if q3 is None:
                        continue
                    if square > fold:
                        turn2 = toward - atan2(l3 * sin(elbow), l2 + l3 * cos(elbow)) - dir2
                    else:  # equal links, folded: axis 4 lies on axis 2, joint 2 stays
                        turn2 = w2
                    q2 = nearest_turn(turn2, w2, low2, high2)
                    if q2 is None:
                        continue
                    q4 = nearest_turn(s4 * (whole - turn2 - turn3), w4, low4, high4)
                    if q4 is not None:
                        found.append((q1, q2, q3, q4, q5, q6))
        return found

    return branches
