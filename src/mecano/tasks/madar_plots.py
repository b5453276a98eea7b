"""Pictures of MADAR's experiments. Loading matplotlib takes 0.6 s, so it is done late."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.estimation.scan_coverage import directions, seen_by

if TYPE_CHECKING:
    from mecano.tasks.base_kinematics import Found
    from mecano.tasks.figure_eight import Driven

TRUE, OURS, PAPERS, SHADE = "#7a7a7a", "#1f4e9c", "#c0392b", "#f2c14e"
FAR = 5.0
"""So far out coverage is drawn [m]."""


def draw_base(found: "Found", path: Path) -> None:
    """Draw the square with both odometries, and what the LIDARs have in view by crop."""
    from mecano.tasks.base_tables import CROPS

    figure = new_figure(13.0, 5.2)
    grid = figure.add_gridspec(
        1, 3, width_ratios=(2.0, 1.0, 1.0), left=0.06, right=0.98, bottom=0.11, top=0.86, wspace=0.3
    )
    way = figure.add_subplot(grid[0])
    course = found.course
    draw_way(way, course.papers, PAPERS, "the paper's odometry")
    draw_way(way, course.truth, TRUE, "truth", width=4.0)
    draw_way(way, course.ours, OURS, "our odometry")
    way.set_title(
        f"square with turns: ours {1000 * course.legs[-1][1]:.1f} mm off, the paper's "
        f"{course.legs[-1][3]:.2f} m", fontsize=11,
    )  # fmt: skip
    way.legend(fontsize=9)
    for place, name in ((1, "paper"), (2, "ours")):
        axis = figure.add_subplot(grid[place], projection="polar")
        _draw_view(axis, found.lidars, CROPS[name])
        axis.set_title(f"blind for all LIDARs (red), {name}:\n+-{np.degrees(CROPS[name]):.0f} deg",
                       fontsize=11)  # fmt: skip
    figure.suptitle("MADAR: base kinematics", fontsize=13)
    figure.savefig(path)


def draw_eight(rounds: "Sequence[Driven]", path: Path) -> None:
    """Draw the way, and how far the base is from its target with each controller."""
    figure = new_figure(12.0, 4.6)
    way, off = figure.subplots(1, 2)
    wanted = rounds[0].wanted
    way.plot(wanted[:, 0], wanted[:, 1], color=TRUE, linewidth=4.0, label="target")
    for each, colour in zip(rounds, (PAPERS, OURS), strict=True):
        way.plot(each.true[:, 0], each.true[:, 1], color=colour, linewidth=1.2)
        times = each.tick * np.arange(1, 1 + len(each.distances))
        off.plot(times, 1000.0 * each.distances, color=colour,
                 label=f"{each.controller}: {1000 * each.off[0]:.2f} mm rms")  # fmt: skip
    way.set_aspect("equal", adjustable="datalim")
    way.set_xlabel("x [m]")
    way.set_ylabel("y [m]")
    off.set_xlabel("time [s]")
    off.set_ylabel("from the target, in truth [mm]")
    off.set_ylim(bottom=0.0)
    off.legend()
    for axis in (way, off):
        axis.grid(alpha=0.25)
    figure.savefig(path)


def draw_carry(rows: Array, force: float, goal: Array, path: Path) -> None:
    """Draw the way of the box from above and its height, and what the hands press with.

    Args:
        rows: Time [s], x, y and height of the box [m], force of each hand [N]. Shape (n, 5).
        force: That was asked for [N].
        goal: Where the box shall stand [m]. Shape (3,).
        path: Of the picture.
    """
    figure = new_figure(12.0, 5.2)
    grid = figure.add_gridspec(2, 2, width_ratios=(1.0, 1.6), wspace=0.22, hspace=0.12)
    way, high = figure.add_subplot(grid[:, 0]), figure.add_subplot(grid[0, 1])
    press = figure.add_subplot(grid[1, 1], sharex=high)
    times, x, y, height, forces = rows.T
    way.plot(x, y, color=OURS, label="middle of the box")
    way.plot(goal[0], goal[1], "+", color=PAPERS, markersize=12, label="its place")
    way.set_aspect("equal", adjustable="datalim")
    way.set_xlabel("x [m]")
    way.set_ylabel("y [m]")
    way.legend(fontsize=9)
    high.plot(times, 1000.0 * (height - goal[2]), color=OURS)
    high.set_ylabel("box above its place [mm]")
    high.tick_params(labelbottom=False)
    press.axhline(force, color=TRUE, linestyle=":", label=f"asked for: {force:g} N")
    press.plot(times, forces, color=PAPERS, label="each hand, by its motors")
    press.set_xlabel("time [s]")
    press.set_ylabel("force [N]")
    press.legend(fontsize=9)
    for axis in (way, high, press):
        axis.grid(alpha=0.25)
    figure.suptitle("MADAR carries a box between its hands", fontsize=13)
    figure.savefig(path)


def _draw_view(axis: Any, lidars: dict[str, Any], crop: float) -> None:
    """Shade points that no LIDAR has in view; forward is up."""
    bearings, far = directions(720), np.linspace(0.45, FAR, 60)
    counts = np.array([
        np.sum(list(seen_by(lidars, crop, float(d), bearings).values()), axis=0) for d in far
    ])  # fmt: skip
    axis.pcolormesh(bearings, far, counts == 0, cmap="Reds", vmin=0.0, vmax=1.4, shading="nearest")
    axis.set_theta_zero_location("N")
    axis.set_rticks([1, 2, 3, 4, 5])
    axis.tick_params(labelsize=8)
    axis.grid(alpha=0.4)


def draw_way(
    axis: Any, poses: Sequence[Pose2], colour: str, label: str, *, width: float = 1.6
) -> None:
    """Draw poses as a line from above."""
    axis.plot([p.x for p in poses], [p.y for p in poses], color=colour, label=label,
              linewidth=width)  # fmt: skip
    axis.set_aspect("equal", adjustable="datalim")
    axis.set_xlabel("x [m]")
    axis.set_ylabel("y [m]")
    axis.grid(alpha=0.25)


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure [inches] that needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=110)
    FigureCanvasAgg(figure)
    return figure
