"""The simulated family of devices: sensors and actuators of a MuJoCo world."""

from collections.abc import Sequence

import numpy as np

from mecano.actuators.lights import Lights
from mecano.actuators.plain_servos import servos_for
from mecano.actuators.servos import GripperServo, Servos
from mecano.actuators.suction import Cups
from mecano.actuators.wheels import Wheels
from mecano.control.base_dynamics import BaseDynamics
from mecano.core.arrays import Array
from mecano.core.randomness import RandomStreams
from mecano.kinematics.chain import Chain
from mecano.kinematics.legs import LegChain
from mecano.lab.families import BaseDevices, GripperDevices, JointDevices, LegDevices
from mecano.lab.simulated import Sampled, SimulatedBackend, carried_body
from mecano.planning.adhesion import AdhesionModel, LegWeights
from mecano.robots.description import EFFORT_NOISE, RobotDescription
from mecano.robots.description import Gripper as GripperFacts
from mecano.robots.hands import HandFacts
from mecano.robots.legged import ImuFacts, LeggedBody
from mecano.robots.mobile import CameraFacts, LidarFacts, RangeFacts, WheeledBase
from mecano.sensors.board import Board
from mecano.sensors.camera import DepthCamera
from mecano.sensors.encoders import JointEncoders
from mecano.sensors.imu import ImuSensor
from mecano.sensors.lidar import Lidar
from mecano.sensors.ranges import RangeFinder
from mecano.world.base_inertia import BaseWeigher
from mecano.world.leg_weights import leg_weights
from mecano.world.model_files import load_robot
from mecano.world.robot_model import Carried, RobotModel, Touch
from mecano.world.world import World


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


