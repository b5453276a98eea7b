"""A progress bar on stderr for anything that may take over two seconds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while the block runs; call what it gives with (done, in all)."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
