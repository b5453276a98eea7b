"""Servos of MuJoCo's plain actuators: `position`, `velocity`, `motor`, `general`, `intvelocity`.

Such an actuator has one input u and gives `gain u + b0 + b1 length + b2 speed`. With the gain 1 and
the bias `-kp length - kd speed` it is any PD servo, when it is given

    u = kp position + kd velocity + torque

so the four modes of `Servos` are the same four pairs of gains, rewritten as a firmware does. What
the file's own actuator had as gains holds in the position mode. A `velocity` actuator has no kp and
a `motor` no gains at all: those are computed from the inertia that the joint sees (`gains.py`).
Friction and damping that the file gives the joints are fed forward while a position moves, so that
a joint does not stop short of where it is sent.
"""

from collections.abc import Sequence
from math import isfinite

import mujoco
import numpy as np

from mecano.actuators.gains import pd_gains_of
from mecano.actuators.servos import Mode, Servos
from mecano.core.arrays import Array, Mask
from mecano.core.errors import InvalidInput
from mecano.world.world import World

FIXED = int(mujoco.mjtGain.mjGAIN_FIXED)
AFFINE, NO_BIAS = int(mujoco.mjtBias.mjBIAS_AFFINE), int(mujoco.mjtBias.mjBIAS_NONE)
INTEGRATOR = int(mujoco.mjtDyn.mjDYN_INTEGRATOR)
DYNAMICS = tuple(
    int(each)
    for each in (
        mujoco.mjtDyn.mjDYN_NONE, mujoco.mjtDyn.mjDYN_FILTER, mujoco.mjtDyn.mjDYN_FILTEREXACT,
        mujoco.mjtDyn.mjDYN_INTEGRATOR,
    )
)  # fmt: skip
KP, KD = 1, 2
"""Where `actuator_biasprm` holds the gains, with a minus sign."""
RATE = 10.0
"""Position gain of a `velocity` actuator over its own gain, at least [1/s]."""
POSTURES = 20
"""Random postures in which the largest inertia is looked for."""
CREEP = 0.01
"""Commands faster than this are fed the whole friction [rad/s or m/s]."""


def servos_for(world: World, names: Sequence[str], *, prefix: str = "") -> Servos:
    """Return the servos of some joints, whichever actuators the model has."""
    ids = [world.motor(prefix + name) for name in names]
    plain = [is_plain(world.model, i) for i in ids]
    if all(plain):
        return PlainServos(world, names, prefix=prefix)
    if any(plain):
        listed = ", ".join(name for name, each in zip(names, plain, strict=True) if each)
        raise InvalidInput(
            f"{listed} have plain actuators and the rest of the chain has not; "
            "give all joints of a chain one kind of actuator"
        )
    if not all(is_servo(world.model, i) for i in ids):
        listed = ", ".join(
            name for name, i in zip(names, ids, strict=True) if not is_servo(world.model, i)
        )
        raise InvalidInput(
            f"the actuators of {listed} cannot hold a position (muscles, dampers, varying gains); "
            "use position, velocity, motor, general with a fixed gain, or dcmotor"
        )
    return Servos(world, names, prefix=prefix)


def is_plain(model: mujoco.MjModel, actuator: int) -> bool:
    """Tell whether an actuator has one input, a fixed gain and no or an affine bias."""
    return (
        int(model.actuator_ctrlnum[actuator]) == 1
        and int(model.actuator_gaintype[actuator]) == FIXED
        and int(model.actuator_biastype[actuator]) in (AFFINE, NO_BIAS)
        and int(model.actuator_dyntype[actuator]) in DYNAMICS
    )


def is_servo(model: mujoco.MjModel, actuator: int) -> bool:
    """Tell whether an actuator is a dcmotor with a controller of position, velocity and torque."""
    return int(model.actuator_ctrlnum[actuator]) == 3


