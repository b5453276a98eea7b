"""Pictures without OpenGL: one ray per pixel, one more to the light, and four where edges are.

It takes what is to be drawn from the same list as OpenGL does (`mujoco.MjvScene`, which needs no
driver) and shades it by the same formulas, so that both pictures look alike. As there, nothing is
seen before the near plane, and shapes are not seen from their inside: a camera looks out of its
own housing. What it leaves out: textures on anything but planes, and see-through shapes behind
see-through shapes.
"""

import copy
from dataclasses import dataclass
from math import cos, radians, tan
from types import TracebackType
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.world.mirror import Mirror
from mecano.world.rendering import DrawingList, Picture
from mecano.world.views import AnyView

BATCH = 65536
"""Rays per call; arrays of this size stay in the cache."""
FAR = 1e3
"""Rays end here [m]."""
SUN_DISTANCE = 100.0
"""Rays of parallel light start this far away [m]: the engine casts from one point."""
LIFT = 1e-3
"""Surfaces nearer than this do not shade each other [m]."""
EDGE = 12
"""Neighbours that differ by more than this, of 255, get four rays."""
OPAQUE, CLEAR, BEFORE, HIDDEN = 0, 1, 2, 5
"""Groups into which geoms are sorted for the rays; what is `BEFORE` the near plane only
casts shadows."""
STEP = 1e-6
"""A ray goes on this far behind a surface that is not seen [m]."""

Boolean = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Looks:
    """How the things that can be hit look; by number, geoms first, then decorations."""

    rgba: Array
    emission: Array
    specular: Array
    shininess: Array


@dataclass(frozen=True, eq=False)
class Hits:
    """What rays met first."""

    thing: NDArray[np.int32]
    """Number of the geom or decoration; -1 for nothing."""
    distance: Array
    normal: Array


