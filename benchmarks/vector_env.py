"""Steps per second of the vector environment against raw `mujoco.rollout` of the same model.

    python benchmarks/vector_env.py

Both on one core and by the time of that core, in turns, from the same states with the same
controls. The raw rollout is one call of 1,000 physics steps; the environment makes 100 calls of 10
and computes observations, rewards and ends of episodes between them.
"""

import json
import statistics
import time

import mujoco
import numpy as np
from mujoco.rollout import Rollout

import mecano.gym

NAME = "mecano/OpenManipulatorReach-v0"
ACTIONS, REPEATS = 100, 8


def measure(worlds: int) -> dict[str, float]:
    """Return the steps of 20 ms per second, ours and raw, and the median of their ratio."""
    env = mecano.gym.make_vec(NAME, num_envs=worlds, vectorization_mode="vector_entry_point")
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1, 1, (ACTIONS, worlds, 4)).astype(np.float32)
    ours, raw = [], []
    for repeat in range(REPEATS):
        env.reset(seed=repeat)
        begun = time.process_time()
        for action in actions:
            env.step(action)
        ours.append(time.process_time() - begun)
        raw.append(_raw(env.unwrapped, actions))
    ratios = [b / a for a, b in zip(ours, raw, strict=True)]
    return {
        "worlds": worlds,
        "ours_steps_per_s": round(worlds * ACTIONS / statistics.median(ours)),
        "raw_steps_per_s": round(worlds * ACTIONS / statistics.median(raw)),
        "ratio": round(statistics.median(ratios), 3),
    }


def _raw(env, actions: np.ndarray) -> float:
    """Return how long the engine alone takes for the same controls [s]."""
    scene, commands, controls = env._scene, np.repeat(env._scene.command[None], env.num_envs, 0), []
    for action in actions:
        after = scene.next_commands(commands, action.astype(float))
        controls.append(scene.controls(commands, after))
        commands = after
    every = np.repeat(np.stack(controls, axis=1), scene.steps, axis=1)
    start, data = np.repeat(scene.start[None], env.num_envs, axis=0), mujoco.MjData(scene.model)
    with Rollout(nthread=0) as rollout:
        begun = time.process_time()
        rollout.rollout([scene.model] * env.num_envs, [data], start, every)
        return time.process_time() - begun


if __name__ == "__main__":
    print(json.dumps([measure(worlds) for worlds in (8, 64, 256)], indent=1))
