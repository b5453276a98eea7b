"""The ways of the hand to an object, away from it, and with it close to the arm."""

from mecano.perception.tabletop import SeenObject
from mecano.skills.manipulation.grasps import BESIDE_TOWER, HOVER, Grasp, axis, outward, unit
from mecano.skills.manipulation.hand import calm
from mecano.skills.manipulation.host import Host, MoveReport

SLIDE_ROOM = 0.035
"""A hand that slides in begins this far before the end of the object [m]."""
OVER = 0.008
"""Fingertips that pass over objects are this far above them [m]."""


def hover(host: Host, seen: SeenObject, grasp: Grasp) -> float:
    """Return how far above its hold the hand waits [m]."""
    depth = host.hand.depth(seen.height, grasp.pitch)
    return depth + OVER if grasp.slides else max(depth + HOVER, grasp.lift)


def close_in(host: Host, grasp: Grasp) -> Grasp:
    """Return the hold in the same direction, with the object close to the arm."""
    out = outward(host.chain, grasp.at)
    radius = host.tower + grasp.half + BESIDE_TOWER
    return grasp.moved(host.chain, axis(host.chain) + radius * unit(out))


def approach(host: Host, seen: SeenObject, grasp: Grasp) -> str | None:
    """Bring the open fingers around an object; return what went wrong."""
    rise = hover(host, seen, grasp)
    if not grasp.slides:
        return _first(
            lambda: host.go(grasp, rise, line=False), lambda: host.go(grasp, 0.0, line=True)
        )
    start = grasp.before(host.chain, grasp.half + SLIDE_ROOM)
    return _first(
        lambda: host.go(close_in(host, start), rise, line=False),
        lambda: host.go(start, rise, line=False),
        lambda: host.go(start, 0.0, line=True),
        lambda: host.go(grasp, 0.0, line=True),
    )


def retreat(host: Host, seen: SeenObject, grasp: Grasp) -> str | None:
    """Let go and leave the way it came."""
    host.carry(0.0)
    host.open()
    rise = hover(host, seen, grasp)
    if not grasp.slides:
        return _first(lambda: host.go(grasp, rise, line=True))
    start = grasp.before(host.chain, grasp.half + SLIDE_ROOM)
    return _first(lambda: host.go(start, 0.0, line=True), lambda: host.go(start, rise, line=True))


def draw_in(host: Host, grasp: Grasp, mass: float) -> MoveReport:
    """Bring a held object of a mass [kg] close to the arm, lifted a little."""
    return host.go(close_in(host, grasp), grasp.lift, line=True, speed=calm(mass))


def _first(*steps) -> str | None:
    """Run steps until one goes wrong; return what it said."""
    return next((report.text for step in steps if not (report := step()).reached), None)
