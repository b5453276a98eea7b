"""The release card: is the forecast of `robot.cups.can_release` right? See `release_cases`."""

import json

import numpy as np

from mecano.core.errors import InvalidInput
from mecano.lab.robot import Robot
from mecano.tasks.climb import number
from mecano.tasks.experiment import Experiment, Metric, Score, text_product
from mecano.tasks.release_cases import run_cases
from mecano.tasks.release_tables import all_cases, page, table

FIRST = 500
"""Cases are drawn from this seed on; those below were used to tune."""
ACCURACY, FALSE_SAFE = 0.95, 0.01
"""At least this balanced accuracy, and at most this part of all cases falsely called safe."""


def run(robot: Robot, rng: np.random.Generator, *, cases: str, draw: str) -> Score:
    """Forecast releases, do them, and compare; the robot itself stands by."""
    if not cases.isdecimal():
        raise InvalidInput(f"cases is '{cases}', expected a whole number, 1 to 5000")
    count = int(number(cases, "cases", lower=1.0, upper=5000.0))
    made = run_cases(count, int(number(draw, "draw", upper=1e9)))
    figures = table(made)
    metrics: dict[str, Metric] = {
        name: value for name, value in figures.items() if isinstance(value, int | float)
    }
    wrong = float(metrics["false_safe"]) / max(count, 1)
    good = float(metrics["balanced_accuracy"]) >= ACCURACY
    problem = "" if good else f"balanced accuracy below {ACCURACY}"
    if wrong > FALSE_SAFE:
        problem = f"{100 * wrong:.1f} % falsely called safe, allowed {100 * FALSE_SAFE:.0f} %"
    text = page(made)
    return Score(
        success=not problem,
        metrics=metrics,
        remark=problem,
        report=text,
        products={
            "releases.md": text_product(f"{text}\n**All cases**\n\n{all_cases(made)}"),
            "releases.json": text_product(json.dumps(figures, indent=1)),
        },
    )


EXPERIMENT = Experiment(
    name="romerin/release-card",
    title="forecast what letting go of a cup does, and compare with physics",
    robot="romerin",
    scene="empty",
    run=run,
    options={"cases": "200", "draw": str(FIRST)},
    hints={
        "cases": "how many releases",
        "draw": f"seed of the situations; those below {FIRST} were used to tune",
    },
)
