"""Settings of the laws: a slow machine is no reason to fail one, and CI draws the same examples."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("mecano", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("mecano")


@pytest.fixture(autouse=True, scope="session")
def _ports_of_this_worker():
    """Workers look for free ports in places of their own, so that none takes another's."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mecano.viewer.server.PORT", 8080 + 200 * worker)
        yield


@pytest.fixture(autouse=True, scope="session")
def _interrupts_are_heard():
    """A shell starts background jobs deaf to Ctrl-C, and so would be the programs of the tests."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _no_run_folders(monkeypatch):
    """Runs of tests are recorded only where a test asks for it."""
    monkeypatch.setenv("MECANO_RUNS", "off")


@dataclass(frozen=True)
class RealLogs:
    """A folder of laser logs that others recorded on real robots."""

    folder: Path
    whole: bool
    """False for the excerpts of the repository, which every clone has."""

    def __truediv__(self, name: str) -> Path:
        return self.folder / name


EXCERPTS = RealLogs(Path(__file__).parent / "data" / "slam", whole=False)
WHOLE_LOGS = RealLogs(Path(__file__).parents[2] / "shared" / "datasets" / "slam", whole=True)


@pytest.fixture(
    params=[logs for logs in (EXCERPTS, WHOLE_LOGS) if logs.folder.is_dir()],
    ids=lambda logs: "whole" if logs.whole else "excerpt",
)
def real_logs(request) -> RealLogs:
    """The excerpts, and the whole logs where they are at hand."""
    return request.param
