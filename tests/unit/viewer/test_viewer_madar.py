"""The view of a robot with two arms, two hands and LIDARs."""

import numpy as np
import pytest
from viewer_helpers import eventually, panel_of

import mecano
from mecano.viewer.panels.arm import ArmPanel
from mecano.viewer.panels.footprint import ABOVE_FLOOR, FootprintPanel
from mecano.viewer.panels.handle import HandlePanel
from mecano.viewer.panels.hands import HandsPanel, _told
from mecano.viewer.panels.plots import PlotsPanel
from mecano.viewer.panels.scan import ScanPanel
from mecano.viewer.panels.workspace import WorkspacePanel
from mecano.viewer.samples import HandSample
from mecano.viewer.sampling import Sampler
from mecano.viewer.viewer import Viewer

LEGS = np.array([
    (1.35 + x, table + y) for table in (0.0, 3.0) for x in (-0.26, 0.26) for y in (-0.46, 0.46)
])  # fmt: skip
"""Middles of the legs of both tables, which are 40 mm thick [m]."""
SCAN_HEIGHT = 0.152
"""Of the beams above the floor [m]: the sheet of MADAR, section 5."""


@pytest.fixture
def robot():
    """MADAR before the first table."""
    with mecano.connect("madar", scene="carry", noise=False) as connected:
        yield connected


def sampler_of(robot) -> Sampler:
    return Sampler({robot.name: robot}, lambda: True)


def to_nearest_leg(points: np.ndarray) -> np.ndarray:
    """Return how far points are from the surface of the nearest leg, seen from above [m]."""
    beyond = np.abs(points[:, None, :2] - LEGS) - 0.02
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=2)
    return np.abs(outside + np.minimum(beyond.max(axis=2), 0.0)).min(axis=1)


def base_pose(robot) -> np.ndarray:
    return robot.world.body_pose(f"{robot.name}/{robot.description.free_body}").matrix()


# --- samples


def test_a_sample_has_what_the_hands_do(robot):
    hands = sampler_of(robot).take().hands["madar"]
    assert list(hands) == list(robot.hands) == ["right", "left"]
    for name, hand in robot.hands.items():
        np.testing.assert_array_equal(hands[name].target, hand.commanded)
        np.testing.assert_array_equal(hands[name].real, hand.position)
        assert not hands[name].moving and hands[name].stopped == ()


def test_a_sampled_hand_moves_until_it_rests(robot):
    sampler = sampler_of(robot)
    robot.hands["left"].open(wait=False)
    robot.wait(0.1)
    assert sampler.take().hands["madar"]["left"].moving
    robot.wait(2.0)
    assert not sampler.take().hands["madar"]["left"].moving


def test_the_scan_ends_at_the_legs_of_the_tables(robot):
    points = sampler_of(robot).take().scans["madar"].points
    assert len(points) > 10
    assert to_nearest_leg(points).max() < 0.03
    np.testing.assert_allclose(points[:, 2], SCAN_HEIGHT, atol=2e-3)


def test_the_scan_stays_at_the_legs_while_the_robot_drives(robot):
    sampler = sampler_of(robot)
    for _ in range(4):
        robot.base.drive_for(0.13, 0.2, 0.5)
        assert to_nearest_leg(sampler.take().scans["madar"].points).max() < 0.05


def test_a_scan_is_fused_anew_only_when_there_is_another(robot):
    sampler = sampler_of(robot)
    first = sampler.take().scans["madar"]
    assert sampler.take().scans["madar"] is first
    robot.wait(0.2)
    assert sampler.take().scans["madar"] is not first


def test_a_silent_lidar_is_told(robot):
    robot.lidars["left"].switch(False)
    robot.wait(0.5)
    (gap,) = sampler_of(robot).take().scans["madar"].gaps
    assert gap.startswith("LIDAR left: no scan for")


def test_the_outline_is_the_footprint_where_the_robot_stands(robot):
    robot.base.drive_for(0.4, 0.2, 0.5)
    outline = sampler_of(robot).take().outlines["madar"]
    np.testing.assert_array_equal(outline[0], outline[-1])
    T_world_base, corners = base_pose(robot), robot.footprint()
    expected = corners @ T_world_base[:3, :2].T + T_world_base[:3, 3]
    np.testing.assert_allclose(outline[:-1], expected, atol=2e-3)


