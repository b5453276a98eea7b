"""Servos: a motor with its own controller, in one of four modes.

In the model each is a `dcmotor` with the inputs position, velocity and torque, and gains that are
rewritten when the mode changes, as the firmware of the real servo does. What the motor cannot give
(torque, speed) is left to its model.
"""

from collections.abc import Sequence
from math import isfinite

import numpy as np

from mecano.actuators.gripper_inputs import input_line
from mecano.core.arrays import Array, Mask, finite_number
from mecano.core.devices import Mode
from mecano.core.errors import InvalidInput
from mecano.world.world import World

KP, KI, KD = 4, 5, 6
"""Where `actuator_gainprm` of a dcmotor holds the gains of its controller."""
IMAX = 8
"""Where `actuator_dynprm` of a dcmotor holds the limit of its integrator."""
NO_INTEGRAL = 1e-9
"""In the place of a zero integral gain, which the engine refuses for a servo with an integrator."""


class Servos:
    """The servos of some joints, commanded together. A command holds until the next one."""

    def __init__(
        self, world: World, names: Sequence[str], *, prefix: str = "", velocity_gain: float = 4.0
    ) -> None:
        """Look up the servos once and hold the posture the world is in.

        Args:
            world: Where they are.
            names: Joint names without the prefix, in the order of the commands.
            prefix: Of the robot in the world.
            velocity_gain: Of the velocity mode, at least [N m s/rad]; stronger servos take what
                damps them in the position mode.
        """
        self.name, self.names = f"{prefix}servos", tuple(names)
        self._world, self._velocity_gain = world, velocity_gain
        model = world.model
        self._ids = np.array([world.motor(prefix + name) for name in names])
        joints = [model.joint(prefix + name) for name in names]
        self._qpos = np.array([joint.qposadr[0] for joint in joints])
        address = model.actuator_ctrladr[self._ids]
        self._inputs = np.concatenate([address, address + 1, address + 2])
        self._command = np.zeros((3, len(names)))  # rows: position, velocity, torque
        self._own_gains = model.actuator_gainprm[self._ids][:, KP : KD + 1].copy()
        self.mode = Mode.POSITION
        self.zeros = np.zeros(len(names))
        """How far the servos' zeros are off [rad]: they turn too little by this."""
        self.hold()

    def set_mode(
        self, mode: Mode, *, stiffness: Array | None = None, damping: Array | None = None,
        fed: Array | float = 0.0,
    ) -> None:  # fmt: skip
        """Change what commands mean; the joints first hold (or, by torque, go limp).

        Args:
            mode: The new mode.
            fed: Torques that commands will bring along in the position mode [N m]; the integrators
                take over the rest of the load.
            stiffness: Of the impedance mode [N m/rad], per joint.
            damping: Of the impedance mode [N m s/rad], per joint.
        """
        gains = self._own_gains.copy()
        if mode is Mode.TORQUE:
            gains[:] = 0.0, NO_INTEGRAL, 0.0
        elif mode is Mode.VELOCITY:
            gains[:, :2] = 0.0, NO_INTEGRAL
            gains[:, 2] = np.maximum(gains[:, 2], self._velocity_gain)
        elif mode is Mode.IMPEDANCE:
            if stiffness is None or damping is None:
                raise InvalidInput("the impedance mode needs stiffness [N m/rad] and damping")
            gains[:, 0], gains[:, 1], gains[:, 2] = stiffness, NO_INTEGRAL, damping
        model, data = self._world.model, self._world.data
        model.actuator_gainprm[self._ids, KP : KD + 1] = gains
        load = data.actuator_force[self._ids]
        self.mode = mode
        self.carry(load - fed if mode is Mode.POSITION else np.zeros(len(load)))
        self.hold()

    def command(
        self,
        position: Array | None = None,
        velocity: Array | None = None,
        torque: Array | None = None,
    ) -> None:
        """Set what the servos shall do; what is not given is zero, or the position as it was."""
        if position is not None:
            self._command[0] = position - self.zeros
        self._command[1] = 0.0 if velocity is None else velocity
        self._command[2] = 0.0 if torque is None else torque
        flat = self._command.ravel()
        if not isfinite(flat.dot(flat)):
            text = f"position {position}, velocity {velocity}, torque {torque}"
            self._command[:] = self._world.data.ctrl[self._inputs].reshape(3, -1)
            raise InvalidInput(f"a command is not finite: {text}")
        self._world.data.ctrl[self._inputs] = flat

    def limit_torque(self, torque: float) -> None:
        """Let no servo give more than this [N m], whatever it could."""
        most = finite_number(torque, name="torque limit [N m]", lower=0.0)
        self._world.model.actuator_forcerange[self._ids] = -most, most

    def set_gains(self, position: Array) -> None:
        """Give the servos other gains of position [N m/rad], one per joint; they stay."""
        self._own_gains[:, 0] = position
        self._world.model.actuator_gainprm[self._ids, KP] = position

    def fail(self, joint: str) -> None:
        """Let a servo fail: it gives no torque any more, as without power."""
        which = self._ids[self.names.index(joint)]
        self._world.model.actuator_forcerange[which] = 0.0, 0.0

    @property
    def stiffness(self) -> Array:
        """Gains of position as they are now [N m/rad]."""
        return self._world.model.actuator_gainprm[self._ids, KP]

    @property
    def damping(self) -> Array:
        """Gains of speed as they are now [N m s/rad]."""
        return self._world.model.actuator_gainprm[self._ids, KD]

    def integrate(self, which: Mask, gain: float) -> Array:
        """Give some servos an integral and take it from the others, without a jerk.

        Args:
            which: True for those that shall have one. Shape (joints,).
            gain: Of the integral [N m/(rad s)].

        Returns:
            What the integrals held that are taken away [N m]; the caller goes on commanding it.
        """
        model, data = self._world.model, self._world.data
        states = model.actuator_actadr[self._ids]
        held = model.actuator_gainprm[self._ids, KI] * data.act[states]
        model.actuator_gainprm[self._ids, KI] = np.where(which, gain, NO_INTEGRAL)
        self.carry(np.where(which, held, 0.0))
        return np.where(which, 0.0, held)

    def carry(self, torque: Array) -> None:
        """Set the integrators to what holds these loads [N m], as if they had long settled."""
        model = self._world.model
        gain, most = model.actuator_gainprm[self._ids, KI], model.actuator_dynprm[self._ids, IMAX]
        self._world.data.act[model.actuator_actadr[self._ids]] = np.clip(torque / gain, -most, most)

    def hold(self) -> None:
        """Command the posture the joints are in, at rest."""
        self.command(position=self._world.data.qpos[self._qpos] + self.zeros)


