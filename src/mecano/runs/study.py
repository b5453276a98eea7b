"""A study: one run, what varies in it, and how the variations are chosen.

[run]
experiment = "crumb/pick-and-place"
noise = true

[study]
sampling = "sobol"      # grid, random, latin, sobol
points = 64
seeds = 2               # runs of each point

[vary]
"model.box_*.mass_factor" = { from = 0.5, to = 3.0 }
"options.moves" = ["A>C", "A>C C>B"]
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.runs.sampling import SAMPLINGS, sample
from mecano.runs.spec import TABLES, RunSpec
from mecano.runs.spec_files import spec_from_json, spec_to_json

MANY = 1_000_000
"""So many runs are started only if the user says that they are meant."""
PLAIN = ("noise", "scene", "robot")
"""Fields of a run that can vary beside its tables."""
Value = float | int | bool | str


@dataclass(frozen=True, kw_only=True)
class Span:
    """A range of numbers that is sampled."""

    lower: float
    upper: float
    steps: int = 5
    """Values in a grid, both ends included."""

    def __post_init__(self) -> None:
        """Refuse an empty range."""
        if not self.lower < self.upper:
            raise InvalidInput(f"a range goes from {self.lower:g} to {self.upper:g}: it is empty")
        if self.steps < 2:
            raise InvalidInput(f"a range has {self.steps} steps, at least 2 are needed")


Variation = Span | tuple[Value, ...]
"""What a parameter takes: a range, or one of some values."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """Many runs as one value; the same study gives the same runs."""

    run: RunSpec
    """What all runs have in common."""
    vary: Mapping[str, Variation] = field(default_factory=dict)
    """Variations by the dotted name of a field: "model.cube.mass_factor", "options.gait"."""
    sampling: str = "grid"
    """How points are chosen: grid, random, latin (hypercube) or sobol."""
    points: int = 16
    """Points, unless they are a grid."""
    seeds: int = 1
    """Runs of each point, with the seeds `run.seed`, `run.seed + 1` ..."""
    seed: int = 0
    """Of the sampling."""

    def __post_init__(self) -> None:
        """Refuse what cannot vary."""
        if self.sampling not in SAMPLINGS:
            raise UnknownName("sampling", str(self.sampling), SAMPLINGS)
        for name in ("points", "seeds"):
            _whole(getattr(self, name), name, lower=1)
        _whole(self.seed, "seed", lower=0)
        for name in self.vary:
            _check_name(name, self.run)

    def __len__(self) -> int:
        """Return the number of runs."""
        return self.count_points() * self.seeds

    def count_points(self) -> int:
        """Return the number of points."""
        if self.sampling != "grid" or not self.vary:
            return 1 if not self.vary else self.points
        count = 1
        for variation in self.vary.values():
            count *= variation.steps if isinstance(variation, Span) else len(variation)
        return count

    def parameters(self) -> list[dict[str, Value]]:
        """Return what varies, point by point."""
        return sample(self.vary, self.sampling, self.points, self.seed)

    def specs(self) -> list[RunSpec]:
        """Return all runs: of each point, one per seed."""
        return [
            _varied(self.run, point).replace(seed=self.run.seed + number)
            for point in self.parameters()
            for number in range(self.seeds)
        ]

    def check(self) -> None:
        """Raise unless the experiment takes the first and the last of these runs."""
        points = self.parameters()
        for point in (points[0], points[-1]):
            _varied(self.run, point).find()

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        own = {name: getattr(self, name) for name in OWN}
        return {"run": spec_to_json(self.run), "study": own, "vary": {
            name: {"from": each.lower, "to": each.upper, "steps": each.steps}
            if isinstance(each, Span) else list(each) for name, each in self.vary.items()
        }}  # fmt: skip

    @classmethod
    def load(cls, file: str | Path) -> "Study":
        """Read a study from a TOML file.

        Raises:
            InvalidInput: The file cannot be read or holds no study; it says what is wrong.
        """
        try:
            return cls.from_json(tomllib.loads(Path(file).read_text(encoding="utf-8")))
        except OSError as error:
            raise InvalidInput(f"cannot read {file}: {error.strerror}") from None
        except (InvalidInput, UnknownName) as error:
            raise InvalidInput(f"{file}: {error}") from None
        except ValueError as error:
            raise InvalidInput(f"{file} is not TOML: {error}") from None

    @classmethod
    def from_json(cls, values: Any) -> "Study":
        """Return the study that plain values say, see the head of this file."""
        if not isinstance(values, Mapping) or "run" not in values:
            raise InvalidInput('a study needs a section [run] with experiment = "..."')
        for section in values:
            if section not in SECTIONS:
                raise UnknownName("section of a study", str(section), SECTIONS)
        study, vary = (_section(values, name) for name in ("study", "vary"))
        for name in study:
            if name not in OWN:
                raise UnknownName("field of [study]", name, OWN)
        spec = spec_from_json(_section(values, "run"))
        return cls(run=spec, vary=variations(vary), **study)


OWN = tuple(each.name for each in fields(Study) if each.name not in ("run", "vary"))
SECTIONS = ("run", "study", "vary")


def variations(table: Mapping[str, Any]) -> dict[str, Variation]:
    """Return what varies, from plain values by name; nested tables become dotted names."""
    found: dict[str, Variation] = {}
    for name, value in table.items():
        if isinstance(value, Span):
            found[name] = value
        elif isinstance(value, Mapping) and not {"from", "to"} & value.keys():
            found |= {f"{name}.{key}": each for key, each in variations(value).items()}
        elif isinstance(value, Mapping):
            found[name] = _span(name, value)
        else:
            found[name] = _values(name, value)
    return found


def _span(name: str, table: Mapping[str, Any]) -> Span:
    known = ("from", "to", "steps")
    for key in table:
        if key not in known:
            raise UnknownName(f"key of the range {name}", str(key), known)
    if not {"from", "to"} <= table.keys():
        raise InvalidInput(f"the range {name} needs both ends: {{ from = 0.5, to = 2.0 }}")
    lower, upper = (finite_number(table[key], name=f"{name}.{key}") for key in ("from", "to"))
    return Span(lower=lower, upper=upper, steps=_whole(table.get("steps", 5), f"{name}.steps", 2))


def _values(name: str, value: Any) -> tuple[Value, ...]:
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    if not listed or not value or not all(isinstance(v, bool | int | float | str) for v in value):
        raise InvalidInput(
            f"{name} varies over {value!r}, expected a list such as [0.5, 1.0] that is not empty, "
            "or a range { from = 0.5, to = 2.0 }"
        )
    return tuple(value)


def _section(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    section = values.get(name, {})
    if not isinstance(section, Mapping):
        raise InvalidInput(f"[{name}] of a study is {section!r}, expected a section")
    return dict(section)


def _whole(value: Any, name: str, lower: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < lower:
        raise InvalidInput(f"{name} is {value!r}, expected a whole number from {lower} on")
    return value


def _check_name(name: str, run: RunSpec) -> None:
    table, dot, key = name.partition(".")
    if name in PLAIN or (dot and table in TABLES and key):
        if key and key in getattr(run, table):
            raise InvalidInput(f"{name} is given in [run] and varies in [vary]; leave one out")
        return
    known = [*PLAIN, *(f"{each}.NAME" for each in TABLES)]
    raise UnknownName("parameter that can vary", name, known)


def _varied(run: RunSpec, point: Mapping[str, Value]) -> RunSpec:
    """Return a run with the parameters of a point."""
    changes: dict[str, Any] = {}
    for name, value in point.items():
        table, dot, key = name.partition(".")
        if dot:
            changes.setdefault(table, dict(getattr(run, table)))[key] = value
        else:
            changes[name] = value
    return run.replace(**changes)
