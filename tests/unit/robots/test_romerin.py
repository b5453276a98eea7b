"""ROMERIN's legs: tables against MuJoCo and the sheet, four branches, reach, postures, errata."""

import doctest
from functools import cache

import mujoco
import numpy as np
import pytest

from mecano import robots
from mecano.core.errors import InvalidInput
from mecano.core.poses import quaternion_from_matrix
from mecano.kinematics.ik import IKReason, IKTarget
from mecano.kinematics.legs import BRANCHES, LegSolver
from mecano.kinematics.numerical import SolverSettings, solve_numerically
from mecano.kinematics.transforms import Array, invert
from mecano.robots.romerin.description import CHAINS, LEGS, TIP_DEPTH, TRIPODS

LC, RISE, LF, LT = 45.718, 18.208, 78.89, 114.498  # the sheet [mm]
A = {1: 1.19677, 2: 1.94482, 3: 1.94482, 4: 1.19677, 5: 1.19677, 6: 1.94482}
every_leg = pytest.mark.parametrize("leg", LEGS, ids=lambda leg: leg.name)


def postures(name: str, count: int, seed: int = 50) -> Array:
    dh = CHAINS[name].dh
    return np.random.default_rng(seed).uniform(dh.lower, dh.upper, (count, 3))


def sheet_forward(q: Array, number: int) -> Array:
    """Return the tip in the leg's frame by the formulas of the sheet, section 3 [mm]."""
    q1, q2, q3 = np.moveaxis(np.asarray(q), -1, 0)
    r = LF * np.cos(q2) + LT * np.cos(q2 + q3)
    x = LC * np.cos(A[number] + q1) - r * np.sin(q1)
    y = LC * np.sin(A[number] + q1) + r * np.cos(q1)
    return np.stack([x, y, RISE + LF * np.sin(q2) + LT * np.sin(q2 + q3)], axis=-1)


# --- forward ---------------------------------------------------------------------------------


def test_tips_are_where_mujoco_puts_them():
    description = robots.get("romerin")
    model = mujoco.MjModel.from_xml_path(str(description.folder / "model.xml"))
    data = mujoco.MjData(model)
    rows = {leg.name: postures(leg.name, 300) for leg in LEGS}
    springs = np.random.default_rng(51).uniform(-0.5, 0.5, (300, 3))
    for k in range(300):
        for leg in LEGS:
            names = (*leg.joints, *leg.passive_joints)
            for name, value in zip(names, (*rows[leg.name][k], *springs[k]), strict=True):
                data.joint(name).qpos = value
        mujoco.mj_kinematics(model, data)
        for leg in LEGS:
            T, site = CHAINS[leg.name].forward(rows[leg.name][k]), data.site(f"tip_{leg.number}")
            np.testing.assert_allclose(site.xpos, T[:3, 3], atol=1e-9)
            np.testing.assert_allclose(site.xmat.reshape(3, 3), T[:3, :3], atol=1e-9)
            crossing = data.body(f"{leg.name}_cup").xpos  # the springs leave the tip alone
            np.testing.assert_allclose(crossing, T[:3, 3], atol=1e-9)


@every_leg
def test_table_gives_the_formulas_of_the_sheet(leg):
    chain, q = CHAINS[leg.name], postures(leg.name, 500)
    ours = 1000 * chain.to_leg(chain.tip(q))
    np.testing.assert_allclose(ours, sheet_forward(q, leg.number), atol=5e-4)  # A has 6 digits


@every_leg
def test_pitch_is_how_far_the_tibia_points_down(leg):
    chain = CHAINS[leg.name]
    for q in postures(leg.name, 200):
        assert np.cos(chain.pitch(q) + q[1] + q[2]) == pytest.approx(1.0, abs=1e-12)


