"""What a panel has: a desk to work at, and a method that brings it up to date."""

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Any, Protocol

import viser

from mecano.session.session import Session
from mecano.viewer.mailbox import Action, Mailbox
from mecano.viewer.samples import Sample

GOOD, BAD, PLAIN = "#2b8a3e", "#c92a2a", "#495057"


@dataclass(eq=False)
class Desk:
    """What panels share: the page, the session, and the way from one to the other."""

    server: viser.ViserServer
    session: Session | None
    """None in a replay."""
    mail: Mailbox
    on_touch: Callable[[str], None] = lambda what: None
    """Told when a person commands the robot through the page."""
    inputs: list[Any] = field(default_factory=list)
    """Everything that commands the robot; locked while a program does."""
    locked: bool = False
    takeover: Any = None
    """The checkbox by which a person takes the controls from a program, if one has them."""

    def commands(self, handle: Any, what: str, action: Action) -> Any:
        """Let a control command the robot: `action` runs between two ticks, newest wins."""
        self.locks(handle)

        def run() -> None:
            if not self.locked:
                self.on_touch(what)
                action()

        return self.changes(handle, run)

    def changes(self, handle: Any, action: Action) -> Any:
        """Let a control change what is seen, or how fast it runs; it does not touch the robot."""

        async def posted(event: Any) -> None:  # async: called in the order of the events
            if event.client is not None or hasattr(handle, "on_click"):  # not what we set ourselves
                self.mail.post(id(handle), action)

        register = handle.on_click if hasattr(handle, "on_click") else handle.on_update
        register(posted)
        return handle

    def locks(self, *handles: Any) -> None:
        """Lock controls, too, while only the program commands the robot."""
        for handle in handles:
            self.inputs.append(handle)
            _enable(handle, not self.locked)

    def end(self) -> None:
        """Nothing can be commanded any more: the run is over."""
        self.lock(True)
        if self.takeover is not None:
            self.takeover.visible = False

    def lock(self, locked: bool) -> None:
        """Let only the program command the robot, or the page too."""
        self.locked = locked
        for handle in self.inputs:
            _enable(handle, not locked)


def _enable(handle: Any, enabled: bool) -> None:
    if isinstance(handle, viser.GuiButtonGroupHandle):  # the library cannot grey these out
        handle.visible = enabled
    else:
        handle.disabled = not enabled


class Panel(Protocol):
    """A part of the page that shows a sample."""

    def update(self, sample: Sample) -> None:
        """Bring it up to date."""
        ...


def line(text: str, colour: str = PLAIN) -> str:
    """Return a small line of text for the page."""
    return (
        f'<div style="font-size:0.8em;color:{colour};padding:0.1em 0.9em 0.4em 0.9em;'
        f'line-height:1.35">{escape(text)}</div>'
    )
