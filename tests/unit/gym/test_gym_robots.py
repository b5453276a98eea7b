"""Environments of robots with their own controllers: driving, docking, climbing."""

from typing import Any

import gymnasium
import mujoco
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import mecano.gym
from mecano.core.errors import InvalidInput
from mecano.gym.episodes import NoEpisode

DRIVE, DOCK, WALL = "mecano/DriveToGoal-v0", "mecano/YouBotDock-v0", "mecano/RomerinWallBalance-v0"
ROBOTS = [DRIVE, DOCK, pytest.param(WALL, marks=pytest.mark.slow)]


def one(name, **how) -> Any:
    return gymnasium.make(name, **how).unwrapped


def episode(env, seed, count=12):
    actions = np.random.default_rng(0).uniform(-1, 1, (count, *env.action_space.shape))
    rows = [np.append(env.reset(seed=seed)[0], 0.0)]
    for action in actions:
        observation, reward, over, _, _ = env.step(action)
        rows.append(np.append(observation, reward))
        if over:
            break
    return np.array(rows)


def test_all_environments_are_registered():
    assert len(mecano.gym.ENVIRONMENTS) == 6
    assert set(mecano.gym.ENVIRONMENTS) <= set(gymnasium.registry)


@pytest.mark.parametrize("name", ROBOTS)
def test_gymnasiums_own_check_passes(name):
    env = one(name)
    check_env(env)
    env.close()


@pytest.mark.parametrize("name", ROBOTS)
def test_equal_seeds_and_actions_give_equal_episodes(name):
    with one(name) as env, one(name) as other:
        first = episode(env, 3)
        another = episode(env, 4)
        assert another.shape != first.shape or (another != first).any()
        assert (episode(env, 3) == first).all()
        assert (episode(other, 3) == first).all()


def test_a_pillar_ahead_is_seen_and_ends_the_episode():
    env = one(DRIVE, noise=False)
    env.reset(seed=0)
    env.robot.world.data.mocap_pos[0, :2] = 1.0, 0.0
    observation, reward, over, _, info = env.step([0.0, 0.0])
    ahead, steps = observation[17:19].min(), 0
    while not over and steps < 40:
        _, reward, over, _, info = env.step([1.0, 0.0])
        steps += 1
    assert 0.6 < ahead < 0.9  # the scanner sits in front of the base's middle
    assert info["collision"] and not info["success"] and reward < -4.0
    env.close()


def test_the_wanted_range_is_beside_the_table():
    env = one(DOCK, noise=False)
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        left, right = observation[:2]
        assert (left < 0.5) != (right < 0.5)  # one of them sees the table
        assert info["distance"] == pytest.approx(min(left, right) - observation[2], abs=1e-3)
    env.close()


def test_noise_can_be_left_out():
    with one(DOCK, noise=False) as env:
        first, then = env.reset(seed=0)[0][:2].min(), env.step([0.0, 0.0, 0.0])[0][:2].min()
        assert abs(then - first) < 1e-5  # sigma of the sensor is 5 mm
    with pytest.raises(InvalidInput, match="noise is 1"):
        one(DOCK, noise=1)


def test_steps_outside_an_episode_are_refused():
    env = one(DRIVE, episode_steps=1)
    with pytest.raises(NoEpisode, match="before reset"):
        env.step([0.0, 0.0])
    env.reset(seed=0)
    with pytest.raises(InvalidInput, match="shape"):
        env.step([0.0])
    env.step([0.0, 0.0])
    with pytest.raises(NoEpisode, match="after the end"):
        env.step([0.0, 0.0])
    env.close()
    env.close()
    with pytest.raises(NoEpisode, match="closed"):
        env.reset()


@pytest.mark.slow
def test_residuals_move_the_joints_that_a_gait_commands():
    env = one(WALL, noise=False)
    push = np.zeros((6, 3))
    push[:, 2] = 1.0

    def play(action):
        observation = env.reset(seed=1)[0]
        for _ in range(4):
            observation = env.step(action.ravel())[0]
        return observation[6:24], observation[42:60]

    still, none = play(0.0 * push)
    moved, given = play(push)
    assert (none == 0.0).all() and given.reshape(6, 3)[:, 2] == pytest.approx(0.08)
    assert np.abs(moved - still).max() > 0.01
    env.close()


def test_nothing_but_cups_holds_the_climber():
    with one(WALL) as env:
        model = env.robot.world.model
        welds = model.eq_type == int(mujoco.mjtEq.mjEQ_WELD)
        names = [model.equality(int(i)).name for i in np.flatnonzero(welds)]
        assert all("cup" in name for name in names), names
