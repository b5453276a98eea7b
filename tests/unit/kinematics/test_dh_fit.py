"""A table fitted to joint axes moves as the joints do, and is one that solvers recognize."""

from math import inf, pi

import numpy as np
import pytest
import ur_tables
import wrist_tables
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.kinematics import DHChain, fit_dh, solver_for
from mecano.kinematics.six_solver import SixJointSolver
from mecano.kinematics.transforms import Array, rotation_x, rotation_y, rotation_z, translation
from mecano.kinematics.turret_solver import TurretSolver
from mecano.robots.open_manipulator_x.description import ARM as OMX

TOOL = translation(0.3, -0.1, 0.5) @ rotation_y(0.4) @ rotation_x(-1.1)


def motion(axis: Array, point: Array, kind: str, value: float) -> Array:
    """Return the motion of a joint about or along its axis, by Rodrigues' formula."""
    T = np.eye(4)
    if kind == "prismatic":
        T[:3, 3] = axis * value
        return T
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    T[:3, :3] += np.sin(value) * K + (1.0 - np.cos(value)) * K @ K
    T[:3, 3] = point - T[:3, :3] @ point
    return T


def product(axes: Array, points: Array, kinds, tool: Array, q: Array) -> Array:
    """Return the pose of the tool as a product of exponentials."""
    T = np.eye(4)
    for joint in zip(axes, points, kinds, q, strict=True):
        T = T @ motion(*joint)
    return T @ tool


def fit(axes, points, kinds=None, tool=TOOL, limits=None) -> DHChain:
    n = len(axes)
    return fit_dh(
        axes, points, kinds or ("revolute",) * n, [f"j{i}" for i in range(n)],
        limits or [(-3.0, 3.0)] * n, tool,
    )  # fmt: skip


number = st.one_of(st.just(0.0), st.floats(-1.0, 1.0).map(lambda x: round(x, 3)), st.floats(-1, 1))
vector = st.tuples(number, number, number).map(np.array)
along = st.sampled_from([v * s for v in np.eye(3) for s in (1.0, -1.0)])
direction = st.one_of(along, vector.filter(lambda v: np.linalg.norm(v) > 0.1))


@st.composite
def joints(draw):
    """Draw joints whose axes are skew, meet, are parallel or nearly so, the same line, or slide."""
    axes, points, kinds = [], [], []
    for i in range(draw(st.integers(1, 7))):
        axis, point = draw(direction), draw(vector)
        how = draw(st.integers(0, 5)) if i else 0
        if how in (1, 2, 3):  # parallel or opposite
            axis = axes[-1] * draw(st.sampled_from([1.0, -1.0]))
        if how == 2:  # but for an error
            axis = axis + draw(vector) * 10.0 ** draw(st.integers(-13, -2))
        if how in (3, 4):  # on the axis before
            point = points[-1] + axes[-1] * draw(number)
        axes.append(axis / np.linalg.norm(axis))
        points.append(point)
        kinds.append("prismatic" if draw(st.integers(0, 4)) == 0 else "revolute")
    return np.array(axes), np.array(points), kinds


@settings(max_examples=300, deadline=None)
@given(joints=joints(), data=st.data())
def test_fitted_table_moves_as_the_joints_do(joints, data):
    axes, points, kinds = joints
    chain = fit(axes, points, kinds)
    for _ in range(3):
        q = np.array(data.draw(st.tuples(*[st.floats(-pi, pi)] * len(axes))))
        np.testing.assert_allclose(
            chain.forward(q), product(axes, points, kinds, TOOL, q), atol=1e-12
        )
    assert max(abs(joint.d) for joint in chain.joints) < 200.0


@pytest.mark.parametrize("name", [*ur_tables.ARMS, *wrist_tables.ARMS])
def test_tables_survive_the_way_through_their_axes(name):
    table = {**ur_tables.ARMS, **wrist_tables.ARMS}[name]
    frames = table.joint_frames(np.zeros(6))
    chain = fit(frames[:6, :3, 2], frames[:6, :3, 3], tool=frames[6])
    q = np.random.default_rng(0).uniform(-3.0, 3.0, (20, 6))
    np.testing.assert_allclose(chain.forward(q), table.forward(q), atol=1e-12)
    assert solver_for(chain).kind == solver_for(table).kind


def test_ur5_gets_the_numbers_of_its_own_table():
    frames = ur_tables.table("ur5").joint_frames(np.zeros(6))
    chain = fit(frames[:6, :3, 2], frames[:6, :3, 3], tool=frames[6])
    d, a = ([getattr(joint, name) for joint in chain.joints] for name in "da")
    assert d == [0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823]
    assert a == [0.0, -0.425, -0.39225, 0.0, 0.0, 0.0]
    assert [joint.alpha for joint in chain.joints] == [pi / 2, 0.0, 0.0, pi / 2, -pi / 2, 0.0]
    assert not any(joint.theta or joint.beta for joint in chain.joints)
    assert np.array_equal(chain.base, np.eye(4)) and np.array_equal(chain.tool, np.eye(4))