# The sheet, `rest_tip_body_mm`; table 5.1 of the thesis has the same within 0.13 mm.
REST_TIPS = {
    1: (119.82, 157.36, -96.29), 2: (-56.92, 196.51, -96.29), 3: (-210.88, 100.67, -96.29),
    4: (-210.88, -100.67, -96.29), 5: (-56.92, -196.51, -96.29), 6: (119.82, -157.36, -96.29),
}  # fmt: skip
TABLE_STARTS = {
    2: (-56.91, 196.51, -96.29), 4: (-210.91, -100.66, -96.29), 6: (119.69, -157.41, -96.29),
}  # fmt: skip


@every_leg
def test_tips_of_the_rest_posture_are_those_of_the_sheet(leg):
    chain = CHAINS[leg.name]
    tip = 1000 * chain.tip(chain.postures["rest"])
    np.testing.assert_allclose(tip, REST_TIPS[leg.number], atol=0.01)
    if leg.number in TABLE_STARTS:
        assert np.linalg.norm(tip - TABLE_STARTS[leg.number]) < 0.15


@every_leg
def test_mounts_carry_points_there_and_back(leg):
    chain = CHAINS[leg.name]
    points = np.random.default_rng(52).normal(size=(20, 3))
    np.testing.assert_allclose(chain.to_body(chain.to_leg(points)), points, atol=1e-12)
    np.testing.assert_allclose(chain.to_body([0, 0, 0]), [*leg.hip, 0.0], atol=1e-12)
    outwards = chain.to_body([0.0, 1.0, 0.0]) - chain.to_body([0.0, 0.0, 0.0])
    assert outwards @ (chain.to_body([0, 0, 0]) - [-0.036, 0, 0]) > 0


@pytest.mark.parametrize(("left", "right"), [(1, 6), (2, 5), (3, 4)])
def test_right_legs_mirror_the_left_ones(left, right):
    q = postures(f"leg_{left}", 100)
    one, other = CHAINS[f"leg_{left}"], CHAINS[f"leg_{right}"]
    mirrored = other.tip(q * [-1, 1, 1])
    np.testing.assert_allclose(one.tip(q), mirrored * [1, -1, 1], atol=1e-12)
    np.testing.assert_allclose(one.dh.lower[0], -other.dh.upper[0])


@every_leg
def test_jacobian_is_that_of_the_sheet(leg):
    chain = CHAINS[leg.name]
    for q in postures(leg.name, 100):
        x, y, _ = 1000 * chain.to_leg(chain.tip(q))
        q1, q2, s = q[0], q[1], q[1] + q[2]
        v, r = LF * np.sin(q2) + LT * np.sin(s), LF * np.cos(q2) + LT * np.cos(s)
        sheet = [
            [-y, np.sin(q1) * v, np.sin(q1) * LT * np.sin(s)],
            [x, -np.cos(q1) * v, -np.cos(q1) * LT * np.sin(s)],
            [0, r, LT * np.cos(s)],
        ]
        ours = 1000 * chain.T_body_leg[:3, :3].T @ chain.jacobian(q)
        np.testing.assert_allclose(ours, sheet, atol=5e-4)


@every_leg
def test_jacobian_is_the_slope_of_the_tip(leg):
    chain, step = CHAINS[leg.name], 1e-6
    for q in postures(leg.name, 20):
        slopes = [(chain.tip(q + e) - chain.tip(q - e)) / (2 * step) for e in step * np.eye(3)]
        np.testing.assert_allclose(chain.jacobian(q), np.array(slopes).T, atol=1e-9)


# --- inverse ---------------------------------------------------------------------------------


@every_leg
def test_every_posture_is_found_again(leg):
    """Five thousand of each leg: 30,000 in all."""
    chain, q = CHAINS[leg.name], postures(leg.name, 5000, seed=53)
    lost = 0
    for a, (x, y, z) in zip(q.tolist(), chain.tip(q).tolist(), strict=True):
        found = chain.leg.solve(x, y, z).get(chain.leg.branch(a))
        lost += found is None or max(map(abs, np.subtract(found, a))) > 1e-6
    assert lost == 0


