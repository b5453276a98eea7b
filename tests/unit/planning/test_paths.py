"""Paths as curves: measured by arc length, smooth where they say so, the same from elsewhere."""

import math
import re
import tomllib
from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose, Pose2
from mecano.planning.path_tables import path_from_table
from mecano.planning.paths import PathCurve

ROUTES = {  # scenes.md 3.1: points [m], length [m]
    1: ([(1.5, 4), (1.5, 3), (0.8, 2.2), (-0.1246, 1.9), (-0.1246, 1.362)], 3.67),
    2: ([(-0.324, 1.362), (0.3, 0.9), (0.3, -1.0), (-0.6467, -1.9), (-0.6467, -2.5)], 4.75),
    3: ([(-0.9215, -2.5), (-0.2, -2.5), (1.0, -2.0), (1.5, -0.8), (1.5, 4.0)], 8.3),
}
SQUARE = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
HAND = [
    Pose.from_xyz_rpy((0.3, 0.0, 0.2), (0.0, 0.5, 0.0)),
    Pose.from_xyz_rpy((0.4, 0.2, 0.3), (0.0, 1.2, 0.4)),
    Pose.from_xyz_rpy((0.2, 0.3, 0.1), (0.3, 1.0, 1.5)),
    Pose.from_xyz_rpy((0.0, 0.3, 0.2), (0.3, 0.8, 2.5)),
]

coordinates = st.floats(-2.0, 2.0).map(lambda x: round(x, 3))
headings = st.floats(-pi, pi).map(lambda yaw: round(yaw, 6))


@st.composite
def zigzags(draw) -> list[Pose2]:
    """Points that advance, so that no spline turns back on itself."""
    ys = draw(st.lists(coordinates, min_size=2, max_size=6))
    return [Pose2(1.5 * i, y, draw(headings)) for i, y in enumerate(ys)]


poses = st.builds(Pose2, coordinates, coordinates, headings)
kinds = st.sampled_from(["polyline", "spline"])


def inner(path: PathCurve, count: int = 200) -> np.ndarray:
    return np.linspace(0.0, path.length, count + 2)[1:-1]


def heading(path: PathCurve, s) -> np.ndarray:
    orientation = path.at(s).orientation
    assert orientation is not None
    return orientation


def everything() -> list[PathCurve]:
    route = PathCurve.through(ROUTES[1][0])
    return [
        route,
        PathCurve.through(ROUTES[2][0], kind="polyline", heading=-pi / 2),
        PathCurve.through([Pose2(x, y, 2.0 * x) for x, y in SQUARE], closed=True),
        PathCurve.circle((1.0, 2.0), 0.5, start=1.0, sweep=-2.0),
        PathCurve.through(HAND),
        PathCurve.through(HAND, kind="polyline", closed=True),
        PathCurve.through([pose.position for pose in HAND]),
        PathCurve.circle(HAND[1], 0.2, quaternion=HAND[0].quaternion),
        route + PathCurve.through([(-0.1246, 1.362), (-1.0, 1.362)]),
    ]


def assert_same(a: PathCurve, b: PathCurve) -> None:
    assert a.length == pytest.approx(b.length, abs=1e-9)
    assert a.closed == b.closed
    one, two = a.at(inner(a)), b.at(inner(a))
    for name in ("position", "tangent", "bending", "turning"):
        left, right = getattr(one, name), getattr(two, name)
        assert (left is None) == (right is None)
        if left is not None:
            np.testing.assert_allclose(left, right, atol=1e-6)
    if one.orientation is not None and two.orientation is not None:
        turns = one.orientation - two.orientation
        if a.planar:
            np.testing.assert_allclose(np.sin(0.5 * turns), 0.0, atol=1e-8)
        else:
            dots = np.abs((one.orientation * two.orientation).sum(axis=-1))
            np.testing.assert_allclose(dots, 1.0, atol=1e-9)


