"""A robot in the browser: what a person does in the page, the robot does."""

# pyright: reportOptionalMemberAccess=false

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from browser_helpers import Person, eventually, is_drawn, pixel_of
from playwright.sync_api import expect

import mecano
from mecano.lab.robot import Robot
from mecano.viewer.panels.handle import HandlePanel
from mecano.viewer.viewer import Viewer

TOO_FAR = re.compile(r"\d+\.\d mm too far")


@dataclass(frozen=True)
class View:
    """A robot, its view and somebody who looks at it."""

    robot: Robot
    viewer: Viewer
    person: Person

    @property
    def handle(self) -> HandlePanel:
        return next(panel for panel in self.viewer.panels if isinstance(panel, HandlePanel))

    @property
    def tool(self) -> np.ndarray:
        return self.robot.truth.tool_pose().position


@pytest.fixture(scope="module")
def opened(new_person) -> Iterator[View]:
    with mecano.connect("open_manipulator_x") as robot, Viewer({robot.name: robot}) as viewer:
        robot.session.start_background()
        person = new_person()
        person.visit(viewer.url, sees="joint1 [rad]")
        eventually(lambda: is_drawn(person.page))
        yield View(robot, viewer, person)


@pytest.fixture
def view(opened) -> Iterator[View]:
    """The page as it is at the beginning, and afterwards no complaints of the browser."""
    pace = opened.robot.session.pace
    pace.speed = 4.0
    pace.resume()
    opened.robot.reset()
    opened.person.open_tab("Control")
    yield opened
    assert opened.person.errors == []
    assert opened.viewer._thread.is_alive() and opened.robot.session.failure is None


def test_a_number_beside_a_slider_moves_the_joint(view):
    view.person.fill("joint1 [rad]", 0.8)
    eventually(lambda: abs(view.robot.arm.position[0] - 0.8) < 0.01)


def test_the_keys_move_a_slider(view):
    view.person.row("joint1 [rad]").get_by_role("slider").press("ArrowRight")
    eventually(lambda: view.robot.arm.commanded[0] > 0.0005)


def test_a_posture_moves_the_arm(view):
    for posture in ("home_gui", "zero"):
        view.person.press("posture", posture)
        goal = view.robot.arm.chain.postures[posture]
        eventually(lambda goal=goal: np.allclose(view.robot.arm.position, goal, atol=0.02))


def test_the_hand_goes_to_a_point(view):
    view.person.fill("point [m]", 0.2, 0.06, 0.15)
    view.person.fill("pitch [deg]", 20)
    view.person.press("hand", "go")
    eventually(lambda: np.allclose(view.robot.arm.pose().position, [0.2, 0.06, 0.15], atol=3e-3))


def test_a_point_out_of_reach_shows_its_reason(view):
    before = view.robot.arm.commanded.copy()
    view.person.fill("point [m]", 0.8, 0.0, 0.2)
    view.person.press("hand", "go")
    expect(view.person.page.get_by_text(TOO_FAR)).to_be_visible()
    np.testing.assert_array_equal(view.robot.arm.commanded, before)


def take_hold(view: View) -> tuple[float, float]:
    """Take the handle by its upright arrow; return where the mouse is then."""
    (client,) = view.viewer.server.get_clients().values()
    eventually(lambda: np.abs(view.handle.gizmo.position - view.tool).max() < 0.005)
    arrow = np.array([0.0, 0.0, 0.7 * view.handle.gizmo.scale])

    def grasped() -> bool:
        """Try to; where the page draws the handle late, the mouse misses it."""
        view.person.let_go()
        view.person.press_mouse(pixel_of(client, view.handle.gizmo.position + arrow))
        return eventually(lambda: view.handle.held, seconds=5.0, or_else=False)

    eventually(grasped)
    return pixel_of(client, view.handle.gizmo.position + arrow)


def test_the_hand_follows_the_handle(view):
    before = view.tool
    x, y = take_hold(view)
    view.person.drag_to((x, y - 40))
    view.person.let_go()
    eventually(lambda: view.tool[2] > before[2] + 0.02)
    eventually(lambda: view.handle.motion is None and not view.handle.held)
    np.testing.assert_allclose(view.tool, view.handle.gizmo.position, atol=0.01)
    assert np.abs(view.tool[:2] - before[:2]).max() < 0.01


def test_the_handle_out_of_reach_shows_why(view):
    view.robot.arm.move_joints([-0.9, 0.0, 0.0, 0.0])  # outstretched, not behind the panel
    x, _ = take_hold(view)
    view.person.drag_to((x, 10))
    expect(view.person.page.get_by_text(TOO_FAR)).to_be_visible()
    label = eventually(lambda: view.handle.label)
    eventually(lambda: label.visible and "mm short" in label.text)
    view.person.let_go()
    eventually(lambda: not view.handle.held)


def test_the_gripper_opens_and_closes(view):
    facts = view.robot.gripper.facts
    for button, value in (("open", facts.open), ("close", facts.closed)):
        view.person.press("fingers", button)
        width = facts.width(value)
        eventually(lambda width=width: abs(view.robot.gripper.width - width) < 0.002)


def test_pause_tick_and_go(view):
    session, page = view.robot.session, view.person.page
    view.person.press("run", "pause")
    expect(page.get_by_text(re.compile(r"^\d+\.\d\d s, paused$"))).to_be_visible()
    stood = session.ticks
    view.person.press("run", "one tick")
    eventually(lambda: session.ticks != stood)
    expect(page.get_by_text(f"{session.time:.2f} s, paused", exact=True)).to_be_visible()
    assert session.ticks == stood + 1
    view.person.press("run", "go")
    eventually(lambda: session.ticks > stood + 100)


def test_reset_begins_again(view):
    eventually(lambda: view.robot.time > 1.0)
    view.person.press("run", "pause")
    eventually(lambda: view.robot.session.pace.paused)
    view.person.press("world", "reset")
    eventually(lambda: view.robot.time < 0.1)
    expect(view.person.page.get_by_text(re.compile(r"^0\.0\d s, paused$"))).to_be_visible()


def stand_still(view: View) -> None:
    """Stop the time: a browser that has less to draw answers sooner."""
    eventually(lambda: view.robot.time > 0.2)
    view.robot.session.pace.pause()


def test_the_looks_can_be_chosen(view):
    stand_still(view)
    view.person.open_tab("Look")
    scene = view.viewer.stage.scene
    for look in ("collision shapes", "as it looks"):
        view.person.choose("robot", look)
        shown = look == "collision shapes"
        eventually(lambda shown=shown: scene.geom_groups_visible[3] == shown)
    for frames, mode in (("bodies", "Body"), ("none", "None")):
        view.person.choose("frames", frames)
        eventually(lambda mode=mode: scene.frame_mode == mode)
    for shown in (True, False):
        view.person.tick("inertia boxes")
        view.person.tick("contacts and forces")
        eventually(lambda shown=shown: scene.show_inertia == shown)
        eventually(lambda shown=shown: scene.show_contact_forces == shown)


def test_the_workspace_can_be_seen(view):
    stand_still(view)
    view.person.open_tab("Look")
    for shape in ("points and directions", "spheres", "off"):
        view.person.choose("show", shape)
    view.person.tick("convex hull")
    expect(view.person.page.get_by_text(re.compile("litres"))).to_be_visible()
    view.person.tick("convex hull")


def test_the_plots_are_drawn(view):
    view.person.open_tab("Plots")
    plots = view.person.page.locator(".uplot canvas").locator("visible=true")
    eventually(lambda: plots.count() == 2)
    view.person.choose("plot", "gripper width [m]")
