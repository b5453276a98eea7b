"""Everything about a run as one value: written to a file, read back, repeated.

spec = mecano.RunSpec("crumb/map", seed=3, options={"slip": 1.0})
run = mecano.run(spec)
print(run.result.success, run.hash)
"""

import shlex
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mecano.core.errors import InvalidInput, UnknownName

if TYPE_CHECKING:
    from mecano.tasks.experiment import Experiment

FORMAT = 1
"""Of specs in files."""
NEW_FOLDER = "auto"
"""As `record`: a new folder in `runs/`, or where the variable MECANO_RUNS says."""
TABLES = {
    "options": "{'gait': 'wave'}",
    "settings": "{'physics.timestep': 0.001}",
    "model": "{'cube.mass_factor': 1.5}",
    "stages": "{'ik': 'student.py:solve'}",
}
"""Fields that hold values by name, and how they look."""


@dataclass(frozen=True)
class RunSpec:
    """One run. Immutable: `spec.replace(seed=4)` gives another one."""

    experiment: str
    """Name (`mecano list`), `ROBOT/EXPERIMENT` of any robot, or a file `my_experiment.py`."""
    _: KW_ONLY
    robot: str | None = None
    """Of an experiment for any robot, such as "reach": name, folder or file."""
    scene: str | None = None
    """Name or MJCF file in the place of the experiment's own."""
    seed: int = 0
    """Of everything that varies; the same seed gives the same run, bit for bit."""
    noise: bool | None = None
    """Noise on the sensors; None leaves that to the experiment."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Choices of the experiment, by name: texts, numbers, booleans or lists of texts."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Changed settings, by dotted name: `{"physics.timestep": 0.001}`."""
    model: Mapping[str, float] = field(default_factory=dict)
    """Changes of bodies: `{"cube.mass_factor": 1.5}`, see `mecano.world.model_changes`."""
    stages: Mapping[str, str] = field(default_factory=dict)
    """The user's own functions in the place of ours: `{"ik": "student.py:solve"}`."""
    real: str | None = None
    """Serial port of the real robot, or of an emulated one (`mecano emulate`)."""
    limp: bool = False
    """At the end let a real robot's motors go, instead of holding where it is."""
    record: str | None = None
    """Folder for the record; "auto" makes a new one in `runs/`, None records nothing."""

    def __post_init__(self) -> None:
        """Refuse values of another kind than these, and keep copies of the tables."""
        for name in ("experiment", "robot", "scene", "real", "record"):
            self._check_text(name)
        whole = isinstance(self.seed, int | np.integer) and not isinstance(self.seed, bool)
        if not whole or self.seed < 0:
            raise InvalidInput(f"the seed is {self.seed!r}, expected a whole number from 0 on")
        for name in ("noise", "limp"):
            if not isinstance(getattr(self, name), bool) and (name, self.noise) != ("noise", None):
                raise InvalidInput(f"{name} is {getattr(self, name)!r}, allowed: True, False")
        for name in TABLES:
            self._keep_table(name)
        if self.limp and self.real is None:
            raise InvalidInput("limp is for a real robot; give its port as `real` too")
        object.__setattr__(self, "seed", int(self.seed))

    def _check_text(self, name: str) -> None:
        value = getattr(self, name)
        if isinstance(value, Path) and name != "experiment":
            object.__setattr__(self, name, str(value))
        elif value is None and name != "experiment":
            return
        elif not isinstance(value, str) or not value or "\0" in value:
            raise InvalidInput(f"{name} of a run is {value!r}, expected a text")

    def _keep_table(self, name: str) -> None:
        table = getattr(self, name)
        if not isinstance(table, Mapping) or not all(isinstance(key, str) for key in table):
            raise InvalidInput(
                f"{name} are {table!r}, expected values by name, such as {TABLES[name]}"
            )
        object.__setattr__(self, name, {key: _plain(value) for key, value in table.items()})

    def replace(self, **changes: Any) -> "RunSpec":
        """Return another spec with some fields changed."""
        known = [each.name for each in fields(self)]
        for name in changes:
            if name not in known:
                raise UnknownName("field of a run", name, known)
        return replace(self, **changes)

    # --- files

    @classmethod
    def from_folder(cls, folder: str | Path) -> "RunSpec":
        """Return what a recorded run was made from; `run` repeats it."""
        from mecano.runs.spec_files import spec_of_folder

        return spec_of_folder(folder)

    @classmethod
    def load(cls, file: str | Path) -> "RunSpec":
        """Read a spec from a TOML or JSON file."""
        from mecano.runs.spec_files import load_spec

        return load_spec(file)

    def save(self, file: str | Path) -> None:
        """Write it as TOML or JSON, by the ending of the file's name."""
        from mecano.runs.spec_files import save_spec

        save_spec(self, file)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "RunSpec":
        """Return the spec that plain values say, see `to_json`."""
        from mecano.runs.spec_files import spec_from_json

        return spec_from_json(values)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values: what was chosen, without what is left as it is."""
        from mecano.runs.spec_files import spec_to_json

        return spec_to_json(self)

    # --- what it is of

    @property
    def name(self) -> str:
        """The experiment together with the robot that was chosen for it."""
        if self.robot is None:
            return self.experiment
        if self.experiment.endswith(".py") or "/" in self.experiment:
            own_file = self.experiment.endswith(".py")
            chosen = "ROBOT = ... in the file" if own_file else "the name before the slash"
            raise InvalidInput(
                f"--robot is for an experiment of any robot, such as `mecano run reach --robot "
                f"FOLDER`; the robot of '{self.experiment}' is chosen by {chosen}"
            )
        return f"{self.robot.rstrip('/')}/{self.experiment}"

    def find(self) -> "Experiment":
        """Return the experiment; its options are checked.

        Raises:
            UnknownName: There is no such experiment, or it has no such option.
            InvalidInput: A value makes no sense.
        """
        from mecano import tasks
        from mecano.world.model_changes import check_model_changes

        check_model_changes(self.model)
        experiment = tasks.get(self.name)
        experiment.chosen(self.options)
        return experiment

    @property
    def command(self) -> str:
        """The command that repeats it, without its record."""
        words = ["mecano", "run", self.experiment, *self._words("robot", "scene", "real")]
        words += ["--seed", str(self.seed)]
        if self.noise is not None:
            words.append("--noise" if self.noise else "--no-noise")
        for flag, table in (
            ("--option", self.options), ("--set", self.settings), ("--model", self.model),
            ("--use", self.stages),
        ):  # fmt: skip
            for key, value in table.items():
                words += [flag, f"{key}={_word(value)}"]
        return shlex.join([*words, *(["--limp"] if self.limp else []), "--no-record"])

    def _words(self, *names: str) -> list[str]:
        given = [(name, getattr(self, name)) for name in names]
        return [word for name, value in given if value for word in (f"--{name}", value)]


def _plain(value: Any) -> Any:
    """Return a value as files can hold it: numbers of numpy become plain ones, tuples lists."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _word(value: Any) -> str:
    """Return a value as the command line takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
