"""Volume, centre and inertia of shapes and links, and what makes an inertia possible."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose, matrix_from_quaternion
from mecano.importing.mesh_facts import mesh_facts
from mecano.importing.urdf_model import Link, Shape

WATER = 1000.0
"""Density where none is known [kg/m3]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Solid:
    """A body of density 1 in the frame of a link."""

    volume: float
    """[m3]."""
    centre: Array
    """[m]. Shape (3,)."""
    covariance: Array
    """Second moments about the centre, in the axes of the link [m5]. Shape (3, 3)."""
    low: Array
    """Corner of a box around it [m]. Shape (3,)."""
    high: Array

    @property
    def diagonal(self) -> float:
        """Of the box around it [m]."""
        return float(np.linalg.norm(self.high - self.low))

    def inertia(self, mass: float) -> Array:
        """Return the inertia about the centre with a mass [kg m2]. Shape (3, 3)."""
        moments = self.covariance * (mass / self.volume)
        return np.trace(moments) * np.eye(3) - moments


def solid_of(shape: Shape) -> Solid | None:
    """Return a shape as a solid; None for a mesh that could not be read."""
    geometry = shape.geometry
    size = geometry.size
    if geometry.kind == "box":
        half = 0.5 * np.array(size)
        volume = float(np.prod(size))
        return _placed(shape.origin, volume, np.zeros(3), np.diag(half**2) * volume / 3.0, half)
    if geometry.kind == "sphere":
        volume = 4.0 / 3.0 * np.pi * size[0] ** 3
        moments = np.eye(3) * volume * size[0] ** 2 / 5.0
        return _placed(shape.origin, volume, np.zeros(3), moments, np.full(3, size[0]))
    if geometry.kind in ("cylinder", "capsule"):  # a capsule is taken as its cylinder
        radius, length = size
        volume = np.pi * radius**2 * length
        across = volume * radius**2 / 4.0
        moments = np.diag([across, across, volume * length**2 / 12.0])
        half = np.array([radius, radius, 0.5 * length])
        return _placed(shape.origin, volume, np.zeros(3), moments, half)
    if geometry.file is None:
        return None
    facts = mesh_facts(geometry.file)
    if facts.problem:
        return None
    scale = np.array(geometry.scale)
    share = float(abs(np.prod(scale)))
    corners = np.sort(np.array([facts.low * scale, facts.high * scale]), axis=0)
    return _placed(
        shape.origin, facts.volume * share, facts.centre * scale,
        np.diag(scale) @ facts.covariance @ np.diag(scale) * share,
        0.5 * (corners[1] - corners[0]), middle=0.5 * (corners[1] + corners[0]),
    )  # fmt: skip


def together(solids: Iterable[Solid | None]) -> Solid | None:
    """Return several solids as one; None if there is none with a volume."""
    parts = [each for each in solids if each is not None and each.volume > 0.0]
    volume = sum(each.volume for each in parts)
    if volume <= 0.0:
        return None
    centre = np.asarray(sum(each.volume * each.centre for each in parts)) / volume
    covariance = np.zeros((3, 3))
    for each in parts:
        offset = each.centre - centre
        covariance += each.covariance + each.volume * np.outer(offset, offset)
    low = np.min([each.low for each in parts], axis=0)
    high = np.max([each.high for each in parts], axis=0)
    return Solid(volume=volume, centre=centre, covariance=covariance, low=low, high=high)


def solid_of_link(link: Link) -> Solid | None:
    """Return the shapes of a link as one solid: what collides, or else what is drawn."""
    return together(map(solid_of, link.collisions)) or together(map(solid_of, link.visuals))


def likely_inertia(link: Link, mass: float) -> Array:
    """Return the inertia of a uniform body with the shapes of a link, about its own centre.

    Without shapes: of a sphere as heavy as water. In the axes of the link. Shape (3, 3).
    """
    solid = solid_of_link(link)
    if solid is None:
        radius = (3.0 * mass / (4.0 * np.pi * WATER)) ** (1.0 / 3.0)
        return np.eye(3) * 0.4 * mass * radius**2
    inertia = solid.inertia(mass)
    floor = 1e-3 * max(float(np.trace(inertia)), 1e-12)  # a thin sheet: no axis without inertia
    return inertia + floor * np.eye(3)


def principal(inertia: Array) -> Array:
    """Return the principal moments, smallest first [kg m2]. Shape (3,)."""
    return np.asarray(np.linalg.eigvalsh(inertia), dtype=np.float64)


def triangle_excess(inertia: Array) -> float:
    """Return how much the largest moment exceeds the sum of the others, as a share of it."""
    small, middle, large = principal(inertia)
    return float((large - small - middle) / large) if large > 0.0 else 0.0


def balanced(inertia: Array) -> Array:
    """Return the inertia with its largest moment reduced to the sum of the others."""
    moments, axes = np.linalg.eigh(inertia)
    moments[2] = min(moments[2], (moments[0] + moments[1]) * (1.0 - 1e-9))
    return axes @ np.diag(moments) @ axes.T


def _placed(
    origin: Pose, volume: float, centre: Array, moments: Array, half: Array, *,
    middle: Array | None = None,
) -> Solid:  # fmt: skip
    """Return a solid seen from the link; the box around it is given by its half extents."""
    R = matrix_from_quaternion(origin.quaternion)
    box = R @ (np.zeros(3) if middle is None else middle) + origin.position
    reach = np.abs(R) @ half
    return Solid(
        volume=volume, centre=R @ centre + origin.position, covariance=R @ moments @ R.T,
        low=box - reach, high=box + reach,
    )  # fmt: skip
