"""A progress bar on stderr for anything that may take over two seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
    due = time.monotonic() + LINE_EVERY

    def tell(done: int, total: int) -> None:
        nonlocal due
        if done < total and time.monotonic() >= due:
            due = time.monotonic() + LINE_EVERY
            print(f"{title}: {done} of {total}", file=sys.stderr)

    return tell
