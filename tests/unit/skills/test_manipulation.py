"""Pick and place with a host of paper: what is chosen, what is felt, what is said in the end."""

from dataclasses import replace
from math import cos, hypot, pi, radians, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core.poses import Pose2
from mecano.perception.tabletop import SeenMark, SeenObject, TableView
from mecano.robots.open_manipulator_x.description import ARM as OMX
from mecano.robots.widowx.description import ARM as WIDOWX
from mecano.skills.manipulation.grasps import grasps_for, leans
from mecano.skills.manipulation.hand import HandShape, felt_mass, holdable_mass, needed_force
from mecano.skills.manipulation.host import GripReading, MoveReport
from mecano.skills.manipulation.layout import TaughtPlace, find_layout
from mecano.skills.manipulation.occupancy import occupied
from mecano.skills.manipulation.outcomes import PickResult, Reason
from mecano.skills.manipulation.pick import choose, pick
from mecano.skills.manipulation.place import place
from mecano.skills.manipulation.redock import SHORT, correction

HAND = HandShape(opening=0.0412, max_force=19.0, tip=0.012, pad=0.0335, palm=0.0251, half=0.015)
HOME = np.array(WIDOWX.postures["home"])


def thing(x=0.24, y=0.0, yaw=0.0, *, length=0.087, width=0.024, height=0.1, colour="red"):
    return SeenObject(
        colour=colour, shape="box", position=np.array([x, y, height]), yaw=yaw, length=length,
        width=width, height=height, position_spread=0.001, size_spread=0.002, yaw_spread=0.03,
        pixels=400,
    )  # fmt: skip


def view(*objects):
    return TableView(stamp=0.0, table=0.0, objects=objects, marks=())


class Paper:
    """A robot of paper: looks are given, the fingers feel what they are told to."""

    def __init__(self, *views, widths=(0.024,), mass=0.5, chain=WIDOWX, hand=HAND):
        self.views, self.widths, self.mass = list(views), list(widths), mass
        self.chain, self.hand, self.tower = chain, hand, 0.079
        self.told, self.done = 0.0, []
        self._holds = False

    def look(self):
        self.done.append("look")
        return self.views.pop(0) if len(self.views) > 1 else self.views[0]

    def go(self, grasp, rise=0.0, *, line, speed=1.0):
        self.done.append("go")
        return MoveReport(reached=True)

    def lower(self, grasp, rise, *, force):
        self.done.append("lower")
        return MoveReport(reached=False, touched=True)

    def open(self):
        self._holds = False

    def close(self, force):
        width = self.widths.pop(0) if len(self.widths) > 1 else self.widths[0]
        self._holds, self._width, self.force = width > 0.005, width, force
        return self.grip()

    def grip(self):
        return GripReading(width=self._width, force=15.0, holding=self._holds)

    def torques(self):
        up = self.chain.dh.jacobian(self.joints())[2]
        return up * 9.81 * self.mass * self._holds if hasattr(self, "_width") else 0.0 * up

    def joints(self):
        return np.array([0.0, 0.4, 0.4, -0.5, 0.0])[: len(self.chain.dh.joints)]

    def overload(self, grasp, rise, mass):
        return None

    def carry(self, mass):
        self.told = mass


# --- laws of the hand


@given(mass=st.floats(0.01, 2.0))
def test_the_mass_that_is_felt_is_the_one_that_hangs_on_the_arm(mass):
    up = WIDOWX.dh.jacobian(HOME)[2]
    before = np.array([0.1, -1.0, 0.5, 0.2, 0.0])
    assert felt_mass(before, before + up * 9.81 * mass, up) == pytest.approx(mass)


@given(mass=st.floats(0.01, 1.9))
def test_what_can_be_held_needs_no_more_force_than_there_is_without_caution(mass):
    assert needed_force(mass, 0.0) / 1.3 == pytest.approx(19.0 * mass / holdable_mass(19.0))


