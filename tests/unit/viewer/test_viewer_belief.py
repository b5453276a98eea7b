"""What a robot believes, drawn into the page: in the right place, and only what there is."""

import numpy as np
import pytest
from viewer_helpers import ThinPage, eventually, panel_of

import mecano
from mecano.core.belief import Belief
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.viewer.belief import BeliefLayer, chain, picture, strokes
from mecano.viewer.map_page import MapPage
from mecano.viewer.panels.belief import BeliefPanel
from mecano.viewer.sampling import Sampler
from mecano.viewer.server import close_server, open_server
from mecano.viewer.viewer import Viewer


def grid_of(rows, **more) -> OccupancyGrid:
    return OccupancyGrid(
        stamp=0.0, frame="map", resolution=0.5, data=np.array(rows, np.int8), **more
    )


BELIEF = Belief(
    stamp=1.0,
    pose=Pose2(1.0, 2.0, np.pi / 2),
    text="3 scans, 1 loop closed",
    grid=grid_of([[0, 100, -1], [0, 0, 50]], origin=Pose2(2.0, 4.0)),
    scan=np.array([[1.0, 1.0], [2.0, 2.0]]),
    path=np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]]),
    loops=np.array([[[0.0, 0.0], [1.0, 2.0]]]),
    particles=np.array([[1.0, 2.0, 0.0], [1.0, 2.0, np.pi]]),
)


@pytest.fixture
def server():
    """A server that nobody looks at."""
    opened = open_server()
    yield opened
    close_server(opened)


def test_walls_are_dark_floor_is_light_and_the_unseen_is_not_drawn():
    assert BELIEF.grid is not None
    image = picture(BELIEF.grid)
    assert image.shape == (2, 3, 4)
    top, bottom = image  # the first row of a picture is the last one of a map
    assert bottom[1, :3].sum() < bottom[0, :3].sum()
    assert bottom[1, 3] == 255 and bottom[2, 3] == 0 and 0 < bottom[0, 3] < 255
    assert top[0, 3] == bottom[0, 3] < top[2, 3] < 255


def test_lines_join_the_points_of_a_way():
    assert chain(BELIEF.path).tolist() == [[[0, 0], [1, 0]], [[1, 0], [1, 2]]]
    assert chain(np.empty((0, 2))).shape == (0, 2, 2) and chain(np.ones((1, 2))).shape == (0, 2, 2)


def test_strokes_point_along_the_headings_and_are_not_too_many():
    first, second = strokes(BELIEF.particles)
    assert first[1, 0] > first[0, 0] and second[1, 0] < second[0, 0]
    assert len(strokes(np.zeros((5001, 3)))) <= 1000
    assert strokes(np.empty((0, 3))).shape == (0, 2, 2)


def test_a_map_lies_where_its_origin_says(server):
    layer = BeliefLayer(server, "robot")
    layer.place(Pose2(10.0, 0.0, np.pi / 2))
    layer.draw(BELIEF)
    assert layer.frame.position == pytest.approx([10.0, 0.0, 0.0])
    assert layer._image is not None
    assert layer._image.position[:2] == pytest.approx([2.75, 4.5])  # its middle
    assert layer._points.visible and layer._lines["loops"].visible


def test_the_same_map_is_sent_once(server):
    layer = BeliefLayer(server, "robot")
    layer.draw(BELIEF)
    image = layer._image
    layer.draw(BELIEF)
    assert layer._image is image


def test_what_is_switched_off_or_gone_is_not_drawn(server):
    layer = BeliefLayer(server, "robot")
    layer.draw(BELIEF)
    layer.shown["scan"] = layer.shown["map"] = False
    layer.draw(BELIEF)
    assert layer._image is not None
    assert not layer._points.visible and not layer._image.visible and layer._lines["way"].visible
    layer.draw(None)
    assert not any(each.visible for each in layer._lines.values())


def test_a_page_without_a_world_shows_a_belief_to_who_opens_it():
    with MapPage("a log") as page:
        assert not page.is_due()  # nobody looks
        page.show(BELIEF)
        visitor = ThinPage(page.server.get_port())
        eventually(lambda: visitor.bytes_read > 1000 and page.is_due())
        assert page._layer._image is not None


class Believing:
    """An estimator that always believes the same."""

    def belief(self) -> Belief:
        return BELIEF


def test_a_robot_that_estimates_gets_a_panel_of_what_it_believes():
    with mecano.connect("crumb", noise=False) as robot:
        sampler = Sampler({robot.name: robot}, lambda: True)
        assert sampler.take().beliefs == {}
        with Viewer(robot) as view:
            panel = panel_of(view, BeliefPanel)
            panel.update(view.sampler.take())
            assert not panel._folder.visible
            robot.estimator = Believing()
            view.sampler._asked = -np.inf
            panel.update(view.sampler.take())
            assert panel._folder.visible and "1 loop closed" in panel._text.content
            assert panel.layer._points.visible
