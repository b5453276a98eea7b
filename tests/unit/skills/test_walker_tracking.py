"""Walkers: tracked from scan to scan, and kept out of their path."""

from math import cos, inf, pi, sin

import numpy as np
import pytest

from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import VelocityLimits
from mecano.planning.navigation.costmap import make_costmap
from mecano.planning.navigation.footprint import Footprint
from mecano.skills.navigation.evading import CLEAR, WALKER, Evading
from mecano.skills.navigation.tracking import Tracks, nearest_approach

LIMITS = VelocityLimits(
    max_vel_x=0.3, min_vel_x=-0.3, max_vel_y=0.3, acc_lim_x=0.5, acc_lim_y=0.5, decel_lim_x=0.5
)
STANDS = (0.0, 0.0, 0.0)


def front(x: float, y: float, rng: np.random.Generator | None = None) -> np.ndarray:
    """Return readings of the front of a person of 0.22 m, seen from the origin."""
    away = np.arctan2(y, x)
    angles = away + pi + np.linspace(-1.2, 1.2, 9)
    points = np.column_stack([x + 0.22 * np.cos(angles), y + 0.22 * np.sin(angles)])
    return points if rng is None else points + rng.normal(0.0, 0.02, points.shape)


@pytest.mark.parametrize("heading", [0.3, 2.0, -2.5])
def test_the_velocity_of_a_walker_is_found(heading):
    tracks, rng, place = Tracks(), np.random.default_rng(1), (2.0, 1.0)
    for step in range(15):
        t = step / 15.0
        place = 2.0 + 1.2 * t * cos(heading), 1.0 + 1.2 * t * sin(heading)
        tracks.observe(front(*place, rng), np.zeros(2), t)
    ((where, walks),) = tracks.walking(14 / 15.0, 0.3)
    assert np.hypot(*walks) == pytest.approx(1.2, abs=0.15)
    assert np.arctan2(walks[1], walks[0]) == pytest.approx(heading, abs=0.15)
    assert where == pytest.approx(place, abs=0.12)


def test_what_stands_does_not_walk_even_if_its_readings_are_noisy():
    tracks, rng = Tracks(), np.random.default_rng(2)
    for step in range(60):
        tracks.observe(front(1.5, 0.5, rng), np.zeros(2), step / 15.0)
        assert tracks.walking(step / 15.0, 0.0) == []


def test_two_walkers_are_two_tracks_and_one_that_is_gone_is_forgotten():
    tracks = Tracks()
    for step in range(12):
        t = step / 15.0
        both = np.vstack([front(2.0 - t, 1.0), front(-1.0, -2.0 + t)])
        tracks.observe(both, np.zeros(2), t)
    assert len(tracks.walking(0.75, 0.0)) == 2
    tracks.observe(np.zeros((0, 2)), np.zeros(2), 3.0)
    assert tracks.tracks == []


def test_nearest_approach_of_two_that_keep_their_velocities():
    far = nearest_approach(np.zeros(2), np.zeros(2), np.array([3.0, 0.4]), np.array([-1.0, 0]), 9.0)
    assert far == pytest.approx(0.4)
    far = nearest_approach(np.zeros(2), np.zeros(2), np.array([3.0, 0.0]), np.array([-1.0, 0]), 2.0)
    assert far == pytest.approx(1.0), "no further ahead than the horizon"
    away = nearest_approach(np.zeros(2), np.zeros(2), np.array([1.0, 0]), np.array([1.0, 0]), 9.0)
    assert away == pytest.approx(1.0), "who walks away does not come nearer"


def floor(*blocked: tuple[slice, slice]):
    """Return 6 x 6 m around the origin."""
    lethal = np.zeros((120, 120), bool)
    for cells in blocked:
        lethal[cells] = True
    return make_costmap(lethal, Footprint.circle(0.4), resolution=0.05, origin=(-3.0, -3.0))


def met(walker: tuple[float, float], walks: tuple[float, float], around, limits=LIMITS):
    """Return twist and text of a base at the origin that is to stand."""
    evading = Evading(limits, 0.4)
    walkers = [(np.array(walker), np.array(walks))]
    return evading.twist(STANDS, Pose2(), STANDS, walkers, around), evading.text


def test_a_standing_base_steps_aside_for_who_walks_straight_at_it():
    (_vx, vy, wz), text = met((3.5, 0.1), (-1.2, 0.0), floor())
    assert abs(vy) == pytest.approx(0.3, abs=0.01) and wz == 0.0
    assert vy < 0.0, "away from the side on which the person walks"
    assert "leaving" in text


def test_it_stands_for_who_walks_by():
    twist, text = met((3.5, 0.4 + WALKER + CLEAR + 0.05), (-1.2, 0.0), floor())
    assert twist == STANDS and text == ""


def test_it_does_not_step_into_a_wall():
    below = floor((slice(0, 50), slice(0, 120)))  # a wall 0.5 m below the middle of the base
    (_, vy, _), _ = met((3.5, 0.05), (-1.2, 0.0), below)
    assert vy > 0.0, "the other side is further from the path, and free"


def test_it_stands_where_there_is_no_way_out():
    both = floor((slice(0, 50), slice(0, 120)), (slice(70, 120), slice(0, 120)))
    twist, text = met((1.2, 0.0), (-1.2, 0.0), both)
    assert twist == STANDS and "standing" in text


def test_a_base_that_cannot_strafe_does_not_evade():
    limits = VelocityLimits(max_vel_x=0.5, acc_lim_x=1.0, decel_lim_x=inf)
    assert met((3.5, 0.1), (-1.2, 0.0), floor(), limits)[0] == STANDS


@pytest.mark.parametrize("far", [0.7, 0.9, 1.2, 1.6, 2.5])
def test_who_turns_towards_an_evading_base_finds_it_standing(far):
    """It never evades faster than it can brake before a walker at 1.2 m/s gets to it."""
    (vx, vy, _), _ = met((far, 0.1), (-1.2, 0.0), floor())
    gap = far - 0.4 - WALKER
    assert np.hypot(vx, vy) / 0.5 <= max(gap, 0.0) / 1.2
