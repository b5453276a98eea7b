"""Two visits to one random building, between which its furniture was rearranged.

Some pieces stay, some are moved by 0.3 to 2 m, some are removed and new ones come. The first visit
gives a map; on the second one a robot goes on with it, or is located in it.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import KDTree

from mecano.core.arrays import Array
from mecano.core.drive_log import DriveLog
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all, relative_all
from slam_corpus.buildings import STYLES, make_plan
from slam_corpus.drives import Drive, _Recorder
from slam_corpus.floor_plans import FloorPlan, Rectangle
from slam_corpus.furniture import CLEAR, Interior
from slam_corpus.odometry_faults import FAULTS, Fault
from slam_corpus.scanners import Scanner
from slam_corpus.tours import drive_along, make_tour

KINDS = ("offices", "clutter", "moved furniture", "open hall", "identical rooms", "rings")
"""Kinds of building that have furniture to move."""
STAYS, MOVES = 0.4, 0.35
"""Share of the pieces that stay, and of those that are moved; the others are removed."""
MOVED = (0.3, 2.0)
"""How far pieces are moved [m]."""
FIRST_VISIT, SECOND_VISIT = 220.0, 120.0
"""Distance driven, about [m]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Visits:
    """What a robot recorded before and after furniture was rearranged."""

    before: Drive
    after: Drive
    gone: Array
    """Points on the outlines of pieces that were moved or removed [m]. Shape (n, 2)."""
    fresh: Array
    """Points on the outlines of pieces that came or were moved [m]. Shape (n, 2)."""

    @property
    def surfaces(self) -> Array:
        """Points on all walls and furniture of the second visit [m]. Shape (n, 2)."""
        return along_walls(self.after.interior.layouts[0][0])


def make_visits(
    seed: int, number: int, *, lengths: tuple[float, float] = (FIRST_VISIT, SECOND_VISIT)
) -> Visits:
    """Return two visits; the same numbers give the same ones, bit for bit.

    Args:
        seed: Of the corpus.
        number: Of the building, from 0; kinds come in turn, and a third of the second visits has
            odometry without a fault. The first visit never has one.
        lengths: Distance of each visit, about [m].
    """
    rng = np.random.default_rng([seed, number, 2])
    kind = KINDS[number % len(KINDS)]
    fault: Fault = "none" if number % 3 == 0 else FAULTS[(number - number // 3 - 1) % len(FAULTS)]
    style = replace(STYLES[kind], moved=False, furniture=max(0.3, STYLES[kind].furniture))
    plan = make_plan(style, rng)
    tours = [make_tour(plan, length, 0.3, rng) for length in lengths]
    paths = [drive_along(tour, rng) for tour in tours]
    both = np.concatenate(paths)
    scanner = Scanner.random(rng, longest=12.0 if kind == "open hall" else 80.0)
    walls = plan.walls()
    standing = _pieces(Interior.furnished(plan, style, both, rng), len(walls[0]))
    spare = _pieces(Interior.furnished(plan, style, both, rng), len(walls[0]))
    drawn = rng.random(len(standing))
    moved = _moved(plan, standing[(drawn >= STAYS) & (drawn < STAYS + MOVES)], both, rng)
    new = spare[rng.random(len(spare)) < 1.0 - STAYS - MOVES]
    came = np.concatenate([moved, new])
    left, stayed = standing[drawn >= STAYS], standing[drawn < STAYS]
    layouts = standing, np.concatenate([stayed, came])
    faults: tuple[Fault, Fault] = ("none", fault)
    drives = []
    for pieces, path, failing, length in zip(layouts, paths, faults, lengths, strict=True):
        recorder = _Recorder(_with_pieces(plan, *walls, pieces), scanner, path, rng)
        if failing != "none":
            recorder.fail(failing)
        drives.append(recorder.record(kind, failing, length))
    return Visits(
        before=drives[0], after=drives[1],
        gone=along_walls(left.reshape(-1, 4)), fresh=along_walls(came.reshape(-1, 4)),
    )  # fmt: skip


def began_at(log: DriveLog, start: Pose2) -> DriveLog:
    """Return a log whose odometry begins at a pose."""
    first = (start.x, start.y, start.yaw)
    return replace(
        log,
        odometry=compose_all(first, relative_all(log.scan_odometry[0], log.odometry)),
        scan_odometry=compose_all(first, relative_all(log.scan_odometry[0], log.scan_odometry)),
    )


def along_walls(walls: Array, apart: float = 0.03) -> Array:
    """Return points along walls, so far apart [m]. Shape (n, 2)."""
    points = [np.empty((0, 2))]
    for x0, y0, x1, y1 in walls.tolist():
        count = max(2, int(np.hypot(x1 - x0, y1 - y0) / apart))
        points.append(np.column_stack([np.linspace(x0, x1, count), np.linspace(y0, y1, count)]))
    return np.concatenate(points)


def _pieces(interior: Interior, walls: int) -> Array:
    """Return the furniture of an interior: four sides each. Shape (n, 4, 4)."""
    return interior.layouts[0][0][walls:].reshape(-1, 4, 4)


def _with_pieces(plan: FloorPlan, walls: Array, panes: Array, pieces: Array) -> Interior:
    every = np.concatenate([walls, pieces.reshape(-1, 4)])
    glass = np.concatenate([panes, np.zeros(len(every) - len(panes), dtype=bool)])
    return Interior(plan, ((every, glass),))


def _moved(plan: FloorPlan, pieces: Array, path: Array, rng: np.random.Generator) -> Array:
    """Move pieces within their rooms, beside the path; one that finds no place is removed."""
    tree, found = KDTree(path[::2, :2]), []
    for piece in pieces:
        corners = piece[:, :2]
        middle = corners.mean(axis=0)
        rooms = [space for space in plan.spaces if _within(corners, space)]
        for _ in range(20 if rooms else 0):
            angle, far = rng.uniform(-np.pi, np.pi), rng.uniform(*MOVED)
            shift = far * np.array([np.cos(angle), np.sin(angle)])
            there = corners + shift
            radius = float(np.hypot(*(corners - middle).T).max())
            is_free = tree.query(middle + shift)[0] > CLEAR + radius
            if is_free and _within(there, rooms[0]):
                found.append(piece + np.tile(shift, 2))
                break
    return np.array(found).reshape(-1, 4, 4)


def _within(corners: Array, space: Rectangle) -> bool:
    left, bottom, right, top = space
    low, high = corners.min(axis=0), corners.max(axis=0)
    return bool(low[0] > left and low[1] > bottom and high[0] < right and high[1] < top)
