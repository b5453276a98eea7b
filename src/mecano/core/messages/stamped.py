"""What all messages share: a stamp, a frame, and fields that are checked once and then fixed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from mecano.core.arrays import Array, Shape, finite_number, read_only


@dataclass(frozen=True, eq=False, kw_only=True)
class Stamped:
    """A message that says when and in which frame it holds."""

    stamp: float = 0.0
    """When it was measured or asked for, on the session's clock [s]."""
    frame: str = ""
    """The frame its numbers are given in; `frame_id` in ROS. Empty where none matters."""

    def __post_init__(self) -> None:
        """Refuse a stamp that is not a finite number."""
        fix_number(self, "stamp")


def fix_array(
    message: object,
    field: str,
    *,
    shape: Shape,
    finite: bool = True,
    dtype: DTypeLike = np.float64,
) -> None:
    """Replace an array field of a frozen dataclass by its checked read-only copy."""
    name = f"{type(message).__name__}.{field}"
    array = read_only(getattr(message, field), name=name, shape=shape, finite=finite, dtype=dtype)
    object.__setattr__(message, field, array)


def fix_number(
    message: object, field: str, *, lower: float = -np.inf, upper: float = np.inf
) -> None:
    """Replace a number field of a frozen dataclass by its checked plain float."""
    name = f"{type(message).__name__}.{field}"
    number = finite_number(getattr(message, field), name=name, lower=lower, upper=upper)
    object.__setattr__(message, field, number)


def empty() -> Array:
    """Return an array without values: the default of what was not measured."""
    return np.empty(0)


def zeros3() -> Array:
    """Return (0, 0, 0)."""
    return np.zeros(3)


def zeros33() -> Array:
    """Return a 3x3 covariance that, as in ROS, means unknown."""
    return np.zeros((3, 3))


def zeros66() -> Array:
    """Return a 6x6 covariance that, as in ROS, means unknown."""
    return np.zeros((6, 6))
