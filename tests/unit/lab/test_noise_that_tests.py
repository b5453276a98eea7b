"""With noise a robot errs as its description declares, by its seed, and on average not at all."""

from math import exp, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mecano
from mecano import robots
from mecano.core.randomness import RandomStreams
from mecano.lab.wheel_slip import DECLARED, SlipFacts, WheelSlip, add_slip
from mecano.robots.mobile import WheeledBase

WAY = 0.6
"""That bases drive in these tests [m]."""
SEEDS = 16


def base_of(name: str) -> WheeledBase:
    base = robots.get(name).base
    assert base is not None
    return base


def parts_of(facts: WheeledBase) -> np.ndarray:
    """Return how much of the way forwards each wheel tells; a share of the rest is no error."""
    rates = facts.layout.rates([1.0, 0.0, 0.0])
    return np.array([facts.layout.twist(rates * own)[0] for own in np.eye(len(rates))])


def passing_spread(facts: WheeledBase) -> float:
    """Return the spread of the way that comes and goes: an Ornstein-Uhlenbeck process [m]."""
    assert facts.slip is not None
    r = WAY / facts.slip.length
    passing = facts.slip.passing * sqrt(2.0 * (r - 1.0 + exp(-r))) / r
    return WAY * passing * float(np.linalg.norm(parts_of(facts)))


def driven(name: str, seed: int, *, noise: bool) -> tuple[float, np.ndarray]:
    """Return how far odometry errs along a straight way [m], and the shares of the wheels."""
    with mecano.connect(name, scene="empty", noise=noise, seed=seed) as robot:
        before = robot.truth.base_pose()
        slips = [each for each in robot.session.steppers if isinstance(each, WheelSlip)]
        robot.base.drive_for(WAY / 0.2, 0.2)
        robot.wait(1.0)
        truly = before.inverse() @ robot.truth.base_pose()
        return robot.base.pose.x - truly.x, slips[0].shares if slips else np.zeros(0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["youbot", "madar_base", "kobuki"])
def test_odometry_with_noise_errs_as_declared_and_on_average_not(name):
    facts = base_of(name)
    clean, nothing = driven(name, 0, noise=False)
    errors, rests = [], []
    for seed in range(SEEDS):
        error, shares = driven(name, seed, noise=True)
        errors.append(error - clean)
        rests.append(error - clean - WAY * float(shares @ parts_of(facts)))
    assert len(nothing) == 0 and abs(clean) < 0.001
    assert sqrt(np.mean(np.square(rests))) == pytest.approx(passing_spread(facts), rel=0.55)
    slip = facts.slip
    assert slip is not None
    spread = WAY * sqrt(slip.common**2 + slip.own**2 * float(np.sum(parts_of(facts) ** 2)))
    assert 0.5 * spread < np.std(errors) < 2.0 * spread
    assert abs(np.mean(errors)) < 3.0 * spread / sqrt(SEEDS)
    assert len(set(errors)) == SEEDS


def test_shares_of_wheels_have_the_declared_spread_over_seeds():
    facts = base_of("youbot")
    assert facts.slip is not None
    wheels: Any = SimpleNamespace(facts=facts, wheels=lambda: SimpleNamespace(position=np.zeros(4)))
    drawn = []
    for seed in range(800):
        session = SimpleNamespace(random=RandomStreams(seed))
        robot: Any = SimpleNamespace(base=wheels, name="youbot", session=session)
        drawn.append(WheelSlip(robot, facts.slip, DECLARED).shares)
    together = np.mean(drawn, axis=1)
    assert np.std(drawn - together[:, None]) == pytest.approx(0.003 * sqrt(3 / 4), rel=0.06)
    assert np.std(together) == pytest.approx(sqrt(0.005**2 + 0.003**2 / 4), rel=0.08)
    assert abs(np.mean(drawn)) < 0.0006


@pytest.mark.parametrize("name", ["youbot", "madar", "crumb", "kobuki"])
def test_every_base_of_the_catalogue_declares_its_slip(name):
    assert base_of(name).slip is not None


def test_slip_that_a_program_adds_takes_the_place_of_the_declared_one():
    with mecano.connect("madar_base", scene="empty", noise=True) as robot:
        slip = add_slip(robot, SlipFacts().times(2.0))
        assert [s for s in robot.session.steppers if isinstance(s, WheelSlip)] == [slip]


def test_efforts_are_noisy_as_declared_and_on_average_right():
    with mecano.connect("open_manipulator_x", noise=True, seed=2) as robot:
        robot.wait(1.0)
        encoders, rows = robot.arm.encoders, []
        assert encoders is not None
        for _ in range(400):
            robot.session.tick()
            rows.append(encoders.effort - encoders.read(clean=True).effort)
        servos = [robot.description.servos[joint] for joint in robot.arm.chain.joint_names]
        declared = np.array([servo.effort_noise * servo.torque for servo in servos])
        np.testing.assert_allclose(np.std(rows, axis=0), declared, rtol=0.15)
        assert (np.abs(np.mean(rows, axis=0)) < 4.0 * declared / 20.0).all()


def test_loads_of_cups_are_noisy_and_bonds_hold_by_what_is():
    loads = {}
    for noise in (False, True):
        with mecano.connect("romerin", noise=noise, seed=2) as robot:
            robot.wait(0.5)
            rows = []
            for _ in range(300):
                robot.session.tick()
                rows.append([cup.pull for cup in robot.cups])
            loads[noise] = np.array(rows)
            assert robot.cups.holding.all()
    assert loads[False].std(axis=0).max() < 0.01
    np.testing.assert_allclose(loads[True].std(axis=0), 0.1, rtol=0.2)
    weight = [loads[noise].mean(axis=0).sum() for noise in (False, True)]
    assert weight[0] == pytest.approx(weight[1], abs=0.1)


def test_the_forecast_of_a_noisy_walker_does_not_know_the_drawn_mass():
    def heavier(spec) -> None:
        spec.body("romerin/body_link").mass *= 1.2

    weights = {}
    for noise in (False, True):
        for changes in ([], [heavier]):
            with mecano.connect("romerin", noise=noise, changes=changes) as robot:
                weights[noise, bool(changes)] = robot.legs.adhesion.weights.body_mass
    assert weights[True, True] == pytest.approx(weights[True, False], rel=1e-9)
    assert weights[False, True] > 1.1 * weights[False, False]
