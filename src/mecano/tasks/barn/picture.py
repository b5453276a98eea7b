"""Driven paths through a BARN world, as a picture."""

from collections.abc import Sequence
from pathlib import Path

from mecano.tasks.barn.trial import TrialResult
from mecano.tasks.barn.worlds import BarnWorld

COLOURS = {"success": "#1b7f3b", "collision": "#c0392b", "timeout": "#d68910"}


def draw_paths(world: BarnWorld, runs: Sequence[TrialResult], file: Path) -> None:
    """Draw cylinders, start, goal and the driven path of each run (ground truth) into a file.

    Args:
        world: See there.
        runs: Of this world.
        file: Its suffix says the format: .svg or .png.
    """
    from matplotlib.collections import EllipseCollection
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle

    figure = Figure(figsize=(3.2, 6.4))
    axes = figure.add_subplot()
    size = [2.0 * world.obstacle_radius] * len(world.obstacles)
    axes.add_collection(
        EllipseCollection(
            size, size, [0.0] * len(size), units="xy", offsets=world.obstacles,
            offset_transform=axes.transData, facecolors="#555555",
        )
    )  # fmt: skip
    axes.add_patch(Circle(world.goal, world.goal_radius, fill=False, ls="--", color="#2c5aa0"))
    axes.plot(world.start.x, world.start.y, "o", color="#2c5aa0", ms=4)
    for run in runs:
        axes.plot(run.track[:, 0], run.track[:, 1], lw=1.2, color=COLOURS[run.outcome])
    low, high = world.obstacles.min(axis=0), world.obstacles.max(axis=0)
    axes.set_xlim(low[0] - 0.3, high[0] + 0.3)
    axes.set_ylim(min(low[1], world.start.y) - 0.3, max(high[1], world.goal[1] + 1.0) + 0.3)
    axes.set_aspect("equal")
    times = ", ".join(f"{run.actual_time:.1f}" for run in runs)
    axes.set_title(f"world {world.number}: {times} s", fontsize=9)
    axes.set_xlabel("x [m]", fontsize=8)
    axes.set_ylabel("y [m]", fontsize=8)
    axes.tick_params(labelsize=7)
    figure.tight_layout()
    figure.savefig(file)
