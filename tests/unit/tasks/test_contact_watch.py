"""People who walk into a base, and who counts it."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput
from mecano.lab.people import Walk, add_walks, with_people
from mecano.tasks.contact_watch import ContactWatch


def meeting(y: float, seconds: float = 4.0) -> ContactWatch:
    """Let a person walk past a standing base, along a line this far beside its middle [m]."""
    with mecano.connect("madar_base", changes=[with_people([(2.0, y)])]) as robot:
        people = add_walks(robot, [Walk(points=((2.0, y), (-2.0, y)))])
        with ContactWatch(robot, people) as watch:
            robot.wait(seconds)
    return watch


def test_a_person_who_walks_into_a_standing_base_is_counted_once_with_names():
    watch = meeting(0.0)
    assert len({touch.robot for touch in watch.touches}) == len(watch.touches) >= 1
    touch = watch.touches[0]
    assert touch.other == "person_1" and touch.robot.startswith("madar_base/")
    assert touch.speed < 0.05 and not watch.moving
    assert watch.person_gap <= 0.0


def test_a_person_who_passes_is_no_contact_and_the_distance_is_that_of_the_shapes():
    near, far = meeting(0.8), meeting(1.0)
    assert not near.touches and not far.touches
    assert 0.0 < near.person_gap < 0.8 - 0.22
    assert far.person_gap - near.person_gap == pytest.approx(0.2, abs=0.01)
    assert near.gaps == [near.person_gap]


def test_a_person_walks_at_its_speed():
    with mecano.connect("madar_base", changes=[with_people([(-3.0, 2.0)])]) as robot:
        people = add_walks(robot, [Walk(points=((-3.0, 2.0), (3.0, 2.0)), begins=1.0)])
        robot.wait(0.9)
        np.testing.assert_allclose(people.positions()[0], (-3.0, 2.0), atol=1e-6)
        robot.wait(1.1)
        before = people.positions()[0][0]
        robot.wait(1.0)
        assert people.positions()[0][0] - before == pytest.approx(1.2, abs=0.02)


def test_more_walks_than_people_are_refused():
    walks = [Walk(points=((0.0, 0.0),))]
    refused = pytest.raises(InvalidInput, match="1 walks for 0 people")
    with mecano.connect("madar_base") as robot, refused:
        add_walks(robot, walks)
