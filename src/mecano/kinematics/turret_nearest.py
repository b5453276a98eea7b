"""What comes nearest to a pose a turret arm cannot reach: exact, in closed form.

Three questions about the plane of the arm, each answered by listing the few postures among which
the answer must be and taking the best one:

- `nearest_at_pitch`: with the nose fixed, the upper link and the bend fill a polygon of allowed
  angles. Where the point is out of reach, the nearest one lies on the image of the polygon's edge
  or of the straight and folded arm, and all of these are arcs of circles.
- `nearest_pitch`: the pitches that reach a point form intervals, which end where the arm is
  straight or folded or where a joint meets a limit. Each of these is a triangle to solve.
- `nearest_at_any_pitch`: at the nearest point each joint is at a limit or has the tool and the
  target in line with its axis.
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import product
from math import acos, atan2, cos, hypot, pi, sin

from mecano.kinematics.ik import pitch_error
from mecano.kinematics.turret import (
    BOUNDARY_TOLERANCE,
    LIMIT_TOLERANCE,
    ON_AXIS,
    TURN,
    Joints,
    TurretArm,
)


def sides_of(
    arm: TurretArm, x: float, y: float, z: float, facing: float | None = None
) -> Iterator[tuple[float, float, float]]:
    """Yield (heading, r, d) of the point seen from the shoulder, for the arm facing it or not.

    With `facing`, a heading [rad] in the vertical plane of the axis and the point, only that side.
    """
    x -= arm.axis_x
    y -= arm.axis_y
    radius = hypot(x, y)
    if facing is not None:
        yield facing, x * cos(facing) + y * sin(facing) - arm.shoulder_r, arm.shoulder_z - z
        return
    for side in (1.0, -1.0):
        heading = atan2(side * y, side * x) if radius > ON_AXIS else arm.free_heading
        yield heading, side * radius - arm.shoulder_r, arm.shoulder_z - z


def branches_facing(
    arm: TurretArm, x: float, y: float, z: float, pitch: float, facing: float, *, edge: bool = False
) -> list[Joints]:
    """Return the solutions in which the arm has this heading [rad].

    On the turning axis the heading is free, and joint 1 takes this one if its limits allow. With
    `edge` the pose was computed to lie on the edge of what can be reached.
    """
    found = (arm.branches_on_boundary if edge else arm.branches)(x, y, z, pitch)
    if hypot(x - arm.axis_x, y - arm.axis_y) > ON_AXIS:
        return [q for q in found if cos(q[0] * arm.signs[0] + arm.offsets[0] - facing) > 0.0]
    low, high = arm.lower[0] - LIMIT_TOLERANCE, arm.upper[0] + LIMIT_TOLERANCE
    turned = low + (facing - low) % TURN
    if turned > high:
        return []
    least, most = arm.joint_limits
    first = min(max((turned - arm.offsets[0]) * arm.signs[0], least[0]), most[0])
    return [(first, *q[1:]) for q in found]


def nearest_at_pitch(arm: TurretArm, x: float, y: float, z: float, pitch: float) -> Joints | None:
    """Return joints for the reachable point nearest to (x, y, z) at this pitch, None if none is.

    Meant for points that cannot be reached: for others it returns a point on the boundary.
    """
    _, _, l4 = arm.lengths
    nose = pitch + arm.tool_angle
    best, best_joints = None, None
    for heading, out, down, beside in _clamped_sides(arm, x, y, z):
        exact = arm.branches_on_boundary(*_in_plane(arm, heading, out), z, pitch)
        if exact and (best is None or abs(beside) < best):
            best, best_joints = abs(beside), exact[0]
        wrist_r, wrist_d = out - l4 * cos(nose), down - l4 * sin(nose)
        for turned in _equivalents(arm, nose):
            for centre_r, centre_d, radius, shift, low, high, angles_at in _edges(arm, turned):
                towards = atan2(wrist_d - centre_d, wrist_r - centre_r) - shift
                angle = nearest_in(towards, low, high)
                size = hypot(
                    centre_r + radius * cos(angle + shift) - wrist_r,
                    centre_d + radius * sin(angle + shift) - wrist_d,
                    beside,
                )
                if best is None or size < best:
                    upper, bend = angles_at(angle)
                    best = size
                    best_joints = arm.joints_from_plane(
                        (heading, upper, bend, turned - upper - bend)
                    )
    return best_joints


def _clamped_sides(
    arm: TurretArm, x: float, y: float, z: float
) -> Iterator[tuple[float, float, float, float]]:
    """Yield (heading, r, d, beside): as `sides_of`, with the heading brought inside its limits.

    The nearest plane is the allowed one at the smallest angle to the point, in front or behind.
    """
    radius = hypot(x - arm.axis_x, y - arm.axis_y)
    for heading, _, down in sides_of(arm, x, y, z):
        allowed = nearest_in(heading, arm.lower[0], arm.upper[0])
        azimuth = atan2(y - arm.axis_y, x - arm.axis_x) if radius > ON_AXIS else allowed
        out = radius * cos(azimuth - allowed) - arm.shoulder_r
        yield allowed, out, down, radius * sin(azimuth - allowed)


def _in_plane(arm: TurretArm, heading: float, out: float) -> tuple[float, float]:
    """Return (x, y) in the base frame of a point of the arm's plane."""
    radius = out + arm.shoulder_r
    return arm.axis_x + radius * cos(heading), arm.axis_y + radius * sin(heading)


