"""In which frame the poses of a chain are: the body of the model that its table begins at."""

import mujoco
import numpy as np

from mecano import robots
from mecano.core.arrays import Array
from mecano.robots.description import RobotDescription
from mecano.world.assembly import load_robot

SAME = 1e-6
"""Two frames are the same within this [m, and of rotation matrices]."""


def chain_frame(robot: RobotDescription, name: str) -> str:
    """Return the frame of a chain's poses: a body's name, or where it is in one.

    Robots of the catalogue call it base_link, or the body's frame of a robot on legs.

    Args:
        robot: Of which the chain is one.
        name: Of the chain, whose table is compared with the model, all joints at zero.
    """
    chain = robot.chains[name]
    if robot.name in (*robots.ROBOTS, *robots.PARTS) or not robot.has_model:
        return "base_link" if robot.legged is None else robot.legged.frame  # as docs/frames.md says
    model = load_robot(robot).compile()
    data = mujoco.MjData(model)
    for joint in chain.joint_names:
        data.joint(joint).qpos[0] = 0.0
    mujoco.mj_kinematics(model, data)
    site = robot.tool_site(name)
    if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, site) < 0:
        return robot.legged.frame if robot.legged is not None else "base_link"
    tool = data.site(site)
    T_world_base = _pose(tool.xpos, tool.xmat) @ np.linalg.inv(
        chain.forward(np.zeros(len(chain.joint_names)))
    )
    bodies = _carriers(model, chain.joint_names[0])
    for body in bodies:
        T_world_body = _pose(data.xpos[body], data.xmat[body])
        if np.abs(T_world_body - T_world_base).max() < SAME:
            return model.body(body).name
    root = bodies[-1]
    T = np.linalg.inv(_pose(data.xpos[root], data.xmat[root])) @ T_world_base
    place = ", ".join(f"{value:.4g}" for value in T[:3, 3])
    turned = "" if np.abs(T[:3, :3] - np.eye(3)).max() < SAME else ", turned"
    return f"base of its table, at {place} m of {model.body(root).name}{turned}"


def _carriers(model: mujoco.MjModel, joint: str) -> list[int]:
    """Return the bodies that carry a joint, the nearest first, the root last."""
    body = int(model.body_parentid[int(model.joint(joint).bodyid[0])])
    found = []
    while body:
        found.append(body)
        body = int(model.body_parentid[body])
    return found or [0]


def _pose(position: Array, rotation: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.reshape(rotation, (3, 3)), position
    return T
