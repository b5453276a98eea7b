"""Learn to reach: PPO on 64 simulated OpenMANIPULATOR-X at once, in a few minutes.

    python examples/05_learn_to_reach.py --seeds 3 --out reach

It prints the learning curve, writes it as a table and a picture, and tries each policy on 256
goals it has never seen.
"""

import argparse
import csv
import time
from pathlib import Path

import gymnasium
import numpy as np

import mecano.gym
from mecano.gym.learn import Policy, train

NAME = "mecano/OpenManipulatorReach-v0"
UNSEEN = 1_000_000
"""Seed of the goals that a finished policy is tried on."""


def make(worlds: int) -> gymnasium.vector.VectorEnv:
    """Return many worlds, stepped by one call."""
    return mecano.gym.make_vec(NAME, num_envs=worlds, vectorization_mode="vector_entry_point")


def learn(seed: int, iterations: int) -> tuple[Policy, list[dict[str, float]]]:
    """Learn with one seed; return the policy and its curve."""
    curve, begun, spent = [], time.perf_counter(), time.process_time()
    learned: Policy | None = None
    for learned, figures in train(make(64), iterations=iterations, seed=seed):  # noqa: B007
        row = {"seed": seed, **figures, "cpu_s": time.process_time() - spent}
        curve.append(row)
        print(
            f"seed {seed}: {row['steps']:7.0f} steps, reward {row['reward']:6.2f} per step, "
            f"{100 * row['success']:5.1f} % at the goal, {time.perf_counter() - begun:5.0f} s"
        )
    assert learned is not None
    return learned, curve


def success(policy: Policy, worlds: int = 256) -> tuple[float, float]:
    """Return how many unseen goals are reached at the end, and the median distance [m]."""
    env = make(worlds)
    observations, info = env.reset(seed=UNSEEN)
    over = np.zeros(worlds, bool)
    while not over.all():
        observations, _, _, over, info = env.step(np.clip(policy.act(observations), -1.0, 1.0))
    return float(info["success"].mean()), float(np.median(info["distance"]))


def draw(curve: list[dict[str, float]], file: Path) -> None:
    """Draw success over steps, a line per seed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 3.5), layout="constrained")
    for seed in sorted({row["seed"] for row in curve}):
        rows = [row for row in curve if row["seed"] == seed]
        steps, part = [r["steps"] / 1e3 for r in rows], [100 * r["success"] for r in rows]
        axes.plot(steps, part, label=f"seed {seed:.0f}, {rows[-1]['cpu_s']:.0f} s of one core")
    axes.set(xlabel="steps of 20 ms [thousands]", ylabel="episodes that end at the goal [%]")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(file, dpi=130)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1, help="how many times it learns")
    parser.add_argument("--iterations", type=int, default=100, help="updates of the policy")
    parser.add_argument("--out", type=Path, default=Path("reach"), help="folder of the results")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    whole = []
    for number in range(chosen.seeds):
        learned, rows = learn(number, chosen.iterations)
        whole += rows
        reached, away = success(learned)
        print(f"seed {number}: {100 * reached:.1f} % of 256 unseen goals, {1000 * away:.1f} mm off")
        weights = learned.network.weights
        np.savez(
            chosen.out / f"policy_{number}", *weights, mean=learned.mean, square=learned.square
        )
    with (chosen.out / "curve.csv").open("w", newline="", encoding="utf-8") as table:
        writer = csv.DictWriter(table, list(whole[0]))
        writer.writeheader()
        writer.writerows(whole)
    draw(whole, chosen.out / "curve.png")
