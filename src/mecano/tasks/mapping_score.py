"""What came of a drive that built a map: errors against the truth, files and a report."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2, wrap_angle
from mecano.core.poses.planar_arrays import compose_all, relative_all
from mecano.estimation.maps.files import save_map
from mecano.estimation.maps.scoring import MapScore, score_map
from mecano.estimation.trajectory_writing import write_trajectory
from mecano.lab.mapping import LiveMapping
from mecano.tasks.experiment import Metric, Product, Score

if TYPE_CHECKING:
    from collections.abc import Sequence

POSE_BAR = 0.05
"""Root mean square of the pose error that is allowed [m]."""
WALL_BAR = 0.95
"""Share of the map's wall cells that must be within `WALL_NEAR` of a true wall."""
WALL_NEAR = 0.10
"""[m]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Mapped:
    """A finished map and the drive that made it, all in the frame of the scene."""

    trajectory: Array
    """Stamp [s], x, y [m], yaw [rad] of each scan as believed in the end. Shape (n, 4)."""
    live: Array
    """x, y, yaw as believed when the scan came. Shape (n, 3)."""
    odometry: Array
    """By wheels alone (and a gyro, if there is one), from the true start. Shape (n, 3)."""
    truth: Array
    """Shape (n, 3)."""
    grid: OccupancyGrid
    """The map."""
    plan: OccupancyGrid
    """The true map."""
    score: MapScore
    loops: int
    """Places that were recognised."""
    seconds: Mapping[str, float]
    """Time that each stage of the mapper took [s]."""

    @property
    def way(self) -> float:
        """How far the base went [m]."""
        return float(np.hypot(*np.diff(self.truth[:, :2], axis=0).T).sum())

    def errors(self, poses: Array) -> Array:
        """Return how far poses are off: distance [m] and heading [rad]. Shape (n, 2)."""
        off = poses - self.truth
        return np.column_stack([np.hypot(off[:, 0], off[:, 1]), np.abs(wrap_angle(off[:, 2]))])

    def rmse(self, poses: Array) -> tuple[float, float]:
        """Return the root mean square of the errors of poses [m], [rad]."""
        far, turned = np.sqrt(np.mean(self.errors(poses) ** 2, axis=0)).tolist()
        return far, turned


def evaluate(
    mapping: LiveMapping, plan: OccupancyGrid, *, T_world_map: Pose2 | None = None
) -> Mapped:
    """Compare a finished mapping with the truth.

    Args:
        mapping: With at least one scan.
        plan: The true map.
        T_world_map: The map's frame in the scene; None lays the first pose onto the true one.

    Raises:
        InvalidInput: There is no scan, or no truth.
    """
    trajectory, truth = mapping.mapper.trajectory, _rows(mapping.truth)
    if not len(trajectory) or len(truth) != len(trajectory):
        raise InvalidInput(
            f"the mapper knows {len(trajectory)} poses and {len(truth)} are true; "
            "a map is scored in simulation, after at least one scan"
        )
    poses, live = trajectory[:, 1:], _rows(mapping.believed)
    if T_world_map is None:
        T_world_map = Pose2(*truth[0].tolist()) @ Pose2(*poses[0].tolist()).inverse()
        poses, live = _begun(poses, truth), _begun(live, truth)
    else:
        poses, live = (compose_all(_rows([T_world_map])[0], each) for each in (poses, live))
    grid = mapping.grid()
    return Mapped(
        trajectory=np.column_stack([trajectory[:, 0], poses]),
        live=live,
        odometry=_begun(_rows(mapping.odometry), truth),
        truth=truth,
        grid=_moved(grid, T_world_map),
        plan=plan,
        score=score_map(grid, plan, T_truth_map=T_world_map, tolerance=WALL_NEAR),
        loops=len(mapping.mapper.loops),
        seconds=mapping.mapper.seconds,
    )


def score(mapped: Mapped, title: str, problems: "Sequence[str]" = ()) -> Score:
    """Return what the experiment answers."""
    far, _ = mapped.rmse(mapped.trajectory[:, 1:])
    problems = list(problems)
    if not far <= POSE_BAR:
        problems.append(f"poses are {far:.3f} m off, allowed {POSE_BAR:g}")
    if not mapped.score.walls_near >= WALL_BAR:
        problems.append(
            f"{100 * mapped.score.walls_near:.1f} % of the walls are within {WALL_NEAR:g} m, "
            f"{100 * WALL_BAR:g} % must be"
        )
    text = tell(mapped, title)
    return Score(
        success=not problems,
        metrics=metrics(mapped),
        remark="; ".join(problems),
        report=text,
        products=products(mapped, title),
    )


def metrics(mapped: Mapped) -> dict[str, Metric]:
    """Return the figures of a drive by name."""
    far, turned = mapped.rmse(mapped.trajectory[:, 1:])
    wheels = mapped.errors(mapped.odometry)
    agrees = mapped.score
    return {
        "pose_rmse_m": round(far, 4),
        "heading_rmse_deg": round(degrees(turned), 3),
        "pose_max_m": round(float(mapped.errors(mapped.trajectory[:, 1:])[:, 0].max()), 4),
        "live_rmse_m": round(mapped.rmse(mapped.live)[0], 4),
        "odometry_rmse_m": round(mapped.rmse(mapped.odometry)[0], 4),
        "odometry_end_m": round(float(wheels[-1, 0]), 4),
        "odometry_end_deg": round(degrees(wheels[-1, 1]), 2),
        "walls_near_share": round(agrees.walls_near, 4),
        "wall_distance_m": round(agrees.wall_distance, 4),
        "wall_distance_95_m": round(agrees.wall_distance_95, 4),
        "walls_found_share": round(agrees.walls_found, 4),
        "overlap_share": round(agrees.overlap, 4),
        "way_m": round(mapped.way, 2),
        "scans": len(mapped.trajectory),
        "loops": mapped.loops,
    }


def products(mapped: Mapped, title: str) -> dict[str, Product]:
    """Return the files of a drive: map, trajectories and pictures."""
    from mecano.tasks.mapping_plots import draw_errors, draw_map

    return {
        "map.yaml": partial(_save, mapped.grid),
        "trajectory.txt": partial(write_trajectory, rows=mapped.trajectory),
        "truth.txt": partial(
            write_trajectory, rows=np.column_stack([mapped.trajectory[:, 0], mapped.truth])
        ),
        "map.png": partial(draw_map, mapped, title),
        "trajectory.png": partial(draw_errors, mapped, title),
    }


def tell(mapped: Mapped, title: str) -> str:
    """Return the figures of a drive as a text."""
    agrees, lines = mapped.score, [title, f"{mapped.way:.1f} m, {len(mapped.truth)} scans"]
    lines.append(f"{'':24}{'rms [m]':>9}{'max [m]':>9}{'rms [deg]':>11}")
    for name, poses in (
        ("odometry alone", mapped.odometry),
        ("as it was driven", mapped.live),
        ("in the end", mapped.trajectory[:, 1:]),
    ):
        far, turned = mapped.rmse(poses)
        worst = mapped.errors(poses)[:, 0].max()
        lines.append(f"{name:24}{far:9.3f}{worst:9.3f}{degrees(turned):11.2f}")
    lines += [
        f"walls: {100 * agrees.walls_near:.1f} % of {agrees.wall_cells} cells within "
        f"{agrees.tolerance:g} m of a true one, {agrees.wall_distance:.3f} m on average, 95 % "
        f"within {agrees.wall_distance_95:.3f} m",
        f"cells: {100 * agrees.overlap:.1f} % of those that both know agree; "
        f"{100 * agrees.walls_found:.1f} % of the walls beside mapped floor are found",
        f"loops closed: {mapped.loops}",
    ]
    if mapped.seconds:
        stages = ", ".join(f"{name} {each:.2f} s" for name, each in mapped.seconds.items())
        lines.append(f"mapper: {sum(mapped.seconds.values()):.1f} s ({stages})")
    return "\n".join(lines)


def _rows(poses: "Sequence[Pose2]") -> Array:
    return np.array([(pose.x, pose.y, pose.yaw) for pose in poses]).reshape(-1, 3)


def _begun(poses: Array, truth: Array) -> Array:
    """Return poses moved so that the first is the true one."""
    return compose_all(truth[0], relative_all(poses[0], poses))


def _moved(grid: OccupancyGrid, T_world_map: Pose2) -> OccupancyGrid:
    """Return a map in the frame of the world."""
    return OccupancyGrid(
        stamp=grid.stamp, frame=grid.frame, resolution=grid.resolution,
        origin=T_world_map @ grid.origin, data=grid.data,
    )  # fmt: skip


def _save(grid: OccupancyGrid, path: Path) -> None:
    save_map(grid, path)
