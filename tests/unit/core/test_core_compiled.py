"""Compiled kernels: the notice of a slow first call."""

import time
from types import SimpleNamespace

from mecano.core import compiled, notices


def test_a_slow_first_call_says_what_it_does(monkeypatch, capsys):
    monkeypatch.setattr(notices, "NOTICE_AFTER", 0.01)
    said, end = "", time.monotonic() + 120.0  # how long a thread may take on a busy machine
    with compiled.first_call_notice(SimpleNamespace(signatures=[])):
        while not said and time.monotonic() < end:
            time.sleep(0.01)
            said = capsys.readouterr().err
    assert "preparing a fast kernel" in said


def test_a_quick_first_call_says_nothing(monkeypatch, capsys):
    monkeypatch.setattr(notices, "NOTICE_AFTER", 60.0)
    with compiled.first_call_notice(SimpleNamespace(signatures=[])):
        pass
    assert capsys.readouterr().err == ""


def test_later_calls_say_nothing(monkeypatch, capsys):
    monkeypatch.setattr(notices, "NOTICE_AFTER", 0.01)
    with compiled.first_call_notice(SimpleNamespace(signatures=["compiled already"])):
        time.sleep(0.1)
    assert capsys.readouterr().err == ""
