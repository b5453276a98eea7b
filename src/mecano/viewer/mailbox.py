"""Commands of the pages on their way to the session: the newest of each control wins."""

import threading
from collections.abc import Callable

Action = Callable[[], None]


class Mailbox:
    """Takes what controls ask for, from any thread, and hands it over once per picture.

    A slider that is dragged sends hundreds of events a second. Each only replaces the one before
    it, so a flood of events costs no more than one command per picture.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._actions: dict[object, Action] = {}

    def post(self, control: object, action: Action) -> None:
        """Ask for something; what the same control asked for before is forgotten."""
        with self._lock:
            self._actions.pop(control, None)
            self._actions[control] = action

    @property
    def waiting(self) -> bool:
        """True while something was asked for that nobody has taken out."""
        return bool(self._actions)

    def collect(self) -> list[Action]:
        """Take out everything, oldest first."""
        with self._lock:
            actions, self._actions = list(self._actions.values()), {}
        return actions
