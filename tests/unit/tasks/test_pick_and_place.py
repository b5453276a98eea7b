"""CRUMB moves boxes between places it knows: how moves are written, and how runs end."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano import tasks
from mecano.core.errors import InvalidInput, MecanoError
from mecano.tasks.placing import NAMES, START, parse_moves, planned_moves, turned

EXPERIMENT = tasks.get("crumb/pick-and-place")


def run(change=None, **options):
    """Return a short run, with one change more to the scene."""
    experiment = EXPERIMENT
    if change is not None:
        experiment = replace(experiment, vary=lambda rng, seed: [change])
    return tasks.run_experiment(experiment, options={"moves": "A>C"} | options, noise=True)


# --- how moves are written


@st.composite
def possible_moves(draw):
    """Draw moves each of which takes one of the boxes into the free place."""
    taken, moves = set(START), []
    for _ in range(draw(st.integers(1, 12))):
        source = draw(st.sampled_from(sorted(taken)))
        (target,) = set(NAMES) - taken
        taken = (taken - {source}) | {target}
        moves.append((source, target))
    return moves


@given(moves=possible_moves())
def test_moves_that_can_be_done_are_read_as_they_are_written(moves):
    assert parse_moves(" ".join(f"{source}>{target}" for source, target in moves)) == moves


def test_moves_may_be_written_small_and_with_commas():
    assert parse_moves("a>c,b>a") == [("A", "C"), ("B", "A")]


@given(rounds=st.integers(1, 100))
def test_each_round_does_all_moves_once_more(rounds):
    once = parse_moves("A>C B>A C>B")
    assert planned_moves("A>C B>A C>B", str(rounds)) == once * rounds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A>D", "'A>D' is no move"),
        ("A-C", "'A-C' is no move"),
        ("C>A", "place C is empty"),
        ("A>B", "place B is taken by the orange box"),
        ("A>C A>B", "move 2, A>B: place A is empty"),
        ("A>A", "place A is taken by the red box"),
        ("", "no moves"),
    ],
)
def test_a_move_that_cannot_be_done_is_refused_by_name(text, said):
    with pytest.raises(InvalidInput, match=said):
        parse_moves(text)


@pytest.mark.parametrize("rounds", ["0", "101", "-1", "many", "1.5", ""])
def test_a_number_of_rounds_that_makes_no_sense_is_refused(rounds):
    with pytest.raises(InvalidInput, match="allowed 1 to 100"):
        planned_moves("A>C", rounds)


def test_a_second_round_begins_where_the_first_one_ended():
    with pytest.raises(InvalidInput, match="move 2, A>C: place A is empty"):
        planned_moves("A>C", "2")


@given(first=st.floats(-1.5, 1.5), more=st.floats(-1.5, 1.5))
def test_turning_twice_is_turning_by_the_sum(first, more):
    start = np.array([1.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(
        turned(turned(start, first), more), turned(start, first + more), atol=1e-12
    )


# --- how runs end


@pytest.fixture(scope="module")
def one_move():
    return run()


@pytest.mark.slow
def test_a_box_is_moved_into_the_free_place(one_move):
    assert one_move.success, one_move.remark
    assert one_move.metrics["moves"] == 1 and one_move.metrics["regrasps"] == 0
    assert one_move.metrics["worst_error_mm"] < 6.0


@pytest.mark.slow
def test_the_same_seed_is_the_same_run(one_move):
    again = run()
    assert again.state_hash == one_move.state_hash and again.metrics == one_move.metrics


def test_a_box_that_is_not_there_is_told_before_the_arm_reaches_out():
    def away(spec):
        spec.body("red").pos = [1.0, 0.3, 0.45716]

    result = run(away)
    assert not result.success
    assert "not_found: no red object is seen on the table; objects seen: orange" in result.remark
    assert result.metrics == {"moves": 0, "regrasps": 0}  # nothing else was measured


def test_a_place_with_something_on_it_is_told_without_touching_it():
    def block(spec):
        body = spec.worldbody.add_body(name="brick", pos=[0.22956, 0.0, 0.457])
        body.add_geom(type=6, size=[0.03, 0.03, 0.05])

    result = run(block)
    assert not result.success
    assert "occupied: the place is occupied: something" in result.remark


def test_an_unknown_option_lists_the_known_ones():
    with pytest.raises(MecanoError, match=r"moves.*rounds|rounds.*moves"):
        run(colour="blue")


@pytest.mark.slow
def test_three_moves_change_both_boxes():
    result = run(moves="A>C B>A C>B")
    assert result.success, result.remark
    assert result.metrics["moves"] == 3
