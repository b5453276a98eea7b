"""What a sensor saw stays known where it cannot see, and goes where it sees through."""

from math import inf, nan

import numpy as np
import pytest

from mecano.core.poses import Pose2
from mecano.planning.navigation.footprint import Footprint
from mecano.skills.obstacle_memory import ObstacleMemory, SensorFacts, Sighting

OUTLINE = Footprint.circle(0.2).corners
BEARINGS = np.radians(np.arange(-30.0, 31.0))
CAMERA = SensorFacts(name="camera", margin=0.05, clears_from=0.5, width=0.02)


def sighting(ranges, stamp=0.0) -> Sighting:
    """Return a reading of all beams; a number is one for all."""
    return Sighting(
        stamp=stamp, origin=np.zeros(2), bearings=BEARINGS,
        ranges=np.broadcast_to(np.asarray(ranges, float), BEARINGS.shape).copy(),
    )  # fmt: skip


@pytest.fixture
def memory() -> ObstacleMemory:
    """A camera that has just seen a wall 1 m ahead."""
    memory = ObstacleMemory(CAMERA)
    memory.observe(sighting(1.0), Pose2(), OUTLINE)
    return memory


def test_what_is_seen_is_known_in_the_frame_of_odometry():
    memory = ObstacleMemory(CAMERA)
    memory.observe(sighting(1.0), Pose2(3.0, 1.0, np.pi / 2), OUTLINE)
    assert memory.points.min(axis=0)[0] == pytest.approx(2.5, abs=0.01)
    assert memory.points.max(axis=0)[1] == pytest.approx(2.0, abs=1e-9)


def test_the_same_reading_again_adds_nothing(memory):
    memory.observe(sighting(1.0, 0.1), Pose2(), OUTLINE)
    assert len(memory.points) == len(BEARINGS)


def test_what_was_seen_through_is_gone(memory):
    memory.observe(sighting(2.0, 0.1), Pose2(), OUTLINE)
    assert np.hypot(*memory.points.T).min() == pytest.approx(2.0)


def test_what_hides_behind_something_else_stays(memory):
    memory.observe(sighting(0.7, 0.1), Pose2(), OUTLINE)
    far = np.hypot(*memory.points.T)
    assert {round(each, 1) for each in far} == {0.7, 1.0}


@pytest.mark.parametrize("reading", [nan, inf, 3.0])
def test_the_blind_spot_stays_full(memory, reading):
    """The base comes so near that the camera sees the wall no longer."""
    near = Pose2(0.6, 0.0, 0.0)
    memory.observe(sighting(reading, 60.0), near, OUTLINE)
    local = near.inverse().transform_points(memory.points)
    assert np.hypot(*local.T).min() < 0.5


def test_what_is_aside_of_the_view_stays(memory):
    memory.observe(sighting(inf, 60.0), Pose2(0.0, 0.0, np.pi / 2), OUTLINE)
    assert len(memory.points) > 40


def test_a_sensor_that_sees_all_around_forgets_what_it_sees_no_more():
    lidar = SensorFacts(name="LIDAR", margin=0.05, clears_from=0.05, width=0.02, keeps=2.0)
    memory = ObstacleMemory(lidar)
    memory.observe(sighting(1.0), Pose2(), OUTLINE)
    for stamp, known in ((1.0, True), (3.0, False)):
        memory.observe(sighting(inf, stamp), Pose2(0.0, 0.0, np.pi), OUTLINE)
        assert bool(len(memory.points)) is known


def test_a_place_in_view_that_gives_no_reading_is_believed_for_a_while(memory):
    memory.observe(sighting(nan, 1.0), Pose2(), OUTLINE)
    assert len(memory.points)
    memory.observe(sighting(nan, 5.0), Pose2(), OUTLINE)
    assert not len(memory.points)


def test_its_own_body_is_no_obstacle():
    memory = ObstacleMemory(CAMERA)
    memory.observe(sighting(0.15), Pose2(), OUTLINE)
    assert not len(memory.points)


def test_far_points_are_forgotten(memory):
    memory.observe(sighting(inf, 1.0), Pose2(-5.0, 0.0, np.pi), OUTLINE)
    assert not len(memory.points)


def test_a_new_frame_of_odometry_moves_all(memory):
    memory.moved(Pose2(), Pose2(1.0, 0.0, 0.0))
    assert memory.points[:, 0].max() == pytest.approx(2.0)
