"""What a robot is, as typed facts: chains, joints, limits, named postures, sources, errata."""

from dataclasses import dataclass, field
from pathlib import Path

from mecano.core.errors import UnknownName
from mecano.kinematics.chain import Chain


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """One mistake or gap of the paper a robot comes from, and what is right."""

    where: str
    """Section, table or equation of the paper."""
    printed: str
    """What stands there."""
    correct: str
    """What must stand there."""
    evidence: str
    """The number that shows it."""


@dataclass(frozen=True, kw_only=True)
class RobotDescription:
    """A robot (or a part that robots share) as facts; no state and no simulator."""

    name: str
    title: str
    """The name people use, with the kind of robot."""
    summary: str
    """One sentence."""
    folder: Path
    """Where its model files and README lie."""
    chains: dict[str, Chain]
    """The kinematic chains a user can address, by name; the first one is the default."""
    facts: dict[str, str] = field(default_factory=dict)
    """Datasheet lines with units, for `mecano info`."""
    errata: tuple[Erratum, ...] = ()
    sources: tuple[str, ...] = ()

    def chain(self, name: str | None = None) -> Chain:
        """Return the chain called `name`, or the default one."""
        if name is None:
            return next(iter(self.chains.values()))
        if name not in self.chains:
            raise UnknownName("chain", name, self.chains)
        return self.chains[name]
