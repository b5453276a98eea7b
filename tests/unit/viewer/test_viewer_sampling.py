"""Samples: what the robot is at one instant, taken only while somebody looks, changing nothing."""

import numpy as np
import pytest
from viewer_helpers import eventually, panel_of

import mecano
from mecano.viewer.panels.clock import ClockPanel
from mecano.viewer.sampling import RATE, Sampler


def test_a_sample_is_the_robot(robot):
    robot.arm.move_joints([0.5, -0.5, 0.5, 0.3])
    robot.gripper.close()
    sample = Sampler({robot.name: robot}, lambda: True).take()
    arm, hand = sample.arms[robot.name], sample.grippers[robot.name]
    assert sample.time == robot.time
    np.testing.assert_array_equal(sample.state, robot.world.state())
    np.testing.assert_array_equal(arm.target, robot.arm.commanded)
    np.testing.assert_array_equal(arm.real, robot.arm.position)
    assert (hand.real, hand.force, hand.holding) == (
        robot.gripper.width, robot.gripper.force, robot.gripper.holding,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["open_manipulator_x", "crumb"])
def test_the_foot_of_an_arm_is_where_its_tool_says(name):
    with mecano.connect(name) as robot:
        sampler, arm = Sampler({name: robot}, lambda: True), robot.arm
        if hasattr(robot, "base"):
            robot.base.drive_for(1.0, 0.2, 1.0)
        arm.move_joints(np.full(len(arm.position), 0.2))
        q = robot.world.data.qpos[arm.dynamics.positions]
        T_world_tool = sampler.take().arms[name].base @ arm.chain.forward(q)
        np.testing.assert_allclose(T_world_tool, robot.truth.tool_pose().matrix(), atol=1e-6)


def test_a_sample_stays_what_it_was(robot):
    sample = Sampler({robot.name: robot}, lambda: True).take()
    state, real = sample.state.copy(), sample.arms[robot.name].real.copy()
    target = sample.arms[robot.name].target.copy()
    robot.arm.move_joints([0.5, -0.5, 0.5, 0.3])
    np.testing.assert_array_equal(sample.state, state)
    np.testing.assert_array_equal(sample.arms[robot.name].real, real)
    np.testing.assert_array_equal(sample.arms[robot.name].target, target)


def test_samples_change_nothing():
    def run(watched: bool) -> str:
        with mecano.connect("open_manipulator_x", seed=3, noise=True) as robot:
            sampler = Sampler({robot.name: robot}, lambda: True)
            if watched:
                robot.session.observers.append(lambda session: sampler.take())
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
    sampler = Sampler({robot.name: robot}, lambda: True)
    monkeypatch.setattr(sampler, "take", lambda: taken.append(now[0]))
    for _ in range(5000):  # a tick each millisecond of wall time
        sampler(robot.session)
        now[0] += 0.001
    assert 4.5 * RATE <= len(taken) <= 5.0 * RATE + 1


def test_a_late_look_is_not_made_up_for(robot, monkeypatch):
    now, taken = [100.0], []
    monkeypatch.setattr("mecano.viewer.sampling.time.monotonic", lambda: now[0])
    sampler = Sampler({robot.name: robot}, lambda: True)
    monkeypatch.setattr(sampler, "take", lambda: taken.append(now[0]))
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
