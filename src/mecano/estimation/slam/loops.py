"""Places seen before: where to look, how far around, and whether to believe what was found.

The last keyframes make a map, old keyframes make another, and one is searched in the other within a
window that grows with the uncertainty between them. In a small window a good fit is enough. In
a large one the place must be the only one that fits, and another closure nearby must say the same.
"""

from dataclasses import dataclass
from math import hypot

import numpy as np
from numpy.typing import NDArray

from mecano.core.poses.planar_arrays import relative_all
from mecano.estimation.slam.clouds import Cloud
from mecano.estimation.slam.edges import in_axes_of
from mecano.estimation.slam.field import Thinned
from mecano.estimation.slam.kernels import kernels
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.mapper import Closure
from mecano.estimation.slam.scan_matching import refine, search
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
MOST_TURN = 0.6
"""The search turns no further to each side [rad]."""
SURE = 0.5
"""In windows up to this a good fit is enough [m]."""
ALONE = 1.5
"""In windows beyond this the place must be the only one that fits [m]."""
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
        stopped before it could see more.
        """
        waiting, self._waiting = self._waiting, []
        return [
            a for k, a in enumerate(waiting)
            if any(self._agree(a, b) for b in waiting[:k])
            or any(self._agree(b, a) for b in waiting[k + 1 :])
        ]  # fmt: skip

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
        middles: list[int] = []
        gaps = np.diff(frames.ways[near]) > settings.local_way
        gaps |= np.diff(near) > settings.local_keyframes
        for run in np.split(near, np.flatnonzero(gaps) + 1):
            if not len(run):
                continue
            middle = int(run[np.argmin(away[run])])
            if off[middle] > SURE and self._was_tried(middle, new):
                continue
            middles.append(middle)
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
        field = frames.field(place.members)
        window = min(SIGMAS * place.off + AROUND[0], settings.loop_window)
        turn = min(SIGMAS * place.skid + AROUND[1], MOST_TURN)
        if window > SURE:
            self._tried[place.middle // TRY_AGAIN[0]] = new
        off, skid = place.off + AROUND[0] / SIGMAS, place.skid + AROUND[1] / SIGMAS
        found = search(
            field, view, frames.poses[new], deviation=(off, skid), window=(window, turn),
            apart=APART, unique=settings.loop_unique,
        )  # fmt: skip
        if found.score < settings.loop_score:
            return None
        if window > ALONE and found.second > settings.loop_unique * found.score:
            return None
        match = refine(field, view, found.pose)
        if match.share < settings.loop_share:
            return None
        return Closure(
            old=place.middle,
            new=new,
            measured=relative(frames.poses[place.middle], match.pose),
            information=in_axes_of(match.pose[2], TRUST * match.information),
            score=found.score,
            window=window,
        )

    def _verify(self, closure: Closure) -> list[Closure]:
        """Return the closure if it is sure, or with those that say the same; else let it wait."""
        if closure.window <= SURE:
            return [closure]
        same = [
            other for other in self._waiting
            if self._are_independent(closure, other) and self._agree(closure, other)
        ]  # fmt: skip
        self._waiting = [
            other for other in self._waiting
            if other not in same and closure.new - other.new <= NEARBY
        ]  # fmt: skip
        if same:
            return [*same, closure]
        self._waiting.append(closure)
        return []

    def _are_independent(self, a: Closure, b: Closure) -> bool:
        """Tell whether two closures saw different things; small windows do not need that."""
        ways = self._keyframes.ways
        far = ways[a.new] - ways[b.new] >= ELSEWHERE
        return bool(far) or max(a.window, b.window) <= ALONE

    def _agree(self, a: Closure, b: Closure) -> bool:
        """Tell whether two closures say the same of how the old place lies to the new one."""
        if a.new == b.new or a.new - b.new > NEARBY:
            return False
        poses = self._keyframes.poses
        there = compose(relative(poses[a.old], poses[b.old]), b.measured)
        here = compose(a.measured, relative(poses[a.new], poses[b.new]))
        x, y, yaw = relative(here, there)
        return hypot(x, y) <= AGREE[0] and abs(yaw) <= AGREE[1]
