"""Whether an imported robot stands: its model is dropped on a floor and held by its own motors."""

from pathlib import Path

import mujoco
import numpy as np

from mecano import robots
from mecano.actuators.plain_servos import servos_for
from mecano.core.errors import MecanoError
from mecano.robots.description import RobotDescription
from mecano.world.assembly import Placement, assemble
from mecano.world.world import World

PREFIX = "robot/"
SECONDS = 5.0
TILT = 0.35
"""A robot whose root leans further than this has fallen [rad]."""
SINK = 0.35
"""One whose root sinks by more than this share of its height has, too."""
SPEED = 0.2
"""One that moves faster than this at the end does not stand [m/s or rad/s]."""


def fallen(folder: Path) -> str:
    """Return why the free robot in a folder does not stand; "" if it does."""
    robot = robots.get(folder)
    frame = robot.free_body
    assert frame is not None
    world = World(assemble([Placement(robot=robot, prefix=PREFIX)], scene="empty"))
    model, data = world.model, world.data
    put_into_home(robot, world)
    hold(robot, world)
    body = model.body(PREFIX + frame).id
    height, up = float(data.xpos[body, 2]), data.xmat[body].reshape(3, 3)[:, 2].copy()
    tall = max(height, 0.1)
    for second in np.arange(0.5, SECONDS + 0.1, 0.5):
        try:
            world.step(round(0.5 / world.timestep))
        except MecanoError as error:
            return f"it does not stand: {error}"
        lean = float(np.arccos(np.clip(up @ data.xmat[body].reshape(3, 3)[:, 2], -1.0, 1.0)))
        sunk = height - float(data.xpos[body, 2])
        if lean > TILT:
            return f"it falls over within {second:g} s (leans by {np.degrees(lean):.0f} degrees)"
        if sunk > SINK * tall:
            return f"its legs give way within {second:g} s (sinks by {100 * sunk:.0f} cm)"
    fastest = float(np.abs(data.qvel).max(initial=0.0))
    return "" if fastest < SPEED else f"it does not come to rest (moves at {fastest:.2g} rad/s)"


def put_into_home(robot: RobotDescription, world: World) -> None:
    """Put the joints of a robot into the posture it begins in."""
    rows = [(chain.joint_names, chain.postures["home"]) for chain in robot.chains.values()]
    rows += [(hand.joints, hand.postures["home"]) for hand in robot.hands.values()]
    for names, values in rows:
        for joint, value in zip(names, values, strict=True):
            world.data.joint(PREFIX + joint).qpos[0] = value
    mujoco.mj_forward(world.model, world.data)


def hold(robot: RobotDescription, world: World) -> None:
    """Let its motors hold it where it is."""
    for names in [each.joint_names for each in robot.chains.values()]:
        servos_for(world, names, prefix=PREFIX)
    for hand in robot.hands.values():
        servos_for(world, hand.joints, prefix=PREFIX)
