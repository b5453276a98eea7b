"""The numerical solver: forward of inverse, agreement with the closed form, calm at the edges."""

from functools import cache
from math import pi

import numpy as np
import pytest
from turret_witness import OPEN_MANIPULATOR_X

from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.ik import IKReason, IKResult, IKTarget, orientation_error, pitch_of
from mecano.kinematics.numerical import SolverSettings, solve_numerically
from mecano.robots.open_manipulator_x.description import ARM, TABLE
from mecano.robots.two_link.description import ARM as TWO_LINK_ARM

TWO_LINK = TWO_LINK_ARM.dh
# Lengths of the UR5 (Universal Robots, "DH parameters for calculations of kinematics").
UR5 = DHChain(
    joints=tuple(
        DHJoint(name=f"joint{i + 1}", d=d, a=a, alpha=alpha)
        for i, (d, a, alpha) in enumerate(
            [
                (0.089159, 0.0, pi / 2),
                (0.0, -0.425, 0.0),
                (0.0, -0.39225, 0.0),
                (0.10915, 0.0, pi / 2),
                (0.09465, 0.0, -pi / 2),
                (0.0823, 0.0, 0.0),
            ]
        )
    )
)
CHAINS = {"open_manipulator_x": TABLE, "ur5": UR5}
every_chain = pytest.mark.parametrize("name", CHAINS)
every_task = pytest.mark.parametrize("task", ["point", "pitch", "pose"])


def rest(chain: DHChain) -> np.ndarray:
    return np.clip(np.zeros(len(chain.joints)), chain.lower, chain.upper)


def target_at(chain: DHChain, q: np.ndarray, task: str) -> IKTarget:
    T = chain.forward(q)
    return IKTarget(
        T[:3, 3],
        pitch=pitch_of(T[:3, :3]) if task == "pitch" else None,
        rotation=T[:3, :3] if task == "pose" else None,
    )


@cache
def solved(name: str, task: str) -> list[tuple[IKTarget, IKResult]]:
    """Return random reachable targets and what the solver makes of them."""
    chain = CHAINS[name]
    postures = np.random.default_rng(40).uniform(chain.lower, chain.upper, (25, len(chain.joints)))
    targets = [target_at(chain, q, task) for q in postures]
    return [(target, solve_numerically(chain, target, start=rest(chain))) for target in targets]


# --- forward of inverse ----------------------------------------------------------------------


@every_chain
@every_task
def test_every_pose_of_a_posture_is_reached(name, task):
    assert [result.message for _, result in solved(name, task) if not result.reached] == []


@every_chain
@every_task
def test_every_solution_brings_the_tool_to_the_point(name, task):
    for target, result in solved(name, task):
        reached = CHAINS[name].forward(result.solutions)[:, :3, 3]
        assert np.linalg.norm(reached - target.position, axis=-1).max(initial=0.0) <= 1e-7


@every_chain
def test_every_solution_has_the_asked_pitch(name):
    for target, result in solved(name, "pitch"):
        assert target.pitch is not None
        for q in result.solutions:
            pitch = pitch_of(CHAINS[name].forward(q)[:3, :3])
            assert np.cos(pitch - target.pitch) == pytest.approx(1.0, abs=1e-11)


@every_chain
def test_every_solution_has_the_asked_orientation(name):
    for target, result in solved(name, "pose"):
        assert target.rotation is not None
        for q in result.solutions:
            R = CHAINS[name].forward(q)[:3, :3]
            assert np.abs(R - target.rotation).max() < 2e-6


@every_chain
@every_task
def test_every_solution_is_inside_the_limits(name, task):
    chain = CHAINS[name]
    for _, result in solved(name, task):
        assert (result.solutions >= chain.lower).all()
        assert (result.solutions <= chain.upper).all()


