"""The motors: what a servo's firmware orders, done by an actuator of the MuJoCo model."""

from abc import ABC, abstractmethod
from math import copysign, inf

from mecano.bridge.dynamixel.firmware import Order
from mecano.bridge.dynamixel.servo import EmulatedServo
from mecano.hardware.dynamixel.tables import CENTRE, CURRENT, TICK
from mecano.robots.description import Gripper, ServoWire
from mecano.world.world import World

KP, KI, KD, MOST_VOLTAGE = 4, 5, 6, 7
"""Where `actuator_gainprm` of a dcmotor holds gains and voltage."""
RESISTANCE, CONSTANT = 0, 1
"""Where it holds the motor's resistance and torque constant."""
NO_INTEGRAL = 1e-9
"""The engine refuses an integral gain of zero for a motor with an integrator."""
USUAL_P, USUAL_I, USUAL_D = 800, 100, 100
"""Values of the gain registers for which the gains of the model stand (see model.xml)."""
GRIP_CURRENT = 200 * CURRENT
"""Current at which a finger gives its `max_force` (see the description of the gripper) [A]."""


class Joint(ABC):
    """A joint with its servo: ticks here, radians or metres in the world."""

    stall: float
    """Torque or force when the motor is blocked at full voltage [N m or N]."""

    def __init__(self, world: World, wire: ServoWire, servo: EmulatedServo, prefix: str) -> None:
        """Look up joint and actuator."""
        self.wire, self.servo = wire, servo
        self.model, self.data = world.model, world.data
        joint = world.model.joint(prefix + wire.joint)
        self.actuator = world.index("actuator", prefix + wire.joint)
        self._qpos, self._qvel = int(joint.qposadr[0]), int(joint.dofadr[0])
        self.input = int(world.model.actuator_ctrladr[self.actuator])
        self.state = int(world.model.actuator_actadr[self.actuator])
        self._was_limp = True
        self.sign = 1.0
        """Minus one if the joint's value falls while ticks grow."""
        self.look_at_settings()

    @property
    def value(self) -> float:
        """Where the joint is [rad or m]."""
        return float(self.data.qpos[self._qpos])

    @property
    def speed(self) -> float:
        """How fast it moves [rad/s or m/s]."""
        return float(self.data.qvel[self._qvel])

    @property
    def effort(self) -> float:
        """Torque or force of the motor on the joint [N m or N]."""
        return float(self.data.actuator_force[self.actuator])

    def look_at_settings(self) -> None:
        """Find out which way the servo counts, and from where."""
        mirrored = bool(self.servo.get("drive_mode") & 1) != self.wire.reverse
        self.sign = copysign(1.0, self.wire.per_tick) * (-1 if mirrored else 1)
        away = self.wire.zero - CENTRE
        self._zero = CENTRE + (-away if mirrored else away) + self.servo.get("homing_offset")
        self._per_tick = abs(self.wire.per_tick) * self.sign

    def ticks(self) -> float:
        """Return where the horn is, as the servo sees it."""
        return self._zero + self.value / self._per_tick

    def at(self, ticks: float) -> float:
        """Return the joint's value at which the servo sees these ticks [rad or m]."""
        return (ticks - self._zero) * self._per_tick

    def current(self) -> float:
        """Return the motor's current [A], positive towards growing ticks."""
        return self.effort / self.stall * self.servo.model.stall_current * self.sign

    def push(self, current: float) -> float:
        """Return the torque or force of a raw current on the joint, at most what it stalls at."""
        share = current * CURRENT / self.servo.model.stall_current
        return min(max(share, -1.0), 1.0) * self.stall * self.sign

    def duty(self, supply: float) -> float:
        """Return the share of the voltage on the motor, positive towards growing ticks."""
        model = self.servo.model
        turning = self.speed / abs(self.wire.per_tick) * TICK / model.idle_speed
        share = (self.effort / self.stall + turning) * self.sign * model.voltage / max(supply, 1.0)
        return min(max(share, -1.0), 1.0)

    def obey(self, order: Order, supply: float) -> None:
        """Set the actuator to what the firmware orders, with so much voltage [V]."""
        limp = not order.holds and not order.current and order.duty is None
        if limp:
            self.let_go()
        else:
            if self._was_limp:
                self.take_over()
            self.drive(order, supply)
        self._was_limp = limp

    @abstractmethod
    def let_go(self) -> None:
        """Switch the motor off."""

    @abstractmethod
    def take_over(self) -> None:
        """Forget what was before the motor was switched on."""

    @abstractmethod
    def drive(self, order: Order, supply: float) -> None:
        """Do what a motor that is on is ordered."""