@pytest.mark.slow
def test_the_outline_grows_when_an_arm_reaches_out(robot):
    sampler = sampler_of(robot)
    before = sampler.take().outlines["madar"]
    assert robot.arms.move_joints("carry").reached
    after = sampler.take().outlines["madar"]
    assert after[:, 0].max() > before[:, 0].max() + 0.1


def test_the_outline_is_computed_ten_times_a_second(robot):
    sampler = sampler_of(robot)
    first = sampler.take().outlines["madar"]
    robot.wait(0.05)
    assert sampler.take().outlines["madar"] is first
    robot.wait(0.06)
    assert sampler.take().outlines["madar"] is not first


def test_a_reset_computes_it_anew(robot):
    sampler = sampler_of(robot)
    robot.wait(0.5)
    first = sampler.take().outlines["madar"]
    robot.reset()
    assert sampler.take().outlines["madar"] is not first


def test_being_sampled_changes_nothing():
    hashes = set()
    for watched in (False, True):
        with mecano.connect("madar", scene="carry", seed=3) as robot:
            if watched:
                sampler = sampler_of(robot)
                robot.session.observers.append(lambda session, take=sampler.take: take())
            robot.arms.move_joints("ready", wait=False)
            robot.hands["right"].close(0.5, wait=False)
            robot.base.drive_for(0.3, 0.1, 0.1)
            hashes.add(robot.state_hash())
    assert len(hashes) == 1


# --- the page


def test_both_arms_have_panels_and_only_the_first_is_unfolded(viewer):
    arms = [panel for panel in viewer.panels if isinstance(panel, ArmPanel)]
    assert [panel.titled("Arm") for panel in arms] == ["Arm, right", "Arm, left"]
    assert [panel.folded for panel in arms] == [False, True]
    assert arms[1].folder("Arm").expand_by_default is False
    for kind in (HandlePanel, WorkspacePanel):
        assert sum(isinstance(panel, kind) for panel in viewer.panels) == 2


@pytest.mark.slow
def test_sliders_have_names_without_the_side(viewer):
    labels = [slider.label for slider in panel_of(viewer, ArmPanel).sliders]
    assert labels[0] == "shoulder_pan [rad]" and labels[-1] == "wrist_3 [rad]"


@pytest.mark.slow
def test_curves_of_both_arms_can_be_told_apart(viewer):
    names = panel_of(viewer, PlotsPanel).names
    assert len(set(names)) == len(names) == 12
    assert names[0] == "right shoulder_pan [rad]" and names[6] == "left shoulder_pan [rad]"


def test_hands_have_their_postures_and_grasps(robot, viewer):
    controls = panel_of(viewer, HandsPanel).controls
    assert list(controls) == ["right", "left"]
    for name, hand in robot.hands.items():
        assert controls[name].posture.options == tuple(hand.facts.postures)
        assert controls[name].grasp.options == ("power", "pinch")


def test_the_first_look_shows_the_whole_robot(robot, viewer):
    camera = viewer.server.initial_camera
    look_at, eye = np.array(camera.look_at), np.array(camera.position)
    forward = (look_at - eye) / np.linalg.norm(look_at - eye)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(right, forward), forward])
    model, data = robot.world.model, robot.world.data
    own = [g for g in range(model.ngeom) if model.body_weldid[model.geom_bodyid[g]] != 0]
    seen = (np.vstack([data.geom_xpos[own], LEGS_OF_FIRST]) - eye) @ axes.T
    across, up = (seen[:, i] / (seen[:, 2] * np.tan(camera.fov / 2)) for i in (0, 1))
    assert np.abs(up).max() < 0.95
    assert across.min() > -1.3 and across.max() < 0.7  # the panel is on the right


LEGS_OF_FIRST = np.array([(x, y, 0.0) for x, y in LEGS[:4]])


@pytest.mark.slow
def test_the_left_sliders_move_the_left_arm_alone(living):
    robot, viewer, page = living
    left = [panel for panel in viewer.panels if isinstance(panel, ArmPanel)][1]
    before = robot.arms["right"].commanded.copy()
    page.set(left.sliders[5], 0.2)
    eventually(lambda: abs(robot.arms["left"].position[5] - 0.2) < 0.01)
    np.testing.assert_array_equal(robot.arms["right"].commanded, before)
    assert viewer.touched == "left_wrist_3_joint"


