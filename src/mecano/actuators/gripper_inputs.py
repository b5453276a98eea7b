"""What a gripper's actuator must be given for a joint value, whatever kind of actuator it is."""

from collections.abc import Sequence

import mujoco
import numpy as np

from mecano.actuators.gains import pd_gains
from mecano.world.followers import following_value
from mecano.world.world import World

FIXED = int(mujoco.mjtGain.mjGAIN_FIXED)
AFFINE, NO_BIAS = int(mujoco.mjtBias.mjBIAS_AFFINE), int(mujoco.mjtBias.mjBIAS_NONE)
STEP = 1e-3
"""Joint values this far apart tell how the actuator's length depends on them [rad or m]."""


def input_line(
    world: World, actuator: int, joint: str, followers: Sequence[str]
) -> tuple[float, float]:
    """Return scale and offset from the joint value to the actuator's input.

    An affine actuator rests where `gain u + b0 + b1 length = 0`: a `position` actuator at u =
    length, one that takes 0 to 255 at its own scale. The length is the joint's value times the
    gear, or that of a tendon over all fingers. A `motor` has no such place; it is given the gains
    of a servo first.
    """
    model = world.model
    if int(model.actuator_gaintype[actuator]) != FIXED:
        return 1.0, 0.0  # a controller of its own: it takes the value
    if int(model.actuator_biastype[actuator]) == NO_BIAS or not model.actuator_biasprm[actuator, 1]:
        _become_servo(world, actuator, joint)
    zero, one = (_length(world, actuator, joint, followers, value) for value in (0.0, STEP))
    gain = float(model.actuator_gainprm[actuator, 0])
    bias, spring = model.actuator_biasprm[actuator, :2].tolist()
    slope = (one - zero) / STEP
    return -spring * slope / gain, -(bias + spring * zero) / gain


def _become_servo(world: World, actuator: int, joint: str) -> None:
    """Rewrite a motor's or velocity actuator's gains as those of a servo."""
    model = world.model
    dof = int(model.joint(joint).dofadr[0])
    whole = np.zeros((model.nv, model.nv))
    mujoco.mj_forward(model, world.data)
    mujoco.mj_fullM(model, world.data, whole)
    limited = bool(model.actuator_forcelimited[actuator])
    effort = float(np.abs(model.actuator_forcerange[actuator]).max()) if limited else np.inf
    kp, kd = pd_gains(float(whole[dof, dof]), effort)
    model.actuator_biastype[actuator] = AFFINE
    model.actuator_gainprm[actuator, 0] = kp
    model.actuator_biasprm[actuator, :3] = 0.0, -kp, -kd
    model.actuator_ctrllimited[int(model.actuator_ctrladr[actuator])] = 0


def _length(
    world: World, actuator: int, joint: str, followers: Sequence[str], value: float
) -> float:
    """Return the actuator's length with the fingers at a joint value."""
    model, data = world.model, mujoco.MjData(world.model)
    data.qpos[:] = world.data.qpos
    data.joint(joint).qpos[0] = value
    for name in followers:
        data.joint(name).qpos[0] = following_value(model, name, joint, value)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_tendon(model, data)
    mujoco.mj_transmission(model, data)
    return float(data.actuator_length[actuator])
