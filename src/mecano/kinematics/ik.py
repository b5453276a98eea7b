"""What inverse kinematics is asked and what it answers: the contract of every solver.

A target that cannot be reached is an answer, not an error: `IKResult` says why not, as a code and
in numbers, and holds the nearest pose that can be reached.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.errors import InvalidInput
from mecano.core.poses import matrix_from_quaternion, wrap_angle
from mecano.kinematics.transforms import Array


class IKReason(StrEnum):
    """Why a target is not reached. The codes are stable: scripts may rely on them."""

    TOO_FAR = "too_far"
    """No pitch (or orientation) reaches the point: the chain is too short."""
    TOO_CLOSE = "too_close"
    """No pitch (or orientation) reaches the point: the chain cannot fold that much."""
    JOINT_LIMIT = "joint_limit"
    """The links could form the pose, but every way of doing so breaks a joint limit."""
    PITCH = "pitch"
    """The links cannot form the pose at this pitch; the same point can be reached at another."""
    ORIENTATION = "orientation"
    """The point can be reached, but not with this orientation: the chain has too few joints, or its
    links do not meet there."""
    SINGULAR = "singular"
    """The solver is stuck in a posture where the direction to the target is lost."""
    NOT_CONVERGED = "not_converged"
    """The numerical solver ran out of iterations; a solution may or may not exist."""
    WRONG_ANSWER = "wrong_answer"
    """A user's own solver took our place and its answer does not reach a reachable target."""


@dataclass(frozen=True, eq=False, slots=True)
class IKTarget:
    """Where the tool shall be, in the base frame."""

    position: Array
    """Point [m]. Shape (3,)."""
    pitch: float | None = None
    """How far the tool's nose points below the horizontal [rad]; None leaves it free."""
    rotation: Array | None = None
    """Full orientation `R_base_tool`. Shape (3, 3); None leaves it free."""
    roll: float | None = None
    """Turn of the tool about its own nose [rad]; None is upright, or for six-joint arms as in the
    start posture. Not together with `rotation`."""

    @classmethod
    def checked(
        cls,
        position: ArrayLike,
        *,
        pitch: float | None = None,
        roll: float | None = None,
        quaternion: Sequence[float] | None = None,
    ) -> "IKTarget":
        """Return a target of finite numbers in the right shapes, or say what is wrong.

        Args:
            position: Point to reach [m]. Shape (3,).
            pitch: Nose-down angle [rad], or None.
            roll: Turn of the tool about its own nose [rad], or None.
            quaternion: Orientation as w, x, y, z (of any length but zero), or None. Not with pitch
                or roll.
        """
        if pitch is not None and quaternion is not None:
            raise InvalidInput("give a pitch or a quaternion, not both: a quaternion holds a pitch")
        if roll is not None and quaternion is not None:
            raise InvalidInput("give a roll or a quaternion, not both: a quaternion holds a roll")
        point = _finite_vector(position, 3, "a target position [m]")
        if pitch is not None:
            pitch = _finite_number(pitch, "a pitch [rad]")
        if roll is not None:
            roll = _finite_number(roll, "a roll [rad]")
        rotation = None
        if quaternion is not None:
            wxyz = _finite_vector(quaternion, 4, "a quaternion (w, x, y, z)")
            length = float(np.linalg.norm(wxyz))
            if length < 1e-6:
                raise InvalidInput(
                    "a quaternion of length zero is no orientation; none at all is 1 0 0 0"
                )
            rotation = matrix_from_quaternion(wxyz / length)
        return cls(point, pitch, rotation, roll)


def _finite_vector(values: ArrayLike, size: int, what: str) -> Array:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{what} must be {size} numbers, got {values!r}") from None
    if array.shape != (size,):
        got = f"{array.size}" if array.ndim < 2 else f"an array of shape {array.shape}"
        raise InvalidInput(f"{what} must be {size} numbers, got {got}")
    if not math.isfinite(sum(array.tolist())):  # several times faster than numpy on a few numbers
        raise InvalidInput(f"{what} must be finite, got {array.tolist()}")
    return array