def test_solution_is_one_of_the_closed_form():
    for target, result in solved("open_manipulator_x", "pitch"):
        assert target.pitch is not None
        exact = ARM.turret.solve(target.position, target.pitch)
        assert np.abs(exact - result.solutions[0]).max(axis=-1).min() < 1e-4


def test_sliding_joints_reach_points_too():
    chain = DHChain(
        joints=(
            DHJoint(name="turn", d=0.2),
            DHJoint(name="lift", alpha=-pi / 2, kind="prismatic", lower=0.0, upper=0.5),
            DHJoint(name="reach", kind="prismatic", lower=0.1, upper=0.6),
        )
    )
    for q in np.random.default_rng(41).uniform(chain.lower, chain.upper, (20, 3)):
        target = target_at(chain, q, "point")
        result = solve_numerically(chain, target, start=rest(chain))
        assert result.reached
        np.testing.assert_allclose(
            chain.forward(result.solutions[0])[:3, 3], target.position, atol=1e-7
        )


# --- settings --------------------------------------------------------------------------------


def test_joints_that_may_not_move_stay():
    settings = SolverSettings(joints=("joint2", "joint3"))
    start = np.array([0.4, 0.0, 0.0, 0.3])
    target = target_at(TABLE, np.array([0.4, -0.6, 0.5, 0.3]), "point")
    result = solve_numerically(TABLE, target, start=start, settings=settings)
    assert result.reached
    np.testing.assert_array_equal(result.solutions[:, [0, 3]], [[0.4, 0.3]] * len(result.solutions))


def test_joints_that_may_not_move_stay_when_the_target_is_missed():
    settings = SolverSettings(joints=("joint2", "joint3"), restarts=3)
    start = np.array([0.4, 0.0, 0.0, 0.3])
    result = solve_numerically(
        TABLE, IKTarget(np.array([0.1, -0.2, 0.2])), start=start, settings=settings
    )
    assert not result.reached
    np.testing.assert_array_equal(result.nearest.joints[[0, 3]], [0.4, 0.3])


def test_unknown_joint_lists_the_known_ones():
    settings = SolverSettings(joints=("elbow",))
    with pytest.raises(UnknownName, match="known joints: joint1, joint2, joint3, joint4"):
        solve_numerically(TABLE, IKTarget(np.zeros(3)), start=np.zeros(4), settings=settings)


def test_no_joint_to_move_is_refused():
    with pytest.raises(InvalidInput, match="no joint may move"):
        solve_numerically(
            TABLE, IKTarget(np.zeros(3)), start=np.zeros(4), settings=SolverSettings(joints=())
        )


def test_same_seed_gives_the_same_answer():
    target = target_at(UR5, np.array([0.3, -1.0, 1.2, 0.4, -0.7, 0.2]), "pose")
    settings = SolverSettings(every=True, restarts=8, seed=5)
    first, again = (
        solve_numerically(UR5, target, start=rest(UR5), settings=settings) for _ in range(2)
    )
    assert len(first.solutions) > 1
    np.testing.assert_array_equal(first.solutions, again.solutions)


def test_another_seed_starts_elsewhere():
    target = IKTarget(np.array([0.3, 0.1, 0.3]))
    postures = [
        solve_numerically(UR5, target, start=rest(UR5),
                          settings=SolverSettings(every=True, restarts=3, seed=seed)).solutions
        for seed in (0, 1)
    ]  # fmt: skip
    assert postures[0].shape != postures[1].shape or np.abs(postures[0] - postures[1]).max() > 1e-2


def test_every_start_of_two_links_finds_both_elbows():
    target = IKTarget(np.array([0.3, 0.1, 0.0]))
    result = solve_numerically(
        TWO_LINK, target, start=np.zeros(2), settings=SolverSettings(every=True)
    )
    # The law of cosines with links of 0.3 m and 0.2 m.
    elbow = np.arccos((0.3**2 + 0.1**2 - 0.3**2 - 0.2**2) / (2 * 0.3 * 0.2))
    np.testing.assert_allclose(np.sort(result.solutions[:, 1]), [-elbow, elbow], atol=1e-5)


