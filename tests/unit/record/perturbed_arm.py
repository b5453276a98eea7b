"""A simulated arm that is not like our simulation: it stands for a real one in the tests.

Friction, damping and gains differ, the readings have another zero, commands or readings come late.
Two things no estimator of ours models: play in the gears, and friction that falls with the first
bit of speed (Stribeck).
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import mujoco
import numpy as np

from mecano import tasks
from mecano.core.arrays import Array
from mecano.lab.robot import Robot, connect
from mecano.lab.settings import Settings
from mecano.lab.simulated import SimulatedBackend
from mecano.record.header import session_header
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording
from mecano.sensors.encoders import JointEncoders

ARM = "open_manipulator_x"
IDENTIFY = f"{ARM}/identify"
JOINTS = ("joint1", "joint2", "joint3", "joint4")
CURRENT_UNIT = 2.69e-3 * 4.1 / 2.3
"""Resolution of the effort of an XM430: its current [A], times stall torque over stall current."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Perturbation:
    """What is different in the 'real' arm. Arrays have one number per joint."""

    friction: Array
    """Added Coulomb friction [N m]."""
    damping: Array
    """Added viscous friction [N m s/rad]."""
    offset: Array
    """The readings are this much too large [rad]."""
    command_delay: float = 0.0
    """From the program to the servos [s]."""
    reading_delay: float = 0.0
    """From the encoders to the program [s]."""
    gain: Array
    """Factor on the gains of the servos."""
    play: Array
    """Width of the dead zone of the gears [rad]."""
    stribeck: Array
    """What static friction is more than Coulomb friction [N m]."""
    stribeck_speed: Array
    """Speed at which that has fallen to a third [rad/s]."""
    noise: bool = True

    @property
    def delay(self) -> float:
        """From the program and back [s]."""
        return self.command_delay + self.reading_delay

    @classmethod
    def none(cls, **changes: Any) -> "Perturbation":
        """Return an arm like the simulated one but for the changes; one number is for all."""
        same = {
            "friction": 0.0, "damping": 0.0, "offset": 0.0, "gain": 1.0, "play": 0.0,
            "stribeck": 0.0, "stribeck_speed": 0.1,
        }  # fmt: skip
        values: dict[str, Any] = {"noise": False} | same | changes
        full: dict[str, Any] = {k: np.full(4, v) if k in same else v for k, v in values.items()}
        return cls(**full)

    @classmethod
    def draw(cls, rng: np.random.Generator) -> "Perturbation":
        """Draw an arm. The ranges were laid down before the estimators were written."""
        friction = rng.uniform(0.02, 0.3, 4)
        delay = rng.uniform(0.0, 0.04)
        late_command = bool(rng.integers(2))
        return cls(
            friction=friction,
            damping=rng.uniform(0.01, 0.1, 4),
            offset=rng.uniform(0.005, 0.03, 4) * rng.choice((-1.0, 1.0), 4),
            command_delay=delay if late_command else 0.0,
            reading_delay=0.0 if late_command else delay,
            gain=rng.uniform(0.9, 1.1, 4),
            play=rng.uniform(0.003, 0.01, 4),
            stribeck=rng.uniform(0.2, 0.6, 4) * friction,
            stribeck_speed=rng.uniform(0.03, 0.12, 4),
        )


class History:
    """Remembers rows of numbers and gives them back as they were some time ago."""

    def __init__(self, delay: float) -> None:
        self.delay, self.rows = delay, deque(maxlen=30)

    def late(self, time: float, row: Array) -> Array:
        """Keep a row; return what it was `delay` ago, between two rows on a straight line."""
        self.rows.append((time, row.copy()))
        if self.delay == 0.0:
            return row
        then = time - self.delay
        after = self.rows[0]
        for before in reversed(self.rows):
            if before[0] <= then:
                share = (then - before[0]) / max(after[0] - before[0], 1e-9)
                return before[1] + min(share, 1.0) * (after[1] - before[1])
            after = before
        return self.rows[0][1]


