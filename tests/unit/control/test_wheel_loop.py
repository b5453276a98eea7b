"""The PID of wheels."""

import numpy as np
import pytest

from mecano.control.wheel_loop import WheelLoop
from mecano.core.errors import InvalidInput
from mecano.robots.madar import paper

PAPER_LOOP = WheelLoop(**paper.WHEEL_LOOP)


def test_a_first_order_wheel_is_kept_at_its_rate():
    inertia, drag, tick = 0.5, 0.3, 0.008
    loop, rate = WheelLoop(p=5.0, i=5.0, clamp=10.0), np.zeros(1)
    state = loop.begin(1)
    for _ in range(2000):
        torque, state = loop.after(state, np.array([2.0]), rate, tick)
        rate = rate + tick * (torque - drag * rate) / inertia
    assert rate[0] == pytest.approx(2.0, abs=1e-3)
    assert state.integral[0] == pytest.approx(drag * 2.0, abs=1e-3)


def test_proportional_gain_is_torque_for_rate():
    torques, _ = WheelLoop(p=1.2).after(
        WheelLoop(p=1.2).begin(2), np.array([1.0, -1.0]), np.zeros(2), 0.008
    )
    np.testing.assert_allclose(torques, [1.2, -1.2])


def test_the_integral_winds_up_no_further_than_its_clamp():
    state = PAPER_LOOP.begin(1)
    for _ in range(200):
        _, state = PAPER_LOOP.after(state, np.array([1000.0]), np.zeros(1), 0.008)
    assert state.integral == (1.0,)
    _, state = PAPER_LOOP.after(state, np.array([-1.0]), np.zeros(1), 0.008)
    assert state.integral[0] < 1.0, "and comes back at once"


def test_the_first_step_has_no_kick():
    torques, state = PAPER_LOOP.after(PAPER_LOOP.begin(1), np.array([1.0]), np.zeros(1), 0.008)
    assert torques[0] == pytest.approx(1.2 + 0.01 * 0.008)
    torques, _ = PAPER_LOOP.after(state, np.array([1.5]), np.zeros(1), 0.008)
    assert torques[0] == pytest.approx(1.5 * 1.2 + 0.1 * 0.5 / 0.008, abs=1e-3)


def test_negative_gains_are_refused():
    with pytest.raises(InvalidInput, match=r"WheelLoop\.d"):
        WheelLoop(p=1.0, d=-0.1)
