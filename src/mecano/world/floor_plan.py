"""The true map of a scene: what a perfect scan at one height would leave of it.

All fixed shapes are cut at the height. The cut is looked at on a fine grid: places that can be
reached from inside the room without crossing a shape are free, and the skin of what bounds them is
occupied. The rest is unknown: the inside of things, closed rooms, and beyond the walls.

Boxes, cylinders, spheres, capsules and ellipsoids are cut exactly, turned as they may be. Meshes
are cut as the hull that collides. A place is looked at every `resolution / FINE`, so a surface is
known to a tenth of a cell.
"""

from collections.abc import Sequence
from math import ceil, floor
from pathlib import Path

import mujoco
import numpy as np
from scipy.ndimage import binary_dilation, label
from scipy.spatial import ConvexHull

from mecano.core.arrays import Array, Mask, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.messages.maps import FREE, OCCUPIED, UNKNOWN
from mecano.core.poses import Pose2
from mecano.world.assembly import assemble
from mecano.world.world import SEEN

FINE = 5
"""Places per side of a cell that are looked at."""
KINDS = mujoco.mjtGeom
MOST = 100_000_000
"""Places in all; more would take gigabytes."""


def scene_plan(
    scene: str | Path,
    height: float,
    *,
    inside: Sequence[float] | None = None,
    resolution: float = 0.05,
    margin: float = 0.5,
) -> OccupancyGrid:
    """Return the floor plan of a scene without robots, see `floor_plan`.

    Args:
        scene: Name of a scene, or path of an MJCF file.
        height: See `floor_plan`, as all that follow.
        inside: None takes the scene's mount, or the origin.
        resolution: [m].
        margin: [m].
    """
    model = assemble([], scene=scene).compile()
    return floor_plan(model, height, inside=inside, resolution=resolution, margin=margin)


def floor_plan(
    model: mujoco.MjModel,
    height: float,
    *,
    inside: Sequence[float] | None = None,
    resolution: float = 0.05,
    margin: float = 0.5,
) -> OccupancyGrid:
    """Return what is free, occupied and unknown in a plane of a world.

    Only what cannot move counts, so robots and loose things are left out. Shapes that beams pass
    (see-through ones, and groups that are only drawn) are left out too.

    Args:
        model: The world.
        height: Of the plane above the floor [m].
        inside: A place (x, y) that is free, from which all others must be reached [m]; None takes
            the site `mount`, or the origin.
        resolution: Side of a cell [m].
        margin: The plan goes this far beyond the outermost shape [m].

    Raises:
        InvalidInput: The place inside is in a shape or outside of the plan, or nothing is fixed.
    """
    height = finite_number(height, name="height of the plan [m]")
    resolution = finite_number(resolution, name="resolution [m]", lower=0.001, upper=1.0)
    margin = finite_number(margin, name="margin [m]", lower=0.0)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    shapes = [geom for geom in _fixed(model) if _reaches(model, data, geom, height)]
    if not shapes:
        raise InvalidInput(
            f"nothing fixed is {height:g} m above the floor, so there is no plan; "
            "take the height of the sensor's plane, and a scene with walls"
        )
    lower, upper = _bounds(model, data, shapes, margin)
    start = _inside(model, data, inside)
    lower, upper = np.minimum(lower, start - margin), np.maximum(upper, start + margin)
    first = np.array([floor(value / resolution + 1e-9) for value in lower])
    last = np.array([ceil(value / resolution - 1e-9) for value in upper])
    columns, rows = (last - first).tolist()
    if rows * columns * FINE**2 > MOST:
        raise InvalidInput(
            f"a plan of {columns} x {rows} cells of {resolution:g} m is too large; "
            "take larger cells or a smaller scene"
        )
    step, corner = resolution / FINE, first * resolution
    solid = np.zeros((rows * FINE, columns * FINE), bool)
    for geom in shapes:
        _fill(solid, model, data, geom, corner, step, height)
    reached = _reached(solid, np.floor((start - corner) / step).astype(int), start, height)
    skin = solid & binary_dilation(reached)
    cells = np.full((rows, columns), UNKNOWN, np.int8)
    cells[_any(reached)] = FREE
    cells[_any(skin)] = OCCUPIED
    origin = Pose2(float(corner[0]), float(corner[1]), 0.0)
    return OccupancyGrid(stamp=0.0, frame="map", resolution=resolution, origin=origin, data=cells)


def _fixed(model: mujoco.MjModel) -> list[int]:
    """Return the shapes that cannot move and that beams meet; a floor is none of them."""
    material = model.geom_matid
    opacity = model.geom_rgba[:, 3].copy()
    opacity[material >= 0] = model.mat_rgba[material[material >= 0], 3]
    met = (SEEN[model.geom_group] > 0) & (opacity > 0.0) & (model.geom_type != KINDS.mjGEOM_PLANE)
    still = model.body_weldid[model.geom_bodyid] == 0
    still &= model.body_mocapid[model.body_rootid[model.geom_bodyid]] < 0
    found = np.flatnonzero(met & still)
    for geom in found:
        if model.geom_type[geom] in (KINDS.mjGEOM_HFIELD, KINDS.mjGEOM_SDF):
            name = model.geom(geom).name or f"geom {geom}"
            raise InvalidInput(f"shape '{name}' is of a kind that has no plan; use simple shapes")
    return found.tolist()


