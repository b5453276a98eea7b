"""How a parallel gripper may take an object, and how it puts it down, as far as the arm reaches.

Two ways lead to an object. From above, with the nose leaning as far as the arm needs to lift the
object over the others. Or, where it cannot, straight down and sliding in along the object: then
it is drawn in, turned close to the arm, and slid out again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import asin, atan2, cos, pi, radians, sin

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import wrap_angle
from mecano.kinematics.chain import Chain
from mecano.perception.tabletop import SeenObject
from mecano.skills.manipulation.hand import HandShape

PITCHES = tuple(radians(deg) for deg in (90.0, 83.0, 75.0, 67.0, 60.0, 52.0, 45.0))
"""How far the nose may point down, best first [rad]."""
MOST_LEAN = radians(5.0)
"""How far the line between the pads may lean from level [rad]: more would tip the object."""
ROOM = 0.004
"""Between each open pad and the object, at least [m]."""
HOVER = 0.012
"""The fingertips stop this far above an object before they go down [m]."""
SLIDE_LIFT = 0.025
"""How high an object is lifted that cannot be lifted over others [m]."""
BESIDE_TOWER = 0.006
"""What is drawn in stays this far from the arm's tower [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Grasp:
    """Where the hand is when it holds an object, in the arm's base frame."""

    at: Array
    """Point on the table under the fingertips [m]. Shape (2,)."""
    pitch: float
    """Nose down [rad]."""
    roll: float | None
    """Turn about the nose [rad]; None for an arm that cannot."""
    line: float
    """Where the line between the pads' planes points, away from the arm [rad]."""
    height: float
    """Of the tool when the fingers close [m]."""
    lift: float
    """How much the object is lifted [m]."""
    slides: bool
    """Whether the hand slides in along the object instead of coming from above."""
    half: float
    """Half of the object's size along the line [m]."""

    def tool(self, chain: Chain, rise: float = 0.0, hand_tip: float = 0.0) -> Array:
        """Return the tool point, so much higher than when it holds [m]. Shape (3,)."""
        out = outward(chain, self.at)
        back = hand_tip * cos(self.pitch)
        return np.array([*(self.at - back * unit(out)), self.height + rise])

    def moved(self, chain: Chain, at: Array, line: float | None = None) -> "Grasp":
        """Return the same hold at another point; without a line it points away from the arm."""
        line = outward(chain, at) if line is None else line
        return replace(self, at=at, line=line, roll=roll_for(chain, at, line, self.pitch))

    def before(self, chain: Chain, way: float) -> "Grasp":
        """Return the same hold so much before along its line [m]."""
        return self.moved(chain, self.at - way * unit(self.line), self.line)


def axis(chain: Chain) -> Array:
    """Return where the arm's first joint stands, in its base frame [m]. Shape (2,)."""
    return np.asarray(chain.dh.joint_frames(np.zeros(len(chain.dh.joints)))[0, :2, 3])


def unit(angle: float) -> Array:
    """Return the level direction of an angle."""
    return np.array([cos(angle), sin(angle)])


def outward(chain: Chain, at: Array) -> float:
    """Return the direction from the arm's axis to a point [rad]."""
    x, y = np.asarray(at)[:2] - axis(chain)
    return atan2(y, x)


def away(chain: Chain, at: Array) -> float:
    """Return how far a point is from the arm's axis [m]."""
    return float(np.linalg.norm(np.asarray(at)[:2] - axis(chain)))


def roll_for(chain: Chain, at: Array, line: float, pitch: float) -> float | None:
    """Return the roll with which the pads lie along a line, as well as the pitch allows [rad]."""
    if not chain.rolls:
        return None
    turn = float(wrap_angle(outward(chain, at) - line))
    return atan2(sin(turn), cos(turn) * sin(pitch))


def leans(grasp: Grasp) -> float:
    """Return how far the line between the pads leans from level [rad]."""
    return 0.0 if grasp.roll is None else abs(asin(sin(grasp.roll) * cos(grasp.pitch)))


def reaches(chain: Chain, grasp: Grasp, hand: HandShape, rise: float, start: Array) -> bool:
    """Tell whether the arm can bring the hand so much above a hold [m]."""
    point = grasp.tool(chain, rise, hand.tip)
    return chain.inverse(point, pitch=grasp.pitch, roll=grasp.roll, start=start).reached


def lines_of(seen: SeenObject, chain: Chain) -> Iterator[tuple[float, float, float]]:
    """Yield lines along which an object may be gripped: direction, size along, size across."""
    out = outward(chain, seen.position)
    if seen.shape == "cylinder" or not chain.rolls:
        yield out, seen.across(out), seen.across(out + pi / 2)
        return
    for turn, along, across in ((0.0, seen.length, seen.width), (pi / 2, seen.width, seen.length)):
        line = seen.yaw + turn
        flipped = line if cos(line - out) >= 0.0 else line + pi
        yield float(wrap_angle(flipped)), along, across


def fits(across: float, seen: SeenObject, hand: HandShape) -> bool:
    """Tell whether the fingers go around a size, as surely as it was seen."""
    return across + 2.0 * ROOM + seen.size_spread <= hand.opening


def grasps_for(
    seen: SeenObject, hand: HandShape, chain: Chain, start: Array, *, carry: float, tower: float
) -> Iterator[Grasp]:
    """Yield the grasps that the arm reaches, those that lift over everything first.

    Args:
        seen: The object.
        hand: The gripper.
        chain: The arm.
        start: Joint values to solve from [rad].
        carry: How high the object must be lifted to pass over the others [m].
        tower: Things nearer to the arm's axis than this touch its foot [m].
    """
    kept = []
    for line, along, across in lines_of(seen, chain):
        if not fits(across, seen, hand):
            continue
        for pitch in PITCHES:
            grasp = replace(grasp_at(seen, hand, chain, line, along, pitch), lift=carry)
            if leans(grasp) > MOST_LEAN or not reaches(chain, grasp, hand, 0.0, start):
                continue
            rise = hand.depth(seen.height, pitch) + HOVER
            if reaches(chain, grasp, hand, max(rise, carry), start):
                yield grasp
            elif pitch == PITCHES[0] and chain.rolls:
                kept.append(replace(grasp, slides=True, lift=SLIDE_LIFT))
    for grasp in kept:
        first = grasp.before(chain, grasp.half + 0.035)
        if away(chain, first.at) > tower + 0.02 and reaches(chain, first, hand, 0.0, start):
            yield grasp


def grasp_at(
    seen: SeenObject, hand: HandShape, chain: Chain, line: float, along: float, pitch: float
) -> Grasp:
    """Return the grasp of an object along a line at a pitch, whether the arm reaches it or not."""
    top = float(seen.position[2])
    at = np.asarray(seen.position[:2], float)
    return Grasp(
        at=at, pitch=pitch, roll=roll_for(chain, at, line, pitch), line=line,
        height=top - hand.depth(seen.height, pitch) + hand.tip * sin(pitch), lift=0.0,
        slides=False, half=0.5 * along,
    )  # fmt: skip
