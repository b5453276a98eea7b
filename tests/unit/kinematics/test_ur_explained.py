"""What an arm of the UR kind answers: what is kept, what is nearest, and why not."""

from dataclasses import replace
from functools import cache
from math import pi

import numpy as np
import pytest
from ur_tables import ARMS, BENT_TOOL, EVEN, FLANGE, TILTED, table

from mecano.core.errors import InvalidInput
from mecano.core.poses import matrix_from_rpy, quaternion_from_matrix, rpy_from_matrix, wrap_angle
from mecano.kinematics.chain import Chain
from mecano.kinematics.ik import IKReason, IKResult, orientation_error
from mecano.kinematics.six_motion import aim_at
from mecano.kinematics.transforms import Array
from mecano.kinematics.ur_arm import URArm
from mecano.kinematics.ur_nearest import nearest_at_orientation, within_reach
from mecano.robots.open_manipulator_x.description import ARM as TURRET

UR5 = Chain(name="arm", dh=table("ur5", tool=FLANGE, elbow=pi))
READY = np.array([0.1, -1.6, 1.5, -1.4, -1.5, 0.2])
TIGHT = {
    "pan": (-1.0, 1.0), "lift": (-2.5, -0.5), "elbow": (0.3, 2.5),
    "wrist_1": (-2.5, 0.0), "wrist_2": (-2.5, -0.5), "wrist_3": (-1.0, 1.0),
}  # fmt: skip
CHAINS = {
    "ur5": UR5,
    "ur3": Chain(name="arm", dh=table("ur3")),
    "tilted": Chain(name="arm", dh=table("ur10", base=TILTED, tool=BENT_TOOL)),
    "tight": replace(UR5, dh=UR5.dh.with_limits(TIGHT)),
    "odd": Chain(name="arm", dh=ARMS["odd"]),
    "even": Chain(name="arm", dh=EVEN),
}
every_chain = pytest.mark.parametrize("name", CHAINS)


def wxyz(R: Array) -> list[float]:
    return quaternion_from_matrix(R).tolist()


def ask(chain: Chain, T: Array, start: Array | None = None) -> IKResult:
    return chain.inverse(T[:3, 3], quaternion=wxyz(T[:3, :3]), start=start)


def postures(chain: Chain, count: int, seed: int) -> Array:
    return np.random.default_rng(seed).uniform(chain.dh.lower, chain.dh.upper, (count, 6))


# --- reached ---------------------------------------------------------------------------------


@every_chain
def test_nearest_solution_comes_first_and_is_the_start_posture(name):
    chain = CHAINS[name]
    for q in postures(chain, 30, 20):
        answer = ask(chain, chain.forward(q), q)
        assert answer.reached
        np.testing.assert_allclose(answer.solutions[0], q, atol=1e-6)
        far = np.linalg.norm(answer.solutions - q, axis=1)
        assert (np.diff(far) >= 0.0).all()
        assert len(answer.solutions) <= 8


def test_whole_pose_needs_no_note():
    answer = ask(UR5, UR5.forward(READY), READY)
    assert answer.message == "reached; 8 solutions inside the joint limits"


def test_point_alone_keeps_the_orientation_of_the_start():
    T = UR5.forward(READY)
    answer = UR5.inverse(T[:3, 3] + [0.02, -0.03, 0.04], start=READY)
    assert answer.note == "the orientation kept as in the start posture"
    np.testing.assert_allclose(UR5.forward(answer.solutions[0])[:3, :3], T[:3, :3], atol=1e-9)


def test_pitch_keeps_heading_and_roll():
    q = np.array([0.1, -1.6, 1.5, -1.0, -1.5, 0.4])
    roll, _, yaw = rpy_from_matrix(UR5.forward(q)[:3, :3])
    answer = UR5.inverse(UR5.forward(q)[:3, 3], pitch=0.3, start=q)
    assert answer.note == "the heading and the roll kept as in the start posture"
    R = UR5.forward(answer.solutions[0])[:3, :3]
    np.testing.assert_allclose(rpy_from_matrix(R), [roll, 0.3, yaw], atol=1e-9)
    assert (answer.nearest.pitch, answer.nearest.roll) == pytest.approx((0.3, roll))


