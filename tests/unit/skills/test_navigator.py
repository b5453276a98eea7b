"""The navigator's state machine: goals, patience, recoveries in order, watchdogs, reasons."""

from math import pi

import numpy as np
import pytest
from navigation_room import Chase, Driven, Straight

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Command, Plan, PlanOutcome
from mecano.skills.navigation.inputs import Goal
from mecano.skills.navigation.parameters import NavigatorParameters
from mecano.skills.navigation.recoveries import ORDER


def test_a_free_goal_is_planned_driven_and_reached():
    base = Driven()
    base.go_to(5.05, 2.05)
    base.run(60.0)
    assert base.states == ["idle", "controlling", "reached"]
    assert base.navigator.events[0].text == "planning a path to (5.05, 2.05) m"
    assert base.pose.distance_to(Pose2(5.05, 2.05)) <= base.parameters.xy_goal_tolerance
    assert base.twists[-1] == (0.0, 0.0, 0.0)


def test_waypoints_are_passed_in_order():
    base = Driven()
    places = [Pose2(3.05, 1.05), Pose2(3.05, 3.05), Pose2(6.05, 2.05)]
    base.navigator.go_to([Goal(pose=pose) for pose in places], base.now)
    base.run(120.0)
    assert base.ended.state == "reached"
    passed = [e.text for e in base.navigator.events if e.text.startswith("passed")]
    assert passed == ["passed (3.05, 1.05) m", "passed (3.05, 3.05) m"]


def test_a_blocked_room_gets_the_four_recoveries_in_order_and_then_the_goal_is_aborted():
    base = Driven()
    base.room.block(4.0)
    base.go_to(6.05, 2.05, "bench")
    base.run(200.0)
    ending = base.ended
    assert [each.kind for each in ending.tried] == list(ORDER)
    radius = base.room.footprint.circumscribed_radius
    assert base.room.cleared == pytest.approx([3.0, 4.0 * radius])
    assert ending.state == "aborted"
    for word in (
        "'bench'", "(6.05, 2.05) m", "the room is closed", "(4.00, 2.00) m", "0.10 m wide",
        "conservative reset", "clearing rotation (2 times)", "aggressive reset", "nearest",
    ):  # fmt: skip
        assert word in ending.reason


def test_the_clearing_rotation_is_a_whole_turn():
    base = Driven()
    base.room.block(4.0)
    base.go_to(6.05, 2.05)
    base.run(200.0)
    turned = 0.05 * sum(wz for _, _, wz in base.twists)
    assert turned == pytest.approx(2 * 2 * pi, abs=0.2)


def test_a_room_that_opens_in_time_is_driven_through():
    base = Driven()
    base.room.block(4.0)
    base.go_to(6.05, 2.05)
    base.run(8.0)
    assert base.navigator.ending is None and base.navigator.tried
    base.room.marks[:] = False
    base.run(60.0)
    assert base.ended.state == "reached"


def test_the_planner_gets_its_patience_before_each_recovery():
    base = Driven(NavigatorParameters(clearing_rotation_allowed=False))
    base.room.block(4.0)
    base.go_to(6.05, 2.05)
    base.run(200.0)
    assert base.now == pytest.approx(5 * base.parameters.planner_patience, abs=3.0)


def test_a_controller_that_finds_no_motion_gets_its_own_patience():
    base = Driven()
    base.controller.blocked = "a chair stands before the base"
    base.go_to(6.05, 2.05)
    base.run(14.0)
    assert not base.navigator.tried
    base.run(4.0)
    assert [each.kind for each in base.navigator.tried] == [ORDER[0]]
    base.run(300.0)
    assert "a chair stands before the base" in base.ended.reason


def test_without_recoveries_the_goal_is_aborted_when_patience_ends():
    base = Driven(NavigatorParameters(recovery_behavior_enabled=False))
    base.room.block(4.0)
    base.go_to(6.05, 2.05)
    base.run(60.0)
    assert base.ended.state == "aborted" and not base.ended.tried