class SimulatedDevices:
    """Makes the devices of one robot in a world; sensors are sampled by the backend."""

    name, real = "simulated", False

    def __init__(
        self, backend: SimulatedBackend, robot: RobotDescription, prefix: str, *,
        random: RandomStreams | None,
    ) -> None:  # fmt: skip
        """Take the world.

        Args:
            backend: Steps the world and samples the sensors.
            robot: The description.
            prefix: Of the robot in the world.
            random: Source of the sensors' noise; None reads without.
        """
        self.backend, self.world = backend, backend.world
        self.surroundings = SimulatedSurroundings(backend.world)
        self._robot, self._prefix, self._random = robot, prefix, random

    @property
    def _base(self) -> str:
        """The body that stands for the base."""
        assert self._robot.base is not None
        return self._robot.base.frame

    def _noise(self, name: str) -> np.random.Generator | None:
        return None if self._random is None else self._random.get(f"{self._prefix}{name}")

    def _sampled(self, sensor: Sampled) -> None:
        self.backend.sensors.append(sensor)

    def _encoders(
        self, names: Sequence[str], resolution: Array, effort_noise: Sequence[float]
    ) -> JointEncoders:
        source = self._noise("efforts")
        encoders = JointEncoders(
            self.world, names, prefix=self._prefix, rate=1.0 / self.backend.tick,
            resolution=resolution, noise=self._noise("encoders"),
            effort_noise=None if source is None else (np.array(effort_noise, float), source),
        )  # fmt: skip
        self._sampled(encoders)
        return encoders

    def _effort_noise(self, joints: Sequence[str]) -> list[float]:
        """Return the spread of the efforts of servos [N m]."""
        servos = [self._robot.servos[joint] for joint in joints]
        return [servo.effort_noise * servo.torque for servo in servos]

    def arm(self, chain: Chain, model: RobotModel, resolution: Array) -> JointDevices:
        """Return the devices of an arm, its integrators charged with its weight."""
        names = chain.joint_names
        encoders = self._encoders(names, resolution, self._effort_noise(names))
        servos = servos_for(self.world, chain.joint_names, prefix=self._prefix)
        if not self._robot.feeds_weight:
            servos.carry(model.gravity_torque(encoders.position))
        return JointDevices(encoders, servos)

    def hand(self, facts: HandFacts) -> JointDevices:
        """Return the devices of a hand."""
        count = len(facts.joints)
        wrong = [EFFORT_NOISE * facts.torque] * count
        encoders = self._encoders(facts.joints, np.full(count, facts.resolution), wrong)
        return JointDevices(encoders, servos_for(self.world, facts.joints, prefix=self._prefix))

    def gripper(self, facts: GripperFacts) -> GripperDevices:
        """Return the devices of a gripper."""
        wrong = [EFFORT_NOISE * abs(facts.width_per_value) * facts.max_force]
        finger = self._encoders([facts.joint], np.array([facts.resolution]), wrong)
        servo = GripperServo(
            self.world, facts.joint, prefix=self._prefix, max_force=facts.max_force,
            followers=facts.followers, leverage=abs(facts.width_per_value),
        )  # fmt: skip
        return GripperDevices(finger, servo)

    def legs(self, facts: LeggedBody, chains: Sequence[LegChain], resolution: Array) -> LegDevices:
        """Return the devices of all legs; the cups hold where they touch."""
        names = [joint for chain in chains for joint in chain.joint_names]
        encoders = self._encoders(names, resolution, self._effort_noise(names))
        servos = Servos(self.world, names, prefix=self._prefix)
        servos.limit_torque(facts.torque)
        cups = Cups(
            self.world, facts.cups, prefix=self._prefix, rate=1.0 / self.backend.tick,
            noise=self._noise("cups"),
        )  # fmt: skip
        self._sampled(cups)
        adhesion = self._adhesion(list(chains), facts, servos)
        for cup in range(len(facts.cups)):
            cups.switch(cup, True)  # a robot on a wall would fall before its program begins
        cups.take_hold()
        return LegDevices(encoders, servos, cups, adhesion)

    def _adhesion(self, chains: list[LegChain], facts: LeggedBody, servos: Servos) -> AdhesionModel:
        """Return what foresees loads of cups: with noise by the model as it should be, so that
        it does not know which masses were drawn for the run."""
        model, robot = self.world.model, self._robot
        weighed, prefix = model, self._prefix
        if self._random is not None:
            weighed, prefix = load_robot(robot).compile(), ""
        joints = [self._prefix + name for chain in chains for name in chain.joint_names]
        dofs = np.array([model.joint(name).dofadr[0] for name in joints]).reshape(len(chains), -1)
        return AdhesionModel(
            chains,
            LegWeights(*leg_weights(weighed, robot, prefix=prefix)),
            stiffness=servos.stiffness.reshape(len(chains), -1),
            damping=servos.damping.reshape(len(chains), -1),
            torque_limit=facts.torque,
            drag=model.dof_damping[dofs],
            armature=model.dof_armature[dofs],
            laws=[leg.cup.law for leg in facts.legs],
        )

    def imu(self, facts: ImuFacts) -> ImuSensor:
        """Return an inertial sensor."""
        imu = ImuSensor(self.world, facts, prefix=self._prefix, noise=self._noise("imu"))
        self._sampled(imu)
        return imu

    def base(self, facts: WheeledBase) -> BaseDevices:
        """Return the devices of a wheeled base."""
        board = Board(self.world, facts, prefix=self._prefix, noise=self._noise("board"))
        self._sampled(board)
        wheels = Wheels(self.world, facts.layout.names, prefix=self._prefix)
        lights = Lights(self.world, facts.leds, prefix=self._prefix)
        weigher = BaseWeigher(self.world, facts.frame, facts.layout.names, prefix=self._prefix)

        def dynamics() -> BaseDynamics:
            return BaseDynamics(layout=facts.layout, **vars(weigher.weigh()))

        return BaseDevices(board, wheels, light=lights.set, dynamics=dynamics)

    def range_sensor(self, facts: RangeFacts) -> RangeFinder:
        """Return a distance sensor."""
        noise = self._noise(f"range {facts.name}")
        finder = RangeFinder(self.world, facts, prefix=self._prefix, base=self._base, noise=noise)
        self._sampled(finder)
        return finder

    def lidar(self, facts: LidarFacts) -> Lidar:
        """Return a laser scanner."""
        noise = self._noise(f"lidar {facts.name}")
        lidar = Lidar(self.world, facts, prefix=self._prefix, base=self._base, noise=noise)
        self._sampled(lidar)
        return lidar

    def camera(self, facts: CameraFacts) -> DepthCamera:
        """Return a camera."""
        noise = self._noise(facts.name)
        camera = DepthCamera(self.world, facts, prefix=self._prefix, noise=noise)
        self._sampled(camera)
        return camera
