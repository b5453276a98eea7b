"""Putting a simulated robot into a posture before time begins."""

from collections.abc import Sequence
from math import pi

import mujoco
import numpy as np

from mecano.core.errors import InvalidInput, UnknownName
from mecano.lab.simulated import SimulatedBackend
from mecano.robots.description import RobotDescription
from mecano.world.assembly import Placement
from mecano.world.world import World

OVERLAP = 0.002
"""Robots may be this far inside each other at the start [m]."""
SETTLING = 0.5
"""Time in which robots on legs come to rest before the session begins [s]."""


def set_posture(world: World, placement: Placement, posture: str) -> None:
    """Put arms, or hands without arms, into a posture and the gripper open, before time begins."""
    movers = placement.robot.chains.values() or placement.robot.hands.values()
    known = dict.fromkeys(posture for mover in movers for posture in mover.postures)
    if not known:
        return
    if not isinstance(posture, str) or posture not in known:
        raise UnknownName("posture", posture, known)
    for chain in placement.robot.chains.values():
        if posture in chain.postures:
            for joint, value in zip(chain.joint_names, chain.postures[posture], strict=True):
                world.data.joint(placement.prefix + joint).qpos[0] = value
    for hand in placement.robot.hands.values():
        values = hand.postures.get(posture, hand.postures["home"])
        for joint, value in zip(hand.joints, values, strict=True):
            world.data.joint(placement.prefix + joint).qpos[0] = value
    if placement.robot.legged is not None:
        set_down(world, placement.robot, placement.prefix, posture)
    for gripper in placement.robot.grippers.values():
        for joint in (gripper.joint, *gripper.followers):
            world.data.joint(placement.prefix + joint).qpos[0] = gripper.open
        actuator = world.model.actuator(world.motor(placement.prefix + gripper.joint))
        if actuator.actnum[0]:  # the servo's own idea of where it is on its way
            world.data.act[actuator.actadr[0]] = gripper.open
    set_followers(world, placement.prefix)


def set_followers(world: World, prefix: str) -> None:
    """Put joints that follow others otherwise than one to one where their constraints want them."""
    model, qpos = world.model, world.data.qpos
    for number in range(model.neq):
        factors = model.eq_data[number, :5]
        if (
            int(model.eq_type[number]) != int(mujoco.mjtEq.mjEQ_JOINT)
            or model.eq_obj2id[number] < 0
            or not model.joint(int(model.eq_obj1id[number])).name.startswith(prefix)
            or factors.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]
        ):
            continue
        one, other = (
            int(model.jnt_qposadr[int(joint[number])])
            for joint in (model.eq_obj1id, model.eq_obj2id)
        )
        moved = float(qpos[other] - model.qpos0[other])
        qpos[one] = model.qpos0[one] + np.polynomial.polynomial.polyval(moved, factors)


def refuse_overlaps(world: World, names: Sequence[str]) -> None:
    """Raise if two robots are in one place when time begins: the physics would tear them apart."""
    for touch in sorted(world.contacts(), key=lambda each: -each.depth):
        owners = [body.partition("/")[0] for body in (touch.body_1, touch.body_2)]
        if touch.depth > OVERLAP and owners[0] != owners[1] and set(owners) <= set(names):
            raise InvalidInput(
                f"robots '{owners[0]}' and '{owners[1]}' overlap at the start: {touch.body_1} is "
                f"{1000 * touch.depth:.0f} mm inside {touch.body_2}; give them other poses, such "
                f'as mecano.Place("crumb", mecano.Pose([0.0, 1.0, 0.0]))'
            )


def set_down(world: World, robot: RobotDescription, prefix: str, posture: str) -> None:
    """Put a robot on legs onto its feet, the feet flat on the surface that it stands on."""
    legged = robot.legged
    assert legged is not None
    lowest = 0.0
    for leg in legged.legs:
        chain = robot.chains[leg.chain]
        q = np.array(chain.postures[posture])
        lowest = min(lowest, float(chain.forward(q)[2, 3]))
        flat = chain.pitch(q) - pi / 2  # the foot points down, however the shin points
        world.data.joint(prefix + leg.springs[1]).qpos[0] = flat
    free = world.data.joint(prefix + "free").qpos
    rotation = world.data.body(prefix + legged.frame).xmat.reshape(3, 3)
    free[:3] += (legged.tip_height - lowest - legged.height) * rotation[:, 2]


def settle(backend: SimulatedBackend) -> None:
    """Let robots on legs come to rest on their feet before time begins, so that loads are known."""
    world = backend.world
    world.step(round(SETTLING / world.timestep))
    world.data.time = 0.0
    for sensor in backend.sensors:
        sensor.sample()
