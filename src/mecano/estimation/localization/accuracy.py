"""How far poses are from the truth, and when they began to stay near it."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array, Mask
from mecano.core.drive_log import DriveLog
from mecano.core.errors import InvalidInput
from mecano.core.poses.planar_arrays import compose_all, poses_at, relative_all
from mecano.estimation.gaps import fill_with_odometry
from mecano.estimation.localization.odometry_jumps import without_jumps

SAME_INSTANT = 0.02
"""Stamps that differ by less are of one instant [s]."""
CARRIED = 0.4
"""Odometry carries a true pose so far that right and lost can be told apart [s]."""
ENOUGH = 10
"""So many poses in a row are a while; in a short log half of them."""
BURST = 1.0 / 3.0
"""Scans that follow each other within this part of the usual time were stamped late."""
DENSE = 0.05
"""Between true poses closer than this in time, the truth is a straight line [s]."""
NEAR, NEAR_DEG = 0.25, 10.0
"""An estimate is right within this distance [m] and angle [deg]."""


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """Differences to the truth from where the estimate stays right on."""

    judged: int
    """So many poses have a true one of their instant."""
    ambiguous: int
    """So many have one, but other scans share their stamp or nearly so: nobody knows whose truth
    it is."""
    converged: bool
    """Whether the estimate is right at the end and has been for a while."""
    seconds: float
    """Until the first pose from which on it stays right [s]; infinite if it never does. Poses that
    cannot be told from the truth are passed over."""
    distance: float
    """Driven until then [m]."""
    mean: float
    """Of the position [m]."""
    percent95: float
    """[m]."""
    largest: float
    """[m]."""
    mean_deg: float
    """Of the heading [deg]."""
    percent95_deg: float
    """[deg]."""
    largest_deg: float
    """[deg]."""
    instants: int
    """So many instants of the truth lie along the whole path, right or not."""
    mean_at_instants: float
    """Of the position at all of them, odometry laid in between, stamps as they are [m]."""
    mean_at_instants_deg: float
    """Of the heading [deg]."""
    largest_at_instants: float
    """Of the position [m]."""
    right_share: float
    """Part of these instants at which the estimate is right, 0 to 1."""

    def to_json(self) -> dict[str, Any]:
        """Return plain numbers; what is not finite is None."""
        return {
            name: round(value, 5) if isinstance(value, float) and np.isfinite(value)
            else None if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }  # fmt: skip

    def __str__(self) -> str:
        whole = (
            f"{self.mean_at_instants:.3f} m and {self.mean_at_instants_deg:.2f} deg mean, "
            f"{self.largest_at_instants:.2f} m max at all {self.instants} instants of the truth, "
            f"{100 * self.right_share:.1f} % of them within {NEAR} m and {NEAR_DEG:g} deg"
        )
        if not self.converged:
            return f"lost: not within {NEAR} m and {NEAR_DEG:g} deg at the end; {whole}"
        return (
            f"{whole}; stays within after {self.seconds:.1f} s and {self.distance:.2f} m, and from "
            f"there on, at poses whose stamp is their own: position {self.mean:.3f} m mean, "
            f"{self.percent95:.3f} m 95 %, {self.largest:.3f} m max; heading {self.mean_deg:.2f} "
            f"deg mean, {self.percent95_deg:.2f} deg 95 %, {self.largest_deg:.2f} deg max"
        )


def compare_with_truth(
    stamps: Array, poses: Array, true_stamps: Array, true_poses: Array, *,
    log: DriveLog | None = None,
) -> Accuracy:  # fmt: skip
    """Compare estimates with true poses of the same frame and the same instants.

    A true pose belongs to the estimate of its instant. Where true poses lie close, those between
    are a straight line. Logs that were written in bursts give nearly one stamp to several scans, of
    which one has a true pose; those are counted and not judged.

    Args:
        stamps: Of the estimates, not falling [s]. Shape (n,).
        poses: Shape (n, 3).
        true_stamps: Rising [s]. Shape (m,).
        true_poses: Shape (m, 3).
        log: Where the scans come from. It tells the way driven, which stamps other scans share, and
            its odometry carries true poses over to stamps that are not quite the same.

    Raises:
        InvalidInput: No estimate has a true pose.
    """
    every = stamps if log is None else log.scan_stamps
    found, ambiguous = _judged(stamps, true_stamps, every)
    judged = found & ~ambiguous
    if not judged.any():
        raise InvalidInput(
            f"no pose has a true one within {SAME_INSTANT} s; do they belong to the same log?"
        )
    true = _truth(stamps, true_stamps, true_poses, log)
    off = np.hypot(*(poses[:, :2] - true[:, :2]).T)
    turned = np.degrees(np.abs(relative_all(true, poses)[:, 2]))
    told = judged if log is None else _told(stamps, true_stamps, every) | judged
    wrong = np.flatnonzero(told & ((off > NEAR) | (turned > NEAR_DEG)))
    first = int(wrong[-1]) + 1 if len(wrong) else 0
    right = np.flatnonzero(judged)
    right = right[right >= first]
    enough = min(ENOUGH, (int(told.sum()) + 1) // 2)
    converged = len(right) > 0 and int(told[first:].sum()) >= enough
    start = first + int(np.argmax(told[first:])) if converged else 0
    apart, apart_deg = _at_instants(stamps, poses, true_stamps, true_poses, log)
    way = poses if log is None else _odometry_at(stamps, log)
    driven = np.hypot(*np.diff(way[: start + 1, :2], axis=0).T).sum()
    near, near_deg = (off[right], turned[right]) if converged else (off[judged], turned[judged])
    return Accuracy(
        judged=int(judged.sum()), ambiguous=int((found & ambiguous).sum()), converged=converged,
        seconds=float(stamps[start] - stamps[0]) if converged else np.inf,
        distance=float(driven) if converged else np.inf,
        mean=float(near.mean()), percent95=float(np.percentile(near, 95)),
        largest=float(near.max()), mean_deg=float(near_deg.mean()),
        percent95_deg=float(np.percentile(near_deg, 95)), largest_deg=float(near_deg.max()),
        instants=len(apart), mean_at_instants=_mean(apart), mean_at_instants_deg=_mean(apart_deg),
        largest_at_instants=float(apart.max(initial=0.0)),
        right_share=_mean((apart <= NEAR) & (apart_deg <= NEAR_DEG)),
    )  # fmt: skip


def _at_instants(
    stamps: Array, poses: Array, true_stamps: Array, true_poses: Array, log: DriveLog | None
) -> tuple[Array, Array]:
    """Return how far a path is off at all instants of the truth that it covers [m], [deg]."""
    rising = np.append(np.diff(stamps) > 0.0, True)  # of equal instants the last one counts
    stamps, poses = stamps[rising], poses[rising]
    covered = (true_stamps >= stamps[0]) & (true_stamps <= stamps[-1])
    if log is not None and len(stamps) > 1 and len(log.odometry_stamps) > 1:
        said = without_jumps(log.odometry_stamps, log.odometry)
        stamps, poses = fill_with_odometry(stamps, poses, log.odometry_stamps, said)
    true = true_poses[covered]
    off = relative_all(true, poses_at(true_stamps[covered], stamps, poses))
    return np.hypot(off[:, 0], off[:, 1]), np.degrees(np.abs(off[:, 2]))


def _mean(values: Array | Mask) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _judged(stamps: Array, true_stamps: Array, all_stamps: Array) -> tuple[Mask, Mask]:
    """Say which stamps have a true pose, and which of them share their instant with others."""
    after = np.searchsorted(true_stamps, stamps)
    below = true_stamps[np.maximum(after - 1, 0)]
    above = true_stamps[np.minimum(after, len(true_stamps) - 1)]
    nearest = np.minimum(np.abs(stamps - below), np.abs(above - stamps))
    inside = (after > 0) & (after < len(true_stamps))
    found = (nearest < SAME_INSTANT) | (inside & (above - below < DENSE))
    return found, _neighbours(stamps, all_stamps) > 1


def _told(stamps: Array, true_stamps: Array, all_stamps: Array) -> Mask:
    """Say which stamps have a true pose not long before or after; neither of them in a burst."""
    calm = true_stamps[_neighbours(true_stamps, all_stamps) <= 1]
    if not len(calm):
        return np.zeros(len(stamps), dtype=bool)
    nearest = true_stamps[_nearest(stamps, true_stamps)]
    near = (np.abs(nearest - stamps) < CARRIED) & np.isin(nearest, calm)
    return near & (_neighbours(stamps, all_stamps) <= 1)


def _neighbours(stamps: Array, all_stamps: Array) -> NDArray[np.intp]:
    """Return how many scans were stamped so closely that their stamps cannot be right."""
    every = np.sort(all_stamps)
    close = BURST * float(np.median(np.diff(every))) if len(every) > 1 else 0.0
    least = np.searchsorted(every, stamps - close, side="left")
    return np.searchsorted(every, stamps + close, side="right") - least


def _nearest(stamps: Array, true_stamps: Array) -> NDArray[np.intp]:
    """Return the number of the true pose that is nearest in time."""
    after = np.clip(np.searchsorted(true_stamps, stamps), 1, max(len(true_stamps) - 1, 1))
    if len(true_stamps) == 1:
        return np.zeros(len(stamps), dtype=np.intp)
    nearer_below = np.abs(stamps - true_stamps[after - 1]) <= np.abs(true_stamps[after] - stamps)
    return np.where(nearer_below, after - 1, after)


def _odometry_at(stamps: Array, log: DriveLog) -> Array:
    """Return what odometry said at some times, as if the base had stood still over its jumps."""
    said = without_jumps(log.odometry_stamps, log.odometry)
    return poses_at(stamps, log.odometry_stamps, said)


def _truth(stamps: Array, true_stamps: Array, true_poses: Array, log: DriveLog | None) -> Array:
    """Return true poses, straight between close ones and else the nearest, carried over."""
    nearer = _nearest(stamps, true_stamps)
    nearest = true_poses[nearer]
    if log is not None:
        then, now = (_odometry_at(when, log) for when in (true_stamps[nearer], stamps))
        nearest = compose_all(nearest, relative_all(then, now))
    after = np.searchsorted(true_stamps, stamps)
    below, above = np.maximum(after - 1, 0), np.minimum(after, len(true_stamps) - 1)
    dense = (true_stamps[above] - true_stamps[below] < DENSE)[:, None]
    return np.where(dense, poses_at(stamps, true_stamps, true_poses), nearest)
