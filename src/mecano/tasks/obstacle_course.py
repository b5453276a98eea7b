"""Where obstacles are put that are not in the map: across the path, and so that another is left."""

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import LETHAL, NO_INFORMATION, Costmap
from mecano.planning.navigation.costmap import make_costmap
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.planner import GridPlanner, PlannerSettings

SHARES = (0.4, 0.75)
"""Boxes stand about these shares of the path from its start."""
SPREAD = 0.06
"""Of these shares, to either side."""
ASIDE = 0.15
"""How far beside the path, at most [m]."""
FROM_ENDS = 0.9
"""No box stands nearer to start or goal, centre to centre [m]."""
ROOM = 0.20
"""So much more than its footprint the robot has on all sides on some path past the boxes [m]."""
TRIES = 200


def places_across(
    walls: Costmap,
    start: Pose2,
    goal: Pose2,
    boxes: tuple[tuple[float, float, float], ...],
    rng: np.random.Generator,
) -> list[Pose2]:
    """Return places of boxes on the shortest path, which leave another one open.

    Args:
        walls: What the robot knows: unknown space is closed; for its footprint.
        start: Of the path [m].
        goal: Its end [m].
        boxes: Length, width, height of each [m]; two at most.
        rng: Draws the places.

    Raises:
        InvalidInput: There is no path, or no place that leaves one.
    """
    path = GridPlanner(PlannerSettings(cost_weight=0.0)).plan(walls, start, goal)
    if not path.found:
        raise InvalidInput(f"there is no path to put obstacles on: {path.reason}")
    for _ in range(TRIES):
        places = [_place(path.poses, share, rng) for share in SHARES[: len(boxes)]]
        if _is_fair(walls, start, goal, places, boxes):
            return places
    raise InvalidInput(f"no place for {len(boxes)} boxes leaves a path to ({goal.x:g}, {goal.y:g})")


def _place(poses: Array, share: float, rng: np.random.Generator) -> Pose2:
    at = share + float(rng.uniform(-SPREAD, SPREAD))
    x, y, yaw = poses[int(at * (len(poses) - 1))]
    return Pose2(x, y, yaw) @ Pose2(0.0, float(rng.uniform(-ASIDE, ASIDE)), rng.uniform(0.0, 1.6))


def _is_fair(
    walls: Costmap,
    start: Pose2,
    goal: Pose2,
    places: list[Pose2],
    boxes: tuple[tuple[float, float, float], ...],
) -> bool:
    """Tell whether a robot that is a little wider can still get to the goal."""
    if any(p.distance_to(end) < FROM_ENDS for p in places for end in (start, goal)):
        return False
    lethal = walls.cost == LETHAL
    for place, (length, width, _) in zip(places, boxes, strict=True):
        lethal |= _covered(walls, place, length, width)
    wider = Footprint.circle(walls.footprint.circumscribed_radius + ROOM)
    shut = make_costmap(
        lethal, wider, resolution=walls.resolution, origin=walls.origin,
        unknown=walls.cost == NO_INFORMATION,
    )  # fmt: skip
    return GridPlanner(PlannerSettings(cost_weight=0.0)).plan(shut, start, goal).found


def _covered(walls: Costmap, place: Pose2, length: float, width: float) -> Mask:
    """Return which cells a box covers."""
    cells = np.argwhere(np.ones(walls.cost.shape, bool))[:, ::-1]  # columns, rows
    middles = np.array(walls.origin) + (cells + 0.5) * walls.resolution
    local = place.inverse().transform_points(middles)
    inside = (np.abs(local[:, 0]) <= 0.5 * length) & (np.abs(local[:, 1]) <= 0.5 * width)
    return inside.reshape(walls.cost.shape)
