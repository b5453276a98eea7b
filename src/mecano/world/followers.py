"""Joints that follow others by a constraint of the model."""

import mujoco

JOINT = int(mujoco.mjtEq.mjEQ_JOINT)


def following_value(model: mujoco.MjModel, follower: str, joint: str, value: float) -> float:
    """Return where a constraint puts a follower of a joint; without one it has the same value.

    Args:
        model: The compiled model.
        follower: Name of the joint that follows.
        joint: Name of the one that it follows.
        value: Of that [rad or m].
    """
    ids = model.joint(follower).id, model.joint(joint).id
    for number in range(model.neq):
        if int(model.eq_type[number]) != JOINT:
            continue
        pair = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
        offset, slope = model.eq_data[number, :2].tolist()
        if pair == ids:
            return offset + slope * value
        if pair == ids[::-1] and slope:
            return (value - offset) / slope
    return value
