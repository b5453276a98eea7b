"""Faults on demand: by words, by chance, at a time; and what a program sees of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.bridge.dynamixel.arm import EmulatedArm
from mecano.bridge.dynamixel.faults import LATE, Fault, Faults
from mecano.core.clocks import VirtualClock
from mecano.core.errors import InvalidInput, UnknownName
from mecano.hardware.dynamixel.protocol2 import Packet, Parser, build_status
from mecano.hardware.dynamixel.tables import HardwareError
from mecano.hardware.ports import IN_PROCESS

STATUS = build_status(11, 0, bytes(10))


@pytest.mark.parametrize(
    ("word", "fault"),
    [
        ("lost=0.01", Fault("lost", 0.01)),
        ("crc=1", Fault("crc", 1.0)),
        ("late=0.05", Fault("late", 0.05)),
        ("dead=13", Fault("dead", 13)),
        ("overload=12@5", Fault("overload", 12, 5.0)),
        ("voltage=9.1@2.5", Fault("voltage", 9.1, 2.5)),
        ("unplug@10", Fault("unplug", 0, 10.0)),
        ("replug", Fault("replug")),
    ],
)
def test_words_become_faults(word, fault):
    assert Fault.parse(word) == fault


@pytest.mark.parametrize(
    "word",
    ["", "lost", "lost=", "lost=2", "lost=x", "dead=1.5", "dead=300", "dead=13@", "unplug=3", "="],
)
def test_wrong_words_are_refused_with_the_right_ones(word):
    with pytest.raises(InvalidInput, match="overload=12@5"):
        Fault.parse(word)


def test_a_misspelt_fault_is_guessed_at():
    with pytest.raises(UnknownName, match="did you mean 'overload'"):
        Fault.parse("overlod=12")


@given(seed=st.integers(0, 1000))
def test_the_same_seed_spoils_the_same_packets(seed):
    first, second = (Faults(["lost=0.3", "crc=0.3", "late=0.3"], seed=seed) for _ in range(2))
    for faults in (first, second):
        faults.advance(0.0)
    for _ in range(20):
        assert first.spoil(STATUS) == second.spoil(STATUS)
        assert first.delay() == second.delay()


def test_without_faults_nothing_is_spoilt():
    faults = Faults()
    assert faults.spoil(STATUS) == STATUS and faults.delay() == 0.0


def test_the_share_of_lost_bytes_is_what_was_asked_for():
    faults = Faults(["lost=0.1"])
    faults.advance(0.0)
    lost = sum(len(faults.spoil(STATUS)) < len(STATUS) for _ in range(5000))
    assert lost / 5000 == pytest.approx(0.1, abs=0.02)


def test_a_flipped_bit_never_passes_as_an_answer():
    faults = Faults(["crc=1"])
    faults.advance(0.0)
    for _ in range(200):
        found = list(Parser().feed(faults.spoil(STATUS)))
        assert not [packet for packet in found if isinstance(packet, Packet)]


def test_a_plan_waits_for_its_time():
    faults = Faults(["dead=13@2", "alive=13@3"])
    faults.advance(1.9)
    assert not faults.dead
    faults.advance(2.0)
    assert faults.dead == {13}
    faults.advance(3.5)
    assert not faults.dead


def test_the_vendors_library_sees_broken_answers(bus, host, sdk):
    bus.faults.happen("crc=1")
    results = {host.ping(1)[1] for _ in range(5)}
    assert results <= {sdk.COMM_RX_CORRUPT, sdk.COMM_RX_TIMEOUT} and sdk.COMM_RX_CORRUPT in results


def test_a_late_answer_comes_after_the_library_gave_up(bus, host, sdk, clock):
    bus.faults.happen("late=1")
    assert host.packets.ping(host.port, 1)[1] == sdk.COMM_RX_TIMEOUT
    bus.faults.happen("late=0")
    assert clock.wait_for(lambda: host.port.getBytesAvailable() > 0, 1.0)  # here it is
    assert clock.now() == pytest.approx(LATE + 24e-5)  # 10 bytes there, 14 back
    assert host.read(1, 0, 2)[0] == b"\xfc\x03"


def test_a_dead_servo_is_silent(bus, host, sdk):
    bus.faults.happen("dead=2")
    assert host.ping(2)[1] == sdk.COMM_RX_TIMEOUT
    bus.faults.happen("alive=2")
    assert host.read(2, 0, 2)[1] == 0


def test_a_duplicate_id_is_heard_as_noise(bus, host):
    bus.faults.happen("duplicate=2")
    assert all(host.ping(2)[1] != 0 for _ in range(3))
    assert host.read(1, 0, 2)[1] == 0


def test_lost_bytes_are_survived_by_asking_again(bus, host):
    bus.faults.happen("lost=0.2")
    good = sum(host.ping(1)[1] == 0 for _ in range(20))
    assert 0 < good < 20
    bus.faults.happen("lost=0")
    assert host.read(1, 0, 2)[1] == 0


def test_an_overload_on_demand_switches_one_servo_off(still_arm):
    still_arm.servos[12].write(64, b"\1")
    still_arm.faults.happen("overload=12")
    still_arm.advance(0.004)
    assert still_arm.servos[12].get("hardware_error_status") == HardwareError.OVERLOAD
    assert not still_arm.servos[12].torque and not still_arm.servos[11].alert


def test_a_weak_supply_is_seen_and_reported(still_arm):
    still_arm.faults.happen("voltage=9.0")
    still_arm.advance(0.004)
    still_arm.faults.happen("voltage=12")
    for servo in still_arm.servos.values():
        assert servo.get("hardware_error_status") == HardwareError.INPUT_VOLTAGE
        assert servo.get("present_input_voltage") == 90


def test_a_cable_comes_and_goes_by_plan(open_host, clock):
    plan = ["unplug@0.2", "replug@0.4"]
    with EmulatedArm(faults=plan, scene="empty", link="a name that stays", clock=clock) as arm:
        seen = {}
        for moment in (0.19, 0.21, 0.39, 0.41):
            clock.sleep(moment - clock.now())
            seen[moment] = arm.port in IN_PROCESS
        assert seen == {0.19: True, 0.21: False, 0.39: False, 0.41: True}
        assert open_host(arm.port).read(13, 0, 2)[1] == 0


def test_the_watchdog_is_fed_by_questions_to_anybody(open_host):
    with EmulatedArm(scene="empty", clock=VirtualClock()) as arm:
        host = open_host(arm.port)
        assert host.write(11, 64, b"\1") == 0
        assert host.write(11, 98, bytes([5])) == 0  # a tenth of a second
        for _ in range(10):
            arm.advance(0.09)
            host.read(12, 132, 4)
        assert not arm.servos[11].stopped_by_watchdog
        arm.advance(0.11)
        assert arm.servos[11].stopped_by_watchdog
        assert host.write(11, 98, b"\0") == 0
        assert host.write(11, 116, (2100).to_bytes(4, "little")) == 0