@pytest.mark.parametrize(
    ("x", "y", "says"), [(30.0, 2.0, "outside the map"), (0.05, 2.05, "an obstacle is at the goal")]
)
def test_a_goal_that_the_map_rules_out_is_aborted_at_once(x, y, says):
    base = Driven()
    base.go_to(x, y)
    base.run(60.0)
    assert base.ended.state == "aborted" and says in base.ended.reason
    assert base.now < 1.0 and not base.ended.tried


def test_a_silent_scanner_stops_the_base_within_its_timeout():
    base = Driven()
    base.go_to(6.05, 2.05)
    base.run(2.0)
    base.silent, since = True, base.now
    base.run(base.parameters.sensor_timeout + 0.05)
    assert base.twists[-1] == (0.0, 0.0, 0.0)
    assert base.now - since <= base.parameters.sensor_timeout + 0.2
    assert any("scanner has been silent" in e.text for e in base.navigator.events)


def test_a_scanner_that_comes_back_lets_the_base_go_on():
    base = Driven()
    base.go_to(6.05, 2.05)
    base.run(2.0)
    base.silent = True
    base.run(3.0)
    base.silent = False
    base.run(60.0)
    assert base.ended.state == "reached"


def test_a_scanner_that_stays_silent_ends_the_goal():
    base = Driven()
    base.go_to(6.05, 2.05)
    base.silent = True
    base.run(60.0)
    assert base.ended.state == "aborted"
    assert "silent" in base.ended.reason


@pytest.mark.parametrize("how", ["lost", "error"])
def test_a_lost_base_stops_and_goes_on_when_it_is_found(how):
    base = Driven()
    base.go_to(6.05, 2.05)
    base.run(2.0)
    setattr(base, how, "the map does not fit" if how == "lost" else 2.0)
    base.run(1.0)
    assert base.navigator.state == "lost"
    assert base.twists[-1][:2] == (0.0, 0.0)  # it may turn, it does not drive
    setattr(base, how, "" if how == "lost" else 0.02)
    base.run(60.0)
    assert base.ended.state == "reached"


def test_a_base_that_stays_lost_gives_up_and_says_why():
    base = Driven()
    base.go_to(6.05, 2.05)
    base.lost = "the map does not fit this place"
    base.run(200.0)
    assert base.ended.lost
    assert "the map does not fit this place" in base.ended.reason


def test_goals_and_cancels_in_quick_succession_leave_one_goal():
    base = Driven()
    for number in range(50):
        base.go_to(2.05 + 0.1 * (number % 30), 2.05)
        if number % 3 == 0:
            base.navigator.cancel(base.now)
            assert base.ended.state == "cancelled"
    base.run(60.0)
    assert base.ended.state == "reached"
    assert base.pose.distance_to(Pose2(2.05 + 0.1 * (49 % 30), 2.05)) < 0.11


def test_cancelling_stops_the_base_at_once():
    base = Driven()
    base.go_to(6.05, 2.05)
    base.run(2.0)
    base.navigator.cancel(base.now)
    assert base.tick().command.twist == (0.0, 0.0, 0.0)
    assert base.tick().status.state == "cancelled"


def test_no_goal_is_refused():
    with pytest.raises(InvalidInput, match="no goal"):
        Driven().navigator.go_to([], 0.0)


class ThroughTheWall(Straight):
    def plan(self, costmap, start, goal):
        xs = np.linspace(start.x, goal.x, 50)
        poses = np.column_stack([xs, np.full(50, start.y), np.zeros(50)])
        return Plan(outcome=PlanOutcome.FOUND, poses=poses, length=goal.x - start.x)


class Raises(Straight):
    def plan(self, costmap, start, goal):
        raise InvalidInput("division by zero in student.py")


