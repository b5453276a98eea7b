"""Places seen before: where to look, how far around, and whether to believe what was found.

The last keyframes make a map, old keyframes make another, and one is searched in the other within a
window that grows with the uncertainty between them. In a small window a good fit is enough. In
a large one everything known within reach is searched together, the place must be the only one that
fits, and two other closures from elsewhere must say the same. As odometry can fail unnoticed, a
small window is also searched some metres around for a place that fits much better.
"""

from collections.abc import Set
from dataclasses import dataclass, replace
from math import hypot

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.poses.planar_arrays import relative_all
from mecano.estimation.slam.clouds import Cloud
from mecano.estimation.slam.edges import in_axes_of
from mecano.estimation.slam.field import Field, Thinned
from mecano.estimation.slam.kernels import kernels
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.mapper import Closure
from mecano.estimation.slam.scan_matching import Found, refine, search
from mecano.estimation.slam.settings import SlamSettings
from mecano.estimation.slam.single_poses import compose, relative

FEWEST = 30
"""Returns that the last keyframes together need."""
LEVER = 3.0
"""Turns count as far as returns at this distance move by them [m]."""
SIGMAS = 3.0
"""The window reaches so many standard deviations to each side."""
AROUND = (0.3, 0.05)
"""And so much further [m], [rad]: local maps bend."""
MOST_TURN = 1.0
"""The search turns no further to each side [rad]."""
SURE = 0.5
"""In windows up to this a good fit is enough [m]."""
ALONE = 1.5
"""In windows beyond this all old keyframes are searched together, and the place must be the only
one that fits [m]."""
WIDER, BETTER = (3.0, 0.3), 0.05
"""The uncertainty may be a lie where odometry failed unnoticed: windows are at least this large
[m], [rad], for places that fit so much better than those in the window."""
INFORMED = 25.0
"""Variances that such a place must be away from where it was expected, by its own walls."""
APART = 1.0
"""Another place is this far from the first [m]."""
TRY_AGAIN = (10, 5)
"""Where a large window was searched, so many keyframes around are not searched again before the
robot made so many new ones."""
TRUST = 0.1
"""Local maps bend: a closure counts so much of what a match to a stiff map would."""
MOST_PLACES = 3
"""Old places that one keyframe looks at."""
AGREE = (0.3, 0.07)
"""Two closures that say the same differ by no more than this [m], [rad]."""
ELSEWHERE = 3.0
"""In such windows the robot drove so far in between that they saw different things [m]."""
NEARBY = 60
"""And their keyframes are no further apart than this in the order of time."""


@dataclass(frozen=True, eq=False)
class Place:
    """An old place that may be where the robot is."""

    middle: int
    """Keyframe nearest to the robot."""
    members: NDArray[np.int64]
    """Keyframes of its map, the nearest first."""
    off: float
    """Deviation of the position between here and there [m]."""
    skid: float
    """Deviation of the heading [rad]."""


