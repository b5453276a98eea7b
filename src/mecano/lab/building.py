"""Building a simulated robot: its world, and the parts that its description names."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mecano.actuators.lights import Lights
from mecano.actuators.servos import GripperServo, Servos
from mecano.actuators.suction import Cups as CupDrive
from mecano.actuators.wheels import Wheels
from mecano.control.base_dynamics import BaseDynamics
from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.named import Named
from mecano.kinematics.chain import Chain
from mecano.kinematics.legs import LegChain
from mecano.lab.settings import Settings
from mecano.lab.simulated import SimulatedBackend, Truth, carried_body
from mecano.parts.arm import Arm
from mecano.parts.base import Base
from mecano.parts.cups import Cups
from mecano.parts.gripper import Gripper
from mecano.parts.hand import Hand
from mecano.parts.legs import Legs
from mecano.planning.adhesion import AdhesionModel, LegWeights
from mecano.robots.description import Gripper as GripperFacts
from mecano.robots.description import MotionLimits, RobotDescription
from mecano.robots.hands import HandFacts
from mecano.robots.legged import LeggedBody
from mecano.robots.mobile import CameraFacts, WheeledBase
from mecano.sensors.board import Board
from mecano.sensors.camera import DepthCamera
from mecano.sensors.encoders import JointEncoders
from mecano.sensors.imu import ImuSensor
from mecano.sensors.lidar import Lidar
from mecano.sensors.ranges import RangeFinder
from mecano.session.session import Session
from mecano.world.assembly import Change, Placement, assemble
from mecano.world.base_inertia import BaseWeigher
from mecano.world.leg_weights import leg_weights
from mecano.world.robot_model import Carried, RobotModel, Touch
from mecano.world.world import World

OVERLAP = 0.002
"""Robots may be this far inside each other at the start [m]."""
SETTLING = 0.5
"""Time in which robots on legs come to rest before the session begins [s]."""

if TYPE_CHECKING:
    from mecano.lab.robot import Robot
    from mecano.robots.calibration import Calibration


def make_world(
    placements: Sequence[Placement],
    scene: str | Path,
    settings: Settings,
    changes: Sequence[Change],
) -> World:
    """Return a world with robots in a scene."""
    spec = assemble(placements, scene=scene, physics=settings.physics, changes=changes)
    settings.apply(spec)
    return World(spec)


def set_posture(world: World, placement: Placement, posture: str) -> None:
    """Put the arm into a posture and the gripper open, before time begins."""
    known = dict.fromkeys(p for c in placement.robot.chains.values() for p in c.postures)
    if not known:
        return
    if not isinstance(posture, str) or posture not in known:
        raise UnknownName("posture", posture, known)
    for chain in placement.robot.chains.values():
        if posture in chain.postures:
            for joint, value in zip(chain.joint_names, chain.postures[posture], strict=True):
                world.data.joint(placement.prefix + joint).qpos[0] = value
    for hand in placement.robot.hands.values():
        values = hand.postures.get(posture, hand.postures["home"])
        for joint, value in zip(hand.joints, values, strict=True):
            world.data.joint(placement.prefix + joint).qpos[0] = value
    if placement.robot.legged is not None:
        set_down(world, placement.robot, placement.prefix, posture)
    gripper = placement.robot.gripper
    if gripper is not None:
        for joint in (gripper.joint, *gripper.followers):
            world.data.joint(placement.prefix + joint).qpos[0] = gripper.open
        actuator = world.model.actuator(placement.prefix + gripper.joint)
        if actuator.actnum[0]:  # the servo's own idea of where it is on its way
            world.data.act[actuator.actadr[0]] = gripper.open


def refuse_overlaps(world: World, names: Sequence[str]) -> None:
    """Raise if two robots are in one place when time begins: the physics would tear them apart."""
    for touch in sorted(world.contacts(), key=lambda each: -each.depth):
        owners = [body.partition("/")[0] for body in (touch.body_1, touch.body_2)]
        if touch.depth > OVERLAP and owners[0] != owners[1] and set(owners) <= set(names):
            raise InvalidInput(
                f"robots '{owners[0]}' and '{owners[1]}' overlap at the start: {touch.body_1} is "
                f"{1000 * touch.depth:.0f} mm inside {touch.body_2}; give them other poses, such "
                f'as mecano.Place("crumb", mecano.Pose([0.0, 1.0, 0.0]))'
            )


def set_down(world: World, robot: RobotDescription, prefix: str, posture: str) -> None:
    """Put a robot on legs onto its feet, the feet flat on the surface that it stands on."""
    legged = robot.legged
    assert legged is not None
    lowest = 0.0
    for leg in legged.legs:
        chain = robot.chains[leg.chain]
        q = np.array(chain.postures[posture])
        lowest = min(lowest, float(chain.forward(q)[2, 3]))
        flat = chain.pitch(q) - pi / 2  # the foot points down, however the shin points
        world.data.joint(prefix + leg.springs[1]).qpos[0] = flat
    free = world.data.joint(prefix + "free").qpos
    rotation = world.data.body(prefix + legged.frame).xmat.reshape(3, 3)
    free[:3] += (legged.tip_height - lowest - legged.height) * rotation[:, 2]


def settle(backend: SimulatedBackend) -> None:
    """Let robots on legs come to rest on their feet before time begins, so that loads are known."""
    world = backend.world
    world.step(round(SETTLING / world.timestep))
    world.data.time = 0.0
    for sensor in backend.sensors:
        sensor.sample()


def calibrated(
    chain: Chain, description: RobotDescription, calibration: "Calibration | bool | None"
) -> Chain:
    """Return a chain as it was measured on the user's own arm, see `connect`."""
    from mecano.robots.calibration import Calibration, load

    if calibration is False:
        return chain
    if calibration is None or calibration is True:
        stored = load(description.name)
        if stored is None and calibration is True:
            raise InvalidInput(
                f"no calibration of {description.name} is stored; make one with: mecano calibrate"
            )
        return chain if stored is None else stored.apply(chain)
    if not isinstance(calibration, Calibration):
        raise InvalidInput(
            f"calibration is {calibration!r}, expected a Calibration, True, False or None"
        )
    return calibration.apply(chain)


