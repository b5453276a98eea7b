"""The adhesion budget against balance, symmetry and a plain numpy reference of its statics."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.core.grips import Magnet, Suction, utilisation
from mecano.planning.adhesion import AdhesionModel, LegWeights, ReleaseReason, pull_and_shear
from mecano.robots.romerin.description import CHAINS

LEGS = tuple(CHAINS.values())
STAND = np.array([leg.postures["stand"] for leg in LEGS])
G = 9.81
FLOOR, CEILING, WALL = np.array([[0, 0, -G], [0, 0, G], [-G, 0, 0]])
UP = np.array([0.0, 0.0, 1.0])
STIFFNESS, LIMIT = 20.0, 1.5
seeds = st.integers(0, 10_000)


@cache
def weights() -> LegWeights:
    """Something like ROMERIN, with centres of mass beside the links too."""
    masses, centres = np.tile([0.07, 0.075, 0.025, 0.065], (6, 1)), np.zeros((6, 4, 3))
    for i, leg in enumerate(LEGS):
        frames = leg.dh.joint_frames(np.zeros(3))[:, :3, 3]
        tip = leg.tip(np.zeros(3))
        side = -1.0 if tip[1] < 0.0 else 1.0
        centres[i] = 0.5 * (frames[0] + frames[1]), frames[1:3].mean(0), frames[2], 1.1 * tip
        centres[i, 1] += [0.0, 0.004 * side, 0.005]
    return LegWeights(masses, centres, 0.99, np.array([-0.036, 0, 0.005]), 0.003 * np.eye(3))


def model(**changes) -> AdhesionModel:
    settings = {
        "stiffness": STIFFNESS, "torque_limit": LIMIT, "damping": 0.4, "drag": 0.05,
        "armature": 0.005, "laws": Suction(),
    }  # fmt: skip
    return AdhesionModel(LEGS, weights(), **(settings | changes))


def centres_at(i: int, q: np.ndarray) -> np.ndarray:
    """Where the links' centres are: each turns with its joint, from where it is at zero."""
    at_zero, now = LEGS[i].dh.link_frames(np.zeros(3)), LEGS[i].dh.link_frames(q)
    points = np.column_stack([weights().centres[i], np.ones(4)])
    moves = [now[k] @ np.linalg.inv(at_zero[k]) for k in (1, 2, 3, 3)]
    return np.array([(T @ p)[:3] for T, p in zip(moves, points, strict=True)])


def bias_at(i: int, q: np.ndarray, g: np.ndarray, *, cup: bool) -> np.ndarray:
    """Torques that hold a leg's weight, by differences of its potential energy."""
    masses = weights().masses[i] * [1, 1, 1, cup]

    def energy(q):
        return -masses @ centres_at(i, q) @ g

    steps = 1e-6 * np.eye(3)
    return np.array([(energy(q + s) - energy(q - s)) / 2e-6 for s in steps])


def reference_forces(q, command, g, holding) -> np.ndarray:
    """Forces on the cups in plain numpy."""
    forces = np.zeros((6, 3))
    for i in np.flatnonzero(holding).tolist():
        torque = np.clip(STIFFNESS * (command[i] - q[i]), -LIMIT, LIMIT)
        needed = bias_at(i, q[i], g, cup=False) - torque
        on_tip = np.linalg.solve(LEGS[i].jacobian(q[i]).T, needed)
        forces[i] = on_tip - weights().masses[i, 3] * g
    return forces


def left_over(q, forces, g, holding) -> np.ndarray:
    """Force and moment about the body's origin of cups and weights together.

    A cup that holds has its weight at its tip: its bond carries the moment of the rest.
    """
    body = weights()
    wrench = np.array([*body.body_mass * g, *np.cross(body.body_centre, body.body_mass * g)])
    for i, leg in enumerate(LEGS):
        points, tip = centres_at(i, q[i]), leg.tip(q[i])
        points[3] = tip if holding[i] else points[3]
        for mass, point in zip(body.masses[i], points, strict=True):
            wrench += np.array([*mass * g, *np.cross(point, mass * g)])
        wrench += np.array([*forces[i], *np.cross(tip, forces[i])])
    return wrench


