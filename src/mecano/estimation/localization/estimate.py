"""What a localization filter reports after a scan: a pose, its stated error and the particles."""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.core.belief import Belief
from mecano.core.messages import (
    LaserScan,
    OccupancyGrid,
    PoseWithCovarianceStamped,
    TransformStamped,
)
from mecano.core.poses import Pose2


@dataclass(frozen=True, eq=False)
class Estimate:
    """What a filter believes after a scan."""

    stamp: float
    """Of the scan [s]."""
    pose: Pose2
    """Of the base in the map."""
    covariance: Array
    """Of x, y [m2] and yaw [rad2], as far as the best cluster goes. Shape (3, 3)."""
    map_to_odom: Pose2
    """Where the frame of odometry lies in the map."""
    particles: Array
    """x, y [m], yaw [rad] and weight; the weights add up to 1. Shape (n, 4)."""
    spread: float
    """How far all particles are from the pose, root of the mean square [m]."""
    share: float
    """Of the weight that is in the best cluster; near 1 where there is one answer only."""
    updated: bool
    """Whether the scan counted: not, if the base has not moved or the scan is empty."""

    def pose_message(self, frame: str = "map") -> PoseWithCovarianceStamped:
        """Return pose and covariance as a message, as AMCL sends them."""
        covariance, planar = np.zeros((6, 6)), [0, 1, 5]
        covariance[np.ix_(planar, planar)] = 0.5 * (self.covariance + self.covariance.T)
        return PoseWithCovarianceStamped(
            stamp=self.stamp, frame=frame, pose=self.pose.to_pose(), covariance=covariance
        )

    def transform(self, frame: str = "map", child_frame: str = "odom") -> TransformStamped:
        """Return `map_to_odom` as a message."""
        return TransformStamped(
            stamp=self.stamp, frame=frame, child_frame=child_frame,
            transform=self.map_to_odom.to_pose(),
        )  # fmt: skip

    def belief(
        self,
        scan: LaserScan,
        mount: Pose2,
        grid: OccupancyGrid,
        *,
        path: Array,
        origin: Pose2 | None = None,
    ) -> Belief:
        """Return it as something to look at.

        Args:
            scan: The one that it comes from.
            mount: Where the scanner sits on the base.
            grid: The map.
            path: Where the base was, oldest first [m]. Shape (n, 2).
            origin: Where the frame of the map lies in what it is drawn into.
        """
        return Belief(
            stamp=self.stamp, pose=self.pose, origin=origin or Pose2(), grid=grid, path=path,
            scan=(self.pose @ mount).transform_points(scan.points()),
            particles=self.particles[:, :3],
            text=f"{len(self.particles)} particles, spread {self.spread:.2f} m",
        )  # fmt: skip
