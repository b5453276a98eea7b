"""From where a robot can be seen."""

import numpy as np
import pytest

import mecano
from mecano.world.mirror import Mirror
from mecano.world.sight import hidden_share, seen_from
from mecano.world.views import outline

ASIDE = np.array([1.0, -0.8, 0.6])
"""From the robot to where an eye is wanted [m]; on the wall that is behind it."""


@pytest.fixture(scope="module", params=["empty", "wall", "ceiling"])
def shown(request):
    with mecano.connect("romerin", scene=request.param) as robot:
        mirror = Mirror(robot.world.model)
        mirror.show(robot.world.state())
    return request.param, mirror, outline(mirror)


def test_no_wall_is_between_eye_and_robot(shown):
    _, mirror, points = shown
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    assert hidden_share(mirror, middle + seen_from(mirror, ASIDE, points), points) < 0.5


def test_where_nothing_is_in_the_way_the_wanted_side_is_taken(shown):
    scene, mirror, points = shown
    taken = np.array_equal(seen_from(mirror, ASIDE, points), ASIDE)
    assert taken == (scene == "empty")