def _half(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> tuple[Array, Array]:
    """Return the middle of the box around a shape, and half its sides along the world's axes."""
    turn = data.geom_xmat[geom].reshape(3, 3)
    middle, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    return data.geom_xpos[geom] + turn @ middle, np.abs(turn) @ half


def _reaches(model: mujoco.MjModel, data: mujoco.MjData, geom: int, height: float) -> bool:
    middle, half = _half(model, data, geom)
    return bool(abs(height - middle[2]) <= half[2])


def _bounds(
    model: mujoco.MjModel, data: mujoco.MjData, shapes: list[int], margin: float
) -> tuple[Array, Array]:
    """Return the lowest and highest x and y of shapes, with a margin [m]."""
    boxes = [_half(model, data, geom) for geom in shapes]
    lower = np.min([middle[:2] - half[:2] for middle, half in boxes], axis=0)
    upper = np.max([middle[:2] + half[:2] for middle, half in boxes], axis=0)
    return lower - margin, upper + margin


def _inside(model: mujoco.MjModel, data: mujoco.MjData, inside: Sequence[float] | None) -> Array:
    if inside is not None:
        return np.array([finite_number(v, name="place inside [m]") for v in inside])[:2]
    mount = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, "mount")
    return data.site_xpos[mount][:2].copy() if mount >= 0 else np.zeros(2)


def _fill(
    solid: Mask,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    geom: int,
    corner: Array,
    step: float,
    height: float,
) -> None:
    """Mark the places of a fine grid that are inside a shape at a height."""
    middle, half = _half(model, data, geom)
    first = np.maximum(np.floor(((middle - half)[:2] - corner) / step).astype(int), 0)
    last = np.ceil(((middle + half)[:2] - corner) / step).astype(int) + 1
    rows, columns = slice(first[1], last[1]), slice(first[0], last[0])
    part = solid[rows, columns]
    y, x = np.mgrid[: part.shape[0], : part.shape[1]]
    places = np.empty((*part.shape, 3))
    places[..., 0] = corner[0] + (first[0] + x + 0.5) * step
    places[..., 1] = corner[1] + (first[1] + y + 0.5) * step
    places[..., 2] = height
    local = (places - data.geom_xpos[geom]) @ data.geom_xmat[geom].reshape(3, 3)
    part |= _contains(model, geom, local)


def _contains(model: mujoco.MjModel, geom: int, local: Array) -> Mask:
    """Tell which places, in the frame of a shape, are inside of it. Shape (..., 3) to (...)."""
    size, kind = model.geom_size[geom], int(model.geom_type[geom])
    if kind == KINDS.mjGEOM_BOX:
        return np.all(np.abs(local) <= size, axis=-1)
    if kind == KINDS.mjGEOM_SPHERE:
        return np.sum(local**2, axis=-1) <= size[0] ** 2
    if kind == KINDS.mjGEOM_ELLIPSOID:
        return np.sum((local / size) ** 2, axis=-1) <= 1.0
    if kind == KINDS.mjGEOM_CYLINDER:
        across = np.sum(local[..., :2] ** 2, axis=-1) <= size[0] ** 2
        return across & (np.abs(local[..., 2]) <= size[1])
    if kind == KINDS.mjGEOM_CAPSULE:
        along = np.maximum(np.abs(local[..., 2]) - size[1], 0.0)
        return np.sum(local[..., :2] ** 2, axis=-1) + along**2 <= size[0] ** 2
    mesh = int(model.geom_dataid[geom])
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    faces = ConvexHull(np.array(model.mesh_vert[first : first + count], float)).equations
    return np.all(local @ faces[:, :3].T + faces[:, 3] <= 0.0, axis=-1)


def _reached(solid: Mask, start: Array, place: Array, height: float) -> Mask:
    """Return the free places that hang together with one, which has a column and a row."""
    column, row = start.tolist()
    if solid[row, column]:
        raise InvalidInput(
            f"({place[0]:g}, {place[1]:g}) m is inside a shape {height:g} m above the floor; "
            "give a free place of the room as `inside`"
        )
    parts = np.empty(solid.shape, np.int32)
    label(~solid, output=parts)
    return parts == parts[row, column]


def _any(fine: Mask) -> Mask:
    """Return which cells have any of their fine places marked."""
    rows, columns = fine.shape[0] // FINE, fine.shape[1] // FINE
    return np.asarray(fine.reshape(rows, FINE, columns, FINE).any(axis=(1, 3)))
