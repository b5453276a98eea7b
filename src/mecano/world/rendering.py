"""Pictures of a world: by OpenGL where there is one, by ray casting where there is none.

with open_renderer(mirror, size=(1280, 720)) as renderer:
    picture = renderer.render(mirror, view_of(mirror))
"""

import os
import threading
import weakref
from types import TracebackType
from typing import Any, ClassVar, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.world.mirror import Mirror
from mecano.world.views import AnyView, moving_bodies

Picture = NDArray[np.uint8]
"""Red, green, blue of every pixel, the upper left one first. Shape (height, width, 3)."""

LARGEST = 7680, 4320
SIZE = 1280, 720
"""Of a picture by OpenGL if nobody asks for another, in pixels."""
RAY_SIZE = 480, 270
"""The same by ray casting, which takes 2 to 5 s per million pixels."""
SUPERSAMPLED = 1920 * 1080
"""Pictures up to this many pixels are drawn twice as large and shrunk: smooth edges of shadows."""
FAST_SHADOWS = 2048
"""Pixels of the map of shadows if edges need not be smooth: that map takes most of the time."""
SWITCH = "MECANO_GL"
"""This environment variable set to `off` draws by ray casting."""
SHAPES = ("visual", "collision", "inertia")
"""What is drawn of bodies: how they look, what collides, or boxes of the same inertia."""
INERTIA_COLOUR = 0.95, 0.62, 0.15


class WrongThread(MecanoError):
    """A renderer was used in another thread than the one that made it."""


class Renderer(Protocol):
    """Draws states of a world."""

    kind: str
    """How it draws: "EGL" or "ray casting"."""
    remark: str
    """What a user should know about that, as one sentence; empty if nothing."""
    width: int
    height: int

    def render(self, mirror: Mirror, view: AnyView) -> Picture:
        """Return a picture of the state that the mirror shows."""
        ...

    def render_depth(self, mirror: Mirror, view: AnyView) -> NDArray[np.float32]:
        """Return how far along the camera's axis each pixel sees [m]; infinite for nothing."""
        ...

    def close(self) -> None:
        """Give back what it holds. A second call does nothing."""
        ...

    def __enter__(self) -> "Renderer": ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def open_renderer(
    mirror: Mirror,
    *,
    size: tuple[int, int] | None = None,
    shapes: str = "visual",
    gl: bool | None = None,
    smooth: bool = True,
) -> Renderer:
    """Return a renderer for a world; close it, or use it in a `with` block.

    Args:
        mirror: What will be drawn. Its sizes of the offscreen picture are changed.
        size: Width and height in pixels; None takes 1280x720 with OpenGL, else 480x270.
        shapes: "visual"; "collision" shows the shapes that collide instead; "inertia" shows in
            every body of the robots the box that has its mass and inertia.
        gl: True insists on OpenGL, False draws by ray casting. None tries OpenGL first, unless
            the environment variable MECANO_GL is `off`.
        smooth: Draw edges finer (by OpenGL those of shadows, by ray casting all); takes about
            three times as long. For stills rather than videos.

    Raises:
        MecanoError: OpenGL was insisted on and cannot be had.
    """
    from mecano.world.raycasting import RayCaster

    if shapes not in SHAPES:
        raise UnknownName("shape", shapes, SHAPES)
    if size is not None:
        check_size(size)
    wanted = gl if gl is not None else os.environ.get(SWITCH, "").lower() != "off"
    reason = f"{SWITCH}=off" if gl is None else "as asked"
    if wanted:
        try:
            return GLRenderer(mirror, size=size or SIZE, shapes=shapes, smooth=smooth)
        except Exception as error:  # drivers fail in many ways: all mean that there is no OpenGL
            reason = f"no OpenGL here, {_one_line(error)}"
            if gl:
                raise MecanoError(
                    f"{reason}; on Debian or Ubuntu: "
                    "apt install libegl1 libegl-mesa0 libgl1-mesa-dri"
                ) from error
    width, height = size or RAY_SIZE
    remark = f"drawn by ray casting ({reason}): plainer and slower, {width}x{height} pixels"
    return RayCaster(size=(width, height), shapes=shapes, smooth=smooth, remark=remark)


