"""Draw the picture of docs/new_robot.md: four moments of examples/husky_ur10/pick.py.

Run it from the root of the project: python docs/pictures/make_husky_ur10.py
"""

import math
import runpy
from pathlib import Path
from unittest.mock import patch

import numpy as np
from PIL import Image, ImageDraw

import mecano
from mecano.world.mirror import Mirror
from mecano.world.rendering import open_renderer
from mecano.world.views import View

FOLDER = Path(__file__).parent
PROGRAM = FOLDER.parents[1] / "examples" / "husky_ur10" / "pick.py"
FRAMES = ((0.0, "the start"), (5.6, "skid steering"), (11.6, "grasping"), (13.4, "lifted"))
SIZE = (800, 600)


def watched_run() -> tuple[mecano.Robot, list[np.ndarray]]:
    """Run the program once; return its robot and the states at the times of the frames."""
    robots, states = [], []
    connect = mecano.connect

    def watch(*args, **options) -> mecano.Robot:
        robot = connect(*args, **options)
        times = [time for time, _ in FRAMES]

        def look(session) -> None:
            if len(states) < len(times) and session.time >= times[len(states)]:
                states.append(robot.world.state())

        robot.session.observers.append(look)
        robots.append(robot)
        return robot

    with patch.object(mecano, "connect", watch):
        runpy.run_path(str(PROGRAM))
    assert len(states) == len(FRAMES), f"the run took {robots[0].time:.1f} s"
    return robots[0], states


def main() -> None:
    """Draw the frames, two by two."""
    robot, states = watched_run()
    mirror = Mirror(robot.world.model)
    wide, near = (
        View(
            look_at=np.array(point), distance=distance,
            azimuth=math.radians(140), elevation=math.radians(-22),
        )
        for point, distance in (((0.85, 0.8, 0.35), 3.7), ((1.5, 1.25, 0.5), 2.5))
    )  # fmt: skip
    sheet = Image.new("RGB", (2 * SIZE[0], 2 * SIZE[1]))
    with open_renderer(mirror, size=SIZE) as renderer:
        for number, (state, (_, text)) in enumerate(zip(states, FRAMES, strict=True)):
            mirror.show(state)
            picture = Image.fromarray(renderer.render(mirror, wide if number < 2 else near))
            ImageDraw.Draw(picture).text((16, 12), text, fill=(20, 20, 20), font_size=30)
            sheet.paste(picture, (number % 2 * SIZE[0], number // 2 * SIZE[1]))
    sheet.quantize(256, Image.Quantize.FASTOCTREE).save(FOLDER / "husky_ur10.png", optimize=True)


if __name__ == "__main__":
    main()
