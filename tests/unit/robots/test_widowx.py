"""The Widow-X: its table against the URDF and the paper, its constants, the paper's errors."""

import doctest
from dataclasses import replace
from functools import cache
from math import pi

import numpy as np
import pytest

from mecano import robots
from mecano.core.poses import quaternion_from_matrix
from mecano.kinematics.transforms import (
    Array,
    modified_dh_matrix,
    rotation_x,
    rotation_y,
    rotation_z,
    translation,
)
from mecano.robots.widowx.description import (
    ARM,
    ARM_PAPER,
    BETA,
    D2,
    L3,
    PAPER_BETA,
    PAPER_D2,
    PAPER_L3,
    TOOL,
    table,
)

# Sheet of CRUMB, section 4: the origins and axes of the joints in the URDF.
URDF = (
    ((0.0, 0.0, 0.125), rotation_z, 1.0),
    ((0.0, 0.0, 0.0), rotation_y, 1.0),
    ((0.04825, 0.0, 0.14203), rotation_y, -1.0),
    ((0.14203, 0.0, 0.0), rotation_y, -1.0),
    ((0.0715, 0.0, 0.0), rotation_x, 1.0),
)
RAIL = 0.043
CRUMB_LIMITS = (pi / 2,) * 5
REAL_LIMITS = (2.617, 1.571, 1.571, 1.745, 2.617)


def urdf_rail(q: Array) -> Array:
    """Return the pose of the gripper's rail in the base of the arm."""
    T = np.eye(4)
    for value, (origin, turn, sign) in zip(q.tolist(), URDF, strict=True):
        T = T @ translation(*origin) @ turn(sign * value)
    return T @ translation(RAIL)


def postures(count: int, limits: tuple[float, ...] = REAL_LIMITS, seed: int = 80) -> Array:
    return np.random.default_rng(seed).uniform(-np.array(limits), limits, (count, 5))


# --- forward ---------------------------------------------------------------------------------


def test_tool_is_where_the_urdf_puts_it():
    for q in postures(500):
        expected = urdf_rail(q) @ translation(TOOL - 0.1145)
        np.testing.assert_allclose(ARM.forward(q), expected, atol=1e-12)


def test_frame_5_is_the_one_of_the_papers_table():
    frames = ARM.dh.link_frames(postures(500))[:, 5]
    for q, T_base_5 in zip(postures(500), frames, strict=True):
        T = translation(z=0.125)
        for theta, a, alpha in (
            (q[0], 0.0, 0.0),
            (q[1] - BETA, 0.0, -pi / 2),
            (q[2] - BETA, D2, pi),
            (q[3] + pi / 2, L3, 0.0),
            (q[4], 0.0, pi / 2),
        ):
            T = T @ modified_dh_matrix(theta, 0.0, a, alpha)
        np.testing.assert_allclose(T_base_5, T, atol=1e-12)


def test_wrist_is_the_tool_less_l4_along_z5():
    for q in postures(50):
        T_base_5 = ARM.dh.link_frames(q)[5]
        tool = ARM.forward(q)
        np.testing.assert_allclose(T_base_5[:3, 2], tool[:3, 0], atol=1e-12)
        np.testing.assert_allclose(
            T_base_5[:3, 3], tool[:3, 3] - TOOL * T_base_5[:3, 2], atol=1e-12
        )


