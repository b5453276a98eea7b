"""Turret arms that roll their hand: every branch, the plane of the nose, and why not."""

from dataclasses import replace
from functools import cache
from itertools import product
from math import asin, pi

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.poses import matrix_from_rpy, quaternion_from_matrix, wrap_angle
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.ik import IKReason, IKTarget, orientation_error, pitch_error
from mecano.kinematics.numerical import SolverSettings, solve_numerically
from mecano.kinematics.rolling_turret import RollJoint, split_roll
from mecano.kinematics.transforms import Array, rotation_z, translation
from mecano.robots.open_manipulator_x.description import ARM as FOUR_JOINTS
from mecano.robots.two_link.description import ARM as TWO_LINK
from mecano.robots.widowx.description import ARM, ARM_PAPER, BETA, D2, L3, TABLE, TOOL

FREE = replace(ARM, dh=TABLE.with_limits({name: (-pi, pi) for name in TABLE.names}))
"""The arm without limits: a whole turn for every joint."""
# Another build: joints and roll turn the other way round, all links lean, the axis stands aside.
OTHER = Chain(
    name="other",
    dh=DHChain(
        joints=(
            DHJoint(name="a", d=-0.1, a=0.02, alpha=-pi / 2, theta=0.5),
            DHJoint(name="b", a=0.15, theta=-1.2, lower=-2.0, upper=1.0),
            DHJoint(name="c", a=0.14, theta=pi / 2, lower=-1.5, upper=2.0),
            DHJoint(name="d", theta=0.3 - pi / 2, alpha=pi / 2, lower=-2.0, upper=2.0),
            DHJoint(name="e", d=-0.11, theta=pi, lower=-1.0, upper=4.0),
        ),
        base=translation(0.1, 0.2, 0.3) @ rotation_z(0.4),
        tool=np.array([[0.0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]]),
    ),
)
CHAINS = {"arm": ARM, "paper": ARM_PAPER, "free": FREE, "other": OTHER}
every_chain = pytest.mark.parametrize("name", CHAINS)


def postures(chain: Chain, count: int, seed: int = 90) -> Array:
    rng = np.random.default_rng(seed)
    return rng.uniform(chain.dh.lower, chain.dh.upper, (count, len(chain.dh.joints)))


def wxyz(R: Array) -> list[float]:
    return quaternion_from_matrix(R).tolist()


def apart(solutions: Array, q: Array) -> float:
    """Return how far the nearest solution is from a posture, whole turns aside [rad]."""
    return float(np.abs(wrap_angle(solutions - q)).max(axis=1).min())


# --- laws ------------------------------------------------------------------------------------


@cache
def solved(name: str) -> list[tuple[Array, Array, Array]]:
    """Return random postures, their poses and the solutions for them."""
    chain, answers = CHAINS[name], []
    for q in postures(chain, 2000):
        T = chain.forward(q)
        answers.append((q, T, chain.inverse(T[:3, 3], quaternion=wxyz(T[:3, :3])).solutions))
    return answers


@every_chain
def test_every_solution_for_a_pose_gives_the_pose(name):
    chain = CHAINS[name]
    for _, T, solutions in solved(name):
        assert 1 <= len(solutions) <= 4
        # Nearer to the turning axis than a millimetre the heading takes on the point's round-off.
        near_axis = np.hypot(T[0, 3] - chain.turret.axis_x, T[1, 3] - chain.turret.axis_y) < 1e-3
        misses = np.abs(chain.forward(solutions) - T)
        assert misses.max() < (1e-9 if near_axis else 1e-12)


@every_chain
def test_posture_is_among_the_solutions_for_its_pose(name):
    for q, _, solutions in solved(name):
        assert apart(solutions, q) < 1e-6


