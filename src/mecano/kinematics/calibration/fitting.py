"""The fit itself: least squares, wrong points left out, intervals, and what was not told."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mecano.core.errors import InvalidInput
from mecano.kinematics.calibration.measurements import check_measurements
from mecano.kinematics.calibration.model import (
    CalibrationAngle,
    CalibrationFit,
    Estimate,
    Kind,
    What,
    parameters,
    turned,
)
from mecano.kinematics.calibration.points import fewest_points
from mecano.kinematics.dh import DHChain
from mecano.kinematics.transforms import Array

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
        what: `phi`, `offsets` or `both`; see `mecano.kinematics.calibration`.
        angles: The constant angles of the chain, with the values its table holds now.

    Returns:
        The fit. Points that do not tell all that was asked are no error: see `unidentified`.

    Raises:
        InvalidInput: Too few points, or values that cannot be readings [rad] and points [m].
    """
    readings, points = check_measurements(chain, readings, points)
    basis, report = parameters(chain, what, angles)
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


def _rms_mm(residuals: Array) -> float:
    return 1000.0 * float(np.sqrt(np.mean(np.sum(residuals**2, axis=1))))
