"""Times along a path: limits that hold at every instant, closed forms, remarks that say why."""

import math
from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose, Pose2
from mecano.kinematics.wheels import Wheel, WheelLayout
from mecano.planning.paths import PathCurve
from mecano.planning.speed_profiles import PathLimits, TimedPath, pace_path, wheel_ceiling

ROUTES = {  # scenes.md 3.1: points [m], speed [m/s], time [s]
    1: ([(1.5, 4), (1.5, 3), (0.8, 2.2), (-0.1246, 1.9), (-0.1246, 1.362)], 0.3, 12.5),
    2: ([(-0.324, 1.362), (0.3, 0.9), (0.3, -1.0), (-0.6467, -1.9), (-0.6467, -2.5)], 0.4, 12.3),
    3: ([(-0.9215, -2.5), (-0.2, -2.5), (1.0, -2.0), (1.5, -0.8), (1.5, 4.0)], 0.5, 17.1),
}
L_PATH = [(0.0, 0.0), (1.5, 0.0), (1.5, 1.0)]
HAND = [
    Pose.from_xyz_rpy((0.3, 0.0, 0.2), (0.0, 0.5, 0.0)),
    Pose.from_xyz_rpy((0.4, 0.2, 0.3), (0.0, 1.2, 0.4)),
    Pose.from_xyz_rpy((0.2, 0.3, 0.1), (0.3, 1.0, 1.5)),
]
YOUBOT = WheelLayout(
    tuple(
        Wheel(name=name, x=x, y=y, radius=0.05, roller=roller)
        for name, x, y, roller in (
            ("fr", 0.235, -0.15, pi / 4),
            ("fl", 0.235, 0.15, -pi / 4),
            ("rl", -0.235, 0.15, pi / 4),
            ("rr", -0.235, -0.15, -pi / 4),
        )
    )
)
FASTEST = 14.81
"""Of a wheel of the youBot [rad/s]: youbot.md 6."""


def line(length: float) -> PathCurve:
    return PathCurve.through([(0.0, 0.0), (length, 0.0)], kind="polyline")


def closed_form(length: float, velocity: float, acceleration: float) -> float:
    if length < velocity**2 / acceleration:
        return 2.0 * math.sqrt(length / acceleration)
    return length / velocity + velocity / acceleration


def dense(timed: TimedPath, count: int = 20_001):
    times = np.linspace(0.0, timed.duration, count)
    return times, timed.at(times)


numbers = st.floats(0.05, 3.0)


# --- laws


@given(length=numbers, velocity=numbers, acceleration=numbers)
@settings(max_examples=25)
def test_a_straight_line_takes_what_paper_and_pencil_give(length, velocity, acceleration):
    timed = pace_path(line(length), PathLimits(velocity=velocity, acceleration=acceleration))
    wanted = closed_form(length, velocity, acceleration)
    assert timed.duration == pytest.approx(wanted, rel=1e-9)
    times = np.linspace(0.0, wanted, 50)
    speed = np.minimum(np.minimum(times, wanted - times) * acceleration, velocity)
    np.testing.assert_allclose(timed.at(times).speed, speed, atol=1e-6)


@st.composite
def zigzags(draw) -> PathCurve:
    ys = draw(st.lists(st.floats(-1.0, 1.0).map(lambda y: round(y, 2)), min_size=2, max_size=5))
    points = [(0.7 * i, y) for i, y in enumerate(ys)]
    return PathCurve.through(points, kind=draw(st.sampled_from(["polyline", "spline"])))


@given(
    path=zigzags(),
    velocity=numbers,
    acceleration=numbers,
    across=numbers,
    tolerance=st.floats(0, 0.02),
)
@settings(max_examples=20)
def test_no_limit_is_exceeded_at_any_instant(path, velocity, acceleration, across, tolerance):
    limits = PathLimits(
        velocity=velocity, acceleration=acceleration, lateral_acceleration=across,
        turn_velocity=1.0, turn_acceleration=2.0, corner_tolerance=tolerance,
    )  # fmt: skip
    times, point = dense(pace_path(path, limits), 4001)
    assert point.turn_rate is not None
    assert point.speed.max() <= velocity * (1 + 1e-9)
    assert np.abs(point.along).max() <= acceleration * (1 + 1e-6)
    assert np.abs(np.diff(point.speed) / np.diff(times)).max() <= acceleration * (1 + 1e-5)
    bend = np.linalg.norm(path.at(point.s).bending, axis=-1)
    assert (point.speed**2 * bend).max() <= across * (1 + 1e-4)
    assert np.abs(point.turn_rate).max() <= 1.0 + 1e-4


