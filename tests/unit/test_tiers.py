"""What `make test` leaves out: never a law."""

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
LEFT_OUT = {"slow", "realtime"}


def names_in(decorators: list[ast.expr]) -> set[str]:
    """Return the last names of decorators and marks: `given` of `@given(...)`."""
    calls = [each.func if isinstance(each, ast.Call) else each for each in decorators]
    return {
        each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in calls
    }


def slow_laws(file: Path) -> list[str]:
    """Return the tests of a file that draw examples and are left out of `make test`."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [
        f"{file.relative_to(TESTS)}::{node.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and "given" in (names := names_in(node.decorator_list))
        and names & LEFT_OUT
    ]


def test_every_law_is_in_the_first_tier():
    assert [law for file in sorted(TESTS.rglob("test_*.py")) for law in slow_laws(file)] == []


def test_a_slow_law_would_be_found(tmp_path):
    file = TESTS / "unit" / "test_tiers.py"
    text = "@pytest.mark.slow\n@given(x=st.floats())\ndef test_sum(x): ...\n"
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    assert names_in(node.decorator_list) == {"slow", "given"}
    assert slow_laws(file) == []
