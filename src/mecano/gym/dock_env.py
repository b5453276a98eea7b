"""Dock beside a table by infrared range sensors: the youBot on its mecanum wheels."""

from math import cos, hypot, inf, isfinite, sin
from typing import Any

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.gym.robot_env import RobotEnv, touches
from mecano.gym.signals import Signal
from mecano.world.assembly import Change
from mecano.world.views import View

SPEED, TURN = 0.2, 0.5
"""Of full actions [m/s], [rad/s]."""
DOCKED, RESTING = 0.005, 0.01
"""Docked is this near to the wanted distance [m], this slow [m/s]."""
HALF = 0.4
"""Half of the table's side along the robot [m]."""
DEPTH = 0.2
"""Half of its other side [m]."""


class DockEnv(RobotEnv):
    """Bring the base to a given distance from a table that one of its sensors sees."""

    robot_name = "youbot"
    actions = (
        Signal("speed", 1, -1.0, 1.0, "0.2 m/s", "forward, held for 100 ms"),
        Signal("left", 1, -1.0, 1.0, "0.2 m/s", "to the left"),
        Signal("turn", 1, -1.0, 1.0, "0.5 rad/s", "counter-clockwise"),
    )
    observations = (
        Signal("range", 2, 0.0, 0.5, "m", "left and right sensor; 0.5 if it sees nothing"),
        Signal("wanted range", 1, 0.0, 0.5, "m", "what the sensor shall read in the end"),
        Signal("pose", 3, -10.0, 10.0, "m, m, rad", "x, y, yaw since the start, by odometry"),
        Signal("speed", 3, -5.0, 5.0, "m/s, m/s, rad/s", "forward, left, turning, by odometry"),
    )
    own_steps = 100
    view = View(look_at=np.array([0.0, 0.0, 0.1]), distance=2.6, azimuth=0.6, elevation=-0.6)

    def changes(self) -> tuple[Change, ...]:
        """Return a table that each episode places anew."""
        return (_add_table,)

    def begin(self, rng: np.random.Generator) -> None:
        """Draw the table, left or right of the robot, and the wanted distance."""
        side = 1.0 if rng.uniform() < 0.5 else -1.0
        self._wanted, self._hit = float(rng.uniform(0.06, 0.15)), False
        gap, yaw, along = rng.uniform(0.20, 0.40), rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2)
        self._side = "left" if side > 0 else "right"
        finder = self.robot.ranges[self._side]
        pose = self.robot.truth.base_pose()
        c, s = cos(pose.yaw), sin(pose.yaw)
        # The ray meets the table's long side `gap` from the sensor, `along` from its middle.
        near = np.array([finder.origin[0], finder.origin[1] + side * gap])
        across, forwards = np.array([-sin(yaw), cos(yaw)]), np.array([cos(yaw), sin(yaw)])
        middle = near + side * DEPTH * across + along * forwards
        data = self.robot.world.data
        data.mocap_pos[0, :2] = (
            pose.x + c * middle[0] - s * middle[1],
            pose.y + s * middle[0] + c * middle[1],
        )
        turned = pose.yaw + yaw
        data.mocap_quat[0] = [cos(turned / 2), 0.0, 0.0, sin(turned / 2)]

    def act(self, action: Array) -> None:
        """Command speeds."""
        forward, left, turn = (action * [SPEED, SPEED, TURN]).tolist()
        self.robot.base.drive(forward, turn, left=left)

    def watch(self) -> None:
        """Note whether the table is touched."""
        world = self.robot.world
        self._hit |= touches(world.data, world.model, f"{self.robot.name}/", "dock")

    def observe(self) -> Array:
        """Return ranges, the wanted one, pose and speeds."""
        ranges = [min(self.robot.ranges[side].read().range, 0.5) for side in ("left", "right")]
        pose = self.robot.base.pose
        return np.array([*ranges, self._wanted, pose.x, pose.y, pose.yaw, *self._speeds()])

    def _speeds(self, *, clean: bool = False) -> tuple[float, float, float]:
        twist = self.robot.base.odometry(clean=clean).twist
        return twist.linear[0], twist.linear[1], twist.angular[2]

    def score(self) -> tuple[float, bool, dict[str, Any]]:
        """Reward -10 per metre from the wanted distance, 1 while docked; -5 for a collision."""
        true = self.robot.ranges[self._side].read(clean=True).range
        off = abs(true - self._wanted) if isfinite(true) else inf
        away = min(off, 0.5)
        docked = off < DOCKED and hypot(*self._speeds(clean=True)[:2]) < RESTING and not self._hit
        reward = docked - 10.0 * away - 5.0 * self._hit
        info = {"distance": away, "success": docked, "collision": self._hit}
        return float(reward), self._hit, info


def _add_table(spec: mujoco.MjSpec) -> None:
    """Add a table as high as those of the youBot's paper; it stands fast."""
    body = spec.worldbody.add_body(name="dock", mocap=True, pos=[3.0, 3.0, 0.05])
    body.add_geom(
        name="dock", type=mujoco.mjtGeom.mjGEOM_BOX, size=[HALF, DEPTH, 0.05],
        rgba=[0.92, 0.47, 0.14, 1.0], solref=[0.004, 1.0],
    )  # fmt: skip
