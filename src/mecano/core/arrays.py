"""Arrays that frozen dataclasses may hold: checked, copied and read-only."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from mecano.core.errors import InvalidInput

Shape = tuple[int | None, ...]

Array = NDArray[np.float64]
"""What every public function takes and returns unless it says otherwise."""
Mask = NDArray[np.bool_]
"""Which of some things."""


def read_only(
    values: ArrayLike,
    *,
    name: str,
    shape: Shape | None = None,
    finite: bool = True,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Return a read-only copy of `values` after checking it.

    Args:
        values: Numbers, nested as the shape asks.
        name: How the error calls them, for example "JointState.position".
        shape: Wanted shape, with None for an axis of any length. None accepts every shape.
        finite: Refuse NaN and infinities.
        dtype: What the copy holds.

    Raises:
        InvalidInput: The values are no numbers, or have another shape, or are not finite.
    """
    try:
        array = np.array(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{name} cannot be read as an array of {np.dtype(dtype)}: {error}"
        ) from error
    if shape is not None and not _has_shape(array, shape):
        wanted = ", ".join("any" if length is None else str(length) for length in shape)
        raise InvalidInput(f"{name} has shape {array.shape}, expected ({wanted})")
    if finite and array.dtype.kind == "f" and not _all_finite(array):
        raise InvalidInput(f"{name} has values that are not finite: {_first_bad(array)}")
    array.setflags(write=False)
    return array


def finite_number(
    value: float, *, name: str, lower: float = -math.inf, upper: float = math.inf
) -> float:
    """Return `value` as a plain float; what is no finite number in [lower, upper] raises."""
    try:
        number = float(value)
    except OverflowError:
        raise InvalidInput(f"{name} has more than 308 digits, expected a number") from None
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} is {value!r}, expected a number") from error
    if not math.isfinite(number):
        raise InvalidInput(f"{name} is {number}, expected a finite number")
    if not lower <= number <= upper:
        raise InvalidInput(f"{name} is {number:g}, expected a number in [{lower:g}, {upper:g}]")
    return number


def _has_shape(array: NDArray[Any], shape: Shape) -> bool:
    return array.ndim == len(shape) and all(
        wanted is None or length == wanted
        for length, wanted in zip(array.shape, shape, strict=True)
    )


def _all_finite(array: NDArray[Any]) -> bool:
    if array.size <= 16:  # where numpy's cost per call is larger than the work
        return all(map(math.isfinite, array.ravel().tolist()))
    return bool(np.isfinite(array).all())


def _first_bad(array: NDArray[Any]) -> str:
    bad = np.argwhere(~np.isfinite(array))
    index = tuple(int(i) for i in bad[0])
    return f"{array[index]} at index {list(index)} ({len(bad)} of {array.size} in all)"