def nearest_in(angle: float, low: float, high: float) -> float:
    """Return the value in [low, high] nearest to an angle, whole turns aside."""
    past = (angle - low) % TURN
    if past <= high - low:
        return low + past
    return high if past - (high - low) < TURN - past else low


def _equivalents(arm: TurretArm, nose: float) -> Iterator[float]:
    """Yield nose + k turns for every k that the sum of the joint limits admits."""
    least = sum(arm.lower[1:])
    turned = least + (nose - least) % TURN
    while turned <= sum(arm.upper[1:]):
        yield turned
        turned += TURN


def _edges(arm: TurretArm, nose: float) -> Iterator[tuple]:
    """Yield the arcs on which the wrist can stop, with the nose fixed.

    Each is (centre r, centre d, radius, shift, low, high, angles_at): the wrist is at the centre
    plus `radius` in direction angle + shift, for angles from low to high; `angles_at` turns the
    angle into (upper, bend).
    """
    l2, l3, _ = arm.lengths
    _, low2, low3, low4 = arm.lower
    _, high2, high3, high4 = arm.upper
    least, most = nose - high4, nose - low4  # of upper + bend: the wrist can do the rest
    for upper in (low2, high2):
        low, high = max(low3 + upper, least), min(high3 + upper, most)
        if low <= high:
            centre = l2 * cos(upper), l2 * sin(upper)
            yield *centre, l3, 0.0, low, high, lambda a, upper=upper: (upper, a - upper)
    for bend in (low3, high3, *_straight_and_folded(low3, high3)):
        low, high = max(low2, least - bend), min(high2, most - bend)
        if low <= high:
            out, across = l2 + l3 * cos(bend), l3 * sin(bend)
            shift = atan2(across, out)
            yield 0.0, 0.0, hypot(out, across), shift, low, high, lambda a, bend=bend: (a, bend)
    for second in (least, most):
        low, high = max(low2, second - high3), min(high2, second - low3)
        if low <= high:
            centre = l3 * cos(second), l3 * sin(second)
            yield *centre, l2, 0.0, low, high, lambda a, second=second: (a, second - a)


def _straight_and_folded(low: float, high: float) -> Iterator[float]:
    """Yield the bends 0 and pi, as far as the limits allow them."""
    for bend in (0.0, pi):
        allowed = low + (bend - low) % TURN
        if allowed <= high:
            yield allowed


def nearest_pitch(
    arm: TurretArm, x: float, y: float, z: float, pitch: float, facing: float | None = None
) -> float | None:
    """Return the pitch nearest to the asked one at which the point is reached, None if none is.

    With `facing` only postures with this heading [rad] count.
    """
    inside, on_edge = arm.branches, arm.branches_on_boundary
    if facing is not None:
        inside = partial(branches_facing, arm, facing=facing)
        on_edge = partial(branches_facing, arm, facing=facing, edge=True)
    if inside(x, y, z, pitch):
        return pitch
    candidates = (
        pitch_error(0.0, nose - arm.tool_angle)
        for _, out, down in sides_of(arm, x, y, z, facing)
        for nose in _boundary_noses(arm, out, down)
    )
    for candidate in sorted(candidates, key=lambda candidate: abs(pitch_error(pitch, candidate))):
        if on_edge(x, y, z, candidate):
            return candidate
    return None


def _boundary_noses(arm: TurretArm, out: float, down: float) -> Iterator[float]:
    """Yield the nose angles at which the point (r, d) is on the edge of being reached."""
    l2, l3, l4 = arm.lengths
    _, low2, low3, low4 = arm.lower
    _, high2, high3, high4 = arm.upper
    for bend in (0.0, pi, low3, high3):  # straight, folded, or stopped: the wrist is on a circle
        rigid = hypot(l2 + l3 * cos(bend), l3 * sin(bend))
        yield from _triangle(out, down, l4, rigid)
    for upper in (low2, high2):  # the elbow stands still: a triangle of the other two links
        yield from _triangle(out - l2 * cos(upper), down - l2 * sin(upper), l4, l3)
    for wrist in (low4, high4):  # the last two links are one: a triangle of it and the first link
        rigid = hypot(l3 + l4 * cos(wrist), l4 * sin(wrist))
        lean = atan2(l4 * sin(wrist), l3 + l4 * cos(wrist))
        for direction in _triangle(out, down, rigid, l2):
            yield direction - lean + wrist


