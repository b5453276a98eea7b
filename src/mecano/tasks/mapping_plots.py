"""Pictures of maps that were built while driving. Loading matplotlib takes 0.6 s: it is late."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import OccupancyGrid
from mecano.core.messages.maps import OCCUPIED, UNKNOWN
from mecano.tasks.madar_plots import OURS, PAPERS, TRUE, new_figure

if TYPE_CHECKING:
    from mecano.tasks.mapping_score import Mapped

GREY = 0.78
"""Brightness of what is unknown."""
TRUTH = "#e8590c"


def draw_map(mapped: "Mapped", title: str, path: Path) -> None:
    """Draw the map with the true walls over it, and where the base was."""
    figure = new_figure(9.0, 9.5)
    axis = figure.add_subplot()
    draw_grid(axis, mapped.grid)
    walls = mapped.plan.cell_to_world(np.argwhere(mapped.plan.data == OCCUPIED))
    axis.plot(*walls.T, ".", color=TRUTH, markersize=1.2, label="true walls")
    axis.plot(*mapped.odometry[:, :2].T, color=PAPERS, linewidth=0.9, label="odometry alone")
    axis.plot(*mapped.truth[:, :2].T, color=TRUE, linewidth=4.0, label="true way")
    axis.plot(*mapped.trajectory[:, 1:3].T, color=OURS, linewidth=1.2, label="way in the map")
    far, _ = mapped.rmse(mapped.trajectory[:, 1:])
    axis.set_title(
        f"{title}: poses {1000 * far:.0f} mm rms, "
        f"{100 * mapped.score.walls_near:.1f} % of the walls within 0.10 m", fontsize=11,
    )  # fmt: skip
    _fit(axis, np.vstack([walls, mapped.truth[:, :2]]))
    axis.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.07), ncols=4)
    figure.savefig(path)


def draw_errors(mapped: "Mapped", title: str, path: Path) -> None:
    """Draw how far poses were off, over the time."""
    figure = new_figure(10.0, 6.0)
    axes = figure.subplots(2, 1, sharex=True)
    stamps = mapped.trajectory[:, 0]
    for name, poses, colour in (
        ("odometry alone", mapped.odometry, PAPERS),
        ("as it was driven", mapped.live, TRUE),
        ("in the end", mapped.trajectory[:, 1:], OURS),
    ):
        errors = mapped.errors(poses)
        for axis, values in zip(axes, (errors[:, 0], np.degrees(errors[:, 1])), strict=True):
            axis.plot(stamps, np.maximum(values, 1e-4), color=colour, linewidth=1.2, label=name)
    for axis, unit in zip(axes, ("place [m]", "heading [deg]"), strict=True):
        axis.set_yscale("log")
        axis.set_ylabel(f"error of the {unit}")
        axis.grid(alpha=0.25)
    axes[0].set_title(title, fontsize=11)
    axes[0].legend(fontsize=9)
    axes[1].set_xlabel("time [s]")
    figure.savefig(path)


def draw_grid(axis: Any, grid: OccupancyGrid) -> None:
    """Draw a map as ROS users know it: walls black, free white, unknown grey."""
    bright = np.where(grid.data == UNKNOWN, GREY, 1.0 - grid.data / OCCUPIED)
    edges = np.mgrid[: grid.height + 1, : grid.width + 1].transpose(1, 2, 0)
    corners = grid.cell_to_world(edges - 0.5)  # the map may be turned
    axis.pcolormesh(corners[..., 0], corners[..., 1], bright, cmap="gray", vmin=0.0, vmax=1.0)
    axis.set_aspect("equal")
    axis.set_xlabel("x [m]")
    axis.set_ylabel("y [m]")


def _fit(axis: Any, points: Array) -> None:
    low, high = points.min(axis=0) - 0.4, points.max(axis=0) + 0.4
    axis.set_xlim(low[0], high[0])
    axis.set_ylim(low[1], high[1])
