"""Logs of drives, whoever wrote them: CARMEN's text, our run folders, ROS 2 messages in MCAP."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.drive_log import DriveLog
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import poses_at
from mecano.estimation.localization.odometry_jumps import jumps
from mecano.record.carmen import read_carmen
from mecano.record.folder import LOG
from mecano.record.trajectories import Trajectory
from mecano.topics.codec import decode
from mecano.topics.log import read_log
from mecano.topics.tables import ODOMETRY, SCAN, TRUE_POSE

MCAP = b"\x89MCAP0\r\n"
"""How an MCAP file begins."""
ODOMETRY_TYPE, SCAN_TYPE = "nav_msgs/msg/Odometry", "sensor_msgs/msg/LaserScan"
POSE_TYPE, FRAMES_TYPE = "geometry_msgs/msg/PoseStamped", "tf2_msgs/msg/TFMessage"
STATIC_FRAMES = "/tf_static"
SAME_ON_THE_FLOOR = ("base_link", "base_footprint")
"""Frames of a base that lie above each other (REP 120)."""
SET_BACK = 1.0
"""Stamps that fall by more are a clock that was set back, not messages out of order [s]."""
LATE = 0.5
"""Scans further than this from any odometry are left out [s]."""


@dataclass(eq=False)
class _Topics:
    """The raw messages of a log that a drive consists of, by topic."""

    path: Path
    scans: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    odometry: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    truth: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    frames: list[bytes] = field(default_factory=list)
    problem: str | None = None


def read_drive(
    path: str | Path, *, scan_topic: str | None = None, mount: Pose2 | None = None
) -> DriveLog:
    """Read a drive.

    Args:
        path: A log of CARMEN, plain or gzip; a run folder; or an MCAP file of ROS 2 messages.
        scan_topic: Which scans to take from a log of messages. If nothing is said, `/scan` is
            taken, else the only ones there are.
        mount: Where the scanner sits on the base; if nothing is said, as the log has it.

    Raises:
        InvalidInput: There is no such log, or it lacks scans or odometry.
        UnknownName: There is no such topic.
    """
    path = Path(path)
    log = _log_of_messages(path)
    drive = read_carmen(path) if log is None else _from_messages(log, scan_topic)
    return drive if mount is None else replace(drive, mount=mount)


def read_truth(path: str | Path) -> Trajectory | None:
    """Return where the base really was, if a log of a simulation tells it of one robot."""
    log = _log_of_messages(Path(path))
    if log is None:
        return None
    topics = _gather(log).truth
    if len(topics) != 1:
        return None
    poses = [decode(POSE_TYPE, data) for data in next(iter(topics.values()))]
    rows = [(p.stamp, *_planar(Pose2.from_pose(p.pose))) for p in poses]
    return Trajectory.from_rows(_last_session(rows)[0])


def _log_of_messages(path: Path) -> Path | None:
    """Return the MCAP file that a path stands for; None if it must be CARMEN's text."""
    if path.is_dir():
        logs = [path / LOG] if (path / LOG).is_file() else sorted(path.glob("*.mcap"))
        if len(logs) == 1:
            return logs[0]
        raise InvalidInput(
            f"{path} holds {len(logs)} logs; expected a run folder with {LOG}, or one file *.mcap"
        )
    try:
        with path.open("rb") as file:
            return path if file.read(len(MCAP)) == MCAP else None
    except OSError:
        return None  # the reader of CARMEN's logs says what is wrong with it


def _gather(log: Path) -> _Topics:
    reader = read_log(log)
    found = _Topics(log)
    for record in reader:
        if record.type_name == SCAN_TYPE:
            found.scans[record.topic].append(record.data)
        elif record.type_name == ODOMETRY_TYPE:
            found.odometry[record.topic].append(record.data)
        elif record.type_name == POSE_TYPE and record.topic.endswith(TRUE_POSE):
            found.truth[record.topic].append(record.data)
        elif record.type_name == FRAMES_TYPE and record.topic == STATIC_FRAMES:
            found.frames.append(record.data)
    found.problem = reader.problem
    return found


