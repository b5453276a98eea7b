"""Panels: made from the description of the robot, and what a page does with them."""

from contextlib import contextmanager

import numpy as np
import pytest
from viewer_helpers import eventually, panel_of

import mecano
from mecano.viewer.panels.arm import ArmPanel
from mecano.viewer.panels.clock import ClockPanel
from mecano.viewer.panels.gripper import GripperPanel
from mecano.viewer.panels.handle import HandlePanel
from mecano.viewer.panels.plots import PlotsPanel
from mecano.viewer.panels.workspace import SHAPES, WorkspacePanel
from mecano.viewer.viewer import Viewer

FAR = (2.0, 0.0, 0.5)
"""A point that no hand here reaches, in the world [m]."""


def at(robot, goal) -> bool:
    return bool(np.abs(robot.arm.position - goal).max() < 0.01)


# --- from the description


def test_every_joint_has_a_slider_with_its_limits(robot, viewer):
    joints = robot.arm.chain.dh.joints
    sliders = panel_of(viewer, ArmPanel).sliders
    assert [slider.label for slider in sliders] == [f"{j.name} [{j.unit}]" for j in joints]
    for joint, slider in zip(joints, sliders, strict=True):
        assert joint.lower <= slider.min < joint.lower + 1e-3
        assert joint.upper - 1e-3 < slider.max <= joint.upper


def test_the_ends_of_the_sliders_are_allowed(robot, viewer):
    sliders = panel_of(viewer, ArmPanel).sliders
    for ends in ([s.min for s in sliders], [s.max for s in sliders]):
        assert robot.arm.move_joints(ends, wait=False) is not None


def test_the_sliders_begin_where_the_arm_is(robot, viewer):
    values = [slider.value for slider in panel_of(viewer, ArmPanel).sliders]
    np.testing.assert_allclose(values, robot.arm.commanded, atol=5.1e-4)


def test_every_posture_has_a_button(robot, viewer):
    assert panel_of(viewer, ArmPanel)._posture.options == tuple(robot.arm.chain.postures)


def test_the_gripper_has_a_slider_with_its_limits(robot, viewer):
    panel, facts = panel_of(viewer, GripperPanel), robot.gripper.facts
    assert panel._width.min == pytest.approx(1000 * facts.width(facts.closed), abs=0.1)
    assert panel._width.max == pytest.approx(1000 * facts.width(facts.open), abs=0.1)
    assert panel._force.max == facts.max_force


@pytest.mark.parametrize("end", ["max", "min"])
def test_the_ends_of_the_gripper_are_reached(living, end):
    robot, viewer, page = living
    panel = panel_of(viewer, GripperPanel)
    for slider in (panel._force, panel._width):
        page.set(slider, getattr(slider, end))
    width = getattr(panel._width, end) / 1000
    eventually(lambda: abs(robot.gripper.width - width) < 0.001)


def test_everything_that_moves_has_a_curve(robot, viewer):
    names = panel_of(viewer, PlotsPanel).names
    assert names == (
        *(f"{joint.name} [{joint.unit}]" for joint in robot.arm.chain.dh.joints),
        "gripper width [m]",
    )


def test_the_handle_begins_at_the_tool(robot, viewer):
    gizmo = panel_of(viewer, HandlePanel).gizmo
    tool = robot.truth.tool_pose().position
    np.testing.assert_allclose(gizmo.position, tool, atol=2e-3)


# --- commands


def test_a_slider_moves_its_joint_alone(living):
    robot, viewer, page = living
    goal = robot.arm.commanded.copy()
    goal[1] = -0.4
    page.set(panel_of(viewer, ArmPanel).sliders[1], -0.4)
    eventually(lambda: at(robot, goal))
    assert viewer.touched == "joint2"


def test_a_posture_moves_the_arm_and_then_the_sliders(living):
    robot, viewer, page = living
    panel = panel_of(viewer, ArmPanel)
    name = next(n for n in robot.arm.chain.postures if n != "home")
    page.set(panel._posture, name)
    eventually(lambda: at(robot, robot.arm.chain.postures[name]))
    eventually(
        lambda: np.allclose(
            [slider.value for slider in panel.sliders], robot.arm.chain.postures[name], atol=1e-3
        )
    )


def test_go_brings_the_hand_to_the_point(living):
    robot, viewer, page = living
    panel = panel_of(viewer, ArmPanel)
    page.set(panel._point, [0.18, 0.05, 0.12])
    page.set(panel._free, True)
    page.set(panel._go, "go")
    eventually(lambda: np.allclose(robot.arm.pose().position, [0.18, 0.05, 0.12], atol=2e-3))
    eventually(lambda: "#2b8a3e" in panel.answer.content)


def test_a_point_out_of_reach_is_answered_with_its_reason(living):
    robot, viewer, page = living
    panel, before = panel_of(viewer, ArmPanel), robot.arm.commanded.copy()
    page.set(panel._point, [0.9, 0.0, 0.2])
    page.set(panel._go, "go")
    eventually(lambda: "#c92a2a" in panel.answer.content and "mm" in panel.answer.content)
    np.testing.assert_array_equal(robot.arm.commanded, before)


