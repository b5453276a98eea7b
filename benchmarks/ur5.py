"""Inverse kinematics of arms with six joints: one function per row, all branches, one core."""

from functools import cache
from importlib.util import find_spec
from math import pi
from typing import Any

import numpy as np

import peers
from mecano.core.errors import MecanoError
from mecano.core.poses import quaternion_from_matrix
from mecano.core.results import BenchRow
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.transforms import Array
from timing import Call, compare

BATCH = 10_000
FEW = 200
"""Poses that a row for single calls goes through, so that no lucky pose decides."""
# Universal Robots, "DH Parameters for calculations of kinematics and dynamics": d, a [m], alpha.
D = (0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823)
A = (0.0, -0.425, -0.39225, 0.0, 0.0, 0.0)
ALPHA = (pi / 2, 0.0, 0.0, pi / 2, -pi / 2, 0.0)
ARM = Chain(
    name="arm",
    dh=DHChain(
        joints=tuple(
            DHJoint(name=f"joint{i + 1}", d=D[i], a=A[i], alpha=ALPHA[i], lower=-pi, upper=pi)
            for i in range(6)
        )
    ),
)

# P. Corke and B. Armstrong-Helouvry, ICRA 1994: consensus among the parameters of the Puma 560.
PUMA = Chain(
    name="arm",
    dh=DHChain(
        joints=tuple(
            DHJoint(name=f"joint{i + 1}", d=d, a=a, alpha=alpha, lower=-pi, upper=pi)
            for i, (d, a, alpha) in enumerate(
                zip(
                    (0.6718, 0.0, 0.15005, 0.4318, 0.0, 0.05625),
                    (0.0, 0.4318, 0.0203, 0.0, 0.0, 0.0),
                    (pi / 2, 0.0, -pi / 2, pi / 2, -pi / 2, 0.0),
                    strict=True,
                )
            )
        )
    ),
)


def ur_ik_batch() -> BenchRow:
    """Closed-form IK of a UR5, 10,000 poses in one call; time per pose."""
    T = ARM.forward(postures(BATCH))
    points, rotations, each = T[:, :3, 3].copy(), T[:, :3, :3].copy(), list(T)
    peer = peers.call(eaik(), lambda robot: robot.IK_batched(each, 1))
    return row(
        "ur_ik_batch", lambda: ARM.ur.solve_batch(points, rotations), peer, BATCH,
        peer_name=eaik_name(), bar="ratio >= 2", rounds=20,
    )  # fmt: skip


def ur_ik_single() -> BenchRow:
    """Closed-form IK of a UR5, one pose per call, arrays in and out."""
    poses, solve = reachable(), ARM.ur.solve
    pairs = [(T[:3, 3], T[:3, :3]) for T in poses]
    peer = peers.call(eaik(), lambda robot: [robot.IK(T) for T in poses])
    return row(
        "ur_ik_single", lambda: [solve(point, R) for point, R in pairs], peer, FEW,
        peer_name=eaik_name(), bar="value < 40 us",
    )  # fmt: skip


def ur_ik_single_ssik() -> BenchRow:
    """The same beside ssik, which checks each solution by forward kinematics."""
    poses, solve = reachable(), ARM.ur.solve
    pairs = [(T[:3, 3], T[:3, :3]) for T in poses]
    return row(
        "ur_ik_single_ssik", lambda: [solve(point, R) for point, R in pairs], ssik(poses), FEW,
        peer_name=peers.named("ssik", "ssik"), bar="ratio >= 1",
    )  # fmt: skip


def ur_ik_explained() -> BenchRow:
    """The full explained result, one reachable pose per call."""
    poses = reachable()
    peer = peers.call(eaik(), lambda robot: [robot.IK(T) for T in poses])
    return row("ur_ik_explained", inverse(poses), peer, FEW, peer_name=eaik_name())


def ur_ik_unreachable() -> BenchRow:
    """An explained failure: why a pose cannot be taken, and what comes nearest."""
    return row(
        "ur_ik_unreachable", inverse(unreachable()), None, FEW, bar="value < 1000 us", rounds=10
    )


