"""Walks that begin with a loose foot: the wave is taken, or they are refused with numbers."""

import math
from functools import cache

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput
from mecano.lab.robot import Robot
from mecano.parts.walks import Walk, WalkResult
from mecano.planning.gaits import GAITS


@cache
def shared(scene: str) -> Robot:
    return mecano.connect("romerin", scene=scene)


def with_loose(scene: str, *numbers: int) -> Robot:
    """Return the robot with cups switched off and their legs lifted."""
    robot = shared(scene)
    robot.reset()
    robot.wait(0.2)
    for number in numbers:
        leg = robot.legs[number]
        assert robot.cups.release(number).done
        leg.move_to(leg.tip + np.array([0.0, 0.0, 0.03]))
        robot.wait(0.3)
    return robot


@pytest.mark.slow
def test_walk_on_the_wall_with_a_loose_foot_takes_the_wave_and_tears_nothing_off():
    robot = with_loose("wall", 1)
    result = robot.legs.walk(0.1, direction=math.pi / 2)
    assert isinstance(result, WalkResult) and isinstance(robot.legs.walking, Walk)
    assert robot.legs.walking.gait.name == "wave"
    assert result.reached and result.peak < 0.7, result.message
    assert robot.cups.holding.tolist() == [False, True, True, True, True, True]


@pytest.mark.slow
def test_tripod_that_was_asked_for_is_refused_before_it_begins():
    robot = with_loose("wall", 1)
    before = robot.state_hash()
    with pytest.raises(
        InvalidInput, match=r"with cup 1 loose .* tripod: lifting legs 2, 4, 6: 2 cu"
    ):
        robot.legs.walk(0.1, direction=math.pi / 2, gait="tripod")
    assert robot.state_hash() == before
    assert robot.legs.walking is None or robot.legs.walking.done


@pytest.mark.slow
def test_own_gait_that_overloads_a_cup_is_refused_with_cup_and_share():
    robot = with_loose("wall", 1)
    own = GAITS["ripple"].with_cycle(4.0)
    with pytest.raises(
        InvalidInput, match=r"legs 6, 2 would load cup 5 to 1\d\d % of its hold; try gait='wave'"
    ):
        robot.legs.walk(0.1, gait=own)


@pytest.mark.slow
def test_wave_that_overloads_a_cup_is_refused_too():
    robot = with_loose("ceiling", 1)
    with pytest.raises(
        InvalidInput,
        match=r"carry the wave: lifting leg 2 would load cup 3 to 1\d\d %.*attach\(1\)",
    ) as refused:
        robot.legs.walk(0.1)
    assert "try gait" not in str(refused.value)


@pytest.mark.slow
def test_gait_that_the_other_cups_carry_is_walked():
    robot = with_loose("wall", 3)
    assert robot.legs.foresee_gait("ripple") is not None
    result = robot.legs.walk(0.05, gait="ripple")
    assert isinstance(result, WalkResult)
    assert result.reached, result.message
    assert result.peak < 1.0


@pytest.mark.slow
@pytest.mark.parametrize("loose", [2, 3])
@pytest.mark.parametrize("gait", ["wave", "ripple"])
def test_walk_loads_cups_about_as_was_foreseen(loose, gait):
    robot = with_loose("wall", loose)
    foreseen = robot.legs.foresee_gait(gait)
    assert foreseen is not None and foreseen.safe
    result = robot.legs.walk(0.08, direction=math.pi / 2, gait=gait)
    assert isinstance(result, WalkResult) and result.reached
    assert result.peak == pytest.approx(foreseen.share, abs=0.15)


@pytest.mark.slow
def test_walk_right_after_a_release_asks_to_wait():
    robot = with_loose("wall")
    robot.cups.release(1)
    with pytest.raises(InvalidInput, match=r"only just let go.* wait 0\.02 s or more"):
        robot.legs.walk(0.1)


@pytest.mark.slow
def test_walk_on_three_feet_is_refused_as_before():
    robot = with_loose("empty", 1, 3, 5)
    with pytest.raises(
        InvalidInput, match=r"cups 1, 3, 5 do not hold, so every step would leave 2"
    ):
        robot.legs.walk(0.1)


@pytest.mark.slow
@pytest.mark.parametrize("loose", [1, 2, 3])
@pytest.mark.parametrize("scene", ["empty", "wall", "ceiling"])
def test_every_walk_that_is_allowed_arrives_whatever_the_refused_ones_would_do(
    scene, loose, monkeypatch
):
    monkeypatch.setattr("mecano.parts.legs.choose_gait", lambda legs, asked: legs.gaits[asked])
    for gait in GAITS:
        robot = with_loose(scene, loose)
        foreseen = robot.legs.foresee_gait(gait)
        assert foreseen is not None
        result = robot.legs.walk(0.08, direction=math.pi / 2, gait=gait)
        assert isinstance(result, WalkResult)
        print(scene, loose, gait, foreseen.safe, result.message)
        assert result.reached or not foreseen.safe
        assert result.peak < 1.0 or not foreseen.safe
