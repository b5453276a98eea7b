"""Messages of fixed size are written by layout exactly as the codec writes them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.core.messages import CupStates, Imu, JointState, PoseStamped, TransformStamped
from mecano.core.poses import Pose
from mecano.topics.codec import Numbers, encode
from mecano.topics.layouts import (
    cups_layout,
    imu_layout,
    joint_state_layout,
    numbers_layout,
    pack_poses,
    pack_transforms,
    pose_layout,
    transforms_layout,
)

seeds = st.integers(0, 2**32 - 1)
frames = st.text("abcdefgh/", max_size=9)
stamps = st.integers(0, 10**12).map(lambda ns: ns / 1e9)


@given(st.lists(frames, min_size=1, max_size=6, unique=True), seeds, st.booleans(), stamps)
def test_joint_states_have_the_bytes_of_the_codec(names, seed, effort, stamp):
    rows = np.random.default_rng(seed).standard_normal((3, 1, len(names)))[: 2 + effort]
    layout = joint_state_layout(names, effort=effort)
    (packed,) = layout.pack(np.array([stamp]), *rows)
    values = dict(zip(("position", "velocity", "effort"), rows[:, 0], strict=False))
    assert packed == encode(JointState(stamp=stamp, name=tuple(names), **values))[1]


@given(frames, stamps, st.tuples(*[st.floats(-9, 9)] * 3))
def test_poses_have_the_bytes_of_the_codec(frame, stamp, position):
    pose = Pose(position, [0.5, -0.5, 0.5, 0.5])
    layout = pose_layout(frame)
    places, turns = pose.position[None], pose.quaternion[None]
    (packed,) = pack_poses(layout, np.array([stamp]), places, turns)
    assert packed == encode(PoseStamped(stamp=stamp, frame=frame, pose=pose))[1]


@given(st.lists(frames, min_size=1, max_size=6), seeds, stamps)
def test_transforms_have_the_bytes_of_the_codec(children, seed, stamp):
    draw = np.random.default_rng(seed)
    poses = [Pose(draw.normal(size=3), draw.normal(size=4) + 0.3) for _ in children]
    packed = pack_transforms(
        transforms_layout("world", children),
        np.array([stamp]),
        np.array([[pose.position for pose in poses]]),
        np.array([[pose.quaternion for pose in poses]]),
    )
    whole = [
        TransformStamped(stamp=stamp, frame="world", child_frame=child, transform=pose)
        for child, pose in zip(children, poses, strict=True)
    ]
    assert packed == [encode(whole)[1]]


@given(st.integers(0, 200), seeds)
def test_numbers_have_the_bytes_of_the_codec(count, seed):
    values = np.random.default_rng(seed).standard_normal((2, count))
    packed = numbers_layout(count).pack(np.zeros(2), values)
    assert packed == [encode(Numbers(row))[1] for row in values]


@given(st.integers(1, 20), seeds)
def test_unpacking_undoes_packing(count, seed):
    draw = np.random.default_rng(seed)
    times = np.round(draw.uniform(0, 1000, count), 9)
    rows = draw.standard_normal((3, count, 4))
    layout = joint_state_layout("abcd")
    back, blocks = layout.unpack(layout.pack(times, *rows))
    np.testing.assert_allclose(back, times, atol=1e-9)
    assert all((one == other).all() for one, other in zip(blocks, rows, strict=True))


def test_numbers_of_the_wrong_count_are_refused():
    with pytest.raises(InvalidInput, match=r"\(1, 3\), not \(1, 2\)"):
        joint_state_layout("ab").pack(np.zeros(1), *np.zeros((3, 1, 3)))


def test_a_message_of_another_size_is_refused():
    with pytest.raises(InvalidInput, match="3 bytes"):
        joint_state_layout("ab").unpack([b"abc"])


@given(st.lists(frames, min_size=1, max_size=6, unique=True), seeds, stamps)
def test_cups_have_the_bytes_of_the_codec(names, seed, stamp):
    draw = np.random.default_rng(seed)
    loads = draw.standard_normal((4, 1, len(names)))
    state = draw.integers(0, 4, (1, len(names))).astype(float)
    (packed,) = cups_layout(names).pack(np.array([stamp]), state, *loads)
    pull, shear, moment, share = loads[:, 0]
    message = CupStates(
        stamp=stamp, name=tuple(names), state=state[0], pull=pull, shear=shear, moment=moment,
        share=share,
    )  # fmt: skip
    assert packed == encode(message)[1]


@given(frames, seeds, stamps)
def test_inertial_readings_have_the_bytes_of_the_codec(frame, seed, stamp):
    rates, pushes = np.random.default_rng(seed).standard_normal((2, 1, 3))
    (packed,) = imu_layout(frame).pack(np.array([stamp]), rates, pushes)
    message = Imu(
        stamp=stamp, frame=frame, angular_velocity=rates[0], linear_acceleration=pushes[0]
    )
    assert packed == encode(message)[1]
