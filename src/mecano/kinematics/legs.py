"""Legs of crawlers: a hip that turns, a thigh and a shin that tilt, a coxa beside the hip's axis.

The task is a point, and three joints meet it in at most four ways: the knee up or down, and the leg
in front of its hip (normal) or folded back across it. With c the way from the hip's axis to the
plane of the leg, sideways, a point at (x, y) from that axis lies in front of the hip by

    R = +-sqrt(x^2 + y^2 - c^2)

which gives the heading, and the two links must meet (R - coxa, height) in the plane: a triangle.
The turret's closed form does not fit: it has four joints and a tool in the plane of its axis.

Inside, angles are measured in that plane: `heading` is the azimuth of the plane, `thigh` the
direction of the first link, `knee` the turn of the second one; positive raises. The geometry is
read off the DH table, as for turret arms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import acos, atan2, cos, hypot, pi, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.errors import InvalidInput
from mecano.core.poses import wrap_angle
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.ik import IKReason, IKResult, IKTarget, ToolPose, orientation_error, pitch_of
from mecano.kinematics.transforms import Array, invert, rotation_x, rotation_z, translation
from mecano.kinematics.turret import LIMIT_TOLERANCE, SLACK_OF_COSINE, TURN

BRANCHES = ("up", "down", "folded_up", "folded_down")
"""The ways to reach a point: knee up or down, in front of the hip or folded back across it."""
ANGLE_TOLERANCE = 1e-3
"""Within this a posture has the pitch or the orientation that was asked for [rad]."""
_SIGNS = ((1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 1.0))  # of R and of the knee, by branch

Angles = tuple[float, float, float]


def leg_table(
    names: tuple[str, str, str],
    limits: Sequence[tuple[float, float]],
    *,
    mount: Array,
    coxa: tuple[float, float, float],
    thigh: float,
    shin: float,
) -> DHChain:
    """Return the DH table of a leg, in the standard convention.

    The leg's frame stands on the hip's axis: y away from the body, z up. Joint 1 turns about z, and
    joints 2 and 3 about x, positive upwards. At zero the leg is stretched out along y.

    Args:
        names: Of the joints.
        limits: Of the joints, lower and upper [rad].
        mount: `T_body_leg`, the leg's frame in the body.
        coxa: Joint 2 in the leg's frame at zero [m].
        thigh: Joint 2 to joint 3 [m].
        shin: Joint 3 to the tip [m].

    Returns:
        The chain from the body to the tip. The tip's x axis goes on along the shin, its y axis is
        level; so its pitch is how far the shin points down.
    """
    beside, out, rise = coxa
    (one, two, three), ((low_1, up_1), (low_2, up_2), (low_3, up_3)) = names, limits
    joints = (
        DHJoint(
            name=one, theta=pi / 2, d=rise, a=out, alpha=pi / 2, lower=low_1, upper=up_1,
        ),
        DHJoint(name=two, d=beside, a=thigh, lower=low_2, upper=up_2),
        DHJoint(name=three, a=shin, lower=low_3, upper=up_3),
    )  # fmt: skip
    return DHChain(joints=joints, base=mount, tool=rotation_x(-pi / 2))


def mount(x: float, y: float, z: float, yaw: float) -> Array:
    """Return `T_body_leg` of a hip at a point of the body [m], its frame turned about z [rad]."""
    return translation(x, y, z) @ rotation_z(yaw)


@dataclass(frozen=True, eq=False)
class LegSolver:
    """The measures of a leg, and the closed form. Build it with `from_chain`."""

    names: tuple[str, ...]
    axis_x: float
    """Where the hip's axis stands in the base frame [m]."""
    axis_y: float
    beside: float
    """The plane of the leg is this far to the right of the hip's axis, seen along the leg [m]."""
    coxa: float
    """Joint 2 in front of the hip's axis [m]."""
    height: float
    """Joint 2 in the base frame [m]."""
    thigh: float
    shin: float
    signs: Angles
    """Angle in the plane = sign * joint value + offset."""
    offsets: Angles
    lower: Angles
    """Limits of the joint values [rad]."""
    upper: Angles

    @classmethod
    def from_chain(cls, chain: DHChain) -> "LegSolver":
        """Read the measures off a DH chain, or say why it is not a leg of this kind."""
        if len(chain.joints) != 3 or any(joint.kind != "revolute" for joint in chain.joints):
            raise InvalidInput(
                f"the closed form is for legs of 3 turning joints, this one has "
                f"{len(chain.joints)}: {', '.join(chain.names)}"
            )
        frames = chain.joint_frames(np.zeros(3))
        axes, points = frames[:3, :3, 2], frames[:, :3, 3]
        across = -frames[3, :3, 1]
        if abs(abs(axes[0, 2]) - 1.0) > 1e-9 or np.abs(axes[1:] @ across).min() < 1 - 1e-9:
            raise InvalidInput(
                "not a leg: axis 1 must be vertical, axes 2 and 3 along the y axis of the tip"
            )
        if abs(across[2]) > 1e-9:
            raise InvalidInput("not a leg: axes 2 and 3 must be level")
        forward = np.cross([0.0, 0.0, 1.0], across)
        plane = [((p - points[0]) @ forward, p[2]) for p in points[1:]]
        links = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(plane)]
        directions = [atan2(up, out) for out, up in links]
        heading = atan2(forward[1], forward[0])
        return cls(
            names=chain.names,
            axis_x=float(points[0, 0]),
            axis_y=float(points[0, 1]),
            beside=float((points[3] - points[0]) @ across),
            coxa=float(plane[0][0]),
            height=float(plane[0][1]),
            thigh=hypot(*links[0]),
            shin=hypot(*links[1]),
            signs=tuple(float(round(s)) for s in (axes[0, 2], *(axes[1:] @ across))),  # type: ignore[arg-type]
            offsets=(heading, directions[0], directions[1] - directions[0]),
            lower=tuple(chain.lower.tolist()),  # type: ignore[arg-type]
            upper=tuple(chain.upper.tolist()),  # type: ignore[arg-type]
        )

    @property
    def reach(self) -> tuple[float, float]:
        """How near to joint 2 and how far from it the links can bring the tip, limits aside [m]."""
        return abs(self.thigh - self.shin), self.thigh + self.shin

    def branches(self, x: float, y: float, z: float) -> dict[str, Angles]:
        """Return the joint values of every way to a point, limits aside; empty if there is none.

        The point is in the base frame [m]. Where the leg is straight the knee is neither up nor
        down, and there is one way instead of two.
        """
        x, y, z = x - self.axis_x, y - self.axis_y, z - self.height
        square = x * x + y * y - self.beside * self.beside
        if square < 0.0:
            return {}
        front, azimuth = sqrt(square), atan2(y, x)
        thigh, shin = self.thigh, self.shin
        slack = 1.0 + SLACK_OF_COSINE * LIMIT_TOLERANCE
        found = {}
        for name, (side, bend) in zip(BRANCHES, _SIGNS, strict=True):
            out = side * front - self.coxa
            cosine = (out * out + z * z - thigh * thigh - shin * shin) / (2.0 * thigh * shin)
            if not abs(cosine) <= slack or (abs(cosine) >= 1.0 and bend > 0.0):
                continue
            knee = bend * acos(max(-1.0, min(1.0, cosine)))
            raised = atan2(z, out) - atan2(shin * sin(knee), thigh + shin * cos(knee))
            heading = azimuth + atan2(self.beside, side * front)
            found[name] = self._joints(heading, raised, knee)
        return found

    def solve(self, x: float, y: float, z: float) -> dict[str, Angles]:
        """Return the joint values of every way to a point inside the limits, by branch."""
        found = {}
        for name, q in self.branches(x, y, z).items():
            if max(map(_excess, q, self.lower, self.upper)) <= LIMIT_TOLERANCE:
                found[name] = tuple(map(_clip, q, self.lower, self.upper))
        return found

    def solve_batch(self, points: ArrayLike) -> Array:
        """Solve many points at once.

        Args:
            points: In the base frame [m]. Shape (..., 3).

        Returns:
            Joint values, shape (..., 4, 3): branch (in the order of `BRANCHES`), joint. NaN where a
            branch does not exist or breaks a limit. A straight leg is there twice.
        """
        x, y, z = np.moveaxis(np.asarray(points, float), -1, 0)[..., None]
        x, y, z = x - self.axis_x, y - self.axis_y, z - self.height
        side, bend = np.array(_SIGNS).T
        with np.errstate(invalid="ignore"):
            front = side * np.sqrt(x * x + y * y - self.beside**2)
            out = front - self.coxa
            cosine = (out * out + z * z - self.thigh**2 - self.shin**2) / (
                2.0 * self.thigh * self.shin
            )
            slack = 1.0 + SLACK_OF_COSINE * LIMIT_TOLERANCE
            cosine = np.where(np.abs(cosine) <= slack, np.clip(cosine, -1.0, 1.0), np.nan)
            knee = bend * np.arccos(cosine)
            raised = np.arctan2(z, out) - np.arctan2(
                self.shin * np.sin(knee), self.thigh + self.shin * np.cos(knee)
            )
            heading = np.arctan2(y, x) + np.arctan2(self.beside, front)
            plane = np.stack([heading, raised, knee], axis=-1)
            q = (plane - np.array(self.offsets)) * np.array(self.signs)
            low, high = np.array(self.lower), np.array(self.upper)
            q = low - LIMIT_TOLERANCE + (q - low + LIMIT_TOLERANCE) % TURN
            inside = (q <= high + LIMIT_TOLERANCE).all(axis=-1, keepdims=True)
        return np.where(inside, np.clip(q, low, high), np.nan)

    def branch(self, q: Sequence[float]) -> str:
        """Return which of the `BRANCHES` joint values belong to."""
        _, raised, knee = (s * a + o for s, a, o in zip(self.signs, q, self.offsets, strict=True))
        front = self.coxa + self.thigh * cos(raised) + self.shin * cos(raised + knee)
        knee = float(wrap_angle(knee))
        return ("" if front >= 0.0 else "folded_") + ("up" if knee <= 0.0 else "down")

    def _joints(self, *plane: float) -> Angles:
        """Return joint values, each within half a turn of the middle of its range."""
        joints = []
        for angle, offset, sign, low, high in zip(
            plane, self.offsets, self.signs, self.lower, self.upper, strict=True
        ):
            start = 0.5 * (low + high) - pi
            joints.append(start + ((angle - offset) * sign - start) % TURN)
        return tuple(joints)  # type: ignore[return-value]


