"""Drive to a table, grasp a cube by friction and lift it.

python examples/husky_ur10/pick.py
"""

from math import cos, pi, sin
from pathlib import Path

import mecano

HERE = Path(__file__).parent
CUBE = (1.5, 1.85, 0.525)  # where the scene has it, in the world [m]


def in_base_frame(point, base):
    """Return a point of the world as the base sees it, by its odometry."""
    dx, dy = point[0] - base.pose.x, point[1] - base.pose.y
    c, s = cos(base.pose.yaw), sin(base.pose.yaw)
    return c * dx + s * dy, c * dy - s * dx, point[2]


with mecano.connect(HERE / "robot", scene=HERE / "table.xml", on_failure="raise") as robot:
    base, arm, gripper = robot.base, robot.arm, robot.gripper
    for result in (base.move(1.5), base.turn(pi / 2), base.move(0.9)):
        print("base:", result.message)
    odometry, truth = base.pose, robot.truth.base_pose()
    print(f"odometry:     {odometry.x:.3f} {odometry.y:.3f} m, {odometry.yaw:.3f} rad")
    print(f"ground truth: {truth.x:.3f} {truth.y:.3f} m, {truth.yaw:.3f} rad")

    gripper.open()
    x, y, z = in_base_frame(CUBE, base)
    print("arm:", arm.move_to((x, y, z + 0.2), pitch=pi / 2).message)
    print("arm:", arm.move_line((x, y, z), pitch=pi / 2).message)
    print("gripper:", gripper.close(force=30.0).message)
    print("arm:", arm.move_line((x, y, z + 0.25), pitch=pi / 2).message)
    lifted = robot.truth.body_pose("cube").position[2] - CUBE[2]
    print(f"cube lifted by {1000 * lifted:.0f} mm (ground truth)")
