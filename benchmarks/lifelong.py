"""A map from before furniture was rearranged, used afterwards: resumed, and to locate a robot in.

Random buildings (`slam_corpus/visits.py`): of the furniture 40 % stays, 35 % is moved by 0.3 to
2 m, 25 % is removed and new pieces come. A third of the second visits has ordinary odometry, the
others one of the five faults of `bench slam`. Tables go to stderr. Needs some ten minutes.
"""

import os
import sys
from functools import cache

import numpy as np

from localization_corpus import Drive, Followed, follow, kidnapped
from mecano.core.poses import Pose2
from mecano.core.results import BenchRow
from slam_corpus.visit_scores import FirstMap, Resumed, resume
from slam_corpus.visits import began_at, make_visits

SEED = int(os.environ.get("MECANO_BENCH_SEED", "11"))
"""Of the buildings."""
COUNT = int(os.environ.get("MECANO_BENCH_COUNT", "12"))
"""Number of buildings."""
TRIED = 60
"""Scans shown to a robot that starts anywhere, or is carried away."""


def resume_pose() -> BenchRow:
    """Mean error of the positions of all second visits in the end, in the old map."""
    return _row("resume_pose", float(np.mean(np.concatenate([r.error for r in resumed()]))), "m")


def resume_shown() -> BenchRow:
    """Share of new furniture in sight that is in the resumed map."""
    return _percent("resume_shown", [r.shown for r in resumed()], "value >= 90 %")


def resume_cleared() -> BenchRow:
    """Share of old furniture, seen to be gone, that is no longer in the resumed map."""
    return _percent("resume_cleared", [r.cleared for r in resumed()], "value >= 90 %")


def resume_ghosts() -> BenchRow:
    """Share of occupied cells in sight without any surface near: doubled walls, old furniture."""
    return _percent("resume_ghosts", [r.ghosts for r in resumed()], "value <= 2 %")


def moved_tracking() -> BenchRow:
    """Share of the scans at which localization in the old map is within 0.5 m."""
    near = np.concatenate([run.error < 0.5 for run in followed()])
    return _percent("moved_tracking", [float(near.mean())], "value >= 95 %")


def moved_coverage() -> BenchRow:
    """Share of those scans at which the stated 95 % ellipse holds the ground truth."""
    covered = np.concatenate([run.covered for run in followed()])
    return _percent("moved_coverage", [float(covered.mean())], "value >= 90 %")


def moved_global() -> BenchRow:
    """Share of global starts in the old map that are found."""
    runs = [
        follow(part, globally=True, seed=k) for k, d in enumerate(drives()) for part in _parts(d)
    ]
    return _percent("moved_global", [run.found for run in runs], None)


def moved_kidnapped() -> BenchRow:
    """Share of robots carried elsewhere that find themselves again in the old map."""
    found = []
    for k, d in enumerate(drives()):
        half, count = len(d.scans) // 2, min(TRIED, len(d.scans) // 2 - 1)
        found.append(kidnapped(d, 0, half, count, k).found)
    return _percent("moved_kidnapped", found, None)


ROWS = (
    resume_pose, resume_shown, resume_cleared, resume_ghosts, moved_tracking, moved_coverage,
    moved_global, moved_kidnapped,
)  # fmt: skip


@cache
def first_maps() -> tuple[FirstMap, ...]:
    """Map the first visits."""
    return tuple(FirstMap(make_visits(SEED, number)) for number in range(COUNT))


@cache
def resumed() -> tuple[Resumed, ...]:
    """Resume all maps."""
    print(
        "building          | fault    | mean m |  max m | live mean, max m | shown | cleared | "
        "ghosts", file=sys.stderr,
    )  # fmt: skip
    rows = []
    for first in first_maps():
        got = resume(first)
        rows.append(got)
        after, live = first.visits.after, got.live_error
        print(
            f"{after.kind:17s} | {after.fault:8s} | {got.error.mean():6.3f} | "
            f"{got.error.max():6.2f} | {live.mean():9.3f}, {live.max():5.2f} | "
            f"{100 * got.shown:4.0f}% | {100 * got.cleared:6.0f}% | {100 * got.ghosts:5.1f}%",
            file=sys.stderr,
        )
    return tuple(rows)


@cache
def drives() -> tuple[Drive, ...]:
    """Return the second visits as localization sees them: in the map of the first."""
    found = []
    for first in first_maps():
        after, reference = first.visits.after, first.poses(first.visits.after.truth)
        log = began_at(after.log, Pose2(*reference[0].tolist()))
        found.append(
            Drive(
                first.grid, log.scans, log.scan_odometry, reference,
                np.ones(len(reference), dtype=np.bool_), log.mount,
            )
        )  # fmt: skip
    return tuple(found)


@cache
def followed() -> tuple[Followed, ...]:
    """Track all second visits."""
    print(
        "building          | fault    | mean m | 95 % m |  max m | covered | stated 95 % m",
        file=sys.stderr,
    )
    runs = []
    for k, (first, drive) in enumerate(zip(first_maps(), drives(), strict=True)):
        got, after = follow(drive, seed=k), first.visits.after
        runs.append(got)
        print(
            f"{after.kind:17s} | {after.fault:8s} | {got.error.mean():6.3f} | "
            f"{np.percentile(got.error, 95):6.3f} | {got.error.max():6.2f} | "
            f"{100 * got.covered.mean():5.1f} % | {np.median(got.bound):6.3f}",
            file=sys.stderr,
        )
    return tuple(runs)


def _parts(drive: Drive) -> list[Drive]:
    count = min(TRIED, len(drive.scans))
    return [drive.part(first, count) for first in (0, (len(drive.scans) - count) // 2)]


def _percent(name: str, values: list, bar: str | None) -> BenchRow:
    return _row(name, 100.0 * float(np.nanmean(values)), "%", bar)


def _row(name: str, value: float, unit: str, bar: str | None = None) -> BenchRow:
    return BenchRow(name=name, value=value, unit=unit, bar=bar)
