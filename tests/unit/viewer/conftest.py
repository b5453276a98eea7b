import pytest
from viewer_helpers import ThinPage, eventually

import mecano
from mecano.viewer.viewer import Viewer


@pytest.fixture(autouse=True)
def _log_elsewhere(tmp_path, monkeypatch):
    """The engine writes a log beside broken runs; keep it out of the tree."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def robot():
    """An arm on its table; nothing moves before a test says so."""
    with mecano.connect("open_manipulator_x") as connected:
        yield connected


@pytest.fixture
def viewer(robot, capfd):
    """The view of the arm. A view that stopped by a fault of its own fails the test."""
    with Viewer({robot.name: robot}) as shown:
        yield shown
        assert shown._thread.is_alive()
    said = capfd.readouterr()
    assert "Traceback" not in said.out + said.err


@pytest.fixture
def open_page():
    """Open pages of a viewer: `open_page(viewer)` returns when the viewer knows of it."""
    pages = []

    def open_one(viewer, **options):
        count = len(viewer.server.get_clients())
        pages.append(ThinPage(viewer.server.get_port(), **options))
        eventually(lambda: len(viewer.server.get_clients()) > count)
        return pages[-1]

    yield open_one
    for page in pages:
        page.close()


@pytest.fixture
def living(robot, viewer, open_page):
    """A robot in the background, as fast as it goes, watched by one page: robot, viewer, page."""
    robot.session.start_background()
    robot.session.pace.speed = float("inf")
    return robot, viewer, open_page(viewer)
