"""Notices: one way to tell the user something, and what is said once is said once."""

import ast
from math import pi
from pathlib import Path

import pytest

import mecano
from mecano.core import notices
from mecano.core.notices import ask_about_degrees, say, say_once

SOURCE = Path(mecano.__file__).parent


@pytest.fixture(autouse=True)
def _nothing_said(monkeypatch):
    monkeypatch.setattr(notices, "_SAID", set())


def test_a_notice_is_one_line_on_stderr(capsys):
    say("the disk is full")
    assert capsys.readouterr() == ("", "mecano: the disk is full\n")


def test_what_is_said_once_is_said_once(capsys):
    for text in ("one", "one", "other", "one"):
        say_once(text)
    assert capsys.readouterr().err == "mecano: one\nmecano: other\n"


@pytest.mark.parametrize("angle", [0.0, -pi, 2 * pi, 4 * pi, -4 * pi])
def test_angles_of_up_to_two_turns_are_not_asked_about(angle, capsys):
    ask_about_degrees(angle, "x")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("angle", "turns"), [(90, "14.3"), (-360.0, "57.3"), (12.7, "2.02")])
def test_larger_ones_are(angle, turns, capsys):
    ask_about_degrees(angle, "x")
    assert f"x: {angle:g} rad is {turns} turns" in capsys.readouterr().err


def test_the_library_speaks_to_users_in_one_place():
    """Only `core.notices` and the command line write to stderr."""
    for file in SOURCE.rglob("*.py"):
        package = file.relative_to(SOURCE).parts[0]
        if package in ("cli", "__main__.py") or file.name.endswith(("notices.py", "worker.py")):
            continue  # a worker is a process of its own: its stderr is read by us, not by the user
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            spoken = isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.stderr"
            assert not spoken, f"{file.relative_to(SOURCE)}: use mecano.core.notices.say"
