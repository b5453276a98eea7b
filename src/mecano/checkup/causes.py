"""One cause with many findings: said first, and what follows from it folded for people."""

from collections.abc import Iterator, Sequence

from mecano.importing.findings import Finding

UNITS = "units-millimetres"
MANY = 3
"""So many lengths that look like millimetres mean the whole file."""
FOLLOWING = {
    "mass-volume", "effort-weak", "joint-does-not-arrive", "falls-over", "leans-at-rest",
    "posture-not-held", "moves-at-rest", "slides-at-rest", "self-collision", "always-touching",
    "inertia-size", "base-does-not-turn", "solver-misses",
}  # fmt: skip
"""What lengths in a wrong unit bring about."""
SHOWN = 3
"""Findings of one code that are shown one by one."""


def cause_first(findings: Sequence[Finding], file: str) -> tuple[Finding, ...]:
    """Return findings with their common cause, if there is one, before all others.

    Args:
        findings: Errors first.
        file: Name of the robot's file.
    """
    lengths = [each for each in findings if each.code == UNITS]
    if len(lengths) < MANY:
        return tuple(findings)
    places = list(dict.fromkeys(each.where.split(" (")[0] for each in lengths))
    following = sum(each.code in FOLLOWING for each in findings)
    cause = Finding(
        code=UNITS, severity="warning", where=file,
        message=f"the whole file looks like millimetres: {len(lengths)} lengths of {len(places)} "
        "links and joints are far too long. URDF has metres: multiply every xyz, size, radius and "
        "length by 0.001, and give meshes scale=\"0.001 0.001 0.001\"; "
        f"{following} other findings may follow from it",
    )  # fmt: skip
    rest = [each for each in findings if each.code != UNITS]
    return (cause, *lengths, *rest)


def folded(findings: Sequence[Finding]) -> Iterator[tuple[Finding, list[Finding]]]:
    """Yield what to show of findings: one, and those like it that are only counted after it.

    Findings of one code and severity are shown together, `SHOWN` of them one by one; of those that
    follow from a common cause one.
    """
    has_cause = bool(findings) and findings[0].code == UNITS and "whole file" in findings[0].message
    groups: dict[tuple[str, str], list[Finding]] = {}
    for each in findings:
        groups.setdefault((each.code, each.severity), []).append(each)
    for (code, _), group in groups.items():
        follows = has_cause and (code in FOLLOWING or code == UNITS)
        shown = 1 if follows else SHOWN if len(group) > SHOWN + 1 else len(group)
        for each in group[: shown - 1]:
            yield each, []
        yield group[shown - 1], group[shown:]
