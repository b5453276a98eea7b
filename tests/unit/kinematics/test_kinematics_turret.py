"""The closed form of turret arms: nothing wrong, nothing missed, one by one or in a batch."""

from dataclasses import replace
from functools import cache
from itertools import product
from math import pi

import numpy as np
import pytest
from turret_witness import (
    OPEN_MANIPULATOR_X,
    OPEN_MANIPULATOR_X_ROS2,
    ROS2_LIMITS,
    TURN,
    Array,
    Measures,
    random_turret,
    wrap,
)

from mecano.core.errors import InvalidInput
from mecano.core.poses import matrix_from_rpy, quaternion_from_matrix
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.ik import IKReason
from mecano.kinematics.transforms import rotation_x, translation
from mecano.kinematics.turret import TurretArm
from mecano.robots.open_manipulator_x.description import ARM, TABLE

ARMS = {
    "vendor limits": (OPEN_MANIPULATOR_X, TABLE),
    "ros 2 limits": (OPEN_MANIPULATOR_X_ROS2, TABLE.with_limits(ROS2_LIMITS)),
    # With the elbow's and the wrist's axes flipped, a hanging one too.
    **{f"random {seed}": random_turret(np.random.default_rng(seed)) for seed in (0, 5, 7, 13)},
    # With the shoulder's axis flipped: seen along it, the arm tilts up.
    **{f"flipped {seed}": random_turret(np.random.default_rng(seed)) for seed in (1, 2, 6)},
}
every_arm = pytest.mark.parametrize("name", ARMS)


@cache
def poses_inside_limits(name: str) -> tuple[Measures, TurretArm, Array, Array, Array]:
    """Return the arm, random postures inside its limits, and the points and pitches they give."""
    measures, chain = ARMS[name]
    count = 20_000 if name == "vendor limits" else 2_000
    q = np.random.default_rng(20).uniform(chain.lower, chain.upper, (count, 4))
    points, pitches = measures.forward(q)
    return measures, TurretArm.from_chain(chain), q, points, pitches


@cache
def solved(name: str) -> tuple[Array, Array]:
    """Return what the scalar solver finds: (n, 4, 4) with NaN where there is none, and counts."""
    _, arm, _, points, pitches = poses_inside_limits(name)
    return solve_one_by_one(arm, points, pitches)


def solve_one_by_one(arm: TurretArm, points: Array, pitches: Array) -> tuple[Array, Array]:
    solutions = np.full((len(points), 4, 4), np.nan)
    counts = np.zeros(len(points), int)
    for i, (point, pitch) in enumerate(zip(points, pitches.tolist(), strict=True)):
        found = arm.solve(point, pitch)
        solutions[i, : len(found)] = found
        counts[i] = len(found)
    return solutions, counts


def gaps(wanted: Array, found: Array) -> Array:
    """Return for each wanted posture (n, m, 4) how far the nearest found one (n, k, 4) is."""
    apart = np.abs(wanted[:, :, None] - found[:, None, :]).max(axis=-1)
    return np.where(np.isnan(apart), np.inf, apart).min(axis=-1)


# --- the measures ----------------------------------------------------------------------------


@every_arm
def test_measures_read_off_the_table_are_those_of_the_arm(name):
    measures, chain = ARMS[name]
    arm = TurretArm.from_chain(chain)
    np.testing.assert_allclose((arm.axis_x, arm.axis_y), measures.axis, atol=1e-12)
    np.testing.assert_allclose(arm.lengths, measures.lengths, atol=1e-12)
    assert arm.shoulder_z == pytest.approx(measures.shoulder_z, abs=1e-12)
    assert abs(arm.shoulder_r) == pytest.approx(abs(measures.shoulder_r), abs=1e-12)


@every_arm
def test_joint_limits_survive_the_way_through_the_plane(name):
    _, chain = ARMS[name]
    np.testing.assert_allclose(
        TurretArm.from_chain(chain).joint_limits, [chain.lower, chain.upper], atol=1e-14
    )


