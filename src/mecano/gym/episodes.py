"""What all environments refuse, in words: wrong actions, options, and steps outside an episode."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, MecanoError


class NoEpisode(MecanoError, ResetNeeded):
    """An environment was stepped before its first reset, after its end, or when it was closed."""


def checked_action(action: Any, space: Box) -> Array:
    """Return an action, or actions of many worlds, as numbers clipped to the bounds of the space.

    Raises:
        InvalidInput: It has another shape, is no array of numbers, or is not finite.
    """
    try:
        values = np.asarray(action, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"the action is {action!r}, expected {_shape(space)} numbers from -1 to 1"
        ) from None
    if values.shape != space.shape:
        raise InvalidInput(
            f"the action has shape {values.shape}, expected {space.shape}; "
            "env.action_space.sample() shows one"
        )
    if not np.isfinite(values).all():
        where = np.argwhere(~np.isfinite(values))[0].tolist()
        raise InvalidInput(
            f"number {where} of the action is {values[tuple(where)]}; actions must be finite, "
            "and are clipped to the bounds of env.action_space"
        )
    return np.clip(values, space.low, space.high)


def _shape(space: Box) -> str:
    return " x ".join(str(size) for size in space.shape)


def checked_options(options: Mapping[str, Any] | None, known: tuple[str, ...] = ()) -> dict:
    """Return the options of a reset; raise for unknown ones."""
    given = dict(options or {})
    for name in given:
        if name not in known:
            allowed = ", ".join(known) or "none"
            raise InvalidInput(f"reset has no option {name!r}; allowed: {allowed}")
    return given


def checked_count(value: Any, *, name: str) -> int:
    """Return a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidInput(f"{name} is {value!r}, expected a whole number of 1 or more")
    return int(value)


def checked_render_mode(mode: Any) -> str | None:
    """Return a render mode; raise for one that there is not."""
    if mode not in (None, "rgb_array"):
        raise InvalidInput(f"render_mode is {mode!r}, allowed: None, 'rgb_array'")
    return mode


def no_episode(state: str) -> NoEpisode:
    """Return the error for a step in a state without an episode."""
    return NoEpisode(
        {
            "new": "step was called before reset; call env.reset(seed=...) first",
            "over": "step was called after the end of the episode (terminated or truncated); "
            "call env.reset() to begin another one",
            "closed": "the environment is closed; make another one with gymnasium.make",
        }[state]
    )
