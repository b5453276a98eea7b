"""Logs of drives, whoever wrote them: CARMEN's text, our run folders, ROS 2 messages in MCAP."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.drive_log import DriveLog
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import LaserScan, Odometry
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import poses_at, relative_all
from mecano.estimation.localization.odometry_jumps import jumps, slack_of, without_jumps
from mecano.record.carmen import read_carmen
from mecano.record.folder import HEADER, LOG
from mecano.record.header import read_header
from mecano.record.log_picking import PickedLog
from mecano.record.log_times import stray_in_time
from mecano.record.migrations import KOBUKI_TRUST, is_kobuki_gyro
from mecano.record.robot_facts import trust_of
from mecano.record.trajectories import Trajectory
from mecano.robots.mobile import OdometryTrust
from mecano.topics.codec import decode, encode
from mecano.topics.layouts import AFTER_ENCAPSULATION, Layout, pose_layout
from mecano.topics.tables import ODOMETRY, SCAN, STATIC_FRAMES, TRUE_POSE

MCAP = b"\x89MCAP0\r\n"
"""How an MCAP file begins."""
ODOMETRY_TYPE, SCAN_TYPE = "nav_msgs/msg/Odometry", "sensor_msgs/msg/LaserScan"
POSE_TYPE, FRAMES_TYPE = "geometry_msgs/msg/PoseStamped", "tf2_msgs/msg/TFMessage"
LOG_ENDINGS = (".log", ".clf", ".graph", ".txt")
"""Endings of files that have relations beside them."""
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
    names: set[str] = field(default_factory=set)
    """Of all topics."""
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


def file_beside(source: Path, kind: str) -> Path | None:
    """Return `NAME.kind` or `NAME.kind.gz` beside `NAME.log.gz`, if there is one."""
    name = source.name.removesuffix(".gz")
    ending = next((ending for ending in LOG_ENDINGS if name.endswith(ending)), "")
    stem = name.removesuffix(ending)
    found = (source.with_name(f"{stem}.{kind}{gz}") for gz in (".gz", ""))
    return next((file for file in found if file.is_file()), None)


def read_truth(path: str | Path) -> Trajectory | None:
    """Return where the base really was, if a log of a simulation tells it of one robot."""
    log = _log_of_messages(Path(path))
    if log is None:
        return None
    topics = _topics(log).truth
    if len(topics) != 1:
        return None
    rows = _planar_rows(POSE_TYPE, next(iter(topics.values())))
    return Trajectory.from_rows(_last_session(rows)[0])


def odometry_trust(path: str | Path, *, scan_topic: str | None = None) -> OdometryTrust | None:
    """Return how far odometry of a log can be trusted; None if that is not known.

    A run folder says so in its header, as the facts of its robot have it. A log without a header
    is that of a Kobuki if it has the topic of its gyro.

    Args:
        path: As for `read_drive`.
        scan_topic: Of the robot, where there are several.
    """
    log = _log_of_messages(Path(path))
    if log is None:
        return None
    topics = _topics(log)
    if log.name != LOG or not (log.parent / HEADER).is_file():
        return OdometryTrust(**KOBUKI_TRUST) if is_kobuki_gyro(topics.names) else None
    header = read_header(log.parent)
    names = list(header["robots"])
    if len(names) > 1:
        chosen = _choose(log, "scans", topics.scans, SCAN, scan_topic)
        names = [name for name in names if chosen.startswith(f"/{name}/")]
    return trust_of(header, names[0]) if names else None


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


def _topics(log: Path) -> _Topics:
    """Return the messages of a drive; of the log that was read last, without reading it again."""
    try:
        about = log.stat()
    except OSError:
        raise InvalidInput(f"there is no log {log}") from None
    return _gather(log, about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=1)
def _gather(log: Path, size: int, changed: int) -> _Topics:
    found = _Topics(log)
    reader = PickedLog(log, lambda *topic: _is_of_drive(found, *topic))
    for record in reader:
        if record.type_name == SCAN_TYPE:
            found.scans[record.topic].append(record.data)
        elif record.type_name == ODOMETRY_TYPE:
            found.odometry[record.topic].append(record.data)
        elif record.type_name == POSE_TYPE:
            found.truth[record.topic].append(record.data)
        elif record.type_name == FRAMES_TYPE:
            found.frames.append(record.data)
    found.problem = reader.problem
    return found


def _is_of_drive(found: _Topics, topic: str, type_name: str) -> bool:
    """Say whether a topic is of those that a drive consists of, and note its name."""
    found.names.add(topic)
    if type_name in (POSE_TYPE, FRAMES_TYPE):
        return topic.endswith(TRUE_POSE if type_name == POSE_TYPE else STATIC_FRAMES)
    return type_name in (SCAN_TYPE, ODOMETRY_TYPE)


def _from_messages(log: Path, scan_topic: str | None) -> DriveLog:
    topics = _topics(log)
    notes = [f"the log is not whole: {topics.problem}"] if topics.problem else []
    scan_name = _choose(log, "scans", topics.scans, SCAN, scan_topic)
    robot = scan_name.removesuffix(SCAN) if scan_name.endswith(SCAN) else ""
    odometry_name = _choose(log, "odometry", topics.odometry, f"{robot}{ODOMETRY}", None)
    told = topics.odometry[odometry_name]
    table = _planar_rows(ODOMETRY_TYPE, told)
    far, about_odometry = stray_in_time(table[:, 0])
    table, set_back = _last_session(table[~far])
    scans: list[LaserScan] = [decode(SCAN_TYPE, data) for data in topics.scans[scan_name]]
    far, about_scans = stray_in_time(np.array([scan.stamp for scan in scans]))
    scans = [scan for scan, stray in zip(scans, far, strict=True) if not stray]
    for what, about in (("odometry", about_odometry), ("scans", about_scans)):
        notes += [f"of {what}, {about}; these messages were left out"] if about else []
    kept = sorted(_after_set_back(scans) if set_back else scans, key=lambda scan: scan.stamp)
    if set_back:
        notes.append("the clock was set back while it was recorded; only what came after counts")
    stamps = table[:, 0]
    poses, set_anew = _one_frame(stamps, table[:, 1:])
    notes += set_anew
    known = [s for s in kept if stamps[0] - LATE <= s.stamp <= stamps[-1] + LATE]
    if len(known) < len(kept):
        notes.append(f"{len(kept) - len(known)} scans have no odometry near them and are left out")
    if not known:
        raise InvalidInput(f"no scan on {scan_name} of {log} has odometry of its time")
    mount, note = _mount(topics, known[0].frame, decode(ODOMETRY_TYPE, told[0]).child_frame)
    return DriveLog(
        source=str(log),
        odometry_stamps=stamps,
        odometry=poses,
        scans=tuple(known),
        scan_odometry=poses_at(np.array([scan.stamp for scan in known]), stamps, poses),
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


def _one_frame(stamps: Array, poses: Array) -> tuple[Array, list[str]]:
    """Return odometry as if nobody had set it anew, and a note if somebody did."""
    slack = slack_of(stamps)
    when = np.flatnonzero(jumps(stamps, poses, slack=slack))
    if not len(when):
        return poses, []
    x, y, yaw = relative_all(poses[when], poses[when + 1])[0]
    again = f" (the first of {len(when)} times)" if len(when) > 1 else ""
    note = (
        f"odometry was set anew at {stamps[when[0] + 1]:.2f} s by {np.hypot(x, y):.2f} m and "
        f"{np.degrees(abs(yaw)):.0f} deg{again}; the base is taken to have stood still there"
    )
    return without_jumps(stamps, poses, slack=slack), [note]


def _planar_rows(type_name: str, messages: Sequence[bytes]) -> Array:
    """Return stamp [s], x, y [m], yaw [rad] of messages that have a pose. Shape (n, 4).

    All at once if they are of one size, as those of one sender are: that takes a tenth of the time.
    """
    layout = _layout(type_name, decode(type_name, messages[0]))
    kind = layout.pattern[:AFTER_ENCAPSULATION]
    if all(len(m) == len(layout.pattern) and m.startswith(kind) for m in messages):
        stamps, (position, quaternion) = layout.unpack(messages)
        x, y, z, w = quaternion.T
        length = x * x + y * y + z * z + w * w
        if np.isfinite(position).all() and np.all(np.abs(length - 1.0) < 1e-6):
            yaw = np.arctan2(2.0 * (w * z + x * y), length - 2.0 * (y * y + z * z))
            return np.column_stack([stamps, position[:, :2], yaw])
    told = [decode(type_name, message) for message in messages]  # says what is wrong with which
    poses = [Pose2.from_pose(message.pose) for message in told]
    return np.array([(m.stamp, p.x, p.y, p.yaw) for m, p in zip(told, poses, strict=True)])


def _layout(type_name: str, message: Any) -> Layout:
    """Return where stamp, position and quaternion stand in messages like this one."""
    if type_name == POSE_TYPE:
        return pose_layout(message.frame)
    _, data = encode(Odometry(frame=message.frame, child_frame=message.child_frame))
    end = len(data) - 8 * (36 + 6 + 36)  # two covariances and the speed come behind the pose
    return Layout(data, (AFTER_ENCAPSULATION,), ((end - 56, 3), (end - 32, 4)))


def _last_session(table: Array) -> tuple[Array, bool]:
    """Return rows with rising stamps, and whether the clock was set back before them."""
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
