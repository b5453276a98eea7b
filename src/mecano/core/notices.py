"""A word to the user: something takes long, or is not done quite as asked."""

import math
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

NOTICE_AFTER = 2.0
"""Seconds of silence before something that takes long says what it is doing."""
MANY_TURNS = 4.0 * math.pi
"""Angles beyond this are more likely degrees [rad]."""

_SAID: set[str] = set()
_LOCK = threading.Lock()


def say(text: str) -> None:
    """Say something on stderr that the user should know of, and that is no error."""
    print(f"mecano: {text}", file=sys.stderr)


def say_once(text: str) -> None:
    """Say something on stderr, unless it was said in this process before."""
    with _LOCK:
        if text in _SAID:
            return
        _SAID.add(text)
    say(text)


def ask_about_degrees(angle: float, what: str) -> None:
    """Ask whether degrees were meant if an angle is more than two turns [rad].

    Args:
        angle: As given.
        what: Whose it is, such as "base.turn".
    """
    if abs(angle) > MANY_TURNS:
        turns = abs(angle) / (2.0 * math.pi)
        say_once(
            f"{what}: {angle:g} rad is {turns:.3g} turns; angles are in radians: if degrees were "
            f"meant, write math.radians({angle:g})"
        )


@contextmanager
def slow_notice(text: str) -> Iterator[None]:
    """Say on stderr, once, what is going on if the block takes long."""
    timer = threading.Timer(NOTICE_AFTER, say, (text,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
