"""The closed form of arms with a spherical wrist: every posture found again, every branch exact."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from wrist_tables import ARMS, IRB120, KR6, ODD, PUMA, H, arm

from mecano.core.poses import quaternion_from_matrix
from mecano.kinematics import Chain, IKReason, solve_numerically, solver_for
from mecano.kinematics.dh import DHChain
from mecano.kinematics.ik import IKTarget
from mecano.kinematics.numerical import SolverSettings
from mecano.kinematics.solver import Misfit
from mecano.kinematics.transforms import Array, rotation_x, rotation_y, translation
from mecano.kinematics.wrist_arm import WristArm


def off(found: Array, q: Array) -> Array:
    """Return how far solutions are from a posture, whole turns aside [rad]."""
    return np.abs((found - q + pi) % (2 * pi) - pi).max(axis=1)


def check(chain: DHChain, wrist: WristArm, q: Array, *, limits: bool = True) -> int:
    """Solve the pose of a posture, check every branch, and return how many there are."""
    T = chain.forward(q)
    if limits:
        found = wrist.solve(T[:3, 3], T[:3, :3])
    else:
        free = wrist.branches_without_limits(
            T[:3, 3].tolist(), T[:3, :3].ravel().tolist(), q.tolist()
        )
        found = np.array(free).reshape(-1, 6)
    assert 1 <= len(found) <= 8
    assert np.abs(chain.forward(found) - T).max() < 1e-9
    assert off(found, q).min() < 1e-5
    return len(found)


def postures(chain: DHChain, count: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).uniform(chain.lower, chain.upper, (count, 6))


@pytest.mark.parametrize("name", ARMS)
def test_postures_are_found_again_and_every_branch_is_exact(name):
    wrist = WristArm.from_chain(ARMS[name])
    for q in postures(ARMS[name], 150):
        check(ARMS[name], wrist, q)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["puma", "irb120", "kr6", "odd"])
def test_20000_of_20000_postures_are_found_again(name):
    wrist = WristArm.from_chain(ARMS[name])
    for q in postures(ARMS[name], 20_000, seed=1):
        check(ARMS[name], wrist, q)


def test_puma_without_limits_has_all_eight_branches():
    wrist = WristArm.from_chain(PUMA)
    assert {check(PUMA, wrist, q) for q in postures(PUMA, 100)} == {8}


angles = st.floats(-pi, pi)
lengths = st.one_of(st.just(0.0), st.floats(-0.5, 0.5).map(lambda x: round(x, 3)))
twists = st.one_of(
    st.sampled_from([0.0, H, -H, pi]), st.floats(-3.0, 3.0).map(lambda x: round(x, 2))
)
wrist_twists = st.one_of(st.sampled_from([H, -H]), st.floats(0.3, 2.8).map(lambda x: round(x, 2)))


@st.composite
def tables(draw) -> DHChain:
    """Draw three rows of any kind, then a wrist at right angles or oblique."""
    d = (draw(lengths), draw(lengths), draw(lengths), draw(lengths), 0.0, draw(lengths))
    a = (draw(lengths), draw(lengths), draw(lengths), 0.0, 0.0, 0.0)
    alpha = (
        draw(twists), draw(twists), draw(twists), draw(wrist_twists), draw(wrist_twists), 0.0,
    )  # fmt: skip
    theta = tuple(draw(angles) for _ in range(6))
    return arm(d, a, alpha, theta=theta, tool=rotation_x(0.3) @ translation(y=0.1))


@settings(max_examples=150, deadline=None)
@given(chain=tables(), q=st.tuples(*[angles] * 6).map(np.array))
def test_random_tables_are_solved_or_refused(chain, q):
    try:
        wrist = WristArm.from_chain(chain)
    except Misfit:  # its reason is tested with the solvers
        return
    J = chain.jacobian(q)
    assume(np.linalg.svd(J, compute_uv=False)[-1] > 1e-4)  # where branches meet: tests below
    check(chain, wrist, q, limits=False)


# --- limits and whole turns ------------------------------------------------------------------


def test_solutions_stay_inside_the_limits():
    tight = KR6.with_limits({"joint1": (-1.0, 1.0), "joint3": (0.0, 2.0), "joint6": (-6.0, 6.0)})
    wrist = WristArm.from_chain(tight)
    for q in postures(tight, 100):
        T = tight.forward(q)
        found = wrist.solve(T[:3, 3], T[:3, :3], q)
        assert ((found >= tight.lower) & (found <= tight.upper)).all()
        assert np.abs(found - q).max(axis=1).min() < 1e-6


def test_each_joint_takes_the_whole_turn_nearest_to_the_start():
    chain = PUMA.with_limits(dict.fromkeys(PUMA.names, (-4 * pi, 4 * pi)))
    wrist = WristArm.from_chain(chain)
    for q in postures(chain, 30):
        T = chain.forward(q)
        found = wrist.solve(T[:3, 3], T[:3, :3], q)
        assert len(found) == 8
        assert np.abs(found - q).max() <= pi + 1e-9 or np.abs(found).max() > 3.5 * pi
        assert np.abs(found - q).max(axis=1).min() < 1e-6


# --- where branches meet ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["puma", "irb120", "kr6"])
def test_wrist_in_line_keeps_joint_4_at_the_start(name):
    chain = ARMS[name]
    q = np.array([0.3, 0.4, 0.5, -0.7, 0.0, 1.1])
    answer = Chain(name="arm", dh=chain).inverse(
        chain.forward(q)[:3, 3],
        quaternion=quaternion_from_matrix(chain.forward(q)[:3, :3]).tolist(),
        start=q + np.array([0.0, 0.0, 0.0, 0.2, 0.0, 0.0]),
    )
    assert answer.reached
    nearest = answer.solutions[0]
    assert nearest[3] == pytest.approx(-0.5, abs=1e-6)
    np.testing.assert_allclose(nearest[[0, 1, 2, 4]], q[[0, 1, 2, 4]], atol=1e-6)
    np.testing.assert_allclose(chain.forward(nearest), chain.forward(q), atol=1e-9)
    assert "joint4 and joint6 turn about parallel axes: joint4 was free and kept" in answer.note


def test_wrist_on_axis_1_keeps_joint_1_at_the_start():
    q = np.array([0.4, -0.2, 0.0, 0.3, 0.6, -0.2])
    T = IRB120.forward(q)
    # Joint 3 such that the wrist centre lies on axis 1: the arm leans back over itself.
    region = WristArm.from_chain(IRB120).region
    low, high = 0.0, -pi / 2
    xs = np.linspace(low, high, 2000)
    outs = [region.at(q[1], x)[0] for x in xs]
    q[2] = xs[int(np.argmin(outs))]
    for _ in range(50):  # down to round-off
        out, _, _, (_, (slope, *_)) = region.at(q[1], q[2])
        q[2] -= out / slope if slope else 0.0
    T = IRB120.forward(q)
    found = WristArm.from_chain(IRB120).solve(T[:3, 3], T[:3, :3], q)
    assert len(found)
    assert np.abs(IRB120.forward(found) - T).max() < 1e-9
    assert off(found, q).min() < 1e-6


@pytest.mark.parametrize("chain", [PUMA, IRB120, KR6, ODD])
def test_stretched_elbow_is_found_again(chain):
    wrist = WristArm.from_chain(chain)
    region = wrist.region
    for q2 in (-0.4, 0.3, 1.0):
        xs = np.linspace(-pi, pi, 721)
        dets = np.array([region.slopes(q2, x)[0] for x in xs])
        for k in np.flatnonzero(dets[:-1] * dets[1:] < 0.0):
            low, high = xs[k], xs[k + 1]
            for _ in range(80):
                middle = 0.5 * (low + high)
                same = region.slopes(q2, middle)[0] * region.slopes(q2, low)[0] > 0.0
                low, high = (middle, high) if same else (low, middle)
            q = np.array([0.5, q2, low, 0.4, 0.9, -0.3])
            T = chain.forward(q)
            found = wrist.solve(T[:3, 3], T[:3, :3], q)
            assert len(found)
            assert np.abs(chain.forward(found) - T).max() < 1e-9
            assert off(found, q).min() < 1e-5


# --- why not ---------------------------------------------------------------------------------


def ask(chain: DHChain, T: Array, start: Array | None = None):
    return Chain(name="arm", dh=chain).inverse(
        T[:3, 3], quaternion=quaternion_from_matrix(T[:3, :3]).tolist(), start=start
    )


def test_point_too_far_says_by_how_much():
    answer = ask(IRB120, translation(1.2, 0.0, 0.29) @ rotation_y(pi / 2))
    assert answer.reason is IKReason.TOO_FAR
    # Stretched: 270 mm, the forearm's 310 mm, and the hand's 72 mm in line.
    assert answer.shortfall == pytest.approx(1.2 - 0.27 - np.hypot(0.302, 0.07) - 0.072, abs=1e-6)
    assert "too far" in answer.message


def test_point_too_close_says_by_how_much():
    # The wrist of the Puma stays 150 mm away from axis 1, and the hand is 56 mm long.
    answer = ask(PUMA, translation(0.0, 0.0, 1.0))
    assert answer.reason in (IKReason.TOO_CLOSE, IKReason.ORIENTATION)
    assert answer.shortfall <= 0.151
    np.testing.assert_allclose(
        PUMA.forward(answer.nearest.joints)[:3, 3], answer.nearest.position, atol=1e-9
    )


def test_limit_in_the_way_is_named_with_its_excess():
    tight = KR6.with_limits({"joint1": (-0.5, 0.5)})
    q = np.array([0.9, -0.3, 0.4, 0.2, 0.7, 0.1])
    others = {
        name: (value - 0.6, value + 0.6) for name, value in zip(KR6.names[1:], q[1:], strict=True)
    }
    tight = tight.with_limits(others)
    answer = ask(tight, KR6.forward(q))
    assert answer.reason is IKReason.JOINT_LIMIT
    assert answer.joint == "joint1"
    assert answer.excess == pytest.approx(0.4, abs=1e-9)
    assert "joint1 over its limit by 0.4 rad" in answer.message


def test_failures_give_a_posture_inside_the_limits():
    rng = np.random.default_rng(4)
    chain = PUMA.with_limits(dict.fromkeys(PUMA.names, (-2.0, 2.0)))
    reasons = set()
    for _ in range(40):
        T = chain.forward(rng.uniform(-2, 2, 6))
        T[:3, 3] = rng.uniform(-1.2, 1.2, 3)
        answer = ask(chain, T)
        reasons.add(answer.reason)
        joints = answer.nearest.joints
        assert ((joints >= chain.lower) & (joints <= chain.upper)).all()
        if not answer.reached:
            gap = np.linalg.norm(chain.forward(joints)[:3, 3] - T[:3, 3])
            assert answer.shortfall == pytest.approx(gap, abs=2e-8)
    assert {IKReason.TOO_FAR, IKReason.JOINT_LIMIT} <= reasons


def test_nearest_point_is_no_further_than_a_search_finds():
    rng = np.random.default_rng(5)
    wrist = WristArm.from_chain(KR6)
    for _ in range(10):
        T = KR6.forward(rng.uniform(-pi, pi, 6))
        T[:3, 3] = rng.uniform(-1.5, 1.5, 3)
        if len(wrist.solve(T[:3, 3], T[:3, :3])):
            continue
        held = wrist.nearest_at_orientation(T[:3, 3], T[:3, :3])
        sample = KR6.forward(rng.uniform(-pi, pi, (20_000, 6)))
        centers = sample[:, :3, 3] + sample[:, :3, :3] @ wrist.center_in_tool
        wanted = T[:3, 3] + T[:3, :3] @ wrist.center_in_tool
        assert held.distance <= np.linalg.norm(centers - wanted, axis=1).min() + 1e-9


@pytest.mark.parametrize("bad", [np.inf, np.nan, 1e300])
def test_points_beyond_all_measure_have_no_solution(bad):
    wrist = WristArm.from_chain(PUMA)
    assert wrist.branches([bad, 0.0, 0.0], np.eye(3).ravel().tolist(), [0.0] * 6) == []


# --- second witnesses ------------------------------------------------------------------------


def test_numerical_solver_finds_no_branch_that_the_closed_form_lacks():
    every = SolverSettings(every=True, restarts=60)
    for chain in (PUMA, ODD):
        wrist = WristArm.from_chain(chain)
        q = postures(chain, 1, seed=8)[0]
        T = chain.forward(q)
        found = wrist.solve(T[:3, 3], T[:3, :3])
        searched = solve_numerically(
            chain, IKTarget(T[:3, 3], rotation=T[:3, :3]), start=q, settings=every
        )
        assert all(off(found, each).min() < 1e-4 for each in searched.solutions)


@pytest.mark.bench_peer
@pytest.mark.parametrize("name", ["puma", "irb120", "kr6"])
def test_eaik_finds_as_many_branches(name):
    eaik = pytest.importorskip("eaik.IK_DH")
    # EAIK takes no offsets of theta: theirs are taken as part of the posture.
    chain = replace(ARMS[name], joints=tuple(replace(j, theta=0.0) for j in ARMS[name].joints))
    columns = [np.array([getattr(j, c) for j in chain.joints]) for c in ("alpha", "a", "d")]
    peer = eaik.DhRobot(*columns)
    wrist = WristArm.from_chain(chain)
    compared = 0
    for q in postures(chain, 100, seed=9):
        T = chain.forward(q)
        theirs = np.array([
            each for each in np.reshape(peer.IK(T).Q, (-1, 6))
            if np.abs(chain.forward(each) - T).max() < 1e-5
        ])  # fmt: skip
        if len(theirs) == 0:
            continue
        ours = wrist.solve(T[:3, 3], T[:3, :3])
        distinct = [
            row for i, row in enumerate(theirs) if i == 0 or off(theirs[:i], row).min() > 1e-5
        ]
        assert len(distinct) <= len(ours)
        assert all(off(ours, row).min() < 1e-5 for row in distinct)
        compared += len(distinct) == len(ours)
    assert compared > 90


def test_modified_tables_are_read_as_well():
    # The Puma in Craig's convention: each row's twist and length move one row down.
    alpha, a = (0.0, H, 0.0, -H, H, -H), (0.0, 0.0, 0.4318, 0.0203, 0.0, 0.0)
    joints = tuple(replace(joint, alpha=alpha[i], a=a[i]) for i, joint in enumerate(PUMA.joints))
    chain = DHChain(joints=joints, convention="modified")
    q = postures(PUMA, 1)[0]
    np.testing.assert_allclose(chain.forward(q), PUMA.forward(q), atol=1e-12)
    assert solver_for(chain).kind == "spherical_wrist"
    assert check(chain, WristArm.from_chain(chain), q) == 8
