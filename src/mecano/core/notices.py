"""The one way to say something to the user beside an answer: a line on stderr.

The library says notices, commands remarks, warnings and errors (`mecano.cli.remarks`), a running
program narrates with the time of its session. Nothing else in Mecano writes to stderr (a test).
"""

import math
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

NOTICE_AFTER = 2.0
"""Seconds of silence before something that takes long says what it is doing."""
MANY_TURNS = 4.0 * math.pi
"""Angles beyond this are more likely degrees [rad]."""

_SAID: set[str] = set()
_LOCK = threading.Lock()


Tone = Literal["remark", "title", "notice", "warning", "failure", "error"]
_TONES = {
    "remark": ("", ""), "title": ("", "1"), "notice": ("mecano: ", ""),
    "warning": ("", "33"), "failure": ("mecano: ", "33"), "error": ("mecano: ", "31"),
}  # fmt: skip
"""Prefix and the terminal's style: bold, yellow, red."""


def say(text: str, tone: Tone = "notice") -> None:
    """Say something on stderr that the user should know of; styled where that is a terminal."""
    prefix, style = _TONES[tone]
    line = f"{prefix}{text}"
    styled = style and sys.stderr.isatty()
    print(f"\033[{style}m{line}\033[0m" if styled else line, file=sys.stderr, flush=True)


def narrate(time: float, text: str) -> None:
    """Print what happens in a running program, on stdout with the time of its session [s]."""
    print(f"[{time:7.2f} s] {text}")


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
