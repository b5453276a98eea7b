"""Joints: their state, a trajectory for them, and a gripper's command."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages.stamped import Stamped, empty, fix_array, fix_number


@dataclass(frozen=True, eq=False, kw_only=True)
class JointState(Stamped):
    """What some joints do, or, as a command, what they shall do.

    Each of the three arrays has one value per name or none at all: empty means not measured,
    and in a command it means left alone.
    """

    name: tuple[str, ...]
    """Names of the joints, each once."""
    position: Array = field(default_factory=empty)
    """Angles or lengths [rad or m]. Shape (n,) or (0,)."""
    velocity: Array = field(default_factory=empty)
    """[rad/s or m/s]. Shape (n,) or (0,)."""
    effort: Array = field(default_factory=empty)
    """Torques or forces [N m or N]. Shape (n,) or (0,)."""

    def __post_init__(self) -> None:
        """Check that the lengths agree."""
        super().__post_init__()
        object.__setattr__(self, "name", _unique_names("JointState.name", self.name))
        for values in ("position", "velocity", "effort"):
            _fix_one_per_joint(self, values, len(self.name))

    def select(self, names: Sequence[str]) -> "JointState":
        """Return the state of these joints, in this order; an unknown name raises."""
        indices = [self._index(name) for name in names]
        return JointState(
            stamp=self.stamp,
            frame=self.frame,
            name=tuple(names),
            position=_pick(self.position, indices),
            velocity=_pick(self.velocity, indices),
            effort=_pick(self.effort, indices),
        )

    def _index(self, name: str) -> int:
        if name not in self.name:
            raise UnknownName("joint", name, self.name)
        return self.name.index(name)


@dataclass(frozen=True, eq=False, kw_only=True)
class JointTrajectoryPoint:
    """Where the joints shall be at one time. Unset arrays are empty."""

    time_from_start: float
    """Since the start of the trajectory [s], zero or more."""
    positions: Array
    """[rad or m]. Shape (n,)."""
    velocities: Array = field(default_factory=empty)
    """[rad/s or m/s]. Shape (n,) or (0,)."""
    accelerations: Array = field(default_factory=empty)
    """[rad/s^2 or m/s^2]. Shape (n,) or (0,)."""
    effort: Array = field(default_factory=empty)
    """[N m or N]. Shape (n,) or (0,)."""

    def __post_init__(self) -> None:
        """Check that the lengths agree."""
        fix_number(self, "time_from_start", lower=0.0)
        fix_array(self, "positions", shape=(None,))
        for values in ("velocities", "accelerations", "effort"):
            _fix_one_per_joint(self, values, len(self.positions))


@dataclass(frozen=True, eq=False, kw_only=True)
class JointControl(Stamped):
    """What the controller of one joint does."""

    target: float
    """Where the joint shall be [rad or m]."""
    position: float
    """Where it is."""
    velocity: float
    """[rad/s or m/s]."""
    effort: float
    """Of its motor [N m or N]."""
    period: float = 0.0
    """Of the controller [s]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class JointTrajectory(Stamped):
    """A motion of some joints through points in time."""

    joint_names: tuple[str, ...]
    """Names of the joints, each once."""
    points: tuple[JointTrajectoryPoint, ...]
    """At least one, with growing times."""

    def __post_init__(self) -> None:
        """Check that every point speaks of the same joints and that time grows."""
        super().__post_init__()
        names = _unique_names("JointTrajectory.joint_names", self.joint_names)
        object.__setattr__(self, "joint_names", names)
        object.__setattr__(self, "points", tuple(self.points))
        self._check_points()

    def _check_points(self) -> None:
        if not self.points:
            raise InvalidInput("JointTrajectory has no points; give at least the goal")
        for i, point in enumerate(self.points):
            if len(point.positions) != len(self.joint_names):
                raise InvalidInput(
                    f"JointTrajectory.points[{i}] has {len(point.positions)} positions "
                    f"for {len(self.joint_names)} joints"
                )
        late = np.flatnonzero(np.diff(self.times) <= 0.0)
        if late.size:
            before, after = self.times[late[0]], self.times[late[0] + 1]
            raise InvalidInput(
                f"JointTrajectory.points[{late[0] + 1}] is at {after:g} s, "
                f"not after the {before:g} s of the point before it"
            )

    @property
    def times(self) -> Array:
        """Times of the points from the start [s]. Shape (m,)."""
        return np.array([point.time_from_start for point in self.points])

    @property
    def positions(self) -> Array:
        """All positions, one row per point. Shape (m, n)."""
        return np.array([point.positions for point in self.points])

    @property
    def duration(self) -> float:
        """Time of the last point from the start [s]."""
        return self.points[-1].time_from_start


@dataclass(frozen=True, kw_only=True)
class GripperCommand:
    """Move the fingers; as in control_msgs."""

    position: float
    """Wanted opening, in the unit of the gripper's joint [m or rad]."""
    max_effort: float | None = None
    """Push with at most this much [N or N m]. None leaves the gripper's own limit."""

    def __post_init__(self) -> None:
        """Refuse numbers that are not finite."""
        fix_number(self, "position")
        if self.max_effort is not None:
            fix_number(self, "max_effort", lower=0.0)


def _unique_names(field_name: str, names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InvalidInput(f"{field_name} is the text '{names}', expected a tuple of names")
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise InvalidInput(f"{field_name} has names more than once: {', '.join(twice)}")
    return tuple(names)


def _fix_one_per_joint(message: object, values: str, joints: int) -> None:
    fix_array(message, values, shape=(None,))
    count = len(getattr(message, values))
    if count not in (0, joints):
        raise InvalidInput(
            f"{type(message).__name__}.{values} has {count} values for {joints} joints; "
            "give one per joint or none"
        )


def _pick(values: Array, indices: list[int]) -> Array:
    return values[indices] if values.size else values
