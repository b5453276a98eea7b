"""All runs of a study: computed, kept as they end, and gathered into one table."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mecano.core.errors import InvalidInput
from mecano.runs.engines import engine_for
from mecano.runs.journal import TABLE, Journal
from mecano.runs.outcomes import RunOutcome
from mecano.runs.sensitivity import Sensitivity, sensitivities
from mecano.runs.spec import RunSpec
from mecano.runs.study import MANY, Study
from mecano.tasks.evaluation import wilson

PLOT = "success.png"

Told = Callable[[int, int, int], None]
"""Told of progress: runs that have ended, runs in all, successes so far."""


@dataclass(frozen=True, kw_only=True)
class SweepResult:
    """The runs of a study."""

    study: Study
    specs: tuple[RunSpec, ...]
    outcomes: tuple[RunOutcome, ...]
    """How each of them ended."""
    sensitivities: tuple[Sensitivity, ...]
    """What decides success, the strongest first."""
    folder: Path
    resumed: int
    """Runs that had ended in an earlier call."""

    @property
    def table(self) -> Path:
        """One row per run, Parquet."""
        return self.folder / TABLE

    @property
    def failures(self) -> list[int]:
        """Numbers of the runs that did not succeed; `specs[number].command` repeats one."""
        return [n for n, outcome in enumerate(self.outcomes) if not outcome.success]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values; a contract for scripts."""
        runs, failed = len(self.outcomes), len(self.failures)
        return {
            "runs": runs, "done": runs, "failed": failed, "success": (runs - failed) / runs,
            "successes": runs - failed, "interval_95": wilson(runs - failed, runs),
            "errors": sum(bool(outcome.error) for outcome in self.outcomes),
            "resumed": self.resumed, "table": str(self.table), "plot": str(self.folder / PLOT),
            "sensitivity": {
                each.parameter: {"effect": each.effect, "rank_correlation": each.rank_correlation}
                for each in self.sensitivities
            },
        }  # fmt: skip


def sweep(
    study: Study | str | Path,
    out: str | Path,
    *,
    on: str = "local",
    workers: int = 0,
    many: bool = False,
    told: Told | None = None,
) -> SweepResult:
    """Make the runs of a study; what had ended before in the same folder is not run again.

    Args:
        study: What to run, or its TOML file.
        out: Folder for runs, table and plots; that of a sweep that was interrupted goes on.
        on: "local", "here", "auto" or "ray://HOST:PORT", see `engine_for`.
        workers: Processes of "local"; 0 is one per core.
        many: Allow a million runs and more.
        told: Called as runs end.

    Raises:
        InvalidInput: The study makes no sense, or the folder is not one for it.
    """
    from mecano.runs.study_plots import draw_success
    from mecano.runs.tables import require_tables, write_table

    require_tables()
    if not isinstance(study, Study):
        study = Study.load(study)
    if len(study) >= MANY and not many:
        raise InvalidInput(f"the study has {len(study):,} runs; say --yes (many=True) if so meant")
    engine = engine_for(on, workers)
    study.check()
    with Journal.held(Path(out), study) as journal:
        specs, resumed = study.specs(), len(journal.done)
        missing = [(n, spec) for n, spec in enumerate(specs) if n not in journal.done]
        good = sum(outcome.success for outcome in journal.done.values())
        for number, outcome in engine.outcomes(missing):
            journal.add(number, outcome)
            good += outcome.success
            if told is not None:
                told(len(journal.done), len(specs), good)
        outcomes = tuple(journal.done[number] for number in range(len(specs)))
        write_table(journal.folder / TABLE, study, specs, outcomes)
        found = tuple(sensitivities(study, outcomes))
        if found:
            draw_success(found, journal.folder / PLOT, f"{study.run.name}: {len(specs)} runs")
    return SweepResult(
        study=study, specs=tuple(specs), outcomes=outcomes, sensitivities=found, folder=Path(out),
        resumed=resumed,
    )  # fmt: skip