class LoopSearch:
    """Finds closures and holds back those that nothing else supports."""

    def __init__(self, keyframes: Keyframes, settings: SlamSettings) -> None:
        self._keyframes, self._settings = keyframes, settings
        self._waiting: list[Closure] = []
        self._tried: dict[int, int] = {}

    def look(self, new: int) -> list[Closure]:
        """Return the closures of a keyframe that are believed, with those it confirms."""
        places = self._places(new)
        if not places:
            return []
        view = self._view(new)
        if len(view) < FEWEST:
            return []
        believed: list[Closure] = []
        for place in places:
            closure = self._compare(new, place, view)
            if closure is not None:
                believed += self._verify(closure)
        return believed

    def last_chance(self) -> list[Closure]:
        """Return closures that wait and of which another says the same, however near: the robot
        stopped before it could see more. All of its last keyframes are looked at for that.
        """
        frames = self._keyframes
        self._tried.clear()
        last = len(frames) - 1
        believed = []
        for number in range(frames.first_near(last), last + 1):
            self._tried.clear()
            believed += self.look(number)
        waiting, self._waiting = self._waiting, []
        return believed + [
            a for k, a in enumerate(waiting)
            if any(self._agree(a, b) for b in waiting[:k])
            or any(self._agree(b, a) for b in waiting[k + 1 :])
        ]  # fmt: skip

    def relocate(self, number: int, doubted: Set[int]) -> Closure | None:
        """Return where a keyframe fits better than where it is, if that is plain.

        Args:
            number: A keyframe whose step was wrong.
            doubted: All of these; others are trusted.
        """
        frames, settings, view = self._keyframes, self._settings, self._keyframes.store[number]
        pose = frames.poses[number].copy()
        away = np.hypot(*(frames.poses[:, :2] - pose[:2]).T)
        around = np.flatnonzero(away < settings.loop_distance + WIDER[0])
        around = around[[k not in doubted for k in around.tolist()]]
        if len(view) < FEWEST or not len(around):
            return None
        members = around[np.argsort(away[around], kind="stable")]
        field = frames.field(members)
        here = search(field, view, pose, deviation=WIDER, window=(AROUND[0], AROUND[1]))
        found = search(
            field, view, pose, deviation=WIDER, window=WIDER, apart=APART,
            unique=settings.loop_unique, floor=here.score + BETTER,
        )  # fmt: skip
        if found.score < settings.loop_score:
            return None
        if found.second > settings.loop_unique * found.score:
            return None
        match = refine(field, view, found.pose)
        middle = int(members[np.argmin(np.hypot(*(frames.poses[members, :2] - match.pose[:2]).T))])
        if match.share < settings.loop_share or middle == number:
            return None
        old, new = sorted((middle, number))
        here, there = frames.poses[middle], match.pose
        return Closure(
            old=old,
            new=new,
            measured=relative(here, there) if old == middle else relative(there, here),
            information=in_axes_of(
                (there if old == middle else here)[2], TRUST * match.information
            ),
            score=found.score,
            window=WIDER[0],
        )

    def _places(self, new: int) -> list[Place]:
        """Return where the robot may be again, the surest first."""
        frames, settings = self._keyframes, self._settings
        oldest = frames.first_near(new)
        if oldest < 1:
            return []
        edges = frames.edges
        known = np.empty((len(frames), 3, 3))
        kernels().spread(new, frames.poses, edges.all.ends, edges.covariances, LEVER, known)
        away = np.hypot(*(frames.poses[:oldest, :2] - frames.poses[new, :2]).T)
        off = np.sqrt(0.5 * (known[:oldest, 0, 0] + known[:oldest, 1, 1]))
        near = np.flatnonzero(
            away < settings.loop_distance + np.minimum(2.0 * off, settings.loop_window)
        )
        sure = SIGMAS * off[near] + AROUND[0] <= ALONE
        places = self._visits(near[sure], away, off, known, oldest)
        unsure = near[~sure]
        if len(unsure):
            middle = int(unsure[np.argmin(away[unsure])])
            if not self._was_tried(middle, new):
                order = np.argsort(away[unsure], kind="stable")
                skid = float(known[unsure, 2, 2].max()) ** 0.5
                places.append(Place(middle, unsure[order], float(off[unsure].max()), skid))
        return places

    def _visits(
        self, near: NDArray[np.int64], away: Array, off: Array, known: Array, oldest: int
    ) -> list[Place]:
        """Return the nearest keyframe of each earlier visit with its surroundings.

        Args:
            near: Keyframes that may be where the robot is.
            away: Distance of every keyframe from the robot [m].
            off: Deviation of its position [m].
            known: Covariance as seen from the robot. Shape (n, 3, 3).
            oldest: First keyframe of the robot's own local map.
        """
        frames, settings = self._keyframes, self._settings
        middles: list[int] = []
        gaps = np.diff(frames.ways[near]) > settings.local_way
        gaps |= np.diff(near) > settings.local_keyframes
        for run in np.split(near, np.flatnonzero(gaps) + 1):
            if not len(run):
                continue
            middles.append(int(run[np.argmin(away[run])]))
        middles.sort(key=lambda middle: away[middle] + SIGMAS * off[middle])
        return [
            self._place(middle, float(off[middle]), float(known[middle, 2, 2]) ** 0.5, oldest)
            for middle in middles[:MOST_PLACES]
        ]

    def _was_tried(self, middle: int, new: int) -> bool:
        last = self._tried.get(middle // TRY_AGAIN[0])
        return last is not None and new - last < TRY_AGAIN[1]

    def _place(self, middle: int, off: float, skid: float, oldest: int) -> Place:
        frames, settings = self._keyframes, self._settings
        first = frames.first_near(middle)
        around = np.arange(first, min(oldest, 2 * middle - first + 1))
        away = np.hypot(*(frames.poses[around, :2] - frames.poses[middle, :2]).T)
        around = around[away < settings.loop_distance]
        order = np.argsort(np.abs(around - middle), kind="stable")
        return Place(middle, around[order], off, skid)

    def _view(self, new: int) -> Cloud:
        """Return what the last keyframes saw, thinned, as seen from the newest."""
        frames = self._keyframes
        members = np.arange(new, frames.first_near(new, share=0.5) - 1, -1)
        poses = relative_all(frames.poses[new], frames.poses[members])
        return Thinned(frames.store, members, poses, self._settings).cloud

    def _compare(self, new: int, place: Place, view: Cloud) -> Closure | None:
        """Search the view in an old place; return a closure if it fits."""
        frames, settings = self._keyframes, self._settings
        window = min(SIGMAS * place.off + AROUND[0], settings.loop_window)
        turn = min(SIGMAS * place.skid + AROUND[1], MOST_TURN)
        if window > ALONE:
            self._tried[place.middle // TRY_AGAIN[0]] = new
        field = frames.field(place.members)
        off, skid = place.off + AROUND[0] / SIGMAS, place.skid + AROUND[1] / SIGMAS
        found = search(
            field, view, frames.poses[new], deviation=(off, skid), window=(window, turn),
            apart=APART, unique=settings.loop_unique,
        )  # fmt: skip
        if window < WIDER[0]:
            wider = search(
                field, view, frames.poses[new], deviation=WIDER,
                window=(WIDER[0], max(turn, WIDER[1])), apart=APART, unique=settings.loop_unique,
                floor=max(found.score + BETTER, settings.loop_score),
            )  # fmt: skip
            closure = self._closure(new, place, view, wider, field, WIDER, WIDER[0])
            if closure is not None and self._is_informed(closure):
                return replace(closure, surprising=True)
        return self._closure(new, place, view, found, field, (off, skid), window)

    def _closure(
        self,
        new: int,
        place: Place,
        view: Cloud,
        found: Found,
        field: Field,
        deviation: tuple[float, float],
        window: float,
    ) -> Closure | None:
        """Slide a view onto the walls from where it was found; return a closure if it fits."""
        frames, settings = self._keyframes, self._settings
        if found.score < settings.loop_score:
            return None
        middle = place.middle
        if window > ALONE:
            if found.second > settings.loop_unique * found.score:
                return None
            away = np.hypot(*(frames.poses[place.members, :2] - found.pose[:2]).T)
            middle = int(place.members[np.argmin(away)])
            field = frames.field(self._place(middle, 0.0, 0.0, frames.first_near(new)).members)
        off, skid = deviation
        known = np.diag([off**-2, off**-2, skid**-2])  # where walls say nothing, the graph does
        match = refine(field, view, found.pose, expected=frames.poses[new], trust=known)
        if match.share < settings.loop_share:
            return None
        return Closure(
            old=middle,
            new=new,
            measured=relative(frames.poses[middle], match.pose),
            information=in_axes_of(match.pose[2], TRUST * match.information),
            score=found.score,
            window=window,
        )

    def _is_informed(self, closure: Closure) -> bool:
        """Tell whether a closure knows that it is not where it was expected; corridors do not."""
        poses = self._keyframes.poses
        expected = relative(poses[closure.old], poses[closure.new])
        off = relative(closure.measured, expected)
        return float(off @ closure.information @ off) > INFORMED

    def _verify(self, closure: Closure) -> list[Closure]:
        """Return the closure if it is sure, or with those that say the same; else let it wait."""
        if closure.window <= SURE:
            return [closure]
        same = [other for other in self._waiting if self._agree(closure, other)]
        self._waiting = [
            other for other in self._waiting if closure.new - other.new <= NEARBY
        ]  # fmt: skip
        if self._independent(closure, same) < self._votes(closure):
            self._waiting.append(closure)
            return []
        self._waiting = [other for other in self._waiting if other not in same]
        return [*same, closure]

    def _votes(self, closure: Closure) -> int:
        """Return how many others must say the same as a closure."""
        return 1 if closure.window <= ALONE else 2

    def _independent(self, closure: Closure, others: list[Closure]) -> int:
        """Return how many of some closures saw different things than each other and than one.

        In small windows all count.
        """
        if closure.window <= ALONE:
            return len(others)
        ways, count, last = self._keyframes.ways, 0, self._keyframes.ways[closure.new]
        for other in sorted(others, key=lambda other: -other.new):
            if last - ways[other.new] >= ELSEWHERE:
                count, last = count + 1, ways[other.new]
        return count

    def _agree(self, a: Closure, b: Closure) -> bool:
        """Tell whether two closures say the same of how the old place lies to the new one."""
        if a.new == b.new or a.new - b.new > NEARBY:
            return False
        poses = self._keyframes.poses
        there = compose(relative(poses[a.old], poses[b.old]), b.measured)
        here = compose(a.measured, relative(poses[a.new], poses[b.new]))
        x, y, yaw = relative(here, there)
        return hypot(x, y) <= AGREE[0] and abs(yaw) <= AGREE[1]