class RayCaster:
    """Draws by casting rays."""

    kind = "ray casting"

    def __init__(
        self,
        *,
        size: tuple[int, int],
        shapes: str = "visual",
        smooth: bool = True,
        remark: str = "",
    ) -> None:
        """Prepare for pictures of a width and height; `smooth` casts four rays where edges are."""
        self.width, self.height = size
        self._smooth = smooth
        self.remark = remark
        self._shapes = shapes
        self._original: mujoco.MjModel | None = None

    def render_depth(self, mirror: Mirror, view: AnyView) -> NDArray[np.float32]:
        """Return how far along the camera's axis each pixel sees [m]; infinite for nothing."""
        self._look(mirror, view)
        columns, rows = np.meshgrid(np.arange(self.width) + 0.5, np.arange(self.height) + 0.5)
        depths = []
        for i in range(0, columns.size, BATCH):
            rays = self._rays(columns.ravel()[i : i + BATCH], rows.ravel()[i : i + BATCH])
            hits = self._cast(rays, OPAQUE)
            depth = hits.distance * (rays @ self._axes[2])
            depths.append(np.where(hits.thing >= 0, depth, np.inf))
        return np.concatenate(depths).reshape(self.height, self.width).astype(np.float32)

    def render(self, mirror: Mirror, view: AnyView) -> Picture:
        """Return a picture of the state that the mirror shows."""
        self._look(mirror, view)
        columns, rows = np.meshgrid(np.arange(0.0, self.width), np.arange(0.0, self.height))
        colours = self._colours(columns.ravel() + 0.5, rows.ravel() + 0.5)
        picture = colours.reshape(self.height, self.width, 3)
        if self._smooth:
            rows, columns = np.nonzero(_edges(picture))
            corners = [(x, y) for x in (0.25, 0.75) for y in (0.25, 0.75)]
            finer = [self._colours(columns + x, rows + y) for x, y in corners]
            picture[rows, columns] = np.mean(finer, axis=0)
        return (255.0 * picture + 0.5).astype(np.uint8)

    def close(self) -> None:
        """Nothing to give back."""

    def __enter__(self) -> "RayCaster":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _look(self, mirror: Mirror, view: AnyView) -> None:
        """Take over what is to be drawn, and from where."""
        if mirror.model is not self._original:
            self._original = mirror.model
            self._model = copy.copy(mirror.model)
            self._list = DrawingList(mirror.model, self._shapes)
            self._sky = _sky_faces(mirror.model)
        self._data = mirror.data
        self._list.fill(mirror, view)
        self._eye, self._axes = view.eye(), view.axes()
        self._slope = tan(view.fovy(mirror) / 2)
        self._near = mirror.model.stat.extent * mirror.model.vis.map.znear
        self._lights = self._list.scene.lights[: self._list.scene.nlight]
        self._sort_things()

    def _sort_things(self) -> None:
        """Sort geoms into groups for the rays; note the looks of geoms and decorations."""
        model = self._model
        listed = self._list.scene.geoms[: self._list.scene.ngeom]
        kinds = mujoco.mjtObj
        geoms = [g for g in listed if g.objtype == kinds.mjOBJ_GEOM]
        self._decorations = [
            g for g in listed if g.objtype != kinds.mjOBJ_GEOM and g.type in _MEET and g.rgba[3] > 0
        ]
        rgba = np.ones((model.ngeom + len(self._decorations), 4))
        shine = np.zeros((len(rgba), 3))
        model.geom_group[:] = HIDDEN
        things = [(g.objid, g) for g in geoms] + list(enumerate(self._decorations, model.ngeom))
        for number, thing in things:
            rgba[number] = thing.rgba
            shine[number] = thing.emission, thing.specular, 128.0 * thing.shininess
            if number < model.ngeom:
                model.geom_group[number] = OPAQUE if thing.rgba[3] > 0.99 else CLEAR
        self._looks = Looks(rgba, shine[:, 0], shine[:, 1], shine[:, 2])
        self._textured = {
            number: _Texture.of_material(model, model.geom_matid[number])
            for number, thing in things
            if number < model.ngeom and _is_textured_plane(model, number)
        }
        self._clear = bool((rgba[:, 3] <= 0.99).any())
        shown = model.geom_group != HIDDEN
        model.geom_group[shown & (self._furthest_depths() < self._near)] = BEFORE

    def _furthest_depths(self) -> Array:
        """Return how far along the camera's axis the boxes around geoms reach [m]."""
        middle, half = np.split(self._model.geom_aabb, 2, axis=1)
        along = self._axes[2] @ self._data.geom_xmat.reshape(-1, 3, 3)
        depths = (self._data.geom_xpos - self._eye) @ self._axes[2]
        depths += np.sum(along * middle + np.abs(along) * half, axis=1)
        depths[self._model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE] = np.inf
        return depths

    def _colours(self, x: NDArray[Any], y: NDArray[Any]) -> Array:
        """Return the colours at places of the picture, in pixels from the upper left. (n, 3)."""
        parts = [self._trace(x[i : i + BATCH], y[i : i + BATCH]) for i in range(0, len(x), BATCH)]
        return np.concatenate(parts) if parts else np.empty((0, 3))

    def _rays(self, x: NDArray[Any], y: NDArray[Any]) -> Array:
        """Return the directions from the eye through places of the picture. Shape (n, 3)."""
        right = self._slope * (2 * x - self.width) / self.height
        up = self._slope * (1 - 2 * y / self.height)
        rays = np.column_stack((right, up, np.ones(len(x)))) @ self._axes
        return rays / np.linalg.norm(rays, axis=1, keepdims=True)

    def _trace(self, x: NDArray[Any], y: NDArray[Any]) -> Array:
        rays = self._rays(x, y)
        solid = self._cast(rays, OPAQUE)
        colours = self._sky_colours(rays)
        self._paint(colours, rays, solid)
        if self._clear:
            clear = self._cast(rays, CLEAR)
            behind = (clear.thing >= 0) & (solid.thing >= 0) & (clear.distance > solid.distance)
            clear.thing[behind] = -1
            self._paint(colours, rays, clear)
        return np.clip(colours, 0.0, 1.0)

    def _cast(self, rays: Array, group: int) -> Hits:
        """Find what rays from the eye meet first, among the solid or the clear things."""
        hits = self._cast_geoms(self._eye, rays, group)
        starts = self._near / (rays @ self._axes[2])
        self._go_on(hits, rays, starts, group)
        for number, thing in enumerate(self._decorations, self._model.ngeom):
            if (thing.rgba[3] > 0.99) != (group == OPAQUE):
                continue
            rotation, half = np.array(thing.mat, float).reshape(3, 3), np.array(thing.size, float)
            to_thing = thing.pos - self._eye
            rim = max(to_thing @ to_thing - half @ half, 0.0)  # a ball around it
            near = np.flatnonzero(rays @ to_thing >= rim**0.5)
            start, local = -to_thing @ rotation, rays[near] @ rotation
            distance, normal = _MEET[thing.type](start, local, half)
            first = (distance > starts[near]) & (
                (hits.thing[near] < 0) | (distance < hits.distance[near])
            )
            hits.thing[near[first]], hits.distance[near[first]] = number, distance[first]
            hits.normal[near[first]] = normal[first] @ rotation.T
        return hits

    def _go_on(self, hits: Hits, rays: Array, starts: Array, group: int) -> None:
        """Follow rays on that met something before the near plane, or from inside."""
        inside = np.sum(hits.normal * rays, axis=1) > 0
        groups = np.zeros(6, np.uint8)
        groups[group] = 1
        thing, normal = np.empty(1, np.int32), np.empty(3)
        for i in np.flatnonzero((hits.thing >= 0) & (inside | (hits.distance < starts))):
            far = max(starts[i], hits.distance[i] + STEP)
            while True:
                start = self._eye + far * rays[i]
                further = mujoco.mj_ray(
                    self._model, self._data, start, rays[i], groups, True, -1, thing, normal
                )
                far += further + STEP
                if further < 0 or normal @ rays[i] <= 0:
                    break
            seen = further >= 0 and far < FAR
            hits.thing[i], hits.distance[i] = (thing[0], far - STEP) if seen else (-1, -1.0)
            hits.normal[i] = normal

    def _cast_geoms(self, start: Array, rays: Array, *among: int) -> Hits:
        count = len(rays)
        thing, distance = np.empty(count, np.int32), np.empty(count)
        normal = np.empty(3 * count)
        groups = np.zeros(6, np.uint8)
        groups[list(among)] = 1
        mujoco.mj_multiRay(
            self._model,
            self._data,
            start,
            rays.ravel(),
            groups,
            True,
            -1,
            thing,
            distance,
            normal,
            count,
            FAR,
        )
        return Hits(thing, distance, normal.reshape(-1, 3))

    def _paint(self, colours: Array, rays: Array, hits: Hits) -> None:
        """Lay the light that comes from the hits over the colours."""
        hit = hits.thing >= 0
        if not hit.any():
            return
        rays, thing = rays[hit], hits.thing[hit]
        points = self._eye + rays * hits.distance[hit, None]
        normal = hits.normal[hit]
        normal = np.where(np.sum(normal * rays, axis=1, keepdims=True) > 0, -normal, normal)
        base = self._looks.rgba[thing, :3] * self._texture_colours(thing, points)
        light = self._looks.emission[thing, None] * base
        for source in self._lights:
            light += self._light_from(source, points, normal, rays, thing, base)
        alpha = self._looks.rgba[thing, 3:]
        colours[hit] = alpha * np.clip(light, 0.0, 1.0) + (1.0 - alpha) * colours[hit]

    def _light_from(
        self,
        source: mujoco.MjvLight,
        points: Array,
        normal: Array,
        rays: Array,
        thing: NDArray[np.int32],
        base: Array,
    ) -> Array:
        """Return the light of one source that points send to the eye, as OpenGL's old pipeline."""
        axis = np.array(source.dir, float)
        if source.type == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL:
            start = points.mean(axis=0) - SUN_DISTANCE * axis
            to_light, strength = np.broadcast_to(-axis, points.shape), np.ones(len(points))
        else:
            start = np.array(source.pos, float)
            to_light = start - points
            length = np.linalg.norm(to_light, axis=1)
            to_light = to_light / length[:, None]
            constant, linear, square = source.attenuation
            strength = 1.0 / (constant + linear * length + square * length**2)
            if source.type == mujoco.mjtLightType.mjLIGHT_SPOT:
                inside = -to_light @ axis
                strength *= np.where(inside > cos(radians(source.cutoff)), inside, 0) ** (
                    source.exponent
                )
        facing = np.maximum(np.sum(normal * to_light, axis=1), 0.0)
        halfway = to_light - rays
        halfway /= np.linalg.norm(halfway, axis=1, keepdims=True)
        gleam = np.maximum(np.sum(normal * halfway, axis=1), 0.0) ** self._looks.shininess[thing]
        gleam *= self._looks.specular[thing] * (facing > 0)
        if source.castshadow and not source.headlight:
            strength = strength * ~self._shaded(start, points, facing > 0)
        shade = source.ambient + facing[:, None] * source.diffuse
        return strength[:, None] * (shade * base + gleam[:, None] * source.specular)

    def _shaded(self, start: Array, points: Array, asked: Boolean) -> Boolean:
        """Tell for which of the points something is in the way of the light."""
        rays = points[asked] - start
        length = np.linalg.norm(rays, axis=1)
        shaded = np.zeros(len(points), bool)
        if len(rays):
            hits = self._cast_geoms(start, rays / length[:, None], OPAQUE, CLEAR, BEFORE)
            shaded[asked] = (hits.thing >= 0) & (hits.distance < length - LIFT)
        return shaded

    def _texture_colours(self, thing: NDArray[np.int32], points: Array) -> Array:
        colours = np.ones((len(points), 3))
        for number, texture in self._textured.items():
            mask = thing == number
            rotation = self._data.geom_xmat[number].reshape(3, 3)
            local = (points[mask] - self._data.geom_xpos[number]) @ rotation
            colours[mask] = texture.colours(local[:, :2], self._model.geom_size[number, :2])
        return colours

    def _sky_colours(self, rays: Array) -> Array:
        """Look rays up in the six faces of the sky: the axis along which a ray is longest."""
        if self._sky is None:
            return np.zeros((len(rays), 3))
        cube = np.column_stack((rays[:, 0], rays[:, 2], -rays[:, 1]))  # its second axis is up
        axis = np.abs(cube).argmax(axis=1)
        rows = np.arange(len(cube))
        longest = cube[rows, axis]
        face = 2 * axis + (longest < 0)
        across, down = _FACE_AXES[face, 0], _FACE_AXES[face, 1]
        size = self._sky.shape[1]
        u, v = (
            ((1 + np.sum(cube * a, axis=1) / np.abs(longest)) / 2 * size)
            .astype(int)
            .clip(0, size - 1)
            for a in (across, down)
        )
        return self._sky[face, v, u]


