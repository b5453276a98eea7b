"""What MADAR costs: ticks of the whole robot with three LIDARs beside the physics alone.

Ticks are at 125 Hz, four physics steps of 2 ms each; 271 rays of each LIDAR at 15 Hz.
"""

from collections.abc import Callable

import mujoco

from mecano.core.results import BenchRow
from mecano.lab.robot import Robot, connect
from timing import compare

TICKS, ROUNDS = 25, 150
"""Ticks of a round: 0.2 s, in which every LIDAR scans three times."""
STEPS = 4
"""Of the physics in a tick."""


def session_madar() -> BenchRow:
    """A tick of the robot that stands, beside raw stepping of its twin; ratio is raw / ours."""
    with connect("madar", scene="carry") as robot, connect("madar", scene="carry") as other:
        return _tick_row("session_madar", robot, other, bar="ratio >= 0.7")


def session_madar_read() -> BenchRow:
    """The same with all encoders looked at in every tick and every scan when it is new."""
    with connect("madar", scene="carry") as robot, connect("madar", scene="carry") as other:
        return _tick_row("session_madar_read", robot, other, look=_reader(robot))


def real_time_madar() -> BenchRow:
    """How many times faster than real time the robot of `session_madar` runs."""
    with connect("madar", scene="carry") as robot:
        robot.wait(1.0)
        seconds, _ = compare(_ticks(robot), None, rounds=ROUNDS)
        simulated = TICKS * robot.session.backend.tick
    return BenchRow(name="real_time_madar", value=simulated / seconds, unit="x")


def session_madar_drive() -> BenchRow:
    """A tick of the robot that drives, beside raw stepping of a twin that stands."""
    with connect("madar", scene="carry") as robot, connect("madar", scene="carry") as other:
        robot.base.follow_target(lambda passed: (robot.base.pose, (0.0, 0.0, 0.2)))
        return _tick_row("session_madar_drive", robot, other)


def session_madar_hold() -> BenchRow:
    """A tick with both hands held in the world by their inverse kinematics, the same beside."""
    with (
        connect("madar", scene="carry", start="carry") as robot,
        connect("madar", scene="carry", start="carry") as other,
    ):
        robot.arms.hold().stay_in_world()
        return _tick_row("session_madar_hold", robot, other)


def footprint() -> BenchRow:
    """The outline on the floor in the present posture."""
    with connect("madar", scene="empty") as robot:
        robot.wait(0.1)
        seconds, _ = compare(lambda: [robot.footprint() for _ in range(20)], None, rounds=ROUNDS)
    return BenchRow(name="footprint", value=1e6 * seconds / 20, unit="us", bar="value < 100000 us")


ROWS = (
    session_madar,
    session_madar_read,
    real_time_madar,
    session_madar_drive,
    session_madar_hold,
    footprint,
)


def _tick_row(
    name: str, robot: Robot, other: Robot, *, bar: str | None = None,
    look: Callable[[], None] = lambda: None,
) -> BenchRow:  # fmt: skip
    """Time ticks and raw steps in turns; a program may look at the robot after each tick."""
    robot.wait(1.0)
    other.wait(1.0)
    seconds, peer_seconds = compare(_ticks(robot, look), _raw(other), rounds=ROUNDS)
    return BenchRow(
        name=name, value=1e6 * seconds / TICKS, unit="us", peer="raw stepping",
        peer_value=None if peer_seconds is None else 1e6 * peer_seconds / TICKS, bar=bar,
    )  # fmt: skip


def _ticks(robot: Robot, look: Callable[[], None] = lambda: None) -> Callable[[], None]:
    def ticks() -> None:
        for _ in range(TICKS):
            robot.session.tick()
            look()

    return ticks


def _reader(robot: Robot) -> Callable[[], None]:
    """Return what looks at all encoders, and at each scan once."""
    seen = dict.fromkeys(robot.lidars, -1.0)

    def read() -> None:
        for encoders in robot.encoders:
            _ = encoders.reading
        for name, lidar in robot.lidars.items():
            if lidar.stamp != seen[name]:
                seen[name] = lidar.read().stamp

    return read


def _raw(other: Robot) -> Callable[[], None]:
    world = other.world

    def raw() -> None:
        for _ in range(TICKS):
            mujoco.mj_step(world.model, world.data, nstep=STEPS)

    return raw
