"""OpenMANIPULATOR-X: the numbers of the paper's kinematic model and of its errata.

Sources: the paper's kinematic model, sections 2 to 4, and its repository b-Tomas/robot-kinematics;
the vendor's model, ROBOTIS-GIT/open_manipulator, branch noetic (joint origins and limits) and
branch main (ROS 2 start-up posture).
"""

from functools import cache
from math import atan2, cos, hypot, pi, sin

import numpy as np
import pytest
from numpy.typing import NDArray

from mecano.kinematics.turret import TurretArm
from mecano.kinematics.workspace import sample_workspace
from mecano.robots.open_manipulator_x.description import (
    ARM,
    DESCRIPTION,
    L1,
    L2,
    L3,
    L4,
    PHI,
    TABLE,
)

Array = NDArray[np.float64]
BASE = np.array([0.012, 0.0, 0.017])  # joint1 in link1; the paper leaves it out, its code adds it


@cache
def poses() -> tuple[Array, Array, Array]:
    """Return 20,000 random postures inside the limits, their tool points and pitches."""
    q = np.random.default_rng(80).uniform(TABLE.lower, TABLE.upper, (20_000, 4))
    return q, TABLE.forward(q)[:, :3, 3], q[:, 1:].sum(axis=1)


# --- measures --------------------------------------------------------------------------------


def test_lengths_are_those_of_the_paper():
    assert (L1, L3, L4) == (0.0595, 0.124, 0.126)  # section 2.3
    assert pytest.approx(0.1302306, abs=5e-8) == L2  # from the elbow at (0.024, 0.128)


def test_phi_is_the_angle_of_the_elbow_not_an_experiment():
    assert pytest.approx(1.3854484, abs=5e-8) == PHI
    assert np.degrees(PHI) == pytest.approx(79.380, abs=5e-4)


def test_reach_from_the_shoulder_is_the_one_of_the_data_sheet():
    assert pytest.approx(0.38023, abs=5e-6) == L2 + L3 + L4
    assert DESCRIPTION.facts["reach"].startswith("0.380 m")  # ROBOTIS e-manual, specification


def test_limits_are_those_of_the_vendors_model():
    np.testing.assert_allclose(TABLE.lower, [-2.827, -1.791, -0.942, -1.791], atol=5e-4)
    np.testing.assert_allclose(TABLE.upper, [2.827, 1.571, 1.382, 2.042], atol=5e-4)


def test_wrist_annulus_is_the_reach_of_two_links():
    # Reachable if and only if 0.00623 m <= D <= 0.25423 m. D is the distance shoulder-wrist.
    arm = TurretArm.from_chain(TABLE.with_limits(dict.fromkeys(TABLE.names, (-pi, pi))))
    for distance, reachable in (
        (0.00622, False),
        (0.00624, True),
        (0.25422, True),
        (0.25424, False),
    ):
        point = BASE + np.array([distance + L4, 0.0, L1])
        front = [q for q in arm.solve(point, 0.0) if abs(q[0]) < 1.0]
        assert bool(front) == reachable


# --- test vectors ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("q", "point"),
    [
        ((0.0, 0.0, 0.0, 0.0), (0.286, 0.0, 0.2045)),  # all joints at zero
        ((0.0, -1.05, 0.35, 0.70), (0.13375, 0.0, 0.24089)),  # home of the vendor's GUI
        ((0.0, -1.0, 1.0, 0.0), (0.16726, 0.0, 0.16585)),  # home of the vendor's ROS 2 start-up
    ],
    ids=["zero", "gui home", "ros 2 home"],
)
def test_posture_brings_the_tool_to_its_point(q, point):
    np.testing.assert_allclose(ARM.forward(q)[:3, 3], point, atol=5e-6)


def test_home_postures_are_those_of_the_vendor():
    assert ARM.postures["home"] == (0.0, -1.0, 1.0, 0.0)
    assert ARM.postures["home_gui"] == (0.0, -1.05, 0.35, 0.70)


def test_example_of_the_papers_repository_has_its_joints():
    # README of the paper's repository: target (0.1, 0.1, 0.2) with grip angle 0.
    solution = ARM.inverse((0.1, 0.1, 0.2), pitch=0.0).solutions[0]
    np.testing.assert_allclose(solution, [0.849141, -1.146170, 0.740823, 0.405347], atol=1e-6)