@every_arm
def test_witness_knows_the_same_arm_as_the_table(name):
    _, _, q, points, pitches = poses_inside_limits(name)
    T = ARMS[name][1].forward(q)
    np.testing.assert_allclose(T[:, :3, 3], points, atol=1e-12)
    nose_down = np.stack([np.hypot(T[:, 0, 0], T[:, 1, 0]), T[:, 2, 0]], axis=-1)
    expected = np.stack([np.abs(np.cos(pitches)), -np.sin(pitches)], axis=-1)
    np.testing.assert_allclose(nose_down, expected, atol=1e-12)


# --- nothing wrong, nothing missed -----------------------------------------------------------


@every_arm
def test_every_solution_brings_the_tool_to_the_point(name):
    points = poses_inside_limits(name)[3]
    solutions, _ = solved(name)
    filled = ~np.isnan(solutions[..., 0])
    reached = ARMS[name][1].forward(solutions[filled])[:, :3, 3]
    asked = np.broadcast_to(points[:, None], (*filled.shape, 3))[filled]
    assert np.linalg.norm(reached - asked, axis=-1).max() < 1e-9


@every_arm
def test_every_solution_has_the_asked_pitch(name):
    measures, _, _, _, pitches = poses_inside_limits(name)
    solutions, _ = solved(name)
    filled = ~np.isnan(solutions[..., 0])
    _, reached = measures.forward(solutions[filled])
    asked = np.broadcast_to(pitches[:, None], filled.shape)[filled]
    assert np.abs(wrap(reached - asked)).max() < 1e-9


@every_arm
def test_posture_that_made_the_pose_is_among_the_solutions(name):
    q = poses_inside_limits(name)[2]
    solutions, _ = solved(name)
    assert gaps(q[:, None], solutions).max() < 1e-6


@every_arm
def test_every_branch_of_the_corrected_formula_is_found(name):
    measures, _, _, points, pitches = poses_inside_limits(name)
    expected = measures.solutions(points, pitches)
    missing = gaps(measures.into_range(expected), solved(name)[0])
    assert missing[~np.isnan(expected[..., 0])].max() < 1e-6


@every_arm
def test_nothing_but_the_branches_of_the_corrected_formula_is_found(name):
    measures, _, _, points, pitches = poses_inside_limits(name)
    expected = ~np.isnan(measures.solutions(points, pitches)[..., 0])
    np.testing.assert_array_equal(solved(name)[1], expected.sum(axis=-1))


@every_arm
def test_no_solution_leaves_the_limits(name):
    chain = ARMS[name][1]
    solutions, _ = solved(name)
    found = solutions[~np.isnan(solutions[..., 0])]
    assert (found >= chain.lower).all()
    assert (found <= chain.upper).all()


def test_arm_without_limits_has_two_or_four_solutions():
    chain = TABLE.with_limits(dict.fromkeys(TABLE.names, (-pi, pi)))
    points, pitches = poses_inside_limits("vendor limits")[3:]
    _, counts = TurretArm.from_chain(chain).solve_batch(points, pitches)
    assert set(counts) == {2, 4}


# --- batches ---------------------------------------------------------------------------------


@every_arm
def test_batch_finds_what_the_scalar_solver_finds(name):
    _, arm, _, points, pitches = poses_inside_limits(name)
    rng = np.random.default_rng(21)
    mixed = points + rng.normal(scale=0.05, size=points.shape) * rng.integers(
        0, 2, (len(points), 1)
    )
    expected, counts = solve_one_by_one(arm, mixed, pitches)
    assert {0, 1, 2} <= set(counts)
    solutions, filled = arm.solve_batch(mixed, pitches)
    np.testing.assert_array_equal(filled, counts)
    np.testing.assert_array_equal(np.isnan(solutions), np.isnan(expected))
    np.testing.assert_allclose(solutions, expected, atol=1e-9, equal_nan=True)


def test_batch_takes_one_pitch_for_all_points():
    points = np.random.default_rng(22).uniform(-0.3, 0.3, (50, 3))
    one, _ = ARM.turret.solve_batch(points, 0.4)
    each, _ = ARM.turret.solve_batch(points, np.full(50, 0.4))
    np.testing.assert_array_equal(one, each)


