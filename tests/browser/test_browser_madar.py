"""A robot with two arms in the browser: both panels, and a slider that moves."""

import pytest
from browser_helpers import eventually
from playwright.sync_api import expect

import mecano
from mecano.viewer.viewer import Viewer


@pytest.fixture
def person(new_person):
    one = new_person()
    yield one
    one.page.close()
    assert one.errors == []


def test_both_arms_have_panels_and_a_slider_moves_its_arm(person):
    with mecano.connect("madar", scene="carry") as robot, Viewer(robot) as viewer:
        robot.session.start_background()
        assert robot.session.pace is not None
        robot.session.pace.pause()  # a browser that has less to draw answers sooner
        person.visit(viewer.url, sees="wrist_3 [rad]")
        for title in ("Arm, right", "Arm, left", "Hand, right", "Hand, left"):
            expect(person.page.get_by_text(title, exact=True).first).to_be_visible()
        assert person.page.get_by_text("wrist_3 [rad]").locator("visible=true").count() == 1
        before = robot.arms["left"].commanded.copy()
        person.fill("wrist_3 [rad]", -2.5)
        robot.session.pace.resume()
        eventually(lambda: abs(robot.arms["right"].position[5] + 2.5) < 0.01)
        assert (robot.arms["left"].commanded == before).all()