@every_leg
def test_every_solution_reaches_the_point(leg):
    chain = CHAINS[leg.name]
    points = chain.tip(postures(leg.name, 1000, seed=54))
    for point in points:
        found = chain.leg.solve(*point)
        for name, q in found.items():
            np.testing.assert_allclose(chain.tip(q), point, atol=1e-9)
            chain.dh.check(q, limits=True)
            assert chain.leg.branch(q) == name


@every_leg
def test_many_points_are_solved_as_one(leg):
    chain = CHAINS[leg.name]
    points = np.random.default_rng(55).uniform(-0.25, 0.25, (600, 3)) + chain.to_body([0, 0, 0])
    batch = chain.leg.solve_batch(points)
    for point, rows in zip(points, batch, strict=True):
        found = chain.leg.solve(*point)
        for name, row in zip(BRANCHES, rows, strict=True):
            if name in found:
                np.testing.assert_allclose(row, found[name], atol=1e-9)
            else:
                assert np.isnan(row).all()


def test_all_four_branches_exist_without_limits():
    leg = CHAINS["leg_2"].leg
    x, y, z = leg.axis_x + 0.03, leg.axis_y + 0.02, 0.09
    found = leg.branches(x, y, z)
    assert tuple(found) == BRANCHES
    for q in found.values():
        np.testing.assert_allclose(CHAINS["leg_2"].tip(q), [x, y, z], atol=1e-12)


# The sheet, `test_vectors`: target [mm] and angles [deg] with the knee up and down.
VECTORS = {
    2: ((25, 250, -40), (-25.579, 23.572, -75.192), (-25.579, -67.759, 75.192)),
    4: ((-275, -40, 0), (0.739, 49.488, -92.555), (0.739, -64.862, 92.555)),
    6: ((25, -225, 68), (-7.908, 93.101, -107.763), (-7.908, -42.986, 107.763)),
}


@pytest.mark.parametrize("number", VECTORS)
def test_targets_of_table_5_1_have_the_angles_of_the_sheet(number):
    target, up, down = VECTORS[number]
    found = CHAINS[f"leg_{number}"].leg.solve(*np.array(target) / 1000)
    assert set(found) == {"up", "down"}
    np.testing.assert_allclose(np.degrees(found["up"]), up, atol=1e-3)
    np.testing.assert_allclose(np.degrees(found["down"]), down, atol=1e-3)


def test_closed_form_agrees_with_the_numerical_solver():
    chain = CHAINS["leg_3"]
    for q in postures("leg_3", 10, seed=56):
        target = IKTarget.checked(chain.tip(q))
        settings = SolverSettings(every=True)
        numerical = solve_numerically(chain.dh, target, start=q, settings=settings).solutions
        ours = chain.inverse(target.position, start=q).solutions
        for row in numerical:
            assert np.abs(ours - row).max(axis=1).min() < 1e-4
        np.testing.assert_allclose(ours[0], q, atol=1e-6)


@cache
def random_tips(name: str) -> Array:
    return CHAINS[name].tip(postures(name, 100_000, seed=57))


@pytest.mark.parametrize("name", ["leg_1", "leg_2", "leg_3"])
def test_missed_points_have_the_nearest_one_told(name):
    chain, missed = CHAINS[name], 0
    for point in np.random.default_rng(58).uniform(-0.4, 0.4, (40, 3)):
        result = chain.inverse(point)
        if result.reached:
            continue
        missed += 1
        best = np.linalg.norm(random_tips(name) - point, axis=1).min()
        assert best - 0.012 < result.shortfall <= best
        chain.dh.check(result.nearest.joints, limits=True)
        np.testing.assert_allclose(
            chain.tip(result.nearest.joints), result.nearest.position, atol=1e-12
        )
        assert f"{result.shortfall * 1000:.1f} mm" in result.message
    assert missed > 25


def test_far_point_tells_the_way_that_is_missing():
    result = CHAINS["leg_2"].inverse([0.0, 0.5, 0.0])
    assert result.reason is IKReason.TOO_FAR
    # Straight out: from the tip's circle round the hip, which is a little longer than the links.
    assert result.excess == result.shortfall == pytest.approx(0.1907, abs=1e-4)
    assert result.message == (
        "190.7 mm too far; leg_2_joint_2 has the point 384.4 mm away, "
        "the links reach 35.6 to 193.4 mm"
    )


