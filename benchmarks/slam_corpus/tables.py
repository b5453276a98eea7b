"""The rows of a corpus as tables for people."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from slam_corpus.cases import Row

UNBROKEN = 0.97
"""Share of the buildings that must hold."""


@dataclass(frozen=True)
class Table:
    """A title, the names of the columns, and rows of text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """Return it as a page has it."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return f"**{self.title}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


BEGIN, END = "<!-- mecano bench slam: begin -->", "<!-- mecano bench slam: end -->"
"""Between them a page has the tables."""


def put_into(page: str, found: Sequence[Table]) -> str | None:
    """Return a page with the tables between its marks; None if it has no marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        return None
    return before + marked(found) + after


def marked(found: Sequence[Table]) -> str:
    """Return the tables between marks."""
    return "\n\n".join([BEGIN, *(table.markdown() for table in found), END])


def tables(rows: Sequence[Row]) -> list[Table]:
    """Return the tables of all groups that there are rows of."""
    real, variants, buildings = (
        [row for row in rows if row.group == group] for group in ("real", "variants", "buildings")
    )
    found = []
    if real:
        found.append(_logs(real))
    if variants:
        found.append(_variants(variants))
    if buildings:
        found += [
            _buildings("Random buildings, by kind", buildings, lambda r: r.name.split(": ")[1]),
            _buildings("Random buildings, by fault of odometry", buildings, lambda r: r.variant),
        ]
        broken = [row for row in buildings if row.broken or row.false_loops]
        if broken:
            found.append(_broken(broken))
    return found


def missed_bars(rows: Sequence[Row]) -> list[str]:
    """Return a sentence for every bar that was missed."""
    buildings = [row for row in rows if row.group == "buildings"]
    found = [
        f"{row.name}: error {row.error:.4f} m, allowed {row.bar:g} m"
        for row in rows
        if row.group == "real" and row.held is False
    ]
    broken = [row for row in rows if row.group == "variants" and row.broken]
    if broken:
        of_all = sum(row.group == "variants" for row in rows)
        found.append(f"variants: {len(broken)} of {of_all} broken, allowed none")
    lost = [row for row in buildings if row.broken]
    if len(lost) > (1.0 - UNBROKEN) * len(buildings) + 1e-9:
        found.append(
            f"buildings: {len(lost)} of {len(buildings)} broken, "
            f"allowed {100 * (1 - UNBROKEN):.0f} %"
        )
    false = [row for row in buildings if row.false_loops]
    if false:
        found.append(f"buildings: false loops in {len(false)} of {len(buildings)}, allowed none")
    silent = [row for row in lost if row.doubts == 0]
    if silent:
        found.append(f"buildings: no doubt reported in {len(silent)} of {len(lost)} broken ones")
    return found


def _logs(rows: Sequence[Row]) -> Table:
    return Table(
        "Recorded logs",
        ("log", "scans", "measured by", "error", "bar", "held", "loops", "doubts", "time"),
        tuple(
            (
                row.name, str(row.scans), row.measure, _metres(row), _number(row.bar, "m"),
                {None: "", True: "yes", False: "**no**"}[row.held], str(row.loops),
                _number(row.doubts), f"{row.seconds:.1f} s",
            )
            for row in rows
        ),
    )  # fmt: skip


def _variants(rows: Sequence[Row]) -> Table:
    """Return one line for each variant, one column for each log; what is broken is bold."""
    names = list(dict.fromkeys(row.name for row in rows))
    by_place = {(row.variant, row.name): row for row in rows}
    lines = []
    for variant in dict.fromkeys(row.variant for row in rows):
        found = [by_place.get((variant, name)) for name in names]
        lines.append((variant, *("" if row is None else _metres(row) for row in found)))
    counts = [[row for row in rows if row.name == name] for name in names]
    totals = (f"{sum(bool(r.broken) for r in each)} of {len(each)}" for each in counts)
    lines.append(("broken", *totals))
    return Table("Variants of the logs: error [m]", ("variant", *names), tuple(lines))


def _buildings(title: str, rows: Sequence[Row], key: Callable[[Row], str]) -> Table:
    lines = [
        _building_line(name, [r for r in rows if key(r) == name]) for name in _unique(rows, key)
    ]
    return Table(
        title,
        ("", "drives", "broken", "of them doubted", "mean error of the others",
         "their scans in doubt", "drives with false loops", "false loops", "time of a drive"),
        (*lines, _building_line("all", rows)),
    )  # fmt: skip


def _unique(rows: Iterable[Row], key: Callable[[Row], str]) -> list[str]:
    return list(dict.fromkeys(map(key, rows)))


def _building_line(name: str, rows: Sequence[Row]) -> tuple[str, ...]:
    broken = [row for row in rows if row.broken]
    others = [row for row in rows if not row.broken]
    can_tell = all(row.doubts is not None for row in rows)
    told = f"{sum(bool(row.doubts) for row in broken)} of {len(broken)}" if can_tell else ""
    return (
        name, str(len(rows)), str(len(broken)), told,
        f"{mean(row.error for row in others):.3f} m" if others else "",
        f"{mean(row.doubted or 0.0 for row in others):.1%}" if others and can_tell else "",
        str(sum(bool(row.false_loops) for row in rows)),
        str(sum(row.false_loops or 0 for row in rows)),
        f"{mean(row.seconds for row in rows):.1f} s",
    )  # fmt: skip


def _broken(rows: Sequence[Row]) -> Table:
    return Table(
        "Buildings that broke or have false loops",
        ("drive", "fault", "scans", "mean error", "worst at one place", "broken", "false loops",
         "doubts", "problem"),
        tuple(
            (
                row.name, row.variant, str(row.scans), f"{row.error:.2f} m",
                "" if row.worst is None else f"{row.worst:.2f} m", "yes" if row.broken else "",
                f"{row.false_loops} of {row.loops}", _number(row.doubts), row.problem,
            )
            for row in rows
        ),
    )  # fmt: skip


def _metres(row: Row) -> str:
    text = row.problem or f"{row.error:.3f}"
    return f"**{text}**" if row.broken else text


def _number(value: float | None, unit: str = "") -> str:
    return "" if value is None else f"{value:g} {unit}".rstrip()
