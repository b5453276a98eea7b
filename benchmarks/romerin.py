"""What ROMERIN costs: ticks on a wall beside the physics alone, forecasts, the workspace of a leg.

Ticks are at 250 Hz, two physics steps of 2 ms each; all cups hold, are read after every step, and
their margins are looked at in every tick.
"""

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

import mujoco
import numpy as np

from mecano import robots
from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.core.results import BenchRow
from mecano.lab.robot import Robot, connect
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


def session_romerin() -> BenchRow:
    """A tick of the robot that stands on a wall, beside raw stepping of its twin."""
    with connect("romerin", scene="wall") as robot, connect("romerin", scene="wall") as other:
        row = _tick_row("session_romerin", robot, other, _raw(other), "raw stepping")
        return replace(row, bar="value <= 120 us")


def session_romerin_bare() -> BenchRow:
    """The same beside a bare loop: step, read the bonds with numpy, command all servos."""
    with connect("romerin", scene="wall") as robot, connect("romerin", scene="wall") as other:
        return _tick_row("session_romerin_bare", robot, other, _bare(other), "a bare loop")


def session_romerin_walk() -> BenchRow:
    """A tick of a walk up the wall, beside raw stepping of a twin that stands."""
    with connect("romerin", scene="wall") as robot, connect("romerin", scene="wall") as other:
        robot.legs.walk(gait="wave", wait=False)
        return _tick_row("session_romerin_walk", robot, other, _raw(other), "raw stepping")


def can_release() -> BenchRow:
    """A forecast of what letting go of a cup does, median over the legs."""
    with connect("romerin", scene="wall") as robot:
        robot.wait(1.0)
        times = []
        for _ in range(100):
            for leg in range(1, 7):
                start = perf_counter()
                robot.cups.can_release(leg)
                times.append(perf_counter() - start)
    return BenchRow(
        name="can_release", value=1e6 * float(np.median(times)), unit="us", bar="value < 1000 us"
    )


ROWS = (session_romerin, session_romerin_bare, session_romerin_walk, can_release, leg_workspace)

TICKS, ROUNDS = 50, 30


def _tick_row(
    name: str, robot: Robot, other: Robot, peer: Callable[[], None], peer_name: str
) -> BenchRow:
    """Time ticks and the peer in turns."""
    robot.wait(1.0)
    other.wait(1.0)

    def ticks() -> None:
        for _ in range(TICKS):
            robot.session.tick()
            robot.cups.margins.min()

    seconds, peer_seconds = compare(ticks, peer, rounds=ROUNDS)
    return BenchRow(
        name=name, value=1e6 * seconds / TICKS, unit="us", peer=peer_name,
        peer_value=None if peer_seconds is None else 1e6 * peer_seconds / TICKS,
    )  # fmt: skip


def _raw(other: Robot) -> Callable[[], None]:
    world = other.world

    def raw() -> None:
        for _ in range(TICKS):
            mujoco.mj_step(world.model, world.data, nstep=2)

    return raw


def _bare(other: Robot) -> Callable[[], None]:
    model, data = other.world.model, other.world.data
    command = data.ctrl.copy()

    def bare() -> None:
        for _ in range(TICKS):
            data.ctrl[:] = command
            for _ in range(2):
                mujoco.mj_step(model, data)
                rows = data.efc_force[: data.ne].reshape(-1, 6)[:, :3]
                np.linalg.norm(rows, axis=1).max()

    return bare


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
