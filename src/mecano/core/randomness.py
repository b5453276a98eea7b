"""Randomness that repeats: one seed per run, one stream of numbers per name."""

import hashlib
from typing import Any

import numpy as np

from mecano.core.errors import InvalidInput


class RandomStreams:
    """Random generators that depend on the seed and their name, and on nothing else.

    Each part of a run asks for its own stream ("lidar", "imu", "scene"), so adding a sensor or
    asking in another order leaves the numbers of all others as they were. Names are hashed with
    SHA-256: Python's own `hash` differs from one process to the next.
    """

    def __init__(self, seed: int | np.integer) -> None:
        """Take the seed of the run, zero or more."""
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise InvalidInput(f"seed is {seed!r}, expected a whole number, zero or more")
        self._seed = int(seed)
        self._generators: dict[str, np.random.Generator] = {}

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self._seed

    def get(self, name: str) -> np.random.Generator:
        """Return the stream called `name`.

        Asking twice gives the same generator, which goes on where it was: keep to one user per
        name, or two users will disturb each other.
        """
        if name not in self._generators:
            self._generators[name] = np.random.Generator(self._bit_generator(name))
        return self._generators[name]

    def snapshot(self) -> dict[str, Any]:
        """Return how far every stream has got, to be handed to `restore`."""
        return {name: rng.bit_generator.state for name, rng in self._generators.items()}

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Put every stream back to where it was; those asked for since then start afresh.

        Generators handed out before stay valid. `restore({})` resets the run.
        """
        for name in self._generators.keys() | snapshot.keys():
            state = snapshot.get(name, self._bit_generator(name).state)
            self.get(name).bit_generator.state = state

    def _bit_generator(self, name: str) -> np.random.PCG64:
        digest = hashlib.sha256(name.encode()).digest()
        words = tuple(np.frombuffer(digest, dtype="<u4").tolist())
        return np.random.PCG64(np.random.SeedSequence(self._seed, spawn_key=words))
