"""What an experiment is, how one run of it is made, and what a run answers."""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mecano.core.errors import InvalidInput, UnknownName
from mecano.lab.robot import Robot, connect
from mecano.lab.settings import Settings
from mecano.stages.user_stage import UserStage
from mecano.world.assembly import Change
from mecano.world.model_changes import change_model, check_model_changes

Metric = float | int | bool | str
"""What a run measures; the name of a metric ends in its unit (`place_error_mm`)."""


class UnknownOption(UnknownName):
    """An option that an experiment does not have."""

    def __init__(self, experiment: str, name: str, known: Iterable[str]) -> None:
        super().__init__("option", name, known)
        self.experiment = experiment
        self.args = (f"{experiment}: {self}",)


Product = Callable[[Path], None]
"""Writes a file of an experiment's own into the run folder: a plot, a table."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """What an experiment says of itself at its end."""

    success: bool
    metrics: dict[str, Metric] = field(default_factory=dict)
    remark: str = ""
    """Why it failed, in a sentence."""
    report: str = ""
    """A text to print after the card, such as a comparison with the paper."""
    products: dict[str, Product] = field(default_factory=dict)
    """Files for the run folder, by name: each is called with its path."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A scene, what varies with the seed, and a program for the robot."""

    name: str
    """`robot/what-it-does`."""
    title: str
    robot: str
    scene: str
    run: Callable[..., Score]
    """The program: takes the robot, a generator to draw from what varies while it runs, and the
    options by name."""
    vary: Callable[[np.random.Generator, int], list[Change]] = lambda rng, seed: []
    """Returns changes to the scene, drawn from the generator (or laid down by the seed)."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings this experiment needs, such as `{"physics.timestep": 0.001}`."""
    options: dict[str, str] = field(default_factory=dict)
    """What a user may choose, and what is taken if he does not."""
    start: str = "home"
    """Named posture in which the robot begins."""
    noise: bool = False
    """Whether its sensors have noise if nobody says otherwise."""
    hints: dict[str, str] = field(default_factory=dict)
    """What options mean, with units, for `mecano info`."""
    surfaces: dict[str, str] = field(default_factory=dict)
    """Scenes in the place of `scene`, by what the option `surface` says."""
    objects: tuple[str, ...] = ()
    """Bodies that are handled, each with a shape of its name: what `mecano evaluate --robustness`
    makes larger, heavier and more slippery."""
    room: tuple[float, float] = (0.0, 2.0 * np.pi)
    """Directions in the world in which the robot could stand off without touching furniture
    [rad]."""
    check: Callable[..., object] | None = None
    """Takes the options by name and raises if a value makes no sense: before the robot is built,
    which takes long. None leaves that to `run`."""

    def with_noise(self, wanted: bool | None) -> bool:
        """Return whether sensors have noise, given what a user said of it, if anything."""
        return self.noise if wanted is None else wanted

    def scene_for(self, chosen: Mapping[str, str]) -> str:
        """Return the scene that belongs to options, see `chosen`."""
        if not self.surfaces:
            return self.scene
        if chosen["surface"] not in self.surfaces:
            raise UnknownName("surface", chosen["surface"], self.surfaces)
        return self.surfaces[chosen["surface"]]

    def chosen(self, options: Mapping[str, Any]) -> dict[str, str]:
        """Return the options as texts, with the user's choices, or say which there are.

        Args:
            options: Texts, as the command line gives them; or numbers, yes and no as `bool`, and
                lists of texts: `{"moves": ["A>C", "B>A"], "rounds": 2}`.
        """
        if not isinstance(options, Mapping):
            raise InvalidInput(f"options are {options!r}, expected values by name: {self.options}")
        for name in options:
            if name not in self.options:
                raise UnknownOption(self.name, str(name), self.options)
        chosen = self.options | {n: self._text(n, value) for n, value in options.items()}
        if self.check is not None:
            self.check(**chosen)
        return chosen

    def _text(self, name: str, value: Any) -> str:
        """Return a choice as the command line would have written it."""
        if isinstance(value, bool | np.bool_):
            return "yes" if value else "no"
        if isinstance(value, str | int | float | np.number):
            return str(value)
        if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
            return " ".join(value)
        raise InvalidInput(
            f"{self.name}: the option {name} is {value!r}, expected a text, a number or a list of "
            f"texts, such as {self.options[name]!r}"
        )


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """One run of an experiment. `to_json` is a contract for scripts."""

    experiment: str
    success: bool
    seed: int
    state_hash: str
    metrics: dict[str, Metric]
    sim_time_s: float
    wall_time_s: float
    remark: str = ""
    real: bool = False
    """True if it was a real robot, or an emulated one."""
    report: str = ""
    """See `Score`."""
    products: dict[str, Product] = field(default_factory=dict, compare=False, repr=False)
    """See `Score`; they do not travel from one process to another."""

    def to_json(self) -> dict[str, Any]:
        """Return the run as plain values."""
        keys = (
            "experiment",
            "success",
            "seed",
            "state_hash",
            "metrics",
            "sim_time_s",
            "wall_time_s",
        )
        answer = {key: getattr(self, key) for key in keys}
        return answer | ({"remark": self.remark} if self.remark else {})


