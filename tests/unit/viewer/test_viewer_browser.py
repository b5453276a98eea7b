"""Whether a browser is opened: only where there is a window to open it in."""

import webbrowser

import pytest

from mecano.viewer.browser import open_browser

URL = "http://localhost:8080"
VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "MECANO_BROWSER")


@pytest.fixture
def opened(monkeypatch):
    """What was opened; no test opens a real browser."""
    addresses = []
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(webbrowser, "open", lambda url: addresses.append(url) or True)
    return addresses


def test_a_server_without_a_window_opens_nothing(opened, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    assert not open_browser(URL)
    assert opened == []


@pytest.mark.parametrize("variable", ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"])
def test_a_window_or_a_chosen_browser_opens_the_page(opened, monkeypatch, variable):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv(variable, "something")
    assert open_browser(URL)
    assert opened == [URL]


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_elsewhere_there_is_always_a_window(opened, monkeypatch, platform):
    monkeypatch.setattr("sys.platform", platform)
    assert open_browser(URL)


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_it_can_be_turned_off(opened, monkeypatch, platform):
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("MECANO_BROWSER", "off")
    assert not open_browser(URL)
    assert opened == []


def test_a_browser_that_cannot_start_is_no_error(opened, monkeypatch):
    def fail(url: str) -> bool:
        raise webbrowser.Error("no runnable browser")

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", fail)
    assert not open_browser(URL)
