"""Frames: laws of going up and down the tree, and changing parents without moving."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.core.poses import Frame, FrameCycle, Pose

numbers = st.floats(-2.0, 2.0)
poses = st.builds(
    lambda xyz, rpy: Pose.from_xyz_rpy(xyz, rpy),
    st.tuples(numbers, numbers, numbers),
    st.tuples(numbers, numbers, numbers),
)


def close(a: Pose, b: Pose) -> bool:
    return a.is_close(b, position_tolerance=1e-11, angle_tolerance=1e-7)


# --- laws


@given(a=poses, b=poses, c=poses)
def test_a_frame_in_the_world_is_the_product_of_the_poses_above_it(a, b, c):
    first = Frame("first", a)
    second = Frame("second", b, parent=first)
    third = Frame("third", c, parent=second)
    assert close(third.pose_in(), a @ b @ c)


@given(a=poses, b=poses)
def test_a_frame_in_its_parent_is_its_own_pose(a, b):
    parent = Frame("parent", a)
    assert Frame("child", b, parent=parent).pose_in(parent) is b


@given(a=poses, b=poses, c=poses)
def test_seen_from_each_other_two_frames_are_inverse(a, b, c):
    root = Frame("root", a)
    one, two = Frame("one", b, parent=root), Frame("two", c, parent=root)
    assert close(one.pose_in(two) @ two.pose_in(one), Pose())


@given(a=poses)
def test_a_frame_seen_from_itself_is_nowhere_else(a):
    frame = Frame("frame", a)
    assert close(frame.pose_in(frame), Pose())


@given(a=poses, b=poses, c=poses)
def test_a_new_parent_leaves_the_frame_where_it_is_in_the_world(a, b, c):
    table, tray = Frame("table", a), Frame("tray", b)
    target = Frame("target", c, parent=table)
    before = target.pose_in()
    target.attach_to(tray)
    assert target.parent is tray
    assert close(target.pose_in(), before)


@given(a=poses, b=poses, c=poses)
def test_there_and_back_again_is_the_same_pose(a, b, c):
    table, tray = Frame("table", a), Frame("tray", b)
    target = Frame("target", c, parent=table)
    target.attach_to(tray)
    target.attach_to(None)
    target.attach_to(table)
    assert close(target.pose, c)


@given(a=poses, b=poses, c=poses)
def test_what_hangs_on_a_frame_comes_along(a, b, c):
    carrier = Frame("carrier")
    carried = Frame("carried", a, parent=carrier)
    carrier.pose = b
    before = carried.pose_in()
    carrier.pose = c @ b
    assert close(carried.pose_in(), c @ before)


@given(a=poses, b=poses, c=poses)
def test_a_frame_placed_as_seen_from_another_is_seen_there(a, b, c):
    eye, parent = Frame("eye", a), Frame("parent", b)
    frame = Frame("frame", parent=parent)
    frame.place_at(c, seen_from=eye)
    assert close(frame.pose_in(eye), c)
    assert frame.parent is parent


@given(a=poses, b=poses)
def test_without_keeping_the_world_the_pose_is_kept_as_a_number(a, b):
    parent, frame = Frame("parent", a), Frame("frame", b)
    frame.attach_to(parent, keep_world=False)
    assert frame.pose is b
    assert close(frame.pose_in(), a @ b)


# --- frames that follow


def test_a_frame_on_a_moving_body_rides_along():
    place = [Pose((1.0, 0.0, 0.0))]
    body = Frame("tray", source=lambda: place[0])
    target = Frame("target", Pose((1.0, 0.0, 0.2)))
    target.attach_to(body)
    place[0] = Pose.from_xyz_rpy((3.0, 1.0, 0.0), (0.0, 0.0, np.pi / 2))
    np.testing.assert_allclose(target.pose_in().position, [3.0, 1.0, 0.2], atol=1e-12)
    np.testing.assert_allclose(target.pose_in(body).position, [0.0, 0.0, 0.2], atol=1e-12)


def test_a_frame_let_go_of_stays_where_its_carrier_brought_it():
    place = [Pose()]
    body = Frame("tray", source=lambda: place[0])
    target = Frame("target", Pose((0.0, 0.0, 0.2)), parent=body)
    place[0] = Pose((2.0, 0.0, 0.0))
    target.attach_to(None)
    place[0] = Pose((9.0, 9.0, 9.0))
    np.testing.assert_allclose(target.pose_in().position, [2.0, 0.0, 0.2])


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.attach_to(None),
        lambda f: f.place_at(Pose()),
        lambda f: setattr(f, "pose", Pose()),
    ],
    ids=["attach", "place", "pose"],
)
def test_a_frame_that_follows_a_body_cannot_be_moved_by_hand(change):
    with pytest.raises(InvalidInput, match="'tray' follows a body"):
        change(Frame("tray", source=Pose))


def test_a_source_with_a_parent_is_refused():
    with pytest.raises(InvalidInput, match="leave pose and parent out"):
        Frame("tray", parent=Frame("root"), source=Pose)


# --- circles


def test_a_frame_cannot_hang_on_itself():
    frame = Frame("a")
    with pytest.raises(FrameCycle, match=r"'a' cannot be attached to 'a', itself"):
        frame.attach_to(frame)


def test_a_circle_is_refused_with_the_way_round():
    a = Frame("a")
    b = Frame("b", parent=a)
    c = Frame("c", parent=b)
    with pytest.raises(FrameCycle, match="c hangs on b hangs on a"):
        a.attach_to(c)


def test_a_refused_circle_changes_nothing():
    a = Frame("a", Pose((1.0, 2.0, 3.0)))
    b = Frame("b", parent=a)
    with pytest.raises(FrameCycle):
        a.attach_to(b)
    assert a.parent is None
    np.testing.assert_array_equal(a.pose.position, [1.0, 2.0, 3.0])
