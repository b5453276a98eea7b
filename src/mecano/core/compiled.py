"""Compiled kernels: kept on disk where that is possible, never a surprise.

Kernels live in files of their own that are imported inside functions, because importing the
compiler takes longer than importing everything else.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mecano.core.notices import slow_notice


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a kernel, keeping the machine code on disk if there is a folder to keep it in.

    In a read-only package with a read-only home there is none; then each process compiles anew.
    """
    from numba import njit

    try:
        return njit(cache=True)(function)
    except RuntimeError:  # numba: "cannot cache function ...: no locator available"
        return njit(function)


@contextmanager
def first_call_notice(kernel: Any) -> Iterator[None]:
    """Say on stderr, once, that a kernel is being compiled when its first call takes long."""
    if kernel.signatures:
        yield
        return
    with slow_notice("preparing a fast kernel, once; this takes a while"):
        yield
