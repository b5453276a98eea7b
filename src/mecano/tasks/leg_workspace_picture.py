"""The picture of a leg's workspace: the cloud in its hull beside the robot, and three views of it.

Loading matplotlib takes 0.6 s, so it is done late.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import ConvexHull

from mecano.core.arrays import Array
from mecano.world.leg_collisions import FREE

if TYPE_CHECKING:
    from mecano.tasks.leg_workspace import LegWorkspace

MOST_POINTS = 12_000
"""Drawn of a cloud; more only make a blot."""
HULL, LIMITS, HIT = "#1f6f8b", "#7a7a7a", "#d1495b"
BODY, OTHER_LEGS, THIS_LEG, EDGE = "#4a4e57", "#a3a8b3", "#f28f1d", "#2b2d33"
COLOURS = "viridis"
SIDES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
"""Of a box, by the numbers of its corners: the last axis changes fastest."""
VIEWS = {
    (0, 1): ((0, 1), 1, {1: "from above"}),
    (0, 2): ((0, 2), -1, {1: "from the left", -1: "from the right"}),
    (1, 1): ((1, 2), 1, {1: "from the front", -1: "from behind"}),
}
"""By row and column: the axes to the right and up, whether the third one then points at whoever
looks (1) or away (-1), and what a look from its plus and its minus side is called."""


def draw(found: "LegWorkspace", path: Path) -> None:
    """Write the picture to a file; the format is that of its suffix."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(17.5, 8.8), dpi=100, facecolor="white")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(
        2, 3, left=0.02, right=0.985, bottom=0.07, top=0.93, hspace=0.22, wspace=0.16,
        width_ratios=(1.75, 1.0, 1.0),
    )  # fmt: skip
    corners = 1000.0 * found.collisions.corners(found.chain.postures["stand"])
    _draw_solid(
        figure.add_subplot(grid[:, 0], projection="3d", computed_zorder=False), found, corners
    )
    for place in VIEWS:
        _draw_view(figure.add_subplot(grid[place]), found, corners, place)
    _write_figures(figure.add_subplot(grid[1, 2]), found)
    number = found.chain.name.removeprefix("leg_")
    figure.suptitle(
        f"ROMERIN: where the tip of leg {number} can be", fontsize=18, x=0.03, ha="left"
    )
    figure.savefig(path)


def _draw_solid(axes: Any, found: "LegWorkspace", corners: Array) -> None:
    """Draw robot, cloud and hull in space."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    sides = [box[list(side)] for box in corners for side in SIDES]
    colours = [colour for colour in _colours(found) for _ in SIDES]
    axes.add_collection3d(
        Poly3DCollection(sides, facecolors=colours, edgecolors=EDGE, linewidth=0.3, zorder=2)
    )
    points, hull = _few(1000.0 * found.free.points), found.free.hull
    axes.scatter(
        *points.T,
        c=points[:, 2],
        cmap=COLOURS,
        s=2 * _size(points),
        alpha=0.6,
        linewidth=0,
        zorder=1,
    )
    if hull is not None:
        facets = list(1000.0 * found.free.points[hull.simplices])
        axes.add_collection3d(
            Poly3DCollection(facets, facecolors=HULL, linewidth=0, alpha=0.06, zorder=3)
        )
    every = np.concatenate([points, corners.reshape(-1, 3)])
    low, high = every.min(axis=0), every.max(axis=0)
    axes.set(xlabel="x [mm]", ylabel="y [mm]", zlabel="z [mm]")
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low, zoom=1.05)
    side = np.sign(found.chain.T_body_leg[1, 3])  # look from where the leg is
    axes.view_init(elev=26, azim=side * 65)


def _draw_view(axes: Any, found: "LegWorkspace", corners: Array, place: tuple[int, int]) -> None:
    """Draw the shadows of robot and hulls on a plane, and the tips, seen from the leg's side."""
    from matplotlib.collections import PolyCollection

    plane, plain, names = VIEWS[place]
    third = 3 - sum(plane)
    side = -1 if found.chain.T_body_leg[third, 3] < 0.0 else 1
    _draw_tips(axes, found, list(plane))
    nearest_last = np.argsort(side * corners[:, :, third].mean(axis=1))
    colours = _colours(found)
    axes.add_collection(
        PolyCollection(
            [_outline(corners[i][:, plane]) for i in nearest_last],
            facecolor=[colours[i] for i in nearest_last],
            edgecolor=EDGE, linewidth=0.4, alpha=0.8, zorder=3,
        )
    )  # fmt: skip
    axes.set_title(names[side], fontsize=11, loc="left")
    axes.set(xlabel=f"{'xyz'[plane[0]]} [mm]", ylabel=f"{'xyz'[plane[1]]} [mm]")
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(alpha=0.2)
    if side != plain:
        axes.invert_xaxis()


