"""What a base does that can drive in any direction: follow paths and targets, go to a pose."""

from abc import ABC, abstractmethod
from math import hypot, inf
from typing import Literal, TypedDict, Unpack, overload

import numpy as np

from mecano.control.tracking import Tracker
from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput
from mecano.core.notices import ask_about_degrees
from mecano.core.poses import Pose2, wrap_angle
from mecano.parts.drives import Following, Motion, Target
from mecano.parts.drives import Twist as Speeds
from mecano.parts.results import FollowResult
from mecano.planning.paths import PathCurve
from mecano.planning.speed_profiles import PathLimits, pace_path, wheel_ceiling
from mecano.planning.timed_paths import Mode, TimedPath
from mecano.planning.trajectories import Bounds, JointMove
from mecano.robots.mobile import WheeledBase
from mecano.session.session import Session

WITHIN = 0.001, 0.003
"""How near a base must come to the end of a path [m], [rad]."""
NEAR = 1e-4
"""Places nearer than this are one [m]."""
AT_START = 0.005, 0.02
"""A base this near to the beginning of a path is there [m], [rad]."""
FEEDBACK = 0.95
"""Part of the wheels' speed that a path may ask for: the rest is for keeping to it."""


class PathDrive(TypedDict, total=False):
    """How a base drives along a path, see `Follower.follow_path`."""

    acceleration: float | None
    mode: Mode
    tracker: Tracker | None
    within: tuple[float, float]


