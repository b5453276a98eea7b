"""Expands xacro files."""

from collections.abc import Mapping
from pathlib import Path

from mecano.importing.files import Element
from mecano.importing.findings import Finding
from mecano.importing.packages import Packages


def is_xacro(root: Element, file: Path) -> bool:
    """Return whether a file must be expanded first."""
    return file.suffix == ".xacro" or any(each.tag.startswith("xacro:") for each in root.walk())


def expand_xacro(
    file: Path, *, arguments: Mapping[str, str], packages: Packages
) -> tuple[Element, tuple[Path, ...], tuple[Finding, ...]]:
    """Return the root element of the expanded file, the files it includes and what was noticed."""
    raise NotImplementedError
