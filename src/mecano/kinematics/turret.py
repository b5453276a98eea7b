"""Closed-form inverse kinematics of turret arms: one joint that turns, three that tilt.

OpenMANIPULATOR-X is one: joint 1 turns the arm about the vertical, joints 2, 3 and 4 tilt in the
plane that this opens, and the task is a point and a pitch. With the plane fixed by the point, two
links must meet the wrist point: a triangle with two mirror images (elbow up, elbow down), seen
from the front or from the back. That makes at most four solutions, and they are all there are.

Inside, angles are measured in that plane: `heading` is the azimuth of the plane, `upper`, `bend`
and `wrist` are the direction of the first link and the turns of the next two, positive downwards.
Coordinates in the plane are (r, d): outwards from the shoulder, and down. The geometry is read off
the DH table, so there is one table of numbers per arm.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import acos, asin, atan2, cos, hypot, pi, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mecano.core.errors import InvalidInput
from mecano.kinematics.dh import DHChain
from mecano.kinematics.solver import Misfit
from mecano.kinematics.transforms import Array
from mecano.kinematics.upright import upright_roll

TURN = 2.0 * pi
LIMIT_TOLERANCE = 1e-9
"""How far round-off may carry a solution over a limit before it is dropped [rad]."""
BOUNDARY_TOLERANCE = 1e-7
"""The same for poses that were computed to lie exactly on the edge of what can be reached [rad]."""
SLACK_OF_COSINE = 1e-3
"""How much more than 1 the cosine of the elbow may be, per tolerance on the angles."""
TABLE_TOLERANCE = 1e-9
"""How exactly the axes must be vertical, horizontal and parallel, unless said otherwise."""
SHORTEST = 1e-6
"""A link shorter than this is none [m]."""
ON_AXIS = 1e-12
"""A tool this near to the turning axis leaves the heading free [m]."""
_BOTH_SIDES, _ONE_SIDE = (1.0, -1.0), (0.0,)

Joints = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class TurretArm:
    """The measures of a turret arm in its plane. Build it with `from_chain`."""

    names: tuple[str, ...]
    axis_x: float
    """Where the turning axis stands in the base frame [m]."""
    axis_y: float
    shoulder_r: float
    """The shoulder's distance in front of the turning axis [m]."""
    shoulder_z: float
    """The shoulder's height in the base frame [m]."""
    lengths: tuple[float, float, float]
    """Upper link, second link, wrist to tool [m]."""
    tool_angle: float
    """Direction of the line wrist-tool against the tool's own pitch [rad]."""
    signs: Joints
    """Plane angle = sign * joint value + offset."""
    offsets: Joints
    lower: Joints
    """Limits of the plane angles [rad]."""
    upper: Joints
    joint_limits: tuple[Joints, Joints]
    """Lower and upper limits of the joint values themselves [rad]."""
    off: float = 0.0
    """How far the table is from the geometry that these measures stand for [rad or m]."""

    @classmethod
    def from_chain(
        cls, chain: DHChain, *, angle: float = TABLE_TOLERANCE, length: float = TABLE_TOLERANCE
    ) -> "TurretArm":
        """Read the measures off a DH chain, or say why it is not a turret arm.

        Args:
            chain: The arm.
            angle: How far axes may be from vertical, horizontal or parallel [rad].
            length: How far the tool may lie beside the plane of the links [m].
        """
        if len(chain.joints) != 4 or any(joint.kind != "revolute" for joint in chain.joints):
            raise Misfit(
                "a turret arm", f"it has 4 turning joints, this chain has {len(chain.joints)}"
            )
        frames = chain.joint_frames(np.zeros(4))
        axes, points = frames[:4, :3, 2], frames[:, :3, 3]
        across = frames[
            4, :3, 1
        ]  # the tool is upright: its y axis is the one that pitch turns about
        tool = points[4] - points[0]
        leaning = float(np.hypot(axes[0, 0], axes[0, 1]))
        tilted = float(np.abs(axes[1:, 2]).max())
        if max(leaning, tilted) > angle:
            raise Misfit(
                "a turret arm",
                "axis 1 must be vertical, axes 2-4 horizontal, they are off by "
                f"{asin(min(1.0, max(leaning, tilted))):.3g} rad",
            )
        askew = float(np.linalg.norm(np.cross(axes[1:], across), axis=1).max())
        if askew > angle:
            raise Misfit("a turret arm", _why_askew(axes[1:], frames[4, :3, :3], angle))
        beside = abs(float(tool @ across))
        if beside > max(length, angle * float(np.linalg.norm(tool)) * (angle > TABLE_TOLERANCE)):
            raise Misfit(
                "a turret arm",
                f"the tool lies beside the plane of the links, by {beside * 1000:.3g} mm",
            )
        off = max(leaning, tilted, askew, beside)
        if off > TABLE_TOLERANCE:
            across = np.array([*across[:2], 0.0]) / np.hypot(across[0], across[1])
        forward = np.cross(across, [0.0, 0.0, 1.0])

        plane = [((p - points[0]) @ forward, -p[2]) for p in points[1:]]
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(plane)]
        if min(hypot(*step) for step in steps[:2]) < SHORTEST:
            raise Misfit("a turret arm", "axes 2 and 3, or 3 and 4, are the same line")
        directions = [atan2(down, out) for out, down in steps]
        signs = (axes[0, 2], *(axes[1:] @ across))
        if off > TABLE_TOLERANCE:
            signs = tuple(map(round, signs))
        heading = atan2(forward[1], forward[0])
        offsets = (heading, directions[0], *np.diff(directions))
        limits = np.sort(
            [np.array(signs) * chain.lower + offsets, np.array(signs) * chain.upper + offsets],
            axis=0,
        )
        nose = frames[4, :3, 0]
        return cls(
            names=chain.names,
            axis_x=float(points[0, 0]),
            axis_y=float(points[0, 1]),
            shoulder_r=float(plane[0][0]),
            shoulder_z=float(-plane[0][1]),
            lengths=tuple(hypot(*step) for step in steps),  # type: ignore[arg-type]
            tool_angle=directions[2] - atan2(-nose[2], float(nose @ forward)),
            signs=tuple(float(round(sign)) for sign in signs),  # type: ignore[arg-type]
            offsets=tuple(float(offset) for offset in offsets),  # type: ignore[arg-type]
            lower=tuple(limits[0].tolist()),  # type: ignore[arg-type]
            upper=tuple(limits[1].tolist()),  # type: ignore[arg-type]
            joint_limits=(tuple(chain.lower.tolist()), tuple(chain.upper.tolist())),  # type: ignore[arg-type]
            off=off,
        )

    def solve(self, position: Array, pitch: float) -> Array:
        """Return every solution inside the limits, one per row; no rows if there is none.

        This is the fast path for one pose: arrays in and out, no explanation. `position` is the
        tool's point in the base frame [m], `pitch` its nose-down angle [rad].
        """
        x, y, z = position.tolist()
        found = self.branches(x, y, z, pitch)
        return np.array(found) if found else np.empty((0, 4))

    def solve_batch(
        self, positions: ArrayLike, pitches: ArrayLike
    ) -> tuple[Array, NDArray[np.int64]]:
        """Solve many poses at once with compiled code.

        Args:
            positions: Points in the base frame [m]. Shape (n, 3).
            pitches: Nose-down angles [rad]. Shape (n,), or one for all.

        Returns:
            Solutions, shape (n, 4, 4): pose, branch, joint; and how many branches of each pose
            are filled, shape (n,). Branches past that number hold NaN.
        """
        from mecano.core.compiled import first_call_notice
        from mecano.kinematics.turret_kernel import solve_many

        positions = np.ascontiguousarray(positions, dtype=float)
        if positions.ndim != 2 or positions.shape[1] != 3:
            raise InvalidInput(f"positions must have shape (n, 3), got {positions.shape}")
        try:
            pitches = np.broadcast_to(np.asarray(pitches, dtype=float), len(positions))
        except ValueError:
            raise InvalidInput(
                f"{np.size(pitches)} pitches for {len(positions)} positions; give one each, or one"
            ) from None
        pitches = np.ascontiguousarray(pitches)
        if not (np.isfinite(positions).all() and np.isfinite(pitches).all()):
            raise InvalidInput("positions and pitches must be finite; drop the rows that are not")
        with first_call_notice(solve_many):
            return solve_many(positions, pitches, *self._kernel_constants)

    @cached_property
    def branches(self) -> Callable[[float, float, float, float], list[Joints]]:
        """The solver in plain floats: (x, y, z, pitch) to solutions, front and elbow up first."""
        return _make_solver(self, LIMIT_TOLERANCE)

    @cached_property
    def branches_on_boundary(self) -> Callable[[float, float, float, float], list[Joints]]:
        """The same for poses that were computed to lie on the edge of what can be reached.

        It allows for the round-off of that computation and brings the answer inside the limits.
        """
        return _make_solver(self, BOUNDARY_TOLERANCE)

    def position_in_plane(self, upper: float, bend: float, nose: float) -> tuple[float, float]:
        """Return (r, d) of the tool from the shoulder, for plane angles."""
        l2, l3, l4 = self.lengths
        second = upper + bend
        return (
            l2 * cos(upper) + l3 * cos(second) + l4 * cos(nose),
            l2 * sin(upper) + l3 * sin(second) + l4 * sin(nose),
        )

    @cached_property
    def free_heading(self) -> float:
        """The heading taken where any would do: joint value zero, or the nearest limit [rad]."""
        return min(max(self.offsets[0], self.lower[0]), self.upper[0])

    def joints_from_plane(self, angles: Joints) -> Joints:
        """Return joint values for plane angles (heading, upper, bend, wrist)."""
        return tuple(
            (angle - offset) * sign
            for angle, offset, sign in zip(angles, self.offsets, self.signs, strict=True)
        )  # type: ignore[return-value]

    @cached_property
    def _joint_limits(self) -> tuple[Joints, Joints]:
        ends = (self.joints_from_plane(self.lower), self.joints_from_plane(self.upper))
        return tuple(map(min, *ends)), tuple(map(max, *ends))  # type: ignore[return-value]

    @cached_property
    def _kernel_constants(self) -> tuple[Array, Array]:
        scalars = (
            self.axis_x, self.axis_y, self.shoulder_r, self.shoulder_z, *self.lengths,
            self.tool_angle, LIMIT_TOLERANCE, self.free_heading,
        )  # fmt: skip
        table = (self.signs, self.offsets, self.lower, self.upper, *self.joint_limits)
        return np.array(scalars), np.array(table)


