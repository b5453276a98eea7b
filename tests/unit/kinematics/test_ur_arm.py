"""The closed form of UR arms: nothing wrong, nothing missed, one by one or in a batch."""

from dataclasses import replace
from functools import cache
from math import cos, pi, sin

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from ur_tables import ARMS, EVEN, FLANGE, table

from mecano.core.errors import InvalidInput
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.ik import IKTarget
from mecano.kinematics.numerical import SolverSettings, solve_numerically
from mecano.kinematics.six_motion import aim_at, pose_of, settle
from mecano.kinematics.transforms import Array, rotation_x, rotation_y, rotation_z, translation
from mecano.kinematics.ur_arm import URArm, nearest_turn

TURN = 2 * pi
every_arm = pytest.mark.parametrize("name", ARMS)


@cache
def solved(name: str) -> tuple[DHChain, URArm, Array, Array, Array, NDArray[np.int64]]:
    """Return an arm, random postures, their poses, all solutions near zero and their numbers."""
    chain = ARMS[name]
    arm = URArm.from_chain(chain)
    count = 20_000 if name == "ur5" else 3_000
    q = np.random.default_rng(9).uniform(chain.lower, chain.upper, (count, 6))
    T = chain.forward(q)
    solutions, counts = arm.solve_batch(T[:, :3, 3], T[:, :3, :3])
    return chain, arm, q, T, solutions, counts


def apart(a: Array, b: Array) -> Array:
    """Return how far postures are from each other, whole turns aside, in the worst joint [rad]."""
    return np.abs((a - b + pi) % TURN - pi).max(axis=-1)


def poses(T: Array) -> tuple[Array, Array]:
    return T[:3, 3], T[:3, :3]


# --- laws ------------------------------------------------------------------------------------


@every_arm
def test_every_posture_is_among_the_solutions_of_its_pose(name):
    _, _, q, _, solutions, _ = solved(name)
    off = apart(solutions, q[:, None])
    assert np.nanmin(off, axis=1).max() < 1e-6


@every_arm
def test_every_solution_gives_the_pose(name):
    chain, _, _, T, solutions, counts = solved(name)
    pose, branch = np.nonzero(np.arange(8) < counts[:, None])
    assert np.abs(chain.forward(solutions[pose, branch]) - T[pose]).max() < 1e-9


@every_arm
def test_every_solution_is_inside_the_limits(name):
    chain, _, _, _, solutions, counts = solved(name)
    filled = solutions[np.arange(8) < counts[:, None]]
    assert ((filled >= chain.lower) & (filled <= chain.upper)).all()


@every_arm
def test_solutions_of_one_pose_differ_by_more_than_whole_turns(name):
    _, _, _, _, solutions, _ = solved(name)
    off = apart(solutions[:300, :, None], solutions[:300, None])
    off[:, np.arange(8), np.arange(8)] = np.inf
    assert np.nanmin(off) > 1e-6


def test_most_poses_of_a_ur5_have_eight_solutions():
    *_, counts = solved("ur5")
    assert set(counts.tolist()) <= {2, 4, 6, 8}
    assert (counts == 8).mean() > 0.7


@every_arm
def test_batch_and_single_pose_agree(name):
    chain, arm, q, T, _, _ = solved(name)
    starts = np.random.default_rng(10).uniform(chain.lower, chain.upper, q.shape)
    solutions, counts = arm.solve_batch(T[:500, :3, 3], T[:500, :3, :3], starts[:500])
    for i in range(500):
        found = arm.solve(*poses(T[i]), starts[i])
        assert len(found) == counts[i]
        np.testing.assert_allclose(found, solutions[i, : counts[i]], atol=1e-9)


@every_arm
def test_no_turn_of_a_joint_inside_its_limits_is_nearer_to_the_start(name):
    chain, arm, _, T, _, _ = solved(name)
    starts = np.random.default_rng(11).uniform(1.2 * chain.lower, 1.2 * chain.upper, (500, 6))
    solutions, _ = arm.solve_batch(T[:500, :3, 3], T[:500, :3, :3], starts)
    for turns in (-2, -1, 1, 2):
        other = solutions + turns * TURN
        allowed = (other >= chain.lower) & (other <= chain.upper)
        farther = np.abs(other - starts[:, None]) >= np.abs(solutions - starts[:, None]) - 1e-7
        assert (farther | ~allowed | np.isnan(other)).all()


@every_arm
def test_place_is_the_forward_kinematics_of_the_table(name):
    _, arm, q, T, _, _ = solved(name)
    for i in range(50):
        position, R = pose_of(arm, arm.place(q[i].tolist()))
        np.testing.assert_allclose(position, T[i, :3, 3], atol=1e-13)
        np.testing.assert_allclose(R, T[i, :3, :3], atol=1e-13)
        placed, aim = arm.place(q[i].tolist()), aim_at(arm, *poses(T[i]))
        np.testing.assert_allclose(placed.tool, aim.tool, atol=1e-13)
        np.testing.assert_allclose(placed.triad, aim.triad, atol=1e-13)