def test_solutions_are_ordered_by_distance_to_the_start():
    start = np.array([1.0, -1.8])
    result = solve_numerically(
        TWO_LINK,
        IKTarget(np.array([0.3, 0.1, 0.0])),
        start=start,
        settings=SolverSettings(every=True),
    )
    distances = np.linalg.norm(result.solutions - start, axis=-1)
    assert len(distances) == 2
    assert distances[0] < distances[1]


# --- Newton-Raphson --------------------------------------------------------------------------

NEWTON = SolverSettings(method="newton", restarts=0)


@every_chain
def test_newton_converges_from_near(name):
    chain = CHAINS[name]
    rng = np.random.default_rng(42)
    inside = 0.2 * (chain.upper - chain.lower)
    for q in rng.uniform(chain.lower + inside, chain.upper - inside, (20, len(chain.joints))):
        start = q + rng.uniform(-0.02, 0.02, len(q))
        target = target_at(chain, q, "pitch" if name == "open_manipulator_x" else "pose")
        result = solve_numerically(chain, target, start=start, settings=NEWTON)
        assert result.reached, result.message
        np.testing.assert_allclose(
            chain.forward(result.solutions[0])[:3, 3], target.position, atol=1e-7
        )


@pytest.mark.parametrize("method", ["damped", "newton"])
def test_straight_arm_aimed_along_itself_is_singular(method):
    settings = SolverSettings(method=method, restarts=0)
    result = solve_numerically(
        TWO_LINK, IKTarget(np.array([0.3, 0.0, 0.0])), start=np.zeros(2), settings=settings
    )
    assert result.reason == IKReason.SINGULAR
    assert result.excess == pytest.approx(0.2)
    assert "stuck 200.0 mm short in a singular posture" in result.message


def test_restarts_free_a_straight_arm_aimed_along_itself():
    result = solve_numerically(TWO_LINK, IKTarget(np.array([0.3, 0.0, 0.0])), start=np.zeros(2))
    assert result.reached


@pytest.mark.parametrize("method", ["damped", "newton"])
@pytest.mark.parametrize("iterations", [1, 2, 5])
def test_too_few_iterations_are_not_converged(method, iterations):
    # The target is 0.316 m from the axis, well inside the reach of 0.1 m to 0.5 m.
    settings = SolverSettings(method=method, restarts=0, max_iterations=iterations)
    target = IKTarget(np.array([-0.3, 0.1, 0.0]))
    result = solve_numerically(TWO_LINK, target, start=np.array([0.2, 0.3]), settings=settings)
    assert result.reason == IKReason.NOT_CONVERGED, result.message


def test_message_of_a_search_cut_short_tells_the_distance():
    settings = SolverSettings(restarts=0, max_iterations=5)
    target = IKTarget(np.array([-0.3, 0.1, 0.0]))
    result = solve_numerically(TWO_LINK, target, start=np.array([0.2, 0.3]), settings=settings)
    assert f"not converged, {result.excess * 1000:.1f} mm short" in result.message


# --- out of reach ----------------------------------------------------------------------------


@cache
def missed_twice() -> list[tuple[IKResult, IKResult]]:
    """Return what the closed form and the numerical solver say to the same unreachable targets."""
    rng = np.random.default_rng(43)
    points = rng.uniform(-0.35, 0.35, (200, 3)) + np.array([0.012, 0.0, 0.1])
    pitches = rng.uniform(-pi, pi, 200)
    some = np.flatnonzero(~OPEN_MANIPULATOR_X.reaches(points, pitches))[:12]
    return [
        (
            ARM.inverse(points[i], pitch=float(pitches[i])),
            solve_numerically(TABLE, IKTarget(points[i], float(pitches[i])), start=np.zeros(4)),
        )
        for i in some
    ]


