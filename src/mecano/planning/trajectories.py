"""Motions in time: jerk-limited joint moves, and straight lines of the tool.

Joint moves come from ruckig, which finds the fastest motion with limits on velocity, acceleration
and jerk for all joints together, from any moving start. A straight line is one such motion of the
way along the line, turned into joint values by the arm's inverse kinematics.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose
from mecano.kinematics.chain import Chain
from mecano.kinematics.ik import IKResult, orientation_error, pitch_error

Sample = tuple[Array, Array]
"""Joint values [rad] and velocities [rad/s]."""
SMALL = 1e-6
"""No joint needs to move by less, nor can be seen to be that slow [rad], [rad/s]."""


class Trajectory(Protocol):
    """Where the joints shall be at each time."""

    duration: float
    """[s]."""

    def at(self, time: float) -> Sample:
        """Return the sample at a time since the start; past the end, the end at rest."""
        ...


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How fast a motion may be; the same for all joints."""

    velocity: float
    """[rad/s]."""
    acceleration: float
    """[rad/s2]."""
    jerk: float
    """[rad/s3]."""

    def scaled(self, speed: float) -> "Bounds":
        """Return the bounds of the same motion at a fraction of the speed."""
        speed = finite_number(speed, name="speed", upper=1.0)
        if speed <= 0.0:
            raise InvalidInput(f"speed is {speed:g}, allowed above 0 and up to 1 (full speed)")
        return Bounds(
            velocity=self.velocity * speed,
            acceleration=self.acceleration * speed**2,
            jerk=self.jerk * speed**3,
        )


class JointMove:
    """The fastest motion between two postures inside the bounds, from any start velocity."""

    def __init__(
        self, start: Array, goal: Array, bounds: Bounds, *, start_velocity: Array | None = None
    ) -> None:
        """Plan the motion; it ends at rest."""
        if not (np.isfinite(start).all() and np.isfinite(goal).all()):
            raise InvalidInput(f"a motion from {start.tolist()} to {goal.tolist()} is not finite")
        given = self._given(start, bounds, start_velocity)
        given.target_position = goal.tolist()
        self._calculate(given)

    @classmethod
    def braking(cls, start: Array, bounds: Bounds, *, start_velocity: Array) -> "JointMove":
        """Plan the fastest way to come to rest, wherever that is."""
        from ruckig import ControlInterface, Synchronization

        move = cls.__new__(cls)
        given = cls._given(start, bounds, start_velocity)
        given.control_interface = ControlInterface.Velocity
        given.synchronization = Synchronization.No
        given.target_velocity = [0.0] * len(start)
        move._calculate(given)
        return move

    @staticmethod
    def _given(start: Array, bounds: Bounds, start_velocity: Array | None):
        from ruckig import InputParameter

        n = len(start)
        given = InputParameter(n)
        given.current_position = start.tolist()
        given.current_velocity = [0.0] * n if start_velocity is None else start_velocity.tolist()
        given.max_velocity = [bounds.velocity] * n
        given.max_acceleration = [bounds.acceleration] * n
        given.max_jerk = [bounds.jerk] * n
        return given

    def _calculate(self, given) -> None:
        from ruckig import RuckigError
        from ruckig import Trajectory as RuckigTrajectory

        self._trajectory = RuckigTrajectory(given.degrees_of_freedom)
        try:
            _solve(given, self._trajectory)
        except RuckigError:  # it stumbles over motions of the size of round-off: leave those out
            given.current_velocity = [v if abs(v) > SMALL else 0.0 for v in given.current_velocity]
            ways = zip(given.current_position, given.target_position, strict=True)
            given.target_position = [b if abs(b - a) > SMALL else a for a, b in ways]
            try:
                _solve(given, self._trajectory)
            except RuckigError as error:
                raise InvalidInput(
                    f"no motion from {given.current_position} at {given.current_velocity} to "
                    f"{given.target_position} was found: {str(error).split(' input')[0].strip()}; "
                    "stop first, or choose another goal"
                ) from None
        self.duration: float = self._trajectory.duration

    def at(self, time: float) -> Sample:
        """Return joint values and velocities at a time since the start."""
        position, velocity, _ = self._trajectory.at_time(min(max(time, 0.0), self.duration))
        if time >= self.duration:
            return np.array(position), np.zeros(len(position))
        return np.array(position), np.array(velocity)


