"""Many arms in as many worlds, stepped by one call: `mujoco.rollout` on one or more threads."""

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from gymnasium.spaces import Box
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from mujoco.rollout import Rollout

from mecano.core.arrays import Mask
from mecano.core.errors import InvalidInput, WorldBroken
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


class ArmVectorEnv(VectorEnv):
    """World i is the environment of `gymnasium.make` with seed + i, bit for bit.

    An episode that ends is begun anew by the next step, which ignores the action for that world
    (`AutoresetMode.NEXT_STEP`, as of `gymnasium.vector.SyncVectorEnv`).
    """

    metadata = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "render_fps": round(1 / PERIOD),
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self, task: type[ArmTask], num_envs: int = 1, *, threads: int = 1,
        render_mode: str | None = None, episode_steps: int | None = None,
    ) -> None:  # fmt: skip
        """Make the worlds.

        Args:
            task: What is to be done.
            num_envs: How many worlds.
            threads: That step them; results do not depend on it.
            render_mode: "rgb_array", or None.
            episode_steps: Actions until an episode is truncated; None takes the task's own.
        """
        self.num_envs = count = checked_count(num_envs, name="num_envs")
        threads = min(checked_count(threads, name="threads"), count)
        self.task, self.render_mode = task(), checked_render_mode(render_mode)
        steps = self.task.episode_steps if episode_steps is None else episode_steps
        self.episode_steps = checked_count(steps, name="episode_steps")
        self.single_action_space = space_of(self.task.actions)
        self._observed = self.single_observation_space = space_of(self.task.observations)
        self.action_space = batch_space(self.single_action_space, count)
        assert isinstance(self.action_space, Box)
        self._given = self.action_space
        self.observation_space = batch_space(self.single_observation_space, count)
        self._scene = scene = self.task.scene
        self._models = [scene.model] * count
        self._data = [mujoco.MjData(scene.model) for _ in range(threads)]
        self._rollout = Rollout(nthread=threads if threads > 1 else 0)
        self._states = np.repeat(scene.start[None], count, axis=0)
        self._commands = np.repeat(scene.command[None], count, axis=0)
        self._goals, self._steps = np.zeros((count, 3)), np.zeros(count, int)
        self._over, self._phase = np.zeros(count, bool), "new"
        self._rngs: list[np.random.Generator | None] = [None] * count
        self._track = np.empty((count, scene.steps, len(scene.start)))
        self._sensors = np.empty((count, scene.steps, scene.model.nsensordata))
        self._pictures = Pictures(scene.model, view=VIEW)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, Any]]:  # fmt: skip
        """Begin an episode in every world; world i takes the seed + i, or its own of a list.

        The option `reset_mask` (bool, one per world) begins episodes in some worlds only.
        """
        if self._phase == "closed":
            raise no_episode(self._phase)
        chosen = self._chosen(checked_options(options, ("reset_mask",)))
        for world, each in enumerate(self._seeds(seed)):
            if chosen[world] and (each is not None or self._rngs[world] is None):
                self._rngs[world] = np_random(each)[0]
        for world in np.flatnonzero(chosen):
            self._begin(int(world))
        self._over[chosen] = False
        self._phase = "running"
        _, away, success = self.task.score(self._states, self._goals)
        return self._observations(), _infos(away, success)

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Act in every world for 20 ms of simulated time."""
        if self._phase != "running":
            raise no_episode(self._phase)
        given = checked_action(actions, self._given)
        fresh = self._over
        commands = self._scene.next_commands(self._commands, given)
        self._advance(self._scene.controls(self._commands, commands), fresh)
        self._commands = commands
        self._steps += 1
        for world in np.flatnonzero(fresh):
            self._begin(int(world))
        rewards, away, success = self.task.score(self._states, self._goals)
        terminated = self.task.ended(self._states) & ~fresh
        truncated = self._steps >= self.episode_steps
        self._over = terminated | truncated
        rewards[fresh] = 0.0
        return self._observations(), rewards, terminated, truncated, _infos(away, success)

    def render(self) -> tuple[Picture, ...] | None:
        """Return a picture of each world; None without a render mode."""
        if self.render_mode is None:
            return None
        if self._phase != "running":
            raise no_episode(self._phase)
        return tuple(self._picture(world) for world in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads and give back what it draws with."""
        if self._phase != "closed":
            self._rollout.close()
            self._pictures.close()
            self._phase = "closed"

    def _begin(self, world: int) -> None:
        rng = self._rngs[world]
        assert rng is not None
        self._states[world], self._goals[world] = self.task.begin(rng)
        self._commands[world], self._steps[world] = self._scene.command, 0

    def _advance(self, controls: np.ndarray, idle: Mask) -> None:
        """Step all worlds by one action, but for the idle ones, which begin anew."""
        steps = self._scene.steps
        control = np.repeat(controls[:, None], steps, axis=1)
        self._rollout.rollout(
            self._models, self._data, self._states, control, nstep=steps, skip_checks=True,
            control_spec=mujoco.mjtState.mjSTATE_CTRL.value, state=self._track,
            sensordata=self._sensors,
        )  # fmt: skip
        self._states[:] = self._track[:, -1]
        broken = ~np.isfinite(self._states).all(axis=1) & ~idle
        if broken.any():
            self._phase = "new"
            world = int(np.argmax(broken))
            raise WorldBroken(f"the physics of world {world} broke; reset the environment")

    def _observations(self) -> np.ndarray:
        values = self.task.observe(self._states, self._commands, self._goals)
        return observed(values, self._observed)

    def _picture(self, world: int) -> Picture:
        mujoco.mj_setState(self._scene.model, self._data[0], self._states[world], STATE)
        return self._pictures.draw(self._data[0], goal=self._goals[world])

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """Return the seed of each world."""
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise InvalidInput(
                f"{len(seed)} seeds for {self.num_envs} worlds; give one number or one per world"
            )
        return list(seed)

    def _chosen(self, options: dict[str, Any]) -> Mask:
        """Return which worlds are reset."""
        everywhere = np.ones(self.num_envs, bool)
        if "reset_mask" not in options:
            return everywhere
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise InvalidInput(
                f"reset_mask is {options['reset_mask']!r}, expected {self.num_envs} booleans, "
                "at least one of them True"
            )
        if self._phase == "new" and not mask.all():
            raise InvalidInput("the first reset must be of all worlds: leave out reset_mask")
        return mask


def _infos(away: np.ndarray, success: Mask) -> dict[str, Any]:
    """Return what vector environments say beside: a value per world, and who has one."""
    everyone = np.ones(len(away), bool)
    return {"distance": away, "_distance": everyone, "success": success, "_success": everyone}
