"""What one run of a study leaves: a row of plain values, the same on every machine and engine."""

import io
import time
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

from mecano.core.errors import MecanoError
from mecano.runs.spec import RunSpec


@dataclass(frozen=True, kw_only=True)
class RunOutcome:
    """How a run of a study ended."""

    success: bool
    state_hash: str = ""
    """Empty if it could not be run."""
    sim_time_s: float = 0.0
    wall_time_s: float = 0.0
    """Not in the table: it differs from run to run."""
    metrics: dict[str, Any]
    remark: str = ""
    error: str = ""
    """Why it could not be run to its end."""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return dict(vars(self))


def outcome_of(spec: RunSpec) -> RunOutcome:
    """Run once; a run that cannot be run to its end is an outcome too.

    What programs print is dropped: the texts of many at once tell nobody anything.
    """
    from mecano.runs.run import execute

    started = time.perf_counter()
    try:
        with redirect_stdout(io.StringIO()):
            result = execute(spec)
    except MecanoError as error:
        wall = round(time.perf_counter() - started, 4)
        return RunOutcome(success=False, metrics={}, error=str(error), wall_time_s=wall)
    return RunOutcome(
        success=bool(result.success), state_hash=result.state_hash, sim_time_s=result.sim_time_s,
        wall_time_s=result.wall_time_s, metrics=dict(result.metrics), remark=result.remark,
    )  # fmt: skip


def lost(why: str) -> RunOutcome:
    """Return the outcome of a run whose worker died each time."""
    return RunOutcome(success=False, metrics={}, error=why)