def test_axis_through_the_base_needs_no_base_frame():
    chain = fit([[0.0, 0.0, 2.0]], [[0.0, 0.0, 0.7]], tool=translation(z=0.4) @ rotation_z(0.3))
    assert np.array_equal(chain.base, np.eye(4)) and np.array_equal(chain.tool, np.eye(4))
    assert chain.joints[0].d == 0.4 and chain.joints[0].theta == pytest.approx(0.3)


def test_joints_without_limits_get_a_turn_either_way():
    chain = fit([[0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0]], limits=[(-inf, inf)])
    assert (chain.joints[0].lower, chain.joints[0].upper) == (-2 * pi, 2 * pi)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"axes": [[0.0, 0.0, 0.0]]}, "the axis of joint 'a' has length 0"),
        ({"axes": [[0.0, 0.0]]}, r"axes must have shape \(1, 3\), got \(1, 2\)"),
        ({"anchors": [[0.0, np.nan, 0.0]]}, "anchors must be finite"),
        ({"kinds": ["ball"]}, "joint 'a' is 'ball', allowed: revolute, prismatic"),
        ({"kinds": []}, "1 names, 0 kinds and 1 limits given"),
        ({"kinds": ["prismatic"], "limits": [(-inf, inf)]}, "joint 'a' has limits -inf to inf"),
        ({"limits": [(1.0, -1.0)]}, "the lower limit not above the upper one"),
        ({"tool": np.diag([1.0, 1.0, -1.0, 1.0])}, "no rotation matrix"),
        ({"names": [], "kinds": [], "limits": []}, "at least one joint"),
    ],
)
def test_what_is_no_chain_is_refused(change, message):
    arguments = {
        "axes": [[0.0, 0.0, 1.0]], "anchors": [[0.0, 0.0, 0.0]], "kinds": ["revolute"],
        "names": ["a"], "limits": [(-1.0, 1.0)], "tool": np.eye(4),
    }  # fmt: skip
    with pytest.raises(InvalidInput, match=message):
        fit_dh(**(arguments | change))


# --- files that round ------------------------------------------------------------------------


def rounded(table: DHChain, quarter: float) -> DHChain:
    """Return the chain as a file gives it that writes pi/2 as another number.

    Each link's frame is turned by that number against the one before, about x and about y.
    """
    frames = table.joint_frames(np.zeros(len(table.joints)))
    steps = np.linalg.inv(frames[:-1]) @ frames[1:]
    error = quarter - pi / 2
    T, seen = frames[0], [frames[0]]
    for i, step in enumerate(steps):
        T = T @ step @ rotation_x(error * (-1) ** i) @ rotation_y(error)
        seen.append(T)
    frames = np.array(seen)
    limits = list(zip(table.lower, table.upper, strict=True))
    return fit(frames[:-1, :3, 2], frames[:-1, :3, 3], tool=frames[-1], limits=limits)


def recovered(chain: DHChain, count: int, seed: int = 0) -> None:
    """Find random postures again, every solution exact for the table of the file."""
    solver = solver_for(chain)
    assert isinstance(solver, SixJointSolver)
    for q in np.random.default_rng(seed).uniform(chain.lower, chain.upper, (count, 6)):
        T = chain.forward(q)
        found = solver.exact.branches(T[:3, 3].tolist(), T[:3, :3].ravel().tolist(), q.tolist())
        assert found
        solutions = np.array(found)
        assert np.abs(chain.forward(solutions) - T).max() < 1e-9
        assert np.abs(solutions - q).max(axis=1).min() < 1e-5


@pytest.mark.parametrize("quarter", [1.570796327, 1.5708, 1.57])
@pytest.mark.parametrize("name", ["ur5", "ur5 tilted", "puma", "kr6"])
def test_arms_of_files_that_round_are_solved_exactly(name, quarter):
    chain = rounded({**ur_tables.ARMS, **wrist_tables.ARMS}[name], quarter)
    assert max(abs(joint.d) for joint in chain.joints) < 1.0
    recovered(chain, 12)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "quarter"), [("ur5", 1.5708), ("ur10", 1.570796327)])
def test_thousands_of_postures_of_a_rounded_arm_are_found_again(name, quarter):
    recovered(rounded(ur_tables.ARMS[name], quarter), 4000)


@pytest.mark.parametrize("quarter", [1.5708, 1.57])
def test_turret_arms_of_files_that_round_are_solved_exactly(quarter):
    chain = rounded(OMX.dh, quarter)
    solver = solver_for(chain)
    assert isinstance(solver, TurretSolver) and solver.arm.off > 1e-6
    from mecano.kinematics import IKTarget

    for q in np.random.default_rng(1).uniform(chain.lower, chain.upper, (40, 4)):
        T, pitch = chain.forward(q), solver.pitch(q)
        answer = solver.inverse(IKTarget(T[:3, 3], pitch), q)
        assert answer.reached
        for each in answer.solutions:
            assert np.abs(chain.forward(each)[:3, 3] - T[:3, 3]).max() < 1e-9
            assert abs(solver.pitch(each) - pitch) % (2 * pi) < 1e-9
        assert np.abs(answer.solutions - q).max(axis=1).min() < 1e-5
