"""Drive to a goal between pillars, by LIDAR and odometry: the base of the BARN benchmark."""

from math import cos, hypot, pi, sin
from typing import Any

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.gym.robot_env import RobotEnv, touches
from mecano.gym.signals import Signal
from mecano.world.assembly import Change
from mecano.world.views import View

PILLARS = 8
RADIUS = 0.15
"""Of a pillar [m]."""
SECTORS = 36
"""Of the LIDAR's 270 degrees; the nearest beam of each is observed."""
SPEED, TURN = 1.0, 2.0
"""Of full actions [m/s], [rad/s]; the base can do twice that."""
ARRIVED = 0.3
"""Distance at which the goal is reached [m]."""
FREE = 0.7
"""Between the middles of start or goal and of pillars, at least [m]."""


class DriveToGoalEnv(RobotEnv):
    """Drive 4 to 5 m to a goal without touching a pillar."""

    robot_name = "barn_base"
    actions = (
        Signal("speed", 1, -1.0, 1.0, "1.0 m/s", "forward, held for 100 ms"),
        Signal("turn", 1, -1.0, 1.0, "2.0 rad/s", "counter-clockwise"),
    )
    observations = (
        Signal("range", SECTORS, 0.0, 10.0, "m", "nearest LIDAR beam of each 7.5 deg, from right"),
        Signal("goal", 2, -20.0, 20.0, "m", "x forward and y left, from the base, by odometry"),
        Signal("speed", 2, -5.0, 5.0, "m/s, rad/s", "forward and turning, by odometry"),
    )
    own_steps = 150
    view = View(look_at=np.array([2.0, 0.0, 0.0]), distance=6.5, azimuth=0.0, elevation=-0.9)

    def changes(self) -> tuple[Change, ...]:
        """Return pillars that each episode places anew."""
        return (_add_pillars,)

    def begin(self, rng: np.random.Generator) -> None:
        """Draw the goal, and pillars on the path to it; none so near that it cannot start."""
        away, bearing = rng.uniform(4.0, 5.0), rng.uniform(-0.3, 0.3)
        self._goal = np.array([away * cos(bearing), away * sin(bearing)])
        self._hit, data = False, self.robot.world.data
        for pillar in range(PILLARS):
            while True:
                spot = np.array([rng.uniform(0.8, 4.2), rng.uniform(-1.5, 1.5)])
                if min(hypot(*spot), hypot(*(spot - self._goal))) >= FREE:
                    break
            data.mocap_pos[pillar, :2] = spot
        self._before = self._left()

    def _left(self) -> float:
        """Return how far the goal still is, ground truth [m]."""
        pose = self.robot.truth.base_pose()
        return hypot(self._goal[0] - pose.x, self._goal[1] - pose.y)

    def act(self, action: Array) -> None:
        """Command speeds."""
        self.robot.base.drive(SPEED * float(action[0]), TURN * float(action[1]))

    def watch(self) -> None:
        """Note whether a pillar is touched."""
        world = self.robot.world
        self._hit |= touches(world.data, world.model, f"{self.robot.name}/", "pillar")

    def observe(self) -> Array:
        """Return ranges, goal and speeds."""
        scan = self.robot.lidars["lidar"].read()
        ranges = np.minimum(scan.ranges, scan.range_max)
        sectors = [part.min() for part in np.array_split(ranges, SECTORS)]
        odometry = self.robot.base.odometry()
        pose = self.robot.base.pose
        x, y = self._goal[0] - pose.x, self._goal[1] - pose.y
        c, s = cos(pose.yaw), sin(pose.yaw)
        speed = odometry.twist.linear[0], odometry.twist.angular[2]
        return np.array([*sectors, c * x + s * y, c * y - s * x, *speed])

    def score(self) -> tuple[float, bool, dict[str, Any]]:
        """Reward 1 per metre of progress, 5 at the goal, -5 for a collision; both end it."""
        left = self._left()
        progress, self._before = self._before - left, left
        arrived = left < ARRIVED and not self._hit
        reward = progress + 5.0 * arrived - 5.0 * self._hit
        info = {"distance": left, "success": arrived, "collision": self._hit}
        return float(reward), bool(arrived or self._hit), info

    def goal(self) -> Array:
        """Return the goal on the floor."""
        return np.array([*self._goal, 0.05])


def _add_pillars(spec: mujoco.MjSpec) -> None:
    """Add the pillars behind the robot; they stand fast wherever an episode puts them."""
    for number in range(PILLARS):
        angle = pi / 2 + pi * (number + 0.5) / PILLARS
        body = spec.worldbody.add_body(
            name=f"pillar_{number}", mocap=True, pos=[4.0 * cos(angle), 4.0 * sin(angle), 0.4]
        )
        body.add_geom(
            name=f"pillar_{number}", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[RADIUS, 0.4, 0.0],
            rgba=[0.75, 0.45, 0.25, 1.0], solref=[0.004, 1.0],
        )  # fmt: skip
