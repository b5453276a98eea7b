"""Which postures to touch, so that the points tell the parameters well."""

from collections.abc import Sequence
from math import inf

import numpy as np

from mecano.core.errors import InvalidInput
from mecano.kinematics.calibration.model import CalibrationAngle, What, parameters
from mecano.kinematics.dh import DHChain
from mecano.kinematics.transforms import Array


def fewest_points(unknowns: int) -> int:
    """Return how many points a fit needs at least: one more than would do, and never below 3."""
    return max(3, -(-unknowns // 3) + 1)


def suggest_points(
    chain: DHChain,
    n: int,
    rng: np.random.Generator,
    *,
    what: What = "both",
    angles: Sequence[CalibrationAngle] = (),
    height: float = 0.03,
    margin: float = 0.1,
    candidates: int = 2000,
) -> Array:
    """Return postures whose tool points tell the parameters well. Shape (n, joints).

    Postures are chosen one by one from random ones, so that the volume of the parameters' interval
    ellipsoid shrinks most (D-optimality), then exchanged as long as that helps. Collisions are not
    looked at.

    Args:
        chain: The arm.
        n: How many postures.
        rng: Where the random postures come from.
        what: What is to be fitted, see `calibrate`.
        angles: The constant angles of the chain.
        height: Least height of the tool and of every joint that moves up and down [m].
        margin: Distance from the joint limits, as part of the range.
        candidates: How many random postures to choose from.
    """
    basis, _ = parameters(chain, what, angles)
    needed = fewest_points(basis.shape[1])
    if not needed <= n <= candidates // 4:
        raise InvalidInput(f"{n} postures asked for, allowed {needed} to {candidates // 4}")
    room = margin * (chain.upper - chain.lower)
    pool = rng.uniform(chain.lower + room, chain.upper - room, (candidates, len(chain.joints)))
    heights = chain.joint_frames(pool)[..., 2, 3]
    moving = np.ptp(heights, axis=0) > 1e-9
    pool = pool[(heights[:, moving] > height).all(axis=1)]
    if len(pool) < 4 * n:
        raise InvalidInput(
            f"only {len(pool)} of {candidates} random postures stay {height:g} m above the table; "
            "ask for fewer, or for less height"
        )
    J = chain.jacobian(pool)[:, :3, :] @ basis
    information = np.swapaxes(J, -1, -2) @ J
    return pool[_most_telling(information, n)]


def _most_telling(information: Array, n: int) -> list[int]:
    """Return `n` different rows whose sum has the largest determinant, as far as swaps find it."""
    size = information.shape[-1]
    little = 1e-9 * np.trace(information, axis1=1, axis2=2).max() * np.eye(size)
    chosen: list[int] = []

    def best(others: list[int]) -> int:
        volumes = np.linalg.slogdet(little + information[others].sum(axis=0) + information)[1]
        volumes[others] = -inf
        return int(np.argmax(volumes))

    for _ in range(n):
        chosen.append(best(chosen))
    for _ in range(10):
        before = list(chosen)
        for place in range(n):
            others = chosen[:place] + chosen[place + 1 :]
            chosen[place] = best(others)
        if chosen == before:
            break
    return chosen
