"""The arm a user programs: moves, modes, and what its model says."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.devices import JointSensor, Mode
from mecano.core.devices import Servos as ServoDevice
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import JointState
from mecano.core.notices import ask_about_degrees
from mecano.core.poses import Pose
from mecano.kinematics.chain import Chain
from mecano.kinematics.ik import IKResult, IKTarget
from mecano.parts.motions import FinishedMotion, FollowMotion, Motion, Target, TrajectoryMotion
from mecano.parts.part import Part
from mecano.parts.results import MotionResult, Outcome
from mecano.parts.surroundings import Surroundings
from mecano.planning.paths import PathCurve
from mecano.planning.speed_profiles import Mode as PathMode
from mecano.planning.speed_profiles import PathLimits
from mecano.planning.tool_paths import plan_path
from mecano.planning.trajectories import Bounds, JoinedMove, JointMove, Trajectory, plan_line
from mecano.robots.description import MotionLimits
from mecano.session.session import Session
from mecano.world.clearance import Clearance
from mecano.world.robot_model import Carried, RobotModel, Touch

if TYPE_CHECKING:
    from mecano.stages.user_stage import UserStage

LOOK_AHEAD = 0.02
"""Time between two postures that are tested for collisions before a motion starts [s]."""

POSITIONED = (Mode.POSITION, Mode.IMPEDANCE)
"""Modes in which joint positions are commanded."""


class Arm(Part):
    """An arm of a robot. Lengths in metres, angles in radians, poses in its base frame."""

    kind = "arm"

    def __init__(
        self, session: Session, chain: Chain, limits: MotionLimits, *, max_torque: float,
        joints: JointSensor, drives: ServoDevice, model: RobotModel, surroundings: Surroundings,
        tick: float, feeds_weight: bool = False,
    ) -> None:  # fmt: skip
        """Join a chain with its devices. `mecano.connect` does this."""
        self.session, self.chain, self.limits, self.tick = session, chain, limits, tick
        self.name, self.encoders = chain.name, joints
        self.max_torque = max_torque
        self.bounds = Bounds(
            velocity=limits.velocity, acceleration=limits.acceleration, jerk=limits.jerk
        )
        self.dynamics = model
        """Mass matrix, gravity, inverse dynamics, Jacobian: see `RobotModel`."""
        self.motion: Motion | None = None
        self.commanded = joints.position.copy()
        """The joint values last commanded [rad]."""
        self.ik_stage: UserStage | None = None
        self.speed = np.zeros(len(self.commanded))
        """The joint velocities last commanded [rad/s]."""
        self._joints, self._drives, self._surroundings = joints, drives, surroundings
        self._braking: tuple[float, Trajectory] | None = None
        self._velocity_command = self._torque_command = np.zeros(len(self.commanded))
        self._gravity = True
        self._feeds_weight, self._payload = feeds_weight, 0.0
        session.steppers.append(self)
        if feeds_weight:
            self.send(self.commanded, self.speed)

    # --- what it reads

    @property
    def units(self) -> tuple[str, ...]:
        """Units of its joints."""
        return tuple(joint.unit for joint in self.chain.dh.joints)

    def targets(self) -> Array:
        """Return the commanded joint positions; NaN in modes that command none [rad or m]."""
        if self.mode in POSITIONED:
            return self.commanded
        return np.full(len(self.commanded), np.nan)

    def target_speeds(self) -> Array:
        """Return the commanded joint velocities [rad/s or m/s]."""
        return self.speed

    @property
    def position(self) -> Array:
        """Joint values by the encoders [rad]."""
        return self._joints.position

    @property
    def velocity(self) -> Array:
        """Joint velocities [rad/s]."""
        return self._joints.velocity

    @property
    def effort(self) -> Array:
        """Joint torques of the motors [N m]."""
        return self._joints.effort

    def joints(self, *, clean: bool = False) -> JointState:
        """Return the newest reading of the encoders; `clean` is it without noise."""
        return self._joints.read(clean=clean)

    def pose(self) -> Pose:
        """Return where the tool is in the base frame, by the encoders."""
        return Pose.from_matrix(self.chain.forward(self.position))

    def pitch(self) -> float:
        """Return how far the nose points down, by the encoders [rad]."""
        return self.chain.pitch(self.position)

    def force(self) -> Array:
        """Return what the tool pushes on its surroundings with, by the motors, at rest.

        Force [N] and moment about the tool's point [N m], in the base frame. What the motors give
        beyond the arm's own weight is taken for it; a moving arm's inertia adds to that.

        Returns:
            fx, fy, fz, mx, my, mz. Shape (6,).
        """
        self._surroundings.look(self.dynamics)
        beyond = self.effort - self.dynamics.gravity_torque(self.position)
        J = self.chain.dh.jacobian(self.position)
        return np.asarray(np.linalg.lstsq(J.T, beyond, rcond=1e-3)[0], np.float64)

    @property
    def mode(self) -> Mode:
        """What commands mean now."""
        return self._drives.mode

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
        with self.session.lock:
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
        self,
        position: ArrayLike,
        *,
        pitch: float | None = None,
        roll: float | None = None,
        quaternion: Sequence[float] | None = None,
        speed: float = 1.0,
        wait: Literal[True] = True,
        check: bool = True,
    ) -> MotionResult: ...
    @overload
    def move_to(
        self,
        position: ArrayLike,
        *,
        pitch: float | None = None,
        roll: float | None = None,
        quaternion: Sequence[float] | None = None,
        speed: float = 1.0,
        wait: Literal[False],
        check: bool = True,
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
        with self.session.lock:
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
        self,
        position: ArrayLike,
        *,
        pitch: float | None = None,
        roll: float | None = None,
        quaternion: Sequence[float] | None = None,
        speed: float = 1.0,
        wait: Literal[True] = True,
        check: bool = True,
    ) -> MotionResult: ...
    @overload
    def move_line(
        self,
        position: ArrayLike,
        *,
        pitch: float | None = None,
        roll: float | None = None,
        quaternion: Sequence[float] | None = None,
        speed: float = 1.0,
        wait: Literal[False],
        check: bool = True,
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
        with self.session.lock:
            motion = self._begin_line(position, pitch, roll, quaternion, speed, check)
        return motion.wait() if wait else motion

    def _begin_line(
        self, position: ArrayLike, pitch: float | None, roll: float | None,
        quaternion: Sequence[float] | None, speed: float, check: bool,
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
        return self._begin(JoinedMove(brake, plan.trajectory), check)

    @overload
    def follow_path(
        self,
        path: PathCurve,
        *,
        velocity: float | None = None,
        acceleration: float | None = None,
        mode: PathMode = "position",
        pitch: float | None = None,
        roll: float | None = None,
        wait: Literal[True] = True,
        check: bool = True,
    ) -> MotionResult: ...
    @overload
    def follow_path(
        self,
        path: PathCurve,
        *,
        velocity: float | None = None,
        acceleration: float | None = None,
        mode: PathMode = "position",
        pitch: float | None = None,
        roll: float | None = None,
        wait: Literal[False],
        check: bool = True,
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
        with self.session.lock:
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
        with self.session.lock:
            self.hold_position()
            motion = FollowMotion(self, target, speed)
            self.take_up(motion)
        return motion

    def stop(self) -> None:
        """Brake as hard as the limits allow, and hold, whatever the mode was."""
        if self.motion is not None and not self.motion.done:
            self.brake()
            self.motion.end(Outcome.STOPPED)
        self.hold_position()

    # --- other modes

    def command_velocity(self, velocity: ArrayLike) -> None:
        """Turn the joints at given speeds until the next command [rad/s]."""
        values = self._bounded(velocity, self.bounds.velocity, "velocity", "rad/s")
        with self.session.lock:
            self._set_mode(Mode.VELOCITY)
            self._velocity_command = values
            self._command_velocity()

    def command_torque(self, torque: ArrayLike, *, gravity: bool = True) -> None:
        """Make the motors give these torques until the next command [N m].

        Args:
            torque: Per joint.
            gravity: Add what holds the arm's own weight, refreshed in every tick.
        """
        values = self._bounded(torque, self.max_torque, "torque", "N m")
        with self.session.lock:
            self._set_mode(Mode.TORQUE)
            self._torque_command, self._gravity = values, gravity
            self._command_torque()

    def command_impedance(
        self, goal: ArrayLike, *, stiffness: ArrayLike = 5.0, damping: ArrayLike = 0.5
    ) -> None:
        """Let the joints give way like springs around a posture, with the weight taken off.

        Args:
            goal: Joint values [rad].
            stiffness: [N m/rad], one number or one per joint.
            damping: [N m s/rad], one number or one per joint.
        """
        posture = self.posture(goal)
        n = len(self.commanded)
        springs = [self._per_joint(stiffness, "stiffness"), self._per_joint(damping, "damping")]
        with self.session.lock:
            self._end_motion()
            self._drives.set_mode(Mode.IMPEDANCE, stiffness=springs[0], damping=springs[1])
            self.commanded = posture
            self._torque_command, self._gravity = np.zeros(n), True
            self._command_torque()

    # --- inside the tick

    def step(self, now: float) -> None:
        """Run the motion, or keep up what the mode asks for."""
        if self.motion is not None and not self.motion.done:
            self._braking = None
            self.motion.step(now)
        elif self._braking is not None:
            began, brake = self._braking
            position, velocity = brake.at(now - began + self.tick)
            chain = self.chain.dh
            self.send(np.clip(position, chain.lower, chain.upper), velocity)
            if now - began > brake.duration:
                self._braking = None
        elif (mode := self.mode) is Mode.VELOCITY:
            self._command_velocity()
        elif mode is not Mode.POSITION:
            self._command_torque()

    def at_rest(self) -> bool:
        """Tell whether nothing is commanded to move."""
        return self._braking is None and (self.motion is None or self.motion.done)

    def memory(self) -> tuple:
        """Return what the arm must know to go on: mode and commands."""
        return (
            self.mode,
            self.commanded,
            self.speed,
            self._torque_command,
            self._gravity,
            self._velocity_command,
            self._payload,
        )

    def recall(self, memory: tuple) -> None:
        """Go on from there; a motion in progress ends. The servos' own state is the world's."""
        if self.motion is not None and not self.motion.done:
            self.motion.end(Outcome.STOPPED)
        self.motion = self._braking = None
        self.dynamics.forget()
        self._drives.mode, self.commanded, self.speed = memory[:3]
        self._torque_command, self._gravity, self._velocity_command, self._payload = memory[3:]

    @property
    def payload(self) -> float:
        """Mass that the hand carries and the servos are told of [kg]."""
        return self._payload

    @payload.setter
    def payload(self, mass: float) -> None:
        checked = finite_number(mass, name="payload [kg]", lower=0.0, upper=10.0)
        with self.session.lock:
            changed, self._payload = checked != self._payload, checked
            if changed and self.mode is Mode.POSITION:
                self.send(self.commanded, self.speed)

    def send(self, position: Array, velocity: Array) -> None:
        """Command the servos for this tick, with the weight that they are told of."""
        self.commanded, self.speed = position, velocity
        self._drives.command(position=position, velocity=velocity, torque=self._weight(position))

    def _weight(self, position: Array) -> Array | None:
        """Return the torques that hold arm and payload in a posture, as far as they are fed."""
        if not (self._feeds_weight or self._payload):
            return None
        torque = np.zeros(len(position))
        if self._feeds_weight:
            torque += self.dynamics.gravity_torque(position)
        if self._payload:
            up = self.dynamics.jacobian(position)[2]
            torque += up * self._payload * -float(self.dynamics.model.opt.gravity[2])
        return torque

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

    def brake(self) -> None:
        """Come to rest as fast as the bounds allow, over the next ticks."""
        brake = JointMove.braking(self.commanded, self.bounds, start_velocity=self.speed)
        self._braking = (self.session.time, brake)

    def freeze(self) -> None:
        """Hold the joints where they are, at once: what was commanded may be inside something."""
        self.send(self.position.copy(), np.zeros(len(self.commanded)))

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

    def posture(self, goal: ArrayLike | str) -> Array:
        """Return the joint values of a goal, checked, or of a named posture [rad]."""
        if isinstance(goal, str):
            if goal not in self.chain.postures:
                raise UnknownName("posture", goal, self.chain.postures)
            goal = self.chain.postures[goal]
        posture = self.chain.dh.check(goal, limits=True)
        if posture.ndim != 1:
            raise InvalidInput(f"a posture is one row of joint values, got {len(posture)} rows")
        for joint, value in zip(self.chain.dh.joints, posture.tolist(), strict=True):
            if joint.unit == "rad":  # of a joint that turns without end; limits refuse the rest
                ask_about_degrees(value, f"joint '{joint.name}'")
        return posture

    def _plan_joints(self, goal: Array, speed: float) -> JointMove:
        bounds = self.bounds.scaled(speed)
        return JointMove(self.commanded, goal, bounds, start_velocity=self.speed)

    def _begin(self, trajectory: Trajectory, check: bool) -> Motion:
        touch = self.foresee(trajectory) if check else None
        if touch is not None:
            return self._refused(outcome=Outcome.BLOCKED, pair=touch.pair, overlap=touch.depth)
        motion = TrajectoryMotion(self, trajectory)
        self.take_up(motion)
        return motion

    def _refused(self, **numbers: Any) -> Motion:
        return FinishedMotion(self, MotionResult(**numbers))

    def take_up(self, motion: Motion) -> None:
        """Begin a motion in the place of the one in progress."""
        self._end_motion()
        self.motion = motion

    def _end_motion(self) -> None:
        if self.motion is not None and not self.motion.done:
            self.motion.end(Outcome.REPLACED)

    def hold_position(self) -> None:
        """Go back to position control where the arm is, if another mode was on."""
        if self.mode is not Mode.POSITION:
            here = self.position.copy()
            fed = self._weight(here)
            self._drives.set_mode(Mode.POSITION, fed=0.0 if fed is None else fed)
            self.commanded, self.speed = here, np.zeros(len(here))
            if fed is not None:
                self.send(here, self.speed)

    def _set_mode(self, mode: Mode) -> None:
        self._end_motion()
        if self.mode is not mode:
            self._drives.set_mode(mode)

    def _command_torque(self) -> None:
        torque = self._torque_command
        if self._gravity:
            torque = torque + self.dynamics.gravity_torque(self.position)
        self._drives.command(position=self.commanded, torque=torque)

    def _command_velocity(self) -> None:
        """Turn the joints, but not over their limits; the motors also carry the arm's weight."""
        wanted, chain = self._velocity_command, self.chain.dh
        at_end = ((self.position <= chain.lower) & (wanted < 0.0)) | (
            (self.position >= chain.upper) & (wanted > 0.0)
        )
        weight = self.dynamics.gravity_torque(self.position)
        self._drives.command(velocity=np.where(at_end, 0.0, wanted), torque=weight)

    def _per_joint(self, values: ArrayLike, what: str) -> Array:
        """Return one number, or one per joint, as one per joint."""
        n = len(self.commanded)
        try:
            array = np.broadcast_to(np.asarray(values, float), n)
        except (TypeError, ValueError, OverflowError):
            raise InvalidInput(f"{what} must be one number or {n}, got {values!r}") from None
        if not (np.isfinite(array).all() and (array >= 0.0).all()):
            raise InvalidInput(f"{what} must be finite and not negative, got {array.tolist()}")
        return array

    def _bounded(self, values: ArrayLike, limit: float, what: str, unit: str) -> Array:
        array = self.chain.dh.check(values)
        worst = int(np.abs(array).argmax())
        if abs(array[worst]) > limit:
            name = self.chain.joint_names[worst]
            raise InvalidInput(
                f"{what} of {name} is {array[worst]:g} {unit}, "
                f"allowed [-{limit:g}, {limit:g}] {unit}"
            )
        return array