@given(height=st.floats(0.01, 0.2), pitch=st.floats(radians(45), pi / 2))
def test_fingertips_never_go_into_the_table_nor_the_palm_onto_the_object(height, pitch):
    depth = HAND.depth(height, pitch)
    assert depth + HAND.half * cos(pitch) < height
    assert depth < (HAND.tip + HAND.palm) * sin(pitch)


# --- which grasp


@given(yaw=st.floats(-0.6, 0.6), x=st.floats(0.18, 0.25))
def test_a_grasp_closes_across_the_width_of_a_box(yaw, x):
    grasps = list(grasps_for(thing(x, 0.0, yaw), HAND, WIDOWX, HOME, carry=0.05, tower=0.079))
    assert grasps
    for grasp in grasps:
        assert abs(sin(grasp.line - yaw)) < 1e-9 and leans(grasp) < radians(5.01)


def test_an_arm_without_a_wrist_takes_what_fits_across_its_way():
    hand = HandShape(opening=0.08, max_force=30, tip=0.02, pad=0.037, palm=0.058, half=0.013)
    start = np.array(OMX.postures["home"])
    cube = thing(0.2, 0.0, 0.3, length=0.03, width=0.03, height=0.03)
    grasps = list(grasps_for(cube, hand, OMX, start, carry=0.05, tower=0.05))
    assert grasps and all(grasp.roll is None for grasp in grasps)
    long = thing(0.2, 0.0, pi / 2, length=0.12, width=0.03, height=0.03)
    assert not list(grasps_for(long, hand, OMX, start, carry=0.05, tower=0.05))


