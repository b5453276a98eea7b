"""Clocks: exact when simulated, monotonic when real, in order when replayed."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core import Clock, InvalidInput, ReplayClock, SimulatedClock, WallClock


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


def test_million_ticks_do_not_drift():
    clock = SimulatedClock(0.01)
    for _ in range(1_000_000):
        clock.tick()
    assert clock.now() == 10_000.0


@given(st.integers(0, 10**9), st.sampled_from([0.01, 0.002, 0.001, 1 / 240, 0.004]))
def test_time_is_within_one_rounding_of_the_exact_product(ticks, period):
    clock = SimulatedClock(period)
    clock.reset(ticks)
    exact = Fraction(period) * ticks
    assert abs(Fraction(clock.now()) - exact) <= Fraction(math.ulp(clock.now()))


@given(st.lists(st.integers(0, 1000), max_size=20))
def test_advancing_in_parts_reaches_the_same_time_as_at_once(parts):
    in_parts, at_once = SimulatedClock(0.002), SimulatedClock(0.002)
    for part in parts:
        in_parts.advance(part * 0.002)
    at_once.advance(sum(parts) * 0.002)
    assert in_parts.now() == at_once.now()
    assert in_parts.ticks == sum(parts)


def test_simulated_clock_starts_at_zero():
    assert SimulatedClock().now() == 0.0


def test_simulated_time_stands_still_between_ticks():
    clock = SimulatedClock(0.01)
    clock.advance(0.05)
    assert clock.now() == clock.now() == 0.05


@pytest.mark.parametrize("dt", [0.005, 0.0101, 10000.005, -0.01, math.nan, math.inf])
def test_advance_that_is_not_whole_ticks_is_refused(dt):
    clock = SimulatedClock(0.01)
    with pytest.raises(InvalidInput):
        clock.advance(dt)
    assert clock.ticks == 0


@pytest.mark.parametrize("period", [0.0, -0.01, math.nan])
def test_period_that_is_not_positive_is_refused(period):
    with pytest.raises(InvalidInput, match="period"):
        SimulatedClock(period)


def test_reset_returns_to_zero():
    clock = SimulatedClock(0.01)
    clock.advance(1.0)
    clock.reset()
    assert clock.now() == 0.0


def test_reset_to_negative_ticks_is_refused():
    with pytest.raises(InvalidInput, match="-1"):
        SimulatedClock().reset(-1)


def test_wall_clock_starts_at_zero():
    fake = FakeTime()
    assert WallClock(source=fake.source, sleep=fake.sleep).now() == 0.0


def test_wait_sleeps_again_when_woken_too_early():
    fake = FakeTime()
    clock = WallClock(source=fake.source, sleep=fake.sleep)
    lateness = clock.wait_until(2.0)
    assert clock.now() >= 2.0
    assert fake.naps > 1
    assert lateness == pytest.approx(0.0, abs=1e-5)


def test_wait_for_a_time_past_returns_the_overrun_without_sleeping():
    fake = FakeTime()
    clock = WallClock(source=fake.source, sleep=fake.sleep)
    fake.seconds += 3.0
    assert clock.wait_until(2.5) == pytest.approx(0.5)
    assert fake.naps == 0


def test_wait_for_nan_is_refused_rather_than_endless():
    with pytest.raises(InvalidInput, match="finite"):
        WallClock().wait_until(math.nan)


def test_real_wait_reaches_its_time():
    clock = WallClock()
    clock.wait_until(0.01)
    assert clock.now() >= 0.01


def test_replay_clock_shows_the_last_stamp():
    clock = ReplayClock(5.0)
    clock.advance_to(5.5)
    assert clock.now() == 5.5


def test_replay_clock_does_not_go_back():
    clock = ReplayClock(5.0)
    with pytest.raises(InvalidInput, match="go back"):
        clock.advance_to(4.9)


@pytest.mark.parametrize("clock", [SimulatedClock(), WallClock(), ReplayClock()])
def test_every_clock_is_a_clock(clock):
    assert isinstance(clock, Clock)
