"""Reads a robot's XML without trusting it: size, encoding, entities and depth are bounded.

Nothing is executed and no entity is expanded: a document type declaration is refused, so neither
a "billion laughs" file nor one that pulls in other files gets further than its first line.
"""

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from mecano.importing.findings import Finding, UnreadableRobot

MAX_BYTES = 20_000_000
"""Of an XML file; the largest URDF files that are known have one or two million."""
MAX_DEPTH = 100
"""Of nested elements; a URDF needs five."""
MAX_ELEMENTS = 400_000
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']""")
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(eq=False)
class Element:
    """An XML element that knows where it stands."""

    tag: str
    attributes: dict[str, str]
    file: Path
    line: int
    children: list["Element"] = field(default_factory=list)
    text: str = ""
    """Directly inside it, stripped."""
    start: int = -1
    """Byte at which it begins, in the text without leading blanks as UTF-8; -1 if not known."""
    end: int = -1
    """Byte at which its end tag begins, if it has one."""
    written: dict[str, str] = field(default_factory=dict)
    """Attributes that the file spells otherwise: the file's own name, by the right one."""

    def all(self, tag: str) -> list["Element"]:
        """Return the children with a tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> "Element | None":
        """Return the first child with a tag, or None."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator["Element"]:
        """Yield it and all below it, in the order of the file."""
        waiting: list[Element] = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)

    @property
    def place(self) -> str:
        """File and line: "robot.urdf:312"."""
        return f"{self.file.name}:{self.line}"


def read_bytes(file: Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return what is in a file; one that is none, empty, too large or binary is refused."""
    try:
        facts = file.stat()
    except (OSError, ValueError) as error:
        raise _refused("file-missing", file, f"cannot be read: {_reason(error)}") from error
    if stat.S_ISDIR(facts.st_mode):
        raise _refused("file-none", file, "is a folder; name the file in it")
    if not stat.S_ISREG(facts.st_mode):  # reading a pipe or a device may never end
        raise _refused("file-none", file, "is no regular file (a pipe or a device)")
    if facts.st_size > max_bytes:
        raise _refused(
            "file-too-large", file,
            f"has {facts.st_size / 1e6:.0f} MB; a robot's XML has at most {max_bytes / 1e6:.0f} MB."
            " Name the robot's description, not a mesh or a recording",
        )  # fmt: skip
    try:
        content = file.read_bytes()
    except OSError as error:
        raise _refused("file-missing", file, f"cannot be read: {_reason(error)}") from error
    if not content.strip():
        raise _refused("file-empty", file, "is empty; it must hold a <robot> or <mujoco> element")
    return content


def read_text(file: Path, *, max_bytes: int = MAX_BYTES) -> tuple[str, tuple[Finding, ...]]:
    """Return the text of an XML file and what was noticed about its encoding."""
    content = read_bytes(file, max_bytes=max_bytes)
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return _decoded(file, content, encoding), ()
    if b"\0" in content:
        at = content.index(b"\0")
        raise _refused(
            "file-binary", file,
            f"is binary (a zero at byte {at}); a robot's description is XML text",
        )  # fmt: skip
    declared = _DECLARED.match(content)
    encoding = declared[1].decode() if declared else "utf-8"
    try:
        return content.decode(encoding), ()
    except LookupError:
        problem = f"declares the unknown encoding '{encoding}'"
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"line {line} is not {encoding} (byte 0x{content[error.start]:02x})"
    text = content.decode("cp1252", errors="replace")
    found = Finding(
        code="file-encoding", severity="warning", where=file.name,
        message=f"{problem}; it was read as Windows-1252. Save it as UTF-8",
    )  # fmt: skip
    return text, (found,)


def _decoded(file: Path, content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise _refused(
            "file-encoding", file,
            f"begins as {encoding} but byte {error.start} is not; save it as UTF-8",
        ) from error  # fmt: skip


def parse_xml(text: str, file: Path) -> Element:
    """Return the root element of an XML text; what is no XML or has entities is refused."""
    if not text.lstrip("\ufeff \t\r\n").startswith("<"):
        start = text.strip()[:30]
        raise _refused(
            "not-xml", file, f"begins with {start!r}; a robot's description begins with '<'"
        )
    return _Builder(file).build(text)


def xml_bytes(text: str) -> bytes:
    """Return a text as `parse_xml` parses it: from its first sign on, in UTF-8."""
    return text.lstrip("\ufeff \t\r\n").encode("utf-8", "replace")


def read_xml(file: Path) -> tuple[Element, tuple[Finding, ...]]:
    """Return the root element of an XML file and what was noticed about its encoding."""
    text, findings = read_text(file)
    return parse_xml(text, file), findings


class _Builder:
    """Makes elements of what expat reports; lines come from the parser."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._open: list[Element] = []
        self._root: Element | None = None
        self._count = 0
        # The text was decoded by us, whatever encoding it declares.
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._doctype
        parser.ExternalEntityRefHandler = self._doctype

    def build(self, text: str) -> Element:
        try:
            self._parser.Parse(xml_bytes(text), True)
        except expat.ExpatError as error:
            raise self._broken(
                expat.ErrorString(error.code), error.lineno + self._lead(text)
            ) from error
        assert self._root is not None  # expat refuses a document without a root
        shift = self._lead(text)
        if shift:
            for element in self._root.walk():
                element.line += shift
        return self._root

    def _lead(self, text: str) -> int:
        """Return how many lines were cut off before the first element (XML allows none)."""
        return text[: len(text) - len(text.lstrip("\ufeff \t\r\n"))].count("\n")

    def _broken(self, problem: str, line: int) -> UnreadableRobot:
        inside = (
            f" inside <{self._open[-1].tag}> of line {self._open[-1].line}" if (self._open) else ""
        )
        return _refused(
            "xml-syntax", self._file,
            f"is no well-formed XML: {problem}{inside}; every <element> needs its </element> "
            "and every attribute its quotes", line=line,
        )  # fmt: skip

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        element = Element(
            tag=tag, attributes=attributes, file=self._file, line=line,
            start=self._parser.CurrentByteIndex,
        )  # fmt: skip
        self._count += 1
        if len(self._open) >= MAX_DEPTH or self._count > MAX_ELEMENTS:
            raise _refused(
                "xml-too-deep", self._file,
                f"has more than {MAX_DEPTH} nested or {MAX_ELEMENTS} elements in all; "
                "no robot needs so many", line=line,
            )  # fmt: skip
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, tag: str) -> None:
        element = self._open.pop()
        element.end = self._parser.CurrentByteIndex
        element.text = element.text.strip()

    def _characters(self, text: str) -> None:
        if self._open:
            self._open[-1].text += text

    def _doctype(self, name: str, *_: object) -> int:
        raise _refused(
            "xml-entities", self._file,
            f"declares a document type or entity ('{name}'); entities are never expanded, "
            "because a few of them can fill the memory or read other files. Write the text out",
            line=self._parser.CurrentLineNumber,
        )  # fmt: skip


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _refused(code: str, file: Path, problem: str, *, line: int | None = None) -> UnreadableRobot:
    where = file.name if line is None else f"{file.name}:{line}"
    return UnreadableRobot([Finding(code=code, severity="error", where=where, message=problem)])