def balanced(seed: int, g: np.ndarray, *, preload: float = 0.03, holding=None):
    """Return joint values, at rest, of a robot whose commands are off by some angles."""
    from mecano.planning import adhesion_kernel as kernel

    rng, held = np.random.default_rng(seed), np.ones(6, bool) if holding is None else holding
    budget = model()
    command = STAND + preload * rng.standard_normal((6, 3)) * held[:, None]
    servos = np.hstack([command, np.zeros((6, 3)), budget._servos])
    grasp, body, work, _ = kernel.begin(budget._robot, servos, held, STAND, g)
    pose = np.zeros(6)
    assert kernel.settle(budget._robot[0], servos, grasp, body, pose, work)
    R = kernel.rotation_of(pose)
    return work[:, :3].copy(), command, g @ R, UP @ R


@given(seed=seeds, holding=st.lists(st.booleans(), min_size=6, max_size=6))
@settings(max_examples=30, deadline=None)
def test_forces_told_by_the_servos_equal_a_plain_reference(seed, holding):
    rng = np.random.default_rng(seed)
    q = STAND + 0.2 * rng.standard_normal((6, 3))
    command, g = q + 0.05 * rng.standard_normal((6, 3)), G * rng.standard_normal(3)
    forces = model().forces(q, command, gravity=g, holding=holding)
    np.testing.assert_allclose(forces, reference_forces(q, command, g, holding), atol=1e-6)


@pytest.mark.parametrize("gravity", [FLOOR, WALL, CEILING], ids=["floor", "wall", "ceiling"])
def test_forces_at_rest_carry_the_weight_and_its_moment(gravity):
    q, command, g, _ = balanced(1, gravity)
    forces = model().forces(q, command, gravity=g)
    np.testing.assert_allclose(forces.sum(axis=0), -weights().total * g, atol=1e-6)
    np.testing.assert_allclose(left_over(q, forces, g, np.ones(6, bool)), 0.0, atol=1e-6)


@given(seed=seeds, leg=st.integers(0, 5), gravity=st.sampled_from([FLOOR, WALL, CEILING]))
@settings(max_examples=25, deadline=None)
def test_forces_after_a_release_balance_where_the_body_comes_to_rest(seed, leg, gravity):
    from mecano.planning import adhesion_kernel as kernel

    q, command, g, normal = balanced(seed, gravity)
    forecast = model().release(leg, q=q, command=command, gravity=g, normals=normal)
    if forecast.after is None or forecast.moved is None:
        return
    left = np.arange(6) != leg
    R, there = kernel.rotation_of(forecast.moved), q.copy()
    for i in np.flatnonzero(left):
        tip = (LEGS[i].tip(q[i]) - forecast.moved[:3]) @ R
        ways = LEGS[i].leg.branches(*tip)
        there[i] = min(ways.values(), key=lambda way: np.sum((np.array(way) - q[i]) ** 2))
    there[leg] = command[leg] - bias_at(leg, q[leg], g, cup=True) / STIFFNESS
    forces = reference_forces(there, command, g @ R, left)
    np.testing.assert_allclose(forces @ R.T, forecast.after, atol=1e-5)
    np.testing.assert_allclose(left_over(there, forces, g @ R, left), 0.0, atol=2e-6)


def test_a_symmetric_robot_has_symmetric_forces():
    q, command, g, _ = balanced(0, FLOOR, preload=0.0)
    forces = model().forces(q, command, gravity=g)
    np.testing.assert_allclose(forces[:3], forces[:2:-1] * [1, -1, 1], atol=1e-6)


def test_releases_of_mirrored_legs_are_mirror_images():
    q, command, g, normal = balanced(0, WALL, preload=0.0)
    left, right = (
        model().release(leg, q=q, command=command, gravity=g, normals=normal) for leg in (1, 4)
    )
    np.testing.assert_allclose(left.utilisation, right.utilisation[::-1], atol=1e-6)


