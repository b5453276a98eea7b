"""A small learner: proximal policy optimization (PPO) in numpy, for any of the environments.

    python examples/05_learn_to_reach.py

J. Schulman et al., "Proximal Policy Optimization Algorithms", arXiv:1707.06347, with generalized
advantage estimation (arXiv:1506.02438). Two networks of two layers each; no other library.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mecano.core.arrays import Array


@dataclass(frozen=True, kw_only=True)
class Options:
    """How it learns."""

    steps: int = 101
    """Of each world between two updates; one more than an episode counts the reset."""
    hidden: int = 64
    """Units of each layer."""
    rate: float = 1e-3
    """Of Adam at first; it falls to a tenth of that at the end."""
    epochs: int = 8
    batch: int = 512
    discount: float = 0.95
    trace: float = 0.95
    """Lambda of the advantages."""
    clip: float = 0.2
    deviation: float = 0.5
    """Standard deviation of the first actions, as part of their range."""


class Network:
    """A perceptron with two layers of tanh, and Adam for its weights."""

    def __init__(self, rng: np.random.Generator, sizes: tuple[int, ...], last: float) -> None:
        """Draw weights; `last` scales those of the last layer."""
        scales = [1.0] * (len(sizes) - 2) + [last]
        self.weights = [
            scale * rng.standard_normal((a, b)) / np.sqrt(a)
            for a, b, scale in zip(sizes[:-1], sizes[1:], scales, strict=True)
        ] + [np.zeros(b) for b in sizes[1:]]
        self.adam = Adam(self.weights)

    def layers(self, x: Array) -> list[Array]:
        """Return the input, what each layer makes of it, and the output."""
        depth, values = len(self.weights) // 2, [x]
        for i in range(depth):
            y = values[-1] @ self.weights[i] + self.weights[depth + i]
            values.append(np.tanh(y) if i < depth - 1 else y)
        return values

    def __call__(self, x: Array) -> Array:
        """Return the output."""
        return self.layers(x)[-1]

    def descend(self, values: list[Array], slope: Array, rate: float) -> None:
        """Take a step against the slope of the loss by the output."""
        depth, gradients = len(self.weights) // 2, list(self.weights)
        for i in reversed(range(depth)):
            gradients[i], gradients[depth + i] = values[i].T @ slope, slope.sum(axis=0)
            slope = (slope @ self.weights[i].T) * (1.0 - values[i] ** 2)
        self.adam.step(gradients, rate)


class Adam:
    """D. Kingma and J. Ba, arXiv:1412.6980; gradients are first shortened to a norm of 0.5."""

    def __init__(self, weights: list[Array]) -> None:
        """Take the weights it will change in place."""
        self.weights, self.count = weights, 0
        self.means = [np.zeros_like(w) for w in weights]
        self.squares = [np.zeros_like(w) for w in weights]

    def step(self, gradients: list[Array], rate: float) -> None:
        """Change the weights."""
        self.count += 1
        norm = np.sqrt(sum(float((g * g).sum()) for g in gradients))
        shorter = min(1.0, 0.5 / (norm + 1e-9))
        rows = zip(self.weights, self.means, self.squares, gradients, strict=True)
        for weight, mean, square, gradient in rows:
            mean += 0.1 * (shorter * gradient - mean)
            square += 0.001 * ((shorter * gradient) ** 2 - square)
            unbiased = np.sqrt(square / (1.0 - 0.999**self.count)) + 1e-8
            weight -= rate * mean / (1.0 - 0.9**self.count) / unbiased


class Policy:
    """Normally distributed actions around the output of a network."""

    def __init__(self, rng: np.random.Generator, inputs: int, outputs: int, o: Options) -> None:
        """Begin with actions around zero."""
        self.network = Network(rng, (inputs, o.hidden, o.hidden, outputs), 0.01)
        self.value = Network(rng, (inputs, o.hidden, o.hidden, 1), 1.0)
        self.log_deviation = np.full(outputs, np.log(o.deviation))
        self.adam = Adam([self.log_deviation])
        self.mean, self.square, self.seen = np.zeros(inputs), np.ones(inputs), 1e-4

    def scaled(self, observations: Array) -> Array:
        """Return observations with a mean of 0 and a deviation of 1, as seen so far."""
        deviation = np.sqrt(np.maximum(self.square - self.mean**2, 1e-6))
        return np.clip((observations - self.mean) / deviation, -5.0, 5.0)

    def look(self, observations: Array) -> None:
        """Learn mean and deviation of observations."""
        self.seen += len(observations)
        part = len(observations) / self.seen
        self.mean += part * (observations.mean(axis=0) - self.mean)
        self.square += part * ((observations**2).mean(axis=0) - self.square)

    def act(self, observations: Array) -> Array:
        """Return the best actions."""
        return self.network(self.scaled(np.asarray(observations, float)))


def train(
    env: Any, *, iterations: int, seed: int = 0, options: Options | None = None
) -> Iterator[tuple[Policy, dict[str, float]]]:
    """Yield the policy and its figures after each update.

    Args:
        env: A vector environment with `AutoresetMode.NEXT_STEP`.
        iterations: How many updates.
        seed: Of weights, actions and worlds.
        options: How it learns.
    """
    o, rng = options or Options(), np.random.default_rng(seed)
    inputs, outputs = env.single_observation_space.shape[0], env.single_action_space.shape[0]
    policy = Policy(rng, inputs, outputs, o)
    observations, _ = env.reset(seed=seed)
    for iteration in range(iterations):
        played, observations, figures = _play(env, policy, observations, rng, o)
        _update(policy, played, rng, o, o.rate * (1.0 - 0.9 * iteration / iterations))
        yield policy, {"steps": (iteration + 1) * o.steps * env.num_envs, **figures}


def _play(env: Any, policy: Policy, observations: Array, rng: np.random.Generator, o: Options):
    """Act in all worlds; return what counts of it, where they are now, and figures."""
    deviation, fresh = np.exp(policy.log_deviation), np.zeros(env.num_envs, bool)
    rows: list[tuple[Array, ...]] = []
    policy.look(np.asarray(observations, float))
    for _ in range(o.steps):
        x = policy.scaled(observations)
        mean = policy.network(x)
        action = mean + deviation * rng.standard_normal(mean.shape)
        after, reward, terminated, truncated, info = env.step(action.astype(np.float32))
        policy.look(np.asarray(after, float))
        end = info["success"][truncated | terminated]
        rows.append((x, action, mean, reward, terminated, truncated | terminated, ~fresh, end))
        observations, fresh = after, truncated | terminated
    x, action, mean, reward, terminated, done, counts, ends = zip(*rows, strict=True)
    values = policy.value(np.array([*x, policy.scaled(observations)]))[..., 0]
    advantage, later = np.zeros((o.steps, env.num_envs)), np.zeros(env.num_envs)
    for t in reversed(range(o.steps)):
        ahead = reward[t] + o.discount * values[t + 1] * ~terminated[t]
        later = ahead - values[t] + o.discount * o.trace * ~done[t] * later
        advantage[t] = later
    keep, ended = np.array(counts), np.concatenate(ends)
    played = [np.array(each)[keep] for each in (x, action, mean, advantage, values[:-1])]
    success = float(ended.mean()) if len(ended) else float("nan")
    return (
        played,
        observations,
        {"reward": float(np.array(reward)[keep].mean()), "success": success},
    )


def _update(
    policy: Policy, played: list[Array], rng: np.random.Generator, o: Options, rate: float
) -> None:
    """Improve the policy by what was played."""
    x, action, mean, advantage, value = played
    before, target = policy.log_deviation.copy(), advantage + value
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    chance = _log_chance(action, mean, before)
    for _ in range(o.epochs):
        for rows in np.array_split(rng.permutation(len(x)), max(1, len(x) // o.batch)):
            layers, deviation = policy.network.layers(x[rows]), np.exp(policy.log_deviation)
            away = (action[rows] - layers[-1]) / deviation
            now = _log_chance(action[rows], layers[-1], policy.log_deviation)
            ratio, gain = np.exp(now - chance[rows]), advantage[rows]
            clipped = np.where(gain > 0, ratio > 1 + o.clip, ratio < 1 - o.clip)
            slope = (-gain * ratio * ~clipped / len(rows))[:, None]
            policy.network.descend(layers, slope * away / deviation, rate)
            policy.adam.step([(slope * (away**2 - 1.0)).sum(axis=0)], rate)
            guess = policy.value.layers(x[rows])
            policy.value.descend(guess, (guess[-1] - target[rows, None]) / len(rows), rate)


def _log_chance(action: Array, mean: Array, log_deviation: Array) -> Array:
    """Return the logarithm of how likely actions are, up to a constant."""
    away = (action - mean) / np.exp(log_deviation)
    return (-0.5 * away**2 - log_deviation).sum(axis=1)