def _finite_number(value: float, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{what} must be a number, got {value!r}") from None
    if not math.isfinite(number):
        raise InvalidInput(f"{what} must be finite, got {number}")
    return number


@dataclass(frozen=True, eq=False, slots=True)
class ToolPose:
    """A pose of the tool and joint values that give it."""

    position: Array
    """Point in the base frame [m]."""
    pitch: float
    """Nose-down angle [rad]."""
    joints: Array
    """Joint values [rad or m], inside the limits."""
    roll: float = 0.0
    """Turn about the tool's own nose [rad]; zero for arms that cannot roll it."""


@dataclass(frozen=True, eq=False, slots=True)
class IKResult:
    """All ways to reach a target, or why there is none and what comes nearest."""

    solutions: Array
    """One row per solution, all inside the limits, the one nearest to the start posture first."""
    nearest: ToolPose
    """The target itself if it is reached. If not: the nearest reachable point at the asked pitch;
    if there is no such point, the nearest pitch at the asked point. Where a whole orientation is
    asked of an arm that rolls its hand: the nearest orientation at the asked point, if any. Of an
    arm with six joints: an orientation near the asked one at the asked point; if none reaches it,
    the nearest point with the asked orientation."""
    shortfall: float = 0.0
    """How far the nearest point is from the asked one [m]."""
    reason: IKReason | None = None
    """Why the target is not reached, or None."""
    joint: str | None = None
    """With `joint_limit`: the joint that is furthest over, in the branch that is least over; with a
    free pitch, the joint at its limit that keeps the tool from coming nearer."""
    excess: float = 0.0
    """How much: the joint over its limit (zero with a free pitch, where there is no one number),
    the pitch or the orientation off [rad], or the way that is missing [m]."""
    unit: str = "rad"
    """Unit of `excess`."""
    note: str = ""
    """A remark on a reached or missed target: a free joint, a pitch that would do."""

    @property
    def reached(self) -> bool:
        """True if there is at least one solution."""
        return self.reason is None

    @property
    def message(self) -> str:
        """The answer in one sentence, with numbers and units."""
        text = _MESSAGES[self.reason](self)
        return f"{text}; {self.note}" if self.note else text


def _found(result: IKResult) -> str:
    count = len(result.solutions)
    return f"reached; {count} solution{'s' if count != 1 else ''} inside the joint limits"


def _over_limit(result: IKResult) -> str:
    if result.excess == 0.0:
        return f"{result.joint} is at its limit"
    degrees = f" ({math.degrees(result.excess):.1f} deg)" if result.unit == "rad" else ""
    return f"{result.joint} over its limit by {result.excess:.3g} {result.unit}{degrees}"


_MESSAGES = {
    None: _found,
    IKReason.TOO_FAR: lambda r: f"{r.excess * 1000:.1f} mm too far",
    IKReason.TOO_CLOSE: lambda r: f"{r.excess * 1000:.1f} mm too close to the arm",
    IKReason.JOINT_LIMIT: _over_limit,
    IKReason.PITCH: lambda r: f"pitch out by {math.degrees(r.excess):.1f} deg",
    IKReason.ORIENTATION: lambda r: f"orientation out by {math.degrees(r.excess):.1f} deg",
    IKReason.SINGULAR: lambda r: (
        f"stuck {r.excess * 1000:.1f} mm short in a singular posture: "
        "the joints cannot move the tool towards the target from here"
    ),
    IKReason.WRONG_ANSWER: lambda _: "your solver gave no right solution",
    IKReason.NOT_CONVERGED: lambda r: f"not converged, {r.excess * 1000:.1f} mm short",
}


def pitch_of(R: Array) -> float:
    """Return how far the x axis of a rotation points below the horizontal [rad].

    Positive is nose down. The sign of the tool's z axis tells a nose that is past the vertical
    (an arm that reaches over itself) from one in front of it, so the range is (-pi, pi].
    """
    flat = math.hypot(R[0, 0], R[1, 0])
    angle = math.atan2(-R[2, 0], math.copysign(flat, R[2, 2]) if abs(R[2, 2]) > 1e-12 else flat)
    return math.pi if angle == -math.pi else angle


def orientation_error(R_a: Array, R_b: Array) -> float:
    """Return the angle between two rotations [rad], accurate near zero and near pi."""
    R = R_a.T @ R_b
    sine = 0.5 * math.sqrt(
        (R[2, 1] - R[1, 2]) ** 2 + (R[0, 2] - R[2, 0]) ** 2 + (R[1, 0] - R[0, 1]) ** 2
    )
    return math.atan2(sine, 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0))


def pitch_error(asked: float, given: float) -> float:
    """Return the turn from one pitch to another, in (-pi, pi] [rad]."""
    return float(wrap_angle(given - asked))
