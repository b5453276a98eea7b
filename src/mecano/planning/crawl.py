"""A static crawl of feet that only stand: one leg steps, the body's weight inside the others.

Before a foot lifts, the body moves until its centre of mass lies inside the polygon of the other
feet, with a margin; it stands still while the foot swings. Nothing depends on speed, so the robot
may stop at any time. Poses are planar, (x, y, heading), in the frame of the body at the start.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array

FEWEST = 4
"""Legs of a static crawl: one in the air, three that stand."""
STEPS_TO_MIDDLE = 50
"""Points between the centre of mass and the middle of the feet that are tried."""


@dataclass(frozen=True, eq=False)
class Step:
    """One leg's step: first the body moves, then the foot."""

    leg: int
    body: tuple[Array, Array]
    """Pose of the body before and after, (x, y, heading) [m, rad]."""
    foot: tuple[Array, Array]
    """Where the foot stands before and after [m]. Shape (2,) each."""
    margin: float
    """How far the centre of mass then is inside the polygon of the other feet [m]."""


def crawl(
    feet: Array, mass: Array, travel: Array, cycles: int, *, margin: float, order: Sequence[int]
) -> Iterator[Step]:
    """Yield the steps of a walk; after the last one the body only has to move to the end.

    Args:
        feet: Where they stand in the frame of the body [m]. Shape (n, 2).
        mass: Where the centre of mass is in that frame [m]. Shape (2,).
        travel: How far the body goes in a cycle, in its own frame: x, y, heading [m, rad].
        cycles: In each, every leg steps once.
        margin: How far the centre of mass shall be inside the polygon of the standing feet [m];
            where that is not possible, it is in the middle of them.
        order: Of the legs.
    """
    pose, standing = np.zeros(3), feet.copy()
    start = np.zeros(3)
    for _ in range(cycles):
        end = compose(start, travel)
        for number, leg in enumerate(order):
            way = (number + 0.5) / len(order)
            wanted = compose(start, way * travel)
            others = np.delete(standing, leg, axis=0)
            balanced = _balanced(wanted, mass, others, margin)
            inside = depth(others, placed(balanced, mass))
            landing = placed(end, feet[leg])
            yield Step(leg, (pose, balanced), (standing[leg].copy(), landing), inside)
            pose, standing[leg] = balanced, landing
        start = end


def shares(feet: Array, point: Array, air: int | None = None) -> Array:
    """Return how feet share a weight above a point: the smallest that balance it. Shape (n,).

    Args:
        feet: Where they stand [m]. Shape (n, 2).
        point: Below the centre of mass [m]. Shape (2,).
        air: Foot that is in the air, which carries nothing.
    """
    stand = [number for number in range(len(feet)) if number != air]
    balance = np.vstack([np.ones(len(stand)), feet[stand].T])
    found = np.zeros(len(feet))
    found[stand] = np.maximum(np.linalg.pinv(balance) @ np.array([1.0, *point]), 0.0)
    return found / max(found.sum(), 1e-9)


def compose(pose: Array, motion: Array) -> Array:
    """Return a pose after a motion in its own frame, both (x, y, heading)."""
    return np.append(placed(pose, motion[:2]), pose[2] + motion[2])


def placed(pose: Array, point: Array) -> Array:
    """Return a point of a body's frame in the frame of its pose. Shape (..., 2)."""
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return pose[:2] + point @ np.array([[c, s], [-s, c]])


def seen_from(pose: Array, point: Array) -> Array:
    """Return a point in the frame of a body at a pose. Shape (..., 2)."""
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return (point - pose[:2]) @ np.array([[c, -s], [s, c]])


def depth(feet: Array, point: Array) -> float:
    """Return how far a point is inside the convex hull of some feet [m]; outside negative."""
    middle = feet.mean(axis=0)
    around = feet[np.argsort(np.arctan2(*(feet - middle).T[::-1]))]
    edges = np.roll(around, -1, axis=0) - around
    lengths = np.linalg.norm(edges, axis=1)
    away = point - around
    cross = edges[:, 0] * away[:, 1] - edges[:, 1] * away[:, 0]
    return float((cross / np.maximum(lengths, 1e-9)).min())


def _balanced(pose: Array, mass: Array, feet: Array, margin: float) -> Array:
    """Return the nearest pose on the line to the middle of the feet that has the margin."""
    here = placed(pose, mass)
    to_middle = feet.mean(axis=0) - here
    tried = np.linspace(0.0, 1.0, STEPS_TO_MIDDLE)
    deep = (share for share in tried if depth(feet, here + share * to_middle) >= margin)
    return pose + np.append(next(deep, 1.0) * to_middle, 0.0)
