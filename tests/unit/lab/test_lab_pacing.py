"""The pace of a session: single ticks, nobody left waiting; speeds, on a virtual clock."""

import threading
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lab_helpers import arm_on_table

from mecano.core.clocks import VirtualClock, WallClock
from mecano.core.errors import InvalidInput
from mecano.session.pacing import LATE, Pace

LONG = 1000.0
"""A tick that no test lives to see the end of [s]."""
PATIENCE = 120.0
"""How long a thread may take to do what it does at once [s]."""


class Ticker:
    """A thread that ticks at a pace until the pace ends."""

    def __init__(self, pace: Pace, tick: float = 1e-4) -> None:
        self.pace, self.tick, self.ticks = pace, tick, 0
        self._ticked = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            self.pace.hold(self.tick)
            if self.pace.ended:
                return
            with self._ticked:
                self.ticks += 1
                self._ticked.notify_all()

    def reaches(self, ticks: int) -> bool:
        with self._ticked:
            return self._ticked.wait_for(lambda: self.ticks >= ticks, PATIENCE)

    def ended(self) -> int:
        """End the pace and return how many ticks there were."""
        self.pace.end()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return self.ticks


def paused() -> Pace:
    pace = Pace(inf)
    pace.pause()
    return pace


def seconds_for(pace: Pace, clock: VirtualClock | WallClock, ticks: int, tick: float) -> float:
    start = clock.now()
    for _ in range(ticks):
        pace.hold(tick)
    return clock.now() - start


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


# --- pause, step, go


def test_three_steps_of_a_paused_session_are_three_ticks():
    ticker = Ticker(paused())
    ticker.pace.step(3)
    assert ticker.reaches(3)
    assert ticker.ended() == 3


@settings(max_examples=25)
@given(portions=st.lists(st.integers(1, 6), max_size=6))
def test_steps_add_up(portions):
    ticker = Ticker(paused())
    for portion in portions:
        ticker.pace.step(portion)
    assert ticker.reaches(sum(portions))
    assert ticker.ended() == sum(portions)


def test_no_tick_begins_in_a_pause():
    assert Ticker(paused()).ended() == 0


def test_steps_that_are_left_at_a_new_pause_are_forgotten():
    pace = paused()
    pace.step(5)
    pace.pause()
    pace.step(2)
    ticker = Ticker(pace)
    assert ticker.reaches(2)
    assert ticker.ended() == 2


def test_steps_asked_for_on_the_move_do_not_outlive_the_next_pause():
    pace = Pace(inf)
    pace.step(5)
    pace.pause()
    assert Ticker(pace).ended() == 0


@pytest.mark.parametrize("ticks", [-1, -100])
def test_fewer_than_no_ticks_are_refused(ticks):
    pace = paused()
    with pytest.raises(InvalidInput, match="ticks"):
        pace.step(ticks)
    assert Ticker(pace).ended() == 0


def test_a_resumed_session_goes_on():
    ticker = Ticker(paused())
    ticker.pace.step()
    assert ticker.reaches(1)
    ticker.pace.resume()
    assert not ticker.pace.paused
    assert ticker.reaches(100)
    ticker.ended()


def test_a_pause_in_the_middle_stops_it_and_steps_then_count():
    ticker = Ticker(Pace(inf))
    assert ticker.reaches(10)
    ticker.pace.pause()
    ticker.pace.step(1)  # it may also be in a tick that began before the pause
    assert ticker.reaches(11)
    before = ticker.ticks
    ticker.pace.step(4)
    assert ticker.reaches(before + 4)
    assert before + 4 <= ticker.ended() <= before + 6


def test_a_session_in_the_background_does_the_steps_it_is_given():
    robot = arm_on_table()
    session, session.pace = robot.session, paused()
    session.start_background()
    session.pace.step(3)
    assert session.wait_until(lambda: session.ticks >= 3)
    robot.close()  # lets no further tick through, though nothing is held back any more
    assert session.time == pytest.approx(3 * session.backend.tick)
    assert session.ticks == 3


# --- speed


@pytest.mark.parametrize(("speed", "seconds"), [(1.0, 0.2), (2.0, 0.1), (0.5, 0.4)])
def test_ticks_take_their_time(clock, speed, seconds):
    assert seconds_for(Pace(speed, clock=clock), clock, 11, 0.02) == pytest.approx(seconds)


def test_by_the_wall_clock_ticks_take_no_less_than_their_time():
    assert seconds_for(Pace(2.0), WallClock(), 11, 0.02) >= 0.1 - 0.001


def test_infinite_speed_never_waits():
    pace = Pace(inf)
    for _ in range(1000):
        pace.hold(LONG)
    assert pace.speed == inf


def test_a_new_speed_holds_at_once_for_a_thread_that_waits():
    ticker = Ticker(Pace(0.01), tick=LONG)
    assert ticker.reaches(1)
    ticker.pace.speed = inf
    assert ticker.reaches(100)
    ticker.ended()


def test_a_slower_speed_holds_back(clock):
    pace = Pace(inf, clock=clock)
    assert seconds_for(pace, clock, 100, 1.0) == 0.0
    pace.speed = 0.5
    assert pace.speed == 0.5
    assert seconds_for(pace, clock, 6, 0.02) == pytest.approx(0.2)


def test_a_session_far_behind_does_not_hurry(clock):
    pace = Pace(clock=clock)
    pace.hold(0.02)
    clock.sleep(LATE + 0.1)  # somebody thinks
    assert seconds_for(pace, clock, 6, 0.02) == pytest.approx(0.1)


def test_a_session_a_little_behind_catches_up(clock):
    pace = Pace(clock=clock)
    pace.hold(0.02)
    clock.sleep(0.06)  # less than late: two ticks follow at once
    assert seconds_for(pace, clock, 6, 0.02) == pytest.approx(0.06)


def test_a_pause_is_no_time_to_catch_up(clock):
    pace = Pace(clock=clock)
    pace.hold(0.02)
    pace.pause()
    clock.sleep(0.15)  # less than late
    pace.resume()
    assert seconds_for(pace, clock, 6, 0.02) == pytest.approx(0.1)


@pytest.mark.parametrize("speed", [0.0, -1.0, nan, -inf, 0.001, "fast", None])
def test_a_speed_that_is_none_is_refused_with_a_sentence(speed):
    pace = Pace(2.0)
    for attempt in (lambda: Pace(speed), lambda: setattr(pace, "speed", speed)):
        with pytest.raises(InvalidInput, match=r"^speed \[times real time\] is .*expected") as info:
            attempt()
        assert "\n" not in str(info.value)
    assert pace.speed == 2.0


# --- the end


@pytest.mark.parametrize("pace", [Pace(0.01), paused()], ids=["slow", "paused"])
def test_the_end_frees_a_thread_that_waits(pace):
    ticker = Ticker(pace, tick=LONG)
    ticker.ended()
    assert pace.ended


def test_after_the_end_nothing_is_held_back():
    pace = paused()
    pace.end()
    for _ in range(100):
        pace.hold(LONG)


def test_a_closed_session_leaves_no_thread_behind():
    robot = arm_on_table()
    robot.session.pace = paused()
    before = set(threading.enumerate())
    robot.session.start_background()
    assert set(threading.enumerate()) - before
    robot.close()
    assert not set(threading.enumerate()) - before
