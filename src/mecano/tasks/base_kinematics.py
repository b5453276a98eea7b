"""MADAR's base by the paper's equations and by physics.

What the paper prints is reproduced from where the wheels stand; its test is run by kinematics and,
as fast as the drives allow, by physics. Then twists are driven without feedback, a square is
driven with both odometries listening to the same encoders, and it is told which directions the
LIDARs have in view.
"""

import math
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from mecano.control.wheel_loop import WheelLoop
from mecano.core.arrays import Array, finite_number
from mecano.core.errors import UnknownName
from mecano.core.poses import Pose, Pose2
from mecano.estimation.odometry import tick_change
from mecano.estimation.scan_coverage import blind_share
from mecano.kinematics.wheels import WheelLayout, omni
from mecano.lab.robot import Robot
from mecano.robots.madar import paper
from mecano.robots.madar.description import (
    LIDAR_CROP,
    WHEEL_ANGLES,
    WHEEL_DISTANCE,
    WHEEL_NAMES,
    WHEEL_RADIUS,
)
from mecano.tasks.base_tables import tell, write_coverage, write_odometry, write_twists
from mecano.tasks.experiment import Experiment, Metric, Score, text_product
from mecano.tasks.paper_odometry import PaperOdometer
from mecano.tasks.wheel_card import Driven, drive

MATRIX_BAR, PHYSICS_BAR, ODOMETRY_BAR = 1e-4, 0.005, 0.010
"""Largest difference of a number; how far the base may end from (1, 1) [m]; and how far our
odometry may be from the truth after the square [m]."""
TWISTS: dict[str, tuple[float, float, float]] = {
    "forward": (0.3, 0.0, 0.0), "sideways": (0.0, 0.3, 0.0), "diagonal": (0.2, 0.2, 0.0),
    "turn": (0.0, 0.0, 0.5), "mixed": (0.2, -0.1, 0.3), "back": (-0.3, 0.0, 0.0),
    "turn right": (0.0, 0.0, -0.8), "mixed right": (-0.1, 0.15, -0.4),
}  # fmt: skip
"""Forward, to the left [m/s], turning [rad/s]; the first five are those of the fact sheet."""
SETTLE = {"default": 0.5, "paper": 8.0}
"""How long the base comes to rest, by the loop of its wheels [s]."""
COURSE_SPEED, COURSE_TURN = 0.25, 0.6
"""Of the square [m/s, rad/s]."""


@dataclass(frozen=True, eq=False)
class Matrices:
    """A and its inverse from the layout, and how far they are from what is printed."""

    distance: float
    """Of the wheels from the middle [m]."""
    layout: WheelLayout

    @property
    def off(self) -> tuple[float, float]:
        """Largest difference of A and of its inverse from the printed ones."""
        ours = (self.layout.to_rates, self.layout.to_twist)
        off = [
            np.abs(a - b).max() for a, b in zip(ours, (paper.TO_RATES, paper.TO_TWIST), strict=True)
        ]
        return float(off[0]), float(off[1])


@dataclass(frozen=True, eq=False)
class Twisted:
    """One twist that was driven."""

    name: str
    asked: tuple[float, float, float]
    told: tuple[float, float, float]
    """The same, slowed down to what the wheels can."""
    driven: Driven
    tick: float

    @property
    def lag(self) -> float:
        """How long the base is behind its command, at most [s]."""
        ways = [np.cumsum(_steps(rows), axis=0) for rows in (self.driven.commanded,
                                                             self.driven.reached)]  # fmt: skip
        column, speed = (0, math.hypot(*self.told[:2])) if any(self.told[:2]) else (1, self.told[2])
        return float(np.max(ways[0][:, column] - ways[1][:, column])) / abs(speed)


def _steps(rows: Array) -> Array:
    """Return how far each step of poses goes [m] and turns [rad]. Shape (n, 2)."""
    change = np.diff(rows, axis=0)
    turned = np.abs((change[:, 2] + math.pi) % math.tau - math.pi)
    return np.stack([np.hypot(change[:, 0], change[:, 1]), turned], axis=1)


@dataclass
class Course:
    """The square: where the base was, and where two odometries said it was."""

    robot: Robot
    start: Pose2
    paper: PaperOdometer
    truth: list[Pose2] = field(default_factory=list)
    ours: list[Pose2] = field(default_factory=list)
    papers: list[Pose2] = field(default_factory=list)
    legs: list[tuple[str, float, float, float]] = field(default_factory=list)
    """What was driven, and how far off ours [m, rad] and the paper's [m] were then."""

    @classmethod
    def begin(cls, robot: Robot) -> "Course":
        """Return one that begins here; its odometries begin at the origin."""
        robot.base.reset_odometry()
        layout = robot.base.facts.layout
        paper = PaperOdometer(layout, angles_of(robot), robot.base.report().stamp)
        return cls(robot, robot.truth.base_pose(), paper)

    def look(self, session: object) -> None:
        """Feed the paper's odometry with the reading that ours gets, and write all down."""
        stamp = self.robot.base.stamp
        if stamp > self.paper.stamp:
            self.paper = self.paper.after(angles_of(self.robot), stamp)
        self.truth.append(self.start.inverse() @ self.robot.truth.base_pose())
        self.ours.append(self.robot.base.pose)
        self.papers.append(self.paper.pose)

    def drive(self, what: str, seconds: float, speed: float, turn: float, settle: float) -> None:
        """Drive, come to rest, and look how far off the odometries are."""
        self.robot.base.drive_for(seconds, speed, turn)
        self.robot.wait(settle)
        truth = self.truth[-1]
        self.legs.append(
            (
                what,
                self.ours[-1].distance_to(truth),
                self.ours[-1].angle_to(truth),
                self.paper.error_to(truth),
            )
        )