@given(path=zigzags(), velocity=numbers, acceleration=numbers)
@settings(max_examples=10)
def test_the_speed_adds_up_to_the_length(path, velocity, acceleration):
    timed = pace_path(path, PathLimits(velocity=velocity, acceleration=acceleration))
    middles = 0.5 * (timed.starts[1:] + timed.starts[:-1])  # exact where the speed is linear
    total = timed.at(middles).speed @ np.diff(timed.starts)
    assert total == pytest.approx(path.length, rel=1e-9)


@given(path=zigzags(), velocity=numbers, acceleration=numbers)
@settings(max_examples=10)
def test_a_motion_goes_from_end_to_end_and_rests_there(path, velocity, acceleration):
    timed = pace_path(path, PathLimits(velocity=velocity, acceleration=acceleration))
    ends = timed.at([-1.0, 0.0, timed.duration, timed.duration + 9.0])
    np.testing.assert_allclose(ends.s, [0.0, 0.0, path.length, path.length], atol=1e-12)
    np.testing.assert_allclose(ends.speed, 0.0, atol=1e-9)
    np.testing.assert_array_equal(ends.along[[0, 2, 3]], 0.0)
    np.testing.assert_allclose(ends.position[-1], path.at(path.length).position)


@given(path=zigzags(), velocity=numbers, acceleration=numbers)
@settings(max_examples=10)
def test_it_never_goes_backwards(path, velocity, acceleration):
    limits = PathLimits(velocity=velocity, acceleration=acceleration)
    _, point = dense(pace_path(path, limits), 4001)
    assert np.diff(point.s).min() >= -1e-12
    assert point.speed.min() >= 0.0


@given(path=zigzags(), velocity=numbers, acceleration=numbers)
@settings(max_examples=10)
def test_the_way_back_takes_as_long(path, velocity, acceleration):
    limits = PathLimits(velocity=velocity, acceleration=acceleration)
    there, back = pace_path(path, limits), pace_path(path.reversed(), limits)
    assert there.duration == pytest.approx(back.duration, rel=1e-6)


@pytest.mark.parametrize(
    "path",
    [
        PathCurve.through(ROUTES[1][0]),
        PathCurve.through(L_PATH, kind="polyline"),
        PathCurve.through([Pose2(0, 0, 0), Pose2(1, 0, 2), Pose2(2, 1, -2)]),
    ],
)
def test_the_twist_is_the_slope_of_the_pose(path):
    times, point = dense(pace_path(path, PathLimits(velocity=0.4, acceleration=1.0)))
    step = times[1]
    slope = np.gradient(point.position, step, axis=0)
    np.testing.assert_allclose(slope, point.velocity, atol=2e-3)
    assert point.orientation is not None
    rate = np.gradient(np.unwrap(point.orientation), step)
    np.testing.assert_allclose(rate, point.twist[:, 2], atol=5e-3)


def test_the_acceleration_is_the_slope_of_the_velocity():
    path = PathCurve.through(ROUTES[1][0])
    times, point = dense(pace_path(path, PathLimits(velocity=0.3, acceleration=1.0)), 2001)
    slope = np.gradient(point.velocity, times[1], axis=0)
    even = np.abs(np.gradient(point.along)) < 1e-9
    np.testing.assert_allclose(slope[even], point.acceleration[even], atol=5e-3)


