"""What a navigator reports: its state, what changed, how a goal ended."""

from dataclasses import dataclass

from mecano.core.messages import NavigationStatus
from mecano.planning.navigation.contract import Command, Plan
from mecano.skills.navigation.recoveries import Tried


@dataclass(frozen=True)
class Event:
    """Something that changed."""

    time: float
    """[s]."""
    text: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Ending:
    """How a goal ended."""

    state: str
    """`reached`, `aborted` or `cancelled`."""
    reason: str = ""
    """Why, if it was not reached."""
    plan: Plan | None = None
    """What the planner said last, if it failed."""
    tried: tuple[Tried, ...] = ()
    lost: bool = False
    """Whether it ended because localization was lost."""


@dataclass(frozen=True, eq=False)
class Step:
    """What `Navigator.update` answers."""

    command: Command
    status: NavigationStatus


class Journal:
    """The state of a navigator in words, and what changed."""

    def __init__(self) -> None:
        """Begin idle."""
        self.state, self.text = "idle", "idle"
        self.events: list[Event] = []
        """What changed, oldest first."""

    def enter(self, now: float, state: str, text: str) -> None:
        """Take up a state, or stay in it with another text."""
        self.state, self.text = state, text
        self.note(now, text)

    def note(self, now: float, text: str) -> None:
        """Add an event; the state stays."""
        self.events.append(Event(now, text))