def motion_limits(description: RobotDescription, settings: Settings) -> MotionLimits:
    """Return how fast the arm moves; the servos must be able to."""
    assert description.limits is not None
    motion = settings.motion(description.limits)
    fastest = min(servo.speed for servo in description.servos.values())
    if motion.velocity > fastest:
        raise InvalidInput(
            f"motion.velocity is {motion.velocity:g} rad/s, the servos reach {fastest:g} rad/s"
        )
    return motion


class SimulatedSurroundings:
    """Everything around a simulated robot is known."""

    def __init__(self, world: World) -> None:
        """Look at a world."""
        self.world = world

    def look(self, model: RobotModel) -> None:
        """Put the world's state into the model."""
        model.look_at(self.world.data)

    def refresh(self, model: RobotModel) -> Carried | None:
        """Put the world's state into the model; return what the hand carries."""
        self.look(model)
        return carried_body(self.world, model)

    def touched(self, model: RobotModel) -> Touch | None:
        """Return two bodies that touch now and should not."""
        return model.unwanted_contact(self.world.data, 0.0)


def build(
    robot: "Robot",
    backend: SimulatedBackend,
    placement: Placement,
    settings: Settings,
    *,
    noise: bool,
    calibration: "Calibration | bool",
) -> "Robot":
    """Give a simulated robot its parts, as far as its description has them; return it."""
    description, prefix = robot.description, placement.prefix
    robot.truth, robot.world = Truth(backend.world, prefix, description), backend.world
    robot.encoders, robot.ranges, robot.lidars = [], Named("range sensor"), Named("LIDAR")
    parts = Parts(robot, backend, prefix, settings, noise)
    if description.legged is not None:
        parts.add_legs(description.legged)
    for name in description.arms:
        chain = settings.limited(description.chain(name))
        parts.add_arm(calibrated(chain, description, calibration))
    if description.gripper is not None:
        parts.add_gripper(description.gripper)
    for name, hand in description.hands.items():
        parts.add_hand(name, hand)
    if description.base is not None:
        parts.add_base(description.base)
    unknown = settings.camera_changes.keys() - {facts.name for facts in description.cameras}
    if unknown:
        raise UnknownName("camera", min(unknown), [facts.name for facts in description.cameras])
    robot.cameras = Named("camera")
    for facts in description.cameras:
        parts.add_camera(settings.camera(facts))
    return robot


