"""The derivation in symbols says the same as the numeric kinematics."""

import math
import sys
from math import pi

import numpy as np
import pytest

from mecano import robots
from mecano.core.errors import InvalidInput, MissingExtra
from mecano.core.poses import wrap_angle
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.ik import IKReason
from mecano.kinematics.symbolic import Derivation, derive_chain
from mecano.kinematics.transforms import invert, rotation_x, rotation_z, translation

sympy = pytest.importorskip("sympy")


def _joint(name: str, **numbers) -> DHJoint:
    return DHJoint(name=name, **numbers)


OMX = robots.get("open_manipulator_x").chain()
TWO_LINK = robots.get("two_link").chain()
LEG = DHChain(
    joints=(
        _joint("coxa", a=0.03, alpha=pi / 2),
        _joint("femur", a=0.1, theta=0.3),
        _joint("tibia", a=0.12, theta=-pi / 2),
    )
)
SCARA = DHChain(
    joints=(
        _joint("shoulder", a=0.3, d=0.2),
        _joint("elbow", a=0.2, alpha=pi),
        _joint("lift", kind="prismatic", upper=0.1),
        _joint("wrist"),
    )
)
POLAR = DHChain(
    joints=(
        _joint("turn", d=0.2, alpha=-pi / 2),
        _joint("tilt", d=0.15, alpha=pi / 2),
        _joint("slide", kind="prismatic", d=0.1, upper=0.1),
    )
)
SIX_JOINTS = DHChain(
    joints=(
        _joint("a", d=0.089, alpha=pi / 2),
        _joint("b", a=-0.425),
        _joint("c", a=-0.392),
        _joint("d", d=0.109, alpha=pi / 2),
        _joint("e", d=0.0946, alpha=-pi / 2),
        _joint("f", d=0.0823),
    )
)
MODIFIED = DHChain(
    convention="modified",
    joints=(
        _joint("a", alpha=0.3, a=0.1, d=0.2, theta=0.2),
        _joint("b", alpha=pi / 2, a=0.11, d=0.21),
        _joint("c", kind="prismatic", a=0.12),
    ),
    base=translation(0.1, 0.2, 0.3) @ rotation_x(0.4),
    tool=translation(0.0, 0.13, 0.0) @ rotation_z(pi / 3),
)
OTHER_TURRET = Chain(
    name="arm",
    dh=DHChain(
        joints=(
            _joint("a", d=0.1, a=0.02, alpha=-pi / 2, theta=0.5),
            _joint("b", a=0.15, theta=-1.2),
            _joint("c", a=0.14, theta=pi / 2),
            _joint("d", a=0.11, theta=0.3),
        ),
        base=translation(0.1, 0.2, 0.3) @ rotation_z(0.4),
        tool=rotation_z(0.2) @ rotation_x(pi / 2),
    ),
)
MODIFIED_TURRET = Chain(
    name="arm",
    dh=DHChain(
        convention="modified",
        joints=(
            _joint("a", d=0.1, a=0.02),
            _joint("b", alpha=-pi / 2, a=0.15),
            _joint("c", a=0.14),
            _joint("d", a=0.13, theta=0.3, alpha=pi),
        ),
        base=translation(0.1, 0.2, 0.3),
        tool=translation(x=0.11) @ rotation_z(0.2) @ rotation_x(-pi / 2),
    ),
)
CHAINS = {
    "open_manipulator_x": OMX,
    "two_link": TWO_LINK,
    "leg": LEG,
    "scara": SCARA,
    "polar": POLAR,
    "six_joints": SIX_JOINTS,
    "modified": MODIFIED,
    "other_turret": OTHER_TURRET,
    "modified_turret": MODIFIED_TURRET,
}
TURRETS = {
    "open_manipulator_x": OMX,
    "other_turret": OTHER_TURRET,
    "modified_turret": MODIFIED_TURRET,
}


@pytest.fixture(scope="module")
def derivations() -> dict[str, Derivation]:
    return {name: derive_chain(chain) for name, chain in CHAINS.items()}


@pytest.fixture(scope="module")
def omx(derivations) -> Derivation:
    return derivations["open_manipulator_x"]


