"""Closed linkages: bodies of a tree that constraints tie together, as in Robotiq's grippers."""

import mujoco
import numpy as np
from scipy.optimize import least_squares

from mecano.importing.tree import Joint, Tree

TIES = (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD))
NO_CONTACT = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)


def has_loops(model: mujoco.MjModel) -> bool:
    """Tell whether constraints tie bodies together."""
    return bool(np.isin(model.eq_type, TIES).any())


def joined(tree: Tree, joints: list[Joint]) -> list[list[Joint]]:
    """Return joints in groups: those whose bodies a constraint ties together are in one."""
    groups = [[joint] for joint in joints]
    moved = {joint.name: set(tree.bodies_moved(joint)) for joint in joints}
    for one, other in _ties(tree.model):
        touched = [
            group for group in groups if any({one, other} & moved[joint.name] for joint in group)
        ]
        if len(touched) > 1:
            groups = [group for group in groups if group not in touched]
            groups.append([joint for group in touched for joint in group])
    order = {joint.name: number for number, joint in enumerate(joints)}
    groups = [sorted(group, key=lambda joint: order[joint.name]) for group in groups]
    return sorted(groups, key=lambda group: order[group[0].name])


def _ties(model: mujoco.MjModel) -> list[tuple[int, int]]:
    """Return the pairs of bodies that constraints tie together."""
    found = []
    for number in np.flatnonzero(np.isin(model.eq_type, TIES)).tolist():
        pair = [int(model.eq_obj1id[number]), int(model.eq_obj2id[number])]
        if int(model.eq_objtype[number]) == int(mujoco.mjtObj.mjOBJ_SITE):
            pair = [int(model.site_bodyid[site]) for site in pair]
        found.append((pair[0], pair[1]))
    return found


def close_loops(tree: Tree, loose: list[Joint]) -> None:
    """Move loose joints to where the constraints of the model hold best; the others stay."""
    model, data = tree.model, tree.data
    if not loose or not has_loops(model):
        return
    places = [int(model.jnt_qposadr[joint.id]) for joint in loose]
    flags = int(model.opt.disableflags)
    model.opt.disableflags = flags | NO_CONTACT

    def violation(values: np.ndarray) -> np.ndarray:
        data.qpos[places] = values
        mujoco.mj_fwdPosition(model, data)
        return data.efc_pos[: data.ne].copy()

    found = least_squares(violation, data.qpos[places].copy(), xtol=1e-12, ftol=1e-12)
    data.qpos[places] = found.x
    model.opt.disableflags = flags