@pytest.mark.parametrize(
    ("planner", "says"), [(ThroughTheWall, "through an obstacle"), (Raises, "division by zero")]
)
def test_a_wrong_planner_is_caught_and_named(planner, says):
    base = Driven(planner=planner())
    base.room.walls[1:-1, 40] = True
    base.go_to(6.05, 2.05)
    base.run(100.0)
    assert base.ended.state == "aborted" and says in base.ended.reason
    assert base.pose.x == 1.05


class TestMovingObstacles:
    @pytest.mark.parametrize("ahead", [-0.3, 0.0, 0.3, 0.6])
    def test_nobody_who_walks_across_the_path_is_touched_by_a_base_that_moves(self, ahead):
        """The base drives along x; somebody walks down at 1.2 m/s and does not yield."""
        base = Driven()
        base.go_to(6.05, 2.05)
        base.run(2.0)
        x = base.pose.x + ahead + 0.5 * 1.6  # where the base would be when they meet
        twists = []
        for step in range(60):
            base.people = [(x, 3.9 - 0.06 * step)]
            before = np.hypot(x - base.pose.x, 3.9 - 0.06 * step - base.pose.y)
            twists.append(np.hypot(*base.tick().command.twist[:2]))
            assert before > 0.2 or twists[-1] == 0.0
        base.people = []
        base.run(60.0)
        assert base.ended.state == "reached"

    def test_a_base_in_the_path_of_a_walker_leaves_it_instead_of_standing_there(self):
        base = Driven()
        base.go_to(6.05, 2.05)
        gaps = []
        for step in range(110):  # head-on, along the whole room
            base.people = [(7.5 - 0.06 * step, 2.05)]
            base.tick()
            gaps.append(np.hypot(7.5 - 0.06 * step - base.pose.x, 2.05 - base.pose.y))
        assert min(gaps) > 0.25

    def test_the_base_goes_on_when_the_person_has_gone(self):
        base = Driven()
        base.go_to(6.05, 2.05)
        base.run(2.0)
        for step in range(60):
            base.people = [(base.pose.x + 0.5, 4.0 - 0.06 * step)]
            base.tick()
        base.people = []
        base.run(60.0)
        assert base.ended.state == "reached"

    def test_what_stands_is_no_moving_obstacle(self):
        base = Driven()
        base.people = [(base.pose.x + 0.9, base.pose.y + 0.9)]
        base.run(2.0)
        assert base.tick().status.speed_limit == -1.0


def test_oscillation_leads_to_a_recovery():
    class ToAndFro(Chase):
        count = 0

        def command(self, view):
            ToAndFro.count += 1
            return Command(twist=(0.2 if ToAndFro.count // 10 % 2 else -0.2, 0.0, 0.0))

    own = NavigatorParameters(movement_time_allowance=100.0)
    base = Driven(own, controller=ToAndFro())
    base.go_to(6.05, 2.05)
    base.run(8.0)
    assert base.navigator.tried
    assert any("to and fro" in e.text for e in base.navigator.events)


def test_standing_still_under_way_is_no_progress():
    base = Driven(NavigatorParameters(movement_time_allowance=3.0))
    slow = base.controller.command
    base.controller.command = lambda view: slow(view).__class__(twist=(0.01, 0.0, 0.0))
    base.go_to(6.05, 2.05)
    base.run(5.0)
    assert any("no further than" in e.text for e in base.navigator.events)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("planner_patience", -1.0),
        ("controller_frequency", 0.0),
        ("xy_goal_tolerance", float("nan")),
    ],
)
def test_parameters_that_make_no_sense_are_refused(name, value):
    with pytest.raises(InvalidInput, match=name):
        NavigatorParameters(**{name: value})


def test_the_same_inputs_give_the_same_run():
    one, other = Driven(), Driven()
    for base in (one, other):
        base.room.block(4.0)
        base.go_to(6.05, 2.05)
        base.run(30.0)
    assert one.twists == other.twists and one.states == other.states