@pytest.mark.slow
def test_the_left_hand_follows_its_handle(living):
    robot, viewer, page = living
    robot.arms.move_joints("ready")
    panel = [each for each in viewer.panels if isinstance(each, HandlePanel)][1]
    tool = robot.arms["left"].pose().position  # the base stands where the world begins
    goal = tool + np.array([0.0, 0.0, 0.06])
    page.grasp(panel.gizmo)
    page.drag(panel.gizmo, tuple(goal))
    page.let_go(panel.gizmo)
    eventually(lambda: abs(robot.arms["left"].pose().position[2] - goal[2]) < 0.01)


@pytest.mark.slow
def test_the_slider_of_a_hand_closes_it(living):
    robot, viewer, page = living
    controls, hand = panel_of(viewer, HandsPanel).controls["left"], robot.hands["left"]
    for grasp, share in (("pinch", 40.0), ("power", 60.0)):
        page.set(controls.grasp, grasp)
        eventually(lambda grasp=grasp: controls.grasp.value == grasp)
        page.set(controls.closed, share)
        goal = hand.facts.between("open", grasp, share / 100.0)
        eventually(lambda goal=goal: np.abs(hand.position - goal).max() < 0.06)
    assert viewer.touched == "left hand"


@pytest.mark.slow
def test_a_posture_of_a_hand_moves_it_and_then_the_slider(living):
    robot, viewer, page = living
    controls, hand = panel_of(viewer, HandsPanel).controls["right"], robot.hands["right"]
    for posture, share in (("power", 100.0), ("open", 0.0)):
        page.set(controls.posture, posture)
        goal = hand.facts.posture(posture)
        eventually(lambda goal=goal: np.abs(hand.position - goal).max() < 0.06)
        eventually(lambda share=share: controls.closed.value == share)


@pytest.mark.parametrize("kind", [ScanPanel, FootprintPanel])
def test_a_layer_can_be_hidden_and_shown(living, kind):
    _, viewer, page = living
    panel = panel_of(viewer, kind)
    drawn = panel.points if kind is ScanPanel else panel.line
    for shown in (True, False, True):
        page.set(panel._shown, shown)
        eventually(lambda shown=shown: drawn.visible is shown)
    assert viewer.touched is None


def test_the_layers_lie_where_they_were_sampled(robot, viewer):
    sample = viewer.sampler.take()
    scan, footprint = panel_of(viewer, ScanPanel), panel_of(viewer, FootprintPanel)
    scan.update(sample)
    footprint.update(sample)
    np.testing.assert_allclose(scan.points.points, sample.scans["madar"].points, atol=1e-6)
    ends = sample.outlines["madar"] + [0.0, 0.0, ABOVE_FLOOR]
    np.testing.assert_allclose(footprint.line.points[:, 0], ends[:-1], atol=1e-6)


@pytest.mark.slow
def test_a_layer_that_stands_still_is_not_sent_again(robot, viewer):
    scan, footprint = panel_of(viewer, ScanPanel), panel_of(viewer, FootprintPanel)
    sent = scan.points._impl.props.points, footprint.line._impl.props.points
    for panel in (scan, footprint):
        panel.update(viewer.sampler.take())
    assert scan.points._impl.props.points is sent[0]
    assert footprint.line._impl.props.points is sent[1]


def test_fingers_that_are_held_up_are_named():
    still = np.zeros(16)
    held = HandSample(still, still, moving=False, stopped=("index", "thumb"), torque=0.31)
    assert _told(held)[0] == "held up: index, thumb; 0.31 N m at most"
    free = HandSample(still, still, moving=False, stopped=(), torque=0.02)
    assert _told(free)[0] == "no finger held up; 0.02 N m at most"


# --- other robots


def test_a_base_without_arms_has_a_page():
    with mecano.connect("madar_base", scene="carry") as base, Viewer(base) as viewer:
        assert not any(isinstance(panel, ArmPanel | HandsPanel) for panel in viewer.panels)
        assert len(viewer.sampler.take().scans["madar_base"].points) > 10


def test_an_arm_on_a_table_has_none_of_it():
    with mecano.connect("open_manipulator_x") as arm, Viewer(arm) as viewer:
        none = (HandsPanel, ScanPanel, FootprintPanel)
        assert not any(isinstance(panel, none) for panel in viewer.panels)
        sample = viewer.sampler.take()
        assert sample.hands == sample.scans == sample.outlines == {}