@every_chain
def test_solutions_have_the_asked_point_pitch_and_roll(name):
    chain = CHAINS[name]
    for q in postures(chain, 500, seed=91):
        point, pitch, roll = chain.forward(q)[:3, 3], chain.pitch(q), chain.roll(q)
        assert roll is not None
        result = chain.inverse(point, pitch=pitch, roll=roll)
        assert 1 <= len(result.solutions) <= 4
        assert apart(result.solutions, q) < 1e-6
        for each in result.solutions:
            np.testing.assert_allclose(chain.forward(each)[:3, 3], point, atol=1e-12)
            assert abs(pitch_error(pitch, chain.pitch(each))) < 1e-9
            assert abs(pitch_error(roll, chain.roll(each) or 0.0)) < 1e-9


@every_chain
def test_solutions_are_inside_the_limits(name):
    chain = CHAINS[name]
    for q in postures(chain, 300, seed=92):
        T = chain.forward(q)
        for each in chain.inverse(T[:3, 3], quaternion=wxyz(T[:3, :3])).solutions:
            chain.dh.check(each, limits=True)


@every_chain
def test_solution_nearest_to_the_start_comes_first(name):
    chain = CHAINS[name]
    for q, start in zip(postures(chain, 200), postures(chain, 200, seed=93), strict=True):
        T = chain.forward(q)
        found = chain.inverse(T[:3, 3], quaternion=wxyz(T[:3, :3]), start=start).solutions
        distances = np.linalg.norm(found - start, axis=1)
        assert (np.diff(distances) >= -1e-12).all()


@every_chain
def test_pitch_and_roll_with_the_heading_are_the_orientation(name):
    chain = CHAINS[name]
    turret = chain.turret
    for q in postures(chain, 300, seed=94):
        heading = q[0] * turret.signs[0] + turret.offsets[0]
        R = matrix_from_rpy(np.array([chain.roll(q), chain.pitch(q), heading]))
        np.testing.assert_allclose(R, chain.forward(q)[:3, :3], atol=1e-12)


# --- the four branches, by the corrected formulas of the paper -------------------------------


def by_the_paper(T: Array, s: int, e: int) -> Array:
    """Return joint values by the corrected equations, for poses from the shoulder. Shape (n, 5).

    A second way to the same answer: the fact sheet of CRUMB, section 5.
    """
    a, n = T[:, :3, 0], T[:, :3, 2]
    wrist = T[:, :3, 3] - TOOL * a
    q1 = np.arctan2(s * wrist[:, 1], s * wrist[:, 0])
    c1, s1 = np.cos(q1), np.sin(q1)
    r, z = wrist[:, 0] * c1 + wrist[:, 1] * s1, wrist[:, 2]
    k, k1, k2 = r**2 + z**2 + D2**2 - L3**2, 2 * r * D2, 2 * z * D2
    root = np.sqrt(np.maximum(k1**2 + k2**2 - k**2, 0.0))
    q2 = BETA + np.arctan2(k1, k2) - np.arctan2(k, e * root)
    u = np.arctan2(-z - D2 * np.sin(q2 - BETA), r - D2 * np.cos(q2 - BETA))
    along = a[:, 0] * c1 + a[:, 1] * s1
    k3 = np.sin(u) * along + np.cos(u) * a[:, 2]
    k4 = along * np.cos(u) - a[:, 2] * np.sin(u)
    q4 = np.arctan2(k3, k4)
    delta = u - q4
    up = np.sin(delta) * (n[:, 0] * c1 + n[:, 1] * s1) + np.cos(delta) * n[:, 2]
    q5 = np.arctan2(n[:, 0] * s1 - n[:, 1] * c1, up)
    return wrap_angle(np.stack([q1, q2, q2 - u, q4, q5], axis=-1))


@cache
def twenty_thousand() -> tuple[Array, Array, Array]:
    """Return postures, their poses, and the four branches of the paper's formulas (n, 4, 5)."""
    q = postures(ARM, 20_000, seed=95)
    T = ARM.forward(q)
    from_shoulder = T.copy()
    from_shoulder[:, 2, 3] -= 0.125
    signs = product((1, -1), (1, -1))
    return q, T, np.stack([by_the_paper(from_shoulder, s, e) for s, e in signs], axis=1)


