"""Pick: look, choose a grasp, take hold, weigh, lift, and be sure of it at every step."""

from collections.abc import Callable
from dataclasses import replace
from math import degrees, pi

from mecano.core.arrays import Array
from mecano.core.poses import wrap_angle
from mecano.perception.tabletop import SeenObject, TableView
from mecano.skills.manipulation.grasps import (
    Grasp,
    away,
    grasp_at,
    grasps_for,
    lines_of,
    outward,
)
from mecano.skills.manipulation.hand import calm, felt_mass, holdable_mass, needed_force
from mecano.skills.manipulation.host import Host, MoveReport
from mecano.skills.manipulation.outcomes import PickResult, Reason
from mecano.skills.manipulation.ways import approach, draw_in, retreat

CLEARANCE = 0.015
"""A carried object passes this far above the others [m]."""
ALONE = 0.05
"""What stands alone is lifted this much [m]."""
FIRST_LIFT = 0.010
"""Lift at which an object is weighed [m]."""
WEIGHINGS = 4
"""The motors are told what was felt, and feel again, at most this often."""
SAME = 0.05, 0.15
"""Two weighings in a row that differ by less than this [kg], or this share, are enough: their mean
is taken, because the friction of the gears acts once upwards and once downwards."""
GRIP = 15.0
"""Force of each finger before the mass is known [N]."""
LEFT = 0.5
"""Pads that came nearer than this share of the width that was felt first hold something else, or
nothing. An object that turns between the fingers, until its sides lie along them, is kept."""
THIN = 0.001
"""Fingers that came so near to their end hold nothing that could be told from it [m]."""
LOUD = 1.0
"""How fast the hand may speed up with an object [m/s2]."""

FINAL = (Reason.TOO_HEAVY, Reason.TOO_NARROW)
"""After these another try would end in the same way."""

Accept = Callable[[Grasp], bool]


def pick(
    host: Host, what: str = "", *, tries: int = 3, accept: Accept | None = None,
    view: TableView | None = None,
) -> PickResult:  # fmt: skip
    """Take an object from the table; give up with the true reason.

    Args:
        host: The robot.
        what: Colour of the object; "" takes the largest.
        tries: How often it may look again after a miss.
        accept: Tells whether a grasp serves what comes after; None takes any.
        view: What was just seen; None looks first.
    """
    last: PickResult | None = None
    for attempt in range(1, tries + 1):
        view = host.look() if view is None or attempt > 1 else view
        seen = None if view is None else view.find(what)
        if view is None or seen is None:
            return replace(_unseen(view, what, last), tries=attempt)
        choice = choose(host, view, seen, accept)
        if isinstance(choice, PickResult):
            return replace(choice, tries=attempt)
        last = replace(_take(host, seen, choice[(attempt - 1) % len(choice)]), tries=attempt)
        if last.reached or last.reason in FINAL:
            return last
    assert last is not None
    return replace(last, text=f"{last.text}, {tries} times")


def _unseen(view: TableView | None, what: str, last: PickResult | None) -> PickResult:
    """Say that an object is not there, or not any more."""
    name = f"{what} object" if what else "object"
    if view is None:
        return PickResult(reason=Reason.NOT_FOUND, text="no table is seen by the camera")
    if last is not None and last.seen is not None:
        x, y = 1000.0 * last.seen.position[:2]
        return PickResult(
            reason=Reason.TAKEN_AWAY, seen=last.seen,
            text=f"the {name} was seen at x {x:.0f}, y {y:.0f} mm and is gone: {last.text}",
        )  # fmt: skip
    others = ", ".join(sorted({each.colour for each in view.objects})) or "none"
    return PickResult(
        reason=Reason.NOT_FOUND, text=f"no {name} is seen on the table; objects seen: {others}"
    )


def choose(
    host: Host, view: TableView, seen: SeenObject, accept: Accept | None = None
) -> list[Grasp] | PickResult:
    """Return the grasps to try, best first, or why there is none."""
    hand, chain = host.hand, host.chain
    if _narrow(host, seen, -2.0):  # surely; what may just fit is tried
        return _too_narrow(host, seen)
    others = [each.height for each in view.objects if each is not seen]
    carry = max(others) + CLEARANCE if others else ALONE
    start = host.joints()
    found = grasps_for(seen, hand, chain, start, carry=carry, tower=host.tower)
    grasps = [grasp for grasp in found if accept is None or accept(grasp)]
    if grasps:
        return grasps
    narrow = min(across for _, _, across in lines_of(seen, chain))
    if narrow + seen.size_spread > hand.opening - 0.004:
        return PickResult(
            reason=Reason.TOO_WIDE, seen=seen,
            text=f"the {seen.colour} object is {1000 * narrow:.0f} mm wide where it is narrowest, "
            f"give or take {2000 * seen.size_spread:.0f} mm; the fingers open "
            f"{1000 * hand.opening:.0f} mm",
        )  # fmt: skip
    return PickResult(reason=Reason.OUT_OF_REACH, seen=seen, text=_too_far(host, seen, start))


def _narrow(host: Host, seen: SeenObject, spreads: float) -> bool:
    """Tell whether all sides of an object may be too thin for the fingers, give or take spreads."""
    widest = max(across for _, _, across in lines_of(seen, host.chain))
    return widest - spreads * seen.size_spread < host.hand.closing + THIN


