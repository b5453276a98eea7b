"""DH chains of both conventions: frames, Jacobians, limits, dexterity."""

from dataclasses import replace
from math import atan2, hypot, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput, JointLimitViolated, UnknownName
from mecano.kinematics.dh import DHChain, DHJoint, manipulability, manipulability_ellipsoid
from mecano.kinematics.transforms import (
    dh_matrix,
    modified_dh_matrix,
    rotation_x,
    rotation_y,
    rotation_z,
    translation,
)
from mecano.robots.open_manipulator_x.description import TABLE

laws = settings(deadline=None, derandomize=True, max_examples=40)
seeds = st.integers(0, 10_000)


def random_chain(seed: int, n: int = 5) -> DHChain:
    """Return a chain with random rows, kinds, convention, base and tool."""
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-1.0, 1.0, (n, 4)) * (pi, 0.5, 0.5, pi)
    kinds = rng.choice(["revolute", "prismatic"], n)
    return DHChain(
        joints=tuple(
            DHJoint(name=f"joint{i}", theta=theta, d=d, a=a, alpha=alpha, kind=kind)
            for i, ((theta, d, a, alpha), kind) in enumerate(zip(rows, kinds, strict=True))
        ),
        convention=rng.choice(["standard", "modified"]),
        base=translation(*rng.normal(size=3)) @ rotation_x(rng.normal()) @ rotation_z(rng.normal()),
        tool=translation(*rng.normal(size=3)) @ rotation_y(rng.normal()),
    )


def random_posture(seed: int, chain: DHChain) -> np.ndarray:
    return np.random.default_rng(seed + 1).uniform(-pi, pi, len(chain.joints))


def as_modified(standard: DHChain) -> DHChain:
    """Return the modified table of the same arm: each length and twist moves down one row."""
    last = standard.joints[-1]
    before = ((0.0, 0.0), *((joint.a, joint.alpha) for joint in standard.joints[:-1]))
    return replace(
        standard,
        joints=tuple(
            replace(joint, a=a, alpha=alpha)
            for joint, (a, alpha) in zip(standard.joints, before, strict=True)
        ),
        convention="modified",
        tool=translation(x=last.a) @ rotation_x(last.alpha) @ standard.tool,
    )


# --- forward kinematics --------------------------------------------------------------------------


@laws
@given(seed=seeds)
def test_tool_pose_is_the_product_of_the_table(seed):
    chain = random_chain(seed)
    q = random_posture(seed, chain)
    step = dh_matrix if chain.convention == "standard" else modified_dh_matrix
    T = chain.base
    for joint, value in zip(chain.joints, q, strict=True):
        turn, lift = (value, 0.0) if joint.kind == "revolute" else (0.0, value)
        T = T @ step(joint.theta + turn, joint.d + lift, joint.a, joint.alpha)
    np.testing.assert_allclose(chain.forward(q), T @ chain.tool, atol=1e-12)


@laws
@given(seed=seeds)
def test_standard_table_gives_the_same_tool_pose_as_the_modified_table_of_the_arm(seed):
    chain = replace(random_chain(seed), convention="standard")
    q = random_posture(seed, chain)
    np.testing.assert_allclose(as_modified(chain).forward(q), chain.forward(q), atol=1e-12)


def test_modified_table_of_open_manipulator_x_gives_its_tool_pose():
    # Written down by hand from the joint origins, in the convention of Craig's book.
    L2, phi = hypot(0.024, 0.128), atan2(0.128, 0.024)
    craig = DHChain(
        joints=(
            DHJoint(name="joint1", d=0.0595),
            DHJoint(name="joint2", alpha=-pi / 2, theta=-phi),
            DHJoint(name="joint3", a=L2, theta=phi),
            DHJoint(name="joint4", a=0.124),
        ),
        convention="modified",
        base=translation(0.012, 0.0, 0.017),
        tool=translation(x=0.126) @ rotation_x(pi / 2),
    )
    q = np.random.default_rng(2).uniform(TABLE.lower, TABLE.upper, (200, 4))
    np.testing.assert_allclose(craig.forward(q), TABLE.forward(q), atol=1e-14)


