"""Pictures of ROMERIN's experiments: targets and real angles of motors, loads of cups, a way.

Loading matplotlib takes 0.6 s, so it is done late.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mecano.core.arrays import Array

if TYPE_CHECKING:
    from mecano.tasks.hexapod_walk import Walked
    from mecano.tasks.leg_reach import Reach
    from mecano.tasks.wall_record import Hanging

TARGET, REAL, LIMIT, SHADE = "#1f4e9c", "#f28e2b", "#c0392b", "#7a7a7a"
CUPS = ("#1b6ca8", "#e07a1f", "#2a9d4a", "#c23b4b", "#7e57c2", "#8a6d3b")
"""One colour per cup."""
MOST_POINTS = 4000
"""More points per line are not seen."""
SMALLEST = 0.001
"""Errors below this are drawn as this [mm]."""
ZOOM = 0.3, 0.2
"""The fall is shown from so long before the first break, and at least so long after it [s]."""


def draw_reach(reaches: "Sequence[Reach]", path: Path) -> None:
    """Draw target and real angle of the motors and the tip's error, one column per case."""
    figure = _figure(3.05 * len(reaches) + 0.7, 9.6)
    axes = figure.subplots(
        4, len(reaches), sharex="col", squeeze=False,
        gridspec_kw={
            "left": 0.045, "right": 0.99, "bottom": 0.06, "top": 0.88, "wspace": 0.24,
            "hspace": 0.1,
        },
    )  # fmt: skip
    lines: list[Any] = []
    for column, reach in zip(axes.T, reaches, strict=True):
        column[0].set_title(
            f"leg {reach.case.leg}, elbow {reach.case.elbow}\n"
            f"{reach.early:.1f} mm early, {reach.settled:.2f} mm settled",
            fontsize=11,
        )
        for motor, axis in enumerate(column[:3]):
            lines = _draw_angles(axis, reach.times, reach.target[:, motor], reach.real[:, motor])
        _draw_error(column[3], reach)
        column[3].set_xlabel("time [s]")
    for motor, axis in enumerate(axes[:3, 0]):
        axis.set_ylabel(f"motor {motor + 1} [deg]")
    axes[3, 0].set_ylabel("tip to point [mm]")
    _legend(figure, lines)
    _title(figure, "ROMERIN: reaching the points of table 5.1")
    figure.savefig(path)


def _draw_error(axis: Any, reach: "Reach") -> None:
    """Draw how the tip comes to its point, beside where the thesis's stayed."""
    axis.semilogy(reach.times, np.maximum(reach.errors, SMALLEST), color=REAL, linewidth=1.6)
    axis.axhline(reach.case.paper_error, color=LIMIT, linestyle="--", linewidth=1.2)
    axis.annotate(
        f"thesis {reach.case.paper_error:.1f} mm", (1.0, reach.case.paper_error), (-4, 4),
        xycoords=("axes fraction", "data"), textcoords="offset points", ha="right", fontsize=9,
        color=LIMIT,
    )  # fmt: skip
    axis.axvspan(*reach.window, color=SHADE, alpha=0.12, linewidth=0)
    axis.set_ylim(SMALLEST, 500.0)
    axis.grid(alpha=0.25)


def draw_walk(walked: "Walked", path: Path) -> None:
    """Draw target and real angle of the three motors of a leg, and the way from above."""
    figure = _figure(13.0, 9.4)
    sides = {"left": 0.07, "right": 0.985}
    grid = figure.add_gridspec(3, 1, **sides, bottom=0.32, top=0.915, hspace=0.09)
    below = figure.add_gridspec(1, 1, **sides, bottom=0.06, top=0.235)
    first, lines = None, []
    for motor in range(3):
        axis = figure.add_subplot(grid[motor], sharex=first)
        first = first or axis
        for begin, end in walked.swings:
            axis.axvspan(begin, end, color=SHADE, alpha=0.13, linewidth=0)
        lines = _draw_angles(axis, walked.times, walked.target[:, motor], walked.real[:, motor])
        axis.set_ylabel(f"motor {motor + 1} [deg]")
        axis.set_xlim(walked.times[0], walked.times[-1])
        axis.tick_params(labelbottom=motor == 2)
        axis.set_xlabel("time [s]" if motor == 2 else "")
    assert first is not None
    first.set_title("in the air: grey", fontsize=9, loc="left", color=SHADE)
    _legend(figure, lines)
    _draw_way(figure.add_subplot(below[0]), walked)
    _title(figure, f"ROMERIN: leg {walked.leg} while it walks ({walked.gait})")
    figure.savefig(path)


def _draw_way(axis: Any, walked: "Walked") -> None:
    along, aside = (1000.0 * walked.way).T
    axis.axhline(0.0, color=SHADE, linewidth=0.8, linestyle="--")
    axis.plot(along, aside, color=REAL, linewidth=1.6)
    axis.plot(along[0], aside[0], "o", color="black", markersize=5)
    axis.plot(along[-1], aside[-1], "s", color=LIMIT, markersize=5)
    room = max(2.0, 1.3 * float(np.abs(aside).max()))
    axis.set(ylim=(-room, room), xlabel="along its way [mm]", ylabel="aside [mm]\n(drawn taller)")
    axis.set_title("true way of the body", fontsize=9, loc="left", color=SHADE)
    axis.grid(alpha=0.25)


