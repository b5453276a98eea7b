"""Damped least squares with chosen joints, and a tip that follows a moving target."""

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose
from mecano.kinematics.dls import DLSSettings, TipFollower, solve_dls
from mecano.kinematics.ik import IKReason, IKTarget, orientation_error, pitch_of
from mecano.robots.two_link.description import ARM as TWO_LINK_ARM
from mecano.robots.widowx.description import ARM as WIDOWX

CHAIN = WIDOWX.dh
TWO_LINK = TWO_LINK_ARM.dh
LIFT = np.array(WIDOWX.postures["lift"])
BEND = np.array([0.1, -0.15, 0.2, 0.15, 0.0])
"""What the tests add to LIFT to have a goal nearby [rad]."""
every_task = pytest.mark.parametrize("task", ["position", "pitch", "pose"])


def tool(q: np.ndarray) -> Pose:
    return Pose.from_matrix(CHAIN.forward(q))


# --- laws

inside = st.tuples(*(st.floats(0.6 * j.lower, 0.6 * j.upper) for j in CHAIN.joints)).map(np.array)
nudges = st.tuples(*(st.floats(-0.1, 0.1) for _ in CHAIN.joints)).map(np.array)


@given(q=inside, nudge=nudges)
def test_steps_bring_the_tip_nearer_or_rest(q, nudge):
    follower = TipFollower(chain=CHAIN)
    target = tool(q + nudge)
    step = follower.step(q, target)
    before = np.linalg.norm(CHAIN.forward(q)[:3, 3] - target.position)
    assert step.position_error <= before + 1e-9


@given(q=inside)
def test_a_target_at_the_tip_moves_nothing(q):
    step = TipFollower(chain=CHAIN, settings=DLSSettings(task="pose")).step(q, tool(q))
    np.testing.assert_allclose(step.joints, q, atol=1e-9)
    assert step.reached and step.resting


@given(q=inside, x=st.floats(-3.0, 3.0), y=st.floats(-3.0, 3.0), z=st.floats(-3.0, 3.0))
def test_any_point_is_answered_inside_the_limits(q, x, y, z):
    step = TipFollower(chain=CHAIN).step(q, IKTarget(np.array([x, y, z])))
    assert ((CHAIN.lower <= step.joints) & (step.joints <= CHAIN.upper)).all()


@given(q=inside, x=st.floats(-3.0, 3.0))
def test_no_joint_moves_more_than_the_steps_allow(q, x):
    settings = DLSSettings(max_iterations=3, max_step=0.02)
    step = TipFollower(chain=CHAIN, settings=settings).step(q, IKTarget(np.array([x, 0.1, 0.2])))
    assert np.abs(step.joints - q).max() <= 3 * 0.02 + 1e-12


# --- rows of the task


@every_task
def test_a_pose_nearby_is_reached_in_all_that_counts(task):
    goal = tool(LIFT + BEND)
    result = solve_dls(CHAIN, goal, start=LIFT, settings=DLSSettings(task=task))
    assert result.reached, result.message
    T = CHAIN.forward(result.solutions[0])
    assert np.linalg.norm(T[:3, 3] - goal.position) <= 1e-3
    if task == "pitch":
        assert pitch_of(T[:3, :3]) == pytest.approx(pitch_of(goal.rotation_matrix()), abs=0.01)
    if task == "pose":
        assert orientation_error(T[:3, :3], goal.rotation_matrix()) <= 0.01


def test_position_alone_leaves_the_pitch_free():
    goal = tool(LIFT + BEND)
    free = solve_dls(CHAIN, goal, start=LIFT)
    kept = solve_dls(CHAIN, goal, start=LIFT, settings=DLSSettings(task="pitch"))
    wanted = pitch_of(goal.rotation_matrix())
    assert abs(free.nearest.pitch - wanted) > 0.03 > abs(kept.nearest.pitch - wanted)


