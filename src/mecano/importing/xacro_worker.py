"""Expands one xacro file in a process of its own, with bounded time, memory and no writing.

Reads a request as JSON from stdin and answers on stdout; `xacro_files` is the other end.
"""

import json
import re
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO
from xml.dom import Node, minidom

import xacro
from xacro import substitution_args

from mecano.importing.files import Element, parse_xml, read_text
from mecano.importing.findings import UnreadableRobot
from mecano.importing.packages import Packages
from mecano.importing.xacro_expressions import guard_xacro

MAX_DEPTH = 40
"""Of files that include each other."""
_clone = minidom._clone_node  # pyright: ignore[reportAttributeAccessIssue]


class Refused(xacro.XacroException):
    """A finding of our own that ends the expansion."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Worker:
    """One expansion."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.file = Path(request["file"])
        self.arguments: dict[str, str] = request["arguments"]
        self.packages = Packages(
            self.file,
            [Path(each) for each in request["packages"]],
            allow_outside=request["allow_outside"],
        )
        self.warnings: list[str] = []
        self.declared: dict[str, str | None] = {}
        """Arguments the files declare, with their defaults."""
        self.macros: list[str] = []

    def expand(self) -> dict[str, Any]:
        """Return the answer: elements and included files, or what is wrong and where."""
        self._patch()
        try:
            xacro.init_stacks(str(self.file))
            document = self._parse(None, str(self.file))
            xacro.process_doc(document, mappings=dict(self.arguments), verbosity=0)
        except Exception as error:  # the file decides what the library raises
            return self._failed(error)
        return {
            "elements": _flat(document.documentElement, self.file),
            "includes": sorted({str(Path(each).resolve()) for each in xacro.all_includes}),
            "warnings": self.warnings[:50],
            "declared": self.declared,
            "macros": self.macros,
        }

    def _failed(self, error: BaseException) -> dict[str, Any]:
        needed = [
            name
            for name, default in self.declared.items()
            if default is None and name not in self.arguments
        ]
        code, message = _reason(error, needed)
        if isinstance(cause := _cause(error), UnreadableRobot):
            first = cause.findings[0]
            return {"code": first.code, "where": first.where, "message": first.message}
        # An element knows its line; the innermost one that was being worked on is the place.
        node = _innermost(error.__traceback__)
        file = Path(getattr(node, "file", (xacro.filestack or [str(self.file)])[-1]))
        line = getattr(node, "line", 0)
        macros = [macro.body.getAttribute("name") for macro in xacro.macrostack or []]
        inside = f" (in macro {' > '.join(macros[-4:])})" if macros else ""
        where = f"{file.name}:{line}" if line else file.name
        return {"code": code, "where": where, "message": f"{message}{inside}"}

    def _patch(self) -> None:
        guard_xacro()
        # Under their own names and, as the library still allows, without the name space.
        load_yaml, find = self._loader(xacro.load_yaml), self._find
        symbols: Any = xacro._global_symbols
        dict.__setitem__(symbols["xacro"], "load_yaml", load_yaml)
        dict.__setitem__(symbols, "load_yaml", load_yaml)
        xacro.parse = self._parse
        xacro.abs_filename_spec = self._absolute(xacro.abs_filename_spec)
        xacro.warning = xacro.message = lambda *args, **_: self.warnings.append(
            " ".join(map(str, args))
        )
        xacro.print_location = lambda *_: None
        substitution_args._eval_arg = self._argument
        substitution_args._eval_find = find
        substitution_args._eval_dict["find"] = find
        minidom._clone_node = _clone_with_place  # pyright: ignore[reportAttributeAccessIssue]

    def _argument(self, name: str, args: dict[str, str]) -> str:
        """Stand in for the library's `$(arg ...)`; a file may use one that it never declares."""
        if name not in args:
            raise substitution_args.ArgException(name)
        self.declared.setdefault(name, None)
        return args[name]

    def _find(self, name: str) -> str:
        folder = self.packages.find(name) or self._own(name)
        if folder is None:
            looked = ", ".join(self.packages.looked(name)[:5])
            raise Refused(
                "package-path",
                f"package '{name}' of $(find {name}) is not there; looked in {looked}; "
                "name its folder with --package",
            )
        return str(folder)

    def _own(self, name: str) -> Path | None:
        """Return the robot's own folder for a package that it calls by another name.

        Without its package.xml nothing else tells; that the files are there does.
        """
        meant = rf"\$\(find {re.escape(name)}\)/([^\"'$<>]+)"
        inside = re.findall(meant, read_text(self.file)[0])
        if not inside or not all((self.packages.home / each).is_file() for each in inside):
            return None
        told = f"package '{name}' is not there; its files are in {self.packages.home.name}/"
        if told not in self.warnings:
            self.warnings.append(told)
        return self.packages.home

    def _allowed(self, filename: str) -> Path:
        file = Path(filename)
        if not self.packages.may_include(file):
            raise Refused(
                "include-outside",
                f"includes {filename}, outside the robot's folder {self.packages.home} and its "
                "packages; allow it with --allow-outside, or name its folder with --package",
            )
        return file

    def _absolute(self, absolute: Any) -> Any:
        def abs_filename_spec(filename: str) -> str:
            if "://" not in filename:
                return absolute(filename)
            found = self.packages.resolve(filename).file
            if found is None:
                raise Refused("package-path", f"includes {filename}, which is not there")
            return str(found)

        return abs_filename_spec

    def _loader(self, load: Any) -> Any:
        def load_yaml(filename: str) -> Any:
            file = self._allowed(xacro.abs_filename_spec(filename))
            read_text(file)  # its size, and that it is text
            return load(filename)

        return load_yaml

    def _parse(self, _: Any, filename: str | None = None) -> Any:
        """Stand in for the library's `parse`: safe reading, and elements that know their line."""
        assert filename is not None
        file = self._allowed(filename)
        if not file.is_file():
            xacro.filestack.pop()
            raise xacro.XacroException(exc=OSError(f"includes {filename}, which is not there"))
        stack = [str(Path(each).resolve()) for each in xacro.filestack if each]
        if stack.count(str(file.resolve())) > 1 or len(stack) > MAX_DEPTH:
            names = " -> ".join(Path(each).name for each in stack[-6:])
            raise Refused("xacro-cycle", f"files include each other in a circle: {names}")
        root = parse_xml(read_text(file)[0], file)
        self._declare(root)
        document = minidom.Document()
        document.appendChild(_to_dom(root, document))
        return document

    def _declare(self, root: Element) -> None:
        for element in root.walk():
            if element.tag == "xacro:macro":
                self.macros.append(element.attributes.get("name", ""))
            if element.tag == "xacro:arg" and "name" in element.attributes:
                name = element.attributes["name"]
                self.declared.setdefault(name, element.attributes.get("default"))
                if "default" not in element.attributes and name in self.arguments:
                    element.attributes["default"] = ""  # the library asks for one; it is not used


