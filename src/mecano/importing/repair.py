"""Repairs what has one right answer in a URDF, and writes what it did.

The text is edited in place of the numbers that are wrong, so that comments and layout stay. What
has more than one answer (a mass of zero, two links of one name, a file in millimetres) is left to
the person; the findings say what to do.
"""

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mecano.importing.files import Element, parse_xml, read_text, xml_bytes
from mecano.importing.findings import UnreadableRobot
from mecano.importing.packages import Packages
from mecano.importing.repair_rules import Change, changes_of
from mecano.importing.xacro_files import is_xacro

_ENCODING = re.compile(rb"""^(<\?xml[^>]*?encoding\s*=\s*)(["'])[\w.:-]+\2""")

_TAG = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One thing that was repaired."""

    line: int
    code: str
    """Of the finding that says what is wrong."""
    where: str
    what: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.where}: {self.what}: '{self.before}' -> '{self.after}'"


@dataclass(frozen=True, kw_only=True)
class Repair:
    """What was repaired, and where the repaired file is."""

    file: Path | None
    """The repaired file; None if nothing was written."""
    lines: tuple[Line, ...]
    summary: str

    def plain(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "file": None if self.file is None else str(self.file),
            "changes": [vars(line) for line in self.lines],
        }


def repair_urdf(file: Path, *, in_place: bool = False, packages: Sequence[Path] = ()) -> Repair:
    """Repair a URDF file.

    Args:
        file: The file; others than URDF are left alone, with a summary that says why.
        in_place: Replace the file itself; else `NAME.fixed.urdf` is written beside it.
        packages: Where meshes of `package://` are looked for.
    """
    if not file.is_file():
        return _nothing("only URDF files are repaired; the findings below say what to do")
    try:
        text, noticed = read_text(file)
        root = parse_xml(text, file)
    except UnreadableRobot:
        return _nothing(f"{file.name} cannot be read, so nothing in it was repaired")
    if root.tag != "robot":
        return _nothing(f"{file.name} is no URDF, so nothing in it was repaired")
    if is_xacro(root, file):
        return _nothing(
            f"{file.name} is a xacro file and was not rewritten, because its macros would be lost; "
            "correct the lines that the findings name"
        )
    changes = changes_of(root, file, Packages(file, packages))
    data = _edited(xml_bytes(text), changes)
    lines = tuple(_line(change) for change in changes)
    if noticed:
        data = _ENCODING.sub(rb"\1\2utf-8\2", data)
        encoding = Line(
            line=1,
            code="file-encoding",
            where=file.name,
            what="saved as UTF-8",
            before="Windows-1252",
            after="UTF-8",
        )
        lines = (encoding, *lines)
    if not lines:
        return _nothing(f"nothing in {file.name} has just one right answer, so nothing was changed")
    parse_xml(data.decode("utf-8"), file)  # what is written can be read again
    target = file if in_place else file.with_name(f"{file.name.removesuffix('.urdf')}.fixed.urdf")
    _write(target, data)
    count = f"{len(lines)} thing{'s' if len(lines) > 1 else ''}"
    return Repair(file=target, lines=lines, summary=f"{count} repaired; written to {target}")


def _nothing(summary: str) -> Repair:
    return Repair(file=None, lines=(), summary=summary)


def _line(change: Change) -> Line:
    return Line(
        line=change.element.line, code=change.code, where=change.where, what=change.what,
        before=change.before, after=change.after,
    )  # fmt: skip


def _edited(data: bytes, changes: Sequence[Change]) -> bytes:
    """Return the text with the changes made, from the last to the first."""
    pieces: dict[tuple[int, int], bytes] = {}
    for change in changes:  # of two changes of one value, the later one starts from the other
        pieces |= {(start, end): new for start, end, new in _pieces(data, change)}
    last = len(data) + 1
    for (start, end), new in sorted(pieces.items(), key=lambda each: (-each[0][1], each[0][0])):
        if end <= last:  # what lies inside an element that is replaced goes with it
            data, last = data[:start] + new + data[end:], start
    return data


def _pieces(data: bytes, change: Change) -> list[tuple[int, int, bytes]]:
    """Return what to replace by what: (first byte, byte after the last, new bytes)."""
    element, new = change.element, _escaped(change.after)
    if change.kind == "tag":
        tag = change.before.encode()
        first = element.start + 1
        found = [(first, first + len(tag), new)]
        if not _start_tag(data, element).endswith(b"/>"):
            found.append((element.end + 2, element.end + 2 + len(tag), new))
        return found
    if change.kind == "replace":
        return [(element.start, _after(data, element), change.after.encode())]
    name = re.escape(element.written.get(change.attribute, change.attribute).encode())
    pattern = re.compile(rb"\s(" + name + rb")\s*=\s*(\"[^\"]*\"|'[^']*')")
    match = pattern.search(data, element.start, element.start + len(_start_tag(data, element)))
    if match is None:
        return []
    if change.kind == "attribute-name":
        return [(*match.span(1), new)]
    start, end = match.span(2)
    return [(start + 1, end - 1, new)]


def _start_tag(data: bytes, element: Element) -> bytes:
    """Return the start tag of an element, from < to >; a > inside quotes does not end it."""
    match = _TAG.match(data, element.start)
    assert match is not None  # expat has read it
    return match[0]


def _after(data: bytes, element: Element) -> int:
    """Return the byte after an element."""
    tag = _start_tag(data, element)
    if tag.endswith(b"/>"):
        return element.start + len(tag)
    return data.index(b">", element.end) + 1


def _escaped(text: str) -> bytes:
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;"), ("'", "&apos;")):
        text = text.replace(sign, name)
    return text.encode()


def _write(target: Path, data: bytes) -> None:
    """Write a file at once: it is either the old one or the complete new one."""
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