def angles_of(robot: Robot) -> Array:
    """Return the angles of the wheels by their encoders at the newest odometry [rad]."""
    facts, odometer = robot.base.facts, robot.base.report()
    zeros = (0,) * len(odometer.ticks)
    return facts.counter.per_tick * tick_change(odometer.ticks, zeros, facts.counter.modulo)


@dataclass(frozen=True, eq=False)
class Found:
    """All that was measured."""

    gains: str
    matrices: tuple[Matrices, ...]
    by_kinematics: Pose2
    by_physics: Pose2
    speed: float
    """Forwards and to the left, in the (1, 1) test by physics [m/s]."""
    twists: tuple[Twisted, ...]
    course: Course
    lidars: dict[str, Pose]

    @property
    def paper_test_error(self) -> float:
        """How far the base ended from (1, 1) [m]."""
        return math.hypot(self.by_physics.x - 1.0, self.by_physics.y - 1.0)


def matrices_for(distance: float) -> Matrices:
    """Return A and its inverse for wheels at a distance from the middle [m]."""
    layout = omni(
        radius=WHEEL_RADIUS, distance=distance, angles=WHEEL_ANGLES, names=WHEEL_NAMES
    )  # fmt: skip
    return Matrices(distance, layout)


def paper_test_by_kinematics(layout: WheelLayout, steps: int = 250) -> Pose2:
    """Return where the paper's rates lead in 1 s, in steps of its cycle."""
    step = Pose2.exp(layout.twist(paper.RATES) / steps)
    pose = Pose2()
    for _ in range(steps):
        pose = pose @ step
    return pose


def paper_test_by_physics(robot: Robot, settle: float) -> tuple[Pose2, float]:
    """Drive to (1, 1) as fast as the wheels can; return where it ended and the speed [m/s]."""
    tick, base = robot.session.backend.tick, robot.base
    fastest = float(base.facts.layout.scaled((1.0, 1.0, 0.0), base.fastest_wheel)[0])
    seconds = math.ceil(1.0 / fastest / tick) * tick
    start, speed = robot.truth.base_pose(), 1.0 / seconds
    base.drive_for(seconds, speed, left=speed)
    robot.wait(settle)
    return start.inverse() @ robot.truth.base_pose(), speed


def drive_twist(robot: Robot, name: str, seconds: float, settle: float) -> Twisted:
    """Drive one of the twists."""
    asked, base = TWISTS[name], robot.base
    vx, vy, wz = base.facts.layout.scaled(asked, base.fastest_wheel).tolist()
    driven = drive(robot, ((vx, vy, wz, seconds),), settle=settle)
    return Twisted(name, asked, (vx, vy, wz), driven, robot.session.backend.tick)


def drive_square(robot: Robot, side: float, settle: float) -> Course:
    """Turn left and go straight on, four times."""
    course = Course.begin(robot)
    robot.session.observers.append(course.look)
    try:
        for corner in range(1, 5):
            course.drive(
                f"turn {corner}", 0.5 * math.pi / COURSE_TURN, 0.0, COURSE_TURN, settle
            )  # fmt: skip
            course.drive(f"side {corner}", side / COURSE_SPEED, COURSE_SPEED, 0.0, settle)
    finally:
        robot.session.observers.remove(course.look)
    return course


def check_options(
    *, gains: str, seconds: str, side: str, twists: str
) -> tuple[float, float, list[str]]:
    """Return seconds [s], side [m] and names of twists, or say what is wrong with an option."""
    if gains not in SETTLE:
        raise UnknownName("set of gains", gains, SETTLE)
    time = finite_number(seconds, name="seconds [s]", lower=1.0, upper=60.0)  # type: ignore[arg-type]
    length = finite_number(side, name="side [m]", lower=0.1, upper=10.0)  # type: ignore[arg-type]
    names = list(TWISTS) if twists == "all" else [name.strip() for name in twists.split(",")]
    for name in names:
        if name not in TWISTS:
            raise UnknownName("twist", name, TWISTS)
    return time, length, names


