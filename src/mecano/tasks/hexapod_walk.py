"""The walk of the thesis on ROMERIN: tripods on the floor for 20 s, with the motors of leg 1.

Even legs step first, then odd ones, in a loop; cups switch on within 7 mm of the floor and let go
before each step. The thesis sends each leg its next point without any feedback, before the last one
is reached, and its robot walks a curve. Here targets move smoothly, and the heading is kept by the
IMU unless `imu=no`. The way is the true one, by physics.
"""

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import UnknownName
from mecano.core.poses import Pose, Pose2
from mecano.lab.robot import Robot
from mecano.parts.walks import Walk
from mecano.session.session import Session
from mecano.tasks.experiment import Experiment, Metric, Score

LEG = 1
"""Whose motors are plotted; the thesis's."""
STRAIGHT = 0.02
"""A way is straight if it ends no further aside than this part of its length."""
ADVANCED = 0.7
"""The robot has to come this part of speed times time; starting takes some of it."""
TOGETHER = 0.25
"""Cups that let go within this time step together [s]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Walked:
    """A walk, from its start on."""

    gait: str
    speed: float
    """That was asked for [m/s]."""
    leg: int
    times: Array
    """[s]. Shape (n,)."""
    target: Array
    """Commanded joint values of the leg [rad]. Shape (n, 3)."""
    real: Array
    """True ones [rad]. Shape (n, 3)."""
    holds: np.ndarray
    """Whether the leg's cup holds. Shape (n,)."""
    way: Array
    """True place of the body: along the way it should go, to the left of it [m]. Shape (n, 2)."""
    turned: Array
    """True heading, from where it began [rad]. Shape (n,)."""
    odometry: float
    """How far it came by its legs' odometry [m]."""
    peak: float
    """Largest share of a cup's hold that was used up."""
    steps: tuple[tuple[int, ...], ...]
    """Legs that let go together, in order."""
    problem: str
    """What ended the walk before its time; empty if nothing did."""

    @property
    def seconds(self) -> float:
        """How long it was watched [s]."""
        return float(self.times[-1])

    @property
    def distance(self) -> float:
        """True, along its way [m]."""
        return float(self.way[-1, 0])

    @property
    def aside(self) -> float:
        """How far from the straight line it ends, to the left positive [m]."""
        return float(self.way[-1, 1])

    @property
    def swings(self) -> list[tuple[float, float]]:
        """When the leg was in the air: begin and end [s]."""
        edges = np.flatnonzero(np.diff(np.concatenate([[True], self.holds, [True]]).astype(int)))
        return [
            (float(self.times[a]), float(self.times[min(b, len(self.times) - 1)]))
            for a, b in edges.reshape(-1, 2)
        ]

    @property
    def lags(self) -> Array:
        """Largest difference of target and real angle of each motor [rad]. Shape (3,)."""
        return np.abs(self.target - self.real).max(axis=0)


class WalkLog:
    """Writes down a leg and the way of the body at every tick; an observer of the session."""

    def __init__(self, robot: Robot, leg: int, direction: float) -> None:
        """Begin here; `direction` is where the walk should go [rad]."""
        self.robot, self.leg, self.began = robot, leg, robot.time
        self.rows: list[tuple[float, ...]] = []
        self._free = int(robot.world.model.joint(f"{robot.name}/free").qposadr[0])
        self._joints = [
            int(robot.world.model.joint(f"{robot.name}/{name}").qposadr[0])
            for name in robot.legs[leg].chain.joint_names
        ]
        self._heading = Pose2(0.0, 0.0, direction)
        self._start = self._place()

    def _place(self) -> Pose2:
        """Read the state itself: computing poses anew would not be only reading."""
        state = self.robot.world.data.qpos[self._free : self._free + 7]
        return Pose2.from_pose(Pose(state[:3], state[3:]))

    def __call__(self, session: Session) -> None:
        """Add a row: time, commanded, real, whether the cup holds, place and heading."""
        robot, leg = self.robot, self.robot.legs[self.leg]
        moved = self._start.inverse() @ self._place()
        seen = self._heading.inverse() @ moved
        self.rows.append(
            (
                session.time - self.began,
                *leg.commanded,
                *robot.world.data.qpos[self._joints],
                float(robot.cups.holding[self.leg - 1]),
                *(seen.x, seen.y, moved.yaw),
            )
        )

    def result(self, walk: Walk, speed: float) -> Walked:
        """Return all that was seen."""
        rows = np.array(self.rows)
        gone = walk.result.cause if walk.result is not None else ""
        return Walked(
            gait=walk.gait.name, speed=speed, leg=self.leg, times=rows[:, 0],
            target=rows[:, 1:4], real=rows[:, 4:7], holds=rows[:, 7] > 0.0, way=rows[:, 8:10],
            turned=rows[:, 10], odometry=walk.gone, peak=float(self.robot.cups.peaks.max()),
            steps=steps_of(self.robot, self.began), problem=gone,
        )  # fmt: skip


def steps_of(robot: Robot, since: float) -> tuple[tuple[int, ...], ...]:
    """Return which legs let go together, in order, from a time on [s]."""
    groups: list[list[int]] = []
    last = -math.inf
    for event in robot.cups.events:
        if event.what == "release" and event.time >= since:
            if event.time - last > TOGETHER:
                groups.append([])
            groups[-1].append(event.cup)
            last = event.time
    return tuple(tuple(sorted(group)) for group in groups)


