"""Motions that run in the ticks: along a trajectory, or after a moving target."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, MecanoError, UserCodeFailed
from mecano.kinematics.ik import IKTarget
from mecano.parts.handle import Handle
from mecano.parts.results import MotionResult, Outcome
from mecano.planning.trajectories import Trajectory
from mecano.world.robot_model import Touch

if TYPE_CHECKING:
    from mecano.parts.arm import Arm

SETTLED_ANGLE = 0.0035
"""A joint this near to its goal is there [rad]: about two ticks of the encoder."""
SETTLED_SPEED = 0.05
"""A joint slower than this is at rest [rad/s]."""
SETTLE_TIME = 2.0
"""How long the joints may take to come to rest after the trajectory's end [s]."""


class Motion(Handle[MotionResult]):
    """A motion of an arm."""

    def __init__(self, arm: "Arm") -> None:
        """Make a motion that has not begun."""
        super().__init__(arm.session)
        self.arm = arm
        self.started: float | None = None
        self._touching: Touch | None = None
        """What the arm touched when the motion began; it may leave that."""

    def halt(self) -> None:
        """End it here: the arm brakes and holds."""
        if not self.done:
            self.arm.stop()

    def step(self, now: float) -> None:
        """Command the arm for this tick."""
        raise AttributeError("a Motion is made by the arm, not by hand")

    def begin(self, now: float) -> None:
        """Take note of how things are at the start."""
        self.started = now
        self._touching = self.arm.touched()

    def watch(self) -> bool:
        """End the motion if the arm touches something that it did not touch before."""
        touch = self.arm.touched()
        if touch is None or not touch.is_new(self._touching):
            return False
        self.arm.freeze()
        self.end(Outcome.COLLIDED, touch.pair)
        return True

    def end(self, outcome: Outcome, pair: tuple[str, str] | None = None) -> None:
        """Give the motion its result."""
        began = self.started if self.started is not None else self.arm.session.time
        self.finish(
            MotionResult(
                outcome=outcome,
                duration=self.arm.session.time - began,
                joint_error=self.joint_error(),
                position_error=self.position_error(),
                pair=pair,
            )
        )

    def joint_error(self) -> float:
        """Return how far the worst joint is from the goal [rad]."""
        return 0.0

    def position_error(self) -> float:
        """Return how far the tool is from the goal, by the encoders [m]."""
        return 0.0


class FinishedMotion(Motion):
    """A motion that ended before it began: its target is out of reach or its way is blocked."""

    def __init__(self, arm: "Arm", result: MotionResult) -> None:
        """Take the result."""
        super().__init__(arm)
        self.finish(result)


class TrajectoryMotion(Motion):
    """Follows a trajectory and waits until the joints have settled at its end."""

    def __init__(self, arm: "Arm", trajectory: Trajectory) -> None:
        """Take a trajectory that begins where the arm's command is."""
        super().__init__(arm)
        self.trajectory = trajectory
        self.goal = trajectory.at(trajectory.duration)[0]

    def step(self, now: float) -> None:
        """Command the next sample, or look whether the arm is there."""
        if self.started is None:
            self.begin(now)
        if self.watch():
            return
        assert self.started is not None
        elapsed = now - self.started + self.arm.tick
        position, velocity = self.trajectory.at(elapsed)
        self.arm.send(position, velocity)
        if elapsed > self.trajectory.duration:
            slow = np.abs(self.arm.velocity).max() < SETTLED_SPEED
            if slow and self.joint_error() < SETTLED_ANGLE:
                self.end(Outcome.REACHED)
            elif elapsed > self.trajectory.duration + SETTLE_TIME:
                self.end(Outcome.TIMED_OUT)

    def joint_error(self) -> float:
        """Return how far the worst joint is from the goal [rad]."""
        return float(np.abs(self.arm.position - self.goal).max())

    def position_error(self) -> float:
        """Return how far the tool is from the goal, by the encoders [m]."""
        chain = self.arm.chain
        there, wanted = chain.forward(self.arm.position), chain.forward(self.goal)
        return float(np.linalg.norm(there[:3, 3] - wanted[:3, 3]))


class GuardedMotion(TrajectoryMotion):
    """Follows a trajectory until the tool feels a force along its way, then holds there."""

    def __init__(self, arm: "Arm", trajectory: Trajectory, force: float) -> None:
        """Take a trajectory and the force that ends it [N]."""
        super().__init__(arm, trajectory)
        self.limit = force
        ends = [arm.chain.forward(trajectory.at(t)[0])[:3, 3] for t in (0.0, trajectory.duration)]
        way = ends[1] - ends[0]
        self._along = way / max(float(np.linalg.norm(way)), 1e-9)
        self._usual: Array | None = None
        self.felt = 0.0
        """What pushes back along the way beyond what was felt at the start [N]."""

    def watch(self) -> bool:
        """End the motion if something pushes back, wherever the arm meets it."""
        force = self.arm.force()[:3]
        if self._usual is None:
            self._usual = force
        self.felt = float((force - self._usual) @ self._along)
        if self.felt < self.limit:
            return False
        self.arm.freeze()
        self.end(Outcome.CONTACT)
        return True


Target = Callable[[float], tuple[Array, float]]
"""A moving target: time [s] to point in the base frame [m] and pitch [rad]."""


class FollowMotion(Motion):
    """Keeps the tool at a moving target, as fast as the bounds of the arm allow.

    Where the target is out of reach the tool waits at the nearest pose. It ends when it is stopped.
    """

    def __init__(self, arm: "Arm", target: Target, speed: float) -> None:
        """Take a target; `speed` is a fraction of the arm's limits."""
        from ruckig import InputParameter, OutputParameter, Ruckig

        super().__init__(arm)
        bounds = arm.bounds.scaled(speed)
        n = len(arm.commanded)
        self.target = target
        self.distance = 0.0
        """From the tool to the target, by the encoders [m]."""
        self._planner, self._given, self._next = (
            Ruckig(n, arm.tick),
            InputParameter(n),
            OutputParameter(n),
        )
        self._given.current_position = arm.commanded.tolist()
        self._given.current_velocity = arm.speed.tolist()
        self._given.max_velocity = [bounds.velocity] * n
        self._given.max_acceleration = [bounds.acceleration] * n
        self._given.max_jerk = [bounds.jerk] * n

    def step(self, now: float) -> None:
        """Aim at where the target is now."""
        if self.started is None:
            self.begin(now)
        if self.watch():
            return
        point, pitch = self._aim(now)
        here = self.arm.commanded
        answer = self.arm.solve(point, pitch, here, roll=self.arm.chain.roll(here))
        joints = answer.solutions[0] if answer.reached else answer.nearest.joints
        self._given.target_position = joints.tolist()
        self._planner.update(self._given, self._next)
        self._next.pass_to_input(self._given)
        self.arm.send(np.array(self._next.new_position), np.array(self._next.new_velocity))
        tool = self.arm.chain.forward(self.arm.position)[:3, 3]
        self.distance = float(np.linalg.norm(tool - point))

    def _aim(self, now: float) -> tuple[Array, float]:
        """Ask the user where the target is."""
        try:
            point, pitch = self.target(now)
            aim = IKTarget.checked(point, pitch=pitch)
        except MecanoError:
            raise
        except Exception as error:
            raise UserCodeFailed("the target of follow()", error) from error
        if aim.pitch is None:
            raise InvalidInput("the target of follow() must give a point [m] and a pitch [rad]")
        return aim.position, aim.pitch

    def position_error(self) -> float:
        """Return how far the tool is from the target, by the encoders [m]."""
        return self.distance
