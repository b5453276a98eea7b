"""Wheeled bases of any layout: from the motion of the base to the rates of its wheels, and back.

A wheel that turns at a rate imposes one thing on the ground below it: along the axis of the roller
that touches the ground (for a plain wheel: along its rolling direction), base and wheel must move
alike; across that axis the roller is free. A plain wheel also keeps the base from sliding
sideways. Written down for every wheel, that makes two matrices: `to_rates` and `to_twist`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import cos, isfinite, pi, sin

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput, UnknownName

MOTIONS = ("drive forwards", "strafe", "turn")


@dataclass(frozen=True, kw_only=True)
class Wheel:
    """One wheel, seen from above in the frame of the base: x forward, y left."""

    name: str
    x: float
    """Where it touches the ground [m]."""
    y: float
    radius: float
    """[m]."""
    direction: float = 0.0
    """Where the base goes there when the wheel turns positively: 0 forward, pi/2 left [rad]."""
    roller: float | None = None
    """Angle of the axis of the roller on the ground against `direction` [rad]: pi/2 would not drive
    at all, +-pi/4 are mecanum wheels, 0 is an omni wheel. None for a plain wheel, which rolls only
    straight on."""

    def __post_init__(self) -> None:
        for name in ("x", "y", "direction"):
            finite_number(getattr(self, name), name=f"wheel {self.name}: {name}")
        finite_number(self.radius, name=f"wheel {self.name}: radius [m]", lower=1e-6)
        if self.roller is not None and abs(cos(self.roller)) < 1e-6:
            raise InvalidInput(
                f"wheel {self.name}: the roller turns about the axle's own direction, so the wheel "
                "spins without driving; an angle other than pi/2 is needed"
            )

    @property
    def _grip(self) -> tuple[float, float]:
        """Direction along which wheel and ground move alike."""
        angle = self.direction + (self.roller or 0.0)
        return cos(angle), sin(angle)

    @property
    def rate_row(self) -> tuple[float, float, float]:
        """What each part of a twist (vx, vy, wz) adds to the rate of this wheel."""
        gx, gy = self._grip
        pull = self.radius * cos(self.roller or 0.0)
        return gx / pull, gy / pull, (self.x * gy - self.y * gx) / pull

    @property
    def sideways_row(self) -> tuple[float, float, float] | None:
        """The twist that a plain wheel forbids, as a row that must give zero; None for rollers."""
        if self.roller is not None:
            return None
        sx, sy = -sin(self.direction), cos(self.direction)
        return sx, sy, self.x * sy - self.y * sx


@dataclass(frozen=True, eq=False)
class WheelLayout:
    """The wheels of a base."""

    wheels: tuple[Wheel, ...]

    def __post_init__(self) -> None:
        if not self.wheels:
            raise InvalidInput("a base needs at least one wheel")
        if len({wheel.name for wheel in self.wheels}) != len(self.wheels):
            raise InvalidInput(f"two wheels have one name: {[w.name for w in self.wheels]}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the wheels, in the order of the rates."""
        return tuple(wheel.name for wheel in self.wheels)

    @cached_property
    def to_rates(self) -> Array:
        """From a twist (vx, vy, wz) [m/s, rad/s] to wheel rates [rad/s]. Shape (n, 3)."""
        return np.array([wheel.rate_row for wheel in self.wheels])

    @cached_property
    def forbidden(self) -> Array:
        """Rows that are zero for every twist the plain wheels allow. Shape (k, 3)."""
        rows = [row for wheel in self.wheels if (row := wheel.sideways_row) is not None]
        return np.array(rows).reshape(-1, 3)

    @cached_property
    def to_twist(self) -> Array:
        """From wheel rates to the twist that fits them best. Shape (3, n).

        Wheels that contradict each other slip; the twist then is the one of least squares, and
        plain wheels do not slide sideways.
        """
        allowed = _null_space(self.forbidden)
        return allowed @ np.linalg.pinv(self.to_rates @ allowed)

    @cached_property
    def possible(self) -> Array:
        """Twists that the wheels can make, as orthonormal columns. Shape (3, k)."""
        allowed = _null_space(self.forbidden)
        left, sizes, _ = np.linalg.svd(allowed @ (np.linalg.pinv(self.to_rates @ allowed)))
        return left[:, : int((sizes > 1e-9 * max(sizes[0], 1e-300)).sum())]

    @property
    def missing(self) -> tuple[str, ...]:
        """What the base cannot do, in words: a plain two-wheeler cannot strafe."""
        able = self.possible @ self.possible.T
        return tuple(motion for i, motion in enumerate(MOTIONS) if abs(able[i, i] - 1.0) > 1e-6)

    def require(self, *motions: str) -> None:
        """Raise if the base cannot do one of `MOTIONS`, saying which."""
        for motion in motions:
            if motion not in MOTIONS:
                raise UnknownName("motion", motion, MOTIONS)
        lost = [motion for motion in motions if motion in self.missing]
        if lost:
            plain = all(wheel.roller is None for wheel in self.wheels)
            hint = "they have no rollers" if plain else "look at the roller angles"
            raise InvalidInput(
                f"with these wheels the base cannot {' or '.join(lost)}: "
                f"their matrix has rank {self.possible.shape[1]} of 3; {hint}"
            )

    def rates(self, twist: ArrayLike) -> Array:
        """Return wheel rates [rad/s] for a twist (vx, vy, wz). Shape (..., 3) to (..., n)."""
        return _product(_rows_of(twist, 3, "a twist (vx, vy, wz)"), self.to_rates.T)

    def twist(self, rates: ArrayLike) -> Array:
        """Return the twist (vx, vy, wz) that wheel rates make. Shape (..., n) to (..., 3)."""
        return _product(_rows_of(rates, len(self.wheels), "wheel rates"), self.to_twist.T)

    def scaled(self, twist: ArrayLike, fastest: float) -> Array:
        """Return the twist, slowed down as a whole until no wheel turns faster than that [rad/s].

        The path keeps its shape; clipping single wheels would bend it.
        """
        finite_number(fastest, name="fastest wheel [rad/s]", lower=0.0)
        twist = np.asarray(twist, float)
        highest = float(np.abs(self.rates(twist)).max())
        return twist if highest <= fastest else twist * (fastest / highest)


