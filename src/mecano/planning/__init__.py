"""Motions: trajectories of joints and tool. Messages and numbers in and out, no simulator."""

from mecano.planning.trajectories import Bounds as Bounds
from mecano.planning.trajectories import JoinedMove as JoinedMove
from mecano.planning.trajectories import JointMove as JointMove
from mecano.planning.trajectories import LinePlan as LinePlan
from mecano.planning.trajectories import SampledMove as SampledMove
from mecano.planning.trajectories import Trajectory as Trajectory
from mecano.planning.trajectories import plan_line as plan_line