def test_batch_of_nothing_is_nothing():
    solutions, filled = ARM.turret.solve_batch(np.empty((0, 3)), np.empty(0))
    assert solutions.shape == (0, 4, 4)
    assert filled.shape == (0,)


def test_batch_leaves_its_input_alone():
    points = np.random.default_rng(23).uniform(-0.3, 0.3, (50, 3))
    before = points.copy()
    ARM.turret.solve_batch(points, 0.1)
    np.testing.assert_array_equal(points, before)


@pytest.mark.parametrize(
    ("points", "pitches"),
    [
        (np.zeros(3), 0.0),
        (np.zeros((2, 4)), 0.0),
        ([[0.1, np.nan, 0.2]], 0.0),
        ([[0.1, 0.0, 0.2]], np.inf),
    ],
    ids=["one point", "four columns", "nan point", "infinite pitch"],
)
def test_batch_refuses_wrong_input(points, pitches):
    with pytest.raises(InvalidInput, match="positions"):
        ARM.turret.solve_batch(points, pitches)


def test_batch_refuses_another_number_of_pitches_than_points():
    with pytest.raises(InvalidInput):
        ARM.turret.solve_batch(np.zeros((3, 3)), np.zeros(2))


# --- edges -----------------------------------------------------------------------------------

AT_LIMITS = np.array(
    list(product(*zip(TABLE.lower, (TABLE.lower + TABLE.upper) / 2, TABLE.upper, strict=True)))
)


def test_posture_exactly_at_limits_is_found():
    points, pitches = OPEN_MANIPULATOR_X.forward(AT_LIMITS)
    solutions, _ = solve_one_by_one(ARM.turret, points, pitches)
    assert gaps(AT_LIMITS[:, None], solutions).max() < 1e-6


def test_batch_finds_a_posture_exactly_at_limits():
    solutions, _ = ARM.turret.solve_batch(*OPEN_MANIPULATOR_X.forward(AT_LIMITS))
    assert gaps(AT_LIMITS[:, None], solutions).max() < 1e-6


def test_solution_at_a_limit_is_not_past_it_by_the_last_bit():
    points, pitches = OPEN_MANIPULATOR_X.forward(AT_LIMITS)
    solutions, _ = solve_one_by_one(ARM.turret, points, pitches)
    found = solutions[~np.isnan(solutions[..., 0])]
    assert (found - TABLE.upper).max() <= 0.0
    assert (TABLE.lower - found).max() <= 0.0


@pytest.mark.parametrize("turns", [-2, -1, 1, 2])
def test_pitch_is_the_same_after_whole_turns(turns):
    _, arm, _, points, pitches = poses_inside_limits("vendor limits")
    expected, counts = arm.solve_batch(points[:2000], pitches[:2000])
    solutions, filled = arm.solve_batch(points[:2000], pitches[:2000] + turns * TURN)
    np.testing.assert_array_equal(filled, counts)
    np.testing.assert_allclose(solutions, expected, atol=1e-7, equal_nan=True)


@pytest.mark.parametrize("y", [0.2, -0.2])
def test_point_straight_beside_axis_1_is_reached_by_a_quarter_turn(y):
    found = ARM.turret.solve(np.array([0.012, y, 0.15]), 0.5)
    assert found[0][0] == pytest.approx(np.copysign(pi / 2, y), abs=1e-12)
    np.testing.assert_allclose(TABLE.forward(found[0])[:3, 3], [0.012, y, 0.15], atol=1e-9)


def on_axis_1() -> tuple[Array, float, Array]:
    """Return a point on the axis of joint 1, a pitch, and the tilts that reach it."""
    low, high = -0.80, -0.79  # of joint 2; the tool passes the axis in between
    for _ in range(60):
        middle = (low + high) / 2
        in_front = OPEN_MANIPULATOR_X.forward(np.array([0.0, middle, 0.2, -1.2]))[0][0] > 0.012
        low, high = (low, middle) if in_front else (middle, high)
    q = np.array([0.0, low, 0.2, -1.2])
    point, pitch = OPEN_MANIPULATOR_X.forward(q)
    return np.array([0.012, 0.0, point[2]]), float(pitch), q[1:]