def test_pitch_and_roll_keep_the_heading():
    q = np.array([0.1, -1.6, 1.5, -1.0, -1.5, 0.4])
    yaw = rpy_from_matrix(UR5.forward(q)[:3, :3])[2]
    answer = UR5.inverse(UR5.forward(q)[:3, 3], pitch=0.2, roll=-0.7, start=q)
    R = UR5.forward(answer.solutions[0])[:3, :3]
    np.testing.assert_allclose(rpy_from_matrix(R), [-0.7, 0.2, yaw], atol=1e-9)


def test_roll_alone_keeps_the_pitch():
    q = np.array([0.1, -1.6, 1.5, -1.0, -1.5, 0.4])
    answer = UR5.inverse(UR5.forward(q)[:3, 3], roll=0.5, start=q)
    posture = answer.solutions[0]
    assert UR5.pitch(posture) == pytest.approx(UR5.pitch(q))
    assert UR5.roll(posture) == pytest.approx(0.5)


def test_pitch_and_roll_of_a_posture_bring_it_back():
    for q in postures(UR5, 50, 21):
        point = UR5.forward(q)[:3, 3]
        answer = UR5.inverse(point, pitch=UR5.pitch(q), roll=UR5.roll(q), start=q)
        np.testing.assert_allclose(answer.solutions[0], q, atol=1e-6)


@pytest.mark.parametrize("off", [0.0, 1e-13, 1e-9, 1e-6, 1e-4, 9e-4, 1.1e-3])
def test_nose_straight_down_is_kept_whatever_round_off_calls_its_heading(off):
    R = matrix_from_rpy(np.array([0.4, pi / 2 - off, 1.1]))
    q = UR5.inverse((0.4, 0.1, 0.2), quaternion=wxyz(R), start=READY).solutions[0]
    answer = UR5.inverse((0.4, 0.1, 0.19), pitch=UR5.pitch(q), roll=UR5.roll(q), start=q)
    assert orientation_error(R, UR5.forward(answer.solutions[0])[:3, :3]) < 1e-7


def test_pitch_and_roll_are_the_angles_of_the_tool():
    for q in postures(UR5, 20, 22):
        roll, pitch, yaw = UR5.roll(q), UR5.pitch(q), rpy_from_matrix(UR5.forward(q)[:3, :3])[2]
        R = matrix_from_rpy(np.array([roll, pitch, yaw]))
        np.testing.assert_allclose(R, UR5.forward(q)[:3, :3], atol=1e-12)


def test_start_may_lie_outside_the_limits():
    chain = CHAINS["tight"]
    q = postures(chain, 1, 23)[0]
    answer = ask(chain, chain.forward(q), q + 20.0)
    assert answer.reached
    assert ((answer.solutions >= chain.dh.lower) & (answer.solutions <= chain.dh.upper)).all()


@pytest.mark.parametrize(
    ("q", "note"),
    [
        ([0.3, -1, 1.2, 0.4, 0, 0.7], "wrist_1 and wrist_3 turn about parallel axes: wrist_3 was"),
        ([0.3, -1, 0, 0.4, 0.9, 0.7], "the elbow is stretched"),
        ([0.3, -1, pi, 0.4, 0.9, 0.7], "the elbow is folded"),
    ],
)
def test_singular_posture_is_noted(q, note):
    answer = ask(UR5, UR5.forward(q), np.array(q))
    assert answer.reached
    assert note in answer.note
    np.testing.assert_allclose(answer.solutions[0], q, atol=1e-6)


def test_joint_1_that_is_free_is_noted():
    chain = CHAINS["even"]
    # Links folded, so that axis 4 is on axis 1, and the hand along axis 1.
    q = np.array([0.6, -0.4, pi, 0.4 - pi, 0.9, 0.2])
    for turn in (0.0, pi / 2, pi, -pi / 2):
        q[3] = turn - pi + 0.4
        answer = ask(chain, chain.forward(q), q)
        np.testing.assert_allclose(chain.forward(answer.solutions[0]), chain.forward(q), atol=1e-9)
        np.testing.assert_allclose(answer.solutions[0], q, atol=1e-6)
        if "the wrist lies on the axis of pan, which was free and kept" in answer.note:
            break
    else:
        pytest.fail("no posture had its wrist on the axis")


# --- missed ----------------------------------------------------------------------------------