def test_corrected_formulas_of_the_paper_find_every_posture():
    q, T, branches = twenty_thousand()
    assert np.abs(wrap_angle(branches - q[:, None])).max(axis=-1).min(axis=1).max() < 1e-5
    wrong = np.abs(FREE.forward(branches) - T[:, None]).max(axis=(1, 2, 3))
    assert (wrong < 1e-9).mean() > 0.999  # the rest is next to the turning axis


def test_all_four_branches_of_20_000_poses_are_found():
    _, T, branches = twenty_thousand()
    for pose, wanted in zip(T, branches, strict=True):
        found = FREE.inverse(pose[:3, 3], quaternion=wxyz(pose[:3, :3])).solutions
        gaps = np.abs(wrap_angle(wanted[:, None] - found[None])).max(axis=-1)
        assert len(found) == 4
        assert gaps.min(axis=1).max() < 1e-4


def test_branches_inside_the_limits_are_those_that_are_returned():
    _, T, branches = twenty_thousand()
    inside = (
        (branches >= ARM.dh.lower - 1e-7) & (branches <= ARM.dh.upper + 1e-7)
    ).all(axis=-1).sum(axis=1)  # fmt: skip
    counts = [
        len(ARM.inverse(pose[:3, 3], quaternion=wxyz(pose[:3, :3])).solutions) for pose in T[:3000]
    ]
    assert (inside[:3000] == counts).all()


# --- pitch and roll --------------------------------------------------------------------------


@pytest.mark.parametrize("roll", [-2.6, -1.7, 0.0, 0.4, 1.8, 2.6])
def test_pitch_does_not_change_with_the_roll(roll):
    assert ARM.pitch([0.3, 0.4, 0.4, -1.2, roll]) == pytest.approx(1.2)


def test_nose_past_the_vertical_has_more_than_a_quarter_turn():
    assert ARM.pitch([0.0, 1.2, -0.2, -1.0, 2.5]) == pytest.approx(2.4)


def test_roll_that_is_not_given_is_upright():
    result = ARM.inverse([0.25, 0.05, 0.2], pitch=0.3)
    assert result.reached
    assert (result.solutions[:, 4] == 0.0).all()
    assert ARM.forward(result.solutions[0])[2, 1] == pytest.approx(0.0, abs=1e-15)


def test_roll_may_come_without_a_pitch():
    result = ARM.inverse([0.25, 0.05, 0.2], roll=0.7)
    assert result.reached
    assert ARM.roll(result.solutions[0]) == pytest.approx(0.7)
    assert "pitch was free" in result.message


@pytest.mark.parametrize("turns", [-2, -1, 1, 3])
def test_whole_turns_of_the_roll_make_no_difference(turns):
    result = ARM.inverse([0.25, 0.05, 0.2], pitch=0.3, roll=0.5 + 2 * pi * turns)
    assert result.solutions[:, 4] == pytest.approx(0.5)


def test_joint_with_more_than_a_turn_rolls_to_the_value_nearest_to_the_start():
    wide = replace(ARM, dh=TABLE.with_limits({"arm_5_joint": (-7.0, 7.0)}))
    for start, value in ((0.0, 0.5), (4.5, 0.5 + 2 * pi), (-6.9, 0.5 - 2 * pi)):
        posture = [0.0, 0.0, 0.0, 0.0, start]
        solutions = wide.inverse([0.25, 0.05, 0.2], pitch=0.3, roll=0.5, start=posture).solutions
        assert solutions[0, 4] == pytest.approx(value)


def test_roll_on_the_limit_is_reached_in_spite_of_round_off():
    hand = RollJoint("hand", -1.0, -2.617, 2.617)
    assert hand.value(2.617 + 1e-12) == -2.617
    assert hand.value(2.618) is None


