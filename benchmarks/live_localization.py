"""CRUMB finds itself in a map of its own: narrow depth camera, wheels that slip, exact start.

The map is the one it makes on its tour of the hall (seed 0). Then 20 other seeds turn on the spot
and drive the first part of the tour, looking around now and then. Needs some eight minutes.
"""

import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.core.results import BenchRow
from mecano.estimation.localization.stated_error import CHI2_95
from mecano.lab.robot import Robot, connect
from mecano.lab.scanners import scan_settings
from mecano.lab.wheel_slip import SlipFacts, add_slip
from mecano.tasks.crumb_map import LOOKS
from mecano.tasks.map_lab import begin_mapping, drive_tour, pace_of
from mecano.tasks.tours import follow_tour, look_around, tour_of

SEEDS = range(1, 21)
SLIP = 2.0
"""As in the experiment `crumb/map`."""
POINTS = 9
"""Of the tour."""
NEAR = 0.08
"""An estimate is right within this distance [m]."""


class Run(NamedTuple):
    """How one seed did at its scans."""

    error: Array
    """Of the position [m]."""
    covered: Mask
    """Whether the stated 95 % ellipse holds the ground truth."""
    odometry: Array
    """Error of odometry alone [m]."""


def localize_crumb() -> BenchRow:
    """Share of the scans of 20 seeds at which CRUMB is within 0.08 m of the ground truth."""
    near = np.concatenate([run.error < NEAR for run in runs()])
    return BenchRow(
        name="localize_crumb", value=100.0 * float(near.mean()), unit="%", bar="value >= 95 %"
    )


def localize_crumb_coverage() -> BenchRow:
    """Share of those scans at which the stated 95 % ellipse holds the ground truth."""
    covered = np.concatenate([run.covered for run in runs()])
    return BenchRow(
        name="localize_crumb_coverage", value=100.0 * float(covered.mean()), unit="%",
        bar="value >= 95 %",
    )  # fmt: skip


ROWS = (localize_crumb, localize_crumb_coverage)


@cache
def runs() -> tuple[Run, ...]:
    """Make the map and follow all seeds; the table goes to stderr."""
    with TemporaryDirectory() as folder:
        make_map(Path(folder))
        print("seed | mean m | 95 % m | max m | covered | odometry max m", file=sys.stderr)
        return tuple(follow(seed, Path(folder) / "map.yaml") for seed in SEEDS)


def make_map(folder: Path) -> None:
    """Drive the whole tour and save the map."""
    with hall(seed=0) as robot:
        mapping = begin_mapping(robot, strength=SLIP)
        with mapping:
            drive_tour(robot, mapping, pace_of(robot), looks=LOOKS)
        mapping.finish()
        mapping.save(folder)


def follow(seed: int, grid: Path) -> Run:
    """Turn on the spot and drive, led by the ground truth so that all seeds see the same."""
    covariances: list[Array] = []
    with hall(seed=seed) as robot:
        robot.wait(0.5)
        add_slip(robot, SlipFacts().times(SLIP))
        robot.base.reset_odometry(robot.truth.base_pose())
        with robot.start_localization(grid, start=robot.truth.base_pose()) as found:

            def note(_: object) -> None:
                assert found.estimate is not None
                covariances.append(found.estimate.covariance[:2, :2])

            found.on_scan = note
            drive(robot)
    truth = _places(found.truth)
    away = _places(found.believed) - truth
    nees = np.einsum("ni,nij,nj->n", away, np.linalg.inv(np.array(covariances)), away)
    run = Run(
        np.hypot(*away.T), nees < CHI2_95, np.hypot(*(_places(found.odometry) - truth).T)
    )  # fmt: skip
    print(
        f"{seed:4d} | {run.error.mean():6.3f} | {np.percentile(run.error, 95):6.3f} | "
        f"{run.error.max():5.3f} | {100 * run.covered.mean():5.1f} % | {run.odometry.max():5.3f}",
        file=sys.stderr,
    )
    return run


def hall(*, seed: int) -> Robot:
    """Return CRUMB in the hall, with noise."""
    return connect("crumb", scene="hall", noise=True, seed=seed, settings=scan_settings("crumb"))


def drive(robot: Robot) -> None:
    """Turn on the spot, then drive and look around at every third point."""
    where, pace = robot.truth.base_pose, pace_of(robot)
    look_around(robot, where, pace)
    for number in follow_tour(robot, tour_of(robot)[:POINTS], where, pace):
        if number % 3 == 1:
            look_around(robot, where, pace)


def _places(poses: list) -> Array:
    return np.array([(pose.x, pose.y) for pose in poses])