def test_point_on_axis_1_is_reached_by_tilting_alone():
    point, pitch, tilts = on_axis_1()
    found = ARM.inverse(point, pitch=pitch).solutions
    assert np.abs(found[:, 1:] - tilts).max(axis=-1).min() < 1e-6
    np.testing.assert_allclose(TABLE.forward(found)[:, :3, 3], [point] * len(found), atol=1e-9)


def test_point_on_axis_1_is_noted_to_leave_joint_1_free():
    point, pitch, _ = on_axis_1()
    assert "joint1, which may take any angle" in ARM.inverse(point, pitch=pitch).message


def test_point_on_axis_1_has_no_solution_twice():
    point, pitch, _ = on_axis_1()
    found = ARM.turret.solve(point, pitch)
    assert len(np.unique(found.round(9), axis=0)) == len(found)


def test_point_on_axis_1_is_reached_when_joint_1_cannot_be_zero():
    point, pitch, _ = on_axis_1()
    arm = Chain(name="arm", dh=TABLE.with_limits({"joint1": (0.5, 2.0)}))
    result = arm.inverse(point, pitch=pitch)
    assert result.reached, result.message
    assert 0.5 <= result.solutions[0][0] <= 2.0


def test_batch_reaches_a_point_on_axis_1_when_joint_1_cannot_be_zero():
    point, pitch, _ = on_axis_1()
    arm = TurretArm.from_chain(TABLE.with_limits({"joint1": (0.5, 2.0)}))
    _, filled = arm.solve_batch([point], pitch)
    assert filled[0] >= 1


def test_straight_arm_is_reached_at_its_pitch():
    measures, chain = ARMS["ros 2 limits"]
    rng = np.random.default_rng(24)
    q = rng.uniform(chain.lower, chain.upper, (1000, 4))
    q[:, 2] = -OPEN_MANIPULATOR_X.offsets[2]
    points, pitches = measures.forward(q)
    _, counts = solve_one_by_one(TurretArm.from_chain(chain), points, pitches)
    assert counts.min() >= 1


# --- quaternions -----------------------------------------------------------------------------


def quaternion_of(R: Array) -> list[float]:
    return quaternion_from_matrix(R).tolist()


@pytest.mark.parametrize("name", ["vendor limits", "random 0", "flipped 1"])
def test_orientation_of_a_posture_leads_back_to_it(name):
    _, chain = ARMS[name]
    arm = Chain(name="arm", dh=chain)
    for q in poses_inside_limits(name)[2][:300]:
        T = arm.forward(q)
        result = arm.inverse(T[:3, 3], quaternion=quaternion_of(T[:3, :3]))
        assert result.reached, result.message
        assert np.abs(result.solutions - q).max(axis=-1).min() < 1e-6


def test_every_solution_of_an_orientation_has_that_orientation():
    for q in poses_inside_limits("ros 2 limits")[2][:300]:
        T = TABLE.forward(q)
        result = ARM.inverse(T[:3, 3], quaternion=quaternion_of(T[:3, :3]))
        for solution in result.solutions:
            np.testing.assert_allclose(TABLE.forward(solution), T, atol=1e-6)


def test_length_of_a_quaternion_does_not_matter():
    T = TABLE.forward([0.3, -0.5, 0.4, 0.2])
    w, x, y, z = quaternion_of(T[:3, :3])
    for scale in (1.0, -1.0, 0.01, 1e3):
        quaternion = [scale * w, scale * x, scale * y, scale * z]
        assert ARM.inverse(T[:3, 3], quaternion=quaternion).reached


def test_orientation_on_axis_1_sets_the_heading():
    point, pitch, tilts = on_axis_1()
    asked = matrix_from_rpy(np.array([0.0, pitch, 1.0]))
    result = ARM.inverse(point, quaternion=quaternion_of(asked))
    assert result.reached, result.message
    np.testing.assert_allclose(result.solutions[0], [1.0, *tilts], atol=1e-6)


