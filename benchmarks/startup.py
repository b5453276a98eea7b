"""How long a user waits for an answer from a fresh process: one function per row."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import mecano
from mecano.core.results import BenchRow
from timing import Call, compare

PEER = "import numpy"


def startup_import() -> BenchRow:
    """`import mecano` in a fresh process."""
    return row("startup_import", "-c", "import mecano", bar="ratio <= 1.5")


def startup_help() -> BenchRow:
    """`mecano --help` in a fresh process."""
    return row("startup_help", "-m", "mecano", "--help", bar="ratio <= 3")


ROWS = (startup_import, startup_help)


def row(name: str, *arguments: str, bar: str) -> BenchRow:
    """Time whole processes, the interpreter's own start included on both sides.

    Both keep their bytecode in a folder of their own: a user's second start finds it too, but a
    machine may forbid Python to write it where it belongs.
    """
    with TemporaryDirectory() as bytecode:
        ours, peer = python(*arguments, bytecode=bytecode), python("-c", PEER, bytecode=bytecode)
        seconds, peer_seconds = compare(ours, peer, rounds=30)
    assert peer_seconds is not None
    return BenchRow(
        name=name, value=1e3 * seconds, unit="ms",
        peer=PEER, peer_value=1e3 * peer_seconds, bar=bar,
    )  # fmt: skip


def python(*arguments: str, bytecode: str) -> Call:
    """Return a call that runs this interpreter on the same copy of Mecano."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    path = [str(Path(mecano.__file__).parents[1]), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    command = [sys.executable, *arguments]
    return lambda: subprocess.run(command, check=True, capture_output=True, env=environment)