def test_in_space_the_turn_rate_is_the_slope_of_the_orientation():
    timed = pace_path(PathCurve.through(HAND), PathLimits(velocity=0.1, acceleration=0.05))
    for time in np.linspace(0.1, timed.duration - 0.1, 17):
        before, after = timed.at(time - 1e-4).pose, timed.at(time + 1e-4).pose
        assert isinstance(before, Pose) and isinstance(after, Pose)
        rate = before.rotate_vectors((before.inverse() @ after).log()[3:]) / 2e-4
        wanted = timed.at(time).turn_rate
        assert wanted is not None
        np.testing.assert_allclose(rate, wanted, atol=2e-3)


def test_many_times_at_once_are_the_times_one_by_one():
    timed = pace_path(
        PathCurve.through(L_PATH, kind="polyline"), PathLimits(velocity=0.3, acceleration=1.0)
    )
    times = np.linspace(-1.0, timed.duration + 1.0, 24).reshape(4, 6)
    many = timed.at(times)
    assert many.velocity.shape == (4, 6, 2)
    for i in np.ndindex(4, 6):
        one = timed.at(times[i])
        for name in ("s", "speed", "position", "velocity", "orientation", "turn_rate"):
            np.testing.assert_allclose(getattr(one, name), getattr(many, name)[i], atol=1e-12)


def test_finer_cells_change_next_to_nothing():
    path = PathCurve.through([(0, 0), (0.4, 0), (0.4, 0.4), (0.8, 0.4)])
    limits = PathLimits(velocity=2.0, acceleration=1.0)
    coarse, fine = pace_path(path, limits), pace_path(path, limits, step=1e-4)
    assert coarse.slowed
    assert coarse.duration == pytest.approx(fine.duration, rel=1e-3)


# --- closed forms and the sheet


@pytest.mark.parametrize("number", ROUTES)
def test_the_routes_of_the_youbot_take_as_long_as_the_sheet_says(number):
    points, speed, duration = ROUTES[number]
    path = PathCurve.through(points, heading=-pi / 2)
    timed = pace_path(path, PathLimits(velocity=speed, acceleration=1.0))
    assert timed.duration == pytest.approx(duration, abs=0.05)
    assert timed.duration == pytest.approx(path.length / speed + speed, rel=1e-6)
    assert timed.slowed == ()


def test_route_3_with_a_constant_heading_asks_14_rad_s_of_the_wheels():
    points, speed, _ = ROUTES[3]
    path = PathCurve.through(points, heading=-pi / 2)
    ceilings = {"the wheels": wheel_ceiling(YOUBOT, FASTEST)}
    timed = pace_path(path, PathLimits(velocity=speed, acceleration=1.0), ceilings=ceilings)
    _, point = dense(timed)
    body = np.stack([-point.velocity[:, 1], point.velocity[:, 0], point.twist[:, 2]], axis=1)
    assert np.abs(YOUBOT.rates(body)).max() == pytest.approx(14.1, abs=0.05)
    assert timed.slowed == ()


def test_on_a_diagonal_the_wheels_of_the_youbot_allow_052_m_s():
    path = PathCurve.through([(0, 0), (2, 2)], heading=0.0)
    timed = pace_path(
        path,
        PathLimits(velocity=0.7, acceleration=1.0),
        ceilings={"the wheels": wheel_ceiling(YOUBOT, FASTEST)},
    )
    assert timed.top_speed == pytest.approx(FASTEST * 0.05 / math.sqrt(2), rel=1e-9)
    (remark,) = timed.slowed
    assert str(remark).startswith("slows to 0.524 m/s at ") and remark.reason == "the wheels"


def test_turning_half_round_on_the_way_keeps_the_wheels_below_their_limit():
    points = [Pose2(x, y, heading) for (x, y), heading in zip(ROUTES[3][0], np.linspace(-1.57, 1.57, 5), strict=True)]  # fmt: skip  # noqa: E501
    timed = pace_path(
        PathCurve.through(points),
        PathLimits(velocity=0.5, acceleration=1.0),
        ceilings={"the wheels": wheel_ceiling(YOUBOT, FASTEST)},
    )
    _, point = dense(timed)
    assert point.orientation is not None
    c, s = np.cos(point.orientation), np.sin(point.orientation)
    vx, vy, wz = point.twist.T
    rates = YOUBOT.rates(np.stack([c * vx + s * vy, c * vy - s * vx, wz], axis=1))
    assert np.abs(rates).max() <= FASTEST * (1 + 1e-4)
    assert any(remark.reason == "the wheels" for remark in timed.slowed)


