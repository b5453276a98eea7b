"""Tours through a floor plan: where a base goes, and how a differential base drives there."""

from dataclasses import dataclass, replace
from itertools import pairwise
from math import atan2, ceil, cos, dist, hypot, pi, sin, tan

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from mecano.core.arrays import Array
from slam_corpus.floor_plans import FloorPlan

TICK = 0.1
"""Between two readings of odometry [s]."""
MARGIN = 0.55
"""Waypoints keep this far from the walls [m]."""
LONGEST_REVERSE = 8.0
"""It reverses no further at a time [m]."""
FILLET = 0.4
"""Radius of the arcs on which it takes corners [m]."""


@dataclass(frozen=True)
class Waypoint:
    """A point to go to, straight from the one before."""

    x: float
    y: float
    backward: bool = False
    """It reverses on the straight to this point."""


class WaypointGraph:
    """Points in the spaces of a plan; straights between points of one space are free."""

    def __init__(self, plan: FloorPlan, rng: np.random.Generator) -> None:
        self._plan, self._rng = plan, rng
        self.points: list[tuple[float, float]] = []
        self.spaces: list[int] = []
        self.spots: list[int] = []
        self._at_doors: set[int] = set()
        links: list[tuple[int, int]] = []
        for gate in plan.gates:
            a, b = (self._add(p, s) for p, s in zip(gate.points, gate.spaces, strict=True))
            links.append((a, b))
            if gate.points[0] != gate.points[1]:
                self._at_doors |= {a, b}
        for space in range(len(plan.spaces)):
            self.spots += [self._add(self._anywhere(space), space) for _ in range(2)]
        for space in range(len(plan.spaces)):
            inside = [k for k, other in enumerate(self.spaces) if other == space]
            links += [(a, b) for a in inside for b in inside if a < b]
        lengths = [max(dist(self.points[a], self.points[b]), 1e-3) for a, b in links]
        count, ends = len(self.points), np.array(links).T
        table = coo_array((lengths, (ends[0], ends[1])), shape=(count, count)).tocsr()
        _, self._before = shortest_path(table, directed=False, return_predecessors=True)

    def route(self, start: int, goal: int) -> list[int]:
        """Return the points of the shortest route, without its start."""
        found = [goal]
        while found[-1] != start:
            found.append(int(self._before[start, found[-1]]))
        return found[-2::-1]

    def place(self, node: int) -> tuple[float, float]:
        """Return where a visit passes a point: doors exactly, others anywhere around."""
        if node in self._at_doors:
            return self.points[node]
        return self._within(self.spaces[node], self.points[node], 0.7)

    def _add(self, point: tuple[float, float], space: int) -> int:
        self.points.append(point)
        self.spaces.append(space)
        return len(self.points) - 1

    def _anywhere(self, space: int) -> tuple[float, float]:
        left, bottom, right, top = self._plan.spaces[space]
        share = self._rng.random(2)
        return (
            left + MARGIN + share[0] * (right - left - 2 * MARGIN),
            bottom + MARGIN + share[1] * (top - bottom - 2 * MARGIN),
        )

    def _within(self, space: int, point: tuple[float, float], reach: float) -> tuple[float, float]:
        left, bottom, right, top = self._plan.spaces[space]
        x, y = np.array(point) + self._rng.uniform(-reach, reach, 2)
        return (
            float(np.clip(x, left + MARGIN, right - MARGIN)),
            float(np.clip(y, bottom + MARGIN, top - MARGIN)),
        )


def make_tour(
    plan: FloorPlan, length: float, reversing: float, rng: np.random.Generator
) -> list[Waypoint]:
    """Return waypoints through random spaces and back to the start.

    Args:
        plan: Of the building.
        length: At least so far [m].
        reversing: Share of the places that it leaves backwards, where that is not far.
        rng: Source of randomness.
    """
    graph = WaypointGraph(plan, rng)
    here = start = int(rng.choice(graph.spots))
    tour = [Waypoint(*graph.points[start])]
    driven = 0.0
    while True:
        goal = start if driven > length else int(rng.choice(graph.spots))
        route = graph.route(here, goal)
        for node in route:
            tour.append(Waypoint(*graph.place(node)))
            driven += _length(tour[-2:])
        if driven > length and goal == start:
            return tour
        here = goal
        back = tour[-2:-4:-1]
        near = len(route) > 2 and _length([tour[-1], *back]) < LONGEST_REVERSE
        if near and rng.random() < reversing:
            tour += [replace(point, backward=True) for point in back]
            here = route[-3]


