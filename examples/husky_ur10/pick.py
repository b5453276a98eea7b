"""Drive to a table, grasp a cube by friction and lift it.

python examples/husky_ur10/pick.py
"""

from math import cos, pi, sin
from pathlib import Path

import mecano

HERE = Path(__file__).parent


def in_base_frame(point, base):
    """Return a point of the world [m] as seen from a base at a pose."""
    dx, dy = point[0] - base.x, point[1] - base.y
    c, s = cos(base.yaw), sin(base.yaw)
    return c * dx + s * dy, c * dy - s * dx, point[2]


with mecano.connect(HERE / "robot", scene=HERE / "table.xml", on_failure="raise") as robot:
    base, arm, gripper = robot.base, robot.arm, robot.gripper
    for result in (base.move(1.5), base.turn(pi / 2), base.move(0.9)):
        print("base:", result.message)
    odometry, truth = base.pose, robot.truth.base_pose()
    print(f"odometry:     {odometry.x:.3f} {odometry.y:.3f} m, {odometry.yaw:.3f} rad")
    print(f"ground truth: {truth.x:.3f} {truth.y:.3f} m, {truth.yaw:.3f} rad")

    # Ground truth stands for the camera or motion capture that finds the cube from here.
    cube = robot.truth.body_pose("cube").position
    x, y, z = in_base_frame(cube, truth)
    gripper.open()
    print("arm:", arm.move_to((x, y, z + 0.2), pitch=pi / 2).message)
    print("arm:", arm.move_line((x, y, z), pitch=pi / 2).message)
    print("gripper:", gripper.close(force=30.0).message)
    print("arm:", arm.move_line((x, y, z + 0.25), pitch=pi / 2).message)
    lifted = robot.truth.body_pose("cube").position[2] - cube[2]
    print(f"cube lifted by {1000 * lifted:.0f} mm (ground truth)")