def test_a_circle_is_gone_round_at_the_speed_that_its_radius_allows():
    circle = PathCurve.circle((0, 0), 0.25)
    limits = PathLimits(velocity=1.0, acceleration=2.0, lateral_acceleration=0.25, turn_velocity=9)
    timed = pace_path(circle, limits)
    assert timed.duration == pytest.approx(closed_form(circle.length, 0.25, 2.0), rel=1e-9)
    (remark,) = timed.slowed
    assert remark.speed == pytest.approx(0.25)
    assert "bend of radius 0.25 m, 0.25 m/s2 across" in str(remark)


def test_a_line_into_an_arc_brakes_before_the_arc():
    path = line(1.0) + PathCurve.circle((1.0, 0.2), 0.2, start=-pi / 2, sweep=pi / 2)
    limits = PathLimits(velocity=2.0, acceleration=1.0, lateral_acceleration=0.2, turn_velocity=9)
    timed = pace_path(path, limits)
    _, point = dense(timed)
    assert np.interp(1.0, point.s, point.speed) == pytest.approx(0.2, abs=1e-3)
    top = math.sqrt(0.5 * (2.0 * 1.0 + 0.2**2))  # speeding up meets braking to 0.2 m/s
    assert timed.top_speed == pytest.approx(top, abs=0.003)
    assert timed.slowed[0].s == pytest.approx(1.0, abs=0.01)


def test_turning_on_the_way_is_held_to_its_velocity():
    path = PathCurve.through([Pose2(0, 0, 0), Pose2(1, 0, 3.0)])
    timed = pace_path(path, PathLimits(velocity=1.0, acceleration=5.0, turn_velocity=1.5))
    assert timed.top_speed == pytest.approx(0.5, rel=1e-6)
    assert "turns 172 degrees per metre, at 1.5 rad/s" in str(timed.slowed[0])


# --- corners


def test_it_stops_at_a_corner_and_says_so():
    path = PathCurve.through(L_PATH, kind="polyline", heading=0.0)
    timed = pace_path(path, PathLimits(velocity=0.3, acceleration=1.0))
    assert timed.duration == pytest.approx(closed_form(1.5, 0.3, 1) + closed_form(1.0, 0.3, 1))
    assert [str(remark) for remark in timed.slowed] == [
        "stops at 1.50 m along: corner of 90 degrees"
    ]


def test_it_slows_down_to_what_cutting_the_corner_allows():
    path = PathCurve.through(L_PATH, kind="polyline", heading=0.0)
    limits = PathLimits(velocity=0.3, acceleration=1.0, corner_tolerance=0.0036)
    timed = pace_path(path, limits)
    (remark,) = timed.slowed
    assert str(remark) == "slows to 0.12 m/s at 1.50 m along: corner of 90 degrees"
    _, point = dense(timed)
    corner = np.searchsorted(point.s, 1.5)
    assert point.speed[corner] == pytest.approx(remark.speed, abs=1e-3)
    jump = np.linalg.norm(point.velocity[corner] - point.velocity[corner - 1])
    assert jump**2 / 8.0 == pytest.approx(0.0036, rel=0.02)  # what it cuts at 1 m/s2


def test_a_blunt_corner_inside_the_tolerance_slows_nothing():
    path = PathCurve.through([(0, 0), (1, 0), (2, 0.1)], kind="polyline", heading=0.0)
    limits = PathLimits(velocity=0.3, acceleration=1.0, corner_tolerance=0.005)
    assert pace_path(path, limits).slowed == ()