@pytest.mark.parametrize(
    ("seen", "reason", "said"),
    [
        (thing(width=0.045), Reason.TOO_WIDE, "45 mm wide where it is narrowest"),
        (thing(x=0.6), Reason.OUT_OF_REACH, "600 mm from the arm's axis"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_the_numbers(seen, reason, said):
    choice = choose(Paper(view(seen)), view(seen), seen)
    assert isinstance(choice, PickResult) and choice.reason is reason and said in choice.text


# --- how a pick ends


def test_a_pick_weighs_what_it_lifts_and_tells_the_motors():
    host = Paper(view(thing()), mass=0.8)
    result = pick(host, "red")
    assert result.reached and result.mass == pytest.approx(0.8, rel=0.01)
    assert host.told == pytest.approx(0.8, rel=0.01) and host.force == pytest.approx(15.0)


def test_a_heavier_object_is_gripped_harder():
    host = Paper(view(thing()), mass=1.3)
    assert pick(host).reached and host.force > 17.0


def test_an_object_that_is_too_heavy_is_put_back_and_named():
    result = pick(Paper(view(thing()), mass=3.0))
    assert result.reason is Reason.TOO_HEAVY and "weighs 3.00 kg" in result.message


def test_what_is_not_there_is_not_found():
    result = pick(Paper(view(thing(colour="orange"))), "red")
    assert result.reason is Reason.NOT_FOUND and "objects seen: orange" in result.text


def test_what_vanishes_in_mid_grasp_was_taken_away():
    result = pick(Paper(view(thing()), view(), widths=[0.0042]), "red")
    assert result.reason is Reason.TAKEN_AWAY and "is gone" in result.text


def test_after_a_miss_it_looks_again_and_tries_another_grasp():
    host = Paper(view(thing()), widths=[0.0042, 0.024])
    result = pick(host, "red")
    assert result.reached and result.tries == 2 and host.done.count("look") == 2


def test_misses_again_and_again_are_told_with_what_was_felt():
    result = pick(Paper(view(thing()), widths=[0.0042]), "red")
    assert result.reason is Reason.MISSED and "on nothing, 3 times" in result.text


# --- how a place ends


def held(host):
    result = pick(host, "red")
    assert result.reached
    return result


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (thing(0.241, 0.001), Reason.DONE),
        (thing(0.27, 0.0), Reason.MISPLACED),
        (thing(0.24, 0.0, height=0.024), Reason.MISPLACED),
        (None, Reason.TAKEN_AWAY),
    ],
    ids=["stands", "elsewhere", "fell over", "gone"],
)
def test_a_place_is_judged_by_a_look(after, reason):
    host = Paper(view(thing(0.0, 0.22, pi / 2)), view(*([] if after is None else [after])))
    result = place(host, held(host), np.array([0.24, 0.0]), 0.0)
    assert result.reason is reason, result.text
    assert "lower" in host.done


def test_nothing_can_be_placed_that_is_not_held():
    host = Paper(view(thing()))
    result = place(host, PickResult(reason=Reason.MISSED, text=""), np.array([0.2, 0.0]))
    assert result.reason is Reason.NOTHING_HELD and host.done == []


def test_what_is_lost_on_the_way_is_told():
    host = Paper(view(thing(0.0, 0.22, pi / 2)))
    result = held(host)
    host._holds, host._width = False, 0.0042
    assert place(host, result, np.array([0.24, 0.0])).reason is Reason.LOST


@pytest.mark.parametrize(
    ("x", "y", "yaw", "taken"),
    [(0.243, 0.0, 1.2, True), (0.243, 0.045, 0.0, True), (0.243, 0.085, 0.0, False),
     (0.243, 0.080, 1.57, True), (0.172, 0.172, 0.785, False)],
)  # fmt: skip
def test_a_place_is_occupied_when_something_reaches_into_it(x, y, yaw, taken):
    seen = view(thing(0.0, 0.243, 1.57), thing(x, y, yaw, colour="grey"))
    found = occupied(Paper(seen), seen, "red", np.array([0.243, 0.0]), None)
    assert (found is not None) is taken


# --- where the places are now

TAUGHT = {
    "A": TaughtPlace(x=0.0, y=0.24, yaw=pi / 2, length=0.104, width=0.04),
    "B": TaughtPlace(x=0.18, y=0.19, yaw=0.8, length=0.104, width=0.04),
    "C": TaughtPlace(x=0.24, y=0.0, yaw=0.0, length=0.104, width=0.04),
}
moves = st.builds(Pose2, st.floats(-0.05, 0.05), st.floats(-0.05, 0.05), st.floats(-0.09, 0.09))


def marks(by, names):
    for name in names:
        pose = TAUGHT[name].moved(by)
        yield SeenMark(
            position=np.array([pose.x, pose.y, 0.0]), yaw=pose.yaw, length=0.1, width=0.038,
            position_spread=0.001, yaw_spread=0.02,
        )  # fmt: skip


@given(by=moves, names=st.sampled_from(["C", "AC", "ABC", "B"]))
def test_a_layout_that_moved_is_found_by_its_marks(by, names):
    found = find_layout(TAUGHT, list(marks(by, names)))
    assert found is not None
    for taught in TAUGHT.values():
        there, seen = taught.moved(by), taught.moved(found)
        assert hypot(there.x - seen.x, there.y - seen.y) < 1e-9


def test_patches_that_are_no_marks_tell_nothing():
    (mark,) = marks(Pose2(), "C")
    assert find_layout(TAUGHT, [replace(mark, length=0.03)]) is None
    assert find_layout(TAUGHT, []) is None


@given(by=moves)
def test_the_drive_back_brings_the_places_to_where_they_were_taught(by):
    T_arm_base = Pose2(0.01364, 0.0, 0.0)
    way = correction(by, T_arm_base)
    driven = Pose2(0, 0, way.first) @ Pose2(way.distance, 0, 0) @ Pose2(0, 0, way.last)
    arm = T_arm_base @ driven @ T_arm_base.inverse()
    left = arm.inverse() @ by
    assert hypot(left.x, left.y) < max(SHORT, 0.012) + 0.02 * 0.1 and abs(left.yaw) < 1e-9
