"""Lights that change their colour."""

from collections.abc import Sequence

from mecano.core.errors import InvalidInput, UnknownName
from mecano.world.world import World

COLOURS = {
    "off": (0.12, 0.12, 0.12, 1.0),
    "green": (0.15, 0.85, 0.25, 1.0),
    "orange": (1.0, 0.55, 0.05, 1.0),
    "red": (0.9, 0.1, 0.1, 1.0),
}


class Lights:
    """LEDs, drawn as shapes of the model. Physics knows nothing of their colour."""

    def __init__(self, world: World, names: Sequence[str], *, prefix: str = "") -> None:
        """Look up the shapes once."""
        self._model = world.model
        self._shapes = [world.index("geom", prefix + name) for name in names]

    def set(self, number: int, colour: str) -> None:
        """Give a light, counted from 1, one of `COLOURS`."""
        if colour not in COLOURS:
            raise UnknownName("colour", colour, COLOURS)
        if not 1 <= number <= len(self._shapes):
            raise InvalidInput(f"there is no light {number}, allowed 1 to {len(self._shapes)}")
        shape = self._shapes[number - 1]
        self._model.geom_matid[shape] = -1  # a material would hide the colour
        self._model.geom_rgba[shape] = COLOURS[colour]
