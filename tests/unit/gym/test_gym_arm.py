"""Environments of the OpenMANIPULATOR-X: one world and many give the same bits."""

from typing import Any

import gymnasium
import mujoco
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import mecano
import mecano.gym
from mecano.core.errors import InvalidInput
from mecano.gym.arm_env import ArmEnv
from mecano.gym.arm_tasks import PickAndPlace, Push, Reach
from mecano.gym.arm_vector_env import ArmVectorEnv
from mecano.gym.episodes import NoEpisode
from mecano.robots.open_manipulator_x.description import DESCRIPTION

REACH = "mecano/OpenManipulatorReach-v0"
ARMS = [name for name in mecano.gym.ENVIRONMENTS if "OpenManipulator" in name]


def many(name, count, **how) -> Any:
    return gymnasium.make_vec(name, num_envs=count, vectorization_mode="vector_entry_point", **how)


def one(name, **how) -> Any:
    return gymnasium.make(name, **how).unwrapped


def random_actions(env, count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (count, *env.action_space.shape)).astype(np.float32)


@pytest.mark.parametrize("name", ARMS)
def test_gymnasiums_own_check_passes(name):
    check_env(one(name))


@pytest.mark.parametrize("name", ARMS)
def test_many_worlds_are_single_ones_bit_for_bit(name):
    ours = many(name, 3, episode_steps=7, threads=2)
    theirs: Any = gymnasium.make_vec(name, num_envs=3, vectorization_mode="sync", episode_steps=7)
    assert (ours.reset(seed=5)[0] == theirs.reset(seed=5)[0]).all()
    actions = random_actions(ours, 20)  # two ends of episodes are among them
    for action in actions:
        for mine, other in zip(ours.step(action)[:4], theirs.step(action)[:4], strict=True):
            assert mine.dtype == other.dtype and (mine == other).all()
    mine, other = ours.step(actions[0])[4], theirs.step(actions[0])[4]
    assert {key: value.tolist() for key, value in mine.items()} == {
        key: value.tolist() for key, value in other.items()
    }


def test_a_world_does_not_depend_on_the_others():
    alone, crowd = many(REACH, 1), many(REACH, 6)
    alone.reset(seed=12)
    crowd.reset(seed=10)
    for action in random_actions(crowd, 15):
        small, large = alone.step(action[2:3])[0], crowd.step(action)[0]
        assert (small[0] == large[2]).all()


def episode(env, seed, actions):
    rows = [env.reset(seed=seed)[0]]
    return np.array(rows + [env.step(action)[0] for action in actions])


@pytest.mark.parametrize("name", ARMS)
def test_equal_seeds_and_actions_give_equal_episodes(name):
    env, other = one(name), one(name)
    actions = random_actions(env, 20)
    first = episode(env, 3, actions)
    assert (episode(env, 4, actions) != first).any()
    assert (episode(env, 3, actions) == first).all()
    assert (episode(other, 3, actions) == first).all()


def test_the_physics_is_that_of_the_product():
    robot = mecano.connect("open_manipulator_x", scene="table")
    ours, theirs = Push().scene.model, robot.world.model
    for field in ("body_mass", "dof_armature", "dof_frictionloss", "geom_friction", "geom_solref",
                  "actuator_gainprm", "actuator_dynprm", "jnt_range", "eq_data"):  # fmt: skip
        assert (getattr(ours, field) == getattr(theirs, field)).all(), field
    for field in ("timestep", "integrator", "impratio", "cone", "solver"):
        assert getattr(ours.opt, field) == getattr(theirs.opt, field), field
    robot.close()


def test_the_observed_tool_is_where_the_physics_has_it():
    env = one(REACH)
    observation = env.reset(seed=0)[0]
    for action in random_actions(env, 10):
        observation = env.step(action)[0]
    model, data = env._scene.model, env._data
    mujoco.mj_kinematics(model, data)
    site = model.site(f"open_manipulator_x/{DESCRIPTION.tool_site('arm')}").id
    assert np.abs(data.site_xpos[site] - observation[12:15]).max() < 1.5e-3  # ticks of encoders


def test_no_goal_of_reach_is_out_of_reach():
    task, rng = Reach(), np.random.default_rng(0)
    for _ in range(50):
        _, goal = task.begin(rng)
        assert task.scene.chain.inverse(goal).reached


