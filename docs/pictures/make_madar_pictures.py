"""Draw the pictures of docs/madar.md: the robot, and how it carries a box. Takes two minutes.

Run it from the root of the project: python docs/pictures/make_madar_pictures.py
"""

from math import radians
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import mecano
from mecano.tasks.carry import Carry
from mecano.world.mirror import Mirror
from mecano.world.rendering import open_renderer
from mecano.world.views import View

FOLDER = Path(__file__).parent
SIZE = 520, 460
STEPS = (
    (0, "folded, 0.6 m before the table"),
    (1, "the hands go around the body to both sides"),
    (3, "squeezed with 30 N"),
    (4, "lifted"),
    (6, "carried 3 m sideways"),
    (9, "set down"),
)
"""After how many steps of the experiment a picture is drawn, and what it says."""


def draw(robot, view: View, text: str, size: tuple[int, int] = SIZE) -> Image.Image:
    """Return a picture of the robot as it is now, with a label."""
    mirror = Mirror(robot.world.model)
    mirror.show(robot.world.state())
    with open_renderer(mirror, size=size) as renderer:
        picture = Image.fromarray(renderer.render(mirror, view))
    ImageDraw.Draw(picture).text((12, 8), text, fill=(20, 20, 20), font_size=22)
    return picture


def beside(robot) -> View:
    """Look at the robot from its right, ahead."""
    base = robot.truth.base_pose()
    look_at = np.array([base.x + 0.35, base.y, 0.85])
    return View(look_at=look_at, azimuth=radians(128.0), elevation=radians(-18.0), distance=3.0)


def carry() -> None:
    """Draw the steps of the experiment as a strip of two rows."""
    with mecano.connect("madar", scene="carry") as robot:
        task = Carry(robot, 30.0)
        wanted = {number: text for number, text in STEPS}
        pictures = [draw(robot, beside(robot), wanted[0])]
        for number, step in enumerate(task.steps(), start=1):
            problem = step()
            if problem:
                raise SystemExit(problem)
            if number in wanted:
                pictures.append(draw(robot, beside(robot), wanted[number]))
    width, height = SIZE
    strip = Image.new("RGB", (3 * width, 2 * height))
    for i, picture in enumerate(pictures):
        strip.paste(picture, ((i % 3) * width, (i // 3) * height))
    strip.save(FOLDER / "madar_carry.png", optimize=True)


def portrait() -> None:
    """Draw the robot in three postures."""
    pictures = []
    for posture in ("home", "ready", "carry"):
        with mecano.connect("madar", scene="empty", start=posture) as robot:
            view = View(
                look_at=np.array([0.1, 0.0, 0.8]),
                azimuth=radians(145.0),
                elevation=radians(-16.0),
                distance=2.9,
            )
            pictures.append(draw(robot, view, posture, (480, 560)))
    strip = Image.new("RGB", (3 * 480, 560))
    for i, picture in enumerate(pictures):
        strip.paste(picture, (i * 480, 0))
    strip.save(FOLDER / "madar.png", optimize=True)


if __name__ == "__main__":
    portrait()
    carry()
