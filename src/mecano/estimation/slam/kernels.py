"""The compiled kernels of mapping, made ready once: asking numba each time costs more than them."""

from functools import cache
from types import SimpleNamespace

from mecano.core.notices import slow_notice


@cache
def kernels() -> SimpleNamespace:
    """Return all kernels by name; the first call imports the compiler and says so if it is slow."""
    with slow_notice("preparing fast kernels for mapping, once; this takes a while"):
        from mecano.estimation.slam import (
            field_kernel,
            free_space_kernel,
            pair_kernel,
            scan_matching_kernel,
            spread_kernel,
            surface_kernel,
        )
    found = {}
    for module in (
        field_kernel, free_space_kernel, pair_kernel, scan_matching_kernel, spread_kernel,
        surface_kernel,
    ):  # fmt: skip
        found |= {name: part for name, part in vars(module).items() if hasattr(part, "py_func")}
    return SimpleNamespace(**found)
