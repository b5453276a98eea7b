"""Numbers that describe how a servo follows: delay, offset at rest, friction.

Each looks at one joint of one run, and knows nothing of the other run. The errors are standard
errors of the fit by blocks of time, so that neighbouring rows do not count as many witnesses. They
speak of noise, not of what the fit leaves out.
"""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array

BLOCK = 0.5
"""Rows nearer than this are not independent [s]."""
SMOOTHING = 0.09
"""Length of the filter on readings before they are differentiated [s]."""
LONGEST_DELAY = 0.3
"""A delay is looked for up to this [s]."""
SOFT_SIGN = 0.05
"""Speed at which the smoothed sign of a speed is three quarters [rad/s or m/s]."""
STILL_SPEED = 0.02
"""Targets slower than this do not show a delay [rad/s or m/s]."""
SLIDING = 0.25
"""Faster than this a joint surely slides [rad/s]: what sticks (Stribeck, play) has faded."""
LEAST_ROWS = 50
"""Rows that a fit needs."""
SHORTEST_REST = 0.3
"""Of the targets [s]; the second half of a rest is looked at."""
SETTLED = 0.02
"""A joint that drifts slower than this has settled [rad/s or m/s]."""
ALIKE_SPEEDS = 30.0
"""Condition of the friction fit from which Coulomb and viscous friction are not told apart."""
HUBER = 1.345
"""Residuals beyond this many spreads count less: 95 % efficient on clean data."""


class NotEstimated(Exception):
    """The data do not hold a number; the message says why, and what to run."""


@dataclass(frozen=True)
class Estimate:
    """A number and its standard error."""

    value: float
    error: float


@dataclass(frozen=True, kw_only=True)
class Delay:
    """How far a joint is behind its target, by two ways of looking [s]."""

    fit: Estimate
    """From least squares, with what friction and play do to the position set apart."""
    correlation: float
    """From the cross-correlation of the speeds."""


@dataclass(frozen=True, kw_only=True)
class Rest:
    """How far a joint stands from its target when both rest [rad or m]."""

    offset: Estimate
    """What does not depend on the side it came from."""
    hysteresis: Estimate | None
    """Half of what does: the dead zone of friction and play. None if it came from one side."""
    rests: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Friction:
    """Friction of a joint that slides, by its effort."""

    coulomb: Estimate
    """[N m]."""
    viscous: Estimate
    """[N m s/rad]."""
    load_scale: float
    """Effort over the torque of the model: 1 if masses and motor constant are right."""
    velocity: Array
    """Of the rows that were used [rad/s]."""
    torque: Array
    """Effort less the load and the constant, of these rows [N m]: what the fit is drawn through."""


def estimate_delay(times: Array, target: Array, real: Array) -> Delay:
    """Return how far `real` is behind `target`. Arrays at equal steps; NaN targets are left out.

    The fit is real(t) = target(t - delay) + c + h sign(speed) + m acceleration: Coulomb friction
    and play shift a position by the same amount at every speed, a delay does not.
    """
    step = float(times[1] - times[0])
    if np.isfinite(target).sum() < LEAST_ROWS:
        raise NotEstimated("it was not told where to be (speeds or torques)")
    speed = np.gradient(target, step)
    if np.nanmax(np.abs(np.diff(target))) > 0.2 * (np.nanmax(target) - np.nanmin(target)):
        raise NotEstimated("its target jumps, and a delay needs one that moves")
    rough = _correlation_delay(target, real, step)
    delay, fit = rough, None
    for _ in range(6):
        late = [np.interp(times - delay, times, each) for each in (target, speed)]
        late.append(np.gradient(late[1], step))
        use = (np.abs(late[1]) > STILL_SPEED) & np.isfinite(late[0] + late[2])
        if use.sum() < LEAST_ROWS:
            raise NotEstimated("its target moves for too short a time")
        position, velocity, acceleration = (each[use] for each in late)
        columns = [-velocity, np.ones(use.sum()), np.tanh(velocity / SOFT_SIGN), acceleration]
        fit = _Fit.of(np.stack(columns, axis=1), real[use] - position, times[use])
        delay += float(np.clip(fit.values[0], -0.05, 0.05))
    assert fit is not None
    return Delay(fit=Estimate(delay, fit.errors[0]), correlation=rough)


def _correlation_delay(target: Array, real: Array, step: float) -> float:
    """Return the lag at which the speeds are most alike, between the rows by a parabola [s]."""
    told, did = (np.nan_to_num(np.gradient(each, step)) for each in (target, real))
    most = round(LONGEST_DELAY / step)
    if len(told) < 4 * most:
        raise NotEstimated("the run is too short")
    lags = np.arange(-most, most + 1)
    middle = did[most : len(did) - most]
    alike = np.array([told[most - lag : len(told) - most - lag] @ middle for lag in lags])
    best = int(np.clip(np.argmax(alike), 1, len(lags) - 2))
    left, peak, right = alike[best - 1 : best + 2]
    bend = left - 2.0 * peak + right
    return float(lags[best] + (0.5 * (left - right) / bend if bend < 0.0 else 0.0)) * step


