"""The messages that the stages exchange, shaped like their ROS counterparts.

They are frozen and checked when made, so what arrives can be trusted: sizes agree, arrays are
read-only float64 copies in SI units, quaternions are `wxyz`, and numbers are finite except
where a field says otherwise. `frame` and `child_frame` are the `frame_id`s of ROS.
"""

from mecano.core.messages.base import BaseReport as BaseReport
from mecano.core.messages.cups import CupChange as CupChange
from mecano.core.messages.cups import CupStates as CupStates
from mecano.core.messages.images import CameraInfo as CameraInfo
from mecano.core.messages.images import Image as Image
from mecano.core.messages.joints import GripperCommand as GripperCommand
from mecano.core.messages.joints import JointControl as JointControl
from mecano.core.messages.joints import JointState as JointState
from mecano.core.messages.joints import JointTrajectory as JointTrajectory
from mecano.core.messages.joints import JointTrajectoryPoint as JointTrajectoryPoint
from mecano.core.messages.joy import Joy as Joy
from mecano.core.messages.maps import OccupancyGrid as OccupancyGrid
from mecano.core.messages.maps import Path as Path
from mecano.core.messages.motion import Imu as Imu
from mecano.core.messages.motion import Odometry as Odometry
from mecano.core.messages.motion import PoseStamped as PoseStamped
from mecano.core.messages.motion import PoseWithCovarianceStamped as PoseWithCovarianceStamped
from mecano.core.messages.motion import TransformStamped as TransformStamped
from mecano.core.messages.motion import Twist as Twist
from mecano.core.messages.motion import TwistStamped as TwistStamped
from mecano.core.messages.motion import Wrench as Wrench
from mecano.core.messages.motion import WrenchStamped as WrenchStamped
from mecano.core.messages.navigation import NavigationStatus as NavigationStatus
from mecano.core.messages.power import BatteryState as BatteryState
from mecano.core.messages.ranges import LaserScan as LaserScan
from mecano.core.messages.ranges import PointCloud as PointCloud
from mecano.core.messages.ranges import Range as Range
from mecano.core.messages.stamped import Stamped as Stamped
from mecano.core.messages.whole import RobotState as RobotState
