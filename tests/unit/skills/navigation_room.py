"""A room of cells with a base in it, to drive the navigator without physics."""

import heapq
from dataclasses import dataclass, field
from math import floor, hypot

import numpy as np

from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import (
    INSCRIBED,
    LETHAL,
    Command,
    Costmap,
    LocalView,
    Plan,
    PlanOutcome,
    VelocityLimits,
)
from mecano.planning.navigation.footprint import Footprint
from mecano.skills.navigation.inputs import Goal, PlacedScan, PoseEstimate, Sensed
from mecano.skills.navigation.navigator import Navigator
from mecano.skills.navigation.outcomes import Ending, Step
from mecano.skills.navigation.parameters import NavigatorParameters

CELL = 0.1
TICK = 0.05
LIMITS = VelocityLimits(
    max_vel_x=0.5, min_vel_x=-0.5, max_vel_y=0.5, acc_lim_x=1.0, acc_lim_y=1.0, max_vel_theta=1.0
)


class Room:
    """Costmaps of 8 x 4 m with walls that are known, and obstacles that may be forgotten."""

    def __init__(self) -> None:
        self.footprint = Footprint.circle(0.2)
        self.walls = np.zeros((40, 80), bool)
        self.walls[[0, -1], :] = self.walls[:, [0, -1]] = True
        self.marks = np.zeros_like(self.walls)
        self.cleared: list[float] = []
        self._made: dict[bytes, Costmap] = {}

    def block(self, x: float) -> None:
        """Put an obstacle across the room."""
        self.marks[1:-1, floor(x / CELL)] = True

    def take_footprint(self, footprint: Footprint) -> None:
        """Bases of these tests have no arms."""

    def observe(self, scan: LaserScan, scanner: Pose2) -> None:
        """Scans of these tests mark nothing."""

    def whole(self, *, obstacles: bool = True) -> Costmap:
        lethal = self.walls | self.marks if obstacles else self.walls
        if lethal.tobytes() not in self._made:
            self._made[lethal.tobytes()] = self._make(lethal)
        return self._made[lethal.tobytes()]

    def _make(self, lethal: np.ndarray) -> Costmap:
        rows, columns = np.nonzero(lethal)
        y, x = np.mgrid[:40, :80]
        far = np.full(lethal.shape, 99.0)
        for row, column in zip(rows, columns, strict=True):
            far = np.minimum(far, np.hypot(x - column, y - row))
        distance = (CELL * far).astype(np.float32)
        cost = np.where(distance < 0.2, INSCRIBED, 0).astype(np.uint8)
        cost[lethal] = LETHAL
        return Costmap(
            resolution=CELL, origin=(0.0, 0.0), cost=cost, distance=distance,
            footprint=self.footprint,
        )  # fmt: skip

    def around(self, pose: Pose2) -> Costmap:
        return self.whole()

    def clear(self, pose: Pose2, side: float) -> int:
        self.cleared.append(side)
        return 0


class Straight:
    """Plans by Dijkstra over cells."""

    def __init__(self) -> None:
        self.calls = 0

    def plan(self, costmap: Costmap, start: Pose2, goal: Pose2) -> Plan:
        self.calls += 1
        first, last = _cell(start), _cell(goal)
        height, width = costmap.cost.shape
        if not (0 <= last[0] < height and 0 <= last[1] < width):
            return Plan(outcome=PlanOutcome.OUTSIDE, reason="the goal is outside the map")
        if costmap.cost[last] >= INSCRIBED:
            return Plan(outcome=PlanOutcome.GOAL_BLOCKED, reason="an obstacle is at the goal")
        parents = {first: first}
        queue = [(0.0, first)]
        while queue and last not in parents:
            far, here = heapq.heappop(queue)
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                cell = (here[0] + dr, here[1] + dc)
                if cell not in parents and costmap.cost[cell] < INSCRIBED:
                    parents[cell] = here
                    heapq.heappush(queue, (far + 1.0, cell))
        if last not in parents:
            return Plan(
                outcome=PlanOutcome.NO_ROUTE, reason="the room is closed", gap=(4.0, 2.0, 0.1),
                nearest=Pose2(3.6, 2.0, 0.0),
            )  # fmt: skip
        cells = [last]
        while cells[-1] != first:
            cells.append(parents[cells[-1]])
        places = [(CELL * (c + 0.5), CELL * (r + 0.5), goal.yaw) for r, c in cells[::-1]]
        return Plan(
            outcome=PlanOutcome.FOUND, poses=np.array(places), length=CELL * (len(cells) - 1)
        )


