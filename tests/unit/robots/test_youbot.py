"""The youBot: its table against MuJoCo and the sheet, closed forms, reach, the driver's values."""

import doctest
from functools import cache
from math import pi, radians

import mujoco
import numpy as np
import pytest

import mecano
from mecano import robots
from mecano.core.poses import quaternion_from_matrix
from mecano.kinematics.transforms import Array, rotation_y, rotation_z
from mecano.robots.youbot.description import (
    ARM,
    BASE,
    POSTURES,
    TABLE,
    driver_values,
    joints_from_driver,
)

A1, L2, L3, E, D = 0.033, 0.155, 0.135, -0.002, 0.196
SHOULDER = np.array([0.167, 0.0, 0.084 + 0.142])
"""Axis 1 at the height from which the sheet counts z, in base_footprint [m]."""


def postures(count: int, seed: int = 90) -> Array:
    return np.random.default_rng(seed).uniform(TABLE.lower, TABLE.upper, (count, 5))


# --- forward ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["youbot", "youbot_rollers"])
def test_tool_is_where_mujoco_puts_it(name):
    description = robots.get(name)
    assert description.model is not None
    model = mujoco.MjModel.from_xml_path(str(description.folder / description.model))
    data = mujoco.MjData(model)
    address = [model.joint(joint).qposadr[0] for joint in ARM.joint_names]
    for q in postures(300):
        data.qpos[address] = q
        mujoco.mj_kinematics(model, data)
        T = ARM.forward(q)
        np.testing.assert_allclose(data.site("tool").xpos, T[:3, 3], atol=1e-9)
        np.testing.assert_allclose(data.site("tool").xmat.reshape(3, 3), T[:3, :3], atol=1e-9)


def sheet_forward(t: Array) -> tuple[Array, Array]:
    """Return point and rotation of link 5 by the formulas of the sheet, section 7."""
    phi, elbow = t[1] + t[2] + t[3], t[1] + t[2]
    r = A1 + L2 * np.sin(t[1]) + L3 * np.sin(elbow) + E * np.cos(phi) + D * np.sin(phi)
    z = 0.019 + L2 * np.cos(t[1]) + L3 * np.cos(elbow) - E * np.sin(phi) + D * np.cos(phi)
    point = SHOULDER + np.array([r * np.cos(t[0]), r * np.sin(t[0]), z])
    return point, (rotation_z(t[0]) @ rotation_y(phi) @ rotation_z(t[4]))[:3, :3]


def test_table_gives_the_formulas_of_the_sheet():
    link_to_tool = rotation_y(-pi / 2)[:3, :3]  # the tool's x axis is the nose, z of link 5
    for t in postures(500):
        point, rotation = sheet_forward(t)
        T = ARM.forward(t)
        np.testing.assert_allclose(T[:3, 3], point, atol=1e-12)
        np.testing.assert_allclose(T[:3, :3], rotation @ link_to_tool, atol=1e-12)


def test_pitch_is_that_of_the_sheet_less_a_right_angle():
    for t in postures(200):
        phi = t[1] + t[2] + t[3]
        assert np.cos(ARM.pitch(t) + pi / 2 - phi) == pytest.approx(1.0, abs=1e-12)
        assert ARM.roll(t) == pytest.approx(t[4])


def test_candle_points_straight_up():
    T = ARM.forward(POSTURES["candle"])
    np.testing.assert_allclose(T[:3, 3], [0.198, 0.0, 0.731], atol=1e-12)
    np.testing.assert_allclose(T[:3, 0], [0, 0, 1], atol=1e-12)


# The sheet of the scenes, 3.1: tool point on the robot [m] and the sheet's pitch [deg].
@pytest.mark.parametrize(
    ("posture", "point", "phi"),
    [
        ("pre_grasp", (0.167, -0.3085, 0.203), 160),
        ("grasp", (0.167, -0.3085, 0.118), 170),
        ("tray_above", (-0.11, -0.10, 0.259), 160),
        ("tray_release", (-0.11, -0.10, 0.174), 160),
    ],
)
def test_postures_of_the_transport_are_where_the_scene_has_them(posture, point, phi):
    q = POSTURES[posture]
    np.testing.assert_allclose(ARM.forward(q)[:3, 3], point, atol=5e-4)
    assert np.degrees(ARM.pitch(q)) + 90 == pytest.approx(phi, abs=0.15)


# --- inverse ---------------------------------------------------------------------------------


