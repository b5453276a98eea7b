"""A posture in which legs stand: feet below the hips, knees bent, soles as they were."""

import numpy as np
from scipy.optimize import minimize

from mecano.importing.structure import FoundChain, Structure
from mecano.importing.tree import Joint, Tree

SAMPLES = 300
WITHOUT_ANKLE = 3
"""Legs of so few joints end in a point."""
NEAR_END = 0.8
"""Points of the last link this share of its reach away from its joint are its end."""
BENT = 0.85
"""Height of the hips, of what a stretched leg reaches."""


def stance(tree: Tree, structure: Structure, home: dict[str, float]) -> dict[str, float]:
    """Return the posture to begin in with all legs standing; the tree is left in it."""
    posture = dict(home)
    for chain in structure.chains:
        if chain.kind == "leg" and len(chain.joints) >= 2:
            posture |= _stand(tree, chain, posture)
    tree.place(posture)
    return posture


def _stand(tree: Tree, chain: FoundChain, home: dict[str, float]) -> dict[str, float]:
    """Return joint values of one leg."""
    joints = [tree.by_name[name] for name in chain.joints]
    foot = tree.model.body(chain.tool.body).id
    second = joints[min(1, len(joints) - 1)]
    tree.place({})
    end = _end(tree, joints[-1], foot) if len(joints) <= WITHOUT_ANKLE else np.zeros(3)
    sole = tree.data.xmat[foot].reshape(3, 3).copy()
    limits = [
        (-np.pi / 2, np.pi / 2) if joint.endless
        else (max(joint.lower, -np.pi), min(joint.upper, np.pi))
        for joint in joints
    ]  # fmt: skip

    def look(q: np.ndarray) -> tuple[np.ndarray, float]:
        tree.place(home | dict(zip(chain.joints, q.tolist(), strict=True)))
        at = tree.data.xpos[foot] + tree.data.xmat[foot].reshape(3, 3) @ end
        away = at - tree.anchor(second)
        turned = 1.0 - float((sole * tree.data.xmat[foot].reshape(3, 3)).sum()) / 3.0
        return away, turned

    rng = np.random.default_rng(0)
    low, high = np.array(limits).T
    drawn = rng.uniform(low, high, (SAMPLES, len(joints)))
    drops = [-look(q)[0][2] for q in drawn]
    wanted = BENT * max(drops)

    def cost(q: np.ndarray) -> float:
        away, turned = look(q)
        flat = turned if len(joints) > 3 else 0.0
        off = away[0] ** 2 + away[1] ** 2 + (away[2] + wanted) ** 2
        return float(off / wanted**2 + 0.1 * flat + 1e-3 * q[0] ** 2)

    start = min([*drawn, np.clip(np.zeros(len(joints)), low, high)], key=cost)
    found = minimize(cost, start, bounds=limits, method="L-BFGS-B")
    q = np.clip(np.round(found.x, 4), low, high)
    return dict(zip(chain.joints, q.tolist(), strict=True))


def _end(tree: Tree, last: Joint, foot: int) -> np.ndarray:
    """Return where a leg that ends in a point ends, in the frame of its foot [m]. Shape (3,)."""
    geoms = tree.geoms(tree.rigid_with(last.body))
    if not geoms:
        return np.zeros(3)
    points = np.concatenate([tree.points(geom) for geom in geoms])
    away = np.linalg.norm(points - tree.anchor(last), axis=1)
    middle = points[away >= NEAR_END * away.max()].mean(axis=0)
    return tree.data.xmat[foot].reshape(3, 3).T @ (middle - tree.data.xpos[foot])
