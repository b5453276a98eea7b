"""What releases come to: one table of figures, and a page that lists every case."""

from collections.abc import Iterable, Sequence

import numpy as np

from mecano.core.arrays import Array
from mecano.tasks.release_cases import NEAR, ReleaseCase


def table(cases: Sequence[ReleaseCase]) -> dict[str, object]:
    """Return what the cases come to, by name; near-limit cases count only where it says so."""
    clear = [case for case in cases if not case.near]
    falls, holds = [c for c in clear if c.fell], [c for c in clear if not c.fell]
    caught = _share(not case.forecast.safe for case in falls)
    passed = _share(case.forecast.safe for case in holds)
    forecast = [case for case in cases if case.named is not None]
    off = [abs(float(c.forecast.utilisation.max()) - c.worst) for c in forecast if not c.fell]
    return {
        "cases": len(cases),
        "falls": sum(case.fell for case in cases),
        "near_limit": len(cases) - len(clear),
        "balanced_accuracy": round(0.5 * (caught + passed), 4),
        "falls_foreseen": round(caught, 4),
        "holds_foreseen": round(passed, 4),
        "false_safe": sum(case.false_safe for case in clear),
        "false_safe_percent_of_all": round(100 * sum(c.false_safe for c in clear) / len(cases), 2),
        "false_alarms": sum(case.false_alarm for case in clear),
        "near_limit_false_safe": sum(case.false_safe for case in cases if case.near),
        "near_limit_false_alarms": sum(case.false_alarm for case in cases if case.near),
        "worst_cup_named_percent": round(100 * _share(case.named for case in forecast), 1),
        "force_error_n": _spread(np.concatenate([case.force_errors for case in cases])),
        "servo_force_error_n": _spread(np.concatenate([case.servo_errors for case in cases])),
        "share_error_of_holds": _spread(off),
    }


def page(cases: Sequence[ReleaseCase]) -> str:
    """Return figures, and all cases that were misjudged or are near their limit, as Markdown."""
    lines = _rows(
        ("figure", "value"),
        ((name.replace("_", " "), _shown(v)) for name, v in table(cases).items()),
    )
    for title, chosen in (
        ("False safe", [case for case in cases if case.false_safe and not case.near]),
        ("False alarms", [case for case in cases if case.false_alarm and not case.near]),
        (f"Within {NEAR:.0%} of the limit", [case for case in cases if case.near]),
    ):
        lines += ["", f"**{title}**: {len(chosen) or 'none'}", "", *_listed(chosen)]
    return "\n".join(lines) + "\n"


def all_cases(cases: Sequence[ReleaseCase]) -> str:
    """Return every case, forecast beside physics, as Markdown."""
    return "\n".join(_listed(cases)) + "\n"


def _listed(cases: Sequence[ReleaseCase]) -> list[str]:
    if not cases:
        return []
    return _rows(tuple(cases[0].row()), (case.row().values() for case in cases))


def _rows(names: Sequence[str], rows: Iterable[Iterable[object]]) -> list[str]:
    titles = [name.replace("_", " ") for name in names]
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def _shown(value: object) -> object:
    if isinstance(value, dict):
        return ", ".join(f"{key} {number:g}" for key, number in value.items())
    return value


def _share(claims: Iterable[bool | None]) -> float:
    """Return the share of claims that are true; 1 if there are none."""
    listed = [bool(claim) for claim in claims]
    return sum(listed) / len(listed) if listed else 1.0


def _spread(values: Sequence[float] | Array) -> dict[str, float]:
    """Return median, 90 % and largest of some numbers."""
    if not len(values):
        return {}
    middle, high, top = np.percentile(np.asarray(values), [50, 90, 100])
    return {"median": round(middle, 4), "p90": round(high, 4), "max": round(top, 4)}
