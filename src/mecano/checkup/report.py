"""What a check of a robot says."""

from dataclasses import dataclass
from typing import Any

from mecano.importing.findings import Finding, Severity


@dataclass(frozen=True, kw_only=True)
class Rest:
    """What the robot did while it was to hold its home posture."""

    seconds: float
    """How long it was simulated [s]."""
    max_speed: float | None
    """Fastest of its joints and its body in the last second [rad/s, m/s]; None if it could not be
    simulated."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """All that was found about a robot."""

    robot: str
    findings: tuple[Finding, ...]
    """Errors first."""
    rest: Rest

    @property
    def ok(self) -> bool:
        """Whether there is neither an error nor a warning; notes do not count."""
        return not any(each.severity != "note" for each in self.findings)

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(each.severity == severity for each in self.findings)

    def plain(self) -> dict[str, Any]:
        """Return it as `mecano check-robot --json` prints it."""
        return {
            "robot": self.robot,
            "ok": self.ok,
            "findings": [
                {
                    "code": each.code,
                    "severity": each.severity,
                    "where": each.where,
                    "message": each.message,
                }
                for each in self.findings
            ],
            "rest": {"seconds": self.rest.seconds, "max_speed": self.rest.max_speed},
        }