def test_a_cup_that_carries_only_itself_can_go_without_a_change():
    holding = np.arange(6) != 2
    q, command, g, normal = balanced(3, WALL, holding=holding)
    bias = bias_at(2, q[2], g, cup=False)
    command[2] = q[2] + bias / STIFFNESS  # it holds its own links, and its cup hangs on the wall
    forecast = model().release(2, q=q, command=command, gravity=g, normals=normal)
    assert forecast.after is not None
    # What changes is the cup's weight, which hangs on the body now.
    assert np.abs(forecast.after - forecast.before)[holding].max() < 0.065 * G


def test_the_present_loads_are_part_of_the_forecast():
    q, command, g, normal = balanced(4, CEILING, preload=0.05)
    budget = model()
    forecast = budget.release(0, q=q, command=command, gravity=g, normals=normal)
    now = budget.utilisation(*pull_and_shear(forecast.before, np.tile(normal, (6, 1))))
    assert (forecast.utilisation[1:] >= now[1:] - 1e-12).all()
    assert forecast.utilisation[0] == 0.0


def test_a_payload_is_found_in_the_forces():
    q, command, g, normal = balanced(5, CEILING, preload=0.0)
    light = LegWeights(
        weights().masses, weights().centres, 0.5, weights().body_centre, 0.003 * np.eye(3)
    )
    known = model().release(1, q=q, command=command, gravity=g, normals=normal)
    unknown = AdhesionModel(
        LEGS, light, stiffness=STIFFNESS, torque_limit=LIMIT, damping=0.4, drag=0.05,
        armature=0.005, laws=Suction(),
    ).release(1, q=q, command=command, gravity=g, normals=normal)  # fmt: skip
    assert known.after is not None and unknown.after is not None
    np.testing.assert_allclose(unknown.after, known.after, atol=0.05)
    np.testing.assert_allclose(unknown.utilisation, known.utilisation, atol=0.02)


def test_measured_forces_replace_those_of_the_servos():
    q, command, g, normal = balanced(6, WALL)
    budget = model()
    told = budget.forces(q, command, gravity=g)
    args = {"q": q, "command": command, "gravity": g, "normals": normal}
    same, other = budget.release(0, **args, forces=told), budget.release(0, **args)
    np.testing.assert_allclose(same.utilisation, other.utilisation, atol=1e-9)
    pressed = told - 5.0 * normal * (np.arange(6) == 3)[:, None]
    assert budget.release(0, **args, forces=pressed).before[3] == pytest.approx(pressed[3])


def test_where_the_released_leg_goes_does_not_change_the_present_forces():
    q, command, g, normal = balanced(6, WALL)
    args = {"q": q, "command": command, "gravity": g, "normals": normal}
    left, lifted = model().release(0, **args), model().release(0, **args, then=q[0] + [0, 0.1, 0])
    np.testing.assert_array_equal(lifted.before, left.before)
    assert lifted.after is not None and left.after is not None
    # Only the place of the leg's own weight differs once all is at rest.
    np.testing.assert_allclose(lifted.after, left.after, atol=0.1)


@pytest.mark.parametrize("law", [Suction(), Suction(pull=4.0, shear=9.0), Magnet()])
def test_utilisation_follows_the_law(law):
    rng = np.random.default_rng(0)
    pull, shear = 20.0 * rng.standard_normal(6), 20.0 * rng.random(6)
    used = model(laws=law).utilisation(pull, shear)
    np.testing.assert_allclose(used, utilisation(law, pull, shear))


def test_weaker_cups_break_and_the_first_one_is_named():
    q, command, g, normal = balanced(7, CEILING, preload=0.0)
    args = {"q": q, "command": command, "gravity": g, "normals": normal}
    strong = model().release(1, **args)
    weak = model(laws=Suction(pull=3.0)).release(1, **args)
    assert strong.safe and strong.first is None and strong.margin > 0.0
    assert not weak.safe and weak.reason is ReleaseReason.OVERLOAD and weak.margin < 0.0
    worst = int(np.argmax(weak.utilisation))
    assert weak.first == worst and f"leg {worst + 1} would come to" in weak.message