def walk(robot: Robot, *, gait: str, direction: float, seconds: float) -> Walked:
    """Walk for some time, watch leg 1 and the way; feet in the air land afterwards."""
    log = WalkLog(robot, LEG, direction)
    walking = robot.legs.walk(time=seconds, gait=gait, direction=direction, wait=False)
    robot.session.observers.append(log)
    try:
        robot.session.wait_until(lambda: walking.done, timeout=seconds)
        walked = log.result(walking, walking.gait.speed)
    finally:
        robot.session.observers.remove(log)
    walking.wait()
    return walked


def run(
    robot: Robot, rng: np.random.Generator, *, gait: str, direction: str, seconds: str, imu: str
) -> Score:
    """Walk and judge it from outside.

    Args:
        robot: Standing on the floor.
        rng: Not used, nothing is drawn.
        gait: "tripod", "ripple" or "wave".
        direction: Where to, 0 is forward, to the left positive [deg].
        seconds: How long.
        imu: "no" walks without the IMU: the heading is not corrected.
    """
    if imu not in ("yes", "no"):
        raise UnknownName("value of imu", imu, ("yes", "no"))
    time = finite_number(seconds, name="seconds", lower=1.0, upper=600.0)  # type: ignore[arg-type]
    angle = finite_number(direction, name="direction [deg]", lower=-360.0, upper=360.0)  # type: ignore[arg-type]
    robot.legs.uses_imu = imu == "yes"
    robot.wait(0.2)
    walked = walk(robot, gait=gait, direction=math.radians(angle), seconds=time)
    problem = judge(walked)
    return Score(
        success=not problem,
        metrics=measure(walked),
        remark=problem,
        report=tell(walked, imu == "yes"),
        products={"leg1.csv": partial(write_csv, walked), "leg1.png": partial(_draw, walked)},
    )


def judge(walked: Walked) -> str:
    """Return why a walk is not good; empty if it is."""
    if walked.problem:
        return walked.problem
    expected = ADVANCED * walked.speed * walked.seconds
    if walked.distance < expected:
        return f"it came {1000 * walked.distance:.0f} mm far, expected {1000 * expected:.0f} mm"
    if abs(walked.aside) > STRAIGHT * walked.distance:
        return (
            f"it ends {1000 * walked.aside:.1f} mm aside, allowed {100 * STRAIGHT:g} % of the way"
        )
    return ""


def measure(walked: Walked) -> dict[str, Metric]:
    """Return the figures of a walk."""
    metrics: dict[str, Metric] = {
        "distance_mm": round(1000.0 * walked.distance, 2),
        "speed_mm_s": round(1000.0 * walked.distance / walked.seconds, 2),
        "aside_mm": round(1000.0 * walked.aside, 3),
        "largest_aside_mm": round(1000.0 * float(np.abs(walked.way[:, 1]).max()), 3),
        "turned_deg": round(math.degrees(walked.turned[-1]), 3),
        "odometry_error_mm": round(1000.0 * (walked.odometry - walked.distance), 3),
        "largest_cup_share_percent": round(100.0 * walked.peak, 1),
        "steps": len(walked.steps),
        "first_legs": " ".join(map(str, walked.steps[0])) if walked.steps else "",
    }
    for motor, lag in enumerate(np.degrees(walked.lags).tolist(), start=1):
        metrics[f"motor_{motor}_largest_lag_deg"] = round(lag, 2)
    return metrics


def tell(walked: Walked, corrected: bool) -> str:
    """Return the walk beside that of the thesis."""
    distance, aside = 1000.0 * walked.distance, 1000.0 * walked.aside
    order = ", ".join("-".join(map(str, group)) for group in walked.steps[:4])
    lags = ", ".join(f"{lag:.1f}" for lag in np.degrees(walked.lags))
    heading = "kept by the IMU" if corrected else "not corrected, as in the thesis"
    rows = [
        ("", "here", "thesis"),
        ("groups", f"{order}, ...", "even legs, then odd ones"),
        ("way", f"{distance:.0f} mm in {walked.seconds:.0f} s", "advances, no figure"),
        ("shape", f"{aside:+.1f} mm aside, {math.degrees(walked.turned[-1]):+.2f} deg", "curved"),
        ("heading", heading, "open loop"),
        ("cups", f"{100 * walked.peak:.0f} % of their hold at most", "no figure"),
        ("lag of motors 1, 2, 3", f"{lags} deg at most", "joints 2 and 3 mostly, no figure"),
    ]
    return "\n".join(f"{a:<23}{b:<34}{c}" for a, b, c in rows)


def write_csv(walked: Walked, path: Path) -> None:
    """Write target and real angles of the leg's motors, its cup, and the way of the body."""
    angles = [f"motor_{i}_{what}_deg" for what in ("target", "real") for i in (1, 2, 3)]
    np.savetxt(
        path,
        np.column_stack(
            [
                walked.times, np.degrees(walked.target), np.degrees(walked.real), walked.holds,
                1000.0 * walked.way, np.degrees(walked.turned),
            ]
        ),
        delimiter=",",
        fmt=["%.3f", *["%.4f"] * 6, "%d", *["%.3f"] * 2, "%.4f"],
        header=",".join(["time_s", *angles, "cup_holds", "along_mm", "aside_mm", "turned_deg"]),
        comments="",
    )  # fmt: skip


def _draw(walked: Walked, path: Path) -> None:
    from mecano.tasks.romerin_plots import draw_walk

    draw_walk(walked, path)


EXPERIMENT = Experiment(
    name="romerin/walk",
    title="walk on the floor for 20 s and plot the motors of a leg",
    robot="romerin",
    scene="empty",
    run=run,
    options={"gait": "tripod", "direction": "0", "seconds": "20", "imu": "yes"},
    hints={
        "gait": "wave, ripple or tripod",
        "direction": "deg, seen from the robot",
        "seconds": "s to walk",
        "imu": "yes or no: whether the IMU's heading corrects the walk",
    },
)