# --- laws


@given(points=zigzags(), kind=kinds)
@settings(max_examples=25)
def test_a_path_goes_through_its_points_with_their_headings(points, kind):
    path = PathCurve.through(points, kind=kind)
    for s, point in zip(path.breaks, points, strict=True):
        assert path.at(s).pose.is_close(point, position_tolerance=1e-9, angle_tolerance=1e-9)


def test_a_path_in_space_goes_through_its_poses():
    for kind in ("polyline", "spline"):
        path = PathCurve.through(HAND, kind=kind)
        for s, pose in zip(path.breaks, HAND, strict=True):
            assert path.pose(s).is_close(pose, position_tolerance=1e-9, angle_tolerance=1e-7)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", everything())
def test_it_moves_one_metre_per_metre(path):
    s, h = inner(path), 1e-5
    s = s[np.abs(s[:, None] - path.breaks).min(axis=1) > 2 * h]
    slope = (path.at(s + h).position - path.at(s - h).position) / (2 * h)
    np.testing.assert_allclose(np.linalg.norm(slope, axis=1), 1.0, atol=1e-7)
    np.testing.assert_allclose(slope, path.at(s).tangent, atol=1e-7)


@pytest.mark.parametrize("path", everything())
def test_the_bending_is_the_slope_of_the_tangent(path):
    s, h = inner(path), 1e-5
    s = s[np.abs(s[:, None] - path.breaks).min(axis=1) > 2 * h]
    slope = (path.at(s + h).tangent - path.at(s - h).tangent) / (2 * h)
    np.testing.assert_allclose(slope, path.at(s).bending, atol=1e-5)


@pytest.mark.parametrize("path", [path for path in everything() if path.oriented])
def test_the_turning_is_the_slope_of_the_orientation(path):
    s, h = inner(path), 1e-5
    s = s[np.abs(s[:, None] - path.breaks).min(axis=1) > 2 * h]
    for place in s[::10]:
        before, after = path.pose(place - h), path.pose(place + h)
        turning = path.at(place).turning
        if path.planar:
            rate = math.remainder(after.yaw - before.yaw, math.tau) / (2 * h)
        else:
            body = (before.inverse() @ after).log()[3:] / (2 * h)
            rate = before.rotate_vectors(body)
        np.testing.assert_allclose(rate, turning, atol=1e-5)


@given(points=zigzags())
@settings(max_examples=25)
def test_a_spline_has_no_jump_in_tangent_and_curvature(points):
    path = PathCurve.through([(p.x, p.y) for p in points])
    h = 1e-9
    for s in path.breaks[1:-1]:
        before, after = path.at(s - h), path.at(s + h)
        np.testing.assert_allclose(before.tangent, after.tangent, atol=1e-6)
        np.testing.assert_allclose(before.bending, after.bending, atol=1e-5)
    assert path.kinks == ()


def test_a_closed_spline_is_smooth_where_it_closes():
    path = PathCurve.through(SQUARE, closed=True)
    start, end = path.at(0.0), path.at(path.length)
    np.testing.assert_allclose(start.position, end.position, atol=1e-12)
    np.testing.assert_allclose(start.tangent, end.tangent, atol=1e-12)
    np.testing.assert_allclose(start.bending, end.bending, atol=1e-9)
    assert path.kinks == ()


def test_the_rate_of_the_heading_has_no_jump_on_the_floor():
    path = PathCurve.through([Pose2(0, 0, 0), Pose2(1, 0, 0.5), Pose2(3, 1, 2.5), Pose2(4, 1, 2.6)])
    for s in path.breaks[1:-1]:
        before, after = path.at(s - 1e-9).turning, path.at(s + 1e-9).turning
        assert before is not None and after is not None
        assert before == pytest.approx(after, abs=1e-6)


@pytest.mark.parametrize("path", everything())
def test_the_way_back_of_the_way_back_is_the_way(path):
    assert_same(path.reversed().reversed(), path)


