"""The drive test: 2 m straight on and four whole turns in place, odometry against the truth.

Without noise the encoders and the gyro have only their digits for errors: 0.2 mm and 0.005 degrees
were measured, 2 mm and 0.03 degrees are allowed. With noise the gyro decides. Kobuki's
documentation gives 0.47, 1.99 and 3.18 degrees after 0.5, 1.5 and 2.5 turns, 1.27 per turn: three
times that is allowed. While it goes straight the gyro's trim counts, 0.02 degrees per second: over
7 s it is 0.14 degrees, half of which 2 m away is 2.4 mm; with the white noise three times that is
allowed. Over 40 seeds the root mean square was 3.2 mm and 0.18 degrees, then 1.5 degrees per turn.
Wheels that slip and err in their radii as declared (0.3 % of the way, one sigma: 6 mm of 2 m) come
on top: three sigma of both together are 21 mm.
"""

from dataclasses import dataclass
from math import degrees, hypot, pi

import numpy as np

from mecano.core.poses import wrap_angle
from mecano.lab.robot import Robot
from mecano.parts.base import Base
from mecano.tasks.experiment import Experiment, Metric, Score

WAY = 2.0
"""[m]."""
TURNS = 4
SETTLE = 0.5
"""The base comes to rest for this long before it is measured [s]."""


@dataclass(frozen=True, kw_only=True)
class Bars:
    """How far odometry may be off."""

    place_mm: float
    """At any time."""
    straight_deg: float
    """After the way."""
    per_turn_deg: float
    """Added by each turn."""


CLEAN = Bars(place_mm=2.0, straight_deg=0.03, per_turn_deg=0.03)
NOISY = Bars(place_mm=21.0, straight_deg=0.6, per_turn_deg=3.8)


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Drive, turn, and compare after each part."""
    robot.wait(SETTLE)
    bars = NOISY if is_noisy(robot.base) else CLEAN
    metrics: dict[str, Metric] = {}
    problems = drive_part(robot, metrics, "straight", lambda: robot.base.move(WAY), bars, 0)
    for number in range(1, TURNS + 1):
        if not problems:
            problems = drive_part(
                robot, metrics, f"turn_{number}", lambda: robot.base.turn(2 * pi), bars, number
            )
    return Score(success=not problems, metrics=metrics, remark="; ".join(problems))


def drive_part(robot: Robot, metrics: dict, name: str, go, bars: Bars, turns: int) -> list[str]:
    """Do one part, add what was measured to the metrics; return what went wrong."""
    began = robot.time
    result = go()
    metrics[f"{name}_time_s"] = round(robot.time - began, 2)
    robot.wait(SETTLE)
    place, heading = odometry_error(robot)
    metrics[f"{name}_error_mm"] = round(1000 * place, 3)
    metrics[f"{name}_error_deg"] = round(degrees(heading), 4) + 0.0  # no "-0.0"
    allowed = bars.straight_deg + turns * bars.per_turn_deg
    problems = [] if result.reached else [f"{name}: {result.message}"]
    if 1000 * place > bars.place_mm:
        problems.append(f"{name}: {1000 * place:.1f} mm off, allowed {bars.place_mm:g}")
    if abs(degrees(heading)) > allowed:
        problems.append(f"{name}: {degrees(heading):.2f} degrees off, allowed {allowed:.2f}")
    return problems


def odometry_error(robot: Robot) -> tuple[float, float]:
    """Return how far odometry is from the truth: place [m] and heading [rad]."""
    told, true = robot.base.pose, robot.truth.base_pose()
    return hypot(told.x - true.x, told.y - true.y), float(wrap_angle(told.yaw - true.yaw))


def is_noisy(base: Base) -> bool:
    """Tell whether the sensors of a base have noise."""
    return base.report().floor != base.report(clean=True).floor


EXPERIMENT = Experiment(
    name="crumb/drive-test",
    title="2 m straight and four turns in place, odometry against truth",
    robot="crumb",
    scene="empty",
    run=run,
)
