"""A student's function in the place of ours, and the checker that judges it."""

import shutil
from pathlib import Path

import pytest

ARM = "open_manipulator_x"
EXAMPLE = Path(__file__).parents[3] / "examples" / "01_my_own_ik.py"
TARGET = (ARM, 0.1, 0.1, 0.2, "--pitch", 0)

STUDENT = """
import math
from good import solve as right

print("a line that must not disturb the answer")

def degrees(*pose):
    return [[math.degrees(angle) for angle in q] for q in right(*pose)]

def wrong_sign(x, y, z, pitch):
    return right(x, y, z, -pitch)

def no_offset(x, y, z, pitch):
    return right(x + 0.012, y, z + 0.017, pitch)

def one_branch(*pose):
    return right(*pose)[:1]

def nothing(*pose):
    return []

def forgot(*pose):
    right(*pose)

def raises(*pose):
    return 1 / 0

def words(*pose):
    return "turn left"

def too_short(*pose):
    return [[1.0, 2.0, 3.0]]

def not_a_number(*pose):
    return [[0.0, 0.0, float("nan"), 0.0]]

def an_object(*pose):
    return object()

def leaves(*pose):
    import os
    os._exit(3)

def forever(*pose):
    while True:
        pass

def two_arguments(x, y):
    return []

number = 3
"""


@pytest.fixture
def student(tmp_path, monkeypatch):
    shutil.copy(EXAMPLE, tmp_path / "good.py")
    (tmp_path / "student.py").write_text(STUDENT)
    (tmp_path / "broken.py").write_text("def solve(:\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_example_passes(mecano, student):
    answer = mecano("check-stage", "ik", "good.py:solve")
    assert answer.code == 0 and answer.out.strip().endswith("passed")


def test_a_module_is_as_good_as_a_file(mecano, student):
    assert mecano("check-stage", "ik", "good:solve", "--samples", 10).code == 0


def test_the_student_takes_our_place(mecano, student):
    answer = mecano("ik", *TARGET, "--use", "ik=student.py:one_branch", "--json")
    assert answer.code == 0
    assert answer.json["solutions"][0] == pytest.approx(
        [0.849141, -1.146170, 0.740823, 0.405347], abs=1e-6
    )


def test_an_unreachable_target_is_explained_all_the_same(mecano, student):
    answer = mecano("ik", ARM, 0.5, 0, 0.1, "--pitch", 0, "--use", "ik=good.py:solve", "--json")
    assert answer.code == 1 and answer.json["reason"] == "too_far"


def test_a_wrong_answer_is_not_taken(mecano, student):
    answer = mecano("ik", *TARGET, "--use", "ik=student.py:degrees", "--json")
    assert answer.code == 1 and answer.json["reason"] == "wrong_answer"
    assert "mm beside the target" in answer.json["message"]


def test_an_answer_that_is_missing_is_noticed(mecano, student):
    answer = mecano("ik", *TARGET, "--use", "ik=student.py:nothing", "--json")
    assert answer.code == 1 and "returned none, there are 1" in answer.json["message"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("degrees", "degrees"),
        ("wrong_sign", "wrong sign"),
        ("no_offset", "base offset [0.012, 0.0, 0.017] m"),
    ],
)
def test_the_checker_names_the_usual_mistake(mecano, student, name, hint):
    answer = mecano("check-stage", "ik", f"student.py:{name}", "--samples", 60, "--json")
    assert answer.code == 1
    assert not answer.json["passed"] and hint in answer.json["hint"]


def test_the_checker_counts_missing_branches(mecano, student):
    checks = mecano("check-stage", "ik", "student.py:one_branch", "--json").json["checks"]
    assert [check["held"] for check in checks] == [True, True, True, False, True]
    assert "missed" in checks[3]["detail"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("forgot", "returned None"),
        ("raises", "ZeroDivisionError: division by zero (student.py, line 26)"),
        ("words", "turn left"),
        ("too_short", "shape (1, 3)"),
        ("not_a_number", "nan for joint3 in solution 1"),
        ("an_object", "not numbers"),
        ("leaves", "exit code 3"),
        ("two_arguments", "TypeError"),
    ],
)
def test_a_broken_function_ends_in_one_clear_line(mecano, fails_cleanly, student, name, words):
    fails_cleanly("ik", *TARGET, "--use", f"ik=student.py:{name}", says=(words, "your ik stage"))
    answer = mecano("check-stage", "ik", f"student.py:{name}", "--samples", 5)
    assert answer.code == 1 and words in answer.out


def test_a_function_that_never_returns_is_ended(mecano, student):
    answer = mecano("check-stage", "ik", "student.py:forever", "--time-limit", 0.3)
    assert answer.code == 1 and "did not return within 0.3 s" in answer.out


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("none.py:solve", "no file none.py"),
        ("nowhere:solve", "No module named"),
        ("student.py:slove", "has no function 'slove'"),
        ("student.py:number", "has no function 'number'"),
        ("broken.py:solve", "SyntaxError"),
    ],
)
def test_a_source_that_cannot_be_loaded_exits_2(fails_cleanly, student, source, words):
    fails_cleanly("check-stage", "ik", source, says=(words,))


def test_unknown_stage_lists_the_known_ones(fails_cleanly, student):
    fails_cleanly("check-stage", "controler", "good.py:solve", says=("ik",))
    fails_cleanly("ik", *TARGET, "--use", "good.py:solve", says=("STAGE=SOURCE",))


def test_a_stage_needs_a_pitch(fails_cleanly, student):
    fails_cleanly("ik", ARM, 0.1, 0.1, 0.2, "--use", "ik=good.py:solve", says=("needs a pitch",))
