"""The workspace of a leg of ROMERIN: where its tip can be without running into the robot.

Random postures inside the limits, 46,000 in the thesis, or a grid of values per joint. Each is
checked against the body, the other legs, which stand, and the leg's own parts. The robot hangs in
free air, and the cup is in line with the tibia. Nothing moves: the postures are only computed.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.legs import LegChain
from mecano.kinematics.workspace import Workspace, sample_workspace
from mecano.lab.robot import Robot
from mecano.robots.description import RobotDescription
from mecano.tasks.experiment import Experiment, Metric, Score
from mecano.world.leg_collisions import FREE, LegCollisions

CELL = 0.02
"""Edge of the cells that are counted for the volume [m]: most hold a point of 46,000."""
FEWEST, MOST = 100, 1_000_000
"""Random postures: a million take ten seconds, and the hull has long stopped growing."""
SMALLEST_GRID, LARGEST_GRID = 3, 100
"""Values per joint."""
SHEET_LEG = 3
SHEET_ROW = ("limits only, in a trial", "27.00", "0.459", "", "-191..236", "-99..236", "-175..212")
"""Fact sheet 9.4, derived from the limits alone, in the leg's frame."""
HEADINGS = ("", "hull [l]", "area [m2]", "cells [l]", "x [mm]", "y [mm]", "z [mm]")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class LegWorkspace:
    """What was tried, and what of it is free."""

    chain: LegChain
    collisions: LegCollisions
    tried: Workspace
    """All postures inside the limits, and their tips in the body's frame."""
    obstacles: np.ndarray
    """For each posture a body that it touches, or `FREE`. Shape (n,)."""

    @cached_property
    def free(self) -> Workspace:
        """The postures that touch nothing."""
        kept, tried = self.obstacles == FREE, self.tried
        return Workspace(
            tried.joints[kept], tried.points[kept], tried.directions[kept], int((~kept).sum())
        )

    @property
    def collision_share(self) -> float:
        """Postures that touch something, of all."""
        return self.free.rejected / len(self.obstacles)

    def box(self, cloud: Workspace) -> Array:
        """Return the smallest and the largest x, y, z in the leg's frame [m]. Shape (2, 3)."""
        points = self.chain.to_leg(cloud.points)
        return np.array([points.min(axis=0), points.max(axis=0)])

    def touched(self) -> dict[str, float]:
        """Return what the leg ran into, most often first, and in which share of the postures.

        A posture that touches several parts is counted once.
        """
        hits = Counter()
        for body, count in zip(*np.unique(self.obstacles, return_counts=True), strict=True):
            if body != FREE:
                hits[_part(self.collisions.body_name(body))] += int(count)
        return {name: count / len(self.obstacles) for name, count in hits.most_common()}


def explore(
    robot: RobotDescription,
    rng: np.random.Generator,
    *,
    leg: int = SHEET_LEG,
    samples: int = 46_000,
    grid: int | None = None,
    progress: Progress | None = None,
) -> LegWorkspace:
    """Sample postures of a leg and check each one.

    Args:
        robot: A robot whose legs are its chains `leg_1`, `leg_2`, ...
        rng: Source of the random postures.
        leg: Number of the leg.
        samples: Number of random postures. Not used with `grid`.
        grid: Take this many values per joint, limits included, instead of random postures.
        progress: Called with (postures checked, postures in all) now and then.
    """
    chain = robot.chain(f"leg_{leg}")
    if not isinstance(chain, LegChain):
        raise InvalidInput(f"{chain.name} of {robot.name} is not a leg")
    tried = sample_workspace(chain.dh, samples=samples, rng=rng, grid=grid)
    collisions = LegCollisions(robot, chain.name)
    obstacles = collisions.obstacles(tried.joints, on_progress=progress)
    return LegWorkspace(chain, collisions, tried, obstacles)


def run(
    robot: Robot,
    rng: np.random.Generator,
    *,
    samples: str,
    grid: str,
    leg: str,
    progress: Progress | None = None,
) -> Score:
    """Explore one leg and measure the cloud; the robot itself is not touched.

    Args:
        robot: Only its description is used.
        rng: Source of the random postures.
        samples: Number of random postures.
        grid: Values per joint in the place of random postures; 0 for random ones.
        leg: Number of the leg.
        progress: Called with (postures checked, postures in all) now and then.
    """
    description = robot.description
    legs = [name.removeprefix("leg_") for name in description.chains if name.startswith("leg_")]
    if leg not in legs:
        raise UnknownName("leg", leg, legs)
    values = None if grid == "0" else _whole("grid", grid, SMALLEST_GRID, LARGEST_GRID, " or 0")
    count = _whole("samples", samples, FEWEST, MOST)
    found = explore(description, rng, leg=int(leg), samples=count, grid=values, progress=progress)

    def write_plot(path: Path) -> None:
        from mecano.tasks.leg_workspace_picture import draw

        draw(found, path)

    smaller = 0.0 < found.free.hull_volume < found.tried.hull_volume
    return Score(
        success=smaller,
        metrics=measure(found),
        remark="" if smaller else "collisions take nothing off the hull: too few postures",
        report=tell(found),
        products={
            "workspace.csv": lambda path: write_cloud_csv(found, path),
            "workspace.png": write_plot,
        },
    )


