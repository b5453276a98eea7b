"""Calibration of a chain from touched points: zero offsets of its joints, and its constant angles.

A joint whose encoder reads zero in the wrong place adds a constant to `theta` in its row of the
DH table. A constant angle of the robot, such as phi of OpenMANIPULATOR-X, stands in several rows
at once, with a sign in each. So both are sums of turns about the joints' own axes, and the
derivative of a tool point by any of them is a combination of columns of the Jacobian.

That also says what no touched point can tell. An angle that stands in the rows of joint2 (-1) and
joint3 (+1) moves every point exactly as opposite zero offsets of those joints do:

    what = "phi"      fits the angles alone; the zero offsets count as known
    what = "offsets"  fits the zero offsets alone; the angles count as known
    what = "both"     fits all that can be told: the part of the offsets that has the signs of an
                      angle is called that angle, and what is left (at right angles to it) stays
                      an offset. One number fewer is free than there are names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mecano.core.arrays import read_only
from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.dh import DHChain
from mecano.kinematics.transforms import Array

What = Literal["phi", "offsets", "both"]
Kind = Literal["offset", "angle"]
Indices = NDArray[np.intp]

LEAST_LEVER = 0.02
"""A direction of the parameters that moves the points by less than this part of what the best one
does is not identified. For OpenMANIPULATOR-X that is about 7 mm per radian: with ten points and a
noise of 1 mm it could not be found better than to 3 degrees."""
FALSE_ALARM = 0.01
"""How often a set of good points may have one called wrong."""
MISFIT_ALARM = 0.001
"""How often a fit of the angles alone may wrongly be called too narrow."""
LEAST_NOISE = 1e-6
"""Points are never taken to be better than this [m], so that round-off is no error."""
BEYOND_LIMIT = 0.35
"""How far outside its limits a joint may read [rad]: that much may its zero be off."""
REACH_MARGIN = 0.05
"""How far beyond its reach a point may lie [m]: that much may it be measured wrongly."""
METRES_AT_MOST = 2.0
"""A coordinate above this is no metre, for an arm that reaches less."""


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


def calibrate(
    chain: DHChain,
    readings: ArrayLike,
    points: ArrayLike,
    *,
    what: What = "both",
    angles: Sequence[CalibrationAngle] = (),
) -> CalibrationFit:
    """Fit zero offsets and constant angles of a chain to points its tool touched.

    Least squares over the distances between measured and computed points. A first fit with a
    soft_l1 loss ranks the points; those at its end that spoil the fit beyond chance are left out
    and named (`suspects`), one or at most one in five. The base frame, lengths and the place of the
    tool in the hand count as known.

    Args:
        chain: The arm, with the table that is to be corrected.
        readings: Joint readings at each point [rad or m]. Shape (n, joints).
        points: Tool points measured in the base frame [m]. Shape (n, 3).
        what: `phi`, `offsets` or `both`; see the top of this file.
        angles: The constant angles of the chain, with the values its table holds now.

    Returns:
        The fit. Points that do not tell all that was asked are no error: see `unidentified`.

    Raises:
        InvalidInput: Too few points, or values that cannot be readings [rad] and points [m].
    """
    readings, points = check_measurements(chain, readings, points)
    basis, report = _parameters(chain, what, angles)
    count, unknowns = len(points), basis.shape[1]
    needed = fewest_points(unknowns)
    if count < needed:
        raise InvalidInput(
            f"{count} points are too few to fit {unknowns} numbers; touch at least {needed}, "
            "better ten"
        )
    problem = _Problem(chain, readings, points)
    derivative = problem.derivative(np.zeros(len(chain.joints))) @ basis
    _, levers, directions = np.linalg.svd(derivative, full_matrices=False)
    rank = int(np.sum(levers > LEAST_LEVER * levers[0]))
    told = basis @ directions[:rank].T
    lost = report @ directions[rank:].T

    suspects = _suspects(problem, told)
    kept = np.setdiff1d(np.arange(count), suspects)
    y = problem.fit(told, kept)
    turns = told @ y
    residuals = problem.residuals(turns)
    freedom = 3 * len(kept) - rank
    squares = float(np.sum(residuals[kept] ** 2))
    noise = sqrt(squares / freedom)
    J = problem.derivative(turns).reshape(count, 3, -1)[kept].reshape(3 * len(kept), -1) @ told
    spread = report @ directions[:rank].T @ np.linalg.pinv(J)
    covariance = noise**2 * spread @ spread.T
    estimates = _estimates(chain, angles, what, report @ directions[:rank].T @ y, covariance,
                           freedom, lost)  # fmt: skip
    unidentified = tuple(each.name for each in estimates if not each.identified)
    result = CalibrationFit(
        what=what,
        chain=turned(chain, offsets=dict(zip(chain.names, turns.tolist(), strict=True))),
        estimates=estimates,
        covariance=covariance,
        residuals=residuals,
        rms_before_mm=_rms_mm(problem.residuals(np.zeros_like(turns))),
        rms_mm=_rms_mm(residuals[kept]),
        noise_mm=1000.0 * noise,
        suspects=tuple(suspects),
        rank=rank,
        unknowns=unknowns,
        unidentified=unidentified,
        warnings=(),
        notes=_notes(what, angles),
    )
    better = _better_with_offsets(problem, kept, squares) if what == "phi" else None
    return replace(result, warnings=_warnings(result, better))


def check_measurements(
    chain: DHChain, readings: ArrayLike, points: ArrayLike
) -> tuple[Array, Array]:
    """Return readings and points as arrays, or say which one cannot be right and why."""
    points = read_only(points, name="the measured points", shape=(None, 3))
    readings = read_only(readings, name="the readings", shape=(None, len(chain.joints)))
    if len(readings) != len(points):
        raise InvalidInput(f"{len(readings)} rows of readings for {len(points)} points")
    if not len(points):
        return readings, points
    reach, centre = _reach(chain)
    largest = float(np.abs(points).max())
    if largest > METRES_AT_MOST > reach:
        raise InvalidInput(
            f"a coordinate is {largest:g}, which is beyond an arm that reaches {reach:.3f} m: the "
            "points look like millimetres; give metres"
        )
    turning = np.array([joint.kind == "revolute" for joint in chain.joints])
    beyond = np.maximum(readings - chain.upper, chain.lower - readings)
    point, worst = np.unravel_index(np.argmax(np.where(turning, beyond, -inf)), beyond.shape)
    if beyond[point, worst] > BEYOND_LIMIT:
        joint, value = chain.joints[worst], readings[point, worst]
        raise InvalidInput(
            f"point {point + 1}: {joint.name} reads {value:g}, allowed [{joint.lower:.3f}, "
            f"{joint.upper:.3f}] rad: "
            + ("the readings look like degrees; give radians" if abs(value) > np.pi else
               "a wrong column, or degrees in the place of radians?")
        )  # fmt: skip
    distances = np.linalg.norm(points - centre, axis=1)
    far = int(np.argmax(distances))
    if distances[far] > reach + REACH_MARGIN:
        raise InvalidInput(
            f"point {far + 1} lies {distances[far]:.3f} m from {chain.names[0]}, the arm reaches "
            f"{reach:.3f} m; measure it again, from the base frame"
        )
    return readings, points


def fewest_points(unknowns: int) -> int:
    """Return how many points a fit needs at least: one more than would do, and never below 3."""
    return max(3, -(-unknowns // 3) + 1)


def suggest_points(
    chain: DHChain,
    n: int,
    rng: np.random.Generator,
    *,
    what: What = "both",
    angles: Sequence[CalibrationAngle] = (),
    height: float = 0.03,
    margin: float = 0.1,
    candidates: int = 2000,
) -> Array:
    """Return postures whose tool points tell the parameters well. Shape (n, joints).

    Postures are chosen one by one from random ones, so that the volume of the parameters' interval
    ellipsoid shrinks most (D-optimality), then exchanged as long as that helps. Collisions are not
    looked at.

    Args:
        chain: The arm.
        n: How many postures.
        rng: Where the random postures come from.
        what: What is to be fitted, see `calibrate`.
        angles: The constant angles of the chain.
        height: Least height of the tool and of every joint that moves up and down [m].
        margin: Distance from the joint limits, as part of the range.
        candidates: How many random postures to choose from.
    """
    basis, _ = _parameters(chain, what, angles)
    needed = fewest_points(basis.shape[1])
    if not needed <= n <= candidates // 4:
        raise InvalidInput(f"{n} postures asked for, allowed {needed} to {candidates // 4}")
    room = margin * (chain.upper - chain.lower)
    pool = rng.uniform(chain.lower + room, chain.upper - room, (candidates, len(chain.joints)))
    heights = chain.joint_frames(pool)[..., 2, 3]
    moving = np.ptp(heights, axis=0) > 1e-9
    pool = pool[(heights[:, moving] > height).all(axis=1)]
    if len(pool) < 4 * n:
        raise InvalidInput(
            f"only {len(pool)} of {candidates} random postures stay {height:g} m above the table; "
            "ask for fewer, or for less height"
        )
    J = chain.jacobian(pool)[:, :3, :] @ basis
    information = np.swapaxes(J, -1, -2) @ J
    return pool[_most_telling(information, n)]


def _most_telling(information: Array, n: int) -> list[int]:
    """Return `n` different rows whose sum has the largest determinant, as far as swaps find it."""
    size = information.shape[-1]
    little = 1e-9 * np.trace(information, axis1=1, axis2=2).max() * np.eye(size)
    chosen: list[int] = []

    def best(others: list[int]) -> int:
        volumes = np.linalg.slogdet(little + information[others].sum(axis=0) + information)[1]
        volumes[others] = -inf
        return int(np.argmax(volumes))

    for _ in range(n):
        chosen.append(best(chosen))
    for _ in range(10):
        before = list(chosen)
        for place in range(n):
            others = chosen[:place] + chosen[place + 1 :]
            chosen[place] = best(others)
        if chosen == before:
            break
    return chosen


class _Problem:
    """Points of a chain as a function of turns about its joints."""

    def __init__(self, chain: DHChain, readings: Array, points: Array) -> None:
        self.chain, self.readings, self.points = chain, readings, points

    def residuals(self, turns: Array) -> Array:
        """Return measured minus computed points [m]. Shape (n, 3)."""
        return self.points - self.chain.forward(self.readings + turns)[:, :3, 3]

    def derivative(self, turns: Array) -> Array:
        """Return the derivative of the computed points. Shape (3 n, joints)."""
        J = self.chain.jacobian(self.readings + turns)[:, :3, :]
        return J.reshape(-1, J.shape[-1])

    def fit(self, basis: Array, kept: Indices, *, scale: float | None = None) -> Array:
        """Return the combination of `basis` that fits the points `kept` best.

        With a scale [m] the loss grows linearly for residuals beyond it (soft_l1).
        """
        from scipy.optimize import least_squares

        part = _Problem(self.chain, self.readings[kept], self.points[kept])
        if not basis.shape[1]:
            return np.zeros(0)
        answer = least_squares(
            lambda y: part.residuals(basis @ y).ravel(),
            np.zeros(basis.shape[1]),
            jac=lambda y: -part.derivative(basis @ y) @ basis,  # type: ignore[arg-type]
            xtol=1e-12, ftol=1e-12, gtol=1e-12,
            method="lm" if scale is None else "trf",
            loss="linear" if scale is None else "soft_l1", f_scale=scale or 1.0,
        )  # fmt: skip
        return answer.x


def _parameters(
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


def _suspects(problem: _Problem, basis: Array) -> list[int]:
    """Return the points that spoil the fit beyond chance, in their order.

    The points are ranked by a robust fit; then one after the other is left out, and the last one
    whose leaving out made the fit better by more than chance ends the list. So a second wrong
    point does not hide the first (the generalised test of Rosner).
    """
    from scipy.special import fdtri

    count, unknowns = len(problem.points), basis.shape[1]
    most = min(max(1, count // 5), (3 * count - unknowns - 3) // 3)
    everything = np.arange(count)
    first = problem.residuals(basis @ problem.fit(basis, everything))
    scale = max(1.5 * float(np.median(np.abs(first))), 10.0 * LEAST_NOISE)
    robust = problem.residuals(basis @ problem.fit(basis, everything, scale=scale))
    order = np.argsort(-np.linalg.norm(robust, axis=1), kind="stable")
    before, wrong = float(np.sum(first**2)), 0
    for k in range(1, most + 1):
        kept = np.sort(order[k:])
        after = float(np.sum(problem.residuals(basis @ problem.fit(basis, kept))[kept] ** 2))
        freedom = 3 * len(kept) - unknowns
        variance = max(after / freedom, LEAST_NOISE**2)
        chance = fdtri(3, freedom, 1.0 - FALSE_ALARM / (count - k + 1))
        if (before - after) / 3.0 > chance * variance:
            wrong = k
        before = after
    return sorted(order[:wrong].tolist())


def _estimates(
    chain: DHChain, angles: Sequence[CalibrationAngle], what: What, values: Array,
    covariance: Array, freedom: int, lost: Array,
) -> tuple[Estimate, ...]:  # fmt: skip
    """Return the fitted numbers by name; those with a part that is lost have no interval."""
    from scipy.special import stdtrit

    widening = float(stdtrit(freedom, 0.975))
    names: list[tuple[str, Kind, float]] = []
    for angle in angles if what != "offsets" else ():
        names.append((angle.name, "angle", angle.value))
    for joint in chain.joints if what != "phi" else ():
        if joint.kind == "revolute":
            names.append((joint.name, "offset", 0.0))
    unknown = np.linalg.norm(lost, axis=1) > 0.05
    sigmas = np.where(unknown, inf, np.sqrt(np.diag(covariance)))
    return tuple(
        Estimate(name=name, kind=kind, old=old, value=old + float(value), sigma=float(sigma),
                 interval=widening * float(sigma))
        for (name, kind, old), value, sigma in zip(names, values, sigmas, strict=True)
    )  # fmt: skip


def _better_with_offsets(problem: _Problem, kept: Indices, squares: float) -> float | None:
    """Return the RMS with free zero offsets [mm] if they fit better beyond chance, else None."""
    from scipy.special import fdtri

    turning = [i for i, joint in enumerate(problem.chain.joints) if joint.kind == "revolute"]
    basis = np.eye(len(problem.chain.joints))[:, turning]
    residuals = problem.residuals(basis @ problem.fit(basis, kept))[kept]
    after, more = float(np.sum(residuals**2)), len(turning) - 1
    freedom = 3 * len(kept) - len(turning)
    if more < 1 or freedom < 1:
        return None
    variance = max(after / freedom, LEAST_NOISE**2)
    if (squares - after) / more <= float(fdtri(more, freedom, 1.0 - MISFIT_ALARM)) * variance:
        return None
    return _rms_mm(residuals)


def _warnings(fit: CalibrationFit, better: float | None) -> tuple[str, ...]:
    said = []
    for suspect in fit.suspects:
        said.append(
            f"point {suspect + 1} lies {fit.errors_mm[suspect]:.1f} mm from where the others put "
            "it; it was left out, measure it again"
        )
    if fit.unidentified:
        said.append(
            f"these points tell only {fit.rank} of {fit.unknowns} numbers: not told, or not told "
            f"apart, are {', '.join(fit.unidentified)}; touch postures that differ more"
        )
    if better is not None:
        said.append(
            f"zero offsets would fit the points better ({better:.2f} mm in the place of "
            f"{fit.rms_mm:.2f} mm); fit both"
        )
    return tuple(said)


def _notes(what: What, angles: Sequence[CalibrationAngle]) -> tuple[str, ...]:
    if what != "both":
        return ()
    return tuple(
        f"{angle.name} and zero offsets of {_with_signs(angle)} move every point alike; that part "
        f"is called {angle.name}, what is left of the offsets is listed"
        for angle in angles
    )


def _with_signs(angle: CalibrationAngle) -> str:
    return " and ".join(f"{name} ({sign:+g})" for name, sign in angle.signs.items())


def _reach(chain: DHChain) -> tuple[float, Array]:
    """Return how far the tool can be from the first joint at most [m], and where that joint is."""
    origins = chain.joint_frames(np.zeros(len(chain.joints)))[:, :3, 3]
    slides = sum(
        max(abs(joint.lower), abs(joint.upper))
        for joint in chain.joints
        if joint.kind == "prismatic"
    )
    return float(np.linalg.norm(np.diff(origins, axis=0), axis=1).sum() + slides), origins[0]


def _rms_mm(residuals: Array) -> float:
    return 1000.0 * float(np.sqrt(np.mean(np.sum(residuals**2, axis=1))))
