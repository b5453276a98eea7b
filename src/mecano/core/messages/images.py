"""Images and the camera that took them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages.stamped import Stamped, empty, fix_array

ENCODINGS: dict[str, tuple[DTypeLike, int]] = {
    "rgb8": (np.uint8, 3),
    "bgr8": (np.uint8, 3),
    "rgba8": (np.uint8, 4),
    "bgra8": (np.uint8, 4),
    "mono8": (np.uint8, 1),
    "mono16": (np.uint16, 1),
    "16UC1": (np.uint16, 1),  # depth [mm], 0 where there is none
    "32FC1": (np.float32, 1),  # depth [m], NaN where there is none
}
"""Type of a pixel's numbers and how many there are, by the name ROS gives it."""

DISTORTION_MODELS = ("plumb_bob",)


@dataclass(frozen=True, eq=False, kw_only=True)
class Image(Stamped):
    """A picture or a depth picture, first row on top."""

    encoding: str
    """One of `ENCODINGS`."""
    data: NDArray[Any]
    """Pixels in the type of the encoding. Shape (height, width), or (height, width, channels)."""

    def __post_init__(self) -> None:
        """Check that the pixels are what the encoding says; nothing is converted."""
        super().__post_init__()
        if self.encoding not in ENCODINGS:
            raise UnknownName("image encoding", self.encoding, ENCODINGS)
        dtype, channels = ENCODINGS[self.encoding]
        given = np.asarray(self.data).dtype
        if given != np.dtype(dtype):
            raise InvalidInput(
                f"Image.data has dtype {given}, but {self.encoding} takes {np.dtype(dtype)}"
            )
        shape = (None, None) if channels == 1 else (None, None, channels)
        fix_array(self, "data", shape=shape, finite=False, dtype=dtype)

    @property
    def height(self) -> int:
        """Number of rows [pixels]."""
        return self.data.shape[0]

    @property
    def width(self) -> int:
        """Number of columns [pixels]."""
        return self.data.shape[1]


@dataclass(frozen=True, eq=False, kw_only=True)
class CameraInfo(Stamped):
    """How a camera maps points to pixels.

    Points are in the optical frame: x right, y down, z forward. Pixels are (column, row) and
    whole at the centre of a pixel, so the picture spans from -0.5 to width - 0.5.
    """

    width: int
    """[pixels]."""
    height: int
    """[pixels]."""
    K: Array
    """Focal lengths and principal point [pixels]. Shape (3, 3)."""
    D: Array = field(default_factory=empty)
    """Distortion (k1, k2, p1, p2, k3), k3 optional; empty for none. Shape (0,), (4,) or (5,)."""
    distortion_model: str = "plumb_bob"

    def __post_init__(self) -> None:
        """Check that the camera can be used."""
        super().__post_init__()
        fix_array(self, "K", shape=(3, 3))
        fix_array(self, "D", shape=(None,))
        if self.distortion_model not in DISTORTION_MODELS:
            raise UnknownName("distortion model", self.distortion_model, DISTORTION_MODELS)
        if len(self.D) not in (0, 4, 5):
            raise InvalidInput(f"CameraInfo.D has {len(self.D)} values, expected 0, 4 or 5")
        if self.width <= 0 or self.height <= 0:
            raise InvalidInput(f"CameraInfo is {self.width} x {self.height} pixels large")
        (fx, _, _), (below, fy, _), last_row = self.K.tolist()
        if fx <= 0.0 or fy <= 0.0 or below != 0.0 or last_row != [0.0, 0.0, 1.0]:
            raise InvalidInput(
                f"CameraInfo.K is {self.K.tolist()}, expected [[fx, s, cx], [0, fy, cy], [0, 0, 1]]"
            )

    @classmethod
    def from_field_of_view(
        cls, width: int, height: int, fovy: float, *, stamp: float = 0.0, frame: str = ""
    ) -> "CameraInfo":
        """Return an undistorted camera with square pixels that sees `fovy` [rad] vertically."""
        if not 0.0 < fovy < np.pi:
            raise InvalidInput(f"field of view is {fovy} rad, expected a number in (0, pi)")
        focal = 0.5 * height / np.tan(0.5 * fovy)
        K = np.array([[focal, 0, 0.5 * (width - 1)], [0, focal, 0.5 * (height - 1)], [0, 0, 1]])
        return cls(stamp=stamp, frame=frame, width=width, height=height, K=K)

    def project(self, points: ArrayLike) -> Array:
        """Return the pixels (..., 2) of points (..., 3) [m]; NaN for those behind the camera.

        A pixel may lie outside the picture: compare it with `width` and `height`.
        """
        points = np.asarray(points, dtype=np.float64)
        depth = np.where(points[..., 2:] > 0.0, points[..., 2:], np.nan)
        flat = self._distort(points[..., :2] / depth)
        return flat @ self.K[:2, :2].T + self.K[:2, 2]

    def ray_directions(self, pixels: ArrayLike) -> Array:
        """Return the directions (..., 3) in which pixels (..., 2) look, with z = 1.

        A direction times the depth of its pixel is the point seen there. NaN where the lens
        model folds over and no direction leads to the pixel.
        """
        distorted = np.asarray(pixels, dtype=np.float64) - self.K[:2, 2]
        distorted = distorted @ np.linalg.inv(self.K[:2, :2]).T
        flat = self._undistort(distorted)
        return np.concatenate([flat, np.ones_like(flat[..., :1])], axis=-1)

    def _distort(self, flat: Array) -> Array:
        if not self.D.any():
            return flat
        radial, tangential = self._distortion(flat)
        return flat * radial + tangential

    def _undistort(self, distorted: Array, *, rounds: int = 60, tolerance: float = 1e-9) -> Array:
        if not self.D.any():
            return distorted
        flat = distorted
        with np.errstate(all="ignore"):  # what diverges is told by the last line
            for _ in range(rounds):
                radial, tangential = self._distortion(flat)
                flat = (distorted - tangential) / radial
            wrong = ~(np.abs(self._distort(flat) - distorted).max(axis=-1) < tolerance)
        return np.where(wrong[..., None], np.nan, flat)

    def _distortion(self, flat: Array) -> tuple[Array, Array]:
        """Return the factor and the shift of the plumb-bob model at points of the plane z = 1."""
        k1, k2, p1, p2, k3 = (*self.D, 0.0)[:5]
        x, y = flat[..., 0], flat[..., 1]
        r2 = x * x + y * y
        radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
        shift_x = 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x)
        shift_y = p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y
        return radial[..., None], np.stack([shift_x, shift_y], axis=-1)
