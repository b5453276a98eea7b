"""Motions of a base, as handles: a way straight on or a turn, and keeping up with a target."""

from collections.abc import Callable
from math import copysign, cos, sin, sqrt
from typing import TYPE_CHECKING

from mecano.control.laws import TrackingLaw
from mecano.control.path_follower import PathFollower, Reference, Twist
from mecano.core.errors import InvalidInput, UserCodeFailed
from mecano.core.poses import Pose2, wrap_angle
from mecano.parts.handle import Handle
from mecano.parts.results import DriveResult, FollowResult, Outcome

if TYPE_CHECKING:
    from mecano.parts.base import Base
    from mecano.parts.follower import Follower

CLOSE = 0.002, 0.005
"""A move or turn ends this near to its goal [m], [rad]."""
STILL = 0.005
"""A base slower than this has come to rest [m/s or rad/s]."""
PATIENCE = 10.0
"""How long a base that follows may take to settle when its target has come to rest [s]."""
SETTLED = 0.3
"""A base that steers has settled when it has stood for this long at the end of its path [s]."""
CORRECTIONS = 4
"""How often a base that steers turns, drives and turns again to come near enough."""
HOLD_HEADING = 2.0
"""While it moves straight, how much of a heading error is turned back per second [1/s]."""


class Drive(Handle[DriveResult]):
    """A move or turn in progress."""

    def __init__(
        self, base: "Base", goal: float, fastest: float, *, turns: bool, direction: float = 0.0
    ) -> None:
        """Begin where the base is.

        Args:
            base: What moves.
            goal: The way to go [m or rad].
            fastest: Its highest speed on it [m/s or rad/s].
            turns: Whether it turns in place.
            direction: Where it moves to, seen from the base: 0 forward, pi/2 left [rad].
        """
        super().__init__(base.session)
        self.base, self.goal, self.turns = base, goal, turns
        self._along = cos(direction), sin(direction)
        self.started = base.session.time
        self._from = base.pose
        self._turned = 0.0
        self._heading = base.pose.yaw
        report = base.report()
        self._began_free = not (report.bumpers or report.cliffs)
        self._fastest = fastest
        limits = base.facts.limits
        self._braking = 0.7 * (limits.turn_braking if turns else limits.braking)
        self._patience = 2.0 * abs(goal) / fastest + 5.0

    recovers = False

    def held(self, seconds: float) -> None:
        """Be patient for so much longer [s]."""
        self._patience += seconds

    def halt(self) -> None:
        """End it here: the base brakes."""
        if not self.done:
            self.base.stop()

    @property
    def heeds_obstacles(self) -> bool:
        """True if what is in front ends it: a way forward, or a turn that began free."""
        return self._began_free if self.turns else self.goal * self._along[0] > 1e-9

    @property
    def gone(self) -> float:
        """How far it has got, by odometry [m or rad]."""
        if self.turns:
            return self._turned
        passed = self._from.inverse() @ self.base.pose
        return passed.x * self._along[0] + passed.y * self._along[1]

    def wanted(self, now: float) -> Twist:
        """Return the speeds that bring it on."""
        heading = self.base.pose.yaw
        self._turned += float(wrap_angle(heading - self._heading))
        self._heading = heading
        left = self.goal - self.gone
        close = CLOSE[1] if self.turns else CLOSE[0]
        at_rest = max(map(abs, self.base.speed)) < STILL
        if abs(left) < close and at_rest:
            self.end(Outcome.REACHED)
        elif now - self.started > self._patience:
            self.end(Outcome.TIMED_OUT)
        # The speed from which it can still brake to stand at the goal.
        speed = copysign(min(self._fastest, sqrt(2.0 * self._braking * abs(left))), left)
        if abs(left) < close:
            speed = 0.0
        if self.turns:
            return 0.0, 0.0, speed
        off = (self._from.inverse() @ self.base.pose).yaw
        most = self.base.facts.limits.turn
        turn = min(max(-HOLD_HEADING * off, -most), most) if speed else 0.0
        return speed * self._along[0], speed * self._along[1], turn

    def odometry_moved(self, before: Pose2, after: Pose2) -> None:
        """Go on from here although odometry calls the same place another pose now."""
        self._from = after @ before.inverse() @ self._from
        self._heading += after.yaw - before.yaw

    def end(self, outcome: Outcome, cause: str = "") -> None:
        """Give it its result."""
        self.finish(
            DriveResult(
                outcome=outcome, goal=self.goal, gone=self.gone, turned=self.turns,
                duration=self.base.session.time - self.started, cause=cause,
            )
        )  # fmt: skip


Target = Reference
"""Where a base shall be after a time [s], and how that moves: (vx, vy, wz) where poses are."""
Replan = Callable[[Pose2, Pose2], tuple[Reference, float]]
"""From where a base is and where it should be: a reference to there, and its duration [s]."""


