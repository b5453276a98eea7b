"""Paths of the scene in the view, and the way that a base really drove."""

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
from viewer_helpers import ThinPage, drive_until, eventually, panel_of

import mecano
from mecano.viewer.panels.base import BasePanel
from mecano.viewer.panels.paths import PathsPanel, TrailPanel
from mecano.viewer.sampling import TRAIL_POINTS, Trail
from mecano.viewer.viewer import Viewer

ROUTES = ["route_1", "route_2", "route_3"]


@pytest.fixture
def robot():
    """A youBot at the start of its first route."""
    with mecano.connect("youbot", scene="transport") as connected:
        yield connected


def panels_of(viewer: Viewer, kind: type) -> list:
    return [panel for panel in viewer.panels if isinstance(panel, kind)]


def with_path(text: str):
    """Return a change of a scene that gives it a path."""
    return lambda spec: spec.add_text(name="path_extra", data=text)


# --- paths of the scene


def test_every_path_of_the_scene_is_drawn_from_its_start_to_its_end(robot, viewer):
    panel = panel_of(viewer, PathsPanel)
    assert list(panel.lines) == list(robot.paths) == ROUTES
    for name, path in robot.paths.items():
        pieces = panel.lines[name].points
        ends = path.at([0.0, path.length]).position
        np.testing.assert_allclose([pieces[0, 0, :2], pieces[-1, 1, :2]], ends, atol=1e-6)
        np.testing.assert_array_equal(pieces[1:, 0], pieces[:-1, 1])  # without gaps


def test_a_path_lies_just_above_the_floor(viewer):
    for drawn in panel_of(viewer, PathsPanel).lines.values():
        np.testing.assert_allclose(drawn.points[..., 2], 0.005, atol=1e-6)


def test_a_path_lies_above_a_floor_that_is_not_at_zero():
    change = with_path("{points = [[0, 0], [1, 0]]}")
    with mecano.connect("open_manipulator_x", changes=[change]) as arm, Viewer(arm) as viewer:
        drawn = panel_of(viewer, PathsPanel).lines["extra"]
        np.testing.assert_allclose(drawn.points[..., 2], -0.745, atol=1e-6)


def test_paths_have_names_and_colours_of_their_own(viewer):
    panel = panel_of(viewer, PathsPanel)
    assert [label.text for label in panel.labels.values()] == ROUTES
    assert len({tuple(drawn.colors) for drawn in panel.lines.values()}) == len(ROUTES)


def test_paths_can_be_hidden(living):
    _, viewer, page = living
    panel = panel_of(viewer, PathsPanel)
    drawn = [*panel.lines.values(), *panel.labels.values()]
    for shown in (False, True):
        page.set(panel._shown, shown)
        eventually(lambda shown=shown: all(each.visible is shown for each in drawn))
    assert viewer.touched is None


def test_a_path_in_space_goes_with_the_arm():
    change = with_path("{dimensions = 3, points = [[0.3, 0, 0.3], [0.3, 0.1, 0.3]]}")
    with mecano.connect("youbot", scene="empty", changes=[change]) as other, Viewer(other) as seen:
        other.session.pace.speed = inf  # pyright: ignore[reportOptionalMemberAccess]
        panel = panel_of(seen, PathsPanel)
        other.base.drive_for(0.5, 0.4)
        sample = seen.sampler.take()
        panel.update(sample)
        np.testing.assert_allclose(panel._hand.position, sample.arms["youbot"].base[:3, 3])
        assert panel._hand.position[0] > 0.05
        np.testing.assert_allclose(panel.lines["extra"].points[0, 0], [0.3, 0.0, 0.3], atol=1e-6)


def test_a_faulty_path_is_told_in_the_page():
    change = with_path("{points = ")
    with mecano.connect("open_manipulator_x", changes=[change]) as arm, Viewer(arm) as viewer:
        folders = viewer.server.gui._container_handle_from_uuid.values()
        handles = [handle for folder in folders for handle in folder._children.values()]
        texts = [getattr(handle, "content", "") for handle in handles]
        assert any("path &#x27;extra&#x27; of the scene is not a table" in text for text in texts)
        assert not panels_of(viewer, PathsPanel)


def test_a_scene_without_paths_gets_none():
    with mecano.connect("open_manipulator_x") as arm, Viewer(arm) as viewer:
        assert not panels_of(viewer, PathsPanel)


# --- the way driven


@pytest.fixture
def walker():
    """A stand-in for a robot whose base a test puts where it likes: trail, and a way to move it."""
    world = SimpleNamespace(
        data=SimpleNamespace(xpos=np.zeros((1, 3))), index=lambda kind, name: 0
    )  # fmt: skip
    base = SimpleNamespace(facts=SimpleNamespace(frame="base_footprint"))
    robot = SimpleNamespace(name="walker", world=world, base=base, parts={"base"}, time=0.0)
    trail = Trail(robot)  # type: ignore[arg-type]

    def go(now: float, x: float) -> None:
        world.data.xpos[0, 0] = x
        trail.note(now)

    return trail, go