@laws
@given(seed=seeds)
@pytest.mark.parametrize("method", ["forward", "link_frames", "joint_frames", "jacobian"])
def test_many_postures_at_once_give_what_one_by_one_gives(method, seed):
    chain = random_chain(seed)
    many = np.random.default_rng(seed).uniform(-pi, pi, (2, 3, 5))
    answers = getattr(chain, method)(many)
    for index in np.ndindex(2, 3):
        np.testing.assert_allclose(answers[index], getattr(chain, method)(many[index]), atol=1e-13)


@laws
@given(seed=seeds)
def test_link_frames_begin_at_the_base_frame(seed):
    chain = random_chain(seed)
    frames = chain.link_frames(random_posture(seed, chain))
    np.testing.assert_allclose(frames[0], chain.base, atol=0)


@laws
@given(seed=seeds)
def test_link_frames_end_at_the_tool(seed):
    chain = random_chain(seed)
    q = random_posture(seed, chain)
    np.testing.assert_allclose(chain.link_frames(q)[-1], chain.forward(q), atol=1e-12)


@laws
@given(seed=seeds)
def test_joint_frames_end_at_the_tool(seed):
    chain = random_chain(seed)
    q = random_posture(seed, chain)
    np.testing.assert_allclose(chain.joint_frames(q)[-1], chain.forward(q), atol=1e-12)


@laws
@given(seed=seeds)
def test_link_frames_are_one_step_apart(seed):
    chain = random_chain(seed)
    q = random_posture(seed, chain)
    frames = chain.link_frames(q)
    for i in range(len(chain.joints)):
        np.testing.assert_allclose(frames[i] @ chain.step(i, q[i]), frames[i + 1], atol=1e-12)


@laws
@given(seed=seeds)
def test_standard_joint_turns_about_the_z_axis_of_the_frame_before_it(seed):
    chain = replace(random_chain(seed), convention="standard")
    q = random_posture(seed, chain)
    axes, frames = chain.joint_frames(q)[:-1], chain.link_frames(q)[:-2]
    np.testing.assert_allclose(axes[:, :3, 2:], frames[:, :3, 2:], atol=1e-12)


@laws
@given(seed=seeds)
def test_modified_joint_turns_about_the_z_axis_of_its_own_frame(seed):
    chain = replace(random_chain(seed), convention="modified")
    q = random_posture(seed, chain)
    axes, frames = chain.joint_frames(q)[:-1], chain.link_frames(q)[1:-1]
    np.testing.assert_allclose(axes[:, :3, 2], frames[:, :3, 2], atol=1e-12)


@laws
@given(seed=seeds, i=st.integers(0, 4))
def test_moving_a_joint_leaves_its_own_axis_where_it_is(seed, i):
    chain = random_chain(seed)
    q = random_posture(seed, chain)
    before = chain.joint_frames(q)[i]
    q[i] += 0.7
    np.testing.assert_allclose(chain.joint_frames(q)[i], before, atol=0)


# --- Jacobian --------------------------------------------------------------------------------


def differences(chain: DHChain, q: np.ndarray, h: float = 1e-6) -> np.ndarray:
    """Return the Jacobian by central differences of the tool pose."""
    R = chain.forward(q)[:3, :3]
    columns = []
    for i in range(len(q)):
        step = h * np.eye(len(q))[i]
        rate = (chain.forward(q + step) - chain.forward(q - step)) / (2 * h)
        spin = rate[:3, :3] @ R.T
        columns.append([*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])
    return np.array(columns).T


@laws
@given(seed=seeds)
@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "mixed"])
def test_jacobian_agrees_with_differences_of_the_pose(kind, convention, seed):
    chain = replace(random_chain(seed), convention=convention)
    if kind != "mixed":
        chain = replace(chain, joints=tuple(replace(joint, kind=kind) for joint in chain.joints))
    q = random_posture(seed, chain)
    np.testing.assert_allclose(chain.jacobian(q), differences(chain, q), atol=2e-8)


def test_jacobian_from_frames_is_the_jacobian():
    chain = random_chain(3)
    q = random_posture(3, chain)
    frames = chain.joint_frames(q)
    np.testing.assert_allclose(chain.jacobian_from_frames(frames), chain.jacobian(q), atol=0)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("q", [[0.1, 0.2, 0.3], [0.0] * 5, np.zeros((2, 3))])
def test_wrong_number_of_joints_says_both_numbers(q):
    given = np.shape(q)[-1]
    with pytest.raises(InvalidInput, match=f"{given} joint values given, 4 needed: joint1, joint2"):
        TABLE.check(q)


