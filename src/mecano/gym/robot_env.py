"""One robot of `mecano.connect` as an environment: its own controllers, sensors and noise.

An action is held for a few ticks of the session; whatever the product does in a tick happens here.
"""

from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar

import gymnasium
import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, WorldBroken
from mecano.core.randomness import RandomStreams
from mecano.gym.episodes import (
    checked_action,
    checked_count,
    checked_options,
    checked_render_mode,
    no_episode,
)
from mecano.gym.pictures import Pictures, add_goal
from mecano.gym.signals import Signal, observed, space_of
from mecano.lab.robot import connect
from mecano.world.assembly import Change
from mecano.world.rendering import Picture
from mecano.world.views import View


class RobotEnv(gymnasium.Env):
    """An episode of a robot. Equal seeds and actions give equal episodes, bit for bit."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012
    robot_name: ClassVar[str]
    scene: ClassVar[str] = "empty"
    actions: ClassVar[tuple[Signal, ...]]
    observations: ClassVar[tuple[Signal, ...]]
    period: ClassVar[float] = 0.1
    """Time between two actions [s]."""
    own_steps: ClassVar[int]
    """Actions until an episode is truncated."""
    view: ClassVar[View | None] = None
    streams: ClassVar[tuple[str, ...]] = ()
    """Random streams that are first used inside of an episode."""

    def __init__(
        self, *, render_mode: str | None = None, episode_steps: int | None = None,
        noise: bool = True,
    ) -> None:  # fmt: skip
        """Connect the robot.

        Args:
            render_mode: "rgb_array", or None.
            episode_steps: Actions until an episode is truncated; None takes the task's own.
            noise: Put noise on the sensors.
        """
        self.render_mode = checked_render_mode(render_mode)
        steps = self.own_steps if episode_steps is None else episode_steps
        self.episode_steps = checked_count(steps, name="episode_steps")
        if not isinstance(noise, bool):
            raise InvalidInput(f"noise is {noise!r}, allowed: True, False")
        self._given = self.action_space = space_of(self.actions)
        self._observed = self.observation_space = space_of(self.observations)
        self.robot = connect(
            self.robot_name,
            scene=self.scene,
            noise=noise,
            changes=(*self.changes(), partial(add_goal, radius=0.05)),
        )
        self._start = self.robot.snapshot()
        self._ticks = max(1, round(self.period / self.robot.session.backend.tick))
        self._pictures = Pictures(self.robot.world.model, view=self.view)
        self._phase = "new"

    # --- what a task brings

    def changes(self) -> tuple[Change, ...]:
        """Return what is added to the scene."""
        return ()

    @abstractmethod
    def begin(self, rng: np.random.Generator) -> None:
        """Draw an episode: place things before time begins."""

    @abstractmethod
    def act(self, action: Array) -> None:
        """Command the robot; called once per action."""

    def watch(self) -> None:
        """Note what happens; called after every tick."""

    @abstractmethod
    def observe(self) -> Array:
        """Return the numbers of `observations`."""

    @abstractmethod
    def score(self) -> tuple[float, bool, dict[str, Any]]:
        """Return the reward of the last action, whether the episode ends, and the info."""

    def goal(self) -> Array | None:
        """Return where a goal is drawn, in the world [m]; None draws none."""
        return None

    # --- what Gymnasium calls

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; the seed decides everything random from now on."""
        if self._phase == "closed":
            raise no_episode(self._phase)
        super().reset(seed=seed)
        checked_options(options)
        robot, session = self.robot, self.robot.session
        robot.restore(self._start)
        streams = RandomStreams(int(self.np_random.integers(2**32)))
        names = {*session.random.snapshot(), *self.streams}
        session.random.restore({name: streams.get(name).bit_generator.state for name in names})
        self.begin(self.np_random)
        mujoco.mj_forward(robot.world.model, robot.world.data)
        session.tick()  # the sensors read what was placed
        self._steps, self._phase = 0, "running"
        self.watch()
        _, _, info = self.score()
        return observed(self.observe(), self._observed), info

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Act for one period of simulated time; see the docs for units."""
        if self._phase != "running":
            raise no_episode(self._phase)
        given = checked_action(action, self._given)
        try:
            self.act(given)
            for _ in range(self._ticks):
                self.robot.session.tick()
                self.watch()
        except WorldBroken:
            self._phase = "over"
            raise
        self._steps += 1
        reward, terminated, info = self.score()
        truncated = self._steps >= self.episode_steps
        if terminated or truncated:
            self._phase = "over"
        observation = observed(self.observe(), self._observed)
        return observation, reward, terminated, truncated, info

    def render(self) -> Picture | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return a picture of the world, 480 x 360; None without a render mode."""
        if self.render_mode is None:
            return None
        if self._phase in ("new", "closed"):
            raise no_episode(self._phase)
        return self._pictures.draw(self.robot.world.data, goal=self.goal())

    def close(self) -> None:
        """Leave the session and give back what it draws with. A second call does nothing."""
        if self._phase != "closed":
            self._pictures.close()
            self.robot.close()
            self._phase = "closed"


def touches(data: mujoco.MjData, model: mujoco.MjModel, prefix: str, other: str) -> bool:
    """Tell whether a body of one prefix touches a body of another one now."""
    for pair in data.contact.geom:
        names = [model.body(int(model.geom_bodyid[geom])).name for geom in pair]
        for one, two in (names, names[::-1]):
            if one.startswith(prefix) and two.startswith(other):
                return True
    return False