class Follower(ABC):
    """Motions of a base in any direction. `Base` has the rest."""

    session: Session
    facts: WheeledBase
    fastest_wheel: float
    """[rad/s]."""

    @property
    @abstractmethod
    def pose(self) -> Pose2:
        """Where it believes to be."""
        ...

    @property
    @abstractmethod
    def speed(self) -> Speeds:
        """What the wheels are told now."""
        ...

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
        tracker: Tracker | None = None,
        within: tuple[float, float] = WITHIN,
        wait: bool = True,
    ) -> FollowResult | Following:
        """Drive along a path on the floor, from rest to rest. Not every base can.

        It goes as fast as asked where bends, corners and wheels allow it; where they do not, it
        slows down, and the result says where and why.

        Args:
            path: In the frame of odometry; see `mecano.planning.paths`. A first point that is not
                where the base stands is driven to on the way.
            velocity: Asked for [m/s].
            acceleration: [m/s2]; None takes half of what the base can.
            mode: "position" keeps the heading; "position and orientation" takes the path's.
            tracker: The law that keeps the base to it; None adds the path's own motion to it.
            within: How near the base must come to the end [m], [rad].
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        self.facts.layout.require("strafe")
        if not isinstance(path, PathCurve):
            raise InvalidInput(
                f"follow_path takes a PathCurve, got {path!r}; make one with PathCurve.through"
            )
        limits = self.facts.limits
        pace = PathLimits(
            velocity=finite_number(
                velocity, name="velocity [m/s]", lower=0.001, upper=limits.speed
            ),
            acceleration=0.5 * limits.acceleration if acceleration is None else acceleration,
            turn_velocity=FEEDBACK * limits.turn,
            turn_acceleration=0.7 * limits.turn_acceleration,
        )
        turns = mode != "position"
        parts, remarks = self._way_to(path, pace, mode)
        timed = self._paced(path, pace, mode)
        parts.append((_tabulated(timed, self.pose.yaw, self.session.backend.tick), timed.duration))
        remarks += tuple(str(slowing) for slowing in timed.slowed)
        target, duration = _one_after_the_other(parts)
        return self._follow(target, duration, tracker, within, turns, remarks, wait)

    def _paced(self, path: PathCurve, pace: PathLimits, mode: Mode) -> TimedPath:
        wheels = wheel_ceiling(
            self.facts.layout,
            FEEDBACK * self.fastest_wheel,
            heading=self.pose.yaw if mode == "position" else None,
        )
        return pace_path(path, pace, mode=mode, ceilings={"the wheels": wheels})

    def _way_to(
        self, path: PathCurve, pace: PathLimits, mode: Mode
    ) -> tuple[list[tuple[Target, float]], tuple[str, ...]]:
        """Return how it comes to the beginning of a path, and what to say about that."""
        here, first = self.pose, path.at(0.0)
        x, y = np.asarray(first.position, float)[:2].tolist()
        yaw = here.yaw if mode == "position" else float(np.asarray(first.orientation))
        start, far = Pose2(x, y, yaw), hypot(x - here.x, y - here.y)
        if far > AT_START[0]:
            lead = PathCurve.through([here, start], kind="polyline")
            timed = self._paced(lead, pace, "position and orientation")
            remark = f"goes {far:.2f} m straight to the beginning of the path first"
            return [(_tabulated(timed, here.yaw, self.session.backend.tick), timed.duration)], (
                remark,
            )
        if abs(wrap_angle(yaw - here.yaw)) > AT_START[1]:
            angle = np.degrees(wrap_angle(yaw - here.yaw))
            return [self._turning(start)], (f"turns by {angle:.0f} degrees first",)
        return [], ()

    @overload
    def follow_target(
        self,
        target: Target,
        *,
        tracker: Tracker | None = None,
        duration: float = inf,
        within: tuple[float, float] = WITHIN,
        wait: Literal[True],
    ) -> FollowResult: ...
    @overload
    def follow_target(
        self,
        target: Target,
        *,
        tracker: Tracker | None = None,
        duration: float = inf,
        within: tuple[float, float] = WITHIN,
        wait: Literal[False] = False,
    ) -> Following: ...
    def follow_target(
        self,
        target: Target,
        *,
        tracker: Tracker | None = None,
        duration: float = inf,
        within: tuple[float, float] = WITHIN,
        wait: bool = False,
    ) -> FollowResult | Following:
        """Keep up with a target that moves, until stopped. Not every base can.

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
        return self._follow(target, duration, tracker, within, True, (), wait)

    @overload
    def go_to(
        self,
        pose: Pose2,
        *,
        speed: float | None = None,
        within: tuple[float, float] = WITHIN,
        wait: Literal[True] = True,
    ) -> FollowResult: ...
    @overload
    def go_to(
        self,
        pose: Pose2,
        *,
        speed: float | None = None,
        within: tuple[float, float] = WITHIN,
        wait: Literal[False],
    ) -> Following: ...
    def go_to(
        self,
        pose: Pose2,
        *,
        speed: float | None = None,
        within: tuple[float, float] = WITHIN,
        wait: bool = True,
    ) -> FollowResult | Following:
        """Drive straight to a pose in the frame of odometry, turning on the way.

        Args:
            pose: Where to.
            speed: At most [m/s]; None takes half of what the base can.
            within: How near it must come [m], [rad].
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        if not isinstance(pose, Pose2):
            raise InvalidInput(f"go_to takes a Pose2, got {pose!r}")
        velocity = 0.5 * self.facts.limits.speed if speed is None else speed
        if hypot(pose.x - self.pose.x, pose.y - self.pose.y) < NEAR:  # only a turn
            return self._turn_to(pose, within, wait)
        path = PathCurve.through([self.pose, pose], kind="polyline")
        return self.follow_path(path, velocity=velocity, within=within, wait=wait)

    @overload
    def turn_to(
        self, heading: float, *, within: tuple[float, float] = WITHIN, wait: Literal[True] = True
    ) -> FollowResult: ...
    @overload
    def turn_to(
        self, heading: float, *, within: tuple[float, float] = WITHIN, wait: Literal[False]
    ) -> Following: ...
    def turn_to(
        self, heading: float, *, within: tuple[float, float] = WITHIN, wait: bool = True
    ) -> FollowResult | Following:
        """Turn in place to a heading in the frame of odometry, the short way [rad]."""
        heading = finite_number(heading, name="heading [rad]")
        ask_about_degrees(heading, "base.turn_to")
        return self._turn_to(Pose2(self.pose.x, self.pose.y, heading), within, wait)

    def _turn_to(
        self, pose: Pose2, within: tuple[float, float], wait: bool
    ) -> FollowResult | Following:
        target, duration = self._turning(pose)
        return self._follow(target, duration, None, within, True, (), wait)

    def _turning(self, pose: Pose2) -> tuple[Target, float]:
        """Return a turn in place as a target, and how long it takes [s]."""
        start, limits = self.pose, self.facts.limits
        angle = wrap_angle(pose.yaw - start.yaw)
        turn = Bounds(
            velocity=FEEDBACK * limits.turn,
            acceleration=0.7 * limits.turn_acceleration,
            jerk=10.0 * limits.turn_acceleration,
        )
        move = JointMove(np.zeros(1), np.array([angle]), turn)

        def target(passed: float) -> tuple[Pose2, Speeds]:
            turned, rate = move.at(passed)
            yaw = start.yaw + float(turned[0])
            return Pose2(pose.x, pose.y, yaw), (0.0, 0.0, float(rate[0]))

        return target, move.duration

    def _follow(
        self,
        target: Target,
        duration: float,
        tracker: Tracker | None,
        within: tuple[float, float],
        turns: bool,
        remarks: tuple[str, ...],
        wait: bool,
    ) -> FollowResult | Following:
        self.facts.layout.require("strafe")
        if tracker is not None and not isinstance(tracker, Tracker):
            raise InvalidInput(
                f"tracker is {tracker!r}, expected a mecano.control.tracking.Tracker"
            )
        within = _checked_pair(within)
        with self.session.commanding():
            following = Following(
                self, target, duration=duration, tracker=tracker or Tracker(), within=within,
                turns=turns, remarks=remarks,
            )  # fmt: skip
            self._take_up(following)
        return following.wait() if wait else following


def _checked_pair(within: tuple[float, float]) -> tuple[float, float]:
    """Return how near is near enough, or say what is wrong with it."""
    if not isinstance(within, tuple | list) or len(within) != 2:
        raise InvalidInput(f"within is {within!r}, expected two numbers: (metres, radians)")
    near, turned = within
    return (
        finite_number(near, name="within: distance [m]", lower=1e-5),
        finite_number(turned, name="within: angle [rad]", lower=1e-5),
    )


def _one_after_the_other(parts: list[tuple[Target, float]]) -> tuple[Target, float]:
    """Return some targets with their durations [s] as one."""
    ends = np.cumsum([duration for _, duration in parts]).tolist()

    def target(passed: float) -> tuple[Pose2, Speeds | None]:
        number = next((i for i, end in enumerate(ends) if passed < end), len(parts) - 1)
        part, duration = parts[number]
        return part(min(passed - (ends[number] - duration), duration))

    return target, ends[-1]


def _tabulated(timed: TimedPath, heading: float, tick: float) -> Target:
    """Return a timed path as a target, from a table with a row per tick: it is looked up often."""
    times = np.linspace(0.0, timed.duration, 1 + max(1, round(timed.duration / tick)))
    points = timed.at(times)
    yaw = np.full(len(times), heading) if points.orientation is None else points.orientation
    rows = np.column_stack([points.position, np.unwrap(yaw), points.twist])

    def target(passed: float) -> tuple[Pose2, Speeds]:
        place = passed / timed.duration * (len(rows) - 1)
        row = min(max(int(place), 0), len(rows) - 2)
        part = min(max(place - row, 0.0), 1.0)
        x, y, yaw, vx, vy, wz = ((1.0 - part) * rows[row] + part * rows[row + 1]).tolist()
        return Pose2(x, y, yaw), (vx, vy, wz)

    return target
