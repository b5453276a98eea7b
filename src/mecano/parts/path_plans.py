"""From a path to where a base shall be when: approach, path and last turn, for any kind of base."""

from dataclasses import dataclass
from math import degrees, hypot, inf
from typing import Literal, get_args

import numpy as np

from mecano.control.path_follower import Reference, Twist
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2, wrap_angle
from mecano.planning.paths import PathCurve
from mecano.planning.speed_profiles import PathLimits, pace_path, wheel_ceiling
from mecano.planning.timed_paths import Mode, TimedPath
from mecano.planning.trajectories import Bounds, JointMove
from mecano.robots.mobile import WheeledBase

Direction = Literal["forward", "reverse", "either"]
"""Which end of a base goes first along a path; "either" takes the one that has to turn less."""
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
AT_START = 0.005, 0.02
"""A base this near to the beginning of a path is there [m], [rad]."""
FEEDBACK = 0.95
"""Part of the wheels' speed that a path may ask for: the rest is for keeping to it."""
NEAR = 1e-4
"""Places nearer than this are one [m]."""
ALIGNED = 0.001
"""A heading this near to the wanted one needs no turn on the spot [rad]."""
ACROSS = 0.5
"""Acceleration across the path, in bends, of a base that steers: far below what its wheels hold at
a friction of 0.4 [m/s2]."""
Piece = tuple[Reference, float]
"""A reference and how long it takes [s]."""


@dataclass(frozen=True)
class PathPlan:
    """Where a base shall be when, from rest to rest."""

    reference: Reference
    duration: float
    """[s]."""
    remarks: tuple[str, ...] = ()
    """What a user should know beforehand: where it slows down, and why."""


@dataclass(frozen=True)
class PathPlanner:
    """Plans for one base."""

    facts: WheeledBase
    fastest_wheel: float
    """[rad/s]."""
    tick: float
    """Time between two commands [s]."""

    @property
    def strafes(self) -> bool:
        """Whether the base can drive sideways."""
        return "strafe" not in self.facts.layout.missing

    def limits(
        self, velocity: float, acceleration: float | None = None, turn: float | None = None
    ) -> PathLimits:
        """Return how fast it may follow a path; None takes half of the base's acceleration, and
        all but the reserve of its turn."""
        limits = self.facts.limits
        return PathLimits(
            velocity=velocity,
            acceleration=0.5 * limits.acceleration if acceleration is None else acceleration,
            lateral_acceleration=None if self.strafes else ACROSS,
            turn_velocity=min(FEEDBACK * limits.turn, inf if turn is None else turn),
            turn_acceleration=0.7 * limits.turn_acceleration,
        )

    def along(
        self, path: PathCurve, here: Pose2, pace: PathLimits, *, mode: Mode, direction: Direction
    ) -> PathPlan:
        """Return the plan along a path, from where the base stands."""
        if direction not in DIRECTIONS:
            allowed = ", ".join(map(repr, DIRECTIONS))
            raise InvalidInput(f"direction is {direction!r}, allowed: {allowed}")
        if self.strafes:
            return self._strafing(path, here, pace, mode, direction)
        return self._steering(path, here, pace, mode, direction)

    def turning(self, start: Pose2, pose: Pose2, pace: PathLimits) -> Piece:
        """Return a turn in place at `pose` from the heading of `start`, the short direction."""
        limits = self.facts.limits
        angle = wrap_angle(pose.yaw - start.yaw)
        turn = Bounds(
            velocity=pace.turn_velocity,
            acceleration=0.7 * limits.turn_acceleration,
            jerk=10.0 * limits.turn_acceleration,
        )
        move = JointMove(np.zeros(1), np.array([angle]), turn)

        def reference(passed: float) -> tuple[Pose2, Twist]:
            turned, rate = move.at(passed)
            yaw = start.yaw + float(turned[0])
            return Pose2(pose.x, pose.y, yaw), (0.0, 0.0, float(rate[0]))

        return reference, move.duration

    # --- bases that strafe

    def _strafing(
        self, path: PathCurve, here: Pose2, pace: PathLimits, mode: Mode, direction: Direction
    ) -> PathPlan:
        if direction == "reverse":
            if not path.along_its_tangent:
                raise InvalidInput(
                    'direction "reverse" turns the back of the base along the path, but this path '
                    "has headings of its own; leave one of the two out"
                )
            path = path.facing_along(backwards=True)
        pieces, remarks = self._approach(path, here, pace, mode)
        timed = self._paced(path, pace, mode, here)
        pieces.append((tabulated(timed, here.yaw, self.tick), timed.duration))
        remarks += tuple(str(slowing) for slowing in timed.slowed)
        return PathPlan(*one_after_the_other(pieces), remarks)

    def _approach(
        self, path: PathCurve, here: Pose2, pace: PathLimits, mode: Mode
    ) -> tuple[list[Piece], tuple[str, ...]]:
        """Return how it comes to the beginning of a path, and what to say about that."""
        first = path.at(0.0)
        x, y = np.asarray(first.position, float)[:2].tolist()
        yaw = here.yaw if mode == "position" else float(np.asarray(first.orientation))
        start, far = Pose2(x, y, yaw), hypot(x - here.x, y - here.y)
        if far > AT_START[0]:
            lead = PathCurve.through([here, start], kind="polyline")
            timed = self._paced(lead, pace, "position and orientation", here)
            piece = tabulated(timed, here.yaw, self.tick), timed.duration
            return [piece], (_going(far),)
        if abs(wrap_angle(yaw - here.yaw)) > AT_START[1]:
            return [self.turning(here, start, pace)], (_turning(here, yaw),)
        return [], ()

    # --- bases that steer

    def _steering(
        self, path: PathCurve, here: Pose2, pace: PathLimits, mode: Mode, direction: Direction
    ) -> PathPlan:
        """Turn, drive along the tangent, turn."""
        last = None
        if mode != "position" and not path.along_its_tangent:
            last = float(np.asarray(path.at(path.length).orientation))
        backwards = direction == "reverse" or (
            direction == "either" and self._turns_less_backwards(path, here, last)
        )
        curve, pieces, remarks = path.facing_along(backwards=backwards), [], []
        start = _pose_at(curve, 0.0)
        far = hypot(start.x - here.x, start.y - here.y)
        if far > AT_START[0]:
            lead = PathCurve.through([(here.x, here.y), (start.x, start.y)], kind="polyline")
            lead = lead.facing_along(backwards=backwards)
            here = self._turn_and_drive(lead, here, pace, pieces, [])
            remarks.append(_going(far))
        elif abs(wrap_angle(start.yaw - here.yaw)) > AT_START[1]:
            remarks.append(_turning(here, start.yaw))
        here = self._turn_and_drive(curve, here, pace, pieces, remarks)
        if last is not None and abs(wrap_angle(last - here.yaw)) > ALIGNED:
            pieces.append(self.turning(here, Pose2(here.x, here.y, last), pace))
        return PathPlan(*one_after_the_other(pieces), tuple(remarks))

    def _turn_and_drive(
        self, curve: PathCurve, here: Pose2, pace: PathLimits, pieces: list[Piece],
        remarks: list[str],
    ) -> Pose2:  # fmt: skip
        """Add a turn into the beginning of a curve, and the curve; return where that ends."""
        start = _pose_at(curve, 0.0)
        if abs(wrap_angle(start.yaw - here.yaw)) > ALIGNED:
            pieces.append(self.turning(here, start, pace))
        timed = self._paced(curve, pace, "position and orientation", here)
        pieces.append((tabulated(timed, start.yaw, self.tick), timed.duration))
        remarks += [str(slowing) for slowing in timed.slowed]
        return _pose_at(curve, curve.length)

    def _turns_less_backwards(self, path: PathCurve, here: Pose2, last: float | None) -> bool:
        turns = []
        for backwards in (False, True):
            curve = path.facing_along(backwards=backwards)
            start, end = _pose_at(curve, 0.0), _pose_at(curve, curve.length)
            after = 0.0 if last is None else abs(wrap_angle(last - end.yaw))
            turns.append(abs(wrap_angle(start.yaw - here.yaw)) + after)
        return turns[1] < turns[0] - ALIGNED

    def _paced(self, path: PathCurve, pace: PathLimits, mode: Mode, here: Pose2) -> TimedPath:
        wheels = wheel_ceiling(
            self.facts.layout,
            FEEDBACK * self.fastest_wheel,
            heading=here.yaw if mode == "position" else None,
        )
        return pace_path(path, pace, mode=mode, ceilings={"the wheels": wheels})


