"""How an experiment fares when the world is not as it was tuned for: one change at a time."""

import io
import math
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import mujoco
import numpy as np

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose
from mecano.tasks.evaluation import side_by_side, wilson
from mecano.tasks.experiment import Experiment, RunResult, run_experiment
from mecano.world.assembly import Change

BEFORE_THE_START = ("too_wide", "too_narrow", "too_heavy", "out_of_reach", "not_found", "occupied")
"""Reasons that a skill gives instead of trying."""


@dataclass(frozen=True)
class Disturbance:
    """One thing that is other than the experiment's program was told."""

    kind: str
    """"nominal", "size", "mass", "friction" (factors), "base" [m] or "turn" [deg]."""
    value: float = 1.0

    @property
    def name(self) -> str:
        """What it is called in tables."""
        if self.kind == "nominal":
            return "nominal"
        if self.kind == "base":
            return f"base {100 * self.value:g} cm off"
        if self.kind == "turn":
            return f"base {self.value:g} deg turned"
        return f"{self.kind} x{self.value:g}"


CELLS = (
    Disturbance("nominal"),
    Disturbance("size", 0.8),
    Disturbance("size", 1.2),
    Disturbance("mass", 0.5),
    Disturbance("mass", 3.0),
    Disturbance("friction", 0.6),
    Disturbance("friction", 1.5),
    Disturbance("base", 0.02),
    Disturbance("base", 0.05),
    Disturbance("turn", 5.0),
)


def disturbed(experiment: Experiment, disturbance: Disturbance) -> Experiment:
    """Return an experiment with one thing changed that its program does not know."""

    def vary(rng: np.random.Generator, seed: int) -> list[Change]:
        draw = np.random.default_rng([seed, 20])
        return [*experiment.vary(rng, seed), _change(experiment, disturbance, draw)]

    return replace(experiment, vary=vary)


def _change(experiment: Experiment, what: Disturbance, draw: np.random.Generator) -> Change:
    where, sign = draw.uniform(*experiment.room), float(draw.choice([-1.0, 1.0]))

    def change(spec: mujoco.MjSpec) -> None:
        for name in experiment.objects:
            _change_object(spec.body(name), spec.geom(name), what)
        if what.kind == "base":
            off = what.value * np.array([math.cos(where), math.sin(where), 0.0])
            _move_robot(spec, experiment.robot, Pose(off))
        if what.kind == "turn":
            turn = sign * math.radians(what.value)
            _move_robot(spec, experiment.robot, Pose.from_xyz_rpy([0, 0, 0], [0, 0, turn]))

    return change


def _change_object(body: mujoco.MjsBody, shape: mujoco.MjsGeom, what: Disturbance) -> None:
    if what.kind == "size":
        foot = float(shape.size[2])
        shape.size = np.array(shape.size) * what.value
        body.pos = np.add(body.pos, [0.0, 0.0, (what.value - 1.0) * foot])
    elif what.kind == "mass":
        shape.mass = shape.mass * what.value
    elif what.kind == "friction":
        shape.friction = np.array(shape.friction) * what.value


def _move_robot(spec: mujoco.MjSpec, robot: str, by: Pose) -> None:
    """Move all roots of a robot, and turn them about the first of them."""
    roots = [body for body in spec.worldbody.bodies if body.name.startswith(f"{robot}/")]
    foot = Pose(np.array(roots[0].pos))
    for body in roots:
        pose = foot @ by @ foot.inverse() @ Pose(np.array(body.pos), np.array(body.quat))
        body.pos, body.quat = pose.position, pose.quaternion


def _run(name: str, noise: bool, case: tuple[Disturbance, int]) -> RunResult:
    from mecano import tasks

    disturbance, seed = case
    experiment = disturbed(tasks.get(name), disturbance)
    with redirect_stdout(io.StringIO()):
        return replace(run_experiment(experiment, seed=seed, noise=noise), products={})


def robustness(
    name: str,
    seeds: Sequence[int],
    *,
    noise: bool = True,
    cells: Sequence[Disturbance] = CELLS,
    jobs: int = 1,
    on_run: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Run an experiment under each disturbance and count how it ends.

    Args:
        name: Of the experiment; it must say what its objects are (`Experiment.objects`).
        seeds: Of each cell.
        noise: Put noise on the sensors.
        cells: The disturbances, each alone.
        jobs: Processes side by side.
        on_run: Told how many of all runs are done.

    Returns:
        Plain values: per cell successes, refusals with a reason before anything was moved, failures
        and what was said.
    """
    from mecano import tasks

    experiment = tasks.get(name)
    if not experiment.objects:
        raise InvalidInput(
            f"{name} does not say which objects it handles (Experiment.objects), so there is "
            "nothing whose size, mass and friction could be changed"
        )
    cases = [(cell, seed) for cell in cells for seed in seeds]
    results: dict[int, RunResult] = {}
    with closing(side_by_side(partial(_run, name, noise), cases, jobs)) as runs:
        for place, result in runs:
            results[place] = result
            if on_run is not None:
                on_run(len(results), len(cases))
    rows = [
        _row(cell, [results[k] for k, case in enumerate(cases) if case[0] == cell])
        for cell in cells
    ]
    return {"experiment": name, "noise": noise, "seeds": list(seeds), "cells": rows}


def _row(cell: Disturbance, runs: Sequence[RunResult]) -> dict[str, Any]:
    good = sum(run.success for run in runs)
    refused = [run for run in runs if not run.success and _refused(run)]
    low, high = wilson(good, len(runs))
    return {
        "change": cell.name,
        "runs": len(runs),
        "successes": good,
        "refused": len(refused),
        "failures": len(runs) - good - len(refused),
        "interval_95": [round(low, 4), round(high, 4)],
        "said": dict(Counter(run.remark for run in runs if not run.success)),
        "seeds_without_success": [run.seed for run in runs if not run.success],
    }


def _refused(run: RunResult) -> bool:
    """Tell whether a run ended with a reason before anything was moved."""
    return not run.metrics.get("moves", 1) and run.remark.startswith(BEFORE_THE_START)
