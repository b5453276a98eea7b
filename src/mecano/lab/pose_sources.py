"""Where a navigator gets the pose of its base from: ground truth, odometry, or localization."""

from math import degrees, sqrt
from typing import Protocol

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.lab.listening import Listening
from mecano.lab.locating import LiveLocalization
from mecano.lab.robot import Robot
from mecano.skills.navigation.inputs import PoseEstimate

FITS = 0.5
"""If a smaller share of the readings ends at walls of the map, the map does not fit. Measured: 0.86
to 1.00 in the right map, with people and new boxes in it; 0.34 to 0.38 in that of another place."""
SMOOTHED = 0.1
"""How much the newest scan counts for that share."""
UNSURE = 0.5
"""If the best cluster of particles has a smaller share of the weight, the pose is ambiguous."""


class PoseSource(Protocol):
    """Tells where the base is in the map."""

    name: str
    """For reports."""

    def estimate(self) -> PoseEstimate:
        """Return pose and stated error now."""
        ...


class GroundTruth:
    """The true pose in the scene; simulation only."""

    name = "ground truth"

    def __init__(self, robot: Robot) -> None:
        """Take a simulated robot."""
        if robot.real:
            raise InvalidInput(
                "a real robot has no ground truth; navigate by 'localization' or 'odometry'"
            )
        self._truth = robot.truth

    def estimate(self) -> PoseEstimate:
        """Return where the base really is."""
        return PoseEstimate(pose=self._truth.base_pose())


class OdometryPose:
    """Wheels and gyro alone, from a start that is given."""

    name = "odometry"

    def __init__(self, robot: Robot, start: Pose2 | None) -> None:
        """Begin now; without a start the map is the frame of odometry."""
        self._base = robot.base
        here = robot.base.pose
        self._T_map_odom = Pose2() if start is None else start @ here.inverse()

    def estimate(self) -> PoseEstimate:
        """Return where odometry takes the base to be; its error is not stated."""
        return PoseEstimate(pose=self._T_map_odom @ self._base.pose)


class LocalizedPose:
    """Odometry corrected by scans: live localization, or a map that is being built."""

    name = "localization"

    def __init__(self, listening: Listening) -> None:
        """Take what listens to the robot."""
        self.listening = listening
        self._stamp = -1.0
        self._fit = 1.0

    def estimate(self) -> PoseEstimate:
        """Return pose and stated error, and why it is not to be trusted, if so."""
        listening = self.listening
        if not isinstance(listening, LiveLocalization):
            return PoseEstimate(pose=listening.pose)
        found = listening.estimate
        if found is None:
            return PoseEstimate(pose=listening.pose, lost="no scan has come yet")
        error = sqrt(max(0.0, float(found.covariance[0, 0] + found.covariance[1, 1])))
        return PoseEstimate(pose=listening.pose, position_error=error, lost=self._doubt(listening))

    def _doubt(self, localization: LiveLocalization) -> str:
        """Return why the pose cannot be right, if so."""
        scan, found = localization.scan, localization.estimate
        assert found is not None
        if scan is not None and scan.stamp != self._stamp:
            self._stamp = scan.stamp
            share = localization.filter.share_at_walls(scan, found.pose)
            if share is not None:
                self._fit += SMOOTHED * (share - self._fit)
        if self._fit < FITS:
            return (
                f"the map does not fit this place: {100 * self._fit:.0f} % of the readings end at "
                f"its walls, {100 * FITS:.0f} % should"
            )
        if found.share < UNSURE:
            turn = degrees(sqrt(max(0.0, float(found.covariance[2, 2]))))
            return (
                f"several places fit: the best has {100 * found.share:.0f} % of the weight "
                f"(heading within {turn:.0f} deg)"
            )
        return ""


def pose_source(
    robot: Robot, wanted: "str | Listening | PoseSource", start: Pose2 | None
) -> PoseSource:
    """Return a source by name, or one that is at hand.

    Args:
        robot: Whose base it is.
        wanted: "ground truth", "odometry", what `start_localization` or `start_mapping` returned,
            or an object of your own with `estimate()`.
        start: Of odometry, in the map.
    """
    if isinstance(wanted, Listening):
        return LocalizedPose(wanted)
    if not isinstance(wanted, str | type) and callable(getattr(wanted, "estimate", None)):
        return wanted
    named = wanted if isinstance(wanted, str) else ""
    match named:
        case "ground truth":
            return GroundTruth(robot)
        case "odometry":
            return OdometryPose(robot, start)
    raise InvalidInput(
        f"pose is {wanted!r}, allowed: 'ground truth', 'odometry', what "
        "robot.start_localization(MAP) returned, or an object with estimate()"
    )
