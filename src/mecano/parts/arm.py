"""The arm a user programs: its moves, planned and looked at before they begin."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.notices import ask_about_degrees
from mecano.kinematics.ik import IKResult, IKTarget
from mecano.parts.arm_core import ArmCore
from mecano.parts.motions import (
    FinishedMotion,
    FollowMotion,
    GuardedMotion,
    Motion,
    Target,
    TrajectoryMotion,
)
from mecano.parts.results import MotionResult, Outcome
from mecano.planning.paths import PathCurve
from mecano.planning.speed_profiles import Mode as PathMode
from mecano.planning.speed_profiles import PathLimits
from mecano.planning.tool_paths import plan_path
from mecano.planning.trajectories import JoinedMove, JointMove, Trajectory, plan_line
from mecano.world.clearance import Clearance
from mecano.world.robot_model import Carried, Touch

if TYPE_CHECKING:
    from mecano.stages.user_stage import UserStage

LOOK_AHEAD = 0.02
"""Time between two postures that are tested for collisions before a motion starts [s]."""


class ToolMove(TypedDict, total=False):
    """How the tool is moved to a point, see `Arm.move_to`."""

    pitch: float | None
    roll: float | None
    quaternion: Sequence[float] | None
    speed: float
    check: bool


class PathMove(TypedDict, total=False):
    """How the tool is moved along a path, see `Arm.follow_path`."""

    velocity: float | None
    acceleration: float | None
    mode: PathMode
    pitch: float | None
    roll: float | None
    check: bool


class Arm(ArmCore):
    """An arm of a robot. Lengths in metres, angles in radians, poses in its base frame."""

    ik_stage: "UserStage | None" = None
    """The user's own inverse kinematics, if there is one."""

    # --- moves

    @overload
    def move_joints(
        self,
        goal: ArrayLike | str,
        *,
        speed: float = 1.0,
        wait: Literal[True] = True,
        check: bool = True,
    ) -> MotionResult: ...
    @overload
    def move_joints(
        self, goal: ArrayLike | str, *, speed: float = 1.0, wait: Literal[False], check: bool = True
    ) -> Motion: ...
    def move_joints(
        self, goal: ArrayLike | str, *, speed: float = 1.0, wait: bool = True, check: bool = True
    ) -> MotionResult | Motion:
        """Move all joints to given values, or to a named posture.

        Args:
            goal: Joint values [rad], or the name of a posture.
            speed: Fraction of the arm's own speed, above 0 and up to 1.
            wait: Let time pass until it has ended, and return the result; else return a handle.
            check: Look for collisions on the way first.
        """
        target = self.posture(goal)
        with self.session.commanding():
            self.hold_position()
            motion = self._begin(self._plan_joints(target, speed), check)
        return motion.wait() if wait else motion

    @overload
    def home(self, *, speed: float = 1.0, wait: Literal[True] = True) -> MotionResult: ...
    @overload
    def home(self, *, speed: float = 1.0, wait: Literal[False]) -> Motion: ...
    def home(self, *, speed: float = 1.0, wait: bool = True) -> MotionResult | Motion:
        """Move to the posture called home."""
        return self.move_joints("home", speed=speed, wait=wait)

    @overload
    def move_to(
        self, position: ArrayLike, *, wait: Literal[True] = True, **how: Unpack[ToolMove]
    ) -> MotionResult: ...
    @overload
    def move_to(
        self, position: ArrayLike, *, wait: Literal[False], **how: Unpack[ToolMove]
    ) -> Motion: ...
    def move_to(
        self,
        position: ArrayLike,
        *,
        pitch: float | None = None,
        roll: float | None = None,
        quaternion: Sequence[float] | None = None,
        speed: float = 1.0,
        wait: bool = True,
        check: bool = True,
    ) -> MotionResult | Motion:
        """Move the tool to a point, by the way that is shortest for the joints.

        Of the solutions of the inverse kinematics the nearest one is taken whose way is free.

        Args:
            position: Point in the base frame [m].
            pitch: Nose-down angle [rad]; None leaves it free.
            roll: Turn about the nose [rad], for arms that can; None is upright.
            quaternion: Full orientation w x y z, in the place of pitch and roll.
            speed: Fraction of the arm's own speed, above 0 and up to 1.
            wait: Let time pass until it has ended, and return the result; else return a handle.
            check: Look for collisions on the way first.
        """
        with self.session.commanding():
            answer = self._inverse(position, pitch, roll=roll, quaternion=quaternion)
            if answer.reached:
                self.hold_position()
                plans = [self._plan_joints(q, speed) for q in answer.solutions]
                free = (plan for plan in plans if not check or self.foresee(plan) is None)
                motion = self._begin(next(free, plans[0]), check)
            else:
                motion = self._refused(outcome=Outcome.UNREACHABLE, ik=answer)
        return motion.wait() if wait else motion

    @overload
    def move_line(
        self, position: ArrayLike, *, wait: Literal[True] = True, **how: Unpack[ToolMove]
    ) -> MotionResult: ...
    @overload
    def move_line(
        self, position: ArrayLike, *, wait: Literal[False], **how: Unpack[ToolMove]
    ) -> Motion: ...
    def move_line(
        self,
        position: ArrayLike,
        *,
        pitch: float | None = None,
        roll: float | None = None,
        quaternion: Sequence[float] | None = None,
        speed: float = 1.0,
        wait: bool = True,
        check: bool = True,
    ) -> MotionResult | Motion:
        """Move the tool to a point in a straight line.

        Args:
            position: Point in the base frame [m].
            pitch: Nose-down angle at the end [rad]; None keeps the present one.
            roll: Turn about the nose at the end [rad], for arms that can; None keeps it.
            quaternion: Full orientation w x y z at the end, in the place of pitch and roll.
            speed: Fraction of the tool's own speed, above 0 and up to 1.
            wait: Let time pass until it has ended, and return the result; else return a handle.
            check: Look for collisions on the way first.
        """
        with self.session.commanding():
            motion = self._begin_line(position, pitch, roll, quaternion, speed, check)
        return motion.wait() if wait else motion

    def move_until_contact(
        self,
        position: ArrayLike,
        *,
        force: float = 3.0,
        pitch: float | None = None,
        roll: float | None = None,
        speed: float = 0.1,
    ) -> MotionResult:
        """Move the tool in a straight line until something pushes back, and hold there.

        The force is felt by the motors, see `force`, as a change since the motion began; so what
        the hand carries does not count. Slow motions feel better: an arm that speeds up feels its
        own inertia.

        Args:
            position: Point in the base frame where it ends if it meets nothing [m].
            force: What must push back along the way [N].
            pitch: Nose-down angle at the end [rad]; None keeps the present one.
            roll: Turn about the nose at the end [rad], for arms that can; None keeps it.
            speed: Fraction of the tool's own speed, above 0 and up to 1.

        Returns:
            `Outcome.CONTACT` where it met something, `Outcome.REACHED` where it did not.
        """
        limit = finite_number(force, name="force of a contact [N]", lower=0.1, upper=1000.0)
        with self.session.commanding():
            motion = self._begin_line(position, pitch, roll, None, speed, False, limit)
        return motion.wait()

    def _begin_line(
        self, position: ArrayLike, pitch: float | None, roll: float | None,
        quaternion: Sequence[float] | None, speed: float, check: bool,
        contact: float | None = None,
    ) -> Motion:  # fmt: skip
        if quaternion is None:
            pitch = self.chain.pitch(self.commanded) if pitch is None else pitch
            roll = self.chain.roll(self.commanded) if roll is None else roll
        answer = self._inverse(position, pitch, roll=roll, quaternion=quaternion)
        if not answer.reached:
            return self._refused(outcome=Outcome.UNREACHABLE, ik=answer)
        self.hold_position()
        brake = JointMove.braking(self.commanded, self.bounds, start_velocity=self.speed)
        plan = plan_line(
            self.chain, brake.at(brake.duration)[0], np.asarray(position, float), pitch,
            self.bounds.scaled(speed), goal_roll=roll,
            goal_quaternion=None if quaternion is None else np.asarray(quaternion, float),
            tool_velocity=self.limits.tool_velocity * speed,
            tool_acceleration=self.limits.tool_acceleration * speed**2, period=self.tick,
            solve=self.solve,
        )  # fmt: skip
        if plan.trajectory is None:
            broken = {"ik": plan.failure, "broken_at": plan.failed_at}
            return self._refused(outcome=Outcome.LINE_BROKEN, **broken)
        return self._begin(JoinedMove(brake, plan.trajectory), check, contact)

    @overload
    def follow_path(
        self, path: PathCurve, *, wait: Literal[True] = True, **how: Unpack[PathMove]
    ) -> MotionResult: ...
    @overload
    def follow_path(
        self, path: PathCurve, *, wait: Literal[False], **how: Unpack[PathMove]
    ) -> Motion: ...
    def follow_path(
        self,
        path: PathCurve,
        *,
        velocity: float | None = None,
        acceleration: float | None = None,
        mode: PathMode = "position",
        pitch: float | None = None,
        roll: float | None = None,
        wait: bool = True,
        check: bool = True,
    ) -> MotionResult | Motion:
        """Move the tool along a path, from rest to rest; straight to its beginning first.

        Args:
            path: In the base frame, in space; see `mecano.planning.paths`.
            velocity: Of the tool [m/s]; None takes its own, which is also the most.
            acceleration: [m/s2]; None takes the tool's own.
            mode: "position" turns the tool evenly to `pitch` and `roll` at the end; "position and
                orientation" takes the path's own.
            pitch: Nose-down angle at the end [rad]; None keeps the present one.
            roll: Turn about the nose at the end [rad], for arms that can; None keeps it.
            wait: Let time pass until it has ended, and return the result; else return a handle.
            check: Look for collisions on the way first.
        """
        if not isinstance(path, PathCurve):
            raise InvalidInput(
                f"follow_path takes a PathCurve, got {path!r}; make one with PathCurve.through"
            )
        own = self.limits
        limits = PathLimits(
            velocity=min(own.tool_velocity if velocity is None else velocity, own.tool_velocity),
            acceleration=own.tool_acceleration if acceleration is None else acceleration,
        )
        with self.session.commanding():
            self.hold_position()
            brake = JointMove.braking(self.commanded, self.bounds, start_velocity=self.speed)
            plan, _ = plan_path(
                self.chain, brake.at(brake.duration)[0], path, limits, self.bounds, mode=mode,
                goal_pitch=pitch, goal_roll=roll, period=self.tick, solve=self.solve,
            )  # fmt: skip
            if plan.trajectory is None:
                broken = {"ik": plan.failure, "broken_at": plan.failed_at}
                motion = self._refused(outcome=Outcome.LINE_BROKEN, **broken)
            else:
                motion = self._begin(JoinedMove(brake, plan.trajectory), check)
        return motion.wait() if wait else motion

    def follow(self, target: Target, *, speed: float = 1.0) -> FollowMotion:
        """Keep the tool at a moving target until the handle is stopped.

        `target` is called in every tick with the time [s] and returns point [m] and pitch [rad].
        """
        if not callable(target):
            raise InvalidInput(
                f"follow() takes a function of time that returns point and pitch, got {target!r}"
            )
        with self.session.commanding():
            self.hold_position()
            motion = FollowMotion(self, target, speed)
            self.take_up(motion)
        return motion

    def foresee(self, trajectory: Trajectory) -> Touch | None:
        """Return the first two bodies that would collide on a trajectory, or None.

        What is in contact before it starts is not counted unless it goes deeper: the arm may
        leave where it touches.
        """
        carried = self._surroundings.refresh(self.dynamics)
        before = self.dynamics.collision(self.commanded, carried)
        for time in np.arange(LOOK_AHEAD, trajectory.duration + LOOK_AHEAD, LOOK_AHEAD):
            touch = self.dynamics.collision(trajectory.at(time)[0], carried)
            if touch is not None and touch.is_new(before):
                return touch
        return None

    def would_touch(self, q: Array) -> tuple[str, str] | None:
        """Return two bodies that would collide in a posture and do not touch like that now."""
        carried = self._surroundings.refresh(self.dynamics)
        before = self.dynamics.collision(self.commanded, carried)
        touch = self.dynamics.collision(q, carried)
        return touch.pair if touch is not None and touch.is_new(before) else None

    def solve(
        self, position: Array, pitch: float | None, start: Array, *,
        roll: float | None = None, quaternion: Sequence[float] | None = None,
    ) -> IKResult:  # fmt: skip
        """Solve the inverse kinematics by ours, or by the user's stage in its place.

        A stage takes a point and a pitch; what asks for more, or less, is solved by ours.
        """
        if self.ik_stage is None or pitch is None or roll or quaternion is not None:
            return self.chain.inverse(
                position, pitch=pitch, roll=roll, quaternion=quaternion, start=start
            )
        from mecano.stages.ik_stage import solve_with_stage

        return solve_with_stage(self.ik_stage, self.chain, position, pitch, start)

    # --- helpers

    def _inverse(
        self, position: ArrayLike, pitch: float | None, *,
        roll: float | None, quaternion: Sequence[float] | None,
    ) -> IKResult:  # fmt: skip
        point = IKTarget.checked(position, pitch=pitch, roll=roll, quaternion=quaternion).position
        for angle, what in ((pitch, "pitch of the tool"), (roll, "roll of the tool")):
            ask_about_degrees(angle or 0.0, what)
        return self.solve(point, pitch, self.commanded, roll=roll, quaternion=quaternion)

    def _plan_joints(self, goal: Array, speed: float) -> JointMove:
        bounds = self.bounds.scaled(speed)
        return JointMove(self.commanded, goal, bounds, start_velocity=self.speed)

    def _begin(self, trajectory: Trajectory, check: bool, contact: float | None = None) -> Motion:
        touch = self.foresee(trajectory) if check else None
        if touch is not None:
            return self._refused(outcome=Outcome.BLOCKED, pair=touch.pair, overlap=touch.depth)
        if contact is None:
            motion: Motion = TrajectoryMotion(self, trajectory)
        else:
            motion = GuardedMotion(self, trajectory, contact)
        self.take_up(motion)
        return motion

    def _refused(self, **numbers: Any) -> Motion:
        return FinishedMotion(self, MotionResult(**numbers))

    # --- what it would meet

    def look_around(self, clearance: Clearance) -> Carried | None:
        """Let something else see the surroundings as the arm does; return what the hand carries."""
        carried = self._surroundings.refresh(self.dynamics)
        clearance.look_at(self.dynamics.data)
        return carried

    @property
    def tool_site(self) -> str:
        """Name of its tool's site in the model."""
        return self.dynamics.model.site(self.dynamics.tool).name

    def touched(self) -> Touch | None:
        """Return two bodies that touch now and should not."""
        return self._surroundings.touched(self.dynamics)