def test_the_less_damping_the_further_the_loads_swing():
    q, command, g, normal = balanced(8, CEILING, preload=0.0)
    args = {"q": q, "command": command, "gravity": g, "normals": normal}
    soft, firm = (model(damping=d).release(1, **args) for d in (0.05, 1.0))
    assert soft.after is not None
    resting = model().utilisation(*pull_and_shear(soft.after, np.tile(normal, (6, 1))))
    assert soft.utilisation.max() > 1.02 * firm.utilisation.max()
    assert firm.utilisation.max() >= resting.max()


@pytest.mark.parametrize("held", [1, 2, 3])
def test_fewer_than_three_cups_are_refused(held):
    holding = np.arange(6) < held
    forecast = model().release(
        0, q=STAND, command=STAND, gravity=FLOOR, normals=UP, holding=holding
    )
    assert not forecast.safe and forecast.reason is ReleaseReason.TOO_FEW
    assert forecast.message.startswith(f"{held - 1} cups would be left")


def test_cups_in_line_are_refused_and_the_distance_is_told():
    line = [(0.15, 0.16), (-0.04, 0.18), (-0.23, 0.16)]
    q = STAND.copy()
    for i, (x, y) in enumerate(line):
        q[i] = LEGS[i].leg.solve(x, y, -0.095)["up"]
    holding = np.array([True, True, True, False, True, False])
    forecast = model().release(4, q=q, command=q, gravity=FLOOR, normals=UP, holding=holding)
    assert not forecast.safe and forecast.reason is ReleaseReason.COLLINEAR
    assert "1, 2, 3, lie within 20 mm of one line, 40 mm are needed" in forecast.message


def test_a_straight_leg_is_refused():
    q = STAND.copy()
    q[3, 2] = 0.0
    forecast = model().release(0, q=q, command=q, gravity=FLOOR, normals=UP)
    assert not forecast.safe and forecast.reason is ReleaseReason.SINGULAR
    assert "leg 4 is straight" in forecast.message
    with pytest.raises(InvalidInput, match="leg 4 is straight"):
        model().forces(q, q, gravity=FLOOR)


def test_legs_that_are_too_weak_find_no_balance():
    holding = np.array([False, True, True, True, False, True])
    q, command, g, normal = balanced(9, FLOOR, preload=0.0, holding=holding)
    weak = model(torque_limit=0.33, laws=Suction(pull=1e4, shear=1e4))
    forecast = weak.release(1, q=q, command=command, gravity=g, normals=normal, holding=holding)
    assert not forecast.safe and forecast.reason is ReleaseReason.NO_BALANCE
    assert forecast.margin == -np.inf and forecast.after is None
    assert "give way" in forecast.message


def test_a_leg_that_does_not_hold_cannot_be_released():
    with pytest.raises(InvalidInput, match="leg 3 does not hold"):
        model().release(
            2, q=STAND, command=STAND, gravity=FLOOR, normals=UP, holding=np.arange(6) != 2
        )


def test_normals_are_needed_only_where_a_cup_holds():
    q, command, g, normal = balanced(10, WALL, holding=np.arange(6) != 5)
    normals = np.tile(normal, (6, 1))
    normals[5] = 0.0
    args = {"q": q, "command": command, "gravity": g, "holding": np.arange(6) != 5}
    assert model().release(0, normals=normals, **args).utilisation.any()
    normals[1] = 0.0
    with pytest.raises(InvalidInput, match="has no direction"):
        model().release(0, normals=normals, **args)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stiffness": np.ones((5, 3))}, "stiffness has shape"),
        ({"laws": [Suction()] * 5}, "5 laws of grip"),
        ({"factor": 0.5}, "factor is 0.5"),
    ],
)
def test_a_model_that_does_not_fit_its_legs_says_so(change, said):
    with pytest.raises(InvalidInput, match=said):
        model(**change)


def test_the_same_question_has_the_same_answer_bit_for_bit():
    q, command, g, normal = balanced(11, CEILING)
    args = {"q": q, "command": command, "gravity": g, "normals": normal}
    first, second = model().release(2, **args), model().release(2, **args)
    assert (first.utilisation == second.utilisation).all()