def wrist_ik_single() -> BenchRow:
    """Closed-form IK of a Puma 560 (spherical wrist), one pose per call, arrays in and out."""
    poses, solve = list(PUMA.forward(postures(FEW))), PUMA.wrist.solve
    pairs = [(T[:3, 3], T[:3, :3]) for T in poses]
    robot = None
    if find_spec("eaik") is not None:
        from eaik.IK_DH import DhRobot

        rows = PUMA.dh.joints
        alpha, a, d = (
            np.array([getattr(each, name) for each in rows]) for name in ("alpha", "a", "d")
        )
        robot = DhRobot(alpha, a, d)
    return row(
        "wrist_ik_single", lambda: [solve(point, R) for point, R in pairs],
        peers.call(robot, lambda robot: [robot.IK(T) for T in poses]), FEW,
        peer_name=peers.named("EAIK", "eaik"), bar="value < 200 us",
    )  # fmt: skip


ROWS = (
    ur_ik_batch, ur_ik_single, ur_ik_single_ssik, ur_ik_explained, ur_ik_unreachable,
    wrist_ik_single,
)  # fmt: skip


def row(
    name: str, ours: Call, peer: Call | None, count: int, *,
    peer_name: str | None = None, bar: str | None = None, rounds: int = 40,
) -> BenchRow:  # fmt: skip
    """Time both sides; `count` is how many poses one call goes through."""
    seconds, peer_seconds = compare(ours, peer, rounds=rounds)
    peer_value = None if peer_seconds is None else 1e6 * peer_seconds / count
    return BenchRow(
        name=name, value=1e6 * seconds / count, unit="us",
        peer=peer_name, peer_value=peer_value, bar=bar,
    )  # fmt: skip


def inverse(poses: list[Array]) -> Call:
    """Return a call that asks for every pose with its whole orientation."""
    pairs = [(T[:3, 3], quaternion_from_matrix(T[:3, :3]).tolist()) for T in poses]
    return lambda: [ARM.inverse(point, quaternion=quaternion) for point, quaternion in pairs]


@cache
def eaik() -> Any | None:
    """Return the UR5 in EAIK, or None if it is not installed."""
    if find_spec("eaik") is None:
        return None
    from eaik.IK_DH import DhRobot

    return DhRobot(np.array(ALPHA), np.array(A), np.array(D))


@cache
def eaik_name() -> str:
    """Return EAIK's name, with a warning if it loses postures."""
    robot = eaik()
    right = robot is None or all(
        _found(q, robot.IK(T).Q) for q, T in zip(postures(FEW), reachable(), strict=True)
    )
    return peers.named("EAIK", "eaik", "" if right else " (wrong answers)")


def ssik(poses: list[Array]) -> Call | None:
    """Return a call of ssik's own UR5, each branch once; None if it is not installed.

    Its frames are those of the ROS description. Both sides get poses of their own frames that the
    same postures give.
    """
    if find_spec("ssik") is None:
        return None
    from ssik.prebuilt import ur5_ik

    own = [ur5_ik.fk(q) for q in postures(len(poses))]
    for q, T in zip(postures(FEW), own, strict=True):
        answers = ur5_ik.solve(T, enumerate_windings=False)
        if not _found(q, np.array([answer.q for answer in answers])):
            raise MecanoError(f"ssik does not find the posture {q.tolist()} again")
    return lambda: [ur5_ik.solve(T, enumerate_windings=False) for T in own]


def _found(q: Array, solutions: Array) -> bool:
    """Tell whether a posture is among the solutions, whole turns aside, to 1e-5 rad."""
    off = np.abs((np.reshape(solutions, (-1, 6)) - q + pi) % (2 * pi) - pi)
    return bool(len(off)) and float(off.max(axis=1).min()) < 1e-5


def postures(count: int) -> Array:
    """Return joint values spread evenly over a whole turn [rad]. Shape (count, 6)."""
    return np.random.default_rng(0).uniform(-pi, pi, (count, 6))


def reachable() -> list[Array]:
    """Return the poses that random postures give."""
    return list(ARM.forward(postures(FEW)))


@cache
def unreachable() -> list[Array]:
    """Return poses in a box as large as the arm's reach that it cannot take."""
    rng = np.random.default_rng(0)
    found = []
    while len(found) < FEW:
        T = ARM.forward(rng.uniform(-pi, pi, 6))
        T[:3, 3] = rng.uniform(-1.0, 1.0, 3)
        if not len(ARM.ur.solve(T[:3, 3], T[:3, :3])):
            found.append(T)
    return found
