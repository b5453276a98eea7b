"""The engine writes a log beside broken runs; keep it out of the tree."""

import pytest


@pytest.fixture(autouse=True)
def _log_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