@pytest.mark.parametrize("path", everything())
def test_the_way_back_meets_the_same_places(path):
    back, s = path.reversed(), inner(path)
    there, here = path.at(s), back.at(path.length - s)
    np.testing.assert_allclose(there.position, here.position, atol=1e-9)
    np.testing.assert_allclose(there.tangent, -here.tangent, atol=1e-8)
    np.testing.assert_allclose(there.bending, here.bending, atol=1e-6)


def test_the_way_back_keeps_given_headings():
    path = PathCurve.through([Pose2(0, 0, 0.1), Pose2(1, 0, 0.9), Pose2(2, 1, -2.0)])
    s = inner(path)
    np.testing.assert_allclose(
        heading(path, s), heading(path.reversed(), path.length - s), atol=1e-9
    )


def test_the_way_back_looks_the_other_way_along_the_tangent():
    path = PathCurve.through([(0.0, 0.0), (2.0, 0.0)], kind="polyline")
    assert path.at(1.0).orientation == 0.0
    assert abs(heading(path.reversed(), 1.0)) == pytest.approx(pi)


def test_the_way_back_undoes_a_half_turn_by_the_same_side():
    path = PathCurve.through([Pose2(0, 0, 0), Pose2(1, 0, pi)])
    assert path.at(0.5).orientation == pytest.approx(pi / 2)
    assert path.reversed().at(0.5).orientation == pytest.approx(pi / 2)


@pytest.mark.parametrize("path", everything())
def test_moved_there_and_back_it_is_the_same(path):
    pose = Pose2(1.0, -2.0, 2.5) if path.planar else Pose.from_xyz_rpy((1, 2, 3), (0.3, 0.7, -2))
    assert_same(path.moved(pose).moved(pose.inverse()), path)


@given(points=zigzags(), kind=kinds, pose=poses)
@settings(max_examples=25)
def test_a_moved_path_has_moved_poses(points, kind, pose):
    path = PathCurve.through(points, kind=kind)
    moved = path.moved(pose)
    for s in inner(path, 5):
        assert moved.pose(s).is_close(  # type: ignore[arg-type]
            pose @ path.pose(s), position_tolerance=1e-9, angle_tolerance=1e-8
        )


@pytest.mark.parametrize("path", everything())
def test_many_places_at_once_are_the_places_one_by_one(path):
    s = inner(path, 12).reshape(3, 4)
    many = path.at(s)
    assert many.position.shape == (3, 4, 2 if path.planar else 3)
    for i in np.ndindex(3, 4):
        one = path.at(s[i])
        np.testing.assert_allclose(one.position, many.position[i], atol=1e-12)
        if many.orientation is not None:
            np.testing.assert_allclose(one.orientation, many.orientation[i], atol=1e-12)


@pytest.mark.parametrize("path", everything())
def test_samples_are_no_further_apart_than_asked(path):
    samples = path.sample(0.01)
    gaps = np.linalg.norm(np.diff(samples, axis=0), axis=1)
    assert gaps.max() <= 0.01 + 1e-12
    assert gaps.sum() == pytest.approx(path.length, rel=1e-3)
    for place in path.at(path.breaks).position:
        assert np.linalg.norm(samples - place, axis=1).min() < 1e-9


# --- closed forms


