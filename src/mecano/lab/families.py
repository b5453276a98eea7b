"""Families of devices: what a robot's parts are built on.

The builder asks a family for the devices of each part that the description names. Simulated, real,
emulated and replayed robots differ in the family and in the backend of their session, and in
nothing else. A family that has no devices for a part returns None; the robot is then built without
it, and asking for it says why.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mecano.control.base_dynamics import BaseDynamics
from mecano.core.arrays import Array
from mecano.core.devices import (
    BaseSensors,
    CameraDevice,
    CupDrive,
    GripperDrive,
    ImuDevice,
    JointSensor,
    LegSensor,
    LegServos,
    LidarSensor,
    RangeSensor,
    Servos,
    WheelDrive,
)
from mecano.kinematics.chain import Chain
from mecano.kinematics.legs import LegChain
from mecano.parts.surroundings import Surroundings
from mecano.planning.adhesion import AdhesionModel
from mecano.robots.description import Gripper as GripperFacts
from mecano.robots.hands import HandFacts
from mecano.robots.legged import ImuFacts, LeggedBody
from mecano.robots.mobile import CameraFacts, LidarFacts, RangeFacts, WheeledBase
from mecano.session.protocols import Backend
from mecano.world.robot_model import RobotModel
from mecano.world.world import World


@dataclass(frozen=True)
class JointDevices:
    """Encoders and servos of an arm or a hand."""

    joints: JointSensor
    servos: Servos


@dataclass(frozen=True)
class GripperDevices:
    """Encoder and servo of a gripper."""

    joint: JointSensor
    drive: GripperDrive


@dataclass(frozen=True)
class LegDevices:
    """Encoders, servos and cups of all legs, and what forecasts the loads of the cups."""

    joints: LegSensor
    servos: LegServos
    cups: CupDrive
    adhesion: AdhesionModel


@dataclass(frozen=True)
class BaseDevices:
    """What a base is read and driven by."""

    sensors: BaseSensors
    wheels: WheelDrive
    light: Callable[[int, str], None] = lambda number, colour: None
    """Sets an LED to a colour."""
    dynamics: Callable[[], BaseDynamics] | None = None
    """Weighs the base as it is now; None if nothing can."""


class DeviceFamily(Protocol):
    """Makes the devices of one robot. Names are those of the description."""

    @property
    def name(self) -> str:
        """In messages: "simulated", "Dynamixel", "replayed"."""
        ...

    @property
    def real(self) -> bool:
        """Whether commands move something outside the simulation."""
        ...

    @property
    def backend(self) -> Backend:
        """What the session ticks."""
        ...

    @property
    def world(self) -> World:
        """The physics, or a shadow that shows what the sensors read."""
        ...

    @property
    def surroundings(self) -> Surroundings:
        """What arms know of the world around them."""
        ...

    def arm(self, chain: Chain, model: RobotModel, resolution: Array) -> JointDevices | None:
        """Return the devices of an arm; `resolution` is of its encoders [rad or m]."""
        ...

    def hand(self, facts: HandFacts) -> JointDevices | None:
        """Return the devices of a hand."""
        ...

    def gripper(self, facts: GripperFacts) -> GripperDevices | None:
        """Return the devices of a gripper."""
        ...

    def legs(
        self, facts: LeggedBody, chains: Sequence[LegChain], resolution: Array
    ) -> LegDevices | None:
        """Return the devices of all legs."""
        ...

    def base(self, facts: WheeledBase) -> BaseDevices | None:
        """Return the devices of a wheeled base."""
        ...

    def imu(self, facts: ImuFacts) -> ImuDevice | None:
        """Return an inertial sensor."""
        ...

    def range_sensor(self, facts: RangeFacts) -> RangeSensor | None:
        """Return a distance sensor."""
        ...

    def lidar(self, facts: LidarFacts) -> LidarSensor | None:
        """Return a laser scanner."""
        ...

    def camera(self, facts: CameraFacts) -> CameraDevice | None:
        """Return a camera."""
        ...
