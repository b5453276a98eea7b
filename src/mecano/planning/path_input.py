"""Reading the points that a user gives for a path."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose, Pose2
from mecano.planning.path_shapes import PlanarOrSpatial, distances, place_text

MEETING = 1e-6
"""Points closer than this are the same point [m]."""

Point = PlanarOrSpatial | ArrayLike


def read_points(points: Iterable[Point]) -> tuple[Array, Array | None]:
    """Return positions (n, 2) or (n, 3), and headings (n,) or quaternions (n, 4) or None."""
    if isinstance(points, Pose | Pose2) or not isinstance(points, Iterable):
        raise InvalidInput(f"points is {points!r}, expected a list of poses or positions")
    rows = [_read_point(point, i + 1) for i, point in enumerate(points)]
    if len(rows) < 2:
        raise InvalidInput(f"a path needs at least 2 points, got {len(rows)}; add where it goes")
    for i, (position, orientation) in enumerate(rows):
        if len(position) != len(rows[0][0]):
            raise InvalidInput(
                f"point 1 has {len(rows[0][0])} coordinates and point {i + 1} has {len(position)}; "
                "give all on the floor (Pose2 or x, y) or all in space (Pose or x, y, z)"
            )
        if (orientation is None) != (rows[0][1] is None):
            has, lacks = (1, i + 1) if orientation is None else (i + 1, 1)
            raise InvalidInput(
                f"point {has} has an orientation and point {lacks} has none; "
                "give all points one, or none of them"
            )
    places = np.array([position for position, _ in rows])
    if rows[0][1] is None:
        return places, None
    return places, np.array([orientation for _, orientation in rows])


def _read_point(point: Point, number: int) -> tuple[Array, ArrayLike | None]:
    if isinstance(point, Pose2):
        return np.array([point.x, point.y]), point.yaw
    if isinstance(point, Pose):
        return point.position, point.quaternion
    place = read_only(point, name=f"point {number} of the path")
    if place.shape not in ((2,), (3,)):
        raise InvalidInput(
            f"point {number} of the path has shape {place.shape}, expected 2 coordinates on the "
            "floor or 3 in space; for a heading give a Pose2, for an orientation a Pose"
        )
    return place, None


def require_apart(places: Array, closed: bool) -> None:
    """Refuse points that are the same as their neighbour."""
    for i in np.flatnonzero(distances(places) < MEETING):
        raise InvalidInput(
            f"points {i + 1} and {i + 2} are the same, {place_text(places[i])}; leave one of them "
            "out (to turn on the spot, end one path there and join another)"
        )
    if not closed:
        return
    if len(places) < 3:
        raise InvalidInput("a closed path needs at least 3 points, got 2; add one or open it")
    if np.linalg.norm(places[-1] - places[0]) < MEETING:
        raise InvalidInput(
            f"the first and last point are the same, {place_text(places[0])}; a closed path comes "
            "back by itself: leave the last one out"
        )


def read_frame(center: Point) -> PlanarOrSpatial:
    """Return the frame of a circle from its centre."""
    if isinstance(center, Pose | Pose2):
        return center
    place = read_only(center, name="center of the circle")
    if place.shape not in ((2,), (3,)):
        raise InvalidInput(
            f"center of the circle has shape {place.shape}, expected 2 coordinates on the floor, "
            "3 in space, or a pose"
        )
    return Pose2(*place) if len(place) == 2 else Pose(place)
