"""Showing a run in the browser while it runs: `--view`, and the demo."""

import sys
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any

from mecano.cli.remarks import mention
from mecano.cli.view import announce

if TYPE_CHECKING:
    from mecano.lab.robot import Robot
    from mecano.tasks.experiment import RunResult
    from mecano.viewer.viewer import Viewer

OPENING = 20.0
"""How long a browser may take to show the page [s]; a run that nobody started by hand waits as
long."""
READING = 60.0
"""How long a person without a browser at hand has to open the page [s]."""


class ViewedRun:
    """A web server that a run is shown on, from before it starts until nobody looks any more."""

    def __init__(
        self, title: str, *, port: int | None = None, host: str = "127.0.0.1",
        browser: bool = True, speed: float | None = None, keep: bool = False,
        wait: bool = True, err: bool = False,
    ) -> None:  # fmt: skip
        """Start the server; the page opens when there is a robot to show.

        Args:
            title: What runs.
            port: Where to listen; None takes the first free port from 8080 on.
            host: Address to listen on.
            browser: Try to open the page.
            speed: Times real time. None: real time if somebody looks, else as fast as it goes.
            keep: Stay up after the end until Ctrl-C.
            wait: Hold the start until a page is open, for at most `READING`.
            err: Say where the page is on stderr, because a script reads stdout.
        """
        from mecano.viewer.server import open_server

        self.title, self.speed, self.keep, self._browser, self._err = (
            title, speed, keep, browser, err,
        )  # fmt: skip
        self._wait = wait
        self.viewer: Viewer | None = None
        self.on_touch: list[Callable[[str], None]] = []
        """Told of the first thing that a person commanded through the page."""
        self.touches: list[dict[str, Any]] = []
        """What and when that was, if it was."""
        self.server = open_server(host=host, port=port)

    def watch(self, robot: "Robot") -> None:
        """Show a robot; called before its program starts."""
        from mecano.session.pacing import Pace
        from mecano.viewer.viewer import Viewer

        opened = announce(self.server, browser=self._browser, err=self._err)
        session = robot.session
        session.pace = Pace(self.speed or 1.0)

        def touch(what: str) -> None:
            self.touches.append({"what": what, "time_s": round(session.time, 9)})
            for told in self.on_touch:
                told(what)

        self.viewer = Viewer(
            {robot.name: robot},
            server=self.server,
            program=True,
            title=self.title,
            on_touch=touch,
        )
        if not self._wait_for_page(opened=opened) and self.speed is None:
            session.pace.speed = inf

    def finish(self, result: "RunResult", record: str | None = None) -> None:
        """Show the result, and stay while somebody looks."""
        assert self.viewer is not None
        self.viewer.show_result(result, record)
        if not (self.keep or self.viewer.is_watched()):
            mention("no page was open; with --keep the result stays up until one is")
            return
        end = "Ctrl-C ends it" if self.keep else "close the page, or press Ctrl-C, to end"
        mention(end)
        try:
            self.viewer.stay(keep=self.keep)
        except KeyboardInterrupt:
            mention("")

    def close(self) -> None:
        """Stop the server."""
        from mecano.viewer.server import close_server

        if self.viewer is not None:
            self.viewer.close()
        close_server(self.server)

    def __enter__(self) -> "ViewedRun":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _wait_for_page(self, *, opened: bool) -> bool:
        """Hold the start until a page is open; return False if none came in time."""
        assert self.viewer is not None
        if not self._wait or self.viewer.is_watched():
            return self.viewer.is_watched()
        seconds = READING if sys.stdout.isatty() and not opened else OPENING
        mention(f"waiting for the page, at most {seconds:.0f} s; --no-wait starts at once")
        if self.viewer.wait_for_page(seconds):
            return True
        mention(f"no page within {seconds:.0f} s: the run starts without one")
        return False
