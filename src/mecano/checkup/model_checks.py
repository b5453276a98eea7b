"""A robot in its world: what touches in its named postures, and whether its motors carry it."""

from collections.abc import Callable, Iterator

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.importing.findings import Findings
from mecano.kinematics.chain import Chain
from mecano.lab.robot import Robot
from mecano.robots.description import Gripper
from mecano.world.followers import following_value
from mecano.world.robot_model import RobotModel

TOUCH = 5e-4
"""Shapes of one robot may be this far inside each other [m]."""
POSTURES = 300
"""Random postures in which the weight is computed."""


def check_self_collision(robot: Robot, findings: Findings) -> None:
    """Add pairs of the robot's own bodies that are inside each other in a named posture.

    In the one it begins in, that is a warning; in another one, or with the gripper
    closed, a note.
    """
    world, facts = robot.world, robot.description
    data = mujoco.MjData(world.model)
    data.qpos[:] = world.data.qpos
    _report_touching(robot, data, "the posture it begins in", findings.warn)
    names = dict.fromkeys(name for chain in facts.chains.values() for name in chain.postures)
    for name in names:
        values = {
            joint: value
            for chain in facts.chains.values()
            if name in chain.postures
            for joint, value in zip(chain.joint_names, chain.postures[name], strict=True)
        }
        for grip, hands in _grasps(robot):
            for joint, value in (values | grip).items():
                data.joint(f"{robot.name}/{joint}").qpos = value
            _report_touching(robot, data, f"posture '{name}'{hands}", findings.note)


def _grasps(robot: Robot) -> Iterator[tuple[dict[str, float], str]]:
    """Yield joint values of all fingers, grippers open and closed and each posture of hands."""
    facts, model, prefix = robot.description, robot.world.model, f"{robot.name}/"
    fingers = [(g, joint) for g in facts.grippers.values() for joint in (g.joint, *g.followers)]
    hands = dict.fromkeys(name for hand in facts.hands.values() for name in hand.postures)

    def at(gripper: Gripper, joint: str, value: float) -> float:
        return following_value(model, prefix + joint, prefix + gripper.joint, value)

    if not fingers and not hands:
        yield {}, ""
    if fingers:
        yield {j: at(gripper, j, gripper.open) for gripper, j in fingers}, ", gripper open"
        yield {j: at(gripper, j, gripper.closed) for gripper, j in fingers}, ", gripper closed"
    for name in hands:
        yield (
            {
                joint: value
                for hand in facts.hands.values()
                for joint, value in zip(hand.joints, hand.postures[name], strict=True)
            },
            f", hands '{name}'",
        )


def check_zero_posture(robot: Robot, findings: Findings) -> None:
    """Add pairs that are inside each other with all joints at zero, if their limits allow that.

    An imported robot begins in another posture then, which touches nothing.
    """
    model, prefix = robot.world.model, f"{robot.name}/"
    data = mujoco.MjData(model)
    data.qpos[:] = robot.world.data.qpos
    for number in range(model.njnt):
        hinge = model.jnt_type[number] >= int(mujoco.mjtJoint.mjJNT_SLIDE)
        if not hinge or not model.joint(number).name.startswith(prefix):
            continue
        lower, upper = model.jnt_range[number]
        if model.jnt_limited[number] and not lower - 1e-9 <= 0.0 <= upper + 1e-9:
            return
        data.qpos[model.jnt_qposadr[number]] = 0.0
    _report_touching(robot, data, "the zero posture, so it begins in another one", findings.warn)


def _report_touching(
    robot: Robot, data: mujoco.MjData, posture: str, report: Callable[[str, str, str], None]
) -> None:
    model, prefix = robot.world.model, f"{robot.name}/"
    mujoco.mj_forward(model, data)
    deepest: dict[tuple[str, str], float] = {}
    for number in range(data.ncon):
        contact = data.contact[number]
        bodies = [model.body(int(model.geom_bodyid[geom])).name for geom in contact.geom]
        if all(name.startswith(prefix) for name in bodies) and bodies[0] != bodies[1]:
            one, other = sorted(name.removeprefix(prefix) for name in bodies)
            deepest[one, other] = max(deepest.get((one, other), 0.0), -float(contact.dist))
    for (one, other), depth in sorted(deepest.items(), key=lambda item: -item[1]):
        if depth > TOUCH:
            report(
                "self-collision", f"bodies {one} and {other}",
                f"are {1e3 * depth:.1f} mm inside each other in {posture}; change the posture or "
                "the shapes, or exclude the pair if they always touch",
            )  # fmt: skip


def check_effort(robot: Robot, findings: Findings) -> None:
    """Add joints whose motors cannot hold the robot's own weight."""
    description = robot.description
    if description.legged is not None or description.model is None:
        return  # how legs share the weight depends on the feet; standing shows it
    for name in description.arms:
        chain = description.chains[name]
        model = RobotModel(robot.world.model, description, prefix=f"{robot.name}/", chain=name)
        model.look_at(robot.world.data)
        available = np.array([description.servos[joint].torque for joint in chain.joint_names])
        home = np.abs(model.gravity_torque(_home(chain)))
        worst, where = _worst(model, chain)
        for number, joint in enumerate(chain.joint_names):
            unit = "N" if chain.dh.joints[number].kind == "prismatic" else "N m"
            if home[number] > available[number]:
                findings.error(
                    "effort-weak", f"joint {joint}",
                    f"needs {home[number]:.3g} {unit} to hold the robot's own weight in the home "
                    f"posture, its motor gives {available[number]:.3g} {unit}",
                )  # fmt: skip
            elif worst[number] > available[number]:
                values = ", ".join(f"{value:.2f}" for value in where[number])
                findings.warn(
                    "effort-weak", f"joint {joint}",
                    f"needs {worst[number]:.3g} {unit} to hold the robot's own weight at "
                    f"({values}), its motor gives {available[number]:.3g} {unit}",
                )  # fmt: skip


def _home(chain: Chain) -> Array:
    lower, upper = chain.dh.lower, chain.dh.upper
    if "home" in chain.postures:
        return np.array(chain.postures["home"], float)
    return np.clip(np.zeros(len(lower)), lower, upper)


def _worst(model: RobotModel, chain: Chain) -> tuple[Array, list[Array]]:
    """Return the largest torque of each joint over many postures, and those postures."""
    rng = np.random.default_rng(0)
    low, high = np.clip((chain.dh.lower, chain.dh.upper), -np.pi, np.pi)
    worst, where = np.zeros(len(low)), [np.zeros(len(low))] * len(low)
    for _ in range(POSTURES):
        q = rng.uniform(low, high)
        torque = np.abs(model.gravity_torque(q))
        for number in np.flatnonzero(torque > worst):
            worst[number], where[int(number)] = torque[number], q
    return worst, where