def _excess(q: float, low: float, high: float) -> float:
    return max(q - high, low - q, 0.0)


def _clip(q: float, low: float, high: float) -> float:
    return min(max(q, low), high)


@dataclass(frozen=True, kw_only=True)
class LegChain(Chain):
    """A leg of a crawler as a chain from the body to the tip, with the closed form above."""

    @property
    def solver(self) -> str:
        """Kind of the solver."""
        return "leg"

    @property
    def solver_reason(self) -> str:
        """Why this solver fits, in plain words."""
        return "a hip that turns and two joints that bend about parallel axes"

    @cached_property
    def leg(self) -> LegSolver:
        """The closed form."""
        return LegSolver.from_chain(self.dh)

    @property
    def T_body_leg(self) -> Array:
        """The leg's own frame: on the hip's axis, y away from the body, z up."""
        return self.dh.base

    def to_leg(self, points: ArrayLike) -> Array:
        """Return points of the body's frame in the leg's [m]. Shape (..., 3)."""
        return _apply(invert(self.T_body_leg), points)

    def to_body(self, points: ArrayLike) -> Array:
        """Return points of the leg's frame in the body's [m]. Shape (..., 3)."""
        return _apply(self.T_body_leg, points)

    def tip(self, q: ArrayLike) -> Array:
        """Return where the tip is in the body's frame [m]. Shape (..., 3) in and out."""
        return self.forward(q)[..., :3, 3]

    def jacobian(self, q: ArrayLike) -> Array:
        """Return how the tip moves in the body's frame [m/rad]. Shape (..., 3) in, (..., 3, 3)."""
        return self.dh.jacobian(q)[..., :3, :]

    def inverse(
        self,
        position: ArrayLike,
        *,
        pitch: float | None = None,
        roll: float | None = None,
        quaternion: Sequence[float] | None = None,
        start: ArrayLike | None = None,
    ) -> IKResult:
        """Return all joint values that bring the tip to a point, or why there are none.

        Three joints are spent on the point. A pitch (how far the shin points down) or a quaternion
        only chooses among the at most four ways; if none has it, the nearest one is told.

        Args:
            position: Point in the body's frame [m]. Shape (3,).
            pitch: Of the shin [rad]; None leaves it free.
            roll: A leg cannot; anything but None or zero is refused.
            quaternion: Orientation of the tip, w x y z; None leaves it free.
            start: Posture to stay near: the solutions are ordered by their distance to it.
        """
        target = IKTarget.checked(position, pitch=pitch, roll=roll, quaternion=quaternion)
        if target.roll:
            raise InvalidInput(f"no joint of leg '{self.name}' rolls its tip; leave the roll out")
        posture = self._rest if start is None else self.dh.check(start)
        if posture.ndim != 1:
            raise InvalidInput(
                f"a start posture is one row of joint values, got {len(posture)} rows"
            )
        found = list(self.leg.solve(*target.position.tolist()).values())
        if not found:
            return self._explain(target)
        solutions = np.array(sorted(found, key=lambda q: float(np.sum((q - posture) ** 2))))
        if pitch is None and quaternion is None:
            return IKResult(solutions, self._pose(solutions[0]))
        return self._oriented(target, solutions)

    def _pose(self, q: Array) -> ToolPose:
        T = self.forward(q)
        return ToolPose(T[:3, 3], pitch_of(T[:3, :3]), q)

    def _oriented(self, target: IKTarget, solutions: Array) -> IKResult:
        """Keep the solutions that have the pitch or the orientation asked for."""
        if target.rotation is not None:
            reason, R = IKReason.ORIENTATION, target.rotation
            off = [orientation_error(R, T[:3, :3]) for T in self.forward(solutions)]
        else:
            reason, asked = IKReason.PITCH, target.pitch or 0.0
            off = [abs(float(wrap_angle(self.pitch(q) - asked))) for q in solutions]
        kept = solutions[np.array(off) <= ANGLE_TOLERANCE]
        if len(kept):
            return IKResult(kept, self._pose(kept[0]))
        best = self._pose(solutions[int(np.argmin(off))])
        note = f"at this point the pitch can only be {best.pitch:.4g} rad"
        if len(solutions) > 1:
            note = f"of {len(solutions)} ways to this point, pitch {best.pitch:.4g} rad is nearest"
        return IKResult(np.empty((0, 3)), best, 0.0, reason, excess=min(off), note=note)

    def _explain(self, target: IKTarget) -> IKResult:
        """Say why no branch reaches a point: a limit, or the lengths of the links."""
        leg, (x, y, z) = self.leg, target.position.tolist()
        pose = self._pose(self._nearest(target.position))
        missing = float(np.linalg.norm(pose.position - target.position))
        nothing, far = np.empty((0, 3)), f"{missing * 1000:.1f} mm are missing"
        over = [
            (max(excesses), leg.names[excesses.index(max(excesses))], name)
            for name, q in leg.branches(x, y, z).items()
            for excesses in [list(map(_excess, q, leg.lower, leg.upper))]
        ]
        if over:
            excess, joint, name = min(over)
            way = f"{'folded, ' if name.startswith('folded') else ''}knee {name.split('_')[-1]}"
            note = f"{far}; with {way}, the best of {len(over)} ways"
            return IKResult(nothing, pose, missing, IKReason.JOINT_LIMIT, joint, excess, note=note)
        from_axis = hypot(x - leg.axis_x, y - leg.axis_y)
        low, high = leg.reach
        if from_axis < abs(leg.beside):
            reason = IKReason.TOO_CLOSE
            note = (
                f"the point is {from_axis * 1000:.1f} mm from the hip's axis, and the leg passes "
                f"it at {abs(leg.beside) * 1000:.1f} mm"
            )
        else:
            front = sqrt(max(from_axis**2 - leg.beside**2, 0.0))
            sizes = [hypot(side * front - leg.coxa, z - leg.height) for side in (1.0, -1.0)]
            size = min(sizes, key=lambda s: max(s - high, low - s))
            reason = IKReason.TOO_FAR if size > high else IKReason.TOO_CLOSE
            note = (
                f"{leg.names[1]} has the point {size * 1000:.1f} mm away, the links reach "
                f"{low * 1000:.1f} to {high * 1000:.1f} mm"
            )
        return IKResult(nothing, pose, missing, reason, excess=missing, unit="m", note=note)

    @cached_property
    def _grid(self) -> tuple[Array, Array]:
        """Postures all over the joint ranges and their tips, to begin a search from."""
        ranges = [np.linspace(a, b, 9) for a, b in zip(self.dh.lower, self.dh.upper, strict=True)]
        q = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, 3)
        return q, self.tip(q)

    def _nearest(self, point: Array) -> Array:
        """Return the posture inside the limits whose tip is nearest to a point.

        Newton's method from the eight best postures of a grid; a joint stays at its limit while the
        point pulls it outwards.
        """
        postures, tips = self._grid
        q = postures[np.argsort(np.sum((tips - point) ** 2, axis=1))[:8]]
        low, high = self.dh.lower, self.dh.upper
        damping = np.full(len(q), 1e-4)
        for _ in range(40):
            frames = self.dh.joint_frames(q)
            J = self.dh.jacobian_from_frames(frames)[:, :3]
            miss = point - frames[:, -1, :3, 3]
            gradient = -np.einsum("nij,ni->nj", J, miss)
            held = ((q <= low) & (gradient > 0.0)) | ((q >= high) & (gradient < 0.0))
            # The second derivative of the tip by joints i <= j is axis i x column j of J.
            bent = np.cross(frames[:, :3, None, :3, 2], np.swapaxes(J, 1, 2)[:, None])
            upper = np.triu(np.einsum("nijk,nk->nij", bent, miss))
            H = np.swapaxes(J, 1, 2) @ J - upper - np.swapaxes(np.triu(upper, 1), 1, 2)
            free = ~held
            H = H * free[:, :, None] * free[:, None, :]
            values, vectors = np.linalg.eigh(H)
            along = np.einsum("nij,ni->nj", vectors, gradient * free)
            step = along / (np.abs(values) + damping[:, None])
            if np.abs(step).max() < 1e-10:
                break
            tried = np.clip(q - np.einsum("nij,nj->ni", vectors, step), low, high)
            nearer = np.sum((self.tip(tried) - point) ** 2, axis=1) < np.sum(miss**2, axis=1)
            damping = np.where(nearer, 0.1 * damping, 10.0 * damping).clip(1e-12, 1e3)
            if not nearer.any() and damping.min() > 1.0:
                break
            q = np.where(nearer[:, None], tried, q)
        return q[np.argmin(np.sum((self.tip(q) - point) ** 2, axis=1))]


def _apply(T: Array, points: ArrayLike) -> Array:
    return np.asarray(points, float) @ T[:3, :3].T + T[:3, 3]