def test_roll_of_a_chain_that_cannot_roll_is_none():
    assert FOUR_JOINTS.roll([0.0, 0.0, 0.0, 0.0]) is None


# --- why not ---------------------------------------------------------------------------------


def beside_the_plane(rng: np.random.Generator, point: Array) -> tuple[Array, float]:
    """Return a random orientation that is not possible at a point, and its nose's angle off."""
    while True:
        R, heading = matrix_from_rpy(rng.uniform(-pi, pi, 3)), np.arctan2(point[1], point[0])
        off = asin(abs(R[0, 0] * np.sin(heading) - R[1, 0] * np.cos(heading)))
        if off > 0.01:
            return R, off


def test_orientation_beside_the_plane_is_out_by_the_angle_of_the_nose_to_it():
    rng = np.random.default_rng(196)
    seen = 0
    for q in postures(ARM, 300, seed=96):
        point = ARM.forward(q)[:3, 3]
        R, off = beside_the_plane(rng, point)
        result = ARM.inverse(point, quaternion=wxyz(R))
        assert not result.reached
        assert result.reason is IKReason.ORIENTATION
        assert result.excess >= off - 1e-9
        seen += result.excess < off + 1e-9
    assert seen > 30  # in the others reach or limits forbid the nearest in the plane


def test_nearest_pose_keeps_the_point_and_is_out_by_the_excess():
    rng = np.random.default_rng(197)
    for q in postures(ARM, 300, seed=97):
        point = ARM.forward(q)[:3, 3]
        R, _ = beside_the_plane(rng, point)
        result = ARM.inverse(point, quaternion=wxyz(R))
        T = ARM.forward(ARM.dh.check(result.nearest.joints, limits=True))
        np.testing.assert_allclose(T[:3, 3], point, atol=1e-6)
        assert orientation_error(R, T[:3, :3]) == pytest.approx(result.excess, abs=1e-6)
        assert ARM.pitch(result.nearest.joints) == pytest.approx(result.nearest.pitch, abs=1e-6)
        assert ARM.roll(result.nearest.joints) == pytest.approx(result.nearest.roll)


def test_no_pitch_and_roll_of_a_grid_come_nearer_than_the_nearest_orientation():
    rng = np.random.default_rng(198)
    grid = list(product(np.linspace(-pi, pi, 73), np.linspace(-2.617, 2.617, 41)))
    for q in postures(ARM, 12, seed=98):
        point = ARM.forward(q)[:3, 3]
        R, _ = beside_the_plane(rng, point)
        result = ARM.inverse(point, quaternion=wxyz(R))
        reachable = {p: ARM.turret.solve(point, p)[:, 0] for p, _ in grid}
        for pitch, roll in grid:
            for heading in reachable[pitch]:
                other = matrix_from_rpy(np.array([roll, pitch, heading]))
                assert orientation_error(R, other) > result.excess - 1e-6


def test_message_tells_the_plane_and_the_nearest_orientation():
    result = ARM.inverse([0.2, 0.1, 0.2], quaternion=[1.0, 0.0, 0.0, 0.0])
    assert result.excess == pytest.approx(np.arctan2(1, 2))
    assert result.message == (
        "orientation out by 26.6 deg; at this point the nose must lie in the vertical plane of "
        "heading 26.6 deg, at any pitch and roll that the joints allow: pitch 0 rad and roll 0 rad "
        "come nearest"
    )


def test_orientation_typed_with_four_digits_is_still_the_one_it_means():
    T = ARM.forward([0.5, 0.4, 0.4, -1.2, 0.7])
    typed = [round(value, 4) for value in wxyz(T[:3, :3])]
    assert ARM.inverse(T[:3, 3], quaternion=typed).reached


