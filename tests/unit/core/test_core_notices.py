"""Notices: one way to tell the user something, and what is said once is said once."""

import ast
import sys
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


SPEAKERS = {"core/notices.py", "cli/slam.py"}
"""Files that write lines for the user to stderr themselves."""


def speaks(node: ast.AST) -> bool:
    """Whether a call writes a line to stderr or to a logger of its own; prompts and bars may."""
    if not isinstance(node, ast.Call):
        return False
    given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
    called = ast.unparse(node.func)
    return (
        given.get("file") == "sys.stderr"
        or (called.endswith("echo") and given.get("err") == "True" and "nl" not in given)
        or called in ("sys.stderr.write", "warnings.warn")
        or (called == "logging.getLogger" and "mecano" in ast.unparse(node))
    )


def test_everything_is_said_by_one_function():
    """A worker is a process of its own: its stderr is read by us, not by the user."""
    for file in SOURCE.rglob("*.py"):
        name = file.relative_to(SOURCE).as_posix()
        if name not in SPEAKERS and not name.endswith("worker.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            assert not any(map(speaks, ast.walk(tree))), f"{name}: use mecano.core.notices.say"


@pytest.mark.parametrize(
    ("tone", "line"),
    [
        ("remark", "done"),
        ("notice", "mecano: done"),
        ("error", "mecano: done"),
        ("warning", "done"),
    ],
)
def test_a_line_that_no_terminal_shows_has_no_style(tone, line, capsys):
    say("done", tone)
    assert capsys.readouterr() == ("", f"{line}\n")


def test_a_warning_is_yellow_in_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    say("hot", "warning")
    assert capsys.readouterr().err == "\033[33mhot\033[0m\n"
