"""Three LIDARs on a small base in a room, as MADAR has them, without the rest of it."""

from math import cos, pi, sin

import mujoco
import numpy as np

from mecano.core.poses import Pose2
from mecano.robots.lidars import tim551
from mecano.robots.madar.description import LIDAR_CROP
from mecano.sensors.lidar import Lidar
from mecano.world.world import World

HEIGHT = 0.152
"""Of the scan plane [m]."""
FACING = {"front": 0.0, "left": 2 * pi / 3, "right": -2 * pi / 3}
WALLS = ((3.05, 0, 0.05, 4.1), (-3.05, 0, 0.05, 4.1), (0, 4.05, 3.1, 0.05), (0, -4.05, 3.1, 0.05))
"""Middle and half size of each wall of a room of 6 by 8 m [m]."""


def sites(names=FACING) -> str:
    """Return LIDARs at 0.35 m from the middle, upside down, facing outwards."""
    made = ""
    for name in names:
        a = FACING[name]
        made += (
            f'<body name="tim_{name}" pos="{0.35 * cos(a)} {0.35 * sin(a)} {HEIGHT}" '
            f'xyaxes="{cos(a)} {sin(a)} 0 {sin(a)} {-cos(a)} 0">'
            f'<site name="tim_{name}"/>'
            '<geom type="box" size=".03 .03 .043" group="3" contype="0" conaffinity="0"/></body>'
        )
    return made


def wheels() -> str:
    """Return balls where MADAR's wheels are."""
    return "".join(
        f'<geom name="wheel_{i}" type="sphere" size="0.1" group="3" contype="0" conaffinity="0" '
        f'pos="{0.2905 * cos(a)} {0.2905 * sin(a)} 0.1"/>'
        for i, a in enumerate((pi, -pi / 3, pi / 3), start=1)
    )


def room(
    *, pose: Pose2 | None = None, things: str = "", own: str = "", assets: str = "", walls=WALLS
) -> World:
    """Return a base that slides on the floor of a room, with its LIDARs."""
    pose = pose or Pose2()
    boxes = "".join(f'<geom type="box" pos="{x} {y} 1" size="{a} {b} 1"/>' for x, y, a, b in walls)
    spec = mujoco.MjSpec.from_string(f"""
        <mujoco><option gravity="0 0 0" timestep="0.002"/>{assets}<worldbody>
        <geom type="plane" size="20 20 0.1"/>{boxes}{things}
        <body name="base_footprint" pos="{pose.x} {pose.y} 0" euler="0 0 {np.degrees(pose.yaw)}">
        <freejoint/><inertial mass="50" pos="0 0 0.2" diaginertia="5 5 5"/>
        {own}{sites()}</body></worldbody></mujoco>""")
    return World(spec)


def lidars(world: World, *, seed: int | None = None, **options) -> dict[str, Lidar]:
    """Return the LIDARs of the base; with a seed they are noisy."""
    return {
        name: Lidar(
            world, tim551(name, f"tim_{name}", **{"crop": LIDAR_CROP} | options), prefix="",
            base="base_footprint",
            noise=None if seed is None else np.random.default_rng([seed, i]),
        )
        for i, name in enumerate(FACING)
    }  # fmt: skip


def place(world: World, pose: Pose2, twist=(0.0, 0.0, 0.0)) -> None:
    """Put the base somewhere, moving at vx, vy [m/s] and wz [rad/s] in its own frame."""
    world.data.qpos[:] = [pose.x, pose.y, 0, cos(pose.yaw / 2), 0, 0, sin(pose.yaw / 2)]
    vx, vy, wz = twist
    c, s = cos(pose.yaw), sin(pose.yaw)
    world.data.qvel[:] = [c * vx - s * vy, s * vx + c * vy, 0, 0, 0, wz]


def to_wall(x: float, y: float, angle) -> np.ndarray:
    """Return how far the walls of the room are from a point, in some directions [m]."""
    with np.errstate(divide="ignore"):
        along_x = np.where(np.cos(angle) > 0, 3.0 - x, 3.0 + x) / np.abs(np.cos(angle))
        along_y = np.where(np.sin(angle) > 0, 4.0 - y, 4.0 + y) / np.abs(np.sin(angle))
    return np.minimum(along_x, along_y)