def test_every_posture_is_found_again():
    q = postures(20_000, seed=91)
    points, solve, hand = ARM.forward(q)[:, :3, 3].tolist(), ARM.turret.branches, ARM.hand
    assert hand is not None
    lost = 0
    for t, (x, y, z) in zip(q.tolist(), points, strict=True):
        pitch = t[1] + t[2] + t[3] - pi / 2
        found = solve(x, y, z, pitch)
        roll = hand.value(hand.roll(t[4]), t[4])
        miss = min((max(abs(a - b) for a, b in zip(s, t, strict=False)) for s in found), default=9)
        lost += miss > 1e-6 or roll != pytest.approx(t[4], abs=1e-12)
    assert lost == 0


@cache
def answered() -> tuple[Array, list[Array]]:
    q = postures(1500, seed=92)
    answers = []
    for t, T in zip(q, ARM.forward(q), strict=True):
        orientation = quaternion_from_matrix(T[:3, :3]).tolist()
        result = ARM.inverse(T[:3, 3], quaternion=orientation, start=t)
        assert result.reached, result.message
        answers.append(result.solutions)
    return q, answers


def test_whole_poses_give_their_posture_back():
    q, answers = answered()
    np.testing.assert_allclose([found[0] for found in answers], q, atol=1e-6)


def test_every_solution_reproduces_the_pose():
    q, answers = answered()
    for T, found in zip(ARM.forward(q), answers, strict=True):
        for again in ARM.forward(found):
            np.testing.assert_allclose(again, T, atol=1e-9)


def test_poses_have_two_solutions_inside_the_limits_on_average():
    assert np.mean([len(found) for found in answered()[1]]) == pytest.approx(2.04, abs=0.06)


def sheet_inverse(point: Array, phi: float) -> list[tuple[float, ...]]:
    """Return joints 1 to 4 by the steps of the sheet, section 7, front and both elbows."""
    x, y, z = point - SHOULDER
    t1, r = np.arctan2(y, x), np.hypot(x, y)
    rw = r - E * np.cos(phi) - D * np.sin(phi) - A1
    zw = z + E * np.sin(phi) - D * np.cos(phi) - 0.019
    c3 = (rw**2 + zw**2 - L2**2 - L3**2) / (2 * L2 * L3)
    if abs(c3) > 1:
        return []
    found = []
    for t3 in (np.arccos(c3), -np.arccos(c3)):
        t2 = np.arctan2(rw, zw) - np.arctan2(L3 * np.sin(t3), L2 + L3 * np.cos(t3))
        t4 = (phi - t2 - t3 + pi) % (2 * pi) - pi
        found.append((t1, t2, t3, t4))
    return found


def inside(t: tuple[float, ...]) -> bool:
    return bool((TABLE.lower[:4] <= t).all() and (t <= TABLE.upper[:4]).all())


def test_closed_form_is_the_one_of_the_sheet():
    compared = 0
    for q in postures(400, seed=93):
        point, phi = ARM.forward(q)[:3, 3], float(q[1] + q[2] + q[3])
        expected = sorted(t for t in sheet_inverse(point, phi) if inside(t))
        if not expected:
            continue
        heading = expected[0][0]
        found = sorted(t for t in ARM.turret.solve(point, phi - pi / 2).tolist()
                       if np.cos(t[0] - heading) > 0)  # fmt: skip
        np.testing.assert_allclose(found, expected, atol=1e-9)
        compared += 1
    assert compared > 150


# The sheet, section 7: radial reach from axis 1 [m] at a height above the floor and a pitch [deg].
REACH = {
    (0.02, 180): (0.12, 0.320),
    (0.05, 120): (0.27, 0.450),
    (0.10, 180): (0.11, 0.320),
    (0.10, 150): (0.0, 0.420),
    (0.15, 90): (0.35, 0.478),
    (0.20, 180): (0.07, 0.263),
    (0.20, 120): (0.08, 0.488),
    (0.30, 150): (0.15, 0.313),
    (0.40, 90): (0.19, 0.475),
    (0.25, 180): None,
    (0.40, 150): None,
    (0.10, 90): None,
}


@pytest.mark.parametrize(("height", "phi"), REACH)
def test_reach_is_that_of_the_sheet(height, phi):
    radii = np.arange(0.0025, 0.6, 0.0025)
    pitch = radians(phi) - pi / 2
    points = [np.array([SHOULDER[0] + r, 0.0, height]) for r in radii]
    reached = [
        r
        for r, point in zip(radii, points, strict=True)
        if any(abs(t[0]) < 1e-6 for t in ARM.turret.solve(point, pitch))
    ]
    expected = REACH[height, phi]
    if expected is None:
        assert not reached
    else:
        assert reached[0] == pytest.approx(expected[0], abs=0.011)  # the sheet's steps are coarse
        assert reached[-1] == pytest.approx(expected[1], abs=0.004)


