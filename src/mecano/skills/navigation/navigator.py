"""The navigator: a state machine that joins planner, controller, recoveries and watchdogs.

    idle -> planning -> controlling -> reached
               ^   \\        |
               |    recovering -> aborted        any of them: lost, cancelled

It sees messages only: estimated poses, speeds, scans. The same code runs in simulation, on a
replayed log and on the real robot; who calls `update` at every tick is the host
(`mecano.lab.navigating`). What it joins: `mission` (the goals), `plan_keeping` (the route),
`driving` (the controller and what slows it down), `recoveries`, `watchdogs`; `outcomes` has what
it reports.
"""

from collections.abc import Sequence
from math import inf

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import NavigationStatus
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import (
    Command,
    Costmap,
    GlobalPlanner,
    LocalPlanner,
    VelocityLimits,
)
from mecano.planning.navigation.footprint import Footprint
from mecano.skills.navigation.driving import Driving
from mecano.skills.navigation.inputs import STILL, Goal, PlacedScan, Sensed, Surroundings
from mecano.skills.navigation.mission import Mission
from mecano.skills.navigation.moving import MovingObstacles
from mecano.skills.navigation.outcomes import Ending, Event, Step
from mecano.skills.navigation.parameters import NavigatorParameters
from mecano.skills.navigation.plan_keeping import PlanKeeper
from mecano.skills.navigation.recoveries import Recoveries, Tried, can_turn
from mecano.skills.navigation.route import Route
from mecano.skills.navigation.watchdogs import Alarm, LocalizationWatchdog, ScannerWatchdog


