"""The view of a robot that drives."""

import numpy as np
import pytest
from viewer_helpers import eventually, panel_of
from viser import _messages

import mecano
from mecano.viewer.panels.base import STRAFES, BasePanel
from mecano.viewer.panels.handle import HandlePanel
from mecano.viewer.panels.workspace import WorkspacePanel
from mecano.viewer.viewer import Viewer


@pytest.fixture
def robot():
    """CRUMB on an empty floor."""
    with mecano.connect("crumb", scene="empty") as connected:
        yield connected


def held(do, claim):
    """Click or press again and again, as one who holds a key, until a claim is true."""

    def both():
        do()
        return claim()

    return eventually(both)


def test_one_click_drives_for_a_pulse_only(living):
    robot, viewer, page = living
    panel = panel_of(viewer, BasePanel)
    page.set(panel._ways, "forward")
    eventually(lambda: robot.base.pose.x > 0.01)
    eventually(lambda: panel._way == "stop" and robot.base.at_rest())
    stood = robot.base.pose.x
    robot.wait(2.0)
    assert robot.base.pose.x == pytest.approx(stood, abs=0.001) and stood < 0.5


def test_the_pad_drives_while_it_is_clicked(living):
    robot, viewer, page = living
    panel = panel_of(viewer, BasePanel)
    held(lambda: page.set(panel._ways, "forward"), lambda: robot.base.pose.x > 0.5)
    held(lambda: page.set(panel._ways, "left"), lambda: abs(robot.base.pose.yaw) > 0.5)
    page.set(panel._ways, "stop")
    eventually(lambda: robot.base.at_rest())
    assert viewer.touched == "drive"
    eventually(lambda: "odometry: x +" in panel._text.content)


def test_the_page_drives_within_the_safety_zone_and_gives_the_choice_back(living):
    robot, viewer, page = living
    panel = panel_of(viewer, BasePanel)
    page.set(panel._ways, "forward")
    eventually(lambda: robot.base.safety_zone)
    eventually(lambda: panel._way == "stop" and not robot.base.safety_zone)
    page.set(panel._zone, False)
    page.set(panel._ways, "back")
    eventually(lambda: any(robot.base.speed))
    assert not robot.base.safety_zone


@pytest.mark.slow
def test_the_handle_and_the_workspace_go_with_the_robot(living):
    robot, viewer, page = living
    handle, space = panel_of(viewer, HandlePanel), panel_of(viewer, WorkspacePanel)
    before = np.array(space._frame.position)
    ways = panel_of(viewer, BasePanel)._ways
    held(lambda: page.set(ways, "forward"), lambda: robot.base.pose.x > 0.4)
    page.set(panel_of(viewer, BasePanel)._ways, "stop")
    eventually(lambda: robot.base.at_rest())
    tool = robot.truth.tool_pose().position
    eventually(lambda: np.abs(np.asarray(handle.gizmo.position) - tool).max() < 0.01)
    assert space._frame.position[0] - before[0] > 0.3


@pytest.mark.slow
def test_the_hand_of_a_robot_that_has_driven_follows_the_handle(living):
    robot, viewer, page = living
    ways = panel_of(viewer, BasePanel)._ways
    held(lambda: page.set(ways, "forward"), lambda: robot.base.pose.x > 0.3)
    page.set(panel_of(viewer, BasePanel)._ways, "stop")
    eventually(lambda: robot.base.at_rest())
    handle = panel_of(viewer, HandlePanel)
    tool = robot.truth.tool_pose().position
    eventually(lambda: np.abs(np.asarray(handle.gizmo.position) - tool).max() < 0.01)
    goal = tool + np.array([0.03, 0.02, 0.02])
    page.grasp(handle.gizmo)
    page.drag(handle.gizmo, tuple(goal))
    page.let_go(handle.gizmo)
    eventually(lambda: np.abs(robot.truth.tool_pose().position - goal).max() < 0.01)


def test_a_pressed_bumper_is_shown(living):
    robot, viewer, _ = living
    panel = panel_of(viewer, BasePanel)
    body = robot.world.index("body", "crumb/base_footprint")
    with robot.session.lock:
        robot.world.data.xfrc_applied[body, 2] = 200.0  # lifted: the wheels hang
    eventually(lambda: "in the air" in panel._text.content)


def test_the_reflex_can_be_chosen(living):
    robot, viewer, page = living
    page.set(panel_of(viewer, BasePanel)._reflex, True)
    eventually(lambda: robot.base.reflex)


# --- a base that drives sideways


@pytest.fixture
def sideways(open_page):
    """A youBot on an empty floor, watched by one page: robot, viewer, page."""
    with mecano.connect("youbot", scene="empty") as robot, Viewer(robot) as viewer:
        robot.session.start_background()
        robot.session.pace.speed = float("inf")  # pyright: ignore[reportOptionalMemberAccess]
        yield robot, viewer, open_page(viewer)
        assert viewer._thread.is_alive()


def press(viewer, page, key: str) -> None:
    """Press a key of the page."""
    commands = viewer.server.gui._command_handle_from_uuid
    page.send(
        _messages.CommandTriggerMessage(
            next(uuid for uuid, command in commands.items() if command.hotkey == key)
        )
    )


@pytest.mark.slow
def test_the_pad_strafes_while_it_is_clicked(sideways):
    robot, viewer, page = sideways
    robot.session.pace.speed = 2.0  # so that the page keeps up with the watchdog
    panel = panel_of(viewer, BasePanel)
    held(lambda: page.set(panel._ways, "strafe left"), lambda: robot.base.pose.y > 0.4)
    page.set(panel._ways, "stop")
    eventually(lambda: robot.base.at_rest())
    assert abs(robot.base.pose.x) < 0.05 and abs(robot.base.pose.yaw) < 0.05


@pytest.mark.slow
def test_keys_strafe_to_both_sides(sideways):
    robot, viewer, page = sideways
    held(lambda: press(viewer, page, "H"), lambda: robot.base.pose.y > 0.2)
    held(lambda: press(viewer, page, "N"), lambda: robot.base.pose.y < -0.2)
    press(viewer, page, "K")
    eventually(lambda: robot.base.at_rest())
    assert viewer.touched == "drive"


def test_a_base_without_bumpers_offers_no_reflex(sideways):
    _, viewer, _ = sideways
    assert not panel_of(viewer, BasePanel)._reflex.visible


def test_a_base_that_cannot_strafe_does_not_offer_it(viewer):
    panel = panel_of(viewer, BasePanel)
    assert not set(panel._ways.options) & set(STRAFES)
    keys = {each.hotkey for each in viewer.server.gui._command_handle_from_uuid.values()}
    assert "I" in keys and not keys & {"H", "N"}
    assert "left" not in panel._text.content