@every_arm
def test_settle_goes_back_to_a_pose_from_nearby(name):
    chain, arm, q, T, _, _ = solved(name)
    rng = np.random.default_rng(12)
    for i in range(20):
        begin = np.clip(q[i] + rng.uniform(-0.05, 0.05, 6), chain.lower, chain.upper)
        aim = aim_at(arm, *poses(T[i]))
        there = settle(arm, tuple(begin.tolist()), aim, point=1.0, orientation=0.1)
        assert there.distance < 1e-6
        assert there.turn < 1e-5


# --- published and other people's numbers ----------------------------------------------------


def test_ur5_stretched_out_is_as_long_as_its_links():
    # Zero posture: a2 + a3 along -x, d4 + d6 along -y, d1 - d5 up.
    T = table("ur5").forward(np.zeros(6))
    np.testing.assert_allclose(T[:3, 3], [-0.81725, -0.19145, 0.089159 - 0.09465], atol=1e-12)


def test_measures_are_those_of_the_table():
    arm = URArm.from_chain(table("ur10"))
    assert arm.lengths == pytest.approx((0.612, 0.5723))
    assert abs(arm.beside) == pytest.approx(0.163941)
    assert np.hypot(*arm.hand) == pytest.approx(0.1157)
    assert arm.shoulder == pytest.approx(0.0)


def test_left_arm_of_madar_is_the_mirror_of_the_right_one():
    # Fact sheet of the scenes, 4.1: (-q1, -pi - q2, -q3, pi - q4, -q5, -pi - q6).
    def arm(side: float) -> Chain:
        mount = (
            rotation_z(-pi / 2) @ translation(side * 0.255657, 0.0, 1.389339)
            @ rotation_y(-side * pi / 4) @ rotation_x(side * pi)
        )  # fmt: skip
        hand = translation(0.0, side * 0.01, 0.14) @ rotation_z(side * pi / 2)
        return Chain(name="arm", dh=table("ur5", base=mount, tool=hand))

    right, left = arm(1.0), arm(-1.0)
    mirror = np.diag([1.0, -1.0, 1.0])
    rng = np.random.default_rng(13)
    postures = [[0.463, -1.039, 1.826, 2.354, -0.463, -0.785], *rng.uniform(-3, 3, (100, 6))]
    for q in postures:
        T = right.forward(q)
        ours = right.ur.solve(*poses(T))
        theirs = left.ur.solve(mirror @ T[:3, 3], mirror @ T[:3, :3] @ mirror)
        expected = [0, -pi, 0, pi, 0, -pi] - ours
        assert len(theirs) == len(ours)
        off = apart(expected[:, None], theirs[None])
        assert off.min(axis=1).max() < 1e-7


def test_agrees_with_the_numerical_solver():
    chain, arm, q, T, _, _ = solved("ur5 tilted")
    for i in range(4):
        target = IKTarget(T[i, :3, 3], rotation=T[i, :3, :3])
        settings = SolverSettings(restarts=3, seed=i, every=True)
        found = solve_numerically(chain, target, start=q[i] + 0.1, settings=settings).solutions
        ours = arm.solve(*poses(T[i]), q[i])
        off = apart(found[:, None], ours[None])
        assert off.min(axis=1).max() < 1e-4


# --- singular postures -----------------------------------------------------------------------

LOST = {
    "wrist": [0.3, -1.0, 1.2, 0.4, 0.0, 0.7],
    "wrist turned": [0.3, -1.0, 1.2, 0.4, pi, 0.7],
    "elbow stretched": [0.3, -1.0, 0.0, 0.4, 0.9, 0.7],
    "elbow folded": [0.3, -1.0, pi, 0.4, 0.9, 0.7],
    "wrist and elbow": [0.3, -1.0, 0.0, 0.4, 0.0, 0.7],
    "zero": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    "straight up": [0.0, -pi / 2, 0.0, -pi / 2, 0.0, 0.0],
}


def on_shoulder(chain: DHChain) -> Array:
    """Return a posture whose wrist centre is as near to axis 1 as it comes."""
    arm = URArm.from_chain(chain)
    q = np.array([0.3, 0.0, 2.2, 0.4, 0.9, 0.7])

    def out(lift: float) -> float:
        q[1] = lift
        x, y, _ = arm.place(q.tolist()).center
        return cos(q[0]) * x + sin(q[0]) * y

    lifts = np.linspace(-pi, pi, 100)
    outs = np.array([out(lift) for lift in lifts])
    k = int(np.flatnonzero((outs[:-1] < 0.0) & (outs[1:] >= 0.0))[0])
    q[1] = brentq(out, lifts[k], lifts[k + 1], xtol=1e-15)
    return q


