"""Where a camera stands: by hand, by name, or so that the robots fill the picture."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, pi, radians, sin, tan

import mujoco
import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import UnknownName
from mecano.world.mirror import Mirror

NAMED = {
    "corner": (radians(132.0), radians(-18.0)),
    "front": (pi, radians(-12.0)),
    "side": (pi / 2, radians(-6.0)),
    "top": (pi / 2, -pi / 2),
}
"""Azimuth and elevation of the views with a name, for robots that face along x."""
MARGIN = 1.25
"""How much further away the camera stands than where everything just fits."""
STRAY = 6.0
"""What gets further from the middle than this many times the usual distance is left out."""


@dataclass(frozen=True, kw_only=True, eq=False)
class View:
    """A camera that looks at a point, as MuJoCo's free camera, but in radians."""

    look_at: Array
    """The point in the middle of the picture, in the world [m]. Shape (3,)."""
    distance: float
    """From the camera to that point [m]."""
    azimuth: float
    """The heading in which the camera looks, seen from above [rad]: 0 along x, pi/2 along y, so it
    grows counterclockwise. The camera itself stands on the opposite side."""
    elevation: float
    """How far up the camera looks [rad]: 0 is level, -pi/2 straight down."""

    def __post_init__(self) -> None:
        point = read_only(self.look_at, name="View.look_at", shape=(3,))
        object.__setattr__(self, "look_at", point)
        finite_number(self.distance, name="distance of the view [m]", lower=1e-3, upper=1e4)
        finite_number(self.azimuth, name="azimuth of the view [rad]")
        finite_number(
            self.elevation, name="elevation of the view [rad]", lower=-pi / 2, upper=pi / 2
        )

    def axes(self) -> Array:
        """Return the directions right, up and forwards of the camera in the world. Shape (3, 3)."""
        return _axes(self.azimuth, self.elevation)

    def eye(self) -> Array:
        """Return where the camera stands in the world [m]. Shape (3,)."""
        return self.look_at - self.distance * self.axes()[2]

    def camera(self) -> mujoco.MjvCamera:
        """Return the same camera for MuJoCo."""
        camera = mujoco.MjvCamera()
        camera.lookat[:] = self.look_at
        camera.distance = self.distance
        camera.azimuth, camera.elevation = np.degrees(self.azimuth), np.degrees(self.elevation)
        return camera

    def fovy(self, mirror: Mirror) -> float:
        """Return the angle of view from bottom to top [rad]."""
        return field_of_view(mirror)


@dataclass(frozen=True, eq=False)
class MountedView:
    """What a camera of the model sees where it is now."""

    mirror: Mirror
    number: int
    """Of the camera in the model."""

    def axes(self) -> Array:
        """Return the directions right, up and forwards of the camera in the world. Shape (3, 3)."""
        turned = self.mirror.data.cam_xmat[self.number].reshape(3, 3)
        return np.stack([turned[:, 0], turned[:, 1], -turned[:, 2]])

    def eye(self) -> Array:
        """Return where the camera stands in the world [m]. Shape (3,)."""
        return self.mirror.data.cam_xpos[self.number]

    def camera(self) -> mujoco.MjvCamera:
        """Return the same camera for MuJoCo."""
        camera = mujoco.MjvCamera()
        camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, self.number
        return camera

    def fovy(self, mirror: Mirror) -> float:
        """Return the angle of view from bottom to top [rad]."""
        return radians(mirror.model.cam_fovy[self.number])


AnyView = View | MountedView


def named_angles(name: str) -> tuple[float, float]:
    """Return azimuth and elevation of a view with a name [rad]."""
    if name not in NAMED:
        raise UnknownName("view", name, NAMED)
    return NAMED[name]


