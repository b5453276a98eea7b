"""Facings of paths: orientations along the arc length."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose, Pose2, quaternion_conjugate, quaternion_multiply, wrap_angle
from mecano.planning.path_shapes import PlanarOrSpatial, bend_to_the_left

if TYPE_CHECKING:  # scipy takes half a second to import: those who have no path need not wait
    from scipy.interpolate import PchipInterpolator


class AlongTangent:
    """The heading of the tangent."""

    def at(self, s: Array, tangent: Array, bending: Array) -> tuple[Array | None, Array | None]:
        """Return orientations and how fast they turn along the path."""
        return np.arctan2(tangent[:, 1], tangent[:, 0]), bend_to_the_left(tangent, bending)

    def reversed(self, length: float) -> "AlongTangent":
        """Return it for the way back."""
        return self

    def moved(self, pose: PlanarOrSpatial) -> "AlongTangent":
        """Return it in another frame."""
        return self


class AgainstTangent(AlongTangent):
    """The heading of a base that drives the path backwards."""

    def at(self, s: Array, tangent: Array, bending: Array) -> tuple[Array, Array]:
        """Return orientations and how fast they turn along the path."""
        return super().at(s, -tangent, bending)[0], bend_to_the_left(tangent, bending)  # type: ignore[return-value]


class Free(AlongTangent):
    """No orientation is asked for."""

    def at(self, s: Array, tangent: Array, bending: Array) -> tuple[Array | None, Array | None]:
        """Return nothing."""
        return None, None


@dataclass(frozen=True, eq=False)
class Headings:
    """Headings at arc lengths; between them it turns at a rate without jumps."""

    s: Array
    values: Array
    """Without jumps of full turns [rad]."""

    @cached_property
    def _curve(self) -> "PchipInterpolator":
        from scipy.interpolate import PchipInterpolator

        return PchipInterpolator(self.s, self.values)

    def at(self, s: Array, tangent: Array, bending: Array) -> tuple[Array, Array]:
        """Return orientations and how fast they turn along the path."""
        return wrap_angle(self._curve(s)), self._curve(s, 1)

    def reversed(self, length: float) -> "Headings":
        """Return it for the way back, which turns back by the same side."""
        return Headings(length - self.s[::-1], self.values[::-1])

    def moved(self, pose: PlanarOrSpatial) -> "Headings":
        """Return it in another frame."""
        assert isinstance(pose, Pose2)
        return Headings(self.s, self.values + pose.yaw)


@dataclass(frozen=True, eq=False)
class Quaternions:
    """Orientations at arc lengths; between them the short way, at a constant rate."""

    s: Array
    values: Array
    """wxyz. Shape (n, 4)."""

    @cached_property
    def _turns(self) -> Array:
        return rotation_vector(
            quaternion_multiply(self.values[1:], quaternion_conjugate(self.values[:-1]))
        )

    def at(self, s: Array, tangent: Array, bending: Array) -> tuple[Array, Array]:
        """Return orientations and how fast they turn along the path."""
        i = np.searchsorted(self.s[1:-1], s, side="right")
        turning = self._turns[i] / np.diff(self.s)[i, None]
        return turned(self.values[i], (s - self.s[i])[:, None] * turning), turning

    def reversed(self, length: float) -> "Quaternions":
        """Return it for the way back."""
        return Quaternions(length - self.s[::-1], self.values[::-1])

    def moved(self, pose: PlanarOrSpatial) -> "Quaternions":
        """Return it in another frame."""
        assert isinstance(pose, Pose)
        return Quaternions(self.s, quaternion_multiply(pose.quaternion, self.values))


Facing = AlongTangent | Headings | Quaternions


def one_facing(dimensions: int, heading: float | None, quaternion: ArrayLike | None) -> Facing:
    """Return one orientation for all of a path, or what stands for none."""
    if dimensions == 2:
        if quaternion is not None:
            raise InvalidInput("a path on the floor has a heading, not a quaternion")
        if heading is None:
            return AlongTangent()
        heading = finite_number(heading, name="heading [rad]")
        return Headings(np.array([0.0, 1.0]), np.array([heading, heading]))
    if heading is not None:
        raise InvalidInput("a path in space has a quaternion, not a heading")
    if quaternion is None:
        return Free()
    unit = Pose(quaternion=quaternion).quaternion
    return Quaternions(np.array([0.0, 1.0]), np.array([unit, unit]))


# --- turns


def turned(quaternions: Array, rotation_vectors: Array) -> Array:
    """Return quaternions (..., 4) after a turn about axes of the outer frame (..., 3) [rad]."""
    half = 0.5 * np.linalg.norm(rotation_vectors, axis=-1, keepdims=True)
    turn = np.concatenate([np.cos(half), 0.5 * np.sinc(half / math.pi) * rotation_vectors], axis=-1)
    return quaternion_multiply(turn, quaternions)


def rotation_vector(quaternion: Array) -> Array:
    """Return axis times angle, at most half a turn. Shape (..., 4) to (..., 3)."""
    quaternion = np.where(quaternion[..., :1] < 0.0, -quaternion, quaternion)
    size = np.linalg.norm(quaternion[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(size, quaternion[..., :1])
    return quaternion[..., 1:] * np.where(size > 1e-12, angle / np.maximum(size, 1e-12), 2.0)


def short_way(angle: Array) -> Array:
    """Return angles in (-pi, pi]; half turns, round-off included, are counter-clockwise."""
    wrapped = wrap_angle(np.asarray(angle, float))
    return np.where(wrapped < 1e-9 - math.pi, wrapped + math.tau, wrapped)


def unwrapped(headings: Array) -> Array:
    """Return the headings with every step the short way."""
    return headings[0] + np.concatenate([[0.0], np.cumsum(short_way(np.diff(headings)))])
