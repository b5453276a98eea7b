"""Every command with a robot on legs: it works, or says in a line what there is instead."""

import io

import numpy as np
import pytest
from PIL import Image

WALL = ("romerin", "--scene", "wall")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def typed(monkeypatch):
    """Give a command what a person would type."""
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


# --- what there is


def test_it_is_listed(mecano):
    assert "ROMERIN" in mecano("list").out


def test_its_facts_name_every_leg(mecano):
    answer = mecano("info", "romerin", "--json")
    assert [f"leg_{i}" for i in range(1, 7)] == list(answer.json["chains"])


def test_its_body_is_shown_in_a_scene(mecano):
    answer = mecano("scene", "wall", "--robot", "romerin")
    assert answer.code == 0 and "romerin/leg_6_cup" in answer.out


def test_a_robot_in_the_place_of_a_scene_is_told_how(fails_cleanly):
    fails_cleanly("scene", "romerin", says=("mecano scene empty --robot romerin",))


def test_robots_without_a_table_have_the_topics_of_their_parts(mecano):
    answer = mecano("topics", "romerin")
    assert answer.code == 0 and "/joint_states" in answer.out and "/cups" in answer.out


# --- kinematics of one leg


def test_forward_kinematics_of_a_leg_are_in_the_frame_of_the_body(mecano):
    answer = mecano("fk", "romerin", 0, 0, 0, "--chain", "leg_3", "--json").json
    assert answer["frame"] == "body_link" and answer["chain"] == "leg_3"
    assert answer["position"] == pytest.approx([-0.33329, 0.03771, 0.01821], abs=1e-5)


def test_inverse_kinematics_of_a_leg(mecano):
    answer = mecano("ik", "romerin", -0.22, 0.105, -0.095, "--chain", "leg_3", "--json")
    assert answer.code == 0 and answer.json["reached"]


def test_a_leg_has_no_roll(fails_cleanly):
    fails_cleanly("ik", "romerin", 0.13, 0.16, -0.1, "--roll", 0.2, says=("leg_1", "roll"))


def test_the_workspace_of_a_leg(mecano):
    answer = mecano("workspace", "romerin", "--chain", "leg_2", "--samples", 2000, "--json")
    assert answer.json["chain"] == "leg_2" and answer.json["volume"] > 0.0


# --- pictures


@pytest.mark.parametrize("scene", ["empty", "wall", "ceiling", "corner"])
def test_a_picture_shows_the_robot_and_not_the_back_of_a_wall(mecano, scene):
    answer = mecano("picture", "romerin", "--scene", scene, "--out", "it.png", "--size", "320x180")
    assert answer.code == 0
    with Image.open("it.png") as picture:
        dark = np.asarray(picture.convert("L")) < 60
    assert dark.mean() > 0.02  # its servos are black, no wall is


# --- moving it


@pytest.mark.slow
def test_keys_walk_and_stop_it(mecano, typed):
    typed("i k")
    answer = mecano("teleop", *WALL, "--no-view")
    assert answer.code == 0 and answer.err == ""
    assert "forward, tripod, 40 mm/s" in answer.out
    assert "6 of 6 cups hold" in answer.out and "the last walk: stopped" in answer.out


def test_the_shell_walks_and_moves_a_leg(mecano, typed):
    typed("walk 0.03\ncup 2 off\nleg 2 rest\ncups\n")
    answer = mecano("shell", *WALL)
    assert answer.code == 0, answer.err
    assert "reached after" in answer.out and "leg 2: reached" in answer.out
    assert "cup 2    off" in answer.out


def test_the_shell_says_what_a_leg_cannot(mecano, typed):
    typed("goto 0.1 0 0.1\n")
    answer = mecano("shell", *WALL)
    assert answer.code == 2 and "no command 'goto'" in answer.err


# --- the real one


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("shell", "romerin", "--real", "/dev/null"), ("no driver", "A1-16")),
        (("doctor", "/dev/null", "--robot", "romerin"), ("no driver", "open_manipulator_x")),
        (("emulate", "romerin"), ("no servos on a bus",)),
    ],
)
def test_there_is_no_real_one_yet(fails_cleanly, words, says):
    fails_cleanly(*words, says=says)