def _why_askew(axes: Array, R_tool: Array, angle: float) -> str:
    """Say why the tool's y axis is not along axes 2-4: the axes, the nose, or only the roll."""
    apart = float(np.linalg.norm(np.cross(axes[1:], axes[0]), axis=1).max())
    if apart > angle:
        return f"axes 2-4 must be parallel, they are off by {asin(min(1.0, apart)):.3g} rad"
    leaning = float(np.abs(axes @ R_tool[:, 0]).max())
    if leaning > angle:
        return (
            "the tool's x axis must be at a right angle to axes 2-4, it is off by "
            f"{asin(min(1.0, leaning)):.3g} rad"
        )
    return (
        "the tool's frame is rolled, its y axis must be along axes 2-4; turn the tool by "
        f"{upright_roll(axes[0], R_tool):.6g} rad about its own x axis, in the table of the "
        "description and at the tool's site in the model"
    )


def _make_solver(
    arm: TurretArm, tolerance: float
) -> Callable[[float, float, float, float], list[Joints]]:
    """Return a solver with the numbers of one arm built in: that is what makes it fast."""
    axis_x, axis_y, shoulder_r, shoulder_z = arm.axis_x, arm.axis_y, arm.shoulder_r, arm.shoulder_z
    (l2, l3, l4), tool_angle = arm.lengths, arm.tool_angle
    (s1, s2, s3, s4), (o1, o2, o3, o4) = arm.signs, arm.offsets
    low1, low2, low3, low4 = (low - tolerance for low in arm.lower)
    high1, high2, high3, high4 = (high + tolerance for high in arm.upper)
    least, most = arm.joint_limits
    (least1, least2, least3, least4), (most1, most2, most3, most4) = least, most
    sum_squares, twice_product = l2 * l2 + l3 * l3, 2.0 * l2 * l3
    free_heading = arm.free_heading
    slack = 1.0 + SLACK_OF_COSINE * tolerance

    def branches(x: float, y: float, z: float, pitch: float) -> list[Joints]:
        x -= axis_x
        y -= axis_y
        nose = pitch + tool_angle
        radius = sqrt(x * x + y * y)
        down = shoulder_z - z - l4 * sin(nose)
        in_front = shoulder_r + l4 * cos(nose)
        found = []
        for side in _BOTH_SIDES if radius > ON_AXIS else _ONE_SIDE:
            out = side * radius - in_front
            cosine = (out * out + down * down - sum_squares) / twice_product
            if not -1.0 <= cosine <= 1.0:
                if not abs(cosine) <= slack:  # also where numbers beyond all measure became NaN
                    continue
                cosine = 1.0 if cosine > 0.0 else -1.0
            # An angle is first turned to the equivalent one at or above its lower limit.
            t1 = low1 + ((atan2(side * y, side * x) if side else free_heading) - low1) % TURN
            if t1 > high1:
                continue
            elbow = acos(cosine)
            direction = atan2(down, out)
            for bend in (elbow, -elbow) if -1.0 < cosine < 1.0 else (elbow,):
                t3 = low3 + (bend - low3) % TURN
                if t3 > high3:
                    continue
                upper = direction - atan2(l3 * sin(bend), l2 + l3 * cos(bend))
                t2 = low2 + (upper - low2) % TURN
                if t2 > high2:
                    continue
                t4 = low4 + (nose - upper - bend - low4) % TURN
                if t4 > high4:
                    continue
                q1, q2, q3, q4 = (t1 - o1) * s1, (t2 - o2) * s2, (t3 - o3) * s3, (t4 - o4) * s4
                if (
                    least1 <= q1 <= most1
                    and least2 <= q2 <= most2
                    and least3 <= q3 <= most3
                    and least4 <= q4 <= most4
                ):
                    found.append((q1, q2, q3, q4))
                else:  # round-off put it over a limit
                    found.append(tuple(map(min, map(max, (q1, q2, q3, q4), least), most)))
        return found

    return branches
