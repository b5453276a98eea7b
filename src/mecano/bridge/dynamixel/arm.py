"""`EmulatedArm`: a serial port with a whole arm behind it, for tests and for teaching."""

from collections.abc import Sequence
from pathlib import Path

from mecano.bridge.dynamixel.bus import EmulatedBus
from mecano.bridge.dynamixel.faults import Fault, Faults
from mecano.bridge.dynamixel.joints import FingerJoint, Joint, TurningJoint
from mecano.bridge.dynamixel.motion import Motion
from mecano.bridge.dynamixel.servo import EmulatedServo
from mecano.bridge.dynamixel.terminal import Terminal
from mecano.bridge.dynamixel.virtual_port import VirtualPort
from mecano.core.clocks import VirtualClock
from mecano.core.errors import InvalidInput
from mecano.hardware.dynamixel.tables import BAUD_RATES
from mecano.importing.sources import find_robot
from mecano.lab.robot import connect
from mecano.robots.description import RobotDescription, ServoWire
from mecano.world.assembly import Change
from mecano.world.world import World


class EmulatedArm:
    """A robot's servos on an emulated bus, moving its model. Use it in `with`.

    Time is real, and the port a pseudo-terminal for any program. With a `VirtualClock` the port is
    one of this process, and time passes in whoever waits on that clock: nothing depends on how
    fast the computer is.
    """

    def __init__(
        self,
        robot: str = "open_manipulator_x",
        *,
        scene: str | Path = "table",
        seed: int = 0,
        faults: Sequence[Fault | str] = (),
        wire_time: bool = True,
        baud: int = 1_000_000,
        changes: Sequence[Change] = (),
        start: str = "home",
        link: str | Path | None = None,
        clock: VirtualClock | None = None,
    ) -> None:
        """Switch the robot on; its motors are off, so it sinks from where it starts.

        Args:
            robot: Name; its description says which servo moves which joint.
            scene: Name of a scene, or path of an MJCF file.
            seed: Of the faults that come by chance.
            faults: What shall go wrong, as `Fault` or as words: "lost=0.01", "overload=12@5".
            wire_time: Take the time that bytes need on a real wire.
            baud: Speed the servos are set to [bit/s].
            changes: Functions that edit the scene's model before it is compiled.
            start: Named posture in which the arm begins.
            link: A second name of the port; it outlives unplugging and plugging in.
            clock: Virtual time, for a program of this process; None for real time.
        """
        description = find_robot(robot)
        settings = _settings(description, baud)
        self.faults = Faults(faults, seed=seed)
        """What goes wrong; change it at any time."""
        self.world: World = connect(
            robot, scene=scene, seed=seed, changes=changes, start=start
        ).world
        """The simulated arm. It is stepped by the clock: look, push, but do not step it."""
        self.servos = {name: EmulatedServo(each) for name, each in settings.items()}
        """By the id they begin with."""
        self.bus = EmulatedBus(list(self.servos.values()), faults=self.faults, clock=clock)
        joints = [
            _joint(self.world, wire, self.servos[wire.id], description)
            for wire in description.wiring
        ]
        self._motion = Motion(self.world, self.bus, joints, self._happen)
        kind = Terminal if clock is None else VirtualPort
        self._terminal = kind(self.bus, wire_time=wire_time, link=link)
        self._plugged = True
        self._motion.start()

    @property
    def port(self) -> str:
        """Name of the port: the link if there is one, else the path of the terminal."""
        return self._terminal.port

    def advance(self, seconds: float) -> None:
        """Let virtual time pass while nobody says anything on the bus."""
        if not isinstance(self.bus.clock, VirtualClock):
            raise InvalidInput("time runs by itself here; give the arm a virtual clock")
        self.bus.clock.sleep(seconds)

    def unplug(self) -> None:
        """Pull the cable: the port vanishes. The servos go on, as long as their watchdogs let."""
        self.faults.plugged = False
        self._follow_cable()

    def replug(self) -> None:
        """Plug the cable in again. Without a link the port may have another name."""
        self.faults.plugged = True
        self._follow_cable()

    def close(self) -> None:
        """Switch everything off."""
        self._motion.close()
        self._terminal.close()

    def __enter__(self) -> "EmulatedArm":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _happen(self, now: float) -> None:
        self.faults.advance(now)
        self._follow_cable()

    def _follow_cable(self) -> None:
        plugged = self.faults.plugged
        if plugged != self._plugged:
            self._plugged = plugged
            (self._terminal.plug if plugged else self._terminal.unplug)()


def _settings(description: RobotDescription, baud: int) -> dict[int, dict[str, int]]:
    """Return what is set in each servo by who built the arm, by id."""
    if not description.wiring:
        raise InvalidInput(f"'{description.name}' has no servos on a bus to emulate")
    codes = {rate: code for code, rate in BAUD_RATES.items()}
    if baud not in codes:
        raise InvalidInput(f"baud is {baud}, allowed: {', '.join(map(str, codes))}")
    return {
        wire.id: {
            "id": wire.id,
            "baud_rate": codes[baud],
            "operating_mode": wire.mode,
            "drive_mode": int(wire.reverse),
        }
        for wire in description.wiring
    }


def _joint(
    world: World, wire: ServoWire, servo: EmulatedServo, description: RobotDescription
) -> Joint:
    prefix = f"{description.name}/"
    if description.gripper is not None and wire.joint == description.gripper.joint:
        return FingerJoint(world, wire, servo, prefix, description.gripper)
    return TurningJoint(world, wire, servo, prefix)
