"""Processes that work for this one: they end with it, and never hear of Ctrl-C."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from threading import Thread


@contextmanager
def ended_children() -> Iterator[None]:
    """End the processes that the block started at once if it raises, Ctrl-C included."""
    others = set(multiprocessing.active_children())
    try:
        yield
    except BaseException:
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        raise


@contextmanager
def deaf_children() -> Iterator[None]:
    """Start processes in the block that never hear of Ctrl-C, nor of the program that runs.

    The parent hears of Ctrl-C when the block has ended. A new process would import the main
    program again: one that is a notebook or has no guard would fail or start itself for ever.
    """
    with _main_program_hidden():
        if not hasattr(signal, "pthread_sigmask"):  # Windows: `end_with_the_parent` must do
            yield
            return
        resource_tracker.ensure_running()  # it lets signals through again when it starts
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _main_program_hidden() -> Iterator[None]:
    main = sys.modules["__main__"]
    kept = {name: getattr(main, name) for name in ("__spec__", "__file__") if hasattr(main, name)}
    main.__spec__ = None
    main.__dict__.pop("__file__", None)
    try:
        yield
    finally:
        vars(main).update(kept)


def end_with_the_parent() -> None:
    """Make this process end when the one that started it does, and not by Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()
