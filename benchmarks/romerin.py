"""What ROMERIN costs: the workspace of a leg beside a plain loop over the engine."""

import mujoco
import numpy as np

from mecano import robots
from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.core.results import BenchRow
from mecano.world.leg_collisions import LegCollisions
from timing import compare

POSTURES = 46_000
"""As many as in the thesis."""


def leg_workspace() -> BenchRow:
    """46,000 postures of leg 3, each checked against the whole robot; time per posture."""
    robot = robots.get("romerin")
    table = robot.chain("leg_3").dh
    collisions = LegCollisions(robot, "leg_3")
    q = np.random.default_rng(0).uniform(table.lower, table.upper, (POSTURES, 3))
    if not np.array_equal(collisions.collides(q), forward_each(collisions, q)):
        raise MecanoError("the quick check of collisions does not agree with the engine")
    seconds, peer_seconds = compare(
        lambda: collisions.collides(q), lambda: forward_each(collisions, q), rounds=3
    )
    return BenchRow(
        name="leg_workspace", value=1e6 * seconds / POSTURES, unit="us",
        peer="mj_forward of the whole robot in a loop",
        peer_value=None if peer_seconds is None else 1e6 * peer_seconds / POSTURES,
        bar="ratio >= 5",
    )  # fmt: skip


ROWS = (leg_workspace,)


def forward_each(collisions: LegCollisions, q: Array) -> np.ndarray:
    """Return where the engine finds a contact: the plain way. Shape (n,)."""
    model, data = collisions.model, mujoco.MjData(collisions.model)
    data.qpos[:] = collisions.data.qpos
    touches = np.empty(len(q), bool)
    for i, posture in enumerate(q):
        data.qpos[collisions.positions] = posture
        mujoco.mj_forward(model, data)
        touches[i] = data.ncon > 0
    return touches