def test_stop_stops(living):
    robot, viewer, page = living
    robot.session.pace.speed = 1.0
    panel = panel_of(viewer, ArmPanel)
    page.set(panel.sliders[0], 1.5)
    eventually(lambda: robot.arm.position[0] > 0.05)
    page.set(panel._go, "stop")
    eventually(lambda: robot.arm.motion.done)
    assert robot.arm.commanded[0] < 1.4


def test_the_gripper_closes_and_opens(living):
    robot, viewer, page = living
    panel, facts = panel_of(viewer, GripperPanel), robot.gripper.facts
    for button, value in (("open", facts.open), ("close", facts.closed), ("open", facts.open)):
        page.set(panel._fingers, button)
        width = facts.width(value)
        eventually(lambda width=width: abs(robot.gripper.width - width) < 0.002)
        eventually(lambda width=width: abs(panel._width.value - 1000 * width) < 0.2)
    assert viewer.touched == "gripper"


def test_reset_goes_back_to_the_beginning(living):
    robot, viewer, page = living
    robot.session.pace.pause()
    with mecano.connect(robot.description.name) as other:
        start = other.world.state()
    with robot.session.lock:
        pass  # the tick that may have begun before the pause has ended
    before = robot.session.ticks
    robot.session.pace.step(500)
    eventually(lambda: robot.session.ticks == before + 500)
    reset = next(h for h in viewer.desk.inputs if getattr(h, "options", None) == ("reset",))
    page.set(reset, "reset")
    eventually(lambda: robot.time == 0.0)
    np.testing.assert_array_equal(robot.world.state(), start)
    assert viewer.touched == "reset"


# --- the clock


def test_pause_tick_and_go_of_the_page(living):
    robot, viewer, page = living
    run = panel_of(viewer, ClockPanel)._run
    page.set(run, "pause")
    eventually(lambda: robot.session.pace.paused)
    page.set(run, "one tick")  # ends any tick that had begun before the pause
    eventually(lambda: robot.session.pace._steps == 0)
    with robot.session.lock:
        before = robot.session.ticks
    page.set(run, "one tick")
    eventually(lambda: robot.session.ticks > before)
    page.set(run, "go")
    eventually(lambda: robot.session.ticks > before + 100)
    assert viewer.touched is None


def test_the_speed_of_the_page_is_the_pace(living):
    robot, viewer, page = living
    page.set(panel_of(viewer, ClockPanel)._speed, "0.25 x")
    eventually(lambda: robot.session.pace.speed == 0.25)
    assert viewer.touched is None


# --- the handle


def test_the_hand_follows_the_handle(living):
    robot, viewer, page = living
    panel = panel_of(viewer, HandlePanel)
    tool = robot.truth.tool_pose().position
    goal = tool + np.array([0.0, 0.0, 0.05])
    page.grasp(panel.gizmo)
    for share in np.linspace(0.0, 1.0, 20):
        page.drag(panel.gizmo, tuple((1 - share) * tool + share * goal))
    page.let_go(panel.gizmo)
    eventually(lambda: np.allclose(robot.truth.tool_pose().position, goal, atol=5e-3))
    eventually(lambda: panel.motion is None and not panel.held)
    assert viewer.touched == "drag handle"


def test_a_handle_out_of_reach_says_why(living):
    robot, viewer, page = living
    panel, arm = panel_of(viewer, HandlePanel), panel_of(viewer, ArmPanel)
    page.grasp(panel.gizmo)
    page.drag(panel.gizmo, FAR)
    eventually(lambda: panel.label and panel.label.visible and "mm short" in panel.label.text)
    assert "#c92a2a" in arm.answer.content
    page.let_go(panel.gizmo)
    eventually(lambda: not panel.held and not (panel.label and panel.label.visible))
    tool = robot.truth.tool_pose().position
    eventually(lambda: np.abs(np.asarray(panel.gizmo.position) - tool).max() < 0.01)


def test_a_page_that_vanishes_with_the_handle_lets_it_go(living, open_page):
    _, viewer, _ = living
    panel, holder = panel_of(viewer, HandlePanel), open_page(viewer)
    holder.grasp(panel.gizmo)
    holder.drag(panel.gizmo, FAR)
    eventually(lambda: panel.held)
    holder.vanish()
    eventually(lambda: not panel.held)


@pytest.mark.parametrize("jerk", range(10))
def test_a_jerk_of_the_handle_ends(living, jerk):
    _, viewer, page = living
    panel = panel_of(viewer, HandlePanel)
    page.grasp(panel.gizmo)
    for _ in range(50):
        page.drag(panel.gizmo, (0.2, 0.0, 0.2 + 0.001 * jerk))
    page.let_go(panel.gizmo)
    eventually(lambda: viewer.touched == "drag handle")
    eventually(lambda: not panel.held and panel.motion is None)


# --- floods


