"""Logs: closed ones are read by everybody, broken ones up to the break."""

from typing import Any

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.messages import JointState
from mecano.topics.codec import Numbers, decode, encode
from mecano.topics.log import LogWriter, close_log, is_being_written, read_log


def write(path, ticks=100, *, flush_every=10, close=True):
    """Write a log with two messages per tick of 10 ms."""
    writer = LogWriter(path)
    draw = np.random.default_rng(0)
    for tick in range(ticks):
        time = tick / 100
        state = JointState(stamp=time, name=("a", "b"), position=draw.normal(size=2))
        writer.add("/joint_states", *encode(state), time)
        writer.add("/mecano/state", *encode(Numbers(draw.normal(size=60))), time)
        if tick % flush_every == flush_every - 1:
            writer.flush()
    if close:
        writer.close()
    else:
        writer.abandon()
    return path


def test_a_log_gives_back_what_was_added(tmp_path):
    reader = read_log(write(tmp_path / "log.mcap"))
    records = list(reader)
    assert reader.problem is None and len(records) == 200
    assert [record.topic for record in records[:2]] == ["/joint_states", "/mecano/state"]
    assert records[-1].time == 990_000_000
    assert decode(records[-2].type_name, records[-2].data).stamp == 0.99


def test_rosbags_reads_a_closed_log(tmp_path):
    from rosbags.highlevel import AnyReader

    with AnyReader([write(tmp_path / "log.mcap")]) as reader:
        assert {c.topic: c.msgtype for c in reader.connections} == {
            "/joint_states": "sensor_msgs/msg/JointState",
            "/mecano/state": "std_msgs/msg/Float64MultiArray",
        }
        connection, time, data = next(iter(reader.messages()))
        assert time == 0
        message: Any = reader.deserialize(data, connection.msgtype)
        assert message.name == ["a", "b"]


def test_the_indexed_reader_of_mcap_reads_a_closed_log(tmp_path):
    from mcap.reader import make_reader

    with write(tmp_path / "log.mcap").open("rb") as file:
        reader = make_reader(file)
        assert reader.get_header().profile == "ros2"
        summary = reader.get_summary()
        assert summary is not None and summary.statistics is not None
        assert summary.statistics.message_count == 200
        assert {schema.encoding for schema in summary.schemas.values()} == {"ros2msg"}
        assert {chunk.compression for chunk in summary.chunk_indexes} == {"zstd"}
        read = list(reader.iter_messages(topics=["/joint_states"]))
        assert len(read) == 100


def test_the_time_of_a_log_never_goes_back(tmp_path):
    writer = LogWriter(tmp_path / "log.mcap")
    for time in (0.0, 1.0, 0.5, 1.5):
        writer.add("/numbers", *encode(Numbers(np.zeros(1))), time)
    writer.close()
    times = [record.time for record in read_log(tmp_path / "log.mcap")]
    assert times == [0, 10**9, 10**9, 1_500_000_000]


def test_a_log_that_was_not_closed_gives_what_was_flushed(tmp_path):
    reader = read_log(write(tmp_path / "log.mcap", ticks=95, close=False))
    assert len(list(reader)) == 180
    assert reader.problem is not None and "it ends after 0.890 s" in reader.problem
    assert "not closed" in reader.problem


@pytest.mark.parametrize("share", [0.0, 0.001, 0.05, 0.3, 0.5, 0.9, 0.99])
def test_a_cut_log_gives_everything_up_to_the_break(tmp_path, share):
    whole = write(tmp_path / "whole.mcap").read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(whole[: int(share * len(whole))])
    reader = read_log(cut)
    records = list(reader)
    assert reader.problem is not None
    assert records == list(read_log(tmp_path / "whole.mcap"))[: len(records)]


@pytest.mark.parametrize("seed", range(20))
def test_random_bytes_in_the_middle_never_raise(tmp_path, seed):
    draw = np.random.default_rng(seed)
    data = bytearray(write(tmp_path / "whole.mcap", ticks=40).read_bytes())
    at, size = int(draw.integers(len(data))), int(draw.integers(1, 2000))
    data[at : at + size] = draw.bytes(min(size, len(data) - at))
    (tmp_path / "bad.mcap").write_bytes(data)
    reader = read_log(tmp_path / "bad.mcap")
    records, whole = list(reader), list(read_log(tmp_path / "whole.mcap"))
    assert records == whole[: len(records)]


def test_a_broken_log_is_closed_by_rewriting_it(tmp_path):
    broken = write(tmp_path / "broken.mcap", ticks=95, close=False)
    problem = close_log(broken, tmp_path / "closed.mcap")
    assert problem is not None
    reader = read_log(tmp_path / "closed.mcap")
    assert list(reader) == list(read_log(broken)) and reader.problem is None


def test_a_log_that_is_being_written_is_known_as_such(tmp_path):
    writer = LogWriter(tmp_path / "log.mcap")
    assert is_being_written(tmp_path / "log.mcap")
    writer.close()
    assert not is_being_written(tmp_path / "log.mcap")


def test_a_missing_log_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="there is no log"):
        read_log(tmp_path / "none.mcap")
