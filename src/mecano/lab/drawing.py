"""What a robot's own drawing says: where its camera is, seen from its arm, and its arm's foot.

The drawing is the model file of the description, without the scene and whatever was changed in it:
what a lab knows of its robot before it looks.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from mecano.core.poses import Pose
from mecano.robots.description import RobotDescription
from mecano.world.model_files import load_robot


@dataclass(frozen=True, eq=False)
class Drawing:
    """Fixed places on a robot."""

    T_arm_camera: Pose
    """The camera in the arm's base frame, x forward and z up."""
    T_arm_base: Pose
    """The body that drives, in the arm's base frame; of a bolted robot where it is bolted."""


def drawing(description: RobotDescription, arm: str, camera: str) -> Drawing:
    """Return what the drawing says of an arm and a camera (its name in the model)."""
    model = load_robot(description).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    chain = description.chain(arm)
    q = np.array([float(data.joint(name).qpos[0]) for name in chain.joint_names])
    tool = data.site(description.tool_site(arm))
    T_root_tool = _pose(tool.xmat.reshape(3, 3), tool.xpos)
    T_arm_root = Pose.from_matrix(chain.forward(q)) @ T_root_tool.inverse()
    seen = data.camera(camera)
    right, up, back = seen.xmat.reshape(3, 3).T
    eye = _pose(np.stack([-back, -right, up], axis=1), seen.xpos)
    base = Pose()
    if description.free_body is not None:
        body = data.body(description.free_body)
        base = _pose(body.xmat.reshape(3, 3), body.xpos)
    return Drawing(T_arm_root @ eye, T_arm_root @ base)


def _pose(rotation: np.ndarray, position: np.ndarray) -> Pose:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, position
    return Pose.from_matrix(T)
