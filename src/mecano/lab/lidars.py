"""One scan of all LIDARs of a robot."""

from typing import TYPE_CHECKING

from mecano.core.errors import InvalidInput
from mecano.estimation.scan_fusion import FusedScan, fuse

if TYPE_CHECKING:
    from mecano.lab.robot import Robot


def fused_scan(
    robot: "Robot", *, deskew: bool = False, clean: bool = False, bins: int = 720
) -> FusedScan:
    """Return what all LIDARs of a robot see, moved to one time by its odometry; see `fuse`."""
    lidars = robot.lidars
    if not lidars:
        raise InvalidInput(f"{robot.name} has no LIDAR, so there is no scan")
    with robot.session.lock:
        scans = {name: lidar.read(clean=clean) for name, lidar in lidars.items()}
        track, now = robot.base.track, robot.time
    poses = {name: lidar.pose for name, lidar in lidars.items()}
    return fuse(scans, poses, track=track, now=now, deskew=deskew, bins=bins)