def orientation_angles(R: Array, others: Array) -> Array:
    """Return the angle between a rotation and each of many others."""
    traces = np.einsum("ij,...ij->...", R, others)
    return np.arccos(np.clip((traces - 1.0) / 2.0, -1.0, 1.0))


def upright(pitches: Array, heading: float) -> Array:
    """Return the rotations of a tool without roll. Shape (n, 3, 3)."""
    return matrix_from_rpy(np.stack(np.broadcast_arrays(0.0, pitches, heading), axis=-1))


def branches_facing(point: Array, heading: float, pitch: float) -> Array:
    """Return the branches without limits whose plane has the heading. Shape (m, 4)."""
    branches = OPEN_MANIPULATOR_X.branches(point[None], np.array([pitch]))[0]
    return branches[np.cos(branches[:, 0] - heading) > 0.0]


@cache
def impossible_orientations() -> list:
    """Return (point, rotation, result) for random orientations at reachable points."""
    rng = np.random.default_rng(25)
    cases = []
    for q in rng.uniform(TABLE.lower, TABLE.upper, (400, 4)):
        point = TABLE.forward(q)[:3, 3]
        quaternion = rng.normal(size=4)
        w, x, y, z = quaternion / np.linalg.norm(quaternion)
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        cases.append((point, R, ARM.inverse(point, quaternion=quaternion.tolist())))
    return cases


def test_random_orientation_is_never_reached():
    assert not any(result.reached for _, _, result in impossible_orientations())


def test_impossible_orientation_is_off_by_the_least_angle_of_brute_force():
    # Where the nearest orientation of all headings and pitches is inside the limits.
    pitches = np.linspace(-pi, pi, 4000, endpoint=False)
    checked = 0
    for point, R, result in impossible_orientations():
        azimuth = np.arctan2(point[1], point[0] - 0.012)
        angles = {h: orientation_angles(R, upright(pitches, h)) for h in (azimuth, azimuth + pi)}
        heading = min(angles, key=lambda h: angles[h].min())
        pitch = float(pitches[angles[heading].argmin()])
        if OPEN_MANIPULATOR_X.inside(branches_facing(point, heading, pitch), -0.01).any():
            assert result.reason == IKReason.ORIENTATION
            assert result.excess == pytest.approx(angles[heading].min(), abs=TURN / 4000)
            checked += 1
    assert checked > 20


def test_nearest_pose_to_an_impossible_orientation_is_off_by_the_angle_reported():
    for _, R, result in impossible_orientations():
        if result.reason == IKReason.ORIENTATION:
            nearest = TABLE.forward(result.nearest.joints)[:3, :3]
            assert float(orientation_angles(R, nearest)) == pytest.approx(result.excess, abs=1e-6)


@cache
def orientations_in_the_plane() -> list:
    """Return (point, heading, pitch, result) where only links or limits can be in the way."""
    rng = np.random.default_rng(26)
    cases = []
    for q in rng.uniform(TABLE.lower, TABLE.upper, (600, 4)):
        point = TABLE.forward(q)[:3, 3]
        heading = np.arctan2(point[1], point[0] - 0.012) + rng.choice([0.0, pi])
        pitch = rng.uniform(-pi, pi)
        R = matrix_from_rpy(np.array([0.0, pitch, heading]))
        result = ARM.inverse(point, quaternion=quaternion_of(R))
        cases.append((point, heading, pitch, result))
    return cases


def test_orientation_in_the_plane_is_reached_exactly_when_a_branch_facing_it_is_inside_limits():
    outcomes = []
    for point, heading, pitch, result in orientations_in_the_plane():
        expected = OPEN_MANIPULATOR_X.inside(branches_facing(point, heading, pitch)).any()
        assert result.reached == expected
        outcomes.append(expected)
    assert 50 < sum(outcomes) < 550