class Navigator:
    """Drives a base to goals. All poses are in the frame of the map."""

    def __init__(
        self,
        surroundings: Surroundings,
        planner: GlobalPlanner,
        controller: LocalPlanner,
        limits: VelocityLimits,
        parameters: NavigatorParameters | None = None,
        *,
        scans: bool = True,
    ) -> None:
        """Join the parts.

        Args:
            surroundings: Keeps the costmaps.
            planner: Finds paths through the map.
            controller: Chooses twists along them.
            limits: Of the base.
            parameters: Ours, if not given.
            scans: Whether the base has a scanner; without one nothing is watched for.
        """
        self.parameters = own = parameters or NavigatorParameters()
        self.surroundings, self._scans = surroundings, scans
        self.moving = MovingObstacles(
            own,
            radius=surroundings.footprint.circumscribed_radius,
            braking=limits.decel_lim_x or limits.acc_lim_x,
        )
        self._keeper = PlanKeeper(planner, surroundings, own)
        moving = self.moving if scans else None
        self._driving = Driving(controller, surroundings, moving, limits, own)
        self._recoveries = Recoveries(surroundings, limits, own)
        self._mission = Mission(self._keeper, self._driving, self._recoveries)
        self._journal = self._mission.journal
        self._scanner, self._localization = ScannerWatchdog(own), LocalizationWatchdog(own)
        self._walls: Costmap | None = None
        self._last: Step | None = None
        self._cycle_at = -inf

    # --- what it is doing

    @property
    def state(self) -> str:
        """One of the words of the drawing above."""
        return self._journal.state

    @property
    def events(self) -> list[Event]:
        """What changed, oldest first."""
        return self._journal.events

    @property
    def tried(self) -> list[Tried]:
        """Recoveries of this goal, oldest first."""
        return self._recoveries.tried

    @property
    def route(self) -> Route | None:
        """The path that is driven."""
        return self._keeper.route

    @property
    def goal(self) -> Goal | None:
        """The goal that is driven to now."""
        return self._mission.goal

    @property
    def ending(self) -> Ending | None:
        """How the last goal ended; None while there is one."""
        return self._mission.ending

    @property
    def planner(self) -> GlobalPlanner:
        """Finds paths through the map. May be set."""
        return self._keeper.planner

    @planner.setter
    def planner(self, planner: GlobalPlanner) -> None:
        self._keeper.planner = planner

    def note(self, now: float, text: str) -> None:
        """Report something that happens beside [s]."""
        self._journal.note(now, text)

    def take_footprint(self, footprint: Footprint) -> None:
        """Go on with another footprint, without padding: the arms have moved."""
        self.surroundings.take_footprint(footprint)
        radius = self.surroundings.footprint.circumscribed_radius
        self.moving.radius = self._driving.evading.radius = radius

    @property
    def controller(self) -> LocalPlanner:
        """Chooses twists along them."""
        return self._driving.controller

    @property
    def trajectory(self) -> Array:
        """What the controller expects to drive, for the view. Shape (n, 3)."""
        return np.zeros((0, 3)) if self._last is None else self._last.command.trajectory

    # --- goals

    def go_to(self, goals: Sequence[Goal], now: float) -> None:
        """Take up a goal, or several to pass one after the other; the one before is cancelled."""
        self._mission.begin(goals, now)
        self._scanner.restart(now)
        self._localization.restart()
        self._cycle_at = -inf

    def cancel(self, now: float, reason: str = "it was cancelled") -> None:
        """Give up the goal; the base stops."""
        if self.goal is not None:
            self._mission.cancel(now, reason)
            self._cycle_at = -inf

    # --- the tick

    def update(self, now: float, sensed: Sensed) -> Step:
        """Take in what is new; return the command for the base and the state.

        Args:
            now: [s].
            sensed: Estimated pose, speed and new scans.
        """
        for placed in sensed.scans:
            self._observe(placed, sensed.estimate.pose)
        if self._last is not None and now - self._cycle_at < self.parameters.period - 1e-6:
            return self._last
        self._cycle_at = now
        command = Command(twist=STILL)
        if self.goal is not None:
            wanted, pose = self._act(now, sensed), sensed.estimate.pose
            command = self._driving.limited(now, wanted, pose, sensed.speed)
            if self.goal is None:
                self._cycle_at = -inf
        self._last = Step(command, self._status(now, sensed))
        return self._last

    def _observe(self, placed: PlacedScan, base: Pose2) -> None:
        scan = placed.scan
        self._scanner.scanned(scan.stamp)
        self.surroundings.observe(scan, placed.scanner)
        if self._walls is None:
            self._walls = self.surroundings.whole(obstacles=False)
        points = placed.scanner.transform_points(scan.points())
        self.moving.observe(points, base, scan.stamp, self._walls)

    def _act(self, now: float, sensed: Sensed) -> Command:
        """Return the command of the state that it is in."""
        if self._is_blind(now):
            return Command(twist=STILL, blocked=self._journal.text)
        pose = sensed.estimate.pose
        if self._is_lost(now, sensed):
            return self._look_around(now, pose)
        if self.state == "recovering":
            return self._recover(now, pose)
        if self.state == "planning":
            self._make_plan(now, pose)
            return Command(twist=STILL)
        return self._control(now, sensed)

    # --- watchdogs

    def _is_blind(self, now: float) -> bool:
        """Tell whether the scanner is silent; the base then stands, and gives up after a while."""
        if not self._scans:
            return False
        found = self._scanner.check(now)
        if found.alarm is Alarm.RAISED:
            self._journal.enter(now, self.state, f"stopped: {found.text}")
        elif found.alarm is Alarm.HOPELESS:
            self._mission.abort(now, f"{found.text}, so obstacles are not seen")
        elif found.alarm is Alarm.ENDED:
            self._localization.report_anew()
            self._mission.replan(now, "the scanner is back")
        return found.stands

    def _is_lost(self, now: float, sensed: Sensed) -> bool:
        """Tell whether the estimated pose cannot be trusted."""
        found = self._localization.check(now, sensed.estimate)
        if found.alarm is Alarm.RAISED:
            self._journal.enter(now, "lost", f"stopped, localization is lost: {found.text}")
        elif found.alarm is Alarm.HOPELESS:
            patience = f"{self.parameters.lost_patience:g} s"
            cause = f"localization is lost and was not found in {patience}: {found.text}"
            self._mission.abort(now, cause, lost=True)
        elif found.alarm is Alarm.ENDED:
            self._mission.replan(now, "localized again")
        return found.stands

    def _look_around(self, now: float, pose: Pose2) -> Command:
        """Stand, then turn on the spot so that localization sees more."""
        around = self.surroundings.around(pose)
        may_turn = self.state == "lost" and self._localization.may_turn(now)
        if not may_turn or not can_turn(around, pose):
            return Command(twist=STILL)
        return Command(twist=(0.0, 0.0, 0.5 * self._recoveries.turn_speed))

    # --- planning, driving, recovering

    def _make_plan(self, now: float, pose: Pose2) -> None:
        """Plan while standing; without success in time, recover."""
        goal = self.goal
        assert goal is not None
        attempt = self._keeper.attempt(now, pose, goal.pose)
        if attempt is None:
            return
        if self.route is not None:
            text = f"driving to {goal}, {self.route.plan.length:.2f} m"
            self._journal.enter(now, "controlling", text)
            return
        if attempt.first:
            self._journal.note(now, f"no path: {attempt.why}")
        if attempt.hopeless:
            self._mission.abort(now, attempt.why)
        elif attempt.exhausted:
            self._start_recovery(now, pose, attempt.why)

    def _control(self, now: float, sensed: Sensed) -> Command:
        """Drive along the path."""
        pose, speed, goal, route = sensed.estimate.pose, sensed.speed, self.goal, self.route
        assert goal is not None
        assert route is not None
        if self._driving.is_there(pose, goal.pose, speed, last=len(self._mission.goals) == 1):
            self._mission.arrive(now)
            return Command(twist=STILL)
        route.ahead(pose)
        closed = self._keeper.keep(now, pose, goal.pose, route)
        route = self.route
        if route is None:
            self._journal.enter(now, "planning", f"the path is blocked: {closed}")
            return Command(twist=STILL, blocked=self._journal.text)
        path, since = route.ahead(pose), self._keeper.taken_at
        driven = self._driving.drive(now, pose, speed, path, goal.pose, since=since)
        if driven.command.blocked:
            self._journal.text = f"waiting: {driven.command.blocked}"
            self._keeper.hurry(now)
        else:
            self._journal.text = f"driving to {goal}, {route.left(pose):.2f} m left"
        if driven.waits_anew:
            self._journal.note(now, self._journal.text)
        if driven.stuck:
            self._start_recovery(now, pose, driven.stuck)
        elif not driven.command.blocked:
            self._recoveries.note_progress(pose)
        return driven.command

    def _start_recovery(self, now: float, pose: Pose2, cause: str) -> None:
        """Begin the next recovery behaviour, or give up after the last."""
        text = self._recoveries.begin(now, pose, cause)
        if text:
            self._journal.enter(now, "recovering", text)
        else:
            self._mission.abort(now, cause)

    def _recover(self, now: float, pose: Pose2) -> Command:
        """Run the recovery behaviour."""
        twist, done = self._recoveries.step(pose)
        if done:
            self._mission.replan(now, done)
        return Command(twist=twist)

    # --- reporting

    def _status(self, now: float, sensed: Sensed) -> NavigationStatus:
        goal, pose = self.goal, sensed.estimate.pose
        limit = self._driving.speed_limit(now, pose)
        return NavigationStatus(
            stamp=now, frame="map", state=self.state, text=self._journal.text,
            recovery=str(self.tried[-1].kind) if self.state == "recovering" else "",
            recoveries=len(self.tried), goal_name=goal.name if goal else "",
            goal=goal.pose if goal else Pose2(), pose=pose,
            position_error=sensed.estimate.position_error,
            distance_left=0.0 if self.route is None else self.route.left(pose),
            speed_limit=-1.0 if limit == inf else limit,
        )  # fmt: skip
