"""Walking on floor, wall and ceiling with suction, with the errors that real robots have.

In every run mass, gains, springs, lips and servo zeros are other ones, and feet come down beside
where they were meant to. The cups' strength is finite. Judged from outside: how far it came, how
straight, how near each cup was to letting go.
"""

import math
from pathlib import Path

import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.lab.robot import Robot
from mecano.parts.walks import WalkResult
from mecano.planning.gaits import find_gait
from mecano.tasks.experiment import Experiment, Metric, Score
from mecano.world.assembly import Change

DIRECTIONS = {"forward": 0.0, "left": 90.0, "backward": 180.0, "right": -90.0}
"""Seen from the robot [deg]. On the wall it looks up: forward is up."""
ON_THE_WALL = {"up": "forward", "down": "backward"}
MASS, GAIN = 0.05, 0.10
"""Masses and gains differ by up to these parts."""
SPRING, LIP = (0.03, 0.08), (0.1, 0.3)
"""Stiffness of the cups' springs [N m/rad] and friction of their lips, from and to."""
SCATTER = 0.004
"""Spread of a foothold [m]."""
SLOWEST = 0.010
"""[m/s]."""
MOST = 0.8
"""Largest share of a cup's hold that may be used, but for quick gaits on the ceiling."""
FALLEN = 0.1
"""A body this far from the surface's frame, along its normal, has fallen [m]."""


def vary(rng: np.random.Generator, seed: int) -> list[Change]:
    """Draw masses, springs and lips."""
    mass = 1.0 + rng.uniform(-MASS, MASS)
    spring, lip = rng.uniform(*SPRING), rng.uniform(*LIP)

    def change(spec) -> None:
        for body in spec.bodies:
            if body.name.startswith("romerin/"):
                body.mass *= mass
                body.fullinertia = mass * np.array(body.fullinertia)
                body.inertia = mass * np.array(body.inertia)
        for joint in spec.joints:
            if joint.name.startswith("romerin/leg") and joint.name[-1] in "456":
                joint.stiffness = [spring, 0.0, 0.0]
        for geom in spec.geoms:
            if geom.name.endswith("cup_lip_collision"):
                geom.friction = [lip, 0.005, 0.0001]

    return [change]


def disturb(robot: Robot, rng: np.random.Generator, zero: float) -> None:
    """Give the servos other gains, and zeros that are off with this spread [rad]."""
    drives = robot.legs.drives
    drives.set_gains(drives.stiffness * rng.uniform(1.0 - GAIN, 1.0 + GAIN, len(drives.names)))
    robot.legs.set_zero_errors(zero * rng.standard_normal(robot.legs.commanded.shape))


def heading_of(direction: str) -> float:
    """Return a direction, by name or in degrees, seen from the robot [rad]."""
    name = ON_THE_WALL.get(direction, direction)
    if name in DIRECTIONS:
        return math.radians(DIRECTIONS[name])
    try:
        return math.radians(finite_number(float(name), name="direction [deg]"))
    except ValueError:
        raise UnknownName("direction", direction, (*DIRECTIONS, *ON_THE_WALL)) from None


def number(text: str, name: str, *, upper: float, lower: float = 0.0) -> float:
    """Return an option as a number, or say what is allowed."""
    try:
        return finite_number(float(text), name=name, lower=lower, upper=upper)
    except ValueError:
        raise InvalidInput(f"{name} is '{text}', expected {lower:g} to {upper:g}") from None


def yes(text: str, name: str) -> bool:
    """Return an option that is yes or no, or say so."""
    if text not in ("yes", "no"):
        raise InvalidInput(f"{name} is '{text}', allowed: yes, no")
    return text == "yes"


def run(
    robot: Robot, rng: np.random.Generator, *, surface: str, gait: str, direction: str,
    distance: str, speed: str, zero: str, imu: str, errors: str,
) -> Score:  # fmt: skip
    """Walk, and judge from outside."""
    if direction in ON_THE_WALL and surface != "wall":
        raise InvalidInput(
            f"direction is '{direction}', which is for the wall; on the {surface} allowed: "
            f"{', '.join(DIRECTIONS)}, or degrees"
        )
    heading, way = heading_of(direction), number(distance, "distance [m]", lower=0.01, upper=3.0)
    own = find_gait(gait).speed
    fast = own if speed == "own" else number(speed, "speed [m/s]", upper=0.1)
    if yes(errors, "errors"):
        disturb(robot, rng, math.radians(number(zero, "zero [deg]", upper=5.0)))
    robot.legs.uses_imu = yes(imu, "imu")
    robot.wait(4.0)  # the gyro learns what it reads at rest
    start = robot.truth.body_pose("romerin/body_link")
    robot.cups.forget_peaks()
    result = robot.legs.walk(
        way, gait=gait, direction=heading, speed=fast, scatter=SCATTER if errors == "yes" else 0.0
    )
    robot.wait(0.5)
    moved = start.inverse() @ robot.truth.body_pose("romerin/body_link")
    metrics = _measure(robot, result, moved.matrix(), heading)
    problem = _problem(metrics, result, surface, gait)
    return Score(
        success=not problem,
        metrics=metrics,
        remark=problem,
        report=_report(metrics, surface),
        products={"bonds.csv": lambda path: write_events(robot, path)},
    )