def _to_dom(element: Element, document: Any) -> Any:
    node = document.createElement(element.tag)
    node.line, node.file = element.line, str(element.file)
    for name, value in element.attributes.items():
        node.setAttribute(name, value)
    if element.text:
        node.appendChild(document.createTextNode(element.text))
    for child in element.children:
        node.appendChild(_to_dom(child, document))
    return node


def _clone_with_place(node: Any, deep: bool, owner: Any) -> Any:
    clone = _clone(node, deep, owner)
    if hasattr(node, "line"):
        clone.line, clone.file = node.line, node.file
    return clone


def _flat(root: Any, file: Path) -> list[list[Any]]:
    """Return all elements in order: depth, tag, attributes, file, line, text."""
    rows: list[list[Any]] = []
    waiting = [(0, root)]
    while waiting:
        depth, node = waiting.pop()
        inside = [child for child in node.childNodes if child.nodeType == Node.ELEMENT_NODE]
        text = "".join(
            child.data for child in node.childNodes if child.nodeType == Node.TEXT_NODE
        ).strip()
        place = (getattr(node, "file", str(file)), getattr(node, "line", 0))
        rows.append([depth, node.tagName, dict(node.attributes.items()), *place, text])
        waiting += [(depth + 1, child) for child in reversed(inside)]
    return rows


def _innermost(trace: TracebackType | None) -> Any:
    """Return the element that was being evaluated when an error was raised."""
    found = None
    while trace is not None:
        local = trace.tb_frame.f_locals
        for name in ("elt", "node", "tag"):
            if hasattr(local.get(name), "line"):
                found = local[name]
                break
        trace = trace.tb_next
    return found


def _cause(error: BaseException) -> BaseException:
    """Return what the library wrapped: a finding of our own, or a limit that was reached."""
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Refused | UnreadableRobot | MemoryError | RecursionError):
            return each
        if each is not None:
            waiting += [getattr(each, "exc", None), each.__cause__, each.__context__]
    return error


def _needs(arguments: list[str]) -> str:
    """Return what to do about arguments without a default."""
    options = " ".join(f"--arg {name}:=VALUE" for name in arguments)
    names = ", ".join(f"'{name}'" for name in arguments)
    if len(arguments) == 1:
        return f"argument {names} is needed and has no default; give it with {options}"
    return f"arguments {names} are needed and have no default; give them with {options}"


def _reason(error: BaseException, needed: list[str]) -> tuple[str, str]:
    """Return code and message for an error of the library.

    Args:
        error: That was raised.
        needed: Declared arguments that have neither a default nor a value.
    """
    cause = _cause(error)
    if isinstance(cause, Refused):
        return cause.code, str(cause)
    if isinstance(cause, MemoryError):
        return "xacro-too-large", "the expansion fills the memory; a macro or list never ends"
    if isinstance(cause, RecursionError):
        return "xacro-recursion", "macros or properties call themselves without end"
    text = " ".join(str(error).split()) or type(error).__name__
    argument = re.search(r"Undefined substitution argument (\S+)", text)
    if argument:
        return "xacro-argument", _needs([argument[1]])
    missing = re.search(r"(\S+): missing attribute '(\w+)'", text)
    if missing and missing[1] == "xacro:arg":
        return "xacro-argument", _needs(needed)
    if missing:
        return "xacro-error", f"<{missing[1]}> has no {missing[2]}"
    return "xacro-error", text


def _bound(seconds: float, megabytes: float) -> None:
    try:
        import resource
    except ImportError:  # Windows: the other end still stops the process in time
        return
    size = int(megabytes * 1e6)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def main(source: TextIO = sys.stdin) -> None:
    """Answer one request."""
    request = json.load(source)
    _bound(request["seconds"], request["megabytes"])
    sys.setrecursionlimit(3000)
    answer, sys.stdout = sys.stdout, sys.stderr  # what the library prints is no answer
    json.dump(Worker(request).expand(), answer)
    answer.flush()


if __name__ == "__main__":
    main()
