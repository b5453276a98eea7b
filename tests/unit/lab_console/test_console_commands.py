"""What the commands do to the arm, and what they answer."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano import robots
from mecano.core.errors import InvalidInput
from mecano.lab.robot import connect
from mecano.operate.console import Console, Status


@pytest.fixture(scope="module")
def arm():
    return connect("open_manipulator_x")


@pytest.fixture
def console(arm):
    """A console with the arm at home, the gripper open and the scene as the last test left it."""
    arm.arm.home()
    arm.gripper.open()
    return Console(arm)


@pytest.fixture
def fresh():
    """A console of its own, for tests that move things in the scene."""
    with connect("open_manipulator_x") as robot:
        yield Console(robot)


# --- moves


def test_goto_brings_the_tool_there(console):
    reply = console.execute("goto 200mm 0.05 0.12 30deg")
    assert reply.ok and len(reply.lines) == 1
    assert reply.text.startswith("reached (0.")
    arm = console.robot.arm
    np.testing.assert_allclose(arm.pose().position, [0.2, 0.05, 0.12], atol=0.004)
    assert arm.pitch() == pytest.approx(math.radians(30), abs=0.02)


def test_goto_without_a_pitch_chooses_one(console):
    assert console.execute("goto 0.2 0 0.1").ok
    np.testing.assert_allclose(console.robot.arm.pose().position, [0.2, 0, 0.1], atol=0.004)


def test_words_may_be_written_in_any_case(console):
    assert console.execute("SETPOS 0.2 0 0.12 0.3; Posture ZERO; JOINT Joint1 0.1").ok


def test_unreachable_goto_fails_and_the_arm_stays(console):
    time = console.robot.time
    reply = console.execute("goto 1 1 1 0")
    assert reply.status is Status.FAILED
    assert "too far" in reply.text and "nearest: goto" in reply.text
    assert reply.data["outcome"] == "unreachable" and reply.data["reason"] == "too_far"
    assert console.robot.time == time


def test_blocked_goto_names_the_pair_without_the_prefix(console):
    reply = console.execute("goto 0.2 0 -0.02 0.5")
    assert reply.status is Status.FAILED
    assert "would touch table" in reply.text
    assert "open_manipulator_x/" not in reply.text


coordinate = st.floats(-0.6, 0.6)


@settings(max_examples=100, deadline=None)
@given(x=coordinate, y=coordinate, z=coordinate, pitch=st.floats(-3, 3))
def test_nearest_that_is_offered_is_in_reach(arm, x, y, z, pitch):
    answer = arm.arm.chain.inverse([x, y, z], pitch=pitch)
    if not answer.reached:
        verb, *words = Console(arm).nearest(answer).split()
        numbers = [float(word) for word in words]
        assert verb in ("goto", "joints")
        if verb == "goto":
            assert arm.arm.chain.inverse(numbers[:3], pitch=numbers[3]).reached
        else:
            arm.arm.chain.dh.check(numbers, limits=True)


def test_line_keeps_the_pitch(console):
    console.execute("goto 0.2 0 0.12 30deg")
    assert console.execute("line 0.2 0.06 0.12").ok
    assert console.robot.arm.pitch() == pytest.approx(math.radians(30), abs=0.02)


def test_line_that_leaves_the_reach_on_the_way_says_so(console):
    console.execute("goto 0.012 0.25 0.15 0")
    reply = console.execute("line 0.012 -0.25 0.15 0")  # through the turning axis
    assert reply.status is Status.FAILED
    assert "on the straight line" in reply.text and "use goto" in reply.text


def test_joints_move_and_are_read(console):
    assert console.execute("joints 10deg -0.5 0.5 0").ok
    reply = console.execute("joints")
    assert reply.data["joints"]["joint1"] == pytest.approx(math.radians(10), abs=0.006)
    assert "joint1   0.1" in reply.text and "deg" in reply.text


def test_one_joint_leaves_the_others(console):
    assert console.execute("joint joint4 20deg").ok
    wanted = [0, -1, 1, math.radians(20)]
    np.testing.assert_allclose(console.robot.arm.position, wanted, atol=0.006)
    assert console.execute("joint joint4").text.startswith("joint4   0.3")


def test_posture_moves_and_lists(console):
    assert console.execute("posture zero").ok
    np.testing.assert_allclose(console.robot.arm.position, 0.0, atol=0.006)
    assert "home_gui" in console.execute("posture").text


def test_speed_slows_the_arm_down(console):
    fast = console.execute("joint joint1 1").data["duration"]
    console.execute("home; speed 50%")
    slow = console.execute("joint joint1 1").data["duration"]
    assert slow > 1.5 * fast
    assert "1.2 rad/s" in console.execute("speed").text


def test_several_commands_stop_at_the_first_failure(console):
    reply = console.execute("joint joint1 0.2; goto 1 1 1; joint joint1 0")
    assert reply.status is Status.FAILED
    assert len(reply.lines) == 2
    assert console.robot.arm.position[0] == pytest.approx(0.2, abs=0.006)


# --- gripper


def test_open_to_a_width(console):
    reply = console.execute("open 40mm")
    assert reply.ok and "40.0 mm" in reply.text
    assert console.robot.gripper.width == pytest.approx(0.040, abs=1e-3)


def test_whole_range_of_widths_is_allowed(console):
    assert console.execute("open 22mm; open 80mm").ok


def test_close_on_nothing_says_so(console):
    reply = console.execute("close 10N")
    assert reply.ok and "holding nothing" in reply.text
    assert reply.data["holding"] is False


def test_cube_is_picked_up_by_commands(fresh):
    reply = fresh.execute("goto 0.165 -0.129 0.08 1.45; line 0.165 -0.129 28mm; close; where")
    assert reply.ok and "holding something" in reply.text, reply.text
    assert fresh.execute("line 0.165 -0.129 0.1; scene cube").ok
    assert fresh.robot.truth.body_pose("cube").position[2] > 0.05


def test_robot_without_a_gripper_says_so():
    plain = replace(robots.get("open_manipulator_x"), grippers={})
    with connect(plain) as robot:
        console = Console(robot)
        assert "has no gripper" in console.execute("open").text
        assert console.execute("where; limits").ok and "gripper" not in console.status_line()


# --- questions


def test_where_shows_radians_degrees_and_time(console):
    reply = console.execute("getPos")
    for words in ("joint2   -1.0", "rad (-57.", "deg)", "tool     (0.16", "80.0 mm open", "time"):
        assert words in reply.text
    assert reply.data["position"][0] == pytest.approx(0.167, abs=0.003)


def test_branches_shows_every_solution_with_its_forward_kinematics(console):
    reply = console.execute("branches 0.01 0.12 0.34 -80deg")
    branches = reply.data["branches"]
    assert len(branches) == 2 and not any(branch["here"] for branch in branches)
    assert all(branch["position_error"] < 1e-9 for branch in branches)
    assert reply.text.count("forward kinematics 0.000 mm") == 2
    chain = console.robot.arm.chain
    for branch in branches:
        np.testing.assert_allclose(chain.forward(branch["joints"])[:3, 3], [0.01, 0.12, 0.34])


def test_branches_marks_the_present_one(console):
    console.execute("goto 0.01 0.12 0.34 -80deg")
    reply = console.execute("branches 0.01 0.12 0.34 -80deg")
    assert [branch["here"] for branch in reply.data["branches"]] == [True, False]
    assert "1*" in reply.text and "2*" not in reply.text


def test_branches_alone_is_about_the_present_pose(console):
    reply = console.execute("branches")
    assert reply.ok and "the arm is here" in reply.text


def test_branches_of_a_pose_out_of_reach_explains(console):
    reply = console.execute("branches 1 0 0 0")
    assert reply.ok and reply.data["branches"] == []
    assert "too far" in reply.text


def test_explain_does_not_move(console):
    time, hash_before = console.robot.time, console.robot.state_hash()
    for line in ("explain 0.2 0 0.1 0.5", "explain 1 0 0 0", "why 0.2 0 -0.02 0.5", "branches"):
        assert console.execute(line).ok
    assert (console.robot.time, console.robot.state_hash()) == (time, hash_before)


def test_explain_says_which_joint_is_over(console):
    reply = console.execute("explain 0.25 0 0.05 -1.2")
    assert "joint4 over its limit by 0.394 rad (22.6 deg)" in reply.text
    assert reply.data["reason"] == "joint_limit"
    assert "nearest is (0.28" in reply.text


def test_explain_foresees_a_collision(console):
    reply = console.execute("explain 0.2 0 -0.02 0.5")
    assert "not from here: way blocked" in reply.text and reply.data["free"] == 0


def test_explain_tells_what_goto_would_do(console):
    reply = console.execute("explain 0.2 0 0.12 0.5")
    assert "goto would take branch 1 of 1: way free" in reply.text


def test_limits_have_units(console):
    text = console.execute("limits").text
    for words in ("joint2   -1.7907 rad (-102.6 deg)", "2.4 rad/s", "22 mm to 80 mm", "30 N"):
        assert words in text


def test_scene_tells_bodies_and_places_in_the_base_frame(fresh):
    things = fresh.execute("scene").data["things"]
    assert set(things) == {"table", "cube", "place_1", "place_2", "place_3"}
    np.testing.assert_allclose(things["place_2"]["position"], [0.212, 0, 0.0005], atol=1e-6)
    assert fresh.execute("scene CUBE").lines[1].endswith("loose body, 30 g")


def test_every_reply_is_json(console):
    for line in ("where", "goto 0.2 0 0.1", "goto 1 1 1", "branches", "limits", "scene", "close"):
        json.dumps(console.execute(line).data, allow_nan=False)


# --- the console itself


def test_verbose_tells_branch_and_plan(console):
    assert console.execute("verbose").data == {"verbose": True}
    reply = console.execute("goto 0.01 0.12 0.34 -80deg")
    assert "branch 1 of 2: joints" in reply.text
    assert "plan: " in reply.text and "at 100% speed" in reply.text
    assert len(console.execute("home").lines) == 2
    assert console.execute("v").text == "verbose off"
    assert len(console.execute("home").lines) == 1


def test_time_passes_only_with_a_command_that_takes_time(console):
    before = console.robot.time
    console.execute("where; limits; speed; help; history")
    assert console.robot.time == before
    assert console.execute("wait 500ms").ok
    assert console.robot.time == pytest.approx(before + 0.5, abs=0.011)


def test_history_keeps_the_lines(console):
    console.execute("where; limits # both")
    console.execute("# nothing")
    console.execute("nonsense")
    assert console.execute("history").data["history"] == [
        "where; limits # both", "nonsense", "history",
    ]  # fmt: skip


def test_exit_wants_to_leave(console):
    reply = console.execute("q; home")
    assert reply.quit and reply.lines == ()


def test_clear_wants_a_clear_screen(console):
    assert console.execute("clc").clear


def test_reset_begins_again(fresh):
    beginning = fresh.robot.state_hash()
    fresh.execute("goto 0.165 -0.129 0.08 1.45; line 0.165 -0.129 28mm; close; home")
    assert fresh.execute("reset").ok
    assert fresh.robot.time == 0.0 and fresh.robot.state_hash() == beginning
    np.testing.assert_allclose(fresh.robot.arm.position, [0, -1, 1, 0], atol=2e-3)


def test_reset_keeps_the_wishes_of_the_user(fresh):
    fresh.execute("speed 50%; verbose on; reset")
    assert fresh.speed == 0.5 and fresh.verbose and len(fresh.history) == 1


def test_reset_of_a_robot_that_cannot_says_so(fresh, monkeypatch):
    def refuse(_) -> None:
        raise InvalidInput("a real robot cannot go back")

    monkeypatch.setattr(fresh.robot.session.backend, "restore", refuse)
    reply = fresh.execute("reset")
    assert reply.status is Status.WRONG and reply.text == "a real robot cannot go back"


def test_interrupt_brings_the_arm_to_rest_on_the_way(fresh):
    def press_ctrl_c(session):
        if session.time > 0.3:
            session.observers.clear()
            raise KeyboardInterrupt

    fresh.robot.session.observers.append(press_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        fresh.execute("joint joint1 2")
    reply = fresh.interrupt()
    assert reply.text.startswith("stopped at (")
    assert 0.01 < fresh.robot.arm.position[0] < 1.9
    assert np.abs(fresh.robot.arm.velocity).max() < 0.02
    assert fresh.execute("home").ok


def test_replies_come_one_by_one(console):
    replies = list(console.run("where; speed; exit; home"))
    assert [reply.command for reply in replies] == ["where", "speed", "exit"]
