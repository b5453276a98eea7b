"""Navigation of a robot, simulated, replayed or real: hosts the navigator in the session's ticks.

    with robot.start_localization("map.yaml", start=here) as localization:
        with robot.start_navigation("map.yaml", pose=localization) as nav:
            result = nav.go_to(mecano.Pose2(3.0, 1.0, 0.0))

The navigator itself (`mecano.skills.navigation`) sees messages only. A goal is a motion of the
base as any other: another command, a bumper, `robot.stop()` end it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import degrees
from pathlib import Path
from typing import Literal, overload

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import LaserScan, NavigationStatus, OccupancyGrid
from mecano.core.messages import Path as PathMessage
from mecano.core.notices import narrate
from mecano.core.poses import Pose2
from mecano.lab.arm_outline import ArmOutline, TuckingPlanner
from mecano.lab.checks import check_flags
from mecano.lab.listening import Listening
from mecano.lab.navigation_checks import (
    checked_map,
    checked_parameters,
    checked_stage,
    checked_start,
    checked_stations,
)
from mecano.lab.navigation_setup import given_footprint, make_navigator, scanner_if_any
from mecano.lab.pose_sources import LocalizedPose, PoseSource, pose_source
from mecano.lab.robot import Robot
from mecano.parts.handle import Handle
from mecano.parts.results import Ended, Outcome
from mecano.planning.navigation.contract import Costmap, GlobalPlanner, LocalPlanner
from mecano.skills.navigation.inputs import Goal, PlacedScan, Sensed
from mecano.skills.navigation.outcomes import Ending, Event, Step
from mecano.skills.navigation.parameters import NavigatorParameters
from mecano.skills.navigation.ros_parameters import RosParameters

Target = Pose2 | str
"""A goal: a pose in the map, or the name of a station."""
OUTCOMES = {"reached": Outcome.REACHED, "aborted": Outcome.ABORTED, "cancelled": Outcome.STOPPED}


@dataclass(frozen=True, eq=False, kw_only=True)
class NavigationResult(Ended):
    """How a goal ended."""

    outcome: Outcome
    goal: Pose2
    duration: float
    """[s]."""
    distance: float
    """Driven, by the estimated poses [m]."""
    position_error: float
    """From the goal at the end, by the estimated pose [m]."""
    heading_error: float
    """[rad]."""
    reason: str = ""
    """Why the goal was not reached, in a sentence."""
    recoveries: tuple[str, ...] = ()
    """Recovery behaviours that were run, in order."""
    nearest: Pose2 | None = None
    """The reachable pose nearest to a goal that is not, if the planner knows it."""
    gap: tuple[float, float, float] | None = None
    """Where the route closes, x, y [m], and how wide the gap is there [m]."""

    @property
    def message(self) -> str:
        """The result in one sentence."""
        why = f": {self.reason}" if self.reason else ""
        off = f"{1000 * self.position_error:.0f} mm and {degrees(self.heading_error):.1f} deg"
        return f"{self.outcome} after {self.duration:.1f} s, {off} from the goal{why}"


class GoalHandle(Handle[NavigationResult]):
    """A goal in progress; for the base, a motion."""

    heeds_obstacles, recovers = True, True

    def __init__(self, navigation: "LiveNavigation", goal: Pose2) -> None:
        """Begin now."""
        super().__init__(navigation.robot.session)
        self._navigation, self._goal = navigation, goal
        self._started = self.session.time
        self._at: Pose2 | None = None
        self._driven = 0.0

    def wanted(self, now: float) -> tuple[float, float, float]:
        """Return the speeds that the navigator commands."""
        step = self._navigation.tick(now)
        here = step.status.pose
        self._driven += 0.0 if self._at is None else self._at.distance_to(here)
        self._at = here
        ending = self._navigation.navigator.ending
        if ending is not None:
            self.conclude(ending)
        return step.command.twist

    def conclude(self, ending: Ending) -> None:
        """Take over how the navigator ended."""
        outcome = Outcome.LOST if ending.lost else OUTCOMES[ending.state]
        self._finish(outcome, ending.reason, ending)

    def end(self, outcome: Outcome, cause: str = "") -> None:
        """End because the base was given another command, was stopped or touched something."""
        navigator = self._navigation.navigator
        navigator.cancel(self.session.time, cause)
        self._finish(outcome, cause, navigator.ending)

    def _finish(self, outcome: Outcome, reason: str, ending: Ending | None) -> None:
        pose = self._navigation.source.estimate().pose
        plan = None if ending is None else ending.plan
        self.finish(
            NavigationResult(
                outcome=outcome, goal=self._goal, duration=self.session.time - self._started,
                distance=self._driven, position_error=pose.distance_to(self._goal),
                heading_error=pose.angle_to(self._goal), reason=reason,
                recoveries=tuple(str(each.kind) for each in ending.tried) if ending else (),
                nearest=None if plan is None else plan.nearest,
                gap=None if plan is None else plan.gap,
            )
        )  # fmt: skip

    def held(self, seconds: float) -> None:
        """Nothing: a base that gets no further recovers or gives up."""

    def odometry_moved(self, before: Pose2, after: Pose2) -> None:
        """Nothing: poses come from the pose source."""

    def halt(self) -> None:
        """Cancel the goal: the base brakes."""
        self._navigation.cancel()


class LiveNavigation:
    """Drives a robot to poses and stations. Use it in a `with` block."""

    def __init__(
        self,
        robot: Robot,
        grid: OccupancyGrid | str | Path | None = None,
        *,
        pose: "str | Listening | PoseSource" = "ground truth",
        start: Pose2 | None = None,
        stations: Mapping[str, Pose2] | None = None,
        planner: str | GlobalPlanner = "",
        controller: str | LocalPlanner = "",
        parameters: NavigatorParameters | RosParameters | str | Path | None = None,
        talk: bool = True,
    ) -> None:
        """Join a robot, a map and a pose source.

        Args:
            robot: With wheels.
            grid: The map, or the YAML file of one; None drives in what the scanner sees.
            pose: Where poses come from, see `pose_source`.
            start: Of odometry, in the map.
            stations: Named poses in the map.
            planner: Name of a global planner, or one of your own; empty takes ours.
            controller: Name of a local planner, or one of your own; empty takes ours.
            parameters: Of the navigator, or the YAML file of move_base or Nav2; None takes ours.
            talk: Print what changes, with the time of the session.
        """
        check_flags(talk=talk)
        self.robot = robot
        self.scanner = scanner_if_any(robot)
        self.grid = checked_map(grid)
        self.source = pose_source(robot, pose, checked_start(start))
        self.stations = checked_stations(stations)
        planner = checked_stage(planner, "planner", "plan")
        given = checked_parameters(parameters)
        self.navigator = make_navigator(
            robot, self.grid, self.scanner, planner=planner or robot.global_planner or "",
            controller=checked_stage(controller, "controller", "command", "reset"),
            parameters=given,
        )  # fmt: skip
        self._outline: ArmOutline | None = None
        if robot.arms and given_footprint(given) is None:
            self._outline = ArmOutline(robot)
            self.navigator.planner = TuckingPlanner(robot, self.navigator.planner, self._note)
        self._talk, self._told = talk, 0
        self._scan: LaserScan | None = None
        self._handle: GoalHandle | None = None
        self._ticked_at = -1.0
        self._step: Step | None = None
        self.on_step: Callable[[Step], None] | None = None
        """Told of every tick, for those who record."""

    def __enter__(self) -> "LiveNavigation":
        """Begin to listen to the scanner, and let the view see the plan."""
        if self.robot.navigation is not None:
            raise InvalidInput("this robot is navigating already; end that `with` block first")
        self.robot.session.require_open()
        self.robot.session.observers.append(self.look)
        self.robot.navigation = self
        return self

    def __exit__(self, *raised: object) -> None:
        """Cancel a goal and listen no longer."""
        self.cancel("navigation was closed")
        self.robot.navigation = None
        self.robot.session.observers.remove(self.look)

    # --- what users call

    @overload
    def go_to(self, *goals: Target, wait: Literal[True] = True) -> NavigationResult: ...
    @overload
    def go_to(self, *goals: Target, wait: Literal[False]) -> GoalHandle: ...
    def go_to(self, *goals: Target, wait: bool = True) -> NavigationResult | GoalHandle:
        """Drive to a pose or station; several are waypoints that are passed one after the other.

        Args:
            goals: Poses in the map [m, rad], or names of stations.
            wait: Let time pass until it has ended, and return the result; else return a handle.

        Returns:
            How it ended. A goal that cannot be reached is a result with its reason, no error.
        """
        self._require_open()
        targets = [self._goal(goal) for goal in goals]
        with self.robot.session.commanding():
            self.navigator.go_to(targets, self.robot.time)
            handle = GoalHandle(self, targets[-1].pose)
            self.robot.base.take_up(handle)
            self._handle = handle
        return handle.wait() if wait else handle

    def cancel(self, reason: str = "it was cancelled") -> None:
        """Give up the goal, if there is one; the base brakes."""
        with self.robot.session.lock:
            if self._handle is not None and not self._handle.done:
                self.robot.base.stop(reason)

    @property
    def status(self) -> NavigationStatus:
        """What the navigator does, as of its last tick."""
        with self.robot.session.lock:
            return (
                self._step.status if self._step is not None else self.tick(self.robot.time).status
            )

    @property
    def last_status(self) -> NavigationStatus | None:
        """The status of the last tick; None before the first. Looking at it changes nothing."""
        return None if self._step is None else self._step.status

    @property
    def events(self) -> tuple[Event, ...]:
        """What has changed since the beginning, oldest first."""
        return tuple(self.navigator.events)

    @property
    def plan(self) -> PathMessage:
        """The path that is driven, in the map; empty without one."""
        route = self.navigator.route
        return self._path(np.zeros((0, 3)) if route is None else route.poses)

    @property
    def local_plan(self) -> PathMessage:
        """What the controller expects to drive next."""
        return self._path(self.navigator.trajectory)

    def costmap(self) -> Costmap:
        """Return the costmap of the whole map, with what the scanner saw."""
        with self.robot.session.lock:
            return self.navigator.surroundings.whole()

    def _path(self, rows: Array) -> PathMessage:
        poses = [Pose2(*row) for row in rows.tolist()]
        return PathMessage.from_planar(poses, stamp=self.robot.time, frame="map")

    def _goal(self, goal: Target) -> Goal:
        if isinstance(goal, Pose2):
            return Goal(pose=goal)
        if not isinstance(goal, str):
            raise InvalidInput(f"a goal is a mecano.Pose2 or the name of a station, got {goal!r}")
        if goal not in self.stations:
            raise UnknownName("station", goal, self.stations)
        return Goal(pose=self.stations[goal], name=goal)

    def _require_open(self) -> None:
        if self.robot.navigation is not self:
            raise InvalidInput("use navigation in a `with` block: with robot.start_navigation(...)")

    # --- in the tick

    def tick(self, now: float) -> Step:
        """Let the navigator take in what is new; once per tick."""
        if now != self._ticked_at or self._step is None:
            self._ticked_at = now
            outline = None if self._outline is None else self._outline.changed(now)
            if outline is not None:
                self.navigator.take_footprint(outline)
            self._step = self.navigator.update(now, self._sensed())
            self._tell()
            if self.on_step is not None:
                self.on_step(self._step)
        return self._step

    def look(self, session: object) -> None:
        """Keep the costmap up to date while there is no goal; tell who waits if it went away."""
        handle = self._handle
        if handle is None or handle.done:
            self.tick(self.robot.time)

    def _note(self, text: str) -> None:
        self.navigator.note(self.robot.time, text)

    def _sensed(self) -> Sensed:
        estimate, base = self.source.estimate(), self.robot.base
        scans: tuple[PlacedScan, ...] = ()
        scan = self._newest_scan()
        if scan is not None and self.scanner is not None:
            T_map_odom = estimate.pose @ base.pose.inverse()
            scanner = T_map_odom @ base.track.at(scan.stamp) @ self.scanner.mount
            scans = (PlacedScan(scan=scan, scanner=scanner),)
        return Sensed(estimate=estimate, speed=base.speed, scans=scans)

    def _newest_scan(self) -> LaserScan | None:
        """Return a scan that is new: of the estimator that listens already, or of the scanner."""
        if isinstance(self.source, LocalizedPose):
            scan = self.source.listening.scan
            if scan is self._scan:
                return None
            self._scan = scan
            return scan
        return None if self.scanner is None else self.scanner.newest()

    def _tell(self) -> None:
        events = self.navigator.events
        if self._talk:
            for event in events[self._told :]:
                narrate(event.time, f"navigation: {event.text}")
        self._told = len(events)
