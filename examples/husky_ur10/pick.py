"""Drive to a table, grasp a cube by friction and lift it.

python examples/husky_ur10/pick.py
"""

from math import cos, pi, sin
from pathlib import Path

import mecano

HERE = Path(__file__).parent
CUBE = (1.5, 1.85, 0.525)  # in the world [m], as the scene has it


def seen_from(pose, point):
    """Return a point of the world in the frame of a base at a pose."""
    dx, dy = point[0] - pose.x, point[1] - pose.y
    c, s = cos(pose.yaw), sin(pose.yaw)
    return c * dx + s * dy, c * dy - s * dx, point[2]


with mecano.connect(HERE / "robot", scene=HERE / "table.xml", on_failure="raise") as robot:
    base, arm, gripper = robot.base, robot.arm, robot.gripper
    print(base.move(1.5).message)
    print(base.turn(pi / 2).message)
    print(base.move(0.9).message)
    print("odometry    ", base.pose)
    print("ground truth", robot.truth.base_pose())
    x, y, z = seen_from(base.pose, CUBE)
    gripper.open()
    print(arm.move_to((x, y, z + 0.2), pitch=pi / 2).message)
    print(arm.move_line((x, y, z), pitch=pi / 2).message)
    print(gripper.close(force=30.0).message)
    print(arm.move_line((x, y, z + 0.25), pitch=pi / 2).message)
    print("cube", robot.truth.body_pose("cube"))
