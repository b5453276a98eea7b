"""`joints.png` and `tool_path.png`: a run at a glance.

Loading matplotlib takes 0.6 s, so it is done late.
"""

from pathlib import Path
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.record.columns import JointColumns
from mecano.record.recording import Recording

MOST_POINTS = 4000
"""More points per line are not seen."""
TARGET, REAL, ERROR = "#1f4e9c", "#f28e2b", "#c0392b"
SHOWN_UNITS = {"rad": ("rad", 1.0, "mrad", 1000.0), "m": ("mm", 1000.0, "mm", 1000.0)}
"""How values and errors of a unit are shown, and by what they are multiplied for it."""


def plot_joints(recording: Recording, file: Path) -> None:
    """Draw each joint's target and real value, with the error between them as a strip.

    The joints of an arm stand below each other, those of a leg side by side.
    """
    rows = _rows_of_joints(recording)
    wide = max(len(row) for row in rows)
    height = 1.3 + 1.6 * len(rows)
    figure = new_figure(10.0 if wide == 1 else 6.0 * wide, height)
    sides = {"left": 0.105, "right": 0.93} if wide == 1 else {"left": 0.06, "right": 0.955}
    edges = {"bottom": 0.5 / height, "top": 1.0 - 0.75 / height}
    grid = figure.add_gridspec(len(rows), 1, hspace=0.12, **sides, **edges)
    pick = thinned(len(recording.times))
    times = recording.times[pick]
    handles, first = [], None
    for place, row in enumerate(rows):
        cells = grid[place].subgridspec(1, len(row), wspace=0.42)
        for cell, (robot, i) in zip(cells, row, strict=True):
            first = axis = figure.add_subplot(cell, sharex=first)
            joints = recording.joints[robot]
            label = joints.names[i] if len(recording.joints) == 1 else f"{robot} {joints.names[i]}"
            handles = _draw_joint(axis, times, joints, i, pick, label)
            axis.tick_params(labelbottom=place == len(rows) - 1)
            if place == len(rows) - 1:
                axis.set_xlabel("time [s]")
    assert first is not None
    first.set_xlim(times.min(), max(times.max(), times.min() + 1e-3))
    corner = (sides["right"], edges["top"])
    figure.legend(handles=handles, ncols=3, frameon=False, loc="lower right", bbox_to_anchor=corner)
    write_figure(figure, recording, file)


def _rows_of_joints(recording: Recording) -> list[list[tuple[str, int]]]:
    """Return which joints stand side by side: robot and number of each."""
    return [
        [(robot, i) for i in range(begin, min(begin + joints.per_row, len(joints.names)))]
        for robot, joints in recording.joints.items()
        for begin in range(0, len(joints.names), joints.per_row)
    ]


def _draw_joint(
    axis: Any, times: Array, joints: JointColumns, i: int, pick: slice, label: str
) -> list[Any]:
    """Draw one joint: values on the left axis, the error as a strip on the right one.

    Returns:
        What the legend explains.
    """
    unit, scale, error_unit, error_scale = SHOWN_UNITS[joints.units[i]]
    target, real = joints.target[pick, i], joints.real[pick, i]
    strip = axis.twinx()
    error = error_scale * (target - real)
    fill = strip.fill_between(times, error, color=ERROR, alpha=0.35, linewidth=0.0, label="error")
    largest = float(np.nanmax(np.abs(error))) if np.isfinite(error).any() else 1.0
    strip.set_ylim(-1.15 * max(largest, 1e-3), 1.15 * max(largest, 1e-3))
    strip.set_ylabel(f"error [{error_unit}]", color=ERROR, fontsize=8)
    strip.tick_params(colors=ERROR, labelsize=7)
    axis.set_zorder(strip.get_zorder() + 1)
    axis.patch.set_visible(False)
    wide = {"color": TARGET, "linewidth": 2.4, "alpha": 0.45}  # so that both lines are seen
    lines = axis.plot(times, scale * target, label="target", **wide)
    lines += axis.plot(times, scale * real, color=REAL, linewidth=1.1, label="real")
    axis.set_ylabel(f"{label}\n[{unit}]")
    axis.margins(y=0.12)
    axis.grid(alpha=0.25)
    return [*lines, fill]


def plot_tool_path(recording: Recording, file: Path) -> None:
    """Draw the way of each tool from the side and from above, in the frame of its base."""
    height = 1.0 + 3.8 * len(recording.tool)
    figure = new_figure(10.0, height)
    margins = {"left": 0.08, "right": 0.9, "bottom": 0.5 / height, "top": 1.0 - 0.8 / height}
    grid = figure.subplots(
        len(recording.tool), 2, squeeze=False, gridspec_kw=margins | {"wspace": 0.22}
    )
    pick = thinned(len(recording.times))
    times = recording.times[pick]
    drawn = None
    for axes, (robot, path) in zip(grid, recording.tool.items(), strict=True):
        prefix = "" if len(recording.tool) == 1 else f"{robot}: "
        for axis, second, title in zip(axes, (2, 1), ("from the side", "from above"), strict=True):
            drawn = _draw_path(axis, times, path[pick][:, [0, second]])
            axis.set_title(prefix + title, fontsize=10)
            axis.set_xlabel("x [m]")
            axis.set_ylabel(f"{'xyz'[second]} [m]")
    figure.colorbar(drawn, cax=figure.add_axes((0.92, 0.2, 0.015, 0.6)), label="time [s]")
    write_figure(figure, recording, file)


def _draw_path(axis: Any, times: Array, points: Array) -> Any:
    """Draw a line that changes its colour with time, with its two ends marked."""
    from matplotlib.collections import LineCollection

    pieces = np.stack([points[:-1], points[1:]], axis=1)
    line = LineCollection(list(pieces), cmap="viridis", array=times[:-1], linewidth=1.6)
    axis.add_collection(line)
    axis.plot(*points[0], "o", color="black", markersize=6, label="start", zorder=3)
    axis.plot(*points[-1], "s", color=ERROR, markersize=6, label="end", zorder=3)
    axis.plot(0.0, 0.0, "k+", markersize=10, label="base")
    axis.set_aspect("equal", adjustable="datalim")
    axis.autoscale_view()
    axis.grid(alpha=0.25)
    axis.legend(fontsize=8, loc="upper left")
    return line


def thinned(count: int) -> slice:
    """Return which of so many rows are drawn."""
    return slice(None, None, max(1, count // MOST_POINTS))


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure, measures in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=100)
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: Any, recording: Recording, file: Path) -> None:
    """Give a figure its title and write it."""
    figure.suptitle(_title(recording), fontsize=12, y=1.0 - 0.12 / figure.get_figheight(), va="top")
    figure.savefig(file)


def _title(recording: Recording) -> str:
    """Say what was run with which seed and how it ended."""
    header, result = recording.header, recording.result or {}
    name = header.get("experiment") or header.get("title") or ", ".join(header["robots"].values())
    name = Path(name).name if str(name).endswith(".py") else name
    if recording.cut_off:
        ending = f"cut off at {recording.times[-1]:.2f} s"
    elif "success" in result:
        ending = "success" if result["success"] else "failed"
    else:
        ending = f"{recording.times[-1]:.2f} s"
    return f"{name}, seed {header['seed']}: {ending}"
