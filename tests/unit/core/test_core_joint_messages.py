"""Joint messages: lengths agree, names are unique, time grows."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core import (
    GripperCommand,
    InvalidInput,
    JointState,
    JointTrajectory,
    JointTrajectoryPoint,
    UnknownName,
)

NAMES = ("shoulder", "elbow", "wrist")
STATE = JointState(
    stamp=1.5, name=NAMES, position=np.array([0.1, 0.2, 0.3]), effort=np.array([1.0, 2.0, 3.0])
)


def point(time: float, *positions: float) -> JointTrajectoryPoint:
    return JointTrajectoryPoint(time_from_start=time, positions=np.array(positions))


@given(st.permutations(NAMES))
def test_selecting_twice_brings_the_first_order_back(order):
    back = STATE.select(order).select(NAMES)
    np.testing.assert_array_equal(back.position, STATE.position)
    np.testing.assert_array_equal(back.effort, STATE.effort)


@given(st.permutations(NAMES))
def test_selected_joint_keeps_its_value(order):
    selected = STATE.select(order)
    pairs = dict(zip(selected.name, selected.position, strict=True))
    assert pairs == {"shoulder": 0.1, "elbow": 0.2, "wrist": 0.3}


def test_selection_leaves_empty_what_was_not_measured():
    assert STATE.select(["wrist"]).velocity.size == 0


def test_selecting_an_unknown_joint_names_the_known_ones():
    with pytest.raises(UnknownName, match="shoulder, elbow, wrist"):
        STATE.select(["elbo"])


@pytest.mark.parametrize("field", ["position", "velocity", "effort"])
def test_ragged_joint_state_is_refused_with_its_numbers(field):
    with pytest.raises(InvalidInput, match=f"{field} has 2 values for 3 joints"):
        replace(STATE, **{field: np.zeros(2)})


@pytest.mark.parametrize("field", ["position", "velocity", "effort"])
def test_nan_in_a_joint_state_is_refused_with_its_place(field):
    with pytest.raises(InvalidInput, match=rf"{field}.* nan at index \[1\]"):
        replace(STATE, **{field: np.array([0.0, math.nan, 0.0])})


def test_joint_named_twice_is_refused():
    with pytest.raises(InvalidInput, match="elbow"):
        JointState(name=("elbow", "wrist", "elbow"))


def test_single_text_is_not_taken_for_a_list_of_letters():
    with pytest.raises(InvalidInput, match="elbow"):
        JointState(name="elbow")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("stamp", [math.nan, math.inf, "now"])
def test_stamp_that_is_no_time_is_refused(stamp):
    with pytest.raises(InvalidInput, match=r"JointState\.stamp"):
        JointState(stamp=stamp, name=NAMES)


def test_arrays_of_a_message_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        STATE.position[0] = 1.0


def test_message_keeps_a_copy_of_what_it_was_given():
    positions = np.zeros(3)
    state = JointState(name=NAMES, position=positions)
    positions[0] = 1.0
    assert state.position[0] == 0.0


def test_lists_become_float64_arrays():
    state = JointState(name=NAMES, position=[1, 2, 3])  # pyright: ignore[reportArgumentType]
    assert state.position.dtype == np.float64


def test_trajectory_stacks_its_points():
    trajectory = JointTrajectory(
        joint_names=("a", "b"), points=(point(0.0, 1.0, 2.0), point(0.5, 3.0, 4.0))
    )
    np.testing.assert_array_equal(trajectory.positions, [[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(trajectory.times, [0.0, 0.5])
    assert trajectory.duration == 0.5


@pytest.mark.parametrize("times", [(0.0, 0.0), (0.0, 1.0, 0.5)])
def test_trajectory_whose_time_does_not_grow_is_refused(times):
    with pytest.raises(InvalidInput, match="not after"):
        JointTrajectory(joint_names=("a",), points=tuple(point(time, 0.0) for time in times))


def test_trajectory_point_of_the_wrong_size_is_refused_with_its_place():
    points = (point(0.0, 1.0, 2.0), point(1.0, 1.0))
    with pytest.raises(InvalidInput, match=r"points\[1\] has 1 positions for 2 joints"):
        JointTrajectory(joint_names=("a", "b"), points=points)


def test_trajectory_without_points_is_refused():
    with pytest.raises(InvalidInput, match="no points"):
        JointTrajectory(joint_names=("a",), points=())


def test_ragged_trajectory_point_is_refused():
    with pytest.raises(InvalidInput, match="velocities has 1 values for 2 joints"):
        JointTrajectoryPoint(time_from_start=0.0, positions=np.zeros(2), velocities=np.zeros(1))


def test_trajectory_point_before_the_start_is_refused():
    with pytest.raises(InvalidInput, match="-1"):
        point(-1.0, 0.0)


@pytest.mark.parametrize("numbers", [{"position": math.nan}, {"position": 0.0, "max_effort": -1.0}])
def test_broken_gripper_command_is_refused(numbers):
    with pytest.raises(InvalidInput):
        GripperCommand(**numbers)
