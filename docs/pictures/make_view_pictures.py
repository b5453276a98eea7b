"""Take the screenshots of docs/viewer.md: python docs/pictures/make_view_pictures.py

Needs playwright and Debian's chromium; takes about two minutes, because a browser without a
graphics card draws slowly.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

import mecano
from mecano import tasks
from mecano.record.header import session_header
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording
from mecano.viewer.replay import Replay
from mecano.viewer.server import address
from mecano.viewer.viewer import Viewer

HERE = Path(__file__).parent
FLAGS = [
    "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
SIZE = {"width": 1240, "height": 780}


def main() -> None:
    """Take all pictures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        view_tour(browser.new_page(viewport=SIZE))
        experiment_and_replay(browser.new_page(viewport=SIZE))
        browser.close()


def view_tour(page: Page) -> None:
    """Show the robot, its layers, a dragged hand and the plots."""
    with living_robot() as (robot, viewer):
        visit(page, viewer.url)
        shoot(page, "view_control")
        handle = next(panel for panel in viewer.panels if hasattr(panel, "gizmo"))
        handle.gizmo.position = np.array([0.34, -0.26, 0.20])
        handle.held = True
        viewer.desk.mail.post("drag", handle._drag)
        page.wait_for_timeout(4000)
        shoot(page, "view_out_of_reach")
        handle.held = False
        robot.arm.home()
        tab(page, "Look")
        for choice, name in (("collision shapes", "view_collision"), ("nothing", "")):
            choose(page, 0, choice)
            if name:
                shoot(page, name)
        boxes = page.locator("input[type=checkbox]:visible")
        boxes.nth(0).click()
        shoot(page, "view_inertia")
        boxes.nth(0).click()
        choose(page, 0, "as it looks")
        choose(page, 1, "bodies")
        shoot(page, "view_frames")
        choose(page, 1, "none")
        choose(page, 2, "points and directions")
        boxes.nth(2).click()
        shoot(page, "view_workspace")
        boxes.nth(2).click()
        choose(page, 2, "off")
        tab(page, "Plots")
        robot.run(swing)
        page.wait_for_timeout(9000)
        shoot(page, "view_plots")


def experiment_and_replay(page: Page) -> None:
    """Show an experiment to its card, and its record."""
    with tempfile.TemporaryDirectory() as folder:
        viewers, recorders = [], []

        def watch(robot: mecano.Robot) -> None:
            viewers.append(Viewer({robot.name: robot}, program=True, title=EXPERIMENT.title))
            recorders.append(Recorder(robot, Path(folder), session_header()))
            visit(page, viewers[0].url)

        result = tasks.run_experiment(EXPERIMENT, seed=3, watch=watch)
        viewers[0].show_result(result)
        recorders[0].close(result.to_json())
        page.wait_for_timeout(8000)
        shoot(page, "view_card")
        viewers[0].close()
        with Replay(Recording.open(folder)) as replay:
            visit(page, address(replay.server))
            page.wait_for_timeout(3000)
            replay.timeline.now, replay.timeline.playing = 4.4, False
            replay.timeline._slider.value = 4.4
            shoot(page, "view_replay")


EXPERIMENT = tasks.get("open_manipulator_x/move-cube")


@contextmanager
def living_robot() -> Iterator:
    """Give a robot that lives at real time, and its viewer."""
    with (
        mecano.connect("open_manipulator_x") as robot,
        Viewer({robot.name: robot}) as viewer,
    ):
        robot.session.start_background()
        yield robot, viewer


def swing(robot: mecano.Robot) -> Iterator:
    """Move to and fro."""
    while True:
        yield robot.arm.move_joints([0.8, -0.6, 0.6, 0.4], wait=False)
        yield robot.arm.move_joints([-0.8, -1.2, 1.0, 0.2], wait=False)


def visit(page: Page, url: str) -> None:
    """Open a page and wait until it is drawn."""
    page.goto(url)
    page.get_by_text("Look", exact=True).first.wait_for(timeout=120_000)
    page.wait_for_timeout(7000)
    notice = page.locator(".mantine-Notification-closeButton")
    if notice.count():
        notice.first.click()


def tab(page: Page, name: str) -> None:
    """Open a tab of the panel."""
    page.get_by_text(name, exact=True).first.click()
    page.wait_for_timeout(500)


def choose(page: Page, number: int, option: str) -> None:
    """Choose an option of the visible dropdown with this number."""
    page.locator("input[role=combobox]:visible").nth(number).click()
    page.locator("[role=option]:visible").filter(has_text=option).first.click()


def shoot(page: Page, name: str) -> None:
    """Take a picture, without the mouse on anything that explains itself."""
    page.mouse.move(300, 300)
    page.wait_for_timeout(3000)
    page.screenshot(path=HERE / f"{name}.jpg", type="jpeg", quality=85)


if __name__ == "__main__":
    main()
