"""Every task can be done by its observations and actions alone: simple programs do it."""

import gym_scripts
import gymnasium
import pytest

import mecano.gym  # noqa: F401


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "script", "least"),
    [
        ("OpenManipulatorReach-v0", gym_scripts.reach, 20),
        ("OpenManipulatorPush-v0", gym_scripts.push, 15),
        ("OpenManipulatorPickAndPlace-v0", gym_scripts.pick_and_place, 19),
        ("YouBotDock-v0", gym_scripts.dock, 17),
        ("DriveToGoal-v0", gym_scripts.drive, 15),
    ],
)
def test_a_simple_program_does_the_task(name, script, least):
    env = gymnasium.make(f"mecano/{name}").unwrapped
    done = sum(gym_scripts.play(env, seed, script)[0]["success"] for seed in range(20))
    env.close()
    assert done >= least


def test_a_simple_program_picks_and_places_a_cube():
    env = gymnasium.make("mecano/OpenManipulatorPickAndPlace-v0").unwrapped
    info, _ = gym_scripts.play(env, 3, gym_scripts.pick_and_place)
    assert info["success"] and info["distance"] < 0.01
