"""What is wrong with a robot's file, as values: a stable code, a place and what to do."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from mecano.core.errors import MecanoError

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is wrong with a robot, or worth knowing about it."""

    code: str
    """Stable word for scripts, such as "inertia-zero"; docs/check_robot.md lists all of them."""
    severity: Severity
    """`error`: cannot be simulated as it is written. `warning`: can be, and is probably not what
    was meant. `note`: worth knowing."""
    where: str
    """Element, file and line: "link forearm (robot.urdf:312)"."""
    message: str
    """What is wrong with which number, what is allowed and what to do."""

    def __str__(self) -> str:
        return f"{self.where}: {self.message} [{self.code}]"


class UnreadableRobot(MecanoError):
    """A robot's file that cannot be used at all; `findings` says why."""

    exit_code = 1

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        errors = [each for each in self.findings if each.severity == "error"] or [*self.findings]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        super().__init__(f"{errors[0]}{more}")


class Findings:
    """A list of findings that is being written."""

    def __init__(self, found: Iterable[Finding] = ()) -> None:
        self._found = list(found)

    def error(self, code: str, where: str, message: str) -> None:
        """Add what cannot be simulated as it is written."""
        self._add(code, "error", where, message)

    def warn(self, code: str, where: str, message: str) -> None:
        """Add what is probably not what was meant."""
        self._add(code, "warning", where, message)

    def note(self, code: str, where: str, message: str) -> None:
        """Add what is worth knowing."""
        self._add(code, "note", where, message)

    def extend(self, findings: Iterable[Finding]) -> None:
        """Add findings of another check."""
        for each in findings:
            if each not in self._found:
                self._found.append(each)

    def _add(self, code: str, severity: Severity, where: str, message: str) -> None:
        self.extend([Finding(code=code, severity=severity, where=where, message=message)])

    @property
    def has_errors(self) -> bool:
        """Whether one of them is an error."""
        return any(each.severity == "error" for each in self._found)

    def has(self, *codes: str) -> bool:
        """Tell whether one of them is an error with one of these codes."""
        return any(each.severity == "error" and each.code in codes for each in self._found)

    def sorted(self) -> tuple[Finding, ...]:
        """Return them, errors first; those of one severity in the order they were found."""
        return tuple(sorted(self._found, key=lambda each: SEVERITIES.index(each.severity)))

    def unreadable(self) -> UnreadableRobot:
        """Return the error to raise when nothing can be made of the file."""
        return UnreadableRobot(self.sorted())

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
