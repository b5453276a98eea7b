"""Which gait a walk takes: the one asked for, or one that the cups that hold can carry."""

from typing import TYPE_CHECKING

import numpy as np

from mecano.core.errors import InvalidInput
from mecano.planning.gaits import FEWEST_DOWN, Gait, find_gait

if TYPE_CHECKING:
    from mecano.parts.legs import Legs

HANGING = 0.5
"""A robot that gravity pulls away from its surface with more than this part hangs."""
SLOWEST = "wave"
"""The gait that every robot has: one leg at a time."""


def choose_gait(legs: "Legs", asked: str | Gait | None) -> Gait:
    """Return the gait of a walk that begins now.

    With loose feet every group of legs of the gait is forecast with the adhesion budget. If the
    others would not carry it, the wave is taken if no gait was asked for.

    Args:
        legs: Which stand.
        asked: By name or one of the user's own; None is the wave under a ceiling, else the fastest.

    Raises:
        InvalidInput: The cups that hold would not carry a step of the gait.
    """
    fastest = tuple(legs.gaits)[-1]
    own = SLOWEST if legs.gravity()[2] > HANGING else fastest
    gait = find_gait(own if asked is None else asked, legs.gaits)
    holding = legs.cups.holding
    if holding.all() or np.count_nonzero(holding) <= FEWEST_DOWN:
        return gait  # nothing to foresee; too few feet are refused by the walk itself
    legs.cups.require_known_loads()
    why = _objection(legs, gait)
    if why and asked is None and gait.name != SLOWEST:
        gait = legs.gaits[SLOWEST]
        why = _objection(legs, gait)
    if not why:
        return gait
    loose = [leg.number for leg in legs if not holding[leg.number - 1]]
    slower = "" if gait.name == SLOWEST else f"; try gait='{SLOWEST}', one leg at a time,"
    raise InvalidInput(
        f"with cup{'s' * (len(loose) > 1)} {', '.join(map(str, loose))} loose the others do not "
        f"carry the {gait.name}: {why}{slower or ';'} or set the loose feet down and switch them "
        f"on: robot.cups.attach({loose[0]})"
    )


def _objection(legs: "Legs", gait: Gait) -> str:
    """Return why the cups that hold would not carry a gait; empty if they would."""
    found = legs.foresee_gait(gait)
    return "" if found is None or found.safe else found.message