def run(
    robot: Robot, rng: np.random.Generator, *, gains: str, seconds: str, side: str, twists: str
) -> Score:
    """Measure all.

    Args:
        robot: At rest, with room around it.
        rng: Not used, nothing is drawn.
        gains: Of the loops of the wheels: "default" or "paper".
        seconds: How long each twist is driven [s].
        side: Of the square [m].
        twists: Which of `TWISTS` to drive: "all", or names with commas between them.
    """
    time, length, names = check_options(gains=gains, seconds=seconds, side=side, twists=twists)
    settle = SETTLE[gains]
    robot.wait(0.5)
    robot.base.wheel_loop = WheelLoop(**paper.WHEEL_LOOP) if gains == "paper" else None
    matrices = tuple(matrices_for(d) for d in (paper.WHEEL_DISTANCE, WHEEL_DISTANCE))
    by_physics, speed = paper_test_by_physics(robot, settle)
    found = Found(
        gains=gains,
        matrices=matrices,
        by_kinematics=paper_test_by_kinematics(matrices[0].layout),
        by_physics=by_physics,
        speed=speed,
        twists=tuple(drive_twist(robot, name, time, settle) for name in names),
        course=drive_square(robot, length, settle),
        lidars={name: lidar.pose for name, lidar in robot.lidars.items()},
    )
    problems = judge(found, strict=robot.description.name == "madar" and gains == "default")
    text = tell(found)
    return Score(
        success=not problems,
        metrics=measure(found),
        remark="; ".join(problems),
        report=text,
        products={
            "base_kinematics.md": text_product(f"```\n{text}\n```"),
            "twists.csv": partial(write_twists, found.twists),
            "odometry.csv": partial(write_odometry, found.course),
            "coverage.csv": partial(write_coverage, found.lidars),
            "base_kinematics.png": partial(_draw, found),
        },
    )


def judge(found: Found, *, strict: bool) -> list[str]:
    """Return what is not as it should be; ball wheels with our gains are held to the bars."""
    problems = []
    if max(found.matrices[0].off) > MATRIX_BAR:
        problems.append(f"matrices differ by {max(found.matrices[0].off):.1e} from the paper's")
    exact = found.by_kinematics
    if max(abs(exact.x - 1.0), abs(exact.y - 1.0), abs(exact.yaw)) > MATRIX_BAR:
        problems.append(f"by kinematics the paper's test ends at {found.by_kinematics}")
    if strict and found.paper_test_error > PHYSICS_BAR:
        problems.append(f"by physics it ends {1000 * found.paper_test_error:.1f} mm from (1, 1)")
    if strict and found.course.legs[-1][1] > ODOMETRY_BAR:
        problems.append(f"odometry is {1000 * found.course.legs[-1][1]:.1f} mm off")
    if blind_share(found.lidars, LIDAR_CROP, 0.5) > 0.0:
        problems.append("the LIDARs leave directions blind")
    return problems


def measure(found: Found) -> dict[str, Metric]:
    """Return the figures."""
    first, last = found.course.legs[1], found.course.legs[-1]
    metrics: dict[str, Metric] = {
        "matrix_error": round(found.matrices[0].off[0], 7),
        "inverse_error": round(found.matrices[0].off[1], 7),
        "paper_test_error_mm": round(1000 * found.paper_test_error, 2),
        "paper_test_speed_m_s": round(math.sqrt(2) * found.speed, 4),
    }
    for each in found.twists:
        name = each.name.replace(" ", "_")
        metrics[f"{name}_error_mm"] = round(1000 * each.driven.path_error, 2)
        metrics[f"{name}_error_deg"] = round(math.degrees(each.driven.yaw_error), 3)
        metrics[f"{name}_lag_ms"] = round(1000 * each.lag, 1)
    metrics |= {
        "turn_and_side_error_mm": round(1000 * first[1], 2),
        "turn_and_side_paper_error_m": round(first[3], 3),
        "square_error_mm": round(1000 * last[1], 2),
        "square_error_deg": round(math.degrees(last[2]), 3),
        "square_paper_error_m": round(last[3], 3),
    }
    return metrics


def _draw(found: Found, path: Path) -> None:
    from mecano.tasks.madar_plots import draw_base

    draw_base(found, path)


def card_of(robot: str, title: str) -> Experiment:
    """Return the experiment for a robot."""
    return Experiment(
        name=f"{robot}/base-kinematics",
        title=title,
        robot=robot,
        scene="empty",
        run=run,
        options={"gains": "default", "seconds": "4", "side": "1.5", "twists": "all"},
        hints={
            "gains": "default, or paper: its PID 1.2 / 0.01 / 0.1 in N m per rad/s, and its lag",
            "seconds": "s that each twist is driven",
            "side": "m, of the square for odometry",
            "twists": f"all, or some of {', '.join(TWISTS)}, with commas",
        },
        check=check_options,
    )


EXPERIMENT = card_of("madar", "matrices, (1, 1) test, twists, odometry and LIDAR coverage")
ELEMENTS = card_of(
    "madar_elements", "matrices, (1, 1) test, twists, odometry: wheels with all elements"
)