class GripperServo:
    """The servo of a parallel gripper: a position and a force it may not exceed."""

    def __init__(
        self,
        world: World,
        joint: str,
        *,
        prefix: str = "",
        max_force: float,
        followers: Sequence[str] = (),
        leverage: float = 2.0,
    ) -> None:
        """Look up the servo.

        Args:
            world: Where it is.
            joint: The driven joint.
            prefix: Of the robot in the world.
            max_force: Of each finger [N]; the servo drives both.
            followers: Joints that move along; an actuator on a tendon pulls all of them.
            leverage: Change of the distance between the fingers per value of the joint, so also
                what the servo gives for a force of each finger: 2 for two that slide.
        """
        self._world, self._max_force, self._leverage = world, max_force, leverage
        self._id = world.motor(prefix + joint)
        others = [prefix + name for name in followers]
        self._scale, self._offset = input_line(world, self._id, prefix + joint, others)
        self._control = int(world.model.actuator_ctrladr[self._id])
        self._qpos = int(world.model.joint(prefix + joint).qposadr[0])
        self.command(float(world.data.qpos[self._qpos]))

    def command(self, position: float, force: float | None = None) -> None:
        """Move the fingers to a joint value [m] with at most this force of each finger [N]."""
        value = finite_number(position, name="gripper position [m]")
        given = self._max_force if force is None else force
        force = min(finite_number(given, name="grip force [N]", lower=0.0), self._max_force)
        limit = self._leverage * force
        self._world.model.actuator_forcerange[self._id] = -limit, limit
        self._world.data.ctrl[self._control] = self._scale * value + self._offset
