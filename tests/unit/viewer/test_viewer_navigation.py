"""Navigation in the page: costmap, plan, trajectory, footprint and the state in words."""

import numpy as np
import pytest
from viewer_helpers import panel_of

import mecano
from mecano.core.messages import NavigationStatus, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.viewer.navigation import NavigationLayer, picture
from mecano.viewer.panels.navigation import NavigationPanel, in_words
from mecano.viewer.samples import NavigationSample
from mecano.viewer.sampling import Sampler
from mecano.viewer.server import close_server, open_server
from mecano.viewer.viewer import Viewer


def room() -> OccupancyGrid:
    cells = np.zeros((80, 80), np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = 100
    return OccupancyGrid(resolution=0.05, origin=Pose2(-2.0, -2.0), data=cells)


def sample(**changes) -> NavigationSample:
    status = NavigationStatus(
        stamp=1.0, frame="map", state="controlling", text="driving to (1.00, 0.00) m, 0.80 m left",
        recoveries=0, goal=Pose2(1.0, 0.0), pose=Pose2(0.2, 0.0), speed_limit=-1.0,
        position_error=0.02,
    )  # fmt: skip
    given = {
        "status": status, "plan": np.array([[0.2, 0.0], [1.0, 0.0]]),
        "trajectory": np.array([[0.2, 0.0], [0.5, 0.0]]),
        "footprint": np.array([[0.4, 0.2], [0.0, 0.2], [0.0, -0.2], [0.4, 0.2]]),
        "cost": np.array([[0, 100], [253, 254]], np.uint8), "resolution": 0.5,
        "corner": (2.0, 4.0), "origin": Pose2(),
    }  # fmt: skip
    return NavigationSample(**(given | changes))


@pytest.fixture
def layer():
    server = open_server()
    yield NavigationLayer(server, "robot")
    close_server(server)


def test_free_and_unknown_cells_are_not_drawn_and_costs_grow_towards_obstacles():
    top, bottom = picture(np.array([[0, 255, 50], [100, 253, 254]], np.uint8))
    assert bottom[0, 3] == bottom[1, 3] == 0 < bottom[2, 3]
    assert bottom[2, 3] < top[0, 3] < top[1, 3] < top[2, 3]


def test_the_costmap_lies_where_its_cells_are_and_all_lines_are_shown(layer):
    layer.draw(sample())
    assert layer.image is not None and layer.image.visible
    assert tuple(layer.image.position[:2]) == pytest.approx((2.5, 4.5))
    assert all(line.visible for line in layer.lines.values())
    assert layer.lines["plan"].points[0, 1, :2] == pytest.approx((1.0, 0.0))


def test_what_is_switched_off_or_missing_is_hidden(layer):
    layer.shown["costmap"] = layer.shown["trajectory"] = False
    layer.draw(sample(plan=np.empty((0, 2))))
    assert layer.image is None
    assert not layer.lines["trajectory"].visible and not layer.lines["plan"].visible
    assert layer.lines["planning footprint"].visible
    layer.draw(None)
    assert not any(line.visible for line in layer.lines.values())


def test_an_unchanged_costmap_is_not_sent_again(layer):
    layer.draw(sample())
    first = layer.image
    layer.draw(sample(cost=sample().cost.copy()))
    assert layer.image is first


def test_the_state_is_said_with_recoveries_and_speed_limit():
    status = NavigationStatus(
        stamp=1.0, frame="map", state="recovering", text="recovery 2, clearing rotation",
        recoveries=2, speed_limit=0.12, position_error=0.03,
    )  # fmt: skip
    assert in_words(sample(status=status)) == (
        "recovering: recovery 2, clearing rotation; 2 recoveries; "
        "at most 0.12 m/s beside what moves; pose within 0.03 m"
    )


def test_a_robot_that_navigates_gets_a_panel_and_drives_as_without_one():
    hashes = []
    for watched in (False, True):
        with mecano.connect("madar_base", scene="empty") as robot:
            sampler = Sampler({robot.name: robot}, lambda: True)
            assert sampler.take().navigations == {}
            with robot.start_navigation(room(), talk=False) as nav:
                nav.go_to(Pose2(0.8, 0.3), wait=False)
                for _ in range(8):
                    robot.wait(0.25)
                    if watched:
                        sampler._asked_navigation = -np.inf
                        sampler.take()
                hashes.append(robot.state_hash())
                if watched:
                    taken = sampler.take().navigations[robot.name]
                    assert taken.status.state == "controlling" and taken.has_goal
                    assert taken.plan[-1] == pytest.approx((0.8, 0.3), abs=0.01)
                    assert len(taken.trajectory) > 1 and taken.cost.max() >= 254
    assert hashes[0] == hashes[1], "the view only reads"


def test_the_panel_comes_with_navigation_and_goes_with_it():
    with mecano.connect("madar_base", scene="empty") as robot, Viewer(robot) as view:
        panel = panel_of(view, NavigationPanel)
        panel.update(view.sampler.take())
        assert not panel.folder.visible
        with robot.start_navigation(room(), talk=False) as nav:
            nav.go_to(Pose2(0.8, 0.0), wait=False)
            robot.wait(0.5)
            view.sampler._asked_navigation = -np.inf
            panel.update(view.sampler.take())
            assert panel.folder.visible and "controlling" in panel.text.content
            assert panel.layer.lines["plan"].visible
        view.sampler._asked_navigation = -np.inf
        panel.update(view.sampler.take())
        assert not panel.folder.visible and not panel.layer.lines["plan"].visible
