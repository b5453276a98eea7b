"""The rays of range sensors in the view."""

import math

import numpy as np
import pytest
from viewer_helpers import drive_until, eventually, panel_of

import mecano
from mecano.core.poses import Pose
from mecano.lab.robot import Place, connect_all
from mecano.viewer.panels.base import BasePanel
from mecano.viewer.panels.ranges import RED, YELLOW, RangesPanel
from mecano.viewer.sampling import Sampler
from mecano.viewer.viewer import Viewer

LEFT, RIGHT = 0, 1
EDGE = -0.6025
"""Where the table begins that the right sensor looks at [m]."""
BESIDE_TABLE = Pose([-0.1246, 1.362, 0.0], [math.cos(-math.pi / 4), 0.0, 0.0, -math.sqrt(0.5)])
"""Where the first route ends: facing -y, the table on the right."""


@pytest.fixture
def robot():
    """A youBot beside the first table."""
    places = {"youbot": Place("youbot", BESIDE_TABLE)}
    with connect_all(places, scene="transport")["youbot"] as connected:
        yield connected


def length(panel: RangesPanel, number: int) -> float:
    begin, end = panel.lines.points[number]
    return float(np.linalg.norm(end - begin))


def colour(panel: RangesPanel, number: int) -> tuple[int, ...]:
    return tuple(panel.lines.colors[number, 0].tolist())


# --- samples


def test_a_sample_has_the_readings_of_the_sensors(robot):
    rays = Sampler({robot.name: robot}, lambda: True).take().ranges[robot.name]
    assert list(rays) == list(robot.ranges) == ["left", "right"]
    for name, finder in robot.ranges.items():
        assert (rays[name].range, rays[name].detects) == (finder.read().range, finder.detects)


def test_a_sampled_ray_lies_along_z_of_its_site(robot):
    sampler = Sampler({robot.name: robot}, lambda: True)
    robot.base.drive_for(0.5, 0.1, 0.5)
    for name, ray in sampler.take().ranges[robot.name].items():
        site = robot.world.site_pose(f"youbot/{name}_ray_sensor")
        np.testing.assert_allclose(ray.origin, site.position, atol=1e-3)  # of a step ago
        np.testing.assert_allclose(ray.direction, site.rotation_matrix()[:, 2], atol=2e-3)


def test_a_sampled_ray_stays_what_it_was(robot):
    ray = Sampler({robot.name: robot}, lambda: True).take().ranges[robot.name]["left"]
    origin, direction = ray.origin.copy(), ray.direction.copy()
    robot.base.drive_for(0.3, 0.2, 0.5)
    np.testing.assert_array_equal(ray.origin, origin)
    np.testing.assert_array_equal(ray.direction, direction)


# --- in the page


def test_a_ray_that_detects_is_yellow_and_ends_at_what_it_sees(viewer):
    panel = panel_of(viewer, RangesPanel)
    assert colour(panel, RIGHT) == YELLOW
    assert panel.lines.points[RIGHT, 1, 0] == pytest.approx(EDGE, abs=1e-4)


def test_a_ray_that_sees_nothing_is_red_and_as_long_as_its_range(viewer):
    panel = panel_of(viewer, RangesPanel)
    assert colour(panel, LEFT) == RED
    assert length(panel, LEFT) == pytest.approx(0.5, abs=1e-6)


def test_the_distances_are_told(viewer):
    text = panel_of(viewer, RangesPanel)._text.content
    assert "left nothing within 0.5 m" in text and "right 0.299 m" in text


def test_a_ray_turns_red_when_the_robot_leaves(living):
    robot, viewer, page = living
    panel = panel_of(viewer, RangesPanel)
    buttons = panel_of(viewer, BasePanel)._ways
    drive_until(page, buttons, "strafe left", lambda: not robot.ranges["right"].detects)
    eventually(lambda: colour(panel, RIGHT) == RED)
    eventually(lambda: "right nothing within 0.5 m" in panel._text.content)
    assert length(panel, RIGHT) == pytest.approx(0.5, abs=1e-6)


def test_the_rays_go_with_the_robot(living):
    robot, viewer, page = living
    panel = panel_of(viewer, RangesPanel)
    buttons = panel_of(viewer, BasePanel)._ways
    drive_until(page, buttons, "left", lambda: abs(robot.base.pose.yaw) > 0.5)
    page.set(buttons, "stop")
    eventually(lambda: robot.base.at_rest())
    site = robot.world.site_pose("youbot/left_ray_sensor")
    tip = site.position + 0.5 * site.rotation_matrix()[:, 2]
    eventually(lambda: np.abs(panel.lines.points[LEFT] - [site.position, tip]).max() < 1e-3)


def test_rays_that_stand_still_are_not_sent_again(viewer):
    panel = panel_of(viewer, RangesPanel)
    sent = panel.lines._impl.props.points
    panel.update(viewer.sampler.take())
    assert panel.lines._impl.props.points is sent


def test_a_robot_without_range_sensors_has_no_rays():
    with mecano.connect("open_manipulator_x") as arm, Viewer(arm) as viewer:
        assert not any(isinstance(panel, RangesPanel) for panel in viewer.panels)
        assert viewer.sampler.take().ranges == {}
