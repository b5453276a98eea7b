"""Motions of a base, as handles: a way straight on or a turn, and keeping up with a target."""

from collections.abc import Callable
from math import copysign, cos, hypot, sin, sqrt
from typing import TYPE_CHECKING

from mecano.control.tracking import Tracker
from mecano.core.errors import InvalidInput, UserCodeFailed
from mecano.core.poses import Pose2, wrap_angle
from mecano.parts.handle import Handle
from mecano.parts.results import DriveResult, FollowResult, Outcome

if TYPE_CHECKING:
    from mecano.parts.base import Base
    from mecano.parts.follower import Follower

Twist = tuple[float, float, float]
"""Forward, to the left [m/s] and turning counter-clockwise [rad/s], in the frame of the base."""
CLOSE = 0.002, 0.005
"""A move or turn ends this near to its goal [m], [rad]."""
STILL = 0.005
"""A base slower than this has come to rest [m/s or rad/s]."""
PATIENCE = 10.0
"""How long a base that follows may take to settle when its target has come to rest [s]."""
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


Target = Callable[[float], tuple[Pose2, Twist | None]]
"""Where a base shall be after a time [s], and how that moves: (vx, vy, wz) where poses are."""


class Following(Handle[FollowResult]):
    """A base that keeps up with a moving target, such as a point on a path."""

    def __init__(
        self,
        base: "Follower",
        target: Target,
        *,
        duration: float,
        tracker: Tracker,
        within: tuple[float, float],
        turns: bool,
        remarks: tuple[str, ...] = (),
    ) -> None:
        """Begin now.

        Args:
            base: What follows; it must be able to strafe.
            target: Where to be when.
            duration: When the target comes to rest [s]; infinite if never.
            tracker: The law by which the base follows.
            within: How near it must be at the end [m], [rad].
            turns: Whether the heading is followed too.
            remarks: What a user should know of the way beforehand.
        """
        super().__init__(base.session)
        self.base, self.target, self.duration, self.tracker = base, target, duration, tracker
        self.started = base.session.time
        self._within, self._turns, self._remarks = within, turns, remarks
        self._shift = Pose2()
        self._heading = base.pose.yaw
        self._aim = base.pose
        """Where it should be now."""
        self.lag = 0.0
        """The furthest that it was from its target on the way [m]."""

    def halt(self) -> None:
        """End it here: the base brakes."""
        if not self.done:
            self.base.stop()

    heeds_obstacles = True

    def errors(self) -> tuple[float, float]:
        """Return how far it is from where it should be [m], and how much it is turned [rad]."""
        off = self._aim.inverse() @ self.base.pose
        return hypot(off.x, off.y), abs(off.yaw)

    def _ask(self, passed: float) -> tuple[Pose2, Twist | None]:
        """Ask the target where it is; a user's own function may be wrong, and then it ends."""
        try:
            answer = self.target(min(passed, self.duration))
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
        passed = now - self.started
        pose, twist = self._ask(passed)
        pose = self._shift @ pose
        self._aim = pose if self._turns else Pose2(pose.x, pose.y, self._heading)
        off, turned = self.errors()
        if passed <= self.duration:
            self.lag = max(self.lag, off)
        else:
            near = off < self._within[0] and turned < self._within[1]
            if near and max(map(abs, self.base.speed)) < STILL:
                self.end(Outcome.REACHED)
            elif passed > self.duration + PATIENCE:
                self.end(Outcome.TIMED_OUT)
        moving = twist if passed <= self.duration else None
        vx, vy, wz = self.tracker.command(self._aim, moving, self.base.pose).tolist()
        return vx, vy, wz

    def odometry_moved(self, before: Pose2, after: Pose2) -> None:
        """Go on from here although odometry calls the same place another pose now."""
        self._shift = after @ before.inverse() @ self._shift
        self._heading += after.yaw - before.yaw

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
