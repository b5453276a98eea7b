"""Draw docs/pictures/move_cube.png: four moments of the move-cube experiment, side by side.

Run it from the root of the checkout:
    MUJOCO_GL=egl .venv/bin/python docs/pictures/make_move_cube.py
"""

from pathlib import Path

import mujoco
import numpy as np
from matplotlib.image import imsave

from mecano import tasks

MOMENTS = (0.02, 2.35, 3.75, 4.9)  # [s]: at home, at the cube, on the way, about to let go
SIZE = 480, 420


def main() -> None:
    """Run the experiment and keep a picture of each moment."""
    pictures: list[np.ndarray] = []

    def watch(robot) -> None:
        renderer = mujoco.Renderer(robot.world.model, SIZE[1], SIZE[0])
        camera = mujoco.MjvCamera()
        camera.lookat, camera.distance = [0.10, 0.0, 0.09], 0.62
        camera.azimuth, camera.elevation = 145.0, -24.0

        def look(session) -> None:
            if len(pictures) < len(MOMENTS) and session.time >= MOMENTS[len(pictures)]:
                mujoco.mj_forward(robot.world.model, robot.world.data)
                renderer.update_scene(robot.world.data, camera)
                pictures.append(renderer.render())

        robot.session.observers.append(look)

    tasks.run_experiment(tasks.get("open_manipulator_x/move-cube"), seed=1, watch=watch)
    gap = np.full((SIZE[1], 6, 3), 255, np.uint8)
    strip = [part for picture in pictures for part in (picture, gap)][:-1]
    imsave(Path(__file__).with_name("move_cube.png"), np.concatenate(strip, axis=1))


if __name__ == "__main__":
    main()