def one_after_the_other(pieces: list[Piece]) -> Piece:
    """Return some references with their durations [s] as one."""
    ends = np.cumsum([duration for _, duration in pieces]).tolist()

    def reference(passed: float) -> tuple[Pose2, Twist | None]:
        number = next((i for i, end in enumerate(ends) if passed < end), len(pieces) - 1)
        piece, duration = pieces[number]
        return piece(min(passed - (ends[number] - duration), duration))

    return reference, ends[-1]


def tabulated(timed: TimedPath, heading: float, tick: float) -> Reference:
    """Return a timed path as a reference, from a table with a row per tick: it is read often."""
    times = np.linspace(0.0, timed.duration, 1 + max(1, round(timed.duration / tick)))
    points = timed.at(times)
    yaw = np.full(len(times), heading) if points.orientation is None else points.orientation
    rows = np.column_stack([points.position, np.unwrap(yaw), points.twist])

    def reference(passed: float) -> tuple[Pose2, Twist]:
        place = passed / timed.duration * (len(rows) - 1)
        row = min(max(int(place), 0), len(rows) - 2)
        part = min(max(place - row, 0.0), 1.0)
        x, y, yaw, vx, vy, wz = ((1.0 - part) * rows[row] + part * rows[row + 1]).tolist()
        return Pose2(x, y, yaw), (vx, vy, wz)

    return reference


def _pose_at(curve: PathCurve, s: float) -> Pose2:
    pose = curve.pose(s)
    assert isinstance(pose, Pose2)
    return pose


def _going(far: float) -> str:
    return f"goes {far:.2f} m straight to the beginning of the path first"


def _turning(here: Pose2, yaw: float) -> str:
    return f"turns by {degrees(wrap_angle(yaw - here.yaw)):.0f} degrees first"
