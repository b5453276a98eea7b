"""What the tests of the lab share: an arm on its table, and answers of the expected kind."""

from typing import Any

import numpy as np

from mecano.lab.robot import Robot, connect
from mecano.parts.gripper import Grip
from mecano.parts.motions import Motion
from mecano.parts.results import GripResult, MotionResult

ARM = "open_manipulator_x"
PITCH = 1.45
GRASP = 0.026


def arm_on_table(**options: Any) -> Robot:
    return connect(ARM, **options)


def moved(answer: Any) -> MotionResult:
    assert isinstance(answer, MotionResult)
    return answer


def started(answer: Any) -> Motion:
    assert isinstance(answer, Motion)
    return answer


def gripped(answer: Any) -> GripResult:
    assert isinstance(answer, GripResult)
    return answer


def gripping(answer: Any) -> Grip:
    assert isinstance(answer, Grip)
    return answer


def true_joints(robot: Robot, prefix: str | None = None) -> np.ndarray:
    """Return the joint values of the physics itself, not of the encoders [rad]."""
    start = f"{robot.name}/" if prefix is None else prefix
    names = robot.arm.chain.joint_names
    return np.array([robot.world.data.joint(start + name).qpos[0] for name in names])


def true_speeds(robot: Robot) -> np.ndarray:
    """Return the joint velocities of the physics itself [rad/s]."""
    names = robot.arm.chain.joint_names
    return np.array([robot.world.data.joint(f"{robot.name}/{n}").qvel[0] for n in names])


def tool_in_base(robot: Robot) -> np.ndarray:
    """Return where the tool truly is, seen from the mount [m]."""
    base = robot.truth.body_pose(f"{robot.name}/link1")
    return (base.inverse() @ robot.truth.tool_pose()).position


def pick_cube(robot: Robot, force: float = 15.0) -> GripResult:
    """Go to the cube, close the fingers on it and lift it."""
    x, y, _ = robot.truth.body_pose("cube").position
    robot.gripper.open()
    assert moved(robot.arm.move_to([x, y, 0.10], pitch=PITCH)).reached
    assert moved(robot.arm.move_line([x, y, GRASP])).reached
    result = gripped(robot.gripper.close(force=force))
    assert moved(robot.arm.move_line([x, y, 0.10])).reached
    return result
