"""What CRUMB costs: a tick of its session beside the physics alone, and its camera.

All rows use the robot in an empty scene at 100 Hz, five physics steps of 2 ms per tick, with noise
on all sensors, while it drives in a circle. The peer of a tick is raw stepping of the same world.
"""

from collections.abc import Callable
from itertools import count
from time import perf_counter

import mujoco
import numpy as np

from mecano.core.errors import MecanoError
from mecano.core.results import BenchRow
from mecano.lab.robot import Robot, connect
from mecano.lab.settings import Settings
from mecano.sensors.camera import DepthCamera
from timing import Call, compare

TICKS = 50
ROUNDS = 30


def session_crumb() -> BenchRow:
    """A tick with all sensors but the camera's pictures, which nobody looks at."""
    with crumb() as robot, crumb() as other:
        return beside_physics(
            "session_crumb", robot, other, look=lambda: None, bar="value < 1000 us"
        )


def session_crumb_camera() -> BenchRow:
    """The same, with every picture of 320x240 looked at: 10 a second."""
    with crumb() as robot, crumb() as other:
        return beside_physics("session_crumb_camera", robot, other, look=robot.camera.read)


def camera_320() -> BenchRow:
    """A picture of 320x240 with its depths and noise."""
    return picture("camera_320", 320, 240)


def camera_640() -> BenchRow:
    """A picture of 640x480 with its depths and noise."""
    return picture("camera_640", 640, 480)


ROWS = (session_crumb, session_crumb_camera, camera_320, camera_640)


def crumb(width: int = 320, height: int = 240, *, noise: bool = True) -> Robot:
    """Return the robot with pictures of a size [pixels]."""
    size = {"cameras.camera.width": width, "cameras.camera.height": height}
    return connect("crumb", scene="empty", noise=noise, settings=Settings.load(None, size))


def beside_physics(
    name: str, robot: Robot, other: Robot, *, look: Call, bar: str | None = None
) -> BenchRow:
    """Time ticks and raw steps of the other one's world that is driven alike, in turns."""
    other.wait(0.5)  # its arm holds by now
    twin = other.world
    steps = round(robot.session.backend.tick / twin.timestep)
    layout = robot.base.facts.layout
    motors = [twin.index("actuator", f"{other.name}/{name}") for name in layout.names]
    twin.data.ctrl[twin.model.actuator_ctrladr[motors]] = layout.rates([0.2, 0.0, 0.6])

    def ticks() -> None:
        for _ in range(TICKS):
            robot.base.drive(0.2, 0.6)
            robot.session.tick()
            look()

    def raw() -> None:
        for _ in range(TICKS):
            mujoco.mj_step(twin.model, twin.data, nstep=steps)

    ticks()
    ours, peers = [], []
    for _ in range(ROUNDS):
        ours.append(seconds(ticks))
        peers.append(seconds(raw))
    return BenchRow(
        name=name, value=1e6 * min(ours) / TICKS, unit="us",
        peer="raw steps of the same world", peer_value=1e6 * min(peers) / TICKS, bar=bar,
    )  # fmt: skip


def seconds(call: Callable[[], None]) -> float:
    """Return how long a call takes [s]."""
    began = perf_counter()
    call()
    return perf_counter() - began


def picture(name: str, width: int, height: int) -> BenchRow:
    """Time a picture; the peer is the same one without noise."""
    with crumb(width, height) as noisy, crumb(width, height, noise=False) as exact:
        best, clean = compare(looker(noisy), looker(exact), rounds=10)
        for robot in (noisy, exact):
            check_drawn(robot, width, height)
    return BenchRow(
        name=name, value=1e6 * best, unit="us",
        peer="without noise", peer_value=None if clean is None else 1e6 * clean,
    )  # fmt: skip


def check_drawn(robot: Robot, width: int, height: int) -> None:
    """Raise unless the picture that was timed last shows the floor below an empty sky."""
    depth = robot.camera.read().clean_depth.data
    below = depth[height // 2 + height // 10 :]
    if depth.shape != (height, width) or not np.isfinite(below).all():
        raise MecanoError(f"a picture of {width}x{height} pixels was timed but not drawn")


def looker(robot: Robot) -> Call:
    """Return a call that draws a new picture each time."""
    instants = count(1)

    def look() -> None:
        robot.world.data.time = 0.1 * next(instants)  # or the last picture would do
        assert isinstance(robot.camera, DepthCamera)
        robot.camera.sample()
        robot.camera.read()

    return look
