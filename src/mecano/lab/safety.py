"""The safety zone of a robot's base, fed by its own range sensors: see `Base.safety_zone`.

LIDARs see for it or, on a robot without any, depth cameras; and range sensors of one ray. Readings
are taken while the base is commanded to move, so a zone that is off, or a base that stands, costs
nothing.
"""

from collections.abc import Sequence
from math import asin, hypot, inf, radians, tan
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mecano.control.safety_zone import BrakingLimits, allowance
from mecano.core.arrays import Array
from mecano.core.devices import CameraDevice, LidarSensor, RangeSensor
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot
from mecano.lab.scanners import camera_on_base
from mecano.parts.base_safety import SafetyStop
from mecano.parts.drives import Twist
from mecano.perception.depth_scan import depth_scan, scan_mount
from mecano.skills.obstacle_memory import ObstacleMemory, SensorFacts, Sighting

MARGIN = 0.03
"""How near an obstacle may come to the outline, besides what its sensor errs by [m]."""
HEIGHTS = 0.04, 0.70
"""What a depth camera sees between these heights is an obstacle [m]: above the floor's noise, below
the top of a small robot with its arm folded (EST)."""
DEPTH_ERROR = 0.02
"""Of a depth camera within the zone [m] (EST: a Kinect at 2.5 m, two sigma)."""
PICTURES = 0.2
"""Time between two pictures [s]: drawing one takes some 50 ms."""
SEEN_FOR = 2.0
"""What LIDARs and rays saw and have no longer in view is kept for this long [s]."""
SILENT = 0.5
"""A sensor without a reading for this long stops the base [s]."""
OUTLINE = 0.2
"""The outline, which follows the arms, is made anew after this time [s]."""


class Source(Protocol):
    """A sensor of the zone."""

    facts: SensorFacts
    period: float
    """Time between two readings, at least [s]."""

    @property
    def stamp(self) -> float:
        """Of its newest reading [s]."""
        ...

    def read(self) -> Sighting:
        """Return its newest reading."""
        ...


class LidarSource:
    """A LIDAR."""

    period = 0.0

    def __init__(self, lidar: LidarSensor) -> None:
        """Take one that is fixed on the base, in any orientation."""
        self._lidar, facts = lidar, lidar.facts
        self.facts = SensorFacts(
            name=f"the {lidar.name} LIDAR", margin=MARGIN + 2.0 * facts.noise + facts.offset,
            clears_from=facts.nearest, width=facts.step, keeps=SEEN_FOR,
        )  # fmt: skip

    @property
    def stamp(self) -> float:
        """Of its newest scan [s]."""
        return self._lidar.stamp

    def read(self) -> Sighting:
        """Return its newest scan, beams by their bearing from the base."""
        scan, pose = self._lidar.read(), self._lidar.pose
        angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        beams = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))])
        x, y, _ = (beams @ pose.rotation_matrix().T).T
        bearings = np.arctan2(y, x)
        order = np.argsort(bearings)
        return Sighting(
            stamp=scan.stamp, origin=pose.position[:2], bearings=bearings[order],
            ranges=np.asarray(scan.ranges, float)[order],
        )  # fmt: skip


class CameraSource:
    """A depth camera that is fixed on the base."""

    period = PICTURES

    def __init__(self, robot: Robot, camera: CameraDevice) -> None:
        """Look up where it is."""
        self._camera, self._pose = camera, camera_on_base(robot)
        self._mount = scan_mount(self._pose)
        number = robot.world.index("camera", f"{robot.name}/{camera.facts.camera}")
        half = 0.5 * radians(float(robot.world.model.cam_fovy[number]))
        down = max(half - asin(float(self._pose.rotation_matrix()[2, 0])), 0.05)
        sees_floor = (float(self._pose.position[2]) - HEIGHTS[0]) / tan(down)
        self.facts = SensorFacts(
            name="the depth camera", margin=MARGIN + DEPTH_ERROR,
            clears_from=max(camera.facts.nearest, sees_floor), width=radians(0.5),
        )  # fmt: skip

    @property
    def stamp(self) -> float:
        """Of its newest picture [s]."""
        return self._camera.stamp

    def read(self) -> Sighting:
        """Return what its newest picture shows at the heights of the robot."""
        shot, facts = self._camera.read(), self._camera.facts
        scan = depth_scan(
            shot.depth, shot.info, self._pose, window=HEIGHTS, range_min=facts.nearest,
            range_max=facts.furthest,
        )  # fmt: skip
        angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        origin = np.array([self._mount.x, self._mount.y])
        return Sighting(
            stamp=shot.stamp, origin=origin, bearings=np.asarray(angles + self._mount.yaw, float),
            ranges=np.asarray(scan.ranges, float),
        )  # fmt: skip


class RaySource:
    """A sensor that measures one distance."""

    period = 0.0

    def __init__(self, finder: RangeSensor) -> None:
        """Take one that looks along the floor."""
        self._finder, (x, y, _) = finder, finder.direction.tolist()
        self._bearing = np.array([np.arctan2(y, x)])
        self.facts = SensorFacts(
            name=f"the {finder.name} range sensor", margin=MARGIN + 2.0 * finder.facts.noise,
            clears_from=0.0, width=radians(2.0), keeps=SEEN_FOR,
        )  # fmt: skip

    @property
    def stamp(self) -> float:
        """Of its newest reading [s]."""
        return self._finder.read().stamp

    def read(self) -> Sighting:
        """Return its newest reading."""
        reading = self._finder.read()
        far = reading.range if reading.valid else inf
        return Sighting(
            stamp=reading.stamp, origin=self._finder.origin[:2], bearings=self._bearing,
            ranges=np.array([far]),
        )  # fmt: skip


