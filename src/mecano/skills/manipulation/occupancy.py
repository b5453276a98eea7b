"""Whether something stands where an object shall go, with room for the fingers."""

from math import cos, sin

import numpy as np

from mecano.core.arrays import Array
from mecano.perception.tabletop import SeenObject, TableView
from mecano.skills.manipulation.grasps import outward, unit
from mecano.skills.manipulation.host import Host
from mecano.skills.manipulation.outcomes import PickResult, Reason

FINGER = 0.022
"""Room that an open finger takes beside an object, beyond the opening [m]."""
BEHIND = 0.012
"""Room before and behind an object [m]."""


def occupied(
    host: Host, view: TableView | None, what: str, at: Array, line: float | None
) -> PickResult | None:
    """Return a refusal if something stands where an object shall go; itself does not count."""
    seen = None if view is None else view.find(what)
    if view is None or seen is None:
        return None
    line = outward(host.chain, at) if line is None else line
    beside = FINGER + 0.5 * max(0.0, host.hand.opening - seen.width)
    size = seen.length + 2.0 * BEHIND, seen.width + 2.0 * beside
    for thing in view.objects:
        if thing is not seen and overlap(thing, at, line, size):
            apart = 1000.0 * float(np.linalg.norm(thing.position[:2] - at))
            return PickResult(
                reason=Reason.OCCUPIED, seen=seen,
                text=f"the place is occupied: something {thing.colour} stands {apart:.0f} mm from "
                "its middle",
            )  # fmt: skip
    return None


def overlap(thing: SeenObject, at: Array, line: float, size: tuple[float, float]) -> bool:
    """Tell whether a thing reaches into a rectangle of a table, by their separating axes."""
    apart = thing.position[:2] - np.asarray(at)[:2]
    boxes = ((line, *size), (thing.yaw, thing.length, thing.width))
    for yaw in (line, line + np.pi / 2, thing.yaw, thing.yaw + np.pi / 2):
        half = sum(
            0.5 * (long * abs(cos(yaw - turn)) + wide * abs(sin(yaw - turn)))
            for turn, long, wide in boxes
        )
        if abs(float(apart @ unit(yaw))) > half:
            return False
    return True
