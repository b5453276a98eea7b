"""A progress bar on stderr for anything that may take over two seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mecano.cli.remarks import mention

if TYPE_CHECKING:
    from mecano.lab.robot import Robot

LINE_EVERY = 5.0
"""Where there is no terminal for a bar, a line of progress comes this often [s]."""


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar in a terminal while the block runs; call what it gives with (done, in all)."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(title)
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _lines(title: str) -> Callable[[int, int], None]:
    say_now_and_then, started = now_and_then(), time.monotonic()

    def tell(done: int, total: int) -> None:
        if 0 < done < total:
            left = (time.monotonic() - started) * (total - done) / done
            say_now_and_then(f"{title}: {done} of {total}, about {_duration(left)} left")

    return tell


def _duration(seconds: float) -> str:
    """Return a time in words: 40 s, 12 min, 3.5 h."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"


def now_and_then() -> Callable[[str], None]:
    """Return a function that says a line every few seconds, and swallows those between."""
    due = time.monotonic() + LINE_EVERY

    def tell(text: str) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + LINE_EVERY
            mention(text)

    return tell


def time_teller(name: str) -> "Callable[[Robot], None]":
    """Return what says now and then how far the run of a robot is, where no bar is shown."""
    tell = now_and_then()

    def watch(robot: "Robot") -> None:
        if not sys.stderr.isatty():
            robot.session.observers.append(
                lambda session: tell(f"{name}: {session.time:.0f} s so far")
            )

    return watch
