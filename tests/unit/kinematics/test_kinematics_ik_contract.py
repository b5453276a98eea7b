"""What inverse kinematics is asked and answers: targets, pitch, messages, chains by name."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.core.poses import matrix_from_rpy
from mecano.kinematics.chain import Chain
from mecano.kinematics.ik import (
    IKReason,
    IKResult,
    IKTarget,
    ToolPose,
    orientation_error,
    pitch_error,
    pitch_of,
)
from mecano.kinematics.transforms import rotation_x, rotation_y, rotation_z
from mecano.robots.open_manipulator_x.description import ARM, TABLE
from mecano.robots.two_link.description import ARM as TWO_LINK

laws = settings(deadline=None, derandomize=True, max_examples=80)
angles = st.floats(-pi, pi)


# --- targets ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ((0.1, 0.2), "must be 3 numbers, got 2"),
        ((0.1, 0.2, 0.3, 0.4), "must be 3 numbers, got 4"),
        (0.5, "must be 3 numbers, got 1"),
        (("a", 0.1, 0.2), "must be 3 numbers, got"),
        ((0.1, np.nan, 0.2), r"must be finite, got \[0.1, nan, 0.2\]"),
        ((np.inf, -np.inf, 0.2), "must be finite"),
    ],
    ids=["two", "four", "one", "text", "nan", "infinite"],
)
def test_position_that_is_no_point_is_refused(position, message):
    with pytest.raises(InvalidInput, match=message):
        ARM.inverse(position, pitch=0.0)


@pytest.mark.parametrize("pitch", ["level", np.nan, np.inf, [0.1, 0.2]])
def test_pitch_that_is_no_number_is_refused(pitch):
    with pytest.raises(InvalidInput, match=r"a pitch \[rad\] must be"):
        ARM.inverse((0.2, 0.0, 0.2), pitch=pitch)


@pytest.mark.parametrize(
    "quaternion", [(1, 0, 0), (1, 0, 0, 0, 0), ("w", 0, 0, 0), (1, 0, 0, np.nan)]
)
def test_quaternion_that_is_no_four_numbers_is_refused(quaternion):
    with pytest.raises(InvalidInput, match=r"a quaternion \(w, x, y, z\) must be"):
        ARM.inverse((0.2, 0.0, 0.2), quaternion=quaternion)


def test_quaternion_of_length_zero_is_refused_with_a_way_out():
    with pytest.raises(InvalidInput, match="length zero is no orientation; none at all is 1 0 0 0"):
        IKTarget.checked((0.2, 0.0, 0.2), quaternion=(0.0, 0.0, 0.0, 0.0))


def test_pitch_together_with_a_quaternion_is_refused():
    with pytest.raises(InvalidInput, match="a pitch or a quaternion, not both"):
        IKTarget.checked((0.2, 0.0, 0.2), pitch=0.0, quaternion=(1.0, 0.0, 0.0, 0.0))


def test_quaternion_becomes_its_rotation():
    target = IKTarget.checked((0.2, 0.0, 0.2), quaternion=(np.cos(0.2), 0.0, 0.0, np.sin(0.2)))
    assert target.rotation is not None
    np.testing.assert_allclose(target.rotation, rotation_z(0.4)[:3, :3], atol=1e-15)


# --- pitch and orientation -------------------------------------------------------------------


@laws
@given(heading=angles, pitch=angles)
def test_pitch_is_read_from_any_heading(heading, pitch):
    R = matrix_from_rpy(np.array([0.0, pitch, heading]))
    assert np.cos(pitch_of(R) - pitch) > 1 - 1e-9 or abs(abs(pitch) - pi / 2) < 1e-9


@laws
@given(heading=angles)
@pytest.mark.parametrize("pitch", [pi / 2, -pi / 2])
def test_nose_straight_up_or_down_is_a_quarter_turn(pitch, heading):
    R = matrix_from_rpy(np.array([0.0, pitch, heading]))
    assert pitch_of(R) == pytest.approx(pitch, abs=1e-7)


def test_nose_down_is_positive():
    assert pitch_of(rotation_y(0.3)[:3, :3]) == pytest.approx(0.3)
    assert rotation_y(0.3)[2, 0] < 0.0


def test_nose_that_points_back_has_half_a_turn():
    assert pitch_of(rotation_y(pi)[:3, :3]) == pytest.approx(pi)


@laws
@given(asked=st.floats(-20, 20), given_=st.floats(-20, 20))
def test_pitch_error_turns_the_asked_pitch_into_the_given_one(asked, given_):
    turn = pitch_error(asked, given_)
    assert -pi < turn <= pi
    assert np.cos(asked + turn - given_) == pytest.approx(1.0, abs=1e-12)


@laws
@given(angle=st.floats(0.0, pi), a=angles, b=angles)
@pytest.mark.parametrize("build", [rotation_x, rotation_y, rotation_z])
def test_orientation_error_is_the_angle_of_the_turn_between(build, angle, a, b):
    R = matrix_from_rpy(np.array([a, b, 0.3]))
    assert orientation_error(R, R @ build(angle)[:3, :3]) == pytest.approx(angle, abs=1e-7)


# --- messages --------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", [None, *IKReason])
def test_every_reason_has_a_sentence(reason):
    pose = ToolPose(np.zeros(3), 0.0, np.zeros(4))
    result = IKResult(np.empty((0, 4)), pose, 0.012, reason, "joint2", 0.25, "rad")
    assert len(result.message) > 10
    assert result.reached == (reason is None)


@pytest.mark.parametrize(
    ("reason", "excess", "unit", "sentence"),
    [
        (IKReason.TOO_FAR, 0.0123, "m", "12.3 mm too far"),
        (IKReason.TOO_CLOSE, 0.0046, "m", "4.6 mm too close to the arm"),
        (IKReason.JOINT_LIMIT, 0.25, "rad", "joint2 over its limit by 0.25 rad (14.3 deg)"),
        (IKReason.JOINT_LIMIT, 0.025, "m", "joint2 over its limit by 0.025 m"),
        (IKReason.PITCH, 0.5, "rad", "pitch out by 28.6 deg"),
        (IKReason.ORIENTATION, 0.1, "rad", "orientation out by 5.7 deg"),
        (IKReason.NOT_CONVERGED, 0.002, "m", "not converged, 2.0 mm short"),
    ],
)
def test_sentence_of_a_reason(reason, excess, unit, sentence):
    pose = ToolPose(np.zeros(3), 0.0, np.zeros(4))
    assert IKResult(np.empty((0, 4)), pose, 0.0, reason, "joint2", excess, unit).message == sentence


@pytest.mark.parametrize(("count", "words"), [(1, "1 solution inside"), (3, "3 solutions inside")])
def test_number_of_solutions_is_told(count, words):
    pose = ToolPose(np.zeros(3), 0.0, np.zeros(4))
    assert words in IKResult(np.zeros((count, 4)), pose).message


def test_note_follows_the_sentence():
    pose = ToolPose(np.zeros(3), 0.0, np.zeros(4))
    assert IKResult(np.zeros((1, 4)), pose, note="mind the cat").message.endswith("; mind the cat")


def test_reason_codes_are_stable():
    assert {"too_far", "too_close", "joint_limit", "pitch", "orientation", "singular",
            "not_converged"} <= {reason.value for reason in IKReason}  # fmt: skip


# --- chains by name --------------------------------------------------------------------------


def test_solutions_are_ordered_by_distance_to_the_start():
    wide = Chain(name="arm", dh=TABLE.with_limits(dict.fromkeys(TABLE.names, (-pi, pi))))
    rng = np.random.default_rng(50)
    for q, start in rng.uniform(-pi, pi, (50, 2, 4)):
        point, pitch = wide.forward(q)[:3, 3], float(q[1:].sum())
        found = wide.inverse(point, pitch=pitch, start=start).solutions
        distances = np.linalg.norm(found - start, axis=-1)
        assert len(found) > 1
        assert (np.diff(distances) >= 0).all()


def test_nearest_of_a_reached_target_is_its_first_solution():
    result = ARM.inverse((0.1, 0.1, 0.2), pitch=0.1)
    np.testing.assert_array_equal(result.nearest.joints, result.solutions[0])
    np.testing.assert_array_equal(result.nearest.position, (0.1, 0.1, 0.2))
    assert (result.nearest.pitch, result.shortfall, result.excess) == (0.1, 0.0, 0.0)


def test_start_with_the_wrong_number_of_joints_is_refused():
    with pytest.raises(InvalidInput, match="3 joint values given, 4 needed"):
        ARM.inverse((0.1, 0.1, 0.2), start=(0.0, 0.0, 0.0))


def test_start_that_is_many_postures_is_refused():
    wide = replace(ARM, dh=TABLE.with_limits(dict.fromkeys(TABLE.names, (-pi, pi))))
    with pytest.raises(InvalidInput):
        wide.inverse((0.1, 0.1, 0.2), pitch=0.0, start=np.zeros((2, 4)))


def test_numerical_chain_has_no_closed_form():
    with pytest.raises(InvalidInput, match="chain 'arm' has no closed form"):
        _ = TWO_LINK.turret


def test_numerical_chain_solves_by_search():
    result = TWO_LINK.inverse((0.3, 0.1, 0.0))
    np.testing.assert_allclose(
        TWO_LINK.forward(result.solutions[0])[:3, 3], (0.3, 0.1, 0.0), atol=1e-7
    )


def test_search_begins_inside_limits_that_exclude_zero():
    chain = replace(TWO_LINK, dh=TWO_LINK.dh.with_limits({"joint2": (0.5, 2.0)}))
    point = chain.forward((0.3, 1.2))[:3, 3]
    result = chain.inverse(point)
    assert result.reached
    np.testing.assert_allclose(result.solutions[0], (0.3, 1.2), atol=1e-5)


def test_pitch_of_a_posture_is_the_sum_of_its_tilts():
    assert ARM.pitch((0.7, 0.2, -0.4, 0.5)) == pytest.approx(0.3)


def test_joint_names_run_from_base_to_tool():
    assert ARM.joint_names == ("joint1", "joint2", "joint3", "joint4")
