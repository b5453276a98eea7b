"""The view of a robot on legs: walking, cups, rings."""

import numpy as np
import pytest
from viewer_helpers import eventually, panel_of

import mecano
from mecano.parts.cups import AGAIN
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording
from mecano.viewer.panels.cups import GREEN, GREY, RED, YELLOW, CupsPanel, colour_of
from mecano.viewer.panels.legs import LegsPanel
from mecano.viewer.panels.paths import TrailPanel
from mecano.viewer.panels.plots import PlotsPanel
from mecano.viewer.replay import Replay
from mecano.viewer.sampling import Sampler


@pytest.fixture
def robot():
    """ROMERIN on a wall, holding on."""
    with mecano.connect("romerin", scene="wall") as connected:
        connected.cups.attach()
        yield connected


# --- samples


def test_a_sample_has_what_legs_and_cups_read(robot):
    sample = Sampler({robot.name: robot}, lambda: True).take()
    legs, cups = sample.legs["romerin"], sample.cups["romerin"]
    np.testing.assert_array_equal(legs.real, robot.legs.position.ravel())
    np.testing.assert_array_equal(legs.target, robot.legs.commanded.ravel())
    assert cups.states == ("holding",) * 6
    np.testing.assert_array_equal(cups.margin, robot.cups.margins)


def test_a_sample_stays_what_it_was(robot):
    sample = Sampler({robot.name: robot}, lambda: True).take()
    target, pull = sample.legs["romerin"].target.copy(), sample.cups["romerin"].pull.copy()
    robot.legs.walk(time=0.5)
    np.testing.assert_array_equal(sample.legs["romerin"].target, target)
    np.testing.assert_array_equal(sample.cups["romerin"].pull, pull)


def test_sampling_changes_nothing_in_a_walk():
    hashes = []
    for watched in (False, True):
        with mecano.connect("romerin", scene="wall", noise=True, seed=2) as robot:
            if watched:
                sampler = Sampler({robot.name: robot}, lambda: True)
                robot.session.observers.append(lambda _, sampler=sampler: sampler.take())
            robot.cups.attach()
            robot.legs.walk(time=1.2)
            hashes.append(robot.state_hash())
    assert hashes[0] == hashes[1]


# --- in the page


def test_every_joint_of_the_legs_has_a_curve(viewer):
    names = panel_of(viewer, PlotsPanel).names
    assert len(names) == 18 and names[0] == "leg_1_joint_1 [rad]"


@pytest.mark.slow
def test_the_page_walks_and_stops(living):
    robot, viewer, page = living
    panel = panel_of(viewer, LegsPanel)
    page.set(panel._ways, "forward")
    eventually(lambda: robot.legs.walking is not None and robot.legs.walking.gone > 0.01)
    eventually(lambda: "tripod" in panel._text.content)
    page.set(panel._ways, "stop")
    eventually(lambda: robot.legs.walking.done)
    eventually(lambda: "stopped" in panel._text.content)
    assert viewer.touched == "walk" and robot.cups.holding.all()


def test_another_way_begins_when_all_feet_are_down(living):
    robot, viewer, page = living
    panel = panel_of(viewer, LegsPanel)
    page.set(panel._ways, "forward")
    first = eventually(lambda: robot.legs.walking)
    page.set(panel._ways, "turn left")
    eventually(lambda: robot.legs.walking is not first)
    assert first.done
    page.set(panel._ways, "stop")
    eventually(lambda: robot.legs.walking.done)


def test_gait_speed_and_height_hold_for_the_next_walk(living):
    robot, viewer, page = living
    panel = panel_of(viewer, LegsPanel)
    page.set(panel._gait, "wave")
    page.set(panel._speed, 50)
    page.set(panel._height, 115)
    eventually(lambda: panel.steering.height == pytest.approx(0.115))
    page.set(panel._ways, "forward")
    walk = eventually(lambda: robot.legs.walking)
    assert walk.gait.name == "wave"
    assert panel.steering.speed == pytest.approx(0.5 * walk.gait.speed)
    page.set(panel._ways, "stop")


def test_a_cup_is_switched_off_and_on(living):
    robot, viewer, page = living
    panel = panel_of(viewer, CupsPanel)
    page.set(panel._off, "2")
    eventually(lambda: not robot.cups.holding[1])
    eventually(lambda: tuple(panel.rings.colors[20, 0].tolist()) == GREY)
    page.set(panel._on, "2")
    eventually(lambda: robot.cups.holding[1])
    eventually(lambda: tuple(panel.rings.colors[20, 0].tolist()) != GREY)


def test_a_refused_release_is_explained(living):
    robot, viewer, page = living
    panel = panel_of(viewer, CupsPanel)
    with robot.session.lock:
        for cup in (0, 2, 4):
            robot.cups.drive.switch(cup, False)
    robot.wait(2.0 * AGAIN)  # before, the answer is that the loads are not known yet
    page.set(panel._off, "2")
    compiled = 120.0  # the first forecast of a fresh install compiles its kernels [s]
    eventually(lambda: "2 cups would be left" in panel._answer.content, seconds=compiled)
    assert robot.cups.holding[1]


def test_cups_can_be_made_unbreakable(living):
    robot, viewer, page = living
    page.set(panel_of(viewer, CupsPanel)._unbreakable, True)
    eventually(lambda: robot.cups.unbreakable)


def test_loads_and_margins_are_told(robot, viewer):
    panel = panel_of(viewer, CupsPanel)
    robot.wait(0.5)
    panel.update(viewer.sampler.take())
    assert f"{robot.cups[3].shear:.1f} N" in panel._text.content
    assert f"{100 * robot.cups[3].margin:.0f} %" in panel._text.content


def test_the_rings_are_where_the_cups_are(robot, viewer):
    panel = panel_of(viewer, CupsPanel)
    for number in range(6):
        site = robot.world.site_pose(f"romerin/cup_{number + 1}").position
        ring = panel.rings.points[20 * number : 20 * number + 20, 0]
        np.testing.assert_allclose(ring.mean(axis=0), site, atol=1e-3)


@pytest.mark.parametrize(
    ("state", "margin", "colour"),
    [
        ("holding", 0.9, GREEN),
        ("holding", 0.4, YELLOW),
        ("holding", 0.1, RED),
        ("off", 1.0, GREY),
        ("searching", 1.0, GREY),
        ("broken", 1.0, RED),
    ],
)
def test_the_colour_tells_the_margin(state, margin, colour):
    assert colour_of(state, margin) == colour


@pytest.mark.slow
def test_the_way_walked_is_drawn(robot, viewer):
    robot.legs.walk(0.03)
    panel = panel_of(viewer, TrailPanel)
    panel.update(viewer.sampler.take())
    assert panel.line.visible


# --- a recording


@pytest.mark.slow
def test_a_replay_tells_the_cups(robot, tmp_path, open_page):
    with Recorder(robot, tmp_path / "run"):
        robot.wait(0.1)
    with Replay(Recording.open(tmp_path / "run")) as replay:
        open_page(replay)
        eventually(lambda: "leg_6_joint_3" in replay._values.content)
        assert "left of its hold" in replay._values.content
        assert replay._thread.is_alive()