def test_point_at_the_hips_axis_is_too_close():
    chain = CHAINS["leg_2"]
    result = chain.inverse(chain.to_body([0.003, 0.004, 0.0]))
    assert result.reason is IKReason.TOO_CLOSE
    assert "5.0 mm from the hip's axis, and the leg passes it at 16.7 mm" in result.message


def test_limit_that_stops_the_leg_is_named():
    chain = CHAINS["leg_2"]
    beyond = np.array([np.radians(40.0), 0.2, -1.0])  # joint 1 ends at 30 degrees
    result = chain.inverse(chain.tip(beyond))
    assert result.reason is IKReason.JOINT_LIMIT
    assert result.joint == "leg_2_joint_1"
    assert np.degrees(result.excess) == pytest.approx(10.0)
    assert "leg_2_joint_1 over its limit by 0.175 rad (10.0 deg)" in result.message


def test_pitch_chooses_among_the_ways():
    chain = CHAINS["leg_2"]
    up, down = (chain.leg.solve(0.025, 0.25, -0.04)[name] for name in ("up", "down"))
    result = chain.inverse([0.025, 0.25, -0.04], pitch=chain.pitch(down))
    np.testing.assert_allclose(result.solutions, [down])
    missed = chain.inverse([0.025, 0.25, -0.04], pitch=chain.pitch(up) + 0.1)
    assert missed.reason is IKReason.PITCH
    assert missed.excess == pytest.approx(0.1)
    np.testing.assert_allclose(missed.nearest.joints, up)


def test_orientation_chooses_among_the_ways():
    chain = CHAINS["leg_2"]
    up = chain.leg.solve(0.025, 0.25, -0.04)["up"]
    quaternion = quaternion_from_matrix(chain.forward(up)[:3, :3]).tolist()
    result = chain.inverse([0.025, 0.25, -0.04], quaternion=quaternion)
    np.testing.assert_allclose(result.solutions, [up])
    missed = chain.inverse([0.025, 0.25, -0.04], quaternion=[1, 0, 0, 0])
    assert missed.reason is IKReason.ORIENTATION


def test_leg_cannot_roll_its_tip():
    with pytest.raises(InvalidInput, match="rolls its tip"):
        CHAINS["leg_1"].inverse([0.13, 0.16, -0.09], roll=0.3)


def test_arm_is_not_taken_for_a_leg():
    with pytest.raises(InvalidInput, match="3 turning joints"):
        LegSolver.from_chain(robots.get("open_manipulator_x").chain().dh)


def test_reach_is_that_of_the_sheet():
    low, high = CHAINS["leg_1"].leg.reach
    assert 1000 * low == pytest.approx(35.608) and 1000 * high == pytest.approx(193.388)
    chain = CHAINS["leg_3"]
    points = chain.to_leg(chain.tip(postures("leg_3", 46_000)))
    assert 1000 * np.hypot(*points[:, :2].T).max() == pytest.approx(236.54, abs=0.2)
    box = [[-191, -99, -175], [236, 236, 212]]
    np.testing.assert_allclose([1000 * points.min(0), 1000 * points.max(0)], box, atol=2.0)


# --- postures --------------------------------------------------------------------------------


@every_leg
def test_standing_leg_has_room_to_step(leg):
    """The sheet on climbing: 30 mm around the foothold, 25 mm up, 3 degrees off every limit.

    It is 2.84 degrees for the middle legs' knees.
    """
    chain = CHAINS[leg.name]
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    spare = np.radians(2.8)
    for lift in (0.0, 0.025):
        circle = np.column_stack([0.03 * np.cos(turn), 0.03 * np.sin(turn), np.full(24, lift)])
        q = chain.leg.solve_batch(circle + np.array([*leg.foothold(TIP_DEPTH), -TIP_DEPTH]))[:, 0]
        assert (q > chain.dh.lower + spare).all() and (q < chain.dh.upper - spare).all()