def _solve(given, trajectory) -> None:
    from ruckig import Result, Ruckig

    result = Ruckig(given.degrees_of_freedom).calculate(given, trajectory)
    if result not in (Result.Working, Result.Finished):
        raise InvalidInput(f"no motion from {given.current_position}: {result}")


class SampledMove:
    """A motion given as a table of postures at equal times, read with straight interpolation."""

    def __init__(self, postures: Array, period: float) -> None:
        """Keep the table; `period` is the time between two rows [s]."""
        self.postures, self.period = postures, period
        self.velocities = (
            np.gradient(postures, period, axis=0) if len(postures) > 1 else 0 * postures
        )
        self.velocities[[0, -1]] = 0.0
        self.duration = period * (len(postures) - 1)

    def at(self, time: float) -> Sample:
        """Return joint values and velocities at a time since the start."""
        if time >= self.duration:
            return self.postures[-1], self.velocities[-1]
        place = min(max(time / self.period, 0.0), len(self.postures) - 1.0)
        row = min(int(place), max(len(self.postures) - 2, 0))
        part = place - row
        following = min(row + 1, len(self.postures) - 1)
        return tuple(
            (1 - part) * table[row] + part * table[following]
            for table in (self.postures, self.velocities)
        )  # type: ignore[return-value]


class JoinedMove:
    """One motion after the other."""

    def __init__(self, first: Trajectory, second: Trajectory) -> None:
        """Join two motions; the second begins where the first ends."""
        self.first, self.second = first, second
        self.duration = first.duration + second.duration

    def at(self, time: float) -> Sample:
        """Return joint values and velocities at a time since the start."""
        if time < self.first.duration:
            return self.first.at(time)
        return self.second.at(time - self.first.duration)


@dataclass(frozen=True, eq=False)
class LinePlan:
    """A line or path of the tool, or where it ends early and why."""

    trajectory: SampledMove | None
    failure: IKResult | None = None
    """What the inverse kinematics said where the line breaks; reached, if the arm would have to
    jump to another branch there."""
    failed_at: float = 0.0
    """How far along the line that is, from 0 to 1."""


Solve = Callable[..., IKResult]
"""Inverse kinematics: (position, pitch, start posture, roll=..., quaternion=...)."""
Turning = Callable[[float], dict[str, Any]]
"""The orientation that a line asks for after a part of its way, from 0 to 1."""


def plan_line(
    chain: Chain,
    start: Array,
    goal: Array,
    goal_pitch: float | None,
    bounds: Bounds,
    *,
    goal_roll: float | None = None,
    goal_quaternion: Array | None = None,
    tool_velocity: float,
    tool_acceleration: float,
    period: float = 0.01,
    solve: Solve | None = None,
) -> LinePlan:
    """Plan a straight line of the tool from a posture to a point, turning it evenly.

    The line stays on one branch of the inverse kinematics; where the joints would have to go
    faster than they may, the whole line is slowed down.

    Args:
        chain: The arm.
        start: Posture at the start [rad].
        goal: Point at the end, in the base frame [m].
        goal_pitch: Pitch at the end [rad]; None keeps it, or takes it from the quaternion.
        bounds: Limits of the joints.
        goal_roll: Roll at the end [rad], for arms that can roll the tool; None keeps it.
        goal_quaternion: Full orientation at the end, w x y z, in the place of pitch and roll.
        tool_velocity: Of the tool along the line, at most [m/s].
        tool_acceleration: The same [m/s2].
        period: Time between two samples [s].
        solve: Inverse kinematics in the place of the chain's own.
    """
    solve = solve or (lambda p, pitch, q, **more: chain.inverse(p, pitch=pitch, start=q, **more))
    origin = chain.forward(start)[:3, 3]
    if goal_quaternion is None:
        turn, turning = evenly(chain, start, goal_pitch, goal_roll)
    else:
        turn, turning = _shortest(chain, start, goal_quaternion)
    length = float(np.linalg.norm(goal - origin))
    way = _way_along(length, turn, bounds, tool_velocity, tool_acceleration)

    def along(time: float) -> tuple[float, Array, dict[str, Any]]:
        part = float(way.at(time)[0][0])
        return part, origin + part * (goal - origin), turning(part)

    return solve_along(start, along, way.duration, bounds, period=period, solve=solve)


