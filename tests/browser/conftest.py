"""Tests in a real browser. They are slow, and skipped where there is none."""

import socket
from contextlib import closing
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """Mark everything in this folder."""
    for item in items:
        if HERE in item.path.parents:
            for mark in ("browser", "slow"):
                item.add_marker(mark)


@pytest.fixture(scope="module", autouse=True)
def own_port():
    """A port nobody else had: pages that are left open elsewhere look for servers they knew."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mecano.viewer.server.PORT", port)
        yield port


@pytest.fixture(scope="module")
def chromium():
    """A browser for the tests of a file."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    from browser_helpers import PATIENCE, PROGRAMS, VARIABLE, find_chromium, start_chromium

    program = find_chromium()
    if program is None:
        pytest.skip(
            f"no browser: none of {', '.join(PROGRAMS)} is in the path; "
            f"install chromium or give its path in {VARIABLE}"
        )
    playwright.expect.set_options(timeout=1000 * PATIENCE)
    with playwright.sync_playwright() as running:
        browser = start_chromium(running)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def new_person(chromium):
    """Return a function that gives a person with a page of their own."""
    from browser_helpers import SIZE, Person

    people = []

    def come():
        people.append(Person(chromium.new_page(viewport=SIZE, device_scale_factor=0.5)))
        return people[-1]

    yield come
    for person in people:
        person.page.close()
