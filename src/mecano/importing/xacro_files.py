"""Expands xacro files with the genuine library, in a process that is bounded and cannot write."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mecano.importing.files import MAX_DEPTH, MAX_ELEMENTS, Element
from mecano.importing.findings import Finding, Findings, UnreadableRobot
from mecano.importing.packages import Packages

TIME_LIMIT = 30.0
"""An expansion may take this long [s]; the largest public robots take one or two."""
MEMORY_LIMIT = 2000.0
"""Address space of the process [MB]; the libraries alone take some hundred."""


def is_xacro(root: Element, file: Path) -> bool:
    """Return whether a file must be expanded first."""
    return file.suffix == ".xacro" or any(each.tag.startswith("xacro:") for each in root.walk())


def expand_xacro(
    file: Path,
    *,
    arguments: Mapping[str, str],
    packages: Packages,
    seconds: float = TIME_LIMIT,
    megabytes: float = MEMORY_LIMIT,
) -> tuple[Element, tuple[Path, ...], tuple[Finding, ...]]:
    """Expand a xacro file.

    Args:
        file: The file.
        arguments: Values of its `<xacro:arg>` elements.
        packages: What `$(find ...)` means and which files may be included.
        seconds: Give up after this long.
        megabytes: Address space of the process that expands it.

    Returns:
        The root element (every element knows the file and line it came from), the files that were
        included, and what was noticed.

    Raises:
        UnreadableRobot: With file and line of the mistake.
    """
    request = {
        "file": str(file.resolve()),
        "arguments": {name: str(value) for name, value in arguments.items()},
        "packages": [str(folder) for folder in packages.given],
        "allow_outside": packages.allow_outside,
        "seconds": seconds,
        "megabytes": megabytes,
    }
    answer = _ask(file, request)
    if "code" in answer:
        raise _refused(answer["code"], answer["where"], answer["message"])
    findings = Findings()
    for warning in answer["warnings"]:
        findings.note("xacro-warning", file.name, " ".join(warning.split()))
    _check_arguments(file, arguments, answer["declared"], findings)
    root = _tree(file, answer["elements"])
    if not root.all("link") and answer["macros"]:
        raise _refused(
            "robot-empty", file.name,
            f"only defines macros ({', '.join(answer['macros'][:5])}) and has no <link> of its "
            "own; name the file that includes it",
        )  # fmt: skip
    return root, tuple(Path(each) for each in answer["includes"]), tuple(findings)


def _ask(file: Path, request: dict[str, Any]) -> dict[str, Any]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    # One thread: those of numerical libraries reserve memory that the limit would count.
    environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    seconds = request["seconds"]
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "mecano.importing.xacro_worker"],
            input=json.dumps(request),
            capture_output=True,
            encoding="utf-8",
            env=environment,
            cwd=file.resolve().parent,
            timeout=seconds + 5.0,
        )
    except subprocess.TimeoutExpired:
        raise _refused(
            "xacro-too-long", file.name,
            f"is not expanded after {seconds:g} s; a macro or expression never ends",
        ) from None  # fmt: skip
    if done.returncode < 0:  # stopped by a limit of the system
        raise _refused(
            "xacro-too-long", file.name,
            f"was stopped after {seconds:g} s of computing; a macro or expression never ends",
        )  # fmt: skip
    try:
        return json.loads(done.stdout)
    except ValueError:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        code = "xacro-too-large" if "MemoryError" in last[0] else "xacro-error"
        raise _refused(code, file.name, f"could not be expanded: {last[0]}") from None


def _check_arguments(
    file: Path, given: Mapping[str, str], declared: dict[str, str | None], findings: Findings
) -> None:
    for name in given:
        if name not in declared:
            guess = get_close_matches(name, declared, n=1)
            hint = f"; did you mean '{guess[0]}'?" if guess else ""
            listed = ", ".join(declared) or "none"
            findings.warn(
                "xacro-argument", file.name,
                f"has no argument '{name}', so it changes nothing; it has: {listed}{hint}",
            )  # fmt: skip


def _tree(file: Path, rows: list[list[Any]]) -> Element:
    """Return the root of elements that come in order, each with its depth."""
    path: list[Element] = []
    for depth, tag, attributes, source, line, text in rows:
        element = Element(tag=tag, attributes=attributes, file=Path(source), line=line, text=text)
        if depth > MAX_DEPTH or len(rows) > MAX_ELEMENTS:
            raise _refused(
                "xacro-too-large", element.place,
                f"expands to {len(rows)} elements, {depth} deep; no robot needs so many",
            )  # fmt: skip
        del path[depth:]
        if path:
            path[-1].children.append(element)
        path.append(element)
    return path[0]


def _refused(code: str, where: str, message: str) -> UnreadableRobot:
    return UnreadableRobot([Finding(code=code, severity="error", where=where, message=message)])
