"""The table of a sweep as Parquet: one row per run, one column per parameter and metric."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mecano.core.errors import InvalidInput, MecanoError
from mecano.runs.outcomes import RunOutcome
from mecano.runs.spec import RunSpec
from mecano.runs.study import Study


def require_tables() -> None:
    """Raise with the line that installs it unless Parquet can be written."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MecanoError("sweeps need pyarrow: pip install 'mecano[sweep]'") from None


def write_table(
    file: Path, study: Study, specs: Sequence[RunSpec], outcomes: Sequence[RunOutcome]
) -> None:
    """Write all runs, or nothing; the same study gives the same bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    half = file.with_suffix(".half")
    try:
        pq.write_table(pa.table(columns_of(study, specs, outcomes)), half)
        half.replace(file)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise InvalidInput(f"cannot write {file}: {error.strerror}") from None


def columns_of(
    study: Study, specs: Sequence[RunSpec], outcomes: Sequence[RunOutcome]
) -> dict[str, list[Any]]:
    """Return the columns of a table: run, seed, parameters, how it ended, metrics, command."""
    points = [point for point in study.parameters() for _ in range(study.seeds)]
    columns: dict[str, list[Any]] = {
        "run": list(range(len(specs))),
        "seed": [spec.seed for spec in specs],
    }
    columns |= {name: _alike([point[name] for point in points]) for name in study.vary}
    for name in ("success", "state_hash", "sim_time_s", "remark", "error"):
        columns[name] = [getattr(outcome, name) for outcome in outcomes]
    metrics = dict.fromkeys(name for outcome in outcomes for name in outcome.metrics)
    for name in metrics:
        columns[f"metric.{name}"] = _alike([outcome.metrics.get(name) for outcome in outcomes])
    columns["command"] = [spec.command for spec in specs]
    return columns


def _alike(values: list[Any]) -> list[Any]:
    """Return values of one kind, as a column needs it: numbers as floats, else texts."""
    known = [value for value in values if value is not None]
    if all(isinstance(value, bool) for value in known):
        return values
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        return [None if value is None else float(value) for value in values]
    return [None if value is None else str(value) for value in values]
