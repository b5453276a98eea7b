"""One case of the corpus: a log or a building, mapped and scored. Cases can be sent to workers."""

from dataclasses import asdict, dataclass
from functools import lru_cache
from math import inf
from pathlib import Path
from time import process_time
from typing import Any, Literal

import numpy as np

from mecano.core.arrays import Array
from mecano.core.drive_log import DriveLog
from mecano.estimation.relations import Relations
from mecano.estimation.slam.given_graph import close_loops
from mecano.estimation.slam.graph_mapper import GraphMapper
from mecano.record.drive_logs import file_beside, read_drive
from mecano.record.relation_files import read_relations
from mecano.record.text_files import read_table
from slam_corpus.drives import kind_and_fault, make_drive
from slam_corpus.graphs import graph_of, is_graph, strung_graph
from slam_corpus.scores import (
    BROKEN,
    Doubts,
    false_loops,
    nees_of,
    path_error,
    relations_error,
    revisit_error,
)
from slam_corpus.variants import UNCHANGED, VARIANTS

Group = Literal["real", "variants", "buildings"]


@dataclass(frozen=True, kw_only=True)
class Case:
    """What to map: a log, perhaps changed, or a drive through a random building."""

    log: Path | None = None
    variant: str | None = None
    seed: int = 0
    number: int = 0
    as_graph: bool = False
    """The log is a pose graph whose own edges are used; else they count as odometry."""

    @property
    def name(self) -> str:
        """Of the log, without its endings."""
        assert self.log is not None
        stem = self.log.name.removesuffix(".gz").rsplit(".", 1)[0]
        return f"{stem}, as odometry" if is_graph(self.log) and not self.as_graph else stem

    @property
    def group(self) -> Group:
        """Which part of the corpus it belongs to."""
        if self.log is None:
            return "buildings"
        return "real" if self.variant is None else "variants"


@dataclass(frozen=True, kw_only=True)
class Row:
    """What came out of a case."""

    group: Group
    name: str
    """Of the log, or of the building."""
    variant: str
    """Of the log, or the fault of odometry."""
    scans: int
    measure: Literal["relations", "path", "truth"]
    """What the error is measured by."""
    error: float
    """Mean [m]."""
    worst: float | None = None
    """Largest error between two visits of one place [m]; of buildings only."""
    broken: bool | None = None
    """None if there is nothing to judge by."""
    loops: int
    false_loops: int | None = None
    doubts: int | None = None
    """Stretches that the mapper doubts; None if it cannot tell."""
    doubted: float | None = None
    """Share of the scans in them."""
    nees: float | None = None
    seconds: float
    """Of the processor."""
    bar: float | None = None
    """The error must not be larger [m]."""
    problem: str = ""
    """What the mapper raised."""

    @property
    def held(self) -> bool | None:
        """Whether the bar is held; None if there is none."""
        return None if self.bar is None else self.error <= self.bar

    def to_json(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return {**asdict(self), "held": self.held}


def run_case(case: Case) -> Row:
    """Map and score one case; a mapper that raises has broken it."""
    try:
        return _run_building(case) if case.log is None else _run_log(case)
    except Exception as error:  # one bad case must not lose the rows of all others
        kind, fault = kind_and_fault(case.number)
        return Row(
            group=case.group, variant=(fault if case.log is None else case.variant) or "",
            name=f"{case.number}: {kind}" if case.log is None else case.name, scans=0,
            measure="truth", error=inf, broken=True, loops=0, seconds=0.0,
            problem=f"{type(error).__name__}: {error}",
        )  # fmt: skip


def map_log(log: DriveLog) -> tuple[GraphMapper, float]:
    """Return the mapper after a whole log, and the seconds of the processor that it took."""
    mapper, begin = GraphMapper(None, mount=log.mount), process_time()
    for scan, odometry in log:
        mapper.add(scan, odometry)
    mapper.finish()
    return mapper, process_time() - begin


def _run_building(case: Case) -> Row:
    drive = make_drive(case.seed, case.number)
    mapper, seconds = map_log(drive.log)
    rows, stamps = mapper.trajectory, drive.log.scan_stamps
    error = path_error(rows, np.column_stack([stamps, drive.truth]))
    worst = revisit_error(rows[:, 1:], drive.truth)
    doubts = Doubts.of(mapper, stamps)
    return Row(
        group="buildings", name=f"{case.number}: {drive.kind}", variant=drive.fault,
        scans=len(rows), measure="truth", error=error, worst=worst,
        broken=error > BROKEN or worst > BROKEN, loops=len(mapper.loops),
        false_loops=false_loops(mapper, stamps, drive.truth),
        doubts=doubts and doubts.stretches, doubted=doubts and doubts.share,
        nees=nees_of(mapper, stamps, drive.truth), seconds=seconds,
    )  # fmt: skip


def _run_log(case: Case) -> Row:
    assert case.log is not None
    log, reference = read_case(case.log)
    variant = VARIANTS[case.variant] if case.variant else UNCHANGED
    rows, found, seconds = _mapped(case, variant.change(log), variant.name)
    rows = variant.back(log, rows)
    by_relations = isinstance(reference, Relations)
    error = relations_error(rows, reference, log) if by_relations else path_error(rows, reference)
    return Row(
        group=case.group, name=case.name, variant=case.variant or "", scans=len(rows),
        measure="relations" if by_relations else "path", error=error, seconds=seconds, **found,
    )  # fmt: skip


def _mapped(case: Case, log: DriveLog, variant: str) -> tuple[Array, dict[str, Any], float]:
    """Return the path, counts of loops and doubts, and seconds of the processor."""
    if case.as_graph:
        assert case.log is not None
        begin = process_time()
        graph = close_loops(graph_of(log, case.log, variant), log.scans, mount=log.mount)
        rows = np.column_stack([graph.stamps, graph.poses])
        return rows, {"loops": int(graph.loop.sum())}, process_time() - begin
    mapper, seconds = map_log(log)
    doubts, found = Doubts.of(mapper, log.scan_stamps), {"loops": len(mapper.loops)}
    if doubts is not None:
        found |= {"doubts": doubts.stretches, "doubted": doubts.share}
    return mapper.trajectory, found, seconds


def find_logs(folder: Path) -> list[Path]:
    """Return the logs of a folder, graphs too, that have relations or a published path."""
    files = sorted([*folder.glob("*.log*"), *folder.glob("*.graph*")])
    return [file for file in files if _reference_file(file) is not None]


def _reference_file(log: Path) -> Path | None:
    return file_beside(log, "relations") or file_beside(log, "gmapping.traj")


@lru_cache(maxsize=2)
def read_case(log: Path) -> tuple[DriveLog, Relations | Array]:
    """Return a log and what it is compared with: relations, or rows of a published path."""
    relations = file_beside(log, "relations")
    drive = strung_graph(log) if is_graph(log) else read_drive(log)
    if relations is not None:
        return drive, read_relations(relations)
    path = file_beside(log, "gmapping.traj")
    assert path is not None
    return drive, read_table(path, what="path", columns=4, meaning="time x y theta")