def test_single_number_is_refused_with_the_count():
    with pytest.raises(InvalidInput, match="1 joint values given, 4 needed"):
        TABLE.check(0.5)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_value_that_is_not_finite_is_shown(bad):
    with pytest.raises(InvalidInput, match=rf"must be finite, got \[0\.0, {bad}, 0\.0, 0\.0\]"):
        TABLE.forward([0.0, bad, 0.0, 0.0])


@pytest.mark.parametrize("q", [["a", "b", "c", "d"], [0, 0, 0, "left"], [[1], [2, 3]], {"a": 1}])
def test_what_is_no_number_is_refused(q):
    with pytest.raises(InvalidInput, match="must be numbers"):
        TABLE.check(q)


def test_limit_violation_says_joint_value_range_unit():
    with pytest.raises(JointLimitViolated, match=r"'joint3' asked for 1\.5000 rad, allowed "
                       r"\[-0\.9425, 1\.3823\] rad"):  # fmt: skip
        TABLE.check([0.0, 0.0, 1.5, 0.0], limits=True)


def test_limit_violation_carries_its_numbers():
    with pytest.raises(JointLimitViolated) as caught:
        TABLE.check([[0.0, 0.0, 0.0, 0.0], [0.0, -2.0, 0.0, 3.0]], limits=True)
    error = caught.value
    assert (error.joint, error.value) == ("joint2", -2.0)
    assert (error.lower, error.upper) == (TABLE.lower[1], TABLE.upper[1])


def test_limit_of_a_sliding_joint_is_in_metres():
    chain = DHChain(joints=(DHJoint(name="slide", kind="prismatic", lower=0.0, upper=0.2),))
    with pytest.raises(JointLimitViolated, match=r"0\.3000 m, allowed \[0\.0000, 0\.2000\] m"):
        chain.check([0.3], limits=True)


def test_limits_themselves_are_inside_the_limits():
    for q in (TABLE.lower, TABLE.upper):
        np.testing.assert_array_equal(TABLE.check(q, limits=True), q)


def test_forward_kinematics_does_not_ask_for_limits():
    assert np.isfinite(TABLE.forward([9.0, 9.0, 9.0, 9.0])).all()


def test_other_limits_change_only_the_joints_named():
    chain = TABLE.with_limits({"joint2": (-0.1, 0.2)})
    np.testing.assert_array_equal(chain.lower, [TABLE.lower[0], -0.1, *TABLE.lower[2:]])
    np.testing.assert_array_equal(chain.upper, [TABLE.upper[0], 0.2, *TABLE.upper[2:]])


def test_other_limits_leave_the_first_chain_alone():
    before = TABLE.upper.copy()
    TABLE.with_limits({"joint1": (0.0, 0.1)})
    np.testing.assert_array_equal(TABLE.upper, before)


def test_other_limits_keep_base_tool_pose():
    q = [0.3, -0.2, 0.1, 0.4]
    moved = TABLE.with_limits({"joint4": (-1.0, 1.0)})
    np.testing.assert_array_equal(moved.forward(q), TABLE.forward(q))


def test_limits_of_an_unknown_joint_list_the_known_ones():
    with pytest.raises(UnknownName, match="no joint named 'elbow'; known joints: joint1, joint2"):
        TABLE.with_limits({"elbow": (0.0, 1.0)})


# --- dexterity -----------------------------------------------------------------------------------

L2, L3, L4, PHI = hypot(0.024, 0.128), 0.124, 0.126, atan2(0.128, 0.024)


def task_jacobian(q: np.ndarray) -> np.ndarray:
    """Return the rows of the arm's task: three of the point, one of the pitch."""
    J = TABLE.jacobian(q)
    across = np.stack([-np.sin(q[..., 0]), np.cos(q[..., 0]), np.zeros(q.shape[:-1])], axis=-1)
    pitch_row = np.einsum("...i,...ij->...j", across, J[..., 3:, :])
    return np.concatenate([J[..., :3, :], pitch_row[..., None, :]], axis=-2)


def determinant(q: np.ndarray) -> np.ndarray:
    """Return R L2 L3 sin(q3 + phi): R is the tool's distance in front of axis 1."""
    _, q2, q3, q4 = np.moveaxis(q, -1, 0)
    R = L2 * np.cos(q2 - PHI) + L3 * np.cos(q2 + q3) + L4 * np.cos(q2 + q3 + q4)
    return R * L2 * L3 * np.sin(q3 + PHI)


