"""The replayed family of devices: a recorded log feeds the same parts that a simulation does.

Readings come from the log, time follows its stamps, and the world shows the recorded states. What
parts compute from readings (odometry, attitude, fused scans, maps) is computed anew, by the code
that runs on the simulated and on the real robot. Nothing can be moved: a command other than to stay
at rest raises.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from mecano.core.arrays import Array
from mecano.core.devices import Mode
from mecano.core.errors import InvalidInput, MecanoError
from mecano.core.messages import BaseReport, JointState, LaserScan
from mecano.kinematics.chain import Chain
from mecano.kinematics.legs import LegChain
from mecano.lab.families import BaseDevices, GripperDevices, JointDevices, LegDevices
from mecano.lab.real import UnknownSurroundings
from mecano.robots.description import Gripper as GripperFacts
from mecano.robots.description import RobotDescription
from mecano.robots.hands import HandFacts
from mecano.robots.legged import ImuFacts, LeggedBody
from mecano.robots.lidars import LidarFacts
from mecano.robots.mobile import CameraFacts, RangeFacts, WheeledBase
from mecano.world.robot_model import RobotModel
from mecano.world.world import World

REFUSED = "a recording cannot be moved; connect to the robot, simulated or real, to move it"


class ReplayEnded(MecanoError):
    """The log is over."""

    exit_code = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class ReplayLog:
    """What a log holds of one robot, in the order of time."""

    times: Array
    """Session time of each tick [s]. Shape (n,)."""
    states: Array
    """States of the world. Shape (n, size)."""
    joints: tuple[str, ...]
    positions: Array
    """Of the joints by the encoders [rad or m]. Shape (n, joints)."""
    velocities: Array
    efforts: Array
    reports: Sequence[BaseReport] = ()
    """Packets of the base."""
    scans: dict[str, Sequence[LaserScan]] = field(default_factory=dict)
    """By the name of the LIDAR."""


class ReplayBackend:
    """Goes through a log tick by tick."""

    def __init__(self, world: World, log: ReplayLog) -> None:
        """Begin at the first tick."""
        if len(log.times) < 2:
            raise InvalidInput(f"a log of {len(log.times)} ticks has nothing to replay")
        self.world, self.log, self.index = world, log, 0
        self.tick = float(np.median(np.diff(log.times)))
        world.show(log.states[0])

    @property
    def time(self) -> float:
        """Recorded time [s]."""
        return float(self.log.times[self.index])

    @property
    def over(self) -> bool:
        """Whether the last tick of the log has been reached."""
        return self.index >= len(self.log.times) - 1

    def sense(self) -> None:
        """Readings are looked up by the time, so there is nothing to take."""

    def advance(self) -> None:
        """Go on to the next tick of the log."""
        if self.over:
            raise ReplayEnded(f"the recording ends at {self.time:.3f} s")
        self.index += 1
        self.world.show(self.log.states[self.index])

    def snapshot(self) -> int:
        """Return where it is in the log."""
        return self.index

    def restore(self, snapshot: int) -> None:
        """Go back to a place in the log."""
        self.index = snapshot
        self.world.show(self.log.states[snapshot])

    def end(self) -> None:
        """Nothing is held."""


class ReplayedJoints:
    """Encoders of some joints of the log."""

    def __init__(self, backend: ReplayBackend, names: Sequence[str]) -> None:
        """Look up the columns."""
        known = backend.log.joints
        missing = [name for name in names if name not in known]
        if missing:
            raise InvalidInput(
                f"the log has no joint {', '.join(missing)}; it has: {', '.join(known)}"
            )
        self.names, self._backend = tuple(names), backend
        self._columns = [known.index(name) for name in names]

    @property
    def reading(self) -> tuple[float, Array, Array, Array]:
        """Stamp [s], positions, velocities and efforts."""
        return self._backend.time, self.position, self.velocity, self.effort

    def _row(self, rows: Array) -> Array:
        return rows[self._backend.index, self._columns]

    @property
    def position(self) -> Array:
        """Joint positions [rad or m]."""
        return self._row(self._backend.log.positions)

    @property
    def velocity(self) -> Array:
        """Joint velocities [rad/s or m/s]."""
        return self._row(self._backend.log.velocities)

    @property
    def effort(self) -> Array:
        """Torques or forces of the motors [N m or N]."""
        return self._row(self._backend.log.efforts)

    def read(self, *, clean: bool = False) -> JointState:
        """Return the reading as a message; a log knows no other than what was read."""
        stamp, position, velocity, effort = self.reading
        return JointState(
            stamp=stamp, name=self.names, position=position, velocity=velocity, effort=effort
        )


class StillServos:
    """Servos that take no other command than to stay."""

    mode = Mode.POSITION

    def command(
        self,
        position: Array | None = None,
        velocity: Array | None = None,
        torque: Array | None = None,
    ) -> None:
        """Accept a command at rest, refuse one that moves."""
        if velocity is not None and np.any(velocity):
            raise InvalidInput(REFUSED)

    def set_mode(self, mode: Mode, **changes: Any) -> NoReturn:
        """Refuse it."""
        raise InvalidInput(REFUSED)


class StillGripper:
    """A gripper that cannot be moved."""

    def command(self, position: float, force: float | None = None) -> NoReturn:
        """Refuse it."""
        raise InvalidInput(REFUSED)


class StillWheels:
    """Wheels that take no other command than to stand."""

    def command(self, rates: Array, *, torques: Array | None = None) -> None:
        """Accept standing, refuse driving."""
        if np.any(rates):
            raise InvalidInput(REFUSED)

    def push(self, torques: Array) -> None:
        """Accept none, refuse torques."""
        if np.any(torques):
            raise InvalidInput(REFUSED)


class ReplayedBase:
    """The packets of a base, as they came."""

    buttons: frozenset[int] = frozenset()

    def __init__(self, backend: ReplayBackend) -> None:
        """Take the packets of the log."""
        self._backend = backend
        self._stamps = [report.stamp for report in backend.log.reports]

    @property
    def report(self) -> BaseReport:
        """The newest packet at this time."""
        newest = bisect_right(self._stamps, self._backend.time + 1e-9) - 1
        return self._backend.log.reports[max(newest, 0)]

    @property
    def clean(self) -> BaseReport:
        """The same: a log knows no other."""
        return self.report

    def jump(self, wheel: str, ticks: float) -> NoReturn:
        """Refuse it."""
        raise InvalidInput("the counters of a recording cannot jump")


class ReplayedLidar:
    """The scans of one LIDAR, as they came."""

    enabled = True

    def __init__(
        self, backend: ReplayBackend, facts: LidarFacts, *, prefix: str, base: str
    ) -> None:
        """Take the scans of the log; where it is mounted is read off the model."""
        self.name, self.facts, self._backend = facts.name, facts, backend
        world = backend.world
        T_world_base = world.body_pose(prefix + base)
        self.pose = T_world_base.inverse() @ world.site_pose(prefix + facts.site)
        self._scans = backend.log.scans[facts.name]
        self._stamps = [scan.stamp for scan in self._scans]

    def _newest(self) -> LaserScan:
        newest = bisect_right(self._stamps, self._backend.time + 1e-9) - 1
        return self._scans[max(newest, 0)]

    @property
    def stamp(self) -> float:
        """Of the newest scan [s]."""
        return self._newest().stamp

    def switch(self, on: bool) -> None:
        """Refuse to switch it off."""
        if not on:
            raise InvalidInput("a LIDAR of a recording cannot be switched off")

    def read(self, *, clean: bool = False) -> LaserScan:
        """Return the newest scan."""
        return self._newest()


class ReplayedDevices:
    """Makes devices of what a log holds; parts that it does not hold are left out."""

    name, real = "replayed", False

    def __init__(self, backend: ReplayBackend, robot: RobotDescription, prefix: str) -> None:
        """Take the log; `prefix` is the robot's in the recorded model."""
        self.backend, self.world, self._prefix = backend, backend.world, prefix
        self._robot = robot
        self.surroundings = UnknownSurroundings(backend.world)

    def _has(self, joints: Sequence[str]) -> bool:
        return set(joints) <= set(self.backend.log.joints)

    def arm(self, chain: Chain, model: RobotModel, resolution: Array) -> JointDevices | None:
        """Return the devices of an arm."""
        if not self._has(chain.joint_names):
            return None
        return JointDevices(ReplayedJoints(self.backend, chain.joint_names), StillServos())

    def hand(self, facts: HandFacts) -> JointDevices | None:
        """Return the devices of a hand."""
        if not self._has(facts.joints):
            return None
        return JointDevices(ReplayedJoints(self.backend, facts.joints), StillServos())

    def gripper(self, facts: GripperFacts) -> GripperDevices | None:
        """Return the devices of a gripper."""
        if not self._has([facts.joint]):
            return None
        return GripperDevices(ReplayedJoints(self.backend, [facts.joint]), StillGripper())

    def legs(
        self, facts: LeggedBody, chains: Sequence[LegChain], resolution: Array
    ) -> LegDevices | None:
        """Return None: a log does not hold what the forecast of the cups needs."""
        return None

    def base(self, facts: WheeledBase) -> BaseDevices | None:
        """Return the devices of a wheeled base."""
        if not self.backend.log.reports:
            return None
        return BaseDevices(ReplayedBase(self.backend), StillWheels())

    def lidar(self, facts: LidarFacts) -> ReplayedLidar | None:
        """Return a laser scanner."""
        if not self.backend.log.scans.get(facts.name):
            return None
        assert self._robot.base is not None
        base = self._robot.base.frame
        return ReplayedLidar(self.backend, facts, prefix=self._prefix, base=base)

    def imu(self, facts: ImuFacts) -> None:
        """Return None: it belongs to the legs."""

    def range_sensor(self, facts: RangeFacts) -> None:
        """Return None: distance sensors are not recorded."""

    def camera(self, facts: CameraFacts) -> None:
        """Return None: pictures are not recorded."""
