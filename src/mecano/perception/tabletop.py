"""What stands and what is drawn on a table, from one colour and depth picture.

The table is the level plane that most points lie in; a camera that is turned a little is put right
by it. What rises from it in one piece is an object, as large as its upper face (or, without a flat
one, as what is seen of it). Dark patches in the plane are marks: places that somebody drew.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import atan2, hypot, pi

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.messages import CameraInfo, Image
from mecano.core.poses import Pose
from mecano.perception.boxes import FACE, picture_points
from mecano.perception.colours import named_pixels
from mecano.perception.outlines import Outline, fit_outline

SEARCH = 0.06
"""The table is looked for so far above and below where it should be [m]."""
MOST_TILT = np.radians(4.0)
"""A plane that leans more is not the table seen by a camera that is a little turned [rad]."""
DARK = 0.62
"""A mark is darker than this share of the table's brightness."""
CALIBRATION = 0.001
"""How well the camera's own place is known [m]."""
SHARE = 0.2
"""A colour with this share of what hangs together is an object of its own."""

Mask = Callable[[Array], np.ndarray]
"""Points (..., 3) in the frame of the answers [m] to whether each is the robot's own."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SeenObject:
    """An object that rises from the table. Spreads are one standard deviation."""

    colour: str
    """In a word: "red", "grey"."""
    shape: str
    """"box", "cylinder" (standing), or "other" without a flat upper face."""
    position: Array
    """Middle of its upper face [m]. Shape (3,)."""
    yaw: float
    """Where its long side points [rad], in (-pi/2, pi/2]; means nothing for a cylinder."""
    length: float
    """[m]."""
    width: float
    """[m]."""
    height: float
    """Of its top above the table [m]."""
    position_spread: float
    """Of each coordinate of its middle [m]."""
    size_spread: float
    """Of length and width [m]."""
    yaw_spread: float
    """[rad]; a quarter turn for a cylinder."""
    pixels: int
    """How many were seen of it."""

    def across(self, direction: float) -> float:
        """Return how wide it is along a level direction [rad], between two parallel jaws [m]."""
        if self.shape == "cylinder":
            return 0.5 * (self.length + self.width)
        turn = direction - self.yaw
        return self.length * abs(np.cos(turn)) + self.width * abs(np.sin(turn))


@dataclass(frozen=True, kw_only=True, eq=False)
class SeenMark:
    """A dark patch that is drawn on the table."""

    position: Array
    """Its middle [m]. Shape (3,)."""
    yaw: float
    """Where its long side points [rad]."""
    length: float
    """[m]."""
    width: float
    """[m]."""
    position_spread: float
    """Of each coordinate [m]."""
    yaw_spread: float
    """[rad]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TableView:
    """What one picture shows of a table."""

    stamp: float
    """When it was taken [s]."""
    table: float
    """Height of the table in the frame of the answers [m]."""
    objects: tuple[SeenObject, ...]
    """The one with most pixels first."""
    marks: tuple[SeenMark, ...]
    """The largest first."""

    def find(self, colour: str) -> SeenObject | None:
        """Return the largest object of a colour; "" takes any."""
        return next((each for each in self.objects if colour in ("", each.colour)), None)


def view_table(
    colour: Image,
    depth: Image,
    info: CameraInfo,
    camera: Pose,
    *,
    table: float,
    own: Mask | None = None,
    lowest: float = 0.01,
    fewest: int = 30,
) -> TableView | None:
    """Return what stands and what is drawn on a table; None if no table is seen.

    Args:
        colour: Colour picture.
        depth: Depth picture of the same size [m].
        info: The camera that took them.
        camera: Where the camera should be in the frame of the answers: x forward, z up.
        table: Where the table should be [m]; it may be 60 mm higher or lower.
        own: Tells which points are of the robot itself; they are left out.
        lowest: What rises less than this is no object [m].
        fewest: Patches of fewer pixels are nothing.
    """
    finite_number(table, name="height of the table [m]")
    if colour.data.shape[:2] != depth.data.shape:
        raise InvalidInput("the colour picture must have the size of the depth picture")
    points = picture_points(depth, info, camera)
    seen = _table_plane(points, camera, table)
    if seen is None:
        return None
    level, height = seen
    points = picture_points(depth, info, level)
    with np.errstate(invalid="ignore"):
        flat = np.abs(points[..., 2] - height) < 0.006
        rises = points[..., 2] > height + lowest
    if own is not None:
        mine = own(points)
        flat, rises = flat & ~mine, rises & ~mine
    pixel = float(np.nanmedian(depth.data[flat])) / float(info.K[0, 0]) if flat.any() else 0.002
    scene = _Scene(points, depth.data.astype(float) ** 3, colour.data, height, pixel, fewest)
    return TableView(
        stamp=depth.stamp, table=height, objects=scene.objects(rises), marks=scene.marks(flat)
    )


