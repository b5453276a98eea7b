"""Draw the pictures of docs/romerin.md: walks, the corner, plots. Takes five minutes.

Run it from the root of the project: python docs/pictures/make_romerin_pictures.py
"""

import math
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image, ImageDraw

import mecano
from mecano.skills.stepping import Phase
from mecano.world.mirror import Mirror
from mecano.world.rendering import open_renderer
from mecano.world.views import View

FOLDER = Path(__file__).parent
SIZE = 480, 420
QUADRUPED, OCTOPOD = "examples/modular_quadruped", "examples/modular_octopod"
WALKS = (
    ("floor, tripod", "romerin", "empty", "tripod", 4, (140.0, -24.0), (-0.3, 0.25, -1.0)),
    ("wall, wave", "romerin", "wall", "wave", 5, (68.0, -14.0), (0.75, 0.35, -0.5)),
    ("ceiling, wave", "romerin", "ceiling", "wave", 6, (138.0, 20.0), (-0.35, 0.3, 0.8)),
)
FLOOR, WALL = ((140.0, -28.0), (-0.3, 0.25, -1.0)), ((68.0, -14.0), (0.75, 0.35, -0.5))
MODULAR = (
    ("4 legs, floor, wave", QUADRUPED, "empty", "wave", 4, *FLOOR),
    ("4 legs, wall, wave", QUADRUPED, "wall", "wave", 4, *WALL),
    ("8 legs, floor, tetrapod", OCTOPOD, "empty", "tetrapod", 2, *FLOOR),
    ("8 legs, wall, tetrapod", OCTOPOD, "wall", "tetrapod", 8, *WALL),
)
"""Label, robot, scene, gait, leg in the air, azimuth and elevation of the camera [deg], where the
light shines: that of the scenes does not reach walls and ceilings."""
PITCHES = 20.0, 45.0, 70.0, 90.0
"""Of the body in the frames of the corner [deg]."""
PLOTS = (
    ("romerin/reach", (), "reach.png", "romerin_reach.png"),
    ("romerin/walk", (), "leg1.png", "romerin_leg1.png"),
    ("romerin/wall-release", (), "wall.png", "romerin_wall_release.png"),
    ("romerin/workspace", (), "workspace.png", "romerin_workspace.png"),
    ("romerin/climb", ("distance=0.3",), "cups.png", "romerin_climb.png"),
)
"""Experiment, its options, the plot that it leaves, and what the plot is called here."""


def lifted(robot, leg: int) -> bool:
    """Tell whether a leg is at the highest point of its swing; legs count from 1."""
    stepper = robot.legs.walking.stepper
    swings = stepper.phases[leg - 1] is Phase.SWING
    return swings and abs(stepper._age[leg - 1] - 0.5 * stepper.times.swing) < 0.01


def draw(model, state, view: View, light: tuple[float, float, float], text: str) -> Image.Image:
    """Return a picture of a state, with a label."""
    mirror = Mirror(model)
    mirror.model.light_dir[0] = np.array(light) / np.linalg.norm(light)
    mirror.model.light_pos[0] = view.look_at - 0.7 * mirror.model.light_dir[0]
    mirror.show(state)
    with open_renderer(mirror, size=SIZE) as renderer:
        picture = Image.fromarray(renderer.render(mirror, view))
    ImageDraw.Draw(picture).text((12, 8), text, fill=(20, 20, 20), font_size=22)
    return picture


def walking(text: str, name: str, scene: str, gait: str, leg: int, angles, light) -> Image.Image:
    """Walk, and draw a leg in the air."""
    with mecano.connect(name, scene=scene) as robot:
        robot.legs.walk(gait=gait, speed=0.008, lift=0.04, wait=False)
        robot.session.wait_until(lambda: lifted(robot, leg), timeout=10.0)
        place = robot.truth.body_pose(f"{robot.name}/body_link").position
        azimuth, elevation = (math.radians(angle) for angle in angles)
        view = View(
            look_at=place,
            distance=0.69 if len(robot.legs) <= 6 else 0.8,
            azimuth=azimuth,
            elevation=elevation,
        )
        return draw(robot.world.model, robot.world.state(), view, light, text)


def pitch(robot) -> float:
    """Return how far the nose of the body is up [deg]."""
    T = robot.truth.body_pose("romerin/body_link").matrix()
    return math.degrees(math.atan2(T[2, 0], T[2, 2]))


def corner() -> list[Image.Image]:
    """Step from the floor to the wall, and draw the body at some angles."""
    pictures = []
    view = View(
        look_at=np.array([-0.19, 0.0, 0.19]), distance=0.86,
        azimuth=math.radians(72.0), elevation=math.radians(-12.0),
    )  # fmt: skip
    with mecano.connect("romerin", scene="corner") as robot:
        robot.wait(2.0)
        start = -robot.truth.body_pose("romerin/body_link").position[0]
        assert robot.legs.walk(start - 0.33, gait="wave").reached
        ahead = -robot.truth.body_pose("romerin/body_link").position[0]
        crossing = robot.legs.cross_corner(ahead, wait=False)
        for angle in PITCHES:
            reached = lambda angle=angle: pitch(robot) > angle - 1.0 or crossing.done  # noqa: E731
            robot.session.wait_until(reached, timeout=200.0)
            text = f"{robot.time:.0f} s, {pitch(robot):.0f} deg"
            pictures.append(
                draw(robot.world.model, robot.world.state(), view, (0.6, 0.5, -0.8), text)
            )
    return pictures


def strip(pictures: list[Image.Image], name: str) -> None:
    """Put pictures side by side."""
    width, height = pictures[0].size
    sheet = Image.new("RGB", (len(pictures) * (width + 4) - 4, height), "white")
    for i, picture in enumerate(pictures):
        sheet.paste(picture, (i * (width + 4), 0))
    sheet.thumbnail((1520, 1000), Image.Resampling.LANCZOS)
    sheet.save(FOLDER / name, optimize=True)


def plots() -> None:
    """Run experiments, and keep the plots that they draw, in few colours."""
    for experiment, options, plot, name in PLOTS:
        with TemporaryDirectory() as folder:
            record = Path(folder) / "run"
            command = [sys.executable, "-m", "mecano", "run", experiment, "--record", str(record)]
            command += [part for option in options for part in ("-o", option)]
            subprocess.run(command, check=True)
            sheet = Image.open(record / plot).convert("RGB")
        sheet.thumbnail((1300, 1300), Image.Resampling.LANCZOS)
        few = sheet.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
        few.save(FOLDER / name, optimize=True)


def main() -> None:
    """Draw everything."""
    strip([walking(*walk) for walk in WALKS], "romerin_strip.png")
    strip([walking(*walk) for walk in MODULAR], "romerin_4_8.png")
    strip(corner(), "romerin_corner.png")
    plots()


if __name__ == "__main__":
    main()
