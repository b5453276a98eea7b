"""Chains, forward and inverse kinematics, Jacobians, workspace: pure functions, no state."""

from mecano.kinematics.chain import Chain as Chain
from mecano.kinematics.dh import DHChain as DHChain
from mecano.kinematics.dh import DHJoint as DHJoint
from mecano.kinematics.dh import Ellipsoid as Ellipsoid
from mecano.kinematics.dh import manipulability as manipulability
from mecano.kinematics.dh import manipulability_ellipsoid as manipulability_ellipsoid
from mecano.kinematics.dh_fit import fit_dh as fit_dh
from mecano.kinematics.dls import DLSSettings as DLSSettings
from mecano.kinematics.dls import TipFollower as TipFollower
from mecano.kinematics.dls import TipStep as TipStep
from mecano.kinematics.dls import solve_dls as solve_dls
from mecano.kinematics.ik import IKReason as IKReason
from mecano.kinematics.ik import IKResult as IKResult
from mecano.kinematics.ik import IKTarget as IKTarget
from mecano.kinematics.ik import ToolPose as ToolPose
from mecano.kinematics.ik import pitch_of as pitch_of
from mecano.kinematics.numerical import SolverSettings as SolverSettings
from mecano.kinematics.numerical import solve_numerically as solve_numerically
from mecano.kinematics.rolling_turret import RollJoint as RollJoint
from mecano.kinematics.solvers import solver_for as solver_for
from mecano.kinematics.turret import TurretArm as TurretArm
from mecano.kinematics.workspace import Workspace as Workspace
from mecano.kinematics.workspace import sample_workspace as sample_workspace