def test_orientation_that_breaks_a_limit_names_the_excess_of_the_branches_facing_it():
    checked = 0
    for point, heading, pitch, result in orientations_in_the_plane():
        facing = branches_facing(point, heading, pitch)
        if result.reason == IKReason.JOINT_LIMIT and len(facing):
            least = OPEN_MANIPULATOR_X.excesses(facing).max(axis=-1).min()
            assert result.excess == pytest.approx(least, abs=1e-9), result.message
            checked += 1
    assert checked > 50


# --- which chains have the closed form -------------------------------------------------------


def test_chain_with_another_number_of_joints_is_refused():
    with pytest.raises(InvalidInput, match="4 turning joints, this chain has 3"):
        TurretArm.from_chain(replace(TABLE, joints=TABLE.joints[:3]))


def test_chain_with_a_sliding_joint_is_refused():
    joints = (*TABLE.joints[:3], replace(TABLE.joints[3], kind="prismatic"))
    with pytest.raises(InvalidInput, match="4 turning joints"):
        TurretArm.from_chain(replace(TABLE, joints=joints))


TWISTED = replace(TABLE.joints[2], alpha=0.2)


@pytest.mark.parametrize(
    "chain",
    [
        replace(TABLE, base=rotation_x(0.1)),
        replace(TABLE, joints=(replace(TABLE.joints[0], alpha=-1.5), *TABLE.joints[1:])),
        replace(TABLE, joints=(*TABLE.joints[:2], TWISTED, TABLE.joints[3])),
    ],
    ids=["leaning base", "leaning shoulder", "twisted wrist"],
)
def test_chain_with_axes_out_of_place_is_refused(chain):
    with pytest.raises(InvalidInput, match="axis 1 must be vertical, axes 2-4 horizontal"):
        TurretArm.from_chain(chain)


def test_chain_with_the_tool_beside_its_plane_is_refused():
    with pytest.raises(InvalidInput, match="beside the plane"):
        TurretArm.from_chain(replace(TABLE, tool=translation(z=0.01) @ TABLE.tool))


@pytest.mark.parametrize("roll", [0.0, pi / 4], ids=["on its side", "oblique"])
def test_chain_with_a_tool_that_is_not_upright_is_refused(roll):
    # Its pitch, as `pitch_of` reads it from the pose, is then not the sum of the tilts.
    with pytest.raises(InvalidInput):
        TurretArm.from_chain(replace(TABLE, tool=rotation_x(roll)))


def test_tool_upside_down_is_led_back_to_its_posture_by_its_own_pitch():
    arm = Chain(name="arm", dh=replace(TABLE, tool=rotation_x(-pi / 2)))
    for q in poses_inside_limits("vendor limits")[2][:50]:
        found = arm.inverse(arm.forward(q)[:3, 3], pitch=arm.pitch(q)).solutions
        assert len(found)
        assert np.abs(found - q).max(axis=-1).min() < 1e-6


def test_chain_written_in_the_modified_convention_is_solved_the_same():
    rows = [(0.0, 0.0), *((joint.a, joint.alpha) for joint in TABLE.joints[:3])]
    modified = DHChain(
        joints=tuple(
            replace(joint, a=a, alpha=alpha)
            for joint, (a, alpha) in zip(TABLE.joints, rows, strict=True)
        ),
        convention="modified",
        base=TABLE.base,
        tool=translation(x=TABLE.joints[3].a) @ TABLE.tool,
    )
    arm = TurretArm.from_chain(modified)
    for q in poses_inside_limits("vendor limits")[2][:100]:
        point, pitch = OPEN_MANIPULATOR_X.forward(q)
        np.testing.assert_allclose(
            arm.solve(point, float(pitch)), ARM.turret.solve(point, float(pitch)), atol=1e-9
        )


def test_chain_of_four_equal_rows_is_no_turret():
    rows = tuple(DHJoint(name=f"joint{i}", a=0.1) for i in range(4))
    with pytest.raises(InvalidInput, match="not a turret arm"):
        TurretArm.from_chain(DHChain(joints=rows))
