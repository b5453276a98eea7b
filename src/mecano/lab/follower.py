"""What a base does that can drive in any direction: follow paths and targets, go to a pose."""

from math import hypot, inf

import numpy as np

from mecano.control.tracking import Tracker
from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2, wrap_angle
from mecano.lab.drives import Following, Motion, Target
from mecano.lab.drives import Twist as Speeds
from mecano.lab.results import FollowResult
from mecano.lab.session import Session
from mecano.planning.paths import PathCurve
from mecano.planning.speed_profiles import PathLimits, pace_path, wheel_ceiling
from mecano.planning.timed_paths import Mode, TimedPath
from mecano.planning.trajectories import Bounds, JointMove
from mecano.robots.mobile import WheeledBase

WITHIN = 0.001, 0.003
"""How near a base must come to the end of a path [m], [rad]."""
NEAR = 1e-4
"""Places nearer than this are one [m]."""
FEEDBACK = 0.95
"""Part of the wheels' speed that a path may ask for: the rest is for keeping to it."""


class Follower:
    """Motions of a base in any direction. `Base` has the rest."""

    session: Session
    facts: WheeledBase
    fastest_wheel: float
    """[rad/s]."""

    @property
    def pose(self) -> Pose2:
        """Where it believes to be."""
        raise NotImplementedError

    @property
    def speed(self) -> Speeds:
        """What the wheels are told now."""
        raise NotImplementedError

    def stop(self) -> None:
        """Brake and stand."""
        raise NotImplementedError

    def _take_up(self, motion: Motion) -> None:
        """Let a motion take the place of the one before."""
        raise NotImplementedError

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
        turns = mode != "position"
        limits = self.facts.limits
        timed = pace_path(
            path,
            PathLimits(
                velocity=finite_number(velocity, name="velocity [m/s]", upper=limits.speed),
                acceleration=0.5 * limits.acceleration if acceleration is None else acceleration,
                turn_velocity=FEEDBACK * limits.turn,
                turn_acceleration=0.7 * limits.turn_acceleration,
            ),
            mode=mode,
            ceilings={
                "the wheels": wheel_ceiling(
                    self.facts.layout,
                    FEEDBACK * self.fastest_wheel,
                    heading=None if turns else self.pose.yaw,
                )
            },
        )

        target = _tabulated(timed, self.pose.yaw, self.session.backend.tick)
        remarks = tuple(str(slowing) for slowing in timed.slowed)
        return self._follow(target, timed.duration, tracker, within, turns, remarks, wait)

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
        return self._follow(target, duration, tracker, within, True, (), wait)

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

    def turn_to(
        self, heading: float, *, within: tuple[float, float] = WITHIN, wait: bool = True
    ) -> FollowResult | Following:
        """Turn in place to a heading in the frame of odometry, the short way [rad]."""
        heading = finite_number(heading, name="heading [rad]")
        return self._turn_to(Pose2(self.pose.x, self.pose.y, heading), within, wait)

    def _turn_to(
        self, pose: Pose2, within: tuple[float, float], wait: bool
    ) -> FollowResult | Following:
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

        return self._follow(target, move.duration, None, within, True, (), wait)

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
        with self.session.lock:
            following = Following(
                self, target, duration=duration, tracker=tracker or Tracker(), within=within,
                turns=turns, remarks=remarks,
            )  # fmt: skip
            self._take_up(following)
        if not wait:
            return following
        self.session.wait_until(lambda: following.done)
        assert following.result is not None
        return following.result


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
