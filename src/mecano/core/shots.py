"""A picture of a camera that sees colour and depth."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mecano.core.messages import CameraInfo, Image, PointCloud
from mecano.core.poses import Pose


@dataclass(frozen=True, eq=False)
class Shot:
    """A picture and its depths, with and without errors."""

    stamp: float
    colour: Image
    depth: Image
    """Along the axis of the camera [m], NaN where there is none."""
    clean_colour: Image
    clean_depth: Image
    info: CameraInfo
    pose: Pose
    """Where the camera truly was in the world, x forward and z up. Simulation only."""

    @cached_property
    def cloud(self) -> PointCloud:
        """The points that have a depth, in the optical frame (x right, y down, z forward)."""
        return cloud_of(self.depth, self.info, self.colour)


def cloud_of(depth: Image, info: CameraInfo, colour: Image | None = None) -> PointCloud:
    """Return the points of a depth picture, in the optical frame."""
    rows, columns = np.nonzero(np.isfinite(depth.data))
    rays = info.ray_directions(np.stack([columns, rows], axis=-1))
    points = rays * depth.data[rows, columns, None].astype(float)
    colours = None if colour is None else colour.data[rows, columns]
    return PointCloud(stamp=depth.stamp, frame=depth.frame, points=points, colours=colours)
