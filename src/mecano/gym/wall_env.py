"""Keep a climbing hexapod on a wall: residuals on top of its own gait. ROMERIN and its cups."""

from math import radians
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.gym.robot_env import RobotEnv
from mecano.gym.signals import Signal
from mecano.world.views import View

GAIT = "tripod"
SCATTER = 0.004
"""Feet come down this far from where they were meant to, standard deviation [m]."""
ZERO = radians(0.3)
"""Standard deviation of the servos' zeros [rad]."""
GAIN = 0.10
"""Gains of the servos differ by up to this part."""
RATE, LIMIT = 0.2, 0.1
"""Of full actions [rad/s]; residuals stay within the limit [rad]."""
PUSH = 40.0
"""Pushes are up to this strong, in any direction [N]."""
EVERY, LASTS = 2.0, 0.2
"""A push begins once in so much time, at random; how long it lasts [s]."""
FALLEN = 0.1
"""A body this far off its height above the wall has fallen [m]."""


class WallBalanceEnv(RobotEnv):
    """Climb with a tripod gait while pushes come; adjust joints so that the cups hold."""

    robot_name, scene = "romerin", "wall"
    actions = (
        Signal("residual rate", 18, -1.0, 1.0, "0.2 rad/s", "of each joint, on top of the gait"),
    )
    observations = (
        Signal("gravity", 3, -1.0, 1.0, "1", "its direction in the body's frame, by the IMU"),
        Signal("turn rate", 3, -10.0, 10.0, "rad/s", "by the gyro, in the body's frame"),
        Signal("joint position", 18, -3.5, 3.5, "rad", "by the encoders, leg by leg"),
        Signal("setpoint", 18, -3.5, 3.5, "rad", "of the gait, without residuals"),
        Signal("residual", 18, -LIMIT, LIMIT, "rad", "added to the gait now"),
        Signal("holding", 6, 0.0, 1.0, "1", "1 for cups that hold"),
        Signal("margin", 6, -1.0, 1.0, "1", "part of each cup's hold that is left"),
    )
    own_steps = 150
    streams = ("footholds",)
    view = View(look_at=np.array([-0.1, 0.0, 1.6]), distance=1.6, azimuth=0.5, elevation=-0.2)

    def begin(self, rng: np.random.Generator) -> None:
        """Draw errors of servos and the pushes, then climb until the end of the episode."""
        legs, drives = self.robot.legs, self.robot.legs.drives
        drives.set_gains(self._gains() * rng.uniform(1 - GAIN, 1 + GAIN, len(drives.names)))
        legs.set_zero_errors(ZERO * rng.standard_normal(legs.commanded.shape))
        count = int(np.ceil((self.episode_steps * self.period) / EVERY))
        self._pushed_at = EVERY * (np.arange(count) + rng.uniform(0.3, 0.9, count))
        ways = rng.standard_normal((count, 3))
        strengths = PUSH * rng.uniform(0.0, 1.0, (count, 1))
        self._pushes = strengths * ways / np.sqrt((ways**2).sum(axis=1, keepdims=True))
        body = self.robot.description.free_body
        self._body = self.robot.world.index("body", f"{self.robot.name}/{body}")
        self._first = self._pose()
        self._residual, self._before, self._least = np.zeros(legs.commanded.shape), 0.0, 1.0
        self._walk = legs.walk(gait=GAIT, scatter=SCATTER, wait=False)

    def _gains(self) -> Array:
        """Return the servos' own gains [N m/rad], as they were made."""
        if not hasattr(self, "_own_gains"):
            self._own_gains = self.robot.legs.drives.stiffness.copy()
        return self._own_gains

    def _pose(self):
        return self.robot.truth.body_pose(self.robot.world.model.body(self._body).name)

    def act(self, action: Array) -> None:
        """Change the residuals."""
        change = action.reshape(self._residual.shape) * RATE * self.period
        self._residual = np.clip(self._residual + change, -LIMIT, LIMIT)
        self.robot.legs.set_residual(self._residual)
        self._least = 1.0

    def watch(self) -> None:
        """Push, and note the smallest margin of a cup."""
        now = self.robot.time
        pushing = (self._pushed_at <= now) & (now < self._pushed_at + LASTS)
        self.robot.world.data.xfrc_applied[self._body, :3] = self._pushes[pushing].sum(axis=0)
        self._least = min(self._least, float(self.robot.cups.margins.min()))

    def observe(self) -> Array:
        """Return attitude, joints, residuals and cups."""
        legs, cups = self.robot.legs, self.robot.cups
        return np.concatenate([
            legs.gravity(), self.robot.imu.turn_rate, legs.position.ravel(),
            legs.commanded.ravel(), self._residual.ravel(), cups.holding.astype(float),
            cups.margins,
        ])  # fmt: skip

    def score(self) -> tuple[float, bool, dict[str, Any]]:
        """Reward 0.1 per mm climbed and the smallest margin of the cups; -20 for a fall."""
        moved = (self._first.inverse() @ self._pose()).position
        climbed, off = float(moved[0]), abs(float(moved[2]))
        progress, self._before = climbed - self._before, climbed
        breaks = sum(event.what == "break" for event in self.robot.cups.events)
        fallen = off > FALLEN or int(self.robot.cups.holding.sum()) < 3
        over = fallen or self._walk.done
        reward = 100.0 * progress + self._least - 20.0 * over
        info = {
            "distance": climbed, "margin": self._least, "breaks": breaks, "fallen": fallen,
            "success": not over and not breaks,
        }  # fmt: skip
        return float(reward), over, info
