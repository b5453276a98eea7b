"""Maps drawn from scans."""

from math import inf, nan, pi

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.messages.maps import FREE, OCCUPIED, UNKNOWN
from mecano.core.poses import Pose2
from mecano.estimation.maps.log_odds import LogOddsGrid, LogOddsSettings


def scan_of(ranges, *, first=0.0, step=0.1, stamp=0.0, nearest=0.0, furthest=20.0):
    ranges = np.asarray(ranges, dtype=float)
    return LaserScan(
        stamp=stamp, angle_min=first, angle_max=first + (len(ranges) - 1) * step,
        angle_increment=step, range_min=nearest, range_max=furthest, ranges=ranges,
    )  # fmt: skip


def room_scan(x, y, yaw, *, half=(3.0, 2.0), beams=360):
    """Return what a scanner sees in an empty room around the origin."""
    angles = yaw - pi + np.arange(beams) * 2 * pi / beams
    with np.errstate(divide="ignore", invalid="ignore"):
        wide = (np.sign(np.cos(angles)) * half[0] - x) / np.cos(angles)
        high = (np.sign(np.sin(angles)) * half[1] - y) / np.sin(angles)
    return scan_of(np.fmin(wide, high), first=-pi, step=2 * pi / beams)


def walls_of(grid):
    return grid.cell_to_world(np.argwhere(grid.data == OCCUPIED))


def cells_crossed(x, y, angle, length):
    """Return the cells of a ray in the plain way: cut at all borders, look where the pieces lie."""
    c, s = np.cos(angle), np.sin(angle)
    cuts = [np.array([0.0, length])]
    for start, slope in ((x, c), (y, s)):
        if slope != 0.0:
            low, high = sorted((start, start + length * slope))
            cuts.append((np.arange(np.ceil(low), np.floor(high) + 1) - start) / slope)
    t = np.sort(np.concatenate(cuts))
    t = t[(t >= 0.0) & (t <= length)]
    t = t[np.append(True, np.diff(t) > 1e-12)]
    middle = 0.5 * (t[1:] + t[:-1])
    cells = np.floor(np.stack([y + middle * s, x + middle * c], axis=1)).astype(int)
    return {(row, column) for row, column in cells.tolist()}


def reference(scans, poses, resolution, settings):
    """Return the log odds by cell, drawn without compiled code."""
    odds = {name: np.float32(np.log(p / (1 - p))) for name, p in (
        ("hit", settings.hit), ("miss", settings.miss),
        ("low", settings.lowest), ("high", settings.highest),
    )}  # fmt: skip
    cells: dict[tuple[int, int], np.float32] = {}
    for scan, (x, y, yaw) in zip(scans, poses, strict=True):
        hits, crossed = set(), set()
        for r, angle in zip(scan.ranges, scan.angles + yaw, strict=True):
            if r == inf:
                r = min(settings.clear_range, scan.range_max)
            elif scan.range_min <= r <= scan.range_max:
                end = np.array([y + r * np.sin(angle), x + r * np.cos(angle)]) / resolution
                hits.add(tuple(np.floor(end).astype(int).tolist()))
            else:
                continue
            crossed |= cells_crossed(x / resolution, y / resolution, angle, r / resolution)
        for cell in hits | crossed:
            change = odds["hit"] if cell in hits else odds["miss"]
            value = cells.get(cell, np.float32(0.0)) + change
            cells[cell] = min(max(value, odds["low"]), odds["high"])
    return cells


def test_the_compiled_map_is_that_of_the_plain_way():
    rng = np.random.default_rng(0)
    settings = LogOddsSettings(clear_range=2.0)
    poses = np.column_stack([rng.uniform(-1, 1, (12, 2)), rng.uniform(-3, 3, 12)])
    scans = []
    for _ in poses:
        ranges = rng.uniform(0.2, 4.0, 25)
        ranges[rng.random(25) < 0.2] = inf
        ranges[rng.random(25) < 0.1] = nan
        scans.append(scan_of(ranges, first=-1.2, nearest=0.3))
    drawn = LogOddsGrid(0.1, settings)
    drawn.insert_many(scans, poses)
    plain = reference(scans, poses, 0.1, settings)
    odds = drawn._cells
    rows, columns = np.nonzero(~np.isnan(odds))
    corner = drawn._corner
    found = {
        (int(r + corner[1]), int(c + corner[0])): odds[r, c]
        for r, c in zip(rows, columns, strict=True)
    }
    assert found == plain


def test_a_beam_clears_its_way_and_fills_its_end():
    drawn = LogOddsGrid(0.5)
    drawn.insert(scan_of([2.1]), Pose2(0.1, 0.1, 0.0))
    grid = drawn.grid()
    assert grid.data.tolist() == [[FREE, FREE, FREE, FREE, OCCUPIED]]
    assert grid.origin == Pose2(0.0, 0.0, 0.0) and grid.frame == "map"


def test_the_walls_of_a_room_are_one_cell_thick_and_in_place():
    drawn = LogOddsGrid(0.05)
    for x, y, yaw in ((0.0, 0.0, 0.3), (1.01, 0.52, 2.0), (-1.5, -0.7, -1.0)):
        drawn.insert(room_scan(x, y, yaw, beams=1440), Pose2(x, y, yaw))
    grid = drawn.grid()
    walls = walls_of(grid)
    off = np.minimum(np.abs(np.abs(walls[:, 0]) - 3.0), np.abs(np.abs(walls[:, 1]) - 2.0))
    assert off.max() <= 0.05 and len(walls) > 300
    inside = grid.values_at([[0, 0], [2.8, 1.8], [-2.8, -1.8]])
    assert inside.tolist() == [FREE, FREE, FREE]
    assert grid.values_at([[3.5, 0.0]]).tolist() == [UNKNOWN]


