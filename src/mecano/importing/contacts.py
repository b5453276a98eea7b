"""Pairs that always touch, and a posture to begin in that touches nothing."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import mujoco
import numpy as np

from mecano.importing.draft import Draft
from mecano.importing.tree import Tree

SAMPLES = 60
"""Random postures in which pairs are looked at."""
ALWAYS = 0.95
"""A pair that touches in this share of them is built so."""
DEPTH = 2e-4
"""Shapes less deep inside each other than this do not count [m]; as in `world.RobotModel`."""
STRONG = 0.8
"""A motor holds a weight well that asks for no more than this share of its effort."""
HOMES = ("home", "half_sitting", "standing", "stand", "ready", "start", "default", "reference")
"""Postures of a file that a robot begins in, the best first."""
Pair = frozenset[str]


@dataclass(frozen=True, eq=False)
class Contacts:
    """What touches what."""

    neighbours: frozenset[Pair]
    """Links that a joint connects to what is bolted down; the engine leaves the others out."""
    always: frozenset[Pair]
    """Pairs that touch in nearly every posture."""
    at_home: frozenset[Pair]
    """Pairs that touch in the posture to begin in, beside those."""
    home: dict[str, float]
    """Joint values of that posture [rad or m]."""
    reason: str
    """Where it comes from."""


def look_at_contacts(draft: Draft, tree: Tree, *, keep_above: float | None) -> Contacts:
    """Return the pairs to leave out, and a posture to begin in.

    Args:
        draft: With the pairs and postures of the file.
        tree: The compiled model.
        keep_above: Nothing that moves may be lower than this [m]; None does not look.
    """
    follow = {each.joint: each for each in draft.followers}
    neighbours = frozenset(_neighbours(tree)) - draft.pairs
    known = draft.pairs | neighbours
    rng = np.random.default_rng(0)
    count: Counter[Pair] = Counter()
    for _ in range(SAMPLES):
        tree.place(_led({j.name: rng.uniform(*_span(tree, j.name)) for j in tree.joints}, follow))
        count.update(set(_touching(tree, known)))
    always = frozenset(pair for pair, times in count.items() if times >= ALWAYS * SAMPLES)
    best: tuple[float, dict[str, float], frozenset[Pair], str] | None = None
    for reason, values in _candidates(draft, tree, rng):
        posture = _led(values, follow)
        tree.place(posture)
        touching = dict(_depths(tree, known | always))
        badness = sum(touching.values()) + _overload(draft, tree)
        if keep_above is not None:
            badness += max(0.0, keep_above - tree.lowest(_moving(tree)))
        if best is None or badness < best[0] - 1e-9:
            best = badness, posture, frozenset(touching), reason
        if badness <= 0.0:
            break
    assert best is not None
    tree.place(best[1])
    return Contacts(neighbours, always, best[2], best[1], best[3])


def _candidates(
    draft: Draft, tree: Tree, rng: np.random.Generator
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield postures to begin in, the best first."""
    zero = {j.name: float(np.clip(0.0, *_span(tree, j.name))) for j in tree.joints}
    names = [n for wanted in HOMES for n in draft.states if wanted in n.lower()]
    for name in dict.fromkeys([*names, *draft.states]):
        values = {j: v for j, v in draft.states[name].items() if j in tree.by_name}
        clipped = {j: float(np.clip(v, *_span(tree, j))) for j, v in values.items()}
        if values:
            yield f"{name} of the file", zero | clipped
    yield "all joints at zero, or as near as their limits allow", zero
    middle = {j.name: float(np.mean(_span(tree, j.name))) for j in tree.joints}
    yield "the middle of every joint's range", {j: round(v, 3) for j, v in middle.items()}
    for joint in tree.joints[:8]:
        for value in (-np.pi / 2, np.pi / 2):
            if not joint.slides and joint.lower <= value <= joint.upper:
                yield f"zero, with {joint.name} at a quarter turn", zero | {joint.name: value}
    for share in np.linspace(0.1, 1.0, 40):
        drawn = {j.name: rng.uniform(*_span(tree, j.name)) for j in tree.joints}
        yield (
            "found by trying",
            {
                j: float(np.clip(round(zero[j] + share * (drawn[j] - zero[j]), 2), *_span(tree, j)))
                for j in zero
            },
        )


def _span(tree: Tree, joint: str) -> tuple[float, float]:
    """Return the range that postures are drawn from [rad or m]."""
    found = tree.by_name[joint]
    if found.endless:
        return (-0.1, 0.1) if found.slides else (-np.pi, np.pi)
    return found.lower, found.upper


def _led(values: dict[str, float], follow: dict) -> dict[str, float]:
    """Return a posture in which followers are where their leaders put them."""
    posture = dict(values)
    for _ in range(3):  # a follower may follow a follower
        for each in follow.values():
            posture[each.joint] = each.multiplier * posture.get(each.leader, 0.0) + each.offset
    return posture


def _overload(draft: Draft, tree: Tree) -> float:
    """Return by how much the weight asks for more than motors give, in shares of what they give."""
    model, data = tree.model, tree.data
    data.qvel[:] = 0.0
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)
    torque = np.zeros(model.nv)
    mujoco.mj_rne(model, data, 0, torque)
    beyond = 0.0
    for name, motor in draft.motors.items():
        if motor.effort and name in tree.by_name:
            dof = int(model.jnt_dofadr[tree.by_name[name].id])
            beyond += max(0.0, abs(float(torque[dof])) / motor.effort - STRONG)
    return beyond


def _moving(tree: Tree) -> list[int]:
    return [b for b in range(1, tree.model.nbody) if int(tree.model.body_weldid[b]) != 0]


def _neighbours(tree: Tree) -> Iterator[Pair]:
    """Yield pairs of what is bolted down and what its joints move; the engine keeps those."""
    model = tree.model
    solid = {int(model.geom_bodyid[g]) for g in tree.geoms() if model.geom_contype[g]}
    still = [b for b in solid if b and int(model.body_weldid[b]) == 0]
    for body in solid:
        weld = int(model.body_weldid[body])
        if weld and int(model.body_weldid[int(model.body_parentid[weld])]) == 0:
            yield from (frozenset((model.body(each).name, model.body(body).name)) for each in still)


def _touching(tree: Tree, known: Iterable[Pair]) -> Iterator[Pair]:
    yield from (pair for pair, _ in _depths(tree, known))


def _depths(tree: Tree, known: Iterable[Pair]) -> list[tuple[Pair, float]]:
    """Return the pairs that touch in the tree's posture, and how deep [m]."""
    model, data = tree.model, tree.data
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    found: dict[Pair, float] = {}
    skip = set(known)
    for index in range(data.ncon):
        contact = data.contact[index]
        if -contact.dist <= DEPTH:
            continue
        bodies = [int(model.geom_bodyid[int(g)]) for g in contact.geom]
        pair = frozenset(model.body(b).name for b in bodies)
        if 0 not in bodies and len(pair) == 2 and pair not in skip:
            found[pair] = max(found.get(pair, 0.0), -float(contact.dist))
    return list(found.items())
