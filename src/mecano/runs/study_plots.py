"""The picture of a sweep: share of success over each parameter, with intervals."""

from collections.abc import Sequence
from pathlib import Path

from mecano.runs.sensitivity import Sensitivity

ACROSS = 3
"""Panels side by side."""
LINE, BAND = "#2a6f97", "#a9d6e5"


def draw_success(found: Sequence[Sensitivity], file: Path, title: str) -> None:
    """Draw the share of success at each level of each parameter."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    across = min(ACROSS, len(found))
    down = -(-len(found) // across)
    figure = Figure(figsize=(4.2 * across, 3.2 * down), layout="constrained")
    FigureCanvasAgg(figure)
    for number, each in enumerate(found):
        axes = figure.add_subplot(down, across, number + 1)
        middles = [level.middle for level in each.levels]
        known = all(middle is not None for middle in middles)
        places = [float(m or 0.0) for m in middles] if known else list(range(len(middles)))
        shares = [100.0 * level.successes / level.runs for level in each.levels]
        low, high = zip(
            *([100.0 * x for x in level.interval] for level in each.levels), strict=True
        )
        axes.fill_between(places, low, high, color=BAND, label="95 % interval")
        axes.plot(places, shares, "o-", color=LINE, label="success")
        axes.set(xlabel=each.parameter, ylabel="success [%]", ylim=(-3, 103))
        if not known:
            axes.set_xticks(places, [level.level for level in each.levels])
        axes.grid(alpha=0.3)
        if number == 0:
            axes.legend(loc="lower left")
    figure.suptitle(title)
    figure.savefig(file, dpi=110)