@pytest.mark.parametrize("task", [Push, PickAndPlace])
def test_episodes_begin_at_rest(task):
    env: Any = ArmEnv(task)
    first = last = env.reset(seed=1)[0]
    still = np.zeros(env.action_space.shape)
    still[4:] = 1.0
    for _ in range(25):
        last = env.step(still)[0]
    assert np.abs(last - first)[:4].max() < 0.02  # rad: the setpoint was not yet reached
    assert np.abs(last - first)[15:].max() < 1e-3


def test_an_episode_is_truncated_after_its_steps():
    env = one(REACH, episode_steps=3)
    env.reset(seed=0)
    ends = [env.step(np.zeros(4))[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_a_cube_that_falls_ends_the_episode():
    task = Push()
    states = np.repeat(task.scene.start[None], 2, axis=0)
    states[1, task.scene.cube[2]] = -0.1
    assert task.ended(states).tolist() == [False, True]


def test_stepping_before_reset_is_refused():
    env = one(REACH)
    with pytest.raises(NoEpisode, match="before reset"):
        env.step(np.zeros(4))
    with pytest.raises(NoEpisode, match="before reset"):
        many(REACH, 2).step(np.zeros((2, 4)))
    assert issubclass(NoEpisode, gymnasium.error.ResetNeeded)


def test_stepping_after_the_end_is_refused():
    env = one(REACH, episode_steps=1)
    env.reset(seed=0)
    env.step(np.zeros(4))
    with pytest.raises(NoEpisode, match="after the end"):
        env.step(np.zeros(4))
    env.reset()
    env.step(np.zeros(4))


def test_a_closed_environment_says_so():
    env, worlds = one(REACH), many(REACH, 2)
    for each in (env, worlds):
        each.close()
        each.close()
        with pytest.raises(NoEpisode, match="closed"):
            each.reset()


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (np.zeros(3), r"shape \(3,\), expected \(4,\)"),
        (np.zeros((1, 4)), "shape"),
        ([0.0, np.nan, 0.0, 0.0], r"number \[1\] of the action is nan"),
        ([0.0, 0.0, np.inf, 0.0], r"number \[2\] of the action is inf"),
        ("left", "the action is 'left'"),
        (None, "shape|is None"),
    ],
)
def test_wrong_actions_are_refused_in_words(action, message):
    env = one(REACH)
    env.reset(seed=0)
    with pytest.raises(InvalidInput, match=message):
        env.step(action)
    env.step(np.zeros(4))  # and it goes on


def test_wrong_actions_of_many_worlds_name_the_world():
    env = many(REACH, 3)
    env.reset(seed=0)
    actions = np.zeros((3, 4))
    actions[2, 1] = np.nan
    with pytest.raises(InvalidInput, match=r"number \[2, 1\]"):
        env.step(actions)


def test_actions_beyond_the_bounds_are_clipped():
    env = one(REACH)
    env.reset(seed=0)
    far = env.step(np.full(4, 50.0))[0]
    env.reset(seed=0)
    assert (env.step(np.ones(4))[0] == far).all()


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"episode_steps": 0}, "episode_steps is 0"),
        ({"episode_steps": 2.5}, "episode_steps"),
        ({"render_mode": "human"}, "render_mode is 'human'"),
    ],
)
def test_wrong_options_are_refused_in_words(how, message):
    with pytest.raises(InvalidInput, match=message):
        ArmEnv(Reach, **how)


@pytest.mark.parametrize("how", [{"num_envs": 0}, {"threads": -1}, {"threads": True}])
def test_wrong_counts_of_worlds_are_refused(how):
    with pytest.raises(InvalidInput, match="whole number"):
        ArmVectorEnv(Reach, **how)


def test_unknown_options_of_a_reset_are_refused():
    env = one(REACH)
    with pytest.raises(InvalidInput, match="no option 'colour'"):
        env.reset(options={"colour": 1})


def test_some_worlds_can_be_reset_alone():
    env = many(REACH, 3)
    env.reset(seed=0)
    env.step(np.ones((3, 4)))
    before = env._states.copy()
    env.reset(options={"reset_mask": np.array([False, True, False])})
    assert (env._states[[0, 2]] == before[[0, 2]]).all()
    assert (env._states[1] == env._scene.start).all()
    with pytest.raises(InvalidInput, match="reset_mask"):
        env.reset(options={"reset_mask": [1, 0, 0]})
    with pytest.raises(InvalidInput, match="2 seeds for 3 worlds"):
        env.reset(seed=[1, 2])


def test_pictures_show_the_goal_of_each_world():
    env = many(REACH, 2, render_mode="rgb_array")
    env.reset(seed=0)
    first, second = env.render()
    assert first.shape == (360, 480, 3) and first.dtype == np.uint8
    assert (first != second).any()
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    env.close()