def test_a_flood_of_a_slider_ends_at_its_last_value(living, monkeypatch):
    robot, viewer, page = living
    panel, calls = panel_of(viewer, ArmPanel), []
    plain = robot.arm.move_joints
    monkeypatch.setattr(
        robot.arm, "move_joints", lambda *goal, **how: calls.append(goal) or plain(*goal, **how)
    )
    pictures, ticks = viewer._pictures, robot.session.ticks
    for value in np.sin(np.linspace(0.0, 20.0, 5000)):
        page.set(panel.sliders[0], float(value))
    page.set(panel.sliders[0], 1.4)  # further than all before it
    eventually(lambda: abs(robot.arm.position[0] - 1.4) < 0.01)
    eventually(lambda: abs(panel.sliders[0].value - 1.4) < 1e-3)
    assert robot.session.ticks > ticks and robot.session.failure is None
    assert 1 <= len(calls) <= viewer._pictures - pictures + 2


@contextmanager
def standing(viewer):
    """Keep the thread that draws from collecting what pages ask for."""
    collect = viewer.desk.mail.collect
    viewer.desk.mail.collect = list
    try:
        yield
    finally:
        viewer.desk.mail.collect = collect


@pytest.mark.parametrize("number", [0, 3])
def test_what_a_person_did_just_now_is_not_overwritten(robot, viewer, open_page, number):
    page = open_page(viewer)
    arm = panel_of(viewer, ArmPanel)
    robot.session.pace.speed = float("inf")
    robot.arm.move_joints([0.5, -0.5, 0.5, 0.3])  # a program, so the sliders will follow
    with standing(viewer):
        page.set(arm.sliders[number], 0.2)
        eventually(lambda: viewer.desk.mail.waiting)
        arm.update(viewer.sampler.take())
        assert arm.sliders[number].value == 0.2


# --- locked while a program has the robot


@pytest.fixture
def program(robot, open_page):
    """A run that a program drives, watched by one page: robot, viewer, page."""
    robot.session.start_background()
    with Viewer({robot.name: robot}, program=True, title="a program") as viewer:
        robot.session.pace.speed = float("inf")
        yield robot, viewer, open_page(viewer)


def command_everything(viewer, page) -> None:
    arm, hand = panel_of(viewer, ArmPanel), panel_of(viewer, GripperPanel)
    handle = panel_of(viewer, HandlePanel)
    page.set(arm.sliders[0], 1.0)
    page.set(arm._posture, "zero" if "zero" in arm._posture.options else arm._posture.options[-1])
    page.set(arm._go, "go")
    page.set(hand._fingers, "close")
    page.grasp(handle.gizmo)
    page.drag(handle.gizmo, (0.2, 0.0, 0.3))
    page.let_go(handle.gizmo)


def test_a_locked_page_commands_nothing(program):
    robot, viewer, page = program
    before, width = robot.arm.commanded.copy(), robot.gripper.commanded
    command_everything(viewer, page)
    page.set(panel_of(viewer, ClockPanel)._speed, "5 x")  # comes after all of them
    eventually(lambda: robot.session.pace.speed == 5.0)
    assert viewer.touched is None
    np.testing.assert_array_equal(robot.arm.commanded, before)
    assert robot.gripper.commanded == width


def test_all_controls_of_a_locked_page_are_locked(program):
    _, viewer, _ = program
    for handle in viewer.desk.inputs:
        assert handle.disabled or not handle.visible


def test_who_takes_the_controls_touches_the_run(program):
    robot, viewer, page = program
    page.set(viewer.desk.takeover, True)
    eventually(lambda: not viewer.desk.locked)
    assert viewer.touched is None
    page.set(panel_of(viewer, ArmPanel).sliders[0], 1.0)
    eventually(lambda: abs(robot.arm.position[0] - 1.0) < 0.01)
    assert viewer.touched == "joint1"


def test_who_gives_the_controls_back_commands_no_more(program):
    robot, viewer, page = program
    for taken in (True, False):
        page.set(viewer.desk.takeover, taken)
        eventually(lambda taken=taken: viewer.desk.locked is not taken)
    test_a_locked_page_commands_nothing((robot, viewer, page))


# --- looks


def test_every_workspace_layer_can_be_drawn(living):
    _, viewer, page = living
    panel = panel_of(viewer, WorkspacePanel)
    for shape in (*SHAPES[1:], "off"):
        page.set(panel._shape, shape)
        eventually(lambda shape=shape: bool(panel._drawn) == (shape != "off"))
    page.set(panel._hull, True)
    eventually(lambda: panel._hull_drawn is not None)
    page.set(panel._hull, False)
    eventually(lambda: panel._hull_drawn is None)
    assert viewer.touched is None and "litres" in panel._text.content


def test_a_failure_of_the_run_does_not_stop_the_view(living):
    robot, viewer, _ = living

    def behaviour(robot) -> None:
        raise ValueError("broken on purpose")

    robot.run(behaviour)
    eventually(lambda: robot.session.failure is not None)
    eventually(lambda: "broken on purpose" in viewer._failed)
    assert viewer._thread.is_alive()
    assert mecano.connect("open_manipulator_x").time == 0.0
