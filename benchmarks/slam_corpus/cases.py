"""One case of the corpus: a log or a building, mapped and scored. Cases can be sent to workers."""

from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import Any, Literal

import numpy as np

from mecano.core.arrays import Array
from mecano.core.drive_log import DriveLog
from mecano.estimation.relations import Relations
from mecano.estimation.slam.graph_mapper import GraphMapper
from mecano.record.drive_logs import file_beside, read_drive
from mecano.record.graph_files import read_graph, read_scans
from mecano.record.relation_files import read_relations
from mecano.record.text_files import read_table
from slam_corpus.drives import make_drive
from slam_corpus.odometry_faults import strung
from slam_corpus.scores import (
    BROKEN,
    doubts_of,
    false_loops,
    nees_of,
    path_error,
    relations_error,
    revisit_error,
)
from slam_corpus.variants import VARIANTS

Group = Literal["real", "variants", "buildings"]


@dataclass(frozen=True, kw_only=True)
class Case:
    """What to map: a log, perhaps changed, or a drive through a random building."""

    log: Path | None = None
    variant: str | None = None
    seed: int = 0
    number: int = 0

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
    nees: float | None = None
    seconds: float
    """Of the processor."""

    def to_json(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return asdict(self)


def run_case(case: Case) -> Row:
    """Map and score one case."""
    return _run_building(case) if case.log is None else _run_log(case)


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
    doubts = doubts_of(mapper)
    return Row(
        group="buildings", name=f"{case.number}: {drive.kind}", variant=drive.fault,
        scans=len(rows), measure="truth", error=error, worst=worst,
        broken=error > BROKEN or worst > BROKEN, loops=len(mapper.loops),
        false_loops=false_loops(mapper, stamps, drive.truth),
        doubts=None if doubts is None else len(doubts),
        nees=nees_of(mapper, stamps, drive.truth), seconds=seconds,
    )  # fmt: skip


def _run_log(case: Case) -> Row:
    assert case.log is not None
    log, reference = read_case(case.log)
    variant = VARIANTS[case.variant] if case.variant else None
    mapper, seconds = map_log(variant.change(log) if variant else log)
    rows = variant.back(log, mapper.trajectory) if variant else mapper.trajectory
    by_relations = isinstance(reference, Relations)
    error = relations_error(rows, reference, log) if by_relations else path_error(rows, reference)
    doubts = doubts_of(mapper)
    return Row(
        group=case.group, name=name_of(case.log), variant=case.variant or "", scans=len(rows),
        measure="relations" if by_relations else "path", error=error, loops=len(mapper.loops),
        doubts=None if doubts is None else len(doubts), seconds=seconds,
    )  # fmt: skip


def find_logs(folder: Path) -> list[Path]:
    """Return the logs of a folder that have relations or a published path beside them."""
    files = sorted([*folder.glob("*.log*"), *folder.glob("*.graph*")])
    return [file for file in files if _reference_file(file) is not None]


def name_of(log: Path) -> str:
    """Return the name of a log without its endings."""
    return log.name.removesuffix(".gz").rsplit(".", 1)[0]


def _reference_file(log: Path) -> Path | None:
    return file_beside(log, "relations") or file_beside(log, "gmapping.traj")


@lru_cache(maxsize=2)
def read_case(log: Path) -> tuple[DriveLog, Relations | Array]:
    """Return a log and what it is compared with: relations, or rows of a published path."""
    relations = file_beside(log, "relations")
    drive = _strung_graph(log) if ".graph" in log.name else read_drive(log)
    if relations is not None:
        return drive, read_relations(relations)
    path = file_beside(log, "gmapping.traj")
    assert path is not None
    return drive, read_table(path, what="path", columns=4, meaning="time x y theta")


def _strung_graph(file: Path) -> DriveLog:
    """Return a pose graph as a log: its sequential edges, strung, are the odometry."""
    graph, scans_file = read_graph(file), file_beside(file, "scans")
    assert scans_file is not None
    steps = np.zeros((len(graph.poses) - 1, 3))
    for (i, j), measured, loop in zip(
        graph.edges.tolist(), graph.measured, graph.loop, strict=True
    ):
        if j == i + 1 and not loop:
            steps[i] = measured
    odometry, scans = strung(np.zeros(3), steps), read_scans(scans_file)
    stamps = np.array([scan.stamp for scan in scans])
    return DriveLog(
        source=str(file), odometry_stamps=stamps, odometry=odometry, scans=scans,
        scan_odometry=odometry,
    )  # fmt: skip
