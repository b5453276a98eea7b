"""How long our page takes until it can be used, beside an empty one of the same library.

Run as a program: python tests/browser/page_times.py
"""

# pyright: reportArgumentType=false

import contextlib
import io
import time
from statistics import median

import viser
from browser_helpers import KEEP_PICTURES, SIZE, eventually, is_drawn, start_chromium
from playwright.sync_api import Browser, sync_playwright

import mecano
from mecano.viewer.server import close_server, open_server
from mecano.viewer.viewer import Viewer

ROUNDS = 3


def main() -> None:
    """Open both pages in turn and print the medians and their ratio."""
    ours, empty = [], []
    server = empty_server()
    with (
        mecano.connect("open_manipulator_x") as robot,
        Viewer({robot.name: robot}) as viewer,
        sync_playwright() as playwright,
    ):
        robot.session.start_background()
        browser = start_chromium(playwright)
        usable(browser, f"http://localhost:{server.get_port()}")  # the browser itself warms up
        for _ in range(ROUNDS):
            ours.append(usable(browser, viewer.url))
            empty.append(usable(browser, f"http://localhost:{server.get_port()}"))
        browser.close()
    close_server(server)
    print(f"ours: {median(ours):.1f} s of {[round(t, 1) for t in ours]}")
    print(f"empty: {median(empty):.1f} s of {[round(t, 1) for t in empty]}")
    print(f"ratio: {median(ours) / median(empty):.2f}")


def empty_server() -> viser.ViserServer:
    """Return a page with one slider and a frame, so that there is something to wait for."""
    server = open_server()
    with contextlib.redirect_stdout(io.StringIO()):
        server.gui.add_slider("slider", min=0.0, max=1.0, step=0.1, initial_value=0.0)
        server.scene.add_grid("/grid")
        server.scene.add_frame("/frame", axes_length=1.0, axes_radius=0.1)
    return server


def usable(browser: Browser, url: str) -> float:
    """Return the time until the first slider is visible and the scene is drawn [s]."""
    context = browser.new_context(viewport=SIZE)  # a fresh cache
    page = context.new_page()
    page.add_init_script(KEEP_PICTURES)
    start = time.perf_counter()
    page.goto(url)
    page.get_by_role("slider").first.wait_for(timeout=120_000)
    eventually(lambda: is_drawn(page))
    passed = time.perf_counter() - start
    context.close()
    return passed


if __name__ == "__main__":
    main()