def test_a_pitch_may_be_given_by_itself():
    goal = tool(LIFT + BEND)
    target = IKTarget(goal.position, pitch=pitch_of(goal.rotation_matrix()))
    settings = DLSSettings(task="pitch")
    one = solve_dls(CHAIN, target, start=LIFT, settings=settings)
    two = solve_dls(CHAIN, goal, start=LIFT, settings=settings)
    np.testing.assert_allclose(one.solutions, two.solutions, atol=1e-9)


@pytest.mark.parametrize("task", ["pitch", "pose"])
def test_rows_that_the_target_does_not_have_are_refused(task):
    with pytest.raises(InvalidInput, match=f"task '{task}' needs a target"):
        solve_dls(CHAIN, IKTarget(np.ones(3)), start=LIFT, settings=DLSSettings(task=task))


# --- chosen joints


def test_joints_that_are_not_chosen_stay_exactly():
    settings = DLSSettings(joints=("arm_2_joint", "arm_3_joint", "arm_4_joint"))
    goal = tool(LIFT + np.array([0.0, -0.2, 0.3, 0.1, 0.0]))
    result = solve_dls(CHAIN, goal, start=LIFT, settings=settings)
    assert result.reached
    np.testing.assert_array_equal(result.solutions[0][[0, 4]], LIFT[[0, 4]])


def test_a_mask_chooses_as_the_names_do():
    names = DLSSettings(joints=("arm_1_joint", "arm_2_joint", "arm_3_joint", "arm_4_joint"))
    mask = DLSSettings(joints=(True, True, True, True, False))
    goal = tool(LIFT + BEND)
    one, two = (solve_dls(CHAIN, goal, start=LIFT, settings=s).solutions for s in (names, mask))
    np.testing.assert_array_equal(one, two)


def test_chosen_joints_that_cannot_reach_are_reported_with_those_held():
    # The turret may not turn, so a point beside the plane of the arm stays out of reach.
    settings = DLSSettings(joints=("arm_2_joint", "arm_3_joint", "arm_4_joint"))
    goal = tool(LIFT + np.array([0.3, 0.0, 0.0, 0.0, 0.0]))
    result = solve_dls(CHAIN, goal, start=LIFT, settings=settings)
    assert not result.reached
    assert result.reason in (IKReason.TOO_FAR, IKReason.TOO_CLOSE)
    assert "arm_1_joint, arm_5_joint may not move" in result.message
    np.testing.assert_array_equal(result.nearest.joints[[0, 4]], LIFT[[0, 4]])
    # The nearest point of the arm's plane: what is missing stands across it.
    assert result.shortfall == pytest.approx(abs(goal.position[1]), abs=2e-3)


def test_all_joints_reach_what_some_do_not():
    goal = tool(LIFT + np.array([0.3, 0.0, 0.0, 0.0, 0.0]))
    assert solve_dls(CHAIN, goal, start=LIFT).reached


def test_unknown_joint_lists_the_known_ones():
    with pytest.raises(UnknownName, match="known joints: arm_1_joint"):
        solve_dls(CHAIN, tool(LIFT), start=LIFT, settings=DLSSettings(joints=("elbow",)))


@pytest.mark.parametrize("joints", [(), (False,) * 5])
def test_no_joint_to_move_is_refused(joints):
    with pytest.raises(InvalidInput, match="no joint may move"):
        solve_dls(CHAIN, tool(LIFT), start=LIFT, settings=DLSSettings(joints=joints))


def test_a_mask_of_another_length_is_refused():
    with pytest.raises(InvalidInput, match="2 joints are said to move or not, 5 needed"):
        solve_dls(CHAIN, tool(LIFT), start=LIFT, settings=DLSSettings(joints=(True, False)))


# --- out of reach


def test_a_point_too_far_leaves_the_arm_stretched_towards_it():
    result = solve_dls(
        TWO_LINK, IKTarget(np.array([0.8, 0.6, 0.0])), start=[0.5, 0.4],
        settings=DLSSettings(max_iterations=400),
    )  # fmt: skip
    assert result.reason == IKReason.TOO_FAR
    assert result.shortfall == pytest.approx(0.5, abs=5e-3)  # the links are 0.3 m and 0.2 m


