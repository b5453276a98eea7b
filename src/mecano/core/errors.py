"""What can go wrong, as exceptions that carry the numbers.

    MecanoError
    ├── UnknownName              a robot, chain, joint, stage ... that does not exist
    ├── InvalidInput             a value of the wrong kind, size or range
    │   └── JointLimitViolated   a joint was asked to leave its range
    ├── MissingExtra             an optional library is not installed
    ├── MotionFailed             a motion did not reach its goal, with `on_failure="raise"`
    ├── StageFailed              a user's own function broke its contract
    ├── UserCodeFailed           a user's own program raised
    └── WorldBroken              the physics diverged

Broken contracts raise; expected outcomes (a target out of reach) are values, see `IKResult`.
Every message says what was wrong with which value, what is allowed and what to do.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from traceback import extract_tb
from typing import Any


class MecanoError(Exception):
    """Base of everything Mecano raises on purpose; the command line prints it as one line."""

    exit_code = 2
    """Of the command that ends by it: 2 for a usage error, 1 if the robot could not."""


class UnknownName(MecanoError):
    """A name that is not in the table it was looked up in."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, str(name), tuple(known)
        guess = get_close_matches(self.name, self.known, n=1)
        hint = f"; did you mean '{guess[0]}'?" if guess else ""
        listed = ", ".join(self.known) or "none"
        kinds = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
        super().__init__(f"no {kind} named '{name}'; known {kinds}: {listed}{hint}")


class InvalidInput(MecanoError):
    """A value of the wrong kind, size or range."""


class JointLimitViolated(InvalidInput):
    """A joint was asked to leave its range."""

    def __init__(
        self, joint: str, value: float, lower: float, upper: float, *, unit: str = "rad"
    ) -> None:
        self.joint, self.value, self.lower, self.upper, self.unit = joint, value, lower, upper, unit
        super().__init__(
            f"joint '{joint}' asked for {value:.4f} {unit}, "
            f"allowed [{lower:.4f}, {upper:.4f}] {unit}; clip the command or replan"
        )


class MissingExtra(MecanoError):
    """An optional library is needed that is not installed."""

    def __init__(self, library: str, extra: str, *, purpose: str) -> None:
        self.library, self.extra, self.purpose = library, extra, purpose
        super().__init__(
            f"{purpose} needs the library '{library}', which is not installed; "
            f"install it with: pip install 'mecano[{extra}]', "
            f"or in a checkout: pip install '.[{extra}]'"
        )


class MotionFailed(MecanoError):
    """A motion did not reach its goal; raised only with `connect(..., on_failure="raise")`."""

    exit_code = 1

    def __init__(self, result: Any) -> None:
        self.result = result
        """How it ended: what the call would have returned, with the outcome and the numbers."""
        super().__init__(result.message)


class StageFailed(MecanoError):
    """A user's own stage could not be loaded, raised, returned nonsense or did not return."""

    def __init__(self, stage: str, source: str, problem: str) -> None:
        self.stage, self.source, self.problem = stage, source, problem
        super().__init__(f"your {stage} stage {source} {problem}")


class UserCodeFailed(MecanoError):
    """A user's own program, behaviour or file raised; a robot that ran was stopped."""

    def __init__(self, what: str, error: BaseException, *, stopped: bool = True) -> None:
        self.what, self.error = what, error
        where = _last_line(error)
        reason = " ".join(str(error).split())
        end = "; the robot was stopped" if stopped else ""
        super().__init__(f"{what} raised {type(error).__name__}: {reason}{where}{end}")


def _last_line(error: BaseException) -> str:
    """Return the last line of the user's own code on the way to an error, in brackets."""
    installed = ("site-packages", "/lib/python", "<frozen", str(Path(__file__).parents[1]))
    frames = extract_tb(error.__traceback__)
    own = [frame for frame in frames if not any(part in frame.filename for part in installed)]
    if not own:
        return ""
    return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})"


class WorldBroken(MecanoError):
    """The physics came to non-finite numbers."""
