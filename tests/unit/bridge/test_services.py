"""Services of a robot: a request, an answer."""

import pytest

import mecano
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import OccupancyGrid, Twist
from mecano.core.poses import Pose2
from mecano.robots import get
from mecano.topics.services import SET_BOOL, TYPES, Answer, services_of


@pytest.fixture
def robot():
    with mecano.connect("madar", scene="laboratory", variant="base") as robot:
        yield robot


@pytest.fixture
def hub(robot):
    with mecano.TopicHub(robot) as hub:
        yield hub


def test_every_service_has_a_known_type_and_an_answer(hub):
    for service in hub.services.values():
        assert service.type_name in TYPES
        assert callable(hub._handlers[service.name])


def test_robots_have_services_for_what_they_have():
    names = {service.name for service in services_of(get("crumb"))}
    assert "/dynamic_map" in names and not any("scan" in name for name in names)
    assert {service.name for service in services_of(get("open_manipulator_x"))} == {
        "/stop", "/simulation/reset",
    }  # fmt: skip


def test_stop_ends_a_drive(robot, hub):
    hub.publish("/cmd_vel", Twist.planar(0.1, 0.0, 0.0))
    robot.wait(0.2)
    assert not robot.base.at_rest()
    assert hub.call("/stop") == Answer(True, "all motions end and hold")
    robot.wait(0.2)
    assert robot.base.at_rest()


def test_a_lidar_is_switched_off_and_on(robot, hub):
    assert hub.call("/scan_tim_left/enable", False) == (True, "LIDAR left is off")
    assert not robot.lidars["left"].enabled
    assert hub.call("/scan_tim_left/enable", True).success and robot.lidars["left"].enabled


def test_maps_are_asked_for(robot, hub):
    with pytest.raises(InvalidInput, match=r"robot\.start_mapping"):
        hub.call("/dynamic_map")
    with robot.start_mapping() as mapping:
        robot.wait(1.0)
        grid = hub.call("/dynamic_map")
        assert isinstance(grid, OccupancyGrid) and (grid.data == 100).sum() > 50
        mapping.finish()
    with robot.start_localization(grid, start=Pose2()) as found:
        assert hub.call("/static_map") is grid
        robot.wait(0.5)
        sure = found.estimate.spread
        hub.call("/global_localization")
        everywhere = found.filter._tracked.poses
        assert len(everywhere) > len(found.estimate.particles) and sure < 1.0


def test_the_world_goes_back_to_its_beginning(robot, hub):
    before = robot.truth.state_hash()
    robot.base.drive(0.1, 0.0)
    robot.wait(0.5)
    hub.call("/simulation/reset")
    assert robot.time == 0.0 and robot.truth.state_hash() == before


def test_a_service_of_ones_own(hub):
    heard = []

    def dance(on: bool) -> Answer:
        heard.append(on)
        return Answer(not on, "only at night")

    hub.offer("/dance", dance, type_name=SET_BOOL)
    assert hub.call("/dance", True) == (False, "only at night")
    assert heard == [True]


def test_what_fails_is_an_answer_where_the_type_has_one(hub):
    def fail(_: None) -> Answer:
        raise InvalidInput("the door is shut")

    hub.offer("/open", fail)
    assert hub.call("/open") == (False, "the door is shut")


def test_wrong_calls_are_refused(robot, hub):
    with pytest.raises(UnknownName, match="/stop"):
        hub.call("/stopp")
    with pytest.raises(InvalidInput, match="takes a bool, got 1"):
        hub.call("/scan_tim_left/enable", 1)
    with pytest.raises(InvalidInput, match="takes nothing"):
        hub.call("/stop", True)
    with pytest.raises(InvalidInput, match="is taken"):
        hub.offer("/stop", print)
    with pytest.raises(InvalidInput, match="slash"):
        hub.offer("stop", print)
    with pytest.raises(InvalidInput, match="function"):
        hub.offer("/mine", None)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="Trigger"):
        hub.offer("/mine", print, type_name="std_srvs/srv/Triger")
    hub.offer("/mine", lambda _: "yes")
    with pytest.raises(InvalidInput, match="returned 'yes', expected Answer"):
        hub.call("/mine")
    hub.close()
    with pytest.raises(InvalidInput, match="closed"):
        hub.call("/stop")
