"""A cup's moment is a margin, and breaks the bond only if the law says so."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput
from mecano.core.grips import Suction, peeled


def test_a_moment_counts_as_the_pull_that_lifts_the_lip():
    assert peeled(Suction(), 5.0, 0.15, 0.03) == pytest.approx((5.0 + 5.0) / 15.0)
    assert peeled(Suction(), -5.0, 0.0, 0.03) == 0.0


@pytest.mark.parametrize("lever", [0.0, -1.0, float("nan")])
def test_a_lever_that_is_none_is_refused(lever):
    with pytest.raises(InvalidInput, match="lever of peeling"):
        Suction(peel=lever)


def test_the_margin_is_told_and_the_bond_breaks_only_by_the_option():
    with mecano.connect("romerin") as robot:
        robot.wait(0.2)
        cup = robot.cups[1]
        legged = robot.description.legged
        assert legged is not None
        radius = legged.cups[0].radius
        expected = 1.0 - float(peeled(robot.cups.drive.laws[0], cup.pull, cup.moment, radius))
        assert cup.moment_margin == pytest.approx(expected)
        np.testing.assert_allclose(robot.cups.moment_margins[0], cup.moment_margin)
        assert cup.moment > 1e-4 and robot.cups.holding.all()
        robot.cups.set_law(Suction(peel=cup.moment / 30.0))  # worth 30 N, and 15 N is the most
        robot.wait(0.1)
        assert not robot.cups.holding[0]
        event = next(event for event in robot.cups.events if event.what == "break")
        assert event.moment > 0.0