# --- the driver's joint values ---------------------------------------------------------------


def test_candle_in_the_drivers_values():
    np.testing.assert_allclose(
        np.degrees(driver_values(POSTURES["candle"])), [170, 65, -146, 102.5, 167.5]
    )


def test_limits_are_the_drivers():
    ends = np.degrees([driver_values(TABLE.lower), driver_values(TABLE.upper)])
    expected = [(0, 338), (0, 155), (-297, 0), (0, 205), (0, 335)]
    np.testing.assert_allclose(np.sort(ends, axis=0).T, expected, atol=1e-9)


def test_drivers_values_come_back():
    q = postures(100)
    np.testing.assert_allclose(joints_from_driver(driver_values(q)), q, atol=1e-12)


def test_drivers_values_turn_joints_1_and_5_the_other_way():
    moved = driver_values(np.full(5, 0.1)) - driver_values(np.zeros(5))
    np.testing.assert_allclose(moved, [-0.1, 0.1, 0.1, 0.1, -0.1], atol=1e-12)


# --- facts and errata ------------------------------------------------------------------------


def test_base_has_the_measures_of_the_sheet():
    places = {wheel.name: (wheel.x, wheel.y, wheel.radius) for wheel in BASE.layout.wheels}
    assert places == {
        "wheel_joint_fl": (0.228, 0.158, 0.05), "wheel_joint_fr": (0.228, -0.158, 0.05),
        "wheel_joint_bl": (-0.228, 0.158, 0.05), "wheel_joint_br": (-0.228, -0.158, 0.05),
    }  # fmt: skip
    assert BASE.layout.missing == ()
    assert BASE.limits.wheel_speed == 14.81 and BASE.limits.speed == 0.8
    assert 2 * pi / BASE.counter.per_tick == pytest.approx(4000 * 25.8379, rel=1e-5)
    assert [(ray.name, ray.furthest) for ray in BASE.ranges] == [("left", 0.5), ("right", 0.5)]


def test_fastest_turn_is_what_the_wheels_can():
    rates = BASE.layout.rates([0.0, 0.0, BASE.limits.turn])
    assert np.abs(rates).max() == pytest.approx(14.81)


def test_rollers_change_nothing_but_the_model():
    plain, rollers = robots.get("youbot"), robots.get("youbot_rollers")
    assert rollers.base is plain.base and rollers.chains is plain.chains
    assert (plain.model, rollers.model) == ("model.xml", "model_rollers.xml")


def test_the_laser_stands_above_the_folded_arm_and_inside_of_the_outline():
    with mecano.connect("youbot_laser", scene="gap") as laser, mecano.connect("youbot") as plain:
        for end in (np.min, np.max):
            np.testing.assert_allclose(
                end(laser.footprint(), 0), end(plain.footprint(), 0), atol=1e-9
            )
        scan = next(iter(laser.lidars.values())).read(clean=True)
    ranges = np.asarray(scan.ranges)
    assert len(ranges) == 149
    assert ranges.min() > 0.8, "no beam meets the robot itself"


def test_numbers_of_the_errata():
    paper, real, half_track, half_wheelbase = 0.05, 0.0475, 0.15, 0.235
    assert paper / real == pytest.approx(1.053, abs=5e-4)
    asked = pi * (half_track + half_wheelbase) / paper  # of the wheels, for pi rad/s [rad/s]
    assert asked == pytest.approx(24.2, abs=0.05)
    diagonal = BASE.layout.scaled([1.0, 1.0, 0.0], 14.81)
    assert np.linalg.norm(diagonal) == pytest.approx(0.52, abs=5e-3)


def test_readme_lists_every_erratum():
    text = (robots.get("youbot").folder / "README.md").read_text()
    rows = text.split("## Errata of the paper")[1].split("\n\n")[1].splitlines()[2:]
    assert len(rows) == len(robots.get("youbot").errata)


def test_every_line_of_python_in_the_readme_runs():
    page = robots.get("youbot").folder / "README.md"
    failures, examples = doctest.testfile(str(page), module_relative=False)
    assert examples > 3
    assert failures == 0