def _table_plane(points: Array, camera: Pose, table: float) -> tuple[Pose, float] | None:
    """Return the camera turned on the spot so that the table is level, and the table's height."""
    z = points[..., 2]
    near = points[np.isfinite(z) & (np.abs(np.nan_to_num(z) - table) < SEARCH)]
    if len(near) < 200:
        return None
    counts, edges = np.histogram(near[:, 2], bins=int(2 * SEARCH / 0.004))
    plane = np.array([0.0, 0.0, float(edges[counts.argmax()]) + 0.002])
    for band in (0.02, 0.010, 0.006):
        off = near[:, 2] - near[:, :2] @ plane[:2] - plane[2]
        inside = near[np.abs(off) < band]
        if len(inside) < 200:
            return None
        A = np.column_stack([inside[:, :2], np.ones(len(inside))])
        plane = np.linalg.lstsq(A, inside[:, 2], rcond=None)[0]
    if hypot(plane[0], plane[1]) > np.tan(MOST_TILT):
        return None
    # The plane's normal (-a, -b, 1) is turned up about the camera, whose place is known better.
    upright = Pose.from_xyz_rpy([0, 0, 0], [-atan2(plane[1], 1.0), atan2(plane[0], 1.0), 0.0])
    at = np.asarray(camera.position)
    turn = Pose(at) @ upright @ Pose(-at)
    foot = np.array([at[0], at[1], plane[:2] @ at[:2] + plane[2]])
    return turn @ camera, float((turn @ Pose(foot)).position[2])


class _Scene:
    """The points of one picture, with the table level."""

    def __init__(
        self, points: Array, areas: Array, colour: np.ndarray, table: float, pixel: float,
        fewest: int,
    ) -> None:  # fmt: skip
        self.points, self.areas, self.colour = points, areas, colour
        self.table, self.pixel, self.fewest = table, pixel, fewest

    def objects(self, rises: np.ndarray) -> tuple[SeenObject, ...]:
        """Return the objects among pixels that rise."""
        from scipy.ndimage import label

        patches, count = label(rises)  # type: ignore[misc]
        found = []
        for number in range(1, count + 1):
            patch = patches == number
            if np.count_nonzero(patch) < self.fewest:
                continue
            for name, inside in named_pixels(self.colour, patch, SHARE):
                seen = self._object(name, inside)
                if seen is not None:
                    found.append(seen)
        return tuple(sorted(found, key=lambda each: -each.pixels))

    def _object(self, name: str, inside: np.ndarray) -> SeenObject | None:
        points, areas = self.points[inside], self.areas[inside]
        z = points[:, 2]
        if len(points) < self.fewest:
            return None
        highest = z[z > float(np.quantile(z, 0.95)) - FACE]
        top = float(np.median(highest))
        upper = z > top - 0.5 * FACE
        whole = fit_outline(points, areas, self.pixel)
        face = fit_outline(points[upper], areas[upper], self.pixel)
        if whole is None or face is None or np.count_nonzero(upper) < 0.5 * self.fewest:
            return None
        flat_topped = face.width > 0.6 * whole.width
        outline = face if flat_topped else whole
        shape = ("cylinder" if face.round else "box") if flat_topped else "other"
        return SeenObject(
            colour=name, shape=shape,
            position=np.array([*outline.middle, top]),
            yaw=outline.yaw, length=outline.length, width=outline.width, height=top - self.table,
            position_spread=hypot(outline.position_spread, CALIBRATION),
            size_spread=outline.size_spread, yaw_spread=outline.yaw_spread, pixels=len(points),
        )  # fmt: skip

    def marks(self, flat: np.ndarray) -> tuple[SeenMark, ...]:
        """Return the dark patches among pixels of the table."""
        from scipy.ndimage import label, uniform_filter

        if not flat.any():
            return ()
        bright = uniform_filter(self.colour.astype(float).mean(axis=-1), 3)
        dark = flat & (bright < DARK * float(np.median(bright[flat])))
        patches, count = label(dark)  # type: ignore[misc]
        found = []
        for number in range(1, count + 1):
            inside = patches == number
            if np.count_nonzero(inside) < self.fewest:
                continue
            outline = fit_outline(self.points[inside], self.areas[inside], self.pixel)
            if outline is not None and outline.filled:
                found.append(_mark(outline, self.table))
        return tuple(sorted(found, key=lambda each: -each.length * each.width))


def _mark(outline: Outline, height: float) -> SeenMark:
    return SeenMark(
        position=np.array([*outline.middle, height]), yaw=outline.yaw, length=outline.length,
        width=outline.width, position_spread=hypot(outline.position_spread, CALIBRATION),
        yaw_spread=outline.yaw_spread,
    )  # fmt: skip


def same_line(one: float, other: float) -> float:
    """Return the angle between two directions that count both ways [rad], in [-pi/2, pi/2)."""
    return (one - other + pi / 2) % pi - pi / 2
