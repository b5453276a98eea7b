"""The report of a base of any number of wheels, and the packet of a Kobuki."""

from dataclasses import fields
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from mecano.core.errors import InvalidInput
from mecano.core.messages import BaseReport
from mecano.robots.kobuki.topics import SENSOR_STATE, to_fields
from mecano.topics.codec import AsDriver, decode, encode
from mecano.topics.codec_base import REPORT
from mecano.topics.store import definition

names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
numbers = st.floats(allow_nan=False, allow_infinity=False)
distances = st.one_of(numbers, st.just(inf))
counts = st.integers(-(2**63), 2**63 - 1)
some = st.frozensets(names, max_size=4)


@st.composite
def reports(draw):
    ticks = tuple(draw(st.lists(counts, max_size=8)))
    named = st.lists(names, min_size=len(ticks), max_size=len(ticks), unique=True)
    return BaseReport(
        stamp=draw(st.integers(0, 10**9)) / 1e3, frame=draw(names), ticks=ticks,
        wheels=tuple(draw(st.one_of(st.just([]), named))), bumpers=draw(some), cliffs=draw(some),
        floor=draw(st.dictionaries(names, distances, max_size=4)), wheel_drops=draw(some),
        buttons=draw(st.frozensets(st.integers(0, 99), max_size=4)),
        heading=draw(st.none() | numbers), turn_rate=draw(st.none() | numbers),
        voltage=draw(st.none() | numbers), motor_currents=tuple(draw(st.lists(numbers))),
    )  # fmt: skip


@given(reports())
def test_a_report_comes_back_with_every_field_the_same(report):
    back = decode(*encode(report))
    for field in fields(report):
        assert getattr(back, field.name) == getattr(report, field.name), field.name


def test_readers_without_mecano_decode_it_by_the_definition_in_the_log():
    report = BaseReport(
        stamp=1.25, ticks=(1, 2, 3), wheels=("a", "b", "c"), wheel_drops=frozenset({"b"}), heading=2
    )
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(definition(REPORT), REPORT))
    read = store.deserialize_cdr(encode(report)[1], REPORT)
    assert (list(read.wheels), read.ticks.tolist()) == (["a", "b", "c"], [1, 2, 3])  # type: ignore
    assert list(read.wheel_drops) == ["b"] and read.heading == 2.0  # type: ignore
    assert read.voltage != read.voltage  # type: ignore # NaN: not measured


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"ticks": (1.5,)}, "ticks has 1.5"),
        ({"ticks": (2**63,)}, "64 bits"),
        ({"ticks": (1, 2), "wheels": ("a",)}, "1 wheels for 2 counters"),
        ({"ticks": (), "voltage": float("nan")}, "voltage"),
        ({"ticks": (), "floor": {"left": float("nan")}}, "not a number"),
    ],
)
def test_a_report_that_makes_no_sense_is_refused(wrong, says):
    with pytest.raises(InvalidInput, match=says):
        BaseReport(**wrong)


def test_the_packet_of_a_kobuki_comes_back_but_for_its_gyro():
    report = BaseReport(
        stamp=2.5, ticks=(65535, 3), wheels=("wheel_left_joint", "wheel_right_joint"),
        bumpers=frozenset({"left"}), cliffs=frozenset({"right"}), buttons=frozenset({0, 2}),
        wheel_drops=frozenset({"wheel_right_joint"}), voltage=15.5, motor_currents=(0.25, 1.5),
        floor={"right": inf, "center": 0.0316, "left": 0.0312}, heading=1.0, turn_rate=0.5,
    )  # fmt: skip
    type_name, data = encode(AsDriver(report, SENSOR_STATE))
    assert type_name == "kobuki_ros_interfaces/msg/SensorState"
    back = decode(type_name, data, SENSOR_STATE)
    for field in fields(report):
        expected = None if field.name in ("heading", "turn_rate") else getattr(report, field.name)
        assert getattr(back, field.name) == expected, field.name


def test_left_is_left_in_the_packet_of_a_kobuki():
    packet = to_fields(BaseReport(ticks=(1, 2), bumpers=frozenset({"left"})))
    assert packet["bumper"] == 4  # kobuki_msgs: right 1, centre 2, left 4
