"""The joints of one recorded robot at equal steps of time, ready for the estimators."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array
from mecano.record.columns import JointColumns
from mecano.record.estimators import (
    SLIDING,
    Delay,
    Friction,
    NotEstimated,
    Rest,
    estimate_delay,
    estimate_friction,
    estimate_rest,
    find_rests,
    smoothed,
)
from mecano.record.recording import Recording
from mecano.world.robot_model import RobotModel

if TYPE_CHECKING:
    import mujoco


@dataclass(frozen=True, eq=False, kw_only=True)
class Signals:
    """What the joints of one robot were told and did in one run."""

    folder: str
    tick: float
    """Step of the times [s]."""
    times: Array
    columns: JointColumns
    """At these times."""
    model: "mujoco.MjModel"
    arm: RobotModel | None
    """None for a robot on legs: which foot carries how much cannot be told from its joints."""
    prefix: str
    _cache: dict[str, Array] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the joints."""
        return self.columns.names

    def unit_of(self, joint: str) -> str:
        """Return the unit of a joint, rad or m."""
        return self.columns.units[self.names.index(joint)]

    def target(self, joint: str) -> Array:
        """Return where a joint was told to be; NaN where it was not."""
        return self.columns.target[:, self.names.index(joint)]

    def real(self, joint: str) -> Array:
        """Return where a joint was, by its encoder."""
        return self.columns.real[:, self.names.index(joint)]

    def range_of(self, joint: str) -> float:
        """Return how far a joint moved in all."""
        return float(np.ptp(self.real(joint)))

    @property
    def losses(self) -> dict[str, tuple[float, float]]:
        """Coulomb friction [N m] and damping [N m s/rad] of each joint in the run's own model."""
        model = self.model
        dofs = {name: model.joint(self.prefix + name).dofadr[0] for name in self.names}
        damping = model.dof_damping.reshape(model.nv, -1)[:, 0]
        return {
            name: (float(model.dof_frictionloss[dof]), float(damping[dof]))
            for name, dof in dofs.items()
        }

    def delay(self, joint: str) -> Delay:
        """Estimate how far a joint is behind its target."""
        return estimate_delay(self.times, self.target(joint), self.real(joint))

    def rest(self, joint: str) -> Rest:
        """Estimate how far a joint stands from its target at rest."""
        rests = find_rests(self.columns.target, self.tick)
        return estimate_rest(self.target(joint), self.real(joint), rests, self.tick)

    def friction(self, joint: str) -> Friction:
        """Estimate the friction of a joint of the arm."""
        arm = [] if self.arm is None else [n.removeprefix(self.prefix) for n in self.arm.names]
        if joint not in arm:
            raise NotEstimated("only joints of the arm have a model of their load")
        if not self._cache:
            self._prepare([self.names.index(name) for name in arm])
        i = arm.index(joint)
        return estimate_friction(
            self.times, *(self._cache[key][:, i] for key in ("velocity", "effort", "load"))
        )

    def _prepare(self, arm: list[int]) -> None:
        """Filter the readings of the arm and ask the model what the motion takes."""
        q, velocity, effort = (
            smoothed(each[:, arm], self.tick)
            for each in (self.columns.real, self.columns.velocity, self.columns.effort)
        )
        acceleration = smoothed(self.columns.velocity[:, arm], self.tick, derivative=1)
        load = np.zeros_like(q)
        for row in np.flatnonzero((np.abs(velocity) > SLIDING).any(axis=1)):
            assert self.arm is not None
            load[row] = self.arm.inverse_dynamics(q[row], velocity[row], acceleration[row])
        self._cache.update(velocity=velocity, effort=effort, load=load)


def joint_signals(recording: Recording, robot: str, tick: float) -> Signals:
    """Return the joints of one robot at equal steps.

    Times before the session was last set back are left out, and the last row, whose reading is
    that of the row before.

    Args:
        recording: The run.
        robot: Its name in the recording.
        tick: Step of the times [s].
    """
    back = np.flatnonzero(np.diff(recording.times) <= 0.0)
    rows = slice(int(back[-1]) + 1 if len(back) else 0, -1)
    given, columns = recording.times[rows], recording.joints[robot]
    times = given[0] + tick * np.arange(round((given[-1] - given[0]) / tick) + 1)

    def at_times(values: Array) -> Array:
        return np.stack([np.interp(times, given, column) for column in values[rows].T], axis=1)

    table = JointColumns(
        names=columns.names,
        units=columns.units,
        target=at_times(columns.target),
        real=at_times(columns.real),
        velocity=at_times(columns.velocity),
        effort=at_times(columns.effort),
    )
    description = recording.description(robot)
    prefix, model = f"{robot}/", recording.model()
    has_arm = bool(description.arms)
    return Signals(
        folder=str(recording.folder),
        tick=tick,
        times=times,
        columns=table,
        model=model,
        arm=RobotModel(model, description, prefix=prefix) if has_arm else None,
        prefix=prefix,
    )
