"""A belief drawn into a page: the map on the floor, the scan, the way, closed loops, particles."""

import numpy as np
import viser

from mecano.core.arrays import Array
from mecano.core.belief import Belief
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2

WALL, FLOOR = (33, 37, 41), (173, 198, 222)
FLOOR_ALPHA = 150
"""The floor of the map is seen through, up to 255: what it lies on stays visible."""
SCAN, WAY, LOOP, PARTICLE, ROBOT = (
    (224, 49, 49), (25, 113, 194), (47, 158, 68), (247, 103, 7), (174, 62, 201),
)  # fmt: skip
HEIGHTS = {"map": 0.004, "way": 0.010, "loops": 0.012, "particles": 0.014, "scan": 0.016}
"""So high over the floor each is drawn, one over the other [m]."""
ARROW = 0.12
"""Length of the stroke of a particle, along its heading [m]."""
OUTLINE = np.array([[0.25, 0.0], [-0.15, 0.15], [-0.15, -0.15]])
"""The estimated pose is drawn as this triangle, its tip ahead [m]."""
MOST_PARTICLES = 1000
"""More are not drawn: they lie on each other."""
PARTS = ("map", "scan", "way", "loops", "particles")


class BeliefLayer:
    """The drawings of one belief. Only the thread that draws may touch it."""

    def __init__(self, server: viser.ViserServer, name: str) -> None:
        """Begin with nothing; `name` tells several apart."""
        self._scene, self._root = server.scene, f"/belief/{name}"
        self.frame = self._scene.add_frame(self._root, show_axes=False)
        self._image: viser.ImageHandle | None = None
        self._grid: OccupancyGrid | None = None
        self._lines = {
            part: self._add_lines(part, colour, width)
            for part, colour, width in (
                ("way", WAY, 2.5), ("loops", LOOP, 2.0), ("particles", PARTICLE, 1.5),
                ("pose", ROBOT, 4.0),
            )
        }  # fmt: skip
        self._points = self._scene.add_point_cloud(
            f"{self._root}/scan", np.zeros((1, 3), np.float32), SCAN, point_size=0.05,
            point_shape="circle", point_shading="flat", precision="float32", visible=False,
        )  # fmt: skip
        self.shown: dict[str, bool] = dict.fromkeys(PARTS, True)

    def place(self, origin: Pose2) -> None:
        """Say where the frame of the map lies in the page."""
        self.frame.position = (origin.x, origin.y, 0.0)
        self.frame.wxyz = (np.cos(origin.yaw / 2), 0.0, 0.0, np.sin(origin.yaw / 2))

    def draw(self, belief: Belief | None) -> None:
        """Draw a belief, or nothing."""
        if belief is None:
            for handle in (self._points, self._image, *self._lines.values()):
                _show(handle, False)
            return
        self._draw_map(belief.grid if self.shown["map"] else None)
        self._draw_points(belief.scan if self.shown["scan"] else np.empty((0, 2)))
        ways = {
            "way": chain(belief.path),
            "loops": belief.loops,
            "particles": strokes(belief.particles),
        }
        for part, segments in ways.items():
            self._draw_lines(part, segments if self.shown[part] else np.empty((0, 2, 2)))
        corners = belief.pose.transform_points(OUTLINE)
        self._draw_lines("pose", chain(np.vstack([corners, corners[:1]])))

    def _draw_map(self, grid: OccupancyGrid | None) -> None:
        """Lay the map on the floor; it is sent to the pages when it is another one."""
        if grid is None:
            _show(self._image, False)
            return
        if grid is not self._grid:
            size = (grid.width * grid.resolution, grid.height * grid.resolution)
            middle = grid.origin.transform_points(np.array(size) / 2)
            yaw = grid.origin.yaw / 2
            self._grid = grid
            self._image = self._scene.add_image(  # of the same name: it takes the old one's place
                f"{self._root}/map", picture(grid), *size, format="png",
                cast_shadow=False, receive_shadow=False,
                wxyz=(0.0, np.cos(yaw), np.sin(yaw), 0.0),  # images have y down: turned about x
                position=(*middle, HEIGHTS["map"]),
            )  # fmt: skip
        _show(self._image, True)

    def _draw_points(self, points: Array) -> None:
        if len(points):
            self._points.points = raised(points, HEIGHTS["scan"])
        _show(self._points, bool(len(points)))

    def _draw_lines(self, part: str, segments: Array) -> None:
        if len(segments):
            self._lines[part].points = raised(segments, HEIGHTS.get(part, HEIGHTS["scan"]))
        _show(self._lines[part], bool(len(segments)))

    def _add_lines(
        self, part: str, colour: tuple[int, int, int], width: float
    ) -> viser.LineSegmentsHandle:
        return self._scene.add_line_segments(
            f"{self._root}/{part}", np.zeros((1, 2, 3), np.float32), colour,
            thickness=width, thickness_units="screen", visible=False,
        )  # fmt: skip


def picture(grid: OccupancyGrid) -> np.ndarray:
    """Return a map as colours and how far they cover, the top row first. Shape (rows, columns, 4).

    Walls are dark, floor is light, what nobody saw cannot be seen.
    """
    known = grid.data >= 0
    wall = np.clip(grid.data, 0, 100)[..., None] / 100.0
    image = np.empty((*grid.data.shape, 4), np.uint8)
    image[..., :3] = np.rint(wall * WALL + (1.0 - wall) * FLOOR)
    image[..., 3] = np.where(known, np.rint(FLOOR_ALPHA + wall[..., 0] * (255 - FLOOR_ALPHA)), 0)
    return image[::-1]


def chain(points: Array) -> Array:
    """Return the lines from point to point. Shape (n - 1, 2, 2)."""
    return np.stack([points[:-1], points[1:]], axis=1)


def strokes(particles: Array) -> Array:
    """Return a short line along the heading of every particle, of some if there are many."""
    some = particles[:: max(1, -(-len(particles) // MOST_PARTICLES))]
    ahead = ARROW * np.stack([np.cos(some[:, 2]), np.sin(some[:, 2])], axis=1)
    return np.stack([some[:, :2], some[:, :2] + ahead], axis=1)


def raised(points: Array, height: float) -> np.ndarray:
    """Return points of the floor (..., 2) so high above it [m]. Shape (..., 3)."""
    return np.concatenate(
        [points, np.full((*points.shape[:-1], 1), height)], axis=-1, dtype=np.float32
    )


def _show(handle: viser.SceneNodeHandle | None, visible: bool) -> None:
    """Show or hide a drawing; what does not change is not sent."""
    if handle is not None and handle.visible != visible:
        handle.visible = visible
