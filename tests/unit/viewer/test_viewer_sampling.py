"""Samples: what the robot is at one instant, taken only while somebody looks, changing nothing."""

import numpy as np
import pytest
from viewer_helpers import eventually, panel_of

import mecano
from mecano.viewer.panels.clock import ClockPanel
from mecano.viewer.sampling import RATE, Sampler, take


def test_a_sample_is_the_robot(robot):
    robot.arm.move_joints([0.5, -0.5, 0.5, 0.3])
    robot.gripper.close()
    sample = take({robot.name: robot})
    arm, hand = sample.arms[robot.name], sample.grippers[robot.name]
    assert sample.time == robot.time
    np.testing.assert_array_equal(sample.state, robot.world.state())
    np.testing.assert_array_equal(arm.target, robot.arm.commanded)
    np.testing.assert_array_equal(arm.real, robot.arm.position)
    assert (hand.real, hand.force, hand.holding) == (
        robot.gripper.width, robot.gripper.force, robot.gripper.holding,
    )  # fmt: skip


def test_a_sample_stays_what_it_was(robot):
    sample = take({robot.name: robot})
    state, real = sample.state.copy(), sample.arms[robot.name].real.copy()
    target = sample.arms[robot.name].target.copy()
    robot.arm.move_joints([0.5, -0.5, 0.5, 0.3])
    np.testing.assert_array_equal(sample.state, state)
    np.testing.assert_array_equal(sample.arms[robot.name].real, real)
    np.testing.assert_array_equal(sample.arms[robot.name].target, target)


def test_samples_change_nothing():
    def run(watched: bool) -> str:
        with mecano.connect("open_manipulator_x", seed=3, noise=True) as robot:
            robots = {robot.name: robot}
            if watched:
                robot.session.observers.append(lambda session: take(robots))
            robot.arm.move_joints([0.5, -0.5, 0.5, 0.3])
            return robot.state_hash()

    assert run(watched=True) == run(watched=False)


def test_nobody_looks_nothing_is_taken(robot):
    sampler = Sampler({robot.name: robot}, lambda: False)
    robot.session.observers.append(sampler)
    robot.wait(0.5)
    assert sampler.newest is None


def test_samples_are_few_however_fast_the_run(robot, monkeypatch):
    now, taken = [100.0], []
    monkeypatch.setattr("mecano.viewer.sampling.time.monotonic", lambda: now[0])
    monkeypatch.setattr("mecano.viewer.sampling.take", taken.append)
    sampler = Sampler({robot.name: robot}, lambda: True)
    for _ in range(5000):  # a tick each millisecond of wall time
        sampler(robot.session)
        now[0] += 0.001
    assert 4.5 * RATE <= len(taken) <= 5.0 * RATE + 1


def test_a_late_look_is_not_made_up_for(robot, monkeypatch):
    now, taken = [100.0], []
    monkeypatch.setattr("mecano.viewer.sampling.time.monotonic", lambda: now[0])
    monkeypatch.setattr("mecano.viewer.sampling.take", taken.append)
    sampler = Sampler({robot.name: robot}, lambda: True)
    sampler(robot.session)
    now[0] += 60.0
    for _ in range(10):
        sampler(robot.session)
    assert len(taken) == 2


# --- in the view


def test_a_page_that_opens_later_sees_the_present(robot, viewer, open_page):
    robot.session.pace.speed = float("inf")
    robot.arm.move_joints([0.5, -0.5, 0.5, 0.3])
    open_page(viewer)
    eventually(lambda: viewer._drawn is not None and viewer._drawn.time == robot.time)
    text = panel_of(viewer, ClockPanel)._text
    eventually(lambda: f"{robot.time:.2f} s" in text.content)


def test_what_stands_still_is_drawn_as_it_stands(living):
    robot, viewer, _ = living
    ticks = robot.session.ticks
    eventually(lambda: robot.session.ticks > ticks + 100)
    robot.session.pace.pause()
    for _ in range(20):
        robot.session.pace.step()
        eventually(lambda: viewer._drawn is not None and viewer._drawn.time == robot.time)


@pytest.mark.parametrize("pages", [0, 1])
def test_a_closed_view_leaves_no_observer(robot, viewer, open_page, pages):
    for _ in range(pages):
        open_page(viewer)
    assert viewer.sampler in robot.session.observers
    with mecano.viewer.viewer.Viewer({robot.name: robot}) as second:
        assert second.sampler in robot.session.observers
    assert second.sampler not in robot.session.observers
    assert viewer.sampler in robot.session.observers