def _measure(robot: Robot, result: WalkResult, T: np.ndarray, heading: float) -> dict[str, Metric]:
    c, s = math.cos(heading), math.sin(heading)
    x, y, z = T[:3, 3].tolist()
    peaks = robot.cups.drive.peaks
    along, aside = c * x + s * y, c * y - s * x
    return {
        "distance_mm": round(1000 * along, 1),
        "aside_mm": round(1000 * aside, 1),
        "aside_percent": round(100 * abs(aside) / max(abs(along), 1e-3), 2),
        "off_surface_mm": round(1000 * z, 1),
        "yaw_deg": round(math.degrees(math.atan2(T[1, 0], T[0, 0])), 2),
        "speed_mm_s": round(1000 * along / result.duration, 2),
        "peak_share_percent": round(100 * float(peaks[:, 0].max()), 1),
        "peak_pull_n": round(float(peaks[:, 1].max()), 2),
        "peak_shear_n": round(float(peaks[:, 2].max()), 2),
        "peak_moment_n_m": round(float(peaks[:, 3].max()), 3),
        "steps": sum(event.what == "bond" for event in robot.cups.events) - len(robot.legs),
        "breaks": sum(event.what == "break" for event in robot.cups.events),
        "waited_s": round(result.waited, 2),
    }


def _report(metrics: dict[str, Metric], surface: str) -> str:
    """Return the run beside what the thesis says of walking with suction."""
    walked = "walks on the floor, no figures" if surface == "floor" else "stated as a purpose only"
    rows = (
        ("", "here", "thesis"),
        ("way", f"{metrics['distance_mm']} mm at {metrics['speed_mm_s']} mm/s", walked),
        ("straight", f"{metrics['aside_mm']} mm aside, {metrics['yaw_deg']} deg", "curved"),
        ("largest pull", f"{metrics['peak_pull_n']} N", "a cup breaks at 15 N"),
        ("largest shear", f"{metrics['peak_shear_n']} N", "a cup breaks at 30 N"),
        ("cups torn off", f"{metrics['breaks']}", "no figure"),
    )
    return "\n".join(f"{what:15s}{here:28s}{thesis}" for what, here, thesis in rows)


def _problem(metrics: dict[str, Metric], result: WalkResult, surface: str, gait: str) -> str:
    """Return why a run does not count, or nothing."""
    if not result.reached:
        return f"the walk ended early: {result.cause or result.outcome}"
    if abs(float(metrics["off_surface_mm"])) > 1000 * FALLEN:
        return "the robot fell"
    if metrics["breaks"]:
        return f"{metrics['breaks']} cups were torn off"
    if float(metrics["speed_mm_s"]) < 1000 * SLOWEST:
        return f"slower than {1000 * SLOWEST:.0f} mm/s"
    quick_on_ceiling = surface == "ceiling" and gait != "wave"
    if float(metrics["peak_share_percent"]) > 100 * MOST and not quick_on_ceiling:
        return f"a cup used more than {100 * MOST:.0f} % of its hold"
    return ""


def write_events(robot: Robot, path: Path) -> None:
    """Write every bond, release and break with the loads of that moment."""
    lines = ["time [s],leg,what,on,pull [N],shear [N],moment [N m]"]
    lines += [
        f"{e.time:.4f},{e.cup},{e.what},{e.body},{e.pull:.3f},{e.shear:.3f},{e.moment:.4f}"
        for e in robot.cups.events
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


EXPERIMENT = Experiment(
    name="romerin/climb",
    title="walk on floor, wall or ceiling with suction",
    robot="romerin",
    scene="wall",
    vary=vary,
    run=run,
    options={
        "surface": "wall", "gait": "wave", "direction": "forward", "distance": "1.0",
        "speed": "own", "zero": "0.3", "imu": "yes", "errors": "yes",
    },
    hints={
        "surface": "floor, wall or ceiling",
        "gait": "wave, ripple or tripod",
        "direction": "forward, backward, left, right (on the wall also up, down), or degrees",
        "distance": "m",
        "speed": "m/s of the body; own is the gait's",
        "zero": "deg: spread of the servos' zeros",
        "imu": "yes or no: whether the IMU's heading corrects the walk",
        "errors": "yes or no: gains, zeros and footholds that are off",
    },
    surfaces={"floor": "empty", "wall": "wall", "ceiling": "ceiling"},
)  # fmt: skip
