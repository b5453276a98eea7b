"""Loops that are searched as the graph grows, and poses that follow them."""

from math import hypot

import numpy as np

from mecano.estimation.slam.edges import Edges
from mecano.estimation.slam.graph_equations import edge_errors
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.loops import LoopSearch
from mecano.estimation.slam.mapper import Closure
from mecano.estimation.slam.pose_graph import PoseGraph, RobustKernel, optimize
from mecano.estimation.slam.refinement import match_neighbours, neighbours
from mecano.estimation.slam.settings import SlamSettings
from mecano.estimation.slam.single_poses import relative
from mecano.estimation.slam.stop_watch import StopWatch

SURPRISE = (0.1, 0.03)
"""A closure that is off by more than this moves the map at once [m], [rad]; others wait."""
CONTRADICTION = (0.5, 0.1)
"""A closure that is still off by more than this when all is optimized was wrong [m], [rad]."""
CONTRADICTED = 16.0
"""And off by so many variances."""
SURPRISING_STEP = 16.0
"""A step from one keyframe to the next that is off by so many variances was wrong: one in a
thousand is, if errors are as they are said to be."""
UNKNOWN_STEP = np.diag([1.0**-2, 1.0**-2, 0.3**-2])
"""What such a step still counts [1/m2], [1/rad2]."""
UNSETTLED = 4
"""Keyframes to each side of a wrong step that may be in a wrong place."""
REFINED = 0.05
"""What a closure still counts when its keyframes were matched to their neighbours, pair by pair."""
PULLING = RobustKernel("huber", 3.0)
"""Closures were verified: one that is far off still pulls, or the map would never reach it."""
MOST_WAITING = 50
"""Closures that wait for the next optimization."""


class BackEnd:
    """Closes loops of keyframes and keeps their poses consistent."""

    def __init__(self, keyframes: Keyframes, settings: SlamSettings, watch: StopWatch) -> None:
        self._keyframes, self._settings, self._watch = keyframes, settings, watch
        self._search = LoopSearch(keyframes, settings)
        self._way = 0.0
        self._waiting = 0
        self.closures: list[Closure] = []
        self.between: Edges | None = None
        """Edges of the last refinement, between neighbours in space."""
        self._settled = 0
        self.doubted: dict[int, float] = {}
        """Keyframes whose step from the one before all others contradict, and by how much [m]."""

    def follow(self, new: int) -> bool:
        """Look for loops of a new keyframe; return whether poses moved."""
        poses = self._keyframes.poses
        if new:
            self._way += hypot(*(poses[new, :2] - poses[new - 1, :2]))
        if self._way < self._settings.loop_every:
            return False
        self._way = 0.0
        with self._watch.time("loops"):
            found = self._search.look(new)
        self._close(found)
        self._waiting += len(found)
        surprising = any(self._is_off(c, *SURPRISE) for c in found)
        surprising |= self._waiting > MOST_WAITING
        if surprising:
            self.optimize(iterations=8, tolerance=1e-3)
        return surprising

    def _close(self, closures: list[Closure]) -> None:
        for c in closures:
            self.closures.append(c)
            self._keyframes.edges.append(c.old, c.new, c.measured, c.information, loop=True)

    def optimize(self, *, iterations: int = 50, tolerance: float = 1e-6) -> None:
        """Let all poses follow all edges."""
        self._waiting = 0
        if len(self._keyframes) < 2:
            return
        with self._watch.time("optimize"):
            solved = optimize(
                self.graph, kernel=PULLING, iterations=iterations, tolerance=tolerance
            )
        self._keyframes.move(solved.poses)

    def finish(self) -> None:
        """Optimize, then match all neighbours in space and optimize again, some times."""
        self._close(self._search.last_chance())
        self.optimize()
        self._settle()
        settings = self._settings
        if len(self._keyframes) < 2:
            return
        with self._watch.time("neighbours"):
            pairs = neighbours(
                self._keyframes.poses, settings.neighbours, settings.neighbour_distance
            )
        for _ in range(settings.rounds):
            with self._watch.time("neighbours"):
                self.between = match_neighbours(self._keyframes, pairs)
            self._settled = len(self._keyframes.edges)
            self.optimize()
            self._settle()

    def _let_go(self) -> bool:
        """Leave out closures that all others together contradict; say whether there were any."""
        wrong = [c for c in self.closures if self._is_off(c, *CONTRADICTION, CONTRADICTED)]
        if not wrong:
            return False
        ends = {(c.old, c.new) for c in wrong}
        self.closures = [c for c in self.closures if (c.old, c.new) not in ends]
        table = self._keyframes.edges
        gone = np.array([tuple(pair) in ends for pair in table.all.ends.tolist()])
        gone &= table.all.loop
        self._settled -= int(gone[: self._settled].sum())
        table.remove(gone)
        return True

    def _doubt_steps(self) -> bool:
        """Let steps count little that all other edges contradict; say whether there were any.

        Odometry failed there, and the scan could not tell: a corridor looks the same everywhere.
        """
        table, graph = self._keyframes.edges, self.graph
        edges = table.all
        wrong = ~edges.loop & (graph.squared_errors()[: len(edges)] > SURPRISING_STEP)
        wrong &= edges.information[:, 2, 2] > 2.0 * UNKNOWN_STEP[2, 2]
        if not wrong.any():
            return False
        errors = edge_errors(self._keyframes.poses, edges.ends[wrong], edges.measured[wrong])
        off = np.hypot(errors[:, 0], errors[:, 1])
        self.doubted |= dict(zip(edges.ends[wrong, 1].tolist(), off.tolist(), strict=True))
        table.weaken(wrong, UNKNOWN_STEP)
        return True

    def _settle(self) -> None:
        """Drop what all other edges contradict, and look where wrong steps really led to."""
        before = len(self.doubted)
        while self._let_go() or self._doubt_steps():
            self.optimize()
        if len(self.doubted) > before:
            self._relocate()

    def _relocate(self) -> None:
        """Look where keyframes about a wrong step really were."""
        last = len(self._keyframes) - 1
        about = {
            min(max(number + k, 0), last)
            for number in self.doubted for k in range(-UNSETTLED, UNSETTLED + 1)
        }  # fmt: skip
        found = [self._search.relocate(number, about) for number in sorted(about)]
        closures = [closure for closure in found if closure is not None]
        if closures:
            self._close(closures)
            self.optimize()

    @property
    def graph(self) -> PoseGraph:
        """Keyframes and edges; old closures count less than the edges of the last refinement."""
        edges = self._keyframes.edges.all
        if self.between is not None:
            old = edges.loop & (np.arange(len(edges)) < self._settled)
            edges = edges.weighted(np.where(old, REFINED, 1.0)) + self.between
        return self._keyframes.graph(edges)

    def _is_off(self, closure: Closure, way: float, turn: float, variances: float = 0.0) -> bool:
        """Tell whether poses are further from what a closure says than all of this."""
        poses = self._keyframes.poses
        seen = relative(poses[closure.old], poses[closure.new])
        error = relative(closure.measured, seen)
        if hypot(error[0], error[1]) <= way and abs(error[2]) <= turn:
            return False
        return float(error @ closure.information @ error) > variances
