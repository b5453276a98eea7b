"""Imports point one way: the table of docs/ARCHITECTURE.md says who may import whom."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "mecano"
ROW = re.compile(r"^\|\s*`(\w+)`\s*\|.*\|([^|]*)\|\s*$", re.MULTILINE)


def read_table(page: str) -> dict[str, set[str]]:
    """Return which packages each package may import, from the first table whose rows begin so."""
    table = page.split("| may import |", 1)[1].split("\n\n", 1)[0]
    rows = ROW.findall(table)
    packages = [package for package, _ in rows]
    allowed: dict[str, set[str]] = {}
    for package, cell in rows:
        if "everything" in cell:
            allowed[package] = set(packages)
        elif "all of the above" in cell:
            allowed[package] = set(allowed)
        else:
            allowed[package] = set(re.findall(r"\w+", cell)) & set(packages)
    return allowed


def imported_by(file: Path, source: Path) -> set[str]:
    """Return the dotted names of all modules that a file imports, anywhere in it."""
    inside = ("mecano", *file.relative_to(source).parent.parts)
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = inside[: len(inside) - node.level + 1] if node.level else ()
            module = ".".join([*parts, *([node.module] if node.module else [])])
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return names


def wrong_imports(source: Path, allowed: dict[str, set[str]]) -> list[str]:
    """Return one sentence per import that the table does not allow."""
    wrong = []
    for package, may in allowed.items():
        for file in sorted((source / package).rglob("*.py")):
            ours = {
                name.split(".")[1]
                for name in imported_by(file, source)
                if name.startswith("mecano.")
            }
            strangers = (ours & set(allowed)) - may - {package}
            wrong += [
                f"{file.relative_to(source)} may not import {name}" for name in sorted(strangers)
            ]
    return wrong


@pytest.fixture(scope="module")
def allowed() -> dict[str, set[str]]:
    return read_table((ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8"))


def test_imports_point_the_way_of_the_table(allowed):
    assert wrong_imports(SOURCE, allowed) == []


def test_every_package_has_a_row_in_the_table(allowed):
    inside = [file.relative_to(SOURCE).parts for file in SOURCE.rglob("*.py")]
    folders = {parts[0] for parts in inside if len(parts) > 1}
    assert {"core", "kinematics", "robots"} <= folders
    assert folders - set(allowed) == set()


def test_every_name_in_the_last_column_is_a_row():
    page = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = page.split("| may import |", 1)[1].split("\n\n", 1)[0]
    rows = ROW.findall(table)
    named = {name for _, cell in rows for name in re.findall(r"`(\w+)`", cell)}
    assert named
    assert named - {package for package, _ in rows} == set()


def test_table_has_no_circles(allowed):
    # `cli` may import everything, and nothing may import `cli`.
    for package, may in allowed.items():
        for other in may - {package}:
            assert package not in allowed[other], f"{package} and {other} may import each other"


def test_core_uses_no_library_but_numpy_and_its_compiler(allowed):
    assert allowed["core"] == set()
    used = {
        name.split(".")[0]
        for file in (SOURCE / "core").rglob("*.py")
        for name in imported_by(file, SOURCE)
    }
    assert used - set(sys.stdlib_module_names) - {"mecano"} == {"numpy", "numba"}


# --- the test itself is tested ---------------------------------------------------------------

PAGE = """
| package | what lives there | may import |
|---|---|---|
| `core` | poses | nothing (numpy) |
| `kinematics` | chains, with a `word` in its text | `core` |
| `lab` | the robot | all of the above |
| `viewer` | the view | core, lab |
| `cli` | the command | everything |

| need | library |
|---|---|
| `numpy` | arrays |
"""


def test_table_is_read_as_it_is_written():
    assert read_table(PAGE) == {
        "core": set(),
        "kinematics": {"core"},
        "lab": {"core", "kinematics"},
        "viewer": {"core", "lab"},
        "cli": {"core", "kinematics", "lab", "viewer", "cli"},
    }


@pytest.mark.parametrize(
    "line",
    [
        "import mecano.lab",
        "import mecano.lab.session as session",
        "from mecano.lab import connect",
        "from mecano import lab",
        "from ..lab import connect",
        "from .. import lab",
        "def f():\n    from mecano.lab import connect",
        "if True:\n    import mecano.lab",
    ],
)
def test_wrong_import_is_caught(tmp_path, line):
    folder = tmp_path / "kinematics"
    folder.mkdir()
    (folder / "arm.py").write_text(line + "\n")
    assert wrong_imports(tmp_path, read_table(PAGE)) == ["kinematics/arm.py may not import lab"]


@pytest.mark.parametrize(
    "line",
    [
        "import numpy",
        "from mecano.core import errors",
        "from mecano import core",
        "from mecano.kinematics.dh import DHChain",
        "from . import dh",
        "from .dh import DHChain",
        "text = 'import mecano.lab'",
    ],
)
def test_right_import_is_let_pass(tmp_path, line):
    folder = tmp_path / "kinematics"
    folder.mkdir()
    (folder / "arm.py").write_text(line + "\n")
    assert wrong_imports(tmp_path, read_table(PAGE)) == []


def test_wrong_import_in_a_deeper_folder_is_caught(tmp_path):
    folder = tmp_path / "core" / "poses"
    folder.mkdir(parents=True)
    (folder / "spatial.py").write_text("from ...kinematics import dh\n")
    assert wrong_imports(tmp_path, read_table(PAGE)) == [
        "core/poses/spatial.py may not import kinematics"
    ]
