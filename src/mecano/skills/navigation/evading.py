"""Keeps out of the path of people who do not yield.

A walker is expected to go straight on. If what the plan commands comes too near to that path, the
base takes the first of these that does not: slower, standing, or out of the path, where the floor
is free. Standing is no solution for a base that stands in the path.
"""

from collections.abc import Iterable
from math import atan2, cos, hypot, inf, pi, sin

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Costmap, VelocityLimits
from mecano.planning.navigation.footprint_check import free_poses
from mecano.skills.navigation.inputs import STILL, Twist
from mecano.skills.navigation.tracking import nearest_approach

HORIZON = 4.0
"""Walkers are expected to go straight on for this long [s]."""
WALKER = 0.25
"""Radius of a walker (EST) [m]."""
CLEAR = 0.25
"""A walker shall pass with this much room [m]."""
SHARES = (1.0, 0.6, 0.3, 0.0)
"""Of the planned speed that are tried first."""
DIRECTIONS = 16
"""In which a base that strafes may leave the path."""
LOOK_AHEAD = 0.6
"""The floor must be free this far in the direction in which the base leaves the path [m]."""
HOPELESS = -0.03
"""If no twist gives more room, the base stands before a walker gets to it [m]."""
REACTION = 0.15
"""From a scan to the first braking, at most [s]."""
APPROACH = 1.2
"""A walker may turn and come at this speed, if not faster [m/s], by the task."""
BETTER = 0.03
"""Moving must give a walker so much more room than standing [m]."""

Walker = tuple[Array, Array]
"""Where somebody is and how they walk [m], [m/s]."""


class Evading:
    """Chooses twists beside walkers."""

    def __init__(self, limits: VelocityLimits, radius: float) -> None:
        """Take what the base can do, and its circumscribed radius [m]."""
        self._limits, self.radius = limits, radius
        self._acceleration = min(limits.acc_lim_x, limits.decel_lim_x or inf)
        self.text = ""
        """What it does about walkers, for people; empty if nothing."""

    def twist(
        self, wanted: Twist, pose: Pose2, speed: Twist, walkers: list[Walker], around: Costmap
    ) -> Twist:
        """Return the twist to drive instead of the wanted one; it may be the same.

        Args:
            wanted: What the plan asks for.
            pose: Of the base, in the map.
            speed: Of the base now.
            walkers: Who walks, in the map.
            around: The floor around the base.
        """
        self.text = ""
        for share in SHARES:
            slower = (share * wanted[0], share * wanted[1], share * wanted[2])
            if self._room(slower, pose, speed, walkers) >= CLEAR:
                self.text = "" if share == 1.0 else "yielding to somebody who walks by"
                return slower
        return self._out_of_the_path(pose, speed, walkers, around)

    def _room(self, twist: Twist, pose: Pose2, speed: Twist, walkers: Iterable[Walker]) -> float:
        """Return how much room the nearest walker will have [m]."""
        velocity, now = _in_map(twist, pose), _in_map(speed, pose)
        change = velocity - now
        lag = float(np.hypot(*change)) / (2.0 * self._acceleration)
        base = np.array([pose.x, pose.y]) - lag * change
        room = inf
        for place, walks in walkers:
            far = nearest_approach(base, velocity, place, walks, HORIZON)
            room = min(room, far - self.radius - WALKER)
        return room

    def _out_of_the_path(
        self, pose: Pose2, speed: Twist, walkers: list[Walker], around: Costmap
    ) -> Twist:
        """Return the twist that gives most room, among those that lead over free floor."""
        best, most = STILL, self._room(STILL, pose, speed, walkers) + BETTER
        for twist in self._evasions(pose, walkers):
            room = self._room(twist, pose, speed, walkers)
            if room > most and _is_free(twist, pose, around):
                best, most = twist, room
        if best == STILL or (most < HOPELESS and self._is_imminent(pose, walkers)):
            self.text = "standing: somebody comes"
            return STILL
        self.text = "leaving the path of somebody"
        return best

    def _is_imminent(self, pose: Pose2, walkers: Iterable[Walker]) -> bool:
        """Tell whether the base must brake now to stand when a walker gets to it."""
        fastest = max(self._limits.max_vel_x, self._limits.max_vel_y)
        braking = fastest / self._acceleration + REACTION
        base = np.array([pose.x, pose.y])
        return any(
            float(np.hypot(*(place - base))) - self.radius - WALKER
            < braking * float(np.hypot(*walks))
            for place, walks in walkers
        )

    def _braked(self, pose: Pose2, walkers: Iterable[Walker]) -> float:
        """Return how fast the base may be to stand before a walker who turns gets to it [m/s]."""
        base = np.array([pose.x, pose.y])
        left = min(
            (float(np.hypot(*(place - base))) - self.radius - WALKER)
            / max(APPROACH, float(np.hypot(*walks)))
            for place, walks in walkers
        )
        return max(0.0, self._acceleration * (left - REACTION))

    def _evasions(self, pose: Pose2, walkers: Iterable[Walker]) -> Iterable[Twist]:
        """Yield twists that may lead out of the path: all around, and across the paths.

        A base that cannot strafe has none: it would have to turn first.
        """
        limits = self._limits
        if not limits.holonomic:
            return
        allowed = self._braked(pose, walkers)
        across = [atan2(walks[1], walks[0]) + 0.5 * pi - pose.yaw for _, walks in walkers]
        around = [2.0 * pi * number / DIRECTIONS for number in range(DIRECTIONS)]
        for angle in (*across, *(each + pi for each in across), *around):
            vx, vy = cos(angle), sin(angle)
            fastest = min(
                limits.max_vel_x / max(abs(vx), 1e-9), limits.max_vel_y / max(abs(vy), 1e-9)
            )
            fastest = min(fastest, allowed)
            yield fastest * vx, fastest * vy, 0.0


def _in_map(twist: Twist, pose: Pose2) -> Array:
    """Return the velocity of a base in the map [m/s]. Shape (2,)."""
    c, s = cos(pose.yaw), sin(pose.yaw)
    return np.array([c * twist[0] - s * twist[1], s * twist[0] + c * twist[1]])


def _is_free(twist: Twist, pose: Pose2, around: Costmap) -> bool:
    speed = hypot(twist[0], twist[1])
    if speed == 0.0:
        return True
    direction = _in_map(twist, pose) / speed
    steps = np.linspace(0.0, LOOK_AHEAD, 13)[1:, None]
    places = np.array([pose.x, pose.y]) + steps * direction
    headings = np.full((len(places), 1), pose.yaw)
    return bool(free_poses(around, np.hstack([places, headings])).all())
