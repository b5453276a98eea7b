"""Showing in the browser what an estimator makes of a log: `--view` of `slam` and `localize`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from mecano.cli.remarks import mention
from mecano.cli.view import announce
from mecano.cli.viewing import OPENING

if TYPE_CHECKING:
    from mecano.viewer.map_page import MapPage

GRACE = 3.0
"""A page that is loaded anew is away for less than this [s]."""

View = Annotated[
    bool,
    typer.Option(
        "--view",
        help="Watch the map being built in the browser. Keeps running while a page is open.",
    ),
]


@contextmanager
def opened_page(title: str, wanted: bool) -> "Iterator[MapPage | None]":
    """Open a page if one is wanted, and keep it up after the end while somebody looks."""
    if not wanted:
        yield None
        return
    from mecano.viewer.map_page import MapPage

    with MapPage(title) as page:
        if announce(page.server, browser=True, err=True):
            _wait(page, OPENING)
        yield page
        if page.is_watched():
            mention("close the page, or press Ctrl-C, to end")
        try:
            while _wait(page, GRACE):
                time.sleep(0.2)
        except KeyboardInterrupt:
            mention("")


def _wait(page: "MapPage", seconds: float) -> bool:
    """Wait until somebody looks; return False if nobody came in time."""
    deadline = time.monotonic() + seconds
    while not page.is_watched():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