def test_manipulability_is_the_determinant_of_the_task():
    q = np.random.default_rng(4).uniform(-pi, pi, (2000, 4))
    np.testing.assert_allclose(
        manipulability(task_jacobian(q)), np.abs(determinant(q)), atol=1e-15, rtol=1e-10
    )


@pytest.mark.parametrize("q3", [-PHI, pi - PHI])
def test_manipulability_vanishes_where_the_arm_is_straight_or_folded(q3):
    q = np.random.default_rng(5).uniform(-pi, pi, (100, 4))
    q[:, 2] = q3
    assert manipulability(task_jacobian(q)).max() < 1e-15


def test_manipulability_vanishes_where_the_tool_is_on_axis_1():
    q = np.random.default_rng(6).uniform(-pi, pi, (400, 4))
    in_front = L2 * np.cos(q[:, 1] - PHI) + L3 * np.cos(q[:, 1] + q[:, 2])
    q = q[np.abs(in_front) < L4]
    in_front = L2 * np.cos(q[:, 1] - PHI) + L3 * np.cos(q[:, 1] + q[:, 2])
    q[:, 3] = np.arccos(-in_front / L4) - q[:, 1] - q[:, 2]
    assert len(q) > 50
    assert manipulability(task_jacobian(q)).max() < 1e-15


def test_manipulability_is_positive_in_every_other_posture():
    q = np.random.default_rng(7).uniform(-pi, pi, (2000, 4))
    regular = np.abs(determinant(q)) > 1e-9
    assert regular.sum() > 1900
    assert manipulability(task_jacobian(q[regular])).min() > 0.9e-9


matrices = seeds.map(lambda seed: np.random.default_rng(seed).normal(size=(3, 4)))


@laws
@given(J=matrices)
def test_ellipsoid_has_the_volume_that_manipulability_measures(J):
    lengths = manipulability_ellipsoid(J).lengths
    assert np.prod(lengths) == pytest.approx(float(manipulability(J)), rel=1e-9)
    assert np.prod(lengths) == pytest.approx(np.sqrt(np.linalg.det(J @ J.T)), rel=1e-6)


@laws
@given(J=matrices)
def test_ellipsoid_axes_are_a_frame_sorted_by_length(J):
    ellipsoid = manipulability_ellipsoid(J)
    np.testing.assert_allclose(ellipsoid.axes.T @ ellipsoid.axes, np.eye(3), atol=1e-12)
    assert (np.diff(ellipsoid.lengths) <= 0).all()


@laws
@given(J=matrices, seed=seeds)
def test_joint_velocity_of_unit_length_ends_inside_the_ellipsoid(J, seed):
    ellipsoid = manipulability_ellipsoid(J)
    velocities = np.random.default_rng(seed).normal(size=(50, 4))
    velocities /= np.linalg.norm(velocities, axis=1, keepdims=True)
    in_axes = velocities @ J.T @ ellipsoid.axes / ellipsoid.lengths
    assert np.linalg.norm(in_axes, axis=1).max() <= 1 + 1e-9


@laws
@given(J=matrices)
def test_ellipsoid_axis_is_reached_by_a_joint_velocity_of_unit_length(J):
    ellipsoid = manipulability_ellipsoid(J)
    for axis, length in zip(ellipsoid.axes.T, ellipsoid.lengths, strict=True):
        velocity = np.linalg.pinv(J) @ (axis * length)
        assert np.linalg.norm(velocity) == pytest.approx(1.0, rel=1e-9)


def test_ellipsoid_of_too_few_joints_is_flat():
    J = np.random.default_rng(8).normal(size=(3, 2))
    ellipsoid = manipulability_ellipsoid(J)
    assert ellipsoid.lengths[2] == 0.0
    np.testing.assert_allclose(ellipsoid.axes[:, 2] @ J, 0.0, atol=1e-14)


def test_manipulability_of_many_jacobians_is_that_of_each():
    J = np.random.default_rng(9).normal(size=(2, 3, 3, 4))
    many = manipulability(J)
    assert many.shape == (2, 3)
    assert many[1, 2] == pytest.approx(float(manipulability(J[1, 2])))