@cache
def misses(name: str, count: int = 40) -> list[tuple[Array, Array, IKResult]]:
    """Return poses all around that a chain does not take, their starts, and its answers."""
    chain = CHAINS[name]
    rng = np.random.default_rng(24)
    reach = 1.3 * sum(chain.ur.lengths) + 0.3
    found = []
    for i in range(20 * count):
        start = rng.uniform(chain.dh.lower, chain.dh.upper)
        T = chain.forward(rng.uniform(-pi, pi, 6))
        size = reach if i % 2 else 0.2
        T[:3, 3] = chain.ur.frame[:3, 3] + rng.uniform(-size, size, 3)
        answer = ask(chain, T, start)
        if not answer.reached:
            found.append((T, start, answer))
        if len(found) == count:
            break
    return found


@every_chain
def test_nearest_pose_of_a_miss_is_what_its_joints_give(name):
    chain = CHAINS[name]
    for T, _, answer in misses(name):
        joints = answer.nearest.joints
        assert ((joints >= chain.dh.lower) & (joints <= chain.dh.upper)).all()
        there = chain.forward(joints)
        np.testing.assert_allclose(there[:3, 3], answer.nearest.position, atol=1e-9)
        assert answer.shortfall == pytest.approx(np.linalg.norm(there[:3, 3] - T[:3, 3]), abs=2e-8)
        assert answer.nearest.pitch == pytest.approx(chain.pitch(joints))
        assert wrap_angle(answer.nearest.roll - (chain.roll(joints) or 0.0)) == pytest.approx(0.0)
        assert answer.solutions.shape == (0, 6)


@pytest.mark.parametrize("name", ["ur5", "ur3", "tilted"])
def test_orientation_out_means_the_point_is_reached_with_another(name):
    chain, seen = CHAINS[name], 0
    for T, _, answer in misses(name):
        if answer.reason is IKReason.ORIENTATION:
            seen += 1
            there = chain.forward(answer.nearest.joints)
            assert answer.shortfall == 0.0
            off = orientation_error(T[:3, :3], there[:3, :3])
            assert answer.excess == pytest.approx(off, abs=1e-7)
            assert "the point can be reached with another orientation" in answer.message
    assert seen > 3


@pytest.mark.parametrize("name", ["ur5", "ur3", "tilted"])
def test_too_far_is_the_least_distance_at_the_orientation(name):
    """A closer point than the nearest one cannot be reached with the same orientation."""
    chain, rng, seen = CHAINS[name], np.random.default_rng(25), 0
    for T, _, answer in misses(name, 30):
        if answer.reason not in (IKReason.TOO_FAR, IKReason.TOO_CLOSE):
            continue
        seen += 1
        assert answer.excess == pytest.approx(answer.shortfall)
        there = chain.forward(answer.nearest.joints)
        assert orientation_error(T[:3, :3], there[:3, :3]) < 1e-7
        ways = rng.normal(size=(400, 3))
        ways *= 0.999 * answer.shortfall / np.linalg.norm(ways, axis=1)[:, None]
        ways = np.vstack([ways, 0.998 * (there[:3, 3] - T[:3, 3])])
        assert chain.ur.solve_batch(T[:3, 3] + ways, T[:3, :3])[1].max() == 0
    assert seen > 5


def test_far_point_is_too_far_by_its_distance():
    answer = UR5.inverse((5.0, 0.0, 0.0), start=READY)
    assert answer.reason is IKReason.TOO_FAR
    assert answer.excess == pytest.approx(5.0 - 0.9, abs=0.15)
    assert answer.message.endswith(
        "mm too far; the orientation kept as in the start posture; no other orientation reaches it"
    )


@pytest.mark.parametrize("distance", [1e3, 1e6, 1e9, 1e100, 1e200])
def test_very_far_points_are_answered_in_numbers(distance):
    answer = UR5.inverse((distance, distance, -distance), start=READY)
    assert answer.reason is IKReason.TOO_FAR
    assert np.isfinite(answer.nearest.joints).all()
    assert answer.shortfall == pytest.approx(np.sqrt(3.0) * distance, rel=2e-3)


NOSE_UP = wxyz(matrix_from_rpy(np.array([0.0, -pi / 2, 0.0])))


def test_point_near_axis_1_needs_another_orientation():
    # The wrist stands 109.15 mm beside axis 1; with the nose up so does the flange.
    answer = UR5.inverse((0.05, 0.0, 0.5), quaternion=NOSE_UP, start=READY)
    assert answer.reason is IKReason.ORIENTATION
    assert "with this orientation the tool stays 59.2 mm short" in answer.message


