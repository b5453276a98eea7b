"""`cups.png`: what each cup carried, what it can hold, and when it took hold and let go."""

from pathlib import Path
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.record.columns import CupColumns
from mecano.record.plots import new_figure, thinned, write_figure
from mecano.record.recording import Recording

PULL, SHEAR, LOOSE = "#1f4e9c", "#f28e2b", "#dee2e6"
MARKS = {"bond": ("^", "#2b8a3e"), "release": ("v", "#868e96"), "break": ("X", "#c0392b")}
"""Shape and colour of what happens to a cup."""
ROOM = 1.12
"""Of an axis above the largest limit, as a factor."""


def plot_cups(recording: Recording, file: Path) -> None:
    """Draw pull and shear of each cup over time with their limits, two cups side by side.

    Grey are the times at which a cup holds nothing.
    """
    cells = [(robot, i) for robot, c in recording.cups.items() for i in range(len(c.names))]
    rows = (len(cells) + 1) // 2
    height = 1.4 + 2.1 * rows
    figure = new_figure(12.0, height)
    edges = {"bottom": 0.5 / height, "top": 1.0 - 0.85 / height, "left": 0.055, "right": 0.985}
    axes = figure.subplots(
        rows, 2, sharex=True, sharey=True, squeeze=False,
        gridspec_kw=edges | {"hspace": 0.14, "wspace": 0.06},
    )  # fmt: skip
    handles: dict[str, Any] = {}
    for axis, (robot, i) in zip(axes.T.flat, cells, strict=False):
        cups = recording.cups[robot]
        handles |= _draw_cup(axis, cups, i)
        prefix = "" if len(recording.cups) == 1 else f"{robot} "
        axis.set_title(f"{prefix}{cups.names[i]}", fontsize=9, loc="left", pad=3)
    for axis in axes[:, 0]:
        axis.set_ylabel("load [N]")
    for axis in axes[-1]:
        axis.set_xlabel("time [s]")
    times = recording.times
    axes[0, 0].set_xlim(times.min(), max(times.max(), times.min() + 1e-3))
    axes[0, 0].set_ylim(*_range(recording))
    figure.legend(
        handles=list(handles.values()), ncols=len(handles), frameon=False, loc="upper center",
        bbox_to_anchor=(0.5, 1.0 - 0.32 / height), fontsize=9,
    )  # fmt: skip
    write_figure(figure, recording, file)


def _range(recording: Recording) -> tuple[float, float]:
    """Return from where to where the loads of all cups are drawn [N]."""
    all_cups = recording.cups.values()
    high = max(float(max(c.limits.max(), c.pull.max(), c.shear.max())) for c in all_cups)
    low = min(float(min(0.0, c.pull.min())) for c in all_cups)
    return ROOM * low - 0.08 * high, ROOM * high


def _draw_cup(axis: Any, cups: CupColumns, i: int) -> dict[str, Any]:
    """Draw one cup; return what the legend explains."""
    pick = thinned(len(cups.times))
    times, holding = cups.times[pick], cups.holding[pick, i]
    loose = axis.fill_between(
        times, 0.0, 1.0, where=~holding, step="post", transform=axis.get_xaxis_transform(),
        color=LOOSE, linewidth=0.0, label="not holding",
    )  # fmt: skip
    handles = {}
    for name, colour, limit, loads in (
        ("shear", SHEAR, cups.limits[i, 1], cups.shear),
        ("pull", PULL, cups.limits[i, 0], cups.pull),
    ):
        drawn = np.where(holding, loads[pick, i], np.nan)
        (handles[name],) = axis.plot(times, drawn, color=colour, linewidth=1.0, label=name)
        handles[f"{name} limit"] = axis.axhline(
            limit, color=colour, linewidth=1.0, linestyle="--", label=f"{name}: lets go"
        )
    handles["loose"] = loose
    for what, (shape, colour) in MARKS.items():
        at = _times_of(cups, i, what)
        (handles[what],) = axis.plot(
            at, np.zeros(len(at)), shape, color=colour, markersize=6, label=what,
            linestyle="none", clip_on=False, zorder=4,
        )  # fmt: skip
    axis.grid(alpha=0.25)
    return handles


def _times_of(cups: CupColumns, i: int, what: str) -> Array:
    """Return when something happened to a cup [s]."""
    number = int(cups.names[i].rpartition("_")[2])
    return np.array([c.stamp for c in cups.changes if c.cup == number and c.what == what])
