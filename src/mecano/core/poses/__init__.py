"""Where things are: `Pose` in space and `Pose2` on the floor, with the groups they form.

`T_a_b` is the pose of b seen from a, so `T_world_base @ T_base_tool` is `T_world_tool`.
Twist vectors are (linear, angular), as in a ROS Twist: (vx, vy, vz, wx, wy, wz) in space and
(vx, vy, wz) on the floor, both in the body frame.
"""

from mecano.core.poses.frames import Frame as Frame
from mecano.core.poses.frames import FrameCycle as FrameCycle
from mecano.core.poses.planar import Pose2 as Pose2
from mecano.core.poses.rotations import matrix_from_quaternion as matrix_from_quaternion
from mecano.core.poses.rotations import matrix_from_rpy as matrix_from_rpy
from mecano.core.poses.rotations import quaternion_conjugate as quaternion_conjugate
from mecano.core.poses.rotations import quaternion_from_matrix as quaternion_from_matrix
from mecano.core.poses.rotations import quaternion_multiply as quaternion_multiply
from mecano.core.poses.rotations import rpy_from_matrix as rpy_from_matrix
from mecano.core.poses.rotations import wrap_angle as wrap_angle
from mecano.core.poses.spatial import Pose as Pose
