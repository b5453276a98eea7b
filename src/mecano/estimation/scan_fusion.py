"""One scan around a base from several LIDARs that sit on it.

Every return is moved to where the base is at one reference time, and the scan keeps the nearest
one in each direction. Neighbouring beams that met one surface are joined by a line, and a
direction reads the distance to that line: so a wall reads as it would from the middle of the base,
however the beams fall.

A direction of the result is one of three:

- a number: the nearest return;
- +inf: a beam went all the way there and met nothing;
- NaN: nobody looked. `FusedScan.covered` tells blind directions from ones in a shadow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, degrees, inf, nan, pi, sin
from typing import NamedTuple

import numpy as np

from mecano.core.arrays import Array, Mask, finite_number
from mecano.core.compiled import first_call_notice
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose
from mecano.estimation.pose_track import PoseTrack
from mecano.estimation.scan_coverage import arcs, directions, in_view

STALE = 2.5
"""A scan that is older than this many periods is left out."""
GRAZING = 0.26
"""Beams meet a surface at no smaller angle than this, or they meet two surfaces [rad] (EST)."""
ROUGH = 0.06
"""Returns of one surface are this much apart by noise alone [m]: three sigma of a TiM551."""


@dataclass(frozen=True)
class Gap:
    """A LIDAR that has nothing new to say, and the directions that nobody sees instead."""

    sensor: str
    age: float
    """Of its last scan [s]."""
    bearings: tuple[tuple[float, float], ...]
    """From and to, counter-clockwise, seen from the base [rad]; empty if others see all."""

    def __str__(self) -> str:
        unseen = ", ".join(f"{degrees(a):.0f} to {degrees(b):.0f}" for a, b in self.bearings)
        what = f"nobody sees {unseen} degrees" if unseen else "the others see all directions"
        return f"LIDAR {self.sensor}: no scan for {self.age:.2f} s; {what}"


@dataclass(frozen=True, eq=False, kw_only=True)
class FusedScan:
    """One scan of all LIDARs, and what it could not see."""

    scan: LaserScan
    """In the frame of the base, all round from -pi; an instant."""
    covered: Mask
    """Directions that a LIDAR with a new scan has in view, far out. Shape (n,)."""
    gaps: tuple[Gap, ...]
    """LIDARs that were left out because their scans are too old."""

    @property
    def blind(self) -> tuple[tuple[float, float], ...]:
        """Directions that no LIDAR has in view, from and to, counter-clockwise [rad]."""
        return arcs(~self.covered)


class _Placed(NamedTuple):
    """A scan, and where its LIDAR is at the reference time."""

    scan: LaserScan
    mount: Array
    """Where it is on the base, seen from above. Shape (2, 3)."""
    middle: Array
    """Where the base was in the middle of the sweep: x, y [m] and turn [rad]. Shape (3,)."""
    beams: Array
    """Where it was at each beam, or for all. Shape (n, 3) or (1, 3)."""


def fuse(
    scans: Mapping[str, LaserScan],
    poses: Mapping[str, Pose],
    *,
    track: PoseTrack | None = None,
    now: float | None = None,
    deskew: bool = False,
    bins: int = 720,
    range_min: float = 0.3,
    frame: str = "base_link",
) -> FusedScan:
    """Return one scan of several.

    Args:
        scans: The newest scan of each LIDAR, by name.
        poses: Where each sits, seen from the base; it may hang upside down.
        track: Where the base was at the times of the scans, by odometry; None if it stands.
        now: The time [s] against which scans are old; None takes that of the newest scan.
        deskew: Place every beam where the base was at the beam's own time. Otherwise a whole
            scan is taken to be of the middle of its sweep.
        bins: Directions of the result, 360 to 720.
        range_min: Returns nearer to the middle of the base than this are left out [m].
        frame: Name of the base's frame.

    Returns:
        The scan of the time of the newest beam that is not too old; of `now` if all are.
    """
    _check(scans, poses, bins)
    range_min = finite_number(range_min, name="range_min [m]", lower=0.0)
    newest = max(map(_end, scans.values()))
    now = newest if now is None else finite_number(now, name="now [s]")
    fresh = {name: scan for name, scan in scans.items() if not _is_stale(scan, now)}
    stamp = max(map(_end, fresh.values()), default=now)
    range_max = max(scan.range_max for scan in scans.values())
    moves = _moves(list(fresh.values()), track, stamp, deskew)
    placed = [
        _Placed(scan, _in_plane(poses[name]), *move)
        for (name, scan), move in zip(fresh.items(), moves, strict=True)
    ]
    ranges, covered = _drawn(placed, bins, range_min, range_max)
    bearings = directions(bins)
    gaps = tuple(
        Gap(name, now - _end(scan), arcs(_in_view(scan, poses[name], bearings) & ~covered))
        for name, scan in scans.items()
        if name not in fresh
    )
    fused = LaserScan(
        stamp=stamp, frame=frame, angle_min=-pi, angle_max=pi - 2 * pi / bins,
        angle_increment=2 * pi / bins, range_min=range_min, range_max=range_max, ranges=ranges,
        scan_time=max(scan.scan_time for scan in scans.values()),
    )  # fmt: skip
    return FusedScan(scan=fused, covered=covered, gaps=gaps)


def _drawn(
    placed: list[_Placed], bins: int, range_min: float, range_max: float
) -> tuple[Array, Mask]:
    """Return the distances [m] of all directions, and which are in view. Shapes (bins,)."""
    from mecano.estimation.scan_fusion_kernel import draw, look

    ranges, covered, free = np.full(bins, inf), np.zeros(bins, bool), np.zeros(bins, bool)
    with first_call_notice(draw):
        for scan, mount, _, beams in placed:
            step = abs(scan.angle_increment)
            widest = sin(step) / sin(max(GRAZING - step, step))
            x, y = np.empty((2, len(scan.ranges)))
            draw(
                ranges, scan.ranges, scan.angle_min, scan.angle_increment,
                (scan.range_min, scan.range_max, range_min, range_max), mount, beams, widest,
                ROUGH, x, y,
            )  # fmt: skip
        for scan, mount, middle, _ in placed:
            look(
                ranges, covered, free, scan.ranges, scan.angle_min, scan.angle_increment, mount,
                middle, range_max,
            )  # fmt: skip
    ranges[np.isinf(ranges) & ~free] = nan
    return ranges, covered


def _check(scans: Mapping[str, LaserScan], poses: Mapping[str, Pose], bins: int) -> None:
    if not scans:
        raise InvalidInput("there is no scan to fuse; at least one LIDAR is needed")
    for name in scans:
        if name not in poses:
            raise UnknownName("pose of a LIDAR", name, poses)
    whole = isinstance(bins, int | np.integer) and not isinstance(bins, bool)
    if not whole or not 8 <= bins <= 36000:
        raise InvalidInput(f"bins is {bins!r}, expected a whole number from 8 to 36000")


def _end(scan: LaserScan) -> float:
    """Return when the last beam was taken [s]."""
    return scan.stamp + (len(scan.ranges) - 1) * scan.time_increment


def _is_stale(scan: LaserScan, now: float) -> bool:
    """Tell whether newer scans should have come; without a known period, never."""
    return scan.scan_time > 0.0 and now - _end(scan) > STALE * scan.scan_time


def _in_plane(pose: Pose) -> Array:
    """Return a pose seen from above; a LIDAR upside down is mirrored. Shape (2, 3)."""
    return np.column_stack([pose.rotation_matrix()[:2, :2], pose.position[:2]])


def _moves(
    scans: list[LaserScan], track: PoseTrack | None, stamp: float, deskew: bool
) -> list[tuple[Array, Array]]:
    """Return where the base was in the middle of each scan, and at its beams.

    Seen from where it is at the reference time: x, y [m] and turn [rad]. Shapes (3,) and (n, 3), or
    (1, 3) where one pose stands for all beams.
    """
    if track is None:
        return [(np.zeros(3), np.zeros((1, 3)))] * len(scans)
    times = [np.array([stamp])]
    for scan in scans:
        times.append(np.array([0.5 * (scan.stamp + _end(scan))]))
        if deskew and scan.time_increment:
            beams = np.arange(float(len(scan.ranges)))
            times.append(scan.stamp + scan.time_increment * beams)
    poses = track.at_times(np.concatenate(times))
    c, s = cos(poses[0, 2]), sin(poses[0, 2])
    moved = poses - poses[0]
    moved[:, :2] = moved[:, :2] @ np.array([[c, -s], [s, c]])
    parts = iter(np.split(moved, np.cumsum([len(t) for t in times])[:-1])[1:])
    found = []
    for scan in scans:
        middle = next(parts)
        found.append((middle[0], next(parts) if deskew and scan.time_increment else middle))
    return found


def _in_view(scan: LaserScan, pose: Pose, bearings: Array) -> Mask:
    """Tell which directions a LIDAR would have in view, far out."""
    half = 0.5 * abs(scan.angle_max - scan.angle_min)
    middle = 0.5 * (scan.angle_min + scan.angle_max)
    return in_view(pose, half, scan.range_max, bearings, middle=middle)
