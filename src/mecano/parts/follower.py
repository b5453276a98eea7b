"""What a base does with a goal: follow paths and targets, go to a pose, turn to a heading."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from math import hypot, inf
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, overload

from mecano.control.laws import DifferentialTracker, TrackingLaw
from mecano.control.tracking import Tracker
from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput
from mecano.core.notices import ask_about_degrees
from mecano.core.poses import Pose2
from mecano.parts.drives import Following, Motion, Replan, Target
from mecano.parts.drives import Twist as Speeds
from mecano.parts.path_plans import NEAR, Direction, PathPlanner
from mecano.parts.results import FollowResult
from mecano.planning.paths import PathCurve
from mecano.planning.speed_profiles import PathLimits
from mecano.planning.timed_paths import Mode
from mecano.robots.mobile import WheeledBase
from mecano.session.session import Session
from mecano.stages.controller_stage import StageController

if TYPE_CHECKING:
    from mecano.stages.user_stage import UserStage

WITHIN = 0.0005, 0.002
"""How near a base must come to the end of a path [m], [rad]."""
REVERSES = 0.5
"""A base that steers goes to a pose nearer than this backwards if that is less to turn [m]."""
Where = Callable[[], Pose2]
"""Returns where the base is now; its frame is that of the path."""


class PathDrive(TypedDict, total=False):
    """How a base drives along a path, see `Follower.follow_path`."""

    acceleration: float | None
    mode: Mode
    tracker: TrackingLaw | None
    within: tuple[float, float]
    direction: Direction
    turn_speed: float | None
    where: Where | None


class Follower(ABC):
    """Motions of a base to a goal. `Base` has the rest."""

    session: Session
    facts: WheeledBase
    controller: TrackingLaw | None = None
    """The law of all paths, targets and poses from now on; None takes ours: `Tracker` for a base
    that strafes, `DifferentialTracker` for one that steers."""
    fastest_wheel: float
    """[rad/s]."""

    @property
    @abstractmethod
    def pose(self) -> Pose2:
        """Where it believes to be."""
        ...

    @property
    @abstractmethod
    def stamp(self) -> float:
        """Of the reading that the pose is by [s]."""
        ...

    @property
    @abstractmethod
    def speed(self) -> Speeds:
        """What the wheels are told now."""
        ...

    def use_controller(self, stage: "UserStage | None") -> None:
        """Let a user's own function keep the base to its paths from now on; None takes ours."""
        if stage is None:
            self.controller = None
            return
        limits = self.facts.limits
        most = limits.speed, limits.speed if self._strafes else 0.0, limits.turn
        self.controller = StageController(stage, most, lambda: self.speed)

    @abstractmethod
    def stop(self) -> None:
        """Brake and stand."""
        ...

    @abstractmethod
    def _take_up(self, motion: Motion) -> None:
        """Let a motion take the place of the one before."""
        ...

    @overload
    def follow_path(
        self,
        path: PathCurve,
        *,
        velocity: float,
        wait: Literal[True] = True,
        **how: Unpack[PathDrive],
    ) -> FollowResult: ...
    @overload
    def follow_path(
        self, path: PathCurve, *, velocity: float, wait: Literal[False], **how: Unpack[PathDrive]
    ) -> Following: ...
    def follow_path(
        self,
        path: PathCurve,
        *,
        velocity: float,
        acceleration: float | None = None,
        mode: Mode = "position and orientation",
        tracker: TrackingLaw | None = None,
        within: tuple[float, float] = WITHIN,
        direction: Direction = "forward",
        turn_speed: float | None = None,
        where: Where | None = None,
        wait: bool = True,
    ) -> FollowResult | Following:
        """Drive along a path on the floor, from rest to rest.

        It goes as fast as asked where bends, corners and wheels allow it; where they do not, it
        slows down, and the result says where and why. A base that cannot strafe looks along the
        path, turns on the spot at corners and, at the end, to a heading that the path gives.

        Args:
            path: In the frame of odometry; see `mecano.planning.paths`. A first point that is not
                where the base stands is driven to first.
            velocity: Asked for [m/s].
            acceleration: [m/s2]; None takes half of what the base can.
            mode: "position and orientation" takes the path's headings. "position" keeps the one
                that the base has or, if it cannot strafe, ends with any.
            tracker: The law that keeps the base to it; None takes `controller`.
            within: How near the base must come to the end [m], [rad].
            direction: "forward", "reverse" (the back of the base leads) or "either", with which a
                base that cannot strafe turns less.
            turn_speed: Max, on the spot and in bends [rad/s]; None takes what the base can.
            where: Returns where the base is now, instead of odometry: an estimate in a map, for
                example. The path is then in that frame.
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        if not isinstance(path, PathCurve):
            raise InvalidInput(
                f"follow_path takes a PathCurve, got {path!r}; make one with PathCurve.through"
            )
        velocity = finite_number(
            velocity, name="velocity [m/s]", lower=0.001, upper=self.facts.limits.speed
        )
        pace = self._planner.limits(velocity, acceleration, self._checked_turn(turn_speed))
        here = self._here(where)
        plan = self._planner.along(path, here, pace, mode=mode, direction=direction)
        return self._follow(
            plan.reference, plan.duration, tracker, _checked_pair(within), wait,
            turns=mode != "position", remarks=plan.remarks, where=where, pace=pace,
        )  # fmt: skip

    @overload
    def follow_target(
        self,
        target: Target,
        *,
        tracker: TrackingLaw | None = None,
        duration: float = inf,
        within: tuple[float, float] = WITHIN,
        wait: Literal[True],
    ) -> FollowResult: ...
    @overload
    def follow_target(
        self,
        target: Target,
        *,
        tracker: TrackingLaw | None = None,
        duration: float = inf,
        within: tuple[float, float] = WITHIN,
        wait: Literal[False] = False,
    ) -> Following: ...
    def follow_target(
        self,
        target: Target,
        *,
        tracker: TrackingLaw | None = None,
        duration: float = inf,
        within: tuple[float, float] = WITHIN,
        wait: bool = False,
    ) -> FollowResult | Following:
        """Keep up with a target that moves, until stopped.

        A base that cannot strafe needs a target that moves along its own heading.

        Args:
            target: Given the seconds since the start, returns where the base shall be and how that
                moves: a `Pose2`, and (vx, vy, wz) in the same frame or None.
            tracker: The law; `Tracker(gain=1.0, feed_forward=False)` is the paper's.
            duration: When the target comes to rest [s]; infinite if never.
            within: How near the base must come in the end [m], [rad].
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        if not callable(target):
            raise InvalidInput(f"a target is a function of the time, got {target!r}")
        if duration != inf:
            finite_number(duration, name="duration [s]", lower=0.0)
        return self._follow(target, duration, tracker, _checked_pair(within), wait)

    @overload
    def go_to(
        self,
        pose: Pose2,
        *,
        speed: float | None = None,
        within: tuple[float, float] = WITHIN,
        direction: Direction | None = None,
        turn_speed: float | None = None,
        where: Where | None = None,
        wait: Literal[True] = True,
    ) -> FollowResult: ...
    @overload
    def go_to(
        self,
        pose: Pose2,
        *,
        speed: float | None = None,
        within: tuple[float, float] = WITHIN,
        direction: Direction | None = None,
        turn_speed: float | None = None,
        where: Where | None = None,
        wait: Literal[False],
    ) -> Following: ...
    def go_to(
        self,
        pose: Pose2,
        *,
        speed: float | None = None,
        within: tuple[float, float] = WITHIN,
        direction: Direction | None = None,
        turn_speed: float | None = None,
        where: Where | None = None,
        wait: bool = True,
    ) -> FollowResult | Following:
        """Drive straight to a pose in the frame of odometry.

        A base that strafes turns meanwhile; others turn to the goal, drive, and turn to the
        heading. If they end too far aside, they turn, drive and turn again.

        Args:
            pose: The goal.
            speed: Max speed [m/s]; None takes half of what the base can.
            within: How near it must come [m], [rad].
            direction: See `follow_path`; None reverses where that is less to turn and the goal is
                nearer than 0.5 m.
            turn_speed: Max [rad/s]; None takes what the base can.
            where: Returns where the base is now, instead of odometry; the pose is in that frame.
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        if not isinstance(pose, Pose2):
            raise InvalidInput(f"go_to takes a Pose2, got {pose!r}")
        velocity = 0.5 * self.facts.limits.speed if speed is None else speed
        here = self._here(where)
        far = hypot(pose.x - here.x, pose.y - here.y)
        if far < NEAR:  # only a turn
            return self._turn_to(pose, _checked_pair(within), turn_speed, wait, where)
        if direction is None:
            direction = "either" if far < REVERSES and not self._strafes else "forward"
        path = PathCurve.through([here, pose], kind="polyline")
        return self.follow_path(
            path, velocity=velocity, within=within, direction=direction, turn_speed=turn_speed,
            where=where, wait=wait,
        )  # fmt: skip

    @overload
    def turn_to(
        self,
        heading: float,
        *,
        within: tuple[float, float] = WITHIN,
        turn_speed: float | None = None,
        where: Where | None = None,
        wait: Literal[True] = True,
    ) -> FollowResult: ...
    @overload
    def turn_to(
        self,
        heading: float,
        *,
        within: tuple[float, float] = WITHIN,
        turn_speed: float | None = None,
        where: Where | None = None,
        wait: Literal[False],
    ) -> Following: ...
    def turn_to(
        self,
        heading: float,
        *,
        within: tuple[float, float] = WITHIN,
        turn_speed: float | None = None,
        where: Where | None = None,
        wait: bool = True,
    ) -> FollowResult | Following:
        """Turn in place to a heading in the frame of odometry, the short direction.

        Args:
            heading: [rad].
            within: How near it must come [m], [rad]; a base that cannot strafe does not correct
                its place.
            turn_speed: Max [rad/s]; None takes what the base can.
            where: Returns where the base is now, instead of odometry.
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        heading = finite_number(heading, name="heading [rad]")
        ask_about_degrees(heading, "base.turn_to")
        here, (near, turned) = self._here(where), _checked_pair(within)
        within = (near if self._strafes else inf), turned
        return self._turn_to(Pose2(here.x, here.y, heading), within, turn_speed, wait, where)

    def _turn_to(
        self,
        pose: Pose2,
        within: tuple[float, float],
        turn_speed: float | None,
        wait: bool,
        where: Where | None,
    ) -> FollowResult | Following:
        turn, speed = self._checked_turn(turn_speed), 0.5 * self.facts.limits.speed
        pace = self._planner.limits(speed, turn=turn)
        target, duration = self._planner.turning(self._here(where), pose, pace)
        return self._follow(target, duration, None, within, wait, where=where, pace=pace)

    def _checked_turn(self, turn_speed: float | None) -> float | None:
        if turn_speed is None:
            return None
        most = self.facts.limits.turn
        return finite_number(turn_speed, name="turn_speed [rad/s]", lower=0.001, upper=most)

    def _follow(
        self,
        target: Target,
        duration: float,
        tracker: TrackingLaw | None,
        within: tuple[float, float],
        wait: bool,
        *,
        turns: bool = True,
        remarks: tuple[str, ...] = (),
        where: Where | None = None,
        pace: PathLimits | None = None,
    ) -> FollowResult | Following:
        if tracker is not None and not hasattr(tracker, "command"):
            raise InvalidInput(
                f"tracker is {tracker!r}, expected a law such as mecano.control.tracking.Tracker"
            )
        law = tracker or self.controller or (Tracker() if self._strafes else DifferentialTracker())
        free = not self._strafes and not turns
        with self.session.commanding():
            following = Following(
                self, target, duration=duration, tracker=law,
                within=(within[0], inf) if free else within, turns=turns or free,
                remarks=remarks, where=where, replan=self._replanner(pace, free),
            )  # fmt: skip
            self._take_up(following)
        return following.wait() if wait else following

    def _replanner(self, pace: PathLimits | None, free: bool) -> Replan | None:
        """Return how a base that steers corrects itself at the end; others need no such thing."""
        if self._strafes or pace is None:
            return None

        def replan(here: Pose2, goal: Pose2) -> tuple[Target, float]:
            if hypot(goal.x - here.x, goal.y - here.y) < NEAR:
                return self._planner.turning(here, goal, pace)
            path = PathCurve.through([here, goal], kind="polyline")
            mode = "position" if free else "position and orientation"
            plan = self._planner.along(path, here, pace, mode=mode, direction="either")
            return plan.reference, plan.duration

        return replan

    @cached_property
    def _planner(self) -> PathPlanner:
        return PathPlanner(self.facts, self.fastest_wheel, self.session.backend.tick)

    @property
    def _strafes(self) -> bool:
        return self._planner.strafes

    def _here(self, where: Where | None) -> Pose2:
        if where is None:
            return self.pose
        here = where() if callable(where) else None
        if not isinstance(here, Pose2):
            raise InvalidInput(
                "where is a function that returns a mecano.Pose2, "
                + (f"it returned {here!r}" if callable(where) else f"got {where!r}")
            )
        return here


def _checked_pair(within: tuple[float, float]) -> tuple[float, float]:
    """Return how near is near enough, or say what is wrong with it."""
    if not isinstance(within, tuple | list) or len(within) != 2:
        raise InvalidInput(f"within is {within!r}, expected two numbers: (metres, radians)")
    near, turned = within
    checked = [
        value if value == inf else finite_number(value, name=f"within: {name}", lower=1e-5)
        for value, name in ((near, "distance [m]"), (turned, "angle [rad]"))
    ]
    return checked[0], checked[1]