def frame(
    points: Array, *, azimuth: float, elevation: float, aspect: float, fovy: float = radians(45.0)
) -> View:
    """Return the view from this direction in which the points fill the picture.

    Args:
        points: What must be seen, in the world [m]. Shape (n, 3).
        azimuth: See `View` [rad].
        elevation: See `View` [rad].
        aspect: Width of the picture over its height.
        fovy: Angle of view from bottom to top [rad].
    """
    axes = _axes(azimuth, elevation)
    seen = (points @ axes.T).T  # right, up, forwards
    slopes = tan(fovy / 2) * np.array([[aspect], [1.0]])
    # A camera at (x, back) sees a point when |along - x| <= slope * (forwards + back).
    most = np.max(seen[:2] - slopes * seen[2], axis=1)
    least = np.min(seen[:2] + slopes * seen[2], axis=1)
    back = np.max((most - least) / (2 * slopes[:, 0]))
    depth = (seen[2].min() + seen[2].max()) / 2
    return View(
        look_at=np.array([*(most + least) / 2, depth]) @ axes,
        distance=max(MARGIN * (back + depth), 1e-2),
        azimuth=azimuth,
        elevation=elevation,
    )


def outline(mirror: Mirror, states: Iterable[Array] = ()) -> Array:
    """Return corners of boxes around the robots and loose things [m]. Shape (n, 3).

    That is whatever can move, and what it is bolted to; not the floor, a table or walls.

    Args:
        mirror: The world; it is left in the last of the states.
        states: States of a run to go through; none takes the present one.
    """
    geoms = _moving_geoms(mirror.model)
    if not len(geoms):
        geoms = np.flatnonzero(mirror.model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE)
    corners = []
    for state in states:
        mirror.show(state)
        corners.append(_corners(mirror, geoms))
    if not corners:
        corners = [_corners(mirror, geoms)]
    return _without_strays(np.array(corners))


def moving_bodies(model: mujoco.MjModel) -> NDArray[np.bool_]:
    """Tell which bodies move, or carry one that moves on a joint. Shape (bodies,)."""
    moving = model.body_weldid != 0
    for body in range(model.nbody - 1, 0, -1):
        if moving[body] and model.body_parentid[body]:
            moving[model.body_parentid[body]] = True
    return moving


def view_of(mirror: Mirror, name: str = "corner", *, aspect: float = 16 / 9) -> View:
    """Return a view with a name that shows the robots as they stand now."""
    azimuth, elevation = named_angles(name)
    return frame(
        outline(mirror),
        azimuth=azimuth,
        elevation=elevation,
        aspect=aspect,
        fovy=field_of_view(mirror),
    )


def field_of_view(mirror: Mirror) -> float:
    """Return the angle of view from bottom to top that the scene asks for [rad]."""
    return radians(mirror.model.vis.global_.fovy)


def _axes(azimuth: float, elevation: float) -> Array:
    """Return right, up and forwards as rows."""
    level = np.array([cos(azimuth), sin(azimuth), 0.0])
    right = np.array([sin(azimuth), -cos(azimuth), 0.0])
    forwards = cos(elevation) * level + np.array([0.0, 0.0, sin(elevation)])
    return np.array([right, np.cross(right, forwards), forwards])


def _moving_geoms(model: mujoco.MjModel) -> NDArray[np.intp]:
    shown = (model.geom_group <= 2) & (model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE)
    return np.flatnonzero(moving_bodies(model)[model.geom_bodyid] & shown)


def _corners(mirror: Mirror, geoms: NDArray[np.intp]) -> Array:
    """Return the corners of the boxes around geoms in the world. Shape (geoms, 8, 3)."""
    centre, half = np.split(mirror.model.geom_aabb[geoms], 2, axis=1)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    local = centre[:, None] + signs * half[:, None]
    rotation = mirror.data.geom_xmat[geoms].reshape(-1, 3, 3)
    return np.einsum("gij,gkj->gki", rotation, local) + mirror.data.geom_xpos[geoms][:, None]


def _without_strays(corners: Array) -> Array:
    """Leave out what flew or fell far away: the robot would be a dot. Shape (n, 3)."""
    first = corners[0].reshape(-1, 3)
    middle = np.median(first, axis=0)
    usual = np.median(np.linalg.norm(first - middle, axis=1))
    points = corners.reshape(-1, 3)
    near = np.linalg.norm(points - middle, axis=1) <= STRAY * usual
    return points[near] if near.any() else points
