"""What a command answers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """How a command ended. The codes are stable."""

    DONE = "done"
    FAILED = "failed"
    """Understood, but the robot could not."""
    WRONG = "wrong"
    """Not understood, or out of the allowed range; nothing moved."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a command has to say."""

    lines: tuple[str, ...] = ()
    status: Status = Status.DONE
    command: str = ""
    """The command that is answered."""
    data: dict[str, Any] = field(default_factory=dict)
    """The same for programs: plain values in metres, radians, seconds and newtons."""
    quit: bool = False
    """True if the user wants to leave."""
    clear: bool = False
    """True if the screen shall be cleared."""

    @property
    def ok(self) -> bool:
        """True if the command did what it should."""
        return self.status is Status.DONE

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)


Action = Callable[[], Reply]
"""A command that has been read and checked, ready to be carried out."""