def zone_sources(robot: Robot) -> tuple[Source, ...]:
    """Return the sensors that a zone can be watched with."""
    level = [each for each in robot.ranges.values() if hypot(*each.direction[:2]) > 0.9]
    rays = [RaySource(each) for each in level]
    if robot.lidars:
        return (*(LidarSource(each) for each in robot.lidars.values()), *rays)
    cameras = [each for each in robot.cameras.values() if _is_fixed(robot, each)]
    return (*(CameraSource(robot, each) for each in cameras[:1]), *rays)


def _is_fixed(robot: Robot, camera: CameraDevice) -> bool:
    """Tell whether no joint is between a camera and the base."""
    model, prefix = robot.world.model, f"{robot.name}/"
    body = int(model.cam_bodyid[robot.world.index("camera", prefix + camera.facts.camera)])
    base = robot.world.index("body", prefix + robot.base.facts.frame)
    while body not in (base, 0) and model.body_jntnum[body] == 0:
        body = int(model.body_parentid[body])
    return body == base


class ZoneGuard:
    """Watches the zone around the base of a robot; a stepper, so that snapshots hold its memory."""

    def __init__(self, robot: Robot) -> None:
        """Take a robot with a base; its sensors are looked up when they are first needed."""
        self._robot, own = robot, robot.base.facts.limits
        self._limits = BrakingLimits(
            acceleration=own.acceleration, braking=own.braking,
            turn_acceleration=own.turn_acceleration, turn_braking=own.turn_braking,
        )  # fmt: skip
        self._found: Sequence[tuple[Source, ObstacleMemory]] | None = None
        self._read_at: list[float] = []
        self._corners, self._outlined_at = np.empty((0, 2)), -inf
        robot.session.steppers.append(self)

    @property
    def _sources(self) -> Sequence[tuple[Source, ObstacleMemory]]:
        if self._found is None:
            sources = zone_sources(self._robot)
            self._found = [(each, ObstacleMemory(each.facts)) for each in sources]
            self._read_at = [-inf] * len(sources)
        return self._found

    def limit(self, now: float, wanted: Twist) -> tuple[float, SafetyStop | None]:
        """Return the share of speeds that is let through, and what is in the way."""
        base = self._robot.base
        self._follow_arms(now)
        for source, _ in self._sources:
            if any(wanted) and now - source.stamp > SILENT:
                return 0.0, SafetyStop(
                    stamp=now, sensor=source.facts.name, x=0.0, y=0.0, distance=0.0,
                    silent=now - source.stamp,
                )  # fmt: skip
        self._observe(now)
        points, margins, owners = self.obstacles(now)
        found = allowance(self._corners, points, margins, base.speed, wanted, self._limits)
        if found.obstacle < 0:
            return found.share, None
        from mecano.control.safety_kernel import clearance

        x, y = points[found.obstacle].tolist()
        name = self._sources[int(owners[found.obstacle])][0].facts.name
        far = float(clearance(self._corners, x, y))
        return found.share, SafetyStop(stamp=now, sensor=name, x=x, y=y, distance=far)

    def _follow_arms(self, now: float) -> None:
        if now - self._outlined_at > OUTLINE:
            self._corners, self._outlined_at = self._robot.footprint(), now

    def _observe(self, now: float) -> None:
        """Take in what is new."""
        track = self._robot.base.track
        for number, (source, memory) in enumerate(self._sources):
            if source.stamp > self._read_at[number] and (
                now - self._read_at[number] >= source.period - 1e-6
            ):
                sighting = source.read()
                memory.observe(sighting, track.at(sighting.stamp), self._corners)
                self._read_at[number] = sighting.stamp

    def obstacles(self, now: float) -> tuple[Array, Array, NDArray[np.int_]]:
        """Return points in the frame of the base [m], their margins [m], and whose they are."""
        T_base_odom = self._robot.base.track.at(now).inverse()
        memories = [memory for _, memory in self._sources]
        counts = [len(memory.points) for memory in memories]
        points = T_base_odom.transform_points(np.vstack([m.points for m in memories]))
        margins = np.repeat(np.array([memory.facts.margin for memory in memories]), counts)
        return points, margins, np.repeat(np.arange(len(memories)), counts)

    def odometry_moved(self, before: Pose2, after: Pose2) -> None:
        """Go on although odometry calls the same place another pose now."""
        for _, memory in self._found or ():
            memory.moved(before, after)

    # --- as a stepper: it only remembers

    def step(self, now: float) -> None:
        """Nothing: the base asks it."""

    def stop(self) -> None:
        """Nothing: it moves nothing."""

    def at_rest(self) -> bool:
        """Tell that it moves nothing."""
        return True

    def memory(self) -> Any:
        """Return what it must know to go on from here."""
        if self._found is None:
            return None
        kept = [(memory.points, memory.stamps) for _, memory in self._found]
        return kept, list(self._read_at), self._corners, self._outlined_at

    def recall(self, memory: Any) -> None:
        """Go on from there."""
        self._found, self._outlined_at = None, -inf
        if memory is not None:
            kept, read_at, self._corners, self._outlined_at = memory
            for (_, own), (points, stamps) in zip(self._sources, kept, strict=True):
                own.points, own.stamps = points, stamps
            self._read_at = list(read_at)


def add_zone(robot: Robot) -> None:
    """Give the base of a robot its safety zone, switched off; nothing without sensors for one."""
    if zone_sources(robot):
        robot.base.guard = ZoneGuard(robot)
