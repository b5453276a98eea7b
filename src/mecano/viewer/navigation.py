"""Navigation drawn into a page: costmap on the floor, plan, local trajectory, footprint, goal."""

import numpy as np
import viser

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.viewer.belief import OUTLINE, chain, raised
from mecano.viewer.samples import NavigationSample

LETHAL, INSCRIBED = 254, 253
OBSTACLE, TOO_NEAR, NEAR = (145, 30, 180), (0, 150, 150), (230, 60, 60)
"""Colours of obstacles, of where the middle of the base would touch one, and of costs beside."""
OBSTACLE_ALPHA, TOO_NEAR_ALPHA, NEAR_ALPHA = 220, 140, 130
"""How far they cover what is below, up to 255."""
COLOURS = {
    "plan": ((47, 158, 68), 3.5), "trajectory": ((250, 176, 5), 5.0),
    "planning footprint": ((247, 103, 7), 2.5), "goal": ((47, 158, 68), 4.0),
}  # fmt: skip
"""Colours and widths of lines."""
HEIGHTS = {"costmap": 0.006, "plan": 0.020, "trajectory": 0.024, "planning footprint": 0.018,
           "goal": 0.022}  # fmt: skip
"""So high over the floor each is drawn [m]."""
PARTS = tuple(HEIGHTS)


class NavigationLayer:
    """The drawings of one navigator. Only the thread that draws may touch it."""

    def __init__(self, server: viser.ViserServer, name: str) -> None:
        """Begin with nothing; `name` tells several apart."""
        self._scene, self._root = server.scene, f"/navigation/{name}"
        self.frame = self._scene.add_frame(self._root, show_axes=False)
        self.lines = {
            part: self._scene.add_line_segments(
                f"{self._root}/{part}", np.zeros((1, 2, 3), np.float32), colour,
                thickness=width, thickness_units="screen", visible=False,
            )
            for part, (colour, width) in COLOURS.items()
        }  # fmt: skip
        self.image: viser.ImageHandle | None = None
        self._cost: np.ndarray | None = None
        self.shown: dict[str, bool] = dict.fromkeys(PARTS, True)

    def draw(self, sample: NavigationSample | None) -> None:
        """Draw what a navigator does, or nothing."""
        if sample is None:
            for handle in (self.image, *self.lines.values()):
                _show(handle, False)
            return
        self.frame.position = (sample.origin.x, sample.origin.y, 0.0)
        half = 0.5 * sample.origin.yaw
        self.frame.wxyz = (np.cos(half), 0.0, 0.0, np.sin(half))
        self._draw_costmap(sample if self.shown["costmap"] else None)
        goal = _arrow(sample.status.goal) if sample.has_goal else np.empty((0, 2))
        curves = {
            "plan": sample.plan, "trajectory": sample.trajectory,
            "planning footprint": sample.footprint, "goal": goal,
        }  # fmt: skip
        for part, points in curves.items():
            self._draw_line(part, points if self.shown[part] else points[:0])

    def _draw_line(self, part: str, points: Array) -> None:
        if len(points) > 1:
            self.lines[part].points = raised(chain(points), HEIGHTS[part])
        _show(self.lines[part], len(points) > 1)

    def _draw_costmap(self, sample: NavigationSample | None) -> None:
        """Lay the costmap on the floor; it is sent to the pages when it is another one."""
        if sample is None:
            _show(self.image, False)
            return
        if self._cost is None or not np.array_equal(sample.cost, self._cost):
            self._cost, (rows, columns) = sample.cost, sample.cost.shape
            width, height = columns * sample.resolution, rows * sample.resolution
            middle = sample.corner[0] + 0.5 * width, sample.corner[1] + 0.5 * height
            self.image = self._scene.add_image(  # of the same name: it takes the old one's place
                f"{self._root}/costmap", picture(sample.cost), width, height, format="png",
                cast_shadow=False, receive_shadow=False,
                wxyz=(0.0, 1.0, 0.0, 0.0),  # images have y down: turned about x
                position=(*middle, HEIGHTS["costmap"]),
            )  # fmt: skip
        _show(self.image, True)


def picture(cost: np.ndarray) -> np.ndarray:
    """Return costs as colours and how far they cover, the top row first. Shape (h, w, 4).

    Free and unknown cells cannot be seen.
    """
    image = np.zeros((*cost.shape, 4), np.uint8)
    near = (cost > 0) & (cost < INSCRIBED)
    image[near, :3] = NEAR
    image[near, 3] = np.rint(NEAR_ALPHA / INSCRIBED * cost[near])
    for value, colour, alpha in (
        (INSCRIBED, TOO_NEAR, TOO_NEAR_ALPHA), (LETHAL, OBSTACLE, OBSTACLE_ALPHA),
    ):  # fmt: skip
        image[cost == value] = (*colour, alpha)
    return image[::-1]


def _arrow(pose: Pose2) -> Array:
    """Return a triangle at a pose, closed [m]. Shape (4, 2)."""
    corners = pose.transform_points(OUTLINE)
    return np.vstack([corners, corners[:1]])


def _show(handle: viser.SceneNodeHandle | None, visible: bool) -> None:
    """Show or hide a drawing; what does not change is not sent."""
    if handle is not None and handle.visible != visible:
        handle.visible = visible