class PlainServos(Servos):
    """The plain actuators of some joints, commanded together."""

    def __init__(self, world: World, names: Sequence[str], *, prefix: str = "") -> None:
        """Look up the actuators once, and hold the posture the world is in.

        Args:
            world: Where they are.
            names: Joint names without the prefix, in the order of the commands.
            prefix: Of the robot in the world.
        """
        self.name, self.names, self._world = f"{prefix}servos", tuple(names), world
        model, data = world.model, world.data
        self._ids = np.array([world.motor(prefix + name) for name in names])
        joints = [model.joint(prefix + name) for name in names]
        self._qpos = np.array([joint.qposadr[0] for joint in joints])
        dofs = np.array([joint.dofadr[0] for joint in joints])
        self._controls = model.actuator_ctrladr[self._ids]
        self._integrating = model.actuator_dyntype[self._ids] == INTEGRATOR
        self._states = model.actuator_actadr[self._ids]
        self._gear = model.actuator_gear[self._ids, 0].copy()
        if not self._gear.all():
            raise InvalidInput(f"an actuator of {', '.join(names)} has the gear 0")
        mujoco.mj_forward(model, data)
        least, most = _inertias(model, data, self._qpos, dofs)
        self._own_pd = _gains(model, self._ids, least, most, self._gear)
        model.actuator_gainprm[self._ids, 0] = 1.0
        model.actuator_biastype[self._ids] = AFFINE
        model.actuator_ctrllimited[self._controls] = 0  # the input is a torque now
        model.actuator_actlimited[self._ids] = 0
        self._friction = model.dof_frictionloss[dofs].copy()
        self._viscous = model.dof_damping[dofs].copy()
        self._pd = self._own_pd.copy()
        self._rewrite()
        self._command = np.zeros((3, len(names)))  # rows: position, velocity, torque
        self.mode, self.zeros = Mode.POSITION, np.zeros(len(names))
        self.hold()

    def _rewrite(self) -> None:
        self._world.model.actuator_biasprm[self._ids, 0] = 0.0
        self._world.model.actuator_biasprm[self._ids, KP : KD + 1] = -(
            self._pd / self._gear[:, None] ** 2
        )

    def set_mode(
        self, mode: Mode, *, stiffness: Array | None = None, damping: Array | None = None,
        fed: Array | float = 0.0,
    ) -> None:  # fmt: skip
        """Change what commands mean; the joints first hold (or, by torque, go limp). See `Servos`.

        There is no integral: what `fed` does not carry, the position gain carries by an error.
        """
        pd = self._own_pd.copy()
        if mode is Mode.TORQUE:
            pd[:] = 0.0
        elif mode is Mode.VELOCITY:
            pd[:, 0] = 0.0
        elif mode is Mode.IMPEDANCE:
            if stiffness is None or damping is None:
                raise InvalidInput("the impedance mode needs stiffness [N m/rad] and damping")
            pd[:, 0], pd[:, 1] = stiffness, damping
        self._pd, self.mode = pd, mode
        self._rewrite()
        self.hold()

    def command(
        self,
        position: Array | None = None,
        velocity: Array | None = None,
        torque: Array | None = None,
    ) -> None:
        """Set what the servos shall do; what is not given is zero, or the position as it was."""
        before = self._command.copy()
        if position is not None:
            self._command[0] = position - self.zeros
        self._command[1] = 0.0 if velocity is None else velocity
        self._command[2] = 0.0 if torque is None else torque
        flat = self._command.ravel()
        if not isfinite(flat.dot(flat)):
            self._command = before
            text = f"position {position}, velocity {velocity}, torque {torque}"
            raise InvalidInput(f"a command is not finite: {text}")
        gains = -self._world.model.actuator_biasprm[self._ids, KP : KD + 1]
        inputs = (
            self._gear * (gains[:, 0] * self._command[0] + gains[:, 1] * self._command[1])
            + (self._command[2] + self._resistance()) / self._gear
        )
        if self._integrating.any():  # its state is what the gain is multiplied with
            which = self._integrating
            self._world.data.act[self._states[which]] = inputs[which]
            inputs = np.where(which, 0.0, inputs)
        self._world.data.ctrl[self._controls] = inputs

    def _resistance(self) -> Array | float:
        """Return what the joints themselves resist to the commanded motion [N m]. Shape (n,)."""
        if self.mode is not Mode.POSITION:
            return 0.0
        speed = self._command[1]
        return self._friction * np.clip(speed / CREEP, -1.0, 1.0) + self._viscous * speed

    def limit_torque(self, torque: float) -> None:
        """Let no servo give more than this [N m], whatever it could."""
        super().limit_torque(torque)
        ranges = self._world.model.actuator_forcerange[self._ids] / np.abs(self._gear)[:, None]
        self._world.model.actuator_forcerange[self._ids] = ranges
        self._world.model.actuator_forcelimited[self._ids] = 1

    def set_gains(self, position: Array) -> None:
        """Give the servos other gains of position [N m/rad], one per joint; they stay."""
        self._own_pd[:, 0] = self._pd[:, 0] = position
        self._rewrite()

    def fail(self, joint: str) -> None:
        """Let a servo fail: it gives no torque any more, as without power."""
        super().fail(joint)
        self._world.model.actuator_forcelimited[self._ids[self.names.index(joint)]] = 1

    @property
    def stiffness(self) -> Array:
        """Gains of position as they are now [N m/rad]."""
        return -self._world.model.actuator_biasprm[self._ids, KP] * self._gear**2

    @property
    def damping(self) -> Array:
        """Gains of speed as they are now [N m s/rad]."""
        return -self._world.model.actuator_biasprm[self._ids, KD] * self._gear**2

    def integrate(self, which: Mask, gain: float) -> Array:
        """Refuse: these servos have no integral."""
        raise InvalidInput(
            f"the actuators of {', '.join(self.names)} have no integral; use dcmotor actuators"
        )

    def carry(self, torque: Array) -> None:
        """Give these torques [N m] along with the posture that is held."""
        self.command(torque=torque)


