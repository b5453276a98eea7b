"""Connecting to a real robot: find its servos, check them, put the same parts on top of them."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import numpy as np

from mecano.core.arrays import Array
from mecano.core.clocks import VirtualClock
from mecano.core.errors import InvalidInput, MecanoError
from mecano.hardware.dynamixel.bank import ServoBank
from mecano.hardware.dynamixel.bus import BAUDS, Bus
from mecano.hardware.dynamixel.devices import FingerJoint, FingerServo, ServoJoints
from mecano.hardware.errors import NoAnswer
from mecano.importing.sources import Source, find_robot, robot_label
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh_fast import prepare
from mecano.kinematics.legs import LegChain
from mecano.lab.building import build, calibrated, make_world, motion_limits
from mecano.lab.checks import checked_changes, checked_scene, checked_seed, checked_settings
from mecano.lab.families import BaseDevices, GripperDevices, JointDevices, LegDevices
from mecano.lab.real import (
    NoTruth,
    RealBackend,
    RealDrives,
    Shadow,
    UnknownSurroundings,
    check_posture,
    check_wiring,
)
from mecano.lab.robot import Robot, SomeSettings
from mecano.lab.settings import Settings
from mecano.robots.calibration import Calibration
from mecano.robots.description import Gripper as GripperFacts
from mecano.robots.description import RobotDescription
from mecano.robots.hands import HandFacts
from mecano.robots.legged import ImuFacts, LeggedBody
from mecano.robots.mobile import CameraFacts, LidarFacts, RangeFacts, WheeledBase
from mecano.session.session import OnFailure, Session
from mecano.world.assembly import Change, Placement
from mecano.world.robot_model import RobotModel
from mecano.world.world import World


def connect_real(
    robot: Source,
    port: str,
    *,
    scene: str | Path,
    seed: int,
    settings: SomeSettings,
    changes: Sequence[Change],
    limp: bool,
    on_failure: OnFailure = "report",
    calibration: Calibration | bool | None = None,
) -> Robot:
    """Return the real robot on a serial port. Its motors are on and hold; nothing has moved."""
    description = find_robot(robot)
    name = robot_label(robot, description)
    if not description.wiring:
        raise InvalidInput(_no_driver(description))
    scene, seed, changes = checked_scene(scene), checked_seed(seed), checked_changes(changes)
    chosen = checked_settings(settings)
    world = make_world([Placement(robot=description, prefix=f"{name}/")], scene, chosen, changes)
    prepare()  # a real arm must not wait for a compiler in the middle of a motion
    bus = open_bus(port, description)
    try:
        limited = chosen.limited(description.chain())
        chain = calibrated(limited, description, calibration)
        built = _build(
            bus, description, world, chosen, chain, calibration=calibration, seed=seed, limp=limp
        )
        built.session.on_failure = on_failure
        return built
    except BaseException:
        bus.close()
        raise


def _no_driver(description: RobotDescription) -> str:
    """Say why a robot without wiring cannot be connected to."""
    models = sorted({servo.model for servo in description.servos.values()})
    if description.legged is not None and models:
        return (
            f"there is no driver for the servos of '{description.name}' yet ({', '.join(models)}); "
            "leave `real` out to simulate it"
        )
    return f"'{description.name}' has no servos that could be on a port; leave `real` out"


def open_bus(port: str, description: RobotDescription) -> Bus:
    """Open the port; if nobody answers, say at which speeds somebody would."""
    ids = [wire.id for wire in description.wiring]
    bus = Bus(port)
    try:
        if any(bus.ping(servo) is not None for servo in ids):
            return bus
    except BaseException:
        bus.close()
        raise
    bus.close()
    for baud in BAUDS[1:]:
        with Bus(port, baud=baud) as other:
            found = [servo for servo in ids if other.ping(servo) is not None]
        if found:
            raise NoAnswer(
                f"the servos on {port} answer at {baud} bit/s, not at {BAUDS[0]}: set them with "
                f"mecano doctor {port} --set-baud"
            )
    tried = ", ".join(str(baud) for baud in BAUDS)
    raise NoAnswer(
        f"nobody answers on {port} (ids {ids[0]} to {ids[-1]}, tried {tried} bit/s); is the 12 V "
        "supply on, and is it the right port?"
    )


def _build(
    bus: Bus,
    description: RobotDescription,
    world: World,
    settings: Settings,
    chain: Chain,
    *,
    calibration: Calibration | bool | None,
    seed: int,
    limp: bool,
) -> Robot:
    """Check the servos, switch them on and put arm and gripper on top."""
    name, prefix = description.name, f"{description.name}/"
    bank = make_bank(bus, description, chain, settings)
    rows = slice(0, len(chain.joint_names))
    check_posture(bank, description)
    shadow = Shadow(world, description, prefix)
    try:
        bank.power_up()
        backend = RealBackend(bank, shadow, limp=limp)
        virtual = bus.clock if isinstance(bus.clock, VirtualClock) else None
        session = Session(backend, seed=seed, clock=virtual)
        model = RobotModel(world.model, description, prefix=prefix, chain=chain.name)
        check_wiring(bank, model, rows)
    except BaseException:
        with suppress(MecanoError):  # what went wrong first is what the user must know
            bank.power_down(limp=limp)
        raise
    robot = Robot(description, session, name)
    robot.truth = cast(Any, NoTruth())
    build(
        robot,
        DynamixelDevices(backend, bank, world, description, rows),
        settings,
        calibration=calibration,
    )
    session.start_background()
    return robot


class DynamixelDevices:
    """Devices of an arm and its gripper on a bus of Dynamixel servos, real or emulated."""

    name, real = "Dynamixel", True

    def __init__(
        self, backend: RealBackend, bank: ServoBank, world: World, robot: RobotDescription,
        rows: slice,
    ) -> None:  # fmt: skip
        """Take the servos; `rows` of them are the arm's joints."""
        self.backend, self.world = backend, world
        self.surroundings = UnknownSurroundings(world)
        self._bank, self._robot, self._rows = bank, robot, rows

    def arm(self, chain: Chain, model: RobotModel, resolution: Array) -> JointDevices:
        """Return the devices of the arm."""
        return JointDevices(ServoJoints(self._bank, self._rows), RealDrives(self._bank, self._rows))

    def gripper(self, facts: GripperFacts) -> GripperDevices:
        """Return the devices of the gripper."""
        row = slice(self._rows.stop, self._rows.stop + 1)
        crank = _metres_per_radian(self._robot)
        self.backend.finger = FingerServo(self._bank, row, crank)
        return GripperDevices(FingerJoint(self._bank, row, crank), self.backend.finger)

    def hand(self, facts: HandFacts) -> JointDevices | None:
        """Return None: the bus has no hand."""
        return None

    def legs(
        self, facts: LeggedBody, chains: Sequence[LegChain], resolution: Array
    ) -> LegDevices | None:
        """Return None: the bus has no legs."""
        return None

    def base(self, facts: WheeledBase) -> BaseDevices | None:
        """Return None: the bus has no base."""
        return None

    def imu(self, facts: ImuFacts) -> None:
        """Return None: the bus has no inertial sensor."""

    def range_sensor(self, facts: RangeFacts) -> None:
        """Return None: the bus has no distance sensor."""

    def lidar(self, facts: LidarFacts) -> None:
        """Return None: the bus has no LIDAR."""

    def camera(self, facts: CameraFacts) -> None:
        """Return None: the bus has no camera."""


