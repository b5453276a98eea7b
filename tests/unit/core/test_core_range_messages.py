"""Range messages: beams fill the angles, only valid returns become points."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core import InvalidInput, LaserScan, PointCloud, Range, UnknownName


def scan(ranges, *, angle_min=-1.0, angle_increment=0.1, **others) -> LaserScan:
    numbers = {
        "angle_min": angle_min,
        "angle_max": angle_min + (len(ranges) - 1) * angle_increment,
        "angle_increment": angle_increment,
        "range_min": 0.1,
        "range_max": 5.0,
        "ranges": np.array(ranges),
    }
    return LaserScan(**{**numbers, **others})


readings = st.one_of(st.floats(0.0, 10.0), st.sampled_from([math.inf, -math.inf, math.nan]))


@given(st.lists(readings, min_size=1, max_size=30), st.sampled_from([0.1, -0.05]))
def test_points_have_the_range_and_direction_of_their_beams(ranges, increment):
    sweep = scan(ranges, angle_increment=increment)
    points = sweep.points()
    np.testing.assert_allclose(np.hypot(*points.T), sweep.ranges[sweep.valid], atol=1e-12)
    directions = np.arctan2(points[:, 1], points[:, 0])
    np.testing.assert_allclose(directions, sweep.angles[sweep.valid], atol=1e-12)


@given(st.lists(readings, min_size=1, max_size=30))
def test_only_readings_within_the_limits_are_valid(ranges):
    expected = [math.isfinite(r) and 0.1 <= r <= 5.0 for r in ranges]
    assert scan(ranges).valid.tolist() == expected


@given(st.integers(1, 2000))
def test_last_angle_is_angle_max(beams):
    sweep = scan(np.ones(beams), angle_increment=2.0 / beams)
    assert sweep.angles[-1] == pytest.approx(sweep.angle_max, abs=1e-12)


def test_beam_straight_ahead_lies_on_x():
    np.testing.assert_array_equal(scan([2.0], angle_min=0.0).points(), [[2.0, 0.0]])


@pytest.mark.parametrize("extra", [-1, 1])
def test_one_beam_more_or_less_is_tolerated(extra):
    assert len(scan(np.ones(100 + extra), angle_max=-1.0 + 99 * 0.1).angles) == 100 + extra


@pytest.mark.parametrize("extra", [-100, -2, 2])
def test_more_than_one_beam_off_is_refused_with_the_numbers(extra):
    with pytest.raises(InvalidInput, match=f"{100 + extra} ranges"):
        scan(np.ones(100 + extra), angle_max=-1.0 + 99 * 0.1)


def test_intensities_must_match_the_ranges():
    with pytest.raises(InvalidInput, match="2 intensities for 3 ranges"):
        scan([1.0, 1.0, 1.0], intensities=np.ones(2))


@pytest.mark.parametrize(
    "broken",
    [
        {"angle_min": math.nan},
        {"angle_increment": math.inf},
        {"range_max": 0.05},
        {"range_min": -1.0},
        {"scan_time": -0.1},
    ],
)
def test_broken_scan_is_refused(broken):
    with pytest.raises(InvalidInput):
        scan([1.0, 1.0, 1.0], **broken)


@pytest.mark.parametrize("ranges", [[[1.0, 1.0]], [], ["far"]])
def test_ranges_that_are_no_row_of_numbers_are_refused(ranges):
    with pytest.raises(InvalidInput):
        scan(ranges)


def ranger(**changed) -> Range:
    numbers = {
        "radiation_type": "infrared",
        "field_of_view": 0.1,
        "min_range": 0.1,
        "max_range": 0.8,
        "range": 0.5,
    }
    return Range(**{**numbers, **changed})


@pytest.mark.parametrize(
    ("distance", "valid"), [(0.5, True), (math.inf, False), (-math.inf, False), (0.05, False)]
)
def test_range_is_valid_within_its_limits(distance, valid):
    assert ranger(range=distance).valid is valid


def test_limits_of_a_ranger_must_be_in_order():
    with pytest.raises(InvalidInput, match="max_range"):
        ranger(max_range=0.05)


def test_unknown_radiation_lists_the_known_ones():
    with pytest.raises(UnknownName, match="ultrasound, infrared"):
        ranger(radiation_type="laser")


def test_cloud_takes_one_colour_per_point():
    cloud = PointCloud(points=np.zeros((2, 3)), colours=np.full((2, 3), 255, dtype=np.uint8))
    assert cloud.colours is not None
    assert cloud.colours.dtype == np.uint8


@pytest.mark.parametrize(
    ("points", "colours"),
    [
        (np.zeros((2, 3)), np.zeros((3, 3), dtype=np.uint8)),
        (np.zeros((2, 3)), np.full((2, 3), 300)),
        (np.zeros((2, 3)), np.full((2, 3), 0.5)),
        (np.zeros((2, 2)), None),
        (np.full((2, 3), math.nan), None),
    ],
    ids=["other number", "over 255", "fractions", "flat", "NaN"],
)
def test_broken_cloud_is_refused(points, colours):
    with pytest.raises(InvalidInput):
        PointCloud(points=points, colours=colours)