Along = Callable[[float], tuple[float, Array, dict[str, Any]]]
"""After a time [s]: the part of the way done, the point [m], and the orientation asked for."""


def solve_along(
    start: Array, along: Along, duration: float, bounds: Bounds, *, period: float, solve: Solve
) -> LinePlan:
    """Return the postures along a way of the tool; it stays on one branch.

    Args:
        start: Posture at the start [rad].
        along: The way.
        duration: Of the way [s]; the whole is slowed down where joints cannot keep up.
        bounds: Limits of the joints.
        period: Time between two samples, at most [s].
        solve: Inverse kinematics.
    """
    samples = max(2, int(np.ceil(duration / period)) + 1)
    postures = [np.asarray(start, float)]
    for time in np.linspace(0.0, duration, samples)[1:]:
        part, point, orientation = along(float(time))
        pitch = orientation.pop("pitch", None)
        result = solve(point, pitch, postures[-1], **orientation)
        if not result.reached:
            return LinePlan(None, result, part)
        step = result.solutions[0]
        if np.abs(step - postures[-1]).max() > 0.5:  # the branch ends here: the arm would jump
            return LinePlan(None, result, part)
        postures.append(step)
    table = np.array(postures)
    spacing = duration / (samples - 1) if duration > 0 else period
    fastest = np.abs(np.diff(table, axis=0)).max() / spacing
    sharpest = np.abs(np.diff(table, n=2, axis=0)).max(initial=0.0) / spacing**2
    slower = max(1.0, fastest / bounds.velocity, np.sqrt(1.05 * sharpest / bounds.acceleration))
    return LinePlan(SampledMove(table, float(spacing * slower)))


def evenly(
    chain: Chain, start: Array, goal_pitch: float | None, goal_roll: float | None
) -> tuple[float, Turning]:
    """Return how far pitch and roll turn on the way [rad], and what they are after a part of it."""
    pitch, roll = chain.pitch(start), chain.roll(start)
    turn = 0.0 if goal_pitch is None else pitch_error(pitch, goal_pitch)
    if roll is None:
        return abs(turn), lambda part: {"pitch": pitch + part * turn}
    twist = 0.0 if goal_roll is None else pitch_error(roll, goal_roll)
    return max(abs(turn), abs(twist)), lambda part: {
        "pitch": pitch + part * turn, "roll": roll + part * twist,
    }  # fmt: skip


def _shortest(chain: Chain, start: Array, quaternion: Array) -> tuple[float, Turning]:
    """The same for a full orientation, by the shortest turn."""
    first = Pose.from_matrix(chain.forward(start))
    last = Pose(first.position, quaternion)
    angle = orientation_error(first.matrix()[:3, :3], last.matrix()[:3, :3])

    def turning(part: float) -> dict[str, Any]:
        inside = min(1.0, max(0.0, part))  # round-off may carry it over the ends
        return {"quaternion": first.interpolate(last, inside).quaternion}

    return angle, turning


def _way_along(
    length: float, turn: float, bounds: Bounds, tool_velocity: float, tool_acceleration: float
) -> JointMove:
    """Return the motion of the part of the way done, from 0 to 1."""
    longest = max(length / tool_velocity, turn / bounds.velocity, 1e-3)  # s at full speed
    velocity = 1.0 / longest
    acceleration = min(
        tool_acceleration / max(length, 1e-9), bounds.acceleration / max(turn, 1e-9), 1e4
    )
    limits = Bounds(velocity=velocity, acceleration=acceleration, jerk=10.0 * acceleration)
    return JointMove(np.zeros(1), np.ones(1), limits)