OUT_OF_REACH = (IKReason.TOO_FAR, IKReason.TOO_CLOSE)


@pytest.mark.slow
def test_reason_agrees_with_the_closed_form():
    seen = set()
    for exact, found in missed_twice():
        if exact.reason in OUT_OF_REACH:
            assert found.reason in OUT_OF_REACH
        else:
            assert found.reason == exact.reason
        seen.add(exact.reason)
    assert len(seen) >= 3


@pytest.mark.slow
def test_choice_between_too_far_and_too_close_agrees_with_the_closed_form():
    for exact, found in missed_twice():
        if exact.reason in OUT_OF_REACH:
            assert found.reason == exact.reason


@pytest.mark.slow
def test_joint_over_its_limit_agrees_with_the_closed_form():
    for exact, found in missed_twice():
        assert found.joint == exact.joint


@pytest.mark.slow
def test_shortfall_agrees_with_the_closed_form():
    for exact, found in missed_twice():
        assert found.shortfall == pytest.approx(exact.shortfall, abs=1e-3)


@pytest.mark.slow
def test_nearest_pose_agrees_with_its_own_joints():
    for _, found in missed_twice():
        T = TABLE.forward(found.nearest.joints)
        np.testing.assert_allclose(T[:3, 3], found.nearest.position, atol=1e-12)
        assert found.nearest.pitch == pytest.approx(pitch_of(T[:3, :3]), abs=1e-12)


def test_point_out_of_reach_is_missed_by_the_distance_to_the_straight_arm():
    result = solve_numerically(
        TWO_LINK, IKTarget(np.array([0.6, 0.8, 0.0])), start=np.array([0.1, 0.2])
    )
    assert result.reason == IKReason.TOO_FAR
    assert result.shortfall == pytest.approx(0.5, abs=1e-6)
    assert result.message == "500.0 mm too far"


def test_point_in_the_hole_is_too_close():
    result = solve_numerically(
        TWO_LINK.with_limits({"joint2": (-pi, pi)}), IKTarget(np.array([0.03, 0.04, 0.0])),
        start=np.array([0.1, 0.2]),
    )  # fmt: skip
    assert result.reason == IKReason.TOO_CLOSE
    assert result.shortfall == pytest.approx(0.05, abs=1e-6)


def test_limit_in_the_way_is_named_with_its_excess():
    # Two links straight up would do, but the elbow may only bend by 0.5 rad and more.
    chain = TWO_LINK.with_limits({"joint2": (0.5, 2.0)})
    result = solve_numerically(
        chain, IKTarget(np.array([0.0, 0.499, 0.0])), start=np.array([0.1, 0.6])
    )
    elbow = np.arccos((0.499**2 - 0.3**2 - 0.2**2) / (2 * 0.3 * 0.2))
    assert (result.reason, result.joint) == (IKReason.JOINT_LIMIT, "joint2")
    assert result.excess == pytest.approx(0.5 - elbow, abs=1e-4)


def test_orientation_that_four_joints_cannot_have_is_off_by_its_roll():
    T = TABLE.forward([0.2, -0.4, 0.3, 0.4])
    roll = np.array([[1, 0, 0], [0, np.cos(0.3), -np.sin(0.3)], [0, np.sin(0.3), np.cos(0.3)]])
    target = IKTarget(T[:3, 3], rotation=T[:3, :3] @ roll)
    result = solve_numerically(
        TABLE, target, start=np.zeros(4), settings=SolverSettings(restarts=4)
    )
    assert result.reason == IKReason.ORIENTATION
    assert result.excess == pytest.approx(0.3, abs=1e-3)
    assert target.rotation is not None
    nearest = TABLE.forward(result.nearest.joints)[:3, :3]
    assert orientation_error(target.rotation, nearest) == pytest.approx(result.excess, abs=1e-6)


# --- calm at the edges -----------------------------------------------------------------------

