"""Why a turret arm misses a target, and what comes nearest: against formulas and brute force.

Thousands of unreachable targets per arm. The second opinion is `turret_witness`: the limit-free
formula for limits, a grid over pitches for the pitch, a grid over postures for the nearest point.
"""

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from math import atan2, pi

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

from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.ik import IKReason, IKResult
from mecano.kinematics.transforms import rotation_x
from mecano.robots.open_manipulator_x.description import ARM, TABLE

PITCHES = 40
"""Different pitches per arm: targets that share one share a grid of postures."""
PITCH_STEPS = 240
"""Steps of the grid over pitches, 1.5 deg each."""
GRID_RESOLUTION = 0.004
"""How far a grid of 200 x 150 postures may be from the nearest point [m]."""


def chain_of(dh: DHChain) -> Chain:
    return Chain(name="arm", dh=dh)


ARMS: dict[str, tuple[Measures, DHChain, int]] = {
    "vendor limits": (OPEN_MANIPULATOR_X, TABLE, 5000),
    "ros 2 limits": (OPEN_MANIPULATOR_X_ROS2, TABLE.with_limits(ROS2_LIMITS), 1000),
    # With the elbow's and the wrist's axes flipped, a hanging one too.
    **{f"random {seed}": (*random_turret(np.random.default_rng(seed)), 400) for seed in (5, 7)},
    # With the shoulder's axis flipped: seen along it, the arm tilts up.
    **{f"flipped {seed}": (*random_turret(np.random.default_rng(seed)), 400) for seed in (2, 3)},
}
every_arm = pytest.mark.parametrize("name", ARMS)


@dataclass(frozen=True, kw_only=True, eq=False)
class Missed:
    """Targets that an arm cannot reach, and what its solver says to them."""

    measures: Measures
    chain: Chain
    points: Array
    pitches: Array
    results: list[IKResult]

    def having(self, *reasons: IKReason) -> np.ndarray:
        """Return the indices of the targets missed for one of the reasons."""
        return np.array([i for i, r in enumerate(self.results) if r.reason in reasons], int)

    @property
    def shortfalls(self) -> Array:
        return np.array([result.shortfall for result in self.results])

    @property
    def nearest_joints(self) -> Array:
        return np.array([result.nearest.joints for result in self.results])

    @property
    def nearest_points(self) -> Array:
        return np.array([result.nearest.position for result in self.results])


