"""Where the mass of a robot on legs is, read off its model."""

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.robots.description import RobotDescription


def leg_weights(
    model: mujoco.MjModel, robot: RobotDescription, *, prefix: str = ""
) -> tuple[Array, Array, float, Array, Array]:
    """Return masses and centres of a robot's links, as `planning.LegWeights` takes them.

    Each body of the model counts for the last servo joint that moves it; a foot, with all that
    follows, counts for itself.

    Args:
        model: With the robot in it.
        robot: Which has legs.
        prefix: Of the robot in the model.

    Returns:
        Masses of the links (coxa, thigh, shin) and foot of each leg [kg], shape (n, joints + 1);
        their centres in the body's frame while all joints are at zero [m]; mass of all the rest,
        its centre, and its inertia about that, in the axes of the body's frame [kg m2].
    """
    if robot.legged is None:
        raise InvalidInput(f"'{robot.name}' has no legs to weigh")
    data = mujoco.MjData(model)
    for joint in range(model.njnt):
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE:
            data.qpos[model.jnt_qposadr[joint]] = 0.0
    mujoco.mj_kinematics(model, data)
    root = model.body(prefix + robot.legged.frame).id
    place = _places(model, robot, prefix)
    rows = [_row_of(model, body, root, place) for body in range(model.nbody)]
    R, origin = data.xmat[root].reshape(3, 3), data.xpos[root]
    n, links = len(robot.legged.legs), _links(robot)
    masses, moments = np.zeros(links * n + 1), np.zeros((links * n + 1, 3))
    for body, row in enumerate(rows):
        if row is not None:
            masses[row] += model.body_mass[body]
            moments[row] += model.body_mass[body] * (data.xipos[body] - origin) @ R
    centres = moments / np.maximum(masses, 1e-12)[:, None]
    fixed = [body for body, row in enumerate(rows) if row == -1]
    inertia = R.T @ _inertia(model, data, fixed, origin + R @ centres[-1]) @ R
    legs = centres[:-1].reshape(n, links, 3)
    return masses[:-1].reshape(n, links), legs, float(masses[-1]), centres[-1], inertia


def _inertia(model: mujoco.MjModel, data: mujoco.MjData, bodies: list[int], centre) -> Array:
    """Return the inertia of some bodies together about a point, in world axes."""
    total = np.zeros((3, 3))
    for body in bodies:
        axes, arm = data.ximat[body].reshape(3, 3), data.xipos[body] - centre
        total += axes @ np.diag(model.body_inertia[body]) @ axes.T
        total += model.body_mass[body] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return total


def _places(model: mujoco.MjModel, robot: RobotDescription, prefix: str) -> dict[int, int]:
    """Return the row of each body that begins a link of a leg."""
    place, links = {}, _links(robot)
    assert robot.legged is not None
    for i, leg in enumerate(robot.legged.legs):
        for k, joint in enumerate(robot.chain(leg.chain).dh.names):
            place[int(model.joint(prefix + joint).bodyid[0])] = links * i + k
        place[model.body(prefix + leg.cup.body).id] = links * (i + 1) - 1
    return place


def _links(robot: RobotDescription) -> int:
    """Return how many links a leg has, its foot included; all legs have the same number."""
    assert robot.legged is not None
    counts = {len(robot.chain(leg.chain).joint_names) for leg in robot.legged.legs}
    if len(counts) != 1:
        raise InvalidInput(
            f"legs of '{robot.name}' have {sorted(counts)} joints; all must have the same number"
        )
    return counts.pop() + 1


def _row_of(model: mujoco.MjModel, body: int, root: int, place: dict[int, int]) -> int | None:
    """Return the row that a body counts for: the last one is the robot's body, None is no robot."""
    while body > 0:
        if body in place:
            return place[body]
        if body == root:
            return -1
        body = int(model.body_parentid[body])
    return None