# --- the model of section 2 ------------------------------------------------------------------


def paper_step(theta: float, d: float, r: float, alpha: float) -> Array:
    """Return A_i as the paper prints the product (section 2.2)."""
    ct, st, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    return np.array(
        [
            [ct, -st * ca, st * sa, r * ct],
            [st, ct * ca, -ct * sa, r * st],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
    )


def paper_rows(q: Array) -> list[tuple[float, float, float, float]]:
    """Return (theta, d, r, alpha) of the paper's table (section 2.3)."""
    l2, phi = hypot(0.024, 0.128), atan2(0.128, 0.024)
    return [
        (q[0], 0.0595, 0.0, -pi / 2),
        (q[1] - phi, 0.0, l2, 0.0),
        (q[2] + phi, 0.0, 0.124, 0.0),
        (q[3], 0.0, 0.126, 0.0),
    ]


def test_product_of_the_papers_matrices_gives_our_link_frames():
    for q in poses()[0][:200]:
        T = np.eye(4)
        T[:3, 3] = BASE
        frames = TABLE.link_frames(q)
        np.testing.assert_allclose(frames[0], T, atol=1e-15)
        for i, row in enumerate(paper_rows(q)):
            T = T @ paper_step(*row)
            np.testing.assert_allclose(frames[i + 1], T, atol=1e-14)


def test_tool_frame_is_the_papers_last_frame_turned_upright():
    upright = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])  # a quarter turn about x
    frames = TABLE.link_frames(poses()[0][:200])
    np.testing.assert_allclose(frames[:, -1, :3, :3], frames[:, -2, :3, :3] @ upright, atol=1e-14)


def test_determinant_is_the_product_of_reach_links_bend():
    # det J = R L2 L3 sin(q3 + phi), rows: three of the point, one of the pitch.
    for q in poses()[0][:500]:
        J = TABLE.jacobian(q)
        pitch_row = [-sin(q[0]), cos(q[0]), 0.0] @ J[3:]
        R = L2 * cos(q[1] - PHI) + L3 * cos(q[1] + q[2]) + L4 * cos(q[1] + q[2] + q[3])
        determinant = np.linalg.det(np.vstack([J[:3], pitch_row]))
        assert abs(determinant) == pytest.approx(abs(R * L2 * L3 * sin(q[2] + PHI)), abs=1e-15)


# --- what the errata claim -------------------------------------------------------------------


def test_erratum_1_the_twist_in_place_of_the_length_is_1_9_metres_off():
    off = []
    for q in poses()[0][:4000]:
        T = np.eye(4)
        T[:3, 3] = BASE
        for theta, d, _, alpha in paper_rows(q):
            T = T @ paper_step(theta, d, alpha, alpha)
        off.append(np.linalg.norm(T[:3, 3] - TABLE.forward(q)[:3, 3]))
    assert max(off) == pytest.approx(1.9, abs=0.05)


def test_erratum_3_the_missing_base_is_20_8_millimetres():
    assert np.linalg.norm(BASE) == pytest.approx(0.0208, abs=5e-5)
    np.testing.assert_array_equal(TABLE.base[:3, 3], BASE)


def branches(arctangent, *, back_turns_q1: bool = True) -> Array:
    """Return the branches of section 3.1 for the 20,000 poses, with one kind of arctangent.

    Shape (n, 4, 4): pose, branch (front and back, each with two elbows), joint; NaN out of reach.
    """
    _, points, omega = poses()
    X, Y, Z = (points - BASE).T
    found = []
    for s in (1.0, -1.0):
        turn = s if back_turns_q1 else 1.0
        q1 = arctangent(turn * Y, turn * X)
        r = s * np.hypot(X, Y) - L4 * np.cos(omega)
        h = L1 - Z - L4 * np.sin(omega)
        D = np.hypot(r, h)
        with np.errstate(invalid="ignore"):
            corner = np.arccos((D**2 + L2**2 - L3**2) / (2 * L2 * D))
        for e in (1.0, -1.0):
            A = arctangent(h, r) + e * corner
            q2 = A + PHI
            q3 = arctangent(h - L2 * np.sin(A), r - L2 * np.cos(A)) - q2
            found.append(np.stack([q1, q2, q3, omega - q2 - q3], axis=-1))
    return np.stack(found, axis=1)