_FACE_AXES = np.array(
    [
        [(0, 0, -1), (0, -1, 0)],
        [(0, 0, 1), (0, -1, 0)],
        [(1, 0, 0), (0, 0, 1)],
        [(1, 0, 0), (0, 0, -1)],
        [(1, 0, 0), (0, -1, 0)],
        [(-1, 0, 0), (0, -1, 0)],
    ]
)
"""To the right and downwards on each face of a cube map: +x, -x, +y, -y, +z, -z."""


@dataclass(frozen=True, eq=False)
class _Texture:
    """A picture that repeats on a plane."""

    pixels: Array
    repeat: Array
    uniform: bool
    """Repeats per metre, not per plane."""

    @classmethod
    def of_material(cls, model: mujoco.MjModel, material: int) -> "_Texture":
        texture = model.mat_texid[material, mujoco.mjtTextureRole.mjTEXROLE_RGB]
        repeat, uniform = model.mat_texrepeat[material], bool(model.mat_texuniform[material])
        return cls(_texture_pixels(model, texture), repeat, uniform)

    def colours(self, local: Array, half_size: Array) -> Array:
        scale = np.where((half_size <= 0) | self.uniform, 1.0, half_size)
        turns = 0.5 * self.repeat * local * (1, -1) / scale - 0.5
        height, width = self.pixels.shape[:2]
        u, v = (turns % 1.0 * (width, height)).astype(int).T
        return self.pixels[v.clip(0, height - 1), u.clip(0, width - 1)]


