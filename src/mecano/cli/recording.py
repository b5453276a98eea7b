"""Runs that are recorded as they are made: where to, and how the record ends with the run."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mecano.cli.remarks import mention

if TYPE_CHECKING:
    from mecano.cli.viewing import ViewedRun
    from mecano.lab.robot import Robot
    from mecano.record.recorder import Recorder
    from mecano.session.session import Session
    from mecano.tasks.experiment import Experiment, RunResult, Watch


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """Everything that a run is made from but its seed."""

    name: str
    """Of the experiment, as it was given: a name or a file."""
    experiment: "Experiment"
    noise: bool = False
    changes: dict[str, Any] = field(default_factory=dict)
    stages: dict[str, str] = field(default_factory=dict)
    real: str | None = None
    """Serial port of the real robot."""
    limp: bool = False
    """Let its motors go at the end."""
    options: dict[str, str] = field(default_factory=dict)
    """Of the experiment, as the user chose them."""

    def header(self, seed: int) -> dict[str, Any]:
        """Return the header of a recording of this run."""
        from mecano.record.header import experiment_header

        return experiment_header(
            experiment=self.name,
            title=self.experiment.title,
            scene=self.experiment.scene_for(self.experiment.chosen(self.options)),
            seed=seed,
            noise=self.noise,
            changes=self.changes,
            stages=self.stages,
            options=self.options,
        ) | ({"real": self.real} if self.real else {})

    def run(self, seed: int, *, watch: "Watch") -> "RunResult":
        """Run it once."""
        from mecano.tasks.experiment import run_experiment

        return run_experiment(
            self.experiment,
            seed=seed,
            noise=self.noise,
            changes=self.changes,
            stages=self.stages,
            watch=watch,
            real=self.real,
            limp=self.limp,
            options=self.options,
        )


@dataclass(frozen=True, kw_only=True)
class MadeRun:
    """A run and where it was recorded."""

    result: "RunResult"
    folder: Path | None
    """None if nothing was recorded."""
    temporary: bool = False
    """The folder is there until the command ends, for the video; nobody is told of it."""
    broke_off_at: float | None = None
    """When the record ends although the run went on, because it could not be written [s]."""

    @property
    def record(self) -> str | None:
        """Where the record is, in words."""
        if self.folder is None or self.temporary:
            return None
        if self.broke_off_at is None:
            return str(self.folder)
        return f"{self.folder} (not whole: it breaks off at {self.broke_off_at:.2f} s)"

    def to_json(self) -> dict[str, Any]:
        """Return run and record as plain values."""
        broken = {} if self.broke_off_at is None else {"record_broke_off_at_s": self.broke_off_at}
        folder = None if self.folder is None or self.temporary else str(self.folder)
        return self.result.to_json() | {"record": folder} | broken


@dataclass(frozen=True)
class RunFolders:
    """Where runs are recorded."""

    make: Callable[[int], Path]
    """Makes the folder of a seed."""
    temporary: bool = False
    """They are there until the command ends, for the video; nobody is told of them."""


def folders_for(
    experiment: str, named: Path | None, *, off: bool, several: bool
) -> RunFolders | None:
    """Return where the runs are recorded, or None if they are not.

    Args:
        experiment: What is run.
        named: The folder that was asked for; several runs get folders inside it.
        off: Whether recording was turned off.
        several: Whether there are several runs.
    """
    from mecano.core.errors import InvalidInput
    from mecano.record.folder import base_folder, make_named_folder, make_new_folder

    if named is not None:
        if off:
            raise InvalidInput("--record and --no-record were both given; give one of them")
        return RunFolders(
            lambda seed: make_named_folder(named / f"seed{seed}" if several else named)
        )
    base = base_folder()
    if off or base is None:
        return None
    return RunFolders(lambda seed: make_new_folder(base, experiment, seed, now=datetime.now()))


def recorded(robot: "Robot", folder: Path | None) -> AbstractContextManager[object]:
    """Record a robot into a new folder while the block runs, if a folder is given."""
    if folder is None:
        return nullcontext()
    from mecano.record.recorder import Recorder

    return Recorder(robot, folder)


def make_one_run(
    plan: RunPlan, seed: int, *, folders: RunFolders | None, viewed: "ViewedRun | None" = None
) -> MadeRun:
    """Run once, recorded and watched.

    A run that raises leaves a folder that says why. The folder is made when the robot is ready,
    so a run that cannot start leaves none.

    Args:
        plan: What to run.
        seed: Of the run.
        folders: Where it is recorded; None records nothing.
        viewed: The page that shows it.
    """
    from mecano.record.header import touched

    recorders: list[Recorder] = []  # one, or none if nothing is recorded

    def watch(robot: "Robot") -> None:
        robot.session.observers.append(_time_teller(plan.experiment.name))
        if folders is not None:
            from mecano.record.recorder import Recorder

            recorders.append(Recorder(robot, folders.make(seed), plan.header(seed)))
        if viewed is not None:
            viewed.on_touch += [recorder.mark_touched for recorder in recorders]
            viewed.watch(robot)

    temporary = folders is not None and folders.temporary
    try:
        result = plan.run(seed, watch=watch)
    except BaseException as error:
        for recorder in recorders:
            _end_early(recorder, error, temporary=temporary)
        raise
    if viewed is not None and viewed.touches:
        remark = f"{touched(viewed.touches)}, so its seed does not repeat it"
        result = replace(result, remark=" ".join(filter(None, [result.remark, remark])))
    if not recorders:
        return MadeRun(result=result, folder=None)
    [recorder] = recorders
    recorder.close(result.to_json())
    _write_products(result, recorder.folder)
    return MadeRun(
        result=result,
        folder=recorder.folder,
        temporary=temporary,
        broke_off_at=recorder.broke_off_at,
    )


def _end_early(recorder: "Recorder", error: BaseException, *, temporary: bool) -> None:
    """Close the record of a run that raised, and say where it is if it stays."""
    recorder.close_after(error)
    where = "" if temporary else f", record {recorder.folder}"
    mention(f"ended at {recorder.session.time:.2f} s{where}")


def _time_teller(name: str) -> "Callable[[Session], None]":
    """Return an observer that says now and then how far a run is, where no bar is shown."""
    import sys

    from mecano.cli.progress import now_and_then

    tell = now_and_then()
    if sys.stderr.isatty():
        return lambda session: None
    return lambda session: tell(f"{name}: {session.time:.0f} s so far")


def _write_products(result: "RunResult", folder: Path) -> None:
    """Write what the experiment has of its own into the run folder; say what cannot be written."""
    from mecano.tasks.experiment import text_product

    products = dict(result.products)
    if result.report:
        products["report.txt"] = text_product(result.report)
    for name, write in products.items():
        try:
            write(folder / name)
        except OSError as error:
            mention(f"{folder / name} is not written: {error.strerror}")
