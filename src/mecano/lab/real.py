"""The real backend: servos on a wire behind the session's tick, and a shadow of them in a world.

The shadow is a world that is never stepped. In every tick it takes on the joint values that the
encoders read, so whatever looks at a world (recorder, viewer, collision check) looks at the real
arm in the same way.
"""

from typing import Any, NoReturn

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.devices import Mode
from mecano.core.errors import InvalidInput, MecanoError
from mecano.hardware.dynamixel.bank import ServoBank
from mecano.hardware.dynamixel.devices import FingerServo
from mecano.robots.description import RobotDescription
from mecano.world.robot_model import Carried, RobotModel, Touch
from mecano.world.world import World


class RealBackend:
    """Asks the servos and tells them, once per tick.

    Time is that of the bus, but a computer that was held up does not make the arm jump: no tick
    lets more than two ticks of time pass.
    """

    def __init__(self, bank: ServoBank, shadow: "Shadow", *, limp: bool) -> None:
        """Take servos that are connected; `limp` lets them go at the end."""
        self.bank, self.shadow, self.limp = bank, shadow, limp
        self.finger: FingerServo | None = None
        self._now, self._read_at = 0.0, bank.time

    @property
    def tick(self) -> float:
        """Length of one tick [s]."""
        return self.bank.tick

    @property
    def time(self) -> float:
        """Time since the connection [s]."""
        return self._now

    def sense(self) -> None:
        """Read all servos."""
        self.bank.sense()
        passed, self._read_at = self.bank.time - self._read_at, self.bank.time
        self._now += min(passed, 2.0 * self.tick)
        self.bank.stamp = self._now
        self.shadow.show(self._now, self.bank.position, self.bank.velocity)

    def advance(self) -> None:
        """Send what was commanded."""
        if self.finger is not None:
            self.finger.step()
        self.bank.send()

    def snapshot(self) -> None:
        """Return nothing: a real robot has no state that one could go back to."""

    def restore(self, snapshot: Any) -> None:
        """Refuse."""
        raise InvalidInput("a real robot cannot be set back; move it to where it shall begin")

    def end(self) -> None:
        """Leave the robot in its defined end state and let go of the port."""
        try:
            self.bank.power_down(limp=self.limp)
        except MecanoError:
            return  # the cable is gone: the servos' own watchdogs have stopped them
        finally:
            self.bank.bus.close()


class Shadow:
    """The real robot in a world."""

    def __init__(self, world: World, description: RobotDescription, prefix: str) -> None:
        """Look up the joints that the wires move, and the finger that follows."""
        self.world = world
        joints = [world.model.joint(prefix + wire.joint) for wire in description.wiring]
        self._positions = [int(joint.qposadr[0]) for joint in joints]
        self._velocities = [int(joint.dofadr[0]) for joint in joints]
        names = [wire.joint for wire in description.wiring]
        self._followers = [
            (int(world.model.joint(prefix + follower).qposadr[0]), names.index(gripper.joint))
            for gripper in description.grippers.values()
            for follower in gripper.followers
        ]

    def show(self, now: float, position: Array, velocity: Array) -> None:
        """Take on joint values at a time [s]."""
        data = self.world.data
        data.time = now
        data.qpos[self._positions] = position
        data.qvel[self._velocities] = velocity
        for follower, row in self._followers:
            data.qpos[follower] = position[row]
        mujoco.mj_kinematics(self.world.model, data)


class RealDrives:
    """The servos of a real arm. They take positions; the other modes would drop the arm."""

    def __init__(self, bank: ServoBank, rows: slice) -> None:
        """Command some rows of a bank."""
        self.mode = Mode.POSITION
        self._bank, self._rows = bank, rows

    def command(
        self,
        position: Array | None = None,
        velocity: Array | None = None,
        torque: Array | None = None,
    ) -> None:
        """Set goals; they are sent at the end of the tick."""
        if position is not None:
            self._bank.command(self._rows, np.asarray(position, float))

    def set_mode(
        self, mode: Mode, *, stiffness: Array | None = None, damping: Array | None = None,
        fed: Array | float = 0.0,
    ) -> None:  # fmt: skip
        """Stay in position control, and refuse everything else."""
        if mode is not Mode.POSITION:
            raise InvalidInput(
                f"the real arm takes positions, not the mode '{mode}': its servos change mode only "
                "with the motors off, and the arm would fall; try it in simulation"
            )


class UnknownSurroundings:
    """Around a real robot nothing is known but what the scene says."""

    def __init__(self, world: World) -> None:
        """Take the scene the robot is said to stand in."""
        self.world = world

    def look(self, model: RobotModel) -> None:
        """Put the scene into the model."""
        model.look_at(self.world.data)

    def refresh(self, model: RobotModel) -> Carried | None:
        """Put the scene into the model; what the hand carries is not known."""
        self.look(model)
        return None

    def touched(self, model: RobotModel) -> Touch | None:
        """Return None: no sensor tells."""
        return None


class NoTruth:
    """In the place of what only a simulation knows."""

    def __getattr__(self, name: str) -> NoReturn:
        raise InvalidInput(
            f"robot.truth.{name} is known in simulation only; a real robot has no such sensor"
        )


def check_posture(bank: ServoBank, description: RobotDescription) -> None:
    """Refuse to start from readings that no correct wiring can give."""
    outside = np.maximum(bank.lower - bank.position, bank.position - bank.upper)
    for row, wire in enumerate(bank.wires):
        if outside[row] > (0.1 if wire.mode != 5 else 0.01):
            raise InvalidInput(
                f"{wire.joint} (id {wire.id}) reads {bank.position[row]:.3f}, outside its limits "
                f"[{bank.lower[row]:.3f}, {bank.upper[row]:.3f}]: move it inside by hand, or check "
                f"ids, mounting and homing offset with: mecano doctor {bank.bus.port}"
            )


def _held_loads(bank: ServoBank, *, ticks: int = 20, longest: int = 200) -> Array:
    """Wait until the servos hold still, and return the mean of their efforts over some ticks."""
    efforts: list[Array] = []
    for _ in range(longest):
        bank.send()
        bank.bus.clock.sleep(bank.tick)
        bank.sense()
        still = np.abs(bank.velocity).max() < 0.03
        efforts = [*efforts, bank.effort.copy()] if still else []
        if len(efforts) == ticks:
            break
    return np.mean(efforts, axis=0) if efforts else np.zeros(len(bank.wires))


def check_wiring(bank: ServoBank, model: RobotModel, rows: slice, *, least: float = 0.25) -> None:
    """Compare the torques that hold the arm with its weight: a swapped or reversed joint shows.

    Args:
        bank: The servos, holding.
        model: The arm's model.
        rows: The joints of the arm in the bank.
        least: Loads below this are lost in friction and tell nothing [N m]; a joint at its end
            tells nothing either, because the end carries it.
    """
    loads, q = _held_loads(bank)[rows], bank.position[rows].copy()
    at_end = np.minimum(q - bank.lower[rows], bank.upper[rows] - q) < 0.1
    if model.collision(q) is not None:
        return  # the arm lies on something that carries its weight
    expected = np.where(at_end, 0.0, model.gravity_torque(q))
    for wire, load, weight in zip(bank.wires[rows], loads, expected, strict=True):
        if abs(weight) > least and load * weight < 0.0 and abs(load) > least:
            raise InvalidInput(
                f"{wire.joint} (id {wire.id}) holds with {load:+.2f} N m where its weight needs "
                f"{weight:+.2f} N m: the joint is mounted the other way round, or two ids are "
                "swapped; check them with: mecano doctor"
            )
