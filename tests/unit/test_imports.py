"""Imports point one way: the table of docs/ARCHITECTURE.md says who may import whom."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "mecano"
ROW = re.compile(r"^\|\s*`(\w+)`\s*\|.*\|([^|]*)\|([^|]*)\|\s*$", re.MULTILINE)
OUTSIDE = "robots/*/api*.py"
"""Files of a robot's folder that are written on top of `lab`, like a user's program."""


def rows_of(page: str) -> list[tuple[str, str, str]]:
    """Return package, what it may import and its libraries, row by row, of the first such table."""
    table = page.split("| may import |", 1)[1].split("\n\n", 1)[0]
    return ROW.findall(table)


def read_table(page: str) -> dict[str, set[str]]:
    """Return which packages each package may import."""
    rows = rows_of(page)
    packages = {package for package, _, _ in rows}
    return {
        package: packages if "everything" in cell else set(re.findall(r"\w+", cell)) & packages
        for package, cell, _ in rows
    }


def read_libraries(page: str) -> dict[str, set[str] | None]:
    """Return which libraries each package may import besides numpy; None is all."""
    return {
        package: None if "everything" in cell else set(re.findall(r"\w+", cell)) | {"numpy"}
        for package, _, cell in rows_of(page)
    }


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
        for file in files_of(source, package):
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


def files_of(source: Path, package: str) -> list[Path]:
    """Return the files of a package that the table speaks of."""
    outside = set(source.glob(OUTSIDE))
    return sorted(set((source / package).rglob("*.py")) - outside)


def foreign_libraries(source: Path, libraries: dict[str, set[str] | None]) -> list[str]:
    """Return one sentence per library that the table does not name."""
    known = set(sys.stdlib_module_names) | {"mecano"}
    wrong = []
    for package, may in libraries.items():
        for file in files_of(source, package):
            if may is None:
                break
            used = {name.split(".")[0] for name in imported_by(file, source)} - known - may
            wrong += [f"{file.relative_to(source)} may not import {name}" for name in sorted(used)]
    return wrong


def circle(allowed: dict[str, set[str]]) -> list[str]:
    """Return packages that may import each other in a circle, of any length; empty if none do."""
    done: set[str] = set()

    def visit(package: str, path: list[str]) -> list[str]:
        if package in path:
            return [*path[path.index(package) :], package]
        if package in done:
            return []
        for other in sorted(allowed[package] - {package}):
            found = visit(other, [*path, package])
            if found:
                return found
        done.add(package)
        return []

    return next((found for package in sorted(allowed) if (found := visit(package, []))), [])


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


def test_every_name_in_the_third_column_is_a_row():
    rows = rows_of((ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    named = {name for _, cell, _ in rows for name in re.findall(r"`(\w+)`", cell)}
    assert named
    assert named - {package for package, _, _ in rows} == set()


def test_table_has_no_circle(allowed):
    assert circle(allowed) == []


def test_libraries_are_those_of_the_table():
    libraries = read_libraries((ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert foreign_libraries(SOURCE, libraries) == []


@pytest.mark.parametrize(
    "package", ["core", "kinematics", "estimation", "perception", "planning", "control", "skills"]
)
def test_middle_packages_see_no_simulator(package):
    libraries = read_libraries((ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert not (libraries[package] or set()) & {"mujoco", "viser", "mjviser", "typer"}


# --- the test itself is tested ---------------------------------------------------------------

PAGE = """
| package | what lives there | may import | libraries |
|---|---|---|---|
| `core` | poses | nothing | |
| `kinematics` | chains, with a `word` in its text | `core` | scipy |
| `lab` | the robot | `core`, `kinematics` | mujoco |
| `viewer` | the view | core, lab | viser |
| `cli` | the command | everything | everything |

| need | library | a | b |
|---|---|---|---|
| `numpy` | arrays | c | d |
"""


def test_table_is_read_as_it_is_written():
    assert read_table(PAGE) == {
        "core": set(),
        "kinematics": {"core"},
        "lab": {"core", "kinematics"},
        "viewer": {"core", "lab"},
        "cli": {"core", "kinematics", "lab", "viewer", "cli"},
    }
    assert read_libraries(PAGE)["kinematics"] == {"numpy", "scipy"}


def test_circle_of_three_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()}) == ["a", "b", "c", "a"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize("line", ["import mujoco", "def f():\n    from mujoco import MjSpec"])
def test_foreign_library_is_caught(tmp_path, line):
    folder = tmp_path / "kinematics"
    folder.mkdir()
    (folder / "arm.py").write_text(line + "\n")
    assert foreign_libraries(tmp_path, read_libraries(PAGE)) == [
        "kinematics/arm.py may not import mujoco"
    ]


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