def _triangle(out: float, down: float, near: float, far: float) -> Iterator[float]:
    """Yield the directions of the link that ends at (r, d), if the other starts at the origin.

    The two links, `near` the point and `far` from it, form a triangle with the line to the point.
    """
    reach = hypot(out, down)
    if reach < 1e-12 or near < 1e-12:
        return
    cosine = (reach * reach + near * near - far * far) / (2.0 * reach * near)
    if abs(cosine) <= 1.0 + 1e-12:  # round-off must not lose the straight arm
        towards, corner = atan2(down, out), acos(max(-1.0, min(1.0, cosine)))
        yield towards + corner
        yield towards - corner


def nearest_at_any_pitch(arm: TurretArm, x: float, y: float, z: float) -> Joints:
    """Return joints for the reachable point nearest to (x, y, z), whatever the pitch.

    Meant for points that cannot be reached at any pitch.
    """
    best, best_joints = float("inf"), None
    for heading, out, down, beside in _clamped_sides(arm, x, y, z):
        if beside:  # the arm cannot turn all the way; in its plane the point may still be reached
            foot = *_in_plane(arm, heading, out), z
            pitch = nearest_pitch(arm, *foot, 0.0)
            if pitch is not None and abs(beside) < best:
                best, best_joints = abs(beside), arm.branches_on_boundary(*foot, pitch)[0]
        for angles in _stationary_angles(arm, out, down):
            upper, bend, wrist = angles
            r, d = arm.position_in_plane(upper, bend, upper + bend + wrist)
            size = hypot(r - out, d - down, beside)
            if size < best:
                best, best_joints = size, arm.joints_from_plane((heading, *angles))
    assert best_joints is not None  # joints at their limits are always among the candidates
    return best_joints


def _stationary_angles(
    arm: TurretArm, out: float, down: float
) -> Iterator[tuple[float, float, float]]:
    """Yield the (upper, bend, wrist) at which no small allowed turn can bring the tool nearer."""
    for swung, (r, d), angles in _stationary_shapes(arm):
        if swung is None:
            yield angles
            continue
        angle = _inside(arm, swung, atan2(down - d, out - r) + angles[swung])
        if angle is not None:
            upper, bend, wrist = (*angles[:swung], angle, *angles[swung + 1 :])
            yield upper, bend, wrist


@lru_cache(maxsize=64)
def _stationary_shapes(arm: TurretArm) -> list[tuple]:
    """List the shapes of the arm at all nearest points, each as (swung, (r, d), angles).

    Each joint is at its lower limit, at its upper limit, or free. From a free joint the tool and
    the target are in one line; so all free joints are in that line, each next rigid piece of the
    arm pointing along it or back. Only the first free joint depends on the target: it is `swung`,
    it stands at (r, d), and its angle is the one for a target in direction zero.
    """
    shapes = []
    for fixed in product(*zip(arm.lower[1:], arm.upper[1:], (None,) * 3, strict=True)):
        free = [i for i in range(3) if fixed[i] is None]
        swung = free[0] if free else None
        for backward in product((0.0, pi), repeat=len(free)):
            angles, places = _in_line(arm.lengths, fixed, free, backward)
            inside = [a if i == swung else _inside(arm, i, a) for i, a in enumerate(angles)]
            if None not in inside:
                shapes.append((swung, places[swung or 0], tuple(inside)))
    return shapes


def _in_line(lengths, fixed, free, backward) -> tuple[list[float], list[tuple[float, float]]]:
    """Return angles with the free joints in line with direction zero, and where each joint is."""
    angles, places = list(fixed), []
    r = d = direction = 0.0  # of the link before joint i
    for i in range(3):
        places.append((r, d))
        if i in free:
            end = next((j for j in free if j > i), 3)
            lean = _lean(lengths[i:end], fixed[i + 1 : end])
            angles[i] = backward[free.index(i)] - lean - direction
        direction += angles[i]
        r += lengths[i] * cos(direction)
        d += lengths[i] * sin(direction)
    return angles, places


def _inside(arm: TurretArm, joint: int, angle: float) -> float | None:
    """Return a tilt angle, whole turns aside, inside its limits, or None if it is outside."""
    low, high = arm.lower[joint + 1], arm.upper[joint + 1]
    turned = low + (angle - low + BOUNDARY_TOLERANCE) % TURN - BOUNDARY_TOLERANCE
    return min(max(turned, low), high) if turned <= high + BOUNDARY_TOLERANCE else None


def _lean(lengths: tuple[float, ...], bends: list[float]) -> float:
    """Return the direction of the end of a rigid piece of the arm against its first link."""
    r = d = direction = 0.0
    for length, bend in zip(lengths, (0.0, *bends), strict=True):
        direction += bend
        r += length * cos(direction)
        d += length * sin(direction)
    return atan2(d, r)