def draw_cups(found: "Hanging", path: Path) -> None:
    """Draw shear and pull of all cups: the whole record, and the fall in large."""
    figure = _figure(15.0, 8.0)
    fell = bool(found.breaks)
    axes = figure.subplots(
        2, 1 + fell, squeeze=False, sharex="col",
        gridspec_kw={
            "left": 0.055, "right": 0.99, "bottom": 0.07, "top": 0.86, "wspace": 0.1,
            "hspace": 0.09, "width_ratios": (2.3, 1.0)[: 1 + fell],
        },
    )  # fmt: skip
    whole = found.times[0], found.times[-1]
    rows = (("shear", found.shear, found.limits[1]), ("pull", found.pull, found.limits[0]))
    lines = []
    for (name, loads, limit), row in zip(rows, axes, strict=True):
        for axis in row:
            lines = _draw_loads(axis, found, name, loads, limit)
        row[0].set(ylabel=f"{name} [N]", xlim=whole)
        for axis in row:
            axis.margins(y=0.08)
    for time, leg in found.releases:
        axes[0, 0].annotate(
            f"leg {leg} off", (time, 1.0), (0, 4), xycoords=("data", "axes fraction"),
            textcoords="offset points", fontsize=10, color=SHADE, ha="center",
        )  # fmt: skip
    if fell:
        _show_fall(axes[:, 1], found)
    for axis in axes[-1]:
        axis.set_xlabel("time [s]")
    _legend(figure, lines)
    _title(figure, "ROMERIN on the wall: loads of the cups, medians of five")
    figure.savefig(path)


def _show_fall(axes: Any, found: "Hanging") -> None:
    """Name what happens in the panels of the fall."""
    first = found.breaks[0].time
    axes[0].set(xlim=(first - ZOOM[0], max(first + ZOOM[1], (found.floor or 0.0) + 0.06)))
    leg = found.knock(found.breaks[0])
    knock = f": the loose cup of leg {leg} knocks against the wall" if leg else ""
    axes[0].set_title(f"the fall{knock}", fontsize=10, loc="left", color=SHADE)
    for axis, name in zip(axes, ("shear", "pull"), strict=True):
        for each in found.breaks:
            axis.annotate(
                f"cup {each.cup} breaks" if name in found.cause(each) else f"cup {each.cup}",
                (each.time, getattr(each, name)), (9, 5), textcoords="offset points",
                fontsize=10, color=CUPS[each.cup - 1],
            )  # fmt: skip
        if found.floor is not None:
            axis.annotate(
                "floor", (found.floor, 0.5), (-4, 0), xycoords=("data", "axes fraction"),
                textcoords="offset points", ha="right", fontsize=10,
            )  # fmt: skip


def _draw_loads(axis: Any, found: "Hanging", name: str, loads: Array, limit: float) -> list[Any]:
    """Draw one kind of load; breaks are crosses."""
    lines = []
    for cup, colour in enumerate(CUPS[: loads.shape[1]]):
        lines += axis.plot(
            found.times, loads[:, cup], color=colour, linewidth=1.5, label=f"cup {cup + 1}"
        )
    lines += [axis.axhline(limit, color=LIMIT, linestyle="--", linewidth=1.2, label="limit")]
    for time, _ in found.releases:
        axis.axvline(time, color=SHADE, linewidth=0.8, linestyle=":")
    for each in found.breaks:
        axis.plot(
            each.time, getattr(each, name), "x", color=CUPS[each.cup - 1], markersize=10,
            markeredgewidth=2.5, zorder=5,
        )  # fmt: skip
    if found.floor is not None:
        axis.axvline(found.floor, color="black", linewidth=1.0)
    axis.grid(alpha=0.25)
    return lines


def _draw_angles(axis: Any, times: Array, target: Array, real: Array) -> list[Any]:
    """Draw a target as a broad line and what came of it as a thin one [rad in, deg drawn]."""
    pick = slice(None, None, max(1, len(times) // MOST_POINTS))
    wide = {"color": TARGET, "linewidth": 3.2, "alpha": 0.4}
    lines = axis.plot(times[pick], np.degrees(target[pick]), label="target", **wide)
    lines += axis.plot(times[pick], np.degrees(real[pick]), color=REAL, linewidth=1.3, label="real")
    axis.margins(y=0.1)
    axis.grid(alpha=0.25)
    return lines


def _legend(figure: Any, lines: list[Any]) -> None:
    height = figure.get_figheight()
    place = {"loc": "upper right", "bbox_to_anchor": (0.992, 1.0 - 0.08 / height)}
    figure.legend(handles=lines, ncols=len(lines), frameon=False, fontsize=11, **place)


def _title(figure: Any, text: str) -> None:
    top = 1.0 - 0.14 / figure.get_figheight()
    figure.suptitle(text, fontsize=15, x=0.012, y=top, ha="left", va="top")


def _figure(width: float, height: float) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=100, facecolor="white")
    FigureCanvasAgg(figure)
    return figure
