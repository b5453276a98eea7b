"""Wheeled bases: both matrices, for every layout."""

from math import pi, radians

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.kinematics.wheels import Wheel, WheelLayout, differential, mecanum

KOBUKI = differential(radius=0.035, separation=0.230)
# The paper on the youBot, section 4.3.
PAPER_A, PAPER_B, PAPER_R = 0.15, 0.235, 0.05
YOUBOT = mecanum(radius=PAPER_R, wheelbase=2 * PAPER_B, track=2 * PAPER_A)


def leaning(*k: float) -> WheelLayout:
    """Four wheels; k is the side to which each roller leans, for FL, FR, RL, RR."""
    corners = ((0.235, 0.15), (0.235, -0.15), (-0.235, 0.15), (-0.235, -0.15))
    return WheelLayout(tuple(
        Wheel(name=name, x=x, y=y, radius=0.05, roller=lean * pi / 4)
        for name, (x, y), lean in zip(("fl", "fr", "rl", "rr"), corners, k, strict=True)
    ))  # fmt: skip


def three_omni() -> WheelLayout:
    angles = [radians(a) for a in (60, 180, 300)]
    return WheelLayout(tuple(
        Wheel(name=f"w{i}", x=0.29 * np.cos(a), y=0.29 * np.sin(a), radius=0.1,
              direction=a + pi / 2, roller=0.0)
        for i, a in enumerate(angles)
    ))  # fmt: skip


LAYOUTS = {"two wheels": KOBUKI, "mecanum": YOUBOT, "three omni wheels": three_omni()}
speeds = st.floats(-2.0, 2.0)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@given(vx=speeds, vy=speeds, wz=speeds)
def test_the_twist_of_the_rates_of_a_twist_is_the_twist(layout, vx, vy, wz):
    twist = layout.possible @ layout.possible.T @ np.array([vx, vy, wz])
    np.testing.assert_allclose(layout.twist(layout.rates(twist)), twist, atol=1e-12)


def test_a_two_wheeler_by_paper_and_pencil():
    left, right = KOBUKI.rates([0.35, 0.0, 1.0])
    assert left == pytest.approx((0.35 - 0.115) / 0.035)
    assert right == pytest.approx((0.35 + 0.115) / 0.035)
    np.testing.assert_allclose(KOBUKI.twist([10.0, 10.0]), [0.35, 0.0, 0.0], atol=1e-15)


def test_a_mecanum_base_by_paper_and_pencil():
    r, arm = 0.05, 0.15 + 0.235
    by_hand = np.array([[1, -1, -arm], [1, 1, arm], [1, 1, -arm], [1, -1, arm]]) / r
    np.testing.assert_allclose(YOUBOT.to_rates, by_hand, atol=1e-12)


def test_a_mecanum_base_by_its_wheels():
    assert YOUBOT.names == ("fl", "fr", "bl", "br")
    np.testing.assert_array_equal(YOUBOT.to_rates, leaning(-1, 1, 1, -1).to_rates)


def test_equation_8_of_the_youbot_paper_comes_out():
    # Its axes: x to the right, y forward. Its wheels: front right, front left, rear left and right.
    ours_from_paper = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    order = [YOUBOT.names.index(name) for name in ("fr", "fl", "bl", "br")]
    arm = PAPER_A + PAPER_B
    printed = np.array([[-1, 1, arm], [1, 1, -arm], [-1, 1, -arm], [1, 1, arm]]) / PAPER_R
    ours = YOUBOT.to_rates[order] @ ours_from_paper
    np.testing.assert_allclose(ours, printed, atol=1e-12)
    back = ours_from_paper.T @ YOUBOT.to_twist[:, order]
    np.testing.assert_allclose(back, np.linalg.pinv(printed), atol=1e-12)
    np.testing.assert_allclose(back @ printed, np.eye(3), atol=1e-12)


def test_rates_that_a_mecanum_base_can_make_come_back():
    rates = YOUBOT.rates([[0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.1, -0.2, 0.5]])
    np.testing.assert_allclose(YOUBOT.rates(YOUBOT.twist(rates)), rates, atol=1e-12)


def test_wheels_of_a_mecanum_base_that_contradict_each_other_slip():
    contradiction = np.array([1.0, 1.0, -1.0, -1.0])  # front forward, back backward
    np.testing.assert_allclose(YOUBOT.twist(contradiction), 0.0, atol=1e-12)


def test_a_mecanum_base_drives_slower_on_a_diagonal():
    fastest = [np.abs(YOUBOT.rates(twist)).max() for twist in ([0.5, 0, 0], [0.5, 0.5, 0])]
    assert fastest == pytest.approx([10.0, 20.0])


def test_three_omni_wheels_by_paper_and_pencil():
    x = three_omni().rates([1.0, 0.0, 0.0])  # wheels at 60, 180 and 300 degrees
    y = three_omni().rates([0.0, 1.0, 0.0])
    np.testing.assert_allclose(x, [-8.660254, 0.0, 8.660254], atol=1e-6)
    np.testing.assert_allclose(y, [5.0, -10.0, 5.0], atol=1e-6)


def test_omni_wheels_all_turn_alike_when_the_base_turns():
    np.testing.assert_allclose(three_omni().rates([0.0, 0.0, 1.0]), 2.9, atol=1e-12)


def test_what_a_base_cannot_do_is_named():
    assert KOBUKI.missing == ("strafe",)
    assert YOUBOT.missing == () and three_omni().missing == ()
    with pytest.raises(InvalidInput, match="cannot strafe"):
        KOBUKI.require("strafe")


def test_rollers_that_all_lean_one_way_cannot_strafe_freely():
    same = leaning(1, 1, 1, 1)  # the text after equation (3) of the youBot paper
    assert same.possible.shape[1] == 2 and "strafe" in same.missing
    with pytest.raises(InvalidInput, match="rank 2 of 3"):
        same.require("strafe")


def test_too_fast_a_twist_keeps_its_direction():
    twist = np.array([2.0, 0.0, 3.0])
    slow = KOBUKI.scaled(twist, 20.0)
    assert np.abs(KOBUKI.rates(slow)).max() == pytest.approx(20.0)
    np.testing.assert_allclose(slow / np.linalg.norm(slow), twist / np.linalg.norm(twist))
    np.testing.assert_array_equal(KOBUKI.scaled([0.1, 0.0, 0.0], 20.0), [0.1, 0.0, 0.0])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"radius": 0.0}, "radius"),
        ({"radius": float("nan")}, "radius"),
        ({"x": float("inf")}, "x"),
        ({"roller": pi / 2}, "spins without driving"),
    ],
)
def test_an_impossible_wheel_is_refused(change, says):
    with pytest.raises(InvalidInput, match=says):
        Wheel(**({"name": "w", "x": 0.1, "y": 0.1, "radius": 0.05} | change))


def test_an_impossible_layout_is_refused():
    with pytest.raises(InvalidInput, match="at least one wheel"):
        WheelLayout(())
    wheel = Wheel(name="w", x=0.1, y=0.1, radius=0.05)
    with pytest.raises(InvalidInput, match="one name"):
        WheelLayout((wheel, wheel))
