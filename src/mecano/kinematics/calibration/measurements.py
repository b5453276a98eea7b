"""Readings and touched points, checked: units, limits and reach."""

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import read_only
from mecano.core.errors import InvalidInput
from mecano.kinematics.dh import DHChain
from mecano.kinematics.transforms import Array

BEYOND_LIMIT = 0.35
"""How far outside its limits a joint may read [rad]: that much may its zero be off."""
REACH_MARGIN = 0.05
"""How far beyond its reach a point may lie [m]: that much may it be measured wrongly."""
METRES_AT_MOST = 2.0
"""A coordinate above this is no metre, for an arm that reaches less."""


def check_measurements(
    chain: DHChain, readings: ArrayLike, points: ArrayLike
) -> tuple[Array, Array]:
    """Return readings and points as arrays, or say which one cannot be right and why."""
    points = read_only(points, name="the measured points", shape=(None, 3))
    readings = read_only(readings, name="the readings", shape=(None, len(chain.joints)))
    if len(readings) != len(points):
        raise InvalidInput(f"{len(readings)} rows of readings for {len(points)} points")
    if not len(points):
        return readings, points
    reach, centre = _reach(chain)
    largest = float(np.abs(points).max())
    if largest > METRES_AT_MOST > reach:
        raise InvalidInput(
            f"a coordinate is {largest:g}, which is beyond an arm that reaches {reach:.3f} m: the "
            "points look like millimetres; give metres"
        )
    turning = np.array([joint.kind == "revolute" for joint in chain.joints])
    beyond = np.maximum(readings - chain.upper, chain.lower - readings)
    point, worst = np.unravel_index(np.argmax(np.where(turning, beyond, -inf)), beyond.shape)
    if beyond[point, worst] > BEYOND_LIMIT:
        joint, value = chain.joints[worst], readings[point, worst]
        raise InvalidInput(
            f"point {point + 1}: {joint.name} reads {value:g}, allowed [{joint.lower:.3f}, "
            f"{joint.upper:.3f}] rad: "
            + ("the readings look like degrees; give radians" if abs(value) > np.pi else
               "a wrong column, or degrees in the place of radians?")
        )  # fmt: skip
    distances = np.linalg.norm(points - centre, axis=1)
    far = int(np.argmax(distances))
    if distances[far] > reach + REACH_MARGIN:
        raise InvalidInput(
            f"point {far + 1} lies {distances[far]:.3f} m from {chain.names[0]}, the arm reaches "
            f"{reach:.3f} m; measure it again, from the base frame"
        )
    return readings, points


def _reach(chain: DHChain) -> tuple[float, Array]:
    """Return how far the tool can be from the first joint at most [m], and where that joint is."""
    origins = chain.joint_frames(np.zeros(len(chain.joints)))[:, :3, 3]
    slides = sum(
        max(abs(joint.lower), abs(joint.upper))
        for joint in chain.joints
        if joint.kind == "prismatic"
    )
    return float(np.linalg.norm(np.diff(origins, axis=0), axis=1).sum() + slides), origins[0]
