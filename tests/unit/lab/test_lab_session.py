"""The session: one tick, two ways of driving it, behaviours, observers, and the same run again."""

import json
import sys
import threading
import time

import numpy as np
import pytest
from lab_helpers import arm_on_table, moved, pick_cube, started, true_speeds

from mecano.core.clocks import VirtualClock
from mecano.core.errors import InvalidInput, MecanoError
from mecano.lab.robot import Robot
from mecano.parts.results import Outcome
from mecano.session.behaviours import Behaviour, BehaviourFailed
from mecano.session.session import BlockedInTick, Session, SessionClosed

GOAL = [1.0, -0.5, 0.5, 0.3]


@pytest.fixture
def robot() -> Robot:
    return arm_on_table()


# --- the same run again


def pick_program(seed: int = 3, **options) -> str:
    robot = arm_on_table(seed=seed, **options)
    assert pick_cube(robot).holding
    robot.arm.move_joints(GOAL)
    return robot.state_hash()


def test_a_program_with_one_seed_gives_one_hash():
    assert len({pick_program() for _ in range(3)}) == 1


@pytest.mark.slow
def test_a_program_with_one_seed_gives_one_hash_twenty_times():
    assert len({pick_program() for _ in range(20)}) == 1


def test_noise_differs_with_the_seed_and_repeats_with_it():
    def read(seed: int) -> list[float]:
        robot = arm_on_table(seed=seed, noise=True)
        robot.wait(0.1)
        return robot.arm.position.tolist() + robot.arm.velocity.tolist()

    assert read(1) == read(1)
    assert read(1) != read(2)


def test_a_noisy_program_with_one_seed_gives_one_hash():
    def run(seed: int) -> str:
        robot = arm_on_table(seed=seed, noise=True)
        robot.arm.move_joints(GOAL)
        robot.arm.command_torque([0, 0, 0, 0])
        robot.wait(0.5)
        return robot.state_hash()

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_a_robot_after_reset_repeats_its_run():
    robot = arm_on_table(seed=4, noise=True)
    start = robot.state_hash()
    hashes = []
    for _ in range(2):
        robot.arm.command_impedance("home", stiffness=3.0)
        robot.wait(0.3)
        robot.arm.move_joints(GOAL)
        robot.gripper.close(force=8.0, wait=False)
        robot.wait(0.2)
        hashes.append(robot.state_hash())
        robot.reset()
        assert robot.time == 0.0 and robot.state_hash() == start
    assert hashes[0] == hashes[1]


def test_reset_drops_motions_and_behaviours(robot):
    ran = []
    robot.arm.move_joints(GOAL, wait=False)
    robot.run(lambda r: ran.append(r.time))
    robot.wait(0.1)
    robot.reset()
    ran.clear()
    robot.wait(1.0)
    assert ran == []
    np.testing.assert_allclose(robot.arm.position, [0.0, -1.0, 1.0, 0.0], atol=0.005)


def test_a_handle_from_before_a_reset_is_done(robot):
    handle = started(robot.arm.move_joints(GOAL, wait=False))
    robot.wait(0.1)
    robot.reset()
    assert handle.done


def test_observers_do_not_change_the_hash():
    def run(*observers) -> str:
        robot = arm_on_table()
        robot.session.observers.extend(o(robot) for o in observers)
        robot.arm.move_joints(GOAL)
        return robot.state_hash()

    def look(robot):
        return lambda session: (robot.truth.tool_pose(), robot.arm.pose(), robot.state_hash())

    def measure(robot):
        q = np.array(GOAL)
        return lambda session: (
            robot.arm.dynamics.mass_matrix(q),
            robot.world.distance("table", "cube"),
            list(robot.world.contacts()),
        )

    assert run() == run(look, measure)


