"""Keep a climbing hexapod on a wall: residuals on top of its own gait. ROMERIN and its cups."""

from math import radians
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.gym.robot_env import RobotEnv
from mecano.gym.signals import Signal
from mecano.world.views import View

GAIT = "ripple"
SCATTER = 0.004
"""Feet come down this far from where they were meant to, standard deviation [m]."""
ZERO = radians(0.3)
"""Standard deviation of the servos' zeros [rad]."""
GAIN = 0.10
"""Gains of the servos differ by up to this part."""
RATE = np.array([0.02, 0.02, 0.02, 0.1, 0.1, 0.1])
"""Of full actions [m/s], [rad/s]."""
LIMIT = np.array([0.02, 0.02, 0.02, 0.1, 0.1, 0.1])
"""Residuals stay within this [m], [rad]."""
FALLEN = 0.1
"""A body this far off its height above the wall has fallen [m]."""


class WallBalanceEnv(RobotEnv):
    """Climb with a ripple gait, and shift the body so that no cup comes near to its limit."""

    robot_name, scene = "romerin", "wall"
    actions = (
        Signal("shift", 3, -1.0, 1.0, "20 mm/s", "of the body over its feet: up, left, out"),
        Signal("tilt", 3, -1.0, 1.0, "0.1 rad/s", "of the body about these axes"),
    )
    observations = (
        Signal("gravity", 3, -1.0, 1.0, "1", "its direction in the body's frame, by the IMU"),
        Signal("turn rate", 3, -10.0, 10.0, "rad/s", "by the gyro, in the body's frame"),
        Signal("joint position", 18, -3.5, 3.5, "rad", "by the encoders, leg by leg"),
        Signal("holding", 6, 0.0, 1.0, "1", "1 for cups that hold"),
        Signal("margin", 6, -1.0, 1.0, "1", "part of each cup's hold that is left"),
        Signal("residual", 6, -0.1, 0.1, "m, rad", "shift and tilt so far, at most 20 mm, 0.1 rad"),
    )
    own_steps = 200
    streams = ("footholds",)
    view = View(look_at=np.array([-0.1, 0.0, 1.6]), distance=1.6, azimuth=0.5, elevation=-0.2)

    def begin(self, rng: np.random.Generator) -> None:
        """Draw errors of servos, then let the robot climb until the end of the episode."""
        legs, drives = self.robot.legs, self.robot.legs.drives
        drives.set_gains(self._gains() * rng.uniform(1 - GAIN, 1 + GAIN, len(drives.names)))
        legs.set_zero_errors(ZERO * rng.standard_normal(legs.commanded.shape))
        self._residual = np.zeros(6)
        self._body = f"{self.robot.name}/{self.robot.description.free_body}"
        self._first = self.robot.truth.body_pose(self._body)
        self._before, self._least = 0.0, 1.0
        self._broken = len([e for e in self.robot.cups.events if e.what == "break"])
        self._walk = legs.walk(gait=GAIT, scatter=SCATTER, wait=False)

    def _gains(self) -> Array:
        """Return the servos' own gains [N m/rad], as they were made."""
        if not hasattr(self, "_own_gains"):
            self._own_gains = self.robot.legs.drives.stiffness.copy()
        return self._own_gains

    def act(self, action: Array) -> None:
        """Move the body over its feet."""
        after = np.clip(self._residual + action * RATE * self.period, -LIMIT, LIMIT)
        by, self._residual = after - self._residual, after
        self._least = 1.0
        if not self._walk.done:
            with self.robot.session.commanding():
                self._walk.walker.shift(by[:3], by[3:])

    def watch(self) -> None:
        """Note the smallest margin of a cup."""
        self._least = min(self._least, float(self.robot.cups.margins.min()))

    def observe(self) -> Array:
        """Return attitude, joints, cups and residuals."""
        robot = self.robot
        cups = robot.cups
        return np.concatenate([
            robot.legs.gravity(), robot.imu.turn_rate, robot.legs.position.ravel(),
            cups.holding.astype(float), cups.margins, self._residual,
        ])  # fmt: skip

    def score(self) -> tuple[float, bool, dict[str, Any]]:
        """Reward 0.1 per mm climbed and the smallest margin of the cups; -20 for a fall."""
        T = (self._first.inverse() @ self.robot.truth.body_pose(self._body)).position
        climbed, off = float(T[0]), abs(float(T[2]))
        progress, self._before = climbed - self._before, climbed
        breaks = sum(event.what == "break" for event in self.robot.cups.events) - self._broken
        fallen = off > FALLEN or int(self.robot.cups.holding.sum()) < 3
        reward = 100.0 * progress + self._least - 20.0 * fallen
        info = {
            "distance": climbed, "margin": self._least, "breaks": breaks, "fallen": fallen,
            "success": not fallen and not breaks and not self._walk.done,
        }  # fmt: skip
        return float(reward), fallen or self._walk.done, info


