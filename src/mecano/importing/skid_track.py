"""The track by which a skid-steered base turns, measured: the robot is turned on the spot.

Wheels that do not steer scrub in a turn, so a base turns by less than its wheels would have it. By
how much depends on masses, tyres and where the weight lies; two wheels on an axle of this track
would turn it alike.
"""

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from mecano import robots
from mecano.actuators.wheels import Wheels
from mecano.core.errors import MecanoError
from mecano.importing.standing import PREFIX, hold, put_into_home
from mecano.robots.mobile import WheeledBase
from mecano.world.assembly import Placement, assemble
from mecano.world.world import World

SETTLE, TURNING = 1.0, 3.0
"""Time to come to an even turn, and that which counts, in each direction [s]."""
SHARE = 0.5
"""Of the base's full speed, that the wheels go with."""
LEAST_TURN = 0.05
"""A base that turns by less than this in that time does not turn [rad]."""


@dataclass(frozen=True, kw_only=True)
class Turned:
    """How a base turned on the spot."""

    track: float
    """Wheel travel of both sides over the true turn [m]."""
    centre: float
    """How far in front of the middle of its wheels it turned about [m]."""
    how: str


def turn_on_the_spot(folder: Path) -> Turned | None:
    """Turn the robot in a folder to either side; None if it does not turn."""
    robot = robots.get(folder)
    assert robot.base is not None
    try:
        turns = [_turn(folder, robot.base, sense) for sense in (1.0, -1.0)]
    except MecanoError:
        return None  # it stands no simulation; resting it says why
    done = [turn for turn in turns if turn is not None and turn[0] > 0.0]
    if len(done) < len(turns):
        return None
    track, centre = np.mean(done, axis=0).tolist()
    how = (
        f"wheel travel over true turn, measured in simulation on turns to either side of "
        f"{TURNING:g} s with wheels at {SHARE * robot.base.limits.speed:.2g} m/s"
    )
    return Turned(track=float(f"{track:.4g}"), centre=centre, how=how)


def _turn(folder: Path, base: WheeledBase, sense: float) -> tuple[float, float] | None:
    """Return track and centre by a turn to one side [m]; None if it does not turn."""
    robot = robots.get(folder)
    world = World(assemble([Placement(robot=robot, prefix=PREFIX)], scene="empty"))
    model, data = world.model, world.data
    put_into_home(robot, world)
    hold(robot, world)
    wheels = Wheels(world, base.layout.names, prefix=PREFIX)
    body = model.body(PREFIX + base.frame).id
    dofs = [int(model.joint(PREFIX + name).dofadr[0]) for name in base.layout.names]
    pushes = np.array(
        [np.sign(-each.y) * np.cos(each.direction) * each.radius for each in base.layout.wheels]
    )  # travel to the right-handed turn, per angle of the wheel
    wheels.command(sense * SHARE * base.limits.speed / pushes)
    world.step(round(SETTLE / world.timestep))
    travel, turned, left = 0.0, 0.0, 0.0
    for _ in range(round(TURNING / world.timestep)):
        R, place = data.xmat[body].copy(), data.xpos[body].copy()
        world.step(1)
        mujoco.mj_kinematics(model, data)
        turned += _yaw(R, data.xmat[body])
        left += float((data.xpos[body] - place) @ R.reshape(3, 3)[:, 1])
        travel += float(np.mean(pushes * data.qvel[dofs])) * world.timestep
    if abs(turned) < LEAST_TURN:
        return None
    return 2.0 * travel / turned, -left / turned


def _yaw(before: np.ndarray, after: np.ndarray) -> float:
    """Return by how much a frame turned about the vertical in one step [rad]."""
    one, other = (np.arctan2(matrix[3], matrix[0]) for matrix in (before, after))
    return float((other - one + np.pi) % (2 * np.pi) - np.pi)