def test_an_observer_is_told_after_every_tick(robot):
    seen = []
    robot.session.observers.append(lambda session: seen.append((session.ticks, session.time)))
    robot.wait(0.05)
    assert [ticks for ticks, _ in seen] == [1, 2, 3, 4, 5]
    np.testing.assert_allclose([t for _, t in seen], [0.01, 0.02, 0.03, 0.04, 0.05])


# --- caller-driven


def test_time_stands_still_between_calls(robot):
    before = robot.state_hash()
    time.sleep(0.05)
    robot.arm.move_joints(GOAL, wait=False)
    assert robot.time == 0.0
    robot.wait(0.2)
    assert robot.time == pytest.approx(0.2)
    hash_then = robot.state_hash()
    time.sleep(0.05)
    assert robot.state_hash() == hash_then != before


def test_waiting_for_seconds_is_exact(robot):
    for _ in range(100):
        robot.wait(0.01)
    assert robot.session.ticks == 100
    robot.wait(0.0)
    assert robot.session.ticks == 100


def test_waiting_for_a_time_that_is_not_a_number_is_refused(robot):
    def give_up(session):
        if session.time > 1.0:
            raise TimeoutError("it waits for ever")

    robot.session.observers.append(give_up)
    with pytest.raises(InvalidInput):
        robot.wait(float("nan"))


def test_waiting_for_nothing_returns_at_once(robot):
    assert robot.wait()
    assert robot.time == 0.0


# --- background


def in_background(robot: Robot, speed: float = 50.0) -> Robot:
    robot.session.start_background(speed=speed)
    return robot


def test_a_background_session_reaches_the_same_goal(robot):
    with in_background(robot):
        result = moved(robot.arm.move_joints(GOAL))
        assert result.reached
        np.testing.assert_allclose(robot.arm.position, GOAL, atol=0.005)


def test_time_goes_on_by_itself_in_a_background_session(robot):
    with in_background(robot):
        deadline = time.monotonic() + 60.0
        while robot.time <= 0.2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert robot.time > 0.2


def test_a_background_session_is_not_faster_than_its_multiple_of_real_time(robot):
    with in_background(robot, speed=2.0):
        wall = time.monotonic()
        robot.wait(1.0)
        assert time.monotonic() - wall > 0.4  # how much slower is up to the machine


def test_a_background_session_picks_up_the_cube(robot):
    with in_background(robot, speed=float("inf")):
        assert pick_cube(robot).holding
        assert robot.truth.body_pose("cube").position[2] > 0.07


