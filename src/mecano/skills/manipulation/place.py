"""Place: bring what is held to a point, set it down by contact, look whether it stands."""

from math import pi

import numpy as np

from mecano.core.arrays import Array
from mecano.perception.tabletop import SeenObject, TableView
from mecano.skills.manipulation.grasps import MOST_LEAN, Grasp, leans, reaches
from mecano.skills.manipulation.hand import calm
from mecano.skills.manipulation.host import Host
from mecano.skills.manipulation.outcomes import PickResult, PlaceResult, Reason
from mecano.skills.manipulation.pick import FIRST_LIFT, LEFT
from mecano.skills.manipulation.ways import close_in, retreat

TOUCH = 3.0
"""What pushes back with this force is the table [N]."""
ABOVE = 0.010
"""From here on the hand goes slowly and feels for the table [m]."""
BELOW = 0.012
"""It feels down to this far below where the table should be [m]."""
GAP = 0.001
"""An object is let go this far above where it was felt, if nothing was felt [m]."""
TOLERANCE = 0.006
"""An object that is seen nearer than this to its place stands there [m]."""


def target_of(host: Host, grasp: Grasp, at: Array, line: float | None) -> Grasp:
    """Return the hold with which an object is put down at a point, its line along a direction.

    None turns it away from the arm, which any arm can. Of both ways along a line the one that is
    turned less is taken.
    """
    chain = host.chain
    if line is None or not chain.rolls:
        return grasp.moved(chain, at)
    both = [grasp.moved(chain, at, turned) for turned in (line, line + pi)]
    return min(both, key=lambda each: abs(each.roll or 0.0))


def can_place(host: Host, grasp: Grasp, at: Array, line: float | None, start: Array) -> bool:
    """Tell whether the arm reaches a place with a grasp, and the lift that it comes with."""
    target = target_of(host, grasp, at, line)
    if leans(target) > MOST_LEAN:
        return False
    on_the_way = close_in(host, target) if grasp.slides else target
    points = [(target, 0.0), (target, ABOVE), (on_the_way, grasp.lift)]
    if grasp.slides:  # what was drawn in must have been taken first
        points += [(close_in(host, grasp), grasp.lift), (grasp, FIRST_LIFT)]
    return all(reaches(host.chain, goal, host.hand, rise, start) for goal, rise in points)


def place(host: Host, held: PickResult, at: Array, line: float | None = None) -> PlaceResult:
    """Put down what a pick holds.

    Args:
        host: The robot.
        held: How it is held.
        at: Point on the table for its middle, in the arm's base frame [m]. Shape (2,).
        line: Where the side that lies along the fingers shall point [rad]; None is away from the
            arm.
    """
    if not held.reached or held.grasp is None or held.seen is None:
        return PlaceResult(reason=Reason.NOTHING_HELD, text="nothing is held")
    grasp, seen = held.grasp, held.seen
    target = target_of(host, grasp, np.asarray(at, float), line)
    first = close_in(host, target) if grasp.slides else target
    for goal, rise, straight in ((first, grasp.lift, False), (target, ABOVE, True)):
        report = host.go(goal, rise, line=straight, speed=calm(held.mass))
        if (lost := _lost(host, held)) is not None:
            return PlaceResult(reason=Reason.LOST, text=lost, seen=seen)
        if not report.reached:
            return PlaceResult(reason=Reason.BLOCKED, text=report.text, seen=seen)
    report = host.lower(target, -BELOW, force=TOUCH)
    if not report.reached and not report.touched:
        return PlaceResult(reason=Reason.BLOCKED, text=report.text, seen=seen)
    if (lost := _lost(host, held)) is not None:
        return PlaceResult(reason=Reason.LOST, text=lost, seen=seen)
    problem = retreat(host, seen, target)
    if problem is not None:
        return PlaceResult(reason=Reason.BLOCKED, text=problem, seen=seen)
    return judge(host.look(), seen, at)


def _lost(host: Host, held: PickResult) -> str | None:
    """Return what the fingers feel if they do not hold it any more."""
    felt = host.grip()
    if felt.holding and felt.width > LEFT * held.width:
        return None
    return (
        f"it was lost on the way: pads {1000 * felt.width:.1f} mm apart after "
        f"{1000 * held.width:.1f} mm, {felt.force:.1f} N"
    )


def judge(view: TableView | None, held: SeenObject, at: Array) -> PlaceResult:
    """Tell by a look whether an object stands where it was put."""
    if view is None:
        return PlaceResult(reason=Reason.MISPLACED, text="no table is seen by the camera")
    alike = [each for each in view.objects if each.colour == held.colour]
    if not alike:
        text = f"the {held.colour} object was put down and is not seen"
        return PlaceResult(reason=Reason.TAKEN_AWAY, text=text)
    apart = [float(np.linalg.norm(each.position[:2] - np.asarray(at)[:2])) for each in alike]
    nearest = int(np.argmin(apart))
    seen, error = alike[nearest], apart[nearest]
    where = f"{1000 * error:.1f} mm from its place, give or take {2000 * seen.position_spread:.0f}"
    if seen.height < 0.7 * held.height:
        text = (
            f"the {held.colour} object fell over: its top is {1000 * seen.height:.0f} mm high, "
            f"{1000 * held.height:.0f} mm when it stands"
        )
        return PlaceResult(reason=Reason.MISPLACED, text=text, seen=seen, error=error)
    if error > TOLERANCE + seen.position_spread:
        text = f"the {held.colour} object is seen {where} mm"
        return PlaceResult(reason=Reason.MISPLACED, text=text, seen=seen, error=error)
    text = f"the {held.colour} object stands {where} mm"
    return PlaceResult(reason=Reason.DONE, text=text, seen=seen, error=error)