def aspect_of(size: tuple[int, int] | None) -> float:
    """Return width over height of a picture of this size, or of the size that None stands for."""
    width, height = size or SIZE
    return width / height


def check_size(size: tuple[int, int]) -> None:
    """Raise unless a picture may have this width and height."""
    width, height = size
    if not (1 <= width <= LARGEST[0] and 1 <= height <= LARGEST[1]):
        raise InvalidInput(
            f"a picture of {width}x{height} pixels is asked for, "
            f"allowed are 1x1 to {LARGEST[0]}x{LARGEST[1]}"
        )


class DrawingList:
    """What is drawn of a model, with its colours, lights and camera; the same for all renderers.

    Geoms and sites in groups from 3 on are hidden, as MuJoCo does: group 2 is how a robot looks,
    group 3 what of it collides, group 0 both.
    """

    def __init__(self, model: mujoco.MjModel, shapes: str) -> None:
        """Make an empty list that is long enough for the model."""
        self.scene = mujoco.MjvScene(model, 1000 + model.ngeom + model.nsite + 2 * model.nbody)
        self.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0  # ripples on nearly equal planes
        self._options = mujoco.MjvOption()
        self._shapes = shapes
        self._robots = moving_bodies(model)
        if shapes == "collision":
            self._options.geomgroup[2:4] = 0, 1
        elif shapes == "inertia":
            self._options.flags[mujoco.mjtVisFlag.mjVIS_INERTIA] = 1

    def fill(self, mirror: Mirror, view: AnyView) -> None:
        """List what there is in the state that the mirror shows, as seen from a view."""
        mujoco.mjv_updateScene(
            mirror.model,
            mirror.data,
            self._options,
            None,
            view.camera(),
            mujoco.mjtCatBit.mjCAT_ALL,
            self.scene,
        )
        if self._shapes != "visual":
            for geom in self.scene.geoms[: self.scene.ngeom]:
                self._recolour(geom, mirror.model)

    def _recolour(self, geom: mujoco.MjvGeom, model: mujoco.MjModel) -> None:
        """Make collision shapes solid; show boxes of inertia inside of see-through robots."""
        is_geom = geom.objtype == mujoco.mjtObj.mjOBJ_GEOM
        if self._shapes == "collision":
            if is_geom and model.geom_group[geom.objid] == 3:
                geom.rgba[3], geom.transparent = 1.0, 0
        elif is_geom and self._robots[model.geom_bodyid[geom.objid]]:
            geom.rgba[3], geom.transparent = 0.35, 1
        elif geom.objtype == mujoco.mjtObj.mjOBJ_BODY:
            solid = self._robots[geom.objid]
            geom.rgba[:] = *INERTIA_COLOUR, float(solid)
            geom.transparent = not solid


