"""What decides success in a study: its share at each level of each parameter, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mecano.runs.outcomes import RunOutcome
from mecano.runs.study import Study
from mecano.tasks.evaluation import wilson

LEVELS = 5
"""A parameter with more values than this is cut into so many levels with equally many runs."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """Runs whose parameter lies in a range."""

    parameter: str
    level: str
    """The value, or the range of values, in words."""
    middle: float | None
    """Median of the values; None if they are no numbers."""
    runs: int
    successes: int

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share of successes."""
        return wilson(self.successes, self.runs)


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """How success depends on one parameter."""

    parameter: str
    levels: tuple[Level, ...]
    rank_correlation: float | None
    """Spearman's, of the parameter and success; None if it has no numbers or nothing varies."""

    @property
    def effect(self) -> float:
        """Largest difference of the shares of success of two levels."""
        shares = [level.successes / level.runs for level in self.levels]
        return max(shares) - min(shares)


def sensitivities(study: Study, outcomes: Sequence[RunOutcome]) -> list[Sensitivity]:
    """Return how success depends on each parameter, the strongest first."""
    points = [point for point in study.parameters() for _ in range(study.seeds)]
    success = np.array([outcome.success for outcome in outcomes])
    found = [sensitivity(name, [point[name] for point in points], success) for name in study.vary]
    return sorted(found, key=lambda each: -each.effect)


def sensitivity(name: str, values: Sequence[Any], success: Any) -> Sensitivity:
    """Return how success depends on one parameter.

    Args:
        name: Of the parameter.
        values: Its value in each run.
        success: Whether each run succeeded. Shape (n,).
    """
    success = np.asarray(success, bool)
    kinds = list(dict.fromkeys(values))
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in kinds)
    if numbers and len(kinds) > LEVELS:
        groups = _quantiles(np.array(values, float))
    else:
        kinds = sorted(kinds) if numbers else kinds
        groups = [np.array([value == kind for value in values]) for kind in kinds]
    levels = tuple(_level(name, values, success, group, numbers) for group in groups)
    rank = _spearman(np.array(values, float), success) if numbers else None
    return Sensitivity(parameter=name, levels=levels, rank_correlation=rank)


def _quantiles(values: np.ndarray) -> list[np.ndarray]:
    """Return which runs belong to each of some levels with about equally many runs."""
    edges = np.unique(np.quantile(values, np.linspace(0.0, 1.0, LEVELS + 1)))
    numbers = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    return [numbers == number for number in range(len(edges) - 1) if (numbers == number).any()]


def _level(
    name: str, values: Sequence[Any], success: np.ndarray, group: np.ndarray, numbers: bool
) -> Level:
    own = [value for value, inside in zip(values, group, strict=True) if inside]
    one = len(set(own)) == 1
    words = f"{own[0]:g}" if one and numbers else str(own[0])
    if not one:
        words = f"{min(own):.3g} to {max(own):.3g}"
    return Level(
        parameter=name, level=words, middle=float(np.median(own)) if numbers else None,
        runs=int(group.sum()), successes=int(success[group].sum()),
    )  # fmt: skip


def _spearman(values: np.ndarray, success: np.ndarray) -> float | None:
    from scipy.stats import spearmanr

    if np.ptp(values) == 0.0 or success.all() or not success.any():
        return None
    found: Any = spearmanr(values, success)
    return round(float(found.statistic), 4)
