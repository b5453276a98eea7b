"""The programs of experiments act by sensors alone: what really is only their judges ask."""

import ast
from pathlib import Path

import pytest

import mecano.tasks

ACTING = ("transport.py", "carry.py")
"""Files that act; their judges are files of their own."""
FORBIDDEN = {"truth", "clean", "world"}
"""Names that lead to what a real robot cannot know."""
SKILLS = ("docking.py", "side_docking.py", "post_docking.py")


def forbidden_in(file: Path) -> list[str]:
    """Return what a file uses of what it may not know."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in FORBIDDEN:
            found.append(f"{file.name}:{node.lineno} .{node.attr}")
        if isinstance(node, ast.keyword) and node.arg in FORBIDDEN:
            found.append(f"{file.name}:{node.value.lineno} {node.arg}=")
    return found


@pytest.mark.parametrize("name", ACTING)
def test_the_truth_is_not_reachable_from_acting_code(name):
    assert forbidden_in(Path(mecano.tasks.__file__).parent / name) == []


@pytest.mark.parametrize("name", SKILLS)
def test_nor_from_docking(name):
    assert forbidden_in(Path(mecano.tasks.__file__).parents[1] / "lab" / name) == []


def test_a_judge_does_ask():
    judge = Path(mecano.tasks.__file__).parent / "transport_judge.py"
    assert any(".truth" in found for found in forbidden_in(judge))