def make_bank(
    bus: Bus,
    description: RobotDescription,
    chain: Chain | None = None,
    settings: Settings | None = None,
) -> ServoBank:
    """Return the servos with the limits of the arm and the gripper."""
    chain, settings = chain or description.chain(), settings or Settings()
    lower, upper = chain.dh.lower, chain.dh.upper
    fastest = np.full(len(lower), motion_limits(description, settings).velocity)
    gripper = description.gripper
    if gripper is not None:
        lower = np.append(lower, gripper.closed)
        upper = np.append(upper, gripper.open)
        fastest = np.append(fastest, gripper.speed)
    return ServoBank(
        bus, _in_order(description, chain), lower=lower, upper=upper, fastest=fastest,
        tick=description.tick,
    )  # fmt: skip


def _in_order(description: RobotDescription, chain: Chain) -> list:
    """Return the wires in the order of the arm's joints, then the gripper."""
    wires = {wire.joint: wire for wire in description.wiring}
    names = [*chain.joint_names]
    if description.gripper is not None:
        names.append(description.gripper.joint)
    missing = [joint for joint in names if joint not in wires]
    if missing:
        raise InvalidInput(f"{description.name} has no wire for {', '.join(missing)}")
    return [wires[joint] for joint in names]


def _metres_per_radian(description: RobotDescription) -> float:
    """Return how far the fingers move per turn of their servo, near the middle."""
    wire = next(w for w in description.wiring if w.mode == 5)
    return abs(wire.per_tick) * 4096.0 / (2.0 * np.pi)
