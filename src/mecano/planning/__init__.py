"""Motions: paths and their times, trajectories of joints and tool. No simulator in here."""

from mecano.planning.path_parts import Kink as Kink
from mecano.planning.path_parts import PathPoint as PathPoint
from mecano.planning.path_tables import path_from_table as path_from_table
from mecano.planning.paths import PathCurve as PathCurve
from mecano.planning.speed_profiles import PathLimits as PathLimits
from mecano.planning.speed_profiles import pace_path as pace_path
from mecano.planning.speed_profiles import wheel_ceiling as wheel_ceiling
from mecano.planning.timed_paths import Slowing as Slowing
from mecano.planning.timed_paths import TimedPath as TimedPath
from mecano.planning.timed_paths import TimedPoint as TimedPoint
from mecano.planning.tool_paths import plan_path as plan_path
from mecano.planning.trajectories import Bounds as Bounds
from mecano.planning.trajectories import JoinedMove as JoinedMove
from mecano.planning.trajectories import JointMove as JointMove
from mecano.planning.trajectories import LinePlan as LinePlan
from mecano.planning.trajectories import SampledMove as SampledMove
from mecano.planning.trajectories import Trajectory as Trajectory
from mecano.planning.trajectories import plan_line as plan_line
