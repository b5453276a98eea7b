"""Some topics of a log, without the others.

A log of ours holds the state of the engine in every tick, so what a drive consists of is a tenth of
it. The index of a closed log tells where messages are; those that nobody wants are stepped over.
"""

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from mecano.topics.log import LogReader, Record, read_log

RECORD = struct.Struct("<BQ")
"""How a record begins: its kind, and its length [bytes]. (MCAP specification, "Records")."""
MESSAGE = struct.Struct("<HIQQ")
"""How a message begins: channel, sequence, times of log and of publication [ns]."""
Wanted = Callable[[str, str], bool]
"""Says of a topic and its type whether its messages are wanted."""


class PickedLog:
    """The wanted messages of a log, in order; see `LogReader`."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        """Look at a log.

        Raises:
            InvalidInput: There is no such file.
        """
        self._whole: LogReader = read_log(path)
        self._path, self._wanted = path, wanted

    @property
    def problem(self) -> str | None:
        """Where and why reading ended before the end, known after it has."""
        return self._whole.problem

    def __iter__(self) -> Iterator[Record]:
        """Yield messages up to the end, or up to where the log breaks."""
        try:
            with self._path.open("rb") as file:
                picked = list(self._by_index(file))
        except Exception:  # whatever mcap and zstd run into: what there is is read from the front
            picked = [r for r in self._whole if self._wanted(r.topic, r.type_name)]
        yield from picked

    def _by_index(self, file: BinaryIO) -> Iterator[Record]:
        from mcap.data_stream import ReadDataStream
        from mcap.exceptions import McapError
        from mcap.reader import make_reader
        from mcap.records import Chunk
        from mcap.stream_reader import get_chunk_data_stream

        summary = make_reader(file, validate_crcs=True).get_summary()
        if summary is None or not summary.chunk_indexes:
            raise McapError(f"{self._path} has no index")
        named = {
            number: (channel.topic, summary.schemas[channel.schema_id].name)
            for number, channel in summary.channels.items()
        }
        chosen = {number: names for number, names in named.items() if self._wanted(*names)}
        for index in sorted(summary.chunk_indexes, key=lambda index: index.chunk_start_offset):
            file.seek(index.chunk_start_offset + RECORD.size)
            chunk = Chunk.read(ReadDataStream(file))
            stream, size = get_chunk_data_stream(chunk, validate_crc=True)
            yield from _messages(stream.read(size), chosen)


def _messages(data: bytes, chosen: dict[int, tuple[str, str]]) -> Iterator[Record]:
    """Yield the messages of some channels that are in the bytes of a chunk."""
    from mcap.opcode import Opcode

    place, kind = 0, int(Opcode.MESSAGE)
    while place < len(data):
        opcode, length = RECORD.unpack_from(data, place)
        begin = place + RECORD.size
        place = begin + length
        if opcode == kind:
            channel, _, time, _ = MESSAGE.unpack_from(data, begin)
            if channel in chosen:
                yield Record(*chosen[channel], time, data[begin + MESSAGE.size : place])