def test_a_joint_at_its_limit_is_named():
    chain = TWO_LINK.with_limits({"joint1": (-0.2, 0.2)})
    end = TipFollower(chain=chain, settings=DLSSettings(joints=("joint1",))).step(
        [0.0, 0.0], IKTarget(np.array([0.0, 0.5, 0.0]))
    )
    assert end.at_limit == ("joint1",)
    assert end.resting and not end.reached
    np.testing.assert_array_equal(end.joints, [0.2, 0.0])


def test_too_few_steps_are_not_converged():
    goal = tool(LIFT + BEND)
    result = solve_dls(CHAIN, goal, start=LIFT, settings=DLSSettings(max_iterations=1))
    assert result.reason == IKReason.NOT_CONVERGED
    assert "allow more iterations" in result.message


def test_a_straight_arm_aimed_along_itself_rests_in_a_singular_posture():
    result = solve_dls(TWO_LINK, IKTarget(np.array([0.3, 0.0, 0.0])), start=[0.0, 0.0])
    assert result.reason == IKReason.SINGULAR
    assert result.excess == pytest.approx(0.2)


# --- settings


def test_the_defaults_are_those_of_the_experiment():
    settings = DLSSettings()
    assert (settings.damping, settings.max_iterations, settings.max_step) == (0.05, 20, 0.1)


@pytest.mark.parametrize(
    "wrong",
    [{"damping": 0.0}, {"max_step": -1.0}, {"max_iterations": 0}, {"task": "yaw"}],
    ids=str,
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidInput):
        DLSSettings(**wrong)


def test_two_rows_of_joints_are_refused():
    with pytest.raises(InvalidInput, match="one row"):
        TipFollower(chain=CHAIN).step(np.zeros((2, 5)), tool(LIFT))


# --- a tip that follows


def circle(time: float, *, radius: float = 0.05, period: float = 4.0) -> Pose:
    """Return a target that goes round in the horizontal plane through the tip at LIFT."""
    start = tool(LIFT)
    angle = 2 * pi * time / period
    offset = radius * np.array([np.cos(angle) - 1.0, np.sin(angle), 0.0])
    return Pose(start.position + offset, start.quaternion)


def followed(settings: DLSSettings, tick: float = 0.01) -> tuple[float, float, float]:
    """Return the largest errors of tip [m] and angle [rad] and the fastest joint [rad/s]."""
    follower, q, worst = TipFollower(chain=CHAIN, settings=settings), LIFT, np.zeros(3)
    for k in range(round(8.0 / tick)):  # twice round
        step = follower.step(q, circle(k * tick))
        speed = np.abs(step.joints - q).max() / tick
        worst = np.maximum(worst, [step.position_error, step.angle_error, speed])
        q = step.joints
    return worst[0], worst[1], worst[2]


@pytest.mark.parametrize("iterations", [1, 3])
def test_the_tip_stays_within_half_a_millimetre_of_a_target_on_a_circle(iterations):
    position, _, _ = followed(DLSSettings(max_iterations=iterations))
    assert position < 0.0005  # the target itself moves 0.8 mm per tick


def test_the_tip_keeps_its_pitch_on_the_circle():
    position, angle, speed = followed(DLSSettings(task="pitch", max_iterations=3))
    assert position < 0.001
    assert angle < 0.01
    assert speed < 1.0  # it flows: no joint jumps


def test_a_target_that_leaves_the_reach_is_found_again_when_it_returns():
    follower, q, left = TipFollower(chain=CHAIN), LIFT, []
    start = tool(LIFT).position
    for k in range(800):
        away = 0.4 * np.sin(2 * pi * k / 400) ** 2  # out to 0.78 m and back, twice
        step = follower.step(q, IKTarget(start + np.array([away, 0.0, 0.0])))
        q = step.joints
        left.append(step.position_error)
    assert max(left) > 0.1
    assert left[-1] < 0.001