class RealEncoders(JointEncoders):
    """Encoders behind gears with play, with another zero, read late."""

    def __init__(self, robot: Robot, ideal: JointEncoders, arm: Perturbation) -> None:
        self.arm, self.history = arm, History(arm.reading_delay)
        self.rng = np.random.default_rng(1) if arm.noise else None
        self.seen = ideal._positions()
        super().__init__(
            robot.world, ideal.names, prefix=f"{robot.name}/", rate=ideal.rate,
            resolution=ideal._tick,
        )  # fmt: skip

    def sample(self) -> None:
        data, half = self._world.data, self.arm.play / 2.0
        true, velocity = self._positions(), self._velocities()
        before, self.seen = self.seen, np.clip(self.seen, true - half, true + half)
        velocity = np.where((self.seen != before) | (half == 0.0), velocity, 0.0)
        row = np.concatenate([self.seen, velocity, self._efforts()])
        position, velocity, effort = np.split(self.history.late(data.time, row), 3)
        if self.rng is not None:
            position = position + self._tick * self.rng.standard_normal(4)
            velocity = velocity + 16.0 * self._tick * self.rng.standard_normal(4)
            effort = np.rint(effort / CURRENT_UNIT) * CURRENT_UNIT
        position = np.rint((position + self.arm.offset) / self._tick) * self._tick
        self.reading = data.time, position, velocity, effort


class LateDrives:
    """Servos that get their commands late."""

    def __init__(self, drives: Any, delay: float, now: Callable[[], float]) -> None:
        self.drives, self.history, self.now = drives, History(delay), now

    @property
    def mode(self) -> Any:
        return self.drives.mode

    def command(
        self,
        position: Array | None = None,
        velocity: Array | None = None,
        torque: Array | None = None,
    ) -> None:
        assert position is not None and velocity is not None
        late = self.history.late(self.now(), np.concatenate([position, velocity]))
        self.drives.command(*np.split(late, 2), torque)


def perturbed(arm: Perturbation, settings: Settings | None = None) -> Robot:
    """Return a robot whose program, commands and readings are those of a real one."""

    def change(spec: mujoco.MjSpec) -> None:
        for i, name in enumerate(JOINTS):
            joint, servo = spec.joint(f"{ARM}/{name}"), spec.actuator(f"{ARM}/{name}")
            joint.frictionloss += arm.friction[i]
            damping = np.array(joint.damping)
            damping[0] += arm.damping[i]
            joint.damping = damping
            gains = servo.gainprm
            gains[4:7] *= arm.gain[i]
            servo.gainprm = gains

    robot = connect(ARM, scene="empty", changes=[change], settings=settings)
    backend = cast(SimulatedBackend, robot.session.backend)
    encoders = RealEncoders(robot, cast(JointEncoders, backend.sensors[0]), arm)
    backend.sensors[0] = encoders
    robot.arm._joints = robot.arm.encoders = encoders
    late: Any = LateDrives(robot.arm._drives, arm.command_delay, lambda: robot.time)
    robot.arm._drives = late
    if arm.stribeck.any():
        _add_stribeck(robot, backend, arm)
    return robot


def _add_stribeck(robot: Robot, backend: SimulatedBackend, arm: Perturbation) -> None:
    """Add the torque before every step of the physics: a tick is too long for it."""
    world = robot.world
    dofs = np.array([world.model.joint(f"{ARM}/{name}").dofadr[0] for name in JOINTS])

    def advance() -> None:
        for _ in range(backend.steps):
            speed = world.data.qvel[dofs]
            fading = np.exp(-((speed / arm.stribeck_speed) ** 2))
            world.data.qfrc_applied[dofs] = -arm.stribeck * fading * np.tanh(speed / 0.01)
            world.step(1)

    backend.advance = advance


def recorded(robot: Robot, folder: Path, experiment: str = IDENTIFY) -> Recording:
    """Run an experiment on a robot and return its recording, without table and plots."""
    with (
        patch("mecano.record.products.write_products"),
        robot,
        Recorder(robot, folder, session_header(title=experiment)),
    ):
        tasks.get(experiment).run(robot, np.random.default_rng(0))
    return Recording.read(folder)