@pytest.mark.parametrize("radius", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("sweep", [0.1, pi, 2 * pi, -pi / 3, 4 * pi])
def test_an_arc_is_as_long_as_its_radius_times_its_sweep(radius, sweep):
    arc = PathCurve.circle((0.3, -1.0), radius, sweep=sweep)
    assert arc.length == pytest.approx(radius * abs(sweep))
    np.testing.assert_allclose(arc.curvature(inner(arc)), np.sign(sweep) / radius)
    distance = np.linalg.norm(arc.at(inner(arc)).position - (0.3, -1.0), axis=1)
    np.testing.assert_allclose(distance, radius)
    assert arc.closed == (abs(sweep) in (2 * pi, 4 * pi))


def test_a_spline_through_a_circle_is_nearly_the_circle():
    angles = np.arange(24) * (2 * pi / 24)
    path = PathCurve.through(np.stack([np.cos(angles), np.sin(angles)], axis=1), closed=True)
    assert path.length == pytest.approx(2 * pi, rel=1e-4)
    np.testing.assert_allclose(path.curvature(inner(path)), 1.0, atol=0.02)


def test_a_spline_of_two_points_is_straight():
    path = PathCurve.through([(0.0, 0.0), (3.0, 4.0)])
    assert path.length == pytest.approx(5.0)
    np.testing.assert_allclose(path.at(2.5).position, (1.5, 2.0))


def test_a_circle_in_space_lies_in_the_plane_of_its_pose():
    frame = Pose.from_xyz_rpy((1, 2, 3), (0.4, 0.5, 0.6))
    circle = PathCurve.circle(frame, 0.5)
    local = frame.inverse().transform_points(circle.sample(0.05))
    np.testing.assert_allclose(local[:, 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(local[0], (0.5, 0.0, 0.0), atol=1e-12)


def test_an_arc_begins_where_it_is_told_and_goes_that_way():
    arc = PathCurve.circle((0.0, 0.0), 2.0, start=pi / 2, sweep=-pi / 2)
    np.testing.assert_allclose(arc.at(0.0).position, (0.0, 2.0), atol=1e-12)
    np.testing.assert_allclose(arc.at(0.0).tangent, (1.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(arc.at(arc.length).position, (2.0, 0.0), atol=1e-12)


def test_headings_take_the_short_way():
    path = PathCurve.through([Pose2(0, 0, 3.0), Pose2(1, 0, -3.0)])
    assert abs(heading(path, 0.5)) == pytest.approx(pi)
    assert path.at(0.5).turning == pytest.approx(2 * pi - 6.0)


@pytest.mark.parametrize(("first", "last"), [(0.0, pi), (pi, 0.0), (-pi / 2, pi / 2)])
def test_a_half_turn_of_the_heading_goes_counter_clockwise(first, last):
    path = PathCurve.through([Pose2(0, 0, first), Pose2(1, 0, last)])
    assert path.at(0.5).turning == pytest.approx(pi)


@pytest.mark.parametrize("number", ROUTES)
def test_the_routes_of_the_youbot_are_as_long_as_the_sheet_says(number):
    points, length = ROUTES[number]
    assert PathCurve.through(points).length == pytest.approx(length, abs=0.02)


# --- corners and joints


def test_a_square_has_a_corner_at_each_inner_point():
    path = PathCurve.through(SQUARE, kind="polyline")
    assert [kink.s for kink in path.kinks] == pytest.approx([1.0, 2.0])
    assert [kink.angle for kink in path.kinks] == pytest.approx([pi / 2, pi / 2])
    assert [float(kink.turn) for kink in path.kinks] == pytest.approx([pi / 2, pi / 2])


def test_a_closed_square_has_a_corner_at_its_end_too():
    path = PathCurve.through(SQUARE, kind="polyline", closed=True)
    assert [kink.s for kink in path.kinks] == pytest.approx([1.0, 2.0, 3.0, 4.0])


def test_with_a_heading_of_its_own_a_corner_turns_the_way_and_not_the_base():
    (kink, _) = PathCurve.through(SQUARE, kind="polyline", heading=0.3).kinks
    assert kink.angle == pytest.approx(pi / 2) and kink.turn == 0.0


def test_a_path_there_and_back_has_a_corner_of_half_a_turn():
    (kink,) = PathCurve.through([(0, 0), (1, 0), (0, 0)], kind="polyline").kinks
    assert kink.angle == pytest.approx(pi) and kink.turn == pytest.approx(pi)


def test_at_a_corner_the_tangent_is_the_one_after_it():
    path = PathCurve.through(SQUARE, kind="polyline")
    np.testing.assert_allclose(path.at(1.0).tangent, (0.0, 1.0), atol=1e-12)
    np.testing.assert_allclose(path.at(1.0 - 1e-9).tangent, (1.0, 0.0), atol=1e-12)


def test_a_line_into_an_arc_is_joined_without_a_corner():
    line = PathCurve.through([(-1.0, -1.0), (0.0, -1.0)], kind="polyline")
    arc = PathCurve.circle((0.0, 0.0), 1.0, start=-pi / 2, sweep=pi / 2)
    both = line + arc
    assert both.length == pytest.approx(1.0 + pi / 2)
    assert both.kinks == ()
    np.testing.assert_allclose(both.curvature([0.5, 1.5]), (0.0, 1.0), atol=1e-12)
    np.testing.assert_allclose(both.breaks, (0.0, 1.0, 1.0 + pi / 2))


def test_joined_paths_show_a_jump_of_the_heading():
    one = PathCurve.through([(0, 0), (1, 0)], heading=0.0)
    (kink,) = (one + PathCurve.through([(1, 0), (2, 0)], heading=-1.0)).kinks
    assert kink.angle == pytest.approx(0.0) and kink.turn == pytest.approx(-1.0)


def test_joining_does_not_depend_on_the_order_of_joining():
    a = PathCurve.through([(0, 0), (1, 0)])
    b = PathCurve.through([(1, 0), (2, 1)], kind="polyline")
    c = PathCurve.circle((2.0, 2.0), 1.0, start=-pi / 2, sweep=1.0)
    assert_same((a + b) + c, a + (b + c))


def test_paths_that_do_not_meet_are_refused_with_the_gap():
    a, b = PathCurve.through([(0, 0), (1, 0)]), PathCurve.through([(1, 0.25), (2, 0)])
    with pytest.raises(InvalidInput, match=r"ends at \(1, 0\) m.*\(1, 0.25\) m, 0.25 m away"):
        _ = a + b


def test_paths_of_different_sorts_are_not_joined():
    floor, space = PathCurve.through([(0, 0), (1, 0)]), PathCurve.through([(1, 0, 0), (2, 0, 0)])
    with pytest.raises(InvalidInput, match="on the floor and one in space"):
        _ = floor + space
    turned = PathCurve.through([(2, 0, 0), (3, 0, 0)], quaternion=(1, 0, 0, 0))
    with pytest.raises(InvalidInput, match="with orientations and one without"):
        _ = space + turned


# --- edges


def test_an_open_path_stands_at_its_ends_beyond_them():
    path = PathCurve.through([(0, 0), (1, 0)])
    np.testing.assert_allclose(path.at([-1.0, 9.0]).position, [(0, 0), (1, 0)], atol=1e-12)


def test_a_closed_path_goes_round_again():
    path = PathCurve.through(SQUARE, closed=True)
    s = inner(path, 10)
    for laps in (-1, 1, 3):
        np.testing.assert_allclose(
            path.at(s + laps * path.length).position, path.at(s).position, atol=1e-9
        )


def test_a_path_in_space_without_orientations_has_no_pose():
    path = PathCurve.through([(0, 0, 0), (1, 0, 0)])
    assert path.at(0.5).orientation is None
    with pytest.raises(InvalidInput, match="positions only"):
        path.pose(0.5)


def test_many_places_have_no_single_pose():
    with pytest.raises(InvalidInput, match="3 places"):
        _ = PathCurve.through([(0, 0), (1, 0)]).at([0.1, 0.2, 0.3]).pose


@pytest.mark.parametrize(
    ("points", "options", "message"),
    [
        ([(0, 0)], {}, "at least 2 points, got 1"),
        ([], {}, "at least 2 points, got 0"),
        (Pose2(), {}, "expected a list"),
        (5, {}, "expected a list"),
        ([(0, 0), (1, 0), (1, 0)], {}, r"points 2 and 3 are the same, \(1, 0\) m"),
        ([(0, 0), (math.nan, 0)], {}, "point 2 of the path has values that are not finite"),
        ([(0, 0), (math.inf, 0)], {}, "point 2 of the path has values that are not finite"),
        ([(0, 0), "ab"], {}, "point 2 of the path cannot be read"),
        ([(0, 0), (1, 0, 0, 0)], {}, r"point 2 of the path has shape \(4,\)"),
        ([(0, 0), (1, 0, 0)], {}, "point 1 has 2 coordinates and point 2 has 3"),
        ([Pose2(), (1, 0)], {}, "point 1 has an orientation and point 2 has none"),
        ([(0, 0), Pose2(1, 0)], {}, "point 2 has an orientation and point 1 has none"),
        ([(0, 0), (1, 0)], {"kind": "bezier"}, "'bezier', allowed.*polyline, spline"),
        ([(0, 0), (1, 0)], {"kind": "circle"}, "take PathCurve.circle"),
        ([(0, 0), (1, 0)], {"closed": True}, "at least 3 points, got 2"),
        ([*SQUARE, SQUARE[0]], {"closed": True}, "leave the last one out"),
        ([Pose2(), Pose2(1, 0)], {"heading": 0.0}, "one for all of them"),
        ([(0, 0), (1, 0)], {"heading": math.nan}, r"heading \[rad\] is nan"),
        ([(0, 0), (1, 0)], {"quaternion": (1, 0, 0, 0)}, "has a heading, not a quaternion"),
        ([(0, 0, 0), (1, 0, 0)], {"heading": 0.0}, "has a quaternion, not a heading"),
        ([(0, 0), (1, 0), (0, 0)], {}, 'turns back on itself between points 1 and 2.*"polyline"'),
    ],
)
def test_bad_points_are_refused_with_the_reason(points, options, message):
    with pytest.raises(InvalidInput, match=message):
        PathCurve.through(points, **options)


@pytest.mark.parametrize(
    ("center", "radius", "options", "message"),
    [
        ((0, 0), 0.0, {}, "radius of the circle is 0 m"),
        ((0, 0), -1.0, {}, "radius of the circle is -1 m"),
        ((0, 0), math.nan, {}, "radius of the circle .* is nan"),
        ((0, 0), 1.0, {"sweep": 0.0}, "sweep of the circle is 0 rad"),
        ((0, 0), 1.0, {"start": math.inf}, "start of the circle .* is inf"),
        ((0,), 1.0, {}, r"center of the circle has shape \(1,\)"),
    ],
)
def test_bad_circles_are_refused_with_the_reason(center, radius, options, message):
    with pytest.raises(InvalidInput, match=message):
        PathCurve.circle(center, radius, **options)


@pytest.mark.parametrize("step", [0.0, -1.0, math.nan, 1e-9])
def test_a_bad_step_is_refused(step):
    with pytest.raises(InvalidInput, match="step"):
        PathCurve.through([(0, 0), (1, 0)]).sample(step)


def test_an_arc_length_that_is_no_number_is_refused():
    with pytest.raises(InvalidInput, match="arc length"):
        PathCurve.through([(0, 0), (1, 0)]).at(math.nan)


def test_a_path_on_the_floor_is_not_moved_into_space():
    with pytest.raises(InvalidInput, match="on the floor is moved by a Pose2, not by a Pose"):
        PathCurve.through([(0, 0), (1, 0)]).moved(Pose())


# --- tables

TABLES = """
[paths.route]
points = [[1.5, 4, -90], [1.5, 3, -90], [0.8, 2.2, -90]]
[paths.square]
kind = "polyline"
points = [[0, 0], [1, 0], [1, 1], [0, 1]]
closed = true
heading_deg = 45
[paths.ring]
kind = "circle"
center = [1, 2]
radius = 0.5
start_deg = 90
sweep_deg = -90
[paths.hand]
dimensions = 3
points = [[0.3, 0, 0.2, 0, 90, 0], [0.4, 0.1, 0.2, 0, 90, 90]]
[paths.free]
dimensions = 3
kind = "polyline"
points = [[0, 0, 0], [0, 0, 1]]
[paths.held]
dimensions = 3
points = [[0, 0, 0], [0, 0, 1]]
rpy_deg = [0, 90, 0]
"""


def test_paths_come_from_tables():
    paths = {
        name: path_from_table(table, name=name)
        for name, table in tomllib.loads(TABLES)["paths"].items()
    }
    route = PathCurve.through([Pose2(x, y, -pi / 2) for x, y in ROUTES[1][0][:3]])
    assert_same(paths["route"], route)
    square = PathCurve.through(SQUARE, kind="polyline", closed=True, heading=pi / 4)
    assert_same(paths["square"], square)
    assert_same(paths["ring"], PathCurve.circle((1, 2), 0.5, start=pi / 2, sweep=-pi / 2))
    wanted = Pose.from_xyz_rpy((0.4, 0.1, 0.2), (0, pi / 2, pi / 2))
    assert paths["hand"].pose(9.0).is_close(wanted, angle_tolerance=1e-7)  # type: ignore[arg-type]
    assert not paths["free"].oriented
    held = Pose.from_xyz_rpy((0, 0, 0.5), (0, pi / 2, 0))
    assert paths["held"].pose(0.5).is_close(held, angle_tolerance=1e-7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([], "it is [], expected a table"),
        ({}, "'points' is missing; a spline needs it"),
        ({"kind": "circle", "center": [0, 0]}, "'radius' is missing; a circle needs it"),
        ({"kind": "bezier"}, "kind is 'bezier', allowed: polyline, spline, circle"),
        ({"kind": ["spline"]}, "kind is ['spline'], allowed"),
        ({"pionts": []}, "a spline has no 'pionts'"),
        ({"pionts": []}, "did you mean 'points'?"),
        ({"kind": "circle", "points": []}, "a circle has no 'points'"),
        ({"points": 3}, "points is 3, expected a list"),
        ({"points": [[0, 0]]}, "at least 2 points, got 1"),
        ({"points": [[0, 0], [1]]}, "point 2 of 2 is [1], expected a list of 2 or 3"),
        ({"points": [[0, 0], 1]}, "point 2 of 2 is 1, expected a list of 2 or 3"),
        ({"points": [[0, 0], [1, "a"]]}, "point 2 of 2 has 'a'"),
        ({"points": [[0, 0], [1, True]]}, "point 2 of 2 has True"),
        ({"points": [[0, 0], [1, math.nan]]}, "point 2 of 2 has nan"),
        ({"points": [[0, 0], [0, 1, 90]]}, "point 2 has an orientation and point 1 has none"),
        ({"points": [[0, 0], [0, 1]], "dimensions": 4}, "dimensions is 4, allowed: 2"),
        ({"points": [[0, 0], [0, 1]], "dimensions": 3}, "expected a list of 3 or 6"),
        ({"points": [[0, 0], [0, 1]], "closed": 1}, "closed is 1, allowed: true, false"),
        ({"points": [[0, 0], [0, 1]], "heading_deg": "n"}, "heading_deg has 'n'"),
        ({"points": [[0, 0], [0, 1]], "rpy_deg": [0, 0, 0]}, "a heading, not a quaternion"),
        ({"kind": "circle", "center": [0, 0], "radius": -2}, "radius of the circle is -2 m"),
    ],
)
def test_a_bad_table_is_refused_with_path_value_and_what_is_allowed(table, message):
    with pytest.raises(InvalidInput, match="path 'r1': .*" + re.escape(message)):
        path_from_table(table, name="r1")
