"""Where a base may be after a step of its odometry: samples, with AMCL's noise.

Four models by AMCL's names. With the alphas a1 to a5, a step that goes `trans` far and turns by
`rot` has these variances:

- `diff-corrected` (Probabilistic Robotics, table 5.6): turn, drive straight, turn again.
  Of a turn a1 turn^2 + a2 trans^2, of the way a3 trans^2 + a4 (turn1^2 + turn2^2).
  A turn counts from the nearer of forward and backward, so backing up is not a half turn.
- `omni-corrected`: along the way a3 trans^2 + a4 rot^2, of the heading a1 rot^2 + a2 trans^2,
  across the way a4 rot^2 + a5 trans^2.
- `diff` and `omni`: AMCL's first models, which take a variance for a standard deviation. `omni` has
  a1 and a4 in exchanged roles as well. Kept, because tables tuned for them exist.
"""

from dataclasses import dataclass, fields
from math import atan2, cos, hypot, pi, sin, sqrt
from typing import Literal, get_args

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose2
from mecano.core.poses.rotations import wrap_angle

MotionModelName = Literal["diff", "diff-corrected", "omni", "omni-corrected"]
MODELS: tuple[str, ...] = get_args(MotionModelName)
STANDING = 0.01
"""A differential base that went less far has turned on the spot [m]; AMCL's number."""


@dataclass(frozen=True, kw_only=True)
class Alphas:
    """How odometry errs. Each is a variance per square of what was driven."""

    alpha1: float = 0.2
    """Of the heading by turning [rad2/rad2]."""
    alpha2: float = 0.2
    """Of the heading by going [rad2/m2]."""
    alpha3: float = 0.2
    """Of the way by going [m2/m2]."""
    alpha4: float = 0.2
    """Of the way by turning [m2/rad2]."""
    alpha5: float = 0.2
    """Across the way by going, omni only [m2/m2]."""

    def __post_init__(self) -> None:
        for field in fields(self):
            finite_number(getattr(self, field.name), name=f"Alphas.{field.name}", lower=0.0)


def sample_motion(
    poses: Array, step: Pose2, alphas: Alphas, model: str, rng: np.random.Generator
) -> Array:
    """Return poses after a step, each with an error of its own.

    Args:
        poses: x, y [m], yaw [rad]. Shape (n, 3).
        step: What odometry says: the base after the step, seen from before it.
        alphas: All zero move every pose exactly.
        model: One of `MODELS`.
        rng: It is drawn from three times n, whatever the model.
    """
    if model not in MODELS:
        raise UnknownName("motion model", model, MODELS)
    if poses.ndim != 2 or poses.shape[1] != 3:
        raise InvalidInput(f"poses have shape {poses.shape}, expected (n, 3)")
    noise = rng.standard_normal((3, len(poses)))
    if model.startswith("diff"):
        return _differential(poses, step, noise, alphas, model == "diff-corrected")
    return _omni(poses, step, noise, alphas, model == "omni-corrected")


def _differential(poses: Array, step: Pose2, noise: Array, a: Alphas, corrected: bool) -> Array:
    way = hypot(step.x, step.y)
    first = atan2(step.y, step.x) if way >= STANDING else 0.0
    second = Pose2(yaw=step.yaw - first).yaw
    off1, off2 = _from_straight(first), _from_straight(second)
    turn1 = first + noise[0] * _deviation(a.alpha1 * off1**2 + a.alpha2 * way**2, corrected)
    variance = a.alpha3 * way**2 + a.alpha4 * (off1**2 + off2**2)
    forward = way + noise[1] * _deviation(variance, corrected)
    turn2 = second + noise[2] * _deviation(a.alpha1 * off2**2 + a.alpha2 * way**2, corrected)
    heading = poses[:, 2] + turn1
    x, y = poses[:, 0] + forward * np.cos(heading), poses[:, 1] + forward * np.sin(heading)
    return np.stack([x, y, wrap_angle(heading + turn2)], axis=-1)


def _omni(poses: Array, step: Pose2, noise: Array, a: Alphas, corrected: bool) -> Array:
    way, turn = hypot(step.x, step.y), step.yaw
    by_turn, of_turn = (a.alpha4, a.alpha1) if corrected else (a.alpha1, a.alpha4)
    along = way + noise[0] * _deviation(a.alpha3 * way**2 + by_turn * turn**2, corrected)
    across = noise[1] * _deviation(by_turn * turn**2 + a.alpha5 * way**2, corrected)
    turned = turn + noise[2] * _deviation(of_turn * turn**2 + a.alpha2 * way**2, corrected)
    bearing = poses[:, 2] + atan2(step.y, step.x)
    c, s = np.cos(bearing), np.sin(bearing)
    x, y = poses[:, 0] + along * c - across * s, poses[:, 1] + along * s + across * c
    return np.stack([x, y, wrap_angle(poses[:, 2] + turned)], axis=-1)


def _from_straight(turn: float) -> float:
    """Return how far a turn leads away from straight ahead or straight back [rad]."""
    c, s = cos(turn), sin(turn)
    return min(abs(atan2(s, c)), pi - abs(atan2(s, c)))


def _deviation(variance: float, corrected: bool) -> float:
    return sqrt(variance) if corrected else variance