def _inertias(
    model: mujoco.MjModel, data: mujoco.MjData, positions: np.ndarray, dofs: np.ndarray
) -> tuple[Array, Array]:
    """Return what each joint moves as it is now, and at most in some postures [kg m2 or kg]."""
    scratch, whole = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    scratch.qpos[:] = data.qpos
    rng = np.random.default_rng(0)
    joints = model.dof_jntid[dofs]
    limits = np.where(model.jnt_limited[joints, None] > 0, model.jnt_range[joints], [-1.5, 1.5])
    found = []
    for number in range(POSTURES + 1):
        if number:
            scratch.qpos[positions] = rng.uniform(*limits.T)
        mujoco.mj_kinematics(model, scratch)
        mujoco.mj_comPos(model, scratch)
        mujoco.mj_crb(model, scratch)
        mujoco.mj_fullM(model, scratch, whole)
        found.append(whole[dofs, dofs].copy())
    return found[0], np.max(found, axis=0)


def _gains(
    model: mujoco.MjModel, ids: np.ndarray, inertia: Array, most_inertia: Array, gear: Array
) -> Array:
    """Return kp and kd of each in the units of its joint, as the file has them or computed.

    Where they are computed, kp is that of an inertia between the present and the largest one (an
    arm that begins upright turns easily there), and kd damps the largest one critically.

    Shape (n, 2).
    """
    affine = model.actuator_biastype[ids] == AFFINE
    own = np.where(affine[:, None], -model.actuator_biasprm[ids, KP : KD + 1], 0.0)
    own = np.maximum(own * gear[:, None] ** 2, 0.0)
    limited = model.actuator_forcelimited[ids] > 0
    force = np.abs(model.actuator_forcerange[ids]).max(axis=1)
    motor = model.actuator_ctrllimited[model.actuator_ctrladr[ids]] > 0
    most = np.abs(model.actuator_ctrlrange[model.actuator_ctrladr[ids]]).max(axis=1)
    most = np.where(motor & ~affine, most * np.abs(model.actuator_gainprm[ids, 0]), np.inf)
    effort = np.minimum(np.where(limited, force, np.inf), most) * np.abs(gear)
    kp, _ = pd_gains_of(np.sqrt(inertia * most_inertia), effort)
    kp = np.maximum(kp, RATE * own[:, 1])
    kd = 2.0 * np.sqrt(kp * most_inertia)
    guided = own[:, 0] > 0.0
    stiff = np.where(guided, own[:, 0], kp)
    damp = np.where(guided, own[:, 1], np.maximum(own[:, 1], kd))
    # A position servo without kv is damped by its joint; what is missing to critical is added.
    joint = np.array(
        [model.dof_damping[int(model.jnt_dofadr[j])] for j in model.actuator_trnid[ids, 0]]
    )
    critical = 2.0 * np.sqrt(stiff * inertia)
    damp = np.where(guided & (own[:, 1] == 0.0), np.maximum(critical - joint, 0.0), damp)
    return np.stack([stiff, damp], axis=1)