def test_corrected_step_matrices_of_equations_2_and_3():
    angle = 0.7
    c, s = np.cos(angle), np.sin(angle)
    T_1_2 = [[c, -s, 0, 0], [0, 0, 1, 0], [-s, -c, 0, 0], [0, 0, 0, 1]]
    T_2_3 = [[c, -s, 0, D2], [-s, -c, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(ARM.dh.step(1, angle + BETA), T_1_2, atol=1e-15)
    np.testing.assert_allclose(ARM.dh.step(2, angle + BETA), T_2_3, atol=1e-15)


@pytest.mark.parametrize(("fixed", "most"), [((), 0.58), ((1,), 0.28), ((2,), 0.58)])
def test_printed_step_matrices_put_the_wrist_that_far_off(fixed, most):
    wrong_rows = {1: (0, 2), 2: (0, 1)}  # rows of the two sines with flipped signs, (2) and (3)
    q = postures(20_000)
    right = wrong = np.eye(4)
    for i in range(4):
        step = ARM.dh.step(i, q[:, i])
        right, printed = right @ step, step.copy()
        if i in wrong_rows and i not in fixed:
            first, second = wrong_rows[i]
            printed[:, first, 1] *= -1.0
            printed[:, second, 0] *= -1.0
        wrong = wrong @ printed
    misses = np.linalg.norm((right - wrong)[:, :3, 3], axis=1)
    assert misses.max() == pytest.approx(most, abs=0.01)


@pytest.mark.parametrize(
    ("q", "rail"),
    [
        ((0.0, 0.0, 0.0, 0.0, 0.0), (0.30478, 0.14203)),
        ((0.0, 0.4, 0.4, -1.57, 0.0), (0.24187, -0.00247)),
    ],
)
def test_rail_is_at_the_published_points(q, rail):
    at_rail = replace(ARM, dh=table(d2=D2, L3=L3, beta=BETA, L4=0.1145))
    point = at_rail.forward(q)[:3, 3] - [0.0, 0.0, 0.125]
    np.testing.assert_allclose(point, [rail[0], 0.0, rail[1]], atol=1e-5)


# --- constants -------------------------------------------------------------------------------


def test_constants_are_those_of_the_sheet():
    np.testing.assert_allclose([D2, L3, BETA], [0.150002, 0.14203, 1.243312], atol=5e-7)
    assert (PAPER_D2, PAPER_L3, PAPER_BETA) == (0.1528, 0.1423, 1.2496)


def test_wrists_of_the_two_sets_are_3_millimetres_apart():
    q = postures(5000)
    apart = np.linalg.norm(
        ARM.dh.link_frames(q)[:, 5, :3, 3] - ARM_PAPER.dh.link_frames(q)[:, 5, :3, 3], axis=1
    )
    assert apart.mean() == pytest.approx(0.0030, abs=5e-5)
    assert apart.max() == pytest.approx(0.0032, abs=5e-5)


@pytest.mark.parametrize(
    ("point", "pitch", "joints"),
    [
        ((0.3125, 0.0, 0.145), 0.0, (0.0, -0.001, -0.001, 0.0, 0.0)),
        # The sheet has -1.5704 for joint 4; its own formulas give delta = q2 - q3 - q4 = pi/2.
        ((0.2432, 0.0, -0.0073), pi / 2, (0.0, 0.4001, 0.4004, -1.5712, 0.0)),
    ],
)
def test_vectors_of_the_papers_programs(point, pitch, joints):
    x, y, z = point
    result = ARM_PAPER.inverse([x, y, z + 0.125], pitch=pitch)
    np.testing.assert_allclose(result.solutions, [joints], atol=3e-4)


def test_vector_as_nose_and_up_axis_gives_the_same_joints():
    nose, up = np.array([0.0, 0.0, -1.0]), np.array([1.0, 0.0, 0.0])
    R = np.stack([nose, np.cross(up, nose), up], axis=1)
    result = ARM_PAPER.inverse([0.2432, 0.0, 0.1177], quaternion=quaternion_from_matrix(R).tolist())
    np.testing.assert_allclose(result.solutions, [[0.0, 0.4001, 0.4004, -1.5712, 0.0]], atol=1e-4)


def test_both_chains_are_selectable_by_name():
    description = robots.get("widowx")
    assert description.chain() is ARM
    assert description.chain("arm_paper") is ARM_PAPER


def test_every_joint_has_its_servo():
    servos = robots.get("widowx").servos
    models = [servos[name].model for name in ARM.joint_names]
    assert models == ["MX-28", "MX-64", "MX-64", "MX-28", "AX-12A"]


# --- singular postures and the ring ------------------------------------------------------------


def test_determinant_of_the_wrist_is_the_one_of_the_sheet():
    at_wrist = table(d2=D2, L3=L3, beta=BETA, L4=0.0)
    for q in postures(200):
        r = D2 * np.cos(q[1] - BETA) + L3 * np.cos(q[1] - q[2])
        determinant = np.linalg.det(at_wrist.jacobian(q)[:3, :3])
        assert abs(determinant) == pytest.approx(abs(r * D2 * L3 * np.sin(BETA - q[2])), abs=1e-15)


@pytest.mark.parametrize(("q3", "distance"), [(BETA, 0.29203), (BETA - pi, 0.00797)])
def test_straight_and_folded_arm_are_the_ends_of_the_ring(q3, distance):
    wrist = ARM.dh.link_frames([0.3, 0.2, q3, 0.0, 0.0])[5, :3, 3] - [0.0, 0.0, 0.125]
    assert np.linalg.norm(wrist) == pytest.approx(distance, abs=1e-5)


# --- the paper's errors, counted ---------------------------------------------------------------


def wrists(q: Array) -> Array:
    """Return the wrist from the shoulder, for joints 1 to 3. Shape (n, 3)."""
    r = D2 * np.cos(q[:, 1] - BETA) + L3 * np.cos(q[:, 1] - q[:, 2])
    z = -D2 * np.sin(q[:, 1] - BETA) - L3 * np.sin(q[:, 1] - q[:, 2])
    return np.stack([r * np.cos(q[:, 0]), r * np.sin(q[:, 0]), z], axis=-1)


def by_equations_9(p: Array, s: int, e: int, *, root: int, last: str) -> Array:
    """Return joints 1 to 3 by equations (9): with the sign under the root and a form of (9c)."""
    q1 = np.arctan2(s * p[:, 1], s * p[:, 0])
    r, z = p[:, 0] * np.cos(q1) + p[:, 1] * np.sin(q1), p[:, 2]
    k, k1, k2 = r**2 + z**2 + D2**2 - L3**2, 2 * r * D2, 2 * z * D2
    square = k1**2 + k2**2 + root * k**2
    q2 = (
        BETA + np.arctan2(k1, k2) - np.arctan2(k, e * np.sqrt(np.where(square < 0, np.nan, square)))
    )
    sine = -z - D2 * np.sin(BETA if last == "printed" else q2 - BETA)
    with np.errstate(invalid="ignore"):
        if last == "atan2":
            u = np.arctan2(sine, r - D2 * np.cos(q2 - BETA))
        else:
            u = np.arcsin(sine / L3)
    return np.stack([q1, q2, q2 - u], axis=-1)


@cache
def poses(limits: tuple[float, ...]) -> Array:
    return postures(20_000, limits, seed=81)


def share_found(limits: tuple[float, ...], branches, *, root: int, last: str) -> float:
    """Return the share of poses for which one of the branches gives the wrist exactly.

    Unless `last` is atan2, joints 4 and 5 are by an arcsine too, so they must not pass pi/2.
    """
    q = poses(limits)
    p, pitch = wrists(q), q[:, 1] - q[:, 2] - q[:, 3]
    found = np.zeros(len(q), bool)
    for s, e in branches:
        joints = by_equations_9(p, s, e, root=root, last=last)
        good = np.abs(wrists(joints) - p).max(axis=-1) < 1e-9
        if last != "atan2":
            back = np.cos(joints[:, 0] - q[:, 0]) < 0
            q4 = joints[:, 1] - joints[:, 2] - np.where(back, pi - pitch, pitch)
            q5 = q[:, 4] + np.where(back, pi, 0.0)
            good &= (np.cos(q4) >= 0) & (np.cos(q5) >= 0)
        found |= good
    return float(found.mean())


FRONT, ALL = ((1, 1), (1, -1)), ((1, 1), (1, -1), (-1, 1), (-1, -1))


@pytest.mark.parametrize("limits", [CRUMB_LIMITS, REAL_LIMITS], ids=["crumb", "real"])
@pytest.mark.parametrize(("root", "last"), [(1, "printed"), (-1, "printed"), (1, "atan2")])
def test_printed_equations_9_find_no_pose_even_with_one_of_them_put_right(limits, root, last):
    assert share_found(limits, ALL, root=root, last=last) == 0.0


@pytest.mark.parametrize("limits", [CRUMB_LIMITS, REAL_LIMITS], ids=["crumb", "real"])
def test_corrected_equations_9_find_every_pose(limits):
    assert share_found(limits, ALL, root=-1, last="atan2") == 1.0


@pytest.mark.parametrize(("limits", "share"), [(CRUMB_LIMITS, 0.69), (REAL_LIMITS, 0.45)])
def test_arcsine_loses_a_third_of_the_poses_or_more(limits, share):
    assert share_found(limits, FRONT, root=-1, last="asin") == pytest.approx(share, abs=0.015)


@pytest.mark.parametrize(("limits", "share"), [(CRUMB_LIMITS, 0.66), (REAL_LIMITS, 0.42)])
def test_one_elbow_loses_more_poses(limits, share):
    assert share_found(limits, ((1, -1),), root=-1, last="asin") == pytest.approx(share, abs=0.015)


# --- the page ----------------------------------------------------------------------------------


def test_every_line_of_python_in_the_readme_runs():
    page = robots.get("widowx").folder / "README.md"
    failures, examples = doctest.testfile(str(page), module_relative=False)
    assert examples > 5
    assert failures == 0


def test_readme_lists_every_erratum():
    text = (robots.get("widowx").folder / "README.md").read_text()
    rows = text.split("## Errata of the paper")[1].split("\n\n")[1].splitlines()[2:]
    assert len(rows) == len(robots.get("widowx").errata)
