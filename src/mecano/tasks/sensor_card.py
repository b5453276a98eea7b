"""The sensor card: rates and spreads of the sensors of CRUMB, against their facts.

The robot stands still before a wall that is put at 0.5 to 5 m. Every spread is that of the readings
against the clean ones of the same instant. With noise each must be within a tenth of its fact;
without noise each must be nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import degrees, isclose, nan

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import BaseReport
from mecano.core.shots import Shot
from mecano.lab.robot import Robot
from mecano.sensors.camera import DepthCamera
from mecano.sensors.depth_noise import DepthNoise
from mecano.tasks.drive_test import is_noisy
from mecano.tasks.experiment import Experiment, Metric, Score

SAMPLES = 10_000
"""Packets of the base."""
DISTANCES = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
"""Of the wall from the camera [m]: Nguyen's row of the fact sheet."""
THICK = 0.05
"""Half of the wall [m]."""
SEES_FURTHER = 6.0
"""At 5 m the camera's own range cuts half of the readings off; there it is moved out to this [m],
so that the spread can be measured."""
TOLERANCE = 0.10
RATE_TIME = 3.0
"""Rates are counted for this long [s]."""


@dataclass
class Card:
    """What was measured, and how far the worst is from what it should be."""

    noisy: bool
    metrics: dict[str, Metric] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    worst: float = 0.0
    """As a share of the fact."""

    def rate(self, name: str, measured: float, fact: float) -> None:
        """Add a rate; it must be exact."""
        self.metrics[name] = round(measured, 4)
        if not isclose(measured, fact, rel_tol=1e-6):
            self.problems.append(f"{name} is {measured:g} instead of {fact:g}")

    def spread(self, name: str, measured: float, fact: float) -> None:
        """Add a spread; without noise there must be none."""
        self.metrics[name] = round(measured, 4)
        off = abs(measured / fact - 1.0) if self.noisy else measured / fact
        self.worst = max(self.worst, off)
        if not off <= TOLERANCE:
            self.problems.append(f"{name} is {measured:.4g} instead of {self.noisy * fact:.4g}")


def vary(rng: np.random.Generator, seed: int) -> list:
    """Add the wall."""

    def change(spec: mujoco.MjSpec) -> None:
        wall = spec.worldbody.add_body(name="card_wall", mocap=True, pos=[3.0, 0.0, 1.0])
        wall.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=[THICK, 6.0, 6.0], rgba=[0.5, 0.5, 0.5, 1.0],
            solref=[0.004, 1.0],
        )  # fmt: skip

    return [change]


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Measure everything, one after the other."""
    robot.wait(0.5)
    card = Card(is_noisy(robot.base))
    measure_rates(robot, card)
    measure_board(robot, card)
    measure_camera(robot, card, rng)
    card.metrics["worst_deviation_percent"] = round(100 * card.worst, 2)
    return Score(success=not card.problems, metrics=card.metrics, remark="; ".join(card.problems))


def measure_rates(robot: Robot, card: Card) -> None:
    """Count how often base and camera have something new."""
    card.rate("board_rate_hz", rate_of(robot, lambda: robot.base.report().stamp), 50.0)
    facts = robot.camera.facts
    card.rate("camera_rate_hz", rate_of(robot, lambda: robot.camera.stamp), facts.rate)


def rate_of(robot: Robot, stamp: Callable[[], float]) -> float:
    """Return how many readings come per second, by their stamps [Hz]."""
    stamps = []
    ends = robot.time + RATE_TIME
    while robot.time < ends:
        robot.wait(robot.session.backend.tick)
        if not stamps or stamps[-1] != stamp():
            stamps.append(stamp())
    return (len(stamps) - 1) / (stamps[-1] - stamps[0])


def measure_board(robot: Robot, card: Card) -> None:
    """Look at many packets of the base at rest."""
    packets: list[tuple[BaseReport, BaseReport]] = []
    while len(packets) < SAMPLES:
        robot.wait(1.0 / robot.base.facts.rate)
        packets.append((robot.base.report(), robot.base.report(clean=True)))
    facts = robot.base.facts
    assert facts.gyro is not None
    assert facts.cliffs is not None
    turning = np.array([(r.turn_rate or 0.0) - (c.turn_rate or 0.0) for r, c in packets])
    white = float(np.diff(turning).std() / np.sqrt(2.0))  # what is left without bias and wander
    card.spread("gyro_rate_spread_deg_s", degrees(white), degrees(facts.gyro.noise))
    card.metrics["gyro_rate_bias_deg_s"] = round(degrees(float(turning.mean())), 4)
    drift = heading_error(packets[-1]) - heading_error(packets[0])
    card.metrics["gyro_heading_drift_deg_per_min"] = round(
        degrees(drift) * 60.0 / (packets[-1][0].stamp - packets[0][0].stamp), 4
    )
    floor = np.array([[r.floor[n] - c.floor[n] for n in r.floor] for r, c in packets])
    card.spread("cliff_spread_mm", 1000 * float(floor.std()), 1000 * facts.cliffs.noise)


def heading_error(packet: tuple[BaseReport, BaseReport]) -> float:
    """Return how far the gyro's heading is off [rad]."""
    report, clean = packet
    return (report.heading or 0.0) - (clean.heading or 0.0)


def measure_camera(robot: Robot, card: Card, rng: np.random.Generator) -> None:
    """Put the wall at each distance and look at it."""
    nguyen = DepthNoise()
    shot = None
    for distance in DISTANCES:
        shot = look(robot, card, distance, rng)
        spread = depth_spread(shot, distance)
        name = f"depth_spread_at_{distance:g}m_mm"
        card.spread(name, 1000 * spread, 1000 * float(nguyen.spread(distance)))
    assert shot is not None
    fact = 100 * robot.camera.facts.colour_noise
    card.spread("colour_spread_percent", 100 * colour_spread(shot), fact)


def look(robot: Robot, card: Card, distance: float, rng: np.random.Generator) -> Shot:
    """Return a picture of the wall at a distance [m]."""
    camera = robot.camera
    x, y, z = camera.read().pose.position
    robot.world.data.mocap_pos[0] = [x + distance + THICK, y, z]
    robot.wait(2.0 / camera.rate)
    if distance + 0.5 > camera.facts.furthest:
        further = replace(camera.facts, furthest=SEES_FURTHER)
        noise = rng if card.noisy else None
        camera = DepthCamera(robot.world, further, prefix=f"{robot.name}/", noise=noise)
    return camera.read()


def depth_spread(shot: Shot, distance: float) -> float:
    """Return the spread of the depths of the wall [m]; the floor is in the lower half."""
    upper = slice(0, shot.depth.data.shape[0] // 2 - 4)
    clean, depth = shot.clean_depth.data[upper], shot.depth.data[upper]
    on_wall = (np.abs(clean - distance) < 0.01) & np.isfinite(depth)
    if on_wall.sum() < SAMPLES:
        return nan
    return float(np.std((depth - clean)[on_wall].astype(float)))


def colour_spread(shot: Shot) -> float:
    """Return the spread of the colours, of their full range; of those that do not clip."""
    clean: Array = shot.clean_colour.data.astype(float)
    middle = (clean > 64) & (clean < 192)
    return float(np.std((shot.colour.data - clean)[middle]) / 255.0)


EXPERIMENT = Experiment(
    name="crumb/sensor-card",
    title="rates and noise of the sensors against their facts",
    robot="crumb",
    scene="empty",
    vary=vary,
    run=run,
)
