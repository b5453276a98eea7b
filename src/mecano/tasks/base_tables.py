"""Tables of MADAR's base: matrices, the (1, 1) test, twists, odometry, coverage by the LIDARs."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose
from mecano.estimation.scan_coverage import DISTANCES, arcs, coverage, directions, seen_by
from mecano.robots.madar import paper
from mecano.robots.madar.description import LIDAR_CROP

if TYPE_CHECKING:
    from mecano.tasks.base_kinematics import Course, Found, Twisted

CROPS = {"paper": paper.LIDAR_CROP, "launch file": paper.LAUNCH_CROP, "ours": LIDAR_CROP}
CARD_DISTANCE = 2.0
"""From the middle of the base, for which blind directions are listed [m]."""


def tell(found: "Found") -> str:
    """Return all tables."""
    return "\n".join(
        [
            *_tell_matrices(found), "",
            *_tell_test(found), "",
            *_tell_twists(found), "",
            *_tell_course(found.course), "",
            *_tell_coverage(found.lidars),
        ]
    )  # fmt: skip


def _tell_matrices(found: "Found") -> list[str]:
    lines = []
    for each in found.matrices:
        lines.append(f"wheels {each.distance:.4f} m from the middle: A, and its inverse")
        for row, back in zip(each.layout.to_rates + 0.0, each.layout.to_twist + 0.0, strict=True):
            left = " ".join(f"{value:9.4f}" for value in row)
            lines.append(f"  {left}   |  " + " ".join(f"{value:10.6f}" for value in back))
        lines.append("  largest difference from the printed ones: {:.1e}, {:.1e}".format(*each.off))
    return lines


def _tell_test(found: "Found") -> list[str]:
    rates = ", ".join(f"{rate:.4f}" for rate in paper.RATES)
    kinematic, physical = found.by_kinematics, found.by_physics
    return [
        f"the paper's test: ({rates}) rad/s for 1 s should lead to (1, 1, 0)",
        f"  by kinematics               ends at ({kinematic.x:.5f}, {kinematic.y:.5f}) m, "
        f"{_degrees(kinematic.yaw):.4f} deg",
        f"  by physics at {math.sqrt(2) * found.speed:.3f} m/s     ends at ({physical.x:.4f}, "
        f"{physical.y:.4f}) m, {_degrees(physical.yaw):.2f} deg: "
        f"{1000 * found.paper_test_error:.2f} mm off",
    ]


def _degrees(angle: float) -> float:
    """Return an angle in degrees for a table, without a zero that is negative."""
    return round(math.degrees(angle), 2) + 0.0


def _turned(rows: Array) -> float:
    """Return how far poses have turned in all, more than half a turn too [rad]."""
    return float(np.unwrap(rows[:, 2])[-1])


def _tell_twists(found: "Found") -> list[str]:
    loop = "the motors' own, 100 N m s/rad"
    if found.gains == "paper":
        loop = (
            "the paper's PID, {p:g} N m s/rad, {i:g} N m/rad, {d:g} N m s2/rad, "
            "integral up to {clamp:g} N m".format(**paper.WHEEL_LOOP)
        )
    lines = [
        f"twists without feedback; loops of the wheels: {loop}",
        "                 asked (u, v, r)      told (u, v, r)           commanded            "
        "reached     error          lag",
        "                   [m/s, rad/s]        [m/s, rad/s]       x, y [m], deg      x, y [m], deg"
        "     mm    deg     ms",
    ]
    for each in found.twists:
        asked, told = (
            " ".join(f"{v + 0.0:6.3f}" for v in twist) for twist in (each.asked, each.told)
        )
        ends = [
            f"{round(x, 3) + 0.0:7.3f} {round(y, 3) + 0.0:7.3f} {_degrees(_turned(rows)):7.2f}"
            for rows in (each.driven.commanded, each.driven.reached)
            for x, y, _ in (rows[-1],)
        ]
        lines.append(
            f"  {each.name:<12} {asked}  {told}  {ends[0]} {ends[1]} "
            f"{1000 * each.driven.path_error:6.2f} {_degrees(each.driven.yaw_error):6.2f} "
            f"{1000 * each.lag:6.1f}"
        )
    return lines


def _tell_course(course: "Course") -> list[str]:
    lines = [
        "odometry against the truth, both from the same encoder readings",
        "  after          ours [mm]   [deg]   paper's [m]",
    ]
    for what, ours, turned, off in course.legs:
        lines.append(f"  {what:<12} {1000 * ours:11.2f} {math.degrees(turned):7.3f} {off:13.3f}")
    return lines


def _tell_coverage(lidars: dict[str, Pose]) -> list[str]:
    head = "".join(f"{distance:8.1f} m" for distance in DISTANCES)
    lines = [
        f"directions that no LIDAR has in view, by the distance from the middle\n"
        f"  crop                      {head}   blind at {CARD_DISTANCE:g} m [deg]"
    ]
    for name, crop in CROPS.items():
        shares = coverage(lidars, [crop])[crop].values()
        cells = "".join(f"{100 * share:8.1f} %" for share in shares)
        seen = seen_by(lidars, crop, CARD_DISTANCE, directions())
        blind = arcs(~np.any(list(seen.values()), axis=0))
        told = ", ".join(f"{math.degrees(a):.0f} to {math.degrees(b):.0f}" for a, b in blind)
        lines.append(f"  {name:<12} +-{math.degrees(crop):5.1f} deg  {cells}   {told or 'none'}")
    return lines


def write_twists(twists: "Sequence[Twisted]", path: Path) -> None:
    """Write what was commanded and reached, tick by tick."""
    axes = ("x_m", "y_m", "yaw_rad")
    columns = [f"{what}_{axis}" for what in ("commanded", "reached") for axis in axes]
    lines = [",".join(["twist", "time_s", *columns])]
    for each in twists:
        rows = np.hstack([each.driven.commanded, each.driven.reached])
        for i, row in enumerate(rows):
            lines.append(
                f"{each.name},{i * each.tick:.3f}," + ",".join(f"{value:.6f}" for value in row)
            )
    path.write_text("\n".join(lines) + "\n", "utf-8")


def write_odometry(course: "Course", path: Path) -> None:
    """Write where the base was and where it was believed to be, tick by tick."""
    kinds = {"true": course.truth, "ours": course.ours, "paper": course.papers}
    lines = [",".join(f"{kind}_{unit}" for kind in kinds for unit in ("x_m", "y_m", "yaw_rad"))]
    for poses in zip(*kinds.values(), strict=True):
        lines.append(",".join(f"{v:.6f}" for pose in poses for v in (pose.x, pose.y, pose.yaw)))
    path.write_text("\n".join(lines) + "\n", "utf-8")


def write_coverage(lidars: dict[str, Pose], path: Path) -> None:
    """Write how many LIDARs have each bearing in view, by crop and distance."""
    bearings = np.radians(np.arange(-180.0, 180.0))
    columns = {
        f"{name.replace(' ', '_')}_{distance:g}_m": np.sum(
            list(seen_by(lidars, crop, distance, bearings).values()), axis=0
        )
        for name, crop in CROPS.items()
        for distance in DISTANCES
    }
    lines = [",".join(["bearing_deg", *columns])]
    for i, bearing in enumerate(bearings):
        counts = ",".join(str(column[i]) for column in columns.values())
        lines.append(f"{round(math.degrees(bearing))},{counts}")
    path.write_text("\n".join(lines) + "\n", "utf-8")