class GLRenderer:
    """Draws by OpenGL, without a display.

    An OpenGL context belongs to the thread that made it: make, use and close a renderer in one
    thread, and one renderer for each thread.
    """

    kind = "EGL"
    remark = ""

    def __init__(self, mirror: Mirror, *, size: tuple[int, int], shapes: str, smooth: bool) -> None:
        """Make a context for the model of the mirror; takes up to a second."""
        from mujoco.egl import GLContext  # here, because it needs a driver

        self._open = True
        self.width, self.height = size
        self._smooth = smooth
        self._enlarge = 2 if smooth and self.width * self.height <= SUPERSAMPLED else 1
        self._shapes = shapes
        self._thread = threading.current_thread()
        self._rectangle = mujoco.MjrRect(0, 0, self._enlarge * size[0], self._enlarge * size[1])
        self._pixels = np.empty((self._rectangle.height, self._rectangle.width, 3), np.uint8)
        self._place = _Place(GLContext(*size))
        self._forgotten = weakref.finalize(self, _Place.forget, self._place)
        self._forgotten.atexit = False
        try:
            self._prepare(mirror.model)
        except BaseException:
            self.close()
            raise

    def render_depth(self, mirror: Mirror, view: AnyView) -> NDArray[np.float32]:
        """Return how far along the camera's axis each pixel sees [m]; infinite for nothing."""
        self._draw(mirror, view, plain=True)
        buffer = np.empty((self._rectangle.height, self._rectangle.width), np.float32)
        mujoco.mjr_readPixels(None, buffer, self._rectangle, self._place.context)
        extent, clip = mirror.model.stat.extent, mirror.model.vis.map
        near, far = extent * clip.znear, extent * clip.zfar
        # The engine counts from 1 at the near plane to 0 at the far one, in 1 / depth.
        value = buffer[:: -self._enlarge, :: self._enlarge].astype(np.float64)
        depth = near * far / (near + value * (far - near))
        depth[value <= 0.0] = np.inf
        return depth.astype(np.float32)

    def render(self, mirror: Mirror, view: AnyView) -> Picture:
        """Return a picture of the state that the mirror shows."""
        self._draw(mirror, view, plain=False)
        mujoco.mjr_readPixels(self._pixels, None, self._rectangle, self._place.context)
        upright = self._pixels[::-1]
        if self._enlarge == 1:
            return upright.copy()
        blocks = upright.reshape(self.height, self._enlarge, self.width, self._enlarge, 3)
        total = blocks.sum(axis=(1, 3), dtype=np.uint16)
        return ((total + 2) // 4).astype(np.uint8)

    def _draw(self, mirror: Mirror, view: AnyView, *, plain: bool) -> None:
        """Draw into the buffers of the context; plain leaves out what only depth does not need."""
        self._check_thread()
        if not self._open:
            raise InvalidInput("the renderer is closed; open another one")
        if mirror.model is not self._model:
            self._prepare(mirror.model)
        self._place.gl.make_current()
        self._list.fill(mirror, view)
        flags = self._list.scene.flags
        shadows = flags[mujoco.mjtRndFlag.mjRND_SHADOW]
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = plain
        flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows and not plain
        mujoco.mjr_render(self._rectangle, self._list.scene, self._place.context)
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = False
        flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows

    def close(self) -> None:
        """Give the context back."""
        if not self._open:
            return
        self._check_thread()
        self._open = False
        self._forgotten.detach()
        self._place.free()

    def __enter__(self) -> "GLRenderer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _prepare(self, model: mujoco.MjModel) -> None:
        """Load meshes and textures of a model into the context."""
        sizes, quality = model.vis.global_, model.vis.quality
        sizes.offwidth, sizes.offheight = self._rectangle.width, self._rectangle.height
        quality.offsamples = 4
        shadows = quality.shadowsize
        self._place.gl.make_current()
        if self._place.context is not None:
            self._place.context.free()
        quality.shadowsize = shadows if self._smooth else min(shadows, FAST_SHADOWS)
        self._place.context = context = mujoco.MjrContext(
            model, mujoco.mjtFontScale.mjFONTSCALE_100
        )
        quality.shadowsize = shadows
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
        context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._model, self._list = model, DrawingList(model, self._shapes)

    def _check_thread(self) -> None:
        here = threading.current_thread()
        if here is not self._thread:
            raise WrongThread(
                f"this renderer belongs to the thread '{self._thread.name}', which made it, "
                f"and was used in '{here.name}'; open another one there"
            )


class _Place:
    """An OpenGL context and what the engine keeps in it: given back together.

    The engine's own destructor frees in whatever context is current then. Buffers have the same
    small numbers in all of them, so it would take away those of another renderer.
    """

    left: ClassVar[list["_Place"]] = []
    """What could not be given back, kept from that destructor."""

    def __init__(self, gl: Any) -> None:
        self.gl = gl
        self.context: mujoco.MjrContext | None = None

    def free(self) -> None:
        """Give back both; what was current before is so again."""
        with self.gl.as_current():
            if self.context is not None:
                self.context.free()
        self.gl.free()
        self.context = None

    def forget(self) -> None:
        """Give back what nobody closed; it may be current in another thread, then keep it."""
        try:
            self.free()
        except Exception:  # drivers fail in many ways
            _Place.left.append(self)


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {text}"[:160]
