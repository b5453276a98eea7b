"""How long a user waits for an answer from a fresh process: one function per row."""

import os
import subprocess
import sys
from pathlib import Path

import mecano
from mecano.core.results import BenchRow
from timing import Call, compare

PEER = "import numpy"


def startup_import() -> BenchRow:
    """`import mecano` in a fresh process."""
    return row("startup_import", python("-c", "import mecano"), bar="ratio <= 1.5")


def startup_help() -> BenchRow:
    """`mecano --help` in a fresh process."""
    return row("startup_help", python("-m", "mecano", "--help"), bar="ratio <= 3")


ROWS = (startup_import, startup_help)


def row(name: str, ours: Call, *, bar: str) -> BenchRow:
    """Time whole processes, the interpreter's own start included on both sides."""
    seconds, peer_seconds = compare(ours, python("-c", PEER), rounds=15)
    assert peer_seconds is not None
    return BenchRow(
        name=name, value=1e3 * seconds, unit="ms",
        peer=PEER, peer_value=1e3 * peer_seconds, bar=bar,
    )  # fmt: skip


def python(*arguments: str) -> Call:
    """Return a call that runs this interpreter on the same copy of Mecano."""
    path = [str(Path(mecano.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    command = [sys.executable, *arguments]
    return lambda: subprocess.run(command, check=True, capture_output=True, env=environment)