def _is_textured_plane(model: mujoco.MjModel, geom: int) -> bool:
    material = model.geom_matid[geom]
    if material < 0 or model.geom_type[geom] != mujoco.mjtGeom.mjGEOM_PLANE:
        return False
    texture = model.mat_texid[material, mujoco.mjtTextureRole.mjTEXROLE_RGB]
    return texture >= 0 and model.tex_type[texture] == mujoco.mjtTexture.mjTEXTURE_2D


def _texture_pixels(model: mujoco.MjModel, texture: int) -> Array:
    height, width = int(model.tex_height[texture]), int(model.tex_width[texture])
    channels, first = int(model.tex_nchannel[texture]), int(model.tex_adr[texture])
    data = model.tex_data[first : first + height * width * channels]
    pixels = data.reshape(height, width, channels) / 255.0
    return pixels[:, :, :3] if channels >= 3 else np.repeat(pixels[:, :, :1], 3, axis=2)


def _sky_faces(model: mujoco.MjModel) -> Array | None:
    """Return the six faces of the sky. Shape (6, size, size, 3); None without a sky."""
    skies = np.flatnonzero(model.tex_type == mujoco.mjtTexture.mjTEXTURE_SKYBOX)
    if not len(skies):
        return None
    pixels = _texture_pixels(model, skies[0])
    size = pixels.shape[1]
    if len(pixels) == size:  # the same for every face
        pixels = np.tile(pixels, (6, 1, 1))
    return pixels.reshape(6, size, size, 3)