class Following(Handle[FollowResult]):
    """A base that keeps up with a moving target, such as a point on a path."""

    def __init__(
        self,
        base: "Follower",
        target: Reference,
        *,
        duration: float,
        tracker: TrackingLaw,
        within: tuple[float, float],
        turns: bool,
        remarks: tuple[str, ...] = (),
        where: Callable[[], Pose2] | None = None,
        replan: Replan | None = None,
    ) -> None:
        """Begin now.

        Args:
            base: What follows.
            target: Where to be when.
            duration: When the target comes to rest [s]; infinite if never.
            tracker: The law by which the base follows.
            within: How near it must be at the end [m], [rad].
            turns: Whether the heading is followed too.
            remarks: What a user should know of the path beforehand.
            where: Returns where the base is now; None takes odometry.
            replan: Of a base that steers: how it corrects an error across its heading at the end.
        """
        super().__init__(base.session)
        self.base, self.target, self.duration, self.tracker = base, target, duration, tracker
        self.started = base.session.time
        self._within, self._remarks, self._where, self._replan = within, remarks, where, replan
        self._follower = PathFollower(
            self._ask, duration, tracker, heading=None if turns else self.pose.yaw
        )
        self._follower.aim = self.pose
        self._since, self.corrections = self.started, 0
        """When the reference began [s], and how often it was planned anew."""
        self._rested = 0.0

    @property
    def pose(self) -> Pose2:
        """Where the base is, by odometry or what it was given instead."""
        return self.base.pose if self._where is None else self._where()

    @property
    def lag(self) -> float:
        """The furthest that it was from its target on the path [m]."""
        return self._follower.max_error

    def halt(self) -> None:
        """End it here: the base brakes."""
        if not self.done:
            self.base.stop()

    heeds_obstacles, recovers = True, False

    def held(self, seconds: float) -> None:
        """Let the reference wait for a base that was held back [s]."""
        self._since += seconds

    def errors(self) -> tuple[float, float]:
        """Return how far it is from where it should be [m], and how much it is turned [rad]."""
        return self._follower.errors(self.pose)

    def _ask(self, passed: float) -> tuple[Pose2, Twist | None]:
        """Ask the target where it is; a user's own function may be wrong, and then it ends."""
        try:
            answer = self.target(passed)
        except Exception as error:
            self.end(Outcome.STOPPED, f"its target raised {type(error).__name__}: {error}")
            raise UserCodeFailed("the target that the base follows", error) from error
        if not (isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], Pose2)):
            self.end(Outcome.STOPPED, "its target gave no pose")
            raise InvalidInput(
                f"a target returns a Pose2 and (vx, vy, wz) or None, this one returned {answer!r}"
            )
        return answer

    def wanted(self, now: float) -> Twist:
        """Return the speeds that bring it on."""
        passed, pose = now - self._since, self.pose
        age = now - self.base.stamp if self._replan is not None and self._where is None else 0.0
        try:
            vx, vy, wz = self._follower.command(passed, pose, age=age).tolist()
        except Exception as error:
            if not self.done:
                self.end(Outcome.STOPPED, f"its controller failed: {error}")
            raise
        if self._follower.ended(passed):
            self._settle(now, passed, pose)
        return vx, vy, wz

    def _settle(self, now: float, passed: float, pose: Pose2) -> None:
        """End it where it should be, correct it where it is not, or give up."""
        error, turned = self._follower.errors(pose)
        still = max(map(abs, self.base.speed)) < STILL
        if error < self._within[0] and turned < self._within[1] and still:
            self.end(Outcome.REACHED)
        elif passed > self.duration + PATIENCE:
            self.end(Outcome.TIMED_OUT)
        self._rested = self._rested + self.base.session.backend.tick if still else 0.0
        if self._replan is None or self.done or self._rested < SETTLED:
            return
        if self.corrections == CORRECTIONS:
            self.end(Outcome.TIMED_OUT, f"not near enough after {CORRECTIONS} corrections")
            return
        self.corrections += 1
        self.target, self.duration = self._replan(pose, self._follower.aim)
        worst = self._follower.max_error
        self._follower = PathFollower(self._ask, self.duration, self.tracker)
        self._follower.max_error, self._follower.aim = worst, pose
        self._since, self._rested = now, 0.0

    def odometry_moved(self, before: Pose2, after: Pose2) -> None:
        """Go on from here although odometry calls the same place another pose now."""
        if self._where is None:
            self._follower.moved(before, after)

    def end(self, outcome: Outcome, cause: str = "") -> None:
        """Give it its result."""
        off, turned = self.errors()
        self.finish(
            FollowResult(
                outcome=outcome, duration=self.base.session.time - self.started, lag=self.lag,
                position_error=off, heading_error=turned, remarks=self._remarks, cause=cause,
            )
        )  # fmt: skip


Motion = Drive | Following