@pytest.mark.parametrize("over", [0.05, 0.3])
@pytest.mark.parametrize("side", [1, -1])
def test_roll_over_its_limit_names_the_joint_and_by_how_much(over, side):
    roll = side * (2.617 + over)
    result = ARM.inverse([0.25, 0.05, 0.2], pitch=0.3, roll=roll)
    assert (result.reason, result.joint) == (IKReason.JOINT_LIMIT, "arm_5_joint")
    assert result.excess == pytest.approx(over)
    assert result.solutions.shape == (0, 5)
    assert result.shortfall == 0.0
    assert result.nearest.roll == pytest.approx(side * 2.617)
    assert "the hand can roll from -2.617 to 2.617 rad" in result.message


def test_roll_over_its_limit_is_the_reason_for_a_whole_orientation_too():
    T = FREE.forward([0.5, 0.4, 0.4, -1.2, 2.7])
    result = ARM.inverse(T[:3, 3], quaternion=wxyz(T[:3, :3]))
    assert (result.reason, result.joint) == (IKReason.JOINT_LIMIT, "arm_5_joint")
    assert result.excess == pytest.approx(2.7 - 2.617)
    assert result.nearest.roll == pytest.approx(2.617)


def test_limit_of_another_joint_is_the_reason_for_a_whole_orientation():
    T = FREE.forward([0.5, 0.4, 0.4, -1.9, 0.3])
    result = ARM.inverse(T[:3, 3], quaternion=wxyz(T[:3, :3]))
    assert (result.reason, result.joint) == (IKReason.JOINT_LIMIT, "arm_4_joint")
    assert result.excess == pytest.approx(1.9 - 1.745)
    np.testing.assert_allclose(ARM.forward(result.nearest.joints)[:3, 3], T[:3, 3], atol=1e-6)


def test_worst_of_two_broken_limits_is_named():
    T = FREE.forward([0.5, 0.4, 0.4, -1.9, 0.3])
    result = ARM.inverse(T[:3, 3], pitch=1.9, roll=3.0)
    assert (result.reason, result.joint) == (IKReason.JOINT_LIMIT, "arm_5_joint")
    assert ARM.inverse(T[:3, 3], pitch=1.9, roll=0.3).joint == "arm_4_joint"


def test_orientation_in_the_plane_that_the_links_cannot_form_is_out_by_its_pitch():
    result = ARM.inverse([0.42, 0.0, 0.2], quaternion=wxyz(matrix_from_rpy(np.array([0, -1.5, 0]))))
    assert result.reason is IKReason.PITCH
    np.testing.assert_allclose(result.nearest.position, [0.42, 0.0, 0.2], atol=1e-6)
    assert result.excess == pytest.approx(abs(result.nearest.pitch + 1.5))


@pytest.mark.parametrize("how", [{}, {"pitch": 0.3}, {"pitch": 0.3, "roll": 0.5}, {"roll": -2.0},
                                 {"quaternion": [1.0, 0.0, 0.0, 0.0]}])  # fmt: skip
def test_point_too_far_is_too_far_however_it_is_asked(how):
    result = ARM.inverse([0.9, 0.0, 0.2], **how)
    assert result.reason is IKReason.TOO_FAR
    assert result.solutions.shape == (0, 5)
    assert result.nearest.joints.shape == (5,)
    assert ARM.roll(result.nearest.joints) == pytest.approx(how.get("roll", 0.0))
    position = ARM.forward(result.nearest.joints)[:3, 3]
    assert np.linalg.norm(position - [0.9, 0.0, 0.2]) == pytest.approx(result.shortfall)


def test_answers_with_a_pitch_are_those_of_the_arm_without_its_roll():
    four = Chain(name="four", dh=split_roll(TABLE)[0])
    rng = np.random.default_rng(99)
    reasons = set()
    for point in rng.uniform([-0.5, -0.5, -0.3], [0.5, 0.5, 0.7], (300, 3)):
        pitch = float(rng.uniform(-pi, pi))
        ours, theirs = ARM.inverse(point, pitch=pitch, roll=0.4), four.inverse(point, pitch=pitch)
        assert (ours.reason, ours.joint, ours.message) == (
            theirs.reason, theirs.joint, theirs.message,
        )  # fmt: skip
        assert ours.shortfall == theirs.shortfall
        np.testing.assert_array_equal(ours.solutions[:, :4], theirs.solutions)
        np.testing.assert_array_equal(ours.nearest.joints, [*theirs.nearest.joints, 0.4])
        reasons.add(ours.reason)
    assert reasons >= {None, IKReason.TOO_FAR, IKReason.JOINT_LIMIT, IKReason.PITCH}