def _too_narrow(host: Host, seen: SeenObject) -> PickResult:
    widest = max(across for _, _, across in lines_of(seen, host.chain))
    unsure, least = 2.0 * seen.size_spread, host.hand.closing
    text = (
        f"the {seen.colour} object is {1000 * widest:.0f} mm wide between the fingers, give or "
        f"take {1000 * unsure:.0f} mm; they close to {1000 * least:.0f} mm"
    )
    return PickResult(reason=Reason.TOO_NARROW, seen=seen, text=text)


def _too_far(host: Host, seen: SeenObject, start: Array) -> str:
    """Say why no grasp can be reached, with the numbers of the inverse kinematics."""
    line, along, _ = next(lines_of(seen, host.chain))
    grasp = grasp_at(seen, host.hand, host.chain, line, along, pi / 2)
    point = grasp.tool(host.chain, 0.0, host.hand.tip)
    answer = host.chain.inverse(point, pitch=grasp.pitch, roll=grasp.roll, start=start)
    turned = abs(degrees(wrap_angle(outward(host.chain, seen.position) - line)))
    why = "it cannot be taken to where it shall go" if answer.reached else answer.message
    return (
        f"the {seen.colour} object is {1000 * away(host.chain, seen.position):.0f} mm from the "
        f"arm's axis and turned {turned:.0f} deg from it: {why}"
    )


def _take(host: Host, seen: SeenObject, grasp: Grasp) -> PickResult:
    """Try one grasp; on a miss get out of the way."""
    name = f"the {seen.colour} object"
    host.carry(0.0)
    host.open()
    problem = approach(host, seen, grasp)
    if problem is not None:
        retreat(host, seen, grasp)
        return PickResult(reason=Reason.BLOCKED, text=problem, seen=seen)
    before = host.torques()
    felt = host.close(min(GRIP, host.hand.max_force))
    if not felt.holding:
        retreat(host, seen, grasp)
        if felt.width < host.hand.closing + THIN and _narrow(host, seen, 2.0):
            return _too_narrow(host, seen)
        text = (
            f"the fingers closed to {1000 * felt.width:.1f} mm with {felt.force:.1f} N on nothing"
        )
        return PickResult(reason=Reason.MISSED, text=text, seen=seen)
    width = felt.width
    mass = _weigh(host, grasp, before)
    heavy = _too_heavy(host, grasp, mass)
    if heavy is not None:
        host.go(grasp, 0.0, line=True)
        retreat(host, seen, grasp)
        return PickResult(reason=Reason.TOO_HEAVY, text=f"{name} {heavy}", seen=seen, mass=mass)
    force = min(host.hand.max_force, max(GRIP, needed_force(mass, LOUD)))
    host.close(force)
    if grasp.slides:
        lifted = draw_in(host, grasp, mass)
    else:
        lifted = host.go(grasp, grasp.lift, line=True, speed=calm(mass))
    felt = host.grip()
    if not felt.holding or felt.width < LEFT * width:
        host.carry(0.0)
        retreat(host, seen, grasp)
        text = (
            f"{name} slipped out of the hand: pads {1000 * felt.width:.1f} mm apart after "
            f"{1000 * width:.1f} mm, {felt.force:.1f} N"
        )
        return PickResult(reason=Reason.LOST, text=text, seen=seen, mass=mass)
    if not lifted.reached:
        host.go(grasp, 0.0, line=True)
        retreat(host, seen, grasp)
        return _not_lifted(name, lifted, seen, mass)
    weight = f"about {1000 * mass:.0f} g" if mass > SAME[0] else f"less than {1000 * SAME[0]:.0f} g"
    text = f"{name} is held, {1000 * width:.1f} mm wide, {weight}"
    return PickResult(reason=Reason.DONE, text=text, seen=seen, grasp=grasp, width=width, mass=mass)


def _not_lifted(name: str, lifted: MoveReport, seen: SeenObject, mass: float) -> PickResult:
    """Say why a held object did not come up: something was in the way, or it is too heavy."""
    if lifted.touched:
        return PickResult(reason=Reason.BLOCKED, text=lifted.text, seen=seen, mass=mass)
    text = (
        f"{name} was not lifted: the hand hangs {1000 * lifted.short:.0f} mm low, and at least "
        f"{mass:.2f} kg is felt"
    )
    return PickResult(reason=Reason.TOO_HEAVY, text=text, seen=seen, mass=mass)


def _weigh(host: Host, grasp: Grasp, before: Array) -> float:
    """Lift a little and feel the mass [kg]; the motors are told, and feel again."""
    mass = 0.0
    for _ in range(WEIGHINGS):
        host.go(grasp, FIRST_LIFT, line=True, speed=0.5)
        up = host.chain.dh.jacobian(host.joints())[2]
        felt = felt_mass(before, host.torques(), up)
        done = abs(felt - mass) < max(SAME[0], SAME[1] * felt)
        mass = 0.5 * (felt + mass) if done else felt
        host.carry(min(mass, 10.0))
        if done:
            break
    return mass


def _too_heavy(host: Host, grasp: Grasp, mass: float) -> str | None:
    """Return why a mass cannot be carried, with the numbers."""
    most = holdable_mass(host.hand.max_force)
    if mass > most:
        return (
            f"weighs {mass:.2f} kg, and the fingers hold {most:.2f} kg with "
            f"{host.hand.max_force:.0f} N each"
        )
    overload = host.overload(grasp, grasp.lift, mass)
    return None if overload is None else f"weighs {mass:.2f} kg: {overload}"
