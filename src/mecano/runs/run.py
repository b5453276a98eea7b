"""One run: made from its spec, recorded and watched."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mecano.core.errors import InvalidInput
from mecano.core.notices import say
from mecano.runs.spec import NEW_FOLDER, RunSpec

if TYPE_CHECKING:
    from mecano.lab.robot import Robot
    from mecano.record.recorder import Recorder
    from mecano.record.recording import Recording
    from mecano.tasks.experiment import Experiment, RunResult, Watch


class Onlooker(Protocol):
    """Who shows a run to people, and lets them take the controls: a web page."""

    on_touch: list[Callable[[str], None]]
    """Told of what a person commands."""
    touches: list[dict[str, Any]]
    """What and when that was."""

    def watch(self, robot: "Robot") -> None:
        """Begin to show a robot; called before its program starts."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that was made."""

    spec: RunSpec
    result: "RunResult"
    folder: Path | None = None
    """Of its record; None if nothing was recorded."""
    broke_off_at: float | None = None
    """When the record ends although the run went on, because it could not be written [s]."""

    @property
    def success(self) -> bool:
        """Whether the experiment says that it succeeded."""
        return self.result.success

    @property
    def hash(self) -> str:
        """Of the state at the end: equal for equal specs."""
        return self.result.state_hash

    @property
    def record(self) -> "Recording":
        """Its record, opened.

        Raises:
            InvalidInput: It was not recorded.
        """
        from mecano.record.recording import Recording

        if self.folder is None:
            raise InvalidInput('this run was not recorded; give RunSpec(..., record="auto")')
        return Recording.open(self.folder)

    def to_json(self) -> dict[str, Any]:
        """Return run and record as plain values; a contract for scripts."""
        broken = {} if self.broke_off_at is None else {"record_broke_off_at_s": self.broke_off_at}
        folder = None if self.folder is None else str(self.folder)
        return self.result.to_json() | {"record": folder} | broken


def run(
    spec: RunSpec | str, *, watch: "Watch | None" = None, viewed: Onlooker | None = None
) -> Run:
    """Run an experiment once.

    A run that raises leaves a record that says why. Its folder is made when the robot is ready,
    so a run that cannot start leaves none.

    Args:
        spec: What to run, or just the name of an experiment.
        watch: Called with the robot before the program starts.
        viewed: The page that shows it.

    Raises:
        MecanoError: The spec makes no sense (nothing was run), or the program failed.
    """
    spec = RunSpec(spec) if isinstance(spec, str) else spec
    if not isinstance(spec, RunSpec):
        raise InvalidInput(f"a run is made from a RunSpec or a name, got {spec!r}")
    experiment = spec.find()
    recorders: list[Recorder] = []  # one, or none if nothing is recorded

    def begin(robot: "Robot") -> None:
        if watch is not None:
            watch(robot)
        folder = _new_folder(spec, experiment)
        if folder is not None:
            from mecano.record.recorder import Recorder

            recorders.append(Recorder(robot, folder, _header(spec, experiment)))
        if viewed is not None:
            viewed.on_touch += [recorder.mark_touched for recorder in recorders]
            viewed.watch(robot)

    try:
        result = execute(spec, experiment, watch=begin)
    except BaseException as error:
        for recorder in recorders:
            _end_early(recorder, error)
        raise
    if viewed is not None:
        result = _touched(result, viewed)
    if not recorders:
        return Run(spec=spec, result=result)
    [recorder] = recorders
    recorder.close(result.to_json())
    _write_products(result, recorder.folder)
    return Run(spec=spec, result=result, folder=recorder.folder, broke_off_at=recorder.broke_off_at)


def execute(
    spec: RunSpec, experiment: "Experiment | None" = None, *, watch: "Watch | None" = None
) -> "RunResult":
    """Run without recording; see `run`."""
    from mecano.tasks.experiment import run_experiment

    return run_experiment(
        experiment or spec.find(), seed=spec.seed, noise=spec.noise, changes=spec.settings,
        scene=spec.scene, model=spec.model, stages=dict(spec.stages), options=spec.options,
        real=spec.real, limp=spec.limp, watch=watch,
    )  # fmt: skip


def _new_folder(spec: RunSpec, experiment: "Experiment") -> Path | None:
    """Make the folder of a record; None if nothing is recorded."""
    from mecano.record.folder import base_folder, make_named_folder, make_new_folder

    if spec.record is None:
        return None
    if spec.record != NEW_FOLDER:
        return make_named_folder(spec.record)
    base = base_folder()
    if base is None:
        return None
    return make_new_folder(base, experiment.name, spec.seed, now=datetime.now())


def _header(spec: RunSpec, experiment: "Experiment") -> dict[str, Any]:
    """Return the header of a record, from which the run can be repeated."""
    from mecano import tasks
    from mecano.record.header import experiment_header

    own_scene = experiment.scene_for(experiment.chosen(spec.options))
    more = {"real": spec.real} if spec.real else {}
    return more | experiment_header(
        experiment=tasks.lasting(spec.name), title=experiment.title, scene=spec.scene or own_scene,
        seed=spec.seed, noise=experiment.with_noise(spec.noise), changes=spec.settings,
        stages=spec.stages, options=spec.options, scene_chosen=spec.scene, model=spec.model,
    )  # fmt: skip


def _end_early(recorder: "Recorder", error: BaseException) -> None:
    """Close the record of a run that raised, and say where it is if it stays."""
    from mecano.record.folder import PASSING

    recorder.close_after(error)
    stays = not recorder.folder.name.startswith(PASSING)
    where = f", record {recorder.folder}" if stays else ""
    say(f"ended at {recorder.session.time:.2f} s{where}", "remark")


def _touched(result: "RunResult", viewed: Onlooker) -> "RunResult":
    """Return the result of a run, with a remark if a person took the controls."""
    from mecano.record.header import touched

    if not viewed.touches:
        return result
    remark = f"{touched(viewed.touches)}, so its seed does not repeat it"
    return replace(result, remark=" ".join(filter(None, [result.remark, remark])))


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
            say(f"{folder / name} is not written: {error.strerror}", "remark")