@pytest.mark.parametrize("case", [*LOST, "shoulder"])
@pytest.mark.parametrize("name", ["ur3", "ur5", "ur10"])
def test_singular_posture_is_found_again_from_itself(name, case):
    chain = ARMS[name]
    arm = URArm.from_chain(chain)
    q = on_shoulder(chain) if case == "shoulder" else np.array(LOST[case])
    T = chain.forward(q)
    found = arm.solve(*poses(T), q)
    assert np.isfinite(found).all()
    assert np.abs(chain.forward(found) - T).max() < 1e-9
    assert apart(found, q).min() < 1e-6


@pytest.mark.parametrize("off", [1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14])
@pytest.mark.parametrize("joint", [2, 4])
def test_nearly_singular_poses_are_solved_as_exactly_as_others(joint, off):
    chain = ARMS["ur5"]
    arm = URArm.from_chain(chain)
    rng = np.random.default_rng(14)
    for _ in range(50):
        q = rng.uniform(-3, 3, 6)
        q[joint] = off
        T = chain.forward(q)
        found = arm.solve(*poses(T), q)
        assert len(found)
        assert np.abs(chain.forward(found) - T).max() < 1e-9


def test_free_wrist_keeps_joint_6_where_it_was():
    chain = ARMS["ur5"]
    q = np.array(LOST["wrist"])
    start = [0.0, 0.0, 0.0, 0.0, 0.0, 2.5]
    found = URArm.from_chain(chain).solve(*poses(chain.forward(q)), np.array(start))
    lost = np.abs(np.sin(found[:, 4])) < 1e-9
    assert lost.any()
    np.testing.assert_allclose(found[lost, 5], 2.5, atol=1e-9)


def test_wrist_on_axis_1_keeps_joint_1_where_it_was():
    arm = URArm.from_chain(EVEN)
    T = EVEN.forward([0.0, -pi / 2, 0.0, 0.0, 0.5, 0.2])  # straight up but for the hand
    middle = EVEN.forward([0.0, -pi / 2, 0.0, pi / 2, 0.5, 0.2])
    for pose in (T, middle):
        found = arm.solve(*poses(pose), np.full(6, 0.7))
        assert len(found)
        assert np.abs(EVEN.forward(found) - pose).max() < 1e-9
    on_axis = EVEN.forward([0.0, -pi / 2, 0.0, 0.0, 0.0, 0.0])
    assert np.isfinite(arm.solve(*poses(on_axis))).all()


def test_folded_equal_links_keep_joint_2_where_it_was():
    arm = URArm.from_chain(EVEN)
    T = EVEN.forward([0.4, 0.3, pi, 0.9, 0.8, -0.5])
    found = arm.solve(*poses(T), np.array([0.4, -1.3, pi, 0.0, 0.8, -0.5]))
    assert np.abs(EVEN.forward(found) - T).max() < 1e-9
    folded = np.abs(np.abs(found[:, 2]) - pi) < 1e-9
    np.testing.assert_allclose(found[folded, 1], -1.3, atol=1e-9)


# --- edges -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200, 1e308])
@pytest.mark.parametrize("axis", range(3))
def test_point_beyond_all_measure_has_no_solution(axis, value):
    arm = URArm.from_chain(ARMS["ur5"])
    point = np.array([0.3, 0.2, 0.2])
    point[axis] = value
    assert arm.solve(point, np.eye(3)).shape == (0, 6)
    if np.isfinite(value):
        assert arm.solve_batch(point[None], np.eye(3))[1].tolist() == [0]


def test_rotation_that_is_no_number_has_no_solution():
    arm = URArm.from_chain(ARMS["ur5"])
    assert arm.solve(np.array([0.3, 0.2, 0.2]), np.full((3, 3), np.nan)).shape == (0, 6)


def test_far_start_gives_the_last_turn_inside_the_limits():
    chain, arm, _, T, _, _ = solved("ur5")
    found = arm.solve(*poses(T[0]), np.full(6, 1e12))
    assert (found > chain.upper - TURN - 1e-9).all()
    assert (found <= chain.upper).all()


def test_turns_round_off_takes_over_a_limit_are_taken_back():
    assert nearest_turn(1.0 + 1e-12, 0.0, -1.0, 1.0) == 1.0
    assert nearest_turn(-1.0 - 1e-12, 0.0, -1.0, 1.0) == -1.0
    assert nearest_turn(1.0 + TURN, 0.0, -1.0, 1.0) == pytest.approx(1.0)
    assert nearest_turn(1.1, 0.0, -1.0, 1.0) is None
    assert nearest_turn(1.0, 6.0, -7.0, 7.0) == pytest.approx(1.0)
    assert nearest_turn(1.0, -6.0, -7.0, 7.0) == pytest.approx(1.0 - TURN)