def test_looking_along_the_path_it_turns_on_the_spot_at_a_corner():
    path = PathCurve.through(L_PATH, kind="polyline")
    limits = PathLimits(
        velocity=0.3, acceleration=1.0, turn_velocity=1.9, turn_acceleration=3.0,
        corner_tolerance=0.01,
    )  # fmt: skip
    timed = pace_path(path, limits)
    turn = closed_form(pi / 2, 1.9, 3.0)
    arrival = closed_form(1.5, 0.3, 1.0)
    assert timed.duration == pytest.approx(arrival + turn + closed_form(1.0, 0.3, 1.0))
    assert "stops at 1.50 m along: corner of 90 degrees, turn of 90 degrees on the spot" in str(
        timed.slowed[0]
    )
    middle = timed.at(arrival + 0.5 * turn)
    assert middle.orientation == pytest.approx(pi / 4)
    np.testing.assert_allclose(middle.position, (1.5, 0.0), atol=1e-9)
    np.testing.assert_array_equal(middle.velocity, 0.0)
    assert timed.at(arrival).orientation == pytest.approx(0.0)
    assert timed.at(arrival + turn).orientation == pytest.approx(pi / 2)


def test_the_half_turn_of_the_youbot_takes_23_s():
    # scenes.md 3.1: in place, 1.9 rad/s and 3 rad/s2
    there = PathCurve.through([(0, 0), (1, 0)], heading=pi / 2)
    path = there + PathCurve.through([(1, 0), (2, 0)], heading=-pi / 2)
    limits = PathLimits(velocity=0.3, acceleration=1.0, turn_velocity=1.9, turn_acceleration=3.0)
    (turn,) = pace_path(path, limits).turns
    assert turn.duration == pytest.approx(2.3, abs=0.03)


def test_in_space_a_jump_of_the_orientation_is_a_turn_on_the_spot():
    x_turn = Pose.from_xyz_rpy((0, 0, 0), (1.0, 0, 0)).quaternion
    path = PathCurve.through([(0, 0, 0), (0.1, 0, 0)], quaternion=(1, 0, 0, 0))
    path += PathCurve.through([(0.1, 0, 0), (0.2, 0, 0)], quaternion=x_turn)
    timed = pace_path(path, PathLimits(velocity=0.1, acceleration=0.05))
    (turn,) = timed.turns
    middle = timed.at(turn.start + 0.5 * turn.duration)
    half = Pose.from_xyz_rpy((0.1, 0, 0), (0.5, 0, 0))
    assert middle.pose.is_close(half, angle_tolerance=1e-6)  # type: ignore[arg-type]


def test_following_the_position_only_does_not_turn():
    path = PathCurve.through(L_PATH, kind="polyline")
    timed = pace_path(path, PathLimits(velocity=0.3, acceleration=1.0), mode="position")
    assert timed.turns == ()
    point = timed.at(1.0)
    assert point.orientation is None and point.turn_rate is None
    assert point.twist[2] == 0.0
    assert [remark.reason for remark in timed.slowed] == ["corner of 90 degrees"]


# --- remarks and edges


def test_a_path_too_short_for_the_asked_speed_says_so():
    timed = pace_path(line(0.04), PathLimits(velocity=0.5, acceleration=1.0))
    assert timed.top_speed == pytest.approx(0.2)
    (remark,) = timed.slowed
    assert str(remark) == (
        "reaches only 0.2 m/s at 0.02 m along: 0.04 m are too short for more at 1 m/s2"
    )


def test_a_ceiling_where_it_is_not_felt_is_not_mentioned():
    ceilings = {"a rug": lambda point: np.where(point.s < 0.01, 0.2, np.inf)}
    limits = PathLimits(velocity=0.3, acceleration=1.0)  # at 0.01 m it is at 0.14 m/s
    assert pace_path(line(1.0), limits, ceilings=ceilings).slowed == ()


def test_a_ceiling_slows_where_it_holds():
    def rug(point):
        return np.where(abs(point.s - 0.5) < 0.1, 0.1, np.inf)

    timed = pace_path(line(1.0), PathLimits(velocity=0.3, acceleration=1.0), ceilings={"rug": rug})
    _, point = dense(timed)
    assert point.speed[np.abs(point.s - 0.5) < 0.1].max() <= 0.1 + 1e-9
    assert timed.top_speed == pytest.approx(0.3)
    assert [remark.reason for remark in timed.slowed] == ["rug"]


