"""Driving along a route: asks the controller, yields to what moves, notices a lack of progress."""

from dataclasses import dataclass, replace
from math import hypot, inf

from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Command, LocalPlanner, LocalView, VelocityLimits
from mecano.skills.navigation.checks import OscillationCheck, ProgressCheck
from mecano.skills.navigation.evading import Evading
from mecano.skills.navigation.inputs import STILL, Surroundings, Twist
from mecano.skills.navigation.moving import MovingObstacles
from mecano.skills.navigation.parameters import NavigatorParameters

HELD = 20.0
"""So long the base waits for moving obstacles before that counts against patience [s]."""
STANDS = 0.05
"""A base slower than this has stopped [m/s, rad/s]."""
SAME_WAIT = 0.5
"""Waits that follow each other within this time are one [s]."""


@dataclass(frozen=True, eq=False)
class Drive:
    """What came of one control cycle."""

    command: Command
    stuck: str = ""
    """Why the base gets no further and must recover; empty if it does."""
    waits_anew: bool = False
    """Whether the controller has just begun to find no motion."""


class Driving:
    """Drives a base along a path, control cycle by control cycle."""

    def __init__(
        self,
        controller: LocalPlanner,
        surroundings: Surroundings,
        moving: MovingObstacles | None,
        limits: VelocityLimits,
        parameters: NavigatorParameters,
    ) -> None:
        """Join controller and checks; without a scanner nothing that moves is seen."""
        self.controller, self._surroundings, self._moving = controller, surroundings, moving
        self.evading = Evading(limits, surroundings.footprint.circumscribed_radius)
        self.yields = ""
        """What it does because somebody walks by, for people; empty if nothing."""
        self._own = own = parameters
        self._progress = ProgressCheck(own.required_movement_radius, own.movement_time_allowance)
        self._oscillation = OscillationCheck(own.oscillation_distance, own.oscillation_timeout)
        self.restart()

    def restart(self) -> None:
        """Begin with goals that have nothing to do with those before."""
        self._moved_at = self._waited_at = -inf
        self._held_since = inf

    def begin_goal(self) -> None:
        """Begin the next of several goals."""
        self.controller.reset()
        self._progress.restart()
        self._oscillation.restart()

    def begin_route(self) -> None:
        """Begin with another route to the same goal."""
        self._progress.restart()

    def drive(
        self, now: float, pose: Pose2, speed: Twist, path: Array, goal: Pose2, *, since: float
    ) -> Drive:
        """Ask the controller, and check whether the base gets on; the route is known since [s]."""
        command = self._ask(pose, speed, path, goal)
        if command.blocked:
            return self._wait(now, command, since)
        self._moved_at = now
        own = self._own
        if self._progress.stuck(now, pose):
            radius, allowance = own.required_movement_radius, own.movement_time_allowance
            return Drive(command, f"it got no further than {radius:g} m in {allowance:g} s")
        if self._oscillation.oscillates(now, pose, command.twist):
            return Drive(command, "it goes to and fro without getting on")
        return Drive(command)

    def _ask(self, pose: Pose2, speed: Twist, path: Array, goal: Pose2) -> Command:
        view = LocalView(
            pose=pose, speed=speed, costmap=self._surroundings.around(pose), path=path,
            goal=goal, period=self._own.period,
        )  # fmt: skip
        try:
            return self.controller.command(view)
        except MecanoError as error:
            return Command(twist=STILL, blocked=f"the controller failed: {error}")

    def _wait(self, now: float, command: Command, since: float) -> Drive:
        """Stand because the controller finds no motion; recover when patience ends."""
        anew = now - self._waited_at > SAME_WAIT
        self._waited_at = now
        moved_at = max(self._moved_at, since)
        impatient = now - moved_at > self._own.controller_patience
        still = replace(command, twist=STILL)
        return Drive(still, stuck=command.blocked if impatient else "", waits_anew=anew)

    def limited(self, now: float, command: Command, pose: Pose2, speed: Twist) -> Command:
        """Slow a command down where something moves near the base, or leave its path."""
        if self._moving is None:
            return command
        slowed = self._slowed(now, command.twist, pose)
        walkers = self._moving.tracks.walking(now, hypot(speed[0], speed[1]))
        if not walkers:
            self.yields = ""
            return replace(command, twist=slowed)
        around = self._surroundings.around(pose)
        twist = self.evading.twist(slowed, pose, speed, walkers, around)
        self.yields = self.evading.text
        if self.yields:
            self._hold(now)
        return replace(command, twist=twist)

    def _slowed(self, now: float, twist: Twist, pose: Pose2) -> Twist:
        """Return a twist from which the base can brake before what moves reaches it."""
        limit = self.speed_limit(now, pose)
        vx, vy, wz = twist
        fastest = max(hypot(vx, vy), abs(wz) * self._surroundings.footprint.circumscribed_radius)
        if fastest <= limit or fastest == 0.0:
            if limit > 0.0:
                self._held_since = inf
            return twist
        if limit == 0.0:
            self._hold(now)
        share = limit / fastest
        return share * vx, share * vy, share * wz

    def _hold(self, now: float) -> None:
        """Take note that the base stands because of others: that is no lack of progress."""
        self._held_since = min(self._held_since, now)
        if now - self._held_since < HELD:
            self._progress.pause(self._own.period)
            self._oscillation.restart()
            self._moved_at = max(self._moved_at, now - self._own.period)

    def speed_limit(self, now: float, pose: Pose2) -> float:
        """Return how fast the base may drive beside what moves [m/s]; infinite if nothing does."""
        return inf if self._moving is None else self._moving.speed_limit(pose, now)

    def is_there(self, pose: Pose2, goal: Pose2, speed: Twist, *, last: bool) -> bool:
        """Tell whether a goal is reached; those before the last are only passed."""
        near = pose.distance_to(goal) <= self._own.xy_goal_tolerance
        if not last:
            return near
        turned = pose.angle_to(goal) <= self._own.yaw_goal_tolerance
        return near and turned and max(map(abs, speed)) < STANDS