def test_batch_takes_one_rotation_and_one_start_for_all():
    _, arm, _, T, _, _ = solved("ur5")
    start = np.full(6, 0.5)
    many, _ = arm.solve_batch(T[:5, :3, 3], T[0, :3, :3], start)
    each, _ = arm.solve_batch(
        T[:5, :3, 3], np.repeat(T[:1, :3, :3], 5, axis=0), np.tile(start, (5, 1))
    )
    np.testing.assert_array_equal(many, each)


def test_batch_of_nothing_is_nothing():
    arm = URArm.from_chain(ARMS["ur5"])
    solutions, counts = arm.solve_batch(np.empty((0, 3)), np.empty((0, 3, 3)))
    assert solutions.shape == (0, 8, 6)
    assert counts.shape == (0,)


@pytest.mark.parametrize(
    ("positions", "rotations", "starts", "message"),
    [
        (np.zeros(3), np.eye(3), None, r"positions must have shape \(n, 3\), got \(3,\)"),
        (np.zeros((2, 3)), np.zeros((3, 3, 3)), None, "rotations must have shape"),
        (np.zeros((2, 3)), np.eye(3), np.zeros((2, 5)), "starts must have shape"),
        (np.full((2, 3), np.nan), np.eye(3), None, "must be finite"),
        (np.zeros((2, 3)), np.eye(3), np.full(6, np.inf), "must be finite"),
    ],
)
def test_batches_of_the_wrong_kind_are_refused(positions, rotations, starts, message):
    arm = URArm.from_chain(ARMS["ur5"])
    with pytest.raises(InvalidInput, match=message):
        arm.solve_batch(positions, rotations, starts)


# --- other chains ----------------------------------------------------------------------------


def changed(**rows: dict[str, float]) -> DHChain:
    """Return the UR5 with other numbers in some rows: `row_5={"a": 0.1}`."""
    joints = list(ARMS["ur5"].joints)
    for row, numbers in rows.items():
        i = int(row.removeprefix("row_")) - 1
        joints[i] = replace(joints[i], **numbers)
    return DHChain(joints=tuple(joints))


@pytest.mark.parametrize(
    ("chain", "message"),
    [
        (DHChain(joints=ARMS["ur5"].joints[:5]), "has 6 turning joints, this chain has: revolute"),
        (changed(row_3={"kind": "prismatic"}), "this chain has: revolute, revolute, prismatic"),  # type: ignore[dict-item]
        (changed(row_2={"alpha": 0.01}), r"axes 2 and 3 \(lift, elbow\) must be parallel, .* 0.01"),
        (changed(row_3={"alpha": pi / 2}), r"axes 2 and 4 \(lift, wrist_1\) must be parallel"),
        (changed(row_1={"alpha": 1.5}), r"axes 1 and 2 \(pan, lift\) must be at right angles"),
        (changed(row_4={"alpha": 1.5}), r"axes 4 and 5 \(wrist_1, wrist_2\) must be at right"),
        (changed(row_5={"alpha": -1.5}), r"axes 5 and 6 \(wrist_2, wrist_3\) must be at right"),
        (changed(row_5={"a": 0.02}), "axes 5 and 6 must cross, they pass at 0.02 m"),
        (changed(row_2={"a": 0.0}), "upper arm and forearm are 0 m and 0.392 m long"),
    ],
)
def test_chain_of_another_kind_is_refused(chain, message):
    with pytest.raises(InvalidInput, match=message):
        URArm.from_chain(chain)


def test_modified_tables_are_read_as_well():
    # The UR5 in Craig's convention: each row's twist and length move one row down.
    d = (0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823)
    a = (0.0, 0.0, -0.425, -0.39225, 0.0, 0.0)
    alpha = (0.0, pi / 2, 0.0, 0.0, pi / 2, -pi / 2)
    chain = DHChain(
        joints=tuple(DHJoint(name=f"q{i}", d=d[i], a=a[i], alpha=alpha[i]) for i in range(6)),
        convention="modified",
    )
    q = np.random.default_rng(15).uniform(-3, 3, 6)
    T = table("ur5").forward(q)
    np.testing.assert_allclose(chain.forward(q), T, atol=1e-12)
    found = URArm.from_chain(chain).solve(*poses(T))
    assert apart(found, q).min() < 1e-6


def test_tool_along_the_nose_is_no_special_case():
    chain = table("ur5", tool=FLANGE)
    q = np.array([0.2, -1.1, 1.4, -0.6, 0.8, 0.3])
    found = URArm.from_chain(chain).solve(*poses(chain.forward(q)))
    assert apart(found, q).min() < 1e-6
