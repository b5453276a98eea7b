"""Logs of ROS 2 messages in MCAP files, which Foxglove and `ros2 bag` open.

What was added before the last `flush` outlives a program that is killed: MCAP groups messages in
chunks, only a finished chunk can be read, and nothing stays in a buffer of ours.
"""

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, cast

from mecano.core.errors import InvalidInput
from mecano.topics.fields import NANOSECONDS, nanoseconds
from mecano.topics.store import definition

NOT_CLOSED = "it was not closed"
"""How the problem of a log ends that is whole but for its end."""


class Record(NamedTuple):
    """One message of a log."""

    topic: str
    type_name: str
    time: int
    """When it was logged, in session time [ns]."""
    data: bytes


class _Unbuffered:
    """A file whose every write goes to the system at once; a full disk is noticed there."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        _lock(self._file)
        self._size = 0

    def write(self, data: bytes) -> int:
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        return self._size

    def flush(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        self._file.close()


def _lock(file: Any) -> bool:
    """Mark a file as being written; the mark goes with the process. False if another has it."""
    try:
        import fcntl
    except ImportError:  # Windows refuses to replace a file that is open, which is as good
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def is_being_written(path: Path) -> bool:
    """Tell whether a `LogWriter` of a living process has this log open."""
    with path.open("rb") as file:
        return not _lock(file)


class LogWriter:
    """Writes messages to an MCAP file. Everything it does may raise `OSError`."""

    def __init__(self, path: Path) -> None:
        """Create the file; one that is there is overwritten."""
        from mcap.writer import CompressionType, Writer

        self._file = _Unbuffered(path)
        self._writer = Writer(cast(Any, self._file), compression=CompressionType.ZSTD)
        try:
            self._writer.start(profile="ros2", library=f"mecano {version('mecano')}")
        except OSError:
            self._file.close()
            raise
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._time = 0

    def add(self, topic: str, type_name: str, data: bytes, time: float) -> None:
        """Append a message.

        Args:
            topic: Of the message; one topic has one type.
            type_name: For example "sensor_msgs/msg/JointState".
            data: In CDR.
            time: Session time [s]. The log's own time never goes back: after a reset it stands
                still until the session has caught up. Stamps inside messages stay as they are.
        """
        self._time = max(self._time, nanoseconds(time))
        channel = self._channels.get(topic)
        if channel is None:
            channel = self._register(topic, type_name)
        self._writer.add_message(channel, self._time, data, self._time)

    def _register(self, topic: str, type_name: str) -> int:
        if type_name not in self._schemas:
            text = definition(type_name).encode()
            self._schemas[type_name] = self._writer.register_schema(type_name, "ros2msg", text)
        channel = self._writer.register_channel(topic, "cdr", self._schemas[type_name])
        self._channels[topic] = channel
        return channel

    def flush(self) -> None:
        """Finish the chunk in progress and hand it to the system: it outlives the program."""
        self._writer.flush()

    def close(self) -> None:
        """Write the index and close the file."""
        try:
            self._writer.finish()
        finally:
            self._file.close()

    def abandon(self) -> None:
        """Close the file as it is, after a write has failed."""
        self._file.close()


class LogReader:
    """The messages of a log, in order; see `read_log`."""

    def __init__(self, path: Path) -> None:
        """Look at a log."""
        self.path = path
        self.problem: str | None = None
        """Where and why reading ended before the end, known after it has."""

    def __iter__(self) -> Iterator[Record]:
        """Yield messages up to the end, or up to where the log breaks."""
        from mcap.stream_reader import StreamReader

        self.problem, self._last = None, 0
        with self.path.open("rb") as file:
            size = self.path.stat().st_size
            reader = StreamReader(file, validate_crcs=True, record_size_limit=max(size, 1))
            try:
                yield from self._records(reader)
            except Exception as error:  # whatever mcap and zstd run into on broken bytes
                self.problem = (
                    f"it ends after {self._last / NANOSECONDS:.3f} s, at byte {file.tell()} "
                    f"of {size}: {_reason(error)}"
                )

    def _records(self, reader: Any) -> Iterator[Record]:
        from mcap.records import Channel, Message, Schema

        schemas: dict[int, str] = {}
        channels: dict[int, tuple[str, str]] = {}
        for record in reader.records:
            if isinstance(record, Message):
                topic, type_name = channels[record.channel_id]
                self._last = record.log_time
                yield Record(topic, type_name, record.log_time, record.data)
            elif isinstance(record, Channel):
                channels[record.id] = record.topic, schemas[record.schema_id]
            elif isinstance(record, Schema):
                schemas[record.id] = record.name


def _reason(error: Exception) -> str:
    """Say in a few words what stopped the reader."""
    from mcap.exceptions import EndOfFile, InvalidMagic

    if isinstance(error, EndOfFile) or "unpack requires" in str(error):
        return NOT_CLOSED
    if isinstance(error, InvalidMagic):
        return "it does not look like an MCAP file there"
    return f"its bytes are damaged ({type(error).__name__})"


def read_log(path: Path) -> LogReader:
    """Return the messages of a log, to be iterated over.

    A log that was not closed or is damaged gives everything up to the break; after that
    `problem` says where and why it ended. It is None for a whole log.

    Raises:
        InvalidInput: There is no such file.
    """
    if not path.is_file():
        raise InvalidInput(f"there is no log {path}")
    return LogReader(path)


def close_log(damaged: Path, target: Path) -> str | None:
    """Write what can be read of a log to a properly closed one; return what was wrong with it."""
    reader = read_log(damaged)
    writer = LogWriter(target)
    for record in reader:
        writer.add(record.topic, record.type_name, record.data, record.time / NANOSECONDS)
    writer.close()
    return reader.problem
