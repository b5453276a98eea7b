"""When an object is where on its path: the fastest way along it inside limits, from rest to rest.

The path is cut into short cells. Each gets a ceiling, the highest speed that its bends, its turns
and the caller's own limits allow. A pass forwards and one backwards then hold the acceleration.
In between, the square of the speed is linear in the arc length, so each phase has a constant
acceleration and the times are exact: a straight line takes what the closed form says.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput
from mecano.kinematics.wheels import WheelLayout
from mecano.planning.path_parts import SMOOTH, Kink, PathPoint
from mecano.planning.paths import PathCurve
from mecano.planning.timed_paths import MODES, Mode, Slowing, TimedPath, TurnOnTheSpot

Ceiling = float | Callable[[PathPoint], ArrayLike]
"""The highest speed [m/s], everywhere or as a function of many places at once, shape (...)."""

PLACES = np.array([1e-3, 0.25, 0.5, 0.75, 1.0 - 1e-3])
"""Where in a cell its ceiling is looked for, as parts of the cell."""

MOST_TURN = 0.05
"""Cells are cut until the tangent turns by no more than this inside one [rad]."""


@dataclass(frozen=True, kw_only=True)
class PathLimits:
    """How fast an object may follow a path."""

    velocity: float
    """The asked speed [m/s]."""
    acceleration: float
    """Along the path, speeding up and braking [m/s2]."""
    lateral_acceleration: float | None = None
    """Across the path, in bends [m/s2]. None takes `acceleration`; infinite for no limit."""
    turn_velocity: float = 1.5
    """Of the orientation, on the way and on the spot [rad/s]; infinite for no limit on the way."""
    turn_acceleration: float = 3.0
    """Of a turn on the spot [rad/s2]; not held while driving."""
    corner_tolerance: float = 0.0
    """How far the object may cut a corner [m]. 0 stops at each. The motion itself goes into the
    corner and its velocity jumps there: by as much as an object with `acceleration` rounds off
    inside the tolerance."""

    def __post_init__(self) -> None:
        _require_positive(self, "velocity", "m/s")
        _require_positive(self, "acceleration", "m/s2")
        if self.lateral_acceleration is not None:
            _require_positive(self, "lateral_acceleration", "m/s2", infinite=True)
        _require_positive(self, "turn_velocity", "rad/s", infinite=True)
        _require_positive(self, "turn_acceleration", "rad/s2")
        finite_number(self.corner_tolerance, name="corner_tolerance [m]", lower=0.0)


def pace_path(
    path: PathCurve,
    limits: PathLimits,
    *,
    mode: Mode = "position and orientation",
    ceilings: Mapping[str, Ceiling] | None = None,
    step: float | None = None,
) -> TimedPath:
    """Return the fastest motion along a path inside limits, from rest to rest.

    It stops at corners (see `PathLimits.corner_tolerance`) and, where the orientation jumps, turns
    on the spot. What kept it from the asked speed stands in `slowed`.

    Args:
        path: Where to go; a closed one is gone round once.
        limits: How fast.
        mode: "position", or "position and orientation".
        ceilings: Further highest speeds, by the reason that is given where one of them slows the
            motion down, for example {"the wheels": wheel_ceiling(...)}.
        step: Length of the cells [m]; None takes a thousandth of the path, at most 5 mm; in tight
            bends they are shorter. Ceilings are held at five places of each.
    """
    if mode not in MODES:
        raise InvalidInput(f"mode is {mode!r}, allowed: {', '.join(map(repr, MODES))}")
    oriented = mode != "position"
    if oriented and not path.oriented:
        raise InvalidInput(
            'the path has no orientations; follow it with mode "position", or give its points as '
            "poses"
        )
    if step is None:
        step = max(min(path.length / 1000, 0.005), path.length / 20_000)
    nodes = _finer_in_bends(path, path.marks(step))
    cells = np.diff(nodes)
    places = path.at(nodes[:-1, None] + cells[:, None] * PLACES)
    if not oriented:
        places = replace(places, orientation=None, turning=None)
    speeds, which, reasons = _ceilings(places, limits, ceilings or {})
    squares, top = _at_nodes(speeds**2), speeds.min(axis=-1)

    kinks = [kink for kink in path.kinks if kink.s < path.length]
    held = squares.copy()
    held[[0, -1]] = 0.0
    slowed = []
    for kink in kinks:
        node, speed = int(np.abs(nodes - kink.s).argmin()), _corner_speed(kink, limits, oriented)
        if speed**2 < held[node]:
            held[node] = speed**2
            slowed.append(Slowing(kink.s, speed, _corner_text(kink, oriented)))
    gains = 2.0 * limits.acceleration * cells
    for i in range(len(cells)):
        held[i + 1] = min(held[i + 1], held[i] + gains[i])
    for i in range(len(cells) - 1, -1, -1):
        held[i] = min(held[i], held[i + 1] + gains[i])

    slowed += _bends(nodes, squares, held, top, which, reasons, limits.velocity)
    s, v2 = _with_switches(nodes, squares, held, limits.acceleration)
    highest = math.sqrt(v2.max())
    if not slowed and highest < limits.velocity * (1.0 - 1e-9):
        where = float(s[v2.argmax()])
        text = f"{path.length:.3g} m are too short for more at {limits.acceleration:g} m/s2"
        slowed = [Slowing(where, highest, text, "reaches only")]
    turns = [kink for kink in kinks if oriented and np.linalg.norm(kink.turn) > SMOOTH]
    return _timed(path, mode, s, v2, turns, limits, tuple(sorted(slowed, key=lambda x: x.s)))


def wheel_ceiling(
    layout: WheelLayout, fastest: float, *, heading: float | None = None
) -> Callable[[PathPoint], Array]:
    """Return the ceiling that keeps every wheel below a rate.

    Args:
        layout: The wheels.
        fastest: Highest rate of a wheel [rad/s]; leave some to the feedback.
        heading: Of the base, where only the position is followed and the path has none [rad].
    """
    fastest = finite_number(fastest, name="highest rate of the wheels [rad/s]")
    if fastest <= 0.0:
        raise InvalidInput(f"highest rate of the wheels is {fastest:g} rad/s, give a positive one")

    def ceiling(point: PathPoint) -> Array:
        if not point.planar:
            raise InvalidInput("wheels follow paths on the floor; this one is in space")
        yaw = heading if point.orientation is None else point.orientation
        if yaw is None:
            raise InvalidInput(
                "the wheels need the heading of the base, and only the position is followed; "
                "give wheel_ceiling(..., heading=...)"
            )
        c, s = np.cos(yaw), np.sin(yaw)
        x, y = point.tangent[..., 0], point.tangent[..., 1]
        turning = np.zeros_like(x) if point.turning is None else point.turning
        per_metre = np.abs(layout.rates(np.stack([c * x + s * y, c * y - s * x, turning], axis=-1)))
        return fastest / np.maximum(per_metre.max(axis=-1), 1e-12)

    return ceiling


# --- ceilings


def _finer_in_bends(path: PathCurve, nodes: Array) -> Array:
    """Return the nodes with further ones, until the tangent turns little in each cell."""
    for _ in range(8):
        cells = np.diff(nodes)
        inside = path.at(nodes[:-1, None] + cells[:, None] * PLACES)
        bent = cells * np.linalg.norm(inside.bending, axis=-1).max(axis=1)
        swung = np.linalg.norm(inside.tangent[:, -1] - inside.tangent[:, 0], axis=-1)
        wide = np.flatnonzero(np.maximum(bent, swung) > MOST_TURN)
        if not len(wide):
            break
        quarters = nodes[wide, None] + cells[wide, None] * np.array([0.25, 0.5, 0.75])
        nodes = np.sort(np.append(nodes, quarters))
    return nodes


def _ceilings(
    places: PathPoint, limits: PathLimits, more: Mapping[str, Ceiling]
) -> tuple[Array, Array, list[Callable[[int], str]]]:
    """Return the ceilings [m/s], the reason of each cell by number, and the texts of reasons."""
    across = limits.lateral_acceleration or limits.acceleration
    bend = np.linalg.norm(places.bending, axis=-1)
    rows = [np.full(bend.shape, limits.velocity), np.sqrt(across / np.maximum(bend, 1e-300))]
    reasons: list[Callable[[int], str]] = [
        lambda i: "",
        lambda i: f"bend of radius {1.0 / bend[i].max():.2g} m, {across:g} m/s2 across",
    ]
    if places.turning is not None:
        turning = np.abs(places.turning)
        if not places.planar:
            turning = np.linalg.norm(turning, axis=-1)
        rows.append(limits.turn_velocity / np.maximum(turning, 1e-300))
        reasons.append(
            lambda i: (
                f"turns {math.degrees(turning[i].max()):.0f} degrees per metre, "
                f"at {limits.turn_velocity:g} rad/s"
            )
        )
    for name, ceiling in more.items():
        rows.append(_own_ceiling(name, ceiling, places))
        reasons.append(lambda i, name=name: name)
    which = np.argmin([row.min(axis=-1) for row in rows], axis=0)
    return np.min(rows, axis=0), which, reasons


def _at_nodes(inside: Array) -> Array:
    """Return squared ceilings at the nodes from those at `PLACES`, (n, 5) to (n + 1,).

    Straight lines between the nodes stay below all of them.
    """

    def lower(left: Array, right: Array) -> Array:
        return np.minimum(np.append(left, np.inf), np.append(np.inf, right))

    nodes = lower(inside[:, 0], inside[:, -1])
    line = nodes[:-1, None] + np.diff(nodes)[:, None] * PLACES
    over = np.minimum((inside / line).min(axis=1), 1.0)
    smooth = over > 0.99  # otherwise it jumps inside the cell, and the whole cell takes the lowest
    scale = lower(np.where(smooth, over, 1.0), np.where(smooth, over, 1.0))
    lowest = np.where(smooth, np.inf, inside.min(axis=1))
    return np.minimum(nodes * scale, lower(lowest, lowest))


def _own_ceiling(name: str, ceiling: Ceiling, places: PathPoint) -> Array:
    given = ceiling(places) if callable(ceiling) else ceiling
    row = read_only(given, name=f"ceiling '{name}' [m/s]", finite=False)
    if row.shape not in ((), places.s.shape):
        raise InvalidInput(
            f"ceiling '{name}' returned shape {row.shape} for places of shape {places.s.shape}; "
            "return one speed for each, or one for all"
        )
    row = np.broadcast_to(row, places.s.shape)
    bad = ~(row > 0.0)  # NaN is bad too
    if bad.any():
        i = np.unravel_index(bad.argmax(), bad.shape)
        raise InvalidInput(
            f"ceiling '{name}' is {row[i]:g} m/s at {places.s[i]:.3f} m along; allowed above 0, "
            "or the path cannot be gone to its end"
        )
    return row


def _corner_speed(kink: Kink, limits: PathLimits, oriented: bool) -> float:
    """Return the highest speed through a corner [m/s]."""
    if oriented and np.linalg.norm(kink.turn) > SMOOTH:
        return 0.0
    # Rounded off at constant acceleration a, a jump dv of the velocity cuts dv^2 / 8a of the
    # corner, and dv is 2 v sin(angle / 2).
    jump = math.sqrt(8.0 * limits.acceleration * limits.corner_tolerance)
    return jump / max(2.0 * math.sin(0.5 * kink.angle), 1e-12)


def _corner_text(kink: Kink, oriented: bool) -> str:
    turn = math.degrees(np.linalg.norm(kink.turn)) if oriented else 0.0
    on_the_spot = f"turn of {turn:.0f} degrees on the spot" if turn > math.degrees(SMOOTH) else ""
    if kink.angle <= SMOOTH:
        return on_the_spot
    corner = f"corner of {math.degrees(kink.angle):.0f} degrees"
    return f"{corner}, {on_the_spot}" if on_the_spot else corner


def _bends(
    nodes: Array,
    squares: Array,
    held: Array,
    top: Array,
    which: Array,
    reasons: list[Callable[[int], str]],
    asked: float,
) -> list[Slowing]:
    """Return one remark for each stretch whose ceiling was felt, where it is lowest first."""
    low = np.where(top < asked * (1.0 - 1e-6), which, 0)
    edges = np.flatnonzero(np.diff(low)) + 1
    found = []
    for cells in np.split(np.arange(len(top)), edges):
        first, last = cells[0], cells[-1] + 2
        felt = (held[first:last] >= squares[first:last] * (1.0 - 1e-9)).any()
        if low[first] and felt:
            worst = int(cells[(top[cells] <= top[cells].min() * (1.0 + 1e-6)).argmax()])
            middle = float(0.5 * (nodes[worst] + nodes[worst + 1]))
            found.append(Slowing(middle, float(top[worst]), reasons[low[first]](worst)))
    return found


# --- times


def _with_switches(
    nodes: Array, squares: Array, held: Array, acceleration: float
) -> tuple[Array, Array]:
    """Return arc lengths and squared speeds, with the places inside cells where the phase changes.

    Inside a cell the square of the speed is the lowest of three lines: speeding up from the left
    node, the ceiling, braking to the right node.
    """
    h, a2 = np.diff(nodes), 2.0 * acceleration
    left, right, slope = held[:-1], held[1:], np.diff(squares) / np.diff(nodes)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = np.stack([
            (right - left + a2 * h) / (2.0 * a2),
            (squares[:-1] - left) / (a2 - slope),
            (right + a2 * h - squares[:-1]) / (a2 + slope),
        ], axis=1)  # fmt: skip
        inside = (crossings > 1e-6 * h[:, None]) & (crossings < (1.0 - 1e-6) * h[:, None])
    cell, _ = np.nonzero(inside)
    x = crossings[inside]
    lines = [
        left[cell] + a2 * x,
        squares[cell] + slope[cell] * x,
        right[cell] + a2 * (h[cell] - x),
    ]
    s = np.concatenate([nodes, nodes[cell] + x])
    order = np.argsort(s, kind="stable")
    s, v2 = s[order], np.concatenate([held, np.min(lines, axis=0)])[order]
    fresh = np.append(True, np.diff(s) > 0.0)
    return s[fresh], np.maximum(v2[fresh], 0.0)


def _timed(
    path: PathCurve,
    mode: Mode,
    s: Array,
    v2: Array,
    kinks: list[Kink],
    limits: PathLimits,
    slowed: tuple[Slowing, ...],
) -> TimedPath:
    """Return the motion, with a phase for each turn on the spot."""
    v = np.sqrt(v2)
    lasts = 2.0 * np.diff(s) / (v[1:] + v[:-1])
    accelerations, speeds, begins = 0.5 * np.diff(v2) / np.diff(s), v[:-1], s[:-1]
    at = [int(np.abs(begins - kink.s).argmin()) for kink in kinks]
    waits = [_turn_duration(float(np.linalg.norm(kink.turn)), limits) for kink in kinks]
    starts = np.concatenate([[0.0], np.cumsum(np.insert(lasts, at, waits))])
    turns = tuple(
        TurnOnTheSpot(kink, float(starts[i + n]), wait, limits.turn_acceleration)
        for n, (kink, i, wait) in enumerate(zip(kinks, at, waits, strict=True))
    )
    return TimedPath(
        path=path,
        mode=mode,
        slowed=slowed,
        starts=starts,
        s=np.append(np.insert(begins, at, begins[at]), s[-1]),
        speeds=np.insert(speeds, at, 0.0),
        accelerations=np.insert(accelerations, at, 0.0),
        turns=turns,
    )


def _turn_duration(angle: float, limits: PathLimits) -> float:
    ramp = min(limits.turn_velocity / limits.turn_acceleration,
               math.sqrt(angle / limits.turn_acceleration))  # fmt: skip
    return angle / (limits.turn_acceleration * ramp) + ramp


def _require_positive(limits: PathLimits, name: str, unit: str, *, infinite: bool = False) -> None:
    value = getattr(limits, name)
    if infinite and value == math.inf:
        return
    if finite_number(value, name=f"{name} [{unit}]") <= 0.0:
        raise InvalidInput(f"{name} is {value:g} {unit}, allowed above 0")