def text_product(text: str) -> Product:
    """Return what writes a text to a file."""

    def write(path: Path) -> None:
        path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")

    return write


Watch = Callable[[Robot], None]
"""Told of the robot before the program starts: a progress line, a recorder, a viewer."""


def run_experiment(
    experiment: Experiment,
    *,
    seed: int = 0,
    noise: bool | None = None,
    changes: Mapping[str, Any] | None = None,
    settings_file: str | None = None,
    stages: dict[str, str] | None = None,
    watch: Watch | None = None,
    real: str | None = None,
    limp: bool = False,
    options: Mapping[str, Any] | None = None,
    scene: str | None = None,
    model: Mapping[str, float] | None = None,
) -> RunResult:
    """Run an experiment once.

    Args:
        experiment: What to run.
        seed: Of everything that varies; the same seed gives the same run, bit for bit.
        noise: Put noise on the sensors; None leaves that to the experiment.
        changes: Changed settings, by dotted name.
        settings_file: A TOML file with changed settings.
        stages: The user's own functions in the place of ours: `{"ik": "student.py:solve"}`.
        watch: Called with the robot before the program starts.
        real: Serial port of the real robot; nothing varies with the seed but the program's own.
        limp: At the end let a real robot's motors go, instead of holding where it is.
        options: The user's choices, see `Experiment.chosen`.
        scene: Name or file of a scene in the place of the experiment's own.
        model: Changed bodies, see `mecano.world.model_changes`; after what the seed varies.

    Raises:
        MecanoError: One of these makes no sense; nothing was run.
    """
    started = time.perf_counter()
    _check(experiment, seed, changes)
    seed = int(seed)
    chosen = experiment.chosen(options or {})
    settings = Settings.load(settings_file, experiment.settings | dict(changes or {}))
    streams = np.random.SeedSequence(seed).spawn(2)
    scene_changes = [] if real else experiment.vary(np.random.default_rng(streams[0]), seed)
    if model:
        bodies = check_model_changes(model)
        scene_changes = [*scene_changes, lambda scene: change_model(scene, bodies)]
    with ExitStack() as stack:
        robot = stack.enter_context(
            connect(
                experiment.robot,
                real=real,
                limp=limp,
                scene=None if real else scene or experiment.scene_for(chosen),
                seed=seed,
                noise=experiment.with_noise(noise),
                settings=settings,
                changes=scene_changes,
                start=experiment.start,
            )
        )
        if stages and "ik" in stages:
            robot.arm.ik_stage = stack.enter_context(UserStage("ik", stages["ik"]))
        if stages and "controller" in stages:
            controller = stack.enter_context(UserStage("controller", stages["controller"]))
            robot.base.use_controller(controller)
        if stages and "planner" in stages:
            from mecano.stages.planner_stage import StagePlanner

            robot.global_planner = StagePlanner(
                stack.enter_context(UserStage("planner", stages["planner"]))
            )
        if watch is not None:
            watch(robot)
        score = _scored(experiment, robot, np.random.default_rng(streams[1]), chosen)
        return RunResult(
            experiment=experiment.name,
            success=score.success,
            seed=seed,
            state_hash=robot.state_hash(),
            metrics=score.metrics,
            sim_time_s=round(robot.time, 9),
            wall_time_s=round(time.perf_counter() - started, 4),
            remark=score.remark,
            report=score.report,
            products=score.products,
            real=real is not None,
        )


def _scored(
    experiment: Experiment, robot: Robot, rng: np.random.Generator, chosen: dict[str, str]
) -> Score:
    """Run the program; one that says nothing of how it went has not succeeded."""
    score = experiment.run(robot, rng, **chosen)
    if not isinstance(score, Score):
        raise InvalidInput(
            f"the program of {experiment.name} returned {score!r}; return a "
            "mecano.tasks.Score(success=True or False, metrics={...})"
        )
    return score


def _check(experiment: Any, seed: Any, changes: Any) -> None:
    """Raise unless these are of the kind that a run needs."""
    if not isinstance(experiment, Experiment):
        raise InvalidInput(
            f"the experiment is {experiment!r}, expected an Experiment: "
            "tasks.get(NAME) gives the one with a name"
        )
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not whole or seed < 0:
        raise InvalidInput(f"the seed is {seed!r}, expected a whole number from 0 on")
    named = isinstance(changes, Mapping) and all(isinstance(name, str) for name in changes)
    if changes is not None and not named:
        raise InvalidInput(
            f"changes are {changes!r}, expected settings by name, such as "
            "{'physics.timestep': 0.001}; what changes the scene goes into Experiment.vary"
        )