def test_failed_beams_say_nothing():
    drawn = LogOddsGrid(0.5)
    drawn.insert(scan_of([nan, -inf, 0.1, 25.0], nearest=0.2), Pose2())
    with pytest.raises(InvalidInput, match="the map is empty"):
        drawn.grid()


@pytest.mark.parametrize(("reach", "length"), [(3.0, 3.0), (50.0, 20.0)])
def test_beams_without_return_clear_as_far_as_asked_and_measured(reach, length):
    drawn = LogOddsGrid(1.0, LogOddsSettings(clear_range=reach))
    drawn.insert(scan_of([inf]), Pose2(0.0, 0.5, 0.0))
    grid = drawn.grid()
    assert grid.data.tolist() == [[FREE] * int(length)]


def test_beams_are_cut_off_at_the_longest():
    drawn = LogOddsGrid(1.0, LogOddsSettings(longest=4.0))
    drawn.insert(scan_of([9.5]), Pose2(0.5, 0.5, 0.0))
    assert drawn.grid().data.tolist() == [[FREE] * 5]


def test_the_mount_is_where_beams_begin():
    one, two = LogOddsGrid(mount=Pose2(0.3, 0.1, 0.5)), LogOddsGrid()
    scan = room_scan(0.0, 0.0, 0.0)
    base = Pose2(1.0, 2.0, -0.4)
    one.insert(scan, base)
    two.insert(scan, base @ one.mount)
    np.testing.assert_array_equal(one.grid().data, two.grid().data)


def test_many_at_once_are_as_one_after_the_other():
    rng = np.random.default_rng(1)
    poses = np.column_stack([rng.uniform(-1, 1, (20, 2)), rng.uniform(-3, 3, 20)])
    scans = [room_scan(*pose) for pose in poses]
    one, two = LogOddsGrid(), LogOddsGrid()
    one.insert_many(scans, poses)
    for scan, pose in zip(scans, poses.tolist(), strict=True):
        two.insert(scan, Pose2(*pose))
    a, b = one.grid(), two.grid()
    np.testing.assert_array_equal(a.data, b.data)
    assert a.origin == b.origin


def test_growing_keeps_what_is_there():
    drawn = LogOddsGrid()
    drawn.insert(room_scan(0.0, 0.0, 0.0), Pose2())
    before = drawn.grid()
    for x, y in ((50.0, 0.0), (-60.0, 3.0), (0.0, -40.0)):
        drawn.insert(room_scan(0.0, 0.0, 0.0), Pose2(x, y))
    centres = before.cell_to_world(np.argwhere(before.data != UNKNOWN))
    np.testing.assert_array_equal(before.values_at(centres), drawn.grid().values_at(centres))


def test_what_moves_away_is_forgotten():
    drawn = LogOddsGrid(0.5)
    for _ in range(50):
        drawn.insert(scan_of([1.2]), Pose2(0.1, 0.1))
    for _ in range(15):
        drawn.insert(scan_of([3.2]), Pose2(0.1, 0.1))
    assert drawn.grid().data.tolist() == [[FREE] * 6 + [OCCUPIED]]
    low, high = LogOddsSettings().lowest, LogOddsSettings().highest
    known = drawn.probabilities()[~np.isnan(drawn.probabilities())]
    assert known.min() == pytest.approx(low, abs=1e-6)
    assert known.max() <= high + 1e-6


def test_a_finished_map_can_be_gone_on_with():
    first = LogOddsGrid()
    first.insert(room_scan(0.0, 0.0, 0.0), Pose2())
    before = first.grid()
    turned = OccupancyGrid(
        resolution=before.resolution, origin=Pose2(5.0, 1.0, 0.7) @ before.origin, data=before.data
    )
    resumed = LogOddsGrid.from_grid(turned)
    np.testing.assert_array_equal(resumed.grid().data, before.data)
    shift = Pose2(5.0, 1.0, 0.7)
    resumed.insert(room_scan(1.0, 0.5, 0.2), shift @ Pose2(1.0, 0.5, 0.2))
    after = resumed.grid()
    local = shift.inverse().transform_points(walls_of(after))
    off = np.minimum(np.abs(np.abs(local[:, 0]) - 3.0), np.abs(np.abs(local[:, 1]) - 2.0))
    assert off.max() <= 0.08 and after.origin.yaw == pytest.approx(0.7)


def test_a_pose_far_off_is_refused_and_changes_nothing():
    drawn = LogOddsGrid()
    drawn.insert(room_scan(0.0, 0.0, 0.0), Pose2())
    before = drawn.grid()
    with pytest.raises(InvalidInput, match="is a pose far off"):
        drawn.insert(room_scan(0.0, 0.0, 0.0), Pose2(1e7, 1e7))
    with pytest.raises(InvalidInput, match="not finite"):
        drawn.insert_many([room_scan(0.0, 0.0, 0.0)], [[nan, 0.0, 0.0]])
    np.testing.assert_array_equal(drawn.grid().data, before.data)


@pytest.mark.parametrize(
    "wrong",
    [
        {"hit": 0.4},
        {"miss": 0.6},
        {"lowest": 0.45},
        {"free": 0.8},
        {"clear_range": -1.0},
        {"longest": 0.0},
    ],
)
def test_settings_that_turn_things_round_are_refused(wrong):
    with pytest.raises(InvalidInput):
        LogOddsSettings(**wrong)


@pytest.mark.parametrize("resolution", [0.0, -1.0, nan, 1e9])
def test_cells_must_have_a_size(resolution):
    with pytest.raises(InvalidInput, match="resolution"):
        LogOddsGrid(resolution)
