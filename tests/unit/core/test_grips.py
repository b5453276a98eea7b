"""Laws of grip: what a load uses up of a foot's hold."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.core.grips import GripLaw, Magnet, Suction, utilisation

LAWS: tuple[GripLaw, ...] = (Suction(), Magnet(), Magnet(gap=0.0005, friction=0.6))
any_law = st.sampled_from(LAWS)
loads = st.floats(0.0, 100.0)
shares = st.floats(0.0, 10.0)
few = settings(max_examples=40)


# Laws


@given(law=any_law, pull=loads, shear=loads, more=st.floats(0.0, 10.0))
@few
def test_more_load_never_uses_less(law, pull, shear, more):
    used = utilisation(law, pull, shear)
    assert utilisation(law, pull + more, shear) >= used
    assert utilisation(law, pull, shear + more) >= used


@given(law=any_law, pull=loads, shear=loads, factor=shares)
@few
def test_share_grows_in_proportion_to_the_load(law, pull, shear, factor):
    used = utilisation(law, pull, shear)
    assert utilisation(law, factor * pull, factor * shear) == pytest.approx(factor * used)


@given(law=any_law, push=loads, shear=loads)
@few
def test_pushing_uses_nothing(law, push, shear):
    assert utilisation(law, -push, shear) == utilisation(law, 0.0, shear)


@given(law=any_law, pull=loads, shear=loads)
@few
def test_both_together_use_at_least_as_much_as_each_alone(law, pull, shear):
    both = utilisation(law, pull, shear)
    alone = utilisation(law, pull, 0.0), utilisation(law, 0.0, shear)
    assert max(alone) <= both <= sum(alone) + 1e-12


@pytest.mark.parametrize("law", LAWS)
def test_either_limit_alone_is_all_that_it_holds(law):
    pull, shear, _ = law.parameters
    assert utilisation(law, pull, 0.0) == pytest.approx(1.0)
    assert utilisation(law, 0.0, shear) == pytest.approx(1.0)


def test_arrays_are_judged_row_by_row():
    pull, shear = np.array([0.0, 15.0, -9.0]), np.array([30.0, 3.0, 15.0])
    np.testing.assert_allclose(utilisation(Suction(), pull, shear), [1.0, 1.0, 0.5])


# Suction


def test_suction_of_the_thesis_holds_15_n_and_30_n():  # thesis, section 5.3
    assert Suction().parameters == (15.0, 30.0, False)


def test_suction_is_judged_by_the_worse_of_its_two_limits():
    assert utilisation(Suction(), 7.5, 21.0) == pytest.approx(0.7)
    assert utilisation(Suction(), 12.0, 21.0) == pytest.approx(0.8)


# Magnet


def test_bare_magnet_holds_its_contact_force():
    assert Magnet(contact=40.0, friction=0.3).parameters == (40.0, pytest.approx(12.0), True)


@given(reach=st.floats(1e-4, 1e-2))
@few
def test_a_quarter_is_left_across_the_reach(reach):
    pull, shear, _ = Magnet(contact=40.0, friction=0.5, gap=reach, reach=reach).parameters
    assert pull == pytest.approx(10.0) and shear == pytest.approx(5.0)


@given(gaps=st.tuples(st.floats(0.0, 0.01), st.floats(0.0, 0.01)))
@few
def test_a_wider_gap_holds_less(gaps):
    near, far = (Magnet(gap=gap).parameters[0] for gap in sorted(gaps))
    assert far <= near


@given(pull=st.floats(0.0, 39.0), friction=st.floats(0.05, 1.0))
@few
def test_friction_of_what_is_left_of_the_magnet_holds_the_shear(pull, friction):
    most = friction * (40.0 - pull)
    assert utilisation(Magnet(friction=friction), pull, most) == pytest.approx(1.0)


# Edges


@pytest.mark.parametrize("kind", [Suction, Magnet])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_strength_that_is_none_is_refused(kind, value):
    name = "pull" if kind is Suction else "contact"
    with pytest.raises(InvalidInput, match=name):
        kind(**{name: value})


def test_a_negative_gap_is_refused():
    with pytest.raises(InvalidInput, match="gap of the magnet"):
        Magnet(gap=-1e-6)