def _length(tour: list[Waypoint]) -> float:
    return sum(hypot(b.x - a.x, b.y - a.y) for a, b in pairwise(tour))


def drive_along(tour: list[Waypoint], rng: np.random.Generator) -> Array:
    """Drive a tour as a differential base does: straights, arcs and turns on the spot.

    Returns:
        x, y [m], yaw [rad] at every tick. Shape (n, 3).
    """
    speed, turn_rate = rng.uniform(0.4, 0.9), rng.uniform(0.6, 1.2)
    driver = _Driver(tour[0], speed, turn_rate)
    for here, after in pairwise(tour[1:]):
        driver.go(here, after, on_the_spot=bool(rng.random() < 0.5))
        if rng.random() < 0.05:
            driver.pause(rng.uniform(0.5, 3.0))
    driver.go(tour[-1], None, on_the_spot=True)
    return np.array(driver.poses)


class _Driver:
    """A base that stands somewhere and goes on."""

    def __init__(self, start: Waypoint, speed: float, turn_rate: float) -> None:
        self.poses = [(start.x, start.y, 0.0)]
        self._speed, self._turn_rate = speed, turn_rate

    def go(self, here: Waypoint, after: Waypoint | None, *, on_the_spot: bool) -> None:
        """Go to a waypoint; take its corner to the next one on an arc if there is room."""
        x, y, yaw = self.poses[-1]
        length = hypot(here.x - x, here.y - y)
        if length < 0.05:
            return
        heading = atan2(here.y - y, here.x - x) + (pi if here.backward else 0.0)
        self._turn(_wrapped(heading - yaw))
        turn = 0.0
        if after is not None and not here.backward and not after.backward and not on_the_spot:
            turn = _wrapped(atan2(after.y - here.y, after.x - here.x) - heading)
            room = 0.45 * min(length, hypot(after.x - here.x, after.y - here.y))
            cut = FILLET * tan(0.5 * abs(turn)) if abs(turn) < 2.2 else 1e9
            turn = turn if cut < room else 0.0
        cut = FILLET * tan(0.5 * abs(turn))
        self._straight((length - cut) * (-1.0 if here.backward else 1.0))
        if turn:
            self._arc(turn)

    def pause(self, seconds: float) -> None:
        """Stand still."""
        self.poses += [self.poses[-1]] * ceil(seconds / TICK)

    def _straight(self, length: float) -> None:
        x, y, yaw = self.poses[-1]
        count = max(1, ceil(abs(length) / (self._speed * TICK)))
        for k in range(1, count + 1):
            way = length * k / count
            self.poses.append((x + way * cos(yaw), y + way * sin(yaw), yaw))

    def _turn(self, angle: float) -> None:
        x, y, yaw = self.poses[-1]
        count = ceil(abs(angle) / (self._turn_rate * TICK))
        self.poses += [(x, y, yaw + angle * k / count) for k in range(1, count + 1)]

    def _arc(self, angle: float) -> None:
        x, y, yaw = self.poses[-1]
        side = 1.0 if angle > 0.0 else -1.0
        rate = min(self._turn_rate, self._speed / FILLET)
        count = max(1, ceil(abs(angle) / (rate * TICK)))
        for k in range(1, count + 1):
            now = yaw + angle * k / count
            self.poses.append((
                x + side * FILLET * (sin(now) - sin(yaw)),
                y - side * FILLET * (cos(now) - cos(yaw)),
                now,
            ))  # fmt: skip


def _wrapped(angle: float) -> float:
    return (angle + pi) % (2.0 * pi) - pi
