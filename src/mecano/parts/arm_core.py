"""What an arm reads, what its motors are told in every tick, and the modes they are in."""

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.devices import JointSensor, Mode
from mecano.core.devices import Servos as ServoDevice
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.notices import ask_about_degrees
from mecano.core.poses import Pose
from mecano.kinematics.chain import Chain
from mecano.parts.motions import Motion
from mecano.parts.part import JointedPart
from mecano.parts.results import Outcome
from mecano.parts.surroundings import Surroundings
from mecano.planning.trajectories import Bounds, JointMove, Trajectory
from mecano.robots.description import MotionLimits
from mecano.session.session import Session
from mecano.world.robot_model import RobotModel

POSITIONED = (Mode.POSITION, Mode.IMPEDANCE)
"""Modes in which joint positions are commanded."""


class ArmCore(JointedPart):
    """An arm without its moves: devices, modes and the tick. Users have an `Arm`."""

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

    def summary(self) -> str:
        """Return joint values and mode in a line."""
        return f"{super().summary()}; mode {self.mode}"

    def targets(self) -> Array:
        """Return the commanded joint positions; NaN in modes that command none [rad or m]."""
        if self.mode in POSITIONED:
            return self.commanded
        return np.full(len(self.commanded), np.nan)

    def target_speeds(self) -> Array:
        """Return the commanded joint velocities [rad/s or m/s]."""
        return self.speed

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
        with self.session.commanding():
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
        with self.session.commanding():
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
        with self.session.commanding():
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
        with self.session.commanding():
            changed, self._payload = checked != self._payload, checked
            if changed and self.mode is Mode.POSITION:
                self.send(self.commanded, self.speed)

    def send(self, position: Array, velocity: Array, load: Array | None = None) -> None:
        """Command the servos for this tick, with the weight that they are told of.

        Args:
            position: Joint values [rad or m].
            velocity: Of the joints [rad/s or m/s].
            load: Torques beside those for its own weight, of a leg that carries a robot [N m].
        """
        self.commanded, self.speed = position, velocity
        torque = self._weight(position)
        if load is not None:
            torque = load if torque is None else torque + load
        self._drives.command(position=position, velocity=velocity, torque=torque)

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

    def brake(self) -> None:
        """Come to rest as fast as the bounds allow, over the next ticks."""
        brake = JointMove.braking(self.commanded, self.bounds, start_velocity=self.speed)
        self._braking = (self.session.time, brake)

    def freeze(self) -> None:
        """Hold the joints where they are, at once: what was commanded may be inside something."""
        self.send(self.position.copy(), np.zeros(len(self.commanded)))

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