def test_point_on_axis_1_is_too_close():
    # 82.3 mm of flange cannot make up for 109.15 mm.
    answer = UR5.inverse((0.0, 0.0, 0.5), quaternion=NOSE_UP, start=READY)
    assert answer.reason is IKReason.TOO_CLOSE
    assert answer.excess == pytest.approx(0.10915)
    assert answer.note == "no other orientation reaches it"


def test_joint_over_its_limit_is_named_with_the_excess():
    chain = replace(UR5, dh=UR5.dh.with_limits({"pan": (-1.0, 1.0)}))
    q = np.array([1.2, -1.6, 1.5, -1.4, -1.5, 0.2])
    unlimited = ask(UR5, UR5.forward(q), q).solutions
    answer = ask(chain, chain.forward(q), q)
    assert answer.reason is IKReason.JOINT_LIMIT
    assert answer.joint == "pan"
    over = np.abs(wrap_angle(unlimited[:, 0])) - 1.0
    assert answer.excess == pytest.approx(over.min())
    assert answer.message.startswith("pan over its limit by ")


def test_limit_that_nothing_gets_around_leaves_the_nearest_point():
    chain = replace(UR5, dh=UR5.dh.with_limits({name: (q - 0.1, q + 0.1) for name, q in zip(
        UR5.joint_names, READY, strict=True)}))  # fmt: skip
    T = chain.forward(READY)
    T[:3, 3] += [0.0, 0.0, -0.2]
    answer = ask(chain, T, READY)
    assert answer.reason is IKReason.JOINT_LIMIT
    assert 0.05 < answer.shortfall < 0.2


@pytest.mark.parametrize("name", ["ur5", "tilted", "odd", "even"])
def test_every_point_of_a_posture_is_within_reach(name):
    chain = CHAINS[name]
    for T in chain.forward(postures(chain, 200, 26)):
        assert within_reach(chain.ur, aim_at(chain.ur, T[:3, 3], T[:3, :3]))


def test_points_at_the_edge_of_reach_are_told_apart():
    # Level, the links stretched, hand and flange at right angles to each other. Turning the flange
    # by b out of the plane trades reach in the plane for reach beside it.
    d4, d5, d6, links = 0.10915, 0.09465, 0.0823, 0.81725
    arm = URArm.from_chain(table("ur5"))
    b = np.linspace(0.0, pi / 2, 10_000)
    out = np.hypot(links + np.hypot(d5, d6 * np.cos(b)), d4 + d6 * np.sin(b)).max()
    for scale, reached in ((0.9995, True), (1.0005, False)):
        point = np.array([scale * out, 0.0, 0.089159])
        assert within_reach(arm, aim_at(arm, point, np.eye(3))) is reached


def test_nearest_at_orientation_is_never_beaten_by_a_dense_search():
    chain = CHAINS["tilted"]
    for T, _, _ in misses("tilted", 8):
        held = nearest_at_orientation(chain.ur, T[:3, 3], T[:3, :3])
        ways = np.random.default_rng(27).normal(size=(2000, 3))
        ways *= 0.999 * held.distance / np.linalg.norm(ways, axis=1)[:, None]
        assert chain.ur.solve_batch(T[:3, 3] + ways, T[:3, :3])[1].max() == 0


# --- contracts -------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_targets_that_are_no_numbers_are_refused(bad):
    with pytest.raises(InvalidInput, match="must be finite"):
        UR5.inverse((0.3, bad, 0.2))
    with pytest.raises(InvalidInput, match="must be finite"):
        UR5.inverse((0.3, 0.1, 0.2), pitch=bad)
    with pytest.raises(InvalidInput, match="must be finite"):
        UR5.inverse((0.3, 0.1, 0.2), quaternion=(1, 0, 0, bad))
    with pytest.raises(InvalidInput, match="must be finite"):
        UR5.inverse((0.3, 0.1, 0.2), start=[0, 0, 0, 0, 0, bad])


def test_closed_forms_are_only_handed_out_to_their_own_kind():
    with pytest.raises(InvalidInput, match="chain 'arm' has no closed form of a turret arm"):
        _ = UR5.turret
    with pytest.raises(InvalidInput, match="has no closed form of a UR arm, its solver is 'turr"):
        _ = TURRET.ur


def test_arms_say_whether_they_roll():
    assert UR5.rolls
    assert not TURRET.rolls