def test_a_ceiling_may_be_one_number():
    timed = pace_path(
        line(1.0), PathLimits(velocity=0.3, acceleration=1.0), ceilings={"the law": 0.2}
    )
    assert timed.duration == pytest.approx(closed_form(1.0, 0.2, 1.0))


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan])
def test_a_ceiling_that_nothing_passes_is_refused_with_its_place(value):
    ceilings = {"wall": lambda point: np.where(point.s > 0.5, value, 1.0)}
    with pytest.raises(InvalidInput, match=r"ceiling 'wall' is .* m/s at 0.50. m along"):
        pace_path(line(1.0), PathLimits(velocity=0.3, acceleration=1.0), ceilings=ceilings)


def test_a_ceiling_of_the_wrong_shape_is_refused():
    with pytest.raises(InvalidInput, match=r"ceiling 'mine' returned shape \(3,\)"):
        pace_path(
            line(1.0),
            PathLimits(velocity=0.3, acceleration=1.0),
            ceilings={"mine": lambda point: np.ones(3)},
        )


def test_wheels_need_to_know_the_heading():
    path, limits = line(1.0), PathLimits(velocity=0.9, acceleration=1.0)
    with pytest.raises(InvalidInput, match="give wheel_ceiling"):
        pace_path(path, limits, mode="position", ceilings={"w": wheel_ceiling(YOUBOT, FASTEST)})
    ceilings = {"w": wheel_ceiling(YOUBOT, FASTEST, heading=pi / 4)}
    timed = pace_path(path, limits, mode="position", ceilings=ceilings)
    assert timed.top_speed == pytest.approx(0.5236, abs=1e-4)


@pytest.mark.parametrize("name", ["velocity", "acceleration", "lateral_acceleration"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan])
def test_a_bad_limit_is_refused_by_name(name, value):
    with pytest.raises(InvalidInput, match=name):
        PathLimits(**{"velocity": 1.0, "acceleration": 1.0} | {name: value})


def test_a_negative_corner_tolerance_is_refused():
    with pytest.raises(InvalidInput, match="corner_tolerance"):
        PathLimits(velocity=1.0, acceleration=1.0, corner_tolerance=-0.1)


def test_no_limit_across_is_infinite():
    circle = PathCurve.circle((0, 0), 0.1, heading=0.0)
    limits = PathLimits(velocity=1.0, acceleration=9.0, lateral_acceleration=math.inf)
    assert pace_path(circle, limits).slowed == ()


def test_an_unknown_mode_is_refused():
    with pytest.raises(InvalidInput, match="'sideways', allowed: 'position'"):
        pace_path(line(1.0), PathLimits(velocity=1, acceleration=1), mode="sideways")  # type: ignore[arg-type]


def test_orientations_that_the_path_does_not_have_are_refused():
    path = PathCurve.through([(0, 0, 0), (1, 0, 0)])
    with pytest.raises(InvalidInput, match="no orientations"):
        pace_path(path, PathLimits(velocity=1, acceleration=1))
    assert pace_path(path, PathLimits(velocity=1, acceleration=1), mode="position").duration > 0


@pytest.mark.parametrize("length", [1e-5, 1e3])
def test_very_short_and_very_long_paths_are_paced_too(length):
    timed = pace_path(line(length), PathLimits(velocity=0.3, acceleration=1.0))
    assert timed.duration == pytest.approx(closed_form(length, 0.3, 1.0), rel=1e-6)


def test_a_time_that_is_no_number_is_refused():
    with pytest.raises(InvalidInput, match="time"):
        pace_path(line(1.0), PathLimits(velocity=1, acceleration=1)).at(math.nan)


def test_limits_hold_in_bends_tighter_than_a_cell():
    path = PathCurve.through([(0, 0), (1.0, 0.0), (0.0, 0.1)])
    assert np.abs(path.curvature(path.marks(1e-4))).max() > 250.0  # a radius of 4 mm
    limits = PathLimits(
        velocity=0.5, acceleration=1.0, lateral_acceleration=0.5, turn_velocity=math.inf
    )
    timed = pace_path(path, limits, step=0.1)
    _, point = dense(timed)
    bend = np.linalg.norm(path.at(point.s).bending, axis=-1)
    assert (point.speed**2 * bend).max() <= 0.5 * (1 + 1e-3)
    assert len(timed.slowed) == 1