def test_a_trail_is_of_the_last_minute(walker):
    trail, go = walker
    for tick in range(30_000):
        go(0.01 * tick, 0.01 * tick)
    points = trail.points()
    assert 500 <= len(points) <= TRAIL_POINTS
    assert points[0, 0] == pytest.approx(299.99 - 60.0, abs=0.2)
    assert points[-1, 0] == pytest.approx(299.99, abs=0.2)
    assert (np.diff(points[:, 0]) > 0.0).all()


def test_a_trail_never_has_more_points_than_it_may(walker):
    trail, go = walker
    for tick in range(5 * TRAIL_POINTS):
        go(0.1 * tick, 0.1 * tick)
        assert len(trail.points()) <= TRAIL_POINTS
    np.testing.assert_allclose(np.diff(trail.points()[:, 0]), 0.1, atol=0.11)


def test_who_stands_adds_no_points(walker):
    trail, go = walker
    for tick in range(1000):
        go(0.01 * tick, 0.001 * (tick % 3))
    assert len(trail.points()) == 1


def test_who_stands_for_a_minute_has_no_trail(walker):
    trail, go = walker
    for tick in range(8000):
        go(0.01 * tick, min(0.01 * tick, 5.0))
    assert len(trail.points()) == 0


def test_a_trail_begins_anew_when_time_goes_back(walker):
    trail, go = walker
    for tick in range(1000):
        go(0.01 * tick, 0.01 * tick)
    go(0.0, 0.0)
    np.testing.assert_array_equal(trail.points(), [[0.0, 0.0, 0.0]])


def test_points_handed_out_stay_what_they_were(walker):
    trail, go = walker
    go(0.0, 1.0)
    before = trail.points()
    for tick in range(2000):
        go(0.1 * tick, 1.0 + tick)
    np.testing.assert_array_equal(before, [[1.0, 0.0, 0.0]])


def test_the_way_driven_is_where_the_base_really_was(living):
    robot, viewer, page = living
    panel, pad = panel_of(viewer, TrailPanel), panel_of(viewer, BasePanel)
    assert not panel.line.visible
    drive_until(page, pad._ways, "strafe left", lambda: robot.base.pose.y > 0.4)
    page.set(pad._ways, "stop")
    eventually(lambda: robot.base.at_rest())
    eventually(lambda: panel.line.visible)
    place = robot.truth.base_pose()
    eventually(lambda: abs(panel.line.points[-1, 1, 0] - place.x) < 0.01)
    np.testing.assert_allclose(panel.line.points[0, 0], [1.5, 4.0, 0.008], atol=1e-3)
    np.testing.assert_allclose(panel.line.points[..., 1], 4.0, atol=0.01)


def test_what_was_driven_before_the_page_came_is_seen(robot, viewer, open_page):
    robot.session.pace.speed = inf
    robot.base.drive_for(1.0, 0.3)
    open_page(viewer)
    panel = panel_of(viewer, TrailPanel)
    eventually(lambda: panel.line.visible and np.ptp(panel.line.points[..., 1]) > 0.2)


def test_reset_clears_the_way_driven(living):
    robot, viewer, page = living
    panel, pad = panel_of(viewer, TrailPanel), panel_of(viewer, BasePanel)
    page.set(pad._ways, "forward")
    eventually(lambda: panel.line.visible)
    page.set(pad._ways, "stop")
    eventually(lambda: robot.base.at_rest())
    reset = next(h for h in viewer.desk.inputs if getattr(h, "options", None) == ("reset",))
    page.set(reset, "reset")
    eventually(lambda: not panel.line.visible)
    assert len(viewer.sampler.newest.bases[robot.name].trail) == 1


@pytest.mark.slow
def test_the_way_driven_can_be_hidden(living):
    robot, viewer, page = living
    panel, pad = panel_of(viewer, TrailPanel), panel_of(viewer, BasePanel)
    page.set(pad._ways, "forward")
    eventually(lambda: panel.line.visible)
    page.set(panel._shown, False)
    eventually(lambda: not panel.line.visible)
    before = robot.base.pose.x
    drive_until(page, pad._ways, "forward", lambda: robot.base.pose.x > before + 0.2)
    assert not panel.line.visible
    page.set(panel._shown, True)
    eventually(lambda: panel.line.visible)


def test_an_arm_without_a_base_has_no_way():
    with mecano.connect("open_manipulator_x") as arm, Viewer(arm) as viewer:
        assert not panels_of(viewer, TrailPanel)


# --- looking changes nothing


def drive(*, watched: bool) -> str:
    """Drive with noise on all sensors, in view of a page or not; return the state's hash."""
    with mecano.connect("youbot", scene="transport", seed=3, noise=True) as robot:
        if not watched:
            robot.base.drive_for(1.0, 0.2, 0.4, left=0.1)
            return robot.state_hash()
        with Viewer(robot) as viewer, ThinPage(viewer.server.get_port()) as page:
            eventually(viewer.is_watched)
            assert robot.session.pace is not None
            robot.session.pace.speed = 5.0
            robot.base.drive_for(1.0, 0.2, 0.4, left=0.1)
            eventually(lambda: viewer._drawn is not None and viewer._drawn.time == robot.time)
            eventually(lambda: panel_of(viewer, TrailPanel).line.visible)
            assert page.bytes_read > 0 and viewer._thread.is_alive()
            return robot.state_hash()


def test_a_drive_is_the_same_watched_and_alone():
    assert drive(watched=True) == drive(watched=False)