def test_arm_reaches_over_its_back_for_an_orientation():
    q = [1.0, -1.5, -0.5, 0.2, 1.9]
    T = FREE.forward(q)
    assert T[0, 3] * np.cos(1.0) + T[1, 3] * np.sin(1.0) < 0.0
    assert apart(ARM.inverse(T[:3, 3], quaternion=wxyz(T[:3, :3])).solutions, np.array(q)) < 1e-9


# --- on the turning axis ---------------------------------------------------------------------


def on_axis(chain: Chain) -> tuple[Array, Array]:
    """Return a posture with the tool on the turning axis, and its pose."""
    first = chain.inverse([0.0, 0.0, 0.45], pitch=-1.0)
    q = np.array([0.8, *first.solutions[0, 1:4], 0.6])
    return q, chain.forward(q)


def test_on_the_turning_axis_the_heading_is_that_of_the_nose():
    q, T = on_axis(ARM)
    result = ARM.inverse([0.0, 0.0, 0.45], quaternion=wxyz(T[:3, :3]))
    assert apart(result.solutions, q) < 1e-6
    assert "any heading is possible" in result.message


def test_on_the_turning_axis_no_orientation_is_beside_the_plane():
    _, T = on_axis(ARM)
    for heading in np.linspace(-3.0, 3.0, 13):
        R = rotation_z(heading)[:3, :3] @ T[:3, :3]
        result = ARM.inverse([0.0, 0.0, 0.45], quaternion=wxyz(R))
        assert result.reason is not IKReason.ORIENTATION
        for q in result.solutions:
            np.testing.assert_allclose(ARM.forward(q)[:3, :3], R, atol=1e-9)


@pytest.mark.parametrize("turn", np.linspace(-pi, pi, 9))
def test_hand_straight_up_on_the_axis_shares_the_turn_between_joint_1_and_the_roll(turn):
    R = rotation_z(turn)[:3, :3] @ matrix_from_rpy(np.array([0.0, -pi / 2, 0.0]))
    result = ARM.inverse([0.0, 0.0, 0.5], quaternion=wxyz(R))
    assert result.reached, result.message
    for q in result.solutions:
        np.testing.assert_allclose(ARM.forward(q)[:3, :3], R, atol=1e-7)


def test_heading_that_joint_1_cannot_take_on_the_axis_breaks_its_limit():
    narrow = replace(ARM, dh=TABLE.with_limits({"arm_1_joint": (-0.2, 0.2)}))
    _, T = on_axis(ARM)
    result = narrow.inverse([0.0, 0.0, 0.45], quaternion=wxyz(T[:3, :3]))
    assert (result.reason, result.joint) == (IKReason.JOINT_LIMIT, "arm_1_joint")
    assert result.excess == pytest.approx(0.6, abs=1e-6)


# --- the numerical solver --------------------------------------------------------------------


def test_numerical_solver_finds_the_same_solutions():
    for q in postures(ARM, 10, seed=100):
        T = ARM.forward(q)
        exact = ARM.inverse(T[:3, 3], quaternion=wxyz(T[:3, :3])).solutions
        target = IKTarget.checked(T[:3, 3], quaternion=wxyz(T[:3, :3]))
        searched = solve_numerically(
            ARM.dh, target, start=np.zeros(5), settings=SolverSettings(every=True)
        ).solutions
        assert len(searched)
        for each in searched:
            assert apart(exact, each) < 1e-3


