"""Draw the pictures of docs/youbot.md: key frames, routes, wheel card. Takes about two minutes.

Run it from the root of the project: python docs/pictures/make_youbot.py
"""

import math
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image, ImageDraw

import mecano
from mecano import tasks
from mecano.tasks.wheel_card import DRIVES, drive
from mecano.world.mirror import Mirror
from mecano.world.rendering import open_renderer
from mecano.world.views import View

FOLDER = Path(__file__).parent
FRAMES = (
    (2.0, "the start"), (18.0, "route 1"), (37.7, "docked: the cube is taken"),
    (52.5, "onto the tray"), (62.0, "route 2: by friction alone"), (98.5, "set down on table 2"),
)  # fmt: skip


def key_frames() -> tuple[list, dict[str, np.ndarray]]:
    """Run the routine once; return states at the times of the frames, and the ways driven."""
    states, way = [], []

    def watch(robot) -> None:
        def look(session) -> None:
            way.append([session.time, robot.truth.base_pose().x, robot.truth.base_pose().y])
            if len(states) < len(FRAMES) and session.time >= FRAMES[len(states)][0]:
                pose = robot.truth.base_pose()
                states.append((robot.world.state(), pose))

        robot.session.observers.append(look)
        watch.robot = robot

    result = tasks.run_experiment(tasks.get("youbot/transport"), seed=0, watch=watch)
    assert result.success, result.remark
    model, paths = watch.robot.world.model, watch.robot.paths
    mirror = Mirror(model)
    pictures = []
    with open_renderer(mirror, size=(640, 420)) as renderer:
        for (state, pose), (_, text) in zip(states, FRAMES, strict=True):
            mirror.show(state)
            view = View(
                look_at=np.array([pose.x - 0.05, pose.y, 0.15]), distance=1.75,
                azimuth=math.radians(148), elevation=math.radians(-28),
            )  # fmt: skip
            picture = Image.fromarray(renderer.render(mirror, view))
            ImageDraw.Draw(picture).text((12, 10), text, fill=(20, 20, 20), font_size=26)
            pictures.append(picture)
    routes = {name: path.sample(0.02)[:, :2] for name, path in paths.items()}
    return pictures, {"driven": np.array(way), **routes}


def strip(pictures: list) -> None:
    """Put the frames side by side, three in a row."""
    width, height = pictures[0].size
    sheet = Image.new("RGB", (3 * width, 2 * height))
    for i, picture in enumerate(pictures):
        sheet.paste(picture, ((i % 3) * width, (i // 3) * height))
    sheet = sheet.resize((1440, 630), Image.Resampling.LANCZOS)
    sheet.save(FOLDER / "youbot_transport.png", optimize=True)


def routes(ways: dict[str, np.ndarray]) -> None:
    """Draw the routes commanded and driven, over each other."""
    figure, axis = plt.subplots(figsize=(4.6, 7.2), layout="constrained")
    for name, colour in (("route_1", "tab:blue"), ("route_2", "tab:green"), ("route_3", "tab:red")):
        axis.plot(*ways[name].T, color=colour, lw=5, alpha=0.3, label=name.replace("_", " "))
    axis.plot(ways["driven"][:, 1], ways["driven"][:, 2], "k", lw=0.9, label="driven")
    for x, y, text in ((-0.8025, 1.195, "table 1"), (-1.4, -2.667, "table 2")):
        axis.add_patch(plt.Rectangle((x - 0.2, y - 0.4), 0.4, 0.8, color="tab:orange", alpha=0.7))
        axis.text(x, y, text, ha="center", va="center", rotation=90)
    axis.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="routes of youbot/transport")
    axis.grid(alpha=0.3)
    axis.legend(loc="upper left", fontsize=8)
    figure.savefig(FOLDER / "youbot_routes.png", dpi=110)


def wheel_card() -> None:
    """Draw how far off each drive was, over its time, for both models of the wheels."""
    figure, axes = plt.subplots(2, 3, figsize=(10.5, 5.6), sharex=False, layout="constrained")
    for robot, colour, label in (
        ("youbot", "tab:blue", "ball wheels"), ("youbot_rollers", "tab:red", "rollers"),
    ):  # fmt: skip
        with mecano.connect(robot, scene="empty") as connected:
            connected.wait(0.5)
            for axis, (name, segments) in zip(axes.flat, DRIVES.items(), strict=True):
                driven = drive(connected, segments)
                off = driven.reached - driven.commanded
                times = np.arange(len(off)) * 0.01
                axis.plot(
                    times, 1000 * np.hypot(off[:, 0], off[:, 1]), colour, label=f"{label}, mm"
                )
                turned = np.degrees(np.abs((off[:, 2] + math.pi) % (2 * math.pi) - math.pi))
                axis.plot(times, turned, colour, ls=":", label=f"{label}, degrees")
                axis.set(title=name, xlabel="time [s]", yscale="log", ylim=(0.003, 40))
                axis.grid(alpha=0.3)
    axes.flat[0].legend(fontsize=8)
    figure.suptitle("how far the base is from where it was told to be")
    figure.savefig(FOLDER / "youbot_wheels.png", dpi=100)


def main() -> None:
    """Draw everything."""
    pictures, ways = key_frames()
    strip(pictures)
    routes(ways)
    wheel_card()


if __name__ == "__main__":
    main()