class Chase:
    """Drives straight to a point ahead on the path."""

    def __init__(self) -> None:
        self.blocked = ""

    def reset(self) -> None:
        pass

    def command(self, view: LocalView) -> Command:
        if self.blocked:
            return Command(twist=(0.0, 0.0, 0.0), blocked=self.blocked)
        target = view.path[min(3, len(view.path) - 1)]
        if len(view.path) < 4:
            target = np.array([view.goal.x, view.goal.y, 0.0])
        ahead = view.pose.inverse() @ Pose2(target[0], target[1], 0.0)
        speed = min(0.5, 2.0 * view.pose.distance_to(view.goal))
        far = max(hypot(ahead.x, ahead.y), 1e-6)
        return Command(twist=(speed * ahead.x / far, speed * ahead.y / far, 0.0))


def _cell(pose: Pose2) -> tuple[int, int]:
    return floor(pose.y / CELL), floor(pose.x / CELL)


@dataclass
class Driven:
    """A navigator with a base that does at once what it is told."""

    parameters: NavigatorParameters = field(default_factory=NavigatorParameters)
    room: Room = field(default_factory=Room)
    planner: Straight = field(default_factory=Straight)
    controller: Chase = field(default_factory=Chase)
    pose: Pose2 = field(default_factory=lambda: Pose2(1.05, 2.05, 0.0))
    now: float = 0.0
    silent: bool = False
    lost: str = ""
    error: float = 0.0
    people: list[tuple[float, float]] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    twists: list[tuple[float, float, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.navigator = Navigator(
            self.room, self.planner, self.controller, LIMITS, self.parameters
        )
        self.tick()

    @property
    def ended(self) -> Ending:
        assert self.navigator.ending is not None
        return self.navigator.ending

    def go_to(self, x: float, y: float, name: str = "") -> None:
        self.navigator.go_to([Goal(pose=Pose2(x, y, 0.0), name=name)], self.now)

    def scan(self) -> LaserScan:
        """Return a scan of all around in which people stand at points of the map."""
        ranges = np.full(360, np.inf)
        for x, y in self.people:
            seen = self.pose.inverse().transform_points(np.array([[x, y]]))[0]
            far, bearing = hypot(*seen), np.degrees(np.arctan2(seen[1], seen[0]))
            for beam in range(-8, 9):
                ranges[int(bearing + beam) % 360] = far
        step = np.radians(1.0)
        return LaserScan(
            stamp=self.now, angle_min=0.0, angle_max=359 * step, angle_increment=step,
            range_min=0.05, range_max=10.0, ranges=ranges,
        )  # fmt: skip

    def tick(self) -> Step:
        scans = () if self.silent else (PlacedScan(scan=self.scan(), scanner=self.pose),)
        last = self.twists[-1] if self.twists else (0.0, 0.0, 0.0)
        estimate = PoseEstimate(pose=self.pose, position_error=self.error, lost=self.lost)
        step = self.navigator.update(self.now, Sensed(estimate=estimate, speed=last, scans=scans))
        vx, vy, wz = step.command.twist
        self.pose = self.pose @ Pose2.exp([vx * TICK, vy * TICK, wz * TICK])
        self.twists.append(step.command.twist)
        if not self.states or self.states[-1] != step.status.state:
            self.states.append(step.status.state)
        self.now += TICK
        return step

    def run(self, seconds: float) -> Step:
        """Let time pass until the goal has ended."""
        step = self.tick()
        until = self.now + seconds
        while self.now < until and self.navigator.ending is None:
            step = self.tick()
        return step