def _from_messages(log: Path, scan_topic: str | None) -> DriveLog:
    topics = _gather(log)
    notes = [f"the log is not whole: {topics.problem}"] if topics.problem else []
    scan_name = _choose(log, "scans", topics.scans, SCAN, scan_topic)
    robot = scan_name.removesuffix(SCAN) if scan_name.endswith(SCAN) else ""
    odometry_name = _choose(log, "odometry", topics.odometry, f"{robot}{ODOMETRY}", None)
    told = [decode(ODOMETRY_TYPE, data) for data in topics.odometry[odometry_name]]
    rows = [(message.stamp, *_planar(Pose2.from_pose(message.pose))) for message in told]
    table, set_back = _last_session(rows)
    scans: list[LaserScan] = [decode(SCAN_TYPE, data) for data in topics.scans[scan_name]]
    kept = sorted(_after_set_back(scans) if set_back else scans, key=lambda scan: scan.stamp)
    if set_back:
        notes.append("the clock was set back while it was recorded; only what came after counts")
    stamps, poses = table[:, 0], table[:, 1:]
    known = [s for s in kept if stamps[0] - LATE <= s.stamp <= stamps[-1] + LATE]
    if len(known) < len(kept):
        notes.append(f"{len(kept) - len(known)} scans have no odometry near them and are left out")
    if not known:
        raise InvalidInput(f"no scan on {scan_name} of {log} has odometry of its time")
    mount, note = _mount(topics, known[0].frame, told[0].child_frame)
    return DriveLog(
        source=str(log),
        odometry_stamps=stamps,
        odometry=poses,
        scans=tuple(known),
        scan_odometry=_odometry_at(np.array([scan.stamp for scan in known]), stamps, poses),
        mount=mount,
        notes=(*notes, *note),
    )


def _choose(
    log: Path, what: str, topics: dict[str, list[bytes]], usual: str, asked: str | None
) -> str:
    """Return the topic to take: the one asked for, the usual one, or the only one."""
    if asked is not None:
        if asked not in topics:
            raise UnknownName("scan topic", asked, sorted(topics))
        return asked
    if not topics:
        raise InvalidInput(f"{log} has no {what}; expected messages on a topic such as {usual}")
    if usual in topics:
        return usual
    like = [name for name in topics if name.endswith(usual)] or list(topics)
    if len(like) > 1:
        raise InvalidInput(
            f"{log} has {what} on several topics: {', '.join(sorted(topics))}; say which to take"
        )
    return like[0]


def _odometry_at(asked: Array, stamps: Array, poses: Array) -> Array:
    """Return odometry at some times; over a jump it stays what it was, for a reset has no middle.

    Args:
        asked: [s]. Shape (m,).
        stamps: Of the odometry, rising [s]. Shape (n,).
        poses: Shape (n, 3).
    """
    after = np.clip(np.searchsorted(stamps, asked), 1, len(stamps)) - 1
    jumped = np.append(jumps(stamps, poses), False)[after]
    within = jumped & (asked > stamps[after]) & (asked < np.append(stamps, np.inf)[after + 1])
    return np.where(within[:, None], poses[after], poses_at(asked, stamps, poses))


def _planar(pose: Pose2) -> tuple[float, float, float]:
    return pose.x, pose.y, pose.yaw


def _last_session(rows: Sequence[tuple[float, float, float, float]]) -> tuple[Array, bool]:
    """Return rows with rising stamps, and whether the clock was set back before them."""
    table = np.array(rows)
    falls = np.flatnonzero(np.diff(table[:, 0]) < -SET_BACK)
    table = table[falls[-1] + 1 :] if len(falls) else table
    ordered = Trajectory.from_rows(table)
    return np.column_stack([ordered.stamps, ordered.poses]), bool(len(falls))


def _after_set_back(scans: Sequence[LaserScan]) -> Sequence[LaserScan]:
    falls = np.flatnonzero(np.diff([scan.stamp for scan in scans]) < -SET_BACK)
    return scans[falls[-1] + 1 :] if len(falls) else scans


def _mount(topics: _Topics, scanner: str, base: str) -> tuple[Pose2, tuple[str, ...]]:
    """Return where the scanner sits on the base, and a note if that is a guess."""
    if scanner in ("", base, *SAME_ON_THE_FLOOR):
        return Pose2(), ()
    known: dict[tuple[str, str], Any] = {}
    for data in topics.frames:
        known |= {(t.frame, t.child_frame): t.transform for t in decode(FRAMES_TYPE, data)}
    if (base, scanner) in known:
        return Pose2.from_pose(known[base, scanner]), ()
    return Pose2(), (
        f"the log does not say where the scanner '{scanner}' sits on '{base}'; "
        "it is taken to sit in the middle",
    )
