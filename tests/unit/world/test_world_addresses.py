"""Numbers read out of the engine's arrays: side by side, at equal distances, or anywhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.world.addresses import addresses, copier


@given(st.lists(st.integers(0, 19), max_size=8, unique=True))
def test_what_is_read_is_what_lies_there(places):
    values = np.arange(20.0) * 3.0
    np.testing.assert_array_equal(values[addresses(places)], values[np.array(places, int)])
    np.testing.assert_array_equal(copier(values, places)(), values[np.array(places, int)])


@pytest.mark.parametrize("places", [[4], [4, 5, 6], [3, 7, 11]])
def test_places_at_equal_distances_are_a_slice(places):
    assert isinstance(addresses(places), slice)


@pytest.mark.parametrize("places", [[], [5, 4], [1, 2, 4], [3, 3]])
def test_other_places_are_none(places):
    assert not isinstance(addresses(places), slice)


@pytest.mark.parametrize("places", [[2, 4, 6], [2, 3, 6]])
def test_a_copy_is_of_the_time_at_which_it_is_made(places):
    values = np.zeros(8)
    copy = copier(values, places)
    before = copy()
    values[:] = 1.0
    assert not before.any() and copy().all()
