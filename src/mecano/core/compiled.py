"""Compiled kernels: kept on disk where that is possible, never a surprise.

Kernels live in files of their own that are imported inside functions, because importing the
compiler takes longer than importing everything else.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

NOTICE_AFTER = 2.0
"""Seconds of silence before a first call says what it is doing."""


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
    timer = threading.Timer(
        NOTICE_AFTER,
        lambda: print("mecano: preparing a fast kernel, once; this takes a while", file=sys.stderr),
    )
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