def reproduced(q: Array) -> NDArray[np.bool_]:
    """Tell for each of the 20,000 poses whether some branch brings the tool back to its point."""
    formed = np.all(np.isfinite(q), axis=-1)
    reached = TABLE.forward(np.where(formed[..., None], q, 0.0))[..., :3, 3]
    near = np.linalg.norm(reached - poses()[1][:, None], axis=-1) < 1e-6
    return np.any(near & formed, axis=1)


def test_erratum_5_literal_arctan_finds_about_half_of_the_poses():
    # Footnote 6 of the paper mentions atan2, for q1 only.
    def arctan(a: Array, b: Array) -> Array:
        return np.arctan(a / b)

    assert reproduced(branches(arctan)).mean() == pytest.approx(0.506, abs=0.015)


def test_erratum_5_atan2_finds_every_pose():
    assert reproduced(branches(np.arctan2)).all()


def wrapped(angle: Array) -> Array:
    return (angle + pi) % (2 * pi) - pi


def inside(q: Array) -> NDArray[np.bool_]:
    """Tell which branches are inside the limits."""
    q = wrapped(q)
    with np.errstate(invalid="ignore"):
        return np.all((q >= TABLE.lower - 1e-9) & (q <= TABLE.upper + 1e-9), axis=-1)


def test_our_solutions_are_the_corrected_branches_inside_the_limits():
    _, points, omega = poses()
    _, counts = ARM.turret.solve_batch(points, omega)
    np.testing.assert_array_equal(counts, inside(branches(np.arctan2)).sum(axis=1))


def test_erratum_6_links_form_8_percent_of_the_poses_only_over_the_back():
    only_back = np.isnan(branches(np.arctan2)[:, :2, 3]).all(axis=1)
    assert only_back.mean() == pytest.approx(0.08, abs=0.005)


def test_erratum_6_limits_leave_14_percent_of_the_poses_only_over_the_back():
    _, points, omega = poses()
    X, Y, _ = (points - BASE).T
    solutions, _ = ARM.turret.solve_batch(points, omega)
    facing = np.cos(solutions[..., 0] - np.arctan2(Y, X)[:, None]) > 0.0
    assert (~facing.any(axis=1)).mean() == pytest.approx(0.142, abs=0.007)


def test_erratum_6_q1_of_the_front_does_not_do_for_the_back():
    wrong = reproduced(branches(np.arctan2, back_turns_q1=False))
    assert wrong.mean() == pytest.approx(0.92, abs=0.005)


def test_links_form_a_pose_in_four_ways_or_in_two():
    # Of the poses inside the limits 53 % have four branches without limits, 47 % have two.
    formed = np.isfinite(branches(np.arctan2)[..., 3]).sum(axis=1)
    assert set(formed) == {2, 4}
    assert (formed == 4).mean() == pytest.approx(0.53, abs=0.015)
    free = TurretArm.from_chain(TABLE.with_limits(dict.fromkeys(TABLE.names, (-pi, pi))))
    _, points, omega = poses()
    np.testing.assert_array_equal(free.solve_batch(points, omega)[1], formed)


def test_erratum_7_straight_arm_is_outside_the_paper_limits():
    straight, folded = -PHI, pi - PHI
    assert (straight, folded) == pytest.approx((-1.385, 1.756), abs=5e-4)
    assert straight < TABLE.lower[2]
    assert folded > TABLE.upper[2]


def test_erratum_8_pitch_is_the_sum_of_the_tilts():
    for q in poses()[0][:200]:
        assert cos(ARM.pitch(q) - q[1:].sum()) == pytest.approx(1.0, abs=1e-12)


# --- workspace -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def workspace():
    return sample_workspace(TABLE, samples=200_000, rng=np.random.default_rng(81))


def test_workspace_has_the_extent_measured_with_the_vendors_limits(workspace):
    # Of 200,000 samples, no floor. They stop short of the ends: x ends at 0.012 + 0.373 m.
    expected = [(-0.352, -0.372, -0.197), (0.382, 0.372, 0.450)]
    np.testing.assert_allclose(workspace.extent, expected, atol=4e-3)


def test_workspace_ends_373_millimetres_from_axis_1(workspace):
    radius = np.hypot(*(workspace.points[:, :2] - BASE[:2]).T)
    assert radius.max() == pytest.approx(0.373, abs=3e-3)