@pytest.fixture(scope="module")
def two_link(derivations) -> Derivation:
    return derivations["two_link"]


def _postures(derivation: Derivation, count: int = 40) -> np.ndarray:
    chain = derivation.chain
    return np.random.default_rng(7).uniform(chain.lower, chain.upper, (count, len(chain.joints)))


def _symbols(derivation: Derivation) -> dict:
    return {str(symbol): symbol for symbol in (*derivation.q, *derivation.values)}


def _joints(numbers: dict[str, float]) -> np.ndarray:
    return np.array([numbers[name] for name in sorted(n for n in numbers if n[0] == "q")])


# --- forward -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CHAINS)
def test_closed_form_equals_the_numeric_pose(derivations, name):
    derivation = derivations[name]
    pose = derivation.compiled(derivation.pose)
    for q in _postures(derivation):
        expected = derivation.chain.forward(q)
        np.testing.assert_allclose(pose(*q), expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", CHAINS)
def test_each_step_matrix_equals_the_row_of_the_table(derivations, name):
    derivation = derivations[name]
    for i, step in enumerate(derivation.steps):
        for q in _postures(derivation, 5):
            expected = derivation.chain.step(i, q[i])
            np.testing.assert_allclose(derivation.evaluate(step, q), expected, atol=1e-12)


@pytest.mark.parametrize("name", CHAINS)
def test_each_product_equals_the_link_frame(derivations, name):
    derivation = derivations[name]
    (q,) = _postures(derivation, 1)
    frames = invert(derivation.chain.base) @ derivation.chain.link_frames(q)
    for product, frame in zip(derivation.products, frames[1:-1], strict=True):
        np.testing.assert_allclose(derivation.evaluate(product, q), frame, atol=1e-12)


def test_letters_of_open_manipulator_x_are_the_papers(omx):
    values = {str(symbol): value for symbol, value in omx.values.items()}
    assert values == pytest.approx(
        {
            "L1": 0.0595,
            "L2": 0.1302306,
            "L3": 0.124,
            "L4": 0.126,
            "phi": 1.3854484,
            "x0": 0.012,
            "z0": 0.017,
        },
        abs=5e-8,
    )


def test_table_of_open_manipulator_x_is_the_papers(omx):
    rows = [" | ".join(map(str, row)) for row in omx.table]
    assert rows == [
        "q1 | L1 | 0 | -pi/2",
        "q2 - phi | 0 | L2 | 0",
        "q3 + phi | 0 | L3 | 0",
        "q4 | 0 | L4 | 0",
    ]


def test_closed_form_adds_up_the_angles_of_parallel_axes(omx):
    assert str(omx.closed_form[0, 0]) == "cos(q1)*cos(q2 + q3 + q4)"
    assert str(omx.closed_form[2, 3]) == (
        "L1 - L2*sin(q2 - phi) - L3*sin(q2 + q3) - L4*sin(q2 + q3 + q4)"
    )


def test_position_function_includes_the_base_offset_the_paper_leaves_out(omx):
    assert [str(entry) for entry in omx.position] == [
        "x0 + (L2*cos(q2 - phi) + L3*cos(q2 + q3) + L4*cos(q2 + q3 + q4))*cos(q1)",
        "(L2*cos(q2 - phi) + L3*cos(q2 + q3) + L4*cos(q2 + q3 + q4))*sin(q1)",
        "L1 - L2*sin(q2 - phi) - L3*sin(q2 + q3) - L4*sin(q2 + q3 + q4) + z0",
    ]


def test_equal_lengths_share_a_letter():
    chain = DHChain(joints=(_joint("a", a=0.2), _joint("b", a=-0.2), _joint("c", a=0.3)))
    assert [str(row[2]) for row in derive_chain(chain).table] == ["L1", "-L1", "L2"]


def test_odd_angles_get_numbered_letters_while_quarter_turns_stay():
    chain = DHChain(
        joints=(
            _joint("a", theta=0.1, alpha=0.4),
            _joint("b", theta=pi, alpha=-pi / 2),
            _joint("c", theta=-0.2, alpha=0.5),
        )
    )
    rows = derive_chain(chain).table
    assert [str(row[0]) for row in rows] == ["q1 + phi", "q2 + pi", "q3 - phi2"]
    assert [str(row[3]) for row in rows] == ["alpha", "-pi/2", "alpha2"]


def test_prismatic_variable_stands_in_column_d(derivations):
    assert str(derivations["polar"].table[2][1]) == "L3 + q3"


# --- inverse -------------------------------------------------------------------------------------


def _without_limits(chain: Chain) -> Chain:
    free = chain.dh.with_limits({name: (-pi, pi) for name in chain.joint_names})
    return Chain(name=chain.name, dh=free)


@pytest.mark.parametrize("name", TURRETS)
def test_inverse_steps_give_the_solutions_of_the_numeric_solver(derivations, name):
    derivation, free = derivations[name], _without_limits(TURRETS[name])
    for q in _postures(derivation, 100):
        point, pitch = free.forward(q)[:3, 3], free.pitch(q)
        followed = [
            derivation.follow_inverse(point, pitch, s=s, e=e) for s, e in derivation.branches
        ]
        ours = [_joints(numbers) for numbers in followed if numbers["reachable"]]
        x, y, z = point.tolist()
        solver = free.turret.branches(x, y, z, pitch)
        assert len(ours) == len(solver)
        for solution in solver:
            nearest = min(np.abs(wrap_angle(solution - mine)).max() for mine in ours)
            assert nearest < 1e-9


@pytest.mark.parametrize("name", [*TURRETS, "two_link"])
def test_inverse_steps_lead_back_to_the_posture(derivations, name):
    derivation, chain = derivations[name], CHAINS[name]
    for q in _postures(derivation, 100):
        point, pitch = chain.forward(q)[:3, 3], chain.pitch(q)
        followed = [
            derivation.follow_inverse(point, pitch, s=s, e=e) for s, e in derivation.branches
        ]
        found = [_joints(numbers) for numbers in followed if numbers["reachable"]]
        assert min(np.abs(wrap_angle(each - q)).max() for each in found) < 1e-9


def test_two_link_inverse_agrees_with_the_numeric_solver(two_link):
    for q in _postures(two_link, 10):
        point = TWO_LINK.forward(q)[:3, 3]
        solved = TWO_LINK.inverse(point, start=q).solutions[0]
        found = [_joints(two_link.follow_inverse(point, e=e)) for e in (1, -1)]
        assert min(np.abs(wrap_angle(each - solved)).max() for each in found) < 1e-5


def test_readme_example_of_the_papers_repository(omx):
    numbers = omx.follow_inverse([0.1, 0.1, 0.2], 0.0, s=1, e=-1)
    np.testing.assert_allclose(
        _joints(numbers), [0.849141, -1.146170, 0.740823, 0.405347], atol=1e-6
    )


def test_q1_is_right_where_x_is_zero(omx):
    numbers = omx.follow_inverse([0.012, 0.2, 0.1], 0.0)
    assert numbers["X"] == 0.0
    assert numbers["q1"] == pytest.approx(pi / 2)


def test_steps_come_in_the_order_of_computation(omx):
    names = [step.name for step in omx.inverse_steps]
    assert names == [*"XYZ", "q1", *"rhD", "reachable", *"CA", "q2", "q3", "q4"]


def test_four_branches_are_four_sign_pairs(omx):
    assert sorted(omx.branches) == [(-1, -1), (-1, 1), (1, -1), (1, 1)]


def test_unreachable_point_ends_at_the_condition(omx):
    numbers = omx.follow_inverse([1.0, 0.0, 0.2], 0.0)
    assert list(numbers)[-1] == "reachable"
    assert numbers["reachable"] == 0.0
    assert OMX.inverse([1.0, 0.0, 0.2], pitch=0.0).reason is IKReason.TOO_FAR


def test_stretched_arm_is_reachable_in_spite_of_round_off(two_link):
    for angle in np.linspace(-3.0, 3.0, 61):
        point = TWO_LINK.forward([angle, 0.0])[:3, 3]
        assert two_link.follow_inverse(point)["q2"] == pytest.approx(0.0, abs=1e-6)


def test_chain_without_closed_form_says_so(derivations):
    assert derivations["six_joints"].inverse_steps == ()
    with pytest.raises(InvalidInput, match="no closed-form inverse"):
        derivations["six_joints"].follow_inverse([0.1, 0.1, 0.1])


# --- singular postures ---------------------------------------------------------------------------


def _claimed_determinant(omx: Derivation):
    """R L2 L3 sin(q3 + phi), with R the distance of the tool from axis 1."""
    symbols = _symbols(omx)
    q2, q3, q4, phi = (symbols[name] for name in ("q2", "q3", "q4", "phi"))
    L2, L3, L4 = (symbols[name] for name in ("L2", "L3", "L4"))
    R = L2 * sympy.cos(q2 - phi) + L3 * sympy.cos(q2 + q3) + L4 * sympy.cos(q2 + q3 + q4)
    return R * L2 * L3 * sympy.sin(q3 + phi)


def test_determinant_is_distance_times_two_lengths_times_the_sine_of_the_elbow(omx):
    assert sympy.expand(omx.determinant - _claimed_determinant(omx)) == 0


@pytest.mark.slow
def test_determinant_follows_from_the_whole_jacobian(omx):
    difference = omx.jacobian.det() - _claimed_determinant(omx)
    assert sympy.simplify(sympy.expand(difference.rewrite(sympy.exp))) == 0


@pytest.mark.parametrize("name", ["two_link", "leg", "polar", *TURRETS])
def test_determinant_equals_that_of_the_numeric_jacobian(derivations, name):
    derivation = derivations[name]
    for q in _postures(derivation, 10):
        J = derivation.chain.jacobian(q)[:3]
        if derivation.omega is not None:
            slope = [float(derivation.omega.diff(q_i)) for q_i in derivation.q]
            J = np.vstack([J, slope])
        J = J[np.abs(J).max(axis=1) > 1e-12]
        assert float(derivation.evaluate(derivation.determinant, q)) == pytest.approx(
            np.linalg.det(J), abs=1e-12
        )


@pytest.mark.parametrize("name", TURRETS)
def test_omega_is_the_pitch_of_the_tool(derivations, name):
    derivation, chain = derivations[name], TURRETS[name]
    for q in _postures(derivation, 20):
        omega = float(derivation.evaluate(derivation.omega, q))
        assert wrap_angle(omega - chain.pitch(q)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "posture"), [("straight", -1.3854484), ("folded", pi - 1.3854484)]
)
def test_straight_and_folded_arm_are_singular(omx, name, posture):
    step = next(step for step in omx.singularities if step.name == name)
    value = float(step.expression.rhs.subs(omx.values))
    assert value == pytest.approx(posture, abs=5e-8)
    assert float(omx.evaluate(omx.determinant, [0.3, 0.2, value, 0.4])) == pytest.approx(
        0, abs=1e-15
    )


def test_tool_on_axis_1_is_singular(omx):
    (q2, q3) = (-0.9, 0.4)
    first, *_ = (step.expression for step in omx.singularities if step.name == "R")
    R = sympy.lambdify(omx.q, first.subs(omx.values), "math")
    grid = np.linspace(-1.7, 2.0, 20_001)
    q4 = min(grid, key=lambda angle: abs(R(0, q2, q3, angle)))
    T = OMX.forward([0.0, q2, q3, q4])
    assert math.hypot(T[0, 3] - 0.012, T[1, 3]) < 1e-4
    assert abs(float(omx.evaluate(omx.determinant, [0.0, q2, q3, q4]))) < 2e-6


def test_chain_with_more_joints_than_coordinates_has_no_determinant(derivations):
    assert derivations["six_joints"].determinant is None
    assert derivations["six_joints"].singularities == ()


# --- contracts -----------------------------------------------------------------------------------


def test_evaluate_refuses_a_wrong_number_of_joint_values(omx):
    with pytest.raises(InvalidInput, match="4 needed"):
        omx.evaluate(omx.pose, [0.0, 0.0])


def test_missing_sympy_tells_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(MissingExtra, match=r"pip install 'mecano\[teach\]'"):
        derive_chain(TWO_LINK)
