"""What `connect` is given: values of the right kind, or an error that says which are allowed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mecano.core.errors import InvalidInput
from mecano.lab.settings import Settings
from mecano.world import scenes
from mecano.world.assembly import Change


def check_flags(**flags: Any) -> None:
    """Raise unless these are True or False."""
    for name, value in flags.items():
        if not isinstance(value, bool | np.bool_):
            raise InvalidInput(f"{name} is {value!r}, allowed: True, False")


def checked_scene(scene: Any) -> str | Path:
    """Return a scene by name or file, or say what a scene is."""
    if not isinstance(scene, str | Path) or not str(scene):
        raise InvalidInput(
            f"the scene is {scene!r}, expected the path of an MJCF file or one of: "
            f"{', '.join(scenes.names())}"
        )
    return scene


def checked_seed(seed: Any) -> int:
    """Return a seed of the random streams, or say what a seed is."""
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not whole or seed < 0:
        raise InvalidInput(f"the seed is {seed!r}, expected a whole number from 0 on")
    return int(seed)


def checked_settings(settings: Any) -> Settings:
    """Return settings: as they are, from a TOML file, or from names with dots and values."""
    if isinstance(settings, Settings):
        return settings
    if isinstance(settings, Mapping):
        wrong = next((name for name in settings if not isinstance(name, str)), None)
        if wrong is not None:
            raise InvalidInput(f"the setting {wrong!r} is no name such as 'physics.timestep'")
        return Settings.load(None, dict(settings))
    if settings is None or isinstance(settings, str | Path):
        return Settings.load(settings)
    raise InvalidInput(
        f"settings are {settings!r}, expected a TOML file, a mecano.Settings, or values by name "
        "such as {'physics.timestep': 0.001}"
    )


def checked_changes(changes: Any) -> Sequence[Change]:
    """Return functions that edit the scene, or say what is none."""
    plain = isinstance(changes, Sequence) and not isinstance(changes, str | bytes)
    listed: list[Any] = list(changes) if plain else [changes]  # one function alone is meant, too
    for change in listed:
        if not callable(change):
            raise InvalidInput(
                f"changes hold {change!r}, expected functions that take the scene's "
                "mujoco.MjSpec and edit it, such as [add_cube]; "
                "settings go into `settings={'physics.timestep': 0.001}`"
            )
    return listed
