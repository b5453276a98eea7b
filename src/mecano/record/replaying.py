"""A recorded robot as a robot: its parts read the log, and compute from it what they always do."""

from pathlib import Path

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import BaseReport, LaserScan
from mecano.lab.building import build
from mecano.lab.replayed import ReplayBackend, ReplayedDevices, ReplayLog
from mecano.lab.robot import Robot
from mecano.lab.settings import Settings
from mecano.lab.simulated import Truth
from mecano.record.recording import Recording
from mecano.session.session import Session
from mecano.topics.tables import BASE_REPORT, robot_topic
from mecano.world.world import World


def connect_replay(run: str | Path | Recording, *, robot: str | None = None) -> Robot:
    """Return a robot that does again what was recorded.

    Its readings come from the log and time passes as it did; odometry, fused scans, maps and
    localization are computed anew by the same code. `robot.session.backend.over` tells when the log
    has ended; ticks beyond that raise `ReplayEnded`.

    Args:
        run: Run folder, or a recording that has been read.
        robot: Which one, where several were recorded.
    """
    recording = run if isinstance(run, Recording) else Recording.open(run)
    names = list(recording.header["robots"])
    if robot is None and len(names) != 1:
        raise InvalidInput(f"say which robot is meant: {', '.join(names)}")
    name = robot or names[0]
    if name not in names:
        raise UnknownName("recorded robot", name, names)
    description = recording.description(name)
    backend = ReplayBackend(World(recording.model()), _log(recording, name, len(names) == 1))
    replayed = Robot(description, Session(backend), name)
    replayed.truth = Truth(backend.world, f"{name}/", description)
    build(replayed, ReplayedDevices(backend, description, f"{name}/"), Settings())
    replayed.session.mark_initial()
    return replayed


def _log(recording: Recording, name: str, alone: bool) -> ReplayLog:
    """Return what a recording holds of a robot."""
    description, joints = recording.description(name), recording.joints[name]
    lidars = () if description.base is None else description.base.lidars
    topics = {robot_topic(lidar.topic, name, alone=alone): lidar.name for lidar in lidars}
    report = robot_topic(BASE_REPORT, name, alone=alone)
    reports: list[BaseReport] = []
    scans: dict[str, list[LaserScan]] = {}
    for topic, message in recording.messages(report, *topics):
        if topic == report:
            reports.append(message)
        else:
            scans.setdefault(topics[topic], []).append(message)
    return ReplayLog(
        times=recording.times,
        states=recording.states,
        joints=joints.names,
        positions=joints.real,
        velocities=joints.velocity,
        efforts=joints.effort,
        reports=reports,
        scans=dict(scans),
    )