def _draw_tips(axes: Any, found: "LegWorkspace", plane: list[int]) -> None:
    """Draw the tips on a plane, the free ones by their height, and the outlines of both clouds."""
    free, tried = 1000.0 * found.free.points, 1000.0 * found.tried.points
    points, hit = _few(free), _few(tried[found.obstacles != FREE], MOST_POINTS // 6)
    dots = {"s": _size(points), "alpha": 0.5, "linewidth": 0}
    axes.scatter(*points[:, plane].T, c=points[:, 2], cmap=COLOURS, zorder=1, **dots)
    axes.scatter(*hit[:, plane].T, color=HIT, zorder=2, **dots)
    for cloud, colour, style in ((tried, LIMITS, "--"), (free, HULL, "-")):
        line = _outline(cloud[:, plane])
        axes.plot(*np.vstack([line, line[:1]]).T, style, color=colour, linewidth=1.4, zorder=4)


def _write_figures(axes: Any, found: "LegWorkspace") -> None:
    """Write the figures and what the colours mean."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    free, tried = found.free, found.tried
    axes.axis("off")
    lines = (
        (f"{len(tried.points):,}", "postures inside the limits"),
        (f"{100.0 * found.collision_share:.1f} %", "run into the robot"),
        (
            f"{1e3 * free.hull_volume:.2f} l",
            f"convex hull; limits only {1e3 * tried.hull_volume:.2f} l",
        ),
    )
    for row, (figure, meaning) in enumerate(lines):
        axes.text(0.0, 0.97 - 0.15 * row, figure, fontsize=19, color=HULL, va="top")
        axes.text(0.0, 0.895 - 0.15 * row, meaning, fontsize=10, va="top")
    dot = {"marker": "o", "linestyle": "", "markersize": 5}
    axes.legend(
        handles=[
            Line2D([], [], color="#35b779", **dot, label="tip, free; lighter is higher"),
            Line2D([], [], color=HIT, **dot, label="tip of a posture that collides"),
            Line2D([], [], color=HULL, label="hull"),
            Line2D([], [], color=LIMITS, linestyle="--", label="hull by the limits only"),
            Patch(color=THIS_LEG, label="this leg, standing"),
            Patch(color=OTHER_LEGS, label="legs that stand"),
            Patch(color=BODY, label="body"),
        ],
        loc="lower left", bbox_to_anchor=(-0.03, 0.0), frameon=False, fontsize=10,
    )  # fmt: skip


def _colours(found: "LegWorkspace") -> list[str]:
    """Return the colour of each shape by whom it belongs to."""
    collisions = found.collisions
    bodies = [collisions.body_name(n) for n in collisions.model.geom_bodyid[collisions.shapes]]
    return [
        THIS_LEG if moved else OTHER_LEGS if name.startswith("leg_") else BODY
        for name, moved in zip(bodies, collisions.joints_above, strict=True)
    ]


def _outline(points: Array) -> Array:
    """Return the corners of the convex outline of points in a plane, in order."""
    return points[ConvexHull(points).vertices]


def _few(points: Array, most: int = MOST_POINTS) -> Array:
    return points[:: max(1, len(points) // most)]


def _size(points: Array) -> float:
    """Return the area of a dot [pt2]: few dots are larger."""
    return float(np.clip(8000.0 / len(points), 1.4, 14.0))
