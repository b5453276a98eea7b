"""Settings of the laws: a slow machine is no reason to fail one, and CI draws the same examples."""

import os

import pytest
from hypothesis import settings

settings.register_profile("mecano", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("mecano")


@pytest.fixture(autouse=True)
def _no_run_folders(monkeypatch):
    """Runs of tests are recorded only where a test asks for it."""
    monkeypatch.setenv("MECANO_RUNS", "off")
