"""Clocks: monotonic when real; in the order of their events, without waiting, when virtual."""

import math
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core import Clock, InvalidInput, VirtualClock, WallClock

MOMENTS = st.lists(st.floats(0.0, 100.0), max_size=20)


class FakeTime:
    """A time source and a sleep that always wakes up a bit too early."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.naps = 0

    def source(self) -> float:
        return self.seconds

    def sleep(self, duration: float) -> None:
        self.naps += 1
        self.seconds += duration if duration < 1e-6 else 0.9 * duration


@pytest.mark.parametrize("clock", [WallClock(), VirtualClock()])
def test_every_clock_is_a_clock(clock):
    assert isinstance(clock, Clock)


@pytest.mark.parametrize("clock", [WallClock(), VirtualClock()])
@pytest.mark.parametrize("seconds", [math.nan, math.inf])
def test_a_sleep_without_end_is_refused(clock, seconds):
    with pytest.raises(InvalidInput, match="finite"):
        clock.sleep(seconds)


# --- real


def test_wall_clock_starts_at_zero():
    fake = FakeTime()
    assert WallClock(source=fake.source, sleep=fake.sleep).now() == 0.0


def test_it_sleeps_again_when_woken_too_early():
    fake = FakeTime()
    clock = WallClock(source=fake.source, sleep=fake.sleep)
    clock.sleep(2.0)
    assert clock.now() >= 2.0 and fake.naps > 1


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_no_time_is_not_slept(seconds):
    fake = FakeTime()
    WallClock(source=fake.source, sleep=fake.sleep).sleep(seconds)
    assert fake.naps == 0


def test_a_real_sleep_takes_its_time():
    clock = WallClock()
    clock.sleep(0.01)
    assert clock.now() >= 0.01


def test_a_real_wait_ends_at_the_notice():
    clock, changed = WallClock(), threading.Condition()

    def notify():
        with changed:
            changed.notify_all()

    with changed:
        threading.Thread(target=notify).start()
        clock.wait(changed, 1000.0)  # no test lives to see the end of it
    assert clock.now() < 1000.0


# --- virtual


def test_virtual_time_stands_still_but_for_sleep():
    clock = VirtualClock()
    assert clock.now() == clock.now() == 0.0
    clock.sleep(0.05)
    assert clock.now() == 0.05


@given(moments=MOMENTS)
def test_events_happen_at_their_times_and_in_their_order(moments):
    clock, seen = VirtualClock(), []
    for moment in moments:
        clock.at(moment, lambda moment=moment: seen.append((clock.now(), moment)))
    clock.sleep(100.0)
    assert seen == [(moment, moment) for moment in sorted(moments)]
    assert clock.now() == 100.0


@given(moments=MOMENTS, parts=st.lists(st.floats(0.01, 10.0), min_size=1, max_size=10))
def test_the_same_events_happen_in_one_sleep_and_in_many(moments, parts):
    outcomes = []
    for sleeps in (parts, [sum(parts)]):
        clock, seen = VirtualClock(), []
        for moment in moments:
            clock.at(moment, lambda moment=moment, seen=seen: seen.append(moment))
        for seconds in sleeps:
            clock.sleep(seconds)
        outcomes.append(seen)
    assert outcomes[0] == outcomes[1]


def test_events_of_one_time_happen_in_the_order_they_were_made():
    clock, seen = VirtualClock(), []
    for name in "abc":
        clock.at(1.0, lambda name=name: seen.append(name))
    clock.sleep(1.0)
    assert seen == ["a", "b", "c"]


@given(st.integers(1, 2000), st.sampled_from([0.01, 0.004, 1 / 240]))
def test_a_thousand_periods_do_not_drift(rounds, period):
    clock, times = VirtualClock(), []
    clock.every(period, lambda: times.append(clock.now()))
    clock.sleep(rounds * period)
    assert len(times) == rounds
    assert times[-1] == pytest.approx(rounds * period, abs=1e-12)


def test_what_was_ended_happens_no_more():
    clock, times = VirtualClock(), []
    end = clock.every(1.0, lambda: times.append(clock.now()))
    clock.sleep(2.5)
    end()
    clock.sleep(10.0)
    assert times == [1.0, 2.0]


@pytest.mark.parametrize("period", [0.0, -0.01, math.nan])
def test_a_period_that_is_not_positive_is_refused(period):
    with pytest.raises(InvalidInput, match="period"):
        VirtualClock().every(period, lambda: None)


def test_a_wait_ends_at_the_event_that_was_waited_for():
    clock, seen = VirtualClock(), []
    clock.every(0.5, lambda: seen.append(1))
    assert clock.wait_for(lambda: len(seen) == 3, timeout=10.0)
    assert clock.now() == 1.5


def test_a_wait_in_vain_takes_all_of_its_time():
    clock = VirtualClock()
    assert not clock.wait_for(lambda: False, timeout=10.0)
    assert clock.now() == 10.0


def test_an_event_in_the_past_happens_as_soon_as_time_passes():
    clock, seen = VirtualClock(), []
    clock.sleep(5.0)
    clock.at(1.0, lambda: seen.append(clock.now()))
    assert seen == []
    clock.sleep(0.1)
    assert seen == [5.0]


def test_an_event_that_sleeps_is_refused():
    clock = VirtualClock()
    clock.at(1.0, lambda: clock.sleep(5.0))
    with pytest.raises(InvalidInput, match="cannot wait"):
        clock.sleep(3.0)


def test_a_virtual_wait_lets_go_of_the_lock():
    clock, changed, free = VirtualClock(), threading.Condition(threading.Lock()), []
    clock.at(0.5, lambda: free.append(changed.acquire(blocking=False)))
    clock.at(0.6, changed.release)
    with changed:
        clock.wait(changed, 1.0)
    assert free == [True] and clock.now() == 1.0