class TurningJoint(Joint):
    """A joint with a `dcmotor` that has a controller; see the model of the arm."""

    def __init__(self, world: World, wire: ServoWire, servo: EmulatedServo, prefix: str) -> None:
        """Take the model's own gains as those of the registers' usual values."""
        super().__init__(world, wire, servo, prefix)
        self.stall = servo.model.stall_torque
        self._gains = self.model.actuator_gainprm[self.actuator].copy()
        self._drag = servo.model.stall_torque / servo.model.idle_speed  # of the turning motor

    def let_go(self) -> None:
        """Give no torque at all."""
        self._set_gains(0.0, 0.0, 0.0)
        self.data.ctrl[self.input : self.input + 3] = self.value, 0.0, 0.0

    def take_over(self) -> None:
        """Empty the integrator."""
        self.data.act[self.state] = 0.0

    def drive(self, order: Order, supply: float) -> None:
        """Set gains and inputs: position, velocity, torque."""
        share = abs(self.servo.get("goal_pwm")) / 885 if order.duty is None else 1.0
        self.model.actuator_gainprm[self.actuator, MOST_VOLTAGE] = max(0.1, supply * share)
        limit = min(self.stall, abs(self.push(order.current))) if order.holds else self.stall
        self.model.actuator_forcerange[self.actuator] = -limit, limit
        control = self._hold(order) if order.holds else self._push(order)
        self.data.ctrl[self.input : self.input + 3] = control

    def _hold(self, order: Order) -> tuple[float, float, float]:
        kp, ki, kd = self._gains[[KP, KI, KD]]
        damping = kd - self._drag  # the rest of kd is what a turning motor loses by itself
        if not order.own_gains:
            kp *= self.servo.get("position_p_gain") / USUAL_P
            ki *= self.servo.get("position_i_gain") / USUAL_I
            damping *= self.servo.get("position_d_gain") / USUAL_D
        self._set_gains(kp, ki, self._drag + damping)
        velocity = order.velocity * abs(self.wire.per_tick) * self.sign
        return self.at(order.position), velocity * damping / (self._drag + damping), 0.0

    def _push(self, order: Order) -> tuple[float, float, float]:
        if order.duty is None:
            self._set_gains(0.0, 0.0, 0.0)
            return self.value, 0.0, self.push(order.current)
        self._set_gains(0.0, 0.0, self._drag)
        return self.value, 0.0, order.duty * self.stall * self.sign

    def _set_gains(self, kp: float, ki: float, kd: float) -> None:
        self.model.actuator_gainprm[self.actuator, KP : KD + 1] = kp, max(ki, NO_INTEGRAL), kd


class FingerJoint(Joint):
    """The gripper, a stiff `pid` whose force is limited; it has no gains to write."""

    def __init__(
        self, world: World, wire: ServoWire, servo: EmulatedServo, prefix: str, gripper: Gripper
    ) -> None:
        """Both fingers hang on the one servo."""
        super().__init__(world, wire, servo, prefix)
        self._ends = sorted((gripper.closed, gripper.open))
        self.stall = 2.0 * gripper.max_force * servo.model.stall_current / GRIP_CURRENT

    def let_go(self) -> None:
        """Give no force at all."""
        self.model.actuator_forcerange[self.actuator] = 0.0, 0.0
        self.data.ctrl[self.input] = self.data.act[self.state] = self.value

    def take_over(self) -> None:
        """Begin from where the fingers are: the state is the command on its way."""
        self.data.act[self.state] = self.value

    def drive(self, order: Order, supply: float) -> None:
        """Set the goal and the force limit."""
        if order.holds:
            goal, force = self.at(order.position), abs(self.push(order.current))
        else:
            push = self.push(order.current) if order.duty is None else order.duty * self.stall
            goal, force = self._ends[push > 0.0], abs(push)
        if order.current == inf and order.holds:
            force = self.stall
        self.model.actuator_forcerange[self.actuator] = -force, force
        self.data.ctrl[self.input] = goal
