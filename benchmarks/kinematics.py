"""Inverse and forward kinematics of OpenMANIPULATOR-X: one function per row, all on one core."""

from dataclasses import dataclass
from functools import cache
from math import atan2, pi

import numpy as np

import peers
from mecano.core.results import BenchRow
from mecano.kinematics.dh_fast import prepare
from mecano.kinematics.transforms import Array, rotation_y, rotation_z, translation
from peers import ARM
from timing import Call, compare

BATCH = 10_000
FEW = 200
"""Poses that a row for single calls goes through, so that no lucky pose decides."""
FEW_FOR_TOOLBOX = 2
"""The same for a solver that needs milliseconds to give up."""


@dataclass(frozen=True, eq=False)
class Targets:
    """The same targets as each side wants them."""

    points: list[Array]
    pitches: list[float]
    poses: list[Array]
    """`T_base_tool`, for the libraries that take whole poses."""


def ik_batch() -> BenchRow:
    """Closed-form IK, all branches, 10,000 poses in one call; time per pose."""
    targets = reachable(BATCH)
    points, pitches = np.array(targets.points), np.array(targets.pitches)
    peer = peers.call(peers.eaik(), lambda robot: robot.IK_batched(targets.poses, 1))
    return row(
        "ik_batch", lambda: ARM.turret.solve_batch(points, pitches), peer, BATCH,
        peer_name=eaik_name(), bar="ratio >= 10", rounds=30,
    )  # fmt: skip


def ik_single() -> BenchRow:
    """Closed-form IK, one pose per call, arrays in and out."""
    targets, solve = reachable(FEW), ARM.turret.solve
    pairs = list(zip(targets.points, targets.pitches, strict=True))
    return row(
        "ik_single", lambda: [solve(point, pitch) for point, pitch in pairs],
        eaik_singly(targets), FEW, peer_name=eaik_name(), bar="ratio <= 1",
    )  # fmt: skip


def ik_explained() -> BenchRow:
    """The full explained result, one reachable pose per call."""
    targets = reachable(FEW)
    peer = eaik_singly(targets)
    return row("ik_explained", inverse(targets), peer, FEW, peer_name=eaik_name(), bar="ratio <= 3")


def ik_unreachable() -> BenchRow:
    """An explained failure: why a point cannot be reached at a pitch, and what comes nearest."""
    few = unreachable(FEW).poses[:FEW_FOR_TOOLBOX]  # it takes as long on one as on another
    peer = peers.call(peers.toolbox(), lambda ets: [ets.ik_LM(T) for T in few])
    return row(
        "ik_unreachable", inverse(unreachable(FEW)), peer, FEW, peer_count=len(few),
        peer_name=toolbox_name("ik_LM"), bar="value < 200 us", rounds=40,
    )  # fmt: skip


def ik_unreachable_free() -> BenchRow:
    """An explained failure with the pitch left free."""
    points = [point for point in unreachable(FEW).points if not ARM.inverse(point).reached]
    return row(
        "ik_unreachable_free", lambda: [ARM.inverse(p) for p in points], None, len(points), rounds=5
    )


def fk_single() -> BenchRow:
    """Forward kinematics, one posture per call."""
    q = postures(1)[0]
    prepare()
    peer = peers.call(peers.toolbox(), lambda ets: ets.eval(q))
    return row(
        "fk_single", lambda: ARM.forward(q), peer, 1,
        peer_name=toolbox_name("eval"), bar="ratio >= 1",
    )  # fmt: skip


def fk_batch() -> BenchRow:
    """Forward kinematics, 10,000 postures in one call; time per posture."""
    q = postures(BATCH)
    peer = peers.call(peers.toolbox(), lambda ets: ets.eval(q))
    return row("fk_batch", lambda: ARM.forward(q), peer, BATCH, peer_name=toolbox_name("eval"))


def jacobian() -> BenchRow:
    """The geometric Jacobian in base axes, one posture per call."""
    q = postures(1)[0]
    prepare()
    peer = peers.call(peers.toolbox(), lambda ets: ets.jacob0(q))
    return row(
        "jacobian", lambda: ARM.dh.jacobian(q), peer, 1,
        peer_name=toolbox_name("jacob0"), bar="ratio >= 1",
    )  # fmt: skip


ROWS = (
    ik_batch, ik_single, ik_explained, ik_unreachable, ik_unreachable_free,
    fk_single, fk_batch, jacobian,
)  # fmt: skip


def row(
    name: str, ours: Call, peer: Call | None, count: int, *,
    peer_count: int | None = None, peer_name: str | None = None, bar: str | None = None,
    rounds: int = 60,
) -> BenchRow:  # fmt: skip
    """Time both sides; `count` is how many poses one call goes through, `peer_count` the peer's."""
    seconds, peer_seconds = compare(ours, peer, rounds=rounds)
    peer_value = None if peer_seconds is None else 1e6 * peer_seconds / (peer_count or count)
    return BenchRow(
        name=name, value=1e6 * seconds / count, unit="us",
        peer=peer_name, peer_value=peer_value, bar=bar,
    )  # fmt: skip


def inverse(targets: Targets) -> Call:
    """Return a call that asks for every target with its pitch."""
    pairs = list(zip(targets.points, targets.pitches, strict=True))
    return lambda: [ARM.inverse(point, pitch=pitch) for point, pitch in pairs]


def eaik_singly(targets: Targets) -> Call | None:
    """Return a call that gives EAIK one pose at a time and leaves the answers inside its object."""
    return peers.call(peers.eaik(), lambda robot: [robot.IK(T) for T in targets.poses])


@cache
def eaik_name() -> str:
    """Return EAIK's name, with a warning if it does not solve the arm."""
    right = peers.eaik() is None or peers.eaik_is_right(postures(FEW))
    return peers.named("EAIK", "eaik", "" if right else " (wrong answers)")


def toolbox_name(function: str) -> str:
    """Return the Robotics Toolbox's name and the function that is timed."""
    return peers.named("Robotics Toolbox", "roboticstoolbox-python", f" {function}")


def postures(count: int) -> Array:
    """Return joint values spread evenly between the limits [rad]. Shape (count, 4)."""
    return np.random.default_rng(0).uniform(ARM.dh.lower, ARM.dh.upper, (count, 4))


def reachable(count: int) -> Targets:
    """Return the poses that random postures give."""
    q = postures(count)
    T = ARM.forward(q)
    return Targets(list(T[:, :3, 3].copy()), q[:, 1:].sum(axis=1).tolist(), list(T))


@cache
def unreachable(count: int) -> Targets:
    """Return targets of any pitch in a box as large as the arm's reach that it cannot take."""
    rng, turret = np.random.default_rng(0), ARM.turret
    targets = Targets([], [], [])
    while len(targets.points) < count:
        point, pitch = rng.uniform((-0.4, -0.4, -0.3), (0.4, 0.4, 0.5)), float(rng.uniform(-pi, pi))
        if not len(turret.solve(point, pitch)):
            heading = rotation_z(atan2(point[1] - turret.axis_y, point[0] - turret.axis_x))
            targets.points.append(point)
            targets.pitches.append(pitch)
            targets.poses.append(translation(*point) @ heading @ rotation_y(pitch))
    return targets
