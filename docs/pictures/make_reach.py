"""Draw docs/pictures/reach.png: the arm, its reach, both ways to a point, and an explained miss.

Run it from the root of the checkout: .venv/bin/python docs/pictures/make_reach.py
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mecano import robots
from mecano.kinematics import Chain

DARK, REACH, FRONT, BACK, MISS = "#10151c", "#2d6cdf", "#ffb454", "#7fd962", "#f07178"
HEADING = np.pi / 2  # the drawing shows the plane x = 0.012 m, y to the right


def main() -> None:
    """Draw the picture."""
    arm = robots.get("open_manipulator_x").chain()
    figure = Figure(figsize=(12, 5.6), facecolor=DARK, layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes in (left, right):
        draw_reach(axes, arm)
    point, pitch = [0.012, 0.12, 0.34], -1.4
    for q, colour in zip(arm.inverse(point, pitch=pitch).solutions, (FRONT, BACK), strict=True):
        draw_arm(left, arm, q, colour)
    title(left, "one point, one pitch: every way to reach it")

    asked = [0.012, 0.36, 0.03]
    result = arm.inverse(asked, pitch=0.9)
    draw_arm(right, arm, result.nearest.joints, FRONT)
    right.plot(asked[1], asked[2], "x", color=MISS, ms=12, mew=3)
    right.plot(
        [asked[1], result.nearest.position[1]],
        [asked[2], result.nearest.position[2]],
        ":",
        color=MISS,
    )
    title(right, "out of reach: why, and what comes nearest")
    right.text(
        0.5, 0.02, result.message.replace("; ", "\n"),
        color=MISS, transform=right.transAxes, ha="center", fontsize=11, family="monospace",
    )  # fmt: skip
    figure.savefig(Path(__file__).with_name("reach.png"), dpi=100)


def draw_reach(axes: Axes, arm: Chain) -> None:
    """Fill what the tool can reach in the plane."""
    rng = np.random.default_rng(0)
    q = rng.uniform(arm.dh.lower, arm.dh.upper, (150_000, 4))
    q[:, 0] = HEADING
    points = arm.forward(q)[:, :3, 3]
    axes.hexbin(
        points[:, 1], points[:, 2], gridsize=90, mincnt=1, cmap="Blues_r", alpha=0.55, lw=0.1
    )
    axes.axhline(0.0, color="#8899aa", lw=1)
    axes.set(aspect="equal", facecolor=DARK, xlim=(-0.42, 0.46), ylim=(-0.26, 0.50))
    axes.tick_params(colors="#8899aa")
    axes.set_xlabel("y [m]", color="#8899aa")
    axes.set_ylabel("z [m]", color="#8899aa")
    for spine in axes.spines.values():
        spine.set_visible(False)


def draw_arm(axes: Axes, arm: Chain, q: np.ndarray, colour: str) -> None:
    """Draw the links as a line with the joints as dots, and the tool as an arrow."""
    corners = np.vstack([[0.0, 0.0, 0.0], arm.dh.joint_frames(q)[:, :3, 3]])
    axes.plot(
        corners[:, 1], corners[:, 2], "-", color=colour, lw=9, alpha=0.9, solid_capstyle="round"
    )
    axes.plot(corners[1:-1, 1], corners[1:-1, 2], "o", color=DARK, ms=7)
    axes.plot(corners[-1, 1], corners[-1, 2], "o", color="white", ms=6, zorder=5)


def title(axes: Axes, text: str) -> None:
    """Write a heading in the picture's colours."""
    axes.set_title(text, color="white", fontsize=13)


if __name__ == "__main__":
    main()