FEW = SolverSettings(restarts=2)


@every_task
@pytest.mark.parametrize("name", ["open_manipulator_x", "ur5", "two_link"])
@pytest.mark.parametrize("point", [(1e6, 0.0, 0.0), (-1e6, 1e6, -1e6), (0.0, 0.0, 0.0)])
def test_absurd_target_is_answered_with_finite_numbers(point, name, task):
    chain = {**CHAINS, "two_link": TWO_LINK}[name]
    target = IKTarget(
        np.array(point),
        pitch=0.3 if task == "pitch" else None,
        rotation=np.eye(3) if task == "pose" else None,
    )
    result = solve_numerically(chain, target, start=rest(chain), settings=FEW)
    assert np.isfinite([result.shortfall, result.excess, result.nearest.pitch]).all()
    assert ((chain.lower <= result.nearest.joints) & (result.nearest.joints <= chain.upper)).all()


def test_absurdly_far_target_is_too_far_by_its_distance():
    result = solve_numerically(
        TABLE, IKTarget(np.array([1e6, 0.0, 0.0])), start=np.zeros(4), settings=FEW
    )
    assert result.reason == IKReason.TOO_FAR
    assert result.shortfall == pytest.approx(1e6, rel=1e-5)


@pytest.mark.parametrize("method", ["damped", "newton"])
@pytest.mark.parametrize(
    ("chain", "start", "goal"),
    [
        (UR5, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.2, -0.9, 1.1, 0.3, 0.8, 0.1)),
        (UR5, (0.0, -pi / 2, 0.0, -pi / 2, 0.0, 0.0), (0.2, -1.0, 0.4, 0.3, 0.8, 0.1)),
        (TABLE.with_limits({"joint3": (-1.5, 1.4)}), (0.0, 1.2, -1.3854483767992019, 0.0),
         (0.3, 0.2, 0.1, 0.4)),
    ],
    ids=["ur5 stretched", "ur5 upright", "open_manipulator_x straight"],
)  # fmt: skip
def test_singular_start_is_left(chain, start, goal, method):
    target = target_at(chain, np.array(goal), "pitch" if len(goal) == 4 else "pose")
    settings = SolverSettings(method=method)
    result = solve_numerically(chain, target, start=np.array(start), settings=settings)
    assert result.reached
    np.testing.assert_allclose(
        chain.forward(result.solutions[0])[:3, 3], target.position, atol=1e-7
    )


def test_start_outside_the_limits_is_brought_inside():
    target = target_at(TABLE, np.array([0.2, -0.4, 0.3, 0.4]), "pitch")
    result = solve_numerically(TABLE, target, start=np.array([9.0, 9.0, -9.0, 9.0]))
    assert result.reached
    assert (result.solutions <= TABLE.upper).all()


def test_half_turn_of_the_tool_is_found():
    q = np.array([0.4, -1.2, 1.3, -0.5, 0.9, 0.3])
    T = UR5.forward(q)
    T_back = T[:3, :3] @ np.diag([-1.0, -1.0, 1.0])  # exactly half a turn about the tool's z
    result = solve_numerically(UR5, IKTarget(T[:3, 3], rotation=T_back), start=q)
    assert result.reached
    assert np.abs(UR5.forward(result.solutions[0])[:3, :3] - T_back).max() < 1e-5


def test_whole_turns_of_a_joint_are_not_further_solutions():
    limits = dict.fromkeys(TWO_LINK.names, (-3 * np.pi, 3 * np.pi))
    chain, start = TWO_LINK.with_limits(limits), np.array([2 * np.pi, 2 * np.pi])
    target = IKTarget.checked([0.25, 0.1, 0.0])
    found = solve_numerically(chain, target, start=start, settings=SolverSettings(every=True))
    assert len(found.solutions) == 2
    assert np.abs(found.solutions - start).max() <= np.pi + 1e-9