def _edges(picture: Array) -> Boolean:
    """Tell which pixels differ much from a neighbour."""
    edge = np.zeros(picture.shape[:2], bool)
    down = np.abs(np.diff(picture, axis=0)).max(axis=2) > EDGE / 255.0
    across = np.abs(np.diff(picture, axis=1)).max(axis=2) > EDGE / 255.0
    edge[:-1] |= down
    edge[1:] |= down
    edge[:, :-1] |= across
    edge[:, 1:] |= across
    return edge


# --- decorations: what the engine's rays do not meet ------------------------------------------
# Each takes where rays start and go, in the frame of the shape, and its half sizes. It returns the
# distances (negative: missed) and the normals.


def _meet_box(start: Array, rays: Array, size: Array) -> tuple[Array, Array]:
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (-size - start) / rays, (size - start) / rays
    enter, leave = np.fmin(a, b), np.fmax(a, b)
    axis = np.nan_to_num(enter, nan=-np.inf).argmax(axis=1)
    rows = np.arange(len(rays))
    distance = enter[rows, axis]
    missed = ~(distance <= np.nanmin(leave, axis=1))
    normal = np.zeros_like(rays)
    normal[rows, axis] = -np.sign(rays[rows, axis])
    return np.where(missed, -1.0, distance), normal


def _meet_ellipsoid(start: Array, rays: Array, size: Array) -> tuple[Array, Array]:
    distance = _nearer_root(start / size, rays / size)
    normal = (start + distance[:, None] * rays) / size**2
    return distance, normal / np.linalg.norm(normal, axis=1, keepdims=True)


def _meet_cylinder(start: Array, rays: Array, size: Array) -> tuple[Array, Array]:
    radius, half = size[0], size[2]
    side = _nearer_root(start[:2] / radius, rays[:, :2] / radius)
    point = start + side[:, None] * rays
    side[np.abs(point[:, 2]) > half] = -1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        cap = (np.copysign(half, start[2]) - start[2]) / rays[:, 2]
        on_cap = np.sum((start[:2] + cap[:, None] * rays[:, :2]) ** 2, axis=1) <= radius**2
    cap = np.where(on_cap & (abs(start[2]) > half), cap, -1.0)
    use_cap = (cap > 0) & ((side <= 0) | (cap < side))
    normal = np.column_stack((point[:, :2] / radius, np.zeros(len(rays))))
    normal[use_cap] = 0.0, 0.0, np.sign(start[2])
    return np.where(use_cap, cap, side), normal


def _nearer_root(start: Array, rays: Array) -> Array:
    """Return where rays enter the unit circle or sphere; -1 where they do not."""
    a, b = np.sum(rays**2, axis=1), rays @ start
    root = b**2 - a * (start @ start - 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((root >= 0) & (a > 0), (-b - np.sqrt(np.maximum(root, 0))) / a, -1.0)


_MEET = {
    int(mujoco.mjtGeom.mjGEOM_BOX): _meet_box,
    int(mujoco.mjtGeom.mjGEOM_SPHERE): _meet_ellipsoid,
    int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): _meet_ellipsoid,
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): _meet_cylinder,
}