@pytest.fixture
def restless_threads():
    """Threads take turns so often that a missing lock shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless_threads")
def test_commands_from_another_thread_do_not_meet_a_tick_half_done():
    for _ in range(10):
        robot = in_background(arm_on_table(), speed=float("inf"))
        try:
            for i in range(40):
                robot.arm.move_joints([0.1 * (i % 3), -1.0, 1.0, 0.0], wait=False)
            robot.wait(0.05)  # raises what ended the ticks
            assert robot.session.ticks > 0 and robot.session.failure is None
        finally:
            robot.close()


def test_behaviours_attached_from_another_thread_are_not_lost(robot):
    ran = []
    with in_background(robot, speed=float("inf")):
        for i in range(200):
            robot.run(lambda r, i=i: ran.append(i))
        robot.wait(0.1)
    assert set(ran) == set(range(200))


def on_a_virtual_clock(robot: Robot) -> tuple[Session, VirtualClock]:
    clock = VirtualClock()
    session = Session(robot.session.backend, clock=clock)
    session.start_background(speed=2.0)
    return session, clock


def test_on_a_virtual_clock_a_session_is_paced_without_a_thread(robot):
    before = set(threading.enumerate())
    session, clock = on_a_virtual_clock(robot)
    session.run_for(1.0)
    assert set(threading.enumerate()) == before
    assert clock.now() == pytest.approx(0.5, abs=session.backend.tick)
    session.close()


def test_on_a_virtual_clock_an_error_reaches_whoever_waits_then_and_later(robot):
    def broken(_):
        raise ValueError("odd")

    session, _ = on_a_virtual_clock(robot)
    session.behaviours.append(Behaviour(broken, None))
    for _ in range(2):
        with pytest.raises(BehaviourFailed, match="odd"):
            session.run_for(1.0)
    session.come_to_rest()  # nothing that could raise
    session.close()
    with pytest.raises(SessionClosed):
        session.run_for(1.0)


def test_closing_ends_the_thread(robot):
    in_background(robot)
    robot.close()
    names = {thread.name for thread in threading.enumerate()}
    assert "mecano session" not in names
    stopped = robot.time
    time.sleep(0.05)
    assert robot.time == stopped


def test_an_error_in_the_background_reaches_who_waits(robot):
    def broken(_):
        raise ValueError("odd")

    with in_background(robot):
        robot.run(broken)
        with pytest.raises(BehaviourFailed, match="odd"):
            robot.wait(5.0)


def test_an_interrupt_while_waiting_for_the_background_stops_the_arm(robot, monkeypatch):
    in_background(robot, speed=20.0)
    handle = started(robot.arm.move_joints([2.5, -0.5, 0.5, 0.0], speed=0.2, wait=False))
    waited = robot.session._ticked.wait

    def interrupted(timeout=None):
        monkeypatch.setattr(robot.session._ticked, "wait", waited)
        raise KeyboardInterrupt

    monkeypatch.setattr(robot.session._ticked, "wait", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            robot.wait(handle)
        robot.wait(0.5)
        assert handle.result is not None and handle.result.outcome is Outcome.STOPPED
    finally:
        robot.close()


# --- behaviours


def test_a_function_runs_in_every_tick(robot):
    times = []
    robot.run(lambda r: times.append(r.time))
    robot.wait(0.05)
    np.testing.assert_allclose(times, [0.0, 0.01, 0.02, 0.03, 0.04])


def test_a_stopped_behaviour_does_not_run_any_more(robot):
    times = []
    behaviour = robot.run(lambda r: times.append(r.time))
    robot.wait(0.03)
    behaviour.stop()
    robot.wait(0.03)
    assert len(times) == 3 and behaviour.done


def test_a_generator_waits_by_yield(robot):
    seen = []

    def dance(r):
        seen.append(("tick", r.time))
        yield
        seen.append(("next tick", r.time))
        yield 0.1
        seen.append(("seconds", r.time))
        yield lambda: r.time > 0.295
        seen.append(("condition", r.time))
        motion = r.arm.move_joints(GOAL, wait=False)
        yield motion
        seen.append(("motion", motion.result.outcome))
        yield r.gripper.close(wait=False)
        seen.append(("gripper", round(r.gripper.width, 3)))

    behaviour = robot.run(dance)
    assert robot.wait(behaviour, timeout=10.0)
    names, values = zip(*seen, strict=True)
    assert names == ("tick", "next tick", "seconds", "condition", "motion", "gripper")
    np.testing.assert_allclose(values[:4], [0.0, 0.01, 0.11, 0.30], atol=1e-6)
    assert values[4] is Outcome.REACHED
    assert values[5] == pytest.approx(0.022, abs=1e-3)


def test_two_behaviours_run_side_by_side(robot):
    def turn(r):
        yield r.arm.move_joints(GOAL, wait=False)

    def squeeze(r):
        yield r.gripper.close(wait=False)

    arm, hand = robot.run(turn), robot.run(squeeze)
    assert robot.wait(arm, hand, timeout=5.0)
    assert robot.time < 2.5


def test_a_behaviour_can_start_another(robot):
    seen = []

    def second(r):
        seen.append("second")
        yield

    def first(r):
        yield 0.05
        r.run(second)
        yield 0.05
        seen.append("first")

    robot.run(first)
    robot.wait(0.2)
    assert seen == ["second", "first"]


def test_a_behaviour_may_stop_the_robot(robot):
    handle = started(robot.arm.move_joints(GOAL, wait=False))

    def guard(r):
        yield 0.2
        r.stop()

    robot.run(guard)
    result = handle.wait()
    assert result is not None and result.outcome is Outcome.STOPPED


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.arm.move_joints(GOAL),
        lambda r: r.wait(0.1),
        lambda r: r.gripper.close(),
        lambda r: r.arm.move_joints(GOAL, wait=False).wait(),
    ],
    ids=["move", "wait", "close", "handle"],
)
def test_a_blocking_call_inside_a_behaviour_is_refused(robot, call):
    robot.run(call)
    with pytest.raises(BlockedInTick, match="wait=False"):
        robot.wait(0.1)


def test_a_behaviour_that_raises_is_reported_with_its_line(robot):
    def clumsy(r):
        yield 0.1
        return 1 / 0  # the line

    line = clumsy.__code__.co_firstlineno + 2
    robot.run(clumsy)
    with pytest.raises(BehaviourFailed) as caught:
        robot.wait(1.0)
    assert "clumsy" in str(caught.value)
    assert isinstance(caught.value.error, ZeroDivisionError)
    assert "ZeroDivisionError" in str(caught.value) and f"line {line}" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("error", [ValueError("odd"), InvalidInput("odd"), KeyError("odd")])
def test_a_behaviour_that_raises_stops_the_robot(robot, error):
    handle = started(robot.arm.move_joints([2.5, -0.5, 0.5, 0.0], wait=False))

    def clumsy(r):
        yield 0.4
        raise error

    robot.run(clumsy)
    with pytest.raises(MecanoError, match="odd"):
        robot.wait(1.0)
    assert handle.result is not None and handle.result.outcome is Outcome.STOPPED
    robot.wait(0.5)
    assert np.abs(true_speeds(robot)).max() < 0.05


def test_a_failed_behaviour_does_not_come_back(robot):
    def broken(r):
        raise ValueError("once")

    robot.run(broken)
    with pytest.raises(BehaviourFailed):
        robot.wait(0.1)
    robot.wait(0.1)


def test_a_line_inside_a_library_is_still_told_as_the_users_own(robot):
    def reads(r):
        yield
        json.loads("{")

    line = reads.__code__.co_firstlineno + 2
    robot.run(reads)
    with pytest.raises(BehaviourFailed, match=f"line {line}"):
        robot.wait(0.1)


@pytest.mark.parametrize("wrong", ["soon", [0.1], float("nan")])
def test_a_yield_of_something_else_is_an_error_of_the_behaviour(robot, wrong):
    def odd(r):
        yield wrong

    robot.run(odd)
    with pytest.raises(BehaviourFailed, match="odd"):
        robot.wait(0.1)


# --- interrupts


def test_an_interrupt_in_mid_motion_leaves_the_arm_stopped(robot):
    def ctrl_c(session):
        if session.time > 0.4:
            session.observers.clear()
            raise KeyboardInterrupt

    robot.session.observers.append(ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        robot.arm.move_joints([2.5, -0.5, 0.5, 0.0])
    motion = robot.arm.motion
    assert motion is not None and motion.result is not None
    assert motion.result.outcome is Outcome.STOPPED
    robot.wait(0.5)
    stopped = robot.arm.position.copy()
    robot.wait(0.5)
    np.testing.assert_allclose(robot.arm.position, stopped, atol=0.005)


def test_an_interrupted_robot_can_be_used_again(robot):
    def ctrl_c(session):
        if session.time > 0.4:
            session.observers.clear()
            raise KeyboardInterrupt

    robot.session.observers.append(ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        robot.arm.move_joints([2.5, -0.5, 0.5, 0.0])
    assert moved(robot.arm.move_joints("home")).reached


def test_leaving_the_with_block_stops_a_motion():
    with arm_on_table() as robot:
        handle = started(robot.arm.move_joints(GOAL, wait=False))
        robot.wait(0.2)
    assert handle.result is not None and handle.result.outcome is Outcome.STOPPED