@every_leg
def test_tibias_stand_nearly_upright(leg):
    chain = CHAINS[leg.name]
    assert np.degrees(chain.pitch(chain.postures["stand"])) == pytest.approx(90, abs=5.5)


def support_margin(legs, centre=(-36.0, 0.0)) -> float:
    """How far a point is inside the triangle of three tips of the rest posture [mm]."""
    feet = np.array([REST_TIPS[number][:2] for number in legs])
    middle, margins = feet.mean(axis=0), []
    for k in range(3):
        a, b = feet[k], feet[(k + 1) % 3]
        normal = np.array([a[1] - b[1], b[0] - a[0]]) / np.linalg.norm(b - a)
        normal *= np.sign(normal @ (middle - a))
        margins.append(normal @ (centre - a))
    return float(min(margins))


# --- facts and errata ------------------------------------------------------------------------


def test_numbers_of_the_errata():
    q = np.random.default_rng(59).uniform(
        np.radians([-60, -90, -120]), np.radians([60, 110, 130]), (200_000, 3)
    )
    s = q[:, 1] + q[:, 2]
    off = LT * np.sin(s) * (1 - np.cos(s))
    assert abs(off).max() == pytest.approx(148.7, abs=0.2)  # equation (4.3), the extra factor
    assert 2 * LF * np.sin(np.radians(40)) == pytest.approx(101.4, abs=0.05)  # (4.1)
    assert pytest.approx(36.4, abs=0.05) == 2 * RISE
    front = LC * np.sin(A[1]) + LF * np.cos(q[:, 1]) + LT * np.cos(s)
    assert (front < 0).mean() == pytest.approx(0.167, abs=0.002)
    rest = np.radians([-40, 0, -90])
    assert sheet_forward(rest, 1)[2] == pytest.approx(-96.29)
    as_listed = -RISE + LF * np.sin(abs(rest[1])) + LT * np.sin(abs(rest[1]) + abs(rest[2]))
    assert as_listed == pytest.approx(96.29)
    target, reached = np.array([25, -225, 68]), np.array([25.63, -224.39, 55.65])
    assert np.linalg.norm(target - reached) == pytest.approx(12.38, abs=0.005)


def test_even_and_odd_legs_are_tripods_only_in_ring_numbering():
    assert min(support_margin(legs) for legs in TRIPODS) == pytest.approx(69.1, abs=0.2)
    ring_of = {1: 6, 2: 1, 3: 5, 4: 2, 5: 4, 6: 3}  # equations (4.26) to (4.31)
    as_printed = [[ring_of[number] for number in legs] for legs in TRIPODS]
    assert min(map(support_margin, as_printed)) == pytest.approx(-128.8, abs=0.2)


def test_servos_are_those_of_the_sheet():
    servos = robots.get("romerin").servos
    assert len(servos) == 18
    for servo in servos.values():
        assert (servo.torque, servo.speed) == (2.45, 7.33)
        assert np.degrees(servo.resolution) == pytest.approx(0.3223, abs=5e-4)


def test_base_of_a_chain_is_its_mount():
    for leg in LEGS:
        chain = CHAINS[leg.name]
        yaw = np.degrees(np.arctan2(chain.T_body_leg[1, 0], chain.T_body_leg[0, 0]))
        assert yaw == pytest.approx(leg.mount.yaw_deg)
        np.testing.assert_allclose(
            invert(chain.T_body_leg) @ chain.T_body_leg, np.eye(4), atol=1e-15
        )


def test_readme_lists_every_erratum():
    text = (robots.get("romerin").folder / "README.md").read_text()
    rows = text.split("## Errata of the thesis")[1].split("\n\n")[1].splitlines()[2:]
    assert len(rows) == len(robots.get("romerin").errata)


def test_every_line_of_python_in_the_readme_runs():
    page = robots.get("romerin").folder / "README.md"
    failures, examples = doctest.testfile(str(page), module_relative=False)
    assert examples > 3
    assert failures == 0
