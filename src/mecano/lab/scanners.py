"""Where the scans of a robot come from: its LIDARs as one, or a depth camera."""

from math import atan, radians, tan
from typing import Protocol

import mujoco
import numpy as np

from mecano import robots
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose, Pose2
from mecano.core.scanner_class import LIDAR, ScannerClass, depth_camera
from mecano.importing.sources import find_robot
from mecano.lab.lidars import fused_scan
from mecano.lab.robot import Robot
from mecano.lab.settings import Settings
from mecano.perception.depth_scan import WINDOW, depth_scan, scan_mount

PICTURES = 5.0
"""Pictures per second that scans are cut out of [Hz]; drawing one takes some 50 ms."""


class Scanner(Protocol):
    """Gives scans of one robot."""

    mount: Pose2
    """Where the frame of the scans is on the base."""
    height: float
    """Of what the scans see above the floor [m]."""
    around: bool
    """Whether they see all directions."""
    scanner_class: ScannerClass
    """What it sees and how it errs."""

    def newest(self) -> LaserScan | None:
        """Return the scan that has come since it was last asked; None if none has."""
        ...


class LidarScanner:
    """All LIDARs as one scan around the base, whenever the first of them has a new one."""

    def __init__(self, robot: Robot) -> None:
        """Look up the LIDARs."""
        self._robot, self._first = robot, next(iter(robot.lidars.values()))
        self._stamp = -1.0
        self.mount, self.height = Pose2(), float(self._first.pose.position[2])
        self.around, self.scanner_class = True, LIDAR

    def newest(self) -> LaserScan | None:
        """Return the fused scan if it is new."""
        if self._first.stamp == self._stamp:
            return None
        self._stamp = self._first.stamp
        return fused_scan(self._robot).scan


class DepthScanner:
    """Scans cut out of the pictures of a depth camera that is fixed on the base."""

    def __init__(self, robot: Robot) -> None:
        """Look up where the camera is."""
        self._camera = robot.camera
        self._pose = camera_on_base(robot)
        self._stamp = -1.0
        self.mount, self.height = scan_mount(self._pose), 0.5 * sum(WINDOW)
        self.around, facts = False, self._camera.facts
        self.scanner_class = depth_camera(
            field_of_view=_field_of_view(robot), nearest=facts.nearest, furthest=facts.furthest
        )

    def newest(self) -> LaserScan | None:
        """Return the scan of a new picture; drawing it takes some 50 ms."""
        if self._camera.stamp == self._stamp:
            return None
        shot = self._camera.read()
        self._stamp = shot.stamp
        facts = self._camera.facts
        return depth_scan(
            shot.depth, shot.info, self._pose, range_min=facts.nearest, range_max=facts.furthest,
            rate=self._camera.rate,
        )  # fmt: skip


def scanner_of(robot: Robot) -> Scanner:
    """Return what a robot can scan with: LIDARs before cameras.

    Raises:
        InvalidInput: It has neither, or no wheels.
    """
    if "base" not in robot.parts:
        raise InvalidInput(f"{robot.name} has no wheels, so it cannot map; {_take_another()}")
    if robot.lidars:
        return LidarScanner(robot)
    if robot.cameras:
        return DepthScanner(robot)
    raise InvalidInput(
        f"{robot.name} has neither LIDAR nor depth camera, so it cannot map; {_take_another()}"
    )


def can_scan(robot: robots.RobotDescription) -> bool:
    """Tell whether a robot has what mapping needs: wheels, and LIDARs or a depth camera."""
    return robot.base is not None and bool(robot.base.lidars or robot.cameras)


def _take_another() -> str:
    """Name the robots of the catalogue that can map; a variant is named by its robot."""
    known = [robots.get(name) for name in robots.ROBOTS]
    variants = {name for each in known for name in list(each.variants.values())[1:]}
    able = [each.name for each in known if can_scan(each) and each.name not in variants]
    return f"take {' or '.join(able)}"


def scan_settings(robot: str) -> Settings:
    """Return settings for a robot that maps: a camera takes no more pictures than are needed."""
    known = find_robot(robot)
    if known.base is None or known.base.lidars or not known.cameras:
        return Settings()
    return Settings.load(None, {f"cameras.{known.cameras[0].name}.rate": PICTURES})


def camera_on_base(robot: Robot) -> Pose:
    """Return where the first camera is on the base, x forward and z up."""
    model, prefix = robot.world.model, f"{robot.name}/"
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_camlight(model, data)
    number = robot.world.index("camera", prefix + robot.camera.facts.camera)
    frame = robot.world.index("body", prefix + robot.base.facts.frame)
    turned = data.cam_xmat[number].reshape(3, 3)  # x right, y up, z back
    T_world_camera, T_world_base = np.eye(4), np.eye(4)
    T_world_camera[:3, :3] = np.stack([-turned[:, 2], -turned[:, 0], turned[:, 1]], axis=1)
    T_world_camera[:3, 3] = data.cam_xpos[number]
    T_world_base[:3, :3] = data.xmat[frame].reshape(3, 3)
    T_world_base[:3, 3] = data.xpos[frame]
    return Pose.from_matrix(np.linalg.inv(T_world_base) @ T_world_camera)


def _field_of_view(robot: Robot) -> float:
    """Return how far the pictures of the first camera reach from side to side [rad]."""
    facts = robot.camera.facts
    number = robot.world.index("camera", f"{robot.name}/{facts.camera}")
    width, height = facts.size
    upright = radians(float(robot.world.model.cam_fovy[number]))
    return 2.0 * atan(tan(0.5 * upright) * width / height)
