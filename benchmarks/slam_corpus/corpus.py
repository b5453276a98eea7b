"""The whole corpus: which cases there are, run by several processes, and judged."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import get_args

from slam_corpus.cases import Case, Group, Row, find_logs, map_log, run_case
from slam_corpus.drives import make_drive
from slam_corpus.graphs import FOR_GRAPHS, is_graph
from slam_corpus.variants import VARIANTS

SHARED = Path(__file__).parents[3] / "shared" / "datasets" / "slam"
"""Public logs, beside the checkout; they are not part of the project."""
BUILDINGS = 100
BARS = {
    "intel": 0.036, "killian": 0.122, "acapulco": 0.15, "belgioioso": 0.08, "fhw": 0.14,
    "csail": 0.08, "infinite-corridor": 2.0,
}  # fmt: skip
"""Largest error of the logs [m]: of relations, or from the published path."""
GROUPS: tuple[Group, ...] = get_args(Group)


def plan_cases(
    only: Sequence[Group], folders: Sequence[Path], *, count: int = BUILDINGS, seed: int = 0
) -> list[Case]:
    """Return the cases of some parts of the corpus.

    Args:
        only: Parts that are wanted. Variants bring their unchanged logs with them.
        folders: With logs.
        count: Number of buildings.
        seed: Of the buildings.
    """
    cases: list[Case] = []
    for log in (log for folder in folders for log in find_logs(folder)):
        if "real" in only or "variants" in only:
            cases.append(Case(log=log, as_graph=is_graph(log)))
            cases += [Case(log=log)] if is_graph(log) and "real" in only else []
        if "variants" in only:
            names = FOR_GRAPHS if is_graph(log) else VARIANTS
            cases += [Case(log=log, variant=name, as_graph=is_graph(log)) for name in names]
    if "buildings" in only:
        cases += [Case(seed=seed, number=number) for number in range(count)]
    return cases


def run_all(
    cases: Sequence[Case], tell: Callable[[int, int], None], *, workers: int | None = None
) -> list[Row]:
    """Run cases in several processes; return their rows in the order of the cases, judged.

    Args:
        cases: Of `plan_cases`.
        tell: Called with how many are done, and how many there are.
        workers: Processes; None takes one for each core.
    """
    rows: dict[int, Row] = {}
    for number, row in _finished(cases, workers or os.cpu_count() or 1):
        rows[number] = row
        tell(len(rows), len(cases))
    return judged([rows[number] for number in range(len(cases))])


def _finished(cases: Sequence[Case], workers: int) -> Iterator[tuple[int, Row]]:
    """Go through rows as they are finished."""
    if workers == 1:
        warm_up()
        yield from ((number, run_case(case)) for number, case in enumerate(cases))
        return
    spawn = get_context("spawn")  # a fork would copy locks of the threads of numpy and numba
    with ProcessPoolExecutor(workers, mp_context=spawn, initializer=warm_up) as pool:
        futures = {pool.submit(run_case, case): number for number, case in enumerate(cases)}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def warm_up() -> None:
    """Compile all kernels, so that no case's time has that in it."""
    map_log(make_drive(0, 0, length=60.0).log)


def judged(rows: Sequence[Row]) -> list[Row]:
    """Return rows with the bars of logs, and which variants are broken by their own log.

    A log that misses its bar allows its variants no more than the bar does.
    """
    unchanged = {row.name: row for row in rows if row.group == "real"}
    return [_judged(row, unchanged) for row in rows]


def _judged(row: Row, unchanged: dict[str, Row]) -> Row:
    if row.group == "real":
        bar = BARS.get(row.name)
        return replace(
            row, bar=bar, broken=row.broken or (None if bar is None else row.error > bar)
        )
    if row.group == "variants":
        log = unchanged[row.name]
        bar = VARIANTS[row.variant].allowed * min(log.error, BARS.get(row.name, log.error))
        return replace(row, bar=bar, broken=row.error > bar)
    return row