def measure(found: LegWorkspace) -> dict[str, Metric]:
    """Return the figures of a workspace; the box is in the leg's frame."""
    free, tried = found.free, found.tried
    metrics: dict[str, Metric] = {
        "samples": len(tried.points),
        "free_samples": len(free.points),
        "collision_share_percent": round(100.0 * found.collision_share, 3),
        "hull_volume_l": round(1e3 * free.hull_volume, 4),
        "hull_volume_m3": round(free.hull_volume, 7),
        "hull_area_m2": round(_area(free), 5),
        "cells_volume_l": round(1e3 * free.volume(CELL), 4),
        "limits_hull_volume_l": round(1e3 * tried.hull_volume, 4),
        "limits_hull_volume_m3": round(tried.hull_volume, 7),
        "limits_hull_area_m2": round(_area(tried), 5),
        "limits_cells_volume_l": round(1e3 * tried.volume(CELL), 4),
    }
    for axis, low, high in zip("xyz", *(1000.0 * found.box(free)).tolist(), strict=True):
        metrics |= {f"{axis}_min_mm": round(low, 2), f"{axis}_max_mm": round(high, 2)}
    return metrics


def tell(found: LegWorkspace) -> str:
    """Return the table that compares: with collisions, limits only, and the fact sheet."""
    rows = [HEADINGS, _row("free of collisions", found, found.free)]
    rows.append(_row("limits only", found, found.tried))
    if found.chain.name == f"leg_{SHEET_LEG}":
        rows.append(SHEET_ROW)
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADINGS))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in rows
    ]
    parts = ", ".join(f"{name} {100 * share:.1f} %" for name, share in found.touched().items())
    return "\n".join(
        [
            *lines,
            f"Box in the leg's frame. Cells of {1000 * CELL:g} mm that hold a point: the hull also "
            "counts hollows, a sparse cloud leaves cells empty.",
            f"Runs into: {parts or 'nothing'}.",
        ]
    )


def write_cloud_csv(found: LegWorkspace, path: Path) -> None:
    """Write the free postures, their tips in the body's frame, and what of them is surface.

    A point on the hull has the normal of the hull there, the mean of the facets that meet in it,
    each weighted by its area; all others have zeros.
    """
    free = found.free
    normals = hull_normals(free)
    on_hull = normals.any(axis=1)
    joints = ",".join(f"{name}_rad" for name in found.chain.joint_names)
    np.savetxt(
        path,
        np.column_stack([free.joints, free.points, on_hull, normals]),
        delimiter=",",
        fmt=["%.9f"] * 3 + ["%.9f"] * 3 + ["%d"] + ["%.6f"] * 3,
        header=f"{joints},x_m,y_m,z_m,on_hull,normal_x,normal_y,normal_z",
        comments="",
    )


def hull_normals(cloud: Workspace) -> Array:
    """Return the outward normal of the hull at each of its corners, else zeros. Shape (n, 3)."""
    normals = np.zeros_like(cloud.points)
    if cloud.hull is None:
        return normals
    facets = cloud.hull.simplices
    a, b, c = (cloud.points[facets[:, i]] for i in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    for corner in facets.T:
        np.add.at(normals, corner, areas[:, None] * cloud.hull.equations[:, :3])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.divide(normals, lengths, out=normals, where=lengths > 0.0)


def _part(body: str) -> str:
    """Return what a body belongs to: the leg, or itself."""
    return "_".join(body.split("_")[:2]) if body.startswith("leg_") else body


def _area(cloud: Workspace) -> float:
    return 0.0 if cloud.hull is None else float(cloud.hull.area)


def _row(title: str, found: LegWorkspace, cloud: Workspace) -> tuple[str, ...]:
    box = (1000.0 * found.box(cloud)).T
    return (
        title,
        f"{1e3 * cloud.hull_volume:.2f}",
        f"{_area(cloud):.3f}",
        f"{1e3 * cloud.volume(CELL):.2f}",
        *(f"{low:.0f}..{high:.0f}" for low, high in box),
    )


def _whole(name: str, text: str, least: int, most: int, more: str = "") -> int:
    if not text.isdecimal() or not least <= int(text) <= most:
        raise InvalidInput(f"{name} is '{text}', allowed: {least:,} to {most:,}{more}")
    return int(text)


EXPERIMENT = Experiment(
    name="romerin/workspace",
    title="where the tip of a leg can be: a cloud, checked for collisions, and its hull",
    robot="romerin",
    scene="empty",
    run=run,
    options={"samples": "46000", "grid": "0", "leg": "3"},
    hints={
        "samples": "random postures",
        "grid": "values per joint on an even grid instead; 0 is random",
        "leg": "1 to 6",
    },
)
