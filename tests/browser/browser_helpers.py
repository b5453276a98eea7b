"""A real browser without a window, and what a person does with a page in it."""

import os
import shutil
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Locator, Page, Playwright

PATIENCE = 120.0
"""How long anything may take: a browser without a graphics card draws few pictures a second [s]."""
FLAGS = [
    "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-gpu-sandbox", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
SIZE = {"width": 900, "height": 560}
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
VARIABLE = "MECANO_CHROMIUM"


def find_chromium() -> str | None:
    """Return the program of the browser: `MECANO_CHROMIUM`, or the first in the path."""
    if chosen := os.environ.get(VARIABLE):
        return chosen
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def start_chromium(playwright: Playwright) -> Browser:
    """Start a browser with a fresh user of its own."""
    return playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)


def eventually(claim: Callable[[], Any], *, seconds: float = PATIENCE, or_else: Any = None) -> Any:
    """Return what a claim answers as soon as it is true; fail if it never is, or say else what."""
    deadline = time.monotonic() + seconds
    while not (answer := claim()):
        if time.monotonic() >= deadline:
            assert or_else is not None, f"not within {seconds:.0f} s"
            return or_else
        time.sleep(0.02)
    return answer


class Person:
    """Somebody with a page in front of them."""

    def __init__(self, page: Page) -> None:
        """Sit down; what the browser complains of is noted."""
        self.page = page
        self.errors: list[str] = []
        page.add_init_script(KEEP_PICTURES)
        page.set_default_timeout(1000 * PATIENCE)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note)

    def _note(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def visit(self, url: str, *, sees: str) -> None:
        """Open a page and wait for a control."""
        self.page.goto(url)
        self.row(sees).wait_for()

    def row(self, label: str) -> Locator:
        """Return the row of a control, by the text beside it."""
        row = "ancestor::div[contains(@class, 'Flex-root')][1]"
        found = self.page.locator(f"xpath=//label[normalize-space(.)='{label}']/{row}")
        return found.locator("visible=true").first

    def press(self, label: str, button: str) -> None:
        """Press a button in the row of a label."""
        self.row(label).get_by_role("button", name=button, exact=True).click()

    def fill(self, label: str, *values: float) -> None:
        """Type numbers into the boxes of a row."""
        boxes = self.row(label).locator("input[inputmode=decimal]")
        for i, value in enumerate(values):
            boxes.nth(i).fill(str(value))
            boxes.nth(i).press("Enter")
            self.page.evaluate(PAUSE)

    def number(self, label: str) -> float:
        """Return what the box of a row shows."""
        return float(self.row(label).locator("input[inputmode=decimal]").first.input_value())

    def choose(self, label: str, option: str) -> None:
        """Choose from the list of a row."""
        fields = self.row(label).locator("input[role=combobox], input[aria-haspopup=listbox]")
        fields.first.evaluate("field => field.scrollIntoView({block: 'center'})")
        fields.first.click(force=True)
        offered = self.page.get_by_role("option", name=option, exact=True)
        offered.locator("visible=true").click(force=True)

    def tick(self, label: str) -> None:
        """Click a checkbox."""
        self.row(label).locator("input[type=checkbox]").click()

    def open_tab(self, name: str) -> None:
        """Turn to another tab of the panel."""
        self.page.get_by_role("tab", name=name).click()

    def press_mouse(self, pixel: tuple[float, float]) -> None:
        """Go to a pixel and press the mouse button there."""
        self.page.mouse.move(*pixel)
        self.page.mouse.down()

    def drag_to(self, pixel: tuple[float, float]) -> None:
        """Go to a pixel with the mouse button pressed."""
        self.page.mouse.move(*pixel, steps=12)

    def let_go(self) -> None:
        """Release the mouse button."""
        self.page.mouse.up()


PAUSE = "() => new Promise(resolve => setTimeout(resolve, 60))"
"""Between two entries: of all that is typed within 50 ms a page sends the last entry only. By the
page's own clock, so a page that is slow waits as well."""


def is_drawn(page: Page) -> bool:
    """Tell whether the scene shows more than a few colours."""
    return page.evaluate(COUNT_COLOURS) > 20


KEEP_PICTURES = """
const plain = HTMLCanvasElement.prototype.getContext
HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return plain.call(this, kind, {...options, preserveDrawingBuffer: true})
}"""
"""Run before a page's own scripts: a picture can then be read after it was drawn."""
COUNT_COLOURS = """() => {
    const scene = document.querySelector('canvas[data-engine]')
    if (!scene || !scene.width) return 0
    const small = document.createElement('canvas')
    small.width = 64
    small.height = 40
    const context = small.getContext('2d')
    context.drawImage(scene, 0, 0, 64, 40)
    return new Set(new Uint32Array(context.getImageData(0, 0, 64, 40).data.buffer)).size
}"""


def pixel_of(client: Any, point: np.ndarray) -> tuple[float, float]:
    """Return where a point of the world is in the page of a client."""
    camera = client.camera
    forward = camera.look_at - camera.position
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, camera.up_direction)
    right = right / np.linalg.norm(right)
    seen = np.stack([right, np.cross(right, forward), forward]) @ (point - camera.position)
    x, y = seen[:2] / (seen[2] * np.tan(camera.fov / 2))
    half = camera.image_height / 2
    return float(camera.image_width / 2 + x * half), float(half - y * half)
