"""One arm in one world: the environment that `gymnasium.make` returns."""

from typing import Any

import gymnasium
import mujoco
import numpy as np

from mecano.core.errors import WorldBroken
from mecano.gym.arm_scene import PERIOD, STATE, VIEW
from mecano.gym.arm_tasks import ArmTask
from mecano.gym.episodes import (
    checked_action,
    checked_count,
    checked_options,
    checked_render_mode,
    no_episode,
)
from mecano.gym.pictures import Pictures
from mecano.gym.signals import observed, space_of
from mecano.world.rendering import Picture


class ArmEnv(gymnasium.Env):
    """An episode of an arm's task. Equal seeds and actions give equal episodes, bit for bit."""

    metadata = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "render_fps": round(1 / PERIOD),
    }

    def __init__(
        self, task: type[ArmTask], *, render_mode: str | None = None,
        episode_steps: int | None = None,
    ) -> None:  # fmt: skip
        """Make an environment; the first of a task takes a second or two.

        Args:
            task: What is to be done.
            render_mode: "rgb_array", or None.
            episode_steps: Actions until an episode is truncated; None takes the task's own.
        """
        self.task, self.render_mode = task(), checked_render_mode(render_mode)
        steps = self.task.episode_steps if episode_steps is None else episode_steps
        self.episode_steps = checked_count(steps, name="episode_steps")
        self._given = self.action_space = space_of(self.task.actions)
        self._observed = self.observation_space = space_of(self.task.observations)
        self._scene = self.task.scene
        self._data = mujoco.MjData(self._scene.model)
        self._pictures = Pictures(self._scene.model, view=VIEW)
        self._state, self._phase = self._scene.start[None].copy(), "new"

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; the seed decides everything random from now on."""
        if self._phase == "closed":
            raise no_episode(self._phase)
        super().reset(seed=seed)
        checked_options(options)
        state, goal = self.task.begin(self.np_random)
        self._state, self._goal = state[None].copy(), goal[None]
        self._command = self._scene.command[None].copy()
        mujoco.mj_resetData(self._scene.model, self._data)
        mujoco.mj_setState(self._scene.model, self._data, state, STATE)
        self._steps, self._phase = 0, "running"
        _, away, success = self.task.score(self._state, self._goal)
        return self._observation(), {"distance": float(away[0]), "success": bool(success[0])}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Act for 20 ms of simulated time; see `action_space` and the docs for units."""
        if self._phase != "running":
            raise no_episode(self._phase)
        given = checked_action(action, self._given)[None]
        command = self._scene.next_commands(self._command, given)
        self._advance(self._scene.controls(self._command, command)[0])
        self._command, self._steps = command, self._steps + 1
        reward, away, success = self.task.score(self._state, self._goal)
        terminated = bool(self.task.ended(self._state)[0])
        truncated = self._steps >= self.episode_steps
        if terminated or truncated:
            self._phase = "over"
        info = {"distance": float(away[0]), "success": bool(success[0])}
        return self._observation(), float(reward[0]), terminated, truncated, info

    def render(self) -> Picture | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return a picture of the world, 480 x 360; None without a render mode."""
        if self.render_mode is None:
            return None
        if self._phase in ("new", "closed"):
            raise no_episode(self._phase)
        return self._pictures.draw(self._data, goal=self._goal[0])

    def close(self) -> None:
        """Give back what it draws with. A second call does nothing."""
        self._pictures.close()
        self._phase = "closed"

    def _advance(self, control: np.ndarray) -> None:
        """Step the physics by one action; each begins with a cold solver, as `mujoco.rollout`."""
        model, data = self._scene.model, self._data
        data.ctrl[:] = control
        data.qacc_warmstart[:] = 0.0
        mujoco.mj_step(model, data, nstep=self._scene.steps)
        mujoco.mj_getState(model, data, self._state[0], STATE)
        if not np.isfinite(self._state).all():
            self._phase = "over"
            raise WorldBroken("the physics broke; begin another episode with env.reset()")

    def _observation(self) -> np.ndarray:
        values = self.task.observe(self._state, self._command, self._goal)
        return observed(values[0], self._observed)
