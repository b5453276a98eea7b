"""The navigator: a state machine that joins planner, controller, recoveries and watchdogs.

    idle -> planning -> controlling -> reached
               ^   \\        |
               |    recovering -> aborted        any of them: lost, cancelled

It sees messages only: estimated poses, speeds, scans. The same code runs in simulation, on a
replayed log and on the real robot; who calls `update` at every tick is the host
(`mecano.lab.navigating`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot, inf

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, MecanoError
from mecano.core.messages import NavigationStatus
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import (
    Command,
    Costmap,
    GlobalPlanner,
    LocalPlanner,
    LocalView,
    Plan,
    PlanOutcome,
    VelocityLimits,
)
from mecano.skills.navigation.checks import OscillationCheck, ProgressCheck
from mecano.skills.navigation.inputs import Goal, PlacedScan, Sensed, Surroundings, Twist
from mecano.skills.navigation.moving import MovingObstacles
from mecano.skills.navigation.parameters import NavigatorParameters
from mecano.skills.navigation.reasons import giving_up, why_no_plan
from mecano.skills.navigation.recoveries import (
    ORDER,
    RecoveryKind,
    Rotation,
    Tried,
    can_turn,
    reset_side,
)
from mecano.skills.navigation.route import Route

STILL: Twist = (0.0, 0.0, 0.0)
RETRY = 0.5
"""Time between two attempts to plan while the base stands [s]."""
NEAR = 1.5
"""A blocked path is driven until the obstacle is this near [m]; then the base waits for a plan."""
DOUBTED = 0.5
"""Localization counts as lost when it has been doubtful for this long [s]."""
STOOD = 1.0
"""A lost base stands for this long before it turns to look around [s]."""
HELD = 20.0
"""So long the base waits for moving obstacles before that counts against patience [s]."""
ENDED = ("reached", "aborted", "cancelled")


@dataclass(frozen=True)
class Event:
    """Something that changed."""

    time: float
    """[s]."""
    text: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Ending:
    """How a goal ended."""

    state: str
    """`reached`, `aborted` or `cancelled`."""
    reason: str = ""
    """Why, if it was not reached."""
    plan: Plan | None = None
    """What the planner said last, if it failed."""
    tried: tuple[Tried, ...] = ()
    lost: bool = False
    """Whether it ended because localization was lost."""


@dataclass(frozen=True, eq=False)
class Step:
    """What `update` answers."""

    command: Command
    status: NavigationStatus


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
        self.surroundings, self.planner, self.controller = surroundings, planner, controller
        self.limits, self.parameters = limits, parameters or NavigatorParameters()
        own = self.parameters
        self._scans = scans
        radius = surroundings.footprint.circumscribed_radius
        braking = limits.decel_lim_x or limits.acc_lim_x
        self.moving = MovingObstacles(own, radius=radius, braking=braking)
        self._progress = ProgressCheck(own.required_movement_radius, own.movement_time_allowance)
        self._oscillation = OscillationCheck(own.oscillation_distance, own.oscillation_timeout)
        self.state, self._text = "idle", "idle"
        self.events: list[Event] = []
        """What changed, oldest first."""
        self.ending: Ending | None = None
        """How the last goal ended; None while there is one."""
        self.route: Route | None = None
        """The path that is driven."""
        self._goals: list[Goal] = []
        self._walls: Costmap | None = None
        self._scanned_at = -inf
        self._last: Step | None = None
        self._cycle_at = -inf
        self._clear_goal()

    # --- goals

    def go_to(self, goals: Sequence[Goal], now: float) -> None:
        """Take up a goal, or several to pass one after the other; the one before is cancelled."""
        if not goals:
            raise InvalidInput("go_to() got no goal; give a pose, a station or some of them")
        if self._goals:
            self.cancel(now, "another goal came")
        self._goals, self.ending = list(goals), None
        self._clear_goal()
        self._begun_at = now
        self._begin_goal(now)

    def cancel(self, now: float, reason: str = "it was cancelled") -> None:
        """Give up the goal; the base stops."""
        if self._goals:
            self._end(now, Ending(state="cancelled", reason=reason, tried=tuple(self.tried)))

    @property
    def goal(self) -> Goal | None:
        """The goal that is driven to now."""
        return self._goals[0] if self._goals else None

    @property
    def trajectory(self) -> Array:
        """What the controller expects to drive, for the view. Shape (n, 3)."""
        return np.zeros((0, 3)) if self._last is None else self._last.command.trajectory

    def _clear_goal(self) -> None:
        self.tried: list[Tried] = []
        """Recoveries of this goal, oldest first."""
        self._recovered_from: Pose2 | None = None
        self._next_recovery = 0
        self._rotation: Rotation | None = None
        self._failed: Plan | None = None
        self._waited_at = -inf
        self._begun_at = self._planned_at = self._moved_at = self._next_try = self._replan_at = -inf
        self._silent_since = self._doubted_since = self._lost_since = self._held_since = inf
        self.route = None
        self._cycle_at = -inf

    def _begin_goal(self, now: float) -> None:
        self.controller.reset()
        self._progress.restart()
        self._oscillation.restart()
        self._planned_at, self._next_try, self.route = now, -inf, None
        self._enter(now, "planning", f"planning a path to {self.goal}")

    def _enter(self, now: float, state: str, text: str) -> None:
        self.state, self._text = state, text
        self.events.append(Event(now, text))

    def _end(self, now: float, ending: Ending) -> None:
        goal = self.goal
        self._goals, self.ending, self.route, self._rotation = [], ending, None, None
        reached = "" if goal is None else f"reached {goal}"
        self._enter(now, ending.state, ending.reason or reached)
        self._cycle_at = -inf

    def _abort(self, now: float, cause: str, *, lost: bool = False) -> None:
        assert self.goal is not None
        nearest = None if self._failed is None else self._failed.nearest
        reason = giving_up(self.goal, cause, self.tried, nearest)
        plan, tried = self._failed, tuple(self.tried)
        self._end(now, Ending(state="aborted", reason=reason, plan=plan, tried=tried, lost=lost))

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
        if self._goals:
            command = self._limited(now, self._act(now, sensed), sensed.estimate.pose)
        self._last = Step(command, self._status(now, sensed))
        return self._last

    def _observe(self, placed: PlacedScan, base: Pose2) -> None:
        scan = placed.scan
        self._scanned_at = scan.stamp
        self.surroundings.observe(scan, placed.scanner)
        if self._walls is None:
            self._walls = self.surroundings.whole(obstacles=False)
        points = placed.scanner.transform_points(scan.points())
        self.moving.observe(points, base, scan.stamp, self._walls)

    def _act(self, now: float, sensed: Sensed) -> Command:
        """Return the command of the state that it is in."""
        if self._is_blind(now):
            return Command(twist=STILL, blocked=self._text)
        if self._is_lost(now, sensed):
            return self._look_around(now, sensed.estimate.pose)
        pose = sensed.estimate.pose
        if self.state == "recovering":
            return self._recover(now, pose)
        if self.state == "planning":
            self._make_plan(now, pose)
            return Command(twist=STILL)
        return self._control(now, sensed)

    def _limited(self, now: float, command: Command, pose: Pose2) -> Command:
        """Slow a command down where something moves near the base."""
        limit = self.moving.speed_limit(pose, now) if self._scans else inf
        vx, vy, wz = command.twist
        fastest = max(hypot(vx, vy), abs(wz) * self.surroundings.footprint.circumscribed_radius)
        if fastest <= limit or fastest == 0.0:
            if limit > 0.0:
                self._held_since = inf
            return command
        if limit == 0.0:
            self._held_since = min(self._held_since, now)
            if now - self._held_since < HELD:
                self._progress.pause(self.parameters.period)
                self._moved_at = max(self._moved_at, now - self.parameters.period)
        share = limit / fastest
        return replace(command, twist=(share * vx, share * vy, share * wz))

    # --- watchdogs

    def _is_blind(self, now: float) -> bool:
        """Tell whether the scanner is silent; the base then stands, and gives up after a while."""
        own, silent = self.parameters, now - max(self._scanned_at, self._begun_at)
        if not self._scans or silent <= own.sensor_timeout:
            if self._silent_since < inf:
                self._silent_since = inf
                self._replan(now, "the scanner is back")
            return False
        since = "since the start" if self._scanned_at == -inf else f"for {silent:.1f} s"
        if self._silent_since == inf:
            self._silent_since = now
            self._enter(now, self.state, f"stopped: the scanner has been silent {since}")
        elif now - self._silent_since > own.sensor_patience:
            self._abort(now, f"the scanner has been silent {since}, so obstacles are not seen")
        return True

    def _is_lost(self, now: float, sensed: Sensed) -> bool:
        """Tell whether the estimated pose cannot be trusted."""
        estimate, own = sensed.estimate, self.parameters
        doubt = estimate.lost
        if not doubt and estimate.position_error > own.max_position_error:
            doubt = (
                f"the stated error of the pose is {estimate.position_error:.2f} m, allowed "
                f"{own.max_position_error:g} m"
            )
        if not doubt:
            self._doubted_since = inf
            if self.state == "lost":
                self._lost_since, self._rotation = inf, None
                self._replan(now, "localized again")
            return False
        self._doubted_since = min(self._doubted_since, now)
        if self.state != "lost":
            if now - self._doubted_since < DOUBTED:
                return False
            self._lost_since = now
            self._enter(now, "lost", f"stopped, localization is lost: {doubt}")
        elif now - self._lost_since > own.lost_patience:
            cause = f"localization is lost and was not found in {own.lost_patience:g} s: {doubt}"
            self._abort(now, cause, lost=True)
        return True

    def _look_around(self, now: float, pose: Pose2) -> Command:
        """Stand, then turn on the spot so that localization sees more."""
        around = self.surroundings.around(pose)
        if self.state != "lost" or now - self._lost_since < STOOD or not can_turn(around, pose):
            return Command(twist=STILL)
        return Command(twist=(0.0, 0.0, 0.5 * self._turn_speed))

    @property
    def _turn_speed(self) -> float:
        return min(self.parameters.rotate_max_vel_theta, self.limits.max_vel_theta)

    def _replan(self, now: float, text: str) -> None:
        """Go back to planning; patience begins anew."""
        self._planned_at, self._next_try, self.route = now, -inf, None
        self._progress.restart()
        self._enter(now, "planning", f"{text}; planning a path to {self.goal}")

    # --- planning

    def _ask(self, pose: Pose2, costmap: Costmap) -> Plan:
        """Ask the planner; an answer that leads through obstacles is none."""
        assert self.goal is not None
        try:
            plan = self.planner.plan(costmap, pose, self.goal.pose)
        except MecanoError as error:
            return Plan(outcome=PlanOutcome.NO_ROUTE, reason=f"the planner failed: {error}")
        if plan.found and not len(plan.poses):
            return Plan(outcome=PlanOutcome.NO_ROUTE, reason="the planner returned an empty path")
        wall = Route(plan).through_wall(costmap) if plan.found else None
        if wall is not None:
            x, y = wall
            why = f"the planner's path leads through an obstacle at ({x:.2f}, {y:.2f}) m"
            return Plan(outcome=PlanOutcome.NO_ROUTE, reason=why)
        return plan

    def _make_plan(self, now: float, pose: Pose2) -> None:
        """Plan while standing; without success in time, recover."""
        if now < self._next_try:
            return
        self._next_try = now + RETRY
        plan = self._ask(pose, self.surroundings.whole())
        if plan.found:
            self._failed = None
            self._take_up(now, plan)
            text = f"driving to {self.goal}, {plan.length:.2f} m"
            self._enter(now, "controlling", text)
            return
        first, self._failed = self._failed is None, plan
        why = why_no_plan(plan, self.surroundings.footprint)
        if first:
            self.events.append(Event(now, f"no path: {why}"))
            if self._is_hopeless(pose, plan):
                self._abort(now, why)
                return
        if now - self._planned_at > self.parameters.planner_patience:
            self._start_recovery(now, pose, why)

    def _is_hopeless(self, pose: Pose2, plan: Plan) -> bool:
        """Tell whether the static map alone rules the goal out: no recovery helps."""
        if plan.outcome is PlanOutcome.OUTSIDE:
            return True
        if plan.outcome is PlanOutcome.START_BLOCKED:
            return False
        static = self._ask(pose, self.surroundings.whole(obstacles=False))
        return not static.found and static.outcome is plan.outcome

    def _take_up(self, now: float, plan: Plan) -> None:
        self.route = Route(plan)
        self._planned_at = now
        self._moved_at = max(self._moved_at, now)
        frequency = self.parameters.planner_frequency
        self._replan_at = now + (1.0 / frequency if frequency > 0.0 else inf)

    # --- driving

    def _control(self, now: float, sensed: Sensed) -> Command:
        """Drive along the path."""
        pose, goal, route = sensed.estimate.pose, self.goal, self.route
        assert goal is not None
        assert route is not None
        if self._is_there(pose, goal, sensed.speed):
            self._arrive(now)
            return Command(twist=STILL)
        path = route.ahead(pose)
        if not self._path_is_free(now, pose, route):
            return Command(twist=STILL, blocked=self._text)
        route = self.route
        assert route is not None
        path = route.ahead(pose)
        command = self._choose(pose, sensed.speed, path)
        if command.blocked:
            return self._wait(now, pose, command)
        self._moved_at = now
        self._text = f"driving to {goal}, {route.left(pose):.2f} m left"
        if self._progress.stuck(now, pose):
            own = self.parameters
            cause = (
                f"it got no further than {own.required_movement_radius:g} m in "
                f"{own.movement_time_allowance:g} s"
            )
            self._start_recovery(now, pose, cause)
        elif self._oscillation.oscillates(now, pose, command.twist):
            self._start_recovery(now, pose, "it goes to and fro without getting on")
        else:
            self._note_progress(pose)
        return command

    def _note_progress(self, pose: Pose2) -> None:
        """Begin the list of recoveries anew once the base has left the place of the last one."""
        place, far = self._recovered_from, self.parameters.required_movement_radius
        if place is not None and place.distance_to(pose) > far:
            self._recovered_from, self._next_recovery = None, 0

    def _choose(self, pose: Pose2, speed: Twist, path: Array) -> Command:
        """Ask the controller."""
        assert self.goal is not None
        view = LocalView(
            pose=pose, speed=speed, costmap=self.surroundings.around(pose), path=path,
            goal=self.goal.pose, period=self.parameters.period,
        )  # fmt: skip
        try:
            return self.controller.command(view)
        except MecanoError as error:
            return Command(twist=STILL, blocked=f"the controller failed: {error}")

    def _is_there(self, pose: Pose2, goal: Goal, speed: Twist) -> bool:
        own = self.parameters
        near = pose.distance_to(goal.pose) <= own.xy_goal_tolerance
        if len(self._goals) > 1:  # a waypoint is passed
            return near
        turned = pose.angle_to(goal.pose) <= own.yaw_goal_tolerance
        return near and turned and max(map(abs, speed)) < 0.05

    def _arrive(self, now: float) -> None:
        if len(self._goals) == 1:
            self._end(now, Ending(state="reached", tried=tuple(self.tried)))
            return
        self.events.append(Event(now, f"passed {self.goal}"))
        self._goals.pop(0)
        self._begin_goal(now)

    def _path_is_free(self, now: float, pose: Pose2, route: Route) -> bool:
        """Plan anew where the path is blocked or it is time; tell whether there is one to drive."""
        due = now >= self._replan_at
        costmap = self.surroundings.whole() if due or now >= self._next_try else None
        if costmap is None:
            return True
        self._next_try = now + RETRY
        blocked = route.blocked_at(costmap)
        if blocked is None and not due:
            return True
        plan = self._ask(pose, costmap)
        frequency = self.parameters.planner_frequency
        self._replan_at = now + (1.0 / frequency if frequency > 0.0 else inf)
        if plan.found:
            if blocked is not None or route.is_worse_than(plan, pose):
                self._take_up(now, plan)
            self._planned_at = now
            return True
        if blocked is None or hypot(blocked[0] - pose.x, blocked[1] - pose.y) > NEAR:
            return True
        self._failed = plan
        why = why_no_plan(plan, self.surroundings.footprint)
        self._planned_at, self.route = now, None
        self._enter(now, "planning", f"the path is blocked: {why}")
        return False

    def _wait(self, now: float, pose: Pose2, command: Command) -> Command:
        """Stand because the controller finds no motion; recover when patience ends."""
        if now - self._waited_at > RETRY:
            self.events.append(Event(now, f"waiting: {command.blocked}"))
        self._waited_at = now
        self._text = f"waiting: {command.blocked}"
        self._replan_at = min(self._replan_at, now + RETRY)
        if now - self._moved_at > self.parameters.controller_patience:
            self._start_recovery(now, pose, command.blocked)
        return replace(command, twist=STILL)

    # --- recoveries

    def _start_recovery(self, now: float, pose: Pose2, cause: str) -> None:
        """Begin the next recovery behaviour, or give up after the last."""
        own, number = self.parameters, self._next_recovery
        if not own.recovery_behavior_enabled or number >= len(ORDER):
            self._abort(now, cause)
            return
        self._rotation = None
        self._next_recovery = number + 1
        if self._recovered_from is None:
            self._recovered_from = pose
        self.tried.append(Tried(ORDER[number], now, cause))
        self._enter(now, "recovering", f"recovery {number + 1}, {ORDER[number]}: {cause}")

    def _recover(self, now: float, pose: Pose2) -> Command:
        """Run the recovery behaviour."""
        kind = self.tried[-1].kind
        if kind is not RecoveryKind.CLEARING_ROTATION:
            radius = self.surroundings.footprint.circumscribed_radius
            side = reset_side(kind, self.parameters, radius)
            cells = self.surroundings.clear(pose, side)
            self._replan(now, f"{kind}: forgot {cells} cells outside of {side:.2f} m")
            return Command(twist=STILL)
        allowed = self.parameters.clearing_rotation_allowed
        if not allowed or not can_turn(self.surroundings.around(pose), pose):
            why = "there is no room to turn" if allowed else "turning is not allowed"
            self._replan(now, f"{kind} left out: {why}")
            return Command(twist=STILL)
        if self._rotation is None:
            self._rotation = Rotation(pose, self.limits, self._turn_speed)
        twist = self._rotation.command(pose)
        if twist is None:
            self._rotation = None
            self._replan(now, f"{kind}: turned by 360 deg")
            return Command(twist=STILL)
        return Command(twist=twist)

    # --- reporting

    def _status(self, now: float, sensed: Sensed) -> NavigationStatus:
        goal, pose = self.goal, sensed.estimate.pose
        limit = self.moving.speed_limit(pose, now) if self._scans else inf
        return NavigationStatus(
            stamp=now, frame="map", state=self.state, text=self._text,
            recovery=str(self.tried[-1].kind) if self.state == "recovering" else "",
            recoveries=len(self.tried), goal_name=goal.name if goal else "",
            goal=goal.pose if goal else Pose2(), pose=pose,
            position_error=sensed.estimate.position_error,
            distance_left=0.0 if self.route is None else self.route.left(pose),
            speed_limit=-1.0 if limit == inf else limit,
        )  # fmt: skip
