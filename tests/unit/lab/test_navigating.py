"""Navigation as a user starts it: goals, cancels, reasons, messages, record, graph."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import mecano
from mecano.bridge.navigation_graph import navigation_graph
from mecano.core.errors import UnknownName
from mecano.core.messages import NavigationStatus, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Plan, PlanOutcome
from mecano.record.recorder import Recorder
from mecano.topics.codec import decode, encode
from mecano.topics.codec_navigation import STATUS
from mecano.topics.log import read_log
from mecano.topics.tables import LOCAL_PLAN, NAVIGATION_STATUS, PLAN


def room() -> OccupancyGrid:
    """Return 6 x 6 m around the origin, with a block of 0.4 m at (2, 0)."""
    cells = np.zeros((120, 120), np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = 100
    cells[56:64, 96:104] = 100
    return OccupancyGrid(resolution=0.05, origin=Pose2(-3.0, -3.0), data=cells)


@pytest.fixture
def robot():
    with mecano.connect("madar_base") as robot:
        yield robot


@pytest.fixture
def nav(robot):
    with robot.start_navigation(room(), stations={"bench": Pose2(0.0, 0.6)}, talk=False) as nav:
        yield nav


def test_a_goal_is_reached_by_ground_truth(robot, nav):
    goal = Pose2(0.6, 0.5, 0.4)
    result = nav.go_to(goal)
    assert result.reached and result.reason == ""
    here = robot.truth.base_pose()
    assert here.distance_to(goal) == pytest.approx(result.position_error, abs=0.02)
    assert result.position_error <= 0.10 and abs(result.heading_error) <= 0.10
    assert result.distance == pytest.approx(np.hypot(0.6, 0.5), abs=0.15)
    assert nav.status.state == "reached"


def test_a_cancelled_goal_ends_stopped_and_the_base_stands(robot, nav):
    handle = nav.go_to(Pose2(0.0, 2.0), wait=False)
    robot.wait(2.0)
    assert not handle.done and nav.status.state == "controlling"
    nav.cancel()
    assert handle.wait().outcome == "stopped"
    robot.wait(1.0)
    assert nav.status.state == "cancelled"
    here = robot.truth.base_pose()
    robot.wait(0.5)
    assert robot.truth.base_pose().distance_to(here) < 1e-3


def test_a_goal_in_an_obstacle_is_a_value_with_the_reason_and_the_nearest_pose(robot, nav):
    result = nav.go_to(Pose2(2.0, 0.0))
    assert result.outcome == "aborted"
    assert "(2.00, 0.00) m" in result.reason and "blocked" in result.reason
    assert result.nearest is not None and 0.3 < result.nearest.distance_to(Pose2(2.0, 0.0)) < 1.2
    assert robot.truth.base_pose().distance_to(Pose2()) < 0.01, "it did not drive"


def test_goals_in_quick_succession_leave_only_the_last(robot, nav):
    handles = []
    for goal in (Pose2(0.0, 2.0), Pose2(-2.0, 0.0), "bench"):
        handles.append(nav.go_to(goal, wait=False))
        robot.wait(0.05)
    assert [handle.done for handle in handles] == [True, True, False]
    assert not handles[0].wait().reached and not handles[1].wait().reached
    assert handles[2].wait().reached
    assert robot.truth.base_pose().distance_to(Pose2(0.0, 0.6)) <= 0.11


def test_an_unknown_station_names_the_known_ones(nav):
    with pytest.raises(UnknownName, match="bench"):
        nav.go_to("bank")


def test_a_wrong_name_of_a_controller_or_planner_lists_the_known_ones(robot):
    with pytest.raises(UnknownName, match=r"follow.*dwa.*mppi.*pursuit"):
        robot.start_navigation(room(), controller="dwb")
    with pytest.raises(UnknownName, match="grid"):
        robot.start_navigation(room(), planner="rrt")


def test_the_planner_of_the_robot_is_asked_where_none_is_named(robot):
    class Lazy:
        def plan(self, costmap, start, goal):
            return Plan(outcome=PlanOutcome.GOAL_BLOCKED, reason="Lazy does not want to")

    robot.global_planner = Lazy()
    with robot.start_navigation(room(), talk=False) as nav:
        assert "Lazy does not want to" in nav.go_to(Pose2(0.5, 0.0)).reason


@pytest.mark.slow
@pytest.mark.parametrize("goal", [Pose2(0.8, 0.6, 0.0), Pose2(-0.9, 0.2, 2.5)], ids=str)
@pytest.mark.parametrize("name", ["follow", "dwa", "mppi", "pursuit"])
def test_every_controller_by_name_reaches_a_goal(robot, name, goal):
    with robot.start_navigation(room(), controller=name, talk=False) as nav:
        result = nav.go_to(goal)
    assert result.reached and not result.recoveries


def test_a_status_comes_back_the_same():
    status = NavigationStatus(
        stamp=1.25, frame="map", state="recovering", text="turning", recovery="clearing rotation",
        recoveries=2, goal_name="bench", goal=Pose2(1.0, -2.0, 0.5), pose=Pose2(0.1, 0.2, -3.0),
        position_error=0.03, distance_left=1.5, speed_limit=0.2,
    )  # fmt: skip
    back = decode(*encode(status))
    assert encode(status)[0] == STATUS
    for name in ("stamp", "frame", "state", "text", "recovery", "recoveries", "goal_name",
                 "position_error", "distance_left", "speed_limit"):  # fmt: skip
        assert getattr(back, name) == getattr(status, name), name
    for name in ("goal", "pose"):
        one, other = getattr(back, name), getattr(status, name)
        np.testing.assert_allclose((one.x, one.y, one.yaw), (other.x, other.y, other.yaw))


def test_states_and_plans_are_recorded(robot, nav, tmp_path):
    with Recorder(robot, tmp_path / "run"):
        nav.go_to("bench")
    read: dict[str, list] = {}
    for each in read_log(tmp_path / "run" / "log.mcap"):
        if each.topic in (NAVIGATION_STATUS, PLAN, LOCAL_PLAN):
            read.setdefault(each.topic, []).append(decode(each.type_name, each.data))
    states = [status.state for status in read[NAVIGATION_STATUS]]
    assert "controlling" in states
    names = {s.goal_name for s in read[NAVIGATION_STATUS] if s.state == "controlling"}
    assert names == {"bench"}
    left = [s.distance_left for s in read[NAVIGATION_STATUS] if s.state == "controlling"]
    assert left[-1] < left[0]
    end = read[PLAN][0].poses[-1]
    assert tuple(end.position[:2]) == pytest.approx((0.0, 0.6), abs=0.05)
    assert read[LOCAL_PLAN]


def test_the_graph_shows_what_really_runs(robot):
    class Mine:
        def plan(self, costmap, start, goal):
            raise AssertionError("not asked")

    with robot.start_navigation(room(), planner=Mine(), controller="dwa", talk=False) as nav:
        graph = navigation_graph(nav)
    what = {node.name: node.what for node in graph.nodes}
    assert what["global planner"] == "Mine" and what["local planner"] == "DWA"
    assert what["localization"] == "ground truth" and what["map"] == "120 x 120 cells"
    assert {end for e in graph.edges for end in (e.source, e.target)} == set(what)
    assert all(edge.topic for edge in graph.edges)
    texts = {each.text for each in ET.fromstring(graph.svg()).iter() if each.text}
    assert set(what) <= texts and {edge.topic for edge in graph.edges} <= texts
    assert graph.mermaid().count("-->") == len(graph.edges)
