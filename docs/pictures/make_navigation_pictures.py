"""Draw the pictures of docs/navigation.md: python docs/pictures/make_navigation_pictures.py

Driven paths over maps of one run of each experiment, seed 1, and a screenshot of the view while
MADAR navigates. The screenshot needs playwright and Debian's chromium; all takes some five minutes.
"""

import sys
from pathlib import Path

from make_view_pictures import FLAGS, SIZE, tab, visit
from playwright.sync_api import sync_playwright

import mecano
from mecano import tasks
from mecano.lab.people import Walk, add_walks, with_people
from mecano.tasks.experiment import run_experiment
from mecano.tasks.madar_navigate import STATIONS
from mecano.viewer.viewer import Viewer
from mecano.world.floor_plan import floor_plan

HERE = Path(__file__).parent
EXPERIMENTS = ("crumb/map-and-navigate", "madar/navigate", "madar/recovery", "youbot/navigate")


def driven_paths() -> None:
    """Draw a run of each experiment."""
    for name in EXPERIMENTS:
        result = run_experiment(tasks.get(name), seed=1)
        robot, what = name.split("/")
        result.products["navigation.png"](HERE / f"navigation_{robot}_{what}.png")


def view() -> None:
    """Take a screenshot while MADAR drives to the desks and somebody walks by."""
    changes = [with_people([(1.4, 3.9)])]
    with mecano.connect("madar_base", scene="laboratory", changes=changes, seed=1) as robot:
        robot.wait(0.3)
        here = robot.truth.base_pose()
        robot.base.reset_odometry(here)
        add_walks(robot, [Walk(points=((1.4, 3.9), (3.1, 8.9)), begins=2.5)])
        height = next(iter(robot.lidars.values())).pose.position[2]
        grid = floor_plan(robot.world.model, height)
        with (
            robot.start_localization(grid, start=here) as localization,
            robot.start_navigation(grid, pose=localization, stations=STATIONS) as navigation,
            Viewer(robot) as viewer,
            sync_playwright() as playwright,
        ):
            navigation.go_to("desks", wait=False)
            robot.wait(4.6)
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
            page = browser.new_page(viewport=SIZE)
            visit(page, viewer.url)
            tab(page, "Look")
            for client in viewer.server.get_clients().values():
                client.camera.position = (2.4, 1.2, 6.2)
                client.camera.look_at = (2.4, 6.0, 0.0)
            with robot.session.lock:
                viewer.sampler.take()
            page.wait_for_timeout(6000)
            page.screenshot(path=HERE / "navigation_view.jpg", type="jpeg", quality=80)
            browser.close()


if __name__ == "__main__":
    if "view" not in sys.argv:
        driven_paths()
    view()