def differential(
    *, radius: float, separation: float, names: Sequence[str] = ("left", "right")
) -> WheelLayout:
    """Return two plain wheels on one axle, the left one first [m]."""
    left, right = names
    return WheelLayout((
        Wheel(name=left, x=0.0, y=0.5 * separation, radius=radius),
        Wheel(name=right, x=0.0, y=-0.5 * separation, radius=radius),
    ))  # fmt: skip


def mecanum(
    *,
    radius: float,
    wheelbase: float,
    track: float,
    names: Sequence[str] = ("fl", "fr", "bl", "br"),
) -> WheelLayout:
    """Return four mecanum wheels in a rectangle, all of which roll forward when they turn.

    The axes of the rollers that touch the ground lean in turn: +45 degrees against forward at front
    right and back left, -45 degrees at the other two. With one angle for all four the base could
    not strafe.

    Args:
        radius: Of the wheels [m].
        wheelbase: Front axle to back axle [m].
        track: Left wheels to right wheels [m].
        names: Front left, front right, back left, back right.
    """
    finite_number(wheelbase, name="wheelbase [m]", lower=1e-6)
    finite_number(track, name="track [m]", lower=1e-6)
    x, y = 0.5 * wheelbase, 0.5 * track
    corners = ((x, y, -1.0), (x, -y, 1.0), (-x, y, 1.0), (-x, -y, -1.0))
    return WheelLayout(tuple(
        Wheel(name=name, x=at_x, y=at_y, radius=radius, roller=lean * pi / 4)
        for name, (at_x, at_y, lean) in zip(names, corners, strict=True)
    ))  # fmt: skip


def omni(
    *, radius: float, distance: float, angles: Sequence[float], names: Sequence[str]
) -> WheelLayout:
    """Return omni wheels on a circle, each with its axle along the circle's radius.

    A wheel that turns positively about its axle, which points outwards, drives the base a quarter
    turn to the right of that axle. Equal positive rates therefore turn the base clockwise.

    Args:
        radius: Of the wheels [m].
        distance: Of the wheels from the middle of the base [m].
        angles: Where they stand on the circle: 0 in front, pi/2 on the left [rad].
        names: One for each.
    """
    finite_number(distance, name="distance [m]", lower=1e-6)
    if len(angles) != len(names):
        raise InvalidInput(
            f"{len(angles)} angles and {len(names)} names of omni wheels; each wheel has one"
        )
    return WheelLayout(tuple(
        Wheel(
            name=name, x=distance * cos(angle), y=distance * sin(angle), radius=radius,
            direction=angle - pi / 2, roller=0.0,
        )
        for name, angle in zip(names, angles, strict=True)
    ))  # fmt: skip


def _rows_of(values: ArrayLike, size: int, what: str) -> Array:
    """Return numbers as rows of a size, or say that they are none. Shape (..., size)."""
    try:
        rows = np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        rows = np.empty(0)
    if not rows.ndim or rows.shape[-1] != size or not _all_finite(rows):
        raise InvalidInput(f"{what} has {size} finite numbers, got {values!r}")
    return rows


def _product(rows: Array, matrix: Array) -> Array:
    """Return rows times a matrix; for one row `dot` gives the same bits in half the time."""
    return rows.dot(matrix) if rows.ndim == 1 else rows @ matrix


def _all_finite(rows: Array) -> bool:
    """Tell whether all numbers are finite; a few are looked at faster one by one."""
    if rows.ndim == 1:
        return all(map(isfinite, rows.tolist()))
    return bool(np.isfinite(rows).all())


def _null_space(rows: Array) -> Array:
    """Return the twists for which all rows are zero, as orthonormal columns."""
    if not len(rows):
        return np.eye(3)
    _, sizes, right = np.linalg.svd(rows)
    rank = int((sizes > 1e-9 * max(sizes[0], 1e-300)).sum())
    return right[rank:].T
