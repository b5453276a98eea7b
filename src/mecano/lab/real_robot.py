"""Connecting to a real robot: find its servos, check them, put the same parts on top of them."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import numpy as np

from mecano import robots
from mecano.core.errors import InvalidInput, MecanoError
from mecano.hardware.dynamixel.bank import ServoBank
from mecano.hardware.dynamixel.bus import BAUDS, Bus
from mecano.hardware.dynamixel.devices import FingerJoint, FingerServo, ServoJoints
from mecano.hardware.errors import NoAnswer
from mecano.kinematics.chain import Chain
from mecano.lab.building import calibrated, make_world, motion_limits
from mecano.lab.checks import checked_changes, checked_scene, checked_seed, checked_settings
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
from mecano.parts.arm import Arm
from mecano.parts.gripper import Gripper
from mecano.robots.calibration import Calibration
from mecano.robots.description import RobotDescription
from mecano.session.session import OnFailure, Session
from mecano.world.assembly import Change, Placement
from mecano.world.robot_model import RobotModel


def connect_real(
    name: str,
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
    description = robots.get(name)
    if not description.wiring:
        raise InvalidInput(_no_driver(description))
    scene, seed, changes = checked_scene(scene), checked_seed(seed), checked_changes(changes)
    chosen = checked_settings(settings)
    world = make_world([Placement(robot=description, prefix=f"{name}/")], scene, chosen, changes)
    bus = open_bus(port, description)
    try:
        limited = chosen.limited(description.chain())
        chain = calibrated(limited, description, calibration)
        robot = _build(bus, description, world, chosen, chain, seed=seed, limp=limp)
        robot.session.on_failure = on_failure
        return robot
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
    world: Any,
    settings: Settings,
    chain: Chain,
    *,
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
        session = Session(backend, seed=seed)
        model = RobotModel(world.model, description, prefix=prefix, chain=chain.name)
        check_wiring(bank, model, rows)
    except BaseException:
        with suppress(MecanoError):  # what went wrong first is what the user must know
            bank.power_down(limp=limp)
        raise
    robot = Robot(description, session, name)
    robot.real, robot.world = True, world
    robot.truth = cast(Any, NoTruth())
    robot.encoders = [ServoJoints(bank, rows)]
    robot.add_arm(
        Arm(
            session,
            chain,
            motion_limits(description, settings),
            max_torque=min(servo.torque for servo in description.servos.values()),
            joints=robot.encoders[0],
            drives=RealDrives(bank, rows),
            model=model,
            surroundings=UnknownSurroundings(world),
            tick=backend.tick,
        )
    )
    if description.gripper is not None:
        row = slice(rows.stop, rows.stop + 1)
        crank = _metres_per_radian(description)
        backend.finger = FingerServo(bank, row, crank)
        joint = FingerJoint(bank, row, crank)
        robot.encoders.append(joint)
        robot.gripper = Gripper(session, description.gripper, joint=joint, drive=backend.finger)
    session.start_background()
    return robot


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
