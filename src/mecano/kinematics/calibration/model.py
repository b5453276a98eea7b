"""What a calibration is about: angles, offsets, and how they turn the joints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Literal, get_args

import numpy as np

from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.dh import DHChain
from mecano.kinematics.transforms import Array

What = Literal["phi", "offsets", "both"]
Kind = Literal["offset", "angle"]


@dataclass(frozen=True, kw_only=True)
class CalibrationAngle:
    """A constant angle of a robot that stands in several rows of its DH table."""

    name: str
    value: float
    """By the description [rad]."""
    signs: dict[str, float]
    """What `theta` of each joint named grows by, per radian of the angle."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One number that was fitted."""

    name: str
    """Of the joint whose zero it is, or of the angle."""
    kind: Kind
    old: float
    """Before the fit [rad]; zero for an offset."""
    value: float
    """After the fit [rad]."""
    sigma: float
    """Standard deviation [rad]; infinite where the points do not tell it."""
    interval: float
    """Half width of the 95 % interval [rad]; infinite where the points do not tell it."""

    @property
    def identified(self) -> bool:
        """Whether the points tell this number at all."""
        return self.interval < inf


@dataclass(frozen=True, kw_only=True, eq=False)
class CalibrationFit:
    """What the touched points say about a chain."""

    what: What
    chain: DHChain
    """The chain with the calibrated table."""
    estimates: tuple[Estimate, ...]
    """Angles first, then offsets from base to tool."""
    covariance: Array
    """Of the estimates, in their order [rad2]; of the identified part where some are not."""
    residuals: Array
    """Measured minus computed points after the fit [m]. Shape (n, 3)."""
    rms_before_mm: float
    """Root mean square distance between measured and computed points, all points [mm]."""
    rms_mm: float
    """The same after the fit, without the suspects [mm]."""
    noise_mm: float
    """Estimated standard deviation of one coordinate of a point [mm]."""
    suspects: tuple[int, ...]
    """Points (counted from 0) that look wrong; they were left out of the fit."""
    rank: int
    """How many independent numbers the points tell."""
    unknowns: int
    """How many the fit asked for."""
    unidentified: tuple[str, ...]
    """Names of the estimates that these points do not tell."""
    warnings: tuple[str, ...]
    """What a person should know before the numbers are used, one sentence each."""
    notes: tuple[str, ...]
    """What was decided where the points leave a choice, one sentence each."""

    @property
    def offsets(self) -> dict[str, float]:
        """Zero offsets by joint [rad]: added to a reading they give the true joint value."""
        return {each.name: each.value for each in self.estimates if each.kind == "offset"}

    @property
    def angles(self) -> dict[str, float]:
        """Constant angles by name [rad]."""
        return {each.name: each.value for each in self.estimates if each.kind == "angle"}

    @property
    def errors_mm(self) -> Array:
        """Distance between measured and computed point after the fit [mm]. Shape (n,)."""
        return 1000.0 * np.linalg.norm(self.residuals, axis=1)


def turned(
    chain: DHChain,
    *,
    offsets: Mapping[str, float] | None = None,
    changes: Mapping[str, float] | None = None,
    angles: Sequence[CalibrationAngle] = (),
) -> DHChain:
    """Return a chain whose table has other zero offsets and constant angles.

    Args:
        chain: The arm.
        offsets: By joint, added to `theta` [rad].
        changes: By angle, how far it lies from what the table holds now [rad].
        angles: The angles that `changes` may name.
    """
    turns = dict.fromkeys(chain.names, 0.0)
    for joint, offset in (offsets or {}).items():
        if joint not in turns:
            raise UnknownName("joint", joint, chain.names)
        turns[joint] += offset
    known = {angle.name: angle for angle in angles}
    for name, change in (changes or {}).items():
        if name not in known:
            raise UnknownName("angle", name, known)
        for joint, sign in known[name].signs.items():
            turns[joint] += sign * change
    rows = (replace(joint, theta=joint.theta + turns[joint.name]) for joint in chain.joints)
    return replace(chain, joints=tuple(rows))


def parameters(
    chain: DHChain, what: What, angles: Sequence[CalibrationAngle]
) -> tuple[Array, Array]:
    """Return how free numbers turn the joints, and how they make up the estimates.

    Shapes (joints, free numbers) and (estimates, free numbers).
    """
    if what not in get_args(What):
        raise UnknownName("calibration", what, get_args(What))
    signs = _signs(chain, angles)
    turning = [i for i, joint in enumerate(chain.joints) if joint.kind == "revolute"]
    zeros = np.eye(len(chain.joints))[:, turning]
    if what == "phi":
        if not angles:
            raise InvalidInput("this chain has no constant angle to fit; fit its zero offsets")
        return signs, np.eye(len(angles))
    if what == "offsets" or not angles:
        return zeros, np.eye(len(turning))
    _, _, directions = np.linalg.svd(signs[turning].T)
    rest = directions[len(angles) :].T
    report = np.zeros((len(angles) + len(turning), len(turning)))
    report[: len(angles), : len(angles)] = np.eye(len(angles))
    report[len(angles) :, len(angles) :] = rest
    return np.hstack([signs, zeros @ rest]), report


def _signs(chain: DHChain, angles: Sequence[CalibrationAngle]) -> Array:
    """Return what each angle turns each joint by. Shape (joints, angles)."""
    signs = np.zeros((len(chain.joints), len(angles)))
    for column, angle in enumerate(angles):
        for name, sign in angle.signs.items():
            if name not in chain.names:
                raise UnknownName("joint", name, chain.names)
            row = chain.names.index(name)
            if chain.joints[row].kind != "revolute":
                raise InvalidInput(f"{angle.name} cannot be an angle of {name}, which slides")
            signs[row, column] = sign
    if angles and np.linalg.matrix_rank(signs) < len(angles):
        names = ", ".join(angle.name for angle in angles)
        raise InvalidInput(f"the angles {names} turn the same joints; they are not independent")
    return signs