def random_targets(measures: Measures, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return points around the arm and pitches: most at random, some with the wrist in the hole."""
    l4 = measures.lengths[2]
    reach = sum(measures.lengths) + abs(measures.shoulder_r)
    points = rng.uniform(-1.1, 1.1, (count, 3)) * reach + [*measures.axis, measures.shoulder_z]
    pitches = rng.uniform(-pi, pi, PITCHES)[rng.integers(0, PITCHES, count)]
    inside_hole = np.flatnonzero(rng.uniform(size=count) < 0.1)
    nose = pitches[inside_hole] + measures.tool_angle
    off = rng.uniform(0.0, measures.annulus[0], len(nose))
    towards, heading = rng.uniform(-pi, pi, (2, len(nose)))
    rho = measures.shoulder_r + off * np.cos(towards) + l4 * np.cos(nose)
    points[inside_hole] = np.stack(
        [
            measures.axis[0] + rho * np.cos(heading),
            measures.axis[1] + rho * np.sin(heading),
            measures.shoulder_z - off * np.sin(towards) - l4 * np.sin(nose),
        ],
        axis=-1,
    )
    return points, pitches


@cache
def missed(name: str) -> Missed:
    """Return random targets that no branch of the formula reaches inside the limits."""
    measures, dh, count = ARMS[name]
    points, pitches = random_targets(measures, 3 * count, np.random.default_rng(30))
    some = np.flatnonzero(~measures.reaches(points, pitches))[:count]
    assert len(some) == count
    chain = chain_of(dh)
    targets = zip(points[some], pitches[some].tolist(), strict=True)
    results = [chain.inverse(point, pitch=pitch) for point, pitch in targets]
    return Missed(
        measures=measures, chain=chain, points=points[some], pitches=pitches[some], results=results
    )


@cache
def nearest_grid_pitches(name: str) -> Array:
    """Return how far the nearest pitch of a grid that reaches each target is from the asked one."""
    case = missed(name)
    return case.measures.grid_pitches(case.points, case.pitches, PITCH_STEPS)


@cache
def grid_distances(name: str) -> Array:
    """Return how far each target is from the nearest posture of a grid at its pitch."""
    case = missed(name)
    distances = np.full(len(case.points), np.inf)
    for pitch in np.unique(case.pitches):
        some = case.pitches == pitch
        tools = case.measures.tools_at_pitch(pitch)
        distances[some] = case.measures.grid_distances(tools, case.points[some])
    return distances


# --- reasons ---------------------------------------------------------------------------------


@every_arm
def test_target_that_no_branch_reaches_is_not_reached(name):
    assert not any(result.reached for result in missed(name).results)


@every_arm
def test_missed_target_has_no_solutions(name):
    assert all(result.solutions.shape == (0, 4) for result in missed(name).results)


def test_targets_are_missed_for_every_reason():
    counts = Counter(result.reason for name in ARMS for result in missed(name).results)
    common = (IKReason.JOINT_LIMIT, IKReason.PITCH, IKReason.TOO_FAR)
    assert min(counts[reason] for reason in common) > 300
    assert counts[IKReason.TOO_CLOSE] > 3


@every_arm
def test_joint_limit_is_the_reason_exactly_when_the_links_could_form_the_pose(name):
    case = missed(name)
    could = ~np.isnan(case.measures.branches(case.points, case.pitches)[..., 0]).all(axis=-1)
    said = np.array([result.reason == IKReason.JOINT_LIMIT for result in case.results])
    np.testing.assert_array_equal(said, could)


def least_bad_branches(case: Missed, some: np.ndarray) -> Array:
    """Return by how much each joint is over (n, 4), in the branch whose worst is least over."""
    q = case.measures.branches(case.points[some], case.pitches[some])
    over = case.measures.excesses(q)
    worst = np.where(np.isnan(over), np.inf, over).max(axis=-1)
    return np.take_along_axis(over, worst.argmin(axis=-1)[:, None, None], axis=1)[:, 0]


@every_arm
def test_joint_limit_excess_is_that_of_the_least_bad_branch(name):
    case = missed(name)
    some = case.having(IKReason.JOINT_LIMIT)
    said = np.array([case.results[i].excess for i in some])
    np.testing.assert_allclose(said, least_bad_branches(case, some).max(axis=-1), atol=1e-9)


@every_arm
def test_joint_limit_names_the_worst_joint_of_the_least_bad_branch(name):
    case = missed(name)
    some = case.having(IKReason.JOINT_LIMIT)
    worst = least_bad_branches(case, some).argmax(axis=-1)
    names = [case.chain.joint_names[j] for j in worst]
    assert [case.results[i].joint for i in some] == names


@every_arm
def test_pitch_is_the_reason_only_where_the_links_cannot_form_the_pose(name):
    case = missed(name)
    some = case.having(IKReason.PITCH)
    assert len(some)
    assert not case.measures.forms(case.points[some], case.pitches[some]).any()


@every_arm
def test_pitch_that_would_do_does_reach_the_point(name):
    case = missed(name)
    some = case.having(IKReason.PITCH)
    turns = np.array([case.results[i].excess for i in some])
    reached = np.zeros(len(some), bool)
    for sign in (1.0, -1.0):
        pitches = case.pitches[some] + sign * turns
        reached |= case.measures.reaches(case.points[some], pitches, tolerance=1e-6, slack=1e-9)
    assert reached.all()


@every_arm
def test_no_pitch_nearer_than_the_one_that_would_do_reaches_the_point(name):
    case = missed(name)
    some = case.having(IKReason.PITCH)
    turns = np.array([case.results[i].excess for i in some])
    assert (turns - nearest_grid_pitches(name)[some]).max() < 1e-9


@every_arm
def test_nearest_pitch_of_the_grid_is_one_step_from_the_one_that_would_do(name):
    # Except where the pitches that reach the point fit between two steps of the grid.
    case = missed(name)
    some = case.having(IKReason.PITCH)
    turns = np.array([case.results[i].excess for i in some])
    within_a_step = nearest_grid_pitches(name)[some] - turns < TURN / PITCH_STEPS + 1e-9
    assert within_a_step.mean() > 0.9


@every_arm
def test_point_too_far_or_too_close_is_reached_at_no_pitch(name):
    case = missed(name)
    some = case.having(IKReason.TOO_FAR, IKReason.TOO_CLOSE)
    assert np.isinf(nearest_grid_pitches(name)[some]).all()


@every_arm
def test_side_that_misses_least_decides_between_too_far_and_too_close(name):
    case = missed(name)
    some = case.having(IKReason.TOO_FAR, IKReason.TOO_CLOSE)
    _, out, down = case.measures.wrists(case.points[some], case.pitches[some])
    wrist = np.hypot(out, down)
    nearest, farthest = case.measures.annulus
    side = np.maximum(wrist - farthest, nearest - wrist).argmin(axis=-1)
    beyond = np.take_along_axis(wrist, side[:, None], axis=-1)[:, 0] > farthest
    said = np.array([case.results[i].reason == IKReason.TOO_FAR for i in some])
    np.testing.assert_array_equal(said, beyond)


def test_wrist_that_is_too_far_by_less_than_it_is_too_close_behind_is_too_far():
    # Facing the point the wrist is 1.8 mm outside the straight arm, from behind 2.2 mm too close.
    limits = {
        "joint1": (-0.1, 0.1),
        "joint2": (0.0, 0.01),
        "joint3": (0.0, 0.01),
        "joint4": (0.0, 0.01),
    }
    result = chain_of(TABLE.with_limits(limits)).inverse([0.012 + 0.130, 0.0, 0.0765], pitch=pi)
    assert result.reason == IKReason.TOO_FAR


@every_arm
def test_excess_of_a_point_too_far_or_too_close_is_its_shortfall(name):
    case = missed(name)
    for i in case.having(IKReason.TOO_FAR, IKReason.TOO_CLOSE):
        assert case.results[i].excess == case.results[i].shortfall
        assert case.results[i].unit == "m"


# --- the nearest pose ------------------------------------------------------------------------


@every_arm
def test_nearest_joints_are_inside_the_limits(name):
    case = missed(name)
    q = case.nearest_joints
    assert (case.measures.lower - q).max() < 1e-12
    assert (q - case.measures.upper).max() < 1e-12


@every_arm
def test_nearest_joints_bring_the_tool_to_the_nearest_position(name):
    case = missed(name)
    reached = case.chain.forward(case.nearest_joints)[:, :3, 3]
    np.testing.assert_allclose(reached, case.nearest_points, atol=1e-12)


@every_arm
def test_nearest_joints_have_the_asked_pitch(name):
    case = missed(name)
    _, pitches = case.measures.forward(case.nearest_joints)
    assert np.abs(wrap(pitches - case.pitches)).max() < 1e-9


@every_arm
def test_nearest_pose_says_the_asked_pitch(name):
    case = missed(name)
    said = np.array([result.nearest.pitch for result in case.results])
    assert np.abs(wrap(said - case.pitches)).max() < 1e-9


@every_arm
def test_shortfall_is_the_distance_to_the_nearest_position(name):
    case = missed(name)
    distances = np.linalg.norm(case.nearest_points - case.points, axis=-1)
    np.testing.assert_allclose(case.shortfalls, distances, atol=1e-12)


@every_arm
def test_no_posture_of_a_grid_is_nearer_than_the_nearest(name):
    assert (missed(name).shortfalls - grid_distances(name)).max() < 1e-9


@every_arm
def test_grid_of_postures_comes_as_near_as_its_resolution(name):
    assert (grid_distances(name) - missed(name).shortfalls).max() < GRID_RESOLUTION


def test_nearest_keeps_the_point_where_no_posture_has_the_pitch():
    narrow = TABLE.with_limits(
        {"joint2": (-0.3, 0.3), "joint3": (-0.3, 0.3), "joint4": (-0.3, 0.3)}
    )
    point = narrow.forward([0.2, 0.1, -0.1, 0.1])[:3, 3]
    result = chain_of(narrow).inverse(point, pitch=2.5)
    assert not result.reached
    np.testing.assert_allclose(result.nearest.position, point, atol=1e-6)
    np.testing.assert_allclose(narrow.forward(result.nearest.joints)[:3, 3], point, atol=1e-6)


def test_nearest_is_any_pitch_where_neither_point_nor_pitch_can_be_kept():
    low, high = (-2.8, -0.3, -0.3, -0.3), (2.8, 0.3, 0.3, 0.3)
    measures = OPEN_MANIPULATOR_X.with_limits(low, high)
    ends = zip(low, high, strict=True)
    narrow = TABLE.with_limits(dict(zip(TABLE.names, ends, strict=True)))
    target = np.array([0.5, 0.1, 0.4])
    result = chain_of(narrow).inverse(target, pitch=2.5)
    grid = measures.grid_distances(measures.tools_at_any_pitch(), target[None])[0]
    assert result.shortfall < grid + 1e-9
    assert result.shortfall > grid - 0.005


def test_heading_at_its_limit_is_the_nearest_to_a_point_beside_it():
    low, high = (-0.4, *OPEN_MANIPULATOR_X.lower[1:]), (0.3, *OPEN_MANIPULATOR_X.upper[1:])
    measures = OPEN_MANIPULATOR_X.with_limits(low, high)
    rng = np.random.default_rng(31)
    pitches = np.full(300, 0.3)
    points = rng.uniform(-0.35, 0.35, (300, 3)) + np.array([0.012, 0.0, 0.2])
    some = ~measures.reaches(points, pitches)
    arm = chain_of(TABLE.with_limits({"joint1": (-0.4, 0.3)}))
    shortfalls = np.array([arm.inverse(point, pitch=0.3).shortfall for point in points[some]])
    grid = measures.grid_distances(measures.tools_at_pitch(0.3), points[some])
    assert (shortfalls - grid).max() < 1e-9
    assert (grid - shortfalls).max() < GRID_RESOLUTION


# --- a free pitch ----------------------------------------------------------------------------


@cache
def free(name: str) -> Missed:
    """Return random targets of all kinds with the pitch left free."""
    measures, dh, count = ARMS[name]
    points, _ = random_targets(measures, min(count, 600), np.random.default_rng(32))
    points = points[np.linalg.norm(points - [*measures.axis, measures.shoulder_z], axis=-1) < 0.5]
    chain = chain_of(dh)
    results = [chain.inverse(point) for point in points]
    return Missed(
        measures=measures,
        chain=chain,
        points=points,
        pitches=np.zeros(len(points)),
        results=results,
    )


@cache
def free_grid_pitches(name: str) -> Array:
    case = free(name)
    return case.measures.grid_pitches(case.points, case.pitches, 2 * PITCH_STEPS)


@every_arm
def test_free_pitch_reaches_every_point_that_some_pitch_reaches(name):
    reached = np.array([result.reached for result in free(name).results])
    reached_by_grid = np.isfinite(free_grid_pitches(name))
    assert 20 < reached_by_grid.sum() < len(reached) - 20
    assert not (reached_by_grid & ~reached).any()


@every_arm
def test_free_pitch_solutions_bring_the_tool_to_the_point(name):
    case = free(name)
    for point, result in zip(case.points, case.results, strict=True):
        for q in result.solutions:
            assert np.linalg.norm(case.chain.forward(q)[:3, 3] - point) < 1e-6


@every_arm
def test_free_pitch_solutions_are_inside_the_limits(name):
    case = free(name)
    found = np.concatenate([result.solutions for result in case.results])
    assert len(found)
    assert (case.measures.lower - found).max() < 1e-12
    assert (found - case.measures.upper).max() < 1e-12


@every_arm
def test_free_pitch_is_the_one_nearest_to_zero(name):
    case = free(name)
    reached = np.array([result.reached for result in case.results])
    used = np.array([abs(result.nearest.pitch) for result in case.results])
    grid = free_grid_pitches(name)
    assert (used - grid)[reached].max() < 1e-9
    within_a_step = (grid - used)[reached] < TURN / (2 * PITCH_STEPS) + 1e-9
    assert within_a_step.mean() > 0.9


@every_arm
def test_no_posture_of_a_grid_is_nearer_than_the_nearest_at_any_pitch(name):
    case = free(name)
    grid = case.measures.grid_distances(case.measures.tools_at_any_pitch(), case.points)
    assert (case.shortfalls - grid).max() < 1e-9
    assert (grid - case.shortfalls).max() < 0.01


@every_arm
def test_nearest_at_any_pitch_is_where_its_joints_bring_the_tool(name):
    case = free(name)
    some = [i for i, result in enumerate(case.results) if not result.reached]
    q = case.nearest_joints[some]
    np.testing.assert_allclose(
        case.chain.forward(q)[:, :3, 3], case.nearest_points[some], atol=1e-12
    )
    assert (case.measures.lower - q).max() < 1e-12
    assert (q - case.measures.upper).max() < 1e-12


@every_arm
def test_free_pitch_breaks_a_limit_exactly_when_the_links_could_reach_the_point(name):
    case = free(name)
    X, Y = (case.points[:, :2] - case.measures.axis).T
    out = np.hypot(X, Y)[:, None] * [1.0, -1.0] - case.measures.shoulder_r
    far_off = np.hypot(out, (case.points[:, 2] - case.measures.shoulder_z)[:, None])
    longest, total = max(case.measures.lengths), sum(case.measures.lengths)
    could = np.any((far_off <= total) & (far_off >= 2 * longest - total), axis=-1)
    for result, links_could in zip(case.results, could.tolist(), strict=True):
        if not result.reached:
            assert (result.reason == IKReason.JOINT_LIMIT) == links_could


@pytest.mark.parametrize("name", ["vendor limits", "ros 2 limits", "random 5"])
def test_free_pitch_limit_names_a_joint_that_is_at_its_limit(name):
    case = free(name)
    some = case.having(IKReason.JOINT_LIMIT)
    assert len(some)
    for i in some:
        result, dh = case.results[i], case.chain.dh
        k = dh.names.index(result.joint)
        q = result.nearest.joints[k]
        assert min(q - dh.lower[k], dh.upper[k] - q) < 1e-6


@pytest.mark.parametrize("name", ["vendor limits", "ros 2 limits", "random 5"])
def test_free_pitch_limit_named_is_worth_most(name):
    case = free(name)
    for i in case.having(IKReason.JOINT_LIMIT)[:40]:
        result, dh = case.results[i], case.chain.dh
        way = case.points[i] - result.nearest.position
        gains = np.abs(way @ dh.jacobian(result.nearest.joints)[:3])
        assert gains[dh.names.index(result.joint)] == pytest.approx(gains.max(), abs=1e-9)


def test_straight_arm_is_reached_with_a_free_pitch():
    arm = chain_of(TABLE.with_limits(ROS2_LIMITS))
    rng = np.random.default_rng(33)
    straight = -OPEN_MANIPULATOR_X.offsets[2]
    for heading, tilt in rng.uniform((-pi, -1.5), (pi, 1.5), (500, 2)):
        result = arm.inverse(arm.forward([heading, tilt, straight, 0.0])[:3, 3])
        assert result.reached, result.message


def test_point_in_the_hole_of_an_arm_with_a_long_hand_is_too_close():
    arm = chain_of(long_handed(shoulder_r=0.0))
    result = arm.inverse([0.05, 0.0, 0.1])
    assert result.reason == IKReason.TOO_CLOSE
    assert result.excess == pytest.approx(0.25)  # the hand of 0.5 m less two links of 0.1 m, 0.3 m


def test_point_too_close_in_front_but_too_far_behind_is_explained():
    result = chain_of(long_handed(shoulder_r=0.3)).inverse([0.45, 0.0, 0.1])
    assert result.reason in (IKReason.TOO_CLOSE, IKReason.TOO_FAR)
    assert result.shortfall == pytest.approx(0.05)  # 0.75 m behind, 0.70 m is the straight arm


def long_handed(shoulder_r: float) -> DHChain:
    """Return a turret arm without narrow limits whose hand is longer than the rest of it."""
    return DHChain(
        joints=(
            DHJoint(name="joint1", d=0.1, a=shoulder_r, alpha=-pi / 2),
            DHJoint(name="joint2", a=0.1),
            DHJoint(name="joint3", a=0.1),
            DHJoint(name="joint4", a=0.5),
        ),
        tool=rotation_x(pi / 2),
    )


# --- absurd targets --------------------------------------------------------------------------


@pytest.mark.parametrize("pitch", [None, 0.0, 1e9], ids=["free", "level", "many turns"])
@pytest.mark.parametrize("far", [1e3, 1e6, 1e200])
def test_absurdly_far_target_is_too_far(far, pitch):
    result = ARM.inverse([far, 0.0, 0.0], pitch=pitch)
    assert result.reason == IKReason.TOO_FAR
    assert result.shortfall == pytest.approx(far, rel=1e-3)
    assert np.isfinite(result.nearest.joints).all()


@pytest.mark.parametrize("point", [(0.012, 0.0, 0.0765), (0.012, 0.0, 0.017), (0.012, 0.0, 5.0)])
@pytest.mark.parametrize("pitch", [None, 0.0, pi / 2, -pi / 2, pi])
def test_point_on_axis_1_gets_an_answer(point, pitch):
    result = ARM.inverse(point, pitch=pitch)
    assert np.isfinite([result.shortfall, result.excess, *result.nearest.joints]).all()


# --- the sentences ---------------------------------------------------------------------------


def by_reason() -> dict[IKReason | None, IKResult]:
    """Return one result per reason that the closed form gives."""
    quaternion = (0.995, 0.0998, 0.0, 0.0)  # rolled by 0.2 rad, which no turret arm can
    results = [
        ARM.inverse((0.2, 0.0, 0.2), pitch=0.0),
        ARM.inverse((0.5, 0.1, 0.2), pitch=0.0),
        ARM.inverse((0.012, 0.0, 0.0765), pitch=0.3),
        ARM.inverse((0.2, 0.0, 0.2), pitch=2.5),
        ARM.inverse((0.2, 0.0, 0.2), quaternion=quaternion),
        chain_of(long_handed(shoulder_r=0.0)).inverse((0.05, 0.0, 0.1)),
        next(result for result in missed("vendor limits").results if result.reason == "pitch"),
    ]
    return {result.reason: result for result in results}


@pytest.mark.parametrize(
    ("reason", "pattern"),
    [
        (None, r"^reached; \d solutions? inside the joint limits"),
        (IKReason.TOO_FAR, r"^\d+\.\d mm too far"),
        (IKReason.TOO_CLOSE, r"^\d+\.\d mm too close to the arm"),
        (IKReason.JOINT_LIMIT, r"^joint\d over its limit by [\d.]+ rad \(\d+\.\d deg\)"),
        (IKReason.PITCH, r"^pitch out by \d+\.\d deg"),
        (IKReason.ORIENTATION, r"^orientation out by \d+\.\d deg"),
    ],
)
def test_message_has_a_number_with_its_unit(reason, pattern):
    message = by_reason()[reason].message
    assert re.search(pattern, message), message


def test_message_of_a_pitch_tells_a_pitch_that_reaches_the_point():
    case = missed("vendor limits")
    for i in case.having(IKReason.PITCH)[:50]:
        note = case.results[i].note
        pitch = float(note.split("at pitch ")[1].split(" rad")[0])
        turn = abs(wrap(np.array(pitch - case.pitches[i])))
        assert turn == pytest.approx(case.results[i].excess, abs=1e-3)


def test_message_of_a_broken_limit_tells_a_pitch_that_reaches_the_point():
    case = missed("vendor limits")
    hinted = 0
    for i in case.having(IKReason.JOINT_LIMIT)[:200]:
        note = case.results[i].note
        if note:
            pitch = float(note.split("at pitch ")[1].split(" rad")[0])
            reached = [
                case.measures.reaches(case.points[i : i + 1], np.array([pitch + shift]), 2e-2, 1e-2)
                for shift in (-1e-3, 0.0, 1e-3)
            ]
            assert np.any(reached)
            hinted += 1
    assert hinted > 100


def test_millimetres_of_a_message_are_the_shortfall():
    result = ARM.inverse((0.5, 0.0, 0.2), pitch=0.0)
    assert result.message.startswith(f"{result.shortfall * 1000:.1f} mm too far")


def test_hint_tells_the_turn_to_the_other_pitch_in_degrees():
    case = missed("vendor limits")
    for i in case.having(IKReason.PITCH)[:50]:
        note = case.results[i].note
        pitch = float(note.split("at pitch ")[1].split(" rad")[0])
        size, way = note.split(" rad, ")[1].split(" deg further ")
        turn = np.degrees(wrap(np.array(pitch - case.pitches[i])))
        assert float(size) * {"down": 1, "up": -1}[way] == pytest.approx(turn, abs=0.12)


def test_bearing_of_the_nearest_point_follows_the_target():
    target = np.array([0.9, 0.7, 0.3])
    nearest = ARM.inverse(target, pitch=0.0).nearest
    assert nearest.joints[0] == pytest.approx(atan2(0.7, 0.9 - 0.012), abs=1e-9)


def test_wider_limits_never_make_the_shortfall_larger():
    wide = chain_of(replace(TABLE, joints=tuple(
        replace(joint, lower=joint.lower - 0.3, upper=joint.upper + 0.3) for joint in TABLE.joints
    )))  # fmt: skip
    case = missed("vendor limits")
    for i in range(300):
        wider = wide.inverse(case.points[i], pitch=float(case.pitches[i]))
        assert wider.shortfall <= case.results[i].shortfall + 1e-9