@dataclass(frozen=True)
class Parts:
    """Gives a simulated robot its parts."""

    robot: "Robot"
    backend: SimulatedBackend
    prefix: str
    settings: Settings
    noise: bool

    @property
    def session(self) -> Session:
        """The robot's."""
        return self.robot.session

    @property
    def world(self) -> World:
        """Where the robot is."""
        return self.backend.world

    def random(self, name: str) -> np.random.Generator | None:
        """Return the source of noise of a sensor; None without noise."""
        return self.session.random.get(f"{self.prefix}{name}") if self.noise else None

    def add_arm(self, chain: Chain) -> None:
        """Add the arm with its encoders and servos."""
        description, names = self.robot.description, chain.joint_names
        motors = [description.servos[joint] for joint in names]
        encoders = self._encoders(names, np.array([motor.resolution for motor in motors]))
        servos = Servos(self.world, names, prefix=self.prefix)
        model = RobotModel(self.world.model, description, prefix=self.prefix, chain=chain.name)
        if not description.feeds_weight:
            servos.carry(model.gravity_torque(encoders.position))
        arm = Arm(
            self.session,
            chain,
            motion_limits(description, self.settings),
            max_torque=min(motor.torque for motor in motors),
            joints=encoders,
            drives=servos,
            model=model,
            surroundings=SimulatedSurroundings(self.world),
            tick=self.backend.tick,
            feeds_weight=description.feeds_weight,
        )
        self.robot.add_arm(arm)

    def add_legs(self, facts: LeggedBody) -> None:
        """Add the legs with their encoders and servos, the cups, and the IMU."""
        description = self.robot.description
        named = [description.chains[leg.chain] for leg in facts.legs]
        chains = [chain for chain in named if isinstance(chain, LegChain)]
        assert len(chains) == len(named)
        names = [joint for chain in chains for joint in chain.joint_names]
        resolution = np.array([description.servos[joint].resolution for joint in names])
        encoders = self._encoders(names, resolution)
        servos = Servos(self.world, names, prefix=self.prefix)
        servos.limit_torque(facts.torque)
        drive = CupDrive(
            self.world, [leg.cup for leg in facts.legs], prefix=self.prefix,
            rate=1.0 / self.backend.tick,
        )  # fmt: skip
        self.backend.sensors.append(drive)
        self.robot.cups = Cups(self.session, drive)
        imu = None
        if facts.imu is not None:
            noise = self.random("imu")
            imu = ImuSensor(self.world, facts.imu, prefix=self.prefix, noise=noise)
            self.backend.sensors.append(imu)
            self.robot.imu = imu
        self.robot.legs = Legs(
            self.session, facts, chains, motion_limits(description, self.settings),
            joints=encoders, drives=servos, cups=self.robot.cups, imu=imu,
            adhesion=self._adhesion(chains, facts, servos), tick=self.backend.tick,
        )  # fmt: skip
        for cup in range(len(facts.legs)):
            drive.switch(cup, True)  # a robot on a wall would fall before its program begins
        drive.take_hold()

    def _adhesion(self, chains: list[LegChain], facts: LeggedBody, servos: Servos) -> AdhesionModel:
        """Return what foresees loads of cups, by the model as it should be."""
        model, robot = self.world.model, self.robot.description
        joints = [self.prefix + name for chain in chains for name in chain.joint_names]
        dofs = np.array([model.joint(name).dofadr[0] for name in joints]).reshape(-1, 3)
        return AdhesionModel(
            chains,
            LegWeights(*leg_weights(model, robot, prefix=self.prefix)),
            stiffness=servos.stiffness.reshape(-1, 3),
            damping=servos.damping.reshape(-1, 3),
            torque_limit=facts.torque,
            drag=model.dof_damping[dofs],
            armature=model.dof_armature[dofs],
            laws=[leg.cup.law for leg in facts.legs],
        )

    def add_gripper(self, facts: GripperFacts) -> None:
        """Add the gripper with the encoder of its driven finger."""
        finger = self._encoders([facts.joint], np.array([facts.resolution]))
        servo = GripperServo(self.world, facts.joint, prefix=self.prefix, max_force=facts.max_force)
        self.robot.gripper = Gripper(self.session, facts, joint=finger, drive=servo)

    def add_hand(self, name: str, facts: HandFacts) -> None:
        """Add a hand with the encoders of its joints."""
        resolution = np.full(len(facts.joints), facts.resolution)
        joints = self._encoders(facts.joints, resolution)
        servos = Servos(self.world, facts.joints, prefix=self.prefix)
        tick = self.backend.tick
        hand = Hand(self.session, facts, joints=joints, drives=servos, tick=tick)
        self.robot.hands[name] = hand

    def add_base(self, facts: WheeledBase) -> None:
        """Add the base with all that is on its board."""
        board = Board(self.world, facts, prefix=self.prefix, noise=self.random("board"))
        self.backend.sensors.append(board)
        wheels = Wheels(self.world, facts.layout.names, prefix=self.prefix)
        lights = Lights(self.world, facts.leds, prefix=self.prefix)
        weigher = BaseWeigher(self.world, facts.frame, facts.layout.names, prefix=self.prefix)

        def dynamics() -> BaseDynamics:
            return BaseDynamics(layout=facts.layout, **vars(weigher.weigh()))

        base = Base(self.session, facts, board, wheels, light=lights.set, dynamics=dynamics)
        self.robot.base = self.robot.arms.base = base
        for ranges in facts.ranges:
            noise = self.random(f"range {ranges.name}")
            finder = RangeFinder(
                self.world, ranges, prefix=self.prefix, base=facts.frame, noise=noise
            )
            self.backend.sensors.append(finder)
            self.robot.ranges[ranges.name] = finder
        for scanner in facts.lidars:
            noise = self.random(f"lidar {scanner.name}")
            lidar = Lidar(self.world, scanner, prefix=self.prefix, base=facts.frame, noise=noise)
            self.backend.sensors.append(lidar)
            self.robot.lidars[scanner.name] = lidar

    def add_camera(self, facts: CameraFacts) -> None:
        """Add a camera; the first one is also called `camera`."""
        camera = DepthCamera(self.world, facts, prefix=self.prefix, noise=self.random(facts.name))
        self.backend.sensors.append(camera)
        self.robot.cameras[facts.name] = camera
        if len(self.robot.cameras) == 1:
            self.robot.camera = camera

    def _encoders(self, names: Sequence[str], resolution: Array) -> JointEncoders:
        encoders = JointEncoders(
            self.world, names, prefix=self.prefix, rate=1.0 / self.backend.tick,
            resolution=resolution, noise=self.random("encoders"),
        )  # fmt: skip
        self.backend.sensors.append(encoders)
        self.robot.encoders.append(encoders)
        return encoders
