"""What a program gets from `mecano` itself: every name loads, and type checkers see the same."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import mecano

SOURCE = Path(mecano.__file__)
ROOT = Path(__file__).parents[2]
DEEP = re.compile(r"^(?:>>> )?from mecano\.([\w.]+) import ([\w, ]+)$", re.MULTILINE)


def for_type_checkers() -> dict[str, str]:
    """Return the names that stand under TYPE_CHECKING, with their modules."""
    found = {}
    for block in ast.parse(SOURCE.read_text()).body:
        if isinstance(block, ast.If):
            for line in block.body:
                assert isinstance(line, ast.ImportFrom)
                assert line.module is not None
                found |= {each.asname: line.module.removeprefix("mecano.") for each in line.names}
    return found


@pytest.mark.parametrize("name", mecano._NAMES)
def test_every_name_loads_from_where_it_is_defined(name):
    assert getattr(mecano, name) is getattr(import_module(f"mecano.{mecano._NAMES[name]}"), name)


@pytest.mark.parametrize("name", mecano._PACKAGES)
def test_every_package_loads(name):
    assert getattr(mecano, name).__name__ == f"mecano.{name}"


def test_every_package_is_named():
    folders = {file.parent.name for file in SOURCE.parent.glob("*/__init__.py")}
    assert set(mecano._PACKAGES) == folders - {"cli"}


def test_type_checkers_see_the_same_names():
    assert for_type_checkers() == mecano._NAMES


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="has no attribute 'Rodot'"):
        _ = mecano.Rodot


@pytest.mark.parametrize(
    "file", [*sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("examples/*.py"))],
    ids=lambda file: file.name,
)  # fmt: skip
def test_programs_in_the_docs_take_them_from_there(file):
    for module, names in DEEP.findall(file.read_text(encoding="utf-8")):
        short = [name for name in names.split(", ") if name in mecano._NAMES]
        assert not short, f"write: from mecano import {', '.join(short)} (not mecano.{module})"