def test_numerical_solver_agrees_on_an_orientation_that_is_not_possible():
    target = IKTarget.checked([0.2, 0.1, 0.2], quaternion=[1.0, 0.0, 0.0, 0.0])
    result = solve_numerically(ARM.dh, target, start=np.zeros(5))
    assert result.reason is IKReason.ORIENTATION
    assert result.excess == pytest.approx(np.arctan2(1, 2), abs=1e-3)


# --- in symbols ------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["arm", "other"])
def derived(request):
    pytest.importorskip("sympy")
    from mecano.kinematics.symbolic import derive_chain

    chain = CHAINS[request.param]
    return chain, derive_chain(chain)


def test_product_of_the_five_steps_in_symbols_is_the_wrist(derived):
    chain, derivation = derived
    for q in postures(chain, 20):
        expected = chain.dh.link_frames(q)
        T_base_5 = chain.dh.base @ derivation.evaluate(derivation.closed_form, q)
        np.testing.assert_allclose(T_base_5, expected[5], atol=1e-12)


def test_inverse_in_symbols_leads_back_to_the_posture(derived):
    chain, derivation = derived
    for q in postures(chain, 50):
        point, pitch, roll = chain.forward(q)[:3, 3], chain.pitch(q), chain.roll(q)
        branches = [
            derivation.follow_inverse(point, pitch, roll, s=s, e=e) for s, e in derivation.branches
        ]
        found = [[each[f"q{i}"] for i in range(1, 6)] for each in branches if each["reachable"]]
        assert apart(np.array(found), q) < 1e-9


def test_determinant_in_symbols_is_zero_where_the_arm_is_straight(derived):
    chain, derivation = derived
    straight = next(step for step in derivation.singularities if step.name == "straight")
    q = postures(chain, 1)[0]
    q[2] = float(straight.expression.rhs.subs(derivation.values))
    assert float(derivation.evaluate(derivation.determinant, q)) == pytest.approx(0.0, abs=1e-15)


# --- bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize("roll", ["upright", np.nan, np.inf, [0.1, 0.2]])
def test_roll_that_is_no_number_is_refused(roll):
    with pytest.raises(InvalidInput, match=r"a roll \[rad\] must be"):
        ARM.inverse([0.25, 0.0, 0.2], pitch=0.0, roll=roll)


def test_roll_together_with_a_quaternion_is_refused():
    with pytest.raises(InvalidInput, match="a roll or a quaternion, not both"):
        ARM.inverse([0.25, 0.0, 0.2], roll=0.1, quaternion=[1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("chain", [FOUR_JOINTS, TWO_LINK])
def test_roll_of_an_arm_that_cannot_roll_is_refused(chain):
    with pytest.raises(InvalidInput, match="rolls the tool about its nose; leave the roll out"):
        chain.inverse([0.2, 0.0, 0.1], roll=0.1)


def test_upright_is_no_roll_and_allowed_for_four_joints():
    result = FOUR_JOINTS.inverse([0.2, 0.0, 0.1], pitch=0.3, roll=0.0)
    np.testing.assert_array_equal(
        result.solutions, FOUR_JOINTS.inverse([0.2, 0.0, 0.1], pitch=0.3).solutions
    )


def test_numerical_solver_refuses_a_roll():
    with pytest.raises(InvalidInput, match="takes no roll"):
        solve_numerically(ARM.dh, IKTarget(np.zeros(3), roll=0.0), start=np.zeros(5))


def test_start_of_four_values_is_refused():
    with pytest.raises(InvalidInput, match="4 joint values given, 5 needed"):
        ARM.inverse([0.25, 0.0, 0.2], start=[0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("tool", [TABLE.tool @ translation(z=0.01), TABLE.tool @ rotation_z(0.3)])
def test_chain_whose_last_joint_is_no_roll_is_refused(tool):
    with pytest.raises(InvalidInput, match="arm_5_joint must turn about the tool's x axis"):
        split_roll(replace(TABLE, tool=tool))
