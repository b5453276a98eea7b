"""The web view of a session: it watches, and what a person does in the page goes through a mailbox.

One thread draws thirty times a second. It takes what the pages asked for, holds the session's lock
while it acts, and shows the newest sample. While no page is open it does next to nothing. Nothing
here runs inside a tick but the sampler, which only reads: a run is the same with and without it.
"""

import atexit
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import viser

from mecano.core.errors import InvalidInput, MecanoError
from mecano.core.notices import say
from mecano.lab.robot import Robot, in_open_session
from mecano.session.pacing import Pace
from mecano.viewer.mailbox import Mailbox
from mecano.viewer.panels.panel import Desk
from mecano.viewer.samples import Sample
from mecano.viewer.sampling import RATE, Sampler
from mecano.viewer.server import address, close_server, open_server

if TYPE_CHECKING:
    from mecano.tasks.experiment import RunResult

READOUT_EVERY = 6
"""Numbers and plots change with every so many pictures: five times a second is enough to read."""


class Viewer:
    """Shows a session in the browser. Use it in a `with` block, or call `close`."""

    def __init__(
        self,
        robots: Robot | dict[str, Robot],
        *,
        server: viser.ViserServer | None = None,
        program: bool = False,
        title: str = "",
        on_touch: Callable[[str], None] = lambda what: None,
    ) -> None:
        """Show the session of the robots in the pages of a server.

        Args:
            robots: A robot, or all robots of one session by name.
            server: From `open_server`, or None for one on the first free port from 8080 on.
            program: True if a program drives the robots: controls are locked until a person
                takes them.
            title: What runs, for the head of the panel.
            on_touch: Told of what a person commanded through the page.
        """
        self.robots = in_open_session(robots)
        if server is not None and not isinstance(server, viser.ViserServer):
            raise InvalidInput(f"the server is {server!r}, expected one from open_server, or None")
        self.server, self._own = server or open_server(), server is None
        self.session = next(iter(self.robots.values())).session
        self.session.pace = self.session.pace or Pace()
        self.touched: str | None = None
        """The first thing that a person commanded through the page, if any."""
        self._on_touch = on_touch
        self.desk = Desk(self.server, self.session, Mailbox(), self._touch, locked=program)
        with self.session.lock:
            self.sampler = Sampler(self.robots, self.is_watched)
            first = self.sampler.take()
        self._build(first, title, program)
        self.session.observers.append(self.sampler)
        self._ending = threading.Event()
        self._drawn: Sample | None = None
        self._pictures = 0
        self._failed = ""
        self._thread = threading.Thread(target=self._run, name="mecano view", daemon=True)
        self._thread.start()
        atexit.register(self.close)  # for a program that does not

    @property
    def url(self) -> str:
        """What to type into the browser."""
        return address(self.server)

    def is_watched(self) -> bool:
        """Tell whether a page is open."""
        return bool(self.server._connected_clients)

    def wait_for_page(self, seconds: float) -> bool:
        """Wait until a page is open; return False if none came in time."""
        return self._wait(self.is_watched, seconds)

    def stay(self, *, keep: bool = False, grace: float = 3.0) -> None:
        """Stay while a page is open (a reload may take `grace` seconds), or for ever."""
        while keep or self._wait(self.is_watched, grace):
            time.sleep(0.2)

    def show_result(self, result: "RunResult", record: str | None = None) -> None:
        """Show how the run ended and where its record is, in all pages."""
        from mecano.viewer.panels.card import show_card

        with self.session.lock:
            self.sampler.take()
        self.desk.end()
        show_card(self.desk, result, record)

    def close(self) -> None:
        """Stop watching; the session goes on as if nobody had looked. A second call is none."""
        if self._ending.is_set():
            return
        self._ending.set()
        atexit.unregister(self.close)
        self._thread.join(timeout=5.0)
        with self.session.lock:  # a tick goes through the list
            if self.sampler in self.session.observers:
                self.session.observers.remove(self.sampler)
        if self._own:
            close_server(self.server)

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- the page

    def _build(self, first: Sample, title: str, program: bool) -> None:
        """Make the scene and the panels that the robots' descriptions call for."""
        from mecano.viewer.page import build_page
        from mecano.viewer.panels.belief import BeliefPanel
        from mecano.viewer.panels.cups import CupsPanel
        from mecano.viewer.panels.footprint import FootprintPanel
        from mecano.viewer.panels.navigation import NavigationPanel
        from mecano.viewer.panels.ranges import RangesPanel
        from mecano.viewer.panels.scan import ScanPanel

        self.stage, self.panels = build_page(
            self.desk, self.robots, first, title=title, program=program, reset=self._reset
        )
        drawing = (
            RangesPanel, CupsPanel, ScanPanel, FootprintPanel, BeliefPanel, NavigationPanel,
        )  # fmt: skip
        self._moving = [panel for panel in self.panels if isinstance(panel, drawing)]
        """Panels that draw into the scene with every picture."""

    def _touch(self, what: str) -> None:
        if self.touched is None:
            self.touched = what
            self._on_touch(what)

    def _reset(self) -> None:
        self.session.reset()
        self.sampler.take()

    # --- the thread that draws

    def _run(self) -> None:
        due = time.monotonic()
        while not self._ending.is_set():
            try:
                self._act()
                self._draw()
            except Exception as error:  # a fault of ours must not end the run
                say(f"the view stopped ({error!r}); the run goes on")
                return
            due = max(due + 1.0 / RATE, time.monotonic())
            self._ending.wait(due - time.monotonic())

    def _act(self) -> None:
        """Do what the pages asked for."""
        for action in self.desk.mail.collect():
            try:
                with self.session.lock:
                    action()
            except MecanoError as error:
                self._complain(str(error))
        if self.session.failure is not None and str(self.session.failure) != self._failed:
            self._failed = str(self.session.failure)
            self._complain(self._failed)

    def _complain(self, text: str) -> None:
        for client in self.server.get_clients().values():
            client.add_notification("That did not work", text, auto_close_seconds=8.0, color="red")

    def _draw(self) -> None:
        """Show the newest sample, if it is new; after a command, also while time stands still."""
        if not self.is_watched():
            return
        sample = self._newest()
        if sample is None:
            return
        self._pictures += 1
        with self.server.atomic():  # what belongs together goes out together
            if sample is not self._drawn:
                self._drawn = sample
                self.stage.show(sample.state)
                for panel in self._moving:
                    panel.draw(sample)
            if self._pictures % READOUT_EVERY == 0:
                for panel in self.panels:
                    panel.update(sample)

    def _newest(self) -> Sample | None:
        """Return the newest sample; take one where no tick brings it, because time stands still."""
        sample = self.sampler.newest
        if sample is not None and (sample is not self._drawn or sample.time == self.session.time):
            return sample
        if self.session.lock.acquire(blocking=False):  # else there is a tick, and it brings one
            try:
                self.sampler.take()
            finally:
                self.session.lock.release()
        return self.sampler.newest

    def _wait(self, done: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True
