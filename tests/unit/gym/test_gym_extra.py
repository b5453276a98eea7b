"""Without Gymnasium the package says how to install it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mecano.gym
from mecano.gym.arm_tasks import PickAndPlace, Push, Reach
from mecano.gym.dock_env import DockEnv
from mecano.gym.drive_env import DriveToGoalEnv
from mecano.gym.learn import Adam, Network, Options, train
from mecano.gym.signals import Signal, space_of, table_of
from mecano.gym.wall_env import WallBalanceEnv

PAGE = Path(__file__).parents[3] / "docs" / "gym.md"


def test_a_missing_gymnasium_is_named_with_the_install_line():
    code = "import sys; sys.modules['gymnasium'] = None; import mecano.gym"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode and "pip install 'mecano[gym]'" in run.stderr.splitlines()[-1]


def test_signals_make_a_space_and_a_table():
    signals = (Signal("a", 2, -1.0, 1.0, "rad", "angles"), Signal("b", 1, 0.0, 5.0, "m", "far"))
    assert space_of(signals).high.tolist() == [1.0, 1.0, 5.0]
    assert table_of(signals).splitlines()[2:] == [
        "| 0-1 | a | -1 to 1 | rad | angles |",
        "| 2 | b | 0 to 5 | m | far |",
    ]


@pytest.mark.parametrize(
    "task", [Reach, Push, PickAndPlace, DriveToGoalEnv, DockEnv, WallBalanceEnv]
)
def test_the_page_shows_every_signal_with_its_unit(task):
    page = PAGE.read_text(encoding="utf-8")
    assert table_of(task.actions) in page and table_of(task.observations) in page


def test_the_page_names_every_environment():
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"### {name.removeprefix('mecano/')}\n" in page for name in mecano.gym.ENVIRONMENTS)


def test_the_network_descends_along_its_gradient():
    rng = np.random.default_rng(0)
    network, x, y = (
        Network(rng, (3, 8, 8, 2), 1.0),
        rng.normal(size=(5, 3)),
        rng.normal(size=(5, 2)),
    )
    found: list = []
    network.adam = type("Note", (Adam,), {"step": lambda self, g, rate: found.extend(g)})([])
    layers = network.layers(x)
    network.descend(layers, layers[-1] - y, 0.0)  # of half the squared error
    for weight, gradient in zip(network.weights, found, strict=True):
        index = (0,) * weight.ndim
        losses = []
        for sign in (1.0, -1.0):
            weight[index] += sign * 1e-5
            losses.append(0.5 * ((network(x) - y) ** 2).sum())
            weight[index] -= sign * 1e-5
        assert abs((losses[0] - losses[1]) / 2e-5 - gradient[index]) < 1e-6


def reach(count):
    return mecano.gym.make_vec(
        "mecano/OpenManipulatorReach-v0", num_envs=count, vectorization_mode="vector_entry_point"
    )


def test_learning_repeats_bit_for_bit():
    options = Options(steps=20, epochs=2, batch=8)
    runs = [list(train(reach(2), iterations=2, seed=1, options=options))[-1] for _ in range(2)]
    assert runs[0][1]["reward"] == runs[1][1]["reward"]
    for one, two in zip(runs[0][0].network.weights, runs[1][0].network.weights, strict=True):
        assert (one == two).all()