def find_rests(targets: Array, step: float) -> list[tuple[int, int]]:
    """Return first and last row of each time in which all targets rest, the first time aside."""
    told = targets[:, np.isfinite(targets).any(axis=0)]
    still = np.r_[False, np.abs(np.diff(told, axis=0)).max(axis=1) < 1e-6, False]
    edges = np.flatnonzero(np.diff(still.astype(int)))
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [(int(a), int(b)) for a, b in pairs if (b - a) * step >= SHORTEST_REST and a > 0]


def estimate_rest(target: Array, real: Array, rests: list[tuple[int, int]], step: float) -> Rest:
    """Return how far a joint stands from its target in the second half of each rest.

    The sides it came from are balanced: a joint that friction or play stops short of its target
    is short by the same from below and from above, a wrong zero is not.
    """
    errors, sides = [], []
    for begin, end in rests:
        half = slice((begin + end) // 2, end)
        drift = abs(real[half][-3:].mean() - real[half][:3].mean()) / ((end - begin) / 2 * step)
        others = np.flatnonzero(np.abs(target[:begin] - target[end - 1]) > 1e-3)
        if drift < SETTLED and len(others):
            errors.append(float((real[half] - target[half]).mean()))
            sides.append(float(np.sign(target[end - 1] - target[others[-1]])))
    if len(errors) < 3:
        raise NotEstimated(f"it settled {len(errors)} times, 3 are needed; add rests of 0.5 s")
    x, both = np.array(sides), min(sides.count(1.0), sides.count(-1.0)) >= 2
    columns = np.stack([np.ones(len(x)), x], axis=1) if both else np.ones((len(x), 1))
    apart = 2.0 * BLOCK * np.arange(len(errors), dtype=np.float64)  # each rest is a witness
    fit = _Fit.of(columns, np.array(errors), apart, robust=False)
    values = [Estimate(*pair) for pair in zip(fit.values, fit.errors, strict=True)]
    return Rest(offset=values[0], hysteresis=values[1] if both else None, rests=len(errors))


def smoothed(values: Array, step: float, *, derivative: int = 0) -> Array:
    """Return readings (or their derivative) without noise and without delay. Rows are times."""
    from scipy.signal import savgol_filter

    length = 2 * max(2, round(SMOOTHING / step / 2)) + 1
    options = {"deriv": derivative, "delta": step, "axis": 0, "mode": "nearest"}
    filtered = savgol_filter(values, length, 2, **options)
    return np.asarray(filtered, np.float64)


def estimate_friction(times: Array, velocity: Array, effort: Array, load: Array) -> Friction:
    """Return Coulomb and viscous friction of one joint.

    Args:
        times: At equal steps [s].
        velocity: Smoothed [rad/s].
        effort: Of the motor, smoothed like the velocity [N m].
        load: What the model says that gravity and inertia take [N m].
    """
    use = np.abs(velocity) > SLIDING
    use[:5] = use[-5:] = False
    if min((velocity[use] > 0).sum(), (velocity[use] < 0).sum()) < LEAST_ROWS:
        raise NotEstimated(
            f"it did not move faster than {SLIDING} rad/s both ways for {LEAST_ROWS} ticks"
        )
    v, y = velocity[use], effort[use]
    if not np.isfinite(y).all() or not np.ptp(effort):
        raise NotEstimated("its effort was not recorded")
    columns = np.stack([np.sign(v), v, load[use], np.ones(len(v))], axis=1)
    scaled = columns[:, :2] / np.linalg.norm(columns[:, :2], axis=0)
    if np.linalg.cond(scaled) > ALIKE_SPEEDS:
        raise NotEstimated("it always moved at one speed; Coulomb and viscous look the same then")
    fit = _Fit.of(columns, y, times[use])
    values = [Estimate(*pair) for pair in zip(fit.values, fit.errors, strict=True)]
    rest = y - columns[:, 2:] @ fit.values[2:]
    return Friction(
        coulomb=values[0],
        viscous=values[1],
        load_scale=float(fit.values[2]),
        velocity=v,
        torque=rest,
    )


@dataclass(frozen=True, eq=False)
class _Fit:
    """A linear fit that outliers pull little, with errors from blocks of time."""

    values: list[float]
    errors: list[float]

    @classmethod
    def of(cls, columns: Array, y: Array, times: Array, *, robust: bool = True) -> "_Fit":
        weights = np.ones(len(y))
        values = residual = np.zeros(0)
        for _ in range(15 if robust else 1):
            root = np.sqrt(weights)
            values = np.linalg.lstsq(columns * root[:, None], y * root, rcond=None)[0]
            residual = y - columns @ values
            spread = 1.4826 * np.median(np.abs(residual)) + 1e-12
            weights = np.minimum(1.0, HUBER * spread / np.maximum(np.abs(residual), 1e-15))
        if not robust:
            weights = np.ones(len(y))
        pulls = columns * (weights * residual)[:, None]
        blocks = np.unique(np.floor(times / BLOCK + 1e-9), return_inverse=True)[1]
        sums = np.zeros((blocks.max() + 1, columns.shape[1]))
        np.add.at(sums, blocks, pulls)
        inverse = np.linalg.pinv((columns * weights[:, None]).T @ columns)
        few = len(sums) / max(len(sums) - columns.shape[1], 1)
        covariance = few * inverse @ sums.T @ sums @ inverse
        return cls(values.tolist(), np.sqrt(np.maximum(np.diag(covariance), 0.0)).tolist())
